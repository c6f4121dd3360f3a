"""The share of links that a labelling keeps."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie._errors import ConstraintError, ConstraintIndexError
from coterie._types import Pairs
from coterie.scores.codes import as_array, encode
from coterie.scores.pair_counts import share


def constraint_satisfaction(labels: Any, constraints: Any, *, weighted: bool = False) -> float:
    r"""Return the share of the links that hold, from 0 to 1.

    A must-link holds when its rows share a cluster, a cannot-link when they do
    not. With links :math:`l` of weight :math:`w_l` (or 1) the share is

    .. math:: \sum_{l\ \text{holds}} w_l \Big/ \sum_l w_l

    Parameters
    ----------
    labels : array-like of shape (n,)
        A cluster for each row. Rows of label -1 (among integers, any negative
        one) are in no cluster: together with no row, not even with each other.
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
    given = as_array(labels, "labels")
    codes = encode(given, "labels").of_row  # refuses what are not labels
    if not hasattr(constraints, "satisfaction"):
        alone = given < 0 if given.dtype.kind in "iu" else given == -1
        return _share_of_lists(codes, alone, constraints)
    kept = constraints.satisfaction(given)
    if not weighted:
        # By the counts, so that large groups of cannot-links are never written out.
        return share(kept.n_satisfied, kept.n_satisfied + kept.n_violated)
    holds = np.concatenate([kept.must_link_holds, kept.cannot_link_holds])
    weights = np.concatenate([constraints.must_link_weights, constraints.cannot_link_weights])
    hard = np.isinf(weights)
    if hard.any():
        return float(holds[hard].mean())
    return float(weights[holds].sum() / weights.sum()) if len(weights) else 1.0


def _share_of_lists(codes: NDArray[np.int64], alone: NDArray[np.bool_], constraints: Any) -> float:
    if not (isinstance(constraints, list | tuple) and len(constraints) == 2):
        raise ConstraintError(
            "constraints must be a Constraints, or a pair (must_link, cannot_link) of lists of "
            f"pairs; got {type(constraints).__name__}."
        )
    must = _as_pairs(constraints[0], "must_link", len(codes))
    cannot = _as_pairs(constraints[1], "cannot_link", len(codes))

    def n_together(pairs: Pairs) -> int:
        a, b = pairs.T
        return int(((codes[a] == codes[b]) & ~alone[a]).sum())

    kept = n_together(must) + len(cannot) - n_together(cannot)
    return share(kept, len(must) + len(cannot))


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
