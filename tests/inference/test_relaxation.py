from collections import Counter
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.optimize import linprog

from coterie import Constraints
from coterie.inference import LinearProgram, lower_bound, program, relaxation
from coterie.inference.peeled import Peeled
from coterie.inference.relaxation import round_at_random
from coterie.model import Energy, LinkGraph
from problems import all_labellings, random_energy, random_labels

KINDS = pytest.mark.parametrize("per_cluster", [False, True])


def nowhere(energy):
    return np.full(len(energy.unary), -1, dtype=np.int32)


def frustrated(rng, n_parts=1, k=3):
    """Return the energy of cliques of k + 1 rows that may not meet: no program is whole there."""
    pairs = np.column_stack(np.triu_indices(k + 1, 1))
    cannot = np.concatenate([pairs + (k + 1) * part for part in range(n_parts)])
    links = Constraints([], cannot)
    unary = rng.uniform(0.0, 0.1, size=(n_parts * (k + 1), k))
    penalty = rng.uniform(1.0, 2.0, size=(len(cannot), 1))
    return Energy.build(LinkGraph.of(links, links), unary, penalty)


def torn(rng, n, k=3, *, per_cluster=False):
    """Return the energy of pairs that mostly are linked both ways, at 1 or up to 1e9 each."""
    pairs = np.column_stack(np.triu_indices(n, 1))
    must, cannot = pairs[rng.random(len(pairs)) < 0.8], pairs[rng.random(len(pairs)) < 0.8]
    links = Constraints(must, cannot, n_samples=n)
    graph = LinkGraph.of(links, links)
    dear = 10.0 ** rng.choice([0, 3, 6, 9], size=(len(graph.pairs), 1))
    shape = len(graph.pairs), k if per_cluster else 1
    return Energy.build(graph, rng.random((len(graph.rows), k)), dear * rng.random(shape))


def rounding(energy):
    """Return what may be lost by adding up all there is."""
    return 16 * np.finfo(float).eps * (np.abs(energy.unary).sum() + 2 * energy.penalty.sum())


def value_as_printed(energy):
    """Return the value of Eq. 8, 9 and 11 to 15, over all rows and links at once."""
    (n, k), m = energy.unary.shape, len(energy.penalty)
    penalty = np.broadcast_to(energy.penalty, (m, k))
    cost = np.concatenate([energy.unary.ravel(), penalty.ravel()])
    rows, most = [], []
    for link, (a, b) in enumerate(energy.graph.pairs):
        must = energy.graph.must[link]
        sides = [(1, -1, -1, 0), (-1, 1, -1, 0)] if must else [(-1, -1, 1, 0), (1, 1, -1, 1)]
        for c, (*signs, limit) in product(range(k), sides):
            row = np.zeros((n + m) * k)
            row[[a * k + c, b * k + c, (n + link) * k + c]] = signs
            rows.append(row)
            most.append(limit)
    sums = np.hstack([np.kron(np.eye(n), np.ones(k)), np.zeros((n, m * k))])
    return linprog(cost, A_ub=rows, b_ub=most, A_eq=sums, b_eq=np.ones(n)).fun


@KINDS
@pytest.mark.parametrize("batch", [1, 4096])
def test_the_bound_is_the_value_of_the_program_as_printed(rng, monkeypatch, per_cluster, batch):
    monkeypatch.setattr(program, "_BATCH", batch)
    for n, m in [(9, 7), (9, 12), (9, 24), (30, 30)]:
        energy = random_energy(rng, n, m, per_cluster=per_cluster)

        assert lower_bound(energy) == pytest.approx(value_as_printed(energy), rel=1e-6)


@KINDS
@pytest.mark.parametrize("hard", [0, 3])
@pytest.mark.parametrize("time_limit", [60.0, 0.0])
def test_no_labels_cost_less_than_the_bound(rng, per_cluster, hard, time_limit):
    for _ in range(10):
        energy = random_energy(rng, m=12, per_cluster=per_cluster, hard=hard, wrong=0.5)
        least = min(energy.of(labels) for labels in all_labellings(*energy.unary.shape))

        assert lower_bound(energy, time_limit=time_limit) <= least + 1e-6


