"""RCA as a transformer: must-links in, a space to measure in out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from coterie import RCA, Constraints
from metric_learning.test_rca import by_loop
from problems import blobs


@pytest.fixture
def rows_and_blobs(rng):
    X, blob = blobs(rng, n=80, d=3)
    return X @ rng.normal(size=(3, 3)), blob


@pytest.fixture
def links(rows_and_blobs):
    return Constraints.from_groups(rows_and_blobs[1])


def test_without_shrinkage_neighbourhoods_become_round(rows_and_blobs, links):
    X, blob = rows_and_blobs

    image = RCA(shrinkage=0).fit(X, constraints=links).transform(X)

    assert_allclose(by_loop(image, blob), np.eye(3), atol=1e-10)


def test_must_links_count_by_neighbourhood(rows_and_blobs, links):
    X, _ = rows_and_blobs
    chain = RCA().fit(X, constraints=links)

    everything = RCA().fit(X, constraints=links.closure().entailed())

    assert_allclose(everything.components_, chain.components_)


def test_rows_without_must_links_and_cannot_links_say_nothing(rng, rows_and_blobs):
    X, blob = rows_and_blobs
    spoken = Constraints.from_groups(np.where(np.arange(len(X)) < 50, blob, -1))
    components = RCA().fit(X, constraints=spoken).components_
    X[50:] = 1e3 * rng.normal(size=(30, 3))

    louder = spoken | Constraints(cannot_link=[(51, 52)])

    assert_array_equal(RCA().fit(X, constraints=louder).components_, components)


@pytest.mark.parametrize("links", [None, ([], []), ([], [(0, 1)])])
def test_without_must_links_the_space_stays_as_it_is(rows_and_blobs, links):
    X, _ = rows_and_blobs

    model = RCA().fit(X, constraints=links)

    assert_array_equal(model.transform(X), X)
    assert model.shrinkage_ == 1.0


def test_full_shrinkage_is_one_unit_for_all_features(rows_and_blobs, links):
    X, _ = rows_and_blobs

    components = RCA(shrinkage=1.0).fit(X, constraints=links).components_

    assert_allclose(components, components[0, 0] * np.eye(3), atol=1e-12)


def test_distances_in_the_space_are_the_learned_distances(rows_and_blobs, links):
    X, _ = rows_and_blobs
    model = RCA().fit(X, constraints=links)

    step, image = X[0] - X[1], model.transform(X[:2])

    assert ((image[0] - image[1]) ** 2).sum() == pytest.approx(
        step @ model.get_mahalanobis_matrix() @ step
    )


def test_too_few_links_for_the_published_method_are_said(rows_and_blobs):
    X, _ = rows_and_blobs

    with pytest.warns(UserWarning, match="2 independent must-linked rows do not span 3 features"):
        model = RCA(shrinkage=0).fit(X, constraints=([(0, 1), (2, 3)], []))

    assert np.isfinite(model.components_).all()
    assert model.shrinkage_ == 0.01


def test_few_links_shrink_by_themselves(rows_and_blobs):
    X, _ = rows_and_blobs

    model = RCA().fit(X, constraints=([(0, 1), (2, 3)], []))

    assert model.shrinkage_ > 0.1


def test_equal_rows_say_nothing_of_directions(rows_and_blobs):
    X, _ = rows_and_blobs
    X[[1, 3]] = X[[0, 2]]

    model = RCA(shrinkage=0).fit(X, constraints=([(0, 1), (2, 3)], []))

    assert_array_equal(model.components_, np.eye(3))


@pytest.mark.parametrize("shrinkage", [-0.1, 1.1, "none", True, None])
def test_shrinkage_that_makes_no_sense_is_refused(rows_and_blobs, shrinkage):
    X, _ = rows_and_blobs

    with pytest.raises(ValueError, match="RCA: shrinkage must be 'auto', or a number from"):
        RCA(shrinkage=shrinkage).fit(X)
