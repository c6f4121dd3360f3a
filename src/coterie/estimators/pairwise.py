"""The k-means family that heeds links: one `fit` for all, the parts differ."""

import numpy as np

from coterie._validate import Rule, check_params, either, flag, one_of, real, whole
from coterie.algorithms import hmrf, starts
from coterie.estimators.base import CentreClusterer
from coterie.estimators.report import report
from coterie.model import LinkGraph, Problem
from coterie.seeding import SEEDING

JOBS = either(
    one_of(None),
    Rule(lambda v: isinstance(v, int | np.integer) and v != 0, "a whole number other than 0"),
)
RANDOM = Rule(
    lambda v: (
        v is None
        or isinstance(v, np.random.RandomState)
        or (isinstance(v, int | np.integer) and not isinstance(v, bool) and 0 <= v < 2**32)
    ),
    "None, a whole number from 0 to 2**32 - 1, or a numpy.random.RandomState",
)


HEAVIEST = 1e300  # of all links together: products with distances must stay finite


class PairwiseClusterer(CentreClusterer):
    """Clusterers that minimise Eq. 1, 3 or 6 of Bilenko, Basu and Mooney (2004)."""

    def _doubt(self):
        return "Are there duplicate rows, or must-links that join too many?"

    def _rules(self):
        return {
            "n_clusters": whole(at_least=1),
            "link_weight": real(at_least=0),
            "closure": flag(),
            "init": one_of("auto", *SEEDING),
            "n_init": whole(at_least=1),
            "max_iter": whole(at_least=1),
            "tol": real(at_least=0),
            "n_jobs": JOBS,
            "random_state": RANDOM,
        }

    def fit(self, X, y=None, *, constraints=None, sample_weight=None):
        """Cluster the rows of X, heeding `constraints`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The rows. float32 stays float32.
        y : ignored
        constraints : Constraints, pair of pair lists or sparse matrix, default=None
            What is known of pairs of rows. A pair of lists is ``(must_link, cannot_link)``; a
            sparse matrix of shape (n_samples, n_samples) is positive at must-links and negative
            at cannot-links. Without any, this is plain k-means with the same metric.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts. Links count as much as before.

        Returns
        -------
        self
        """
        check_params(self, **self._rules())
        self._check()
        rows = self._rows(X, sample_weight)
        given = self._links(constraints, rows.n_rows, y)
        closed = self._closed(given)
        problem = Problem(rows, LinkGraph.of(closed, given), self.n_clusters)
        factor = self._link_weight(rows)
        _refuse_too_heavy(factor, problem.graph)
        self._settled = self._distortion().settle(rows)
        setting = hmrf.Setting(problem, self._settled, self._inference(), self._scaled(), factor)
        result = starts.best_of(
            setting,
            given,
            init=self._init(),
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            rng=self._rng(),
        )
        self._take(result, rows)
        self._take_metric(result)
        costs = setting.link_costs(result.labels, result.metric)
        self.links_ = report(given, closed, result.labels, costs)
        self._finish(setting, result)
        return self

    def _check(self):
        """Refuse parameters that do not go together."""

    def _scaled(self):
        """Return whether penalties grow with distance (Eq. 4, 5)."""
        return True

    def _link_weight(self, rows):
        """Return what every weight is multiplied by."""
        return float(self.link_weight)

    def _init(self):
        """Return where centres begin."""
        return self.init

    def _take_metric(self, result):
        """Name the metric, where there is one."""

    def _finish(self, setting, result):
        """Name what else was asked for."""


def _refuse_too_heavy(factor, graph):
    total = factor * graph.weights[~graph.hard].sum()
    if not total < HEAVIEST:
        raise ValueError(
            f"With link_weight, the links weigh {total:.3g} in all, which is more than can be "
            "computed with. Take smaller weights; an infinite weight makes a link hard."
        )
