import numpy as np
import pandas as pd
import polars as pl
import pytest

from coterie import ConstraintError
from coterie.constraints.codes import as_codes


@pytest.mark.parametrize(
    "values",
    [
        [3, -1, 5, 3],
        [3.0, np.nan, 5.0, 3.0],
        [3.0, -1.0, 5.0, 3.0],
        ["elm", None, "oak", "elm"],
        ["elm", -1, "oak", "elm"],
        ["elm", float("nan"), "oak", "elm"],
        pd.Series(["elm", None, "oak", "elm"]),
        pd.Series([3, None, 5, 3], dtype="Int64"),
        pd.Series(["elm", None, "oak", "elm"], dtype="category"),
        pl.Series(["elm", None, "oak", "elm"]),
        pl.Series([3, None, 5, 3]),
        np.array(["2020-01-01", "NaT", "2020-02-01", "2020-01-01"], dtype="datetime64[D]"),
    ],
)
def test_unknown_values_are_minus_one(values):
    assert as_codes(values, "y").tolist() == [0, -1, 1, 0]


def test_values_of_several_kinds_are_numbered_as_they_come():
    assert as_codes(["elm", 2, "elm", None], "y").tolist() == [0, 1, 0, -1]


def test_truth_is_a_class():
    assert as_codes([True, False, True], "y").tolist() == [1, 0, 1]


def test_values_must_be_one_for_each_row():
    with pytest.raises(
        ConstraintError, match=r"y must be one value for each row; got shape \(1, 2\)"
    ):
        as_codes([[1, 2]], "y")


def test_values_must_be_plain():
    with pytest.raises(ConstraintError, match="y must hold plain values"):
        as_codes(np.array([{}, {}], dtype=object), "y")
