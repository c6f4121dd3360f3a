"""Informativeness and coherence, against the definition taken link by link."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from coterie import ConstraintError, ConstraintIndexError, Constraints
from coterie.difficulty import coherence, informativeness, measures

N = 8
PAIRS = st.lists(st.sampled_from([*combinations(range(N), 2)]), unique=True, max_size=10)
POINTS = st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=N, max_size=N).map(
    np.array
)


def overlap(a, b, c, d):
    """Return the length that segment c-d shares with the shadow of segment a-b on its line."""
    length = np.linalg.norm(d - c)
    if length == 0:
        return 0.0
    shadow = sorted((point - c) @ (d - c) / length for point in (a, b))
    return max(0.0, min(shadow[1], length) - max(shadow[0], 0.0))


def by_definition(must, cannot, X, least=1e-9):
    agree = [
        overlap(*X[list(m)], *X[list(c)]) < least and overlap(*X[list(c)], *X[list(m)]) < least
        for m in must
        for c in cannot
    ]
    return sum(agree) / len(agree) if agree else 1.0


@given(PAIRS, PAIRS, POINTS)
def test_coherence_is_as_defined(must, cannot, X):
    assert coherence((must, cannot), X) == by_definition(must, cannot, X)
    assert coherence((must, cannot), sparse.csr_array(X)) == by_definition(must, cannot, X)


@given(PAIRS, PAIRS, POINTS, st.floats(0, 6.3), st.sampled_from([1e-6, 1.0, 1e6]))
def test_coherence_knows_no_origin_axes_or_unit(must, cannot, X, angle, unit):
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])

    moved = unit * (X @ turn + np.array([3.0, -5.0]))

    assert coherence((must, cannot), moved) == coherence((must, cannot), X)


@pytest.mark.parametrize(
    ("d", "c"),
    [
        ((3, 0), "over it"),
        ((1, 5), "leaning over it"),
        ((0, 5), None),  # at a right angle, from one of its ends
        ((-4, 1), None),  # away from it
        ((-4, 0), None),  # on along the line
    ],
)
def test_links_with_a_common_row_quarrel_at_sharp_angles_only(d, c):
    X = np.array([[0, 0], [2, 0], d])

    assert coherence(([(0, 1)], [(0, 2)]), X) == (0.0 if c else 1.0)


def test_crossing_at_a_right_angle_is_no_quarrel():
    X = np.array([[-1, 0], [1, 0], [0, -1], [0, 1]])

    assert coherence(([(0, 1)], [(2, 3)]), X) == 1.0


def test_one_projection_is_enough_for_a_quarrel():
    # Seen along the must-link the cannot-link passes by; along the cannot-link it does not.
    X = np.array([[0.0, 0.0], [1.0, 0.0], [1.5, -3.0], [4.0, 3.0]])

    assert overlap(*X[[2, 3]], *X[[0, 1]]) == 0
    assert overlap(*X[[0, 1]], *X[[2, 3]]) > 0
    assert coherence(([(0, 1)], [(2, 3)]), X) == 0.0


def test_equal_rows_have_no_direction():
    X = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0], [2.0, 0.0]])

    assert coherence(([(0, 1)], [(2, 3)]), X) == 1.0


@pytest.mark.parametrize("block", [1, 7, 64])
def test_blocks_do_not_show(rng, monkeypatch, block):
    X = rng.normal(size=(60, 3))
    pairs = rng.permuted(np.tile(np.arange(60), (2, 1)), axis=1).T
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    links = pairs[:23], pairs[23:]
    monkeypatch.setattr(measures, "_BLOCK", block)

    assert coherence(links, X) == by_definition(*links, X)


def test_float32_is_judged_to_its_own_rounding():
    angle = 0.3
    X = np.array([[0, 0], [np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])

    for offset in (0, 100):
        assert coherence(([(0, 1)], [(0, 2)]), (X + offset).astype(np.float32)) == 1.0
        assert coherence(([(0, 1)], [(0, 2)]), X + offset) == 1.0


def test_coherence_takes_frames_and_matrices_of_links():
    frame = pd.DataFrame({"u": [0, 2, 1, 5], "v": [0, 0, 1, 1]})
    links = sparse.coo_array(([1.0, -1.0], ([0, 2], [1, 3])), shape=(4, 4))

    assert coherence(links, frame) == 0.0


@pytest.mark.parametrize("links", [None, ([(0, 1)], []), ([], [(0, 1)])])
def test_nothing_contested_is_coherent(links):
    assert coherence(links, np.zeros((2, 1))) == 1.0


@pytest.mark.parametrize("form", [np.array, sparse.csr_array])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_missing_values_matter_in_linked_rows_only(form, bad):
    X = np.array([[0.0, 1.0], [1.0, 1.0], [bad, -bad], [4.0, 2.0]])

    assert coherence(([(0, 1)], [(0, 3)]), form(X)) == 0.0
    with pytest.raises(ValueError, match="X has NaN or infinity in row 2, which a link names"):
        coherence(([(0, 1)], [(1, 2)]), form(X))


def test_coherence_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match=r"X must be a table .* got shape \(3,\)"):
        coherence(([(0, 1)], [(1, 2)]), [1.0, 2.0, 3.0])
    with pytest.raises(ConstraintIndexError):
        coherence(([(0, 1)], [(1, 2)]), [[1.0], [2.0]])
    with pytest.raises(ConstraintError):
        coherence(Constraints([(0, 1)], n_samples=5), [[1.0], [2.0]])


@given(PAIRS, PAIRS, st.lists(st.integers(-1, 2), min_size=N, max_size=N))
def test_informativeness_is_the_share_of_broken_links(must, cannot, labels):
    def together(a, b):
        return labels[a] == labels[b] >= 0

    broken = [not together(*m) for m in must] + [together(*c) for c in cannot]

    expected = sum(broken) / len(broken) if broken else 0.0
    assert informativeness((must, cannot), labels) == expected
    assert informativeness(Constraints(must, cannot), np.array(labels)) == expected


def test_informativeness_refuses_labels_of_other_rows():
    with pytest.raises(ConstraintError):
        informativeness(Constraints([(0, 1)], n_samples=3), [0, 1])
