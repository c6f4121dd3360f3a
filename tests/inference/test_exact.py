from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from coterie import Constraints
from coterie.inference import Exact, exact
from coterie.model import Energy, LinkGraph
from problems import all_labellings, random_energy, random_labels

KINDS = pytest.mark.parametrize("per_cluster", [False, True])
HOW = pytest.mark.parametrize("how", ["trying", "branching"])


@pytest.fixture(autouse=True)
def unproved(request, monkeypatch):
    """Send what messages could prove on to the method that is to be tested."""
    how = request.node.callspec.params.get("how") if hasattr(request.node, "callspec") else None
    if how is not None:
        converse = exact.Peeled.converse

        def forget(*args, **rules):
            energies, bounds, n_restless = converse(*args, **rules)
            return energies, np.full_like(bounds, -np.inf), n_restless

        monkeypatch.setattr(exact.Peeled, "converse", forget)
    if how == "branching":
        monkeypatch.setattr(exact, "_LABELLINGS", 0.5)


def least(energy):
    return min(energy.of(labels) for labels in all_labellings(*energy.unary.shape))


def cliques(rng, size, n_parts=1, k=3, hard=False):
    """Return the energy of cliques of rows that may not meet."""
    pairs = np.column_stack(np.triu_indices(size, 1))
    cannot = np.concatenate([pairs + size * part for part in range(n_parts)])
    weights = np.full(len(cannot), np.inf if hard else 1.0)
    links = Constraints([], cannot, cannot_link_weights=weights)
    unary = rng.random((n_parts * size, k))
    penalty = np.zeros((len(cannot), 1)) if hard else rng.uniform(1.0, 2.0, (len(cannot), 1))
    return Energy.build(LinkGraph.of(links, links), unary, penalty)


@KINDS
@pytest.mark.parametrize("hard", [0, 4])
def test_no_labels_are_better(rng, per_cluster, hard):
    for k in (1, 2, 3, 3):
        energy = random_energy(rng, n=7, m=14, k=k, per_cluster=per_cluster, hard=hard, wrong=0.5)
        events = Counter()

        found = Exact().infer(energy, random_labels(rng, energy, 0.5), rng, events)

        assert energy.of(found) == pytest.approx(least(energy))
        assert events == {}


@HOW
@KINDS
@pytest.mark.parametrize("hard", [0, 4])
def test_no_labels_are_better_where_messages_prove_nothing(rng, how, per_cluster, hard):
    for k in (2, 3):
        energy = random_energy(rng, n=7, m=14, k=k, per_cluster=per_cluster, hard=hard, wrong=0.5)
        events = Counter()

        found = Exact().infer(energy, random_labels(rng, energy), rng, events)

        assert energy.of(found) == pytest.approx(least(energy))
        assert events == {}


@HOW
def test_parts_that_do_not_meet_are_solved_one_by_one(rng, how):
    one, two = cliques(rng, 4), cliques(rng, 4)
    both = cliques(rng, 4, n_parts=2)
    both = Energy(
        both.graph,
        np.concatenate([one.unary, two.unary]),
        np.concatenate([one.penalty, two.penalty]),
    )

    found = Exact().infer(both, np.full(8, -1, dtype=np.int32), rng)

    assert both.of(found) == pytest.approx(least(one) + least(two))


@HOW
def test_hard_links_hold_where_they_can(rng, how):
    energy = cliques(rng, 3, n_parts=2, hard=True)

    found = Exact().infer(energy, np.zeros(6, dtype=np.int32), rng)

    assert not energy.graph.broken(found).any()
    assert energy.of(found) == pytest.approx(least(energy))


@HOW
def test_as_few_hard_links_as_can_be_are_broken_where_not_all_can_hold(rng, how):
    energy = cliques(rng, 5, hard=True)

    found = Exact().infer(energy, np.zeros(5, dtype=np.int32), rng)

    assert energy.graph.broken(found).sum() == 2  # of five rows in three clusters
    assert energy.of(found) == pytest.approx(least(energy))


@pytest.mark.parametrize("how", ["branching"])
def test_without_time_labels_are_not_proved_and_that_is_counted(rng, how):
    energy, events = cliques(rng, 5), Counter()
    labels = random_labels(rng, energy)

    found = Exact(time_limit=0.0).infer(energy, labels, rng, events)

    assert events == {"not proven": 1}
    assert energy.of(found) <= energy.of(labels)
    assert Exact(time_limit=0.0).infer(energy, labels, rng).min() >= 0


