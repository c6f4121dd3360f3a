"""How well the groups are found: blobs that anyone can part, and blobs that overlap."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from coterie import Constraints, MPCKMeans, PCKMeans

METHODS = pytest.mark.parametrize("method", [PCKMeans, MPCKMeans])


def overlapping(start, n_pairs, n=1000):
    """Return blobs that overlap, and pairs of rows drawn by chance."""
    X, y = make_blobs(n, 10, centers=5, cluster_std=5.0, random_state=start)
    draw = np.random.default_rng(start)
    pairs = np.column_stack(np.triu_indices(n, 1))
    pairs = pairs[draw.choice(len(pairs), n_pairs, replace=False)]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return X, y, (pairs[same], pairs[~same])


@METHODS
@pytest.mark.parametrize("n_pairs", [0, 100, 1000])
def test_blobs_apart_are_found_exactly(method, n_pairs):
    exact = 0
    for start in range(50):
        X, y = make_blobs(300, 10, centers=5, random_state=start)
        links = Constraints.from_labels(y, n_pairs=n_pairs, random_state=start)
        labels = method(5, random_state=start).fit(X, constraints=links).labels_
        exact += adjusted_rand_score(y, labels) == 1.0

    assert exact >= 49


@METHODS
@pytest.mark.parametrize(("n_pairs", "floor"), [(100, 0.85), (1000, 0.88)])
def test_overlapping_blobs_are_found_well(method, n_pairs, floor):
    scores = []
    for start in range(10):
        X, y, links = overlapping(start, n_pairs)
        labels = method(5, random_state=start).fit(X, constraints=links).labels_
        scores.append(adjusted_rand_score(y, labels))

    assert np.mean(scores) >= floor


@METHODS
def test_links_help(method):
    """Links add to what is found of the rows, and of the rows without links as well."""
    gains, without_links = [], []
    for start in range(10):
        X, y, links = overlapping(start, 1000)
        before = method(5, random_state=start).fit(X).labels_
        after = method(5, random_state=start).fit(X, constraints=links).labels_
        free = np.setdiff1d(np.arange(len(X)), np.concatenate(links))
        gains.append(adjusted_rand_score(y, after) - adjusted_rand_score(y, before))
        without_links.append(
            adjusted_rand_score(y[free], after[free]) - adjusted_rand_score(y[free], before[free])
        )

    assert np.mean(gains) > 0.01
    assert np.mean(without_links) > -0.01


@pytest.mark.filterwarnings("ignore:.*not all links can be kept:UserWarning")
@pytest.mark.parametrize(("wrong", "floor"), [(0.02, 0.97), (0.1, 0.9)])
def test_a_few_wrong_links_do_not_undo_the_others(wrong, floor):
    scores = []
    for start in range(10):
        X, y = make_blobs(300, 10, centers=5, random_state=start)
        told = Constraints.from_labels(y, n_pairs=1000, random_state=start)
        draw = np.random.default_rng(start)
        turned = [draw.random(n) < wrong for n in (told.n_must_link, told.n_cannot_link)]
        links = Constraints(
            np.concatenate([told.must_link[~turned[0]], told.cannot_link[turned[1]]]),
            np.concatenate([told.cannot_link[~turned[1]], told.must_link[turned[0]]]),
        )
        labels = PCKMeans(5, random_state=start).fit(X, constraints=links).labels_
        scores.append(adjusted_rand_score(y, labels))

    assert np.mean(scores) >= floor
