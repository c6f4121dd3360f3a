"""Write out the links that a closure entails, with their weights."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie._types import Floats, Pairs
from coterie.constraints.pairs import across, keys, members, within
from coterie.constraints.value import Links

Ints = NDArray[np.int64]
Weighted = tuple[Pairs, Floats]


class Groups(NamedTuple):
    """The rows that links name, and the neighbourhoods these make."""

    links: Links
    rows: Ints  # (l,) sorted
    neighbourhood: Ints  # (l,) of each row
    sizes: Ints  # (g,) of each neighbourhood
    apart: Pairs  # (p, 2) neighbourhoods that must differ
    apart_weights: Floats  # (p,) the strongest cannot-link between the two


def entailed_links(groups: Groups) -> tuple[Weighted, Weighted]:
    """Return all must-links, and all cannot-links between neighbourhoods.

    Equal weights of must-links need no search for the strongest chain: all chains are alike.
    """
    weights = groups.links.must_link_weights
    if weights.min() == weights.max():
        return _by_one_weight(groups, float(weights[0]))
    return _by_forest(groups)


def _by_one_weight(groups: Groups, weight: float) -> tuple[Weighted, Weighted]:
    indptr, order = members(groups.neighbourhood, len(groups.sizes))
    rows = groups.rows[order]
    must = within(indptr, rows)
    apart = _Blocks.of(groups, indptr, order)
    # A way that uses any chain weighs `weight` at most; the given link alone needs none.
    travelled = np.minimum(groups.apart_weights, weight)
    weights = np.repeat(travelled, apart.sizes)
    np.maximum.at(weights, apart.spots, apart.weights)
    return (must, np.full(len(must), weight)), (across(indptr, rows, groups.apart), weights)


def _by_forest(groups: Groups) -> tuple[Weighted, Weighted]:
    # Only here is numba needed, and it takes its time to import.
    from coterie.loops import forest

    links, n = groups.links, len(groups.rows)
    strongest_first = np.argsort(-links.must_link_weights, kind="stable")
    ends = np.searchsorted(groups.rows, links.must_link[strongest_first]).astype(np.int64)
    above, strength = np.empty(n, dtype=np.int64), np.empty(n)
    forest.grow(ends, links.must_link_weights[strongest_first], above, strength)

    order = np.lexsort((_depth(above), groups.neighbourhood)).astype(np.int64)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    parent = np.where(above >= 0, place[above], -1)[order]
    strength = strength[order]
    indptr, _ = members(groups.neighbourhood, len(groups.sizes))
    rows = groups.rows[order]

    must = within(indptr, rows)
    must_weights = np.empty(len(must))
    forest.within(indptr, parent, strength, must_weights)

    apart = _Blocks.of(groups, indptr, order)
    weights = np.zeros(int(apart.sizes.sum()))
    weights[apart.spots] = apart.weights
    forest.across(indptr, parent, strength, groups.apart, weights)
    return (must, must_weights), (across(indptr, rows, groups.apart), weights)


class _Blocks(NamedTuple):
    """Where the given cannot-links lie among all pairs of rows of two neighbourhoods."""

    sizes: Ints  # (p,) how many pairs of rows there are for each two neighbourhoods
    spots: Ints  # (m,) the place of each given link
    weights: Floats  # (m,)

    @classmethod
    def of(cls, groups: Groups, indptr: Ints, order: Ints) -> "_Blocks":
        links, group_of = groups.links, groups.neighbourhood
        ends = np.searchsorted(groups.rows, links.cannot_link)
        crosses = group_of[ends[:, 0]] != group_of[ends[:, 1]]
        ends, weights = ends[crosses], links.cannot_link_weights[crosses]
        turned = group_of[ends[:, 0]] > group_of[ends[:, 1]]
        ends[turned] = ends[turned, ::-1]

        n, apart = len(groups.sizes), groups.apart
        block = np.searchsorted(keys(apart, n), keys(group_of[ends], n))
        widths = groups.sizes[apart[:, 1]]
        sizes = groups.sizes[apart[:, 0]] * widths
        starts = np.cumsum(sizes) - sizes
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order)) - np.repeat(indptr[:-1], np.diff(indptr))
        spots = starts[block] + rank[ends[:, 0]] * widths[block] + rank[ends[:, 1]]
        return cls(sizes, spots, weights)


def _depth(above: Ints) -> Ints:
    """Return how far each node is from its root, by leaps that double."""
    depth = (above >= 0).astype(np.int64)
    while (above >= 0).any():
        depth += np.where(above >= 0, depth[above], 0)
        above = np.where(above >= 0, above[above], -1)
    return depth
