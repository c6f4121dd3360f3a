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
    """Cliques of cannot-links: any two rows of one clique must differ.

    Rows of one clique that share a *part* are copies of one row (a bootstrap
    draws rows twice) and say nothing of each other.
    """

    indptr: Ints  # (c + 1,) clique c has rows[indptr[c]:indptr[c + 1]]
    rows: Ints  # (r,) sorted within each clique
    parts: Ints  # (r,) the lowest row of the part; the row itself where nothing is copied
    weights: Floats  # (c,)

    @property
    def owner(self) -> Ints:
        """The clique of each entry of `rows`."""
        return np.repeat(np.arange(len(self.weights), dtype=np.int64), np.diff(self.indptr))

    def part_sums(self, sizes: NDArray[Any]) -> tuple[Floats, Floats]:
        """Return, for each clique, the sum of `sizes`, and of its parts' squared sums."""
        _, part, where = distinct(self.owner, self.parts)
        of_part = np.bincount(where, weights=sizes, minlength=len(part))
        owner = self.owner
        first = np.zeros(len(part), dtype=np.int64)
        first[where] = owner
        total = np.bincount(owner, weights=sizes, minlength=len(self.weights))
        squares = np.bincount(first, weights=of_part**2, minlength=len(self.weights))
        return total, squares

    def counts(self) -> Ints:
        """Return how many links each clique stands for."""
        if len(self.weights) == 0:
            return np.empty(0, dtype=np.int64)
        if np.array_equal(self.rows, self.parts):
            sizes = np.diff(self.indptr)
            return sizes * (sizes - 1) // 2
        total, squares = self.part_sums(np.ones(len(self.rows)))
        return np.rint((total**2 - squares) / 2).astype(np.int64)

    def n_pairs(self) -> int:
        """Return how many links the cliques stand for."""
        return int(self.counts().sum())

    def listed(self, budget: int = PAIR_BUDGET) -> tuple[Pairs, Floats]:
        """Return the links one by one, or refuse when there are more than `budget`."""
        n = self.n_pairs()
        if n > budget:
            raise ConstraintError(
                f"These groups stand for {n:,} cannot-links, more than the {budget:,} that are "
                "written out. Counting, slicing by rows, joining with |, neighbourhoods, "
                "contradictions and satisfaction work without writing them out."
            )
        spots = within(self.indptr, np.arange(len(self.rows), dtype=np.int64))
        spots = spots[self.parts[spots[:, 0]] != self.parts[spots[:, 1]]]
        return self.rows[spots], self.weights[self.owner[spots[:, 0]]]

    def only(self, mask: NDArray[np.bool_]) -> "Cliques":
        """Return the cliques where `mask` holds."""
        keep = mask[self.owner]
        indptr = np.concatenate([[0], np.cumsum(np.diff(self.indptr)[mask])]).astype(np.int64)
        return Cliques(indptr, self.rows[keep], self.parts[keep], self.weights[mask])

    def joined(self, other: "Cliques") -> "Cliques":
        """Return the cliques of both, side by side."""
        return Cliques(
            np.concatenate([self.indptr, self.indptr[-1] + other.indptr[1:]]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.parts, other.parts]),
            np.concatenate([self.weights, other.weights]),
        )

    def copied(self, n_copies: Ints, first: Ints, new_rows: Ints) -> "Cliques":
        """Return the cliques after row r became `new_rows[first[r]:first[r] + n_copies[r]]`."""
        spot, rank = ragged(n_copies[self.rows])
        rows = new_rows[first[self.rows[spot]] + rank]
        return make_cliques(self.owner[spot], rows, self.parts[spot], self.weights)

    def inside(self, labels: NDArray[Any]) -> "Cliques":
        """Return the part of the cliques that shares a label, where labels are 0 or more."""
        mine = labels[self.rows]
        keep = mine >= 0
        owner, _, group = distinct(self.owner[keep], mine[keep])
        first = np.zeros(len(owner), dtype=np.int64)
        first[group] = self.owner[keep]
        return make_cliques(group, self.rows[keep], self.parts[keep], self.weights[first])

    def between(self, groups: Ints) -> "Cliques":
        """Return the same demands made of groups of rows instead of rows."""
        if len(self.rows) == 0:
            return self
        owner, group, where = distinct(self.owner, groups[self.rows])
        least = np.full(len(group), np.iinfo(np.int64).max)
        most = np.full(len(group), -1)
        np.minimum.at(least, where, self.parts)
        np.maximum.at(most, where, self.parts)
        # A group with two parts differs from every other; with one it shares that part's fate.
        part = np.where(least == most, 2 * least, 2 * group + 1)
        return make_cliques(owner, group, part, self.weights)

    def holder_of(self, pairs: Pairs) -> Ints:
        """Return a clique that holds each pair, -1 where none does."""
        holder = np.full(len(pairs), -1, dtype=np.int64)
        if len(pairs) == 0 or len(self.rows) == 0:
            return holder
        n = int(max(self.rows.max(), pairs.max())) + 1
        by_row = np.argsort(self.rows, kind="stable")
        start = np.searchsorted(self.rows[by_row], pairs[:, 0], side="left")
        stop = np.searchsorted(self.rows[by_row], pairs[:, 0], side="right")
        link, rank = ragged((stop - start).astype(np.int64))
        spot = by_row[start[link] + rank]
        owner = self.owner
        sought = owner[spot] * np.int64(n) + pairs[link, 1]
        known = owner * np.int64(n) + self.rows  # rises: cliques in turn, rows sorted in each
        other = np.minimum(np.searchsorted(known, sought), len(known) - 1)
        hit = (known[other] == sought) & (self.parts[other] != self.parts[spot])
        holder[link[hit]] = owner[spot[hit]]
        return holder

    def weight_of(self, pairs: Pairs) -> Floats:
        """Return the weight of the clique that holds each pair, 0 where none does."""
        return np.append(self.weights, 0.0)[self.holder_of(pairs)]


