"""How far from the best a labelling of the linked rows may be."""

import numpy as np

from coterie.algorithms.hmrf import Setting
from coterie.inference import lower_bound
from coterie.model import Result

_ROUNDING = 1e-9


def gap(setting: Setting, result: Result, n_threads: int) -> float:
    """Return by how much of itself the price of the linked rows exceeds a bound from below.

    The price is what they lie from their centres and what their links cost: an energy without
    normalisers, which may be negative and depend on units. A bound that there was no time to
    finish is counted in the events of `result`.
    """
    distortion, problem = setting.distortion, setting.problem
    penalty, _ = setting.penalties(result.metric)
    energy = setting.energy(result.centres, result.metric, penalty)
    linked = result.labels[problem.graph.rows]
    reached = energy.of(linked)
    itself = distortion.costs(result.centres, result.centres, result.metric).diagonal()
    price = reached - float(problem.linked_weights @ itself[linked])
    above = reached - lower_bound(energy, n_threads=n_threads, events=result.events)
    # Less is what rounding leaves, of ours and of the solver.
    least = _ROUNDING * (price + np.abs(energy.unary).max(axis=1, initial=0.0).sum())
    return float(above / price) if above > least else 0.0
