"""The maximally separated pair of rows under each metric (MPCK, Eq. 5)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._types import Floats, Rng
from coterie.algorithms.apart import Apart
from coterie.distortion import AbstractDistortion
from coterie.engines import AbstractRows

EXACT_ROWS = 5_000
_SAMPLE = 50_000  # rows that are looked at for extremes beyond that
_DIRECTIONS = 64
_BLOCK = 4_096  # rows that are handed over at a time


class Farthest(NamedTuple):
    """The pair of each metric."""

    apart: Floats  # (1 or k, …) how x' and x'' lie, as the distortion has it
    gaps: Floats  # (1 or k,) how far apart that is under the metric

    def differ(self, others: "Farthest") -> bool:
        """Tell whether any metric has another pair here than there."""
        same = (self.apart == others.apart).all(axis=1)
        turned = (self.apart == -others.apart).all(axis=1)
        return not bool((same | turned).all())


class FarthestPairs:
    """Finds the pair anew for each metric.

    Up to EXACT_ROWS rows of not too many features (the distortion says how much work it may be)
    the pair is exact. Beyond, it is the farthest of two sets of pairs: those of the rows that are
    extreme along the axes and along random directions, and the cannot-linked pairs themselves.
    So Eq. 5 stays non-negative for every cannot-link.
    """

    def __init__(
        self, distortion: AbstractDistortion, rows: AbstractRows, cannot: Apart, seed: Rng
    ) -> None:
        work = rows.n_rows**2 * rows.n_features
        few = rows.n_rows <= EXACT_ROWS and work <= distortion.exact_work
        self.how = "exact" if few else "candidates"
        self._distortion = distortion
        taken = rows.sample(max(_SAMPLE, EXACT_ROWS), seed)
        heard = taken[rows.weights[taken] > 0]
        heard = heard if len(heard) else taken
        if self.how == "candidates":
            heard = _extremes(rows, heard, seed)
        sample = rows.take(heard)
        self._rows = np.asarray(sample.toarray() if sparse.issparse(sample) else sample)
        self._cannot = cannot  # how the ends of cannot-links lie

    def find(self, metric: Floats, gaps: Floats | None = None) -> Farthest:
        """Return the farthest pair under each metric; `gaps` are those of the cannot-links."""
        distortion = self._distortion
        ends = [
            sorted(distortion.farthest(self._rows, metric, h, self.how == "exact"))
            for h in range(len(metric))
        ]
        apart = distortion.apart(self._rows, np.array(ends))
        widest = _own(distortion.gaps(apart, metric))
        if gaps is None:
            gaps = self._cannot.gaps(metric)
        for h in range(len(metric)):
            longest = int(gaps[:, h].argmax())
            if gaps[longest, h] > widest[h]:
                pair = self._cannot[np.array([longest])]
                apart[h] = pair.toarray()[0] if sparse.issparse(pair) else pair[0]
                widest[h] = gaps[longest, h]
        return Farthest(apart, widest)


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
