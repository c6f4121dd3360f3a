"""The metric that is learned: its shape, its use, and the two readings of MK-Means."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from coterie import Constraints, MKMeans, MPCKMeans
from estimators.methods import LEARNING, chains, each
from problems import blobs, random_constraints


@pytest.fixture
def rows_and_links(rng):
    X, blob = blobs(rng, d=4, apart=2.0)
    return X, chains(blob)


@pytest.mark.parametrize("method", [MPCKMeans, MKMeans])
@pytest.mark.parametrize(
    ("metric", "per_cluster", "shape"),
    [
        ("diagonal", False, (4,)),
        ("diagonal", True, (3, 4)),
        ("full", False, (4, 4)),
        ("full", True, (3, 4, 4)),
    ],
)
def test_shapes(rows_and_links, method, metric, per_cluster, shape):
    X, links = rows_and_links
    model = method(3, metric=metric, per_cluster=per_cluster, random_state=0)

    model.fit(X, constraints=links)

    assert model.metrics_.shape == shape


@pytest.mark.parametrize("per_cluster", [False, True])
def test_nothing_to_learn_is_a_metric_of_ones(rows_and_links, per_cluster):
    X, links = rows_and_links
    model = MPCKMeans(3, metric="identity", per_cluster=per_cluster, random_state=0)

    model.fit(X, constraints=links)

    assert model.metrics_.tolist() == [1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("k", [1, 3])
def test_one_cluster_of_its_own_metric_keeps_the_leading_axis(rows_and_links, k):
    X, _ = rows_and_links

    model = MPCKMeans(k, per_cluster=True, random_state=0).fit(X)

    assert model.metrics_.shape == (k, 4)


@each(LEARNING)
def test_metrics_are_positive_and_symmetric(rng, method):
    X, blob = blobs(rng, d=4, apart=1.0)
    links = random_constraints(rng, len(X), 60, blob=blob, wrong=0.2)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        metrics = method(3, random_state=0).fit(X, constraints=links).metrics_

    if {"full", "mahalanobis"} & {*method.keywords.values()}:
        np.testing.assert_allclose(metrics, np.swapaxes(metrics, -1, -2))
        metrics = np.linalg.eigvalsh(metrics)
    assert (metrics > 0).all()


def test_without_links_the_metric_is_the_inverse_of_the_spread(rows_and_links):
    X, _ = rows_and_links

    diagonal = MPCKMeans(3, tol=0, random_state=0).fit(X)
    full = MPCKMeans(3, metric="full", tol=0, random_state=0).fit(X)

    for model in (diagonal, full):
        steps = X - model.cluster_centers_[model.labels_]
        spread = steps.T @ steps / len(X)
        wanted = 1 / spread.diagonal() if model is diagonal else np.linalg.inv(spread)
        np.testing.assert_allclose(model.metrics_, wanted, rtol=1e-6)


@each(LEARNING)
def test_features_of_another_scale_change_nothing(rng, method):
    X, blob = blobs(rng, n=90, d=3, apart=8.0)
    links = chains(blob)
    plain = method(3, random_state=0).fit(X, constraints=links).labels_

    scaled = method(3, random_state=0).fit(X * [1.0, 4.0, 0.5], constraints=links).labels_

    assert adjusted_rand_score(plain, scaled) == 1.0


def test_the_farthest_pair_is_exact_where_there_are_few_rows(rows_and_links):
    X, links = rows_and_links
    model = MPCKMeans(3, random_state=0)

    assert model.fit(X, constraints=links).farthest_pair_ == "exact"
    assert model.fit(X, constraints=(links.must_link, [])).farthest_pair_ == "unused"


def test_mk_means_lets_rows_go_to_their_nearest_centre(rng):
    X, blob = blobs(rng, apart=6.0)
    a, b = np.flatnonzero(blob == 0)[0], np.flatnonzero(blob == 1)[0]
    links = Constraints([(a, b)], must_link_weights=1e6)

    model = MKMeans(3, random_state=0).fit(X, constraints=links)

    np.testing.assert_array_equal(model.labels_, model.predict(X))


def test_mk_means_that_heeds_links_keeps_heavy_ones(rng):
    X, blob = blobs(rng, apart=6.0)
    a, b = np.flatnonzero(blob == 0)[0], np.flatnonzero(blob == 1)[0]
    links = Constraints([(a, b)], must_link_weights=1e6)

    model = MKMeans(3, constrained_assignment=True, random_state=0).fit(X, constraints=links)

    assert model.links_.given.rate == 1.0


def test_mk_means_says_why_hard_links_are_broken(rng):
    X, _ = blobs(rng)
    labels = MKMeans(3, random_state=0).fit(X).labels_
    a, b = np.flatnonzero(labels == 0)[0], np.flatnonzero(labels == 1)[0]
    links = Constraints([(a, b)], must_link_weights=np.inf)

    with pytest.warns(ConvergenceWarning, match="1 hard link is broken: .* nearest centre"):
        MKMeans(3, random_state=0).fit(X, constraints=links)


def test_mk_means_learns_from_broken_links(rng):
    X, blob = blobs(rng, n=90, d=2, apart=4.0)
    links = random_constraints(rng, len(X), 120, blob=rng.permutation(blob))
    deaf = MKMeans(3, closure=False, link_weight=0.0, random_state=0).fit(X, constraints=links)

    taught = MKMeans(3, closure=False, random_state=0).fit(X, constraints=links)

    assert not np.allclose(taught.metrics_, deaf.metrics_, rtol=0.01)


def test_mk_means_does_not_begin_at_links():
    assert "init" not in MKMeans().get_params()


def test_mk_means_begins_as_if_no_link_were_known():
    # Two rows of each blob, and all else near the third blob: only links tell where the others are.
    X = np.concatenate([[[0.0], [0.1], [50.0], [50.1]], np.linspace(99, 101, 200)[:, None]])
    links = Constraints(must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)], n_samples=len(X))

    told = MKMeans(3, n_init=1, max_iter=1, link_weight=0.0, random_state=0)
    untold = MKMeans(3, n_init=1, max_iter=1, random_state=0)

    told.fit(X, constraints=links)
    untold.fit(X)
    np.testing.assert_array_equal(told.labels_, untold.labels_)
