import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_array_equal

from constraints.strategies import LINKS, N, cannot_of, must_of, weighted
from coterie import ConstraintError, Constraints


@given(weighted())
def test_splitting_a_weight_over_duplicates_changes_nothing(given_links):
    pairs, weights = given_links
    halves = np.repeat(np.array(weights) / 2, 2)
    twice = [pair for a, b in pairs for pair in ((a, b), (b, a))]

    whole = Constraints(pairs, must_link_weights=weights)

    assert Constraints(twice, must_link_weights=halves) == whole


@given(LINKS)
def test_pickling_keeps_everything(links):
    again = pickle.loads(pickle.dumps(links))

    assert again == links
    assert hash(again) == hash(links)
    assert not again.must_link.flags.writeable


@given(LINKS)
def test_hard_and_soft_part_the_links(links):
    hard, soft = must_of(links.hard), must_of(links.soft)
    assert hard | soft == must_of(links)
    assert all(np.isinf(w) for w in hard.values())
    assert all(np.isfinite(w) for w in soft.values())

    hard, soft = cannot_of(links.hard), cannot_of(links.soft)
    assert hard | soft == cannot_of(links)
    assert all(np.isinf(w) for w in hard.values())
    assert all(np.isfinite(w) for w in soft.values())


def test_a_link_of_weight_nought_is_dropped():
    links = Constraints([(0, 1), (1, 2)], must_link_weights=[0, 1])

    assert links.must_link.tolist() == [[1, 2]]


def test_arrays_are_read_only_and_the_users_own_stay_writable():
    pairs = np.array([[0, 1]])

    links = Constraints(pairs)
    pairs[0] = 7, 8

    assert links.must_link.tolist() == [[0, 1]]
    for array in (links.must_link, links.must_link_weights, links.cannot_link):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_copies_are_the_thing_itself():
    links = Constraints([(0, 1)])

    assert copy.copy(links) is links
    assert copy.deepcopy(links) is links


@pytest.mark.parametrize(
    "other",
    [
        Constraints([(0, 1)], [(1, 2)], n_samples=4),
        Constraints([(0, 1)], [(1, 2)], must_link_weights=2, n_samples=3),
        Constraints([(0, 1)], [(1, 2)], ids=["a", "b", "c"]),
        Constraints([(0, 1)], [(0, 2)], n_samples=3),
        Constraints([(0, 1)], n_samples=3),
        "links",
    ],
)
def test_unequal_links_differ(other):
    assert Constraints([(0, 1)], [(1, 2)], n_samples=3) != other


def test_ids_are_kept_and_compared():
    one = Constraints([(0, 1)], ids=["a", "b"])

    assert one == Constraints([(1, 0)], ids=np.array(["a", "b"], dtype=object))
    assert len(one) == 2


def test_the_length_is_that_of_the_data():
    links = Constraints([(0, 1)], n_samples=N)

    assert len(links) == N
    assert links.shape == (N, N)


def test_links_without_rows_have_no_length():
    links = Constraints([(0, 1)])

    with pytest.raises(ConstraintError, match="do not say how many rows there are"):
        len(links)
    assert not hasattr(links, "shape")


def test_truth_tells_whether_there_are_links():
    assert Constraints([(0, 1)])
    assert Constraints.from_groups([-1, -1], apart=[0, 0])
    assert not Constraints(n_samples=5)


@pytest.mark.parametrize(
    ("links", "words"),
    [
        (Constraints(), "Constraints(0 must-links, 0 cannot-links)"),
        (Constraints([(0, 1)], n_samples=3), "Constraints(1 must-link, 0 cannot-links, 3 rows)"),
    ],
)
def test_repr_counts(links, words):
    assert repr(links) == words


def test_links_are_not_a_list():
    with pytest.raises(TypeError):
        iter(Constraints([(0, 1)], n_samples=3))


def test_a_subclass_keeps_its_class(rng):
    class Mine(Constraints):
        __slots__ = ()

    links = Mine([(0, 1)], n_samples=3)

    assert type(links[:2]) is type(links.hard) is type(links | links) is Mine
    assert_array_equal(links[rng.permutation(3)].n_must_link, 1)
