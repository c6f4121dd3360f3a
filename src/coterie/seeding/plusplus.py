"""k-means++ that takes a neighbourhood for one heavy point."""

from dataclasses import dataclass
from typing import final

import numpy as np

from coterie._types import Floats, Rng
from coterie.seeding.base import AbstractSeeding, Candidates

_BLOCK = 4096  # points whose steps from a centre stay in the cache


@final
@dataclass(frozen=True, slots=True)
class PlusPlus(AbstractSeeding):
    """Draw each centre with a chance that grows with its squared distance (Arthur, 2007).

    Of a few draws, the one that leaves the least distance is kept. Where every point is a centre
    already, the rest begin at the heaviest points.
    """

    def seed(self, candidates: Candidates, k: int, rng: Rng, given: Floats | None = None) -> Floats:
        """Return k centres, those that are `given` first."""
        points, weights = candidates.points, candidates.weights
        n_trials = 2 + int(np.log(k))
        distance = np.full(len(points), np.inf)
        centres = [] if given is None else list(given)
        for centre in centres:
            distance = np.minimum(distance, _squares(points, centre))
        if not centres:
            centres.append(points[_draw(weights, 1, rng)[0]])
            distance = _squares(points, centres[0])
        while len(centres) < k:
            mass = weights * distance
            if not mass.sum() > 0:
                centres += [points[weights.argmax()]] * (k - len(centres))
                break
            trials = _draw(mass, n_trials, rng)
            left = [np.minimum(distance, _squares(points, points[trial])) for trial in trials]
            best = int(np.argmin([weights @ rest for rest in left]))
            centres.append(points[trials[best]])
            distance = left[best]
        return np.stack(centres)


def _draw(mass: Floats, size: int, rng: Rng) -> list[int]:
    """Return places drawn with a chance proportional to `mass`."""
    heights = np.cumsum(mass)
    drawn = np.searchsorted(heights, rng.random(size) * heights[-1], side="right")
    return [int(place) for place in np.minimum(drawn, len(mass) - 1)]


def _squares(points: Floats, centre: Floats) -> Floats:
    squares = np.empty(len(points))
    for start in range(0, len(points), _BLOCK):
        step = points[start : start + _BLOCK] - centre
        np.einsum("ij,ij->i", step, step, out=squares[start : start + _BLOCK])
    return squares
