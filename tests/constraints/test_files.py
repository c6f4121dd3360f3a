"""What is written is read back, and a mistake is named with its line."""

import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from constraints.strategies import LINKS
from coterie import ConstraintError, Constraints

FORMATS = [".csv", ".tsv", ".jsonl", ".parquet"]
NAMES = ["ash", 'oak, "old"', "tab\there", "", " fir ", "línea\nnueva", "7", "-1"]


@pytest.mark.parametrize("suffix", FORMATS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(links=LINKS)
def test_row_numbers_come_back(tmp_path, suffix, links):
    path = tmp_path / f"links{suffix}"

    links.write(path)

    assert Constraints.read(path, n_samples=len(links)) == links


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    "ids",
    [
        NAMES,
        [10, 20, 30, 40, 50, 60, 70, 80],
        [1, "one", 2, "two", 3, "three", 4, "four"],
        [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5],
    ],
    ids=["text", "numbers", "mixed", "floats"],
)
def test_ids_and_weights_come_back(tmp_path, suffix, ids):
    links = Constraints(
        [(0, 1), (2, 5)],
        [(3, 4), (6, 7)],
        must_link_weights=[0.1, np.inf],
        cannot_link_weights=[1e-300, 2 / 3],
        ids=ids,
    )
    path = tmp_path / f"links{suffix}"

    links.write(path)

    assert Constraints.read(str(path), ids=links.ids) == links


@pytest.mark.parametrize("suffix", FORMATS)
def test_no_links_come_back(tmp_path, suffix):
    Constraints(n_samples=3).write(tmp_path / f"none{suffix}")

    assert Constraints.read(tmp_path / f"none{suffix}", n_samples=3) == Constraints(n_samples=3)


def test_a_file_is_plain(tmp_path):
    links = Constraints([(0, 1)], [(1, 2)], cannot_link_weights=np.inf)
    links.write(tmp_path / "links.csv")
    links.write(tmp_path / "links.jsonl")

    assert (tmp_path / "links.csv").read_text() == (
        "a,b,kind,weight\n0,1,same,1.0\n1,2,different,inf\n"
    )
    assert (tmp_path / "links.jsonl").read_text() == (
        '{"a": 0, "b": 1, "kind": "same", "weight": 1.0}\n'
        '{"a": 1, "b": 2, "kind": "different", "weight": "inf"}\n'
    )


def test_a_spreadsheet_file_is_read(tmp_path):
    path = tmp_path / "links.CSV"
    path.write_bytes(b"\xef\xbb\xbfkind, a ,b\r\nSame,0,1\r\n\r\ncannot-link,1,2\r\n")

    links = Constraints.read(path)

    assert (links.must_link.tolist(), links.cannot_link.tolist()) == ([[0, 1]], [[1, 2]])


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        (
            "l.csv",
            "a,b,kind\n0,1,same\n\n1,x,same\n",
            "In l.csv, line 4, 'x' is not a row number. Rows count from 0; ids=... takes names.",
        ),
        (
            "l.csv",
            "a,b,kind,weight\n0,1,same,nan\n",
            "In l.csv, line 2, the weight is 'nan'; it must be a number, 0 or more.",
        ),
        (
            "l.csv",
            "a,b,kind\n0,1,alike\n",
            "In l.csv, line 2, the kind is 'alike'; it must be 'same' or 'different' "
            "(or 'must-link', 'cannot-link', 1, -1).",
        ),
        (
            "l.csv",
            "a,b,kind\n0,1\n",
            "In l.csv, line 2, there are 2 fields; the header has 3.",
        ),
        (
            "l.csv",
            "x,y\n0,1\n",
            "l.csv, line 1, lacks a and b and kind; "
            "links need a, b and kind, and may have a weight.",
        ),
        (
            "l.csv",
            "",
            "l.csv, line 1, lacks a and b and kind; "
            "links need a, b and kind, and may have a weight.",
        ),
        (
            "l.tsv",
            "a\tb\tkind\n3\t3\tsame\n",
            "In l.tsv, line 2, row 3 is linked to itself. Leave such links out.",
        ),
        (
            "l.jsonl",
            '{"a": 0, "b": 1, "kind": 1}\n{"a": 0,\n',
            "l.jsonl, line 2, is not JSON: Expecting property name enclosed in double quotes.",
        ),
        (
            "l.jsonl",
            '{"a": 0, "b": 1}\n',
            "l.jsonl, line 1, lacks kind; links need a, b and kind, and may have a weight.",
        ),
        (
            "l.jsonl",
            "[0, 1]\n",
            "l.jsonl, line 1, must be an object with the keys a, b and kind.",
        ),
        (
            "l.txt",
            "",
            "Links are kept in .csv, .tsv, .jsonl or .parquet files; got 'l.txt'.",
        ),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path, name, text, sentence):
    (tmp_path / name).write_text(text)

    with pytest.raises(ConstraintError) as error:
        Constraints.read(tmp_path / name)

    assert str(error.value) == sentence


def test_unknown_ids_are_named_with_their_line(tmp_path):
    path = tmp_path / "links.csv"
    path.write_text("a,b,kind\nash,elm,same\nash,elk,same\n")

    with pytest.raises(ConstraintError) as error:
        Constraints.read(path, ids=["ash", "elm"])

    assert str(error.value) == "In links.csv, line 3, 'elk' is not one of the 2 ids."


def test_a_table_that_is_not_of_links(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"a": [0]}), tmp_path / "rows.parquet")

    with pytest.raises(ConstraintError, match=r"rows\.parquet, the table, lacks b and kind"):
        Constraints.read(tmp_path / "rows.parquet")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        Constraints.read(tmp_path / "none.csv")


def test_ids_that_look_alike_are_not_written(tmp_path):
    links = Constraints([(0, 2)], ids=[1, 2, "1"])

    with pytest.raises(ConstraintError, match="Some rows go by the same id"):
        links.write(tmp_path / "links.csv")
    with pytest.raises(ConstraintError, match="Some rows go by the same id"):
        links.write(tmp_path / "links.parquet")
    links.write(tmp_path / "links.jsonl")
    assert Constraints.read(tmp_path / "links.jsonl", ids=links.ids) == links


def test_a_write_that_fails_leaves_the_old_file_alone(tmp_path, monkeypatch):
    path = tmp_path / "links.csv"
    Constraints([(0, 1)]).write(path)
    before = path.read_text()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        Constraints([(0, 2)]).write(path)

    assert path.read_text() == before
    assert [*tmp_path.iterdir()] == [path]


def test_parquet_needs_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(ConstraintError, match="Parquet files need pyarrow: pip install pyarrow"):
        Constraints([(0, 1)]).write(tmp_path / "links.parquet")
