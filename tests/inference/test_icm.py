import numpy as np
import pytest
from numpy.testing import assert_array_equal

from coterie import Constraints
from coterie.inference import ICM
from coterie.model import Energy, LinkGraph
from problems import all_labellings, random_energy, random_labels

KINDS = pytest.mark.parametrize("per_cluster", [False, True])
SLACK = 1e-9


def least(energy):
    """Return the lowest energy of all labellings."""
    return min(energy.of(labels) for labels in all_labellings(*energy.unary.shape))


def moves(energy, labels, units):
    """Yield every labelling that one move of one unit leads to."""
    for unit in range(len(units.sizes)):
        for c in range(energy.unary.shape[1]):
            moved = labels.copy()
            moved[units.unit_of == unit] = c
            yield moved


def soft_energy(unary, *links, weight):
    """Return the energy of must-links of one weight, half of it for each of their clusters."""
    graph = LinkGraph.of(Constraints(links), Constraints(links))
    return Energy.build(graph, np.array(unary), np.full((len(links), 1), weight / 2))


@KINDS
@pytest.mark.parametrize("hard", [0, 4])
def test_the_energy_never_rises(rng, per_cluster, hard):
    for _ in range(20):
        energy = random_energy(rng, n=12, m=20, per_cluster=per_cluster, hard=hard)
        labels = random_labels(rng, energy)

        found = ICM().infer(energy, labels, rng)

        assert energy.of(found) <= energy.of(labels) + SLACK


@KINDS
@pytest.mark.parametrize("unplaced", [0.0, 0.5, 1.0])
def test_no_move_of_a_unit_or_a_neighbourhood_improves_what_is_found(rng, per_cluster, unplaced):
    for n, m in [(12, 14)] * 5 + [(40, 60)] * 5:
        energy = random_energy(rng, n, m, per_cluster=per_cluster, hard=4)
        labels = random_labels(rng, energy, unplaced)

        found = ICM().infer(energy, labels, rng)

        reached = energy.of(found)
        for units in (energy.graph.single, energy.graph.neighbourhoods):
            assert all(energy.of(m) >= reached - SLACK for m in moves(energy, found, units))


@KINDS
def test_small_problems_are_mostly_solved_and_never_beaten(rng, per_cluster):
    n_solved, n_problems = 0, 40
    for _ in range(n_problems):
        energy = random_energy(rng, per_cluster=per_cluster)
        starts = (random_labels(rng, energy) for _ in range(5))

        reached = min(energy.of(ICM().infer(energy, start, rng)) for start in starts)

        assert reached >= least(energy) - SLACK
        n_solved += reached <= least(energy) + SLACK
    assert n_solved >= 0.7 * n_problems


@KINDS
def test_names_of_clusters_do_not_matter(rng, seed, per_cluster):
    energy = random_energy(rng, n=12, m=20, per_cluster=per_cluster, hard=4)
    labels = random_labels(rng, energy, unplaced=0.3)
    new_name = rng.permutation(3)
    old_name = np.argsort(new_name)
    penalty = energy.penalty[:, old_name] if per_cluster else energy.penalty
    renamed = Energy(energy.graph, energy.unary[:, old_name], penalty)
    named = np.where(labels >= 0, new_name[labels], -1).astype(np.int32)

    found = ICM().infer(energy, labels, np.random.default_rng(seed))
    again = ICM().infer(renamed, named, np.random.default_rng(seed))

    assert_array_equal(again, new_name[found])


@pytest.mark.parametrize("unplaced", [0.3, 1.0])
@pytest.mark.parametrize("options", [{}, {"move_neighbourhoods": False}, {"max_sweeps": 1}])
def test_rows_that_are_not_placed_yet_are_placed(rng, unplaced, options):
    energy = random_energy(rng, n=12, m=14, hard=4)
    labels = random_labels(rng, energy, unplaced)

    found = ICM(**options).infer(energy, labels, rng)

    assert set(found.tolist()) <= {0, 1, 2}


def test_a_row_that_is_not_placed_follows_those_that_are(rng):
    energy = soft_energy([[0.0, 1.0], [1.0, 0.0]], (0, 1), weight=3.0)
    labels = np.array([0, -1], dtype=np.int32)

    found = ICM(move_neighbourhoods=False).infer(energy, labels, rng)

    assert found.tolist() == [0, 0]


def test_the_largest_neighbourhood_is_placed_first(rng):
    # Both want cluster 0 and must differ; whoever comes first keeps it.
    links = Constraints([(1, 2), (2, 3)], [(0, 1)])
    unary = np.tile([0.0, 1.0], (4, 1))
    penalty = np.array([[0.5], [0.5], [9.0]])
    energy = Energy.build(LinkGraph.of(links, links), unary, penalty)

    found = ICM().infer(energy, np.full(4, -1, dtype=np.int32), rng)

    assert found.tolist() == [1, 0, 0, 0]


def test_placed_rows_hold_while_others_come_in(rng):
    # Row 0 would leave for cluster 1 if row 1, which it must not meet, were not put there first.
    links = Constraints([], [(0, 1)])
    unary = np.array([[0.5, 0.0], [0.0, 0.1]])
    energy = Energy.build(LinkGraph.of(links, links), unary, np.array([[9.0]]))

    found = ICM().infer(energy, np.array([0, -1], dtype=np.int32), rng)

    assert found.tolist() == [0, 1]


