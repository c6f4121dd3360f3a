"""Begin at the neighbourhoods that must-links make (MPCK, section 3.1)."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from coterie._types import Floats, Rng
from coterie.seeding.base import AbstractSeeding, Candidates, dense, squares_from, squares_of


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
        chosen = farthest_first(points, weights, k)
        missing = k - len(chosen)
        noise = rng.standard_normal((missing, points.shape[1]))
        return np.vstack([dense(points[chosen]), candidates.mean + noise * candidates.spread])


def farthest_first(points: Any, weights: Floats, k: int) -> list[int]:
    """Return up to k points: the heaviest, then by weight times distance from the chosen.

    >>> farthest_first(np.array([[0.0], [1.0], [9.0]]), np.array([3.0, 2.0, 1.0]), 2)
    [0, 2]
    """
    if len(weights) == 0:
        return []
    chosen, own = [int(weights.argmax())], squares_of(points)
    distance = np.full(len(weights), np.inf)
    while len(chosen) < min(k, len(weights)):
        last = dense(points[chosen[-1:]])
        distance = np.minimum(distance, np.sqrt(squares_from(points, own, last)[:, 0]))
        reach = weights * distance
        reach[chosen] = -1.0
        chosen.append(int(reach.argmax()))
    return chosen
