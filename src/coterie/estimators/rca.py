"""RCA as a transformer."""

import warnings
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from coterie._validate import check_params, either, one_of, share
from coterie.constraints import as_constraints
from coterie.estimators.arguments import in_range, refuse_links_as_labels
from coterie.metric_learning import rca


class RCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Whiten the directions in which rows that belong together differ.

    Relevant component analysis takes the covariance of rows about the mean of their
    neighbourhood, and transforms by its inverse root. Only must-links speak.

    Parameters
    ----------
    shrinkage : "auto" or float in [0, 1], default="auto"
        How far the covariance is moved toward a multiple of the identity. "auto" goes by the
        evidence (oracle approximating shrinkage): the fewer the linked rows and the more alike
        the directions, the farther. 0 is the method as published, which needs more linked rows
        than features.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The transformation: ``X @ components_.T``.
    shrinkage_ : float
        The share of the identity.
    n_features_in_ : int

    Notes
    -----
    The identity means something only where columns share a scale. Standardise columns of different
    units first, or take ``shrinkage=0``, which does not depend on units. Weights of links are not
    looked at; must-links of neighbourhoods that hold a contradiction are left out.

    References
    ----------
    Bar-Hillel, Hertz, Shental, Weinshall (2003). Learning distance functions using equivalence
    relations. ICML.

    Chen, Wiesel, Eldar, Hero (2010). Shrinkage algorithms for MMSE covariance estimation. IEEE
    Transactions on Signal Processing.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import RCA, Constraints
    >>> X, y = load_iris(return_X_y=True)
    >>> links = Constraints.from_labels(y, n_pairs=200, random_state=0)
    >>> RCA().fit(X, constraints=links).transform(X).shape
    (150, 4)
    """

    __metadata_request__fit: ClassVar = {"constraints": True}

    def __init__(self, *, shrinkage="auto"):
        self.shrinkage = shrinkage

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self):
        return len(self.components_)

    def fit(self, X, y=None, *, constraints=None):
        """Learn the transformation from the must-links of `constraints`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        constraints : Constraints, pair of pair lists or sparse matrix, default=None
            Without must-links the transformation is the identity.

        Returns
        -------
        self
        """
        check_params(self, shrinkage=either(one_of("auto"), share()))
        refuse_links_as_labels(y)
        X = in_range(validate_data(self, X, dtype=[np.float64, np.float32]))
        d = X.shape[1]
        closure = as_constraints(constraints, len(X)).closure().sound.closure()
        several = closure.sizes[closure.neighbourhood] > 1
        self.components_, self.shrinkage_ = np.eye(d, dtype=X.dtype), 1.0
        if not several.any():
            return self
        groups = np.unique(closure.neighbourhood[several], return_inverse=True)[1]
        found = rca.chunklets(X[closure.rows[several]].astype(np.float64), groups)
        wanted = None if self.shrinkage == "auto" else float(self.shrinkage)
        covariance, self.shrinkage_ = rca.shrunk(found, wanted)
        if not covariance.any():
            return self  # rows that belong together are equal: no direction to whiten
        if rca.is_singular(covariance):
            warnings.warn(
                f"{found.evidence} independent must-linked rows do not span {d} features, so "
                "their covariance is singular; 1 % of the identity was added. "
                'shrinkage="auto" chooses by the evidence.',
                UserWarning,
                stacklevel=2,
            )
            covariance, self.shrinkage_ = rca.shrunk(found, 0.01)
        self.components_ = rca.whitening(covariance).astype(X.dtype)
        return self

    def transform(self, X):
        """Return the rows of X in the learned space.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return X @ self.components_.T

    def get_mahalanobis_matrix(self):
        """Return the matrix A of the learned distance (x - y)ᵀ A (x - y)."""
        check_is_fitted(self)
        return self.components_.T @ self.components_
