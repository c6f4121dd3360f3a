"""Write out the links that a closure entails, with their weights."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie._types import Floats, Pairs
from coterie.constraints.pairs import across, keys, members, within

if TYPE_CHECKING:
    from coterie.constraints.closure import Closure

Ints = NDArray[np.int64]
Weighted = tuple[Pairs, Floats]


def entailed_links(closure: "Closure[Any]") -> tuple[Weighted, Weighted]:
    """Return all must-links, and all cannot-links between neighbourhoods.

    Equal weights of must-links need no search for the strongest chain: all chains are alike.
    """
    weights = closure.constraints.must_link_weights
    if weights.min() == weights.max():
        return _by_one_weight(closure, float(weights[0]))
    return _by_forest(closure)


def _by_one_weight(closure: "Closure[Any]", weight: float) -> tuple[Weighted, Weighted]:
    indptr, order = members(closure.neighbourhood, closure.n_neighbourhoods)
    rows = closure.rows[order]
    must = within(indptr, rows)
    apart = _Blocks.of(closure, indptr, order)
    # A way that uses any chain weighs `weight` at most; the given link alone needs none.
    travelled = np.minimum(closure.apart_weights, weight)
    weights = np.repeat(travelled, apart.sizes)
    np.maximum.at(weights, apart.spots, apart.weights)
    return (must, np.full(len(must), weight)), (across(indptr, rows, closure.apart), weights)


def _by_forest(closure: "Closure[Any]") -> tuple[Weighted, Weighted]:
    # Only here is numba needed, and it takes its time to import.
    from coterie.loops import forest

    links, n = closure.constraints, len(closure.rows)
    strongest_first = np.argsort(-links.must_link_weights, kind="stable")
    ends = np.searchsorted(closure.rows, links.must_link[strongest_first]).astype(np.int64)
    above, strength = np.empty(n, dtype=np.int64), np.empty(n)
    forest.grow(ends, links.must_link_weights[strongest_first], above, strength)

    order = np.lexsort((_depth(above), closure.neighbourhood)).astype(np.int64)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    parent = np.where(above >= 0, place[above], -1)[order]
    strength = strength[order]
    indptr, _ = members(closure.neighbourhood, closure.n_neighbourhoods)
    rows = closure.rows[order]

    must = within(indptr, rows)
    must_weights = np.empty(len(must))
    forest.within(indptr, parent, strength, must_weights)

    apart = _Blocks.of(closure, indptr, order)
    weights = np.zeros(int(apart.sizes.sum()))
    weights[apart.spots] = apart.weights
    forest.across(indptr, parent, strength, closure.apart, weights)
    return (must, must_weights), (across(indptr, rows, closure.apart), weights)


class _Blocks(NamedTuple):
    """Where the given cannot-links lie among all pairs of rows of two neighbourhoods."""

    sizes: Ints  # (p,) how many pairs of rows there are for each two neighbourhoods
    spots: Ints  # (m,) the place of each given link
    weights: Floats  # (m,)

    @classmethod
    def of(cls, closure: "Closure[Any]", indptr: Ints, order: Ints) -> "_Blocks":
        links, groups = closure.constraints, closure.neighbourhood
        ends = np.searchsorted(closure.rows, links.cannot_link)
        crosses = groups[ends[:, 0]] != groups[ends[:, 1]]
        ends, weights = ends[crosses], links.cannot_link_weights[crosses]
        turned = groups[ends[:, 0]] > groups[ends[:, 1]]
        ends[turned] = ends[turned, ::-1]

        n, apart = closure.n_neighbourhoods, closure.apart
        block = np.searchsorted(keys(apart, n), keys(groups[ends], n))
        widths = closure.sizes[apart[:, 1]]
        sizes = closure.sizes[apart[:, 0]] * widths
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
