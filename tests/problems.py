"""Small random problems that several rooms are tested on."""

from itertools import product

import numpy as np

from coterie import Constraints
from coterie.engines import DenseRows
from coterie.model import Energy, LinkGraph, Problem


def blobs(rng, n=60, d=2, k=3, apart=6.0):
    """Return rows around `k` middles that lie about `apart` from each other, and their blobs."""
    blob = rng.permutation(np.arange(n) % k)
    middles = apart * rng.standard_normal((k, d))
    return middles[blob] + rng.standard_normal((n, d)), blob


def random_constraints(rng, n, m, *, weights=True, hard=0, blob=None, wrong=0.0):
    """Return `m` distinct links between `n` rows, the first `hard` of them of infinite weight.

    They say what the labels `blob` say (three random clusters where none are given), so all can
    hold at once; but of the soft ones about a share `wrong` says the opposite. Weights are 0.5,
    1, ..., 3, so that there are ties, or all 1.
    """
    blob = rng.integers(3, size=n) if blob is None else blob
    pairs = np.column_stack(np.triu_indices(n, 1))
    pairs = pairs[rng.choice(len(pairs), size=m, replace=False)]
    weight = rng.integers(1, 7, size=m) / 2 if weights else np.ones(m)
    weight[:hard] = np.inf
    turned = (rng.random(m) < wrong) & np.isfinite(weight)
    must = (blob[pairs[:, 0]] == blob[pairs[:, 1]]) != turned
    return Constraints(
        pairs[must],
        pairs[~must],
        must_link_weights=weight[must],
        cannot_link_weights=weight[~must],
        n_samples=n,
    )


def random_energy(rng, n=6, m=8, k=3, *, per_cluster=False, hard=0, wrong=0.3):
    """Return the energy of `m` links between `n` rows, hard links priced.

    With `per_cluster` each cluster has a penalty of its own. Use few rows and clusters where
    all labellings are to be tried.
    """
    blob = rng.integers(k, size=n)
    links = random_constraints(rng, n, m, hard=hard, blob=blob, wrong=wrong)
    graph = LinkGraph.of(links, links)
    unary = rng.random((len(graph.rows), k)) * 3
    shape = (len(graph.pairs), k if per_cluster else 1)
    weights = np.where(graph.hard, 0.0, graph.weights)[:, None]
    return Energy.build(graph, unary, weights * rng.uniform(0.2, 1.0, size=shape))


def random_labels(rng, energy, unplaced=0.0):
    """Return labels of the linked rows; a share `unplaced` of them is -1."""
    n, k = energy.unary.shape
    labels = rng.integers(k, size=n).astype(np.int32)
    labels[rng.random(n) < unplaced] = -1
    return labels


def all_labellings(n, k):
    """Return every way to label `n` rows with `k` clusters, one a row."""
    return np.array(list(product(range(k), repeat=n)), dtype=np.int32).reshape(-1, n)


def problem_of(X, constraints, k, sample_weight=None):
    """Return the problem of these rows and links, the links taken as given."""
    rows = DenseRows(np.ascontiguousarray(X, dtype=np.float64), sample_weight=sample_weight)
    return Problem(rows, LinkGraph.of(constraints, constraints), k)


def random_problem(rng, n=60, d=2, k=3, m=20, *, hard=0, wrong=0.0):
    """Return blobs, links that know them, and the problem of both."""
    X, blob = blobs(rng, n, d, k)
    links = random_constraints(rng, n, m, hard=hard, blob=blob, wrong=wrong)
    return X, links, problem_of(X, links, k)
