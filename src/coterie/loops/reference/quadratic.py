"""Evaluate a quadratic form for each cluster, for all rows: the plain twin.

The loop allows itself one rounding for a * b + c (fastmath "contract") and its own order of
addition.
"""

import numpy as np


def quadratic(rows, factors, points, offsets, values):
    """Fill in the value of each row under each form."""
    images = np.einsum("kij,nj->nki", factors, rows) - points
    values[:] = (images**2).sum(axis=2) + offsets
