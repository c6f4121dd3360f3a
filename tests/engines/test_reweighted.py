"""What engines promise to distortions that hear each row as loud as they like."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from coterie.engines import DenseRows, Linear, SparseRows, memory, squared
from coterie.engines import sparse as thin

DTYPES = [np.float32, np.float64]


def of_kind(kind, X, weights=None, shift=None):
    """Return the rows in an engine; only dense ones are ever shifted."""
    if kind == "sparse":
        return SparseRows(sparse.csr_array(X), sample_weight=weights)
    n_threads = 2 if kind == "two threads" else 1
    return DenseRows(X, sample_weight=weights, n_threads=n_threads, shift=shift)


@pytest.fixture(params=["dense", "two threads", "sparse"])
def engine(request, monkeypatch):
    """Return what makes an engine of rows; it looks at few of them at a time."""
    monkeypatch.setattr(memory, "COPIED", 1)  # then 256 rows are a block
    monkeypatch.setattr(thin, "BLOCK", 97)
    return lambda *args: of_kind(request.param, *args)


def rows_of(rng, n=900, d=4, dtype=np.float64):
    X = rng.poisson(0.8, (n, d)).astype(dtype)
    return X, rng.choice([0.0, 0.5, 1.0, 2.0], n), rng.uniform(-1.0, 2.0, n)


def dense(rows):
    return rows.toarray() if sparse.issparse(rows) else rows


@pytest.mark.parametrize("dtype", DTYPES)
def test_factors_are_multiplied_into_sample_weights(rng, engine, dtype):
    X, weights, factor = rows_of(rng, dtype=dtype)
    rows = engine(X, weights)

    heard = rows.reweighted(factor)

    seen = X - rows.shift
    assert_allclose(heard.weights, weights * factor)
    assert_allclose(heard.squares(), (weights * factor) @ seen**2, rtol=1e-6)
    assert_allclose(heard.scatter(), (seen.T * (weights * factor)) @ seen, rtol=1e-6)
    assert_allclose(heard.mean(), (weights * factor) @ seen / (weights @ factor), rtol=1e-5)


def test_rows_without_sample_weights_weigh_their_factor(rng, engine):
    X, _, factor = rows_of(rng)
    factor = np.abs(factor)

    heard = engine(X).reweighted(factor)

    assert_allclose(heard.weights, factor)
    assert_allclose(heard.squares(), factor @ (X - heard.shift) ** 2)
    labels = np.zeros(900, dtype=np.int32)
    swept = heard.sweep(Linear(np.zeros((1, 4)), np.zeros(1)), labels)
    assert_allclose(swept.counts, factor.sum())


def test_the_engine_itself_keeps_its_weights(rng, engine):
    X, weights, factor = rows_of(rng)
    rows = engine(X, weights)
    before = rows.squares()

    rows.reweighted(factor)

    assert_array_equal(rows.weights, weights)
    assert_array_equal(rows.squares(), before)


def test_factors_of_factors_are_multiplied(rng, engine):
    X, weights, factor = rows_of(rng)

    heard = engine(X, weights).reweighted(factor).reweighted(2 * factor)

    assert_allclose(heard.weights, 2 * weights * factor**2)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("held_first", [True, False])
def test_a_sweep_adds_rows_up_as_loud_as_they_are_heard(rng, engine, dtype, held_first):
    X, weights, factor = rows_of(rng, dtype=dtype)
    factor, held = np.abs(factor), np.array([0, 300, 899])
    rows, rule = engine(X, weights), Linear(rng.standard_normal((3, 4)), rng.standard_normal(3))
    labels = np.full(900, -1, dtype=np.int32)

    # An engine that has swept may have kept what it knew of its weights.
    rows.sweep(rule, labels.copy())
    rows = rows.hold(held).reweighted(factor) if held_first else rows.reweighted(factor).hold(held)
    swept = rows.sweep(rule, labels)

    assert_array_equal(np.flatnonzero(labels == -1), held)
    member = (labels == np.arange(3)[:, None]) * weights * factor
    assert_allclose(swept.counts, member.sum(axis=1), rtol=1e-6)
    assert_allclose(swept.sums, member @ (X - rows.shift), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_hands_over_all_rows_in_order_with_their_places(rng, engine, dtype):
    X, weights, _ = rows_of(rng, dtype=dtype)
    rows, seen, places = engine(X, weights), np.empty((900, 4)), []

    def first(some, where):
        places.append(where)
        seen[where] = dense(some)
        assert some.dtype == np.float64
        return seen[where][:, 0] + np.arange(900)[where]

    numbers = rows.each(first)

    assert len(places) > 1
    assert sorted(i for where in places for i in range(900)[where]) == list(range(900))
    assert_allclose(seen, X - rows.shift, atol=1e-6)
    assert_array_equal(numbers, seen[:, 0] + np.arange(900))


def test_each_hands_over_held_rows_and_rows_without_weight(rng, engine):
    X, weights, _ = rows_of(rng)

    numbers = engine(X, weights).hold(np.array([5])).each(lambda some, _: np.ones(some.shape[0]))

    assert_array_equal(numbers, np.ones(900))


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_are_added_up_by_label_held_or_not(rng, engine, dtype):
    X, weights, _ = rows_of(rng, dtype=dtype)
    labels = rng.integers(3, size=900).astype(np.int32)  # the last of four has no rows
    rows = engine(X, weights).hold(np.array([5, 700]))

    added = rows.add_up(labels, 4)

    member = (labels == np.arange(4)[:, None]) * weights
    assert added.dtype == np.float64
    assert_allclose(added, member @ (X - rows.shift), rtol=1e-6, atol=1e-4)
    assert not added[3].any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_added_is_the_weighted_sum_of_what_is_made_of_rows(rng, engine, dtype):
    X, weights, _ = rows_of(rng, dtype=dtype)
    rows = engine(X, weights, np.zeros(4))

    added = rows.hold(np.array([5])).added(lambda some: 3.0 * squared(some))

    assert_allclose(added, 3.0 * weights @ X.astype(np.float64) ** 2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_number_of_threads_hears_the_same_to_the_last_bit(monkeypatch, rng, dtype):
    monkeypatch.setattr(memory, "COPIED", 1)
    X, factor = rng.standard_normal((5_000, 3)).astype(dtype), rng.random(5_000)
    labels = rng.integers(4, size=5_000).astype(np.int32)
    found = []
    for n_threads in (1, 2, 5):
        rows = DenseRows(X, n_threads=n_threads).reweighted(factor)
        lengths = rows.each(lambda some, _: np.sqrt((some**2).sum(axis=1)))
        found.append([lengths, rows.add_up(labels, 4), rows.added(np.abs)])

    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            assert_array_equal(one, two)


def test_sparse_rows_hear_what_dense_rows_hear(rng):
    X, weights, factor = rows_of(rng)
    labels = rng.integers(3, size=900).astype(np.int32)

    def heard_by(rows):
        rows = rows.reweighted(factor)
        yield rows.add_up(labels, 3)
        yield rows.added(squared)
        yield rows.each(lambda some, _: np.asarray(squared(some).sum(axis=1)).ravel())

    ours = heard_by(of_kind("sparse", X, weights))
    theirs = heard_by(of_kind("dense", X, weights, np.zeros(4)))
    for one, two in zip(ours, theirs, strict=True):
        assert_allclose(one, two, rtol=1e-12)
