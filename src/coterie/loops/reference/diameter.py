"""Find the two rows that lie farthest apart: the plain twin."""

import numpy as np


def farthest_pair(rows, radius):  # noqa: ARG001 - the loop goes by it
    """Return the places of the two rows of largest distance; the first such pair on a tie."""
    gaps = ((rows[:, None, :] - rows[None, :, :]) ** 2).sum(axis=2)
    gaps[np.tril_indices(len(rows))] = -1.0
    return divmod(int(gaps.argmax()), len(rows))
