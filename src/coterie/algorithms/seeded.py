"""K-means that begins at labelled rows, and the assignment that does not go on from there."""

import numpy as np

from coterie._types import Floats, Labels, Rng
from coterie.algorithms import hmrf
from coterie.distortion import Identity, Moments
from coterie.engines import AbstractRows
from coterie.inference import Held
from coterie.model import LinkGraph, Problem, Result


def assign(rows: AbstractRows, centres: Floats) -> Result:
    """Give each row to its nearest centre, once."""
    identity, metric = Identity(), np.ones((1, rows.n_features))
    labels = np.full(rows.n_rows, -1, dtype=np.int32)
    swept = rows.sweep(identity.rule(centres, metric), labels)
    moments = Moments(swept.counts, swept.sums, identity.totals(rows))
    objective = identity.total(moments, centres, metric)
    return Result(labels, centres, metric, [objective], converged=True, n_iter=1)


def run(
    rows: AbstractRows,
    centres: Floats,
    known: Labels,
    *,
    keep: bool,
    max_iter: int,
    tol: float,
    rng: Rng,
) -> Result:
    """Descend from `centres` by plain k-means; rows of `known` label (not -1) may `keep` it."""
    kept = np.flatnonzero(known >= 0) if keep else np.empty(0, dtype=np.int64)
    problem = Problem(rows, LinkGraph.empty(kept.astype(np.int64)), len(centres))
    setting = hmrf.Setting(problem, Identity(), Held(known[kept]), scaled=False)
    return hmrf.run(setting, centres, max_iter=max_iter, tol=tol, rng=rng)
