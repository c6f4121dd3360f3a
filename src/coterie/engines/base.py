"""What every engine can do: sweep all rows by a rule, and hand over a few of them."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coterie._types import Floats, Labels, Rng


class Linear(NamedTuple):
    """Scores that are linear in a row x: slopes · x + offsets.

    With 2d slopes they are linear in the row and its squares: slopes · [x, x²] + offsets.
    """

    slopes: Floats  # (k, d) or (k, 2d)
    offsets: Floats  # (k,)


class Quadratic(NamedTuple):
    """A quadratic form for each cluster: |R x - point|² + offset."""

    factors: Floats  # (k, d, d), upper triangular
    points: Floats  # (k, d)
    offsets: Floats  # (k,)


Rule: TypeAlias = Linear | Quadratic


class Sums(NamedTuple):
    """What a sweep adds up for each cluster, over the rows that are not held."""

    counts: Floats  # (k,) weight
    sums: Floats  # (k, d)
    second: Floats | None  # squares (k, d) or x xᵀ (k, d, d), where the rule needs them
    n_moved: int  # how many labels changed


class AbstractRows(ABC):
    """The rows, less `shift`. Rules, sums and centres are about the shifted rows."""

    n_rows: int
    n_features: int
    shift: Floats  # (d,)
    weights: Floats  # (n,) sample weights

    @abstractmethod
    def take(self, rows: NDArray[np.int64]) -> Any:
        """Return these rows, shifted, in float64 (a CSR matrix where the engine is sparse)."""

    @abstractmethod
    def hold(self, rows: NDArray[np.int64]) -> "AbstractRows":
        """Return the same engine, with sweeps that leave these rows alone."""

    @abstractmethod
    def sweep(self, rule: Rule, labels: Labels) -> Sums:
        """Give every row that is not held to its cheapest cluster; change `labels` in place."""

    @abstractmethod
    def squares(self) -> Floats:
        """Return the weighted sum of squares of every feature, over all rows."""

    @abstractmethod
    def scatter(self) -> Floats:
        """Return the weighted sum of x xᵀ over all rows."""

    @abstractmethod
    def mean(self) -> Floats:
        """Return the weighted mean of all rows, shifted."""

    def sample(self, size: int, rng: Rng) -> NDArray[np.int64]:
        """Return `size` row numbers drawn without replacement, in order; all where fewer."""
        if self.n_rows <= size:
            return np.arange(self.n_rows, dtype=np.int64)
        return np.sort(rng.choice(self.n_rows, size, replace=False).astype(np.int64))
