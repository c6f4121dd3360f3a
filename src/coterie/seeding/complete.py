"""Begin at labelled rows, and where labels are missing by k-means++."""

import numpy as np
from scipy import sparse

from coterie._types import Floats, Labels, Rng
from coterie.model import Problem
from coterie.seeding.base import Candidates
from coterie.seeding.plusplus import PlusPlus


def complete(problem: Problem, candidates: Candidates, known: Labels, rng: Rng) -> Floats:
    """Return the mean of the rows of each `known` label, and k-means++ centres for the rest."""
    k = problem.n_clusters
    rows = np.flatnonzero(known >= 0)
    weights = problem.rows.weights[rows]
    member = sparse.csr_array((weights, (known[rows], np.arange(len(rows)))), shape=(k, len(rows)))
    counts = member.sum(axis=1)
    sums = member @ problem.rows.take(rows)
    sums = sums.toarray() if sparse.issparse(sums) else sums
    seen = counts > 0
    given = sums[seen] / counts[seen, None]
    centres = np.empty((k, problem.rows.n_features))
    grown = PlusPlus().seed(candidates, k, rng, given)
    centres[seen], centres[~seen] = grown[: len(given)], grown[len(given) :]
    return centres
