"""A weight for each feature: squared Mahalanobis distance with a diagonal matrix."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._types import Floats
from coterie.distortion.base import (
    ROUNDING,
    AbstractDistortion,
    Assigned,
    Evidence,
    Moments,
    by_cluster,
    weights_of_features,
)
from coterie.engines import AbstractRows, Linear, squared


@final
@dataclass(frozen=True)
class Diagonal(AbstractDistortion):
    """Metrics of shape (1 or k, d)."""

    @property
    def learns(self) -> bool:
        return True

    def start(self, k: int, d: int) -> Floats:
        return np.ones((self.n_metrics(k), d))

    def totals(self, rows: AbstractRows) -> Floats:
        return rows.squares()[None]

    def second(self, rows: Any, weights: Any) -> Floats:
        squares = weights @ squared(rows)
        added: Floats = squares.toarray() if sparse.issparse(squares) else squares
        return added

    def rule(self, centres: Floats, metric: Floats) -> Linear:
        slopes = -2 * metric * centres
        offsets = (metric * centres**2).sum(axis=1) - _log_det(metric)
        if self.per_cluster:
            slopes = np.hstack([slopes, metric])
        return Linear(slopes, offsets)

    def costs(self, rows: Any, centres: Floats, metric: Floats) -> Floats:
        costs: Floats = rows @ (-2 * metric * centres).T
        costs += squared(rows) @ metric.T
        costs += (metric * centres**2).sum(axis=1)
        np.maximum(costs, 0.0, out=costs)
        costs -= _log_det(metric)
        return costs

    def apart(self, rows: Any, pairs: NDArray[np.int64]) -> Any:
        return rows[pairs[:, 0]] - rows[pairs[:, 1]]

    def gaps(self, apart: Any, metric: Floats) -> Floats:
        gaps: Floats = squared(apart) @ metric.T
        return gaps

    def image(self, rows: Any, metric: Floats, h: int) -> Floats:
        dense = rows.toarray() if sparse.issparse(rows) else rows
        image: Floats = dense * np.sqrt(metric[h])
        return image

    def total(self, moments: Moments, centres: Floats, metric: Floats) -> float:
        spread = np.maximum(self._spread(moments, centres), 0.0)
        counts = moments.counts if self.per_cluster else moments.counts.sum(keepdims=True)
        return float((metric * spread).sum() - counts @ _log_det(metric))

    def refit(
        self,
        moments: Moments,
        centres: Floats,
        evidence: Evidence,
        metric: Floats,
        assigned: Assigned | None = None,
    ) -> tuple[Floats, Counter[str]]:
        spread = self._spread(moments, centres)
        links = self.second(evidence.apart, by_cluster(evidence, len(centres)))
        links = links + evidence.farthest_weights[:, None] * evidence.farthest**2
        counts = moments.counts
        if not self.per_cluster:
            links, counts = links.sum(axis=0, keepdims=True), counts.sum(keepdims=True)
        # What rounding leaves of a constant column is no spread at all.
        spread[spread <= ROUNDING * np.abs(moments.second)] = 0.0
        return weights_of_features(spread, links, counts, metric, self.conditioning)

    def _spread(self, moments: Moments, centres: Floats) -> Floats:
        of_centres = -2 * moments.sums * centres + moments.counts[:, None] * centres**2
        if not self.per_cluster:
            of_centres = of_centres.sum(axis=0, keepdims=True)
        spread: Floats = moments.second + of_centres
        return spread


def _log_det(metric: Floats) -> Floats:
    log_det: Floats = np.log(metric).sum(axis=1)
    return log_det
