"""Arithmetic on pairs of row numbers: order them, merge them, spell them out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie._types import Floats, Pairs

_HALF = 1 << 31


def no_pairs() -> Pairs:
    """Return an empty (0, 2) array of pairs."""
    return np.empty((0, 2), dtype=np.int64)


def merged(pairs: Pairs, weights: Floats, how: np.ufunc = np.add) -> tuple[Pairs, Floats]:
    """Return every pair once, smaller row first, in lexicographic order.

    Weights of the same pair are joined by `how`.

    >>> merged(np.array([[2, 1], [0, 3], [1, 2]]), np.array([1.0, 1.0, 0.5]))
    (array([[0, 3], [1, 2]]), array([1. , 1.5]))
    """
    if len(pairs) == 0:
        return no_pairs(), np.empty(0)
    low = np.minimum(pairs[:, 0], pairs[:, 1])
    high = np.maximum(pairs[:, 0], pairs[:, 1])
    order = _sorting(low, high)
    low, high, weights = low[order], high[order], weights[order]
    fresh = np.empty(len(low), dtype=bool)
    fresh[0] = True
    np.logical_or(low[1:] != low[:-1], high[1:] != high[:-1], out=fresh[1:])
    if not fresh.all():
        starts = np.flatnonzero(fresh)
        low, high, weights = low[starts], high[starts], how.reduceat(weights, starts)
    return np.column_stack([low, high]), weights


def _sorting(low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.intp]:
    if low.min() >= 0 and high.max() < _HALF:
        # One 64-bit key sorts several times faster than two columns.
        return np.argsort((low << 32) | high, kind="stable")
    return np.lexsort((high, low))


def keys(pairs: Pairs, n: int) -> NDArray[np.int64]:
    """Return one number a pair, the same for both orientations; rows are below `n`."""
    low = np.minimum(pairs[:, 0], pairs[:, 1])
    return low * np.int64(n) + np.maximum(pairs[:, 0], pairs[:, 1])


def ragged(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the owner and the rank of each item when owner i has `counts[i]` items.

    >>> ragged(np.array([2, 0, 3]))
    (array([0, 0, 2, 2, 2]), array([0, 1, 0, 1, 2]))
    """
    owner = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    starts = np.cumsum(counts) - counts
    return owner, np.arange(len(owner), dtype=np.int64) - starts[owner]


def members(groups: NDArray[Any], n_groups: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (indptr, rows): the rows of group g are `rows[indptr[g]:indptr[g + 1]]`."""
    indptr = np.zeros(n_groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(groups, minlength=n_groups), out=indptr[1:])
    return indptr, np.argsort(groups, kind="stable").astype(np.int64)


def within(indptr: NDArray[np.int64], rows: NDArray[np.int64]) -> Pairs:
    """Return every pair of rows of the same group.

    >>> within(np.array([0, 3, 4]), np.array([5, 6, 7, 8])).tolist()
    [[5, 6], [5, 7], [6, 7]]
    """
    sizes = np.diff(indptr)
    group, rank = ragged(sizes)
    first, step = ragged(sizes[group] - 1 - rank)
    return np.column_stack([rows[first], rows[first + 1 + step]])


def across(indptr: NDArray[np.int64], rows: NDArray[np.int64], between: Pairs) -> Pairs:
    """Return every pair of rows from either side of each pair of groups.

    >>> across(np.array([0, 2, 3]), np.array([5, 6, 7]), np.array([[0, 1]])).tolist()
    [[5, 7], [6, 7]]
    """
    sizes = np.diff(indptr)
    left, right = between[:, 0], between[:, 1]
    owner, rank = ragged(sizes[left] * sizes[right])
    width = sizes[right][owner]
    return np.column_stack(
        [rows[indptr[left][owner] + rank // width], rows[indptr[right][owner] + rank % width]]
    )


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return `array`, locked, as a copy where somebody else could still write to it."""
    if array.flags.writeable and array.base is not None:
        array = array.copy()
    array.setflags(write=False)
    return array
