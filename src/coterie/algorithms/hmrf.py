"""The one loop: label the rows, move the centres, fit the metric, until nothing is gained."""

import logging
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from coterie._types import Floats, Labels, Rng
from coterie.algorithms.apart import Apart
from coterie.algorithms.farthest import Farthest, FarthestPairs
from coterie.algorithms.reseed import reseed
from coterie.distortion import AbstractDistortion, Assigned, Evidence, Moments
from coterie.engines import Sums, one_blas_thread
from coterie.inference import AbstractInference
from coterie.model import Energy, Problem, Result

logger = logging.getLogger(__name__)

_PATIENCE = 3  # iterations that may pass after a rise before the best state is taken


@dataclass(frozen=True)
class Setting:
    """A problem, and the parts of the method that is to solve it."""

    problem: Problem
    distortion: AbstractDistortion
    inference: AbstractInference
    scaled: bool  # penalties grow with distance as in Eq. 4 and 5, or are the bare weights of Eq. 1
    link_weight: float = 1.0  # what every weight is multiplied by

    @cached_property
    def totals(self) -> Floats:
        return self.distortion.totals(self.problem.rows)

    @cached_property
    def farthest(self) -> FarthestPairs | None:
        graph = self.problem.graph
        if not self.scaled or graph.must.all():
            return None
        cannot = Apart(self.distortion, self.problem.linked, graph.pairs[~graph.must])
        # Of the same rows in every start, whatever the seed of the start.
        return FarthestPairs(self.distortion, self.problem.rows, cannot, np.random.default_rng(0))

    @cached_property
    def apart(self) -> Apart:
        """How the ends of each link lie."""
        return Apart(self.distortion, self.problem.linked, self.problem.graph.pairs)

    @cached_property
    def weights(self) -> Floats:
        """Weights of the links, 0 for hard ones: they are priced by the energy."""
        weights = self.problem.graph.weights
        return self.link_weight * np.where(np.isinf(weights), 0.0, weights)

    def penalties(self, metric: Floats) -> tuple[Floats, Farthest]:
        """Return what broken links cost under `metric` (see Energy), and the farthest pairs."""
        graph, weights = self.problem.graph, self.weights[:, None]
        none = Farthest(np.zeros((len(metric), self.apart.width)), np.zeros(len(metric)))
        if not self.scaled:
            return np.where(graph.must[:, None], weights / 2, weights), none
        gaps = self.apart.gaps(metric)
        pairs = none
        if self.farthest is not None:
            pairs = self.farthest.find(metric, gaps[~graph.must])
        apart = np.maximum(pairs.gaps - gaps, 0.0)
        return weights * np.where(graph.must[:, None], gaps / 2, apart), pairs

    def link_costs(self, labels: Labels, metric: Floats) -> Floats:
        """Return what each link adds to the objective under these labels of all rows."""
        graph, linked = self.problem.graph, labels[self.problem.graph.rows]
        unary = np.zeros((len(linked), self.problem.n_clusters))
        costs = Energy(graph, unary, self.penalties(metric)[0]).costs(linked)
        return np.where(graph.hard & graph.broken(linked), np.inf, costs)

    def n_broken_hard(self, linked: Labels) -> int:
        """Return how many hard links these labels of the linked rows break."""
        graph = self.problem.graph
        return int(np.count_nonzero(graph.broken(linked) & graph.hard))

    def moments(self, swept: Sums, linked: Labels, metric: Floats) -> Moments:
        """Return the moments of all rows: those that were swept, and the linked ones."""
        problem, k = self.problem, self.problem.n_clusters
        rows = problem.linked
        weights = problem.linked_weights * self.distortion.loudness(rows, metric)
        member = sparse.csr_array(
            (weights, (linked, np.arange(len(linked)))), shape=(k, len(linked))
        )
        sums = member @ rows
        second = self.totals
        if self.distortion.per_cluster:
            assert swept.second is not None  # the rule of such a distortion asks for it
            second = swept.second + self.distortion.second(rows, member)
        return Moments(
            swept.counts + member.sum(axis=1),
            swept.sums + (sums.toarray() if sparse.issparse(sums) else sums),
            second,
        )

    def energy(self, centres: Floats, metric: Floats, penalty: Floats) -> Energy:
        unary = self.distortion.costs(self.problem.linked, centres, metric)
        if (self.problem.linked_weights != 1.0).any():
            unary *= self.problem.linked_weights[:, None]
        return Energy.build(self.problem.graph, unary, penalty)

    def evidence(self, linked: Labels, pairs: Farthest) -> Evidence:
        """Return what the broken links say of the metrics (Eq. 7)."""
        graph, k = self.problem.graph, self.problem.n_clusters
        broken = graph.broken(linked) & ~graph.hard
        must, cannot = np.flatnonzero(broken & graph.must), np.flatnonzero(broken & ~graph.must)
        a, b = linked[graph.pairs[:, 0]], linked[graph.pairs[:, 1]]
        links = np.concatenate([must, must, cannot])
        halves, wholes = self.weights[must] / 2, self.weights[cannot]
        clusters = np.concatenate([a[must], b[must], a[cannot]]).astype(np.int64)
        weights = np.bincount(a[cannot], weights=wholes, minlength=k).astype(np.float64)
        if not self.scaled:
            links, clusters, weights = links[:0], clusters[:0], np.zeros(k)
        coefficients = np.concatenate([halves, halves, -wholes])[: len(links)]
        return Evidence(self.apart[links], coefficients, clusters, pairs.apart, weights)

    def admit(self, centres: Floats) -> Floats:
        """Return points as centres that the distortion can work with."""
        return self.distortion.admit(centres, self.problem.mean)

    def seeding_costs(self, rows: Any, points: Floats) -> Floats:
        """Return (l, p): how far rows lie from points that may become centres."""
        metric = self.distortion.start(len(points), points.shape[1])
        return self.distortion.costs(rows, self.admit(points), metric)


