"""HMRFKMeans with every distortion and every inference, as its users meet it."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, KFold

from coterie import Constraints, HMRFKMeans, MPCKMeans, PCKMeans
from coterie.distortion import Bregman, i_divergence
from coterie.inference import ICM, BeliefPropagation, Exact, LinearProgram
from estimators.methods import (
    INFERENCES,
    MEASURES,
    POSITIVE,
    SQUARES,
    beams,
    chains,
    each,
    variants,
    without,
)
from invariants.descent import AT_METRICS, assert_never_rises, rises
from problems import blobs, random_constraints

ALL = MEASURES | POSITIVE
METHODS = variants(ALL)
OWN_METRICS = {"M-D", "M-F"}  # the nearest centre need not be that of the least cost
CONTRADICT = pytest.mark.filterwarnings("ignore:.* rows that must-links hold:UserWarning")
PLAIN = {"metric_learning": False, "penalty": "constant"}
TWINS = {
    "S-D": ({}, MPCKMeans, {}),
    "M-D": ({"per_cluster": True}, MPCKMeans, {"per_cluster": True}),
    "S-F": ({"distortion": "mahalanobis"}, MPCKMeans, {"metric": "full"}),
    "M-F": (
        {"distortion": "mahalanobis", "per_cluster": True},
        MPCKMeans,
        {"metric": "full", "per_cluster": True},
    ),
    "identity": ({"metric_learning": False}, MPCKMeans, {"metric": "identity"}),
    "no metric to own": (
        {"metric_learning": False, "per_cluster": True},
        MPCKMeans,
        {"metric": "identity"},
    ),
    "PCK": (PLAIN, PCKMeans, {}),
}
each_measure = pytest.mark.parametrize("options", ALL.values(), ids=ALL.keys())
each_inference = pytest.mark.parametrize("inference", INFERENCES)


def exponential(x):
    return np.exp(x)


@pytest.fixture
def rows_and_links(rng):
    X, blob = beams(rng, apart=0.5)
    return X, random_constraints(rng, len(X), 30, blob=blob, wrong=0.1)


def fit(X, links=None, k=3, *, sample_weight=None, **options):
    model = HMRFKMeans(k, random_state=0, **options)
    return model.fit(X, constraints=links, sample_weight=sample_weight)


# What it descends from


@CONTRADICT
@pytest.mark.parametrize(("options", "twin", "others"), TWINS.values(), ids=TWINS.keys())
@pytest.mark.parametrize(
    "common",
    [{}, {"link_weight": 3.0, "closure": False}, {"init": "k-means++", "n_init": 2, "tol": 0.0}],
    ids=str,
)
@pytest.mark.parametrize("linked", [True, False], ids=["links", "no links"])
def test_it_is_the_method_that_it_descends_from(
    rng, rows_and_links, options, twin, others, common, linked
):
    X, links = rows_and_links
    links = links if linked else None
    weight = rng.uniform(0.5, 2.0, size=len(X))

    one = fit(X, links, sample_weight=weight, **options, **common)
    other = twin(3, random_state=0, **others, **common)
    other.fit(X, constraints=links, sample_weight=weight)

    assert_array_equal(one.labels_, other.labels_)
    assert_array_equal(one.cluster_centers_, other.cluster_centers_)
    assert_array_equal(one.objective_history_, other.objective_history_)
    assert_array_equal(one.links_.costs, other.links_.costs)
    assert repr(one.links_) == repr(other.links_)
    assert one.events_ == other.events_
    assert (one.n_iter_, one.converged_) == (other.n_iter_, other.converged_)
    if twin is MPCKMeans:
        assert_array_equal(one.metrics_, other.metrics_)
        assert one.farthest_pair_ == other.farthest_pair_


@pytest.mark.parametrize(
    "chosen",
    [("icm", ICM()), ("bp", BeliefPropagation()), ("lp", LinearProgram()), ("exact", Exact())],
    ids=lambda pair: pair[0],
)
def test_an_inference_goes_by_its_name_or_comes_as_it_is(rows_and_links, chosen):
    X, links = rows_and_links

    by_name, as_it_is = (fit(X, links, inference=inference) for inference in chosen)

    assert_array_equal(by_name.labels_, as_it_is.labels_)
    assert_array_equal(by_name.objective_history_, as_it_is.objective_history_)


# Every distortion, every inference


@CONTRADICT
@each(METHODS)
@pytest.mark.parametrize("penalty", ["distance", "constant"])
def test_a_fit_is_sound(rows_and_links, method, penalty):
    X, links = rows_and_links
    free = np.setdiff1d(np.arange(len(X)), links.closure().rows)

    model = method(3, penalty=penalty, n_init=2, random_state=0).fit(X, constraints=links)

    assert_sound(model, X)
    assert_array_equal(model.predict(X)[free], model.labels_[free])
    assert model.links_.given.n_satisfied + model.links_.given.n_violated == 30
    assert (model.links_.costs >= 0.0).all()
    assert not set(model.events_) - {"reseeded", *AT_METRICS}
    if not set(AT_METRICS) & set(model.events_):
        assert_never_rises(model.objective_history_)
    elif model.metric_learning:
        assert not (rises(model.objective_history_) % 3 != 2).any()


def assert_sound(model, X, k=3):
    assert set(model.labels_) <= set(range(k))
    assert np.isfinite(model.cluster_centers_).all()
    assert np.isfinite(model.metrics_).all()
    assert np.isfinite(model.objective_history_).all()
    assert model.objective_ == model.objective_history_[-1]
    distances = model.transform(X)
    assert distances.shape == (len(X), k)
    assert (distances >= 0.0).all()
    assert np.isfinite(distances).all()
    assert np.isfinite(model.score(X))


@each_measure
def test_without_links_every_inference_is_the_same(rows_and_links, options):
    X, _ = rows_and_links

    plain, *others = (fit(X, inference=inference, **options) for inference in INFERENCES)

    for other in others:
        assert_array_equal(other.labels_, plain.labels_)
        assert_array_equal(other.objective_history_, plain.objective_history_)
    assert_never_rises(plain.objective_history_)
    assert_array_equal(plain.predict(X), plain.labels_)
    assert plain.farthest_pair_ == "unused"


@pytest.mark.parametrize(
    "options", without(ALL, OWN_METRICS).values(), ids=without(ALL, OWN_METRICS).keys()
)
def test_the_nearest_centre_is_the_one_that_is_predicted(rows_and_links, options):
    X, links = rows_and_links
    model = fit(X, links, **options)

    assert_array_equal(model.transform(X).argmin(axis=1), model.predict(X))
    assert_allclose(model.transform(model.cluster_centers_).diagonal(), 0.0, atol=1e-6)


@each_measure
def test_blobs_of_different_directions_are_found(rng, options):
    X, blob = beams(rng, apart=3.0)

    model = fit(X, chains(blob), **options)

    assert adjusted_rand_score(blob, model.labels_) == 1.0


@pytest.mark.parametrize("distortion", ["cosine", "itakura-saito", i_divergence(prior=0.0)])
def test_score_is_minus_the_objective_without_links_and_priors(rows_and_links, distortion):
    X, _ = rows_and_links
    model = fit(X, distortion=distortion)

    assert model.score(X) == pytest.approx(-model.objective_, rel=1e-6)


@each_measure
def test_metrics_have_the_shape_that_is_told(rows_and_links, options):
    X, links = rows_and_links
    full, own = options.get("distortion") == "mahalanobis", options.get("per_cluster", False)

    metrics = fit(X, links, **options).metrics_

    assert metrics.shape == (3,) * own + (4,) * (1 + full)
    if not options.get("metric_learning", True):
        assert (metrics == 1.0).all()
    elif not full:
        assert (metrics > 0.0).all()


@pytest.mark.parametrize("distortion", ["cosine", "kl"])
def test_centres_are_of_the_rows_as_they_are_taken(rows_and_links, distortion):
    X, links = rows_and_links

    centres = fit(X, links, distortion=distortion).cluster_centers_

    size = (centres**2).sum(axis=1) if distortion == "cosine" else centres.sum(axis=1)
    assert_allclose(size, 1.0)


def test_amounts_are_measured_by_amount_and_shares_are_not():
    X = np.array([[1.0, 2.0], [10.0, 20.0], [2.0, 1.0], [20.0, 10.0]])

    shares = fit(X, k=2, distortion="kl", metric_learning=False).labels_
    amounts = fit(X, k=2, distortion="i-divergence", metric_learning=False).labels_

    assert adjusted_rand_score([0, 0, 1, 1], shares) == 1.0
    assert adjusted_rand_score([0, 1, 0, 1], amounts) == 1.0


# Other divergences


@CONTRADICT
@each_inference
def test_squares_make_the_squared_distance(rows_and_links, inference):
    X, links = rows_and_links
    options = {"inference": inference, "metric_learning": False, "init": "neighbourhoods"}

    # Two rows lie apart by half the squared distance.
    ours = fit(X - 2.0, links, distortion=SQUARES, link_weight=2.0, n_init=1, **options)
    plain = fit(X - 2.0, links, link_weight=1.0, n_init=1, **options)

    assert_array_equal(ours.labels_, plain.labels_)
    assert_allclose(ours.objective_history_, plain.objective_history_)
    assert_allclose(ours.links_.costs, plain.links_.costs)


def test_an_exponential_makes_a_divergence(rng):
    X, blob = blobs(rng, apart=2.0)
    distortion = Bregman(phi=exponential, gradient=exponential)

    model = fit(X, random_constraints(rng, len(X), 30, blob=blob), distortion=distortion)

    means = [X[model.labels_ == h].mean(axis=0) for h in range(3)]
    assert_allclose(model.cluster_centers_, means, rtol=1e-6)
    assert_sound(model, X)


# Parameters


@pytest.mark.parametrize("distortion", ["cosine", "kl", SQUARES], ids=["cosine", "kl", "squares"])
@pytest.mark.parametrize("inference", ["bp", LinearProgram(n_roundings=3)], ids=str)
def test_a_clone_and_a_pickle_answer_alike(rows_and_links, distortion, inference):
    X, links = rows_and_links
    model = fit(X, links, distortion=distortion, inference=inference)

    twin, thawed = clone(model), pickle.loads(pickle.dumps(model))

    assert twin.get_params() == model.get_params() == thawed.get_params()
    assert not hasattr(twin, "labels_")
    assert_array_equal(twin.fit(X, constraints=links).labels_, model.labels_)
    assert_array_equal(thawed.predict(X), model.predict(X))
    assert_array_equal(thawed.transform(X), model.transform(X))
    assert thawed.score(X) == model.score(X)
    assert_array_equal(thawed.fit(X, constraints=links).labels_, model.labels_)


@pytest.mark.filterwarnings("ignore:.*distinct clusters were found")
@pytest.mark.parametrize("routing", [False, True], ids=["no routing", "routing"])
def test_distortion_and_inference_can_be_searched(rng, routing):
    X, blob = beams(rng, n=90, apart=3.0)
    links = random_constraints(rng, 90, 60, weights=False, blob=blob)
    grid = {"distortion": ["euclidean", "cosine", "kl", SQUARES], "inference": ["icm", "bp", "lp"]}
    search = GridSearchCV(
        HMRFKMeans(3, n_init=1, metric_learning=False, random_state=0),
        grid,
        cv=KFold(3, shuffle=True, random_state=0),
        scoring=lambda model, X, y: adjusted_rand_score(y, model.predict(X)),
        error_score="raise",
    )

    with config_context(enable_metadata_routing=routing):
        search.fit(X, blob, constraints=links)

    heard = search.best_estimator_.links_.given
    assert heard.n_satisfied + heard.n_violated == 60
    assert search.best_score_ > 0.9


CHANGES = {
    "distortion": {"distortion": "itakura-saito"},
    "name": {"distortion": "nonsense", "inference": "nonsense"},
    "learning": {"metric_learning": False},
    "conditioning": {"conditioning": 0.5, "n_clusters": 7},
}
SHARED = without(ALL, OWN_METRICS)


@pytest.mark.parametrize("options", SHARED.values(), ids=SHARED.keys())
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_parameters_that_are_set_after_a_fit_wait_for_the_next(rows_and_links, options, change):
    X, links = rows_and_links

    assert_answers_stay(fit(X, links, **options), X, change)


@pytest.mark.parametrize(
    ("options", "change"),
    [
        (MEASURES["S-D"], {"per_cluster": True}),
        (MEASURES["M-D"], {"per_cluster": False}),
        (MEASURES["M-D"], {"metric_learning": False}),
        (MEASURES["M-F"], {"distortion": "itakura-saito"}),
    ],
    ids=str,
)
def test_so_do_parameters_that_say_whose_metrics_they_are(rows_and_links, options, change):
    X, links = rows_and_links

    assert_answers_stay(fit(X, links, **options), X, change)


def test_so_do_parameters_that_say_whether_rows_may_be_sparse(rows_and_links):
    X, links = rows_and_links

    X = sparse.csr_array(X)
    assert_answers_stay(fit(X, links, distortion="cosine"), X, {"distortion": "mahalanobis"})


def assert_answers_stay(model, X, change):
    before = model.predict(X), model.transform(X), model.score(X)
    model.set_params(**change)
    assert_array_equal(model.predict(X), before[0])
    assert_array_equal(model.transform(X), before[1])
    assert model.score(X) == before[2]


# Time, and what is left


@CONTRADICT
@pytest.mark.parametrize(
    ("inference", "event"),
    [
        (LinearProgram(time_limit=1e-9), "time limit"),
        (LinearProgram(time_limit=0.0), "time limit"),
        (Exact(time_limit=1e-9), "not proven"),
        (Exact(time_limit=0.0), "not proven"),
    ],
    ids=str,
)
@pytest.mark.parametrize("distortion", ["euclidean", "cosine", "kl"])
def test_an_inference_that_runs_out_of_time_says_so(rng, distortion, inference, event):
    X, blob = beams(rng, n=40, apart=0.3)
    links = random_constraints(rng, 40, 200, blob=blob, wrong=0.3, hard=10)

    model = fit(X, links, distortion=distortion, inference=inference, n_init=1)

    assert model.events_[event] >= 1
    assert_sound(model, X)
    assert links.hard.satisfaction(model.labels_).rate == 1.0


@CONTRADICT
def test_a_gap_is_found_where_it_is_asked_for(rng):
    X, blob = beams(rng, n=40, apart=0.3)
    links = random_constraints(rng, 40, 45, blob=blob, wrong=0.2)

    gaps = {how: fit(X, links, inference=how, compute_gap=True).gap_ for how in INFERENCES}

    assert all(0.0 <= gap < 1.0 for gap in gaps.values())
    assert not hasattr(fit(X, links), "gap_")
    assert fit(X, compute_gap=True).gap_ == 0.0


def test_a_gap_does_not_outlive_its_fit(rows_and_links):
    X, links = rows_and_links
    model = fit(X, links, compute_gap=True)

    model.set_params(compute_gap=False).fit(X, constraints=links)

    assert not hasattr(model, "gap_")


@pytest.mark.filterwarnings("ignore:.* rows that must-links hold together:UserWarning")
@pytest.mark.parametrize("scale", [1e-3, 0.1, 1e3])
def test_a_gap_does_not_depend_on_units(rng, scale):
    X = rng.standard_normal((60, 3))
    pairs = rng.choice(60, size=(60, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    links = Constraints(pairs[:20], pairs[20:], n_samples=60)
    model = HMRFKMeans(3, compute_gap=True, closure=False, random_state=0)

    gap = model.fit(X, constraints=links).gap_
    scaled = model.fit(scale * X, constraints=links)

    assert gap > 1e-3
    assert scaled.gap_ == pytest.approx(gap, rel=1e-6)