@pytest.mark.parametrize("how", ["trying"])
def test_without_time_labellings_are_not_tried_either(rng, how):
    energy, events = cliques(rng, 5), Counter()

    found = Exact(time_limit=0.0).infer(energy, np.full(5, -1, dtype=np.int32), rng, events)

    assert events == {"not proven": 1}
    assert found.min() >= 0


@pytest.mark.parametrize("how", ["branching"])
def test_what_the_solver_calls_best_is_proved_only_if_it_is_best(rng, how, monkeypatch):
    monkeypatch.setattr(exact, "_ROUNDS", 4)
    pairs = np.column_stack(np.triu_indices(6, 1))
    links = Constraints(pairs, pairs)
    graph = LinkGraph.of(links, links)
    n_proved = 0
    for trial in range(60):
        if trial % 2:  # a few links are dear, whatever they say
            dear = 10.0 ** rng.choice([0, 9], p=[0.9, 0.1], size=len(graph.pairs))
        else:  # what is dear can hold
            blob = rng.integers(3, size=6)
            alike = blob[graph.pairs[:, 0]] == blob[graph.pairs[:, 1]]
            dear = np.where(alike == graph.must, 1e9, 0.3)
        penalty = (dear * rng.random(len(dear)))[:, None]
        energy, events = Energy.build(graph, rng.random((6, 3)), penalty), Counter()

        found = Exact().infer(energy, np.full(6, -1, dtype=np.int32), rng, events)

        n_proved += not events
        assert events or energy.of(found) <= least(energy) * (1 + 2e-6)
    assert n_proved > 0


@pytest.mark.parametrize("how", ["branching"])
@pytest.mark.parametrize("off", [-0.01, 0.01])
def test_a_bound_that_does_not_meet_the_energy_proves_nothing(rng, how, off, monkeypatch):
    milp, events = exact.milp, Counter()

    def blunt(cost, **options):
        found = milp(cost, **options)
        found.mip_dual_bound += off * exact._MAGNIFIED
        return found

    monkeypatch.setattr(exact, "milp", blunt)

    Exact().infer(cliques(rng, 5), np.zeros(5, dtype=np.int32), rng, events)

    assert events == {"not proven": 1}


def test_messages_prove_what_cancels_as_well_as_what_does_not(rng, monkeypatch):
    tried = []
    monkeypatch.setattr(exact, "cheapest", lambda *args: tried.append(args) or 0)
    pairs = np.column_stack(np.triu_indices(5, 1))
    links = Constraints(pairs)
    graph = LinkGraph.of(links, links)
    for _ in range(20):
        unary = np.array([0.0, 3.0, 4.0]) + rng.random((5, 3))
        unary -= unary[:, 0].mean()  # the best labels cost about nothing
        energy = Energy.build(graph, unary, np.full((len(pairs), 1), 2.0))

        found = Exact().infer(energy, np.full(5, -1, dtype=np.int32), rng)

        assert found.tolist() == [0] * 5
    assert tried == []


@HOW
def test_energies_that_cancel_are_proved_too(rng, how):
    # Learned metrics have rows cost less than 0: here the best labels cost about nothing.
    energy, events = cliques(rng, 5), Counter()
    energy = Energy(energy.graph, energy.unary - least(energy) / 5, energy.penalty)

    found = Exact().infer(energy, np.full(5, -1, dtype=np.int32), rng, events)

    assert events == {}
    assert energy.of(found) == pytest.approx(0.0, abs=1e-9)


def test_a_part_may_have_more_labellings_than_could_be_tried(rng):
    # Links say 20 rows into three groups, and hold at once; rows would rather go elsewhere.
    group = np.arange(20) % 3
    pairs = np.column_stack(np.triu_indices(20, 1))
    must = group[pairs[:, 0]] == group[pairs[:, 1]]
    links = Constraints(pairs[must], pairs[~must])
    unary = rng.random((20, 3))
    energy = Energy.build(LinkGraph.of(links, links), unary, np.full((len(pairs), 1), 2.0))
    names = [np.array(order, dtype=np.int32)[group] for order in permutations(range(3))]
    events = Counter()

    found = Exact().infer(energy, np.full(20, -1, dtype=np.int32), rng, events)

    assert events == {}
    assert energy.of(found) == pytest.approx(min(energy.of(labels) for labels in names))
