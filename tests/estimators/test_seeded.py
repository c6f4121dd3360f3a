"""Labels of some rows: what they may be, how they spread, and what is done with them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from coterie import (
    ConstrainedKMeans,
    ConstraintError,
    Constraints,
    SeededKMeans,
    SupervisedMeans,
)
from problems import blobs

METHODS = pytest.mark.parametrize("method", [SeededKMeans, ConstrainedKMeans])


@pytest.fixture
def rows_and_blobs(rng):
    return blobs(rng, apart=20.0)


@METHODS
def test_clusters_are_numbered_by_class(rows_and_blobs, method):
    X, blob = rows_and_blobs
    classes = np.array([7, 2, 40])[blob]
    y = np.where(np.arange(len(X)) < 20, classes, -1)

    model = method(3, random_state=0).fit(X, y)

    assert model.classes_.tolist() == [2, 7, 40]
    assert_array_equal(model.classes_[model.labels_], classes)


@METHODS
@pytest.mark.parametrize(
    "as_given",
    [
        list,
        lambda y: y.astype(float),
        lambda y: y.astype(object),
        pd.Series,
        lambda y: pd.Series(y, dtype="Int64"),
    ],
)
def test_labels_may_come_in_many_forms(rows_and_blobs, method, as_given):
    X, blob = rows_and_blobs
    y = np.where(np.arange(len(X)) < 20, blob, -1)

    labels = method(3, random_state=0).fit(X, as_given(y)).labels_

    assert_array_equal(labels, blob)


@METHODS
@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([0.5] * 60, "y must hold whole numbers, -1 for rows of unknown class; got float64"),
        ([np.inf] * 60, "y must hold whole numbers"),
        (["a"] * 60, "y must hold whole numbers"),
        ([None] * 60, "y must hold whole numbers"),
        ([-2] + [0] * 59, "y holds -2; classes are 0 or more, and -1 stands for"),
        ([0] * 59, r"y must have one label for each of the 60 rows; got \(59,\)"),
        (np.arange(60), "y has 60 classes, more than n_clusters=3"),
    ],
)
def test_labels_that_make_no_sense_are_refused(rows_and_blobs, method, y, sentence):
    X, _ = rows_and_blobs

    with pytest.raises(ValueError, match=sentence):
        method(3).fit(X, y)


@METHODS
def test_must_links_spread_labels(rows_and_blobs, method):
    X, blob = rows_and_blobs
    y = np.full(len(X), -1)
    a, b = np.flatnonzero(blob == 0)[:2]
    c = np.flatnonzero(blob == 1)[0]
    y[[a, c]] = 0, 1
    both = y.copy()
    both[b] = 0

    spread = method(3, random_state=0).fit(X, y, constraints=([(a, b)], []))

    assert_array_equal(spread.labels_, method(3, random_state=0).fit(X, both).labels_)


def test_rows_joined_to_labelled_ones_keep_that_label(rows_and_blobs):
    X, blob = rows_and_blobs
    a, far = np.flatnonzero(blob == 0)[0], np.flatnonzero(blob == 1)[0]
    y = np.full(len(X), -1)
    y[a] = 0

    model = ConstrainedKMeans(3, random_state=0).fit(X, y, constraints=([(a, far)], []))

    assert model.labels_[a] == model.labels_[far] == 0


@METHODS
def test_must_links_between_classes_are_refused(rows_and_blobs, method):
    X, _ = rows_and_blobs
    y = np.full(len(X), -1)
    y[[3, 9]] = 0, 1

    with pytest.raises(ConstraintError, match="Must-links join rows 3 and 9, but y gives them"):
        method(3).fit(X, y, constraints=([(3, 5), (5, 9)], []))


@METHODS
def test_cannot_links_within_a_class_are_refused(rows_and_blobs, method):
    X, _ = rows_and_blobs
    y = np.full(len(X), -1)
    y[[3, 9]] = 1, 1

    with pytest.raises(ConstraintError, match="rows 3 and 9 differ, but y gives them the same"):
        method(3).fit(X, y, constraints=([], [(3, 9)]))


def test_seeds_may_be_left(rows_and_blobs):
    X, blob = rows_and_blobs
    y = np.where(np.arange(len(X)) < 30, blob, -1)
    wrong = np.flatnonzero(blob == 0)[0]
    y[wrong] = 1

    seeded = SeededKMeans(3).fit(X, y).labels_
    held = ConstrainedKMeans(3).fit(X, y).labels_

    assert (seeded[wrong], held[wrong]) == (0, 1)


def test_classes_without_labels_begin_where_there_are_none(rows_and_blobs):
    X, blob = rows_and_blobs
    y = np.where((np.arange(len(X)) < 30) & (blob < 2), blob, -1)

    labels = SeededKMeans(3, random_state=0).fit(X, y).labels_

    assert_array_equal(labels, blob)


@pytest.mark.parametrize("method", [SeededKMeans, ConstrainedKMeans, SupervisedMeans])
def test_hard_links_that_such_methods_break_are_told_of(rng, method):
    X = np.concatenate([rng.normal(size=(20, 2)), 50 + rng.normal(size=(20, 2))])
    links = Constraints([(0, 1), (20, 21)], [(5, 6), (7, 8)], cannot_link_weights=np.inf)

    with pytest.warns(ConvergenceWarning, match="2 hard links are broken: "):
        method(2, random_state=0).fit(X, constraints=links)


@METHODS
def test_nan_stands_for_not_known(rows_and_blobs, method):
    X, blob = rows_and_blobs
    known = np.where(np.arange(len(X)) % 4 == 0, blob, -1)

    found = method(3, random_state=0).fit(X, np.where(known < 0, np.nan, known))

    assert_array_equal(found.labels_, method(3, random_state=0).fit(X, known).labels_)
