"""Links from records: two names, a kind and perhaps a weight."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie._errors import ConstraintError, ConstraintIndexError
from coterie._types import Floats, Pairs
from coterie.constraints.checks import as_ids, as_n_samples, listed
from coterie.constraints.pairs import no_pairs
from coterie.constraints.value import Links

L = TypeVar("L", bound=Links)

_KINDS = {"same": True, "must-link": True, "1": True}
_KINDS |= {"different": False, "cannot-link": False, "-1": False}


class Records(NamedTuple):
    """What is said of pairs, and how to name the place where it is said."""

    left: Sequence[Any]
    right: Sequence[Any]
    kinds: Sequence[Any]
    weights: Sequence[Any] | None
    place: Callable[[int], str]


def of_frame(
    cls: type[L],
    frame: Any,
    columns: tuple[str, str, str, str],
    ids: ArrayLike | None,
    n_samples: int | None,
) -> L:
    """Return the links in a table of pandas, polars or pyarrow, or in a dict of columns."""
    names = _names(frame)
    left, right, kind, weight = columns
    weighed = [weight] if weight in names or weight != "weight" else []
    for column in (left, right, kind, *weighed):
        if column not in names:
            there = listed([repr(name) for name in names]) or "no columns"
            raise ConstraintError(f"The table has no column {column!r}; it has {there}.")
    a, b, kinds = (_values(frame[column]) for column in (left, right, kind))
    weights = _values(frame[weight]) if weighed else None
    if len({len(part) for part in (a, b, kinds, a if weights is None else weights)}) > 1:
        raise ConstraintError("The columns of the table differ in length.")
    records = Records(a, b, kinds, weights, "row {} of the table".format)
    return of_records(cls, records, ids, n_samples)


def _names(frame: Any) -> list[Any]:
    if isinstance(frame, Mapping):
        return list(frame)
    names = getattr(frame, "column_names", getattr(frame, "columns", None))
    if names is None or not hasattr(frame, "__getitem__"):
        raise ConstraintError(
            "frame must be a table of pandas, polars or pyarrow, or a dict of columns; "
            f"got {type(frame).__name__}."
        )
    return list(names)


def _values(column: Any) -> list[Any]:
    for way in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, way):
            values: list[Any] = getattr(column, way)()
            return values
    return list(column)


def of_records(
    cls: type[L],
    records: Records,
    ids: ArrayLike | None,
    n_samples: int | None,
    *,
    as_text: bool = False,
) -> L:
    """Return the links that the records speak of; `as_text` reads names by their text."""
    n_samples = as_n_samples(n_samples)
    names = as_ids(ids, n_samples)
    n = n_samples if names is None else len(names)
    find = _row_of(as_text, n) if names is None else _lookup(names, as_text)
    pairs = _as_rows(records, find, n, names is None)
    must = np.array([_is_must(k, records.place, i) for i, k in enumerate(records.kinds)], bool)
    weights = _as_weights(records)
    own = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if len(own):
        i = int(own[0])
        raise ConstraintError(
            f"In {records.place(i)}, row {records.left[i]} is linked to itself. "
            "Leave such links out."
        )
    return cls(
        pairs[must],
        pairs[~must],
        must_link_weights=weights[must],
        cannot_link_weights=weights[~must],
        n_samples=n_samples,
        ids=names,
    )


def _as_rows(records: Records, find: Callable[[Any], Any], n: int | None, plain: bool) -> Pairs:
    """Return the row numbers of both ends, or say which names are not there."""
    if len(records.left) == 0:
        return no_pairs()
    ends = list(zip(records.left, records.right, strict=True))
    rows = [(find(a), find(b)) for a, b in ends]
    lost = [
        (i, name)
        for i, (found, names) in enumerate(zip(rows, ends, strict=True))
        for row, name in zip(found, names, strict=True)
        if row is None
    ]
    if not lost:
        return np.array(rows, dtype=np.int64)
    first, name = lost[0]
    unknown = list(dict.fromkeys(name for _, name in lost))
    more = "" if len(unknown) == 1 else f" {len(unknown)} such: {listed(list(map(repr, unknown)))}."
    if plain:
        there = "Rows count from 0" if n is None else f"There are {n} rows, counted from 0"
        also = "; ids=... takes names." if isinstance(name, str) else "."
        text = f"In {records.place(first)}, {name!r} is not a row number.{more} {there}{also}"
    else:
        text = f"In {records.place(first)}, {name!r} is not one of the {n} ids.{more}"
    raise ConstraintIndexError(text, rows=unknown[:5], n_samples=n)


def _row_of(as_text: bool, n: int | None) -> Callable[[Any], int | None]:
    def find(value: Any) -> int | None:
        if as_text and isinstance(value, str):
            value = int(value) if value.strip().isdecimal() else None
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or value < 0 or (n is not None and value >= n):
            return None
        return int(value)

    return find


def _lookup(names: NDArray[Any], as_text: bool) -> Callable[[Any], int | None]:
    """Return a function from a name to its row; names must differ."""
    row_of: dict[Any, int] = {}
    for row, name in enumerate(names.tolist()):
        first = row_of.setdefault(str(name) if as_text else name, row)
        if first != row:
            alike = " as text" if as_text else ""
            raise ConstraintError(
                f"Rows {first} and {row} go by the same id{alike}, {name!r}. "
                "Links can be looked up only where ids differ."
            )
    if as_text:
        return row_of.get
    # Files keep names of several kinds, or of rare ones, as text.
    text_of = {str(name): row for name, row in row_of.items() if not isinstance(name, str)}
    return lambda name: row_of.get(name, text_of.get(name) if isinstance(name, str) else None)


def _is_must(kind: Any, place: Callable[[int], str], i: int) -> bool:
    plain = int(kind) if isinstance(kind, float | np.floating) and kind in (1, -1) else kind
    must = None if isinstance(kind, bool) else _KINDS.get(str(plain).strip().lower())
    if must is None:
        raise ConstraintError(
            f"In {place(i)}, the kind is {kind!r}; it must be 'same' or 'different' "
            "(or 'must-link', 'cannot-link', 1, -1)."
        )
    return must


def _as_weights(records: Records) -> Floats:
    """Return the weights; one that is missing is 1."""
    n = len(records.left)
    if records.weights is None:
        return np.ones(n)
    weights = np.ones(n)
    for i, given in enumerate(records.weights):
        if given is None or type(given).__name__ == "NAType" or given == "":
            continue
        try:
            weights[i] = float(given)
        except (TypeError, ValueError):
            weights[i] = np.nan
        if isinstance(given, bool) or not weights[i] >= 0:
            raise ConstraintError(
                f"In {records.place(i)}, the weight is {given!r}; it must be a number, 0 or more."
            )
    return weights
