"""k-means++ that takes a neighbourhood for one heavy point."""

from dataclasses import dataclass
from typing import final

import numpy as np

from coterie._types import Floats, Rng
from coterie.seeding.base import AbstractSeeding, Candidates, dense, squares_from


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

        def at(place: int) -> Floats:
            point: Floats = dense(points[[place]])[0]
            return point

        distance = np.full(len(weights), np.inf)
        centres = [] if given is None else list(given)
        for centre in centres:
            distance = np.minimum(distance, squares_from(points, centre))
        if not centres:
            centres.append(at(_draw(weights, 1, rng)[0]))
            distance = squares_from(points, centres[0])
        while len(centres) < k:
            mass = weights * distance
            if not mass.sum() > 0:
                centres += [at(int(weights.argmax()))] * (k - len(centres))
                break
            trials = _draw(mass, n_trials, rng)
            left = [np.minimum(distance, squares_from(points, at(trial))) for trial in trials]
            best = int(np.argmin([weights @ rest for rest in left]))
            centres.append(at(trials[best]))
            distance = left[best]
        return np.stack(centres)


def _draw(mass: Floats, size: int, rng: Rng) -> list[int]:
    """Return places drawn with a chance proportional to `mass`."""
    heights = np.cumsum(mass)
    drawn = np.searchsorted(heights, rng.random(size) * heights[-1], side="right")
    return [int(place) for place in np.minimum(drawn, len(mass) - 1)]
