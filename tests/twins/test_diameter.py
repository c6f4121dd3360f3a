import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from coterie.loops import diameter
from coterie.loops.reference import diameter as plain

BOTH = pytest.mark.parametrize("of", [diameter, plain])


def falling(rows):
    """Return the rows, those farthest from their mean first, and how far each is from it."""
    radius = np.sqrt(((rows - rows.mean(axis=0)) ** 2).sum(axis=1))
    order = np.argsort(-radius, kind="stable")
    return np.ascontiguousarray(rows[order]), radius[order]


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("n", [1, 2, 3, 40])
def test_farthest_pair(rng, n, d):
    # Whole numbers: duplicates and ties, and no rounding in the distances.
    for high in (2, 4, 1000):
        rows = falling(rng.integers(high, size=(n, d)).astype(float))

        assert diameter.farthest_pair(*rows) == plain.farthest_pair(*rows)


@pytest.mark.parametrize("d", [1, 3, 20])
def test_farthest_pair_of_rows_that_are_not_round(rng, d):
    rows, radius = falling(rng.standard_normal((60, d)))

    a, b = diameter.farthest_pair(rows, radius)

    assert np.linalg.norm(rows[a] - rows[b]) == pytest.approx(pdist(rows).max())
    assert {a, b} == {*plain.farthest_pair(rows, radius)}


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=12))
@settings(max_examples=60)
def test_no_two_rows_are_farther_apart(points):
    rows, radius = falling(np.array(points, dtype=float))

    a, b = diameter.farthest_pair(rows, radius)

    assert a < b
    assert ((rows[a] - rows[b]) ** 2).sum() == pytest.approx(pdist(rows).max() ** 2)
    assert (a, b) == plain.farthest_pair(rows, radius)


@BOTH
def test_one_row_is_a_pair_with_itself(of):
    assert of.farthest_pair(np.zeros((1, 3)), np.zeros(1)) == (0, 0)


@BOTH
def test_rows_that_are_all_alike_give_the_first_two(of):
    assert of.farthest_pair(np.ones((4, 2)), np.zeros(4)) == (0, 1)


@BOTH
def test_on_a_tie_the_first_pair_is_taken(of):
    # The corners of a square: both diagonals are as long.
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])

    assert of.farthest_pair(corners, np.full(4, np.sqrt(0.5))) == (0, 3)
