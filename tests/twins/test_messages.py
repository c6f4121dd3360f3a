import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from coterie.loops import messages
from coterie.loops.reference import messages as plain
from coterie.model import Core
from problems import all_labellings
from twins.graphs import energy_of, random_edges, random_forest

WIDTHS = pytest.mark.parametrize(("k", "wide"), [(1, False), (3, False), (3, True)])
BOTH = pytest.mark.parametrize("of", [messages, plain])


def random_problem(rng, edges, n, k, wide):
    """Return the nodes side by side, and what labels cost them and their edges."""
    core = Core.of(edges, n, np.ones(n, dtype=bool))
    shape = len(edges), k if wide else 1
    must = rng.random((len(edges), 1)) < 0.5
    price = rng.uniform(0.1, 2.0, size=shape)
    return core, (3 * rng.random((n, k)), np.where(must, price, 0.0), np.where(must, 0.0, price))


def shares(core, reweighted):
    n = len(core.nodes)
    later, earlier = (np.bincount(core.pairs[:, end], minlength=n) for end in (0, 1))
    return 1.0 / np.maximum(np.maximum(later, earlier), 1) if reweighted else np.ones(n)


def passed(
    of, core, costs, *, reweighted=False, damping=0.0, max_iter=8, labels=None, span=None, few=None
):
    """Return the messages, labels, energies, bounds and the count of `max_iter` iterations.

    They are made at once, or a few at a time. Last comes for how long each part has waited.
    """
    n_parts, k = len(core.starts) - 1, costs[0].shape[1]
    labels = np.full(len(core.nodes), -1, dtype=np.int32) if labels is None else labels.copy()
    sent = np.zeros((2 * len(core.pairs), k))
    energies, bounds = np.full(n_parts, np.inf), np.full(n_parts, -np.inf)
    span, few = (0, n_parts) if span is None else span, max_iter if few is None else few
    rules = shares(core, reweighted), damping, few, 1e-6, 5, *span
    waited = np.zeros(n_parts, dtype=np.int64)
    for _ in range(0, max_iter, few):
        n_restless = of.pass_messages(
            core.starts, *core.ends, *costs, *rules, sent, waited, labels, energies, bounds
        )
    return sent, labels, energies, bounds, n_restless, waited


def parts(core):
    """Yield the nodes and the edges of each component."""
    for c in range(len(core.starts) - 1):
        yield slice(*core.starts[c : c + 2]), slice(*core.edge_starts[c : c + 2])


def energies_of(core, costs, labels):
    """Return the energy of each component."""
    unary, apart, together = costs
    return [
        energy_of(
            core.pairs[edges] - nodes.start,
            apart[edges],
            together[edges],
            unary[nodes],
            labels[nodes],
        )
        for nodes, edges in parts(core)
    ]


def least(core, costs):
    """Return the least energy of one component."""
    return min(energies_of(core, costs, trial)[0] for trial in all_labellings(*costs[0].shape))


@WIDTHS
@pytest.mark.parametrize(("reweighted", "damping"), [(False, 0.0), (False, 0.4), (True, 0.0)])
def test_pass_messages(rng, k, wide, reweighted, damping):
    for n, m in [(1, 0), (9, 6), (9, 14), (20, 25)]:
        core, costs = random_problem(rng, random_edges(rng, n, m), n, k, wide)
        rules = {"reweighted": reweighted, "damping": damping}

        ours, theirs = (passed(of, core, costs, **rules) for of in (messages, plain))

        assert_array_equal(ours[1], theirs[1])
        for one, other in zip(ours, theirs, strict=True):
            assert_allclose(one, other, atol=1e-9)


@BOTH
@WIDTHS
@pytest.mark.parametrize("rules", [{"damping": 0.4}, {"reweighted": True}])
def test_a_few_iterations_at_a_time_do_what_all_do_at_once(rng, of, k, wide, rules):
    for n, m in [(9, 6), (9, 14), (20, 25)]:
        core, costs = random_problem(rng, random_edges(rng, n, m), n, k, wide)

        at_once = passed(of, core, costs, max_iter=12, **rules)

        for few in (1, 3):
            for one, other in zip(
                at_once, passed(of, core, costs, max_iter=12, few=few, **rules), strict=True
            ):
                assert_array_equal(one, other)


@BOTH
def test_a_part_at_rest_is_left_alone(rng, of):
    core, costs = random_problem(rng, random_edges(rng, 6, 12), 6, 3, False)
    nothing = np.zeros((2 * len(core.pairs), 3))
    labels, energies = np.full(6, -1, dtype=np.int32), np.full(1, np.inf)
    rules = shares(core, False), 0.0, 8, 1e-6, 5, 0, 1
    state = nothing, np.full(1, -1), labels, energies, np.full(1, -np.inf)

    n_restless = of.pass_messages(core.starts, *core.ends, *costs, *rules, *state)

    assert n_restless == 0
    assert not nothing.any()
    assert (labels == -1).all()


