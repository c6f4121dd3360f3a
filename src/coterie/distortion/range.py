"""Where the numbers of a row may lie."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._types import Floats

_TINY = 1e-300  # how near a centre comes to an end


class Range(NamedTuple):
    """From `low` to `high`; the ends themselves where it is closed."""

    low: float
    high: float
    closed: bool

    def outside(self, values: Floats) -> NDArray[np.bool_]:
        """Return which of these numbers lie outside."""
        if self.closed:
            return np.asarray((values < self.low) | (values > self.high))
        return np.asarray((values <= self.low) | (values >= self.high))

    def inside(self, centres: Floats) -> Floats:
        """Return centres that keep off the ends, where gradients are infinite."""
        low, high = self.low, self.high
        if low > -np.inf:
            centres = np.maximum(centres, low + max(_TINY, abs(low) * 1e-15))
        if high < np.inf:
            centres = np.minimum(centres, high - max(_TINY, abs(high) * 1e-15))
        return centres

    def reflected(self, points: Floats) -> Floats:
        """Return points inside: what lies beyond an end comes back from it."""
        low, high = self.low, self.high
        points = low + np.abs(points - low) if low > -np.inf else points
        points = high - np.abs(high - points) if high < np.inf else points
        return self.inside(np.clip(points, low, high))

    def refuse_outside(self, X: Any, name: str) -> None:
        """Raise where a number lies outside, and say which."""
        values = X.data if sparse.issparse(X) else X
        outside = self.outside(values)
        if not outside.any():
            return
        if sparse.issparse(X):
            place = int(outside.argmax())
            row = int(np.searchsorted(X.indptr, place, side="right")) - 1
            column, value = int(X.indices[place]), X.data[place]
        else:
            row, column = (int(i) for i in np.unravel_index(outside.argmax(), X.shape))
            value = X[row, column]
        way_out = "Scale or shift X into that range, or choose another distortion."
        if value < 0.0 <= self.low:
            way_out = f"Negative values in data have to go: {way_out[0].lower()}{way_out[1:]}"
        raise ValueError(
            f"Row {row}, column {column} of X holds {value:g}, but {name} takes numbers "
            f"{self} only. {np.count_nonzero(outside)} of {values.size} lie outside. {way_out}"
        )

    def __str__(self) -> str:
        low, high = self.low, self.high
        if np.isfinite(low) and np.isfinite(high):
            return f"from {low:g} to {high:g}" if self.closed else f"between {low:g} and {high:g}"
        end, more = (low, "more") if np.isfinite(low) else (high, "less")
        return f"of {end:g} or {more}" if self.closed else f"{more} than {end:g}"
