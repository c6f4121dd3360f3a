"""Assign every row to its cheapest cluster and add up what the centres and metrics need.

One pass over a block of rows, tile by tile, so that a tile is read from memory once. A tile is
turned on its side, (features, rows): products, the search for the smallest and the squares then
run across rows and vectorise. Sums are kept in float64 whatever the rows are.

A row of negative weight is *held*: its label is left alone and it adds to no sum. The caller
uses that for rows that carry links, which are labelled together elsewhere.
"""

import numpy as np

from coterie.loops import compiled
from coterie.loops.ahead import ask_for

TILE = 256  # rows: a tile of 16 features and the scores of 16 clusters stay in the nearest cache
STRIDE = TILE + 16  # rows of a tile lie 16 numbers more apart, so that they do not share cache sets
PART = TILE // 4
SMALL = 4096  # bytes of slopes up to which the unrolled product beats BLAS (measured)

# Only contraction (one rounding for a * b + c) is allowed: it changes no order of addition.
_jit = compiled(nogil=True, fastmath={"contract"})


@_jit
def _fetch(X, start, size, shift, near, across):
    # Rows are fetched as they lie, and turned where they are near: turning while fetching takes
    # twice as long.
    d = X.shape[1]
    for t in range(size):
        for j in range(d):
            near[t, j] = X[start + t, j] - shift[j]
    for j in range(d):
        for t in range(size):
            across[j, t] = near[t, j]


@_jit
def _times(slopes, offsets, across, triangular, scores):
    # scores = slopes · across + offsets, two clusters and eight features at a time. The caller
    # pads: an even number of clusters, features a multiple of eight. Triangular slopes have
    # nothing before the diagonal, so that whole blocks are passed over.
    for c in range(0, slopes.shape[0], 2):
        d = c + 1
        o, q = offsets[c], offsets[d]
        begin = c // 8 * 8 if triangular else 0
        for j in range(begin, slopes.shape[1], 8):
            a0, a1, a2, a3 = slopes[c, j], slopes[c, j + 1], slopes[c, j + 2], slopes[c, j + 3]
            a4, a5, a6, a7 = slopes[c, j + 4], slopes[c, j + 5], slopes[c, j + 6], slopes[c, j + 7]
            b0, b1, b2, b3 = slopes[d, j], slopes[d, j + 1], slopes[d, j + 2], slopes[d, j + 3]
            b4, b5, b6, b7 = slopes[d, j + 4], slopes[d, j + 5], slopes[d, j + 6], slopes[d, j + 7]
            first = j == begin
            for t in range(TILE):
                x0, x1, x2, x3 = across[j, t], across[j + 1, t], across[j + 2, t], across[j + 3, t]
                x4, x5 = across[j + 4, t], across[j + 5, t]
                x6, x7 = across[j + 6, t], across[j + 7, t]
                r = o if first else scores[c, t]
                s = q if first else scores[d, t]
                r += x0 * a0 + x1 * a1 + x2 * a2 + x3 * a3 + x4 * a4 + x5 * a5 + x6 * a6 + x7 * a7
                s += x0 * b0 + x1 * b1 + x2 * b2 + x3 * b3 + x4 * b4 + x5 * b5 + x6 * b6 + x7 * b7
                scores[c, t] = r
                scores[d, t] = s


@_jit
def _product(slopes, offsets, across, triangular, scores):
    if slopes.size * slopes.itemsize <= SMALL:
        _times(slopes, offsets, across, triangular, scores)
    else:
        np.dot(slopes, across, scores)
        for c in range(slopes.shape[0]):
            for t in range(TILE):
                scores[c, t] += offsets[c]


