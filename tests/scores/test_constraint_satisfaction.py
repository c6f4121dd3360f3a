"""The share of links that a labelling keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import ConstraintError, ConstraintIndexError, Constraints
from coterie.scores import constraint_satisfaction

N = 6
PAIRS = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(lambda p: p[0] < p[1]),
    max_size=8,
    unique=True,
)
LABELS = st.lists(st.integers(-1, 2), min_size=N, max_size=N)


def holds(labels, must, cannot):
    """Walk over the links: one answer each. A row of label -1 is with nobody."""

    def together(a, b):
        return labels[a] == labels[b] >= 0

    return [together(a, b) for a, b in must] + [not together(a, b) for a, b in cannot]


@given(LABELS, PAIRS, PAIRS)
def test_lists_and_constraints_say_the_same_as_a_walk_over_the_links(labels, must, cannot):
    kept = holds(labels, must, cannot)
    expected = sum(kept) / len(kept) if kept else 1.0

    assert constraint_satisfaction(labels, (must, cannot)) == expected
    assert constraint_satisfaction(labels, Constraints(must, cannot)) == expected


@given(LABELS, PAIRS, PAIRS, st.data())
def test_weights_count_when_asked(labels, must, cannot, data):
    sizes = st.sampled_from([0.5, 1.0, 4.0])
    by_must = [data.draw(sizes) for _ in must]
    by_cannot = [data.draw(sizes) for _ in cannot]
    links = Constraints(must, cannot, must_link_weights=by_must, cannot_link_weights=by_cannot)

    kept, weights = holds(labels, must, cannot), [*by_must, *by_cannot]

    expected = np.average(kept, weights=weights) if kept else 1.0
    assert constraint_satisfaction(labels, links, weighted=True) == pytest.approx(expected)


def test_hard_links_outweigh_all_others():
    links = Constraints([(0, 1), (1, 2)], [(0, 3)], must_link_weights=[np.inf, 5.0])

    assert constraint_satisfaction([0, 0, 1, 0], links, weighted=True) == 1.0
    assert constraint_satisfaction([0, 1, 1, 1], links, weighted=True) == 0.0
    assert constraint_satisfaction([0, 0, 1, 0], links) == 1 / 3


@pytest.mark.parametrize("labels", [["a", "a", "b"], [("a", 1), ("a", 1), 7], [0.5, 0.5, 1.5]])
def test_labels_may_be_anything(labels):
    assert constraint_satisfaction(labels, ([(0, 1)], [(1, 2)])) == 1.0


@pytest.mark.parametrize("labels", [[-1, -1], [-1.0, -1.0], [-3, -3], np.array([-1, -1], "i1")])
def test_rows_in_no_cluster_are_with_nobody(labels):
    assert constraint_satisfaction(labels, ([(0, 1)], [])) == 0.0
    assert constraint_satisfaction(labels, ([], [(0, 1)])) == 1.0


def test_rows_in_no_cluster_may_stand_among_names():
    assert constraint_satisfaction(["a", -1, -1], ([(1, 2)], [(0, 1)])) == 0.5


def test_no_links_are_all_kept():
    assert constraint_satisfaction([0, 1], Constraints()) == 1.0
    assert constraint_satisfaction([0, 1], Constraints(), weighted=True) == 1.0
    assert constraint_satisfaction([], ([], [])) == 1.0


def test_what_are_not_links_is_refused():
    with pytest.raises(ConstraintIndexError, match="must_link names row 2, but there are 2") as e:
        constraint_satisfaction([0, 1], ([(0, 2)], []))
    assert (e.value.rows, e.value.n_samples) == ([2], 2)
    with pytest.raises(ConstraintError, match="must be a Constraints, or a pair"):
        constraint_satisfaction([0, 1], [(0, 1)])
    with pytest.raises(ConstraintError, match="cannot_link must be a list of pairs"):
        constraint_satisfaction([0, 1], ([], [(0.0, 1.0)]))


@pytest.mark.parametrize("links", [([(0, 1)], []), Constraints([(0, 1)])])
@pytest.mark.parametrize("labels", [[0, np.nan], ["a", None]])
def test_missing_labels_are_refused(labels, links):
    with pytest.raises(ValueError, match="labels holds missing values"):
        constraint_satisfaction(labels, links)
