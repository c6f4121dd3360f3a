"""Evaluate a quadratic form for each cluster, for all rows."""

import numpy as np

from coterie.loops.tile import STRIDE, TILE, _fetch, _jit, _padded_forms, _score_forms


@_jit
def quadratic(
    rows,  #    (n, d) float    IN
    factors,  # (k, d, d) float IN   upper triangular R
    points,  #  (k, d) float    IN
    offsets,  # (k,) float      IN
    values,  #  (n, k) float    OUT  |R x - point|² + offset
):
    """Fill in the value of each row under each form."""
    n, d, k = rows.shape[0], rows.shape[1], factors.shape[0]
    wide, level = _padded_forms(factors, points)
    across = np.zeros((wide.shape[2], STRIDE), rows.dtype)
    images, by_row = np.zeros((wide.shape[1], STRIDE), rows.dtype), np.zeros((TILE, d), rows.dtype)
    scores, near = np.zeros((k, STRIDE), rows.dtype), np.zeros((TILE, d), rows.dtype)
    nothing = np.zeros(d, rows.dtype)
    forms = factors, points, offsets, wide, level
    for start in range(0, n, TILE):
        size = min(TILE, n - start)
        _fetch(rows, start, size, nothing, near)
        _score_forms(*forms, near, size, across, images, by_row, scores)
        for c in range(k):
            for t in range(size):
                values[start + t, c] = scores[c, t]
