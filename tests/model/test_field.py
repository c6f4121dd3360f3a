import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_array_equal

from constraints.strategies import LINKS
from coterie import Constraints
from coterie.model import Core, Energy, Field, LinkGraph, Skeleton
from problems import all_labellings, random_energy

KINDS = pytest.mark.parametrize("per_cluster", [False, True])


def skeleton_of(links):
    graph = LinkGraph.of(links, links)
    return graph.skeleton, graph.single.unit_of[graph.pairs]


def energy_of(unary, penalty, *links, **weights):
    links = Constraints(*links, **weights)
    return Energy.build(LinkGraph.of(links, links), np.array(unary), np.array(penalty))


@KINDS
@pytest.mark.parametrize("hard", [0, 3])
def test_labels_of_units_cost_what_they_cost_as_labels_of_rows(rng, per_cluster, hard):
    for _ in range(5):
        field = Field.of_energy(
            energy := random_energy(rng, per_cluster=per_cluster, hard=hard, wrong=0.5)
        )

        for labels in all_labellings(*field.unary.shape):
            rows = field.labels(labels)
            assert field.of(labels) == pytest.approx(energy.of(rows), rel=1e-12)
            assert_array_equal(field.of_rows(rows), labels)


def test_links_that_contradict_each_other_lie_on_one_edge():
    energy = energy_of([[0.0, 0.0]] * 2, [[1.0], [4.0]], [(0, 1)], [(0, 1)])
    field = Field.of_energy(energy)

    assert field.apart.tolist() == [[1.0]]
    assert field.together.tolist() == [[4.0]]
    assert [field.of(np.array(labels)) for labels in ([0, 0], [0, 1])] == [4.0, 2.0]


def test_a_soft_cannot_link_inside_a_unit_is_paid_whatever_its_label():
    must, weights = [(0, 1), (1, 2)], [np.inf, np.inf]
    unary = [[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]]
    penalty = [[0.0, 0.0], [0.0, 0.0], [5.0, 7.0]]
    energy = energy_of(unary, penalty, must, [(0, 2)], must_link_weights=weights)

    field = Field.of_energy(energy)

    assert field.unary.tolist() == [[1.0 + 5.0, 3.0 + 7.0]]
    assert len(field.skeleton.pairs) == 0


def test_only_hard_cannot_links_make_an_edge_hard():
    must, cannot = [(0, 1)], [(1, 2), (2, 3)]
    weights = {"must_link_weights": [np.inf], "cannot_link_weights": [np.inf, 1.0]}
    energy = energy_of([[0.0, 0.0]] * 4, [[0.0], [0.0], [1.0]], must, cannot, **weights)

    assert Field.of_energy(energy).hard.tolist() == [True, False]


def test_the_first_row_that_is_placed_speaks_for_its_unit():
    must = [(0, 1), (1, 2)]
    energy = energy_of([[0.0, 0.0]] * 3, [[0.0]] * 2, must, [], must_link_weights=[np.inf, np.inf])
    field = Field.of_energy(energy)

    assert field.of_rows(np.array([-1, 1, 0], dtype=np.int32)).tolist() == [1]
    assert field.of_rows(np.full(3, -1, dtype=np.int32)).tolist() == [-1]


@given(LINKS)
def test_every_link_lies_on_the_edge_between_its_units(links):
    skeleton, ends = skeleton_of(links)

    across = ends[:, 0] != ends[:, 1]
    assert_array_equal(skeleton.edge_of >= 0, across)
    assert_array_equal(skeleton.pairs[skeleton.edge_of[across]], np.sort(ends[across], axis=1))
    distinct = {tuple(pair) for pair in skeleton.pairs.tolist()}
    assert len(distinct) == len(skeleton.pairs) == len({*skeleton.edge_of[across].tolist()})


@given(LINKS)
def test_every_node_hangs_or_is_of_the_core_and_every_edge_likewise(links):
    skeleton, _ = skeleton_of(links)

    nodes = [*skeleton.order.tolist(), *skeleton.core.nodes.tolist()]
    above = skeleton.above[skeleton.above >= 0].tolist()
    assert sorted(nodes) == list(range(skeleton.n_nodes))
    assert sorted([*above, *skeleton.core.edges.tolist()]) == list(range(len(skeleton.pairs)))


def test_trees_leave_no_core_and_loops_nothing_else():
    tree = Skeleton.of(np.array([[0, 1], [1, 2], [1, 3], [4, 5]]), 7)
    loops = Skeleton.of(np.array([[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]]), 6)
    lollipop = Skeleton.of(np.array([[0, 1], [1, 2], [0, 2], [2, 3], [3, 4]]), 5)

    assert len(tree.core.nodes) == 0
    assert len(loops.order) == 0
    assert loops.core.starts.tolist() == [0, 3, 6]
    assert lollipop.order.tolist() == [4, 3]
    assert lollipop.parent[[4, 3]].tolist() == [3, 2]


def test_a_core_lists_its_parts_side_by_side(rng):
    pairs = np.column_stack(np.triu_indices(12, 1))[rng.permutation(66)[:14]]
    inside = rng.random(12) < 0.8
    core = Core.of(pairs, 12, inside)

    original = np.sort(core.nodes[core.pairs], axis=1)
    assert_array_equal(original, np.sort(pairs[core.edges], axis=1))
    assert sorted(core.nodes.tolist()) == np.flatnonzero(inside).tolist()
    assert (core.component[core.pairs] == core.edge_component[:, None]).all()
    assert (core.pairs[:, 0] < core.pairs[:, 1]).all()
    ends = core.ends
    here = np.repeat(np.arange(len(core.nodes)), np.diff(ends.indptr))
    assert_array_equal(np.sort(np.column_stack([here, ends.other])), core.pairs[ends.edge])
    assert_array_equal(ends.other[ends.back], here)
    assert_array_equal(ends.back[ends.back], np.arange(len(here)))
    assert_array_equal(ends.edge[ends.back], ends.edge)


def test_without_rows_there_are_no_nodes():
    graph = LinkGraph.empty(np.empty(0, dtype=np.int64))
    field = Field.of_energy(Energy.build(graph, np.empty((0, 3)), np.empty((0, 1))))

    assert field.of(np.empty(0, dtype=np.int32)) == 0.0
    assert len(field.labels(np.empty(0, dtype=np.int32))) == 0


def test_the_skeleton_is_worked_out_once(rng):
    graph = random_energy(rng).graph

    assert graph.skeleton is graph.skeleton
