"""Mistakes that programs of this kind are known for, each by the behaviour that is right."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from coterie import (
    RCA,
    Constraints,
    ContradictionError,
    LearnedMetricKMeans,
    MKMeans,
    MPCKMeans,
    PCKMeans,
)
from coterie.seeding import SEEDING, gather
from problems import blobs, problem_of, random_constraints

METHODS = pytest.mark.parametrize("method", [PCKMeans, MPCKMeans])
VARIANTS = [("diagonal", False), ("diagonal", True), ("full", False), ("full", True)]


@METHODS
def test_a_must_link_to_a_row_in_cluster_0_counts_like_any_other(rng, method):
    X, blob = blobs(rng, n=60, apart=2.0)
    ends = []
    for start in range(10):
        links = random_constraints(rng, 60, 40, hard=40, blob=blob)

        labels = method(3, random_state=start).fit(X, constraints=links).labels_

        must = labels[links.must_link]
        ends += must[(must == 0).any(axis=1)].tolist()

    assert len(ends) > 0
    assert ends == [[0, 0]] * len(ends)


def test_importing_leaves_the_error_state_of_numpy_alone():
    code = (
        "import numpy as np; before = np.geterr(); import coterie; "
        "[getattr(coterie, name) for name in coterie.__all__]; print(np.geterr() == before)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "True"


@METHODS
@pytest.mark.parametrize("closure", [True, False])
def test_a_long_chain_of_must_links_fits(rng, method, closure):
    X = rng.normal(size=(1600, 2))
    chain = np.column_stack([np.arange(1499), np.arange(1, 1500)])
    links = Constraints(chain, must_link_weights=np.inf)

    model = method(2, n_init=1, closure=closure, random_state=0).fit(X, constraints=links)

    assert len(set(model.labels_[:1500])) == 1


@pytest.mark.parametrize(("metric", "per_cluster"), VARIANTS)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_log_determinant_is_finite_in_many_dimensions(rng, metric, per_cluster, scale):
    X = scale * rng.normal(size=(400, 150))
    X[200:] += 2 * scale
    links = ([(0, 1), (200, 201)], [(0, 200)])
    model = MPCKMeans(2, metric=metric, per_cluster=per_cluster, n_init=1, random_state=0)

    model.fit(X, constraints=links)

    matrices = np.atleast_2d(model.metrics_) if metric == "diagonal" else model.metrics_
    log_det = (
        np.log(matrices).sum(axis=1) if metric == "diagonal" else np.linalg.slogdet(matrices)[1]
    )
    assert np.isfinite(log_det).all()
    assert np.isfinite(model.objective_history_).all()


@pytest.mark.parametrize("init", sorted(SEEDING))
def test_no_two_centres_begin_in_one_blob(init):
    for start in range(20):
        X, y = make_blobs(300, 10, centers=5, random_state=start)
        links = Constraints.from_labels(y, n_pairs=150, random_state=start)
        problem = problem_of(X, links, 5)
        draw = np.random.default_rng(start)

        centres = SEEDING[init]().seed(gather(problem, draw), 5, draw) + problem.rows.shift

        nearest = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=0)
        assert sorted(y[nearest]) == [0, 1, 2, 3, 4]


@METHODS
def test_many_cannot_links_leave_blobs_as_they_are(method):
    for start in range(5):
        X, y = make_blobs(300, 10, centers=5, random_state=start)
        links = Constraints.from_labels(y, n_pairs=1000, random_state=start)

        model = method(5, random_state=start).fit(X, constraints=links)

        assert adjusted_rand_score(y, model.labels_) == 1.0
        assert model.links_.given.n_violated == 0


@pytest.mark.parametrize("method", [PCKMeans, MPCKMeans, MKMeans])
def test_a_cluster_that_loses_its_rows_gets_others(rng, method):
    X, _ = blobs(rng, n=40, d=2, k=2, apart=8.0)

    for start in range(10):
        model = method(15, n_init=1, random_state=start).fit(X)

        assert len(set(model.labels_)) == 15
        assert np.isfinite(model.cluster_centers_).all()


@METHODS
def test_what_contradicts_is_told_by_the_links_that_were_given(rng, method):
    must = [(0, 1), (1, 2), (2, 3), (5, 6)]
    links = Constraints(
        must, [(0, 3), (0, 5)], must_link_weights=np.inf, cannot_link_weights=np.inf
    )

    with pytest.raises(ContradictionError) as error:
        method(2).fit(rng.normal(size=(8, 2)), constraints=links)

    steps = zip(error.value.path[:-1], error.value.path[1:], strict=True)
    assert {tuple(sorted(step)) for step in steps} <= set(must)
    assert {error.value.path[0], error.value.path[-1]} == {0, 3}


@METHODS
def test_a_contradiction_is_found_whatever_the_order_of_links(rng, method):
    X = rng.normal(size=(8, 2))
    first = Constraints(cannot_link=[(0, 2)], cannot_link_weights=np.inf)
    later = [Constraints([pair], must_link_weights=np.inf) for pair in [(0, 1), (1, 2)]]

    method(2, random_state=0).fit(X, constraints=first | later[0])
    with pytest.raises(ContradictionError):
        method(2).fit(X, constraints=first | later[0] | later[1])


@METHODS
def test_hard_links_that_can_hold_are_all_kept(rng, method):
    """Greedy placement gets stuck here: most rows differ from rows of both other clusters."""
    for start in range(10):
        X = rng.normal(size=(30, 2))
        blob = rng.permutation(np.arange(30) % 3)
        pairs = np.column_stack(np.triu_indices(30, 1))
        apart = pairs[blob[pairs[:, 0]] != blob[pairs[:, 1]]]
        some = apart[rng.random(len(apart)) < 0.5]
        links = Constraints(cannot_link=some, cannot_link_weights=np.inf)

        model = method(3, random_state=start).fit(X, constraints=links)

        assert links.satisfaction(model.labels_).n_violated == 0


@METHODS
def test_more_starts_never_end_higher(rng, method):
    X, blob = blobs(rng, n=120, d=3, k=6, apart=1.0)
    links = random_constraints(rng, 120, 40, weights=False, blob=blob)

    ends = [
        method(6, n_init=n, random_state=0).fit(X, constraints=links).objective_ for n in (1, 5, 20)
    ]

    assert ends == sorted(ends, reverse=True)


@METHODS
@pytest.mark.parametrize("hard", [0, 15, 30])
@pytest.mark.parametrize("kinds", ["both", "must-links", "cannot-links"])
def test_any_mixture_of_hard_and_soft_links_fits(rng, method, hard, kinds):
    X, blob = blobs(rng, n=60, apart=2.0)
    drawn = random_constraints(rng, 60, 30, hard=hard, blob=blob)
    must = Constraints(drawn.must_link, must_link_weights=drawn.must_link_weights)
    cannot = Constraints(
        cannot_link=drawn.cannot_link, cannot_link_weights=drawn.cannot_link_weights
    )
    links = {"both": drawn, "must-links": must, "cannot-links": cannot}[kinds]

    model = method(3, random_state=0).fit(X, constraints=links)

    assert links.hard.satisfaction(model.labels_).rate == 1.0


def test_a_metric_from_few_links_does_not_undo_what_k_means_finds():
    learned, plain = [], []
    for start in range(10):
        X, y = make_blobs(1000, 10, centers=5, cluster_std=5.0, random_state=start)
        links = Constraints.from_labels(y, n_pairs=100, random_state=start)
        model = LearnedMetricKMeans(n_clusters=5, random_state=start)
        learned.append(adjusted_rand_score(y, model.fit(X, constraints=links).labels_))
        plain.append(adjusted_rand_score(y, KMeans(5, n_init=5, random_state=start).fit_predict(X)))

    assert np.mean(learned) >= np.mean(plain) - 0.05


def test_a_metric_that_rests_on_too_few_links_is_said_without_being_asked(rng):
    X = rng.normal(size=(50, 10))

    with pytest.warns(UserWarning, match="2 independent must-linked rows do not span 10 features"):
        RCA(shrinkage=0).fit(X, constraints=([(0, 1), (2, 3)], []))


def test_links_that_cannot_be_kept_are_said_without_being_asked(rng):
    X, _ = blobs(rng)

    with pytest.warns(UserWarning, match="so not all links can be kept"):
        PCKMeans(3, random_state=0).fit(X, constraints=([(0, 1), (1, 2)], [(0, 2)]))


def test_questions_are_counted_as_they_were_asked(rng):
    X, blob = blobs(rng, n=60, apart=20.0)
    links = Constraints.from_labels(blob, n_pairs=30, random_state=0)

    report = PCKMeans(3, random_state=0).fit(X, constraints=links).links_

    assert report.given.n_satisfied + report.given.n_violated == 30
    assert report.n_entailed > 0


def test_no_start_is_lost_where_rows_are_equal():
    X = np.repeat([[0.0], [1.0]], 10, axis=0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = PCKMeans(4, random_state=0).fit(X)

    assert np.isfinite(model.cluster_centers_).all()
    assert set(model.labels_) <= {0, 1, 2, 3}
