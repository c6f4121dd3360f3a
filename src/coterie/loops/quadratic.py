"""Evaluate a quadratic form for each cluster, for all rows."""

import numpy as np

from coterie.loops import compiled
from coterie.loops.tile import NARROW, SMALL, STRIDE, TILE, _times, _times_blas, _turn


@compiled(nogil=True, fastmath={"contract"})
def quadratic(
    rows,  #    (n, d) float    IN
    factors,  # (k, d, d) float IN   upper triangular R
    points,  #  (k, d) float    IN
    offsets,  # (k,) float      IN
    values,  #  (n, k) float    OUT  |R x - point|² + offset
):
    """Fill in the value of each row under each form."""
    n, d, k = rows.shape[0], rows.shape[1], factors.shape[0]
    high, broad = d + d % 2, (d + 7) // 8 * 8
    small = d <= NARROW and high * broad * factors.itemsize <= SMALL
    wide = np.zeros((k, high, broad), factors.dtype)
    level = np.zeros((k, high), factors.dtype)
    for c in range(k):
        for i in range(d):
            level[c, i] = -points[c, i]
            for j in range(d):
                wide[c, i, j] = factors[c, i, j]
    near, across = np.zeros((TILE, d), rows.dtype), np.zeros((broad, STRIDE), rows.dtype)
    images, by_row = np.zeros((high, STRIDE), rows.dtype), np.zeros((TILE, d), rows.dtype)
    total = np.zeros(TILE, rows.dtype)
    for start in range(0, n, TILE):
        size = min(TILE, n - start)
        for t in range(size):
            for j in range(d):
                near[t, j] = rows[start + t, j]
        if small:
            _turn(near, size, across)
        for c in range(k):
            if small:
                _times(wide[c], level[c], across, True, images)
            else:
                _times_blas(factors[c], near, by_row, images, True)
                for i in range(d):
                    for t in range(TILE):
                        images[i, t] -= points[c, i]
            for t in range(TILE):
                total[t] = offsets[c]
            for i in range(d):
                for t in range(TILE):
                    total[t] += images[i, t] * images[i, t]
            for t in range(size):
                values[start + t, c] = total[t]
