"""The forms in which an estimator takes constraints."""

from typing import Any

import numpy as np
from scipy import sparse

from coterie._errors import ConstraintError
from coterie.constraints.checks import CROSS_VALIDATION, as_pairs, check_rows, listed
from coterie.constraints.links import Constraints
from coterie.constraints.pairs import merged


def as_constraints(given: Any, n_samples: int) -> Constraints:
    """Return what was given for `constraints` as a `Constraints` about `n_samples` rows.

    Parameters
    ----------
    given : Constraints, pair of lists, sparse matrix or None
        A `Constraints`; a pair ``(must_link, cannot_link)`` of lists of pairs of rows; or a
        sparse matrix of shape (n_samples, n_samples) whose entry (a, b) is the weight of a
        must-link, or, where it is negative, of a cannot-link. A matrix may be triangular or
        symmetric; a pair that is in both triangles counts once.
    n_samples : int
        How many rows the data has.

    Returns
    -------
    Constraints
        With `n_samples` set. Without any link where `given` is None.

    Examples
    --------
    >>> as_constraints(([(0, 1)], [(1, 2)]), n_samples=4)
    Constraints(1 must-link, 1 cannot-link, 4 rows)
    """
    if given is None:
        return Constraints(n_samples=n_samples)
    if isinstance(given, Constraints):
        return _about(given, n_samples)
    if sparse.issparse(given):
        return _of_matrix(given, n_samples)
    if isinstance(given, list | tuple) and len(given) == 2:
        must, cannot = (() if part is None else part for part in given)
        for part, what in ((must, "must_link"), (cannot, "cannot_link")):
            check_rows(as_pairs(part, what), what, n_samples, CROSS_VALIDATION)
        return Constraints(must, cannot, n_samples=n_samples)
    raise ConstraintError(
        "constraints must be a Constraints, a pair (must_link, cannot_link) of lists of pairs, "
        f"or a sparse matrix of shape (n_samples, n_samples); got {_spoken(given)}."
    )


def _about(given: Constraints, n_samples: int) -> Constraints:
    if given.n_samples is None:
        check_rows(given.must_link, "must_link", n_samples, CROSS_VALIDATION)
        check_rows(given.cannot_link, "cannot_link", n_samples, CROSS_VALIDATION)
        return given._bound(n_samples)
    if given.n_samples != n_samples:
        raise ConstraintError(
            f"The constraints are about {given.n_samples} rows, but X has {n_samples}. "
            f"{CROSS_VALIDATION}"
        )
    return given


def _of_matrix(given: Any, n_samples: int) -> Constraints:
    if given.shape != (n_samples, n_samples):
        raise ConstraintError(
            f"A matrix of constraints must have shape ({n_samples}, {n_samples}), a row and a "
            f"column for each row of X; got {given.shape}. {CROSS_VALIDATION}"
        )
    if given.dtype.kind not in "biuf":
        raise ConstraintError(f"A matrix of constraints must hold real numbers; got {given.dtype}.")
    entries = given.tocsr().tocoo()  # adds entries of the same place
    row, column = (part.astype(np.int64) for part in (entries.row, entries.col))
    values = entries.data.astype(np.float64)
    spoken = values != 0
    row, column, values = row[spoken], column[spoken], values[spoken]
    _check_entries(row, column, values)
    pairs, values = _once(np.column_stack([row, column]), values)
    must = values > 0
    return Constraints(
        pairs[must],
        pairs[~must],
        must_link_weights=values[must],
        cannot_link_weights=-values[~must],
        n_samples=n_samples,
    )


def _check_entries(row: Any, column: Any, values: Any) -> None:
    if np.isnan(values).any():
        spot = int(np.flatnonzero(np.isnan(values))[0])
        raise ConstraintError(
            f"The matrix of constraints holds NaN at ({row[spot]}, {column[spot]})."
        )
    own = row[row == column].tolist()
    if own:
        raise ConstraintError(
            "The diagonal of a matrix of constraints must be empty, because a row is not linked "
            f"to itself; it has entries for rows {listed(own)}."
        )


def _once(pairs: Any, values: Any) -> tuple[Any, Any]:
    """Return each pair once; both triangles must say the same of it."""
    low, lowest = merged(pairs, values, np.minimum)
    _, highest = merged(pairs, values, np.maximum)
    unlike = np.flatnonzero(lowest != highest)
    if len(unlike):
        a, b = low[unlike[0]].tolist()
        above = values[(pairs == (a, b)).all(axis=1)][0]
        below = values[(pairs == (b, a)).all(axis=1)][0]
        raise ConstraintError(
            f"The matrix of constraints says two things of rows {a} and {b}: {above:g} at "
            f"({a}, {b}) and {below:g} at ({b}, {a}). Fill one triangle, or both alike."
        )
    return low, lowest


def _spoken(given: Any) -> str:
    shape = getattr(given, "shape", None)
    if shape is not None:
        return f"{type(given).__name__} of shape {shape}"
    if isinstance(given, list | tuple):
        return f"a {type(given).__name__} of length {len(given)}"
    return type(given).__name__
