"""Data made for each step that may raise the objective, so that it does, and is counted."""

import numpy as np
import pytest

from coterie import Constraints, MPCKMeans
from coterie.algorithms import hmrf
from coterie.distortion import Identity
from coterie.inference import Nearest
from invariants.descent import assert_rises_are_excused, rises
from problems import problem_of

kinds = pytest.mark.parametrize("metric", ["diagonal", "full"])
per_cluster = pytest.mark.parametrize("per_cluster", [False, True])


def fit_one_cluster(X, cannot_link=(), weight=1.0, **options):
    """Fit a single cluster: every cannot-link is broken, and nothing hangs on the start."""
    links = Constraints(cannot_link=cannot_link, n_samples=len(X))
    model = MPCKMeans(1, link_weight=weight, n_init=1, tol=0.0, random_state=0, **options)
    return model.fit(X, constraints=links)


@kinds
@per_cluster
def test_a_conditioned_metric_may_raise_the_objective(metric, per_cluster):
    # With so large a share of the trace, the metric is far from the one of Eq. 7.
    X = np.array([[-1.5, 7.0], [1.5, 7.0], [-1.5, 7.0], [1.5, 7.0]])

    model = fit_one_cluster(X, metric=metric, per_cluster=per_cluster, conditioning=1.0)

    assert rises(model.objective_history_).tolist() == [2]
    assert set(model.events_) == {"conditioned"}
    assert_rises_are_excused(model.objective_history_, model.events_)


@kinds
@per_cluster
def test_a_projected_metric_may_raise_the_objective(metric, per_cluster):
    # The cannot-link is longer than the farthest pair in the second feature.
    X = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, -0.9], [0.0, 0.9]])

    model = fit_one_cluster(X, [(2, 3)], 30.0, metric=metric, per_cluster=per_cluster)

    assert rises(model.objective_history_).tolist() == [2]
    assert set(model.events_) == {"projected"}
    assert_rises_are_excused(model.objective_history_, model.events_)


@kinds
@per_cluster
def test_a_farthest_pair_that_changes_may_raise_the_objective(metric, per_cluster):
    # The metric shrinks the first feature, along which the pair lay that it was fitted to.
    X = np.array([[-0.2, 0.0], [0.2, 0.0], [0.0, -0.1], [0.0, 0.1], [0.0, 0.0], [0.0, 0.0]])

    model = fit_one_cluster(X, [(4, 5)], 100.0, metric=metric, per_cluster=per_cluster)

    assert 2 in rises(model.objective_history_)
    assert set(model.events_) == {"farthest pair changed"}
    assert_rises_are_excused(model.objective_history_, model.events_)


def test_an_assignment_that_ignores_links_may_raise_the_objective(rng):
    # The second centre comes nearer and draws the row at 4.9 away from its must-link.
    X = np.array([[0.0], [0.0], [0.0], [4.9], [6.0], [6.0], [6.0]])
    problem = problem_of(X, Constraints(must_link=[(0, 3)], n_samples=7), 2)
    setting = hmrf.Setting(problem, Identity(), Nearest(), scaled=False, link_weight=100.0)
    centres = np.array([[1.0], [10.0]]) - problem.rows.shift

    result = hmrf.run(setting, centres, max_iter=20, tol=0.0, rng=rng)

    assert result.labels.tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert len(rises(result.trace)) > 0
    assert result.events["links ignored"] >= len(rises(result.trace))


def test_a_pair_that_stays_is_never_said_to_have_changed():
    X = np.array([[-2.0, 0.0], [2.0, 0.0], [0.0, -0.1], [0.0, 0.1], [0.0, 0.0], [0.0, 0.0]])

    model = fit_one_cluster(X, [(4, 5)], weight=1e-3)

    assert len(rises(model.objective_history_)) == 0
    assert model.events_ == {}
