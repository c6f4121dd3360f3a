"""Whether a graph can be coloured: cheap proofs first, search for what they leave open."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie._types import Pairs
from coterie.difficulty.dsatur import colour
from coterie.difficulty.graph import fill, find_clique, graph_of, peel, pieces, within


class Verdict(NamedTuple):
    """Whether a graph can be coloured, how that was decided, and the evidence."""

    answer: bool | None
    proof: str
    colours: NDArray[np.int32] | None  # of every node, where the answer is yes
    nodes: list[int]  # that cannot be coloured, or that were not, where it is not


def decide(apart: Pairs, n: int, n_colours: int, max_steps: int) -> Verdict:
    """Return whether `n` nodes can be coloured so that no pair of `apart` is alike.

    Nodes with few neighbours are peeled off, and what is left is coloured piece by piece.

    >>> square, diagonal = [(0, 1), (1, 2), (2, 3), (0, 3)], (0, 2)
    >>> decide(np.array(square), 4, 2, 100).colours
    array([0, 1, 0, 1], dtype=int32)
    >>> decide(np.array([*square, diagonal]), 4, 2, 100)
    Verdict(answer=False, proof='clique', colours=None, nodes=[0, 1, 2])
    """
    graph = graph_of(apart, n)
    peeled = peel(graph, n_colours)
    colours = [-1] * n
    stubborn = []
    for piece in pieces(graph, peeled):
        part = within(graph, piece)
        found = colour(part, n_colours, max_steps=0).colours
        if found is None:
            stubborn.append((piece, part))
        else:
            _write(colours, piece, found)
    for piece, part in stubborn:
        clique = find_clique(part, n_colours + 1)
        if clique:
            return Verdict(False, "clique", None, sorted(piece[node] for node in clique))
    undecided: list[int] = []
    for piece, part in stubborn:
        # With two colours all follows from the first one, so a step a node always does.
        enough = len(part) if n_colours <= 2 else 0
        outcome = colour(part, n_colours, max(max_steps, enough))
        max_steps = max(max_steps - outcome.n_steps, 0)
        if outcome.answer is False:
            return Verdict(False, "search", None, sorted(piece))
        if outcome.colours is None:
            undecided += piece
        else:
            _write(colours, piece, outcome.colours)
    if undecided:
        return Verdict(None, "undecided", None, sorted(undecided))
    fill(graph, peeled, colours)
    proof = "search" if stubborn else "colouring"
    return Verdict(True, proof, _by_first(colours), [])


def _write(colours: list[int], piece: list[int], found: list[int]) -> None:
    for node, its_colour in zip(piece, found, strict=True):
        colours[node] = its_colour


def _by_first(colours: list[int]) -> NDArray[np.int32]:
    """Return the colours, numbered in the order in which they first appear."""
    _, first, code = np.unique(colours, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first)).astype(np.int32)[code]
