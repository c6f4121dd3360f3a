"""K-means from labelled rows (Basu, Banerjee and Mooney, 2002)."""

from coterie._validate import check_params, real, whole
from coterie.algorithms import seeded
from coterie.estimators.base import CentreClusterer
from coterie.estimators.known import known_labels
from coterie.estimators.pairwise import JOBS, RANDOM
from coterie.model import LinkGraph, Problem
from coterie.seeding import complete, gather


class SeededKMeans(CentreClusterer):
    """K-means that begins at the means of labelled rows.

    The labels are seeds only: rows may leave them. Classes that were not labelled begin by
    k-means++.

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters to find, at least as many as there are classes among the labels.
    max_iter : int, default=100
    tol : float, default=1e-4
        Stop when an iteration gains less than this share of all that was gained since the first.
    n_jobs : int or None, default=None
        How many threads sweep the rows; None for one on each core. The result is the same.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Cluster c grew from class ``classes_[c]``, where there is one.
    classes_ : ndarray
        The classes among the labels, sorted.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    objective_ : float
        The sum of squared distances from the centres.
    objective_history_ : ndarray
    n_iter_ : int
    converged_ : bool
    events_ : dict

    References
    ----------
    Basu, Banerjee, Mooney (2002). Semi-supervised clustering by seeding. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import SeededKMeans
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    >>> SeededKMeans(n_clusters=2).fit(X, [-1, 1, -1, -1, 0, -1]).labels_
    array([1, 1, 1, 0, 0, 0], dtype=int32)
    """

    _keeps = False

    def __init__(self, n_clusters=8, *, max_iter=100, tol=1e-4, n_jobs=None, random_state=None):
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y=None, *, constraints=None, sample_weight=None):
        """Cluster the rows of X from the labels in y.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            The class of each row, as whole numbers; -1 or NaN where it is not known.
        constraints : Constraints, pair of pair lists or sparse matrix, default=None
            Must-links spread labels: a row that is joined to a labelled one counts as labelled
            too. Links that contradict the labels are refused.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        check_params(
            self,
            n_clusters=whole(at_least=1),
            max_iter=whole(at_least=1),
            tol=real(at_least=0),
            n_jobs=JOBS,
            random_state=RANDOM,
        )
        rows = self._rows(X, sample_weight)
        links = self._links(constraints, rows.n_rows, y)
        self.classes_, known = known_labels(y, links, rows.n_rows, self.n_clusters)
        rng = self._rng()
        problem = Problem(rows, LinkGraph.of(links, links), self.n_clusters)
        centres = complete(problem, gather(problem, rng), known, rng)
        result = seeded.run(
            rows,
            centres,
            known,
            keep=self._keeps,
            max_iter=self.max_iter,
            tol=self.tol,
            rng=rng,
        )
        self._take(result, rows)
        self._warn_of_broken(links.hard.satisfaction(self.labels_).n_violated)
        return self

    def _why_broken(self):
        return f"to {type(self).__name__} links only say which rows share a label. See PCKMeans."


class ConstrainedKMeans(SeededKMeans):
    """K-means that begins at the means of labelled rows, and never relabels them.

    Parameters, attributes and arguments of `fit` are those of `SeededKMeans`.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import ConstrainedKMeans
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    >>> ConstrainedKMeans(n_clusters=2).fit(X, [0, -1, -1, -1, 1, 0]).labels_
    array([0, 0, 0, 1, 1, 0], dtype=int32)
    """

    _keeps = True

    def _doubt(self):
        return "Are there duplicate rows, or labels for all rows?"
