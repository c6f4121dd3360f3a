from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from coterie import Constraints
from coterie.seeding import FarthestFirst, gather
from coterie.seeding.neighbourhoods import farthest_first
from problems import problem_of

PLACES = st.integers(-5, 5)
WEIGHTED = st.lists(st.tuples(PLACES, PLACES, st.integers(1, 4)), min_size=1, max_size=8)


def traversal(points, weights, k):
    """Walk as section 3.1 says: the heaviest, then the largest weight times distance."""
    rest = list(range(len(points)))
    chosen = [max(rest, key=lambda p: (weights[p], -p))]
    rest.remove(chosen[0])
    while rest and len(chosen) < k:
        reach = {
            p: weights[p] * min(float(np.linalg.norm(points[p] - points[c])) for c in chosen)
            for p in rest
        }
        chosen.append(max(rest, key=lambda p: (reach[p], -p)))
        rest.remove(chosen[-1])
    return chosen


def squares(points):
    """Return what gives squared distances of the points from any centres."""
    return lambda centres: ((points[:, None] - centres) ** 2).sum(axis=2)


def reaches(points, weights, chosen, best=False):
    """Return weight times distance from those chosen before: of each step, or the best it had."""
    found = []
    for step in range(1, len(chosen)):
        gaps = np.linalg.norm(points[:, None] - points[chosen[:step]], axis=2).min(axis=1)
        of_rest = np.delete(weights * gaps, chosen[:step])
        found.append(of_rest.max() if best else (weights * gaps)[chosen[step]])
    return found


def neighbours(rng, sizes, n_alone=5):
    """Return rows, and links that make neighbourhoods of these sizes of the first of them."""
    starts = np.cumsum([0, *sizes])
    must = [(a, b) for a, stop in pairwise(starts) for b in range(a + 1, stop)]
    return rng.standard_normal((starts[-1] + n_alone, 2)), must, starts[:-1]


@given(WEIGHTED, st.integers(1, 9))
@settings(max_examples=60)
def test_traversal_starts_at_the_heaviest_and_goes_on_to_the_weighted_farthest(drawn, k):
    points, weights = np.array(drawn, dtype=float)[:, :2], np.array(drawn, dtype=float)[:, 2]

    chosen = farthest_first(points, weights, k, squares(points))

    assert len(set(chosen)) == len(chosen) == min(k, len(points))
    assert weights[chosen[0]] == weights.max()
    assert_allclose(reaches(points, weights, chosen), reaches(points, weights, chosen, best=True))


def test_traversal_without_ties_is_that_of_an_independent_walk(rng):
    for _ in range(20):
        points, weights = rng.standard_normal((9, 3)), rng.random(9)

        chosen = farthest_first(points, weights, 5, squares(points))

        assert chosen == traversal(points, weights, 5)


def test_centres_are_the_means_of_neighbourhoods_the_largest_first(rng):
    X, must, starts = neighbours(rng, [2, 4, 3, 2])
    candidates = gather(problem_of(X, Constraints(must), 3), rng)

    centres = FarthestFirst().seed(candidates, 3, rng) + X.mean(axis=0)

    stops = [*starts[1:], starts[-1] + 2]
    means = np.array([X[a:b].mean(axis=0) for a, b in zip(starts, stops, strict=True)])
    expected = means[traversal(means, np.array([2.0, 4.0, 3.0, 2.0]), 3)]
    assert_allclose(centres, expected)
    assert_allclose(centres[0], X[2:6].mean(axis=0))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_two_centres_begin_in_one_neighbourhood(rng, k):
    X, must, _ = neighbours(rng, [5, 2, 2, 3])
    X[:5] *= 100.0  # its rows lie far apart, so each of them would be the farthest
    candidates = gather(problem_of(X, Constraints(must), k), rng)

    centres = FarthestFirst().seed(candidates, k, rng)

    from_each = np.abs(centres[:, None] - candidates.points[:4]).max(axis=2) < 1e-12
    assert (from_each.sum(axis=0) <= 1).all()
    assert (from_each.sum(axis=1) == 1).all()


def test_neighbourhoods_that_must_differ_begin_different_clusters(rng):
    X, must, starts = neighbours(rng, [3, 3])
    X[starts[1] : starts[1] + 3] = X[:3] + 1e-6  # all but in one place
    links = Constraints(must, [(0, starts[1])])
    problem = problem_of(X, links, 2)

    centres = FarthestFirst().seed(gather(problem, rng), 2, rng)

    found = sorted((centres + X.mean(axis=0)).tolist())
    assert_allclose(found, sorted([X[:3].mean(axis=0).tolist(), X[3:6].mean(axis=0).tolist()]))


def test_what_is_missing_begins_near_the_mean_as_wide_as_the_data(rng):
    X, must, _ = neighbours(rng, [3, 2], n_alone=400)
    X = X * [1.0, 50.0] + [7.0, -3.0]
    candidates = gather(problem_of(X, Constraints(must), 2), rng)

    centres = FarthestFirst().seed(candidates, 2002, rng)

    others = centres[2:] + X.mean(axis=0)
    assert_allclose(centres[:2], candidates.points[:2])
    assert_allclose(others.mean(axis=0), X.mean(axis=0), atol=0.15 * X.std(axis=0).max())
    assert_allclose(others.std(axis=0), X.std(axis=0), rtol=0.15)


def test_without_neighbourhoods_all_centres_begin_near_the_mean(rng, seed):
    X = rng.standard_normal((30, 2))
    candidates = gather(problem_of(X, Constraints([], [(0, 1)]), 3), rng)

    one, two = (FarthestFirst().seed(candidates, 3, np.random.default_rng(seed)) for _ in range(2))

    assert one.shape == (3, 2)
    assert_array_equal(one, two)
