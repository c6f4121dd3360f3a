"""Checks of what users hand to `fit`, beyond those of scikit-learn."""

import numpy as np
from scipy import sparse

from coterie.constraints import Constraints

# Squares of numbers in here, and sums of them, are numbers of the same precision.
NARROW = 1e-15, 1e15
WIDE = 1e-140, 1e150


def in_range(X):
    """Return X in a precision that can hold its squares; refuse what none can hold."""
    values = X.data if sparse.issparse(X) else X
    largest = max(abs(float(values.min())), abs(float(values.max()))) if values.size else 0.0
    if largest == 0.0:
        return X
    if X.dtype == np.float32 and not NARROW[0] <= largest <= NARROW[1]:
        return X.astype(np.float64)
    if not WIDE[0] <= largest <= WIDE[1]:
        what = "infinite" if largest > 1.0 else "0"
        raise ValueError(
            f"The largest number in X is {largest:.3g}, and its square is {what} to a computer. "
            "Scale X: divide it by that number, for instance."
        )
    return X


def refuse_links_as_labels(y):
    """Refuse links in the place of y, where they would be ignored."""
    if isinstance(y, Constraints):
        raise TypeError("The second argument is y. Give links by name: fit(X, constraints=links).")
