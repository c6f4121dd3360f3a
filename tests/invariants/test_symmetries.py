"""What must not matter: the order of rows, the numbers of clusters, how weights are written."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from coterie import Constraints, MPCKMeans, PCKMeans
from coterie.algorithms import hmrf
from coterie.distortion import (
    Bregman,
    Cosine,
    Diagonal,
    Full,
    Identity,
    i_divergence,
    itakura_saito,
    kl,
)
from coterie.engines import DenseRows
from coterie.inference import ICM, Exact
from coterie.model import LinkGraph, Problem
from invariants.descent import POSITIVE, VARIANTS
from problems import blobs, random_constraints

pytestmark = pytest.mark.filterwarnings("ignore:.* rows that must-links hold:UserWarning")
METHODS = VARIANTS | POSITIVE
every_variant = pytest.mark.parametrize("variant", METHODS)
EUCLIDEAN = [Identity(), Diagonal(), Diagonal(True), Full(), Full(True)]
LEARNED = [
    replace(each, learned=True) for each in (Cosine(), kl(), i_divergence(), itakura_saito())
]
distortions = pytest.mark.parametrize(
    "distortion",
    [*EUCLIDEAN, Cosine(), i_divergence(), *LEARNED],
    ids=lambda each: (
        getattr(each, "name", type(each).__name__)
        + ", learned" * each.learns
        + ", per cluster" * each.per_cluster
    ),
)
seeds = st.integers(0, 2**32 - 1)


def separated(rng, n=60):
    """Return blobs so far apart that chance cannot lead elsewhere, and links that agree."""
    blob = rng.permutation(np.arange(n) % 3)
    X = np.array([[50.0, 10.0], [10.0, 60.0], [40.0, 40.0]])[blob] + rng.standard_normal((n, 2))
    return X, blob, random_constraints(rng, n, 20, blob=blob)


def run(X, links, centres, distortion, sample_weight=None, inference=None):
    """Descend from these centres; chance only chooses the order of visits."""
    shift = None if distortion.shifts else np.zeros(X.shape[1])
    rows = DenseRows(distortion.prepare(X), sample_weight=sample_weight, shift=shift)
    problem = Problem(rows, LinkGraph.of(links, links), len(centres))
    distortion = distortion.settle(rows)
    method = ICM() if inference is None else inference
    setting = hmrf.Setting(problem, distortion, method, scaled=distortion.learns)
    start = setting.admit(distortion.prepare(centres) - rows.shift)
    result = hmrf.run(setting, start, max_iter=50, tol=0.0, rng=np.random.default_rng(0))
    return result, result.centres + rows.shift


def first_of_each(X, blob):
    return np.stack([X[np.flatnonzero(blob == h)[0]] for h in range(3)])


@distortions
@given(seed=seeds)
@settings(max_examples=8)
def test_the_order_of_rows_does_not_matter(distortion, seed):
    rng = np.random.default_rng(seed)
    X, blob, links = separated(rng)
    order = rng.permutation(len(X))
    start = first_of_each(X, blob)

    plain, centres = run(X, links, start, distortion)
    mixed, mixed_centres = run(X[order], links[order], start, distortion)

    near = 1e-9 if distortion.at_once else 1e-6  # many steps down a slope
    assert_array_equal(mixed.labels, plain.labels[order])
    assert_allclose(mixed_centres, centres, rtol=near, atol=near)
    assert mixed.objective == pytest.approx(plain.objective, rel=1e-9)


@distortions
@given(seed=seeds)
@settings(max_examples=8)
def test_the_numbers_of_clusters_do_not_matter(distortion, seed):
    rng = np.random.default_rng(seed)
    X, blob = blobs(rng, n=40, d=2, k=4, apart=3.0)
    links = random_constraints(rng, 40, 15, blob=blob, wrong=0.2)
    start = X[rng.choice(40, 4, replace=False)] + 0.1 * rng.standard_normal((4, 2))  # no ties
    if isinstance(distortion, Bregman):
        X, start = np.exp(X / 5), np.exp(start / 5)
    number = rng.permutation(4)

    plain, _ = run(X, links, start, distortion)
    renumbered, _ = run(X, links, start[number], distortion)

    assert_array_equal(number[renumbered.labels], plain.labels)
    assert renumbered.objective == pytest.approx(plain.objective, rel=1e-7)


@pytest.mark.parametrize("inference", [ICM(order="greedy"), Exact()], ids=repr)
@given(seed=seeds)
@settings(max_examples=8)
def test_the_order_of_links_does_not_matter(inference, seed):
    rng = np.random.default_rng(seed)
    X, blob = blobs(rng, n=40, d=2, k=3, apart=2.0)
    links = random_constraints(rng, 40, 25, blob=blob, wrong=0.2)
    orders = [rng.permutation(len(pairs)) for pairs in (links.must_link, links.cannot_link)]
    mixed = Constraints(
        links.must_link[orders[0]][:, ::-1],
        links.cannot_link[orders[1]][:, ::-1],
        must_link_weights=links.must_link_weights[orders[0]],
        cannot_link_weights=links.cannot_link_weights[orders[1]],
        n_samples=40,
    )
    start = first_of_each(X, blob)

    plain, _ = run(X, links, start, Diagonal(), inference=inference)
    other, _ = run(X, mixed, start, Diagonal(), inference=inference)

    assert_array_equal(other.labels, plain.labels)
    assert other.objective == pytest.approx(plain.objective, rel=1e-9)


@every_variant
def test_a_link_given_twice_counts_with_both_weights(rng, variant):
    X, blob = blobs(rng, n=40, apart=3.0)
    X = np.exp(X / 5) if variant in POSITIVE else X
    whole = random_constraints(rng, 40, 15, blob=blob, wrong=0.2)
    twice = Constraints(
        np.repeat(whole.must_link, 2, axis=0),
        np.repeat(whole.cannot_link[:, ::-1], 2, axis=0),
        must_link_weights=np.repeat(whole.must_link_weights / 2, 2),
        cannot_link_weights=np.repeat(whole.cannot_link_weights / 2, 2),
        n_samples=40,
    )

    one, two = (METHODS[variant](3, random_state=0).fit(X, constraints=c) for c in (whole, twice))

    assert_array_equal(one.labels_, two.labels_)
    assert_array_equal(one.objective_history_, two.objective_history_)


@every_variant
@pytest.mark.parametrize("factor", [0.25, 3.0])
def test_link_weight_is_a_factor_of_every_weight(rng, variant, factor):
    X, blob = blobs(rng, n=40, apart=3.0)
    X = np.exp(X / 5) if variant in POSITIVE else X
    links = random_constraints(rng, 40, 15, blob=blob, wrong=0.2)
    heavier = Constraints(
        *(links.must_link, links.cannot_link),
        must_link_weights=factor * links.must_link_weights,
        cannot_link_weights=factor * links.cannot_link_weights,
        n_samples=40,
    )

    by_option = METHODS[variant](3, link_weight=factor, random_state=0).fit(X, constraints=links)
    by_hand = METHODS[variant](3, link_weight=1.0, random_state=0).fit(X, constraints=heavier)

    assert_array_equal(by_option.labels_, by_hand.labels_)
    assert by_option.objective_ == pytest.approx(by_hand.objective_, rel=1e-9)


@distortions
@given(seed=seeds)
@settings(max_examples=8)
def test_a_row_of_weight_2_is_a_row_given_twice(distortion, seed):
    rng = np.random.default_rng(seed)
    X, blob, links = separated(rng)
    heavy = np.setdiff1d(np.flatnonzero(rng.random(len(X)) < 0.5), links.closure().rows)
    weight = np.ones(len(X))
    weight[heavy] = 2.0
    more = Constraints(
        *(links.must_link, links.cannot_link),
        must_link_weights=links.must_link_weights,
        cannot_link_weights=links.cannot_link_weights,
        n_samples=len(X) + len(heavy),
    )
    start = first_of_each(X, blob)

    weighted, centres = run(X, links, start, distortion, sample_weight=weight)
    twice, twice_centres = run(np.vstack([X, X[heavy]]), more, start, distortion)

    assert_array_equal(twice.labels, np.append(weighted.labels, weighted.labels[heavy]))
    near = 1e-9 if distortion.at_once else 1e-6
    assert_allclose(twice_centres, centres, rtol=near, atol=near)
    assert twice.objective == pytest.approx(weighted.objective, rel=1e-9)


@pytest.mark.parametrize("factor", [2.0**-20, 2.0**20])
def test_an_automatic_link_weight_means_the_same_at_any_scale(rng, factor):
    X, blob = blobs(rng, n=60, apart=2.0)
    links = random_constraints(rng, 60, 30, blob=blob, wrong=0.2)

    model = PCKMeans(3, random_state=0).fit(X, constraints=links)
    labels, objective = model.labels_, model.objective_
    model.fit(factor * X, constraints=links)

    assert_array_equal(model.labels_, labels)
    assert model.objective_ == pytest.approx(factor**2 * objective, rel=1e-9)


@every_variant
def test_float32_and_float64_agree_where_clusters_are_apart(rng, variant):
    X, _, links = separated(rng)

    wide = METHODS[variant](3, random_state=0).fit(X, constraints=links)
    narrow = METHODS[variant](3, random_state=0).fit(X.astype(np.float32), constraints=links)

    assert adjusted_rand_score(wide.labels_, narrow.labels_) == 1.0
    assert narrow.objective_ == pytest.approx(wide.objective_, rel=1e-4)
    assert narrow.cluster_centers_.dtype == np.float32


@pytest.mark.parametrize("options", [{}, {"per_cluster": True}, {"metric": "full"}], ids=str)
def test_one_thread_gives_what_many_give_to_the_last_bit(rng, options):
    X, blob = blobs(rng, n=3 * 65_536 + 7, apart=3.0)
    links = random_links_between(rng, blob)

    one, many = (
        MPCKMeans(3, n_init=1, max_iter=4, n_jobs=n_jobs, random_state=0, **options)
        .fit(X, constraints=links)
        for n_jobs in (1, 4)
    )  # fmt: skip

    assert_array_equal(one.labels_, many.labels_)
    assert_array_equal(one.objective_history_, many.objective_history_)
    assert_array_equal(one.cluster_centers_, many.cluster_centers_)
    assert_array_equal(one.metrics_, many.metrics_)


def random_links_between(rng, blob, m=40):
    """Return links that all say what `blob` says; there are too many pairs to list them."""
    pairs = rng.choice(len(blob), size=(m, 2), replace=False)
    same = blob[pairs[:, 0]] == blob[pairs[:, 1]]
    return Constraints(pairs[same], pairs[~same], n_samples=len(blob))
