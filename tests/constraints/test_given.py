import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

from constraints.strategies import N, plain_links
from coterie import ConstraintError, ConstraintIndexError, Constraints
from coterie.constraints import as_constraints

HINT = (
    "Under cross-validation, give links as Constraints(..., n_samples=len(X)): "
    "then every fold gets its own links, renumbered."
)
LINKS = Constraints([(0, 1)], [(1, 2)], n_samples=4)


def matrix_of(links, *, both):
    """Return signed weights, in one triangle or in both."""
    pairs = np.concatenate([links.must_link, links.cannot_link])
    signed = np.concatenate([links.must_link_weights, -links.cannot_link_weights])
    upper = sparse.coo_array((signed, (pairs[:, 0], pairs[:, 1])), shape=(N, N)).tocsr()
    return upper + upper.T if both else upper


@pytest.mark.parametrize("both", [False, True])
@given(links=plain_links())
def test_a_matrix_says_the_same_in_one_triangle_or_both(both, links):
    # A matrix has one place for a pair, so no pair can be told both ways.
    told = {tuple(pair) for pair in links.must_link.tolist()}
    only_must = [tuple(pair) not in told for pair in links.cannot_link.tolist()]
    links = links._with(
        (links.must_link, links.must_link_weights),
        (links.cannot_link[only_must], links.cannot_link_weights[only_must]),
    )

    assert as_constraints(matrix_of(links, both=both), N) == links


@pytest.mark.parametrize(
    "form",
    [
        LINKS,
        Constraints([(0, 1)], [(1, 2)]),
        ([(0, 1)], [(1, 2)]),
        [[(1, 0)], [(2, 1)]],
        (np.array([[0, 1]]), np.array([[1, 2]])),
        sparse.csr_matrix(([1, -1], ([0, 1], [1, 2])), shape=(4, 4)),
        sparse.coo_array(([1.0, -1.0], ([1, 2], [0, 1])), shape=(4, 4)),
        sparse.csc_array(([0.5, 0.5, -1.0], ([0, 0, 1], [1, 1, 2])), shape=(4, 4)),
    ],
)
def test_every_form_means_the_same(form):
    assert as_constraints(form, 4) == LINKS


def test_nothing_given_is_no_links():
    assert as_constraints(None, 4) == Constraints(n_samples=4)
    assert as_constraints(([(0, 1)], None), 4) == Constraints([(0, 1)], n_samples=4)


def test_links_that_fit_are_passed_as_they_are():
    assert as_constraints(LINKS, 4) is LINKS


def test_a_matrix_of_truth_holds_must_links():
    mask = sparse.csr_array(np.eye(4, k=1, dtype=bool))

    assert as_constraints(mask, 4).n_must_link == 3


def test_ids_stay_with_links():
    links = Constraints([(0, 1)], ids=["a", "b"])

    assert as_constraints(links, 2).ids is links.ids


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        (LINKS[:3], f"The constraints are about 3 rows, but X has 4. {HINT}"),
        (
            Constraints([(0, 7)]),
            "1 must_link link names a row that is not there: 7; there are 4 rows, 0 to 3. " + HINT,
        ),
        (
            ([], [(0, 7)]),
            "1 cannot_link link names a row that is not there: 7; there are 4 rows, 0 to 3. "
            + HINT,
        ),
        (
            sparse.csr_array((3, 4)),
            "A matrix of constraints must have shape (4, 4), a row and a column for each row of "
            f"X; got (3, 4). {HINT}",
        ),
        (
            sparse.csr_array(np.diag([0.0, 2.0, 0.0, 1.0])),
            "The diagonal of a matrix of constraints must be empty, because a row is not linked "
            "to itself; it has entries for rows 1, 3.",
        ),
        (
            sparse.csr_array(([1.0, 1.0, -2.0], ([0, 1, 2], [1, 2, 1])), shape=(4, 4)),
            "The matrix of constraints says two things of rows 1 and 2: 1 at (1, 2) and -2 at "
            "(2, 1). Fill one triangle, or both alike.",
        ),
        (
            sparse.csr_array(([np.nan], ([0], [1])), shape=(4, 4)),
            "The matrix of constraints holds NaN at (0, 1).",
        ),
        (
            sparse.csr_array((4, 4), dtype=complex),
            "A matrix of constraints must hold real numbers; got complex128.",
        ),
        (
            np.zeros((4, 4)),
            "constraints must be a Constraints, a pair (must_link, cannot_link) of lists of "
            "pairs, or a sparse matrix of shape (n_samples, n_samples); got ndarray of shape "
            "(4, 4).",
        ),
        (
            [(0, 1), (1, 2), (2, 3)],
            "constraints must be a Constraints, a pair (must_link, cannot_link) of lists of "
            "pairs, or a sparse matrix of shape (n_samples, n_samples); got a list of length 3.",
        ),
        (
            "same",
            "constraints must be a Constraints, a pair (must_link, cannot_link) of lists of "
            "pairs, or a sparse matrix of shape (n_samples, n_samples); got str.",
        ),
    ],
)
def test_what_cannot_be_understood(form, sentence):
    with pytest.raises(ConstraintError) as error:
        as_constraints(form, 4)

    assert str(error.value) == sentence


def test_rows_that_are_not_there_are_evidence():
    with pytest.raises(ConstraintIndexError) as error:
        as_constraints(([(0, 7)], []), 4)

    assert (error.value.rows, error.value.n_samples) == ([7], 4)
