"""Labels of any kind as small whole numbers."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Codes(NamedTuple):
    """One number for each row: rows of equal labels have equal numbers."""

    of_row: NDArray[np.int64]  # (n,) 0 to n_codes - 1; a number may go unused
    n_codes: int


def encode(labels: Any, what: str) -> Codes:
    """Return `labels` as whole numbers from 0.

    Labels may be anything that can be compared for equality and hashed: numbers, text, tuples.

    >>> encode(["b", "a", "b"], "labels").of_row
    array([1, 0, 1])
    """
    given = as_array(labels, what)
    if given.dtype.kind == "O":
        return _encode_objects(given, what)
    if given.dtype.kind in "fcmM" and (given != given).any():
        raise ValueError(f"{what} holds missing values; every row needs a label.")
    if given.dtype.kind == "b":
        return Codes(given.astype(np.int64), 2)
    if given.dtype.kind in "iu" and len(given):
        low, high = int(given.min()), int(given.max())
        # A table as long as the labels is cheaper than sorting them.
        if high - low < max(2 * len(given), 1024):
            # Small integers are widened before the difference can overflow them.
            wide = given if given.dtype.kind == "u" else given.astype(np.int64)
            return Codes((wide - wide.dtype.type(low)).astype(np.int64), high - low + 1)
    names, of_row = np.unique(given, return_inverse=True)
    return Codes(of_row.astype(np.int64), len(names))


def as_array(labels: Any, what: str) -> NDArray[Any]:
    """Return `labels` as a 1-D array that keeps every label what it is."""
    if not isinstance(labels, list | tuple):
        given = np.asarray(labels)
        if given.ndim != 1:
            raise ValueError(f"{what} must be one label for each row; got shape {given.shape}.")
        return given
    try:
        given = np.asarray(labels)
        plain = given.ndim == 1 and given.dtype.kind not in "US"
    except ValueError:  # tuples of different lengths
        plain = False
    if plain or all(isinstance(label, str) for label in labels):
        return given
    # NumPy would make text of every number in a mixed list, and columns of tuples.
    given = np.empty(len(labels), dtype=object)
    given[:] = labels
    return given


def _encode_objects(given: NDArray[Any], what: str) -> Codes:
    number: dict[Any, int] = {}
    try:
        codes = [number.setdefault(label, len(number)) for label in given.tolist()]
    except TypeError as error:
        raise TypeError(f"{what} holds labels that cannot be hashed: {error}.") from None
    if any(map(_is_missing, number)):
        raise ValueError(f"{what} holds missing values; every row needs a label.")
    return Codes(np.array(codes, dtype=np.int64), len(number))


def _is_missing(label: Any) -> bool:
    """Tell None, NaN, NaT and pandas' NA from labels."""
    try:
        return label is None or bool(label != label)
    except TypeError:  # NA will not say whether it equals itself
        return True
