import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.cluster.hierarchy import DisjointSet

from constraints.strategies import LINKS, N, cannot_of, must_of
from coterie import ConstraintError, Constraints


def neighbours(links):
    """Return for each row the rows it hangs together with, by scipy's disjoint sets."""
    sets = DisjointSet(range(N))
    for a, b in links.must_link.tolist():
        sets.merge(a, b)
    return [sets.subset(row) for row in range(N)]


@given(LINKS)
def test_must_linked_rows_share_a_neighbourhood(links):
    labels, together = links.closure().labels(), neighbours(links)

    for row in range(N):
        assert {*np.flatnonzero(labels == labels[row]).tolist()} == together[row]


@given(LINKS)
def test_neighbourhoods_are_numbered_in_order_of_first_row(links):
    closure = links.closure()

    for numbers in (closure.labels(), closure.neighbourhood):
        _, first = np.unique(numbers, return_index=True)
        assert_array_equal(numbers[np.sort(first)], np.arange(len(first)))
    assert_array_equal(closure.sizes, np.bincount(closure.neighbourhood))
    assert closure.n_neighbourhoods == len(closure.sizes)


@given(LINKS)
def test_neighbourhoods_differ_where_a_cannot_link_crosses_them(links):
    closure = links.closure()
    number = dict(zip(closure.rows.tolist(), closure.neighbourhood.tolist(), strict=True))
    expected = {}
    for (a, b), weight in cannot_of(links).items():
        pair = min(number[a], number[b]), max(number[a], number[b])
        if pair[0] != pair[1]:
            expected[pair] = max(expected.get(pair, 0), weight)

    found = zip(closure.apart.tolist(), closure.apart_weights.tolist(), strict=True)
    assert {(g, h): weight for (g, h), weight in found} == expected


@given(LINKS, st.permutations(range(N)))
def test_renumbering_the_rows_renumbers_what_follows(links, order):
    assert links[order].closure().entailed() == links.closure().entailed()[order]


@given(LINKS)
def test_counting_what_follows_needs_no_list(links):
    closure = links.closure()
    entailed = closure.entailed()

    assert closure.n_must_link == entailed.n_must_link
    assert closure.n_cannot_link == entailed.n_cannot_link


def test_links_without_rows_are_told_how_many_there_are():
    closure = Constraints([(0, 2)]).closure()

    assert closure.labels(4).tolist() == [0, 1, 0, 2]
    with pytest.raises(ConstraintError, match="do not say how many rows there are"):
        closure.labels()
    with pytest.raises(ConstraintError, match="A link names row 2, but there are 2 rows"):
        closure.labels(2)


def test_no_links_make_no_neighbourhoods():
    closure = Constraints(n_samples=3).closure()

    assert closure.n_neighbourhoods == 0
    assert closure.labels().tolist() == [0, 1, 2]
    assert not closure.entailed()
    assert repr(closure) == "Closure(0 neighbourhoods of 0 linked rows)"


def test_a_chain_of_1500_rows_closes_without_recursion():
    rows = np.arange(1_500)

    entailed = Constraints(np.column_stack([rows[:-1], rows[1:]])).closure().entailed()

    assert entailed.n_must_link == 1_500 * 1_499 // 2


def test_a_chain_of_a_million_rows_closes_in_seconds(rng):
    n = 1_000_000
    rows = rng.permutation(n)
    links = Constraints(np.column_stack([rows[:-1], rows[1:]]), n_samples=n)

    start = time.perf_counter()
    closure = links.closure()
    assert time.perf_counter() - start < 5
    assert closure.n_neighbourhoods == 1

    with pytest.raises(ConstraintError) as error:
        closure.entailed()
    assert str(error.value) == (
        "Closing these links gives 499,999,500,000 must-links, and cannot-links besides, more "
        "than the 10,000,000 links that are written out. Estimators take closure=False to use "
        "the links as given."
    )


def test_the_budget_counts_both_kinds():
    closure = Constraints([(0, 1), (1, 2)], [(2, 3)]).closure()

    assert closure.entailed(budget=6).n_cannot_link == 3
    with pytest.raises(ConstraintError, match="3 must-links and 3 cannot-links, more than the 5 "):
        closure.entailed(budget=5)


def test_one_at_a_time_gives_the_same_neighbourhoods_as_all_at_once(rng):
    pairs = rng.permutation(np.column_stack([np.arange(7), np.arange(1, 8)]))
    one_at_a_time = Constraints(n_samples=N)
    for pair in pairs:
        one_at_a_time = (one_at_a_time | Constraints([pair])).closure().entailed()

    at_once = Constraints(pairs, n_samples=N).closure().entailed()
    assert must_of(one_at_a_time) == must_of(at_once)


@given(LINKS)
def test_what_is_sound_has_no_contradiction_unless_it_is_hard(links):
    sound = links.closure().sound

    at_odds = {tuple(sorted(c.rows)) for c in links.contradictions()}
    together = links.hard.closure().labels(N)
    left = {tuple(sorted(c.rows)) for c in sound.contradictions()}
    assert left == {(a, b) for a, b in at_odds if together[a] == together[b]}


@given(LINKS)
def test_what_is_sound_drops_soft_must_links_of_contradictory_neighbourhoods_alone(links):
    labels = links.closure().labels()
    at_odds = {labels[c.rows[0]] for c in links.contradictions()}

    sound = links.closure().sound

    assert cannot_of(sound) == cannot_of(links)
    assert must_of(sound) == {
        (a, b): weight
        for (a, b), weight in must_of(links).items()
        if labels[a] not in at_odds or np.isinf(weight)
    }


def test_a_group_that_must_differ_makes_its_neighbourhood_unsound():
    rows = [0, 1, 2, 3]
    links = Constraints.from_groups(["x", "x", "y", "y"], apart=["s", "s", "t", "u"])

    assert must_of(links) == {(0, 1): 1.0, (2, 3): 1.0}
    assert must_of(links.closure().sound) == {(2, 3): 1.0}
    assert rows == links.closure().rows.tolist()
