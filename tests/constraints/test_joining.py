import pytest
from hypothesis import given

from constraints.strategies import LINKS, N, cannot_of, must_of
from coterie import ConstraintError, ConstraintIndexError, Constraints


def larger(one, two):
    return {pair: max(one.get(pair, 0), two.get(pair, 0)) for pair in one | two}


@given(LINKS, LINKS)
def test_of_the_same_link_the_larger_weight_holds(one, two):
    assert must_of(one | two) == larger(must_of(one), must_of(two))
    assert cannot_of(one | two) == larger(cannot_of(one), cannot_of(two))


@given(LINKS, LINKS)
def test_the_order_does_not_matter(one, two):
    assert one | two == two | one


@given(LINKS, LINKS, LINKS)
def test_the_grouping_does_not_matter(one, two, three):
    assert (one | two) | three == one | (two | three)


@given(LINKS)
def test_joining_a_set_with_itself_or_with_nothing_changes_nothing(links):
    assert links | links == links
    assert links | Constraints(n_samples=N) == links
    assert links.hard | links.soft == links


def test_rows_are_known_when_either_side_knows_them():
    assert len(Constraints([(0, 1)]) | Constraints(n_samples=3)) == 3
    assert (Constraints(ids=["a", "b"]) | Constraints([(0, 1)])).ids.tolist() == ["a", "b"]


def test_links_about_other_rows_are_refused():
    with pytest.raises(ConstraintError) as error:
        Constraints(n_samples=3) | Constraints(n_samples=4)
    assert str(error.value) == "Links about 3 rows and links about 4 rows cannot be joined."

    with pytest.raises(ConstraintIndexError, match="names a row that is not there: 7"):
        Constraints(n_samples=3) | Constraints([(0, 7)])

    with pytest.raises(ConstraintError, match="go by different ids"):
        Constraints(ids=["a"]) | Constraints(ids=["b"])


def test_only_links_can_be_joined():
    with pytest.raises(TypeError):
        Constraints() | [(0, 1)]
