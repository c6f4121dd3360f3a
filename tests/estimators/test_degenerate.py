"""Data that leaves a method little to hold on to: answers stay finite, refusals are plain."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from coterie import RCA, Constraints, InfeasibleError, SeededKMeans
from estimators.methods import ALL, CENTRES, COSINE, each, without

N = 12
HARD = {"must_link_weights": np.inf, "cannot_link_weights": np.inf}
LINKS = {
    "no links": None,
    "soft links": ([(0, 1), (2, 3)], [(0, 2), (4, 5)]),
    "hard links": Constraints([(0, 1), (2, 3)], [(0, 2), (4, 5)], **HARD),
}
ROWS = {
    "of zeros": lambda _: np.zeros((N, 3)),
    "equal": lambda _: np.ones((N, 3)),
    "equal, far from the origin": lambda _: np.full((N, 3), 1e8),
    "of two kinds": lambda _: np.repeat([[0.0, 0.0], [1.0, 1.0]], N // 2, axis=0),
    "fewer than features": lambda rng: rng.normal(size=(N, 40)),
    "with a constant column": lambda rng: np.c_[rng.normal(size=(N, 2)), np.full(N, 7.0)],
    "on a line": lambda rng: np.outer(rng.normal(size=N), [1.0, 2.0, 3.0]),
    "of one feature": lambda rng: rng.normal(size=(N, 1)),
    "huge": lambda rng: 1e100 * rng.normal(size=(N, 3)),
    "tiny": lambda rng: 1e-100 * rng.normal(size=(N, 3)),
}
FEW = pytest.mark.filterwarnings(
    "ignore:.*distinct clusters were found:sklearn.exceptions.ConvergenceWarning",
    "ignore:Must-links make fewer neighbourhoods:UserWarning",
    "ignore:.*MKMeans gives rows to their nearest centre:sklearn.exceptions.ConvergenceWarning",
    "ignore:.*SupervisedMeans gives rows to their nearest:sklearn.exceptions.ConvergenceWarning",
    "ignore:.*KMeans links only say which rows share:sklearn.exceptions.ConvergenceWarning",
)


def assert_sound(model, X, k):
    """Labels are clusters, and everything that was fitted is finite."""
    inner = getattr(model, "clusterer_", model)
    assert set(model.labels_) <= set(range(k))
    assert np.isfinite(inner.cluster_centers_).all()
    assert np.isfinite(getattr(inner, "metrics_", 0.0)).all()
    assert np.isfinite(inner.objective_)
    assert np.isfinite(model.transform(X)).all()


@FEW
@each(ALL)
@pytest.mark.parametrize("links", LINKS.values(), ids=LINKS.keys())
@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS.keys())
def test_rows(rng, method, rows, links):
    X = rows(rng)
    if method in COSINE.values() and not X.any(axis=1).all():
        with pytest.raises(ValueError, match="is all zeros, so it has no direction"):
            method(3, random_state=0).fit(X, constraints=links)
        return

    model = method(3, random_state=0).fit(X, constraints=links)

    assert_sound(model, X, 3)


@FEW
@each(ALL)
@pytest.mark.parametrize("links", [None, LINKS["soft links"]], ids=["no links", "soft links"])
def test_one_cluster_holds_all_rows(rng, method, links):
    X = rng.normal(size=(N, 3))

    model = method(1, random_state=0).fit(X, constraints=links)

    assert_sound(model, X, 1)
    assert not model.labels_.any()


@FEW
@each(ALL)
def test_as_many_clusters_as_rows(rng, method):
    X = rng.normal(size=(N, 3))

    model = method(N, random_state=0).fit(X)

    assert_sound(model, X, N)


@each({name: ALL[name] for name in ("PCKMeans", "SeededKMeans", "MPCKMeans identity")})
def test_as_many_clusters_as_rows_gives_each_row_its_own(rng, method):
    X = rng.normal(size=(N, 3))

    model = method(N, random_state=0).fit(X)

    assert sorted(model.labels_) == list(range(N))
    assert model.objective_ == pytest.approx(0.0, abs=1e-12)


@each(without(ALL, {"SupervisedMeans", *COSINE}))
def test_fewer_kinds_of_rows_than_clusters_is_said_once(method):
    X = ROWS["of two kinds"](None)

    with pytest.warns(ConvergenceWarning, match="2 distinct clusters .* n_clusters=3") as said:
        method(3, random_state=0).fit(X)

    assert len(said) == 1


@each(ALL)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused(rng, method, value):
    X = rng.normal(size=(N, 3))
    X[4, 1] = value

    with pytest.raises(ValueError, match=r"contains (NaN|infinity)"):
        method(3).fit(X)


@each(ALL)
def test_no_rows_are_refused(method):
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        method(3).fit(np.empty((0, 3)))


@each(ALL)
def test_no_features_are_refused(method):
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        method(3).fit(np.empty((N, 0)))


@each(ALL)
def test_fewer_rows_than_clusters_are_refused(rng, method):
    with pytest.raises(ValueError, match="n_samples=2 should be at least n_clusters=3"):
        method(3).fit(rng.normal(size=(2, 3)))


@each(CENTRES)
@pytest.mark.parametrize("weights", [np.zeros(N), np.r_[-1.0, np.ones(N - 1)]])
def test_weights_that_leave_no_rows_or_are_negative_are_refused(rng, method, weights):
    with pytest.raises(
        ValueError, match="sample_weight must be zero or more, and not zero everywhere"
    ):
        method(3).fit(rng.normal(size=(N, 3)), sample_weight=weights)


@FEW
@each(CENTRES)
@pytest.mark.parametrize("links", LINKS.values(), ids=LINKS.keys())
def test_rows_that_carry_weight_may_be_fewer_than_clusters(rng, method, links):
    X = rng.normal(size=(N, 3))

    model = method(3, random_state=0).fit(X, constraints=links, sample_weight=np.eye(N)[0])

    assert_sound(model, X, 3)


def test_hard_links_that_ask_for_more_clusters_are_refused(rng):
    links = Constraints(cannot_link=[(0, 1), (1, 2), (0, 2)], cannot_link_weights=np.inf)

    with pytest.raises(InfeasibleError, match="rows 0, 1, 2 must differ") as error:
        ALL["PCKMeans"](2).fit(rng.normal(size=(N, 3)), constraints=links)

    assert sorted(error.value.rows) == [0, 1, 2]
    assert error.value.n_clusters == 2


def test_labels_of_no_row_seed_nothing(rng):
    X = rng.normal(size=(N, 3))

    model = SeededKMeans(3, random_state=0).fit(X, np.full(N, -1))

    assert_sound(model, X, 3)
    assert len(model.classes_) == 0


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS.keys())
def test_rca_stays_finite(rng, rows):
    X = rows(rng)

    image = RCA().fit(X, constraints=LINKS["soft links"]).transform(X)

    assert np.isfinite(image).all()
