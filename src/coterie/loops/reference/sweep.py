"""Assign every row to its cheapest cluster and add up what comes of it: the plain twin.

The loop allows itself one rounding for a * b + c (fastmath "contract") and its own order of
addition, so sums agree to rounding, and labels wherever scores are not all but equal.
"""

import numpy as np


def sweep_linear(X, shift, slopes, offsets, row_weight, labels, counts, sums):
    """Assign by scores linear in a row, or in a row and its squares."""
    rows = X - shift
    if slopes.shape[1] > X.shape[1]:
        rows = np.hstack([rows, rows**2])
    moved = _assign(rows @ slopes.T + offsets, row_weight, labels)
    _add(rows.astype(np.float64), row_weight, labels, counts, sums)
    return moved


def sweep_full(X, shift, factors, points, offsets, row_weight, labels, counts, sums, scatters):
    """Assign by a quadratic form for each cluster."""
    rows = X - shift
    images = np.einsum("kij,nj->nki", factors, rows) - points
    moved = _assign((images**2).sum(axis=2) + offsets, row_weight, labels)
    rows = rows.astype(np.float64)
    _add(rows, row_weight, labels, counts, sums)
    for c in range(len(counts)):
        mine = (labels == c) & (row_weight > 0)
        scatters[c] += (rows[mine].T * row_weight[mine]) @ rows[mine]
    return moved


def _assign(scores, row_weight, labels):
    free = row_weight >= 0
    cheapest = scores[free].argmin(axis=1)
    moved = np.count_nonzero(labels[free] != cheapest)
    labels[free] = cheapest
    return moved


def _add(rows, row_weight, labels, counts, sums):
    for c in range(len(counts)):
        mine = (labels == c) & (row_weight > 0)
        counts[c] += row_weight[mine].sum()
        sums[c] += row_weight[mine] @ rows[mine]
