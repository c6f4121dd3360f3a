"""First learn a metric, then cluster."""

from typing import ClassVar

from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    clone,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from coterie.constraints import as_constraints
from coterie.estimators.arguments import refuse_links_as_labels
from coterie.estimators.pck_means import PCKMeans
from coterie.estimators.rca import RCA


class LearnedMetricKMeans(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """Learn a metric from the links, and cluster in the space that it makes.

    Parameters
    ----------
    learner : transformer, default=None
        Learns the metric: `fit` takes `constraints`. None for `RCA()`.
    clusterer : clusterer, default=None
        Clusters the transformed rows: `fit` takes `constraints`. None for
        ``PCKMeans(n_clusters)``.
    n_clusters : int, default=8
        How many clusters the default clusterer finds.
    random_state : int, RandomState or None, default=None
        The source of chance of the default clusterer.

    Attributes
    ----------
    learner_, clusterer_ : estimators
        The fitted parts.
    labels_ : ndarray of shape (n_samples,)
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from coterie import Constraints, LearnedMetricKMeans
    >>> X, y = load_wine(return_X_y=True)
    >>> links = Constraints.from_labels(y, n_pairs=200, random_state=0)
    >>> model = LearnedMetricKMeans(n_clusters=3, random_state=0).fit(X, constraints=links)
    >>> model.predict(X[:2]).shape
    (2,)
    """

    __metadata_request__fit: ClassVar = {"constraints": True}

    def __init__(self, learner=None, clusterer=None, *, n_clusters=8, random_state=None):
        self.learner = learner
        self.clusterer = clusterer
        self.n_clusters = n_clusters
        self.random_state = random_state

    @property
    def _n_features_out(self):
        return self.clusterer_._n_features_out

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X, y=None, *, constraints=None):
        """Learn the metric, then cluster; both heed `constraints`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : passed on to the clusterer
        constraints : Constraints, pair of pair lists or sparse matrix, default=None

        Returns
        -------
        self
        """
        refuse_links_as_labels(y)
        X = validate_data(self, X, dtype=["float64", "float32"])
        links = as_constraints(constraints, len(X))
        self.learner_ = RCA() if self.learner is None else clone(self.learner)
        self.clusterer_ = (
            PCKMeans(self.n_clusters, random_state=self.random_state)
            if self.clusterer is None
            else clone(self.clusterer)
        )
        image = self.learner_.fit(X, constraints=links).transform(X)
        self.clusterer_.fit(image, y, constraints=links)
        self.labels_ = self.clusterer_.labels_
        return self

    def predict(self, X):
        """Return the cluster of each row of X."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=["float64", "float32"])
        return self.clusterer_.predict(self.learner_.transform(X))

    def transform(self, X):
        """Return the distance of each row from each centre, in the learned space."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=["float64", "float32"])
        return self.clusterer_.transform(self.learner_.transform(X))

    def score(self, X, y=None, sample_weight=None):
        """Return the score that the clusterer gives the transformed rows."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=["float64", "float32"])
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self.clusterer_.score(self.learner_.transform(X), **weight)
