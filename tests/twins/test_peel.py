from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from coterie.loops import peel
from coterie.loops.reference import peel as plain
from coterie.model import Ends
from twins.graphs import energy_of, random_edges, random_forest

SHAPES = pytest.mark.parametrize(("n", "m"), [(0, 0), (1, 0), (7, 0), (12, 6), (30, 28), (30, 60)])
WIDTHS = pytest.mark.parametrize(("k", "wide"), [(1, False), (3, False), (3, True)])


def random_costs(rng, shape):
    """Return costs in steps of a quarter: sums are exact in any order, and many tie."""
    return rng.integers(9, size=shape) / 4


def stripped(of, edges, n):
    """Return the nodes that come off, their parents and the edges above."""
    ends = Ends.of(edges, n)
    order, parent, above = (np.full(n, -9) for _ in range(3))
    n_off = of.strip(ends.indptr, ends.other, ends.edge, order, parent, above)
    return order[:n_off], parent, above


def forest_problem(rng, n, k, wide):
    """Return a stripped forest and its costs, as `collect` wants them."""
    edges = random_forest(rng, n)
    off = stripped(peel, edges, n)
    apart, together = (random_costs(rng, (len(edges), k if wide else 1)) for _ in range(2))
    return edges, (*off, apart, together), random_costs(rng, (n, k))


@SHAPES
def test_strip(rng, n, m):
    edges = random_edges(rng, n, m)

    for ours, theirs in zip(stripped(peel, edges, n), stripped(plain, edges, n), strict=True):
        assert_array_equal(ours, theirs)


@SHAPES
def test_what_is_left_has_two_edges_or_more_each(rng, n, m):
    edges = random_edges(rng, n, m)

    off, parent, above = stripped(peel, edges, n)

    left = np.setdiff1d(np.arange(n), off)
    inside = edges[np.isin(edges, left).all(axis=1)]
    assert len({*off.tolist()}) == len(off)
    assert (np.bincount(inside.ravel(), minlength=n)[left] >= 2).all()
    hangs = np.flatnonzero(parent >= 0)
    ends = np.sort(np.column_stack([hangs, parent[hangs]]), axis=1)
    assert_array_equal(edges[above[hangs]], ends)
    assert len(inside) + len(hangs) == len(edges)


def test_a_node_comes_off_before_the_one_that_it_hangs_by(rng):
    off, parent, _ = stripped(peel, random_forest(rng, 20), 20)

    place = np.empty(20, dtype=np.int64)
    place[off] = np.arange(20)
    assert all(place[i] < place[parent[i]] for i in off if parent[i] >= 0)
    assert (parent < 0).sum() == 2


@SHAPES
def test_walk(rng, n, m):
    ends = Ends.of(random_edges(rng, n, m), n)
    some = rng.random(n) < 0.7
    found = []

    for of in (peel, plain):
        waiting, order, starts = some.copy(), np.full(n, -9), np.full(n + 1, -9)
        number = of.walk(ends.indptr, ends.other, waiting, order, starts)
        found.append((order, starts[: number + 1], waiting))

    for ours, theirs in zip(*found, strict=True):
        assert_array_equal(ours, theirs)
    assert not found[0][2].any()


@WIDTHS
def test_collect_and_hand_down(rng, k, wide):
    for n in (2, 5, 20):
        _, given, cost = forest_problem(rng, n, k, wide)
        labels = rng.integers(-1, k, size=n).astype(np.int32)
        ours, theirs = (cost.copy(), labels.copy()), (cost.copy(), labels.copy())

        assert peel.collect(*given, ours[0]) == plain.collect(*given, theirs[0])
        peel.hand_down(*given, *ours)
        plain.hand_down(*given, *theirs)

        assert_array_equal(ours[0], theirs[0])
        assert_array_equal(ours[1], theirs[1])


@pytest.mark.parametrize("of", [peel, plain])
@WIDTHS
def test_the_least_energy_of_a_forest_is_found_and_reached(rng, of, k, wide):
    edges, given, cost = forest_problem(rng, 6, k, wide)
    of_all = [energy_of(edges, *given[3:], cost, trial) for trial in product(range(k), repeat=6)]
    messages, labels = cost.copy(), np.full(6, -1, dtype=np.int32)

    least = of.collect(*given, messages)
    of.hand_down(*given, messages, labels)

    assert least == min(of_all)
    assert energy_of(edges, *given[3:], cost, labels) == least


@pytest.mark.parametrize("of", [peel, plain])
def test_a_tie_keeps_the_label_there_and_else_takes_the_lowest(of):
    off = np.arange(2), np.array([-1, -1]), np.array([-1, -1])
    labels = np.array([-1, 2], dtype=np.int32)

    of.hand_down(*off, np.empty((0, 1)), np.empty((0, 1)), np.ones((2, 3)), labels)

    assert labels.tolist() == [0, 2]
