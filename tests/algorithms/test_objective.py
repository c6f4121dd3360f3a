"""The final number of a fit is the paper's objective of what the fit returned."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference_mpck as paper
from coterie import MKMeans, MPCKMeans, PCKMeans
from problems import blobs, random_constraints

# S: one metric, M: one for each cluster, D: diagonal, F: full, as in the paper.
VARIANTS = {
    "S-D": {"metric": "diagonal", "per_cluster": False},
    "M-D": {"metric": "diagonal", "per_cluster": True},
    "S-F": {"metric": "full", "per_cluster": False},
    "M-F": {"metric": "full", "per_cluster": True},
}
every_variant = pytest.mark.parametrize("variant", VARIANTS)
pytestmark = pytest.mark.filterwarnings("ignore:.* rows that must-links hold:UserWarning")
problems = given(seed=st.integers(0, 2**32 - 1), closure=st.booleans())


def random_fit(seed, make):
    """Fit rows that lie close, with links of which some are wrong, so that some are broken."""
    rng = np.random.default_rng(seed)
    X, blob = blobs(rng, n=24, d=2, k=3, apart=2.0)
    links = random_constraints(rng, 24, 14, blob=blob, wrong=0.3)
    return X, links, make(random_state=seed % 1000).fit(X, constraints=links)


def links_used(model, links):
    closure = links.closure()
    closed = model.closure and not closure.n_contradictions
    return paper.triples(closure.entailed() if closed else links)


def metrics_of(model):
    return paper.matrices(model.metrics_, model.n_clusters, per_cluster=model.per_cluster)


@problems
@settings(max_examples=25)
def test_pck_means_reports_equation_1(seed, closure):
    def make(**options):
        return PCKMeans(3, link_weight=1.0, closure=closure, n_init=2, **options)

    X, links, model = random_fit(seed, make)

    must, cannot = links_used(model, links)
    expected = paper.eq1(X, model.labels_, model.cluster_centers_, must, cannot)
    assert model.objective_ == pytest.approx(expected, rel=1e-9)


@every_variant
@problems
@settings(max_examples=10)
def test_mpck_means_reports_equation_6(variant, seed, closure):
    def make(**options):
        return MPCKMeans(3, closure=closure, n_init=2, **VARIANTS[variant], **options)

    X, links, model = random_fit(seed, make)

    found = model.labels_, model.cluster_centers_, metrics_of(model)
    assert model.objective_ == pytest.approx(
        paper.eq6(X, *found, *links_used(model, links)), rel=1e-8, abs=1e-8
    )


@pytest.mark.parametrize("constrained_assignment", [False, True])
@problems
@settings(max_examples=10)
def test_mk_means_reports_equation_6(constrained_assignment, seed, closure):
    def make(**options):
        options["constrained_assignment"] = constrained_assignment
        return MKMeans(3, closure=closure, n_init=2, **options)

    X, links, model = random_fit(seed, make)

    found = model.labels_, model.cluster_centers_, metrics_of(model)
    assert model.objective_ == pytest.approx(
        paper.eq6(X, *found, *links_used(model, links)), rel=1e-8, abs=1e-8
    )


@every_variant
def test_without_links_the_objective_is_equation_2(rng, variant):
    X, _ = blobs(rng, n=30)

    model = MPCKMeans(3, n_init=2, random_state=0, **VARIANTS[variant]).fit(X)

    expected = paper.eq2(X, model.labels_, model.cluster_centers_, metrics_of(model))
    assert model.objective_ == pytest.approx(expected, rel=1e-8)


@problems
@settings(max_examples=15)
def test_reported_link_costs_add_up_to_what_the_objective_holds_of_links(seed, closure):
    def make(**options):
        return MPCKMeans(3, closure=closure, n_init=2, per_cluster=True, **options)

    X, links, model = random_fit(seed, make)

    found = model.labels_, model.cluster_centers_, metrics_of(model)
    assert model.links_.costs.sum() == pytest.approx(
        paper.eq6(X, *found, *links_used(model, links)) - paper.eq2(X, *found), abs=1e-7
    )


@problems
@settings(max_examples=10)
def test_an_identity_metric_prices_links_by_equation_6_too(seed, closure):
    def make(**options):
        return MPCKMeans(3, metric="identity", closure=closure, n_init=2, **options)

    X, links, model = random_fit(seed, make)

    found = model.labels_, model.cluster_centers_, [np.eye(2)] * 3
    expected = paper.eq6(X, *found, *links_used(model, links))
    assert model.objective_ == pytest.approx(expected, rel=1e-8)
