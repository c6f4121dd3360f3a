"""Graphs as lists of neighbours, and what makes them smaller before they are coloured."""

import numpy as np
from numpy.typing import NDArray

from coterie._types import Pairs

Graph = list[list[int]]  # the nodes next to each node

_CLIQUE_WORK = 20_000_000  # set entries looked at, a second or two


def graph_of(pairs: Pairs, n: int) -> Graph:
    """Return the graph of `n` nodes that joins each of `pairs`.

    >>> graph_of(np.array([[0, 1], [1, 2]]), 4)
    [[1], [0, 2], [1], []]
    """
    tails = pairs[:, ::-1].T.ravel()
    heads = pairs.T.ravel()[np.argsort(tails, kind="stable")].tolist()
    ends: NDArray[np.int64] = np.cumsum(np.bincount(tails, minlength=n))
    stops = ends.tolist()
    return [heads[i:j] for i, j in zip([0, *stops], stops, strict=False)]


def peel(graph: Graph, n_colours: int) -> list[int]:
    """Return the nodes that can always be coloured, given all that is not peeled before them.

    A node with fewer neighbours than there are colours finds one free, whatever the others
    have. Without it, its neighbours may be such nodes too.

    >>> peel([[1], [0, 2, 3], [1, 3], [1, 2]], n_colours=2)
    [0]
    """
    degree = [len(near) for near in graph]
    peeled = [node for node, d in enumerate(degree) if d < n_colours]
    for node in peeled:  # grows as it is walked
        for other in graph[node]:
            degree[other] -= 1
            if degree[other] == n_colours - 1:
                peeled.append(other)
    return peeled


def fill(graph: Graph, peeled: list[int], colours: list[int]) -> None:
    """Give each peeled node, last one first, the lowest colour that its neighbours lack."""
    for node in reversed(peeled):
        taken = {colours[other] for other in graph[node]}
        colour = 0
        while colour in taken:
            colour += 1
        colours[node] = colour


def pieces(graph: Graph, peeled: list[int]) -> list[list[int]]:
    """Return the connected pieces of what peeling leaves, smallest first.

    The nodes of a piece come by falling number of neighbours in it.

    >>> pieces([[1], [0, 2, 3], [1, 3], [1, 2]], peeled=[0])
    [[1, 2, 3]]
    """
    seen = [False] * len(graph)
    for node in peeled:
        seen[node] = True
    core = [not was_peeled for was_peeled in seen]
    found = []
    for start in range(len(graph)):
        if seen[start]:
            continue
        seen[start] = True
        piece = [start]
        for node in piece:  # grows as it is walked
            for other in graph[node]:
                if not seen[other]:
                    seen[other] = True
                    piece.append(other)
        degree = {node: sum(core[other] for other in graph[node]) for node in piece}
        found.append(sorted(piece, key=lambda node: (-degree[node], node)))
    return sorted(found, key=len)


def within(graph: Graph, nodes: list[int]) -> Graph:
    """Return the part of `graph` between `nodes`, numbered as they are listed.

    >>> within([[1], [0, 2], [1]], [2, 1])
    [[1], [0]]
    """
    number = {node: i for i, node in enumerate(nodes)}
    return [[number[other] for other in graph[node] if other in number] for node in nodes]


def find_clique(graph: Graph, size: int) -> list[int]:
    """Return `size` nodes that are all joined, or an empty list where none turned up.

    Greedy: from each node on, the neighbour that keeps most of the others in play.

    >>> find_clique([[1], [0, 2, 3], [1, 3], [1, 2]], 3)
    [1, 2, 3]
    """
    near = [set(others) for others in graph]
    work = 0
    for start in range(len(graph)):
        clique, left = [start], near[start]
        while len(clique) < size <= len(clique) + len(left):
            work += sum(min(len(near[node]), len(left)) for node in left)
            if work > _CLIQUE_WORK:
                return []
            best = max(left, key=lambda node: (len(near[node] & left), -node))
            clique.append(best)
            left = left & near[best]
        if len(clique) == size:
            return sorted(clique)
    return []
