"""Values that name classes or groups, turned into numbers."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie._errors import ConstraintError


def as_codes(values: ArrayLike, what: str) -> NDArray[np.int64]:
    """Return a number from 0 for each value, and -1 for -1, None and NaN.

    >>> as_codes(["oak", None, "elm", "oak"], "y")
    array([ 1, -1,  0,  1])
    """
    array: NDArray[Any] = np.asarray(values)
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        # NumPy makes text of everything in a mixed list, also of -1 and NaN.
        array = np.asarray(values, dtype=object)
    if array.ndim != 1:
        raise ConstraintError(f"{what} must be one value for each row; got shape {array.shape}.")
    if array.dtype.kind == "O":
        return _codes_of_objects(array, what)
    unknown = np.zeros(len(array), dtype=bool)
    if array.dtype.kind in "iuf":
        unknown = (array == -1) | (array != array)
    elif array.dtype.kind in "mM":
        unknown = np.isnat(array)
    codes = np.full(len(array), -1, dtype=np.int64)
    codes[~unknown] = np.unique(array[~unknown], return_inverse=True)[1]
    return codes


def _codes_of_objects(array: NDArray[Any], what: str) -> NDArray[np.int64]:
    code_of: dict[Any, int] = {}
    try:
        met = [
            -1 if is_missing(value) or value == -1 else code_of.setdefault(value, len(code_of))
            for value in array.tolist()
        ]
    except TypeError:
        raise ConstraintError(
            f"{what} must hold plain values, such as numbers or text, one for each row."
        ) from None
    try:
        rising = sorted(code_of)
    except TypeError:
        rising = list(code_of)  # values of several kinds have no order but their own
    number = np.full(len(rising) + 1, -1, dtype=np.int64)
    for code, value in enumerate(rising):
        number[code_of[value]] = code
    codes: NDArray[np.int64] = number[np.array(met, dtype=np.int64)]
    return codes


def is_missing(value: Any) -> bool:
    """Tell whether a value is None, NaN, NaT or the NA of pandas."""
    # By name, since pandas is imported by those alone who use it.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(value != value)
