"""Links travel through pipelines and searches to the estimators that want them."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie import RCA, Constraints, LearnedMetricKMeans, MPCKMeans, PCKMeans
from estimators.methods import ALL, chains, each
from problems import blobs, random_constraints

CV = KFold(3, shuffle=True, random_state=0)
ROUTING = pytest.mark.parametrize("routing", [False, True], ids=["no routing", "routing"])
MANY = {name: ALL[name] for name in ("PCKMeans", "MPCKMeans S-D", "LearnedMetricKMeans")}


@pytest.fixture
def rows_and_links(rng):
    X, blob = blobs(rng, n=90, d=3, apart=10.0)
    return X, random_constraints(rng, len(X), 60, weights=False, blob=blob)


def scaled(method):
    return Pipeline([("scale", StandardScaler()), ("cluster", method(3, random_state=0))])


def heard(model):
    """Return how many links arrived at a fitted clusterer."""
    given = getattr(model, "clusterer_", model).links_.given
    return given.n_satisfied + given.n_violated


@each(MANY)
@ROUTING
def test_a_pipeline_hands_all_links_over(rows_and_links, method, routing):
    X, links = rows_and_links
    name = "constraints" if routing else "cluster__constraints"
    model = scaled(method)

    with config_context(enable_metadata_routing=routing):
        model.fit(X, **{name: links})

    assert heard(model["cluster"]) == 60


@each(MANY)
@ROUTING
def test_cross_validation_gives_each_fold_its_own_links(rows_and_links, method, routing):
    X, links = rows_and_links
    name = "constraints" if routing else "cluster__constraints"

    with config_context(enable_metadata_routing=routing):
        found = cross_validate(
            scaled(method), X, cv=CV, params={name: links}, return_estimator=True
        )

    kept = [links[train] for train, _ in CV.split(X)]
    counts = [part.n_must_link + part.n_cannot_link for part in kept]
    assert [heard(model["cluster"]) for model in found["estimator"]] == counts
    assert np.isfinite(found["test_score"]).all()


@each(MANY)
@ROUTING
def test_a_bare_clusterer_is_cross_validated(rows_and_links, method, routing):
    X, links = rows_and_links

    with config_context(enable_metadata_routing=routing):
        found = cross_validate(method(3, random_state=0), X, cv=CV, params={"constraints": links})

    assert np.isfinite(found["test_score"]).all()


@ROUTING
def test_a_search_refits_on_all_links(rows_and_links, routing):
    X, links = rows_and_links
    name = "constraints" if routing else "cluster__constraints"
    grid = {"cluster__metric": ["diagonal", "full"], "cluster__link_weight": [0.1, 1.0]}
    search = GridSearchCV(scaled(MPCKMeans), grid, cv=CV)

    with config_context(enable_metadata_routing=routing):
        search.fit(X, **{name: links})

    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert heard(search.best_estimator_["cluster"]) == 60
    assert search.predict(X).shape == (90,)


def test_a_search_can_score_by_known_labels(rng):
    X, blob = blobs(rng, n=90, d=3, apart=10.0)
    links = chains(blob)
    search = GridSearchCV(
        PCKMeans(random_state=0),
        {"n_clusters": [2, 3, 4]},
        cv=CV,
        scoring=lambda model, X, y: adjusted_rand_score(y, model.predict(X)),
    )

    search.fit(X, blob, constraints=links)

    assert search.best_params_ == {"n_clusters": 3}


def test_links_reach_every_step_that_wants_them(rows_and_links):
    X, links = rows_and_links
    model = make_pipeline(StandardScaler(), RCA(), PCA(2), PCKMeans(3, random_state=0))

    with config_context(enable_metadata_routing=True):
        model.fit(X, constraints=links)

    assert not np.allclose(model["rca"].components_, np.eye(3))
    assert heard(model["pckmeans"]) == 60


def test_learner_and_clusterer_may_be_chosen(rows_and_links):
    X, links = rows_and_links
    learner, clusterer = RCA(shrinkage=0.5), MPCKMeans(3, random_state=0)
    model = LearnedMetricKMeans(learner, clusterer).fit(X, constraints=links)

    by_hand = learner.fit(X, constraints=links).transform(X)

    assert model.learner_.shrinkage_ == 0.5
    assert model.learner_ is not learner
    np.testing.assert_array_equal(model.labels_, clusterer.fit(by_hand, constraints=links).labels_)


def test_parameters_of_the_parts_can_be_searched(rows_and_links):
    X, links = rows_and_links
    model = LearnedMetricKMeans(RCA(), PCKMeans(3, random_state=0))
    grid = {"learner__shrinkage": [0.1, 0.9], "clusterer__link_weight": [1.0, "auto"]}

    search = GridSearchCV(model, grid, cv=CV).fit(X, constraints=links)

    assert set(search.best_params_) == set(grid)


def test_links_that_do_not_know_their_rows_cannot_be_split(rows_and_links):
    X, links = rows_and_links
    plain = Constraints(links.must_link, links.cannot_link)

    with pytest.raises(ValueError, match="n_samples=len"):
        cross_validate(PCKMeans(3), X, cv=CV, params={"constraints": plain}, error_score="raise")
