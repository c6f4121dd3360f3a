"""What cliques of cannot-links share with each other and with single links."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._errors import ConstraintError
from coterie._types import Floats, Pairs
from coterie.constraints.cliques import PAIR_BUDGET, Cliques, Ints
from coterie.constraints.pairs import merged, ragged


def settle(cliques: Cliques, pairs: Pairs, weights: Floats) -> tuple[Cliques, Pairs, Floats]:
    """Return the same links with none in two places; the larger weight holds.

    Equal cliques become one. Cliques that overlap in part are written out, as is
    a clique that holds a link with a larger weight of its own.
    """
    if len(cliques.weights) == 0:
        return (cliques, *merged(pairs, weights, np.maximum))
    cliques = _without_equals(cliques)
    overlaps = overlapping(cliques)
    more_pairs, more_weights = cliques.only(overlaps).listed()
    cliques = cliques.only(~overlaps)
    pairs, weights = merged(
        np.concatenate([pairs, more_pairs]),
        np.concatenate([weights, more_weights]),
        np.maximum,
    )
    holder = cliques.holder_of(pairs)
    standing = np.append(cliques.weights, 0.0)[holder]
    touched = np.zeros(len(cliques.weights), dtype=bool)
    touched[holder[(standing < weights) & (holder >= 0)]] = True
    kept = (holder < 0) | (standing < weights)
    more_pairs, more_weights = cliques.only(touched).listed()
    pairs, weights = merged(
        np.concatenate([pairs[kept], more_pairs]),
        np.concatenate([weights[kept], more_weights]),
        np.maximum,
    )
    return cliques.only(~touched), pairs, weights


def _without_equals(cliques: Cliques) -> Cliques:
    """Return each clique once, with its largest weight."""
    n = len(cliques.weights)
    sizes = np.diff(cliques.indptr)
    mixed = _mix(cliques.rows.astype(np.uint64)) + _mix(~cliques.parts.astype(np.uint64))
    code = np.add.reduceat(_mix(mixed), cliques.indptr[:-1])
    _, leader, group = np.unique(code, return_index=True, return_inverse=True)
    like = leader[group]  # the clique that each may be equal to
    if len(leader) == n:
        return cliques
    same = sizes[like] == sizes
    owner, rank = ragged(np.where(same, sizes, 0))
    here, there = cliques.indptr[owner] + rank, cliques.indptr[like[owner]] + rank
    differ = (cliques.rows[here] != cliques.rows[there]) | (
        cliques.parts[here] != cliques.parts[there]
    )
    same[owner[differ]] = False
    like = np.where(same, like, np.arange(n))
    largest = np.zeros(n)
    np.maximum.at(largest, like, cliques.weights)
    return cliques._replace(weights=largest).only(like == np.arange(n))


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return well-stirred bits (the finaliser of splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def overlapping(cliques: Cliques) -> NDArray[np.bool_]:
    """Return which cliques share two rows or more with another one."""
    known, column = np.unique(cliques.rows, return_inverse=True)
    shape = len(cliques.weights), len(known)
    if len(known) == len(cliques.rows):
        return np.zeros(shape[0], dtype=bool)
    ones = np.ones(len(column), dtype=np.int64)
    incidence = sparse.csr_array((ones, column, cliques.indptr), shape=shape)
    shared = (incidence @ incidence.T).tocoo()
    pair = (shared.data >= 2) & (shared.row != shared.col)
    mask = np.zeros(shape[0], dtype=bool)
    mask[shared.row[pair]] = True
    return mask


def n_pairs_of_any(cliques: Cliques, sizes: Ints) -> int:
    """Return how many pairs the cliques stand for together, each counted once.

    Every row counts `sizes[row]` times. Rows that are in the same cliques are alike, so it is
    enough to look at the kinds of rows, of which there are few where cliques are few.
    """
    if len(cliques.weights) == 0:
        return 0
    if not np.array_equal(cliques.rows, cliques.parts):
        return _n_pairs_with_parts(cliques, sizes)
    rows, kind, kinds, owner = _kinds(cliques)
    n_kinds = int(kind.max()) + 1
    per_clique = np.bincount(owner, minlength=len(cliques.weights))
    if (per_clique.astype(np.float64) ** 2).sum() > 10 * PAIR_BUDGET:
        raise ConstraintError(
            f"{len(cliques.weights):,} groups overlap in too many ways to count their links."
        )
    ones = np.ones(len(kinds), dtype=np.int64)
    incidence = sparse.coo_array((ones, (kinds, owner)), shape=(n_kinds, len(cliques.weights))).tocsr()
    meet = (incidence @ incidence.T).tocoo()
    totals = np.zeros(n_kinds, dtype=np.int64)
    np.add.at(totals, kind, sizes[rows])
    ordered = int((totals[meet.row] * totals[meet.col]).sum()) - int((sizes[rows] ** 2).sum())
    return ordered // 2


def _kinds(cliques: Cliques) -> tuple[Ints, Ints, Ints, Ints]:
    """Return rows, the kind of each, and the (kind, clique) memberships, each once."""
    rows, column = np.unique(cliques.rows, return_inverse=True)
    owner = cliques.owner
    order = np.lexsort((owner, column))
    column, owner = column[order], owner[order]
    degree = np.bincount(column)
    rank = np.arange(len(column)) - np.repeat(np.cumsum(degree) - degree, degree)
    kind = np.zeros(len(rows), dtype=np.int64)
    for step in range(int(degree.max())):
        # Rows that agreed so far part ways where their next clique differs, or is missing.
        following = np.zeros(len(rows), dtype=np.int64)
        here = rank == step
        following[column[here]] = owner[here] + 1
        code = kind * np.int64(len(cliques.weights) + 1) + following
        kind = np.unique(code, return_inverse=True)[1].astype(np.int64)
    _, example = np.unique(kind, return_index=True)
    is_example = np.zeros(len(rows), dtype=bool)
    is_example[example] = True
    seen = is_example[column]
    return rows, kind, kind[column[seen]], owner[seen]


def _n_pairs_with_parts(cliques: Cliques, sizes: Ints) -> int:
    if overlapping(cliques).any():
        pairs, weights = cliques.listed()
        pairs, _ = merged(pairs, weights, np.maximum)
        return int((sizes[pairs[:, 0]] * sizes[pairs[:, 1]]).sum())
    total, squares = cliques.part_sums(sizes[cliques.rows])
    return int(np.rint((total**2 - squares) / 2).sum())
