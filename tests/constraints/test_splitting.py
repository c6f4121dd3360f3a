import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from constraints.strategies import LINKS, cannot_of, must_of
from coterie import ConstraintError, Constraints


@given(LINKS, st.integers(2, 5), st.integers(0, 9))
def test_every_link_is_held_out_once_and_learnt_from_otherwise(links, k, seed):
    assume(links.n_must_link + links.n_cannot_link >= k)

    parts = links.split(k, seed)

    assert len(parts) == k
    for of in (must_of, cannot_of):
        held_out = [pair for _, part in parts for pair in of(part)]
        assert sorted(held_out) == sorted(of(links))
        for train, part in parts:
            assert of(train) | of(part) == of(links)
            assert of(train).keys().isdisjoint(of(part))


@given(LINKS, st.integers(2, 4))
def test_folds_are_of_a_size_and_have_their_share_of_both_kinds(links, k):
    assume(links.n_must_link + links.n_cannot_link >= k)

    parts = [part for _, part in links.split(k, 0)]

    for counts in ([p.n_must_link for p in parts], [p.n_cannot_link for p in parts]):
        assert max(counts) - min(counts) <= 1
    totals = [p.n_must_link + p.n_cannot_link for p in parts]
    assert max(totals) - min(totals) <= 1


def test_the_same_seed_gives_the_same_folds(seed):
    links = Constraints([(i, i + 1) for i in range(50)])

    assert links.split(5, seed) == links.split(5, np.random.default_rng(seed))
    assert links.split(5, seed) != links.split(5, seed + 1)


@pytest.mark.parametrize("k", [1, 0, 2.0, True, "5"])
def test_k_must_be_a_number_of_folds(k):
    with pytest.raises(ConstraintError, match="k must be a whole number, 2 or more; got"):
        Constraints([(0, 1), (1, 2)]).split(k)


def test_there_must_be_a_link_for_every_fold():
    with pytest.raises(ConstraintError, match="2 links cannot be split into 3 folds"):
        Constraints([(0, 1)], [(1, 2)]).split(3)


@pytest.mark.parametrize("random_state", ["seven", -1])
def test_random_state_must_be_a_seed_or_a_generator(random_state):
    with pytest.raises(ConstraintError, match="random_state must be None, a whole number"):
        Constraints([(0, 1)], [(1, 2)]).split(2, random_state)
