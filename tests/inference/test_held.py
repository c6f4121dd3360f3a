from numpy.testing import assert_array_equal

from coterie.inference import Held
from problems import random_energy, random_labels


def test_the_labels_that_are_held_come_back_whatever_the_energy(rng):
    energy = random_energy(rng, hard=2)
    held = random_labels(rng, energy)

    found = Held(held).infer(energy, random_labels(rng, energy, unplaced=0.5), rng)

    assert_array_equal(found, held)


def test_what_comes_back_may_be_changed(rng):
    energy = random_energy(rng)
    held = random_labels(rng, energy)
    before = held.copy()

    found = Held(held).infer(energy, held, rng)
    found += 1

    assert_array_equal(held, before)
