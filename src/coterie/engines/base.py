"""What every engine can do: sweep all rows by a rule, and hand over a few of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

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
    def hold(self, rows: NDArray[np.int64]) -> Self:
        """Return the same engine, with sweeps that leave these rows alone."""

    @abstractmethod
    def sweep(self, rule: Rule, labels: Labels) -> Sums:
        """Give every row that is not held to its cheapest cluster; change `labels` in place."""

    @abstractmethod
    def added(self, of: Callable[[Any], Any]) -> Floats:
        """Return the weighted sum over all rows of what `of` makes of them, some at a time."""

    def squares(self) -> Floats:
        """Return the weighted sum of squares of every feature, over all rows."""
        return self.added(squared)

    @abstractmethod
    def scatter(self) -> Floats:
        """Return the weighted sum of x xᵀ over all rows."""

    @abstractmethod
    def mean(self) -> Floats:
        """Return the weighted mean of all rows, shifted."""

    @abstractmethod
    def reweighted(self, factor: Floats) -> Self:
        """Return the same rows, the weight of each times its `factor`."""

    @abstractmethod
    def each(self, of: Callable[[Any, slice], Floats]) -> Floats:
        """Return a number for each row.

        `of` is handed some of the rows at a time, shifted, in float64, and which they are.
        """

    @abstractmethod
    def add_up(self, labels: Labels, k: int) -> Floats:
        """Return the weighted sum of the rows of each label, held rows too."""

    def sample(self, size: int, rng: Rng) -> NDArray[np.int64]:
        """Return `size` row numbers drawn without replacement, in order; all where fewer."""
        if self.n_rows <= size:
            return np.arange(self.n_rows, dtype=np.int64)
        return np.sort(rng.choice(self.n_rows, size, replace=False).astype(np.int64))


def squared(rows: Any) -> Any:
    """Return the square of each number."""
    return rows.power(2) if sparse.issparse(rows) else rows * rows


def membership(labels: Labels, weights: Floats, k: int) -> Any:
    """Return the sparse (k, n) matrix that adds rows up by label."""
    rows = np.arange(len(labels))
    return sparse.csr_array((weights, (labels, rows)), shape=(k, len(labels)))
