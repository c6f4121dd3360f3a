import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from coterie.loops import sweep as ours
from coterie.loops.reference import sweep as plain

# Around a tile of 256 rows, around blocks of 8 features, odd numbers of clusters, and one
# problem whose slopes are too large for the unrolled product.
SHAPES = [(1, 1, 1), (255, 3, 2), (256, 8, 3), (700, 13, 5), (300, 40, 33)]
DTYPES = [np.float64, np.float32]
WEIGHTS = {"weighted": [-1.0, 0.0, 1.0, 2.5], "even": np.array([-1, 1], dtype=np.int8)}


def problem(rng, n, d, k, dtype, weights="weighted"):
    """Return rows, their shift, weights of which some hold a row, and labels to begin with."""
    X = (3.0 + rng.standard_normal((n, d))).astype(dtype)
    return (
        X,
        X.mean(axis=0),
        rng.choice(WEIGHTS[weights], n),
        rng.integers(k, size=n, dtype=np.int32),
    )


def linear(rng, d, k, dtype, *, squared):
    slopes = rng.standard_normal((k, 2 * d if squared else d))
    return [slopes.astype(dtype), rng.standard_normal(k).astype(dtype)]


def quadratic(rng, d, k, dtype):
    factors = np.triu(rng.standard_normal((k, d, d)) + 2 * np.eye(d))
    parts = factors, rng.standard_normal((k, d)), rng.standard_normal(k)
    return [part.astype(dtype) for part in parts]


def swept(loop, X, shift, rule, weights, labels, *shapes):
    labels, sums = labels.copy(), [np.ones(shape) for shape in shapes]  # ones: it adds to them
    moved = loop(X, shift, *rule, weights, labels, *sums)
    return moved, labels, sums


def assert_alike(one, two, dtype):
    rtol = 1e-4 if dtype == np.float32 else 1e-9
    assert one[0] == two[0]
    assert_array_equal(one[1], two[1])
    for a, b in zip(one[2], two[2], strict=True):
        assert_allclose(a, b, rtol=rtol, atol=rtol * max(1.0, np.abs(b).max()))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize(("n", "d", "k"), SHAPES)
def test_sweep_linear(rng, n, d, k, squared, dtype, weights):
    X, shift, weights, labels = problem(rng, n, d, k, dtype, weights)
    rule = linear(rng, d, k, dtype, squared=squared)
    given = X, shift, rule, weights, labels, k, rule[0].shape

    assert_alike(swept(ours.sweep_linear, *given), swept(plain.sweep_linear, *given), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("n", "d", "k"), SHAPES)
def test_sweep_full(rng, n, d, k, dtype):
    X, shift, weights, labels = problem(rng, n, d, k, dtype)
    rule = quadratic(rng, d, k, dtype)
    given = X, shift, rule, weights, labels, k, (k, d), (k, d, d)

    assert_alike(swept(ours.sweep_full, *given), swept(plain.sweep_full, *given), dtype)


@pytest.mark.parametrize("module", [ours, plain])
def test_a_tie_goes_to_the_lower_cluster(module):
    X, labels = np.ones((300, 2)), np.full(300, 2, dtype=np.int32)
    rule = [np.zeros((3, 2)), np.array([1.0, 0.0, 0.0])]

    swept_labels = swept(module.sweep_linear, X, X[0], rule, np.ones(300), labels, 3, (3, 2))[1]

    assert_array_equal(swept_labels, 1)


@pytest.mark.parametrize("module", [ours, plain])
def test_held_rows_keep_their_label_and_add_to_no_sum(rng, module):
    X = rng.standard_normal((300, 2))
    weights, labels = np.where(np.arange(300) < 10, -1.0, 1.0), np.full(300, -7, dtype=np.int32)
    counts, sums = np.zeros(1), np.zeros((1, 2))

    moved = module.sweep_linear(
        X, np.zeros(2), np.ones((1, 2)), np.zeros(1), weights, labels, counts, sums
    )

    assert moved == 290
    assert_array_equal(labels, np.repeat([-7, 0], [10, 290]))
    assert counts[0] == 290
    assert_allclose(sums[0], X[10:].sum(axis=0))
