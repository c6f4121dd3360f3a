"""Every mistake has its own sentence."""

import numpy as np
import pytest

from coterie import ConstraintError, ConstraintIndexError, Constraints

NAMES = "Constraints.from_frame(..., ids=...) takes links in your own ids."
SHAPE = "must_link must be a list of pairs of row numbers, shape (m, 2)"


@pytest.mark.parametrize(
    ("must_link", "sentence"),
    [
        ([1, 2, 3], f"{SHAPE}; got shape (3,)."),
        ([(1, 2, 3)], f"{SHAPE}; got shape (1, 3)."),
        (5, f"{SHAPE}; got shape ()."),
        ([(1, 2), (3,)], f"{SHAPE}; got entries of different lengths."),
        ([("oak", "elm")], f"must_link holds 'oak', which is not a row number. {NAMES}"),
        (
            np.array([[0, None]], dtype=object),
            f"must_link holds None, which is not a row number. {NAMES}",
        ),
        (
            [(0, 1.5)],
            "must_link holds floats, which are not row numbers: link 0 has 1.5.",
        ),
        (
            [(0.0, 1.0)],
            "must_link holds floats (link 0 has 0.0); row numbers are whole. "
            "All of them are integral, so .astype(int) gives what is wanted.",
        ),
        (
            np.ones((2, 2), dtype=bool),
            "must_link holds True and False; links are pairs of row numbers. "
            "Did you pass a mask? np.argwhere(mask) gives the pairs.",
        ),
        (
            [(0, 1), (3, 3), (4, 4)],
            "must_link: link 1 joins row 3 to itself (1 more such links). Leave such links out.",
        ),
    ],
)
def test_links_that_are_none(must_link, sentence):
    with pytest.raises(ConstraintError) as error:
        Constraints(must_link)

    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("n_samples", "links", "sentence", "rows"),
    [
        (
            4,
            [(0, 9), (4, 1)],
            "2 cannot_link links name rows that are not there: 9, 4; there are 4 rows, 0 to 3.",
            [9, 4],
        ),
        (
            None,
            [(-1, 2)],
            "1 cannot_link link names a row that is not there: -1; rows count from 0.",
            [-1],
        ),
        (
            0,
            [(0, 1)],
            "1 cannot_link link names a row that is not there: 0, 1; there are no rows.",
            [0, 1],
        ),
    ],
)
def test_rows_that_are_not_there(n_samples, links, sentence, rows):
    with pytest.raises(ConstraintIndexError) as error:
        Constraints(cannot_link=links, n_samples=n_samples)

    assert str(error.value) == sentence
    assert (error.value.rows, error.value.n_samples) == (rows, n_samples)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (-1.0, "must_link_weights must be 0 or more: link 0 (rows 0 and 1) has -1.0 "
         "(1 more such weights). A negative must-link is a cannot-link."),
        ([1, np.nan], "must_link_weights must be 0 or more: link 1 (rows 1 and 2) has nan."),
        ([1], "must_link_weights must be one number, or one for each of the 2 links; "
         "got shape (1,)."),
        ("heavy", "must_link_weights must be numbers, 0 or more; got 'heavy'."),
        ([True, True], "must_link_weights must be numbers, 0 or more; got [True, True]."),
        ([None, 1.0], "must_link_weights must be numbers, 0 or more; got [None, 1.0]."),
    ],
)  # fmt: skip
def test_weights_that_are_none(weights, sentence):
    with pytest.raises(ConstraintError) as error:
        Constraints([(0, 1), (1, 2)], must_link_weights=weights)

    assert str(error.value) == sentence


def test_weights_may_be_decimals_or_one_number_for_all():
    from decimal import Decimal

    links = Constraints(
        [(0, 1)], [(1, 2), (2, 3)], must_link_weights=[Decimal("0.5")], cannot_link_weights=3
    )

    assert links.must_link_weights.tolist() == [0.5]
    assert links.cannot_link_weights.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("n_samples", [-1, 2.0, True, "4"])
def test_n_samples_must_be_a_count(n_samples):
    with pytest.raises(ConstraintError, match="n_samples must be a whole number, 0 or more; got"):
        Constraints(n_samples=n_samples)


def test_ids_must_be_one_for_each_row():
    with pytest.raises(ConstraintError, match="There are 3 rows, but 2 ids"):
        Constraints(n_samples=3, ids=["oak", "elm"])
    with pytest.raises(ConstraintError, match=r"one name for each row; got shape \(1, 1\)"):
        Constraints(ids=[["oak"]])


def test_numbers_and_texts_stay_apart_in_ids():
    assert Constraints(ids=[1, "1"]).ids.tolist() == [1, "1"]


def test_messages_speak_of_ids():
    with pytest.raises(ConstraintError, match="link 0 joins row elm to itself"):
        Constraints([(1, 1)], ids=["oak", "elm"])


@pytest.mark.parametrize("empty", [(), [], np.empty((0, 2)), np.empty((0,))])
def test_no_links_are_fine(empty):
    assert Constraints(empty, empty).n_must_link == 0


def test_pairs_may_come_as_a_set_or_one_by_one():
    pairs = [(0, 1), (4, 2)]

    for given in (set(pairs), frozenset(pairs), iter(pairs), zip([0, 4], [1, 2], strict=True)):
        assert Constraints(given) == Constraints(pairs)
