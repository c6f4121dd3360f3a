"""New starts for empty clusters, where centres are not just means."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import reference_hmrf as paper
from coterie import Constraints
from coterie.algorithms.reseed import reseed
from coterie.distortion import Bregman, Cosine, Moments, i_divergence, itakura_saito, kl
from coterie.engines import DenseRows, SparseRows
from coterie.model import LinkGraph, Problem

SQUARES = Bregman(phi=lambda x: x**2, gradient=lambda x: 2 * x)
KINDS = {
    "kl": kl(),
    "i-divergence": i_divergence(),
    "itakura-saito": itakura_saito(),
    "squares": SQUARES,
    "cosine": Cosine(learned=True),
}


def with_prior(distortion, prior):
    return replace(distortion, prior=prior) if isinstance(distortion, Bregman) else distortion


def emptied(rng, distortion, *, as_sparse=False):
    """Return weighted rows in the first two of four clusters; the others have lost theirs."""
    X = distortion.prepare(rng.gamma(1.0, 1.0, (20, 3)))
    loud = rng.uniform(0.5, 2.0, size=20)
    links = Constraints(n_samples=20)
    rows = DenseRows(X, sample_weight=loud, shift=np.zeros(3))
    if as_sparse:
        rows = SparseRows(sparse.csr_array(X), sample_weight=loud)
    problem = Problem(rows, LinkGraph.of(links, links), 4)
    distortion = distortion.settle(rows)
    labels = (np.arange(20) % 2).astype(np.int32)
    centres = distortion.admit(X[rng.choice(20, 4)], problem.mean)
    return problem, distortion, X, labels, centres, rng.uniform(0.5, 2.0, size=(1, 3))


def moments_of(problem, distortion, X, labels, metric):
    """Return the moments of these labels, added up afresh."""
    loud = problem.rows.weights
    if isinstance(distortion, Cosine):
        loud = loud / [np.sqrt(paper.inner(x, x, metric[0])) for x in X]
    member = np.where(np.arange(problem.n_clusters)[:, None] == labels, loud, 0.0)
    return Moments(member.sum(axis=1), member @ X, distortion.totals(problem.rows))


@pytest.mark.parametrize("prior", [0.0, 0.5])
@pytest.mark.parametrize("name", KINDS)
def test_moments_stay_those_of_the_labels(rng, name, prior):
    drawn = emptied(rng, with_prior(KINDS[name], prior))
    problem, distortion, X, labels, centres, metric = drawn
    before, now = moments_of(problem, distortion, X, labels, metric), labels.copy()

    moments, fresh, _, n_filled = reseed(problem, distortion, now, before, centres, metric)

    assert n_filled == 2
    assert set(now) == {0, 1, 2, 3}
    for ours, theirs in zip(moments, moments_of(problem, distortion, X, now, metric), strict=True):
        assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    assert_array_equal(fresh[:2], centres[:2])
    for h in (2, 3):
        row = X[now == h]
        assert_allclose(fresh[[h]], distortion.admit(row, problem.mean))


@pytest.mark.parametrize("name", ["kl", "i-divergence"])
def test_a_cluster_that_costs_more_than_it_saves_stays_empty(name):
    # Two tight groups. A prior would draw the centre of a third away from its only row.
    X = np.array([[9.0, 1.0], [9.1, 0.9], [1.0, 9.0], [0.9, 9.1]])
    distortion, links = KINDS[name], Constraints(n_samples=4)
    X = distortion.prepare(X)
    problem = Problem(DenseRows(X, shift=np.zeros(2)), LinkGraph.of(links, links), 3)
    labels, metric = np.array([0, 0, 1, 1], dtype=np.int32), np.ones((1, 2))
    before = moments_of(problem, distortion, X, labels, metric)
    smooth = distortion.smooth(before, problem.mean)
    centres = distortion.centres(smooth, np.ones((3, 2)))

    now, fresh, own, n_filled = reseed(problem, distortion, labels, before, centres, metric)

    assert n_filled == 0
    assert_array_equal(labels, [0, 0, 1, 1])
    for ours, theirs in zip([*now, fresh, own], [*before, centres, metric], strict=True):
        assert_array_equal(ours, theirs)


@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_a_row_must_save_what_the_prior_of_its_cluster_costs_too(prior):
    # The row at 22 costs 167 where it is. Alone with a prior, its centre half-way to the mean 0,
    # it would cost 121, and the prior 121 more.
    X = np.array([[22.0], *[[26 / 3]] * 9, [-22.0], *[[-26 / 3]] * 9])
    distortion, links = replace(SQUARES, prior=prior), Constraints(n_samples=20)
    problem = Problem(DenseRows(X, shift=np.zeros(1)), LinkGraph.of(links, links), 3)
    labels, metric = np.repeat([0, 1], 10).astype(np.int32), np.ones((1, 1))
    before = moments_of(problem, distortion, X, labels, metric)
    centres = distortion.centres(distortion.smooth(before, problem.mean), np.zeros((3, 1)))

    *_, n_filled = reseed(problem, distortion, labels, before, centres, metric)

    assert n_filled == (0 if prior else 1)


@pytest.mark.parametrize("prior", [0.0, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("name", KINDS)
def test_the_objective_never_rises(rng, name, prior):
    drawn = emptied(rng, with_prior(KINDS[name], prior))
    problem, distortion, X, labels, centres, metric = drawn
    before = moments_of(problem, distortion, X, labels, metric)
    # The empty clusters are where a prior keeps them, at the mean.
    centres = distortion.centres(distortion.smooth(before, problem.mean), centres)

    def objective(moments, centres, metric):
        return distortion.total(distortion.smooth(moments, problem.mean), centres, metric)

    then = objective(before, centres, metric)
    *after, n_filled = reseed(problem, distortion, labels, before, centres, metric)

    now = objective(*after)
    assert now < then if n_filled else now == then


@pytest.mark.parametrize("name", ["kl", "i-divergence", "squares", "cosine"])
def test_sparse_rows_fill_the_clusters_that_dense_rows_fill(seed, name):
    found = []
    for as_sparse in (False, True):
        rng = np.random.default_rng(seed)
        drawn = emptied(rng, KINDS[name], as_sparse=as_sparse)
        problem, distortion, X, labels, centres, metric = drawn
        before = moments_of(problem, distortion, X, labels, metric)
        moments, fresh, *_ = reseed(problem, distortion, labels, before, centres, metric)
        found.append([labels, *moments, fresh])

    for ours, theirs in zip(*found, strict=True):
        assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
