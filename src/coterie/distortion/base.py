"""What a distortion promises to the loop."""

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie._types import Floats
from coterie.engines import AbstractRows, Rule

ROUNDING = 1e-10  # a value below this share of the largest is rounding


class Moments(NamedTuple):
    """All that centres and metrics need to know of the rows, by cluster."""

    counts: Floats  # (k,) weight
    sums: Floats  # (k, d)
    second: Floats  # squares or x xᵀ: of each cluster (k, …), or of all rows together (1, …)


class Evidence(NamedTuple):
    """What broken links say of the metric: signed outer products, by cluster (Eq. 7)."""

    differences: Any  # (b, d) x_i - x_j, dense or CSR
    coefficients: Floats  # (b,) half the weight for a must-link, minus the weight for a cannot-link
    clusters: NDArray[np.int64]  # (b,)
    farthest: Floats  # (1 or k, d) x' - x'' of each metric
    farthest_weights: Floats  # (k,) weight of the broken cannot-links of each cluster


@dataclass(frozen=True)
class AbstractDistortion(ABC):
    """Squared distance under a metric A_h, less log det A_h.

    A *metric* is an array: with one entry for all clusters, or one for each (`per_cluster`).
    """

    per_cluster: bool = False
    conditioning: float = 1e-3

    @property
    @abstractmethod
    def learns(self) -> bool:
        """Whether there is a metric to learn."""

    @abstractmethod
    def start(self, k: int, d: int) -> Floats:
        """Return the metric to begin with: the identity."""

    @abstractmethod
    def totals(self, rows: AbstractRows) -> Floats:
        """Return the second moments of all rows together, with a leading axis of one."""

    @abstractmethod
    def second(self, rows: Any, weights: Any) -> Floats:
        """Return second moments of a few rows, by the groups of `weights`, sparse (g, l)."""

    @abstractmethod
    def rule(self, centres: Floats, metric: Floats) -> Rule:
        """Return what an engine assigns by: `costs` up to a constant of the row."""

    @abstractmethod
    def costs(self, rows: Any, centres: Floats, metric: Floats) -> Floats:
        """Return (l, k): the distortion of a few rows from each centre, log det included."""

    @abstractmethod
    def gaps(self, differences: Any, metric: Floats) -> Floats:
        """Return (m, 1 or k): squared length of each difference under each metric."""

    @abstractmethod
    def image(self, rows: Any, metric: Floats, h: int) -> Floats:
        """Return the rows where plain distances are distances under metric h."""

    @abstractmethod
    def total(self, moments: Moments, centres: Floats, metric: Floats) -> float:
        """Return the distortion of all rows, each from the centre of its cluster."""

    @abstractmethod
    def refit(
        self, moments: Moments, centres: Floats, evidence: Evidence, metric: Floats
    ) -> tuple[Floats, Counter[str]]:
        """Return the metric of Eq. 7, and how often it had to be mended.

        The sum to invert is *conditioned* where it is singular: a fraction of its trace is added.
        Where it is negative, the metric is *projected* to the cone. A cluster without rows keeps
        `metric`.
        """

    def n_metrics(self, k: int) -> int:
        """Return how many metrics there are."""
        return k if self.per_cluster else 1


def mended_inverse(
    values: Floats, singular: bool, conditioning: float, events: Counter[str]
) -> Floats | None:
    """Return 1 / `values`, mended as the paper says, or None where there is nothing to invert.

    `values` are what is on the diagonal, or eigenvalues. Whether they are `singular` is for the
    caller to say: a column in small units is not.
    """
    if singular:
        events["conditioned"] += 1
        values = values + conditioning * np.maximum(values, 0.0).sum()
    if not values.all():
        return None  # all rows of the cluster are equal: nothing to learn from
    inverse: Floats = 1.0 / values
    negative = inverse < 0.0
    if negative.any():
        events["projected"] += 1
        if negative.all():
            return None
        # On the rim of the cone log det is infinite: stay inside, by a fraction of what the size
        # of the value would give.
        floor = np.minimum(-conditioning * inverse, inverse.max())
        inverse = np.where(negative, floor, inverse)
    return inverse
