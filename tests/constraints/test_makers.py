import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.strategies import N, cannot_of, must_of
from coterie import ConstraintError, Constraints

LABELS = st.lists(st.integers(-1, 3), min_size=N, max_size=N)


def known_pairs(y):
    """Return the pairs of rows of known class that share it, and those that do not."""
    pairs = [(a, b) for a in range(len(y)) for b in range(a + 1, len(y)) if min(y[a], y[b]) >= 0]
    same = {pair for pair in pairs if y[pair[0]] == y[pair[1]]}
    return same, {*pairs} - same


@given(LABELS)
def test_without_a_number_of_pairs_all_of_them_follow(y):
    closed = Constraints.from_labels(y).closure().entailed()

    assert (must_of(closed).keys(), cannot_of(closed).keys()) == known_pairs(y)


@given(LABELS, st.data())
def test_drawn_pairs_are_distinct_and_right(y, data):
    same, different = known_pairs(y)
    n_pairs = data.draw(st.integers(0, len(same) + len(different)))

    links = Constraints.from_labels(y, n_pairs=n_pairs, random_state=0)

    assert links.n_must_link + links.n_cannot_link == n_pairs
    assert must_of(links).keys() <= same
    assert cannot_of(links).keys() <= different
    assert {*links.must_link_weights, *links.cannot_link_weights} <= {1.0}
    assert len(links) == N


def test_every_pair_is_drawn_as_often_as_any_other(rng):
    y = np.zeros(6, dtype=int)
    counts = np.zeros((6, 6))
    for _ in range(2_000):
        for a, b in Constraints.from_labels(y, n_pairs=3, random_state=rng).must_link:
            counts[a, b] += 1

    drawn = counts[np.triu_indices(6, 1)]
    expected = 2_000 * 3 / 15
    assert np.abs(drawn - expected).max() < 6 * np.sqrt(expected)


def test_a_million_labels_need_no_list_of_pairs(seed, rng):
    y = rng.integers(10, size=1_000_000)

    links = Constraints.from_labels(y, n_pairs=1_000, random_state=seed)

    assert links.n_must_link + links.n_cannot_link == 1_000
    assert links == Constraints.from_labels(y, n_pairs=1_000, random_state=seed)
    assert (y[links.must_link[:, 0]] == y[links.must_link[:, 1]]).all()


@pytest.mark.parametrize("y", [["elm", None, "elm"], [2.0, np.nan, 2.0], pd.Series([1, -1, 1])])
def test_labels_may_be_of_any_kind(y):
    assert Constraints.from_labels(y).must_link.tolist() == [[0, 2]]


@pytest.mark.parametrize(
    ("n_pairs", "sentence"),
    [
        (4, "3 rows of known class make 3 pairs; n_pairs=4 asks for more."),
        (-1, "n_pairs must be a whole number, 0 or more; got -1."),
        (1.5, "n_pairs must be a whole number, 0 or more; got 1.5."),
    ],
)
def test_pairs_that_cannot_be_drawn(n_pairs, sentence):
    with pytest.raises(ConstraintError) as error:
        Constraints.from_labels([0, 1, 0, -1], n_pairs=n_pairs)

    assert str(error.value) == sentence


@given(LABELS, LABELS)
def test_groups_hold_together_and_sources_hold_apart(groups, sources):
    links = Constraints.from_groups(groups, apart=sources)

    assert must_of(links.closure().entailed()).keys() == known_pairs(groups)[0]
    assert cannot_of(links).keys() == known_pairs(sources)[0]
    assert len(links) == N


def test_groups_take_memory_for_rows_not_for_pairs():
    links = Constraints.from_groups(np.zeros(100_000))

    assert links.n_must_link == 99_999


def test_groups_have_weights():
    links = Constraints.from_groups(
        [0, 0, None], apart=["a", "b", "b"], must_link_weight=3, cannot_link_weight=np.inf
    )

    assert must_of(links) == {(0, 1): 3.0}
    assert cannot_of(links) == {(1, 2): np.inf}


def test_groups_of_no_weight_say_nothing():
    assert not Constraints.from_groups(
        [0, 0], apart=[0, 0], must_link_weight=0, cannot_link_weight=0
    )


def test_groups_and_sources_must_be_about_the_same_rows():
    with pytest.raises(ConstraintError, match="groups has 2 values and apart has 3"):
        Constraints.from_groups([0, 0], apart=[0, 0, 0])


@pytest.mark.parametrize("weight", [-1, np.nan, [1, 2]])
def test_the_weight_of_groups_must_be_a_weight(weight):
    with pytest.raises(ConstraintError, match="cannot_link_weight must be"):
        Constraints.from_groups([0, 0], apart=[0, 0], cannot_link_weight=weight)
