"""The LP relaxation, rounded (Kleinberg & Tardos, 1999; Bilenko & Basu, 2004, section 3.3)."""

from collections import Counter
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple, final

import numpy as np
from scipy.optimize import linprog

from coterie._types import Floats, Labels, Rng
from coterie._validate import check_params, real, whole
from coterie.engines.threads import patient
from coterie.inference.base import AbstractInference
from coterie.inference.peeled import Peeled
from coterie.inference.program import Program, Span, spans
from coterie.model import Energy

_WHOLE = 1e-6  # a node with no more than this of other labels has one label
_ROUNDS = 100  # iterations of messages whose bound may spare a program
_CLOSE = 1e-9  # where energy and bound differ by less than this share, both are known


@final
@dataclass(frozen=True, slots=True)
class LinearProgram(AbstractInference):
    """Let rows belong to several clusters in part, solve that exactly, and round what is found.

    Rows that the solution gives to one cluster go there. The others are rounded as Kleinberg and
    Tardos do: draw a label and a threshold, give the label to all rows that still wait and have
    more of it than the threshold, until none waits; and once by their largest parts. From there
    rows move one by one while they gain. Parts of the graph that no links join are programs of
    their own, and each keeps the best labels found, those it was given among them.

    Parameters
    ----------
    n_roundings : int
        How many times rows are rounded at random.
    time_limit : float
        Seconds for all programs of one call. Rows whose program has no solution by then keep
        their labels, but move while they gain. Where that happened, "time limit" is counted.
        Ctrl-C comes through at once, but the solver does not hear it: it runs in the background
        until it is done or this time is over, or until the process ends.
    n_threads : int
        Programs are shared among these. The labels are the same for any number. `HMRFKMeans`
        sets it, from `n_jobs`.
    """

    n_roundings: int = 10
    time_limit: float = 60.0
    n_threads: int = 1

    def __post_init__(self) -> None:
        check_params(
            self,
            n_roundings=whole(at_least=0),
            time_limit=real(at_least=0),
            n_threads=whole(at_least=1),
        )

    def infer(
        self, energy: Energy, labels: Labels, rng: Rng, events: Counter[str] | None = None
    ) -> Labels:
        if energy.unary.shape[1] == 1:
            return np.zeros_like(labels)
        peeled = Peeled.of(energy)
        given = peeled.start(labels)
        settled = peeled.settled(given)
        best = peeled.better((given, peeled.energies(given)), settled)
        solutions = _solutions(
            peeled, spans(peeled), perf_counter() + self.time_limit, self.n_threads, events
        )
        y = np.eye(energy.unary.shape[1])[settled[0]]
        for (first, last), solution in solutions.items():
            y[peeled.core.starts[first] : peeled.core.starts[last]] = solution.y
        rounded = y.argmax(axis=1).astype(np.int32)
        best = peeled.better(best, peeled.settled(rounded))
        torn = np.flatnonzero(y.max(axis=1) < 1.0 - _WHOLE)
        for _ in range(self.n_roundings if len(torn) else 0):
            rounded[torn] = round_at_random(y[torn], rng)
            best = peeled.better(best, peeled.settled(rounded))
        return peeled.labels(best[0], labels)


def round_at_random(y: Floats, rng: Rng) -> Labels:
    """Return a label of each row, each with the chance that is its part of the row.

    Rows that have much in common mostly get the same (Kleinberg & Tardos, 1999, section 2).
    """
    labels = np.empty(len(y), dtype=np.int32)
    waiting = np.arange(len(y))
    while len(waiting):
        label, threshold = rng.integers(y.shape[1]), rng.random()
        takes = y[waiting, label] > threshold
        labels[waiting[takes]] = label
        waiting = waiting[~takes]
    return labels


def lower_bound(
    energy: Energy,
    *,
    time_limit: float = 60.0,
    n_threads: int = 1,
    events: Counter[str] | None = None,
) -> float:
    """Return the value of the LP relaxation of the whole energy: no labels cost less.

    A solver stops a little short of the value, or beyond it; of its answer only what it proves
    counts. So the bound holds to rounding, and may be a little less than the value.

    Trees are solved exactly. Where messages prove that labels cost as little as any can, their
    energy is the value; elsewhere the program is solved. Where there is no time for that, what
    messages prove is a weaker bound, and "time limit" is counted.
    """
    deadline = perf_counter() + time_limit
    peeled = Peeled.of(energy)
    labels = np.full(len(peeled.core.nodes), -1, dtype=np.int32)
    energies, bounds, _ = peeled.converse(
        labels,
        reweighted=True,
        damping=0.0,
        max_iter=_ROUNDS,
        tol=_CLOSE,
        patience=_ROUNDS,
        n_threads=n_threads,
        deadline=deadline,
    )
    bounds = np.minimum(bounds, energies)
    open_ = energies - bounds > _CLOSE * peeled.sizes(labels, energies)
    unsolved = [span for span in spans(peeled) if open_[slice(*span)].any()]
    total = float(bounds.sum())
    solutions = _solutions(peeled, unsolved, deadline, n_threads, events)
    for span, solution in solutions.items():
        proved, reached = bounds[slice(*span)].sum(), energies[slice(*span)].sum()
        total += max(min(solution.bound, reached) - proved, 0.0)
    return peeled.rest + total


class _Solution(NamedTuple):
    y: Floats  # (n, k)
    bound: float


def _solutions(
    peeled: Peeled,
    asked: list[Span],
    deadline: float,
    n_threads: int,
    events: Counter[str] | None,
) -> dict[Span, _Solution]:
    """Solve the programs of these components, those that there is time for."""
    k = peeled.unary.shape[1]

    def solve(span: Span) -> _Solution | None:
        if perf_counter() >= deadline:
            return None
        program = Program.of(peeled, *span)
        found = linprog(
            program.cost / program.scale,
            A_ub=program.rows,
            b_ub=program.most,
            A_eq=program.sums,
            b_eq=np.ones(program.n_nodes),
            bounds=(0.0, 1.0),
            method="highs-ipm" if program.dense else "highs-ds",
            options={"time_limit": max(deadline - perf_counter(), 1e-3)},
        )
        if found.status != 0:
            return None
        y = found.x[: program.n_nodes * k].reshape(-1, k)
        return _Solution(y, program.bound(found.ineqlin.marginals * program.scale))

    found = zip(asked, patient(solve, asked, n_threads), strict=True)
    solutions = {span: solution for span, solution in found if solution is not None}
    if len(solutions) < len(asked) and events is not None:
        events["time limit" if perf_counter() >= deadline else "program not solved"] += 1
    return solutions
