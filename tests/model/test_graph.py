import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from constraints.strategies import LINKS, N, cannot_of, must_of
from coterie import Constraints
from coterie.model import LinkGraph, Units

LABELS = st.lists(st.integers(0, 2), min_size=N, max_size=N)


def components(pairs, rows):
    """Return the sets of rows that `pairs` join, merged until nothing changes."""
    sets = [{row} for row in rows]
    for a, b in pairs:
        mine = next(s for s in sets if a in s)
        theirs = next(s for s in sets if b in s)
        if mine is not theirs:
            mine |= theirs
            sets.remove(theirs)
    return sorted(map(sorted, sets))


def members_of(units, rows):
    """Return the rows of each unit."""
    spans = zip(units.starts[:-1], units.starts[1:], strict=True)
    return [rows[units.members[start:stop]].tolist() for start, stop in spans]


@given(LINKS)
def test_links_are_the_constraints_over_places_must_links_first(links):
    graph = LinkGraph.of(links, links)

    ends = [tuple(pair) for pair in graph.rows[graph.pairs].tolist()]
    found = dict(zip(ends, graph.weights.tolist(), strict=True))
    assert {p: w for p, w in found.items() if p in must_of(links)} | cannot_of(links) == found
    assert ends == [*must_of(links), *cannot_of(links)]
    assert graph.must.tolist() == [True] * links.n_must_link + [False] * links.n_cannot_link
    assert_array_equal(graph.hard, np.isinf(graph.weights))


@given(LINKS)
def test_rows_are_those_that_any_link_names(links):
    named = {row for pair in (*must_of(links), *cannot_of(links)) for row in pair}

    assert LinkGraph.of(links, links).rows.tolist() == sorted(named)


@given(LINKS)
def test_each_row_lists_its_links_and_who_is_at_the_other_end(links):
    graph = LinkGraph.of(links, links)

    for i in range(len(graph.rows)):
        span = slice(graph.indptr[i], graph.indptr[i + 1])
        listed = sorted(zip(graph.link[span].tolist(), graph.other[span].tolist(), strict=True))
        dense = [(m, a + b - i) for m, (a, b) in enumerate(graph.pairs.tolist()) if i in (a, b)]
        assert listed == dense
    assert graph.indptr[-1] == len(graph.other) == len(graph.link) == 2 * len(graph.pairs)


@given(LINKS)
def test_units_are_what_hard_must_links_bind_and_neighbourhoods_what_sound_ones_do(links):
    graph = LinkGraph.of(links, links)
    hard = [pair for pair, weight in must_of(links).items() if np.isinf(weight)]

    assert members_of(graph.single, graph.rows) == components(hard, graph.rows.tolist())
    together = members_of(graph.neighbourhoods, graph.rows)
    assert together == components(must_of(links.closure().sound), graph.rows.tolist())


@given(LINKS)
def test_closed_links_leave_units_and_neighbourhoods_as_given(links):
    closed = links.closure().entailed()

    graph, plain = LinkGraph.of(closed, links), LinkGraph.of(links, links)

    assert_array_equal(graph.rows, plain.rows)
    assert_array_equal(graph.single.unit_of, plain.single.unit_of)
    assert_array_equal(graph.neighbourhoods.unit_of, plain.neighbourhoods.unit_of)
    assert len(graph.pairs) == closed.n_must_link + closed.n_cannot_link


@given(LINKS, LABELS)
def test_broken_links_are_those_that_satisfaction_finds(links, labels):
    graph = LinkGraph.of(links, links)
    kept = links.satisfaction(labels)

    broken = graph.broken(np.array(labels, dtype=np.int32)[graph.rows])

    held = np.concatenate([kept.must_link_holds, kept.cannot_link_holds])
    assert_array_equal(broken, ~held)


@pytest.mark.parametrize(
    ("unit_of", "starts", "members"),
    [
        ([0, 1, 0, 2, 1], [0, 2, 4, 5], [0, 2, 1, 4, 3]),
        ([0], [0, 1], [0]),
        ([], [0], []),
    ],
)
def test_units_list_their_rows_in_order(unit_of, starts, members):
    units = Units.of(np.array(unit_of, dtype=np.int64))

    assert units.starts.tolist() == starts
    assert units.members.tolist() == members
    assert units.sizes.tolist() == np.bincount(np.array(unit_of, dtype=np.int64)).tolist()


def test_an_empty_graph_holds_rows_that_move_alone():
    graph = LinkGraph.empty(np.array([2, 5, 7]))

    assert graph.rows.tolist() == [2, 5, 7]
    assert len(graph.pairs) == len(graph.must) == len(graph.weights) == 0
    assert graph.indptr.tolist() == [0, 0, 0, 0]
    assert not graph.hard.any()
    assert members_of(graph.single, graph.rows) == [[2], [5], [7]]
    assert members_of(graph.neighbourhoods, graph.rows) == [[2], [5], [7]]
    assert len(graph.broken(np.zeros(3, dtype=np.int32))) == 0


def test_no_links_make_the_empty_graph_of_no_rows():
    graph = LinkGraph.of(Constraints(n_samples=4), Constraints(n_samples=4))

    assert len(graph.rows) == len(graph.pairs) == len(graph.link) == 0
    assert graph.indptr.tolist() == [0]
