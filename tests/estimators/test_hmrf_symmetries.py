"""What must not matter to HMRFKMeans: units, orders, threads, how rows and weights are given."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from coterie import Constraints, HMRFKMeans
from estimators.methods import (
    INFERENCES,
    MEASURES,
    POSITIVE,
    SQUARES,
    beams,
    chains,
    each,
    variants,
)
from problems import random_constraints

ALL = MEASURES | POSITIVE
METHODS = variants(ALL)
CONTRADICT = pytest.mark.filterwarnings("ignore:.* rows that must-links hold:UserWarning")
each_measure = pytest.mark.parametrize("options", ALL.values(), ids=ALL.keys())
each_inference = pytest.mark.parametrize("inference", INFERENCES)


@pytest.fixture
def rows_and_links(rng):
    X, blob = beams(rng, apart=0.5)
    return X, random_constraints(rng, len(X), 30, blob=blob, wrong=0.1)


def fit(X, links=None, k=3, *, sample_weight=None, **options):
    model = HMRFKMeans(k, random_state=0, **options)
    return model.fit(X, constraints=links, sample_weight=sample_weight)


def of_csr(X):
    return sparse.csr_array(X)


@pytest.mark.parametrize("distortion", ["cosine", "kl"])
@pytest.mark.parametrize("learned", [True, False], ids=["learned", "not learned"])
def test_the_length_of_a_row_does_not_matter(rng, rows_and_links, distortion, learned):
    X, links = rows_and_links
    factor = np.exp2(rng.integers(-20, 20, size=len(X)))[:, None]

    plain, scaled = (
        fit(rows, links, distortion=distortion, metric_learning=learned) for rows in (X, factor * X)
    )

    assert_array_equal(plain.labels_, scaled.labels_)
    assert scaled.objective_ == pytest.approx(plain.objective_, rel=1e-9)


def test_the_units_of_features_do_not_matter_to_ratios(rng):
    X, blob = beams(rng, apart=1.0)
    links, units = chains(blob), np.array([1e-9, 1.0, 1e3, 1e12])
    options = {"distortion": "itakura-saito", "init": "neighbourhoods", "n_init": 1}

    plain, scaled = (fit(rows, links, **options) for rows in (X, X * units))

    assert_array_equal(plain.labels_, scaled.labels_)
    assert_allclose(scaled.cluster_centers_, plain.cluster_centers_ * units, rtol=1e-6)
    assert scaled.objective_ == pytest.approx(plain.objective_, rel=1e-6)


@each(METHODS)
def test_the_order_of_rows_does_not_matter(rng, method):
    X, blob = beams(rng, apart=3.0)
    links, order = chains(blob), rng.permutation(len(X))

    model = method(3, init="neighbourhoods", n_init=1, random_state=0)
    plain, centres = model.fit_predict(X, constraints=links), model.cluster_centers_
    mixed = model.fit_predict(X[order], constraints=links[order])

    assert adjusted_rand_score(plain[order], mixed) == 1.0
    assert_allclose(np.sort(model.cluster_centers_, axis=0), np.sort(centres, axis=0), rtol=1e-6)


@CONTRADICT
@each_inference
@pytest.mark.parametrize("distortion", ["euclidean", "cosine", "kl", "itakura-saito"])
def test_one_thread_finds_what_many_find(rng, distortion, inference):
    X, blob = beams(rng, n=70_000, d=3, apart=0.3)
    rows = rng.choice(len(X), size=(40, 3), replace=False)  # forty triangles
    pairs = np.concatenate([rows[:, [0, 1]], rows[:, [1, 2]], rows[:, [0, 2]]])
    must = (blob[pairs[:, 0]] == blob[pairs[:, 1]]) ^ (rng.random(len(pairs)) < 0.3)
    links = Constraints(pairs[must], pairs[~must])
    options = {"n_init": 1, "max_iter": 2, "closure": False, "inference": inference}

    one, many = (fit(X, links, distortion=distortion, n_jobs=n, **options) for n in (1, 3))

    assert_array_equal(one.labels_, many.labels_)
    assert_array_equal(one.objective_history_, many.objective_history_)
    assert_array_equal(one.cluster_centers_, many.cluster_centers_)
    assert_array_equal(one.metrics_, many.metrics_)


@each_measure
def test_float32_finds_what_float64_finds(rng, options):
    X, blob = beams(rng, apart=3.0)
    links = chains(blob)

    wide, narrow = (fit(rows, links, **options) for rows in (X, X.astype(np.float32)))

    assert (narrow.cluster_centers_.dtype, narrow.transform(X).dtype) == (np.float32, np.float64)
    assert adjusted_rand_score(wide.labels_, narrow.labels_) == 1.0
    assert narrow.objective_ == pytest.approx(wide.objective_, rel=1e-3)


@each_measure
def test_whole_numbers_are_taken_for_floats(rng, options):
    X, blob = beams(rng, apart=2.0)
    counts = np.ceil(10 * X).astype(np.int64)

    whole, floats = (fit(rows, chains(blob), **options) for rows in (counts, counts.astype(float)))

    assert_array_equal(whole.labels_, floats.labels_)
    assert whole.objective_ == floats.objective_


SPARSE = {name: ALL[name] for name in ("identity", "S-D", "M-D", "cosine", "cosine, not learned")}
SPARSE |= {name: POSITIVE[name] for name in ("kl", "kl, not learned", "i-divergence")}
SPARSE["squares"] = {"distortion": SQUARES}


@CONTRADICT
@each_inference
@pytest.mark.parametrize("options", SPARSE.values(), ids=SPARSE.keys())
def test_sparse_rows_say_what_dense_rows_say(rng, options, inference):
    X, blob = beams(rng, d=6, apart=3.0)
    X[rng.random(X.shape) < 0.3] = 0.0
    X[:, 0] += 0.1
    links = random_constraints(rng, len(X), 30, blob=blob, wrong=0.1)

    dense, thin = (
        fit(form(X), links, inference=inference, n_init=1, **options) for form in (np.array, of_csr)
    )

    assert (X == 0.0).mean() > 0.1
    assert_array_equal(thin.labels_, dense.labels_)
    assert thin.objective_ == pytest.approx(dense.objective_, rel=1e-6)
    assert_array_equal(thin.predict(of_csr(X)), dense.predict(X))
    assert_allclose(thin.transform(of_csr(X)), dense.transform(X), atol=1e-6)
    assert thin.score(of_csr(X)) == pytest.approx(dense.score(X), rel=1e-6)


@pytest.mark.parametrize("options", SPARSE.values(), ids=SPARSE.keys())
def test_sparse_rows_may_hold_a_place_twice(rng, options):
    X, blob = beams(rng, apart=3.0)
    once = sparse.csr_array(X)
    twice = sparse.csr_array(
        (np.repeat(once.data / 2, 2), np.repeat(once.indices, 2), 2 * once.indptr), shape=X.shape
    )
    links = chains(blob)

    plain, doubled = (fit(rows, links, n_init=1, **options) for rows in (once, twice))

    assert not twice.has_canonical_format
    assert_array_equal(doubled.labels_, plain.labels_)
    assert doubled.objective_ == pytest.approx(plain.objective_, rel=1e-9)
    assert_array_equal(plain.predict(twice), plain.predict(once))
    assert_allclose(plain.transform(twice), plain.transform(once))


@each_measure
def test_weights_are_repetitions(rng, options):
    X, blob = beams(rng, apart=1.0)
    links = Constraints(chains(blob).must_link, n_samples=len(X))
    weight = rng.integers(0, 4, size=len(X))
    weight[np.unique(links.must_link)] = 1
    row = np.repeat(np.arange(len(X)), weight)
    first = np.searchsorted(row, np.arange(len(X)))
    begun = {"init": "neighbourhoods", "n_init": 1, "tol": 0.0, **options}

    weighted = fit(X, links, sample_weight=weight, **begun)
    repeated = fit(X[row], (first[links.must_link], []), **begun)

    assert_array_equal(weighted.labels_[row], repeated.labels_)
    assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-6)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-9)


@CONTRADICT
@each_measure
@pytest.mark.parametrize("penalty", ["distance", "constant"])
def test_weights_and_what_they_are_multiplied_by_are_one_factor(rows_and_links, options, penalty):
    X, links = rows_and_links
    heavier = Constraints(
        *(links.must_link, links.cannot_link),
        must_link_weights=4 * links.must_link_weights,
        cannot_link_weights=4 * links.cannot_link_weights,
        n_samples=len(X),
    )

    by_hand = fit(X, heavier, link_weight=0.5, penalty=penalty, **options)
    by_option = fit(X, links, link_weight=2.0, penalty=penalty, **options)

    assert_array_equal(by_hand.labels_, by_option.labels_)
    assert_array_equal(by_hand.objective_history_, by_option.objective_history_)


@pytest.mark.parametrize("distortion", ["euclidean", "cosine", "kl", "itakura-saito"])
def test_an_automatic_link_weight_is_what_rows_lie_from_their_centre(rows_and_links, distortion):
    X, links = rows_and_links
    spread = fit(X, k=1, distortion=distortion, metric_learning=False).objective_ / len(X)
    options = {"distortion": distortion, "metric_learning": False, "penalty": "constant"}

    told = fit(X, links, link_weight=spread, **options)
    automatic = fit(X, links, **options)

    assert_array_equal(told.labels_, automatic.labels_)
    assert told.objective_ == pytest.approx(automatic.objective_)
