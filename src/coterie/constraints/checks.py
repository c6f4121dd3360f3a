"""What may be wrong with links and weights, each with its own sentence."""

from collections.abc import Iterator, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie._errors import ConstraintError, ConstraintIndexError
from coterie._types import Floats, Pairs
from coterie.constraints.pairs import no_pairs

CROSS_VALIDATION = (
    "Under cross-validation, give links as Constraints(..., n_samples=len(X)): "
    "then every fold gets its own links, renumbered."
)


def listed(values: Sequence[Any], total: int | None = None) -> str:
    """Return the first five of `values` in words.

    >>> listed([1, 2, 3, 4, 5, 6, 7])
    '1, 2, 3, 4, 5 and 2 more'
    """
    total = len(values) if total is None else total
    words = ", ".join(str(v) for v in values[:5])
    return f"{words} and {total - 5} more" if total > 5 else words


def name(ids: NDArray[Any] | None, row: int) -> Any:
    """Return what the user calls this row."""
    return int(row) if ids is None else ids[row : row + 1].tolist()[0]


def as_ids(ids: ArrayLike | None, n_samples: int | None) -> NDArray[Any] | None:
    """Return `ids` as a 1-D array, one for each row."""
    if ids is None:
        return None
    array = np.asarray(ids)
    if array.ndim == 1 and array.dtype.kind in "US" and not isinstance(ids, np.ndarray):
        # NumPy would make text of every number in a mixed list.
        array = np.empty(len(array), dtype=object)
        array[:] = list(ids)  # type: ignore[arg-type]
    if array.ndim != 1:
        raise ConstraintError(f"ids must be one name for each row; got shape {array.shape}.")
    if n_samples is not None and len(array) != n_samples:
        raise ConstraintError(f"There are {n_samples} rows, but {len(array)} ids.")
    return array.copy() if array is ids or array.base is not None else array


def as_n_samples(n_samples: Any) -> int | None:
    """Return `n_samples` as an int, or None."""
    if n_samples is None:
        return None
    whole = isinstance(n_samples, int | np.integer) and not isinstance(n_samples, bool)
    if not whole or n_samples < 0:
        raise ConstraintError(f"n_samples must be a whole number, 0 or more; got {n_samples!r}.")
    return int(n_samples)


def as_pairs(value: Any, what: str) -> Pairs:
    """Return `value` as an (m, 2) int64 array, or say why it is none."""
    shape = f"{what} must be a list of pairs of row numbers, shape (m, 2)"
    if isinstance(value, Set | Iterator):
        value = list(value)
    try:
        array = np.asarray(value)
    except ValueError:
        raise ConstraintError(f"{shape}; got entries of different lengths.") from None
    if array.ndim and array.size == 0:
        return no_pairs()
    if array.ndim != 2 or array.shape[1] != 2:
        raise ConstraintError(f"{shape}; got shape {array.shape}.")
    if array.dtype.kind == "O":
        array = _from_objects(array, what)
    if array.dtype.kind == "b":
        raise ConstraintError(
            f"{what} holds True and False; links are pairs of row numbers. "
            "Did you pass a mask? np.argwhere(mask) gives the pairs."
        )
    if array.dtype.kind == "f":
        raise ConstraintError(_about_floats(array, what))
    if array.dtype.kind not in "iu":
        raise ConstraintError(
            f"{what} holds {array.flat[0].item()!r}, which is not a row number. "
            "Constraints.from_frame(..., ids=...) takes links in your own ids."
        )
    return array.astype(np.int64)


def _from_objects(array: NDArray[Any], what: str) -> NDArray[Any]:
    for entry in array.flat:
        if not isinstance(entry, int | np.integer) or isinstance(entry, bool):
            raise ConstraintError(
                f"{what} holds {entry!r}, which is not a row number. "
                "Constraints.from_frame(..., ids=...) takes links in your own ids."
            )
    return array.astype(np.int64)


def _about_floats(array: NDArray[Any], what: str) -> str:
    fractional = np.argwhere(~(np.floor(array) == array))
    if len(fractional):
        link, side = fractional[0]
        return (
            f"{what} holds floats, which are not row numbers: "
            f"link {link} has {float(array[link, side])}."
        )
    return (
        f"{what} holds floats (link 0 has {float(array[0, 0])}); row numbers are whole. "
        "All of them are integral, so .astype(int) gives what is wanted."
    )


def check_rows(pairs: Pairs, what: str, n_samples: int | None, hint: str = "") -> None:
    """Raise ConstraintIndexError when a link names a row that is not there."""
    wrong = pairs < 0
    if n_samples is not None:
        wrong |= pairs >= n_samples
    if not wrong.any():
        return
    links = int(wrong.any(axis=1).sum())
    rows = list(dict.fromkeys(pairs[wrong].tolist()))
    there = "rows count from 0" if n_samples is None else _span(n_samples)
    many = "link names a row that is" if links == 1 else "links name rows that are"
    raise ConstraintIndexError(
        f"{links} {what} {many} not there: {listed(rows)}; {there}.{' ' if hint else ''}{hint}",
        rows=rows[:5],
        n_samples=n_samples,
    )


def _span(n_samples: int) -> str:
    return f"there are {n_samples} rows, 0 to {n_samples - 1}" if n_samples else "there are no rows"


def check_no_self_links(pairs: Pairs, what: str, ids: NDArray[Any] | None) -> None:
    """Raise when a row is linked to itself."""
    own = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if len(own):
        row = name(ids, int(pairs[own[0], 0]))
        also = f" ({len(own) - 1} more such links)" if len(own) > 1 else ""
        raise ConstraintError(
            f"{what}: link {own[0]} joins row {row} to itself{also}. Leave such links out."
        )


def as_weights(value: Any, pairs: Pairs, what: str, ids: NDArray[Any] | None) -> Floats:
    """Return one non-negative weight for each link; one number does for all."""
    if value is None:
        return np.ones(len(pairs))
    array = np.asarray(value)
    if array.size and array.dtype.kind not in "iuf":
        try:
            array = np.array([float(v) for v in array.flat if not isinstance(v, bool | str)])
        except (TypeError, ValueError):
            array = np.empty(0)
        if array.size != np.size(value) or np.asarray(value).dtype.kind in "bUS":
            raise ConstraintError(f"{what} must be numbers, 0 or more; got {value!r}.")
        array = array.reshape(np.shape(value))
    if array.ndim == 0:
        array = np.full(len(pairs), float(array))
    if array.shape != (len(pairs),):
        raise ConstraintError(
            f"{what} must be one number, or one for each of the {len(pairs)} links; "
            f"got shape {array.shape}."
        )
    weights: Floats = array.astype(np.float64)
    wrong = np.flatnonzero(~(weights >= 0))
    if len(wrong):
        a, b = (name(ids, row) for row in pairs[wrong[0]])
        also = f" ({len(wrong) - 1} more such weights)" if len(wrong) > 1 else ""
        turn = ""
        if weights[wrong[0]] < 0:
            one, other = ("must", "cannot") if what.startswith("must") else ("cannot", "must")
            turn = f" A negative {one}-link is a {other}-link."
        raise ConstraintError(
            f"{what} must be 0 or more: link {wrong[0]} (rows {a} and {b}) "
            f"has {weights[wrong[0]]}{also}.{turn}"
        )
    return weights
