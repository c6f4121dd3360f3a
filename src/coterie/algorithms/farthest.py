"""The maximally separated pair of rows under each metric (MPCK, Eq. 5)."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._types import Floats, Rng
from coterie.distortion import AbstractDistortion
from coterie.engines import AbstractRows
from coterie.loops import diameter

EXACT_ROWS = 5_000
EXACT_WORK = 1.5e9  # products, where no pair can be passed over: a second or so
_SAMPLE = 50_000  # rows that are looked at for extremes beyond that
_DIRECTIONS = 64
_BLOCK = 4_096  # rows that are handed over at a time


class Farthest(NamedTuple):
    """The pair of each metric."""

    steps: Floats  # (1 or k, d) x' - x''
    squares: Floats  # (1 or k,) its squared length under the metric

    def differ(self, others: "Farthest") -> bool:
        """Tell whether any metric has another pair here than there."""
        same = (self.steps == others.steps).all(axis=1)
        turned = (self.steps == -others.steps).all(axis=1)
        return not bool((same | turned).all())


class FarthestPairs:
    """Finds the pair anew for each metric.

    Up to EXACT_ROWS rows of not too many features the pair is exact. Beyond, it is the farthest
    of two sets of pairs: those of the rows that are extreme along the axes and along random
    directions, and the cannot-linked pairs themselves. So Eq. 5 stays non-negative for every
    cannot-link.
    """

    def __init__(self, rows: AbstractRows, differences: Any, seed: Rng) -> None:
        few = rows.n_rows <= EXACT_ROWS and rows.n_rows**2 * rows.n_features <= EXACT_WORK
        self.how = "exact" if few else "candidates"
        taken = rows.sample(max(_SAMPLE, EXACT_ROWS), seed)
        heard = taken[rows.weights[taken] > 0]
        heard = heard if len(heard) else taken
        if self.how == "candidates":
            heard = _extremes(rows, heard, seed)
        sample = rows.take(heard)
        self._rows = np.asarray(sample.toarray() if sparse.issparse(sample) else sample)
        self._differences = differences  # of the cannot-links

    def find(
        self, distortion: AbstractDistortion, metric: Floats, gaps: Floats | None = None
    ) -> Farthest:
        """Return the farthest pair under each metric; `gaps` are those of the cannot-links."""
        steps = np.empty((len(metric), self._rows.shape[1]))
        for h in range(len(metric)):
            image = distortion.image(self._rows, metric, h)
            radius = np.sqrt(((image - image.mean(axis=0)) ** 2).sum(axis=1))
            order = np.argsort(-radius, kind="stable")
            a, b = diameter.farthest_pair(np.ascontiguousarray(image[order]), radius[order])
            steps[h] = self._rows[order[a]] - self._rows[order[b]]
        squares = _own(distortion.gaps(steps, metric))
        if gaps is None:
            gaps = distortion.gaps(self._differences, metric)
        for h in range(len(metric)):
            longest = int(gaps[:, h].argmax())
            if gaps[longest, h] > squares[h]:
                step = self._differences[[longest]]
                steps[h] = step.toarray()[0] if sparse.issparse(step) else step[0]
                squares[h] = gaps[longest, h]
        return Farthest(steps, squares)


def _own(gaps: Floats) -> Floats:
    return np.diagonal(gaps).copy() if gaps.shape[1] > 1 else gaps[:, 0].copy()


def _extremes(rows: AbstractRows, taken: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
    """Return those of the `taken` rows that reach farthest along some direction."""
    d = rows.n_features
    directions = rng.standard_normal((d, _DIRECTIONS))
    if d <= 4 * _DIRECTIONS:
        directions = np.hstack([directions, np.eye(d)])
    directions = np.hstack([directions, -directions])
    reach = np.full(directions.shape[1], -np.inf)
    farthest = np.zeros(directions.shape[1], dtype=np.int64)
    for start in range(0, len(taken), _BLOCK):
        some = taken[start : start + _BLOCK]
        along = rows.take(some) @ directions
        best = along.argmax(axis=0)
        found = along[best, np.arange(len(best))]
        farther = found > reach
        reach[farther], farthest[farther] = found[farther], some[best[farther]]
    return np.unique(farthest)
