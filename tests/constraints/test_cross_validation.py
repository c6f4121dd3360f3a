"""Every fold gets its own links, renumbered, whatever carries them there."""

from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from constraints.strategies import one_by_one
from coterie import ConstraintError, Constraints
from coterie.constraints import as_constraints

N_ROWS = 30
CV = KFold(3, shuffle=True, random_state=0)
TABLES = pytest.mark.parametrize("table", [np.asarray, pd.DataFrame, pl.DataFrame])


class Recorder(ClusterMixin, BaseEstimator):
    """Cluster nothing; remember the links that arrived with each fit."""

    __metadata_request__fit: ClassVar = {"constraints": True}
    arrived: ClassVar[list] = []

    def __init__(self, width=1):
        self.width = width

    def fit(self, X, y=None, *, constraints=None):
        self.arrived.append(as_constraints(constraints, len(X)))
        self.labels_ = np.zeros(len(X), dtype=int)
        return self


@pytest.fixture
def arrived(monkeypatch):
    monkeypatch.setattr(Recorder, "arrived", [])
    return Recorder.arrived


@pytest.fixture(name="X")
def rows(rng):
    return rng.normal(size=(N_ROWS, 2))


@pytest.fixture
def links(rng):
    must, cannot = rng.integers(N_ROWS, size=(2, 40, 2))
    must, cannot = (pairs[pairs[:, 0] != pairs[:, 1]] for pairs in (must, cannot))
    groups = Constraints.from_groups([-1] * N_ROWS, apart=rng.integers(-1, 5, size=N_ROWS))
    return groups | Constraints(must, cannot)


def pipeline():
    return Pipeline([("scale", StandardScaler()), ("cluster", Recorder())])


def constant(estimator, X, y=None):
    return 0.0


def expected(links, rows):
    """Return the links whose rows are both among `rows`, by a walk over all links."""
    place = {row: i for i, row in enumerate(rows.tolist())}
    kept = []
    for pairs in (links.must_link.tolist(), links.cannot_link.tolist()):
        found = [(place[a], place[b]) for a, b in pairs if a in place and b in place]
        kept.append({(min(pair), max(pair)) for pair in found})
    return kept


def heard(links):
    return [{*map(tuple, pairs.tolist())} for pairs in (links.must_link, links.cannot_link)]


@TABLES
def test_cross_validate_with_routing(arrived, X, links, table):
    with config_context(enable_metadata_routing=True):
        cross_validate(pipeline(), table(X), params={"constraints": links}, scoring=constant, cv=CV)

    assert [heard(found) for found in arrived] == [expected(links, t) for t, _ in CV.split(X)]


@TABLES
def test_cross_validate_without_routing(arrived, X, links, table):
    params = {"cluster__constraints": links}
    cross_validate(pipeline(), table(X), params=params, scoring=constant, cv=CV)

    assert [heard(found) for found in arrived] == [expected(links, t) for t, _ in CV.split(X)]


@TABLES
@pytest.mark.parametrize("routing", [True, False])
def test_grid_search_slices_for_each_fold_and_refits_on_all(arrived, X, links, table, routing):
    name = "constraints" if routing else "cluster__constraints"
    grid = GridSearchCV(pipeline(), {"cluster__width": [1, 2]}, scoring=constant, cv=CV)

    with config_context(enable_metadata_routing=routing):
        grid.fit(table(X), **{name: links})

    folds = [expected(links, train) for train, _ in CV.split(X)]
    assert [heard(found) for found in arrived] == [*folds, *folds, heard(links)]


@pytest.mark.parametrize("routing", [True, False])
def test_a_pipeline_passes_all_links(arrived, X, links, routing):
    name = "constraints" if routing else "cluster__constraints"

    with config_context(enable_metadata_routing=routing):
        pipeline().fit(X, **{name: links})
        pipeline().fit_predict(X, **{name: links})

    assert arrived == [links, links]


def test_folds_that_leave_rows_out(arrived, X, links):
    cv = ShuffleSplit(4, train_size=0.5, random_state=0)
    cross_validate(Recorder(), X, params={"constraints": links}, scoring=constant, cv=cv)

    assert [heard(found) for found in arrived] == [expected(links, t) for t, _ in cv.split(X)]
    assert arrived == [one_by_one(links)[train] for train, _ in cv.split(X)]


def test_links_that_do_not_know_their_rows_are_refused_with_a_hint(arrived, X):
    links = Constraints([(0, N_ROWS - 1), (1, N_ROWS - 2)])

    with pytest.raises(ConstraintError, match="n_samples=len"):
        cross_validate(
            Recorder(),
            X,
            params={"constraints": links},
            scoring=constant,
            cv=CV,
            error_score="raise",
        )


def test_a_matrix_is_refused_with_a_hint(arrived, X):
    from scipy.sparse import eye_array

    matrix = eye_array(N_ROWS, k=1).tocsr()

    with pytest.raises(ConstraintError, match="Under cross-validation, give links as Constraints"):
        cross_validate(
            Recorder(),
            X,
            params={"constraints": matrix},
            scoring=constant,
            cv=CV,
            error_score="raise",
        )
