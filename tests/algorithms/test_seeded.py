import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from coterie.algorithms import seeded
from coterie.engines import DenseRows
from invariants.descent import assert_never_rises
from problems import blobs


def run(X, centres, known, rng, *, keep):
    rows = DenseRows(X)
    start = centres - rows.shift
    result = seeded.run(rows, start, known, keep=keep, max_iter=100, tol=0.0, rng=rng)
    return result, result.centres + rows.shift


def squares(X, centres):
    return ((X[:, None] - centres) ** 2).sum(axis=2)


def nothing_known(X):
    return np.full(len(X), -1, dtype=np.int32)


def test_assign_gives_each_row_to_its_nearest_centre_and_moves_nothing(rng):
    X, centres = rng.standard_normal((50, 3)), rng.standard_normal((4, 3))
    rows = DenseRows(X)

    result = seeded.assign(rows, centres - rows.shift)

    assert_array_equal(result.labels, squares(X, centres).argmin(axis=1))
    assert_array_equal(result.centres, centres - rows.shift)
    assert result.objective == pytest.approx(squares(X, centres).min(axis=1).sum())


def test_without_known_labels_it_is_plain_k_means(rng):
    X, _ = blobs(rng, n=80, k=4, apart=3.0)
    start = X[:4]

    result, centres = run(X, start, nothing_known(X), rng, keep=True)

    plain = KMeans(4, init=start, n_init=1, tol=0.0, algorithm="lloyd").fit(X)
    assert_array_equal(result.labels, plain.labels_)
    assert_allclose(centres, plain.cluster_centers_, rtol=1e-9)
    assert result.objective == pytest.approx(plain.inertia_)


@pytest.mark.parametrize("keep", [False, True])
def test_known_labels_stay_only_where_they_are_kept(rng, keep):
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    known = np.array([0, -1, -1, -1, 1, 0], dtype=np.int32)

    result, centres = run(X, np.array([[6.0], [11.0]]), known, rng, keep=keep)

    last = 0 if keep else 1
    assert_array_equal(result.labels, [0, 0, 0, 1, 1, last])
    assert centres[0, 0] == pytest.approx(np.mean(X[result.labels == 0]))
    assert_never_rises(result.trace)


def test_kept_rows_count_in_the_objective(rng):
    X, blob = blobs(rng, n=60, k=3, apart=2.0)
    known = np.where(rng.random(60) < 0.3, rng.permutation(blob), -1).astype(np.int32)

    result, centres = run(X, X[:3], known, rng, keep=True)

    free = known < 0
    assert_array_equal(result.labels[~free], known[~free])
    assert_array_equal(result.labels[free], squares(X, centres).argmin(axis=1)[free])
    own = squares(X, centres)[np.arange(60), result.labels]
    assert result.objective == pytest.approx(own.sum())
    assert_never_rises(result.trace)
