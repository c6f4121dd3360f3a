"""Several starts of the one loop; the lowest objective is kept."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.optimize import linear_sum_assignment

from coterie._errors import InfeasibleError
from coterie._types import Floats, Labels, Rng
from coterie.algorithms import hmrf
from coterie.constraints import Constraints
from coterie.difficulty import is_feasible
from coterie.engines import one_blas_thread
from coterie.model import Problem, Result
from coterie.seeding import SEEDING, AbstractSeeding, Candidates, gather, gather_rows


@one_blas_thread()
def best_of(
    setting: hmrf.Setting,
    constraints: Constraints,
    *,
    init: str,
    n_init: int,
    max_iter: int,
    tol: float,
    rng: Rng,
) -> Result:
    """Return the best of `n_init` starts: fewest broken hard links, then lowest objective.

    `init` is a name in SEEDING, "auto", or "rows": k-means++ that knows of no links.

    Raises
    ------
    InfeasibleError
        When the hard links cannot all hold with so many clusters.
    """
    problem = setting.problem
    colours = _colours(constraints.hard, problem)

    def descend(centres: Floats, chance: Rng) -> Result:
        go = partial(hmrf.run, setting, centres, max_iter=max_iter, tol=tol, rng=chance)
        result = go()
        if result.n_broken_hard and colours is not None:
            # Greedy placement got stuck where a labelling is known: begin at that one.
            result = go(linked=_placed(setting, colours, centres))
        return result

    first, *others = _seeds(setting, init, n_init, rng)
    best = descend(*first)
    for other in others:  # the labels of millions of rows take room: keep those of one
        best = min(best, descend(*other), key=_rank)
    return best


def _seeds(setting: hmrf.Setting, init: str, n_init: int, rng: Rng) -> list[tuple[Floats, Rng]]:
    """Return the centres that each start begins at, and its own source of chance.

    So more starts begin with those that fewer had.
    """
    problem = setting.problem
    candidates = gather_rows(problem, rng) if init == "rows" else gather(problem, rng)
    if not setting.distortion.squared:
        candidates = candidates._replace(costs=setting.seeding_costs)
    seedings = _seedings(init, n_init, candidates)
    return [
        (setting.admit(seeding.seed(candidates, problem.n_clusters, chance)), chance)
        for seeding, chance in zip(seedings, rng.spawn(n_init), strict=True)
    ]


def _rank(result: Result) -> tuple[int, float]:
    return result.n_broken_hard, result.objective


def _seedings(init: str, n_init: int, candidates: Candidates) -> Iterator[AbstractSeeding]:
    """Yield how each start is seeded; "auto" takes turns where there are neighbourhoods."""
    for start in range(n_init):
        how = "k-means++" if init == "rows" else init
        if init == "auto":
            first = start == 0 and candidates.n_neighbourhoods > 0
            how = "neighbourhoods" if first else "k-means++"
        yield SEEDING[how]()


def _colours(hard: Constraints, problem: Problem) -> Labels | None:
    """Return labels of the linked rows that keep all hard links, -1 where there is none.

    None where no such labelling was found, or none is needed.
    """
    if not hard.n_cannot_link:
        return None
    found = is_feasible(hard, problem.n_clusters)
    if found.answer is False:
        raise InfeasibleError(
            f"The hard links cannot all hold with {problem.n_clusters} clusters: rows "
            f"{', '.join(str(row) for row in found.rows[:8])} must differ in more ways than that. "
            "Ask for more clusters, or give some of these links a finite weight.",
            rows=list(found.rows),
            n_clusters=problem.n_clusters,
        )
    if found.labels is None:
        return None
    colours = np.full(len(problem.graph.rows), -1, dtype=np.int32)
    colours[np.searchsorted(problem.graph.rows, hard.closure().rows)] = found.labels
    return colours


def _placed(setting: hmrf.Setting, colours: Labels, centres: Floats) -> Labels:
    """Return the colours, each as the cluster that suits its rows best."""
    k = setting.problem.n_clusters
    metric = setting.distortion.start(k, centres.shape[1])
    each = setting.distortion.costs(setting.problem.linked, centres, metric)
    cost = np.array([each[colours == colour].sum(axis=0) for colour in range(k)])
    cluster = linear_sum_assignment(cost)[1].astype(np.int32)
    placed: Labels = np.where(colours >= 0, cluster[colours], np.int32(-1))
    return placed
