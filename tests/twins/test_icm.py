import numpy as np
import pytest
from numpy.testing import assert_array_equal

from coterie import Constraints
from coterie.loops import icm
from coterie.loops.reference import icm as plain
from coterie.model import Energy, LinkGraph, Units
from problems import all_labellings, random_energy, random_labels

KINDS = pytest.mark.parametrize("per_cluster", [False, True])


def quarters(energy):
    """Return the energy in steps of a quarter: sums are exact in any order, and many tie."""
    unary, penalty = (np.round(4 * part) / 4 for part in (energy.unary, energy.penalty))
    return Energy(energy.graph, unary, penalty)


def arguments(energy, units, order):
    graph = energy.graph
    ends = graph.indptr, graph.other, graph.link, graph.must
    return energy.unary, *ends, energy.penalty, *units, order


def random_units(rng, n, n_units):
    """Return units whose rows may be linked or not, and may lie anywhere."""
    unit_of = np.concatenate([np.arange(n_units), rng.integers(n_units, size=n - n_units)])
    return Units.of(rng.permutation(unit_of).astype(np.int64))


@KINDS
@pytest.mark.parametrize("hard", [0, 4])
@pytest.mark.parametrize("unplaced", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n_units", [2, 6, 12])
def test_icm_sweep(rng, per_cluster, hard, unplaced, n_units):
    for _ in range(5):
        energy = quarters(random_energy(rng, n=12, m=30, per_cluster=per_cluster, hard=hard))
        n = len(energy.unary)
        units = random_units(rng, n, min(n, n_units))
        order = rng.permutation(len(units.sizes)).astype(np.int64)
        ours = random_labels(rng, energy, unplaced)
        theirs = ours.copy()
        given = arguments(energy, units, order)

        moved = icm.icm_sweep(*given, ours)

        assert moved == plain.icm_sweep(*given, theirs)
        assert_array_equal(ours, theirs)


@KINDS
def test_only_units_that_are_visited_move(rng, per_cluster):
    energy = quarters(random_energy(rng, n=12, m=30, per_cluster=per_cluster))
    units = random_units(rng, len(energy.unary), 6)
    order = np.array([1, 4, 1], dtype=np.int64)
    ours = random_labels(rng, energy, unplaced=0.3)
    before, theirs = ours.copy(), ours.copy()
    given = arguments(energy, units, order)

    moved = icm.icm_sweep(*given, ours)

    assert moved == plain.icm_sweep(*given, theirs)
    assert_array_equal(ours, theirs)
    waiting = ~np.isin(units.unit_of, order)
    assert_array_equal(ours[waiting], before[waiting])


@KINDS
@pytest.mark.parametrize("of", [icm, plain])
def test_a_unit_goes_where_the_whole_energy_is_least(rng, of, per_cluster):
    for _ in range(10):
        energy = random_energy(rng, n=6, m=10, per_cluster=per_cluster, hard=2)
        units = random_units(rng, len(energy.unary), 3)
        labels = random_labels(rng, energy)
        start = labels.copy()
        inside = units.unit_of == 1

        of.icm_sweep(*arguments(energy, units, np.array([1])), labels)

        reachable = [start, *(np.where(inside, np.int32(c), start) for c in range(3))]
        assert energy.of(labels) == pytest.approx(min(energy.of(there) for there in reachable))
        assert_array_equal(labels[~inside], start[~inside])


@pytest.mark.parametrize("of", [icm, plain])
@pytest.mark.parametrize(("start", "end"), [(-1, 0), (0, 0), (1, 1), (2, 0)])
def test_a_tie_keeps_what_is_there_and_else_takes_the_lowest(of, start, end):
    links = Constraints([(0, 1)])
    energy = Energy(LinkGraph.of(links, links), np.array([[1.0, 1.0, 2.0]] * 2), np.array([[0.0]]))
    labels = np.array([start, 0], dtype=np.int32)

    moved = of.icm_sweep(*arguments(energy, energy.graph.single, np.array([0])), labels)

    assert labels.tolist() == [end, 0]
    assert moved == (start != end)


@pytest.mark.parametrize("of", [icm, plain])
def test_links_between_rows_of_one_unit_count_once(of):
    # Together in cluster 0 they pay 1 for the cannot-link, in cluster 1 they pay 1.5 for rows.
    links = Constraints([], [(0, 1)])
    energy = Energy(LinkGraph.of(links, links), np.array([[0.0, 0.75]] * 2), np.array([[1.0, 0.0]]))
    together = Units.of(np.zeros(2, dtype=np.int64))

    for start in all_labellings(2, 2):
        labels = start.copy()
        of.icm_sweep(*arguments(energy, together, np.array([0])), labels)
        split = start[0] != start[1]
        # Apart they pay 0.75: a unit that is in two clusters stays where that is cheaper.
        assert labels.tolist() == (start.tolist() if split else [0, 0])


@pytest.mark.parametrize("k", [1, 2, 7])
def test_elsewhere_cheaper(rng, k):
    unary = rng.integers(3, size=(50, k)).astype(float)
    labels = rng.integers(k, size=50).astype(np.int32)
    found = [np.empty(50, dtype=bool) for _ in range(2)]

    for of, cheaper in zip((icm, plain), found, strict=True):
        of.elsewhere_cheaper(unary, labels, cheaper)

    assert_array_equal(*found)
