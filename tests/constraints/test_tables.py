import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from constraints.strategies import cannot_of, must_of
from coterie import ConstraintError, ConstraintIndexError, Constraints

COLUMNS = {
    "a": ["ash", "elm", "fir"],
    "b": ["elm", "oak", "oak"],
    "kind": ["same", "different", "same"],
    "weight": [0.5, np.inf, 2.0],
}
IDS = ["ash", "elm", "fir", "oak"]
EXPECTED = Constraints(
    [(0, 1), (2, 3)],
    [(1, 3)],
    must_link_weights=[0.5, 2.0],
    cannot_link_weights=np.inf,
    ids=IDS,
)
TABLES = [dict, pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("ids", [IDS, np.array(IDS), pd.Index(IDS), pl.Series(IDS)])
def test_tables_of_every_library_say_the_same(table, ids):
    assert Constraints.from_frame(table(COLUMNS), ids=ids) == EXPECTED


@pytest.mark.parametrize("table", TABLES)
def test_without_ids_rows_go_by_number(table):
    frame = table({"a": [0, 4], "b": [1, 2], "kind": [1, -1]})

    links = Constraints.from_frame(frame, n_samples=5)

    assert (must_of(links), cannot_of(links)) == ({(0, 1): 1.0}, {(2, 4): 1.0})
    assert len(links) == 5


@pytest.mark.parametrize(
    ("kind", "is_must"),
    [
        ("same", True),
        (" Same ", True),
        ("must-link", True),
        (1, True),
        (1.0, True),
        (np.int8(1), True),
        ("1", True),
        ("different", False),
        ("cannot-link", False),
        (-1, False),
        ("-1", False),
    ],
)
def test_kinds(kind, is_must):
    links = Constraints.from_frame({"a": [0], "b": [1], "kind": [kind]})

    assert (links.n_must_link, links.n_cannot_link) == (is_must, not is_must)


def test_columns_may_go_by_other_names():
    frame = pd.DataFrame({"x": [0, 1], "y": [1, 2], "said": [1, 1], "sure": [2, None]})

    with pytest.raises(ConstraintError, match="In row 1 of the table, the weight is nan"):
        Constraints.from_frame(frame, left="x", right="y", kind="said", weight="sure")

    frame["sure"] = [2.0, 0.5]
    links = Constraints.from_frame(frame, left="x", right="y", kind="said", weight="sure")
    assert links.must_link_weights.tolist() == [2.0, 0.5]


def test_the_column_of_weights_may_be_left_out_unless_it_was_asked_for():
    frame = pd.DataFrame({"a": [0, 1], "b": [1, 2], "kind": [1, 1]})

    assert Constraints.from_frame(frame).must_link_weights.tolist() == [1.0, 1.0]
    with pytest.raises(ConstraintError, match="The table has no column 'sure'"):
        Constraints.from_frame(frame, weight="sure")


def test_a_weight_that_is_missing_is_one():
    links = Constraints.from_frame(
        pl.DataFrame({"a": [0, 1], "b": [1, 2], "kind": [1, 1], "weight": [None, 3.0]})
    )

    assert links.must_link_weights.tolist() == [1.0, 3.0]


def test_links_that_come_twice_add_up():
    frame = {"a": [0, 1], "b": [1, 0], "kind": ["same", "same"], "weight": [0.5, 0.25]}

    assert must_of(Constraints.from_frame(frame)) == {(0, 1): 0.75}


def test_an_empty_table_has_no_links():
    assert not Constraints.from_frame({"a": [], "b": [], "kind": []})


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {"a": ["ash", "elk", "elk"]},
            "In row 1 of the table, 'elk' is not one of the 4 ids.",
        ),
        (
            {"a": ["ash", "elk", "yak"]},
            "In row 1 of the table, 'elk' is not one of the 4 ids. 2 such: 'elk', 'yak'.",
        ),
        (
            {"kind": ["same", "maybe", "same"]},
            "In row 1 of the table, the kind is 'maybe'; it must be 'same' or 'different' "
            "(or 'must-link', 'cannot-link', 1, -1).",
        ),
        (
            {"kind": [1, True, 1]},
            "In row 1 of the table, the kind is True; it must be 'same' or 'different' "
            "(or 'must-link', 'cannot-link', 1, -1).",
        ),
        (
            {"weight": [1, 1, -2]},
            "In row 2 of the table, the weight is -2; it must be a number, 0 or more.",
        ),
        (
            {"weight": ["heavy", 1, 1]},
            "In row 0 of the table, the weight is 'heavy'; it must be a number, 0 or more.",
        ),
        (
            {"b": ["elm", "elm", "oak"]},
            "In row 1 of the table, row elm is linked to itself. Leave such links out.",
        ),
        ({"b": ["elm"]}, "The columns of the table differ in length."),
    ],
)
def test_mistakes_are_named_with_their_row(changed, sentence):
    with pytest.raises(ConstraintError) as error:
        Constraints.from_frame(COLUMNS | changed, ids=IDS)

    assert str(error.value) == sentence


def test_unknown_ids_are_evidence():
    with pytest.raises(ConstraintIndexError) as error:
        Constraints.from_frame(COLUMNS, ids=["ash", "fir"])

    assert (error.value.rows, error.value.n_samples) == (["elm", "oak"], 2)


@pytest.mark.parametrize(
    ("row", "n_samples", "sentence"),
    [
        (7, 5, "In row 0 of the table, 7 is not a row number. There are 5 rows, counted from 0."),
        (-1, None, "In row 0 of the table, -1 is not a row number. Rows count from 0."),
        (
            "oak",
            None,
            "In row 0 of the table, 'oak' is not a row number. Rows count from 0; "
            "ids=... takes names.",
        ),
        (1.0, None, "In row 0 of the table, 1.0 is not a row number. Rows count from 0."),
        (True, None, "In row 0 of the table, True is not a row number. Rows count from 0."),
    ],
)
def test_row_numbers_that_are_none(row, n_samples, sentence):
    with pytest.raises(ConstraintIndexError) as error:
        Constraints.from_frame({"a": [row], "b": [2], "kind": [1]}, n_samples=n_samples)

    assert str(error.value) == sentence


def test_a_column_that_is_not_there():
    with pytest.raises(ConstraintError) as error:
        Constraints.from_frame(pd.DataFrame({"a": [0], "c": [1], "kind": [1]}))

    assert str(error.value) == "The table has no column 'b'; it has 'a', 'c', 'kind'."


def test_a_name_is_found_by_its_text_where_it_is_not_found_itself():
    frame = {"a": ["1", 1], "b": ["2", "2"], "kind": ["same", "different"]}

    links = Constraints.from_frame(frame, ids=[1, 2, "1"])

    assert (links.must_link.tolist(), links.cannot_link.tolist()) == ([[1, 2]], [[0, 1]])


def test_ids_must_differ_to_be_looked_up():
    with pytest.raises(ConstraintError, match="Rows 0 and 2 go by the same id, 'ash'"):
        Constraints.from_frame(COLUMNS, ids=["ash", "elm", "ash", "oak"])


def test_what_is_no_table():
    with pytest.raises(ConstraintError, match=r"or a dict of columns; got list\."):
        Constraints.from_frame([(0, 1, "same")])
