"""Assign every row to its cheapest cluster and add up what the centres and metrics need.

One pass over a block of rows, tile by tile, so that a tile is read from memory once. A tile is
turned on its side, (features, rows): products, the search for the smallest and the squares then
run across rows and vectorise. Sums are kept in float64 whatever the rows are.

A row of negative weight is *held*: its label is left alone and it adds to no sum. The caller
uses that for rows that carry links, which are labelled together elsewhere.
"""

import numpy as np

from coterie.loops.ahead import ask_for
from coterie.loops.tile import (
    NARROW,
    SMALL,
    STRIDE,
    TILE,
    _add,
    _add_scatter,
    _add_squares,
    _cheapest,
    _fetch,
    _jit,
    _padded,
    _padded_forms,
    _relabel,
    _score_forms,
    _times,
    _times_blas,
    _turn,
)

PART = TILE // 4
NEAR = 1 << 17  # bytes of a tile that may come ahead without driving out what is in use


@_jit
def _split(slopes, d):
    # The part that multiplies a row, and the part that multiplies its squares, where there is one.
    k, squared = slopes.shape[0], slopes.shape[1] > d
    flat = np.zeros((k, d), slopes.dtype)
    curved = np.zeros((k, d if squared else 0), slopes.dtype)
    for c in range(k):
        for j in range(d):
            flat[c, j] = slopes[c, j]
            if squared:
                curved[c, j] = slopes[c, d + j]
    return flat, curved


@_jit
def _score_blas(flat, curved, offsets, near, other, by_row, scores):
    _times_blas(flat, near, by_row, scores, True)
    if curved.shape[1] > 0:
        for t in range(near.shape[0]):
            for j in range(near.shape[1]):
                other[t, j] = near[t, j] * near[t, j]
        _times_blas(curved, other, by_row, scores, False)
    for c in range(flat.shape[0]):
        for t in range(TILE):
            scores[c, t] += offsets[c]


@_jit
def sweep_linear(
    X,  #          (n, d) float         IN      the rows
    shift,  #      (d,) float           IN      taken from every row before anything else
    slopes,  #     (k, d or 2d) float   IN      score = slopes · [x, x²] + offsets
    offsets,  #    (k,) float           IN
    row_weight,  # (n,) float64 or int8 IN      below 0: held
    labels,  #     (n,) int32           IN/OUT
    counts,  #     (k,) float64         OUT     weight of each cluster's rows (added to)
    sums,  #       (k, d or 2d) float64 OUT     weighted sum of each cluster's [x, x²] (added to)
):
    """Assign by scores linear in a row, or in a row and its squares. Returns how many moved."""
    n, d, k = X.shape[0], X.shape[1], slopes.shape[0]
    squared = slopes.shape[1] > d
    small = d <= NARROW and slopes.size * slopes.itemsize <= SMALL
    part = PART if TILE * d * X.itemsize <= NEAR else 0
    flat, curved = _split(slopes, d)
    wide, level = _padded(slopes, offsets)
    across = np.zeros((wide.shape[1], STRIDE), X.dtype)
    scores, by_row = np.zeros((wide.shape[0], STRIDE), X.dtype), np.zeros((TILE, k), X.dtype)
    near, other = np.zeros((TILE, d), X.dtype), np.zeros((TILE, d), X.dtype)
    best, pick = np.empty(TILE, X.dtype), np.empty(TILE, np.int32)
    plain, squares = np.zeros((k, d)), np.zeros((k, d))
    moved = 0
    for start in range(0, n, TILE):
        size = min(TILE, n - start)
        _fetch(X, start, size, shift, near)
        # The next tile comes from memory meanwhile, a part at a time.
        ask_for(X, start + TILE, start + TILE + part)
        if small:
            _turn(near, size, across)
            if squared:
                for j in range(d):
                    for t in range(size):
                        across[d + j, t] = across[j, t] * across[j, t]
            _times(wide, level, across, False, scores)
        else:
            _score_blas(flat, curved, offsets, near, other, by_row, scores)
        ask_for(X, start + TILE + part, start + TILE + 2 * part)
        _cheapest(scores, k, size, best, pick)
        ask_for(X, start + TILE + 2 * part, start + TILE + 3 * part)
        moved += _relabel(pick, start, size, row_weight, labels)
        ask_for(X, start + TILE + 3 * part, start + TILE + 4 * part)
        _add(near, start, size, pick, row_weight, counts, plain)
        if squared:
            _add_squares(near, start, size, pick, row_weight, squares)
    for c in range(k):
        for j in range(d):
            sums[c, j] += plain[c, j]
            if squared:
                sums[c, d + j] += squares[c, j]
    return moved


@_jit
def sweep_full(
    X,  #          (n, d) float         IN      the rows
    shift,  #      (d,) float           IN      taken from every row before anything else
    factors,  #    (k, d, d) float      IN      upper triangular R: the metric is Rᵀ R
    points,  #     (k, d) float         IN      score = |R x - point|² + offset
    offsets,  #    (k,) float           IN
    row_weight,  # (n,) float64 or int8 IN      below 0: held
    labels,  #     (n,) int32           IN/OUT
    counts,  #     (k,) float64         OUT     weight of each cluster's rows (added to)
    sums,  #       (k, d) float64       OUT     weighted sum of each cluster's rows (added to)
    scatters,  #   (k, d, d) float64    OUT     weighted sum of x xᵀ of each cluster's rows (too)
):
    """Assign by a quadratic form for each cluster. Returns how many moved."""
    n, d, k = X.shape[0], X.shape[1], factors.shape[0]
    wide, level = _padded_forms(factors, points)
    across = np.zeros((wide.shape[2], STRIDE), X.dtype)
    images, by_row = np.zeros((wide.shape[1], STRIDE), X.dtype), np.zeros((TILE, d), X.dtype)
    scores, near = np.zeros((k, STRIDE), X.dtype), np.zeros((TILE, d), X.dtype)
    best, pick = np.empty(TILE, X.dtype), np.empty(TILE, np.int32)
    row = np.empty(d, np.float64)
    forms = factors, points, offsets, wide, level
    moved = 0
    for start in range(0, n, TILE):
        size = min(TILE, n - start)
        _fetch(X, start, size, shift, near)
        _score_forms(*forms, near, size, across, images, by_row, scores)
        _cheapest(scores, k, size, best, pick)
        moved += _relabel(pick, start, size, row_weight, labels)
        _add(near, start, size, pick, row_weight, counts, sums)
        _add_scatter(near, start, size, pick, row_weight, row, scatters)
    return moved
