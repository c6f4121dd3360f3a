import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from coterie import Constraints
from coterie.model import Energy, LinkGraph
from problems import all_labellings, random_energy, random_labels

KINDS = pytest.mark.parametrize("per_cluster", [False, True])


def price(energy, m, labels):
    """Return what link `m` costs, read off the definition."""
    penalty = np.broadcast_to(energy.penalty, (len(energy.penalty), energy.unary.shape[1]))
    a, b = (labels[end] for end in energy.graph.pairs[m])
    if energy.graph.must[m]:
        return 0.0 if a == b else penalty[m, a] + penalty[m, b]
    return penalty[m, a] if a == b else 0.0


def prices(energy, labels):
    return [price(energy, m, labels) for m in range(len(energy.graph.pairs))]


@KINDS
@pytest.mark.parametrize("hard", [0, 3])
def test_every_labelling_is_priced_link_by_link(rng, per_cluster, hard):
    energy = random_energy(rng, n=5, m=7, per_cluster=per_cluster, hard=hard)
    soft = np.isfinite(energy.graph.weights)

    for labels in all_labellings(*energy.unary.shape):
        each = np.array(prices(energy, labels))
        own = sum(energy.unary[i, label] for i, label in enumerate(labels))
        assert_allclose(energy.costs(labels), each, rtol=1e-12)
        assert energy.penalties(labels) == pytest.approx(each[soft].sum())
        assert energy.of(labels) == pytest.approx(own + each.sum())


@KINDS
def test_a_link_costs_nothing_exactly_where_it_holds(rng, per_cluster):
    energy = random_energy(rng, n=5, m=7, per_cluster=per_cluster, hard=2)

    for labels in all_labellings(*energy.unary.shape):
        assert_array_equal(energy.costs(labels) > 0, energy.graph.broken(labels))


@KINDS
def test_no_saving_outweighs_a_hard_link(rng, per_cluster):
    for _ in range(10):
        energy = random_energy(rng, n=5, m=7, per_cluster=per_cluster, hard=3, wrong=0.5)
        labellings = all_labellings(*energy.unary.shape)
        values = np.array([energy.of(labels) for labels in labellings])
        hard = energy.graph.hard
        n_broken = np.array([energy.graph.broken(labels)[hard].sum() for labels in labellings])

        worst = [values[n_broken == n].max() for n in np.unique(n_broken)]
        best = [values[n_broken == n].min() for n in np.unique(n_broken)]

        # Must-links cost both their clusters, so two cannot-links may cost as much as one.
        assert n_broken[values.argmin()] == 0
        assert all(low > worst[0] for low in best[1:])


def test_a_hard_link_is_dearer_than_all_that_pulls_at_it():
    links = Constraints([(0, 1)], [(0, 2)], must_link_weights=np.inf, cannot_link_weights=np.inf)
    unary = np.array([[0.0, 1e9], [1e9, 0.0], [0.0, 1e9]])

    energy = Energy.build(LinkGraph.of(links, links), unary, np.zeros((2, 1)))

    values = {tuple(labels): energy.of(labels) for labels in all_labellings(3, 2)}
    assert min(values, key=values.get) in {(0, 0, 1), (1, 1, 0)}


def test_building_leaves_the_penalties_it_was_given_as_they_were():
    links = Constraints([(0, 1)], must_link_weights=np.inf)
    penalty = np.zeros((1, 2))

    Energy.build(LinkGraph.of(links, links), np.ones((2, 2)), penalty)

    assert not penalty.any()


def test_without_hard_links_penalties_stay_what_they_are(rng):
    energy = random_energy(rng)

    again = Energy.build(energy.graph, energy.unary, energy.penalty)

    assert_array_equal(again.penalty, energy.penalty)


@KINDS
def test_names_of_clusters_do_not_matter(rng, per_cluster):
    energy = random_energy(rng, per_cluster=per_cluster, hard=2)
    labels = random_labels(rng, energy)
    new_name = rng.permutation(energy.unary.shape[1])
    old_name = np.argsort(new_name)

    penalty = energy.penalty[:, old_name] if per_cluster else energy.penalty
    renamed = Energy(energy.graph, energy.unary[:, old_name], penalty)

    assert renamed.of(new_name[labels]) == pytest.approx(energy.of(labels))


def test_a_row_without_a_label_makes_the_energy_infinite(rng):
    energy = random_energy(rng)
    labels = random_labels(rng, energy)
    labels[-1] = -1

    assert energy.of(labels) == np.inf


def test_of_no_linked_rows_the_energy_is_nought():
    energy = Energy.build(
        LinkGraph.empty(np.empty(0, dtype=np.int64)), np.empty((0, 3)), np.empty((0, 1))
    )

    assert energy.of(np.empty(0, dtype=np.int32)) == 0.0
