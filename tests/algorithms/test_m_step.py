"""The loop hands the distortion what Eq. 7 asks for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

import reference_mpck as paper
from coterie.algorithms import hmrf
from coterie.distortion import Diagonal, Full
from coterie.engines import Sums
from coterie.inference import ICM
from problems import blobs, problem_of, random_constraints

distortions = pytest.mark.parametrize(
    "distortion", [Diagonal(), Diagonal(True), Full(), Full(True)], ids=repr
)
WEIGHT = 0.05  # so light that no sum turns negative


def random_setting(seed, distortion, hard=0):
    rng = np.random.default_rng(seed)
    X, blob = blobs(rng, n=30, d=2, k=3, apart=2.0)
    links = random_constraints(rng, 30, 15, hard=hard, blob=blob, wrong=0.2)
    setting = hmrf.Setting(problem_of(X, links, 3), distortion, ICM(), True, WEIGHT)
    return X, links, setting, rng.permutation(np.arange(30) % 3).astype(np.int32)


def swept(setting, labels):
    """Return what a sweep adds up over the rows without links, had it given these labels."""
    rows = setting.problem.rows.take(np.arange(len(labels)))
    free = np.ones(len(labels), dtype=bool)
    free[setting.problem.graph.rows] = False
    member = (free & (labels == np.arange(3)[:, None])).astype(float)
    second = setting.distortion.second(rows, sparse.csr_array(member))
    return Sums(member.sum(axis=1), member @ rows, second, 0)


@distortions
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_the_metric_of_the_m_step_is_equation_7(distortion, seed):
    X, links, setting, labels = random_setting(seed, distortion)
    linked, metric = labels[setting.problem.graph.rows], distortion.start(3, 2)
    shift = setting.problem.rows.shift

    moments = setting.moments(swept(setting, labels), linked, metric)
    centres = moments.sums / moments.counts[:, None]
    _, pairs = setting.penalties(metric)
    fresh, events = distortion.refit(moments, centres, setting.evidence(linked, pairs), metric)

    must, cannot = ([(i, j, WEIGHT * w) for i, j, w in part] for part in paper.triples(links))
    expected = paper.eq7(
        *(X, labels, centres + shift, [paper.farthest_pair(X, np.eye(2))] * 3, must, cannot),
        shared=not distortion.per_cluster,
        diagonal=isinstance(distortion, Diagonal),
    )
    found = fresh if distortion.per_cluster else np.repeat(fresh, 3, axis=0)
    full = [np.diag(part) if part.ndim == 1 else part for part in found]
    assert not events
    assert_allclose(full, expected, rtol=1e-7, atol=1e-10)


def test_hard_links_teach_no_metric():
    _, _, setting, labels = random_setting(3, Diagonal(), hard=15)
    linked = labels[setting.problem.graph.rows]

    evidence = setting.evidence(linked, setting.penalties(Diagonal().start(3, 2))[1])

    assert setting.problem.graph.broken(linked).any()
    assert len(evidence.coefficients) == 0
    assert not evidence.farthest_weights.any()


def test_bare_weights_teach_no_metric():
    _, _, scaled, labels = random_setting(3, Diagonal())
    setting = hmrf.Setting(scaled.problem, Diagonal(), ICM(), scaled=False)
    linked = labels[setting.problem.graph.rows]

    evidence = setting.evidence(linked, setting.penalties(Diagonal().start(3, 2))[1])

    assert setting.problem.graph.broken(linked).any()
    assert len(evidence.coefficients) == 0
    assert not evidence.farthest_weights.any()
