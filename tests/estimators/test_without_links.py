"""Without links, and from the same start, every method is the k-means it descends from."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from coterie import ConstrainedKMeans, Constraints, MPCKMeans, PCKMeans, SeededKMeans
from estimators.methods import CENTRES, COSINE, LEARNING, PAIRWISE, chains, each, without
from problems import blobs

PLAIN = {name: CENTRES[name] for name in ("PCKMeans", "MPCKMeans identity", "HMRFKMeans constant")}


@pytest.fixture
def rows_and_blobs(rng):
    return blobs(rng, n=120, d=3, k=4, apart=1.5)


def lloyd(X, centres):
    return KMeans(len(centres), init=centres, n_init=1, tol=0, algorithm="lloyd").fit(X)


def means(X, blob, length=3):
    """Return where `chains` let centres begin."""
    return np.stack([X[np.flatnonzero(blob == b)[:length]].mean(axis=0) for b in np.unique(blob)])


@each(PLAIN)
def test_weightless_links_leave_k_means_from_where_they_begin(rows_and_blobs, method):
    X, blob = rows_and_blobs
    links = Constraints(chains(blob).must_link)
    model = method(4, link_weight=0.0, init="neighbourhoods", n_init=1, tol=0, random_state=0)

    model.fit(X, constraints=links)

    reference = lloyd(X, means(X, blob))
    order = ((model.cluster_centers_[:, None] - reference.cluster_centers_) ** 2).sum(2).argmin(1)
    assert_array_equal(order[model.labels_], reference.labels_)
    assert_allclose(model.cluster_centers_, reference.cluster_centers_[order])
    assert model.objective_ == pytest.approx(reference.inertia_)


@pytest.mark.parametrize("weights", [None, "random"])
def test_seeds_are_where_k_means_begins(rng, rows_and_blobs, weights):
    X, blob = rows_and_blobs
    y = np.where(np.arange(len(X)) < 30, blob, -1)
    weight = None if weights is None else rng.integers(1, 4, size=len(X)).astype(float)

    model = SeededKMeans(4, tol=0).fit(X, y, sample_weight=weight)

    seeded = np.ones(30) if weight is None else weight[:30]
    begin = np.stack(
        [
            np.average(X[:30][blob[:30] == b], axis=0, weights=seeded[blob[:30] == b])
            for b in range(4)
        ]
    )
    reference = KMeans(4, init=begin, n_init=1, tol=0).fit(X, sample_weight=weight)
    assert_array_equal(model.labels_, reference.labels_)
    assert_allclose(model.cluster_centers_, reference.cluster_centers_)
    assert model.objective_ == pytest.approx(reference.inertia_)


@pytest.mark.parametrize("method", [PCKMeans(5), MPCKMeans(5, metric="identity")])
@pytest.mark.parametrize("apart", [1.0, 3.0])
def test_the_objective_is_as_low_as_that_of_k_means(rng, method, apart):
    ratios = []
    for start in range(5):
        X, _ = blobs(rng, n=300, d=4, k=5, apart=apart)
        ours = method.set_params(random_state=start).fit(X).objective_
        ratios.append(ours / KMeans(5, n_init=5, random_state=start).fit(X).inertia_)

    assert np.mean(ratios) <= 1.03


@each(without(CENTRES, LEARNING | COSINE))
def test_the_objective_is_the_squared_distance_from_the_centres(rows_and_blobs, method):
    X, _ = rows_and_blobs

    model = method(4, random_state=0).fit(X)

    inertia = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert model.objective_ == pytest.approx(inertia)
    assert model.objective_history_[-1] == model.objective_


@each(PAIRWISE)
def test_blobs_that_lie_far_apart_are_found(rng, method):
    X, blob = blobs(rng, n=120, d=3, k=4, apart=60.0)

    labels = method(4, random_state=0).fit_predict(X)

    assert adjusted_rand_score(blob, labels) == 1.0


def test_rows_that_are_labelled_keep_their_label(rng, rows_and_blobs):
    X, _ = rows_and_blobs
    y = np.where(rng.random(len(X)) < 0.4, rng.integers(4, size=len(X)), -1)

    model = ConstrainedKMeans(4, random_state=0).fit(X, y)

    assert_array_equal(model.labels_[y >= 0], y[y >= 0])
