"""Whether all links can hold, against a walk over all colourings."""

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from coterie import ConstraintError, Constraints
from coterie.difficulty import graph as graph_module
from coterie.difficulty import is_feasible
from coterie.difficulty.colouring import decide
from coterie.difficulty.dsatur import colour
from coterie.difficulty.graph import find_clique, graph_of

N = 7
EDGES = st.lists(st.sampled_from([*combinations(range(N), 2)]), unique=True).map(sorted)
LINKS = st.tuples(st.lists(st.sampled_from([*combinations(range(N), 2)]), max_size=4), EDGES)


def can_hold(must, cannot, k):
    return any(
        all(c[a] == c[b] for a, b in must) and all(c[a] != c[b] for a, b in cannot)
        for c in product(range(k), repeat=N)
    )


def cycle(n, start=0):
    return [(start + i, start + (i + 1) % n) for i in range(n)]


def mycielski(edges, n):
    """Return a graph that takes one colour more, without larger cliques; and its size."""
    shadows = [edge for a, b in edges for edge in ((a, n + b), (b, n + a))]
    return [*edges, *shadows, *((n + v, 2 * n) for v in range(n))], 2 * n + 1


def grotzsch():
    """Return the triangle-free graph of 11 nodes that takes four colours."""
    return mycielski(cycle(5), 5)[0]


@given(LINKS, st.integers(1, 4))
def test_answer_is_that_of_all_colourings(links, k):
    found = is_feasible(links, k)

    assert found.answer == bool(found) == can_hold(*links, k)
    assert found.proof in {"colouring", "clique", "contradiction", "search"}


@given(LINKS, st.integers(1, 4), st.integers(0, 3))
def test_evidence_shows_the_answer(links, k, max_steps):
    constraints = Constraints(*links)

    found = is_feasible(constraints, k, max_steps=max_steps)

    if found.answer is None:
        assert found.proof == "undecided"
    if found.answer:
        labels = np.full(N, -1)
        labels[found.rows] = found.labels
        assert constraints.satisfaction(labels).n_violated == 0
        assert labels.max() < k
    else:
        assert found.labels is None
    closed = constraints.closure().entailed() if not constraints.contradictions() else None
    if found.proof == "clique":
        pairs = {*map(tuple, closed.cannot_link.tolist())}
        assert len(found.rows) == k + 1
        assert {*combinations(found.rows.tolist(), 2)} <= pairs
    if found.proof == "search" and not found.answer:
        rows = found.rows.tolist()
        pairs = [(a, b) for a, b in closed.cannot_link.tolist() if {a, b} <= {*rows}]
        assert not can_hold([], pairs, k)
    if found.proof == "contradiction":
        chain = found.rows.tolist()
        steps = {tuple(sorted(step)) for step in pairwise(chain)}
        assert steps <= {*map(tuple, constraints.must_link.tolist())}
        assert tuple(sorted((chain[0], chain[-1]))) in {*links[1]}


@given(EDGES, st.integers(1, 4), st.integers(0, 200))
def test_search_is_exact_and_keeps_to_its_steps(edges, k, max_steps):
    graph = graph_of(np.array(edges, dtype=np.int64).reshape(-1, 2), N)

    outcome = colour(graph, k, max_steps)

    assert outcome.n_steps <= max_steps
    assert outcome.answer is None or outcome.answer == can_hold([], edges, k)
    assert colour(graph, k, 10**6).answer == can_hold([], edges, k)
    if outcome.colours is not None:
        assert all(0 <= c < k for c in outcome.colours)
        assert all(outcome.colours[a] != outcome.colours[b] for a, b in edges)


@given(EDGES, st.integers(1, 4))
def test_cliques_are_cliques(edges, size):
    clique = find_clique(graph_of(np.array(edges, dtype=np.int64).reshape(-1, 2), N), size)

    assert len(clique) in {0, size}
    assert {*combinations(clique, 2)} <= {*edges}


def test_graph_of_nothing_is_coloured():
    assert colour([], 2, 0) == (True, [], 0)


def test_cliques_are_looked_for_with_measured_effort(monkeypatch):
    monkeypatch.setattr(graph_module, "_CLIQUE_WORK", 100)
    clique = [*combinations(range(20), 2)]

    found = is_feasible(([], clique), 19)

    assert find_clique(graph_of(np.array(clique), 20), 20) == []
    assert (found.answer, found.proof) == (False, "search")


@pytest.mark.parametrize("n", [5, 9, 501])
def test_odd_cycle_takes_three(n):
    two, three = (is_feasible(([], cycle(n)), k) for k in (2, 3))

    assert (two.answer, two.proof) == (False, "search")
    assert two.rows.tolist() == list(range(n))
    assert (three.answer, three.proof) == (True, "colouring")