def no_cliques() -> Cliques:
    """Return no clique at all."""
    none = np.empty(0, dtype=np.int64)
    return Cliques(np.zeros(1, dtype=np.int64), none, none, np.empty(0))


def make_cliques(owner: Ints, rows: Ints, parts: Ints, weights: Floats) -> Cliques:
    """Return the cliques with these members, in order; what says nothing is left out."""
    if len(rows) == 0:
        return no_cliques()
    order = np.lexsort((rows, owner))
    owner, rows, parts = owner[order], rows[order], parts[order]
    _, _, where = distinct(owner, parts)
    lowest = np.full(where.max() + 1, np.iinfo(np.int64).max)
    np.minimum.at(lowest, where, rows)
    parts = lowest[where]
    n_parts = np.bincount(owner[rows == parts], minlength=len(weights))
    speaks = (n_parts >= 2) & (weights > 0)
    sizes = np.bincount(owner, minlength=len(weights))
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return _by_first_row(Cliques(indptr, rows, parts, weights).only(speaks))


def _by_first_row(cliques: Cliques) -> Cliques:
    starts = cliques.rows[cliques.indptr[:-1]]
    if len(starts) == 0 or (np.diff(starts) > 0).all():
        return cliques
    turn = np.argsort(starts, kind="stable")
    sizes = np.diff(cliques.indptr)[turn]
    owner, rank = ragged(sizes)
    take = cliques.indptr[turn][owner] + rank
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Cliques(indptr, cliques.rows[take], cliques.parts[take], cliques.weights[turn])


def distinct(a: NDArray[Any], b: NDArray[Any]) -> tuple[Ints, Ints, Ints]:
    """Return the distinct (a, b), in order, and which of them each entry is."""
    if len(a) == 0:
        none = np.empty(0, dtype=np.int64)
        return none, none, none
    order = np.lexsort((b, a))
    a, b = a[order], b[order]
    fresh = np.ones(len(a), dtype=bool)
    fresh[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    where = np.empty(len(a), dtype=np.int64)
    where[order] = np.cumsum(fresh) - 1
    return a[fresh].astype(np.int64), b[fresh].astype(np.int64), where


def listed_with(
    pairs: Pairs, weights: Floats, cliques: Cliques, budget: int = PAIR_BUDGET
) -> tuple[Pairs, Floats]:
    """Return the pairs and, written out, the cliques."""
    if len(cliques.weights) == 0:
        return pairs, weights
    more_pairs, more_weights = cliques.listed(budget)
    return merged(np.concatenate([pairs, more_pairs]), np.concatenate([weights, more_weights]))

