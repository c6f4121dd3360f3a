"""Links that follow from labels and from groups."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie._errors import ConstraintError
from coterie._types import Pairs
from coterie.constraints.checks import as_weights
from coterie.constraints.cliques import check_budget, make_cliques, no_cliques
from coterie.constraints.codes import as_codes
from coterie.constraints.pairs import no_pairs, within
from coterie.constraints.splitting import as_rng
from coterie.constraints.value import Links

L = TypeVar("L", bound=Links)
Ints = NDArray[np.int64]


def of_labels(cls: type[L], y: ArrayLike, n_pairs: int | None, random_state: Any) -> L:
    """Return links between rows whose class is known."""
    classes = as_codes(y, "y")
    if n_pairs is None:
        n = int(classes.max(initial=-1)) + 1
        check_budget(n * (n - 1) // 2)
        must = _stars(classes)
        leaders = np.sort(_leaders(classes))
        cannot = within(np.array([0, len(leaders)]), leaders)
    else:
        known = np.flatnonzero(classes >= 0).astype(np.int64)
        pairs = known[_drawn(len(known), n_pairs, random_state)]
        same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
        must, cannot = pairs[same], pairs[~same]
    return cls(must, cannot, n_samples=len(classes))


def of_groups(
    cls: type[L],
    groups: ArrayLike,
    apart: ArrayLike | None,
    must_link_weight: float,
    cannot_link_weight: float,
) -> L:
    """Return must-links within groups, and cannot-links within sources."""
    together = as_codes(groups, "groups")
    links = cls(
        _stars(together),
        must_link_weights=_one_weight(must_link_weight, "must_link_weight"),
        n_samples=len(together),
    )
    if apart is None:
        return links
    sources = as_codes(apart, "apart")
    if len(sources) != len(together):
        raise ConstraintError(
            f"groups and apart must be about the same rows; groups has {len(together)} values "
            f"and apart has {len(sources)}."
        )
    rows = np.flatnonzero(sources >= 0).astype(np.int64)
    weight = _one_weight(cannot_link_weight, "cannot_link_weight")
    cliques = make_cliques(sources[rows], rows, weight)
    return links._with(
        (links._must, links._must_weights),
        (no_pairs(), np.empty(0)),
        cliques if len(cliques.rows) else no_cliques(),
    )


def _one_weight(value: Any, what: str) -> float:
    if np.ndim(value) != 0:
        raise ConstraintError(f"{what} must be one number, 0 or more; got {value!r}.")
    return float(as_weights(value, np.array([[0, 1]]), what, None)[0])


def _leaders(codes: Ints) -> Ints:
    """Return the first row of each code."""
    n = int(codes.max(initial=-1)) + 1
    first = np.empty(n, dtype=np.int64)
    known = np.flatnonzero(codes >= 0)[::-1]
    first[codes[known]] = known  # of several values for one place the last is kept
    return first


def _stars(codes: Ints) -> Pairs:
    """Return the links from the first row of each code to its other rows."""
    rows = np.flatnonzero(codes >= 0).astype(np.int64)
    leader = _leaders(codes)[codes[rows]]
    stars: Pairs = np.column_stack([leader, rows])[leader != rows]
    return stars


def _drawn(n: int, n_pairs: int, random_state: Any) -> Pairs:
    """Return distinct pairs of numbers below `n`, drawn without writing all pairs out."""
    if isinstance(n_pairs, bool) or not isinstance(n_pairs, int | np.integer) or n_pairs < 0:
        raise ConstraintError(f"n_pairs must be a whole number, 0 or more; got {n_pairs!r}.")
    n_all = n * (n - 1) // 2
    if n_pairs > n_all:
        raise ConstraintError(
            f"{n} rows of known class make {n_all:,} pairs; n_pairs={n_pairs} asks for more."
        )
    rng = as_rng(random_state)
    if n_pairs == 0:
        return no_pairs()
    number = rng.choice(n_all, size=n_pairs, replace=False)
    # Each row with the one `step` after it, round the circle: every pair has one number.
    step, row = number // n + 1, number % n
    return np.column_stack([row, (row + step) % n]).astype(np.int64)
