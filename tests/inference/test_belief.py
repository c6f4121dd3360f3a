import numpy as np
import pytest

from coterie.inference import ICM, BeliefPropagation
from problems import all_labellings, random_energy

KINDS = pytest.mark.parametrize("per_cluster", [False, True])


def nowhere(energy):
    return np.full(len(energy.unary), -1, dtype=np.int32)


@KINDS
@pytest.mark.parametrize("hard", [0, 3])
def test_small_problems_are_mostly_solved_and_never_beaten(rng, per_cluster, hard):
    n_solved = 0
    for _ in range(30):
        energy = random_energy(rng, per_cluster=per_cluster, hard=hard)
        best = min(energy.of(labels) for labels in all_labellings(*energy.unary.shape))

        reached = energy.of(BeliefPropagation().infer(energy, nowhere(energy), rng))

        assert reached >= best - 1e-9
        n_solved += reached <= best + 1e-9
    assert n_solved >= 24


def test_where_links_are_few_it_is_better_than_icm(rng):
    energies = [random_energy(rng, n=40, m=40, k=5) for _ in range(10)]

    means = [
        np.mean([energy.of(method.infer(energy, nowhere(energy), rng)) for energy in energies])
        for method in (BeliefPropagation(), ICM())
    ]

    assert means[0] < means[1]


def test_a_node_of_the_answer_gains_by_no_move(rng):
    energy = random_energy(rng, n=20, m=80)

    found = BeliefPropagation(max_iter=1).infer(energy, nowhere(energy), rng)

    for row in range(len(found)):
        for label in range(3):
            moved = found.copy()
            moved[row] = label
            assert energy.of(moved) >= energy.of(found) - 1e-9
