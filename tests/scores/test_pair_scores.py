"""The pairwise F-measure and the modified Rand index, against a walk over all pairs."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.scores import modified_rand_score, pairwise_f_score, pairwise_precision_recall
from coterie.scores.pair_counts import TABLE_CELLS, _pairs_in, count_pairs

LABELS = st.integers(-2, 3)
BOTH = st.lists(st.tuples(LABELS, LABELS), max_size=12).map(
    lambda rows: ([a for a, _ in rows], [b for _, b in rows])
)
SCORES = [pairwise_f_score, pairwise_precision_recall, modified_rand_score]


def walk(true, pred):
    """Return, for each pair of rows, whether each labelling puts it together."""
    return [(true[i] == true[j], pred[i] == pred[j]) for i, j in combinations(range(len(true)), 2)]


def share(marks):
    return sum(marks) / len(marks) if marks else 1.0


@given(BOTH)
def test_precision_and_recall_are_those_of_all_pairs(both):
    pairs = walk(*both)

    found = pairwise_precision_recall(*both)

    assert found.precision == share([t for t, p in pairs if p])
    assert found.recall == share([p for t, p in pairs if t])


@given(BOTH)
def test_f_score_is_the_harmonic_mean_of_precision_and_recall(both):
    p, r = pairwise_precision_recall(*both)

    assert pairwise_f_score(*both) == pytest.approx(2 * p * r / (p + r) if p + r else 0.0)


@given(BOTH)
def test_modified_rand_weighs_both_kinds_of_pairs_alike(both):
    pairs = walk(*both)
    kinds = [[p for t, p in pairs if t], [not p for t, p in pairs if not t]]

    expected = [share(kind) for kind in kinds if kind] or [1.0]

    assert modified_rand_score(*both) == pytest.approx(sum(expected) / len(expected))


@given(BOTH)
def test_f_score_is_symmetric_and_precision_mirrors_recall(both):
    true, pred = both

    assert pairwise_f_score(true, pred) == pairwise_f_score(pred, true)
    assert pairwise_precision_recall(true, pred) == pairwise_precision_recall(pred, true)[::-1]


def test_modified_rand_is_not_symmetric():
    assert modified_rand_score([0, 0, 0, 1], [0, 0, 1, 1]) == pytest.approx(0.5)
    assert modified_rand_score([0, 0, 1, 1], [0, 0, 0, 1]) == pytest.approx(0.5)
    assert modified_rand_score([0, 0, 1, 1], [0, 0, 0, 0]) == 0.5
    assert modified_rand_score([0, 0, 0, 0], [0, 0, 1, 1]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("score", SCORES)
@given(both=BOTH)
def test_names_do_not_matter(score, both):
    true, pred = both
    words = {-2: "x", -1: "", 0: "b", 1: "a", 2: "ä", 3: "Z"}
    mixed = {-2: "0", -1: 0, 0: 2.5, 1: ("a", 1), 2: "a", 3: True}

    plain = score(true, pred)

    assert score([words[t] for t in true], [mixed[p] for p in pred]) == plain
    assert score([10**12 * t for t in true], [p / 2 for p in pred]) == plain


@pytest.mark.parametrize("score", [pairwise_f_score, pairwise_precision_recall])
@given(both=BOTH, data=st.data())
def test_rows_are_as_if_there_were_no_others(score, both, data):
    true, pred = (np.array(labels, dtype=int) for labels in both)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(true), max_size=len(true))))
    mask = mask.astype(bool)
    rows = data.draw(st.permutations(np.flatnonzero(mask).tolist()))

    expected = score(true[mask], pred[mask])

    assert score(true, pred, rows=mask) == expected
    assert score(true, pred, rows=rows) == expected
    assert score(true, pred, rows=[row - len(true) for row in rows]) == expected


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("labels", [[], [3], [1, 1, 1], ["a", "b"], [0, 1, 0]])
def test_equal_partitions_score_one(score, labels):
    assert np.all(np.array(score(labels, labels)) == 1.0)


def test_nothing_found_and_nothing_true():
    assert pairwise_precision_recall([0, 0, 1], [0, 1, 2]) == (1.0, 0.0)
    assert pairwise_f_score([0, 0, 1], [0, 1, 2]) == 0.0
    assert pairwise_precision_recall([0, 1, 2], [0, 0, 1]) == (0.0, 1.0)
    assert pairwise_f_score([0, 1, 2], [2, 1, 0]) == 1.0


@pytest.mark.parametrize("k", [5, 3000, 10**6])
def test_a_million_rows(rng, k):
    n = 1_000_000
    true, pred = rng.integers(k, size=n), rng.integers(k, size=n)
    alike = np.arange(n) < n // 2
    pred[alike] = true[alike]

    pairs = count_pairs(true, pred)

    cells = pd.Series(1, index=pd.MultiIndex.from_arrays([true, pred])).groupby(level=[0, 1]).sum()
    assert pairs.together_in_both == sum(size * (size - 1) // 2 for size in cells.tolist())
    assert pairs.total == n * (n - 1) // 2


def test_sorted_and_tabled_cells_agree(rng):
    k = int(np.sqrt(TABLE_CELLS)) + 1
    true, pred = rng.integers(40, size=2000), rng.integers(40, size=2000)
    # Two far-off labels of one row each make the table too large to write down.
    stretched = [np.append(labels, k - 1) for labels in (true, pred)]

    assert count_pairs(*stretched)[:3] == count_pairs(true, pred)[:3]


def test_counts_do_not_round():
    sizes = np.array([3_000_000_000, 2, 1])  # so many pairs need 62 bits; a float has 53
    labels = np.repeat([0, 1], [2_000_001, 1])

    assert _pairs_in(sizes) == 3_000_000_000 * 2_999_999_999 // 2 + 1
    assert count_pairs(labels, labels) == (
        *(3 * [2_000_001 * 1_000_000]),
        2_000_002 * 2_000_001 // 2,
    )


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, bool, np.float32, "U3"])
def test_every_kind_of_label_does(dtype):
    info = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else None
    low, high = (info.min, info.max) if info else (0, 1)
    labels = np.array([low, high, low, high, high], dtype=dtype)

    assert pairwise_precision_recall([0, 1, 0, 1, 1], labels) == (1.0, 1.0)


@pytest.mark.parametrize(
    "bad",
    [
        [0, float("nan")],
        ["a", float("nan")],
        ["a", None],
        [1, None],
        ["a", pd.NA],
        ["a", pd.NaT],
        pd.Series([1, None], dtype="Int64"),
        np.array(["2020", "NaT"], dtype="M8[Y]"),
        [complex("nan"), 1],
    ],
)
def test_missing_labels_are_refused(bad):
    with pytest.raises(ValueError, match="labels_pred holds missing values"):
        pairwise_f_score([0, 1], bad)
    with pytest.raises(ValueError, match="labels_true holds missing values"):
        modified_rand_score(bad, [0, 1])


def test_what_are_not_labels_is_refused():
    with pytest.raises(ValueError, match=r"labels_true has 2 labels and labels_pred has 3"):
        pairwise_f_score([0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match=r"one label for each row; got shape \(2, 1\)"):
        pairwise_f_score(np.zeros((2, 1)), [0, 1])
    with pytest.raises(TypeError, match="cannot be hashed"):
        pairwise_f_score([[0], [1, 2]], [0, 1])


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ([0, 3], IndexError, "rows names row 3, but there are 3 labels"),
        ([-4], IndexError, "rows names row -4"),
        ([1, -2], ValueError, "rows names row 1 more than once"),
        ([True, False], ValueError, "rows is a mask of 2 rows, but there are 3 labels"),
        ([0.5], ValueError, "rows must be a list of row numbers"),
        ([[0]], ValueError, "rows must be a list of row numbers"),
    ],
)
def test_wrong_rows_are_refused(rows, error, words):
    with pytest.raises(error, match=words):
        pairwise_f_score([0, 0, 1], [0, 1, 1], rows=rows)
