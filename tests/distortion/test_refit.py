import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import reference_mpck as paper
from coterie.distortion import Diagonal, Full, Identity
from distortion.situations import (
    LEARNED,
    OF_SPARSE_ROWS,
    Situation,
    evidence_of,
    farthest_pairs,
    matrices,
    means,
    moments_of,
    name_of,
    random_metric,
    random_situation,
)

seeds = st.integers(0, 2**32 - 1)
every_learned = pytest.mark.parametrize("distortion", LEARNED, ids=name_of)


def refit(distortion, s, metric, pairs, **options):
    moments = moments_of(distortion, s.X, s.labels, s.k)
    pairs = pairs if distortion.per_cluster else pairs[:1]
    evidence = evidence_of(s.X, s.labels, s.k, s.must, s.cannot, pairs, **options)
    return distortion.refit(moments, s.centres, evidence, metric)


def eq7(distortion, s, pairs):
    return paper.eq7(
        *(s.X, s.labels, s.centres, pairs, s.must, s.cannot),
        shared=not distortion.per_cluster,
        diagonal=isinstance(distortion, Diagonal),
    )


@every_learned
@given(seed=seeds)
@settings(max_examples=15)
def test_refit_is_equation_7_of_the_paper(distortion, seed):
    rng = np.random.default_rng(seed)
    s = random_situation(rng)
    metric = random_metric(rng, distortion, s.k, s.X.shape[1])
    pairs = farthest_pairs(s.X, metric, s.k)

    fresh, events = refit(distortion, s, metric, pairs)

    assert not events
    assert_allclose(matrices(fresh, s.k), eq7(distortion, s, pairs), rtol=1e-8, atol=1e-10)


@every_learned
def test_equation_7_is_where_equation_6_is_least(rng, distortion):
    s = random_situation(rng, n=15, m=6)
    shape = (s.k, s.X.shape[1])
    pairs = farthest_pairs(s.X, random_metric(rng, distortion, *shape), s.k)

    metrics = eq7(distortion, s, pairs)

    least = paper.eq6(s.X, s.labels, s.centres, metrics, s.must, s.cannot, pairs)
    for _ in range(10):
        off = matrices(random_metric(rng, distortion, *shape), s.k)
        near = [A + 0.05 * B for A, B in zip(metrics, off, strict=True)]
        assert paper.eq6(s.X, s.labels, s.centres, near, s.must, s.cannot, pairs) > least
        near = [0.95 * A for A in metrics]
        assert paper.eq6(s.X, s.labels, s.centres, near, s.must, s.cannot, pairs) > least


@pytest.mark.parametrize("distortion", OF_SPARSE_ROWS, ids=name_of)
def test_sparse_differences_teach_what_dense_ones_teach(rng, distortion):
    s = random_situation(rng)
    metric = random_metric(rng, distortion, s.k, s.X.shape[1])
    pairs = farthest_pairs(s.X, metric, s.k)

    thin, _ = refit(distortion, s, metric, pairs, as_sparse=True)

    assert_allclose(thin, refit(distortion, s, metric, pairs)[0], rtol=1e-12)


def test_the_identity_learns_nothing(rng):
    s, metric = random_situation(rng), Identity().start(3, 3)

    fresh, events = refit(Identity(), s, metric, farthest_pairs(s.X, metric, s.k))

    assert_array_equal(fresh, metric)
    assert not events


def without_links(X, labels, k):
    return Situation(X, labels, means(X, labels, k), [], [])


def conditioned(S, share):
    """Return the metric of the sum S, conditioned as the paper says."""
    return np.linalg.inv(S + share * np.trace(S) * np.eye(len(S)))


@every_learned
def test_a_constant_column_is_conditioned(rng, distortion):
    s = random_situation(rng, n=30, d=3)
    X = np.hstack([s.X, np.full((30, 1), 0.1)])
    s = without_links(X, s.labels, s.k)
    metric = distortion.start(s.k, 4)

    fresh, events = refit(distortion, s, metric, farthest_pairs(X, metric, s.k))

    assert events == {"conditioned": distortion.n_metrics(s.k)}
    groups = [s.labels == h for h in range(s.k)] if distortion.per_cluster else [s.labels >= 0]
    residual = X - s.centres[s.labels]
    for ours, mine in zip(matrices(fresh, len(fresh)), groups, strict=True):
        S = residual[mine].T @ residual[mine] / mine.sum()
        S = np.diag(S.diagonal()) if isinstance(distortion, Diagonal) else S
        assert_allclose(ours, conditioned(S, distortion.conditioning), rtol=1e-6, atol=1e-9)


