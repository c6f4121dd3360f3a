"""A weight for each feature: squared Mahalanobis distance with a diagonal matrix."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy import sparse

from coterie._types import Floats
from coterie.distortion.base import (
    ROUNDING,
    AbstractDistortion,
    Evidence,
    Moments,
    mended_inverse,
)
from coterie.engines import AbstractRows, Linear


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
        squares = weights @ _squared(rows)
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
        costs += _squared(rows) @ metric.T
        costs += (metric * centres**2).sum(axis=1)
        np.maximum(costs, 0.0, out=costs)
        costs -= _log_det(metric)
        return costs

    def gaps(self, differences: Any, metric: Floats) -> Floats:
        gaps: Floats = _squared(differences) @ metric.T
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
        self, moments: Moments, centres: Floats, evidence: Evidence, metric: Floats
    ) -> tuple[Floats, Counter[str]]:
        k = len(centres)
        spread = self._spread(moments, centres)
        b = len(evidence.coefficients)
        by_cluster = sparse.csr_array(
            (evidence.coefficients, (evidence.clusters, np.arange(b))), shape=(k, b)
        )
        links = self.second(evidence.differences, by_cluster)
        links = links + evidence.farthest_weights[:, None] * evidence.farthest**2
        counts = moments.counts
        if not self.per_cluster:
            links, counts = links.sum(axis=0, keepdims=True), counts.sum(keepdims=True)
        # What rounding leaves of a constant column is no spread at all.
        spread[spread <= ROUNDING * np.abs(moments.second)] = 0.0
        events: Counter[str] = Counter()
        fresh = metric.copy()
        for h in np.flatnonzero(counts > 0):
            variance = (spread[h] + links[h]) / counts[h]
            singular = bool((variance == 0.0).any())
            inverse = mended_inverse(variance, singular, self.conditioning, events)
            fresh[h] = metric[h] if inverse is None else inverse
        return fresh, events

    def _spread(self, moments: Moments, centres: Floats) -> Floats:
        by_cluster = -2 * moments.sums * centres + moments.counts[:, None] * centres**2
        if not self.per_cluster:
            by_cluster = by_cluster.sum(axis=0, keepdims=True)
        spread: Floats = moments.second + by_cluster
        return spread


def _squared(rows: Any) -> Any:
    return rows.power(2) if sparse.issparse(rows) else rows * rows


def _log_det(metric: Floats) -> Floats:
    log_det: Floats = np.log(metric).sum(axis=1)
    return log_det
