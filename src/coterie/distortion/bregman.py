"""Bregman divergences: all that a convex function and its gradient make."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._types import Floats
from coterie._validate import Rule, check_params, flag, real
from coterie.distortion.base import (
    ROUNDING,
    AbstractDistortion,
    Assigned,
    Evidence,
    Moments,
    by_cluster,
    divided,
    weights_of_features,
)
from coterie.distortion.range import Range
from coterie.distortion.trial import Elementwise, refuse_no_divergence
from coterie.engines import AbstractRows, Linear

_BLOCK = 1 << 20  # numbers that are looked at at a time
_TRIED = 2_000  # numbers that phi is tried on


def _as_they_are(x: Any) -> Any:
    return x


@final
@dataclass(frozen=True, kw_only=True)
class Bregman(AbstractDistortion):
    r"""The divergence that a convex function makes, feature by feature.

    .. math:: D(x, \mu) = \sum_m a_m [\phi(x_m) - \phi(\mu_m) - \phi'(\mu_m) (x_m - \mu_m)]
              - \tfrac12 \sum_m \log a_m

    The weights a are 1 unless they are learned. The last term is the normaliser: up to a
    constant of the row it is that of the exponential dispersion model of this divergence, at the
    saddle point. Two rows lie apart by the sum of their divergences from the middle between them.

    Parameters
    ----------
    phi : callable
        Convex, of an array, element by element; finite wherever rows may lie.
    gradient : callable
        Its derivative; it may be infinite at the ends of the domain.
    domain : pair of float, default=(-inf, inf)
        Where the numbers of a row may lie.
    closed : bool, default=True
        Whether they may lie on the ends of the domain.
    prior : float, default=0.0
        How many rows at the mean of all rows each cluster is given to begin with. Without any, a
        row that has what no other row of a cluster has may be infinitely far from its centre. With
        it a cluster has a price, so that fewer may be found where rows are few.
    normalised : bool, default=False
        Whether rows are scaled to add up to 1.
    embed : callable, default: the numbers themselves
        Where plain distances are nearly those of the divergence. Of many rows, the farthest pair
        is sought there.
    name : str
        What error messages call it.

    Examples
    --------
    The logistic loss, for shares between 0 and 1:

    >>> import numpy as np
    >>> from scipy.special import logit, xlogy
    >>> from coterie import HMRFKMeans
    >>> from coterie.distortion import Bregman
    >>> logistic = Bregman(
    ...     phi=lambda x: xlogy(x, x) + xlogy(1 - x, 1 - x),
    ...     gradient=logit,
    ...     domain=(0.0, 1.0),
    ...     prior=0.1,
    ... )
    >>> X = np.array([[0.0, 0.1], [0.1, 0.0], [1.0, 0.9], [0.8, 1.0]])
    >>> model = HMRFKMeans(n_clusters=2, distortion=logistic, random_state=0).fit(X)
    >>> model.labels_ == model.labels_[0]
    array([ True,  True, False, False])
    """

    phi: Elementwise
    gradient: Elementwise
    domain: tuple[float, float] = (-np.inf, np.inf)
    closed: bool = True
    prior: float = 0.0
    normalised: bool = False
    embed: Elementwise = _as_they_are
    name: str = "this divergence"
    learned: bool = False

    shifts: ClassVar[bool] = False
    squared: ClassVar[bool] = False
    exact_work: ClassVar[float] = 4e6

    def __post_init__(self) -> None:
        check_params(
            self,
            phi=Rule(callable, "a function of an array"),
            gradient=Rule(callable, "a function of an array"),
            domain=Rule(_is_range, "a pair of numbers, the lower one first"),
            closed=flag(),
            prior=real(at_least=0),
            normalised=flag(),
            embed=Rule(callable, "a function of an array"),
        )

    @property
    def learns(self) -> bool:
        return self.learned

    @property
    def takes_sparse(self) -> bool:
        zero = np.zeros(1)
        with np.errstate(all="ignore"):
            return not self._range.outside(zero).any() and bool(self.phi(zero)[0] == 0.0)

    def prepare(self, X: Any) -> Any:
        X = super().prepare(X)
        self._range.refuse_outside(X, self.name)
        if self.normalised:
            X = self._shares(X)
        values = np.asarray(X.data if sparse.issparse(X) else X).ravel()
        if len(values):
            ends = [values.min(), values.max()]
            some = np.concatenate([ends, values[:_TRIED]]).astype(np.float64)
            refuse_no_divergence(self.phi, self.gradient, some, self._range.inside, self.name)
        return X

    def admit(self, centres: Floats, mean: Floats) -> Floats:
        admitted = self._range.reflected(centres)
        admitted = (admitted + self.prior * mean) / (1.0 + self.prior)
        return admitted / admitted.sum(axis=1, keepdims=True) if self.normalised else admitted

    def smooth(self, moments: Moments, mean: Floats) -> Moments:
        if self.prior == 0.0:
            return moments
        counts, sums, second = moments
        return Moments(
            counts + self.prior,
            sums + self.prior * mean,
            second + self.prior * len(counts) * self.phi(mean),
        )

    def start(self, k: int, d: int) -> Floats:
        return np.ones((1, d))

    def totals(self, rows: AbstractRows) -> Floats:
        return rows.added(self._phi)[None]

    def second(self, rows: Any, weights: Any) -> Floats:
        second = weights @ self._phi(rows)
        added: Floats = second.toarray() if sparse.issparse(second) else second
        return added

    def rule(self, centres: Floats, metric: Floats) -> Linear:
        slopes, offsets = self._scores(centres, metric)
        # What is the same for all clusters would drown their differences in float32.
        return Linear(slopes - slopes.mean(axis=0), offsets - offsets.mean())

    def _scores(self, centres: Floats, metric: Floats) -> Linear:
        """Return what makes costs of rows, less phi of the row."""
        inside, metric = self._range.inside(centres), metric * self._seen(centres)
        steep = self.gradient(inside)
        offsets = (metric * (steep * inside - self.phi(inside))).sum(axis=1)
        return Linear(-metric * steep, offsets)

    def costs(self, rows: Any, centres: Floats, metric: Floats) -> Floats:
        slopes, offsets = self._scores(centres, metric)
        costs: Floats = rows @ slopes.T
        costs += self._phi(rows) @ (metric * self._seen(centres)).T
        costs += offsets
        np.maximum(costs, 0.0, out=costs)
        costs -= _half_log(metric)
        return costs

    def apart(self, rows: Any, pairs: NDArray[np.int64]) -> Any:
        a, b = rows[pairs[:, 0]], rows[pairs[:, 1]]
        gaps = self._phi(a) + self._phi(b) - 2 * self._phi((a + b) / 2)
        return gaps.maximum(0.0) if sparse.issparse(gaps) else np.maximum(gaps, 0.0)

    def gaps(self, apart: Any, metric: Floats) -> Floats:
        gaps: Floats = apart @ metric.T
        return gaps

    def image(self, rows: Any, metric: Floats, h: int) -> Floats:
        dense = rows.toarray() if sparse.issparse(rows) else rows
        image: Floats = self.embed(self._range.inside(dense)) * np.sqrt(metric[h])
        return image

    def farthest(self, rows: Floats, metric: Floats, h: int, exact: bool) -> tuple[int, int]:
        if not exact:
            return super().farthest(rows, metric, h, exact)
        own, best = self.phi(rows) @ metric[h], (-np.inf, 0, 0)
        size = max(1, _BLOCK // rows.size)
        for start in range(0, len(rows), size):
            middles = (rows[start : start + size, None] + rows[None, start:]) / 2
            gaps = (
                own[start : start + size, None] + own[start:] - 2 * (self.phi(middles) @ metric[h])
            )
            a, b = np.unravel_index(gaps.argmax(), gaps.shape)
            if gaps[a, b] > best[0]:
                best = float(gaps[a, b]), start + int(a), start + int(b)
        return best[1:]

    def total(self, moments: Moments, centres: Floats, metric: Floats) -> float:
        spread = np.maximum(self._spread(moments, centres), 0.0)
        return float((metric * spread).sum() - moments.counts.sum() * _half_log(metric)[0])

    def refit(
        self,
        moments: Moments,
        centres: Floats,
        evidence: Evidence,
        metric: Floats,
        assigned: Assigned | None = None,
    ) -> tuple[Floats, Counter[str]]:
        spread = self._spread(moments, centres)
        spread[spread <= ROUNDING * np.abs(moments.second)] = 0.0
        links = by_cluster(evidence, len(centres)) @ evidence.apart
        links = links.toarray() if sparse.issparse(links) else links
        links = links + evidence.farthest_weights[:, None] * evidence.farthest
        seen, fresh = self._seen(centres), metric.copy()
        of_seen = spread[:, seen], links.sum(axis=0, keepdims=True)[:, seen]
        counts = moments.counts.sum(keepdims=True)
        fresh[:, seen], events = weights_of_features(
            2 * of_seen[0], 2 * of_seen[1], counts, metric[:, seen], self.conditioning
        )
        return fresh, events

    def _spread(self, moments: Moments, centres: Floats) -> Floats:
        """Return the divergence of all rows from their centres, by feature."""
        inside, counts = self._range.inside(centres), moments.counts[:, None]
        of_centres = counts * self.phi(inside) + self.gradient(inside) * (
            moments.sums - counts * inside
        )
        spread: Floats = moments.second - of_centres.sum(axis=0)
        return spread

    @property
    def _range(self) -> Range:
        return Range(*self.domain, self.closed)

    def _seen(self, centres: Floats) -> NDArray[np.bool_]:
        """Return which features any cluster has seen: the others tell none from another."""
        low, high = self.domain
        unseen = (centres <= low).all(axis=0) | (centres >= high).all(axis=0)
        return np.asarray(~unseen)

    def _phi(self, rows: Any) -> Any:
        """Return phi of a few rows; a zero stays one where they are sparse."""
        if not sparse.issparse(rows):
            return self.phi(rows)
        values = rows.copy()
        values.data = self.phi(rows.data)
        return values

    def _shares(self, X: Any) -> Any:
        sums = np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()
        if not sums.all():
            row = int((sums == 0.0).argmax())
            raise ValueError(
                f"Row {row} of X is all zeros, so {self.name} has no shares to compare "
                f"({np.count_nonzero(sums == 0.0)} such rows). Drop them, or take "
                'distortion="i-divergence", which compares amounts.'
            )
        return divided(X, sums).astype(X.dtype)


def _is_range(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and value[0] < value[1]


def _half_log(metric: Floats) -> Floats:
    half_log: Floats = np.log(metric).sum(axis=1) / 2
    return half_log
