import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from constraints.strategies import weighted
from coterie.constraints.pairs import across, keys, members, merged, ragged, read_only, within

SIZES = st.lists(st.integers(0, 5), max_size=6)


@given(weighted())
def test_merged_adds_the_weights_of_a_pair_in_either_order(given_links):
    pairs, weights = given_links
    expected = {}
    for (a, b), weight in zip(pairs, weights, strict=True):
        pair = min(a, b), max(a, b)
        expected[pair] = expected.get(pair, 0.0) + weight

    found, added = merged(np.array(pairs, dtype=np.int64).reshape(-1, 2), np.array(weights))

    assert dict(zip(map(tuple, found.tolist()), added.tolist(), strict=True)) == expected
    assert found.tolist() == sorted(found.tolist())


def test_merged_sorts_rows_too_large_for_one_key():
    big = 1 << 40

    pairs, weights = merged(np.array([[big, 1], [0, big], [1, big]]), np.array([1.0, 2.0, 4.0]))

    assert pairs.tolist() == [[0, big], [1, big]]
    assert weights.tolist() == [2.0, 5.0]


@given(SIZES)
def test_within_lists_every_pair_of_each_group(sizes):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    indptr, rows = members(groups, len(sizes))
    expected = [
        [a, b] for a in rows.tolist() for b in rows.tolist() if a < b and groups[a] == groups[b]
    ]

    assert within(indptr, rows).tolist() == expected


@given(SIZES)
def test_ragged_counts_up_for_each_owner(sizes):
    owner, rank = ragged(np.array(sizes, dtype=np.int64))

    expected = [(o, r) for o, size in enumerate(sizes) for r in range(size)]
    assert list(zip(owner.tolist(), rank.tolist(), strict=True)) == expected


def test_across_lists_every_pair_from_either_side():
    indptr, rows = np.array([0, 2, 2, 4]), np.array([5, 6, 7, 8])

    pairs = across(indptr, rows, np.array([[0, 2], [0, 1]]))

    assert pairs.tolist() == [[5, 7], [5, 8], [6, 7], [6, 8]]


def test_keys_are_the_same_in_either_order():
    assert_array_equal(keys(np.array([[2, 3], [3, 2]]), 10), [23, 23])


def test_read_only_does_not_lock_an_array_that_is_a_window():
    owner = np.zeros(4)

    locked = read_only(owner[:2])
    owner[0] = 1.0

    assert not locked.flags.writeable
    assert locked[0] == 0.0
