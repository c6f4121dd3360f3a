"""What rows a distortion takes and refuses, and rows that leave it little to hold on to."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from coterie import Constraints, HMRFKMeans
from coterie.distortion import Bregman
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
from invariants.descent import assert_never_rises

N = 12
ALL = MEASURES | POSITIVE
FORMS = pytest.mark.parametrize("form", [np.array, sparse.csr_array], ids=["dense", "sparse"])
ASKED = pytest.mark.parametrize("ask", ["fit", "predict", "transform", "score"])
QUIET = pytest.mark.filterwarnings(
    "ignore:.*distinct clusters were found:sklearn.exceptions.ConvergenceWarning",
    "ignore:.* rows that must-links hold:UserWarning",
)


def fit(X, links=None, k=3, **options):
    return HMRFKMeans(k, random_state=0, **options).fit(X, constraints=links)


def answer(model, ask, good, bad):
    """Fit on the bad rows, or ask of them what was fitted to the good ones."""
    return model.fit(bad) if ask == "fit" else getattr(model.fit(good), ask)(bad)


# Refused


@FORMS
@ASKED
@pytest.mark.parametrize(
    ("distortion", "name"), [("kl", "the KL divergence"), ("i-divergence", "the I-divergence")]
)
def test_a_number_below_zero_is_named(rng, form, ask, distortion, name):
    good, _ = beams(rng, n=20)
    bad = good.copy()
    bad[[7, 9], [2, 0]] = -0.25, -3.0
    sentence = f"Row 7, column 2 of X holds -0.25, but {name} takes numbers of 0 or more only. 2 of"

    with pytest.raises(ValueError, match=sentence):
        answer(HMRFKMeans(3, distortion=distortion, random_state=0), ask, form(good), form(bad))


@ASKED
@pytest.mark.parametrize("value", [0.0, -1.0])
def test_a_number_without_a_ratio_is_named(rng, ask, value):
    good, _ = beams(rng, n=20)
    bad = good.copy()
    bad[7, 2] = value
    sentence = f"Row 7, column 2 of X holds {value:g}, but the Itakura-Saito distance takes numbers"

    with pytest.raises(ValueError, match=f"{sentence} more than 0 only. 1 of 80 lie outside"):
        answer(HMRFKMeans(3, distortion="itakura-saito", random_state=0), ask, good, bad)


@FORMS
@ASKED
@pytest.mark.parametrize(
    ("distortion", "what"), [("cosine", "no direction"), ("kl", "no shares to compare")]
)
def test_a_row_of_zeros_is_named(rng, form, ask, distortion, what):
    good, _ = beams(rng, n=20)
    bad = good.copy()
    bad[[4, 11]] = 0.0

    with pytest.raises(ValueError, match=rf"Row 4 of X is all zeros, so .*{what}.*\(2 such rows\)"):
        answer(HMRFKMeans(3, distortion=distortion, random_state=0), ask, form(good), form(bad))


@pytest.mark.parametrize(
    "options", [{"distortion": "mahalanobis"}, {"distortion": "itakura-saito"}]
)
@ASKED
def test_sparse_rows_that_would_be_filled_are_refused(rng, options, ask):
    X, _ = beams(rng, n=20)

    with pytest.raises(TypeError, match="Sparse data was passed"):
        answer(HMRFKMeans(3, random_state=0, **options), ask, X, sparse.csr_array(X))


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("options", ALL.values(), ids=ALL.keys())
def test_numbers_that_are_none_are_refused(rng, options, value):
    X, _ = beams(rng, n=20)
    X[4, 1] = value

    with pytest.raises(ValueError, match=r"contains (NaN|infinity)"):
        fit(X, **options)


@pytest.mark.parametrize(
    ("phi", "gradient"),
    [
        (np.square, np.square),
        (np.square, np.negative),
        (np.log, np.reciprocal),
        (np.sqrt, lambda x: 0.5 / np.sqrt(x)),
    ],
    ids=["another gradient", "a gradient that falls", "log", "root"],
)
def test_functions_that_make_no_divergence_are_refused(rng, phi, gradient):
    X, _ = beams(rng, n=20)

    with pytest.raises(ValueError, match="phi must be convex and finite, and gradient its deriv"):
        fit(X, distortion=Bregman(phi=phi, gradient=gradient, domain=(0.0, np.inf), closed=False))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"distortion": "manhattan"}, "distortion must be one of 'euclidean', .* got 'manhattan'"),
        ({"distortion": None}, "distortion must be one of .* an instance of Bregman; got None"),
        (
            {"distortion": Bregman},
            "distortion must be one of .* an instance of Bregman; got <class",
        ),
        ({"inference": "gibbs"}, "inference must be one of .*'icm'.* got 'gibbs'"),
        ({"inference": "nearest"}, "inference must be one of .*; got 'nearest'"),
        ({"metric_learning": 1}, "metric_learning must be True or False; got 1"),
        ({"per_cluster": "yes"}, "per_cluster must be True or False; got 'yes'"),
        ({"penalty": "linear"}, "penalty must be one of 'distance', 'constant'; got 'linear'"),
        ({"link_weight": "heavy"}, "link_weight must be 'auto', or a finite number, 0 or more"),
        ({"link_weight": -1.0}, "link_weight must be 'auto', or a finite number, 0 or more"),
        ({"conditioning": 0.0}, "conditioning must be a finite number, 1e-12 or more"),
        ({"compute_gap": None}, "compute_gap must be True or False; got None"),
        ({"init": "random"}, "init must be one of"),
        ({"distortion": "mahalanobis", "metric_learning": False}, 'Ask for "euclidean"'),
        ({"distortion": "cosine", "per_cluster": True}, "one set of weights for all clusters"),
        ({"distortion": SQUARES, "per_cluster": True}, "one set of weights for all clusters"),
    ],
    ids=lambda value: None if isinstance(value, str) else "-".join(value),
)
def test_parameters_that_make_no_sense_are_refused(rng, options, sentence):
    X, _ = beams(rng, n=20)

    with pytest.raises(ValueError, match=sentence):
        fit(X, **options)


# Taken


def test_tags_say_what_rows_may_be():
    taken = {
        kind: HMRFKMeans(distortion=kind).__sklearn_tags__().input_tags
        for kind in ("euclidean", "mahalanobis", "cosine", "kl", "i-divergence", "itakura-saito")
    }

    positive = {kind for kind, tags in taken.items() if tags.positive_only}
    assert positive == {"kl", "i-divergence", "itakura-saito"}
    assert {kind for kind, tags in taken.items() if not tags.sparse} == {
        "mahalanobis",
        "itakura-saito",
    }


@FORMS
def test_amounts_may_all_be_zero(rng, form):
    X, _ = beams(rng, n=20)
    X[[3, 8]] = 0.0

    model = fit(form(X), ([(3, 8)], [(3, 0)]), distortion="i-divergence")

    assert model.labels_[3] == model.labels_[8]
    assert_sound(model, form(X), 3)


@FORMS
@pytest.mark.parametrize("learned", [True, False], ids=["learned", "not learned"])
@pytest.mark.parametrize("distortion", ["cosine", "kl", "i-divergence"])
def test_what_no_row_has_tells_nothing(rng, form, distortion, learned):
    X, blob = beams(rng, n=30, apart=3.0)
    options = {"distortion": distortion, "metric_learning": learned, "n_init": 1}
    unseen, seen = form(np.c_[X, np.zeros(30)]), form(np.c_[X, np.full(30, 0.1)])
    without = fit(form(X), chains(blob), **options)

    model = fit(unseen, chains(blob), **options)

    assert_array_equal(model.labels_, without.labels_)
    assert_array_equal(model.predict(seen), model.predict(unseen))
    assert model.converged_
    assert_allclose(model.metrics_[:4] / model.metrics_[0], without.metrics_ / without.metrics_[0])
    assert_sound(model, seen, 3)


@pytest.mark.parametrize("learned", [True, False], ids=["learned", "not learned"])
def test_nothing_may_lie_beside_very_much(learned):
    X = np.array([[0.0], [0.0], [0.0], [1e20]])

    with np.errstate(all="raise", under="ignore"):
        model = fit(X, k=2, distortion="i-divergence", metric_learning=learned)

    assert_sound(model, X, 2)


# Little to hold on to


ROWS = {
    "equal": lambda _: np.ones((N, 3)),
    "of two kinds": lambda _: np.repeat([[1.0, 2.0], [3.0, 1.0]], N // 2, axis=0),
    "given several times": lambda rng: rng.uniform(0.1, 2.0, size=(4, 3))[np.arange(N) % 4],
    "fewer than features": lambda rng: rng.uniform(0.1, 2.0, size=(N, 40)),
    "with a constant column": lambda rng: np.c_[rng.uniform(0.1, 2.0, size=(N, 2)), np.full(N, 7)],
    "on a line": lambda rng: np.outer(rng.uniform(0.1, 2.0, size=N), [1.0, 2.0, 3.0]),
    "of one feature": lambda rng: rng.uniform(0.1, 2.0, size=(N, 1)),
    "huge": lambda rng: 1e100 * rng.uniform(0.1, 2.0, size=(N, 3)),
    "tiny": lambda rng: 1e-100 * rng.uniform(0.1, 2.0, size=(N, 3)),
    "of all sizes": lambda rng: 10.0 ** rng.uniform(-12, 12, size=(N, 3)),
}
CHAIN = [(i, i + 1) for i in range(N - 1)]
CROSS = [(i, (i + 5) % N) for i in range(N)]
WEIGHTS = 10.0 ** np.linspace(-12, 12, N)
LINKS = {
    "must-links": (CHAIN[::2], []),
    "cannot-links": ([], CROSS),
    "contradictions": (CHAIN, CROSS),
    "light and heavy": Constraints(
        CHAIN, CROSS, must_link_weights=WEIGHTS[:-1], cannot_link_weights=WEIGHTS[::-1]
    ),
    "hard, light and heavy": Constraints(
        CHAIN,
        CROSS,
        must_link_weights=np.where(np.arange(N - 1) % 3, WEIGHTS[1:], np.inf),
        cannot_link_weights=np.where(np.arange(N) == 3, np.inf, WEIGHTS[::-1]),
    ),
}


def assert_sound(model, X, k):
    assert set(model.labels_) <= set(range(k))
    for value in (model.cluster_centers_, model.metrics_, model.objective_history_):
        assert np.isfinite(value).all()
    assert np.isfinite(model.transform(X)).all()
    assert (model.transform(X) >= 0.0).all()
    assert np.isfinite(model.score(X))
    assert set(model.predict(X)) <= set(range(k))
    assert (model.links_.costs >= 0.0).all()


@QUIET
@pytest.mark.parametrize("options", ALL.values(), ids=ALL.keys())
@pytest.mark.parametrize(
    ("rows", "links"),
    [*product(ROWS, ["contradictions", "hard, light and heavy"]), *product(["on a line"], LINKS)],
)
def test_rows_and_links(rng, options, rows, links):
    X, links = ROWS[rows](rng), LINKS[links]
    inference = INFERENCES[(len(rows) + len(options)) % 4]  # each somewhere

    with np.errstate(all="raise", under="ignore"):
        model = fit(X, links, n_init=2, inference=inference, compute_gap=True, **options)
        assert_sound(model, X, 3)

    assert 0.0 <= model.gap_ < np.inf
    if isinstance(links, Constraints):
        assert links.hard.satisfaction(model.labels_).rate == 1.0


@QUIET
@each(variants(ALL))
@pytest.mark.parametrize("links", ["light and heavy", "hard, light and heavy"])
def test_light_and_heavy_links_side_by_side(rng, method, links):
    X, links = ROWS["with a constant column"](rng), LINKS[links]

    with np.errstate(all="raise", under="ignore"):
        model = method(3, n_init=2, random_state=0).fit(X, constraints=links)
        assert_sound(model, X, 3)

    assert links.hard.satisfaction(model.labels_).rate == 1.0


@QUIET
@pytest.mark.parametrize("options", ALL.values(), ids=ALL.keys())
@pytest.mark.parametrize("links", [None, ([(0, 1)], [(1, 2)])], ids=["no links", "links"])
@pytest.mark.parametrize("k", [1, N])
def test_one_cluster_and_as_many_as_rows(rng, options, links, k):
    X = rng.uniform(0.1, 2.0, size=(N, 3))

    for inference in INFERENCES:
        model = fit(X, links, k, n_init=2, inference=inference, **options)

        assert_sound(model, X, k)


@QUIET
@pytest.mark.parametrize("distortion", ["euclidean", "cosine", "kl", "itakura-saito"])
def test_nothing_tells_equal_rows_apart_but_links_that_weigh_next_to_nothing(rng, distortion):
    pairs = np.column_stack(np.triu_indices(N, 1))
    pairs = pairs[rng.choice(len(pairs), 40, replace=False)]
    must = rng.random(40) < 0.5
    options = {"inference": "exact", "penalty": "constant", "closure": False}

    model = fit(np.ones((N, 1)), (pairs[must], pairs[~must]), distortion=distortion, **options)

    assert_sound(model, np.ones((N, 1)), 3)


# Rows that cancel


@pytest.mark.parametrize("learned", [True, False], ids=["learned", "not learned"])
@pytest.mark.parametrize(
    "X",
    [
        [[1.0], [2.0], [-1.0], [-3.0]],
        [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]],
    ],
    ids=["two directions", "four directions"],
)
@pytest.mark.parametrize("links", [None, ([(0, 2)], []), ([(0, 2), (1, 3)], [(0, 1)])], ids=str)
@QUIET
def test_directions_may_cancel(X, links, learned):
    X = np.array(X)

    model = fit(X, links, 2, distortion="cosine", metric_learning=learned)

    assert_sound(model, X, 2)


@QUIET
@pytest.mark.parametrize("learned", [True, False], ids=["learned", "not learned"])
@pytest.mark.parametrize("distortion", ["kl", "i-divergence"])
def test_a_cluster_that_is_filled_anew_does_not_raise_the_objective(distortion, learned):
    X = np.array([[3.0, 1.0], [0.0, 1.0], [1.0, 3.0], [1.0, 0.0]])
    options = {"distortion": distortion, "metric_learning": learned}

    for start in range(20):
        model = HMRFKMeans(3, n_init=1, tol=0.0, random_state=start, **options).fit(X)

        assert_never_rises(model.objective_history_)


@pytest.mark.parametrize("kind", ["i-divergence", "itakura-saito", "kl"])
def test_large_numbers_in_float32_are_told_apart(rng, kind):
    blob = np.arange(400) % 2
    means = 1e7 * np.where(blob[:, None], [1.0, 1.01, 1.0], [1.0, 1.0, 1.01])
    X = rng.poisson(means)
    model = HMRFKMeans(2, distortion=kind, metric_learning=False, random_state=0)

    labels = model.fit(X.astype(np.float32)).labels_

    assert_array_equal(labels == labels[0], blob == blob[0])
