"""The cosine against its textbook formula, and its one step down against differences."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import reference_hmrf as paper
from coterie import Constraints
from coterie.algorithms import hmrf
from coterie.distortion import Assigned, Cosine, Evidence, Moments
from coterie.engines import DenseRows, SparseRows
from coterie.inference import ICM
from coterie.model import LinkGraph, Problem
from coterie.seeding import gather
from problems import random_constraints

seeds = st.integers(0, 2**32 - 1)
both = pytest.mark.parametrize("as_sparse", [False, True])
OPPOSITE = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])


class Drawn(NamedTuple):
    """Rows as `prepare` leaves them, in clusters, with weights of rows and features."""

    distortion: Cosine  # settled on the rows
    X: np.ndarray
    labels: np.ndarray
    centres: np.ndarray  # not the best ones
    a: np.ndarray
    loud: np.ndarray

    @property
    def k(self):
        return len(self.centres)

    @property
    def metric(self):
        return self.a[None]

    def rows(self, *, as_sparse=False):
        return rows_in(sparse.csr_array(self.X) if as_sparse else self.X, self.loud)

    def log_z(self, a):
        if not self.distortion.learned:
            return 0.0
        ones = np.ones(len(self.X[0]))
        middle = paper.sum_of_directions(self.X, self.loud, ones)
        far = [w * paper.cosine(x, middle, ones) for x, w in zip(self.X, self.loud, strict=True)]
        shares = paper.shares(self.X, self.loud)
        return paper.normaliser_of_cosine(a, shares, sum(far) / self.loud.sum())


def rows_in(X, weights=None):
    if sparse.issparse(X):
        return SparseRows(X, sample_weight=weights)
    return DenseRows(X, sample_weight=weights, shift=np.zeros(X.shape[1]))


def drawn(rng, n=24, d=4, k=3, *, learned=True, plain=False):
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.8) + np.eye(d)[0]
    X = Cosine().prepare(X + 2.0 * np.eye(d)[np.arange(n) % d])
    loud = np.ones(n) if plain else rng.uniform(0.5, 2.0, size=n)
    labels = rng.permutation(np.arange(n) % k).astype(np.int32)
    centres = rng.standard_normal((k, d))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    distortion = Cosine(learned=learned).settle(rows_in(X, loud))
    return Drawn(distortion, X, labels, centres, rng.uniform(0.3, 2.0, size=d), loud)


def dense(part):
    return part.toarray() if sparse.issparse(part) else part


def moments_of(s, a):
    """Return the moments under the weights a of the features, added up row by row."""
    sums = [
        paper.sum_of_directions(s.X[s.labels == h], s.loud[s.labels == h], a) for h in range(s.k)
    ]
    counts = np.bincount(s.labels, s.loud, minlength=s.k)  # the loop's are of other size
    return Moments(counts, np.array(sums), (s.loud @ s.X**2)[None])


# Formulas


@pytest.mark.parametrize("learned", [False, True])
def test_a_cost_is_one_less_the_cosine_and_the_normaliser(rng, learned):
    s = drawn(rng, learned=learned)

    costs = s.distortion.costs(s.X, s.centres, s.metric)

    expected = [[paper.cosine(x, c, s.a) + s.log_z(s.a) for c in s.centres] for x in s.X]
    assert_allclose(costs, expected, atol=1e-12)


def test_no_cost_is_less_than_that_of_the_centre_itself(rng):
    X = Cosine().prepare(rng.standard_normal((200, 4)))

    assert (Cosine().costs(X, X, np.ones((1, 4))) >= 0.0).all()


def test_it_is_settled_on_the_shares_and_the_spread_of_all_rows(rng):
    s = drawn(rng)

    assert_allclose(s.distortion.shares, paper.shares(s.X, s.loud))
    assert s.distortion.stiffness == pytest.approx(paper.stiffness(s.X, s.loud))
    again = s.distortion.settle(s.rows())
    assert again.stiffness == pytest.approx(s.distortion.stiffness)


def test_what_learns_nothing_needs_no_normaliser(rng):
    s = drawn(rng, learned=False)

    assert s.distortion.settle(s.rows()) == s.distortion
    assert s.distortion.shares is None


def test_gaps_are_one_less_the_cosine_of_the_ends(rng):
    s = drawn(rng)
    pairs = np.array([(0, 1), (5, 2), (7, 7)])

    gaps = s.distortion.gaps(s.distortion.apart(s.X, pairs), s.metric)

    expected = [[paper.cosine(s.X[i], s.X[j], s.a)] for i, j in pairs]
    assert_allclose(gaps, expected, atol=1e-12)


@pytest.mark.parametrize("learned", [False, True])
def test_the_total_adds_the_costs_of_all_rows_from_their_own_centres(rng, learned):
    s = drawn(rng, learned=learned)

    total = s.distortion.total(moments_of(s, s.a), s.centres, s.metric)

    each = zip(s.X, s.labels, s.loud, strict=True)
    expected = sum(w * (paper.cosine(x, s.centres[h], s.a) + s.log_z(s.a)) for x, h, w in each)
    assert total == pytest.approx(expected, rel=1e-10)


def test_the_rule_is_the_costs_up_to_a_constant_and_a_factor_of_the_row(rng):
    s = drawn(rng)

    rule = s.distortion.rule(s.centres, s.metric)

    factor = [1 / np.sqrt(paper.inner(x, x, s.a)) for x in s.X]
    scores = (s.X @ rule.slopes.T + rule.offsets) * np.array(factor)[:, None]
    left = scores - s.distortion.costs(s.X, s.centres, s.metric)
    assert_allclose(left, np.repeat(left[:, :1], s.k, axis=1), atol=1e-12)
    assert_allclose(s.distortion.loudness(s.X, s.metric), factor)


@both
def test_rows_are_heard_as_if_of_length_one_under_the_metric(rng, as_sparse):
    s = drawn(rng)

    heard = s.distortion.heard(s.rows(as_sparse=as_sparse), s.metric)

    lengths = [np.sqrt(paper.inner(x, x, s.a)) for x in s.X]
    assert_allclose(heard.weights, s.loud / lengths)


@both
def test_recounted_moments_are_those_added_up_afresh(rng, as_sparse):
    s, other = drawn(rng), rng.uniform(0.3, 2.0, size=4)
    assigned = Assigned(s.rows(as_sparse=as_sparse), s.labels)

    fresh = s.distortion.recount(moments_of(s, s.a), assigned, other[None])

    assert_allclose(fresh.sums, moments_of(s, other).sums, rtol=1e-12)
    assert_allclose(fresh.second, moments_of(s, other).second)


@both
def test_second_moments_are_weighted_squares(rng, as_sparse):
    s = drawn(rng)
    groups = rng.random((2, 24)) * (rng.random((2, 24)) < 0.5)
    X = sparse.csr_array(s.X) if as_sparse else s.X

    second = s.distortion.second(X, sparse.csr_array(groups))

    expected = [
        [sum(w * x**2 for w, x in zip(row, column, strict=True)) for column in s.X.T]
        for row in groups
    ]
    assert_allclose(second, expected, atol=1e-12)
    assert_allclose(s.distortion.totals(s.rows(as_sparse=as_sparse))[0], s.loud @ s.X**2)


def test_sparse_rows_give_what_dense_rows_give(rng):
    s, pairs = drawn(rng), np.array([(0, 1), (4, 2), (3, 3)])

    def seen_by(as_sparse):
        rows = s.rows(as_sparse=as_sparse)
        taken = rows.take(np.arange(24))
        settled = Cosine(learned=True).settle(rows)
        yield settled.shares
        yield np.array(settled.stiffness)
        yield settled.costs(taken, s.centres, s.metric)
        yield settled.apart(taken, pairs)
        yield settled.gaps(settled.apart(taken, pairs), s.metric)
        yield settled.image(taken, s.metric, 0)
        yield settled.loudness(taken, s.metric)

    for ours, theirs in zip(seen_by(True), seen_by(False), strict=True):
        assert_allclose(dense(ours), theirs, atol=1e-12)


def test_plain_distances_of_images_order_as_gaps_do(rng):
    s = drawn(rng)
    pairs = np.column_stack([np.zeros(23, dtype=int), np.arange(1, 24)])

    image = s.distortion.image(s.X, s.metric, 0)

    gaps = s.distortion.gaps(s.distortion.apart(s.X, pairs), s.metric)[:, 0]
    assert_allclose(((image[1:] - image[0]) ** 2).sum(axis=1), 2 * gaps, atol=1e-12)


@given(seed=seeds, factor=st.floats(1e-20, 1e20))
@settings(max_examples=20)
def test_the_size_of_the_weights_means_nothing(seed, factor):
    s = drawn(np.random.default_rng(seed))
    apart = s.distortion.apart(s.X, np.array([(0, 1), (2, 3)]))

    def seen_under(metric):
        yield s.distortion.costs(s.X, s.centres, metric)
        yield s.distortion.gaps(apart, metric)
        yield s.distortion.total(moments_of(s, metric[0]), s.centres, metric)

    for one, two in zip(seen_under(s.metric), seen_under(factor * s.metric), strict=True):
        assert_allclose(one, two, rtol=1e-9, atol=1e-9)


# Centres


def test_the_best_centres_are_the_directions_of_sums_of_rows_of_length_one(rng):
    s = drawn(rng)
    moments = moments_of(s, s.a)

    centres = s.distortion.centres(moments, s.centres)

    assert_allclose(np.linalg.norm(centres, axis=1), 1.0)
    assert_allclose(centres, moments.sums / np.linalg.norm(moments.sums, axis=1, keepdims=True))
    least = s.distortion.total(moments, centres, s.metric)
    for _ in range(20):
        off = centres + 0.02 * rng.standard_normal(centres.shape)
        assert s.distortion.total(moments, off, s.metric) > least


def test_rows_that_cancel_and_no_rows_leave_the_centre_where_it_was(rng):
    s = drawn(rng)
    X = np.vstack([OPPOSITE[:2], [[0.6, 0.8]]])
    sums = np.array([X[:2].sum(axis=0), X[2], np.zeros(2)])
    moments = Moments(np.array([2.0, 1.0, 0.0]), sums, (X**2).sum(axis=0)[None])

    centres = s.distortion.centres(moments, s.centres[:, :2])

    assert_array_equal(centres[[0, 2]], s.centres[[0, 2], :2])
    assert_allclose(centres[1], X[2])


def test_any_point_is_admitted_as_a_direction(rng):
    points = np.vstack([100.0 * rng.standard_normal((5, 4)), np.zeros(4), np.eye(4)[:1]])

    admitted = Cosine().admit(points, np.full(4, 0.5))

    assert_allclose(np.linalg.norm(admitted, axis=1), 1.0)
    assert_allclose(admitted[:5] * np.linalg.norm(points[:5], axis=1, keepdims=True), points[:5])
    assert_array_equal(admitted[6], points[6])


def test_rows_that_cancel_lie_one_from_any_centre():
    assert Cosine().spread(rows_in(OPPOSITE)) == pytest.approx(1.0)
    assert Cosine(learned=True).settle(rows_in(OPPOSITE)).stiffness == pytest.approx(1.0)


def test_a_neighbourhood_of_rows_that_cancel_may_begin_a_cluster():
    X = np.vstack([OPPOSITE[:2], [[0.0, 1.0], [0.1, 1.0]]])
    links = Constraints(must_link=[(0, 1)], n_samples=4)
    problem = Problem(rows_in(Cosine().prepare(X)), LinkGraph.of(links, links), 2)
    setting = hmrf.Setting(problem, Cosine(), ICM(), scaled=True)
    points = gather(problem, np.random.default_rng(0)).points

    costs = setting.seeding_costs(points, points)

    middle = int(np.linalg.norm(points, axis=1).argmin())
    assert not points[middle].any()
    assert np.isfinite(costs).all()
    # What has no direction is at right angles to all.
    assert_allclose(costs[middle], 1.0)


# Refit


def evidence_of(s, must, cannot):
    """Return what broken links say of the weights, and the farthest pair of rows."""
    must = [(i, j, w) for i, j, w in must if s.labels[i] != s.labels[j]]
    cannot = [(i, j, w) for i, j, w in cannot if s.labels[i] == s.labels[j]]
    pairs = np.array([(i, j) for i, j, _ in must + must + cannot], dtype=int).reshape(-1, 2)
    signed = [w / 2 for *_, w in must + must] + [-w for *_, w in cannot]
    where = [s.labels[i] for i, *_ in must] + [s.labels[j] for _, j, _ in must]
    here = [s.labels[i] for i, *_ in cannot]
    pair = np.array(paper.farthest_pair(s.X, paper.cosine, s.a))
    evidence = Evidence(
        s.distortion.apart(s.X, pairs),
        np.array(signed),
        np.array(where + here, dtype=np.int64),
        s.distortion.apart(pair, np.array([[0, 1]])),
        np.bincount(here, [w for *_, w in cannot], minlength=s.k),
    )
    return evidence, pair


def random_links(rng, n=24, m=10, weight=1.0):
    pairs = [tuple(rng.choice(n, 2, replace=False)) for _ in range(2 * m)]
    links = [(int(i), int(j), weight * rng.uniform(0.5, 1.5)) for i, j in pairs]
    return links[:m], links[m:]


def objective_of(s, must, cannot, pair):
    """Return Eq. 6 as a function of the weights of the features."""

    def objective(a):
        each = zip(s.X, s.labels, s.loud, strict=True)
        log_z = s.log_z(a)
        rows = sum(w * (paper.cosine(x, s.centres[h], a) + log_z) for x, h, w in each)
        links = paper.eq6(
            *(s.X, s.labels, s.centres, a, must, cannot),
            measure=lambda *_: 0.0,  # the rows have weights, and are added up above
            scaling=paper.cosine,
            log_z=lambda _: 0.0,
            pair=pair,
        )
        return rows + links

    return objective


def refit(s, evidence, metric=None, *, as_sparse=False):
    metric = s.metric if metric is None else metric
    assigned = Assigned(s.rows(as_sparse=as_sparse), s.labels)
    return s.distortion.refit(moments_of(s, metric[0]), s.centres, evidence, metric, assigned)


def slope_of(objective, a, step=1e-5):
    """Return the derivative by the logarithm of each weight."""
    each = [np.exp(step * row) for row in np.eye(len(a))]
    return np.array([(objective(a * up) - objective(a / up)) / (2 * step) for up in each])


@both
@pytest.mark.parametrize("weight", [0.0, 1.0, 30.0])
@given(seed=seeds)
@settings(max_examples=10)
def test_refit_goes_down_equation_6_as_the_normaliser_bends(as_sparse, weight, seed):
    rng = np.random.default_rng(seed)
    s, links = drawn(rng), random_links(rng, weight=weight)
    evidence, pair = evidence_of(s, *links)
    if as_sparse:
        evidence = evidence._replace(apart=sparse.csr_array(evidence.apart))

    fresh, events = refit(s, evidence, as_sparse=as_sparse)

    # Only the ratios of the weights count, and so do their slopes: they add up to 0.
    went = np.log(fresh[0] / s.a)
    went -= went.mean()
    slope = slope_of(objective_of(s, *links, pair), s.a)
    shares = s.distortion.shares * s.a
    down = -slope / (shares / shares.sum() + 1 / len(s.a))
    down -= down.mean()
    assert not events
    assert_allclose(went / np.linalg.norm(went), down / np.linalg.norm(down), atol=1e-5)


@given(seed=seeds, weight=st.floats(0.0, 1e3))
@settings(max_examples=25)
def test_refit_never_raises_equation_6(seed, weight):
    rng = np.random.default_rng(seed)
    s, links = drawn(rng), random_links(rng, weight=weight)
    evidence, pair = evidence_of(s, *links)
    objective = objective_of(s, *links, pair)

    metric, before = s.metric, objective(s.a)
    for _ in range(4):
        metric, _ = refit(s, evidence, metric)
        now = objective(metric[0])

        assert now <= before + 1e-10 * (1 + abs(before))
        assert metric.shape == (1, 4)
        assert metric.mean() == pytest.approx(1.0)
        assert (metric > 0.0).all()
        before = now


def test_steps_end_where_equation_6_is_flat(rng):
    s, links = drawn(rng), random_links(rng, weight=0.3)
    evidence, pair = evidence_of(s, *links)
    objective = objective_of(s, *links, pair)

    metric = s.metric
    for _ in range(300):
        metric, _ = refit(s, evidence, metric)

    assert_allclose(slope_of(objective, metric[0], 1e-4), 0.0, atol=1e-3)


def test_weights_at_rest_stay(rng):
    # All features are alike, and so are their slopes.
    X, ones = np.eye(3), np.ones((1, 3))
    labels = np.zeros(3, dtype=np.int32)
    centres = np.full((1, 3), 3**-0.5)
    distortion = Cosine(learned=True).settle(rows_in(X))
    moments = Moments(np.full(1, 3.0), np.ones((1, 3)), np.ones((1, 3)))
    none = Evidence(np.empty((0, 9)), np.empty(0), np.empty(0, int), np.zeros((1, 9)), np.zeros(1))

    fresh, _ = distortion.refit(moments, centres, none, ones, Assigned(rows_in(X), labels))

    assert_allclose(fresh, ones, atol=1e-7)


@pytest.mark.parametrize("stiff", [True, False])
def test_only_the_normaliser_keeps_a_feature_that_all_rows_share_from_taking_it_all(rng, stiff):
    X = Cosine().prepare(np.column_stack([np.full(40, 3.0), rng.standard_normal((40, 3))]))
    s = drawn(rng)._replace(X=X, loud=np.ones(40), labels=np.zeros(40, dtype=np.int32))
    settled = Cosine(learned=True).settle(s.rows())
    settled = settled if stiff else replace(settled, stiffness=0.0)
    s = s._replace(distortion=settled, centres=np.eye(4)[:1])
    evidence, _ = evidence_of(s, [], [])

    metric = np.ones((1, 4))
    for _ in range(60):
        metric, _ = refit(s, evidence, metric)

    assert (metric[0, 1:].max() < 1e-3) == (not stiff)
    assert (metric.min() > 0.1) == stiff


# The loop


@both
@pytest.mark.parametrize("learned", [False, True])
@given(seed=seeds)
@settings(max_examples=5)
def test_the_loop_ends_with_equation_6_of_what_it_returns(as_sparse, learned, seed):
    rng = np.random.default_rng(seed)
    s = drawn(rng, learned=learned, plain=True)
    links = random_constraints(rng, 24, 12)
    problem = Problem(s.rows(as_sparse=as_sparse), LinkGraph.of(links, links), 2)
    setting = hmrf.Setting(problem, s.distortion, ICM(), scaled=True, link_weight=0.3)

    found = hmrf.run(setting, s.X[:2], max_iter=20, tol=0.0, rng=rng)

    must, cannot = (
        [(i, j, 0.3 * w) for (i, j), w in zip(pairs.tolist(), weights, strict=True)]
        for pairs, weights in (
            (links.must_link, links.must_link_weights),
            (links.cannot_link, links.cannot_link_weights),
        )
    )
    expected = paper.eq6(
        *(s.X, found.labels, found.centres, found.metric[0], must, cannot),
        measure=paper.cosine,
        scaling=paper.cosine,
        log_z=s.log_z,
    )
    assert found.trace[-1] == pytest.approx(expected, rel=1e-8)
    if not found.events:
        assert max(np.diff(found.trace), default=0.0) <= 1e-9 * abs(found.trace[0])


# What may be a row


@both
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_scaled_to_length_one_and_keep_their_type(rng, as_sparse, dtype):
    X = rng.standard_normal((10, 3)).astype(dtype)

    prepared = Cosine().prepare(sparse.csr_array(X) if as_sparse else X)

    assert prepared.dtype == dtype
    assert_allclose(dense(prepared), X / np.linalg.norm(X, axis=1, keepdims=True), rtol=1e-5)


@both
def test_rows_without_a_direction_are_refused(as_sparse):
    X = np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0], [-3.0, 1.0]])

    with pytest.raises(ValueError, match=r"Row 1 of X is all zeros.* \(2 such rows\)"):
        Cosine().prepare(sparse.csr_array(X) if as_sparse else X)


@given(seed=seeds, factors=st.lists(st.floats(1e-100, 1e100), min_size=3, max_size=3))
def test_lengths_of_rows_mean_nothing(seed, factors):
    X = np.random.default_rng(seed).standard_normal((3, 4))

    prepared = Cosine().prepare(np.array(factors)[:, None] * X)

    assert_allclose(prepared, Cosine().prepare(X), atol=1e-14)


@both
@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_a_row_whose_square_is_no_number_has_a_direction_yet(as_sparse, factor):
    X = np.array([[-3.0 * factor, 4.0 * factor], [1.0, 0.0]])

    prepared = Cosine().prepare(sparse.csr_array(X) if as_sparse else X)

    assert_allclose(dense(prepared), [[-0.6, 0.8], [1.0, 0.0]])


def test_features_that_no_row_has_harm_nothing(rng):
    s = drawn(rng)
    X = np.column_stack([s.X, np.zeros(24)])
    s = s._replace(
        X=X,
        a=np.append(s.a, 2.0),
        centres=np.column_stack([s.centres, np.zeros(3)]),
        distortion=Cosine(learned=True).settle(rows_in(X, s.loud)),
    )
    evidence, _ = evidence_of(s, *random_links(rng))

    metric = s.metric
    for _ in range(50):
        metric, _ = refit(s, evidence, metric)

    assert np.isfinite(metric).all()
    assert np.isfinite(s.distortion.costs(X, s.centres, metric)).all()
