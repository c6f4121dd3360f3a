"""Supervised-Means: nearest centre, with centres from the links alone."""

import warnings

import numpy as np

from coterie._validate import check_params, flag, whole
from coterie.algorithms import seeded
from coterie.estimators.base import CentreClusterer
from coterie.estimators.pairwise import JOBS, RANDOM
from coterie.estimators.report import report
from coterie.model import LinkGraph, Problem
from coterie.seeding import FarthestFirst, gather


class SupervisedMeans(CentreClusterer):
    """Give each row to the nearest of the centres that the links imply; do not iterate.

    The baseline of Bilenko, Basu and Mooney (2004) for what supervision does alone: centres are
    those that PCK-Means begins at (section 3.1), and stay.

    Parameters
    ----------
    n_clusters : int, default=8
        How many centres there are. Where must-links make fewer neighbourhoods, the others lie at
        random near the mean of all rows, and a warning says so, unless there are no links at all.
    closure : bool, default=True
        Whether `links_` also judges the links that the given ones entail.
    n_jobs : int or None, default=None
        How many threads sweep the rows; None for one on each core. The result is the same.
    random_state : int, RandomState or None, default=None
        The source of chance.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    objective_ : float
        The sum of squared distances from the centres.
    objective_history_ : ndarray
        That one number.
    n_iter_, converged_, events_
        1, True and nothing: rows are assigned once.
    links_ : LinkReport
        Which links hold, and which do not.

    Examples
    --------
    >>> from coterie import SupervisedMeans
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> links = [(0, 1), (3, 4)], []
    >>> SupervisedMeans(n_clusters=2).fit(X, constraints=links).cluster_centers_
    array([[ 0.5],
           [10.5]])
    """

    def __init__(self, n_clusters=8, *, closure=True, n_jobs=None, random_state=None):
        self.n_clusters = n_clusters
        self.closure = closure
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y=None, *, constraints=None, sample_weight=None):
        """Assign the rows of X to the centres that `constraints` imply.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : ignored
        constraints : Constraints, pair of pair lists or sparse matrix, default=None
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        check_params(
            self,
            n_clusters=whole(at_least=1),
            closure=flag(),
            n_jobs=JOBS,
            random_state=RANDOM,
        )
        rows = self._rows(X, sample_weight)
        given = self._links(constraints, rows.n_rows, y)
        rng = self._rng()
        problem = Problem(rows, LinkGraph.of(given, given), self.n_clusters)
        candidates = gather(problem, rng)
        centres = FarthestFirst().seed(candidates, self.n_clusters, rng)
        self._take(seeded.assign(rows, centres), rows)
        self._warn_of_broken(given.hard.satisfaction(self.labels_).n_violated)
        closed = self._closed(given)
        n_links = closed.n_must_link + closed.n_cannot_link
        if n_links and candidates.n_neighbourhoods < self.n_clusters:
            warnings.warn(
                f"Must-links make fewer neighbourhoods ({candidates.n_neighbourhoods}) than "
                f"n_clusters={self.n_clusters}: the other centres lie at random near the mean of "
                "all rows.",
                UserWarning,
                stacklevel=2,
            )
        self.links_ = report(given, closed, self.labels_, np.zeros(n_links))
        return self

    def _doubt(self):
        return None  # centres stay where the links put them, with or without rows

    def _why_broken(self):
        return "SupervisedMeans gives rows to their nearest centre, whatever links say."
