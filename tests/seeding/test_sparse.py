"""Sparse points are seeded as the same points in an array are."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from coterie.seeding import SEEDING, Candidates
from coterie.seeding.base import squares_from, squares_of


@pytest.fixture
def points(rng):
    return rng.poisson(0.5, (60, 8)).astype(float)


@pytest.mark.parametrize("name", SEEDING)
def test_sparse_points_give_the_same_centres(rng, seed, points, name):
    rest = rng.random(60), 20, points.mean(axis=0), points.std(axis=0)
    centres = [
        SEEDING[name]().seed(Candidates(form(points), *rest), 5, np.random.default_rng(seed))
        for form in (np.asarray, sparse.csr_array)
    ]

    assert_allclose(centres[0], centres[1])


def test_equal_points_lie_at_no_distance_at_all(rng):
    points = rng.random((1, 50)) * np.ones((4, 1))

    for form in (np.asarray, sparse.csr_array):
        found = squares_from(form(points), squares_of(form(points)), points[:2])
        assert_array_equal(found, np.zeros((4, 2)))


def test_squared_distances(rng, points):
    centres = rng.random((3, 8))

    for form in (np.asarray, sparse.csr_array):
        found = squares_from(form(points), squares_of(form(points)), centres)
        assert_allclose(found, ((points[:, None] - centres) ** 2).sum(axis=2))
