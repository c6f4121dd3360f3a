"""The shape of the link graph: its trees, and the core of loops that is left without them."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._types import Floats, Pairs
from coterie.loops import peel

Ints = NDArray[np.int64]


class Ends(NamedTuple):
    """The ends of edges, listed by node: node i has those from indptr[i] to indptr[i + 1]."""

    indptr: Ints  # (n + 1,)
    other: Ints  # (2e,) the node at the other end
    edge: Ints  # (2e,) which edge it is
    back: Ints  # (2e,) where the node at the other end lists this edge

    @classmethod
    def of(cls, edges: Pairs, n_nodes: int) -> Self:
        ends = edges.T.ravel()
        order = np.argsort(ends, kind="stable").astype(np.int64)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        n_edges = len(edges)
        across = (order + n_edges) % (2 * n_edges) if n_edges else order
        indptr = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=n_nodes))])
        return cls(
            indptr.astype(np.int64),
            ends[across],
            (order % n_edges if n_edges else order).astype(np.int64),
            place[across],
        )


class Core(NamedTuple):
    """Nodes side by side, component by component and breadth first, and the edges among them."""

    nodes: Ints  # (c,) as the skeleton numbers them
    starts: Ints  # (p + 1,) component i has nodes[starts[i]:starts[i + 1]]
    edges: Ints  # (e,) as the skeleton numbers them, component by component
    edge_starts: Ints  # (p + 1,)
    pairs: Pairs  # (e, 2) their ends, as places in `nodes`, the earlier one first
    ends: Ends

    @classmethod
    def of(cls, pairs: Pairs, n_nodes: int, inside: NDArray[np.bool_]) -> Self:
        """Return the nodes that are `inside`, with all edges that both ends of are."""
        ends = Ends.of(pairs, n_nodes)
        order = np.empty(n_nodes, dtype=np.int64)
        starts = np.empty(n_nodes + 1, dtype=np.int64)
        n = peel.walk(ends.indptr, ends.other, inside.copy(), order, starts)
        nodes, starts = order[: starts[n]].copy(), starts[: n + 1].copy()
        place = np.full(n_nodes, -1, dtype=np.int64)
        place[nodes] = np.arange(len(nodes))
        edges = np.flatnonzero(inside[pairs].all(axis=1))
        placed = np.sort(place[pairs[edges]], axis=1).reshape(-1, 2)
        order = np.lexsort(placed.T[::-1])
        placed = np.ascontiguousarray(placed[order])
        return cls(
            nodes,
            starts,
            edges[order].astype(np.int64),
            np.searchsorted(placed[:, 0], starts).astype(np.int64),
            placed,
            Ends.of(placed, len(nodes)),
        )

    @property
    def component(self) -> Ints:
        """The component of each node."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @property
    def edge_component(self) -> Ints:
        """The component of each edge."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.edge_starts))


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Units that move as one, as nodes, and an edge between any two that links join.

    Nodes come off one by one while they have one edge at most. What hangs by them is a tree, and
    costs little to solve; what stays is the core.
    """

    n_nodes: int
    pairs: Pairs  # (e, 2) the ends of each edge, lower first, sorted
    edge_of: Ints  # (m,) the edge of each link, -1 inside a node
    order: Ints  # (p,) the nodes that come off, in that order
    parent: Ints  # (n,) the node that each of them hung by, -1 for the last of a tree
    above: Ints  # (n,) the edge that it hung by, or -1
    core: Core

    @classmethod
    def of(cls, ends: Pairs, n_nodes: int) -> Self:
        """Return the skeleton of links with these ends, as numbers of nodes."""
        low, high = np.sort(ends, axis=1).reshape(-1, 2).T
        codes = low * n_nodes + high
        across = low != high
        distinct, number = np.unique(codes[across], return_inverse=True)
        edge_of = np.full(len(codes), -1, dtype=np.int64)
        edge_of[across] = number
        pairs = np.stack(np.divmod(distinct, max(n_nodes, 1)), axis=1).astype(np.int64)
        listed = Ends.of(pairs, n_nodes)
        order, parent, above = (np.empty(n_nodes, dtype=np.int64) for _ in range(3))
        n_off = peel.strip(listed.indptr, listed.other, listed.edge, order, parent, above)
        order = order[:n_off].copy()
        stays = np.ones(n_nodes, dtype=bool)
        stays[order] = False
        core = Core.of(pairs, n_nodes, stays)
        return cls(n_nodes, pairs, edge_of, order, parent, above, core)

    @cached_property
    def _links_of_edges(self) -> sparse.csr_array:
        """Which links each edge stands for, (e, m)."""
        across = np.flatnonzero(self.edge_of >= 0)
        shape = len(self.pairs), len(self.edge_of)
        one = np.ones(len(across))
        return sparse.csr_array((one, (self.edge_of[across], across)), shape=shape)

    def added(self, costs: Floats) -> Floats:
        """Return what links cost, added up by the edge that they lie on."""
        total: Floats = self._links_of_edges @ costs
        return total
