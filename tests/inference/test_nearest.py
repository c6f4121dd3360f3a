import numpy as np
from numpy.testing import assert_array_equal

from coterie.inference import Nearest
from coterie.model import Energy, LinkGraph
from problems import random_energy, random_labels


def test_every_row_goes_to_its_cheapest_cluster_whatever_the_links(rng):
    energy = random_energy(rng, n=12, m=20, hard=4)

    found = Nearest().infer(energy, random_labels(rng, energy, unplaced=0.5), rng)

    assert_array_equal(found, [min(range(3), key=row.__getitem__) for row in energy.unary])
    assert found.dtype == np.int32


def test_ties_go_to_the_lowest_cluster(rng):
    graph = LinkGraph.empty(np.arange(2))
    energy = Energy.build(graph, np.array([[2.0, 1.0, 1.0], [0.0, 0.0, 0.0]]), np.empty((0, 1)))

    found = Nearest().infer(energy, np.full(2, 2, dtype=np.int32), rng)

    assert found.tolist() == [1, 0]


def test_the_labels_that_are_given_are_left_as_they_were(rng):
    energy = random_energy(rng)
    labels = random_labels(rng, energy)
    before = labels.copy()

    Nearest().infer(energy, labels, rng)

    assert_array_equal(labels, before)


def test_it_says_that_links_are_not_heeded():
    assert not Nearest().heeds_links
