import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from coterie import Constraints
from coterie.algorithms import hmrf
from coterie.algorithms.reseed import reseed
from coterie.distortion import Diagonal, Full, Identity, Moments
from coterie.engines import SparseRows
from coterie.inference import ICM
from coterie.model import LinkGraph, Problem
from problems import problem_of

ALL = [Identity(), Diagonal(), Diagonal(True), Full(), Full(True)]
distortions = pytest.mark.parametrize("distortion", ALL, ids=repr)


def moments_of(problem, distortion, labels):
    """Return the moments of these labels, added up afresh."""
    rows, weights = problem.rows.take(np.arange(len(labels))), problem.rows.weights
    rows = rows.toarray() if sparse.issparse(rows) else rows
    member = np.where(np.arange(problem.n_clusters)[:, None] == labels, weights, 0.0)
    second = distortion.second(rows, sparse.csr_array(member))
    if not distortion.per_cluster:
        second = second.sum(axis=0, keepdims=True)
    return Moments(member.sum(axis=1), member @ rows, second)


def emptied(rng, distortion, links=None, k=5, weight=None):
    """Return rows in the first two of k clusters; the others have lost theirs."""
    X = rng.standard_normal((20, 2))
    links = Constraints(n_samples=20) if links is None else links
    problem = problem_of(X, links, k, weight)
    labels = (np.arange(20) % 2).astype(np.int32)
    centres = rng.standard_normal((k, 2))
    metric = distortion.start(k, 2) * rng.uniform(0.5, 2.0)
    return problem, labels, centres, metric


def fill(problem, distortion, labels, centres, metric):
    now = labels.copy()
    moments = moments_of(problem, distortion, labels)
    return now, *reseed(problem, distortion, now, moments, centres, metric)


@distortions
def test_each_empty_cluster_gets_the_row_farthest_from_its_own_centre(rng, distortion):
    problem, labels, centres, metric = emptied(rng, distortion)

    now, _, fresh, _, n_filled = fill(problem, distortion, labels, centres, metric)

    costs = distortion.costs(problem.rows.take(np.arange(20)), centres, metric)
    farthest = np.argsort(-costs[np.arange(20), labels])[:3]
    assert n_filled == 3
    assert_array_equal(now[farthest], [2, 3, 4])
    assert_array_equal(np.delete(now, farthest), np.delete(labels, farthest))
    assert_array_equal(fresh[2:], problem.rows.take(farthest))
    assert_array_equal(fresh[:2], centres[:2])


@distortions
def test_moments_stay_those_of_the_labels(rng, distortion):
    weight = rng.uniform(0.5, 2.0, size=20)
    problem, labels, centres, metric = emptied(rng, distortion, weight=weight)

    now, moments, *_ = fill(problem, distortion, labels, centres, metric)

    for ours, theirs in zip(moments, moments_of(problem, distortion, now), strict=True):
        assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@distortions
def test_the_objective_falls_whatever_metrics_the_empty_clusters_had(rng, distortion):
    problem, labels, centres, metric = emptied(rng, distortion)
    if distortion.per_cluster:
        metric *= np.array([5.0, 2.0, 1e-40, 1e-40, 1e-40]).reshape(-1, *[1] * (metric.ndim - 1))
    before = distortion.total(moments_of(problem, distortion, labels), centres, metric)

    _, moments, fresh, own, _ = fill(problem, distortion, labels, centres, metric)

    assert distortion.total(moments, fresh, own) < before


def test_linked_rows_and_rows_without_weight_stay(rng):
    links = Constraints(cannot_link=[(0, 1), (2, 3)], n_samples=20)
    weight = np.ones(20)
    weight[4:16] = 0.0
    problem, labels, centres, metric = emptied(rng, Identity(), links, weight=weight)

    now, _, _, _, n_filled = fill(problem, Identity(), labels, centres, metric)

    assert n_filled == 2  # of the rows 16 to 19, one of each cluster must stay
    assert_array_equal(now[:16], labels[:16])


def test_equal_rows_leave_a_cluster_empty():
    problem = problem_of(np.ones((6, 2)), Constraints(n_samples=6), 3)
    labels, centres = np.zeros(6, dtype=np.int32), np.zeros((3, 2))

    now, moments, fresh, _, n_filled = fill(
        problem, Identity(), labels, centres, Identity().start(3, 2)
    )

    assert n_filled == 0
    assert_array_equal(now, labels)
    assert_array_equal(moments.counts, [6, 0, 0])
    assert_array_equal(fresh, centres)


def test_sparse_rows_fill_the_clusters_that_dense_rows_fill(rng):
    distortion = Diagonal(per_cluster=True)
    X = rng.standard_normal((20, 3)) * (rng.random((20, 3)) < 0.6)
    links = Constraints(n_samples=20)
    labels = (np.arange(20) % 2).astype(np.int32)
    thin = Problem(SparseRows(sparse.csr_array(X)), LinkGraph.of(links, links), 4)
    dense = problem_of(X, links, 4)
    centres, metric = rng.standard_normal((4, 3)), distortion.start(4, 3)

    ours, moments, *_ = fill(thin, distortion, labels, centres, metric)

    theirs = fill(dense, distortion, labels, centres - dense.rows.shift, metric)[0]
    assert_array_equal(ours, theirs)
    assert_allclose(moments.second, moments_of(thin, distortion, ours).second, atol=1e-12)


@distortions
def test_no_cluster_ends_empty_where_rows_differ(rng, distortion):
    X = rng.standard_normal((30, 2))
    problem = problem_of(X, Constraints(must_link=[(0, 1)], n_samples=30), 4)
    away = np.full((4, 2), 100.0)
    away[0] = 0.0  # all rows are nearest to the first centre

    setting = hmrf.Setting(problem, distortion, ICM(), scaled=distortion.learns)
    result = hmrf.run(setting, away, max_iter=50, tol=0.0, rng=rng)

    assert result.events["reseeded"] >= 3
    assert set(result.labels) == {0, 1, 2, 3}
    assert np.isfinite(result.centres).all()