@KINDS
def test_no_labels_cost_less_than_the_bound_where_links_are_dear(rng, per_cluster):
    for _ in range(60):
        energy = torn(rng, n=int(rng.integers(3, 8)), per_cluster=per_cluster)
        costs = np.array([energy.of(labels) for labels in all_labellings(*energy.unary.shape)])

        assert lower_bound(energy) <= costs.min() + rounding(energy)


def test_a_bound_holds_whatever_the_solver_made_of_its_program(rng, monkeypatch):
    def blunt(*args, **options):
        found = linprog(*args, **options)
        found.fun += 0.1
        found.ineqlin.marginals += rng.normal(scale=0.3, size=len(found.ineqlin.marginals))
        return found

    monkeypatch.setattr(relaxation, "linprog", blunt)
    for _ in range(20):
        energy = random_energy(rng, m=12, wrong=0.5)
        least = min(energy.of(labels) for labels in all_labellings(*energy.unary.shape))

        assert lower_bound(energy) <= least + 1e-12


def test_whole_labels_cost_in_a_program_what_they_cost(rng, monkeypatch):
    monkeypatch.setattr(program, "_PASSES", 0)
    peeled = Peeled.of(random_energy(rng, n=8, m=16, per_cluster=True))
    n_parts = len(peeled.core.starts) - 1
    written = program.Program.of(peeled, 0, n_parts)

    for _ in range(10):
        labels = rng.integers(3, size=len(peeled.core.nodes)).astype(np.int32)

        assert written.energy(labels) == pytest.approx(peeled.energies(labels).sum())


def test_a_bound_that_had_no_time_is_weaker_and_counted(rng):
    energy = frustrated(rng, n_parts=5)
    events, in_time = Counter(), Counter()

    weak = lower_bound(energy, time_limit=0.0, events=events)
    strong = lower_bound(energy, events=in_time)

    assert events == {"time limit": 1}
    assert in_time == {}
    assert energy.unary.min(axis=1).sum() <= weak <= strong + 1e-9


def test_contradictions_bound_as_well_as_all_else(rng):
    # Each pair is a must-link and a cannot-link at once. Eq. 8 counts each on its own, which
    # lets half of either go; what both cost together is known.
    pairs = [(0, 1), (1, 2), (0, 2)]
    links = Constraints(pairs, pairs)
    energy = Energy.build(
        LinkGraph.of(links, links), rng.random((3, 3)), np.array([[1.0]] * 3 + [[1.5]] * 3)
    )
    least = min(energy.of(labels) for labels in all_labellings(3, 3))

    assert lower_bound(energy) == pytest.approx(least)
    assert value_as_printed(energy) < least - 0.1


@KINDS
def test_whole_solutions_are_the_answer(rng, per_cluster):
    n_whole = 0
    for _ in range(20):
        energy = random_energy(rng, n=8, m=8, per_cluster=per_cluster)
        least = min(energy.of(labels) for labels in all_labellings(*energy.unary.shape))
        if lower_bound(energy) < least - 1e-6:
            continue
        n_whole += 1

        found = LinearProgram(n_roundings=0).infer(energy, nowhere(energy), rng)

        assert energy.of(found) == pytest.approx(least)
    assert n_whole >= 10


def test_the_same_seed_rounds_the_same(rng, seed):
    energy = frustrated(rng, n_parts=5)
    labels = random_labels(rng, energy)

    one, two = (LinearProgram().infer(energy, labels, np.random.default_rng(seed)) for _ in "ab")

    assert_array_equal(one, two)


