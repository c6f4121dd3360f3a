import numpy as np
import pytest

from coterie import Constraints, InfeasibleError, PCKMeans
from coterie.algorithms import hmrf, starts
from coterie.distortion import Identity
from coterie.inference import ICM
from problems import blobs, problem_of, random_constraints


def best_of(X, links, k, rng, **options):
    setting = hmrf.Setting(problem_of(X, links, k), Identity(), ICM(), scaled=False)
    options = {"init": "k-means++", "n_init": 1, "max_iter": 100, "tol": 0.0} | options
    return starts.best_of(setting, links, rng=rng, **options)


def test_more_starts_never_end_higher(rng):
    gains = []
    for seed in range(20):
        X, blob = blobs(rng, n=80, k=6, apart=2.0)
        links = random_constraints(rng, 80, 40, blob=blob, wrong=0.2)

        # The same chance each time: more starts begin with those that fewer had.
        objectives = [
            best_of(X, links, 6, np.random.default_rng(seed), n_init=n).objective
            for n in range(1, 8)
        ]

        assert (np.diff(objectives) <= 0).all()
        gains.append(objectives[0] - objectives[-1])
    assert max(gains) > 0


HARD_TRIANGLE = Constraints(
    cannot_link=[(0, 1), (1, 2), (0, 2)], cannot_link_weights=[np.inf] * 3, n_samples=6
)


def test_a_hard_triangle_cannot_hold_with_two_clusters(rng):
    X = rng.standard_normal((6, 2))

    with pytest.raises(InfeasibleError, match="cannot all hold with 2 clusters") as caught:
        PCKMeans(2, random_state=0).fit(X, constraints=HARD_TRIANGLE)

    assert sorted(caught.value.rows) == [0, 1, 2]
    assert caught.value.n_clusters == 2


def test_a_hard_triangle_holds_with_three_clusters(rng):
    X = 0.01 * rng.standard_normal((6, 2))
    X[3:] += 100.0  # rows 0 to 2 lie together, and yet must part

    model = PCKMeans(3, link_weight=1e-6, random_state=0).fit(X, constraints=HARD_TRIANGLE)

    assert len(set(model.labels_[:3])) == 3


def test_a_soft_triangle_may_break(rng):
    soft = Constraints(cannot_link=HARD_TRIANGLE.cannot_link, n_samples=6)

    model = PCKMeans(2, random_state=0).fit(rng.standard_normal((6, 2)), constraints=soft)

    assert model.links_.closed.n_violated >= 1


def test_hard_links_hold_where_greedy_placement_gets_stuck(rng):
    # A crown: each row of one side must differ from all rows of the other but its twin, beside
    # which it lies. Rows that are placed one by one pair up with their twins; two clusters do.
    n = 6
    crown = [(i, n + j) for i in range(n) for j in range(n) if i != j]
    hard = [np.inf] * len(crown)
    links = Constraints(cannot_link=crown, cannot_link_weights=hard, n_samples=2 * n)
    for _ in range(8):
        X = np.tile(10.0 * rng.standard_normal((n, 1)), (2, 1))

        result = best_of(X, links, 2, rng)

        assert result.n_broken_hard == 0
        assert len(set(result.labels[:n])) == len(set(result.labels[n:])) == 1
        assert result.labels[0] != result.labels[n]
