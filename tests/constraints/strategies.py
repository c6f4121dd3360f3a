"""Links for the properties of this room: few rows, exact weights, with and without groups."""

import numpy as np
from hypothesis import strategies as st

from coterie import Constraints

N = 8
ROWS = st.integers(0, N - 1)
PAIRS = st.lists(st.tuples(ROWS, ROWS).filter(lambda p: p[0] != p[1]), max_size=9)
# Halves and wholes add up exactly, in any order.
WEIGHTS = st.sampled_from([0.25, 0.5, 1.0, 2.0, np.inf])
SOURCES = st.lists(st.sampled_from([-1, 0, 1, 2]), min_size=N, max_size=N)


@st.composite
def weighted(draw):
    """Draw pairs, and a weight for each."""
    pairs = draw(PAIRS)
    return pairs, draw(st.lists(WEIGHTS, min_size=len(pairs), max_size=len(pairs)))


@st.composite
def plain_links(draw):
    """Draw links that are kept one by one."""
    (must, must_weights), (cannot, cannot_weights) = draw(weighted()), draw(weighted())
    return Constraints(
        must,
        cannot,
        must_link_weights=must_weights,
        cannot_link_weights=cannot_weights,
        n_samples=N,
    )


@st.composite
def grouped_links(draw):
    """Draw links of which some are kept as groups."""
    groups = Constraints.from_groups(
        [-1] * N, apart=draw(SOURCES), cannot_link_weight=draw(WEIGHTS)
    )
    return groups | draw(plain_links())


LINKS = plain_links() | grouped_links()


def one_by_one(links):
    """Return equal links, none of them kept in a group."""
    return Constraints(
        links.must_link,
        links.cannot_link,
        must_link_weights=links.must_link_weights,
        cannot_link_weights=links.cannot_link_weights,
        n_samples=links.n_samples,
        ids=links.ids,
    )


def told(pairs, weights):
    """Return {(a, b): weight}."""
    return {(a, b): w for (a, b), w in zip(pairs.tolist(), weights.tolist(), strict=True)}


def must_of(links):
    return told(links.must_link, links.must_link_weights)


def cannot_of(links):
    return told(links.cannot_link, links.cannot_link_weights)
