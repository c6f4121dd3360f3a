"""Squared Euclidean distance."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._types import Floats
from coterie.distortion.base import AbstractDistortion, Assigned, Evidence, Moments
from coterie.engines import AbstractRows, Linear, squared


@final
@dataclass(frozen=True)
class Identity(AbstractDistortion):
    """Nothing to learn: A is the identity, log det A is 0."""

    @property
    def learns(self) -> bool:
        return False

    def start(self, k: int, d: int) -> Floats:
        return np.ones((1, d))

    def totals(self, rows: AbstractRows) -> Floats:
        return rows.squares()[None]

    def second(self, rows: Any, weights: Any) -> Floats:
        squares = weights @ squared(rows)
        added: Floats = squares.toarray() if sparse.issparse(squares) else squares
        return added

    def rule(self, centres: Floats, metric: Floats) -> Linear:
        return Linear(-2 * centres, (centres**2).sum(axis=1))

    def costs(self, rows: Any, centres: Floats, metric: Floats) -> Floats:
        costs: Floats = rows @ (-2 * centres).T
        costs += self.gaps(rows, metric)
        costs += (centres**2).sum(axis=1)
        return np.maximum(costs, 0.0, out=costs)

    def apart(self, rows: Any, pairs: NDArray[np.int64]) -> Any:
        return rows[pairs[:, 0]] - rows[pairs[:, 1]]

    def gaps(self, apart: Any, metric: Floats) -> Floats:
        if sparse.issparse(apart):
            return np.asarray(apart.power(2).sum(axis=1)).reshape(-1, 1)
        gaps: Floats = np.einsum("ij,ij->i", apart, apart)[:, None]
        return gaps

    def image(self, rows: Any, metric: Floats, h: int) -> Floats:
        image: Floats = rows.toarray() if sparse.issparse(rows) else rows
        return image

    def total(self, moments: Moments, centres: Floats, metric: Floats) -> float:
        cross = np.einsum("kd,kd->", moments.sums, centres)
        return max(
            0.0, float(moments.second.sum() - 2 * cross + moments.counts @ (centres**2).sum(axis=1))
        )

    def refit(
        self,
        moments: Moments,
        centres: Floats,
        evidence: Evidence,
        metric: Floats,
        assigned: Assigned | None = None,
    ) -> tuple[Floats, Counter[str]]:
        return metric, Counter()
