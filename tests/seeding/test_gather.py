import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from coterie import Constraints
from coterie.engines import SparseRows
from coterie.model import LinkGraph, Problem
from coterie.seeding import gather
from coterie.seeding.base import ROWS_LOOKED_AT
from problems import blobs, problem_of, random_constraints


def neighbourhoods(links, n):
    """Return the rows of each set of two or more that must-links join."""
    number = links.closure().labels(n)
    sets = [np.flatnonzero(number == group) for group in range(number.max() + 1)]
    return [rows for rows in sets if len(rows) > 1]


def sorted_rows(*columns):
    """Return the columns as one table, its rows in order."""
    table = np.round(np.column_stack(columns), 9)
    return table[np.lexsort(table.T)]


@pytest.fixture
def drawn(rng):
    """Rows, links that know their blobs, and weights, a few of them 0."""
    X, blob = blobs(rng, n=40)
    weight = rng.random(40)
    weight[rng.choice(40, size=6, replace=False)] = 0.0
    return X, random_constraints(rng, 40, 25, blob=blob), weight


def test_each_neighbourhood_is_its_weighted_mean_and_counts_once(rng, drawn):
    X, links, weight = drawn
    several = [rows for rows in neighbourhoods(links, 40) if weight[rows].sum() > 0]
    assert several

    found = gather(problem_of(X, links, 3, weight), rng)

    n = len(several)
    means = [np.average(X[rows], axis=0, weights=weight[rows]) for rows in several]
    assert found.n_neighbourhoods == n
    assert_allclose(
        sorted_rows(found.points[:n] + X.mean(axis=0), found.weights[:n]),
        sorted_rows(means, [weight[rows].sum() for rows in several]),
        atol=1e-8,
    )


def test_all_other_rows_that_weigh_anything_stand_for_themselves(rng, drawn):
    X, links, weight = drawn
    alone = weight > 0
    for rows in neighbourhoods(links, 40):
        alone[rows] = False

    found = gather(problem_of(X, links, 3, weight), rng)

    n = found.n_neighbourhoods
    assert_allclose(
        sorted_rows(found.points[n:] + X.mean(axis=0), found.weights[n:]),
        sorted_rows(X[alone], weight[alone]),
        atol=1e-8,
    )
    assert found.weights.sum() == pytest.approx(weight.sum())


def test_mean_and_spread_are_weighted(rng, drawn):
    X, _, weight = drawn

    found = gather(problem_of(X, Constraints(n_samples=40), 3, weight), rng)

    mean = np.average(X, axis=0, weights=weight)
    assert_allclose(found.mean + X.mean(axis=0), mean)
    assert_allclose(found.spread, np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight)))
    assert found.n_neighbourhoods == 0


def test_a_weight_of_two_is_a_row_given_twice(rng):
    X = rng.standard_normal((6, 2))
    twice = np.vstack([X, X[:1]])
    once, double = Constraints([(0, 1)]), Constraints([(0, 1), (0, 6)])

    weighed = gather(problem_of(X, once, 2, np.array([2.0, 1, 1, 1, 1, 1])), rng)
    given = gather(problem_of(twice, double, 2), rng)

    assert_allclose(weighed.points + X.mean(axis=0), given.points + twice.mean(axis=0))
    assert_allclose(weighed.weights, given.weights)


def test_the_order_of_rows_does_not_matter(rng, drawn):
    X, links, weight = drawn
    order = rng.permutation(40)

    one = gather(problem_of(X, links, 3, weight), rng)
    two = gather(problem_of(X[order], links[order], 3, weight[order]), rng)

    assert one.n_neighbourhoods == two.n_neighbourhoods
    for part in (slice(one.n_neighbourhoods), slice(one.n_neighbourhoods, None)):
        mine, theirs = (sorted_rows(c.points[part], c.weights[part]) for c in (one, two))
        assert_allclose(mine, theirs, atol=1e-8)
    assert_allclose(one.spread, two.spread)


def test_sparse_rows_give_the_same_points_unshifted(rng, drawn):
    X, links, weight = drawn
    thin = SparseRows(sparse.csr_array(X), sample_weight=weight)

    dense = gather(problem_of(X, links, 3, weight), rng)
    found = gather(Problem(thin, LinkGraph.of(links, links), 3), rng)

    assert sparse.issparse(found.points)  # to fill 20,000 rows of texts takes gigabytes
    assert_allclose(found.points.toarray(), dense.points + X.mean(axis=0), atol=1e-9)
    assert_allclose(found.weights, dense.weights)
    assert_allclose(found.mean, dense.mean + X.mean(axis=0))
    assert_allclose(found.spread, dense.spread)


def test_of_many_rows_a_sample_is_looked_at_and_every_neighbourhood(rng):
    X = rng.standard_normal((ROWS_LOOKED_AT + 500, 1))
    links = Constraints([(0, 1), (2, 3), (3, 4)], [(0, 2)])

    found = gather(problem_of(X, links, 3), rng)

    assert found.n_neighbourhoods == 2
    assert found.weights[:2].sum() == 5
    assert ROWS_LOOKED_AT - 5 <= len(found.points) <= ROWS_LOOKED_AT + 7
