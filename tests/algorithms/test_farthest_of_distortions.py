"""The pair of the widest gap, where gaps are not those of a plain distance."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.special import logit, xlogy

import reference_hmrf as paper
from coterie.algorithms import farthest, hmrf
from coterie.algorithms.apart import Apart
from coterie.algorithms.farthest import FarthestPairs
from coterie.distortion import (
    AbstractDistortion,
    Bregman,
    Cosine,
    bregman,
    i_divergence,
    itakura_saito,
    kl,
)
from coterie.engines import DenseRows, SparseRows
from coterie.inference import ICM
from coterie.model import LinkGraph, Problem
from problems import random_constraints

COINS = Bregman(phi=lambda x: xlogy(x, x) + xlogy(1 - x, 1 - x), gradient=logit, domain=(0.0, 1.0))


class Kind(NamedTuple):
    distortion: AbstractDistortion
    scaling: Callable  # of the reference
    draw: Callable  # rows


def counts(rng, n, d):
    X = rng.poisson(1.5, (n, d)).astype(float)
    X[:, 0] += X.sum(axis=1) == 0
    return X


KINDS = {
    "kl": Kind(kl(), paper.from_the_middle(paper.i_divergence), counts),
    "i-divergence": Kind(i_divergence(), paper.from_the_middle(paper.i_divergence), counts),
    "itakura-saito": Kind(
        itakura_saito(),
        paper.from_the_middle(paper.itakura_saito),
        lambda rng, n, d: rng.gamma(1.0, 1.0, (n, d)),
    ),
    "coins": Kind(
        COINS, paper.from_the_middle(paper.logistic), lambda rng, n, d: rng.random((n, d)).round(1)
    ),
    "cosine": Kind(Cosine(), paper.cosine, lambda rng, n, d: rng.standard_normal((n, d))),
}
every_kind = pytest.mark.parametrize("name", KINDS)
OF_SPARSE_ROWS = ["kl", "i-divergence", "coins", "cosine"]


def rows_in(X):
    return DenseRows(X, shift=np.zeros(X.shape[1]))


def sought(kind, X, cannot, rows=None):
    """Return what seeks the farthest pair of prepared rows, `cannot` the pairs of the links."""
    links = Apart(kind.distortion, X, np.array(cannot))
    rng = np.random.default_rng(0)
    return FarthestPairs(kind.distortion, rows_in(X) if rows is None else rows, links, rng)


def drawn(rng, kind, n, d):
    return kind.distortion.prepare(kind.draw(rng, n, d)), rng.uniform(0.1, 3.0, size=(1, d))


def widest(kind, X, metric):
    pair = paper.farthest_pair(X, kind.scaling, metric[0])
    return kind.scaling(*pair, metric[0])


@every_kind
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 20), d=st.integers(1, 4))
@settings(max_examples=15)
def test_few_rows_are_searched_exactly(name, seed, n, d):
    kind = KINDS[name]
    X, metric = drawn(np.random.default_rng(seed), kind, n, d)

    pairs = sought(kind, X, [(0, 1)])
    found = pairs.find(metric)

    assert pairs.how == "exact"
    assert found.gaps == pytest.approx(widest(kind, X, metric), abs=1e-9)
    assert_allclose(kind.distortion.gaps(found.apart, metric)[:, 0], found.gaps)


@pytest.mark.parametrize("numbers", [1, 100, 333])
@pytest.mark.parametrize("place", [0, 11, 22])
def test_the_pair_is_found_in_whatever_block_it_lies(monkeypatch, rng, numbers, place):
    monkeypatch.setattr(bregman, "_BLOCK", numbers)
    kind = KINDS["i-divergence"]
    X, metric = drawn(rng, kind, 24, 3)
    X[place], X[place + 1] = [60.0, 0.0, 0.0], [0.0, 60.0, 0.0]

    a, b = kind.distortion.farthest(X, metric, 0, True)

    assert {a, b} == {place, place + 1}


@every_kind
@pytest.mark.parametrize("d", [1, 2, 5])
def test_no_cannot_link_is_longer_than_a_candidate(monkeypatch, rng, name, d):
    monkeypatch.setattr(farthest, "EXACT_ROWS", 10)
    kind = KINDS[name]
    X, metric = drawn(rng, kind, 60, d)
    # All pairs of rows are links: the farthest is among them, whatever candidates miss.
    cannot = np.column_stack(np.triu_indices(60, 1))

    pairs = sought(kind, X, cannot)
    found = pairs.find(metric)

    assert pairs.how == "candidates"
    assert found.gaps == pytest.approx(widest(kind, X, metric), abs=1e-9)
    assert_allclose(kind.distortion.gaps(found.apart, metric)[:, 0], found.gaps)


@every_kind
@pytest.mark.parametrize("limit", [10, 1000])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_no_penalty_is_negative_and_all_are_equations_3_and_4(name, limit, seed):
    rng, kind = np.random.default_rng(seed), KINDS[name]
    X, metric = drawn(rng, kind, 30, 3)
    links = random_constraints(rng, 30, 20)
    problem = Problem(rows_in(X), LinkGraph.of(links, links), 2)
    setting = hmrf.Setting(problem, kind.distortion, ICM(), scaled=True)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(farthest, "EXACT_ROWS", limit)
        penalty, pairs = setting.penalties(metric)

    graph, a = problem.graph, metric[0]
    assert (penalty >= 0.0).all()
    assert pairs.gaps[0] <= widest(kind, X, metric) + 1e-9
    for (i, j), must, weight, cost in zip(
        graph.rows[graph.pairs], graph.must, graph.weights, penalty[:, 0], strict=True
    ):
        gap = kind.scaling(X[i], X[j], a)
        expected = weight * (gap / 2 if must else pairs.gaps[0] - gap)
        assert cost == pytest.approx(expected, abs=1e-8)


@every_kind
def test_candidates_come_close_to_the_farthest_pair(monkeypatch, rng, name):
    monkeypatch.setattr(farthest, "EXACT_ROWS", 10)
    kind = KINDS[name]
    X, metric = drawn(rng, kind, 150, 3)

    pairs = sought(kind, X, [(0, 1)])

    exact = widest(kind, X, metric)
    assert pairs.how == "candidates"
    assert 0.8 * exact <= pairs.find(metric).gaps[0] <= exact * (1 + 1e-9)


@pytest.mark.parametrize("limit", [10, 1000])
@pytest.mark.parametrize("name", OF_SPARSE_ROWS)
def test_sparse_rows_have_the_pair_of_dense_rows(monkeypatch, rng, name, limit):
    monkeypatch.setattr(farthest, "EXACT_ROWS", limit)
    kind, links = KINDS[name], [(0, 5), (1, 6), (2, 7)]
    X, metric = drawn(rng, kind, 40, 4)
    thin = sparse.csr_array(X)

    ours = sought(kind, thin, links, SparseRows(thin)).find(metric)

    theirs = sought(kind, X, links).find(metric)
    assert_allclose(ours.gaps, theirs.gaps, rtol=1e-9)
    assert_allclose(KINDS[name].distortion.gaps(ours.apart, metric)[:, 0], ours.gaps)


@every_kind
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=15)
def test_the_ends_stand_in_the_order_of_the_rows(name, seed):
    kind = KINDS[name]
    X, metric = drawn(np.random.default_rng(seed), kind, 8, 3)
    ends = np.column_stack(np.triu_indices(8, 1))

    found = sought(kind, X, [(0, 1)]).find(metric)

    # So a pair that is found again is seen to be the same.
    apart = kind.distortion.apart(X, ends)
    assert np.isclose(apart, found.apart, rtol=1e-12, atol=1e-12).all(axis=1).any()


@every_kind
def test_equal_rows_lie_no_distance_apart(name):
    kind = KINDS[name]
    X = kind.distortion.prepare(np.full((6, 2), 0.25))

    found = sought(kind, X, [(0, 1)]).find(np.ones((1, 2)))

    assert found.gaps == pytest.approx(0.0, abs=1e-12)


@every_kind
def test_rows_without_weight_are_no_end_of_the_pair(rng, name):
    kind = KINDS[name]
    X, metric = drawn(rng, kind, 20, 2)
    heard = np.r_[np.ones(12), np.zeros(8)]
    rows = DenseRows(X, sample_weight=heard, shift=np.zeros(2))

    found = sought(kind, X[:12], [(0, 1)], rows).find(metric)

    assert found.gaps == pytest.approx(widest(kind, X[:12], metric), abs=1e-9)


def test_many_numbers_make_candidates_do_sooner_than_plain_distances():
    X = np.random.default_rng(0).random((500, 20))

    hows = {name: sought(kind, X, [(0, 1)]).how for name, kind in KINDS.items()}

    assert hows.pop("cosine") == "exact"
    assert set(hows.values()) == {"candidates"}
