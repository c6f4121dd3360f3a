import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import reference_mpck as paper
from coterie.distortion import Diagonal, Full
from coterie.engines import Linear
from distortion.situations import (
    ALL,
    OF_SPARSE_ROWS,
    matrices,
    moments_of,
    name_of,
    random_metric,
    random_situation,
)

every_distortion = pytest.mark.parametrize("distortion", ALL, ids=name_of)


def given(rng, distortion):
    s = random_situation(rng)
    return s, random_metric(rng, distortion, s.k, s.X.shape[1])


@every_distortion
def test_a_cost_is_the_squared_distance_less_log_det(rng, distortion):
    s, metric = given(rng, distortion)

    costs = distortion.costs(s.X, s.centres, metric)

    each = zip(s.centres, matrices(metric, s.k), strict=True)
    expected = [[paper.length(x - c, A) - paper.log_det(A) for x in s.X] for c, A in each]
    assert_allclose(costs, np.transpose(expected), rtol=1e-9, atol=1e-9)


@every_distortion
def test_gaps_are_squared_lengths_under_each_metric(rng, distortion):
    s, metric = given(rng, distortion)

    gaps = distortion.gaps(s.X, metric)

    expected = [[paper.length(x, A) for A in matrices(metric, len(metric))] for x in s.X]
    assert_allclose(gaps, expected, rtol=1e-9)


@every_distortion
def test_plain_distances_of_images_are_distances_under_the_metric(rng, distortion):
    s, metric = given(rng, distortion)

    for h, A in enumerate(matrices(metric, len(metric))):
        image = distortion.image(s.X, metric, h)

        plain = ((image[1:] - image[0]) ** 2).sum(axis=1)
        assert_allclose(plain, [paper.length(x - s.X[0], A) for x in s.X[1:]], rtol=1e-9)


@every_distortion
def test_second_moments_are_weighted_sums_of_each_group(rng, distortion):
    s, _ = given(rng, distortion)
    weights = rng.uniform(size=(4, len(s.X))) * (rng.random((4, len(s.X))) < 0.5)

    second = distortion.second(s.X, sparse.csr_array(weights))

    outer = [np.outer(x, x) if isinstance(distortion, Full) else x * x for x in s.X]
    expected = [sum(w * o for w, o in zip(row, outer, strict=True)) for row in weights]
    assert_allclose(second, expected, rtol=1e-12, atol=1e-12)


@every_distortion
def test_the_total_adds_the_costs_of_all_rows_from_their_own_centres(rng, distortion):
    s, metric = given(rng, distortion)
    elsewhere = s.centres + rng.standard_normal(s.centres.shape)  # not the means
    moments = moments_of(distortion, s.X, s.labels, s.k)

    total = distortion.total(moments, elsewhere, metric)

    expected = paper.eq2(s.X, s.labels, elsewhere, matrices(metric, s.k))
    assert total == pytest.approx(expected, rel=1e-10)


@every_distortion
def test_the_rule_is_the_costs_up_to_a_constant_of_the_row(rng, distortion):
    s, metric = given(rng, distortion)

    rule = distortion.rule(s.centres, metric)

    if isinstance(rule, Linear):
        rows = np.hstack([s.X, s.X**2])[:, : rule.slopes.shape[1]]
        scores = rows @ rule.slopes.T + rule.offsets
    else:
        images = np.einsum("kij,nj->nki", rule.factors, s.X)
        scores = ((images - rule.points) ** 2).sum(axis=2) + rule.offsets
    left = scores - distortion.costs(s.X, s.centres, metric)
    assert_allclose(left, np.repeat(left[:, :1], s.k, axis=1), atol=1e-9)


@every_distortion
def test_no_cost_is_less_than_that_of_the_centre_itself(rng, distortion):
    s, metric = given(rng, distortion)
    far = 1e6 + s.X[:3]

    costs = distortion.costs(far, far, metric)

    least = [-paper.log_det(A) for A in matrices(metric, len(metric))]
    assert (costs >= np.array(least) - 1e-9).all()


@pytest.mark.parametrize("distortion", OF_SPARSE_ROWS, ids=name_of)
def test_sparse_rows_give_what_dense_rows_give(rng, distortion):
    s, metric = given(rng, distortion)
    X = s.X * (rng.random(s.X.shape) < 0.5)
    thin, weights = sparse.csr_array(X), sparse.csr_array(rng.random((2, len(X))))

    def seen_by(rows):
        yield distortion.costs(rows, s.centres, metric)
        yield distortion.gaps(rows, metric)
        yield distortion.image(rows, metric, 0)
        yield distortion.second(rows, weights)

    for ours, theirs in zip(seen_by(thin), seen_by(X), strict=True):
        assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("per_cluster", [False, True])
@pytest.mark.parametrize("scale", [1e-4, 1e4])
@pytest.mark.parametrize("kind", [Diagonal, Full])
def test_log_det_is_finite_where_det_is_not(kind, scale, per_cluster):
    k, d = 2, 150
    distortion = kind(per_cluster)
    metric = scale * distortion.start(k, d)
    with np.errstate(over="ignore", under="ignore"):
        det = np.linalg.det(metric[0]) if kind is Full else metric[0].prod()
    centres = np.zeros((k, d))

    costs = distortion.costs(centres, centres, metric)

    assert det in (0.0, np.inf)
    assert_allclose(costs, -d * np.log(scale))