@BOTH
def test_what_cancels_is_rounding_and_no_gain(of):
    # The labels cost 0.3 + 0.6 - 0.9, in one order or another: about 0, and no less.
    unary = np.array([[0.3, 0.3], [0.6, 0.6], [-0.9, -0.9]])
    core = Core.of(np.array([[0, 1], [0, 2], [1, 2]]), 3, np.ones(3, dtype=bool))
    costs = unary[core.nodes], np.zeros((3, 1)), np.zeros((3, 1))
    labels, energies = np.ones(3, dtype=np.int32), np.full(1, 1e-15)
    rules = shares(core, False), 0.0, 1, 0.0, 5, 0, 1
    state = np.zeros((6, 2)), np.zeros(1, dtype=np.int64), labels, energies, np.full(1, -np.inf)

    of.pass_messages(core.starts, *core.ends, *costs, *rules, *state)

    assert labels.tolist() == [1, 1, 1]


@WIDTHS
def test_settle(rng, k, wide):
    for n, m in [(1, 0), (9, 6), (9, 14), (20, 25)]:
        core, costs = random_problem(rng, random_edges(rng, n, m), n, k, wide)
        graph = core.starts, *core.ends[:3], *costs
        start = rng.integers(-1, k, size=n).astype(np.int32)
        found = []
        for of in (messages, plain):
            labels, energies = start.copy(), np.empty(len(core.starts) - 1)
            found.append((of.settle(*graph, 3, labels, energies), labels, energies))

        assert found[0][0] == found[1][0]
        assert_array_equal(found[0][1], found[1][1])
        assert_allclose(found[0][2], found[1][2])
        assert_allclose(found[0][2], energies_of(core, costs, found[0][1]))


@BOTH
@WIDTHS
@pytest.mark.parametrize("damping", [0.0, 0.9])
def test_one_iteration_solves_a_tree(rng, of, k, wide, damping):
    core, costs = random_problem(rng, random_forest(rng, 6, 1), 6, k, wide)

    _, labels, energies, bounds, n_restless, _ = passed(
        of, core, costs, damping=damping, max_iter=1
    )

    assert energies[0] == pytest.approx(least(core, costs))
    assert energies_of(core, costs, labels) == pytest.approx(energies)
    assert bounds[0] == energies[0]
    assert n_restless == 0


@BOTH
@WIDTHS
def test_bounds_hold_and_energies_are_those_of_the_labels(rng, of, k, wide):
    for _ in range(5):
        core, costs = random_problem(rng, random_edges(rng, 6, 12), 6, k, wide)

        _, labels, energies, bounds, *_ = passed(of, core, costs, reweighted=True)

        assert bounds[0] <= least(core, costs) + 1e-9
        assert bounds[0] >= costs[0].min(axis=1).sum() - 1e-9
        assert energies_of(core, costs, labels) == pytest.approx(energies)


@BOTH
def test_messages_that_count_everything_twice_prove_nothing(rng, of):
    core, costs = random_problem(rng, random_edges(rng, 6, 12), 6, 3, False)

    plainly = passed(of, core, costs)
    damped = passed(of, core, costs, reweighted=True, damping=0.5)

    assert np.isneginf(plainly[3]).all()
    assert np.isneginf(damped[3]).all()


@BOTH
def test_labels_that_are_not_beaten_stay(rng, of):
    core, costs = random_problem(rng, random_edges(rng, 6, 12), 6, 3, False)
    best = min(all_labellings(6, 3), key=lambda trial: energies_of(core, costs, trial)[0])
    energies = np.array(energies_of(core, costs, best))
    labels, sent = best.copy(), np.zeros((2 * len(core.pairs), 3))
    rules = shares(core, False), 0.0, 8, 1e-6, 5, 0, 1
    state = sent, np.zeros(1, dtype=np.int64), labels, energies, np.full(1, -np.inf)

    of.pass_messages(core.starts, *core.ends, *costs, *rules, *state)

    assert_array_equal(labels, best)


@BOTH
def test_components_that_are_not_asked_for_stay_as_they_are(rng, of):
    core, costs = random_problem(rng, np.array([[0, 1], [2, 3], [4, 5]]), 6, 3, False)

    _, labels, energies, *_ = passed(of, core, costs, span=(1, 2))

    assert (labels >= 0).tolist() == [False, False, True, True, False, False]
    assert np.isfinite(energies).tolist() == [False, True, False]


@BOTH
def test_settled_labels_gain_by_no_single_move(rng, of):
    core, costs = random_problem(rng, random_edges(rng, 9, 14), 9, 3, True)
    labels, energies = np.full(9, -1, dtype=np.int32), np.empty(len(core.starts) - 1)

    of.settle(core.starts, *core.ends[:3], *costs, 100, labels, energies)

    for i in range(9):
        for label in range(3):
            moved = labels.copy()
            moved[i] = label
            assert sum(energies_of(core, costs, moved)) >= energies.sum() - 1e-9
