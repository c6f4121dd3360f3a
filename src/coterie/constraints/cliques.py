"""Groups of rows that must all differ, kept as groups: memory linear in rows."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie._errors import ConstraintError
from coterie._types import Floats, Pairs
from coterie.constraints.pairs import merged, ragged, within

PAIR_BUDGET = 10_000_000

Ints = NDArray[np.int64]


class Cliques(NamedTuple):
    """Cannot-links of one weight between any two rows of the same clique.

    Cliques of rows are disjoint: a row has one source at most. Only those of
    neighbourhoods, which `between` makes, may share members.
    """

    indptr: Ints  # (c + 1,) clique c has rows[indptr[c]:indptr[c + 1]]
    rows: Ints  # (r,) sorted within each clique
    weight: float  # 0 where there is no clique

    @property
    def owner(self) -> Ints:
        """The clique of each entry of `rows`."""
        return ragged(np.diff(self.indptr))[0]

    def n_pairs(self) -> int:
        """Return how many links the cliques stand for."""
        sizes = np.diff(self.indptr)
        return int((sizes * (sizes - 1) // 2).sum())

    def listed(self, budget: int = PAIR_BUDGET) -> tuple[Pairs, Floats]:
        """Return the links one by one, or refuse when there are more than `budget`."""
        check_budget(self.n_pairs(), budget)
        pairs = within(self.indptr, self.rows)
        return pairs, np.full(len(pairs), self.weight)

    def hold(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Return which pairs lie within one clique. The cliques must be disjoint."""
        if len(self.rows) == 0 or len(pairs) == 0:
            return np.zeros(len(pairs), dtype=bool)
        order = np.argsort(self.rows)
        rows, owner = self.rows[order], self.owner[order]
        spots = np.minimum(np.searchsorted(rows, pairs), len(rows) - 1)
        known = rows[spots] == pairs
        held: NDArray[np.bool_] = known.all(axis=1) & (owner[spots[:, 0]] == owner[spots[:, 1]])
        return held

    def total(self, pairs: Pairs, weights: Floats) -> Floats:
        """Return the weights of single links, with what the cliques add to them."""
        return np.where(self.hold(pairs), weights + self.weight, weights)

    def parted(self, mask: NDArray[np.bool_]) -> tuple["Cliques", "Cliques"]:
        """Return the cliques where `mask` holds, and the others."""
        owner = self.owner
        of_row = mask[owner]
        yes = make_cliques(owner[of_row], self.rows[of_row], self.weight)
        return yes, make_cliques(owner[~of_row], self.rows[~of_row], self.weight)

    def inside(self, labels: NDArray[Any]) -> "Cliques":
        """Return the part of the cliques that shares a label, where labels are 0 or more."""
        mine = labels[self.rows].astype(np.int64)
        keep = mine >= 0
        code = self.owner * (mine.max(initial=0) + 1) + mine
        return make_cliques(code[keep], self.rows[keep], self.weight)

    def between(self, groups: Ints) -> "Cliques":
        """Return the same demands made of groups of rows instead of rows."""
        base = groups.max(initial=0) + 1
        code = np.unique(self.owner * base + groups[self.rows])
        return make_cliques(code // base, code % base, self.weight)


def check_budget(n: int, budget: int = PAIR_BUDGET) -> None:
    """Raise when `n` links are too many to write out."""
    if n > budget:
        raise ConstraintError(
            f"Groups of rows that all differ stand for {n:,} cannot-links here, more than the "
            f"{budget:,} that are written out. Choose fewer rows: constraints[rows]. Counting, "
            "slicing, contradictions and satisfaction need no writing out."
        )


def no_cliques() -> Cliques:
    """Return no clique at all."""
    return Cliques(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64), 0.0)


def make_cliques(owner: Ints, rows: Ints, weight: float) -> Cliques:
    """Return the cliques with these members, by first row; a row alone says nothing."""
    if len(rows) == 0 or weight == 0:
        return no_cliques()
    order = np.lexsort((rows, owner))
    owner, rows = owner[order], rows[order]
    starts = np.flatnonzero(np.concatenate([[True], owner[1:] != owner[:-1]]))
    sizes = np.diff(np.append(starts, len(rows)))
    turn = np.argsort(rows[starts], kind="stable")
    turn = turn[sizes[turn] >= 2]
    if len(turn) == 0:
        return no_cliques()
    clique, rank = ragged(sizes[turn])
    indptr = np.concatenate([[0], np.cumsum(sizes[turn])]).astype(np.int64)
    return Cliques(indptr, rows[starts[turn][clique] + rank], weight)


def listed_with(
    pairs: Pairs,
    weights: Floats,
    cliques: Cliques,
    how: np.ufunc = np.add,
) -> tuple[Pairs, Floats]:
    """Return the pairs and, written out, the cliques; weights are joined by `how`."""
    if len(cliques.rows) == 0:
        return pairs, weights
    more_pairs, more_weights = cliques.listed()
    return merged(np.concatenate([pairs, more_pairs]), np.concatenate([weights, more_weights]), how)