@_jit
def _padded(slopes, offsets):
    # Number by number: assigning to a slice takes numba seconds to compile.
    k, d = slopes.shape
    wide = np.zeros((k + k % 2, (d + 7) // 8 * 8), slopes.dtype)
    level = np.zeros(k + k % 2, slopes.dtype)
    for c in range(k):
        level[c] = offsets[c]
        for j in range(d):
            wide[c, j] = slopes[c, j]
    return wide, level


@_jit
def _cheapest(scores, k, size, best, pick):
    # Rows of `scores` are clusters; a tie keeps the lower cluster.
    for t in range(size):
        best[t] = scores[0, t]
        pick[t] = 0
    for c in range(1, k):
        for t in range(size):
            if scores[c, t] < best[t]:
                best[t] = scores[c, t]
                pick[t] = c


@_jit
def _relabel(pick, start, size, row_weight, labels):
    moved = 0
    for t in range(size):
        old = labels[start + t]
        new = pick[t] if row_weight[start + t] >= 0.0 else old
        labels[start + t] = new
        moved += new != old
    return moved


@_jit
def _add(near, start, size, pick, row_weight, counts, sums):
    # Two indices, never a view of one row: views are counted, and that stops vectorisation.
    for t in range(size):
        w = row_weight[start + t]
        if w > 0.0:
            c = pick[t]
            counts[c] += w
            for j in range(near.shape[1]):
                sums[c, j] += w * np.float64(near[t, j])


@_jit
def _add_squares(near, start, size, pick, row_weight, squares):
    for t in range(size):
        w = row_weight[start + t]
        if w > 0.0:
            c = pick[t]
            for j in range(near.shape[1]):
                x = np.float64(near[t, j])
                squares[c, j] += w * (x * x)


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
    wide, level = _padded(slopes, offsets)
    across = np.zeros((wide.shape[1], STRIDE), X.dtype)
    scores = np.zeros((wide.shape[0], STRIDE), X.dtype)
    near = np.empty((TILE, d), X.dtype)
    best, pick = np.empty(TILE, X.dtype), np.empty(TILE, np.int32)
    plain, squares = np.zeros((k, d)), np.zeros((k, d))
    squared = slopes.shape[1] > d
    moved = 0
    for start in range(0, n, TILE):
        size = min(TILE, n - start)
        _fetch(X, start, size, shift, near, across)
        if squared:
            for j in range(d):
                for t in range(size):
                    across[d + j, t] = across[j, t] * across[j, t]
        # The next tile comes from memory meanwhile, a part at a time.
        ask_for(X, start + TILE, start + TILE + PART)
        _product(wide, level, across, False, scores)
        ask_for(X, start + TILE + PART, start + TILE + 2 * PART)
        _cheapest(scores, k, size, best, pick)
        ask_for(X, start + TILE + 2 * PART, start + TILE + 3 * PART)
        moved += _relabel(pick, start, size, row_weight, labels)
        ask_for(X, start + TILE + 3 * PART, start + 2 * TILE)
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
def _add_scatter(near, start, size, pick, row_weight, row, scatters):
    d = near.shape[1]
    for t in range(size):
        w = row_weight[start + t]
        if w > 0.0:
            c = pick[t]
            for j in range(d):
                row[j] = near[t, j]
            for i in range(d):
                x = w * row[i]
                for j in range(d):
                    scatters[c, i, j] += x * row[j]


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
    high, broad = d + d % 2, (d + 7) // 8 * 8
    wide = np.zeros((k, high, broad), factors.dtype)
    level = np.zeros((k, high), factors.dtype)
    for c in range(k):
        for i in range(d):
            level[c, i] = -points[c, i]
            for j in range(d):
                wide[c, i, j] = factors[c, i, j]
    across = np.zeros((broad, STRIDE), X.dtype)
    images = np.zeros((high, STRIDE), X.dtype)
    scores = np.zeros((k, STRIDE), X.dtype)
    near = np.empty((TILE, d), X.dtype)
    best, pick = np.empty(TILE, X.dtype), np.empty(TILE, np.int32)
    row = np.empty(d, np.float64)
    moved = 0
    for start in range(0, n, TILE):
        size = min(TILE, n - start)
        _fetch(X, start, size, shift, near, across)
        for c in range(k):
            _product(wide[c], level[c], across, True, images)
            for t in range(TILE):
                scores[c, t] = offsets[c]
            for i in range(d):
                for t in range(TILE):
                    scores[c, t] += images[i, t] * images[i, t]
        _cheapest(scores, k, size, best, pick)
        moved += _relabel(pick, start, size, row_weight, labels)
        _add(near, start, size, pick, row_weight, counts, sums)
        _add_scatter(near, start, size, pick, row_weight, row, scatters)
    return moved