def test_more_roundings_are_no_worse(rng, seed):
    energy = frustrated(rng, n_parts=20)
    few, many = (
        LinearProgram(n).infer(energy, nowhere(energy), np.random.default_rng(seed))
        for n in (1, 20)
    )

    assert energy.of(many) <= energy.of(few) + 1e-9


def test_a_label_is_drawn_as_often_as_it_is_part_of_a_row(rng):
    y = np.array([[0.6, 0.3, 0.1], [0.0, 0.0, 1.0]])

    drawn = np.array([round_at_random(y, rng) for _ in range(2000)])

    shares = [np.bincount(of_row, minlength=3) / 2000 for of_row in drawn.T]
    np.testing.assert_allclose(shares, y, atol=0.05)


def test_rows_with_equal_parts_are_never_torn_apart(rng):
    y = np.tile([0.2, 0.5, 0.3], (4, 1))

    assert all(len({*round_at_random(y, rng).tolist()}) == 1 for _ in range(50))


@pytest.mark.parametrize("time_limit", [0.0, 1e-9])
@pytest.mark.parametrize("unplaced", [0.0, 1.0])
def test_without_time_rows_move_while_they_gain_and_that_is_counted(rng, time_limit, unplaced):
    energy = frustrated(rng, n_parts=3)
    labels, events = random_labels(rng, energy, unplaced), Counter()

    found = LinearProgram(time_limit=time_limit).infer(energy, labels, rng, events)

    assert events == {"time limit": 1}
    assert found.min() >= 0
    assert energy.of(found) <= energy.of(labels)
    assert LinearProgram(time_limit=time_limit).infer(energy, labels, rng).min() >= 0


def test_a_program_that_is_not_solved_is_counted_too(rng, monkeypatch):
    def fail(*args, **options):
        return linprog([1.0], A_ub=[[1.0]], b_ub=[-1.0])  # there is no such x

    monkeypatch.setattr(relaxation, "linprog", fail)
    energy, events = frustrated(rng), Counter()

    found = LinearProgram().infer(energy, nowhere(energy), rng, events)

    assert events == {"program not solved": 1}
    assert found.min() >= 0


@pytest.mark.parametrize("n_rows", [10, 20])
def test_dense_programs_go_to_interior_points(rng, monkeypatch, n_rows):
    asked = []

    def spy(*args, method, **options):
        asked.append(method)
        return linprog(*args, method=method, **options)

    monkeypatch.setattr(relaxation, "linprog", spy)
    pairs = np.column_stack(np.triu_indices(n_rows, 1))
    links = Constraints([], pairs)
    k = 60
    energy = Energy.build(
        LinkGraph.of(links, links), rng.random((n_rows, k)), np.full((len(pairs), 1), 0.1)
    )

    LinearProgram().infer(energy, nowhere(energy), rng)

    assert asked == ["highs-ipm" if len(pairs) * k > 10_000 else "highs-ds"]


@KINDS
def test_cutting_costs_down_to_what_decides_changes_no_value(rng, monkeypatch, per_cluster):
    for _ in range(5):
        energy = random_energy(rng, n=8, m=16, per_cluster=per_cluster)
        dear = rng.random(len(energy.penalty)) < 0.3
        penalty = np.where(dear[:, None], 20.0, 0.1) * energy.penalty
        energy = Energy(energy.graph, energy.unary, penalty)
        peeled = Peeled.of(energy)
        if not len(peeled.core.nodes):
            continue
        n_parts = len(peeled.core.starts) - 1
        cut = program.Program.of(peeled, 0, n_parts)

        monkeypatch.setattr(program, "_PASSES", 0)
        whole = program.Program.of(peeled, 0, n_parts)
        monkeypatch.undo()

        assert solved(cut) == pytest.approx(solved(whole))


def solved(of):
    found = linprog(
        of.cost,
        A_ub=of.rows,
        b_ub=of.most,
        A_eq=of.sums,
        b_eq=np.ones(of.n_nodes),
        bounds=(0.0, 1.0),
    )
    return found.fun + of.constant
