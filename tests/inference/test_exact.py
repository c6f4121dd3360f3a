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
