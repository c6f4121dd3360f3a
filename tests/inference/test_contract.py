"""What holds for every method that heeds links, and a few things that hold for none but some."""

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from coterie import Constraints
from coterie.inference import INFERENCE
from coterie.model import Energy, LinkGraph
from problems import all_labellings, random_energy, random_labels

KINDS = pytest.mark.parametrize("per_cluster", [False, True])
METHODS = pytest.mark.parametrize("name", sorted({*INFERENCE} - {"nearest"}))
GLOBAL = pytest.mark.parametrize("name", ["bp", "exact", "lp"])
UNPLACED = pytest.mark.parametrize("unplaced", [0.0, 0.5, 1.0])


def least(energy):
    return min(energy.of(labels) for labels in all_labellings(*energy.unary.shape))


def linked(*links, unary, penalty, **weights):
    """Return the energy of these links, of which the hard ones are priced."""
    links = Constraints(*links, **weights)
    unary, penalty = np.array(unary, dtype=float), np.array(penalty, dtype=float)
    return Energy.build(LinkGraph.of(links, links), unary, penalty)


@pytest.mark.parametrize("name", sorted(INFERENCE))
@pytest.mark.parametrize("k", [1, 2, 3])
@UNPLACED
def test_every_row_is_placed_and_what_was_given_stays(rng, name, k, unplaced):
    for hard in (0, 0, 3):
        energy = random_energy(rng, n=9, m=14, k=k, hard=hard)
        labels = random_labels(rng, energy, unplaced)
        before = labels.copy()

        found = INFERENCE[name]().infer(energy, labels, rng, Counter())

        assert_array_equal(labels, before)
        assert found.dtype == np.int32
        assert found.shape == labels.shape
        assert found.min() >= 0
        assert found.max() < k
        assert not np.shares_memory(found, labels)


@pytest.mark.parametrize("name", sorted(INFERENCE))
def test_one_cluster_leaves_nothing_to_choose_though_costs_cancel(rng, name):
    n = 100
    loops = [(i, (i + step) % n) for i in range(n) for step in (1, 7)]
    for _ in range(10):
        unary, events = rng.normal(size=(n, 1)), Counter()
        energy = linked(loops, [], unary=unary - unary.mean(), penalty=rng.random((2 * n, 1)))

        found = INFERENCE[name]().infer(energy, np.full(n, -1, dtype=np.int32), rng, events)

        assert found.tolist() == [0] * n
        assert found.dtype == np.int32
        assert events == {}


@METHODS
@KINDS
@pytest.mark.parametrize("hard", [0, 4])
def test_labels_are_never_worse_than_those_given(rng, name, per_cluster, hard):
    for _ in range(10):
        energy = random_energy(rng, n=9, m=18, per_cluster=per_cluster, hard=hard)
        labels = energy.graph.single.unit_of.astype(np.int32)
        labels = rng.integers(3, size=len(labels)).astype(np.int32)[labels]

        found = INFERENCE[name]().infer(energy, labels, rng)

        assert energy.of(found) <= energy.of(labels) + 1e-9


@METHODS
@KINDS
def test_rows_that_hard_must_links_bind_stay_together(rng, name, per_cluster):
    for unplaced in [0.0, 0.3, 1.0] * 3:
        energy = random_energy(rng, n=9, m=18, per_cluster=per_cluster, hard=8, wrong=0.5)
        graph = energy.graph

        found = INFERENCE[name]().infer(energy, random_labels(rng, energy, unplaced), rng)

        assert not (graph.broken(found) & graph.hard & graph.must).any()


@GLOBAL
@KINDS
def test_names_of_clusters_do_not_matter(rng, seed, name, per_cluster):
    energy = random_energy(rng, n=9, m=12, per_cluster=per_cluster, hard=3)
    new_name = rng.permutation(3)
    old_name = np.argsort(new_name)
    penalty = energy.penalty[:, old_name] if per_cluster else energy.penalty
    renamed = Energy(energy.graph, energy.unary[:, old_name], penalty)
    nowhere = np.full(len(energy.unary), -1, dtype=np.int32)
    method = INFERENCE[name](n_roundings=0) if name == "lp" else INFERENCE[name]()

    found = method.infer(energy, nowhere, np.random.default_rng(seed))
    again = method.infer(renamed, nowhere, np.random.default_rng(seed))

    assert_array_equal(again, new_name[found])