class _State(NamedTuple):
    worth: tuple[int, float]  # broken hard links, then the objective: less is better
    centres: Floats
    metric: Floats
    linked: Labels
    penalty: Floats
    n_steps: int  # length of the trace


@one_blas_thread()
def run(
    setting: Setting,
    centres: Floats,
    *,
    max_iter: int,
    tol: float,
    rng: Rng,
    linked: Labels | None = None,
) -> Result:
    """Descend from `centres` to a local minimum of the objective.

    The loop stops when no label changes, or when an iteration gains no more than `tol` of all
    that was gained since the first (which turns raw units into those of the metric, and so gains
    more than all others). Hard links that come to hold, a metric that had to be mended, or a
    farthest pair that changed may raise the objective: that is counted in `events`, and the best
    iteration is what is returned.
    """
    problem, distortion, inference = setting.problem, setting.distortion, setting.inference
    k = problem.n_clusters
    labels = np.full(problem.rows.n_rows, -1, dtype=np.int32)
    if linked is None:
        linked = np.full(len(problem.graph.rows), -1, dtype=np.int32)
    metric = distortion.start(k, problem.rows.n_features)
    penalty, pairs = setting.penalties(metric)
    trace: list[float] = []
    events: Counter[str] = Counter()
    best: _State | None = None
    converged, waited, n_iter, n_broken_before, first = False, 0, 0, 0, np.inf

    def label(centres: Floats, metric: Floats, linked: Labels) -> tuple[Sums, Labels, Energy]:
        rows = distortion.heard(problem.free, metric)
        swept = rows.sweep(distortion.rule(centres, metric), labels)
        energy = setting.energy(centres, metric, penalty)
        found = inference.infer(energy, linked, rng, events)
        if inference.heeds_links:
            found = min(linked, found, key=energy.of)
        return swept, found, energy

    def objective(moments: Moments, energy: Energy, linked: Labels) -> float:
        return distortion.total(moments, centres, metric) + energy.penalties(linked)

    while n_iter < max_iter and not converged:
        n_iter += 1
        swept, found, energy = label(centres, metric, linked)
        n_moved = swept.n_moved + np.count_nonzero(found != linked)
        linked = found
        moments = setting.moments(swept, linked, metric)
        if not moments.counts.all():
            moments, centres, metric, n_seeded = reseed(
                problem, distortion, labels, moments, centres, metric
            )
            penalty, pairs = setting.penalties(metric)
            energy = setting.energy(centres, metric, penalty)
            if n_seeded:
                events["reseeded"] += n_seeded
            n_moved += n_seeded
        moments = distortion.smooth(moments, problem.mean)
        trace.append(objective(moments, energy, linked))
        n_broken = setting.n_broken_hard(linked)
        if _rose(trace):
            if not inference.heeds_links:
                events["links ignored"] += 1
            elif n_broken < n_broken_before:
                events["hard links mended"] += 1
        n_broken_before = n_broken
        centres = distortion.centres(moments, centres)
        trace.append(objective(moments, energy, linked))
        if distortion.learns:
            labels[problem.graph.rows] = linked
            assigned = Assigned(problem.rows, labels)
            evidence = setting.evidence(linked, pairs)
            metric, mended = distortion.refit(moments, centres, evidence, metric, assigned)
            moments = distortion.recount(moments, assigned, metric)
            before = pairs
            penalty, pairs = setting.penalties(metric)
            energy = Energy.build(problem.graph, energy.unary, penalty)
            trace.append(objective(moments, energy, linked))
            events += mended
            if _rose(trace) and not mended and pairs.differ(before):
                events["farthest pair changed"] += 1
        logger.debug("iteration %d: objective %g, %d rows moved", n_iter, trace[-1], n_moved)
        worth = n_broken, trace[-1]
        if best is None or worth <= best.worth:
            if best is None:
                first, gain = trace[-1], np.inf
            else:
                gain = np.inf if n_broken < best.worth[0] else best.worth[1] - trace[-1]
            settled = n_moved == 0 and (distortion.at_once or not distortion.learns)
            converged = bool(settled or gain <= tol * (first - trace[-1]))
            best = _State(worth, centres, metric, linked, penalty, len(trace))
            waited = 0
        else:
            waited += 1
            converged = bool(n_moved == 0 or waited >= _PATIENCE)
    assert best is not None
    if len(trace) > best.n_steps or n_moved or distortion.learns:
        # Labels of the very centres and metric that are returned, so that predict agrees.
        _, centres, metric, linked, penalty, n_steps = best
        del trace[n_steps:]
        swept, linked, energy = label(centres, metric, linked)
        moments = distortion.smooth(setting.moments(swept, linked, metric), problem.mean)
        trace.append(objective(moments, energy, linked))
        if not inference.heeds_links and _rose(trace):
            events["links ignored"] += 1
    labels[problem.graph.rows] = linked
    return Result(
        labels,
        centres,
        metric,
        trace,
        converged,
        n_iter,
        n_broken_hard=setting.n_broken_hard(linked),
        farthest="unused" if setting.farthest is None else setting.farthest.how,
        events=events,
    )


def _rose(trace: list[float]) -> bool:
    slack = 1e-9 * max(1.0, abs(trace[0]))
    return len(trace) > 1 and trace[-1] > trace[-2] + slack
