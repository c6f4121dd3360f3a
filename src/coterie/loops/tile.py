"""What is done to a tile, a few rows that stay in the nearest cache while they are worked on."""

import numpy as np

from coterie.loops import compiled

TILE = 256  # rows: a tile of 16 features and the scores of 16 clusters fit
STRIDE = TILE + 16  # rows of a turned tile lie 16 numbers more apart: they share no cache sets
NARROW = 32  # features up to which turning a tile is worth it (measured)
SMALL = 4096  # bytes of slopes up to which the unrolled product beats BLAS (measured)

# Only contraction (one rounding for a * b + c) is allowed: it changes no order of addition.
_jit = compiled(nogil=True, fastmath={"contract"})


@_jit
def _fetch(X, start, size, shift, near):
    for t in range(size):
        for j in range(X.shape[1]):
            near[t, j] = X[start + t, j] - shift[j]


@_jit
def _turn(near, size, across):
    # Rows are fetched as they lie and turned where they are near: to turn them while fetching
    # takes twice as long.
    for j in range(near.shape[1]):
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
def _times_blas(slopes, near, by_row, scores, fresh):
    # BLAS has its own way to turn rows, and is quickest with as many rows in the product.
    np.dot(near, slopes.T, by_row)
    for c in range(slopes.shape[0]):
        for t in range(TILE):
            scores[c, t] = by_row[t, c] if fresh else scores[c, t] + by_row[t, c]


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
def _padded_forms(factors, points):
    k, d = points.shape
    wide = np.zeros((k, d + d % 2, (d + 7) // 8 * 8), factors.dtype)
    level = np.zeros((k, d + d % 2), factors.dtype)
    for c in range(k):
        for i in range(d):
            level[c, i] = -points[c, i]
            for j in range(d):
                wide[c, i, j] = factors[c, i, j]
    return wide, level


@_jit
def _score_forms(factors, points, offsets, wide, level, near, size, across, images, by_row, scores):
    # scores = |R x - point|² + offset for each form.
    d = near.shape[1]
    small = d <= NARROW and wide[0].size * wide.itemsize <= SMALL
    if small:
        _turn(near, size, across)
    for c in range(points.shape[0]):
        if small:
            _times(wide[c], level[c], across, True, images)
        else:
            _times_blas(factors[c], near, by_row, images, True)
            for i in range(d):
                for t in range(TILE):
                    images[i, t] -= points[c, i]
        for t in range(TILE):
            scores[c, t] = offsets[c]
        for i in range(d):
            for t in range(TILE):
                scores[c, t] += images[i, t] * images[i, t]


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
