"""Bregman divergences against their textbook formulas, and against what their minima must be."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import logit, xlogy

import reference_hmrf as paper
from coterie.algorithms import hmrf
from coterie.distortion import Bregman, Evidence, Identity, Moments, i_divergence, itakura_saito, kl
from coterie.engines import DenseRows, SparseRows
from coterie.inference import ICM
from coterie.model import LinkGraph, Problem
from problems import random_constraints

SQUARES = Bregman(phi=lambda x: x**2, gradient=lambda x: 2 * x)
COINS = Bregman(phi=lambda x: xlogy(x, x) + xlogy(1 - x, 1 - x), gradient=logit, domain=(0.0, 1.0))


def counts(rng, n, d):
    X = rng.poisson(1.5, (n, d)).astype(float)
    X[:, 0] += X.sum(axis=1) == 0
    return X


def texts(rng, n, d):
    X = counts(rng, n, d)
    return X / X.sum(axis=1, keepdims=True)


def chances(rng, n, d):
    return np.clip(rng.uniform(-0.2, 1.2, (n, d)), 0.0, 1.0)


class Kind(NamedTuple):
    distortion: Bregman  # without a prior
    measure: Callable  # of the reference
    draw: Callable  # rows


def normal(rng, n, d):
    return rng.standard_normal((n, d))


def powers(rng, n, d):
    return rng.gamma(2.0, 1.0, (n, d))


KINDS = {
    "kl": Kind(kl(prior=0.0), paper.i_divergence, texts),
    "i-divergence": Kind(i_divergence(prior=0.0), paper.i_divergence, counts),
    "itakura-saito": Kind(itakura_saito(), paper.itakura_saito, powers),
    "coins": Kind(COINS, paper.logistic, chances),
    "squares": Kind(SQUARES, paper.squared_euclidean, normal),
}
OF_SPARSE_ROWS = ["kl", "i-divergence", "coins", "squares"]
priors = pytest.mark.parametrize("prior", [0.0, 0.7])


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


class Drawn(NamedTuple):
    X: np.ndarray
    labels: np.ndarray
    centres: np.ndarray  # inside the domain, and not the means
    a: np.ndarray  # weights of the features

    @property
    def k(self):
        return len(self.centres)

    @property
    def metric(self):
        return self.a[None]


def drawn(rng, kind, n=24, d=4, k=3):
    X = kind.draw(rng, n, d)
    labels = rng.permutation(np.arange(n) % k)
    mix = rng.dirichlet(np.full(n, 0.3), size=k)
    return Drawn(X, labels, mix @ X, rng.uniform(0.2, 3.0, size=d))


def rows_in(X, weights=None):
    if sparse.issparse(X):
        return SparseRows(X, sample_weight=weights)
    return DenseRows(X, sample_weight=weights, shift=np.zeros(X.shape[1]))


def moments_of(distortion, X, labels, k):
    member = (labels == np.arange(k)[:, None]).astype(float)
    return Moments(member.sum(axis=1), member @ X, distortion.totals(rows_in(X)))


def distance(kind, X, labels, centres, a):
    """Return what rows lie from their centres, added up, log Z included."""
    each = zip(X, labels, strict=True)
    return sum(kind.measure(x, centres[h], a) + paper.normaliser(a) for x, h in each)


def evidence_of(distortion, X, labels, k, must, cannot, pair):
    """Return what broken links say of the weights; `pair` are the rows that lie farthest apart."""
    must = [(i, j, w) for i, j, w in must if labels[i] != labels[j]]
    cannot = [(i, j, w) for i, j, w in cannot if labels[i] == labels[j]]
    pairs = np.array([(i, j) for i, j, _ in must + must + cannot], dtype=int).reshape(-1, 2)
    signed = [w / 2 for *_, w in must + must] + [-w for *_, w in cannot]
    where = [labels[i] for i, *_ in must] + [labels[j] for _, j, _ in must]
    here = [labels[i] for i, *_ in cannot]
    farthest = distortion.apart(np.array(pair), np.array([[0, 1]]))
    heavy = np.bincount(here, [w for *_, w in cannot], minlength=k)
    clusters = np.array(where + here, dtype=np.int64)
    return Evidence(distortion.apart(X, pairs), np.array(signed), clusters, farthest, heavy)


def random_links(rng, n, m=10, weight=0.1):
    pairs = [tuple(rng.choice(n, 2, replace=False)) for _ in range(2 * m)]
    links = [(int(i), int(j), weight * rng.uniform(0.5, 1.5)) for i, j in pairs]
    return links[:m], links[m:]


# Formulas


def test_a_cost_is_the_divergence_and_the_normaliser(rng, kind):
    s = drawn(rng, kind)

    costs = kind.distortion.costs(s.X, s.centres, s.metric)

    log_z = paper.normaliser(s.a)
    expected = [[kind.measure(x, c, s.a) + log_z for c in s.centres] for x in s.X]
    assert_allclose(costs, expected, rtol=1e-9, atol=1e-9)


def test_no_cost_is_less_than_that_of_the_centre_itself(rng, kind):
    X, ones = kind.draw(rng, 200, 4), np.ones((1, 4))
    centres = np.vstack([X, X.mean(axis=0)])

    assert (kind.distortion.costs(centres, centres, ones) >= 0.0).all()


def test_kl_of_shares_is_the_plain_sum(rng):
    s = drawn(rng, KINDS["kl"])
    ones = np.ones(4)

    costs = kl().costs(s.X, s.centres, ones[None])

    assert_allclose(costs, [[paper.kl(x, c, ones) for c in s.centres] for x in s.X], atol=1e-12)


def test_gaps_are_divergences_from_the_middle(rng, kind):
    s, distortion = drawn(rng, kind), kind.distortion
    pairs = np.array([(0, 1), (5, 2), (7, 7)])

    gaps = distortion.gaps(distortion.apart(s.X, pairs), s.metric)

    scaling = paper.from_the_middle(kind.measure)
    expected = [[scaling(s.X[i], s.X[j], s.a)] for i, j in pairs]
    assert_allclose(gaps, expected, rtol=1e-9, atol=1e-12)


def test_the_total_adds_the_costs_of_all_rows_from_their_own_centres(rng, kind):
    s, distortion = drawn(rng, kind), kind.distortion

    total = distortion.total(moments_of(distortion, s.X, s.labels, s.k), s.centres, s.metric)

    expected = distance(kind, s.X, s.labels, s.centres, s.a)
    assert total == pytest.approx(expected, rel=1e-10)


def test_a_prior_is_that_many_rows_at_the_mean_in_each_cluster(rng, kind):
    s, distortion = drawn(rng, kind), replace(kind.distortion, prior=0.7)
    mean = s.X.mean(axis=0)

    moments = distortion.smooth(moments_of(distortion, s.X, s.labels, s.k), mean)

    given = sum(kind.measure(mean, c, s.a) + paper.normaliser(s.a) for c in s.centres)
    expected = distance(kind, s.X, s.labels, s.centres, s.a) + 0.7 * given
    assert distortion.total(moments, s.centres, s.metric) == pytest.approx(expected, rel=1e-9)
    assert_allclose(moments.counts, np.bincount(s.labels) + 0.7)


def test_the_rule_is_the_costs_up_to_a_constant_of_the_row(rng, kind):
    s, distortion = drawn(rng, kind), kind.distortion

    rule = distortion.rule(s.centres, s.metric)

    left = s.X @ rule.slopes.T + rule.offsets - distortion.costs(s.X, s.centres, s.metric)
    assert_allclose(left, np.repeat(left[:, :1], s.k, axis=1), atol=1e-9)


@pytest.mark.parametrize("name", ["kl", "i-divergence", "coins"])
def test_features_that_no_centre_has_seen_tell_none_from_another(name):
    kind = KINDS[name]
    centres = np.array([[0.4, 0.0], [0.8, 0.0]])
    rows, metric = np.array([[0.5, 1.0], [0.7, 0.6], [0.3, 0.0]]), np.array([[2.0, 0.5]])

    rule = kind.distortion.rule(centres, metric)
    costs = kind.distortion.costs(rows, centres, metric)

    seen = [[kind.measure(x[:1], c[:1], [2.0]) for c in centres] for x in rows]
    assert_allclose(costs, np.array(seen) + paper.normaliser(metric[0]), atol=1e-12)
    assert_allclose(np.diff(rows @ rule.slopes.T + rule.offsets), np.diff(costs), atol=1e-12)


def test_features_that_all_centres_have_in_full_tell_none_from_another():
    centres, rows = np.array([[0.4, 1.0], [0.8, 1.0]]), np.array([[0.5, 1.0], [0.7, 0.6]])

    costs = COINS.costs(rows, centres, np.ones((1, 2)))

    seen = [[paper.logistic(x[:1], c[:1], [1.0]) for c in centres] for x in rows]
    assert_allclose(costs, seen, atol=1e-12)


def test_second_moments_are_weighted_sums_of_phi(rng, kind):
    s, distortion = drawn(rng, kind), kind.distortion
    weights = rng.uniform(size=(2, 24)) * (rng.random((2, 24)) < 0.5)

    second = distortion.second(s.X, sparse.csr_array(weights))

    expected = [
        [
            sum(w * distortion.phi(np.array(x)) for w, x in zip(row, column, strict=True))
            for column in s.X.T
        ]
        for row in weights
    ]
    assert_allclose(second, expected, atol=1e-12)
    assert_allclose(distortion.totals(rows_in(s.X, weights[0])), expected[:1], atol=1e-12)


@pytest.mark.parametrize("name", OF_SPARSE_ROWS)
def test_sparse_rows_give_what_dense_rows_give(rng, name):
    distortion, s = KINDS[name].distortion, drawn(rng, KINDS[name])
    X = s.X * (rng.random(s.X.shape) < 0.7)
    X[:, 0] += X.sum(axis=1) == 0
    pairs = np.array([(0, 1), (4, 2), (3, 3)])
    groups = sparse.csr_array(rng.random((2, 24)))

    def seen_by(X):
        rows = rows_in(distortion.prepare(X))
        taken = rows.take(np.arange(24))
        yield taken
        yield distortion.costs(taken, s.centres, s.metric)
        yield distortion.apart(taken, pairs)
        yield distortion.gaps(distortion.apart(taken, pairs), s.metric)
        yield distortion.image(taken, s.metric, 0)
        yield distortion.second(taken, groups)
        yield distortion.totals(rows)
        yield np.array(distortion.spread(rows))

    assert distortion.takes_sparse
    for ours, theirs in zip(seen_by(sparse.csr_array(X)), seen_by(X), strict=True):
        dense = ours.toarray() if sparse.issparse(ours) else ours
        assert_allclose(dense, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", OF_SPARSE_ROWS)
def test_entries_stored_twice_add_up(name):
    distortion = KINDS[name].distortion
    twice = sparse.csr_array(([0.25, 0.5, 0.75, 0.5, 0.5], [0, 0, 1, 0, 1], [0, 2, 3, 5]), (3, 2))
    centres, ones, pairs = np.full((1, 2), 0.5), np.ones((1, 2)), np.array([(0, 1)])

    def seen_by(X):
        rows = rows_in(distortion.prepare(X))
        taken = rows.take(np.arange(3))
        yield distortion.costs(taken, centres, ones)
        yield distortion.gaps(distortion.apart(taken, pairs), ones)
        yield distortion.totals(rows)

    for ours, theirs in zip(seen_by(twice), seen_by(twice.toarray()), strict=True):
        assert_allclose(ours, theirs, rtol=1e-12)


def test_what_would_fill_sparse_rows_does_not_take_them():
    assert not itakura_saito().takes_sparse
    assert not Bregman(phi=np.exp, gradient=np.exp).takes_sparse  # exp 0 is not 0
    assert not Bregman(phi=np.expm1, gradient=np.exp, domain=(1.0, 2.0)).takes_sparse
    assert Bregman(phi=np.expm1, gradient=np.exp).takes_sparse


def test_plain_distances_of_images_do_not_fall_where_gaps_rise_along_a_feature(kind):
    points = np.linspace(0.05, 0.95, 10)[:, None]
    distortion, metric = kind.distortion, np.array([[2.0]])

    image = distortion.image(points, metric, 0)

    pairs = np.column_stack([np.zeros(10, dtype=int), np.arange(10)])
    gaps = distortion.gaps(distortion.apart(points, pairs), metric)[:, 0]
    assert_array_equal(np.argsort(np.abs(image - image[0])[:, 0]), np.argsort(gaps))


@pytest.mark.parametrize("name", ["kl", "i-divergence", "itakura-saito", "squares"])
def test_plain_distances_of_near_images_are_divergences(name):
    # From the middle, near rows lie apart by phi'' / 4 times the square of their difference.
    distortion, metric = KINDS[name].distortion, np.array([[2.0, 0.5]])
    near = np.array([[0.4, 0.6], [0.4 + 1e-3, 0.6 - 1e-3]])

    image = distortion.image(near, metric, 0)

    gap = distortion.gaps(distortion.apart(near, np.array([(0, 1)])), metric)[0, 0]
    scale = {"squares": 2.0}.get(name, 4.0)
    assert ((image[0] - image[1]) ** 2).sum() == pytest.approx(scale * gap, rel=1e-2)


# Centres


@priors
def test_the_best_centres_are_means_prior_rows_included(rng, kind, prior):
    distortion = replace(kind.distortion, prior=prior)
    s = drawn(rng, kind)
    mean = s.X.mean(axis=0)
    moments = distortion.smooth(moments_of(distortion, s.X, s.labels, s.k), mean)

    centres = distortion.centres(moments, s.centres)

    for h, centre in enumerate(centres):
        mine = s.X[s.labels == h]
        assert_allclose(centre, (mine.sum(axis=0) + prior * mean) / (len(mine) + prior))
    least = distortion.total(moments, centres, s.metric)
    for _ in range(10):
        off = 0.98 * centres + 0.02 * s.X[rng.choice(24, s.k)]
        assert distortion.total(moments, off, s.metric) > least


@given(seed=st.integers(0, 2**32 - 1), name=st.sampled_from(sorted(KINDS)))
@settings(max_examples=25)
def test_what_a_centre_is_off_the_mean_costs_each_row_the_same(seed, name):
    rng, kind = np.random.default_rng(seed), KINDS[name]
    s = drawn(rng, kind, n=8, k=2)
    distortion = kind.distortion

    def total(centre):
        return distortion.costs(s.X, centre[None], s.metric).sum()

    mean = s.X.mean(axis=0)
    excess = 8 * kind.measure(mean, s.centres[0], s.a)
    assert total(s.centres[0]) - total(mean) == pytest.approx(excess, rel=1e-6, abs=1e-9)


def test_a_cluster_without_rows_keeps_its_centre(rng, kind):
    distortion, s = (
        kind.distortion,
        drawn(rng, kind),
    )
    centres = np.vstack([s.centres, s.X[:1]])

    fresh = distortion.centres(moments_of(distortion, s.X, s.labels, 4), centres)

    assert_array_equal(fresh[3], centres[3])


def test_an_empty_cluster_with_a_prior_has_its_centre_at_the_mean(rng, kind):
    distortion, s = replace(kind.distortion, prior=0.7), drawn(rng, kind)
    mean = s.X.mean(axis=0)
    moments = distortion.smooth(moments_of(distortion, s.X, s.labels, 4), mean)

    assert_allclose(distortion.centres(moments, np.vstack([s.centres, mean]))[3], mean)


def points(rng, kind):
    """Return points that may be no centres at all."""
    return np.vstack([3.0 * rng.standard_normal((20, 4)), np.zeros(4), kind.draw(rng, 5, 4)])


@priors
def test_admitted_points_are_valid_centres(rng, kind, prior):
    distortion = replace(kind.distortion, prior=prior)
    X = kind.draw(rng, 24, 4)
    low, high = distortion.domain

    admitted = distortion.admit(points(rng, kind), X.mean(axis=0))

    assert (admitted > low).all()
    assert (admitted < high).all()
    if distortion.normalised:
        assert_allclose(admitted.sum(axis=1), 1.0)
    assert np.isfinite(distortion.costs(X, admitted, np.ones((1, 4)))).all()


def test_points_that_may_be_centres_are_admitted_as_they_are(rng, kind):
    distortion = kind.distortion
    s = drawn(rng, kind)

    assert_allclose(distortion.admit(s.centres, s.X.mean(axis=0)), s.centres, rtol=1e-12)


def test_points_beyond_an_end_come_back_from_it():
    admitted = COINS.admit(np.array([[-0.2, 1.3, 0.4]]), np.full(3, 0.5))

    assert_allclose(admitted, [[0.2, 0.7, 0.4]])


# Refit


def setting_of(rng, kind, weight=0.1):
    s = drawn(rng, kind)
    must, cannot = random_links(rng, 24, weight=weight)
    distortion = replace(kind.distortion, learned=True)
    scaling = paper.from_the_middle(kind.measure)
    pair = paper.farthest_pair(s.X, scaling, s.a)
    moments = moments_of(distortion, s.X, s.labels, s.k)
    s = s._replace(centres=moments.sums / moments.counts[:, None])
    evidence = evidence_of(distortion, s.X, s.labels, s.k, must, cannot, pair)

    def objective(a):
        return paper.eq6(
            *(s.X, s.labels, s.centres, a, must, cannot),
            measure=kind.measure,
            scaling=scaling,
            log_z=paper.normaliser,
            pair=pair,
        )

    return distortion, s, moments, evidence, objective


def slope_of(objective, a, step=1e-4):
    """Return the derivative by the logarithm of each weight."""
    each = [np.exp(step * row) for row in np.eye(len(a))]
    return np.array([(objective(a * up) - objective(a / up)) / (2 * step) for up in each])


@given(seed=st.integers(0, 2**32 - 1), name=st.sampled_from(sorted(KINDS)))
@settings(max_examples=15)
def test_refit_finds_where_equation_6_is_flat(seed, name):
    distortion, s, moments, evidence, objective = setting_of(
        np.random.default_rng(seed), KINDS[name]
    )

    fresh, events = distortion.refit(moments, s.centres, evidence, s.metric)

    assert not events
    assert fresh.shape == (1, 4)
    assert_allclose(slope_of(objective, fresh[0]), 0.0, atol=1e-5)


def test_refit_finds_where_equation_6_is_least(rng, kind):
    distortion, s, moments, evidence, objective = setting_of(rng, kind)

    fresh, _ = distortion.refit(moments, s.centres, evidence, s.metric)

    least = objective(fresh[0])
    for _ in range(10):
        assert objective(fresh[0] * np.exp(0.05 * rng.standard_normal(4))) > least


@pytest.mark.parametrize("name", OF_SPARSE_ROWS)
def test_sparse_links_teach_what_dense_ones_teach(rng, name):
    distortion, s, moments, evidence, _ = setting_of(rng, KINDS[name])

    thin = evidence._replace(apart=sparse.csr_array(evidence.apart))

    fresh, _ = distortion.refit(moments, s.centres, thin, s.metric)
    again, _ = distortion.refit(moments, s.centres, evidence, s.metric)
    assert_allclose(fresh, again, rtol=1e-12)


def without_links(distortion, X, k=1):
    """Return what `refit` takes, of rows that no link binds."""
    labels = np.arange(len(X)) % k
    moments = moments_of(distortion, X, labels, k)
    centres = moments.sums / moments.counts[:, None]
    return moments, centres, evidence_of(distortion, X, labels, k, [], [], X[:2])


def test_a_constant_column_is_conditioned(rng, kind):
    distortion = replace(kind.distortion, conditioning=0.05)
    X = kind.draw(rng, 20, 4)
    X[:, 3] = 0.37
    moments, centres, evidence = without_links(distortion, X)

    fresh, events = distortion.refit(moments, centres, evidence, np.ones((1, 4)))

    assert events == {"conditioned": 1}
    ones = np.ones(1)
    spread = [
        2 * np.mean([kind.measure([x], [centre], ones) for x in column])
        for column, centre in zip(X.T, centres[0], strict=True)
    ]
    spread[3] = 0.0
    assert_allclose(1 / fresh[0], np.array(spread) + 0.05 * sum(spread), rtol=1e-6)


def test_equal_rows_have_nothing_to_teach(kind):
    distortion, X, metric = kind.distortion, np.full((6, 2), 0.3), np.array([[2.5, 0.5]])

    fresh, events = distortion.refit(*without_links(distortion, X), metric)

    assert events == {"conditioned": 1}
    assert_array_equal(fresh, metric)


@pytest.mark.parametrize("share", [1e-3, 0.1])
def test_a_negative_sum_is_projected_to_the_cone(kind, share):
    distortion, metric = replace(kind.distortion, conditioning=share), np.ones((1, 2))
    # The farthest pair differs in one feature, the cannot-link in the other.
    X = np.array([[0.05, 0.4], [0.95, 0.4], [0.5, 0.2], [0.5, 0.6], [0.4, 0.5]])
    labels, cannot = np.zeros(5, dtype=int), [(2, 3, 200.0)]
    moments, centres, _ = without_links(distortion, X)
    evidence = evidence_of(distortion, X, labels, 1, [], cannot, X[:2])

    fresh, events = distortion.refit(moments, centres, evidence, metric)

    assert events == {"projected": 1}
    scaling, ones = paper.from_the_middle(kind.measure), np.ones(1)
    sums = []
    for m in range(2):
        spread = sum(kind.measure(x[[m]], centres[0][[m]], ones) for x in X)
        links = 200.0 * (scaling(X[0][[m]], X[1][[m]], ones) - scaling(X[2][[m]], X[3][[m]], ones))
        sums.append(5 / (2 * (spread + links)))
    assert sums[1] < 0 < sums[0]
    # What was positive stays, what was negative is a share of its size, within what there is.
    assert_allclose(fresh[0], [sums[0], min(-share * sums[1], sums[0])], rtol=1e-9)


def test_a_new_metric_leaves_the_moments_as_they_are(rng, kind):
    distortion, s, moments, _, _ = setting_of(rng, kind)

    assert distortion.recount(moments, None, s.metric) is moments


# The loop


@pytest.mark.parametrize("learned", [False, True])
@priors
def test_the_loop_ends_with_equation_6_of_what_it_returns(rng, kind, prior, learned):
    distortion = replace(kind.distortion, prior=prior, learned=learned)
    X = kind.draw(rng, 24, 3)
    links = random_constraints(rng, 24, 12)
    problem = Problem(rows_in(X), LinkGraph.of(links, links), 2)
    setting = hmrf.Setting(problem, distortion, ICM(), scaled=True, link_weight=0.3)
    centres = distortion.admit(X[[0, 9]] + 0.01, problem.mean)

    found = hmrf.run(setting, centres, max_iter=20, tol=0.0, rng=rng)

    must, cannot = (
        [(i, j, 0.3 * w) for (i, j), w in zip(pairs.tolist(), weights, strict=True)]
        for pairs, weights in (
            (links.must_link, links.must_link_weights),
            (links.cannot_link, links.cannot_link_weights),
        )
    )
    expected = paper.eq6(
        *(X, found.labels, found.centres, found.metric[0], must, cannot),
        measure=kind.measure,
        scaling=paper.from_the_middle(kind.measure),
        log_z=paper.normaliser,
        given=[(prior, X.mean(axis=0))] if prior else [],
    )
    assert found.trace[-1] == pytest.approx(expected, rel=1e-8)
    assert found.farthest == "exact"
    if not found.events:
        assert max(np.diff(found.trace), default=0.0) <= 1e-9 * abs(found.trace[0])


# What may be a row


@pytest.mark.parametrize("as_sparse", [False, True])
def test_a_number_outside_the_domain_is_named_with_its_place(as_sparse):
    X = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, -0.5], [-2.0, 1.0, 0.0]])

    with pytest.raises(ValueError, match=r"Row 2, column 2 of X holds -0\.5") as refused:
        i_divergence().prepare(sparse.csr_array(X) if as_sparse else X)

    said = str(refused.value)
    assert "the I-divergence takes numbers of 0 or more only" in said
    assert f"2 of {5 if as_sparse else 12} lie outside" in said


ENDS = {
    "of 0 or more": ((0.0, np.inf), True, [0.0, 1.0], -0.1),
    "more than 0": ((0.0, np.inf), False, [0.1, 1.0], 0.0),
    "of 2 or less": ((-np.inf, 2.0), True, [-5.0, 2.0], 2.5),
    "less than 2": ((-np.inf, 2.0), False, [-5.0, 1.9], 2.0),
    "from -1 to 2": ((-1.0, 2.0), True, [-1.0, 2.0], 2.5),
    "between -1 and 2": ((-1.0, 2.0), False, [-0.9, 1.9], -1.0),
}


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("words", ENDS)
def test_an_end_of_the_domain_is_inside_where_it_is_closed(words, as_sparse):
    domain, closed, inside, outside = ENDS[words]
    half = Bregman(phi=np.square, gradient=lambda x: 2 * x, domain=domain, closed=closed)
    good = np.array([inside, inside[::-1]])
    bad = good.copy()
    bad[1, 0] = outside
    kept = np.ones(4, dtype=bool)
    as_rows = (
        (lambda X: sparse.csr_array((X.ravel()[kept], [0, 1, 0, 1], [0, 2, 4]), (2, 2)))
        if as_sparse
        else np.array
    )

    prepared = half.prepare(as_rows(good))

    assert_array_equal(prepared.toarray() if as_sparse else prepared, good)
    with pytest.raises(ValueError, match=f"Row 1, column 0 .* takes numbers {words} only"):
        half.prepare(as_rows(bad))


@pytest.mark.parametrize("as_sparse", [False, True])
def test_kl_refuses_rows_without_any_share(as_sparse):
    X = np.array([[1.0, 2.0], [0.0, 0.0], [3.0, 1.0], [0.0, 0.0]])

    with pytest.raises(ValueError, match=r"Row 1 of X is all zeros.* \(2 such rows\)"):
        kl().prepare(sparse.csr_array(X) if as_sparse else X)


def test_amounts_may_be_none_at_all(rng):
    X = np.vstack([counts(rng, 5, 3), np.zeros(3)])

    assert_array_equal(i_divergence().prepare(X), X)
    costs = i_divergence().costs(X, np.ones((1, 3)), np.ones((1, 3)))
    assert costs[5, 0] == pytest.approx(3.0)  # what the centre has


def test_itakura_saito_refuses_zeros():
    with pytest.raises(ValueError, match=r"Row 1, column 0 of X holds 0,.* more than 0 only"):
        itakura_saito().prepare(np.array([[1.0, 2.0], [0.0, 1.0]]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_kl_scales_rows_to_shares_and_keeps_their_type(rng, as_sparse, dtype):
    X = counts(rng, 10, 3).astype(dtype)

    prepared = kl().prepare(sparse.csr_array(X) if as_sparse else X)

    dense = prepared.toarray() if as_sparse else prepared
    assert dense.dtype == dtype
    assert_allclose(dense, X / X.sum(axis=1, keepdims=True), rtol=1e-6)


@pytest.mark.parametrize("prior", [1e-3, 1.0])
@pytest.mark.parametrize("name", ["kl", "i-divergence", "coins"])
def test_features_that_few_or_none_have_cost_no_infinity(rng, name, prior):
    distortion, kind = replace(KINDS[name].distortion, prior=prior), KINDS[name]
    X = kind.draw(rng, 12, 5)
    X[:, 3] = 0.0  # of no row
    X[1:, 4], X[0, 4] = 0.0, 1.0  # of one row alone
    X = distortion.prepare(X)
    labels, mean = np.arange(12) % 3, X.mean(axis=0)
    moments = distortion.smooth(moments_of(distortion, X, labels, 3), mean)
    centres = distortion.centres(moments, distortion.admit(X[:3], mean))

    evidence = evidence_of(distortion, X, labels, 3, [(0, 1, 1.0)], [(0, 3, 1.0)], X[:2])
    metric, _ = distortion.refit(moments, centres, evidence, np.ones((1, 5)))
    found = [
        distortion.costs(X, centres, metric),
        distortion.costs(X, distortion.admit(X, mean), metric),
        distortion.gaps(distortion.apart(X, np.array([(0, 1), (1, 2)])), metric),
        distortion.total(moments, centres, metric),
        *distortion.rule(centres, metric),
    ]

    assert (metric > 0.0).all()
    for part in [metric, *found]:
        assert np.isfinite(part).all()


@pytest.mark.parametrize("name", ["kl", "i-divergence", "coins"])
def test_without_a_prior_nothing_is_nan(name):
    distortion = KINDS[name].distortion
    X, centres = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [1.0, 0.0]])

    costs = distortion.costs(X, centres, np.ones((1, 2)))

    assert np.isfinite(costs).all()
    assert_allclose(costs[0], 0.0, atol=1e-12)


# A divergence of one's own


def test_the_square_makes_squared_euclidean_distance(rng):
    X, centres = rng.standard_normal((20, 3)), rng.standard_normal((4, 3))
    pairs = np.array([(0, 1), (2, 3)])
    plain = Identity()
    ones, metric = np.ones((1, 3)), plain.start(4, 3)

    costs, gaps = SQUARES.costs(X, centres, ones), SQUARES.apart(X, pairs).sum(axis=1)

    assert_allclose(costs, plain.costs(X, centres, metric), atol=1e-12)
    # Each row is half the distance from the middle: two quarters of its square.
    assert_allclose(gaps, plain.gaps(plain.apart(X, pairs), metric)[:, 0] / 2, atol=1e-12)


def test_a_phi_that_is_not_convex_is_refused(rng):
    concave = Bregman(phi=lambda x: -(x**2), gradient=lambda x: -2 * x, name="a hill")

    with pytest.raises(ValueError, match="phi and gradient of a hill make no divergence"):
        concave.prepare(rng.standard_normal((10, 3)))


@pytest.mark.parametrize("gradient", [lambda x: x, lambda x: -2 * x, lambda x: 2 * x + 1])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_a_gradient_of_something_else_is_refused(rng, gradient, as_sparse):
    wrong = Bregman(phi=lambda x: x**2, gradient=gradient)
    X = rng.standard_normal((50, 3))

    with pytest.raises(ValueError, match="gradient its derivative"):
        wrong.prepare(sparse.csr_array(X) if as_sparse else X)


@pytest.mark.parametrize("rows", [[[1.0, 2.0], [0.0, 3.0]], [[0.0, 2.0], [1.0, 3.0]]])
def test_a_phi_that_is_not_finite_is_refused(rows):
    endless = Bregman(phi=lambda x: -np.log(x), gradient=lambda x: -1 / x, domain=(0.0, np.inf))

    with (
        np.errstate(divide="ignore", invalid="ignore"),
        pytest.raises(ValueError, match="must be convex and finite"),
    ):
        endless.prepare(np.array(rows))


def test_the_last_of_many_numbers_is_looked_at_where_it_is_an_end(rng):
    endless = Bregman(phi=lambda x: -np.log(x), gradient=lambda x: -1 / x, domain=(0.0, np.inf))
    X = rng.uniform(1.0, 2.0, (5_000, 2))
    X[-1, -1] = 0.0

    with np.errstate(divide="ignore"), pytest.raises(ValueError, match="convex and finite"):
        endless.prepare(X)


# Properties


floats = st.floats(1e-3, 1e3)


@given(
    row=st.lists(floats, min_size=3, max_size=3),
    factor=st.floats(1e-30, 1e30),
)
def test_kl_does_not_see_how_much_there_is_of_a_row(row, factor):
    X = np.array([row, [1.0, 2.0, 3.0]])

    scaled = kl().prepare(X * np.array([[factor], [1.0]]))

    assert_allclose(scaled, kl().prepare(X), rtol=1e-12)


@given(x=floats, centre=floats, a=floats, factor=st.floats(1e-30, 1e30))
def test_itakura_saito_sees_ratios_only(x, centre, a, factor):
    x, centre, metric = np.array([[x]]), np.array([[centre]]), np.array([[a]])
    distortion = itakura_saito()

    costs = distortion.costs(factor * x, factor * centre, metric)

    size = a * (x / centre).max() * (1 + abs(np.log(factor)))
    assert_allclose(costs, distortion.costs(x, centre, metric), atol=1e-11 * (1 + size))


@given(seed=st.integers(0, 2**32 - 1), name=st.sampled_from(sorted(KINDS)))
@settings(max_examples=40)
def test_no_gap_exceeds_the_costs_from_any_one_centre(seed, name):
    rng, kind = np.random.default_rng(seed), KINDS[name]
    s = drawn(rng, kind)
    distortion = replace(kind.distortion, prior=0.0)
    pairs = np.column_stack([np.zeros(23, dtype=int), np.arange(1, 24)])

    gaps = distortion.gaps(distortion.apart(s.X, pairs), s.metric)[:, 0]

    bare = distortion.costs(s.X, s.centres, s.metric) - paper.normaliser(s.a)
    assert (gaps >= 0.0).all()
    assert (gaps[:, None] <= bare[:1] + bare[1:] + 1e-9).all()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("phi", 3),
        ("gradient", None),
        ("domain", (1.0, 0.0)),
        ("domain", 0.0),
        ("prior", -1.0),
        ("prior", np.nan),
        ("closed", 1),
    ],
)
def test_an_option_out_of_range_is_refused_by_name(option, value):
    options = {"phi": np.square, "gradient": np.positive, option: value}

    with pytest.raises(ValueError, match=f"Bregman: {option} must be"):
        Bregman(**options)


@pytest.mark.parametrize("wrong", ["phi", "gradient"])
def test_functions_of_whole_rows_are_refused(wrong):
    options = {"phi": np.square, "gradient": lambda x: 2 * x, wrong: np.sum}

    with pytest.raises(ValueError, match=f"{wrong} of this divergence must work on arrays"):
        Bregman(**options).prepare(np.ones((3, 2)))