@pytest.mark.parametrize("n", [4, 500])
def test_even_cycle_takes_two(n):
    found = is_feasible(([], cycle(n)), 2)

    assert (found.answer, found.proof) == (True, "colouring")
    assert found.labels.tolist() == [0, 1] * (n // 2)


@pytest.mark.parametrize("k", [1, 2, 5, 30])
def test_clique_takes_as_many_as_it_has_rows(k):
    rows = range(100, 100 + k + 1)
    links = Constraints(cannot_link=[*combinations(rows, 2)])

    refused = is_feasible(links, k)

    assert (refused.answer, refused.proof) == (False, "clique")
    assert refused.rows.tolist() == [*rows]
    assert is_feasible(links, k + 1).labels.tolist() == [*range(k + 1)]


def test_clique_is_found_among_many_other_rows(rng):
    n = 2000
    noise = rng.integers(n, size=(2 * n, 2))
    hidden = rng.choice(n, size=5, replace=False)
    links = Constraints(cannot_link=[*noise[noise[:, 0] != noise[:, 1]], *combinations(hidden, 2)])

    found = is_feasible(links, 4)

    assert (found.answer, found.proof) == (False, "clique")
    assert found.rows.tolist() == sorted(hidden.tolist())


def test_search_decides_where_there_is_no_clique():
    refused, found = (is_feasible(([], grotzsch()), k) for k in (3, 4))

    assert (refused.answer, refused.proof) == (False, "search")
    assert found.answer
    assert found.proof in {"colouring", "search"}


def test_search_may_take_colours_back_and_still_succeed(rng):
    # Around this density, three colours that exist are hard to find.
    proofs = set()
    for _ in range(20):
        hidden = rng.integers(3, size=60)
        pairs = rng.integers(60, size=(400, 2))
        pairs = pairs[hidden[pairs[:, 0]] != hidden[pairs[:, 1]]][:140]
        found = is_feasible(([], pairs), 3)
        assert found.answer
        proofs.add(found.proof)

    assert proofs == {"colouring", "search"}


def test_undecided_says_so_and_refuses_to_be_either():
    found = is_feasible(([], grotzsch()), 3, max_steps=2)

    assert found.answer is None
    assert found.labels is None
    assert found.proof == "undecided"
    assert repr(found) == "Feasibility(undecided: rows 0, 1, 2, 3, 4, 5 and 5 more)"
    with pytest.raises(ValueError, match="not decided in so many steps"):
        bool(found)


def test_one_piece_that_fails_settles_it_though_another_is_left_open():
    large, n = mycielski(grotzsch(), 11)
    odd = cycle(5, start=n)
    links = [], [*large, *odd, *((v, n + 5) for v in range(n, n + 5)), (n + 5, n + 6), (n, n + 6)]

    # The wheel has fewer rows, so it is searched first, and the steps do for it.
    found = is_feasible(links, 3, max_steps=30)

    assert (found.answer, found.proof) == (False, "search")
    assert found.rows.tolist() == [*range(n, n + 6)]


def test_contradiction_is_shown_by_its_chain():
    links = Constraints([(4, 7), (7, 9)], [(4, 9), (0, 1)], ids=list("abcdefghij"))

    found = is_feasible(links, 9)

    assert found.rows.tolist() == [4, 7, 9]
    assert repr(found) == "Feasibility(no, by contradiction: rows 4, 7, 9)"


def test_soft_links_count_until_they_are_left_out():
    links = Constraints(cannot_link=cycle(3), cannot_link_weights=[np.inf, np.inf, 1.0])

    assert not is_feasible(links, 2)
    assert is_feasible(links.hard, 2)


@pytest.mark.parametrize("links", [None, Constraints(), ([], []), (None, None)])
def test_no_links_always_hold(links):
    found = is_feasible(links, 1)

    assert found
    assert found.proof == "colouring"
    assert (len(found.rows), len(found.labels)) == (0, 0)


def test_must_links_alone_hold_in_one_cluster():
    found = is_feasible(([(0, 1), (4, 5)], []), 1)

    assert found.labels.tolist() == [0, 0, 0, 0]
    assert repr(found) == "Feasibility(yes, by colouring: 4 linked rows)"


def test_matrix_does_too():
    matrix = sparse.csr_array(([1.0, -1.0], ([0, 1], [1, 2])), shape=(3, 3))

    assert is_feasible(matrix, 2).labels.tolist() == [0, 0, 1]


@pytest.mark.parametrize("k", [2, 3, 4])
def test_hundred_thousand_neighbourhoods(rng, k):
    n = 100_000
    links = Constraints(cannot_link=[(i, i + 1) for i in range(n)], n_samples=n + 1)
    chain = is_feasible(links, k)
    hidden = rng.integers(k, size=n)
    pairs = rng.integers(n, size=(2 * n, 2))
    pairs = pairs[hidden[pairs[:, 0]] != hidden[pairs[:, 1]]][:n]
    verdict = decide(np.unique(np.sort(pairs, axis=1), axis=0), n, k, 100_000)

    assert chain.answer
    assert chain.proof == "colouring"
    assert verdict.answer
    assert (verdict.colours[pairs[:, 0]] != verdict.colours[pairs[:, 1]]).all()


def test_two_clusters_are_never_left_undecided():
    found = is_feasible(([], [*cycle(20_001), *cycle(5, start=30_000)]), 2, max_steps=0)

    assert (found.answer, found.proof) == (False, "search")
    assert found.rows.tolist() == [*range(30_000, 30_005)]
    assert is_feasible(([], cycle(20_001)), 2, max_steps=0).answer is False


@pytest.mark.parametrize("k", [0, -1, 2.0, True, "3"])
def test_wrong_number_of_clusters_is_refused(k):
    with pytest.raises(ValueError, match="n_clusters must be a whole number, 1 or more; got"):
        is_feasible(None, k)


def test_what_are_not_links_is_refused():
    with pytest.raises(ValueError, match="max_steps must be a whole number, 0 or more"):
        is_feasible(None, 2, max_steps=-1)
    with pytest.raises(ConstraintError, match="constraints must be a Constraints"):
        is_feasible([(0, 1)], 2)
