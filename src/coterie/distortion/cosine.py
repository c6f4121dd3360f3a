"""One less the cosine, for rows whose direction matters and length does not."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._types import Floats
from coterie.distortion.base import AbstractDistortion, Assigned, Evidence, Moments, divided
from coterie.engines import AbstractRows, Linear, squared

_HALVINGS = 20  # of a step that does not descend


@final
@dataclass(frozen=True, eq=False)
class Cosine(AbstractDistortion):
    r"""Rows and centres compared by direction.

    .. math:: D(x, \mu) = 1 - \frac{x^\top A \mu}{\|x\|_A \|\mu\|_A}
              + s \left(\log \sum_m v_m a_m - \tfrac1d \sum_m \log a_m\right)

    A is diagonal with entries a, 1 on the average of all features that any row has: their size
    means nothing. The last term is the
    normaliser. It makes features dear that all rows are made of (v are the shares that features
    have in squares of rows of length 1), without which the best weights would be those of the
    one feature that most rows share. The stiffness s is what rows lie from the centre of all of
    them on the average, so that rows of nearly one direction learn like others.
    """

    learned: bool = False
    stiffness: float = 1.0
    shares: Floats | None = None  # v, of the rows that this was settled on

    shifts: ClassVar[bool] = False
    squared: ClassVar[bool] = False
    at_once: ClassVar[bool] = False
    exact_work: ClassVar[float] = 1e8  # among directions hardly a pair can be passed over

    @property
    def learns(self) -> bool:
        return self.learned

    def prepare(self, X: Any) -> Any:
        X = super().prepare(X)
        largest = abs(X).max(axis=1)
        if sparse.issparse(X):
            largest = largest.toarray()
        largest = np.asarray(largest, dtype=np.float64).ravel()
        if not largest.all():
            row = int((largest == 0.0).argmax())
            raise ValueError(
                f"Row {row} of X is all zeros, so it has no direction for the cosine "
                f"({np.count_nonzero(largest == 0.0)} such rows). Drop them, or take "
                'distortion="euclidean".'
            )
        # The squares of a row may be too small or too large for numbers where the row is not.
        rows = divided(X, largest)
        lengths = np.sqrt(np.asarray(squared(rows).sum(axis=1)).ravel())
        return divided(rows, lengths).astype(X.dtype)

    def settle(self, rows: AbstractRows) -> "Cosine":
        if not self.learned:
            return self
        squares = rows.squares()
        return replace(self, stiffness=self.spread(rows), shares=squares / squares.sum())

    def admit(self, centres: Floats, mean: Floats) -> Floats:
        lengths = np.linalg.norm(centres, axis=1, keepdims=True)
        some: Floats = np.where(lengths > 0.0, centres, 1.0)
        admitted: Floats = some / np.linalg.norm(some, axis=1, keepdims=True)
        return admitted

    def start(self, k: int, d: int) -> Floats:
        return np.ones((1, d))

    def heard(self, rows: AbstractRows, metric: Floats) -> AbstractRows:
        if not self.learned:
            return rows
        return rows.reweighted(rows.each(lambda some, _: self.loudness(some, metric)))

    def loudness(self, rows: Any, metric: Floats) -> Floats:
        lengths = _lengths(rows, metric)
        # The middle of rows that cancel has no direction, and is at right angles to all.
        loud: Floats = np.where(lengths > 0.0, 1.0, 0.0) / np.where(lengths > 0.0, lengths, 1.0)
        return loud

    def totals(self, rows: AbstractRows) -> Floats:
        return rows.squares()[None]

    def second(self, rows: Any, weights: Any) -> Floats:
        second = weights @ squared(rows)
        added: Floats = second.toarray() if sparse.issparse(second) else second
        return added

    def rule(self, centres: Floats, metric: Floats) -> Linear:
        # The length of a row is the same for all clusters.
        slopes = -metric * centres / _lengths(centres, metric)[:, None]
        return Linear(slopes, np.zeros(len(centres)))

    def costs(self, rows: Any, centres: Floats, metric: Floats) -> Floats:
        costs: Floats = rows @ self.rule(centres, metric).slopes.T
        costs *= self.loudness(rows, metric)[:, None]
        costs += 1.0
        np.maximum(costs, 0.0, out=costs)
        costs += self._normaliser(metric)
        return costs

    def apart(self, rows: Any, pairs: NDArray[np.int64]) -> Any:
        a, b = rows[pairs[:, 0]], rows[pairs[:, 1]]
        if sparse.issparse(rows):
            return sparse.hstack([a * b, a * a, b * b], "csr")
        return np.hstack([a * b, a * a, b * b])

    def gaps(self, apart: Any, metric: Floats) -> Floats:
        along, a, b = _folded(apart, metric[0])
        gaps: Floats = np.maximum(1.0 - along / np.sqrt(a * b), 0.0)
        return gaps[:, None]

    def image(self, rows: Any, metric: Floats, h: int) -> Floats:
        dense = rows.toarray() if sparse.issparse(rows) else rows
        image: Floats = dense * np.sqrt(metric[h])
        image /= np.linalg.norm(image, axis=1, keepdims=True)
        return image

    def centres(self, moments: Moments, centres: Floats) -> Floats:
        lengths = np.linalg.norm(moments.sums, axis=1, keepdims=True)
        fresh: Floats = np.where(
            lengths > 0.0, moments.sums / np.where(lengths > 0.0, lengths, 1.0), centres
        )
        return fresh

    def total(self, moments: Moments, centres: Floats, metric: Floats) -> float:
        weight = moments.second.sum()
        along = -(moments.sums * self.rule(centres, metric).slopes).sum()
        return float(max(0.0, weight - along) + weight * self._normaliser(metric))

    def refit(
        self,
        moments: Moments,
        centres: Floats,
        evidence: Evidence,
        metric: Floats,
        assigned: Assigned | None = None,
    ) -> tuple[Floats, Counter[str]]:
        """Take one step down, in the logarithms of the weights.

        How the normaliser bends along each of them is what the gradient is divided by: else rare
        features would wait for common ones.
        """
        assert assigned is not None  # lengths under new weights need the rows
        assert self.shares is not None

        def cost(metric: Floats) -> float:
            fresh = self.recount(moments, assigned, metric)
            return self.total(fresh, centres, metric) + _links(evidence, self, metric)

        seen = self.shares > 0.0
        stiff = self.stiffness * moments.second.sum()
        share = self.shares * metric[0] / (self.shares @ metric[0])
        even = seen / seen.sum()
        slope = stiff * (share - even) + metric[0] * (
            self._slope(moments, centres, metric, assigned) + _slope_of_links(evidence, metric[0])
        )
        bend = share + even  # but for the stiffness
        down = np.divide(-slope, bend, where=seen, out=np.zeros(len(slope)))
        largest = np.abs(down).max()
        if largest == 0.0:
            return metric, Counter()
        now, step = cost(metric), 1.0 / max(stiff, largest)
        for _ in range(_HALVINGS):
            fresh = metric * np.exp(step * down)
            fresh[:, seen] /= fresh[:, seen].mean()
            if cost(fresh) <= now + 1e-4 * step * (slope @ down):
                return fresh, Counter()
            step /= 2
        return metric, Counter()

    def recount(self, moments: Moments, assigned: Assigned, metric: Floats) -> Moments:
        sums = self.heard(assigned.rows, metric).add_up(assigned.labels, len(moments.counts))
        return moments._replace(sums=sums)

    def _slope(
        self, moments: Moments, centres: Floats, metric: Floats, assigned: Assigned
    ) -> Floats:
        """Return the derivative by the weights of what all rows lie from their centres."""
        rows, labels = assigned
        pull = self.rule(centres, metric).slopes  # -A μ / |μ|

        def turned(some: Any, where: slice) -> Floats:
            # The cosine of each row and its centre, over the square of the row's length.
            mine = labels[where]
            if sparse.issparse(some):
                along = -np.asarray(some @ pull.T)[np.arange(len(mine)), mine]
            else:
                along = -np.einsum("ij,ij->i", some, pull[mine])
            cosines: Floats = along / _lengths(some, metric) ** 3
            return cosines

        of_rows = rows.reweighted(rows.each(turned)).squares()
        lengths = _lengths(centres, metric)
        together = -(moments.sums * pull).sum(axis=1)
        of_centres = (together / lengths**2) @ centres**2
        both = (moments.sums * centres / lengths[:, None]).sum(axis=0)
        slope: Floats = (of_rows + of_centres) / 2 - both
        return slope

    def _normaliser(self, metric: Floats) -> float:
        if self.shares is None:
            return 0.0
        weights = metric[0, self.shares > 0.0]  # what no row has teaches nothing
        return self.stiffness * float(np.log(metric[0] @ self.shares) - np.log(weights).mean())


def _lengths(rows: Any, metric: Floats) -> Floats:
    lengths: Floats = np.sqrt(squared(rows) @ metric[0])
    return lengths


def _folded(apart: Any, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return aᵀAb, aᵀAa and bᵀAb of each pair."""
    d = len(weights)
    return apart[:, :d] @ weights, apart[:, d : 2 * d] @ weights, apart[:, 2 * d :] @ weights


