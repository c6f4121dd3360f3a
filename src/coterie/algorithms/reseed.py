"""A new start for clusters that lost all their rows."""

import numpy as np
from numpy.typing import NDArray

from coterie._types import Floats, Labels
from coterie.distortion import AbstractDistortion, Moments
from coterie.model import Problem

_BLOCK = 1 << 14
_SLACK = 1e-9  # what the objective may rise by rounding


def reseed(
    problem: Problem,
    distortion: AbstractDistortion,
    labels: Labels,
    moments: Moments,
    centres: Floats,
    metric: Floats,
) -> tuple[Moments, Floats, Floats, int]:
    """Give each empty cluster the unlinked row that lies farthest from its own centre.

    Only rows that leave company behind are taken, and only where they lie off their centre and
    the objective falls; a cluster that finds none stays empty, with the centre that it had. The
    row takes along the metric of the cluster that it leaves. Returns the new moments, centres
    and metric, and how many clusters were filled.
    """
    free = np.ones(problem.rows.n_rows, dtype=bool)
    free[problem.graph.rows] = False
    free &= problem.rows.weights > 0
    candidates = np.flatnonzero(free)
    costs = np.concatenate(
        [
            _own_costs(
                problem, distortion, candidates[start : start + _BLOCK], labels, centres, metric
            )
            for start in range(0, len(candidates), _BLOCK)
        ]
        or [np.empty(0)]
    )

    def cost(moments: Moments, centres: Floats, metric: Floats) -> float:
        return distortion.total(distortion.smooth(moments, problem.mean), centres, metric)

    company = np.bincount(labels[candidates], minlength=len(moments.counts))
    now, n_filled = cost(moments, centres, metric), 0
    order = iter(np.argsort(-costs, kind="stable"))
    for h in np.flatnonzero(moments.counts == 0):
        for place in order:
            row = candidates[place : place + 1]
            old = labels[row[0]]
            if costs[place] <= 0.0:
                break
            if company[old] < 2:
                continue
            x = problem.rows.take(row)
            weight = problem.rows.weights[row[0]] * distortion.loudness(x, metric)[0]
            x = x.toarray() if hasattr(x, "toarray") else x
            counts, sums, second = (part.copy() for part in moments)
            there, own = centres.copy(), metric.copy()
            there[h] = distortion.admit(x, problem.mean)[0]
            counts[[old, h]] += -weight, weight
            sums[h] += weight * x[0]
            sums[old] -= weight * x[0]
            if distortion.per_cluster:
                own[h] = metric[old]
                outer = weight * _moment(x[0], second.ndim)
                second[h] += outer
                second[old] -= outer
            then = cost(Moments(counts, sums, second), there, own)
            if then > now + _SLACK * abs(now):
                break  # no row is worth a cluster with a prior of its own
            moments, centres, metric, now = Moments(counts, sums, second), there, own, then
            company[old] -= 1
            labels[row[0]] = h
            n_filled += 1
            break
    return moments, centres, metric, n_filled


def _own_costs(
    problem: Problem,
    distortion: AbstractDistortion,
    rows: NDArray[np.int64],
    labels: Labels,
    centres: Floats,
    metric: Floats,
) -> Floats:
    """Return how far each row lies from its centre, without what log det adds."""
    costs = distortion.costs(problem.rows.take(rows), centres, metric)
    least = distortion.costs(centres, centres, metric).diagonal()
    own = labels[rows]
    far: Floats = problem.rows.weights[rows] * (costs[np.arange(len(rows)), own] - least[own])
    return far


def _moment(x: Floats, ndim: int) -> Floats:
    return x**2 if ndim == 2 else np.outer(x, x)