@KINDS
def test_rows_that_hard_must_links_bind_stay_together(rng, per_cluster):
    for _ in range(20):
        energy = random_energy(rng, n=12, m=20, per_cluster=per_cluster, hard=8, wrong=0.5)
        graph = energy.graph

        found = ICM().infer(energy, random_labels(rng, energy, unplaced=0.3), rng)

        assert not (graph.broken(found) & graph.hard & graph.must).any()


def test_a_neighbourhood_leaves_where_each_of_its_rows_alone_would_stay(rng):
    energy = soft_energy([[1.0, 0.0]] * 3, (0, 1), (1, 2), (0, 2), weight=5.0)
    trap = np.zeros(3, dtype=np.int32)

    row_by_row = ICM(move_neighbourhoods=False).infer(energy, trap, rng)
    together = ICM().infer(energy, trap, rng)

    assert row_by_row.tolist() == [0, 0, 0]
    assert together.tolist() == [1, 1, 1]


def test_a_row_that_was_moved_along_may_go_back(rng):
    # The first two draw all four to cluster 1. The last goes back, though nobody linked to it
    # has moved.
    links = Constraints([(0, 1), (1, 2), (2, 3)])
    unary = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 0.5]])
    energy = Energy.build(LinkGraph.of(links, links), unary, np.array([[5.0], [0.1], [0.1]]))

    found = ICM().infer(energy, np.array([0, 0, 1, 0], dtype=np.int32), rng)

    assert found.tolist() == [1, 1, 1, 0]


def test_labels_at_a_minimum_stay_even_where_others_are_as_cheap(rng):
    energy = soft_energy([[1.0, 1.0]] * 2, (0, 1), weight=1.0)

    found = ICM().infer(energy, np.ones(2, dtype=np.int32), rng)

    assert found.tolist() == [1, 1]


def test_the_labels_that_are_given_are_left_as_they_were(rng):
    energy = random_energy(rng, n=12, m=20, hard=4)
    labels = random_labels(rng, energy, unplaced=0.5)
    before = labels.copy()

    found = ICM().infer(energy, labels, rng)

    assert_array_equal(labels, before)
    assert found.dtype == np.int32
    assert not np.shares_memory(found, labels)


def test_the_same_seed_finds_the_same_labels(rng, seed):
    energy = random_energy(rng, n=20, m=40)
    labels = random_labels(rng, energy)

    one, two = (ICM().infer(energy, labels, np.random.default_rng(seed)) for _ in range(2))

    assert_array_equal(one, two)


def test_without_linked_rows_there_is_nothing_to_label(rng):
    graph = LinkGraph.empty(np.empty(0, dtype=np.int64))
    energy = Energy.build(graph, np.empty((0, 3)), np.empty((0, 1)))

    assert len(ICM().infer(energy, np.empty(0, dtype=np.int32), rng)) == 0


@KINDS
@pytest.mark.parametrize("unplaced", [0.0, 0.5, 1.0])
def test_greedy_order_ends_where_no_move_improves_and_leaves_nothing_to_chance(
    rng, per_cluster, unplaced
):
    for _ in range(5):
        energy = random_energy(rng, 12, 14, per_cluster=per_cluster, hard=4)
        labels = random_labels(rng, energy, unplaced)

        found, again = (
            ICM(order="greedy").infer(energy, labels, np.random.default_rng(i)) for i in range(2)
        )

        assert_array_equal(found, again)
        reached = energy.of(found)
        for units in (energy.graph.single, energy.graph.neighbourhoods):
            assert all(energy.of(m) >= reached - SLACK for m in moves(energy, found, units))


def test_greedy_order_begins_with_the_fewest_links(rng):
    # All want cluster 0 and row 0, the nearest, must meet neither of the others; it is asked last.
    links = Constraints([], [(0, 1), (0, 2)])
    unary = np.array([[0.0, 1.0], [0.2, 1.0], [0.3, 1.0]])
    energy = Energy.build(LinkGraph.of(links, links), unary, np.full((2, 1), 9.0))

    found = ICM(order="greedy").infer(energy, np.full(3, -1, dtype=np.int32), rng)

    assert found.tolist() == [1, 0, 0]


def test_the_nearest_of_rows_with_as_many_links_is_asked_first(rng):
    links = Constraints([], [(0, 1)])
    unary = np.array([[0.2, 1.0], [0.1, 1.0]])
    energy = Energy.build(LinkGraph.of(links, links), unary, np.full((1, 1), 9.0))

    found = ICM(order="greedy").infer(energy, np.full(2, -1, dtype=np.int32), rng)

    assert found.tolist() == [1, 0]


def test_one_sweep_places_even_rows_whose_neighbours_wait_too(rng):
    energy = soft_energy([[0.0, 1.0]] * 3, (0, 1), (1, 2), weight=1.0)

    for _ in range(10):
        found = ICM(max_sweeps=1).infer(energy, np.array([0, -1, -1], dtype=np.int32), rng)

        assert found.tolist() == [0, 0, 0]
