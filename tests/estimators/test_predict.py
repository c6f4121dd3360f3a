"""predict, transform and score answer for new rows as the fit did for its own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

import coterie
from coterie import MPCKMeans
from coterie.estimators import base
from estimators.methods import ALL, CENTRES, COSINE, chains, each, without
from problems import blobs

# Under metrics of their own, the nearest centre need not be that of the least cost: the log of
# the determinant counts too.
SHARED = {name: method for name, method in ALL.items() if " M-" not in name}


@pytest.fixture
def rows_and_links(rng):
    X, blob = blobs(rng, n=90, d=3, apart=2.0)
    return X, chains(blob)


@each(ALL)
def test_without_links_the_training_rows_get_their_labels_again(rows_and_links, method):
    X, _ = rows_and_links

    model = method(3, random_state=0).fit(X)

    assert_array_equal(model.predict(X), model.labels_)
    assert_array_equal(method(3, random_state=0).fit_predict(X), model.labels_)


@each(ALL)
def test_rows_without_links_get_their_labels_again(rows_and_links, method):
    X, links = rows_and_links
    free = np.setdiff1d(np.arange(len(X)), links.closure().rows)
    model = method(3, random_state=0).fit(X, constraints=links)

    labels = model.predict(X)

    assert_array_equal(labels[free], model.labels_[free])


@each(ALL)
def test_a_row_is_labelled_alike_alone_and_in_company(rows_and_links, method):
    X, links = rows_and_links
    model = method(3, random_state=0).fit(X, constraints=links)

    alone = np.concatenate([model.predict(X[i : i + 1]) for i in range(20)])

    assert_array_equal(alone, model.predict(X)[:20])


@each(ALL)
def test_distances_are_never_negative_and_zero_at_the_centres(rows_and_links, method):
    X, links = rows_and_links
    model = method(3, random_state=0).fit(X, constraints=links)

    distances = model.transform(X)

    assert distances.shape == (len(X), 3)
    assert (distances >= 0).all()
    if hasattr(model, "cluster_centers_"):
        at_centres = model.transform(model.cluster_centers_).diagonal()
        assert_allclose(at_centres, 0.0, atol=1e-5)


@each(SHARED)
def test_the_nearest_centre_is_the_one_that_is_predicted(rows_and_links, method):
    X, links = rows_and_links
    model = method(3, random_state=0).fit(X, constraints=links)

    nearest = model.transform(X).argmin(axis=1)

    assert_array_equal(nearest, model.predict(X))


@each({name: CENTRES[name] for name in ("MPCKMeans S-D", "MPCKMeans M-D")})
def test_distances_under_diagonal_metrics(rows_and_links, method):
    X, links = rows_and_links
    model = method(3, random_state=0).fit(X, constraints=links)
    metrics = np.broadcast_to(model.metrics_, (3, 3))

    distances = model.transform(X)

    steps = X[:, None] - model.cluster_centers_
    assert_allclose(distances**2, (metrics * steps**2).sum(axis=2), rtol=1e-8)


@each({name: CENTRES[name] for name in ("MPCKMeans S-F", "MPCKMeans M-F")})
def test_distances_under_full_metrics(rows_and_links, method):
    X, links = rows_and_links
    model = method(3, random_state=0).fit(X, constraints=links)
    metrics = np.broadcast_to(model.metrics_, (3, 3, 3))

    distances = model.transform(X)

    steps = X[:, None] - model.cluster_centers_
    assert_allclose(distances**2, np.einsum("ikd,kde,ike->ik", steps, metrics, steps), rtol=1e-8)


@each(CENTRES)
def test_score_is_minus_the_objective_without_links(rows_and_links, method):
    X, _ = rows_and_links
    model = method(3, random_state=0).fit(X)

    assert model.score(X) == pytest.approx(-model.objective_, rel=1e-6)


@each(CENTRES)
def test_score_counts_rows_by_their_weight(rng, rows_and_links, method):
    X, _ = rows_and_links
    weights = rng.integers(0, 4, size=len(X))
    model = method(3, random_state=0).fit(X)

    assert model.score(X, sample_weight=weights) == pytest.approx(
        model.score(np.repeat(X, weights, axis=0))
    )


@each(without(ALL, COSINE))
def test_score_is_higher_near_the_centres(rows_and_links, method):
    X, links = rows_and_links
    model = method(3, random_state=0).fit(X, constraints=links)

    assert model.score(X) > model.score(X + 100.0)


@each(ALL)
@pytest.mark.parametrize("ask", ["predict", "transform", "score"])
def test_an_unfitted_model_says_so(rows_and_links, method, ask):
    X, _ = rows_and_links

    with pytest.raises(NotFittedError):
        getattr(method(3), ask)(X)


@each(ALL)
def test_rows_of_another_width_are_refused(rows_and_links, method):
    X, _ = rows_and_links
    model = method(3, random_state=0).fit(X)

    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3"):
        model.predict(X[:, :2])
    assert model.n_features_in_ == 3


def test_a_learned_space_is_where_the_clusterer_measures(rows_and_links):
    X, links = rows_and_links
    model = coterie.LearnedMetricKMeans(n_clusters=3, random_state=0).fit(X, constraints=links)

    image = model.learner_.transform(X)

    assert_array_equal(model.transform(X), model.clusterer_.transform(image))
    assert model.score(X) == model.clusterer_.score(image)


def test_many_rows_are_measured_in_blocks_as_few_are_at_once(rng, monkeypatch):
    X, blob = blobs(rng, n=50)
    model = MPCKMeans(3, metric="full", random_state=0).fit(X, constraints=chains(blob))
    weight = rng.random(50)
    at_once = model.transform(X), model.score(X, sample_weight=weight)

    monkeypatch.setattr(base, "_BLOCK", 7)

    assert_allclose(model.transform(X), at_once[0])
    assert model.score(X, sample_weight=weight) == pytest.approx(at_once[1])
