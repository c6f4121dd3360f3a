import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.strategies import LINKS, N, cannot_of, must_of
from coterie import ConstraintError, Constraints

INDEX = st.lists(st.integers(-N, N - 1), max_size=2 * N)


def restricted(links, rows):
    """Walk over all pairs of places."""
    rows = [row % N for row in rows]
    found = {}
    for i, a in enumerate(rows):
        for j, b in enumerate(rows[i + 1 :], start=i + 1):
            pair = min(a, b), max(a, b)
            if pair in links:
                found[i, j] = links[pair]
    return found


@given(LINKS, INDEX)
def test_slicing_keeps_the_links_between_chosen_rows(links, rows):
    chosen = links[rows]

    assert must_of(chosen) == restricted(must_of(links), rows)
    assert cannot_of(chosen) == restricted(cannot_of(links), rows)
    assert len(chosen) == len(rows)


@given(LINKS, st.permutations(range(N)))
def test_renumbering_back_gives_the_same_links(links, order):
    assert links[order][np.argsort(order)] == links


@given(LINKS, st.lists(st.booleans(), min_size=N, max_size=N))
def test_a_mask_chooses_the_rows_where_it_holds(links, mask):
    assert links[np.array(mask)] == links[np.flatnonzero(mask)]


@pytest.mark.parametrize(
    "rows", [slice(1, 3), [1, 2], (np.array([1, 2]), ...), np.array([1, 2], dtype=np.uint8)]
)
def test_rows_are_chosen_the_way_arrays_are_indexed(rows):
    links = Constraints([(1, 2), (0, 1)], ids=["a", "b", "c", "d"])

    assert links[rows].must_link.tolist() == [[0, 1]]
    assert links[rows].ids.tolist() == ["b", "c"]


def test_no_rows_leave_no_links():
    assert len(Constraints([(0, 1)], n_samples=4)[[]]) == 0


@pytest.mark.parametrize("rows", [3, [0.5, 1.5], "ab", [[0, 1]]])
def test_rows_must_be_a_list_a_mask_or_a_slice(rows):
    with pytest.raises(TypeError, match="Choose rows by a list or array of row numbers, a mask"):
        Constraints([(0, 1)], n_samples=4)[rows]


def test_columns_cannot_be_chosen():
    with pytest.raises(IndexError, match="Links are chosen by rows alone"):
        Constraints([(0, 1)], n_samples=4)[[0], [1]]


def test_a_row_that_is_not_there_is_an_index_error():
    with pytest.raises(IndexError, match="out of bounds"):
        Constraints([(0, 1)], n_samples=4)[[4]]


def test_links_that_do_not_know_their_rows_cannot_be_sliced():
    with pytest.raises(ConstraintError, match=r"Give Constraints\(..., n_samples=len\(X\)\)"):
        Constraints([(0, 1)])[[0, 1]]
