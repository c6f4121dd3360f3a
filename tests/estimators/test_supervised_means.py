"""Centres from the links alone."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from coterie import Constraints, SupervisedMeans
from estimators.methods import chains
from problems import blobs


@pytest.fixture
def rows_and_blobs(rng):
    return blobs(rng, apart=3.0)


def test_centres_are_the_means_of_neighbourhoods_and_rows_go_to_the_nearest(rows_and_blobs):
    X, blob = rows_and_blobs

    model = SupervisedMeans(3, random_state=0).fit(X, constraints=chains(blob))

    means = [X[np.flatnonzero(blob == b)[:3]].mean(axis=0) for b in range(3)]
    by_first = np.lexsort(model.cluster_centers_.T)
    assert_allclose(
        model.cluster_centers_[by_first], np.array(means)[np.lexsort(np.transpose(means))]
    )
    distances = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    assert_array_equal(model.labels_, distances.argmin(axis=1))
    assert model.objective_ == pytest.approx(distances.min(axis=1).sum())
    assert model.n_iter_ == 1


def test_neighbourhoods_weigh_their_rows(rows_and_blobs):
    X, _ = rows_and_blobs
    weight = np.arange(1.0, len(X) + 1)

    model = SupervisedMeans(1).fit(X, constraints=([(0, 1), (1, 2)], []), sample_weight=weight)

    assert_allclose(model.cluster_centers_[0], np.average(X[:3], axis=0, weights=[1, 2, 3]))


@pytest.mark.parametrize(
    ("links", "found"),
    [
        (([(0, 1)], []), 1),
        (([(0, 1), (2, 3)], [(0, 2)]), 2),
        (([], [(0, 2)]), 0),
    ],
)
def test_too_few_neighbourhoods_are_said_once(rows_and_blobs, links, found):
    X, _ = rows_and_blobs
    text = rf"Must-links make fewer neighbourhoods \({found}\) than n_clusters=3"

    with pytest.warns(UserWarning, match=text) as said:
        SupervisedMeans(3, random_state=0).fit(X, constraints=links)

    assert len(said) == 1


@pytest.mark.parametrize("links", [None, ([], []), Constraints()])
def test_no_links_need_no_warning(rows_and_blobs, links):
    X, _ = rows_and_blobs

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SupervisedMeans(3, random_state=0).fit(X, constraints=links)

    assert model.cluster_centers_.shape == (3, 2)


def test_cannot_linked_neighbourhoods_are_different_centres(rows_and_blobs):
    X, _ = rows_and_blobs
    links = ([(0, 1), (2, 3), (4, 5)], [(0, 2), (2, 4), (0, 4)])

    model = SupervisedMeans(3, random_state=0).fit(X, constraints=links)

    means = (X[[0, 2, 4]] + X[[1, 3, 5]]) / 2
    distances = ((model.cluster_centers_[:, None] - means) ** 2).sum(axis=2)
    assert sorted(distances.argmin(axis=0)) == [0, 1, 2]
    assert_allclose(distances.min(axis=0), 0.0, atol=1e-20)
