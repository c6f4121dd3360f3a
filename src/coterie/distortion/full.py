"""Squared Mahalanobis distance with a full matrix."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from coterie._types import Floats
from coterie.distortion.base import (
    ROUNDING,
    AbstractDistortion,
    Assigned,
    Evidence,
    Moments,
    by_cluster,
    mended_inverse,
)
from coterie.engines import AbstractRows, Linear, Quadratic
from coterie.loops import quadratic


@final
@dataclass(frozen=True)
class Full(AbstractDistortion):
    """Metrics of shape (1 or k, d, d)."""

    @property
    def learns(self) -> bool:
        return True

    @property
    def takes_sparse(self) -> bool:
        return False

    def start(self, k: int, d: int) -> Floats:
        return np.broadcast_to(np.eye(d), (self.n_metrics(k), d, d)).copy()

    def totals(self, rows: AbstractRows) -> Floats:
        return rows.scatter()[None]

    def second(self, rows: Any, weights: Any) -> Floats:
        d = rows.shape[1]
        second = np.zeros((weights.shape[0], d, d))
        for g in range(len(second)):
            start, stop = weights.indptr[g], weights.indptr[g + 1]
            mine = rows[weights.indices[start:stop]]
            second[g] = (mine.T * weights.data[start:stop]) @ mine
        return second

    def rule(self, centres: Floats, metric: Floats) -> Linear | Quadratic:
        if self.per_cluster:
            roots = factors(metric)
            points = np.einsum("kij,kj->ki", roots, centres)
            return Quadratic(roots, points, -_log_det(metric))
        pulled = centres @ metric[0]
        return Linear(-2 * pulled, (pulled * centres).sum(axis=1))

    def costs(self, rows: Any, centres: Floats, metric: Floats) -> Floats:
        roots = factors(metric)
        if self.per_cluster:
            points = np.einsum("kij,kj->ki", roots, centres)
            return _values(rows, roots, points, -_log_det(metric))
        image, points = rows @ roots[0].T, centres @ roots[0].T
        costs: Floats = image @ (-2 * points).T
        costs += np.einsum("ij,ij->i", image, image)[:, None]
        costs += (points**2).sum(axis=1)
        np.maximum(costs, 0.0, out=costs)
        costs -= _log_det(metric)
        return costs

    def apart(self, rows: Any, pairs: NDArray[np.int64]) -> Any:
        return rows[pairs[:, 0]] - rows[pairs[:, 1]]

    def gaps(self, apart: Any, metric: Floats) -> Floats:
        roots = factors(metric)
        return _values(apart, roots, np.zeros(roots.shape[:2]), np.zeros(len(roots)))

    def image(self, rows: Any, metric: Floats, h: int) -> Floats:
        image: Floats = rows @ factors(metric[h : h + 1])[0].T
        return image

    def total(self, moments: Moments, centres: Floats, metric: Floats) -> float:
        spread = self._spread(moments, centres)
        counts = moments.counts if self.per_cluster else moments.counts.sum(keepdims=True)
        inner = np.einsum("hij,hij->h", metric, spread)
        return float(np.maximum(inner, 0.0).sum() - counts @ _log_det(metric))

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
        outer = evidence.farthest[:, :, None] * evidence.farthest[:, None, :]
        links = links + evidence.farthest_weights[:, None, None] * outer
        counts = moments.counts
        if not self.per_cluster:
            links, counts = links.sum(axis=0, keepdims=True), counts.sum(keepdims=True)
        events: Counter[str] = Counter()
        fresh = metric.copy()
        for h in np.flatnonzero(counts > 0):
            # Differences of large numbers: what is left below this is rounding.
            noise = ROUNDING * np.abs(np.diagonal(moments.second[h])) / counts[h]
            matrix = (spread[h] + links[h]) / counts[h]
            inverse = self._inverse((matrix + matrix.T) / 2, noise, events)
            fresh[h] = metric[h] if inverse is None else inverse
        return fresh, events

    def _inverse(self, matrix: Floats, noise: Floats, events: Counter[str]) -> Floats | None:
        size = np.abs(np.diagonal(matrix))
        constant = size <= noise
        if constant.all():
            events["conditioned"] += 1
            return None  # all rows of the cluster are equal: nothing to learn from
        # Free of units, so that a column in small ones is not taken for a constant.
        scale = np.sqrt(np.where(constant, 1.0, size))
        values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
        singular = bool(constant.any() or (np.abs(values) <= ROUNDING).any())
        if not singular and (values > 0.0).all():
            root = vectors / (scale[:, None] * np.sqrt(values))
            inverse: Floats = root @ root.T
            return inverse
        values, vectors = np.linalg.eigh(matrix)
        mended = mended_inverse(values, singular, self.conditioning, events)
        return None if mended is None else (vectors * mended) @ vectors.T

    def _spread(self, moments: Moments, centres: Floats) -> Floats:
        cross = np.einsum("ki,kj->kij", moments.sums, centres)
        of_centres = -cross - cross.transpose(0, 2, 1)
        of_centres += moments.counts[:, None, None] * centres[:, :, None] * centres[:, None, :]
        if not self.per_cluster:
            of_centres = of_centres.sum(axis=0, keepdims=True)
        spread: Floats = moments.second + of_centres
        return spread


def _values(rows: Floats, roots: Floats, points: Floats, offsets: Floats) -> Floats:
    values = np.empty((len(rows), len(roots)))
    parts = (np.ascontiguousarray(part) for part in (rows, roots, points, offsets))
    quadratic.quadratic(*parts, values)
    return values


def factors(metric: Floats) -> Floats:
    """Return upper triangular R with Rᵀ R = A for each A, however badly conditioned it is."""
    try:
        upper: Floats = np.linalg.cholesky(metric).transpose(0, 2, 1)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(metric)
        roots = np.sqrt(np.maximum(values, 0.0))[:, :, None] * vectors.transpose(0, 2, 1)
        upper = np.linalg.qr(roots).R
    return upper


def _log_det(metric: Floats) -> Floats:
    log_det: Floats = np.linalg.slogdet(metric)[1]
    return log_det
