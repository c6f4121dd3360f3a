import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from coterie import Constraints
from coterie.engines import SparseRows
from coterie.model import LinkGraph, Problem
from coterie.seeding import complete, gather
from problems import blobs, problem_of

NONE = Constraints()


def known_of(labels, n_known):
    """Return the first labels, and -1 for those that are not known."""
    known = np.full(len(labels), -1, dtype=np.int32)
    known[:n_known] = labels[:n_known]
    return known


def test_known_labels_begin_at_their_weighted_means(rng):
    X, blob = blobs(rng, n=30)
    weight = rng.random(30)
    known = known_of(blob, 20)
    problem = problem_of(X, NONE, 3, weight)

    centres = complete(problem, gather(problem, rng), known, rng)

    means = [
        np.average(X[known == c], axis=0, weights=weight[known == c]) - X.mean(axis=0)
        for c in range(3)
    ]
    assert_allclose(centres, means)


def test_labels_that_nobody_gave_begin_at_rows_that_lie_elsewhere(rng):
    X = np.repeat([[0.0], [100.0], [200.0], [300.0]], 5, axis=0) + rng.random((20, 1))
    known = np.full(20, -1, dtype=np.int32)
    known[:3], known[10:12] = 1, 3
    problem = problem_of(X, NONE, 4)

    centres = complete(problem, gather(problem, rng), known, rng) + X.mean(axis=0)

    assert_allclose(centres[[1, 3]], [X[:3].mean(axis=0), X[10:12].mean(axis=0)])
    assert sorted(np.floor(centres[[0, 2], 0] / 100).tolist()) == [1.0, 3.0]
    assert np.isin(np.round(centres[[0, 2]], 9), np.round(X, 9)).all()


def test_a_label_of_no_weight_is_not_known(rng):
    X, blob = blobs(rng, n=30)
    weight = np.where(blob == 2, 0.0, 1.0)
    problem = problem_of(X, NONE, 3, weight)

    centres = complete(problem, gather(problem, rng), blob.astype(np.int32), rng)

    assert np.isfinite(centres).all()
    assert_allclose(centres[0], X[blob == 0].mean(axis=0) - X.mean(axis=0))
    spots = X - X.mean(axis=0)
    assert (np.abs(spots[blob != 2] - centres[2]).max(axis=1) < 1e-9).any()


def test_without_labels_every_centre_is_drawn(rng, seed):
    X, _ = blobs(rng, n=30)
    problem = problem_of(X, NONE, 3)
    nothing = np.full(30, -1, dtype=np.int32)
    candidates = gather(problem, rng)

    one, two = (
        complete(problem, candidates, nothing, np.random.default_rng(seed)) for _ in range(2)
    )

    assert_array_equal(one, two)
    spots = np.round(X - X.mean(axis=0), 9).tolist()
    assert all(centre in spots for centre in np.round(one, 9).tolist())
    assert len(np.unique(one, axis=0)) == 3


@pytest.mark.parametrize("n_known", [0, 4, 30])
def test_sparse_rows_begin_where_dense_ones_do(rng, seed, n_known):
    X, blob = blobs(rng, n=30)
    known = known_of(blob, n_known)
    dense = problem_of(X, NONE, 3)
    thin = Problem(SparseRows(sparse.csr_array(X)), LinkGraph.of(NONE, NONE), 3)

    ours, theirs = (
        complete(problem, gather(problem, rng), known, np.random.default_rng(seed))
        for problem in (thin, dense)
    )

    assert_allclose(ours, theirs + X.mean(axis=0), atol=1e-9)
