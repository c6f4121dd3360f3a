import numpy as np
import pytest
from numpy.testing import assert_array_equal

from coterie.seeding import Candidates, PlusPlus


def candidates_of(points, weights=None):
    points = np.asarray(points, dtype=float)
    weights = np.ones(len(points)) if weights is None else np.asarray(weights, dtype=float)
    return Candidates(points, weights, 0, points.mean(axis=0), points.std(axis=0))


def places(centres, points):
    """Return which points these centres are."""
    return [int(np.flatnonzero((points == centre).all(axis=1))[0]) for centre in centres]


@pytest.mark.parametrize("k", [1, 2, 7, 8])
def test_no_point_is_drawn_twice(rng, k):
    points = rng.standard_normal((8, 2))

    for _ in range(20):
        centres = PlusPlus().seed(candidates_of(points), k, rng)
        assert len(set(places(centres, points))) == k


def test_points_in_one_place_are_drawn_once_while_others_remain(rng):
    points = np.array([[0.0]] * 6 + [[1.0]] * 3 + [[1e-9]])

    for _ in range(20):
        centres = PlusPlus().seed(candidates_of(points), 3, rng)
        assert sorted(centres.ravel().tolist()) == [0.0, 1e-9, 1.0]


def test_where_every_point_is_a_centre_the_heaviest_is_taken_again(rng):
    points = np.array([[0.0], [1.0]])

    centres = PlusPlus().seed(candidates_of(points, [1.0, 3.0]), 5, rng)

    assert sorted(centres.ravel().tolist()) == [0.0, 1.0, 1.0, 1.0, 1.0]


def test_points_without_weight_are_never_drawn(rng):
    points = rng.standard_normal((8, 2))
    weights = np.array([0.0, 1, 0, 1, 1, 0, 1, 0])
    points[weights == 0] *= 100.0  # far away, so that distance would speak for them

    for _ in range(30):
        centres = PlusPlus().seed(candidates_of(points, weights), 4, rng)
        assert sorted(places(centres, points)) == [1, 3, 4, 6]


def test_the_same_seed_draws_the_same_centres(rng, seed):
    candidates = candidates_of(rng.standard_normal((50, 3)))

    one, two = (PlusPlus().seed(candidates, 6, np.random.default_rng(seed)) for _ in range(2))

    assert_array_equal(one, two)


def test_given_centres_come_first_and_are_not_drawn_again(rng):
    points = rng.standard_normal((6, 2))

    centres = PlusPlus().seed(candidates_of(points), 5, rng, points[[4, 2]])

    assert_array_equal(centres[:2], points[[4, 2]])
    assert len(set(places(centres, points))) == 5


def test_as_many_given_centres_as_clusters_leave_nothing_to_draw(rng):
    given = rng.standard_normal((3, 2))

    centres = PlusPlus().seed(candidates_of(rng.standard_normal((6, 2))), 3, rng, given)

    assert_array_equal(centres, given)


def test_no_given_centres_are_as_good_as_none(rng, seed):
    candidates = candidates_of(rng.standard_normal((20, 2)))

    one = PlusPlus().seed(candidates, 4, np.random.default_rng(seed), np.empty((0, 2)))

    assert_array_equal(one, PlusPlus().seed(candidates, 4, np.random.default_rng(seed)))


def test_the_first_is_drawn_by_weight(rng):
    points = np.array([[0.0], [1.0], [2.0]])
    candidates = candidates_of(points, [1.0, 2.0, 7.0])

    drawn = [int(PlusPlus().seed(candidates, 1, rng)[0, 0]) for _ in range(2000)]

    share = np.bincount(drawn, minlength=3) / 2000
    assert share == pytest.approx([0.1, 0.2, 0.7], abs=0.06)


def test_blobs_that_lie_far_apart_get_a_centre_each(rng):
    middles = 1000.0 * np.eye(5)
    points = np.repeat(middles, 10, axis=0) + rng.standard_normal((50, 5))

    centres = PlusPlus().seed(candidates_of(points), 5, rng)

    assert sorted(centres.argmax(axis=1).tolist()) == [0, 1, 2, 3, 4]


def test_of_a_few_draws_the_one_that_leaves_the_least_distance_is_kept(rng):
    # The point at 10 has 100 of 820 chances, and leaves 320; the crowd at 6 leaves 16.
    points = np.array([[0.0], [10.0], *[[6.0]] * 20])
    given = np.zeros((1, 1))

    drawn = [PlusPlus().seed(candidates_of(points), 2, rng, given)[1, 0] for _ in range(400)]

    # One draw is at 10 in 1 of 8 cases, both of two in 1 of 67.
    assert np.mean(np.array(drawn) == 10.0) < 0.06
