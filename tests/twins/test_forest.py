from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from coterie.loops import forest
from coterie.loops.reference import forest as plain


def random_links(rng, n=40, m=60):
    """Return distinct links of few weights, so that there are ties, strongest first."""
    pairs = np.unique(np.sort(rng.integers(n, size=(m, 2)), axis=1), axis=0)
    pairs = rng.permutation(pairs[pairs[:, 0] != pairs[:, 1]])
    weights = rng.integers(1, 6, size=len(pairs)).astype(float)
    order = np.argsort(-weights, kind="stable")
    return pairs[order], weights[order], n


def random_trees(rng, sizes):
    """Return trees whose nodes lie side by side, parents before children."""
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    parent = np.full(indptr[-1], -1)
    strength = np.full(indptr[-1], np.inf)
    for start, stop in pairwise(indptr):
        for node in range(start + 1, stop):
            parent[node] = rng.integers(start, node)
            strength[node] = rng.integers(1, 6)
    return indptr, parent, strength


def test_grow(rng):
    pairs, weights, n = random_links(rng)
    ours, theirs = ((np.empty(n, dtype=np.int64), np.empty(n)) for _ in range(2))

    used = forest.grow(pairs, weights, *ours)

    assert used == plain.grow(pairs, weights, *theirs)
    assert_array_equal(ours[0], theirs[0])
    assert_array_equal(ours[1], theirs[1])


def test_grow_finds_a_forest_as_heavy_as_that_of_scipy(rng):
    pairs, weights, n = random_links(rng)
    parent, strength = np.empty(n, dtype=np.int64), np.empty(n)

    used = forest.grow(pairs, weights, parent, strength)

    ends = pairs.astype(np.int32).T  # older releases of scipy take no other
    graph = coo_array((-weights, tuple(ends)), shape=(n, n)).tocsr()
    assert strength[parent >= 0].sum() == -minimum_spanning_tree(graph).sum()
    assert used == (parent >= 0).sum()


def test_within(rng):
    indptr, parent, strength = random_trees(rng, [1, 5, 0, 2, 9])
    n_pairs = sum(s * (s - 1) // 2 for s in np.diff(indptr))
    ours, theirs = np.empty(n_pairs), np.empty(n_pairs)

    forest.within(indptr, parent, strength, ours)
    plain.within(indptr, parent, strength, theirs)

    assert_array_equal(ours, theirs)


def test_across(rng):
    indptr, parent, strength = random_trees(rng, [1, 5, 3, 6])
    between = np.array([[0, 1], [1, 3], [2, 3]])
    sizes = np.diff(indptr)
    n_pairs = int((sizes[between[:, 0]] * sizes[between[:, 1]]).sum())
    ours = rng.integers(1, 6, size=n_pairs) * (rng.random(n_pairs) < 0.2).astype(float)
    theirs = ours.copy()

    forest.across(indptr, parent, strength, between, ours)
    plain.across(indptr, parent, strength, between, theirs)

    assert_array_equal(ours, theirs)


@pytest.mark.parametrize("of", [forest, plain])
def test_no_links_grow_no_forest(of):
    parent, strength = np.zeros(3, dtype=np.int64), np.zeros(3)

    assert of.grow(np.empty((0, 2), dtype=np.int64), np.empty(0), parent, strength) == 0
    assert parent.tolist() == [-1, -1, -1]
    assert np.isinf(strength).all()