def test_fewer_rows_than_features_are_conditioned_under_a_full_metric(rng):
    X, labels = rng.standard_normal((8, 6)), np.repeat([0, 1], 4)
    s = without_links(X, labels, 2)
    distortion = Full(per_cluster=True)
    metric = distortion.start(2, 6)

    fresh, events = refit(distortion, s, metric, farthest_pairs(X, metric, 2))

    assert events == {"conditioned": 2}
    S = np.cov(X[:4].T, bias=True)
    assert_allclose(fresh[0], conditioned(S, distortion.conditioning), rtol=1e-6, atol=1e-6)


@every_learned
def test_equal_rows_have_nothing_to_teach(distortion):
    s = without_links(np.full((6, 2), 0.3), np.arange(6) % 2, 2)
    metric = 2.5 * distortion.start(2, 2)

    fresh, events = refit(distortion, s, metric, farthest_pairs(s.X, metric, 2))

    assert events == {"conditioned": distortion.n_metrics(2)}
    assert_array_equal(fresh, metric)


def negative_situation():
    """Return rows of one cluster, whose cannot-link is long where the farthest pair is not."""
    X = np.array([[-9.0, 0.0], [9.0, 0.0], [0.0, -4.0], [0.0, 4.0], [1.0, 1.0], [-1.0, 0.5]])
    labels = np.zeros(6, dtype=int)
    return Situation(X, labels, means(X, labels, 1), [], [(2, 3, 50.0)])


@pytest.mark.parametrize("share", [1e-3, 0.1])
@pytest.mark.parametrize("per_cluster", [False, True])
@pytest.mark.parametrize("kind", [Diagonal, Full])
def test_a_negative_sum_is_projected_to_the_cone(kind, per_cluster, share):
    s, distortion = negative_situation(), kind(per_cluster, share)
    metric = distortion.start(1, 2)
    pairs = farthest_pairs(s.X, metric, 1)

    fresh, events = refit(distortion, s, metric, pairs)

    assert events == {"projected": 1}
    negative, positive = np.linalg.eigvalsh(eq7(distortion, s, pairs)[0])
    assert negative < 0
    # What was positive stays, what was negative is a share of its size, within what there is.
    lowest, highest = sorted([positive, min(-share * negative, positive)])
    assert_allclose(np.linalg.eigvalsh(matrices(fresh, 1)[0]), [lowest, highest])


@every_learned
def test_units_of_the_columns_do_not_matter_where_nothing_is_singular(rng, distortion):
    X, labels = rng.standard_normal((40, 3)), np.arange(40) % 2
    units = np.array([1e6, 1.0, 1e-3])
    metric = distortion.start(2, 3)
    plain, scaled = (without_links(rows, labels, 2) for rows in (X, X * units))

    found, events = refit(distortion, plain, metric, farthest_pairs(X, metric, 2))
    again, _ = refit(distortion, scaled, metric, farthest_pairs(X * units, metric, 2))

    assert not events
    back = np.outer(units, units) if found.ndim == 3 else units**2
    assert_allclose(again * back, found, rtol=1e-6, atol=1e-9)


@given(seed=seeds, weight=st.floats(1.0, 1e6), n=st.integers(3, 10), d=st.integers(1, 4))
@settings(max_examples=40)
def test_the_metric_is_positive_definite_whatever_the_links_say(seed, weight, n, d):
    rng = np.random.default_rng(seed)
    s = random_situation(rng, n=n, d=d, k=2, m=5, weight=weight)
    for distortion in LEARNED:
        metric = distortion.start(2, d)

        fresh, _ = refit(distortion, s, metric, farthest_pairs(s.X, metric, 2))

        for A in matrices(fresh, len(fresh)):
            values = np.linalg.eigvalsh(A)
            assert np.isfinite(values).all()
            assert (values > 0).all()


@pytest.mark.parametrize("kind", [Diagonal, Full])
def test_a_cluster_without_rows_keeps_its_metric(rng, kind):
    s, distortion = random_situation(rng, k=2), kind(per_cluster=True)
    centres = np.vstack([s.centres, np.ones(3)])
    metric = random_metric(rng, distortion, 3, 3)
    pairs = farthest_pairs(s.X, metric, 3)

    fresh, _ = refit(distortion, s._replace(centres=centres), metric, pairs)

    assert_array_equal(fresh[2], metric[2])
    assert not np.allclose(fresh[:2], metric[:2])
