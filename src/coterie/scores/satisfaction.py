"""The share of links that a labelling keeps."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie._errors import ConstraintError, ConstraintIndexError
from coterie._types import Floats, Pairs
from coterie.scores.codes import as_array, encode


def constraint_satisfaction(labels: Any, constraints: Any, *, weighted: bool = False) -> float:
    r"""Return the share of the links that hold, from 0 to 1.

    A must-link holds when its rows share a cluster, a cannot-link when they do
    not. With links :math:`l` of weight :math:`w_l` (or 1) the share is

    .. math:: \sum_{l\ \text{holds}} w_l \Big/ \sum_l w_l

    Parameters
    ----------
    labels : array-like of shape (n,)
        A cluster for each row. Rows of label -1 (or any negative whole number)
        are in no cluster: together with no row, not even with each other.
    constraints : Constraints or pair of lists
        A `Constraints`, or ``(must_link, cannot_link)``, each a list of pairs
        of row numbers.
    weighted : bool, default=False
        Whether a link counts by its weight. Hard links outweigh all others:
        where there are any, the share is taken among them. Pairs of lists have
        no weights, and count 1 each.

    Returns
    -------
    float
        1.0 where there are no links.

    Examples
    --------
    >>> constraint_satisfaction([0, 0, 1, 1], ([(0, 1), (1, 2)], [(0, 3)]))
    0.6666666666666666
    >>> constraint_satisfaction([-1, -1], ([(0, 1)], []))
    0.0
    """
    if not hasattr(constraints, "satisfaction"):
        return _plain(labels, constraints)
    kept = constraints.satisfaction(labels)
    if not weighted:
        return float(kept.rate)
    holds = np.concatenate([kept.must_link_holds, kept.cannot_link_holds])
    weights = np.concatenate([constraints.must_link_weights, constraints.cannot_link_weights])
    return _weighted(holds, weights)


def _plain(labels: Any, constraints: Any) -> float:
    if not (isinstance(constraints, list | tuple) and len(constraints) == 2):
        raise ConstraintError(
            "constraints must be a Constraints, or a pair (must_link, cannot_link) of lists of "
            f"pairs; got {type(constraints).__name__}."
        )
    clusters = _clusters(labels)
    must = _as_pairs(constraints[0], "must_link", len(clusters))
    cannot = _as_pairs(constraints[1], "cannot_link", len(clusters))
    n_links = len(must) + len(cannot)
    if n_links == 0:
        return 1.0
    kept = _together(clusters, must).sum() + (~_together(clusters, cannot)).sum()
    return int(kept) / n_links


def _weighted(holds: NDArray[np.bool_], weights: Floats) -> float:
    hard = np.isinf(weights)
    if hard.any():
        return float(holds[hard].mean())
    total = float(weights.sum())
    return float(weights[holds].sum()) / total if total else 1.0


def _together(clusters: NDArray[np.int64], pairs: Pairs) -> NDArray[np.bool_]:
    a, b = clusters[pairs[:, 0]], clusters[pairs[:, 1]]
    same: NDArray[np.bool_] = (a == b) & (a >= 0)
    return same


def _clusters(labels: Any) -> NDArray[np.int64]:
    """Return labels as numbers from 0, and -1 for rows in no cluster."""
    given = as_array(labels, "labels")
    outside: NDArray[np.bool_]
    if given.dtype.kind == "O":
        outside = np.array([_is_negative(label) for label in given.tolist()], dtype=bool)
    elif given.dtype.kind in "iu":
        outside = given < 0
    else:
        outside = given == -1 if given.dtype.kind == "f" else np.zeros(len(given), dtype=bool)
    return np.where(outside, np.int64(-1), encode(given, "labels").of_row)


def _is_negative(label: Any) -> bool:
    return isinstance(label, int) and label < 0


def _as_pairs(given: Any, what: str, n: int) -> Pairs:
    pairs: NDArray[Any] = np.asarray(given)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ConstraintError(f"{what} must be a list of pairs of row numbers, shape (m, 2).")
    outside = pairs[(pairs < 0) | (pairs >= n)]
    if len(outside):
        raise ConstraintIndexError(
            f"{what} names row {outside[0]}, but there are {n} labels.",
            rows=outside[:5].tolist(),
            n_samples=n,
        )
    return pairs.astype(np.int64)
