"""Groups that must all differ behave like their links, one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from constraints.strategies import LINKS, SOURCES, N, cannot_of, grouped_links, one_by_one
from coterie import ConstraintError, Constraints

INDEX = st.lists(st.integers(-N, N - 1), max_size=2 * N)


@given(SOURCES)
def test_rows_of_one_source_all_differ(sources):
    links = Constraints.from_groups([-1] * N, apart=sources)

    expected = [[a, b] for a in range(N) for b in range(a + 1, N) if sources[a] == sources[b] != -1]
    assert links.cannot_link.tolist() == expected
    assert links.n_cannot_link == len(expected)


@given(grouped_links())
def test_groups_count_as_their_links_do(links):
    assert links == one_by_one(links)
    assert hash(links) == hash(one_by_one(links))
    assert links.n_cannot_link == len(links.cannot_link)


@given(grouped_links(), INDEX)
def test_groups_slice_as_their_links_do(links, rows):
    assert links[rows] == one_by_one(links)[rows]
    assert links[rows].n_cannot_link == len(links[rows].cannot_link)


@given(grouped_links(), LINKS)
def test_groups_join_as_their_links_do(links, others):
    expected = one_by_one(links) | one_by_one(others)

    assert links | others == expected
    assert others | links == expected


@given(grouped_links())
def test_groups_are_as_hard_as_their_links_are(links):
    assert links.hard == one_by_one(links).hard
    assert links.soft == one_by_one(links).soft


@given(grouped_links())
def test_groups_close_as_their_links_do(links):
    ours, theirs = links.closure(), one_by_one(links).closure()

    assert_array_equal(ours.labels(), theirs.labels())
    assert_array_equal(ours.apart, theirs.apart)
    assert_array_equal(ours.apart_weights, theirs.apart_weights)
    assert ours.n_cannot_link == theirs.n_cannot_link
    assert ours.n_contradictions == theirs.n_contradictions
    assert ours.entailed() == theirs.entailed()


@given(grouped_links())
def test_groups_contradict_as_their_links_do(links):
    ours, theirs = links.contradictions(), one_by_one(links).contradictions()

    assert [(c.rows, c.weight, c.path) for c in ours] == [
        (c.rows, c.weight, c.path) for c in theirs
    ]


@given(grouped_links(), st.lists(st.integers(-1, 3), min_size=N, max_size=N))
def test_groups_are_judged_as_their_links_are(links, labels):
    ours, theirs = links.satisfaction(labels), one_by_one(links).satisfaction(labels)

    assert repr(ours) == repr(theirs)
    assert ours.violated == theirs.violated
    assert_array_equal(ours.cannot_link_holds, theirs.cannot_link_holds)


def test_a_link_heavier_than_its_group_keeps_its_weight():
    group = Constraints.from_groups([-1] * 3, apart=[0, 0, 0], cannot_link_weight=2)

    both = group | Constraints(cannot_link=[(0, 1), (0, 2)], cannot_link_weights=[5, 1])

    assert cannot_of(both) == {(0, 1): 5.0, (0, 2): 2.0, (1, 2): 2.0}
    assert both.n_cannot_link == 3


def test_a_million_rows_of_one_source_need_no_list():
    n = 1_000_000
    links = Constraints.from_groups(np.full(n, -1), apart=np.zeros(n, dtype=int))

    assert links.n_cannot_link == n * (n - 1) // 2
    assert links[::2].n_cannot_link == (n // 2) * (n // 2 - 1) // 2
    assert links | links == links
    assert len(links.contradictions()) == 0
    assert links.closure().n_cannot_link == links.n_cannot_link
    labels = np.arange(n) % 2
    assert links.satisfaction(labels).n_violated == 2 * (n // 2) * (n // 2 - 1) // 2


@pytest.mark.parametrize(
    "write_out",
    [
        lambda links: links.cannot_link,
        lambda links: links[np.repeat(np.arange(5_000), 2)],
        lambda links: links.closure().apart,
        lambda links: links.split(2),
    ],
)
def test_writing_out_too_many_links_is_refused_with_a_way_out(write_out):
    links = Constraints.from_groups(np.full(5_000, -1), apart=np.zeros(5_000, dtype=int))

    with pytest.raises(
        ConstraintError, match=r"[\d,]+ cannot-links here, more than the 10,000,000"
    ) as error:
        write_out(links)

    assert "Choose fewer rows: constraints[rows]." in str(error.value)
