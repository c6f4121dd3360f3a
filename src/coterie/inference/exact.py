"""The labels of least energy, where they can be found in time."""

from collections import Counter
from dataclasses import dataclass
from time import perf_counter
from typing import final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from coterie._types import Floats, Labels, Rng
from coterie._validate import check_params, real, whole
from coterie.engines.threads import patient
from coterie.inference.base import AbstractInference
from coterie.inference.peeled import SLACK, Peeled
from coterie.inference.program import Program
from coterie.model import Energy

_LABELLINGS = 1 << 15  # as many are tried one by one
_ROUNDS = 100  # iterations of messages, which find labels and may prove them
_MAGNIFIED = 1e3  # what costs are made for a solver to which `_NOTHING` is nothing
_NOTHING = 1e-6
_CLOSE = 1e-6  # labels are proved where no others can cost less by more than this share


@final
@dataclass(frozen=True, slots=True)
class Exact(AbstractInference):
    """Find labels of least energy. The worst case takes time beyond all bounds.

    Trees are solved by messages. Of what loops tie together, each part is labelled by messages
    too, and often they prove their labels; else, if it is small, all its labellings are tried, or
    branch and bound goes over its program.

    Parameters
    ----------
    time_limit : float
        Seconds for one call, or a little more. Parts that are not solved by then get the best
        labels known, and "not proven" is counted. It is counted too where costs differ so much
        in size that the solver's tolerances leave open which labels are best. Ctrl-C comes
        through at once, but the solver does not hear it: it runs in the background until it is
        done or this time is over, or until the process ends.
    n_threads : int
        Parts that no links join are shared among these. The labels are the same for any number.
        `HMRFKMeans` sets it, from `n_jobs`.
    """

    time_limit: float = 60.0
    n_threads: int = 1

    def __post_init__(self) -> None:
        check_params(self, time_limit=real(at_least=0), n_threads=whole(at_least=1))

    def infer(
        self, energy: Energy, labels: Labels, rng: Rng, events: Counter[str] | None = None
    ) -> Labels:
        if energy.unary.shape[1] == 1:
            return np.zeros_like(labels)
        deadline = perf_counter() + self.time_limit
        peeled = Peeled.of(energy)
        starts, k = peeled.core.starts, energy.unary.shape[1]
        found = peeled.start(labels)
        for reweighted, damping in ((False, 0.4), (True, 0.0)):
            energies, bounds, _ = peeled.converse(
                found,
                reweighted=reweighted,
                damping=damping,
                max_iter=_ROUNDS,
                tol=SLACK,
                patience=_ROUNDS // 4,
                n_threads=self.n_threads,
                deadline=deadline,
            )
        sizes = peeled.sizes(found, energies)
        open_ = np.flatnonzero(energies - bounds > SLACK * sizes)
        few = np.diff(starts)[open_] * np.log(k) <= np.log(_LABELLINGS)
        tried, in_time = found.copy(), True
        for c in open_[few].tolist():
            in_time = perf_counter() < deadline
            if not in_time:
                break
            tried[starts[c] : starts[c + 1]] = cheapest(peeled, c)
        many = open_[~few].tolist()
        branched = patient(lambda c: _branch(peeled, c, deadline), many, self.n_threads)
        for c, (of_part, _) in zip(many, branched, strict=True):
            if of_part is not None:
                tried[starts[c] : starts[c + 1]] = of_part
        best = peeled.better((found, energies), (tried, peeled.energies(tried)))
        proved = in_time and all(proved for _, proved in branched)
        if not proved and events is not None:
            events["not proven"] += 1
        return peeled.labels(best[0], labels)


def cheapest(peeled: Peeled, component: int) -> Labels:
    """Return the best of all labellings of a component, the first of several."""
    start, stop = peeled.core.starts[component : component + 2]
    n, k = int(stop - start), peeled.unary.shape[1]
    trials = np.indices((k,) * n, dtype=np.int32).reshape(n, -1)
    best: Labels = trials[:, _costs(peeled, component, trials).argmin()]
    return best


def _costs(peeled: Peeled, component: int, trials: NDArray[np.int32]) -> Floats:
    """Return what labellings of a component cost, one a column."""
    core = peeled.core
    start, n = core.starts[component], len(trials)
    cost: Floats = np.zeros(trials.shape[1])
    for i in range(n):
        cost += peeled.unary[start + i, trials[i]]
    wide = peeled.apart.shape[1] > 1
    for e in range(*core.edge_starts[component : component + 2]):
        a, b = trials[core.pairs[e] - start]
        apart, together = peeled.apart[e], peeled.together[e]
        away = apart[a * wide] + apart[b * wide]
        cost += np.where(a == b, together[a * wide], away)
    return cost


def _branch(peeled: Peeled, component: int, deadline: float) -> tuple[Labels | None, bool]:
    """Return the best labels found of a component, and whether none are better.

    Hard links are rules at first. Only where they cannot all hold do they have a price. What the
    solver calls the best is so for costs that are scaled, and to its tolerances: whether that
    proves anything is seen from what the labels cost, and from its bound.
    """
    k = peeled.unary.shape[1]
    for keep_hard in (True, False):
        left = deadline - perf_counter()
        if left <= 0:
            return None, False
        program = Program.of(peeled, component, component + 1, keep_hard=keep_hard)
        n_y = program.n_nodes * k
        found = milp(
            _MAGNIFIED * (program.cost / program.scale),
            integrality=np.arange(len(program.cost)) < n_y,
            bounds=Bounds(0.0, 1.0),
            constraints=[
                LinearConstraint(program.rows, -np.inf, program.most),
                LinearConstraint(program.sums, 1.0, 1.0),
            ],
            options={"time_limit": left, "mip_rel_gap": 0.0},
        )
        if found.status != 2:
            break
    if found.x is None:
        return None, False
    labels = found.x[:n_y].reshape(-1, k).argmax(axis=1).astype(np.int32)
    if found.status != 0 or found.mip_dual_bound is None:
        return labels, False
    trial = labels[:, None]
    energy = _costs(peeled, component, trial)[0] if keep_hard else program.energy(labels)
    bound = found.mip_dual_bound * (program.scale / _MAGNIFIED) + program.constant
    start, stop = peeled.core.starts[component : component + 2]
    below = np.minimum(np.take_along_axis(peeled.unary[start:stop], trial, axis=1), 0.0).sum()
    close = _CLOSE * (energy - 2.0 * below)
    seen = _NOTHING * program.scale / _MAGNIFIED <= close  # else its bound may be too high
    return labels, bool(seen and abs(energy - bound) <= close)
