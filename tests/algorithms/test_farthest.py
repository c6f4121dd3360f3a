import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

import reference_mpck as paper
from coterie import MPCKMeans
from coterie.algorithms import farthest
from coterie.algorithms.apart import Apart
from coterie.algorithms.farthest import Farthest, FarthestPairs
from coterie.distortion import Diagonal, Full, Identity
from coterie.engines import DenseRows, SparseRows

distortions = pytest.mark.parametrize(
    "distortion", [Identity(), Diagonal(), Diagonal(True), Full(), Full(True)], ids=repr
)
seeds = st.integers(0, 2**32 - 1)


@pytest.fixture
def few_exact(monkeypatch):
    monkeypatch.setattr(farthest, "EXACT_ROWS", 10)


def random_metric(rng, distortion, k, d):
    metric = distortion.start(k, d)
    if isinstance(distortion, Diagonal):
        metric = rng.uniform(0.01, 3.0, size=metric.shape)
    if isinstance(distortion, Full):
        root = rng.standard_normal(metric.shape)
        metric = root @ root.transpose(0, 2, 1) + 0.01 * np.eye(d)
    return metric


def links_of(distortion, differences):
    """Return links whose ends differ by these."""
    stack = sparse.vstack if sparse.issparse(differences) else np.vstack
    none = differences[:1] - differences[:1]
    n = differences.shape[0]
    rows = stack([differences, none])
    rows = rows.tocsr() if sparse.issparse(rows) else rows
    return Apart(distortion, rows, np.column_stack([np.arange(n), np.full(n, n)]))


def matrix_of(part):
    return np.diag(part) if part.ndim == 1 else part


@distortions
@given(seed=seeds, n=st.integers(2, 25), d=st.integers(1, 4))
@settings(max_examples=15)
def test_few_rows_are_searched_exactly(distortion, seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    metric = random_metric(rng, distortion, 2, d)

    pairs = FarthestPairs(distortion, DenseRows(X), links_of(distortion, X[:1] - X[1:2]), rng)
    found = pairs.find(metric)

    assert pairs.how == "exact"
    for h, part in enumerate(metric):
        A = matrix_of(part)
        a, b = paper.farthest_pair(X, A)
        assert found.gaps[h] == pytest.approx(paper.length(a - b, A))
        assert paper.length(found.apart[h], A) == pytest.approx(found.gaps[h])


@distortions
@pytest.mark.parametrize("d", [1, 2, 5])
def test_no_cannot_link_is_longer_than_a_candidate(few_exact, rng, distortion, d):
    X = rng.standard_normal((300, d))
    # Links from anywhere, also longer than any that the rows allow: no sample knows them.
    differences = 4.0 * rng.standard_normal((20, d))
    metric = random_metric(rng, distortion, 2, d)

    pairs = FarthestPairs(distortion, DenseRows(X), links_of(distortion, differences), rng)
    found = pairs.find(metric)

    assert pairs.how == "candidates"
    for h, part in enumerate(metric):
        A = matrix_of(part)
        longest = max(paper.length(x, A) for x in differences)
        assert found.gaps[h] >= longest * (1 - 1e-12)
        assert paper.length(found.apart[h], A) == pytest.approx(found.gaps[h])


@pytest.mark.parametrize("distortion", [Identity(), Diagonal()], ids=repr)
def test_candidates_come_close_to_the_farthest_pair(few_exact, rng, distortion):
    X = rng.standard_normal((400, 3))
    metric = random_metric(rng, distortion, 2, 3)

    found = FarthestPairs(distortion, DenseRows(X), links_of(distortion, X[:1] - X[1:2]), rng).find(
        metric
    )

    a, b = paper.farthest_pair(X, matrix_of(metric[0]))
    exact = paper.length(a - b, matrix_of(metric[0]))
    assert 0.8 * exact <= found.gaps[0] <= exact * (1 + 1e-12)


@pytest.mark.parametrize("limit", [10, 1000])
def test_sparse_rows_have_the_pair_of_dense_rows(monkeypatch, rng, limit):
    monkeypatch.setattr(farthest, "EXACT_ROWS", limit)
    X = rng.standard_normal((50, 4)) * (rng.random((50, 4)) < 0.5)
    metric, links = rng.uniform(0.1, 2.0, size=(2, 4)), X[:5] - X[5:10]

    def find(rows, differences):
        chance = np.random.default_rng(0)
        return FarthestPairs(
            Diagonal(True), rows, links_of(Diagonal(True), differences), chance
        ).find(metric)

    thin = find(SparseRows(sparse.csr_array(X)), sparse.csr_array(links))

    dense = find(DenseRows(X), links)
    assert_allclose(thin.gaps, dense.gaps, rtol=1e-9)
    assert_allclose(abs(thin.apart), abs(dense.apart), rtol=1e-9)


def test_a_turned_pair_is_the_same_pair():
    steps = np.array([[1.0, -2.0], [0.0, 3.0]])
    pairs = Farthest(steps, np.array([5.0, 9.0]))

    assert not pairs.differ(pairs)
    assert not pairs.differ(Farthest(steps * [[-1], [1]], pairs.gaps))
    assert pairs.differ(Farthest(steps * [[-1, 1], [1, 1]], pairs.gaps))


def test_a_model_says_how_the_pair_was_sought(few_exact, rng):
    X = rng.standard_normal((40, 2))
    cannot = [], [(0, 1), (2, 3)]

    many = MPCKMeans(2, random_state=0).fit(X, constraints=cannot)
    few = MPCKMeans(2, random_state=0).fit(X[:10], constraints=cannot)
    none = MPCKMeans(2, random_state=0).fit(X, constraints=([(0, 1)], []))

    sought = [model.farthest_pair_ for model in (many, few, none)]
    assert sought == ["candidates", "exact", "unused"]
    assert (many.links_.costs >= 0).all()


def test_many_features_make_candidates_do(rng):
    wide = rng.standard_normal((2_000, 400))

    def how(X):
        return FarthestPairs(
            Identity(), DenseRows(X), links_of(Identity(), X[:1] - X[1:2]), rng
        ).how

    assert how(wide) == "candidates"
    assert how(wide[:, :10]) == "exact"
