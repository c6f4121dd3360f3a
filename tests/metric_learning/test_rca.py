"""Relevant components: what is learned from rows that belong together."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.covariance import OAS

from coterie.metric_learning import rca


@pytest.fixture
def groups(rng):
    return np.concatenate([np.arange(6), rng.integers(6, size=34)])


@pytest.fixture
def rows(rng, groups):
    mixing = rng.normal(size=(4, 4))
    return 9 * rng.normal(size=(6, 4))[groups] + rng.normal(size=(40, 4)) @ mixing


def by_loop(rows, groups):
    """Return the covariance of rows about the mean of their group, group by group."""
    total = np.zeros((rows.shape[1], rows.shape[1]))
    for group in np.unique(groups):
        mine = rows[groups == group]
        for row in mine - mine.mean(axis=0):
            total += np.outer(row, row)
    return total / len(rows)


def test_chunklets_are_the_rows_about_the_mean_of_their_group(rows, groups):
    found = rca.chunklets(rows, groups)

    assert_allclose(found.covariance, by_loop(rows, groups))
    assert (found.n_rows, found.n_chunklets, found.evidence) == (40, 6, 34)


def test_where_groups_lie_does_not_matter(rng, rows, groups):
    moved = rows + 100 * rng.normal(size=(6, 4))[groups]

    assert_allclose(rca.chunklets(moved, groups).covariance, rca.chunklets(rows, groups).covariance)


def test_whitening_is_the_symmetric_inverse_root(rows, groups):
    covariance = by_loop(rows, groups)

    root = rca.whitening(covariance)

    assert_allclose(root, root.T, atol=1e-12)
    assert_allclose(root @ covariance @ root, np.eye(4), atol=1e-10)


def test_whitened_groups_have_the_identity_as_covariance(rows, groups):
    root = rca.whitening(rca.chunklets(rows, groups).covariance)

    assert_allclose(by_loop(rows @ root.T, groups), np.eye(4), atol=1e-10)


def test_turning_the_rows_turns_the_metric(rng, rows, groups):
    turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    root = rca.whitening(rca.chunklets(rows, groups).covariance)

    turned = rca.whitening(rca.chunklets(rows @ turn.T, groups).covariance)

    assert_allclose(turned, turn @ root @ turn.T, atol=1e-10)


def test_rows_of_another_unit_are_whitened_alike(rows, groups):
    root = rca.whitening(rca.chunklets(rows, groups).covariance)

    small = rca.whitening(rca.chunklets(rows / 1000, groups).covariance)

    assert_allclose(small, 1000 * root)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_shrinkage_moves_toward_the_mean_variance(rows, groups, share):
    found = rca.chunklets(rows, groups)

    covariance, used = rca.shrunk(found, share)

    level = np.trace(found.covariance) / 4
    assert used == share
    assert_allclose(covariance, (1 - share) * found.covariance + share * level * np.eye(4))
    assert np.trace(covariance) == pytest.approx(np.trace(found.covariance))


def test_the_oracle_share_is_that_of_scikit_learn_where_features_are_many(rng):
    # There the terms in 2 / d are left out.
    rows = rng.normal(size=(50, 400)) * np.geomspace(0.1, 10.0, 400)
    reference = OAS(assume_centered=True).fit(rows).shrinkage_
    found = rca.Chunklets(rows.T @ rows / 50, 51, 1)

    assert rca.oracle_share(found) == pytest.approx(reference, abs=0.005)


def test_few_rows_shrink_farther_than_many(rows, groups):
    found = rca.chunklets(rows, groups)

    shares = [rca.oracle_share(found._replace(n_rows=n)) for n in (8, 20, 40, 400, 40_000)]

    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < 0.001


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_the_share_does_not_depend_on_the_unit(rows, groups, scale):
    found = rca.chunklets(rows, groups)

    assert rca.oracle_share(rca.chunklets(rows * scale, groups)) == pytest.approx(
        rca.oracle_share(found)
    )


@pytest.mark.parametrize(
    "covariance", [np.eye(4), np.zeros((4, 4)), np.array([[3.0]])], ids=["round", "none", "one"]
)
def test_where_no_direction_stands_out_all_is_identity(covariance):
    found = rca.Chunklets(covariance, n_rows=30, n_chunklets=5)

    assert rca.oracle_share(found) == 1.0


def test_one_pair_says_nothing_of_directions():
    found = rca.chunklets(np.array([[0.0, 0.0, 1.0], [2.0, 1.0, 0.0]]), np.array([0, 0]))

    covariance, share = rca.shrunk(found, None)

    assert share == 1.0
    assert_allclose(covariance, np.eye(3) * 0.5)


def test_units_do_not_make_a_covariance_singular(rng):
    rows = rng.standard_normal((50, 3)) * [1e5, 1.0, 1e-1]

    assert not rca.is_singular(np.cov(rows.T))
    assert rca.is_singular(np.cov(np.c_[rows, rows @ [1.0, 2.0, 3.0]].T))
    assert rca.is_singular(np.diag([1.0, 0.0]))
