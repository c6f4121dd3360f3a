"""What a distortion promises to the loop."""

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._types import Floats, Labels
from coterie.engines import AbstractRows, Rule
from coterie.loops import diameter

ROUNDING = 1e-10  # a value below this share of the largest is rounding


class Moments(NamedTuple):
    """All that centres and metrics need to know of the rows, by cluster."""

    counts: Floats  # (k,) weight
    sums: Floats  # (k, d)
    second: Floats  # of each cluster (k, …), or of all rows together (1, …): see `second`


class Assigned(NamedTuple):
    """All rows, and where they are."""

    rows: AbstractRows
    labels: Labels


class Evidence(NamedTuple):
    """What broken links say of the metric, by cluster (Eq. 7)."""

    apart: Any  # (b, …) how the ends lie, dense or CSR: see `apart`
    coefficients: Floats  # (b,) half the weight for a must-link, minus the weight for a cannot-link
    clusters: NDArray[np.int64]  # (b,)
    farthest: Floats  # (1 or k, …) how x' and x'' of each metric lie
    farthest_weights: Floats  # (k,) weight of the broken cannot-links of each cluster


@dataclass(frozen=True)
class AbstractDistortion(ABC):
    """What rows cost in each cluster, given its centre and its metric.

    A *metric* is an array: with one entry for all clusters, or one for each (`per_cluster`).
    """

    per_cluster: bool = False
    conditioning: float = 1e-3

    shifts: ClassVar[bool] = True  # rows may be moved together: only differences count
    squared: ClassVar[bool] = True  # what people call distance is the root of it
    at_once: ClassVar[bool] = True  # `refit` finds the best metric, not just a better one
    exact_work: ClassVar[float] = 1.5e9  # products: so much goes into the farthest pair at most

    @property
    def takes_sparse(self) -> bool:
        """Whether rows may be a CSR matrix."""
        return True

    def prepare(self, X: Any) -> Any:
        """Return rows as the loop is to see them; refuse those that have no distortion."""
        if sparse.issparse(X) and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()  # no sum of functions is the function of a sum
        return X

    def settle(self, rows: AbstractRows) -> Self:
        """Return this distortion, set to the scale of these rows."""
        return self

    def admit(self, centres: Floats, mean: Floats) -> Floats:
        """Return the nearest thing to these points that may be centres; `mean` is of all rows."""
        return centres

    def heard(self, rows: AbstractRows, metric: Floats) -> AbstractRows:
        """Return the rows, each as loud under this metric as its sums want it."""
        return rows

    def loudness(self, rows: Any, metric: Floats) -> Floats:
        """Return the same factor for a few rows."""
        return np.ones(rows.shape[0])

    def smooth(self, moments: Moments, mean: Floats) -> Moments:
        """Return the moments with what each cluster is given to begin with."""
        return moments

    def centres(self, moments: Moments, centres: Floats) -> Floats:
        """Return the best centres; a cluster without rows keeps its own."""
        fresh, filled = centres.copy(), moments.counts > 0
        fresh[filled] = moments.sums[filled] / moments.counts[filled, None]
        return fresh

    @property
    @abstractmethod
    def learns(self) -> bool:
        """Whether there is a metric to learn."""

    @abstractmethod
    def start(self, k: int, d: int) -> Floats:
        """Return the metric to begin with: the identity."""

    @abstractmethod
    def totals(self, rows: AbstractRows) -> Floats:
        """Return what `second` is for all rows together, with a leading axis of one."""

    @abstractmethod
    def second(self, rows: Any, weights: Any) -> Floats:
        """Return what the distortion needs of a few rows beside their sums.

        Squares, say, added up by the groups of `weights`, sparse (g, l).
        """

    @abstractmethod
    def rule(self, centres: Floats, metric: Floats) -> Rule:
        """Return what an engine assigns by: `costs` up to a constant of the row."""

    @abstractmethod
    def costs(self, rows: Any, centres: Floats, metric: Floats) -> Floats:
        """Return (l, k): the distortion of a few rows from each centre, its normaliser included."""

    @abstractmethod
    def apart(self, rows: Any, pairs: NDArray[np.int64]) -> Any:
        """Return (m, …), dense or CSR: all that `gaps` needs of each pair, whatever the metric."""

    @abstractmethod
    def gaps(self, apart: Any, metric: Floats) -> Floats:
        """Return (m, 1 or k): how far the ends of each pair lie apart, the φ_D of Eq. 3 and 4."""

    @abstractmethod
    def image(self, rows: Any, metric: Floats, h: int) -> Floats:
        """Return the rows where plain distances order as gaps do under metric h, or nearly so."""

    def farthest(self, rows: Floats, metric: Floats, h: int, exact: bool) -> tuple[int, int]:
        """Return the two rows of the widest gap under metric h."""
        image = self.image(rows, metric, h)
        radius = np.sqrt(((image - image.mean(axis=0)) ** 2).sum(axis=1))
        order = np.argsort(-radius, kind="stable")
        a, b = diameter.farthest_pair(np.ascontiguousarray(image[order]), radius[order])
        return int(order[a]), int(order[b])

    @abstractmethod
    def total(self, moments: Moments, centres: Floats, metric: Floats) -> float:
        """Return the distortion of all rows, each from the centre of its cluster."""

    @abstractmethod
    def refit(
        self,
        moments: Moments,
        centres: Floats,
        evidence: Evidence,
        metric: Floats,
        assigned: Assigned | None = None,
    ) -> tuple[Floats, Counter[str]]:
        """Return the metric of Eq. 7, or a better one than `metric`; and how often it was mended.

        The sum to invert is *conditioned* where it is singular: a fraction of its trace is added.
        Where it is negative, the metric is *projected* to the cone. A cluster without rows keeps
        `metric`.
        """

    def recount(self, moments: Moments, assigned: Assigned, metric: Floats) -> Moments:
        """Return the moments as they are under a new metric."""
        return moments

    def spread(self, rows: AbstractRows) -> float:
        """Return how far rows lie from the centre of all of them, on the average."""
        total, mean = rows.weights.sum(), rows.mean()
        moments = Moments(np.array([total]), total * mean[None], self.totals(rows))
        centre = self.centres(moments, self.admit(mean[None], mean))
        return self.total(moments, centre, self.start(1, len(mean))) / float(total)

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


def weights_of_features(
    spread: Floats, links: Floats, counts: Floats, metric: Floats, conditioning: float
) -> tuple[Floats, Counter[str]]:
    """Return a weight for each feature and metric: one over its mean spread, links included.

    `spread` is what rows cost by feature, `links` what broken links cost (of any sign).
    """
    events: Counter[str] = Counter()
    fresh = metric.copy()
    for h in np.flatnonzero(counts > 0):
        variance = (spread[h] + links[h]) / counts[h]
        singular = bool((variance == 0.0).any())
        inverse = mended_inverse(variance, singular, conditioning, events)
        fresh[h] = metric[h] if inverse is None else inverse
    return fresh, events


def divided(rows: Any, by: Floats) -> Any:
    """Return the rows in float64, each divided by its number."""
    if not sparse.issparse(rows):
        return rows / by[:, None]
    quotients = rows.astype(np.float64)
    quotients.data /= np.repeat(by, np.diff(rows.indptr))
    return quotients


def by_cluster(evidence: Evidence, k: int) -> Any:
    """Return the sparse (k, b) matrix that adds up what broken links say."""
    b = len(evidence.coefficients)
    return sparse.csr_array(
        (evidence.coefficients, (evidence.clusters, np.arange(b))), shape=(k, b)
    )
