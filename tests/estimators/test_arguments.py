"""What is handed over wrongly is answered in plain words."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import adjusted_rand_score

from coterie import RCA, Constraints, LearnedMetricKMeans, MPCKMeans, PCKMeans, SeededKMeans
from coterie.estimators.arguments import in_range
from estimators.methods import HEEDING, each
from problems import blobs

LINKS = Constraints(must_link=[(0, 1)], n_samples=30)


@pytest.fixture
def rows(rng):
    return blobs(rng, n=30)


@pytest.mark.parametrize(
    "model", [PCKMeans(3), MPCKMeans(3), SeededKMeans(3), RCA(), LearnedMetricKMeans(n_clusters=3)]
)
def test_links_in_the_place_of_y_are_refused(rows, model):
    with pytest.raises(TypeError, match=r"Give links by name: fit\(X, constraints=links\)"):
        model.fit(rows[0], LINKS)


def test_links_in_the_place_of_y_are_refused_by_fit_predict_too(rows):
    with pytest.raises(TypeError, match="Give links by name"):
        PCKMeans(3).fit_predict(rows[0], LINKS)


def test_fit_predict_hears_the_labels_of_methods_that_learn_from_labels(rows):
    X, blob = rows

    found = SeededKMeans(3).fit_predict(X, blob)

    assert_array_equal(found, SeededKMeans(3).fit(X, blob).labels_)
    assert (found == blob).mean() > 0.9  # clusters are numbered as the classes are


@each(HEEDING)
@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_rows_whose_squares_no_number_holds_are_refused(rows, method, scale):
    with pytest.raises(ValueError, match=r"The largest number in X is .* Scale X"):
        method(3).fit(scale * rows[0])


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_float32_that_cannot_hold_the_squares_of_its_numbers_is_widened(rng, scale):
    X, blob = blobs(rng, n=30, apart=50.0)
    narrow = (scale * X).astype(np.float32)

    found = PCKMeans(3, random_state=0).fit(narrow)

    assert in_range(narrow).dtype == np.float64
    assert in_range(X.astype(np.float32)).dtype == np.float32
    assert adjusted_rand_score(blob, found.labels_) == 1.0
    assert_array_equal(found.predict(narrow), found.labels_)


def test_weights_that_add_up_to_more_than_there_is_are_refused(rows):
    with pytest.raises(ValueError, match=r"the links weigh .* in all, which is more than"):
        PCKMeans(3, link_weight=1.7e308).fit(rows[0], constraints=LINKS)


@pytest.mark.parametrize("random_state", [-1, 2**32, True, 0.5, np.random.default_rng(0)])
def test_a_source_of_chance_is_a_seed_or_a_random_state(rows, random_state):
    with pytest.raises(ValueError, match=r"random_state must be None, a whole number from 0"):
        PCKMeans(3, random_state=random_state).fit(rows[0])
