"""Links in files: one link a line, with the columns a, b, kind and weight."""

import csv
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from coterie._errors import ConstraintError
from coterie.constraints.tables import Records, of_records
from coterie.constraints.value import Links

L = TypeVar("L", bound=Links)
Path_ = str | os.PathLike[str]

_COLUMNS = ("a", "b", "kind", "weight")
_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def read(cls: type[L], path: Path_, ids: ArrayLike | None, n_samples: int | None) -> L:
    """Return the links in a file."""
    path = Path(path)
    suffix = _suffix(path)
    if suffix in _DELIMITERS:
        lines, rows = _read_text(path, _DELIMITERS[suffix])
    elif suffix == ".jsonl":
        lines, rows = _read_json(path)
    else:
        lines, rows = _read_parquet(path)
    a, b, kinds, weights = zip(*rows, strict=True) if rows else ((), (), (), ())
    spoken = "row" if suffix == ".parquet" else "line"
    records = Records(a, b, kinds, weights, lambda i: f"{path.name}, {spoken} {lines[i]}")
    return of_records(cls, records, ids, n_samples, as_text=suffix in _DELIMITERS)


def write(links: Links, path: Path_) -> None:
    """Write the links to a file, which appears all at once or not at all."""
    path = Path(path)
    suffix = _suffix(path)
    ends = [links.must_link.ravel(), links.cannot_link.ravel()]
    names = _names(links, suffix)
    spelled = [name for part in ends for name in (names[row] for row in part.tolist())]
    kinds = ["same"] * links.n_must_link + ["different"] * links.n_cannot_link
    weights = links.must_link_weights.tolist() + links.cannot_link_weights.tolist()
    rows = list(zip(spelled[::2], spelled[1::2], kinds, weights, strict=True))
    if suffix in _DELIMITERS:
        _replace(path, lambda beside: _write_text(beside, rows, _DELIMITERS[suffix]))
    elif suffix == ".jsonl":
        _replace(path, lambda beside: _write_json(beside, rows))
    else:
        _replace(path, lambda beside: _write_parquet(beside, rows))


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in {*_DELIMITERS, ".jsonl", ".parquet"}:
        raise ConstraintError(
            f"Links are kept in .csv, .tsv, .jsonl or .parquet files; got {path.name!r}."
        )
    return suffix


def _read_text(path: Path, delimiter: str) -> tuple[list[int], list[tuple[Any, ...]]]:
    lines, rows = [], []
    # utf-8-sig, because spreadsheets put a mark in front.
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter)
        header = [name.strip() for name in next(reader, [])]
        _check_columns(header, path, "line 1")
        spots = [header.index(name) if name in header else -1 for name in _COLUMNS]
        for fields in reader:
            if not fields:
                continue
            if len(fields) != len(header):
                raise ConstraintError(
                    f"In {path.name}, line {reader.line_num}, there are {len(fields)} fields; "
                    f"the header has {len(header)}."
                )
            lines.append(reader.line_num)
            rows.append(tuple(None if spot < 0 else fields[spot] for spot in spots))
    return lines, rows


def _read_json(path: Path) -> tuple[list[int], list[tuple[Any, ...]]]:
    lines, rows = [], []
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise ConstraintError(
                    f"{path.name}, line {number}, is not JSON: {error.msg}."
                ) from None
            if not isinstance(record, dict):
                raise ConstraintError(
                    f"{path.name}, line {number}, must be an object with the keys a, b and kind."
                )
            _check_columns(record, path, f"line {number}")
            lines.append(number)
            rows.append(tuple(record.get(name) for name in _COLUMNS))
    return lines, rows


def _read_parquet(path: Path) -> tuple[list[int], list[tuple[Any, ...]]]:
    _, parquet = _pyarrow()
    table = parquet.read_table(path)
    _check_columns(table.column_names, path, "the table")
    n = table.num_rows
    columns = [
        table[name].to_pylist() if name in table.column_names else [None] * n for name in _COLUMNS
    ]
    return list(range(n)), list(zip(*columns, strict=True))


def _check_columns(names: Iterable[str], path: Path, place: str) -> None:
    missing = [name for name in _COLUMNS[:3] if name not in names]
    if missing:
        raise ConstraintError(
            f"{path.name}, {place}, lacks {' and '.join(missing)}; "
            "links need a, b and kind, and may have a weight."
        )


def _names(links: Links, suffix: str) -> Any:
    """Return what each row is called in the file; names must differ to be read back."""
    if links.ids is None:
        named = [int(part.max(initial=-1)) for part in (links.must_link, links.cannot_link)]
        return range(max(named) + 1)
    names = links.ids.tolist()
    kinds = {type(name) for name in names}
    # A column of a table is of one kind, and JSON knows few.
    native = kinds <= {int, str} and (suffix == ".jsonl" or len(kinds) == 1)
    if suffix in _DELIMITERS or not native:
        names = [str(name) for name in names]
    if len(set(names)) < len(names):
        raise ConstraintError(
            "Some rows go by the same id, so the links could not be read back. "
            "Give ids that differ, or leave them out to write row numbers."
        )
    return names


def _replace(path: Path, write_to: Callable[[Path], None]) -> None:
    """Write beside `path`, and put the finished file in its place."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write_to(beside)
        with beside.open("rb+") as file:
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _write_text(path: Path, rows: list[tuple[Any, ...]], delimiter: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows((a, b, kind, repr(weight)) for a, b, kind, weight in rows)


def _write_json(path: Path, rows: list[tuple[Any, ...]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for a, b, kind, weight in rows:
            # JSON has no word for infinity.
            known = "inf" if weight == float("inf") else weight
            record = dict(zip(_COLUMNS, (a, b, kind, known), strict=True))
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _write_parquet(path: Path, rows: list[tuple[Any, ...]]) -> None:
    pa, parquet = _pyarrow()
    columns = zip(*rows, strict=True) if rows else [[], [], [], []]
    table = pa.table(dict(zip(_COLUMNS, map(list, columns), strict=True)))
    parquet.write_table(table, path)


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ConstraintError(
            "Parquet files need pyarrow: pip install pyarrow. Links can be kept in .csv, too."
        ) from None
    return pa, parquet
