"""A contradiction is proved by the shortest chain of links that the user gave."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

from constraints.strategies import LINKS, N, cannot_of, must_of
from coterie import Constraints, ContradictionError
from coterie.constraints import refuse_contradictions


def steps_between(links):
    """Return how many must-links lie between all rows, by scipy."""
    pairs = links.must_link
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(N, N))
    return shortest_path(graph.tocsr(), directed=False, unweighted=True)


@given(LINKS)
def test_all_contradictions_are_found_each_with_a_shortest_chain(links):
    steps, given_must = steps_between(links), must_of(links)
    expected = {pair: w for pair, w in cannot_of(links).items() if np.isfinite(steps[pair])}

    found = links.contradictions()

    assert {c.rows: c.weight for c in found} == expected
    assert len(found) == links.closure().n_contradictions
    for contradiction in found:
        path = contradiction.path
        assert (path[0], path[-1]) == contradiction.rows
        assert len(path) - 1 == steps[contradiction.rows]
        chain = [(min(a, b), max(a, b)) for a, b in pairwise(path)]
        assert [given_must[pair] for pair in chain] == contradiction.path_weights.tolist()


@given(LINKS)
def test_hard_links_are_refused_where_they_contradict(links):
    found = links.hard.contradictions()

    if not len(found):
        refuse_contradictions(links)
        return
    with pytest.raises(ContradictionError) as error:
        refuse_contradictions(links)
    assert error.value.path == found[0].path
    assert [c.rows for c in error.value.contradictions] == [c.rows for c in found]


def hard(must, cannot, **more):
    inf = np.inf
    return Constraints(must, cannot, must_link_weights=inf, cannot_link_weights=inf, **more)


def test_the_message_names_the_chain_in_the_users_own_ids():
    ids = ["ash", "elm", "fir", "oak", "yew"]
    links = hard([(0, 2), (2, 4), (1, 3)], [(0, 4)], ids=ids)

    with pytest.raises(ContradictionError) as error:
        refuse_contradictions(links)

    assert str(error.value) == (
        "Rows ash and yew must share a cluster and must not.\n"
        "  must-link:   ash - fir - yew\n"
        "  cannot-link: ash - yew\n"
        "Drop one of these links, or give them weights so that one can yield."
    )
    assert error.value.path == ["ash", "fir", "yew"]


@pytest.mark.parametrize(
    ("cannot", "more"),
    [
        ([(0, 1), (1, 2)], "There is 1 more contradiction."),
        ([(0, 1), (1, 2), (0, 2)], "There are 2 more contradictions."),
    ],
)
def test_the_message_counts_the_others(cannot, more):
    with pytest.raises(ContradictionError) as error:
        refuse_contradictions(hard([(0, 1), (1, 2)], cannot))

    assert str(error.value).splitlines()[-1] == more


def test_a_long_chain_is_shown_by_its_ends():
    rows = np.arange(40)
    links = Constraints(np.column_stack([rows[:-1], rows[1:]]), [(0, 39)])

    assert str(links.contradictions()[0]).splitlines()[1] == (
        "  must-link:   0 - 1 - 2 - 3 - 4 - ... 30 more ... - 35 - 36 - 37 - 38 - 39"
    )


def test_soft_links_may_contradict():
    refuse_contradictions(Constraints([(0, 1)], [(0, 1)]))
    refuse_contradictions(Constraints([(0, 1)], [(0, 1)], cannot_link_weights=np.inf))


def test_no_row_is_named_that_the_user_did_not_link():
    # Rows 1 and 3 must differ, and so do their neighbourhoods: not what the user said.
    links = Constraints([(0, 1), (1, 2), (2, 3)], [(0, 3)])

    (found,) = links.contradictions()

    assert (found.a, found.b, found.path) == (0, 3, [0, 1, 2, 3])


def test_must_links_that_come_one_at_a_time_do_not_hide_a_contradiction():
    links = Constraints(cannot_link=[(0, 3)], cannot_link_weights=np.inf, n_samples=4)
    for pair in [(0, 1), (2, 3), (1, 2)]:
        refuse_contradictions(links)
        links = links | Constraints([pair], must_link_weights=np.inf)

    with pytest.raises(ContradictionError, match="Rows 0 and 3 must share"):
        refuse_contradictions(links)


def test_a_group_that_contradicts_a_million_times_is_still_counted():
    n = 100_000
    inf = np.inf
    links = Constraints.from_groups(
        np.zeros(n), apart=np.zeros(n), must_link_weight=inf, cannot_link_weight=inf
    )

    with pytest.raises(ContradictionError, match="There are 4,999,949,999 more") as error:
        refuse_contradictions(links)

    assert len(error.value.contradictions) == 1000
    assert error.value.path == [0, 1]


def test_contradictions_are_a_sequence():
    found = Constraints([(0, 1), (1, 2)], [(0, 1), (0, 2), (1, 2)]).contradictions()

    assert found[-1].rows == (1, 2)
    assert [c.rows for c in found[1:]] == [(0, 2), (1, 2)]
    assert found.rows.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert repr(found[0]) == "Contradiction(a=0, b=1, weight=1)"
    with pytest.raises(IndexError):
        found[3]