@GLOBAL
@KINDS
def test_trees_are_solved(rng, name, per_cluster):
    for _ in range(5):
        tree = [(int(rng.integers(i)), i) for i in range(1, 7)]
        must, cannot = tree[:3], tree[3:]
        penalty = rng.uniform(0.1, 2.0, size=(6, 3 if per_cluster else 1))
        unary = 3 * rng.random((7, 3))
        energy = linked(must, cannot, unary=unary, penalty=penalty)

        found = INFERENCE[name]().infer(energy, np.full(7, -1, dtype=np.int32), rng)

        assert energy.of(found) == pytest.approx(least(energy))


@GLOBAL
def test_any_number_of_threads_finds_the_same(rng, seed, name):
    triangles = np.concatenate([[(i, i + 1), (i + 1, i + 2), (i, i + 2)] for i in range(0, 60, 3)])
    energy = linked([], triangles, unary=rng.random((60, 3)), penalty=rng.random((60, 1)))
    labels = random_labels(rng, energy, 0.3)

    one, two = (
        INFERENCE[name](n_threads=n).infer(energy, labels, np.random.default_rng(seed))
        for n in (1, 2)
    )

    assert_array_equal(one, two)


@GLOBAL
def test_labels_as_good_as_any_stay(rng, name):
    loop = [(0, 1), (1, 2), (0, 2), (2, 3)]
    energy = linked(loop, [], unary=np.ones((4, 3)), penalty=np.ones((4, 1)))

    found = INFERENCE[name]().infer(energy, np.full(4, 2, dtype=np.int32), rng)

    assert found.tolist() == [2, 2, 2, 2]


@METHODS
def test_links_that_cost_nothing_are_not_heard(rng, name):
    energy = random_energy(rng, n=9, m=18)
    energy = Energy(energy.graph, energy.unary, np.zeros_like(energy.penalty))

    found = INFERENCE[name]().infer(energy, random_labels(rng, energy), rng)

    assert_array_equal(found, energy.unary.argmin(axis=1))


@pytest.mark.parametrize("name", ["bp", "exact"])
def test_cheap_rows_decide_where_neighbourhoods_of_dear_links_go(rng, name):
    loops = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]
    across = [(0, 3), (1, 4)]
    unary = 1e-12 * np.array([[3, 1, 2]] * 3 + [[4, 1, 3]] * 3)
    energy = linked(loops, across, unary=unary, penalty=np.full((8, 1), 1e12))

    found = INFERENCE[name]().infer(energy, np.full(6, -1, dtype=np.int32), rng)

    assert found.tolist() == [2, 2, 2, 1, 1, 1]


@GLOBAL
def test_a_dear_link_does_not_drown_what_costs_little(rng, name):
    must, cannot = [(0, 1), (1, 2)], [(0, 2)]
    unary = 1e-12 * np.array([[0.0, 3.0], [5.0, 0.0], [0.0, 1.0]])
    penalty = [[1e12], [2e-12], [1e-12]]
    energy = linked(must, cannot, unary=unary, penalty=penalty)

    found = INFERENCE[name]().infer(energy, np.full(3, -1, dtype=np.int32), rng)

    assert found.tolist() == [1, 1, 1]  # costs 5 of these, and 6 in the other cluster


@METHODS
def test_of_links_that_contradict_each_other_the_dearer_is_heard(rng, name):
    pairs = [(0, 1), (1, 2), (0, 2)]
    energy = linked(pairs, pairs, unary=rng.random((3, 3)), penalty=[[0.1]] * 3 + [[9.0]] * 3)

    found = INFERENCE[name]().infer(energy, np.zeros(3, dtype=np.int32), rng)

    assert sorted(found.tolist()) == [0, 1, 2]


@METHODS
def test_one_unit_of_all_rows_moves_as_one(rng, name):
    chain = [(0, 1), (1, 2), (2, 3)]
    hard = {"must_link_weights": [np.inf] * 3}
    unary = [[1.0, 0.0], [0.0, 0.5], [0.0, 0.7], [0.0, 0.0]]
    energy = linked(chain, [(0, 3)], unary=unary, penalty=[[0.0]] * 3 + [[1.0]], **hard)

    found = INFERENCE[name]().infer(energy, np.full(4, -1, dtype=np.int32), rng)

    assert found.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("name", sorted(INFERENCE))
@pytest.mark.parametrize("n", [0, 3])
def test_without_links_every_row_goes_to_its_nearest(rng, name, n):
    graph = LinkGraph.empty(np.arange(n))
    energy = Energy.build(graph, rng.random((n, 3)), np.empty((0, 1)))

    found = INFERENCE[name]().infer(energy, np.full(n, -1, dtype=np.int32), rng, Counter())

    assert_array_equal(found, energy.unary.argmin(axis=1))
