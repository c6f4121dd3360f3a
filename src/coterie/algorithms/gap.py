"""How far from the best a labelling of the linked rows may be."""

from coterie.algorithms.hmrf import Setting
from coterie.inference import lower_bound
from coterie.model import Result

_ROUNDING = 1e-9


def gap(setting: Setting, result: Result) -> float:
    """Return by how much of itself the energy of the linked rows exceeds a bound from below."""
    penalty, _ = setting.penalties(result.metric)
    energy = setting.energy(result.centres, result.metric, penalty)
    reached = energy.of(result.labels[setting.problem.graph.rows])
    above = reached - lower_bound(energy)
    # Less is what rounding leaves, of ours and of the solver.
    return float(above / abs(reached)) if above > _ROUNDING * abs(reached) else 0.0
