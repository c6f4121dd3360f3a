"""A row of weight w is w equal rows; one of weight 0 is none."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from coterie import Constraints, SupervisedMeans
from estimators.methods import PAIRWISE, chains, each
from problems import blobs

# Starts drawn by k-means++ differ between weighted and repeated rows: all begin at the links.
BEGIN_AT_LINKS = {
    name: method for name, method in PAIRWISE.items() if not name.startswith("MKMeans")
}


@pytest.fixture
def rows_and_links(rng):
    X, blob = blobs(rng, d=3, apart=2.0)
    return X, Constraints(chains(blob).must_link, n_samples=len(X))


def begun_at_links(method, X, links, **params):
    model = method(3, init="neighbourhoods", n_init=1, link_weight=10.0, tol=0, random_state=0)
    return model.fit(X, constraints=links, **params)


@each(BEGIN_AT_LINKS)
def test_weights_are_repetitions(rng, rows_and_links, method):
    X, links = rows_and_links
    weight = rng.integers(1, 4, size=len(X))
    weight[np.unique(links.must_link)] = 1
    row = np.repeat(np.arange(len(X)), weight)
    first = np.searchsorted(row, np.arange(len(X)))

    weighted = begun_at_links(method, X, links, sample_weight=weight)
    repeated = begun_at_links(method, X[row], (first[links.must_link], []))

    assert_array_equal(weighted.labels_[row], repeated.labels_)
    assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_)
    assert weighted.objective_ == pytest.approx(repeated.objective_)


@each(BEGIN_AT_LINKS)
def test_rows_of_zero_weight_move_nothing(rng, rows_and_links, method):
    X, links = rows_and_links
    with_outliers = np.vstack([X, 30.0 + rng.normal(size=(5, 3))])
    weight = np.r_[np.ones(len(X)), np.zeros(5)]
    longer = links._bound(len(with_outliers))

    weighted = begun_at_links(method, with_outliers, longer, sample_weight=weight)
    without = begun_at_links(method, X, links)

    assert_array_equal(weighted.labels_[: len(X)], without.labels_)
    assert_allclose(weighted.cluster_centers_, without.cluster_centers_)
    assert weighted.objective_ == pytest.approx(without.objective_)


@pytest.mark.filterwarnings("ignore:1 cannot-link joins:UserWarning")
@each(BEGIN_AT_LINKS)
def test_rows_of_zero_weight_make_no_broken_link_dearer(rows_and_links, method):
    X, links = rows_and_links
    a, b = links.must_link[0]
    together = Constraints([(a, b)], [(a, b)], must_link_weights=np.inf) | links
    far = np.vstack([X, np.full(3, 300.0)])
    weight = np.r_[np.ones(len(X)), 0.0]

    weighted = begun_at_links(method, far, together._bound(len(far)), sample_weight=weight)
    without = begun_at_links(method, X, together)

    assert without.links_.given.violated.cannot_link.tolist() == [[a, b]]
    assert weighted.objective_ == pytest.approx(without.objective_)


@each(PAIRWISE)
def test_equal_weights_are_no_weights(rows_and_links, method):
    X, _ = rows_and_links

    plain = method(3, n_init=1, random_state=0).fit(X)
    weighted = method(3, n_init=1, random_state=0).fit(X, sample_weight=np.ones(len(X)))

    assert_array_equal(weighted.labels_, plain.labels_)
    assert weighted.objective_ == pytest.approx(plain.objective_)


@each(PAIRWISE)
def test_twice_the_weight_is_twice_the_objective(rows_and_links, method):
    X, _ = rows_and_links

    once = method(3, random_state=0).fit(X, sample_weight=np.ones(len(X)))
    twice = method(3, random_state=0).fit(X, sample_weight=np.full(len(X), 2.0))

    assert_array_equal(twice.labels_, once.labels_)
    assert twice.objective_ == pytest.approx(2 * once.objective_)


def test_linked_rows_of_zero_weight_are_labelled_all_the_same(rows_and_links):
    X, links = rows_and_links
    weight = np.ones(len(X))
    weight[np.unique(links.must_link)] = 0.0

    with pytest.warns(UserWarning, match=r"fewer neighbourhoods \(0\)"):
        model = SupervisedMeans(3, random_state=0).fit(X, constraints=links, sample_weight=weight)

    assert set(model.labels_) <= {0, 1, 2}
    assert np.isfinite(model.cluster_centers_).all()


@each(PAIRWISE)
@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (np.ones(59), r"one number for each of the 60 rows; got shape \(59,\)"),
        (np.ones((60, 1)), r"one number for each of the 60 rows; got shape \(60, 1\)"),
        (np.full(60, np.nan), "sample_weight contains NaN"),
    ],
)
def test_weights_that_make_no_sense_are_refused(rows_and_links, method, weight, sentence):
    X, _ = rows_and_links

    with pytest.raises(ValueError, match=sentence):
        method(3).fit(X, sample_weight=weight)
