"""k-means++ that takes a neighbourhood for one heavy point."""

from dataclasses import dataclass
from typing import final

import numpy as np

from coterie._types import Floats, Rng
from coterie.seeding.base import AbstractSeeding, Candidates, dense


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
        far, n_trials = candidates.from_points(points), 2 + int(np.log(k))
        centres = np.empty((0, points.shape[1])) if given is None else given
        if len(centres) == 0:
            centres = dense(points[_draw(weights, 1, rng)])
        distance = far(centres).min(axis=1)
        while len(centres) < k:
            mass = weights * distance
            if not mass.sum() > 0:
                heaviest = dense(points[[weights.argmax()]])
                return np.vstack([centres, *[heaviest] * (k - len(centres))])
            trials = dense(points[_draw(mass, n_trials, rng)])
            left = np.minimum(distance[:, None], far(trials))
            best = int(np.argmin(weights @ left))
            centres = np.vstack([centres, trials[best]])
            distance = left[:, best]
        return centres


def _draw(mass: Floats, size: int, rng: Rng) -> list[int]:
    """Return places drawn with a chance proportional to `mass`."""
    heights = np.cumsum(mass)
    drawn = np.searchsorted(heights, rng.random(size) * heights[-1], side="right")
    return [int(place) for place in np.minimum(drawn, len(mass) - 1)]
