"""Begin at the neighbourhoods that must-links make (MPCK, section 3.1)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from coterie._types import Floats, Rng
from coterie.seeding.base import AbstractSeeding, Candidates, dense


@final
@dataclass(frozen=True, slots=True)
class FarthestFirst(AbstractSeeding):
    """Neighbourhoods by weighted farthest-first; what is missing near the mean of all rows.

    The largest neighbourhood is the first. Each next one has the largest product of its weight
    and its distance from those already chosen. Where there are fewer neighbourhoods than
    clusters, the others begin at random perturbations of the mean, as wide as the data.
    """

    def seed(self, candidates: Candidates, k: int, rng: Rng) -> Floats:
        points = candidates.points[: candidates.n_neighbourhoods]
        weights = candidates.weights[: candidates.n_neighbourhoods]
        chosen = farthest_first(points, weights, k, candidates.from_points(points))
        missing = k - len(chosen)
        noise = rng.standard_normal((missing, points.shape[1]))
        return np.vstack([dense(points[chosen]), candidates.mean + noise * candidates.spread])


def farthest_first(
    points: Any, weights: Floats, k: int, far: Callable[[Floats], Floats]
) -> list[int]:
    """Return up to k points: the heaviest, then by weight times distance from the chosen.

    `far` gives squares of distances from the points.

    >>> points = np.array([[0.0], [1.0], [9.0]])
    >>> squares = lambda centres: (points - centres[:, 0]) ** 2
    >>> farthest_first(points, np.array([3.0, 2.0, 1.0]), 2, squares)
    [0, 2]
    """
    if len(weights) == 0:
        return []
    chosen = [int(weights.argmax())]
    distance = np.full(len(weights), np.inf)
    while len(chosen) < min(k, len(weights)):
        last = dense(points[chosen[-1:]])
        distance = np.minimum(distance, np.sqrt(far(last)[:, 0]))
        reach = weights * distance
        reach[chosen] = -1.0
        chosen.append(int(reach.argmax()))
    return chosen
