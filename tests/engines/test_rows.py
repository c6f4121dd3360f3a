"""What every engine promises, tested on all of them."""

import os
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from coterie.engines import DenseRows, Linear, Quadratic, SparseRows
from coterie.engines.memory import BLOCK

ENGINES = {
    "dense": lambda X, w: DenseRows(X, sample_weight=w),
    "two threads": lambda X, w: DenseRows(X, sample_weight=w, n_threads=2),
    "sparse": lambda X, w: SparseRows(sparse.csr_array(X), sample_weight=w),
}


@pytest.fixture(params=ENGINES)
def engine(request):
    return ENGINES[request.param]


def rows_of(rng, n=400, d=5):
    X = rng.poisson(0.7, (n, d)).astype(float)
    return X, rng.choice([0.5, 1.0, 2.0], n)


def linear(rng, k=4, d=5, *, squared=False):
    return Linear(rng.standard_normal((k, 2 * d if squared else d)), rng.standard_normal(k))


@pytest.mark.parametrize("squared", [False, True])
def test_a_sweep_adds_up_what_it_assigned(rng, engine, squared):
    X, weights = rows_of(rng)
    rows, rule = engine(X, weights), linear(rng, squared=squared)
    labels = np.full(len(X), -1, dtype=np.int32)

    swept = rows.sweep(rule, labels)

    seen = X - rows.shift
    wide = np.hstack([seen, seen**2]) if squared else seen
    assert_array_equal(labels, (wide @ rule.slopes.T + rule.offsets).argmin(axis=1))
    member = (labels == np.arange(4)[:, None]) * weights
    assert swept.n_moved == len(X)
    assert_allclose(swept.counts, member.sum(axis=1))
    assert_allclose(swept.sums, member @ seen, atol=1e-9)
    assert (swept.second is not None) == squared
    if squared:
        assert_allclose(swept.second, member @ seen**2)


def test_held_rows_are_left_alone(rng, engine):
    X, weights = rows_of(rng)
    rows, rule, held = engine(X, weights), linear(rng), np.array([3, 5, 399])
    labels = np.full(len(X), -1, dtype=np.int32)

    swept = rows.hold(held).sweep(rule, labels)

    assert_array_equal(np.flatnonzero(labels == -1), held)
    assert_allclose(swept.counts.sum(), np.delete(weights, held).sum())
    everything = rows.sweep(rule, labels)
    assert_allclose(everything.counts.sum(), weights.sum())  # the engine itself holds nothing
    assert everything.n_moved == 3


def test_moments_of_all_rows(rng, engine):
    X, weights = rows_of(rng)
    rows = engine(X, weights)

    seen = X - rows.shift
    assert_allclose(rows.squares(), weights @ seen**2)
    assert_allclose(rows.scatter(), (seen.T * weights) @ seen, atol=1e-9)
    assert_allclose(rows.mean(), weights @ seen / weights.sum(), atol=1e-12)


def test_rows_are_handed_over_shifted_in_float64(rng, engine):
    X, weights = rows_of(rng)
    rows = engine(X.astype(np.float32), weights)

    taken = rows.take(np.array([7, 2]))

    dense = taken.toarray() if sparse.issparse(taken) else taken
    assert dense.dtype == np.float64
    assert_allclose(dense, X[[7, 2]] - rows.shift, atol=1e-6)


def test_a_sample_is_drawn_in_order_and_without_repeats(rng, engine):
    rows = engine(*rows_of(rng))

    sample = rows.sample(50, rng)

    assert len(sample) == 50
    assert (np.diff(sample) > 0).all()
    assert_array_equal(rows.sample(1000, rng), np.arange(400))


def test_a_full_metric_for_each_cluster_is_not_for_sparse_rows(rng):
    rows = SparseRows(sparse.csr_array(np.eye(3)))
    rule = Quadratic(np.eye(3)[None], np.zeros((1, 3)), np.zeros(1))

    with pytest.raises(TypeError, match="would fill sparse rows"):
        rows.sweep(rule, np.zeros(3, dtype=np.int32))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["linear", "squared", "quadratic"])
def test_any_number_of_threads_gives_the_same_to_the_last_bit(rng, dtype, kind):
    X = rng.standard_normal((3 * BLOCK + 17, 3)).astype(dtype)
    rule = linear(rng, d=3, squared=kind == "squared")
    if kind == "quadratic":
        factors = np.triu(rng.standard_normal((4, 3, 3)))
        rule = Quadratic(factors, rng.standard_normal((4, 3)), rng.standard_normal(4))
    found = []
    for n_threads in (1, 2, 5):
        rows = DenseRows(X, n_threads=n_threads)
        labels = np.full(len(X), -1, dtype=np.int32)
        swept = rows.sweep(rule, labels)
        found.append([labels, *swept[:2], rows.squares(), rows.scatter(), rows.mean()])

    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            assert_array_equal(one, two)


def test_rows_far_from_the_origin_keep_their_digits(rng):
    X = (1e4 + rng.standard_normal((500, 3))).astype(np.float32)
    rows = DenseRows(X)
    centres = X[:4].astype(np.float64)
    near = centres - rows.shift
    labels = np.empty(500, dtype=np.int32)

    rows.sweep(Linear(-2 * near, (near**2).sum(axis=1)), labels)

    squares = ((X[:, None].astype(np.float64) - centres) ** 2).sum(axis=2)
    assert_allclose(squares[np.arange(500), labels], squares.min(axis=1), rtol=1e-3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="This system does not fork.")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_that_was_forked_sweeps_with_threads_of_its_own(rng):
    rows = DenseRows(rng.standard_normal((3 * BLOCK, 2)), n_threads=2)
    total = rows.squares()

    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(rows.squares(), total) else 1)

    deadline = time.monotonic() + 60
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    if ended[0] == 0:
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert ended == (child, 0)
