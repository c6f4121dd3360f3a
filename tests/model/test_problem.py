import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from coterie.engines import Linear, SparseRows
from coterie.model import LinkGraph, Problem, Result
from problems import problem_of, random_problem


def test_linked_rows_stand_beside_the_others_less_the_shift(rng):
    X, links, problem = random_problem(rng)
    rows = np.unique(np.concatenate([links.must_link, links.cannot_link]))

    linked = problem.linked

    assert_array_equal(problem.graph.rows, rows)
    assert_allclose(linked, X[rows] - X.mean(axis=0), atol=1e-12)
    assert linked.dtype == np.float64


def test_weights_of_linked_rows_are_their_own(rng):
    X, links, _ = random_problem(rng)
    weight = rng.random(len(X))

    problem = problem_of(X, links, 3, weight)

    assert_array_equal(problem.linked_weights, weight[problem.graph.rows])


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_a_sweep_of_the_free_rows_leaves_linked_ones_alone(rng, kind):
    X, links, problem = random_problem(rng)
    if kind == "sparse":
        rows = SparseRows(sparse.csr_array(X))
        problem = Problem(rows, LinkGraph.of(links, links), 3)
    labels = np.full(len(X), 2, dtype=np.int32)

    swept = problem.free.sweep(Linear(np.zeros((3, 2)), np.array([1.0, 0.0, 1.0])), labels)

    free = np.ones(len(X), dtype=bool)
    free[problem.graph.rows] = False
    assert_array_equal(labels, np.where(free, 1, 2))
    assert swept.counts.tolist() == [0.0, float(free.sum()), 0.0]
    assert problem.rows.weights.min() == 1.0


def test_the_objective_is_the_last_of_the_trace():
    centres = np.zeros((1, 1))
    result = Result(np.zeros(1, dtype=np.int32), centres, np.ones((1, 1)), [3.0, 2.0], True, 1)

    assert result.objective == 2.0
