"""What all clusterers with centres share: checks on the way in, answers on the way out."""

import warnings
from typing import ClassVar

import joblib
import numpy as np
from scipy import sparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from coterie.constraints import as_constraints, refuse_contradictions
from coterie.distortion import Identity
from coterie.engines import DenseRows, SparseRows
from coterie.estimators.arguments import in_range, refuse_links_as_labels

_BLOCK = 1 << 14  # rows whose costs in all clusters are held at a time


class CentreClusterer(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """Rows in clusters, each with a centre."""

    # Links reach `fit` through pipelines and searches without the user asking for it.
    __metadata_request__fit: ClassVar = {"constraints": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._distortion().takes_sparse
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _doubt(self) -> str | None:
        """Return what to ask where a cluster stays empty; None where there is nothing to ask."""
        return "Are there duplicate rows?"

    def _distortion(self):
        return Identity()

    def _fitted_distortion(self):
        """Return the distortion as the last fit had it."""
        return getattr(self, "_settled", None) or self._distortion()

    def _metric(self):
        """Return the metric with its leading axis, as the distortion wants it."""
        return np.ones((1, self.n_features_in_))

    @property
    def _n_features_out(self):
        return len(self.cluster_centers_)

    def _rows(self, X, sample_weight=None, *, reset=True):
        """Check X and return it as an engine."""
        distortion = self._distortion() if reset else self._fitted_distortion()
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr" if distortion.takes_sparse else False,
            dtype=[np.float64, np.float32],
            order="C",
        )
        X = distortion.prepare(in_range(X))
        if reset and X.shape[0] < self.n_clusters:
            raise ValueError(
                f"n_samples={X.shape[0]} should be at least n_clusters={self.n_clusters}."
            )
        if sample_weight is not None:
            sample_weight = _checked_weights(sample_weight, X.shape[0])
        if sparse.issparse(X):
            return SparseRows(X, sample_weight=sample_weight)
        middle = None if reset else self.cluster_centers_.mean(axis=0, dtype=np.float64)
        if not distortion.shifts:
            middle = np.zeros(X.shape[1])
        return DenseRows(X, sample_weight=sample_weight, n_threads=self._threads(), shift=middle)

    def _threads(self):
        # All cores, but for a fit that already is one of several at the same time.
        return joblib.effective_n_jobs(-1 if self.n_jobs is None else self.n_jobs)

    def _links(self, constraints, n_samples, y=None):
        """Check the links; refuse what cannot be, and warn of what cannot all be."""
        refuse_links_as_labels(y)
        links = as_constraints(constraints, n_samples)
        refuse_contradictions(links)
        n_wrong = links.closure().n_contradictions
        if n_wrong:
            many = "cannot-link joins" if n_wrong == 1 else "cannot-links join"
            also = ""
            if getattr(self, "closure", False):
                also = " What they entail is left out."
            warnings.warn(
                f"{n_wrong} {many} rows that must-links hold together, so not all links can be "
                f"kept. Constraints.contradictions() shows them.{also}",
                UserWarning,
                stacklevel=3,
            )
        return links

    def _closed(self, given):
        """Return the links with all that they entail, or as given where that is not wanted.

        Links that contradict show that some are wrong, and what follows from a wrong link is
        wrong too, many times over: then nothing is added.
        """
        closure = given.closure()
        return closure.entailed() if self.closure and not closure.n_contradictions else given

    def _rng(self):
        """Return a generator drawn from `random_state`, as scikit-learn understands it."""
        state = check_random_state(self.random_state)
        return np.random.default_rng(state.randint(2**31 - 1))

    def _take(self, result, rows):
        """Name what the loop found."""
        self.labels_ = result.labels
        self.cluster_centers_ = (result.centres + rows.shift).astype(_dtype(rows))
        self.objective_ = result.objective
        self.objective_history_ = np.array(result.trace)
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        self.events_ = dict(result.events)
        n_found = len(np.unique(result.labels))
        doubt = self._doubt()
        if n_found < self.n_clusters and doubt is not None:
            warnings.warn(
                f"{n_found} distinct clusters were found, fewer than n_clusters={self.n_clusters}. "
                f"{doubt}",
                ConvergenceWarning,
                stacklevel=3,
            )
        self._warn_of_broken(result.n_broken_hard)

    def _warn_of_broken(self, n_broken):
        if n_broken:
            many = "hard link is" if n_broken == 1 else "hard links are"
            warnings.warn(
                f"{n_broken} {many} broken: {self._why_broken()}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _why_broken(self):
        return (
            "no labelling that keeps them all was found, which does not prove that there is none."
        )

    def fit_predict(self, X, y=None, **params):
        """Fit, and return `labels_`; arguments are those of `fit`."""
        return self.fit(X, y, **params).labels_

    def predict(self, X):
        """Return the nearest centre of each row, under the metric of its cluster.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), int32
        """
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        labels = np.zeros(rows.n_rows, dtype=np.int32)
        centres = self.cluster_centers_ - rows.shift
        rows.sweep(self._fitted_distortion().rule(centres, self._metric()), labels)
        return labels

    def transform(self, X):
        """Return the distance of each row from each centre, under the metric of its cluster.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        centres = self.cluster_centers_ - rows.shift
        distortion = self._fitted_distortion()
        itself = distortion.costs(centres, centres, self._metric()).diagonal()
        distances = np.empty((rows.n_rows, len(centres)), dtype=_dtype(rows))
        for block, costs in self._costs(rows):
            apart = np.maximum(costs - itself, 0.0)
            distances[block] = np.sqrt(apart) if distortion.squared else apart
        return distances

    def score(self, X, y=None, sample_weight=None):
        """Return minus the distortion of the rows of X from their nearest centres.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        float
        """
        check_is_fitted(self)
        rows = self._rows(X, sample_weight, reset=False)
        return -sum(
            float(rows.weights[block] @ costs.min(axis=1)) for block, costs in self._costs(rows)
        )

    def _costs(self, rows):
        """Yield what rows cost in each cluster, a block of rows at a time: all would take room."""
        distortion, metric = self._fitted_distortion(), self._metric()
        centres = self.cluster_centers_ - rows.shift
        for start in range(0, rows.n_rows, _BLOCK):
            block = np.arange(start, min(start + _BLOCK, rows.n_rows))
            yield block, distortion.costs(rows.take(block), centres, metric)


def _checked_weights(sample_weight, n_rows):
    weights = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one number for each of the {n_rows} rows; "
            f"got shape {weights.shape}."
        )
    if (weights < 0).any() or not weights.any():
        raise ValueError("sample_weight must be zero or more, and not zero everywhere.")
    return weights


def _dtype(rows):
    return rows.X.dtype