def _links(evidence: Evidence, distortion: Cosine, metric: Floats) -> float:
    """Return what broken links cost under a metric."""
    cost = float(evidence.coefficients @ distortion.gaps(evidence.apart, metric)[:, 0])
    heavy = evidence.farthest_weights.sum()
    if heavy > 0.0:
        cost += float(heavy * distortion.gaps(evidence.farthest, metric)[0, 0])
    return cost


def _slope_of_links(evidence: Evidence, weights: Floats) -> Floats:
    """Return the derivative by the weights of what broken links cost."""
    slope = _slope_of_gaps(evidence.apart, evidence.coefficients, weights)
    heavy = np.atleast_1d(evidence.farthest_weights.sum())
    return slope + _slope_of_gaps(evidence.farthest, heavy, weights)


def _slope_of_gaps(apart: Any, coefficients: Floats, weights: Floats) -> Floats:
    d, heard = len(weights), np.flatnonzero(coefficients)
    if len(heard) == 0:
        return np.zeros(d)
    apart, coefficients = apart[heard], coefficients[heard]
    along, a, b = _folded(apart, weights)
    cosine = along / np.sqrt(a * b)
    slope: Floats = (coefficients * cosine / a / 2) @ apart[:, d : 2 * d]
    slope += (coefficients * cosine / b / 2) @ apart[:, 2 * d :]
    slope -= (coefficients / np.sqrt(a * b)) @ apart[:, :d]
    return slope
