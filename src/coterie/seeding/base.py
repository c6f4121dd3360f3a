"""What centres may begin at: neighbourhoods as one point each, and rows."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._types import Floats, Rng
from coterie.model import Problem

_ROUNDING = 1e-12  # of sums of squares: what is left of equal points
ROWS_LOOKED_AT = 20_000  # seeding is a matter of chance: a sample of the rows does


class Candidates(NamedTuple):
    """Points that a centre may begin at, each neighbourhood once.

    So no two centres begin in one neighbourhood, and neighbourhoods that a cannot-link parts
    begin different clusters if they begin any.
    """

    points: Any  # (p, d) neighbourhoods first; CSR where the rows are
    weights: Floats  # (p,) of the rows that a point stands for
    n_neighbourhoods: int  # of two rows or more
    mean: Floats  # (d,) of all rows
    spread: Floats  # (d,) standard deviation of each feature, over the points
    costs: Callable[[Any, Floats], Floats] | None = None  # of points, if not squared distance

    def from_points(self, points: Any) -> Callable[[Floats], Floats]:
        """Return what gives (p, c), how far these points lie from any centres."""
        if self.costs is None:
            own = squares_of(points)
            return lambda centres: squares_from(points, own, centres)
        costs = self.costs
        return lambda centres: np.maximum(costs(points, centres), 0.0)


class AbstractSeeding(ABC):
    """Choose where the centres begin."""

    @abstractmethod
    def seed(self, candidates: Candidates, k: int, rng: Rng) -> Floats:
        """Return k centres, shape (k, d)."""


def gather(problem: Problem, rng: Rng) -> Candidates:
    """Return what centres may begin at."""
    graph, rows = problem.graph, problem.rows
    units, weights = graph.neighbourhoods, problem.linked_weights
    n_units = len(units.sizes)
    member = sparse.csr_array(
        (weights, (units.unit_of, np.arange(len(weights)))), shape=(n_units, len(weights))
    )
    unit_weights = member.sum(axis=1)
    sums = member @ problem.linked
    heard = unit_weights > 0
    several = np.flatnonzero((units.sizes > 1) & heard)
    alone = np.flatnonzero((units.sizes == 1) & heard)
    order = np.concatenate([several, alone])
    others = _others(problem, rng)
    means = sparse.diags_array(1.0 / unit_weights[order]) @ sums[order]
    parts = [means, rows.take(others)]
    points: Any = sparse.vstack(parts, "csr") if sparse.issparse(sums) else np.vstack(parts)
    all_weights = np.concatenate([unit_weights[order], rows.weights[others]])
    mean = rows.mean()
    spread = _spread(points, all_weights, mean)
    return Candidates(points, all_weights, len(several), mean, spread)


def gather_rows(problem: Problem, rng: Rng) -> Candidates:
    """Return rows that centres may begin at, as if no link were known."""
    rows = problem.rows
    taken = rows.sample(ROWS_LOOKED_AT, rng)
    taken = taken[rows.weights[taken] > 0]
    points, weights = rows.take(taken), rows.weights[taken]
    return Candidates(points, weights, 0, rows.mean(), _spread(points, weights, rows.mean()))


def squares_of(points: Any) -> Floats:
    """Return the squared length of each point."""
    own: Floats = (
        points.power(2).sum(axis=1)
        if sparse.issparse(points)
        else (np.einsum("ij,ij->i", points, points))
    )
    return own


def squares_from(points: Any, own: Floats, centres: Floats) -> Floats:
    """Return (p, c): squared distances from centres; equal points are at 0 exactly.

    `own` are the squared lengths of the points.
    """
    whole = own[:, None] + squares_of(centres)
    apart: Floats = whole - 2 * (points @ centres.T)
    apart[apart <= _ROUNDING * whole] = 0.0
    return apart


def dense(points: Any) -> Floats:
    """Return points as an array."""
    array: Floats = points.toarray() if sparse.issparse(points) else points
    return array


def _spread(points: Any, weights: Floats, mean: Floats) -> Floats:
    if sparse.issparse(points):
        squares = weights @ points.power(2)
    else:
        squares = np.einsum("i,ij,ij->j", weights, points, points)
    variance = (squares - 2 * mean * (weights @ points)) / weights.sum() + mean**2
    spread: Floats = np.sqrt(np.maximum(variance, 0.0))
    return spread


def _others(problem: Problem, rng: Rng) -> NDArray[np.int64]:
    """Return rows without links, a sample where there are many."""
    taken = problem.rows.sample(ROWS_LOOKED_AT + len(problem.graph.rows), rng)
    without = taken[~np.isin(taken, problem.graph.rows)]
    return without[problem.rows.weights[without] > 0]
