"""Weights of what follows: the weakest link of the strongest chain."""

import numpy as np
import pytest
from hypothesis import given

from constraints.strategies import LINKS, N, cannot_of, must_of, plain_links
from coterie import Constraints


def strongest_ways(links):
    """Return the weakest link of the strongest chain between all rows, by repeated max-min."""
    way = np.zeros((N, N))
    np.fill_diagonal(way, np.inf)
    for (a, b), weight in must_of(links).items():
        way[a, b] = way[b, a] = weight
    for row in range(N):
        way = np.maximum(way, np.minimum(way[:, [row]], way[[row], :]))
    return way


def entailed(links):
    """Return the must-links and the cannot-links that follow, from all ways there are."""
    way, given_cannot = strongest_ways(links), cannot_of(links)
    carried = np.zeros((N, N))
    for (a, b), weight in given_cannot.items():
        for one, two in ((a, b), (b, a)):
            along = np.minimum(np.minimum(way[:, [one]], weight), way[[two], :])
            carried = np.maximum(carried, along)
    pairs = [(a, b) for a in range(N) for b in range(a + 1, N)]
    must = {(a, b): way[a, b] for a, b in pairs if way[a, b] > 0}
    cannot = {pair: carried[pair] for pair in pairs if pair not in must and carried[pair] > 0}
    return must, cannot | {pair: w for pair, w in given_cannot.items() if pair in must}


@given(LINKS)
def test_weights_are_those_of_brute_force(links):
    must, cannot = entailed(links)

    closed = links.closure().entailed()

    assert must_of(closed) == must
    assert cannot_of(closed) == cannot


@given(plain_links())
def test_one_weight_for_all_needs_no_forest(links):
    alike = Constraints(
        links.must_link,
        links.cannot_link,
        must_link_weights=0.5,
        cannot_link_weights=links.cannot_link_weights,
        n_samples=N,
    )
    must, cannot = entailed(alike)

    closed = alike.closure().entailed()

    assert (must_of(closed), cannot_of(closed)) == (must, cannot)


@given(LINKS)
def test_closing_twice_changes_nothing(links):
    once = links.closure().entailed()

    assert once.closure().entailed() == once


@given(LINKS)
def test_no_given_link_gets_lighter(links):
    closed = links.closure().entailed()

    assert closed | links == closed


@pytest.mark.parametrize(
    ("weights", "entailed_weight"), [([3, 2], 2.0), ([np.inf, 2], 2.0), ([np.inf, np.inf], np.inf)]
)
def test_a_chain_is_as_strong_as_its_weakest_link(weights, entailed_weight):
    links = Constraints([(0, 1), (1, 2)], must_link_weights=weights)

    assert must_of(links.closure().entailed())[0, 2] == entailed_weight


def test_ids_stay_with_the_rows():
    links = Constraints([(0, 1), (1, 2)], ids=["a", "b", "c"])

    assert links.closure().entailed().ids.tolist() == ["a", "b", "c"]
