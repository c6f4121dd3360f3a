"""Assign every row to its cheapest cluster and add up what the centres and metrics need.

One pass over a block of rows, tile by tile, so that a tile is read from memory once. A tile is
turned on its side, (features, rows): products, the search for the smallest and the squares then
run across rows and vectorise. Sums are kept in float64 whatever the rows are.

A row of negative weight is *held*: its label is left alone and it adds to no sum. The caller
uses that for rows that carry links, which are labelled together elsewhere.
"""

import numba
import numpy as np

TILE = 256  # rows: a tile of 16 features and the scores of 16 clusters stay in the nearest cache
STRIDE = TILE + 16  # rows of a tile lie 16 numbers more apart, so that they do not share cache sets
SMALL = 4096  # bytes of slopes up to which the unrolled product beats BLAS (measured)

# Only contraction (one rounding for a * b + c) is allowed: it changes no order of addition.
_jit = numba.njit(cache=True, nogil=True, fastmath={"contract"})


@_jit
def _turned(X, start, size, shift, across):
    for t in range(size):
        for j in range(X.shape[1]):
            across[j, t] = X[start + t, j] - shift[j]


@_jit
def _times(slopes, offsets, across, triangular, scores):
    # scores = slopes · across + offsets, two clusters and eight features at a time. The caller
    # pads: an even number of clusters, features a multiple of eight. Triangular slopes have
    # nothing before the diagonal, so that whole blocks are passed over.
    for c in range(0, slopes.shape[0], 2):
        s0, s1 = scores[c], scores[c + 1]
        o0, o1 = offsets[c], offsets[c + 1]
        begin = c // 8 * 8 if triangular else 0
        for j in range(begin, slopes.shape[1], 8):
            a0, a1, a2, a3 = across[j], across[j + 1], across[j + 2], across[j + 3]
            a4, a5, a6, a7 = across[j + 4], across[j + 5], across[j + 6], across[j + 7]
            p0, p1, p2, p3 = slopes[c, j], slopes[c, j + 1], slopes[c, j + 2], slopes[c, j + 3]
            p4, p5, p6, p7 = slopes[c, j + 4], slopes[c, j + 5], slopes[c, j + 6], slopes[c, j + 7]
            d = c + 1
            q0, q1, q2, q3 = slopes[d, j], slopes[d, j + 1], slopes[d, j + 2], slopes[d, j + 3]
            q4, q5, q6, q7 = slopes[d, j + 4], slopes[d, j + 5], slopes[d, j + 6], slopes[d, j + 7]
            if j == begin:
                for t in range(TILE):
                    s0[t] = (
                        o0 + p0 * a0[t] + p1 * a1[t] + p2 * a2[t] + p3 * a3[t]
                        + p4 * a4[t] + p5 * a5[t] + p6 * a6[t] + p7 * a7[t]
                    )  # fmt: skip
                    s1[t] = (
                        o1 + q0 * a0[t] + q1 * a1[t] + q2 * a2[t] + q3 * a3[t]
                        + q4 * a4[t] + q5 * a5[t] + q6 * a6[t] + q7 * a7[t]
                    )  # fmt: skip
            else:
                for t in range(TILE):
                    s0[t] += (
                        p0 * a0[t] + p1 * a1[t] + p2 * a2[t] + p3 * a3[t]
                        + p4 * a4[t] + p5 * a5[t] + p6 * a6[t] + p7 * a7[t]
                    )  # fmt: skip
                    s1[t] += (
                        q0 * a0[t] + q1 * a1[t] + q2 * a2[t] + q3 * a3[t]
                        + q4 * a4[t] + q5 * a5[t] + q6 * a6[t] + q7 * a7[t]
                    )  # fmt: skip


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
    k, d = slopes.shape
    wide = np.zeros((k + k % 2, (d + 7) // 8 * 8), slopes.dtype)
    wide[:k, :d] = slopes
    level = np.zeros(k + k % 2, slopes.dtype)
    level[:k] = offsets
    return wide, level


@_jit
def _cheapest(scores, k, size, best, pick):
    # Rows of `scores` are clusters; a tie keeps the lower cluster.
    for t in range(size):
        best[t] = scores[0, t]
        pick[t] = 0
    for c in range(1, k):
        row = scores[c]
        for t in range(size):
            score = row[t]
            if score < best[t]:
                best[t] = score
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
def _add(X, start, size, shift, pick, row_weight, counts, sums):
    d = X.shape[1]
    squares = sums.shape[1] > d
    for t in range(size):
        w = row_weight[start + t]
        if w > 0.0:
            total = sums[pick[t]]
            counts[pick[t]] += w
            for j in range(d):
                total[j] += w * np.float64(X[start + t, j] - shift[j])
            if squares:
                for j in range(d):
                    x = np.float64(X[start + t, j] - shift[j])
                    total[d + j] += w * (x * x)


@_jit
def sweep_linear(
    X,  #          (n, d) float         IN      the rows
    shift,  #      (d,) float           IN      taken from every row before anything else
    slopes,  #     (k, d or 2d) float   IN      score = slopes · [x, x²] + offsets, up to a constant of the row
    offsets,  #    (k,) float           IN
    row_weight,  # (n,) float64         IN      below 0: held
    labels,  #     (n,) int32           IN/OUT
    counts,  #     (k,) float64         OUT     weight of each cluster's rows (added to)
    sums,  #       (k, d or 2d) float64 OUT     weighted sum of each cluster's [x, x²] (added to)
):
    """Assign by scores linear in a row, or in a row and its squares. Returns how many moved."""
    n, d, k = X.shape[0], X.shape[1], slopes.shape[0]
    wide, level = _padded(slopes, offsets)
    across = np.zeros((wide.shape[1], STRIDE), X.dtype)
    scores = np.zeros((wide.shape[0], STRIDE), X.dtype)
    best, pick = np.empty(TILE, X.dtype), np.empty(TILE, np.int32)
    moved = 0
    for start in range(0, n, TILE):
        size = min(TILE, n - start)
        _turned(X, start, size, shift, across)
        if slopes.shape[1] > d:
            for j in range(d):
                for t in range(size):
                    across[d + j, t] = across[j, t] * across[j, t]
        _product(wide, level, across, False, scores)
        _cheapest(scores, k, size, best, pick)
        moved += _relabel(pick, start, size, row_weight, labels)
        _add(X, start, size, shift, pick, row_weight, counts, sums)
    return moved


@_jit
def _add_scatter(X, start, size, shift, pick, row_weight, row, scatters):
    d = X.shape[1]
    for t in range(size):
        w = row_weight[start + t]
        if w > 0.0:
            for j in range(d):
                row[j] = X[start + t, j] - shift[j]
            scatter = scatters[pick[t]]
            for i in range(d):
                x = w * row[i]
                line = scatter[i]
                for j in range(d):
                    line[j] += x * row[j]


@_jit
def sweep_full(
    X,  #          (n, d) float         IN      the rows
    shift,  #      (d,) float           IN      taken from every row before anything else
    factors,  #    (k, d, d) float      IN      upper triangular R: the metric is Rᵀ R
    points,  #     (k, d) float         IN      score = |R x - point|² + offset
    offsets,  #    (k,) float           IN
    row_weight,  # (n,) float64         IN      below 0: held
    labels,  #     (n,) int32           IN/OUT
    counts,  #     (k,) float64         OUT     weight of each cluster's rows (added to)
    sums,  #       (k, d) float64       OUT     weighted sum of each cluster's rows (added to)
    scatters,  #   (k, d, d) float64    OUT     weighted sum of x xᵀ of each cluster's rows (added to)
):
    """Assign by a quadratic form for each cluster. Returns how many moved."""
    n, d, k = X.shape[0], X.shape[1], factors.shape[0]
    high, broad = d + d % 2, (d + 7) // 8 * 8
    wide = np.zeros((k, high, broad), factors.dtype)
    wide[:, :d, :d] = factors
    level = np.zeros((k, high), factors.dtype)
    level[:, :d] = -points
    across = np.zeros((broad, STRIDE), X.dtype)
    images = np.zeros((high, STRIDE), X.dtype)
    scores = np.zeros((k, STRIDE), X.dtype)
    best, pick = np.empty(TILE, X.dtype), np.empty(TILE, np.int32)
    row = np.empty(d, np.float64)
    moved = 0
    for start in range(0, n, TILE):
        size = min(TILE, n - start)
        _turned(X, start, size, shift, across)
        for c in range(k):
            _product(wide[c], level[c], across, True, images)
            score = scores[c]
            for t in range(TILE):
                score[t] = offsets[c]
            for i in range(d):
                image = images[i]
                for t in range(TILE):
                    score[t] += image[t] * image[t]
        _cheapest(scores, k, size, best, pick)
        moved += _relabel(pick, start, size, row_weight, labels)
        _add(X, start, size, shift, pick, row_weight, counts, sums)
        _add_scatter(X, start, size, shift, pick, row_weight, row, scatters)
    return moved
