"""Choose rows, and keep the links between them."""

from types import EllipsisType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from coterie._types import Floats, Pairs
from coterie.constraints.cliques import check_budget, listed_with, make_cliques
from coterie.constraints.pairs import merged, ragged
from coterie.constraints.value import Links

L = TypeVar("L", bound=Links)
Ints = NDArray[np.int64]


def restrict(links: L, rows: Any) -> L:
    """Return the links between the chosen rows, numbered by their place among them.

    A row that is chosen twice hands its links to both copies; nothing is said of the copies
    themselves.
    """
    chosen = _chosen(rows, len(links))
    n_copies = np.bincount(chosen, minlength=len(links)).astype(np.int64)
    first = np.cumsum(n_copies) - n_copies
    new_rows = np.argsort(chosen, kind="stable").astype(np.int64)

    def renumbered(pairs: Pairs, weights: Floats) -> tuple[Pairs, Floats]:
        a, b = pairs[:, 0], pairs[:, 1]
        link, rank = ragged(n_copies[a] * n_copies[b])
        a, b = a[link], b[link]
        copy_a, copy_b = rank // n_copies[b], rank % n_copies[b]
        both = np.column_stack([new_rows[first[a] + copy_a], new_rows[first[b] + copy_b]])
        return merged(both, weights[link])

    cannot, weights, cliques = _unfolded(links, n_copies)
    return links._of(
        *renumbered(links._must, links._must_weights),
        *renumbered(cannot, weights),
        make_cliques(cliques.owner, new_rows[first[cliques.rows]], cliques.weight),
        len(chosen),
        None if links._ids is None else links._ids[chosen],
    )


def _unfolded(links: Links, n_copies: Ints) -> tuple[Pairs, Floats, Any]:
    """Return single links and cliques, where no row of a clique has copies or is left out.

    Copies of a row say nothing of each other, so a clique cannot hold them.
    """
    cliques = links._cliques
    stays = n_copies[cliques.rows] > 0
    cliques = make_cliques(cliques.owner[stays], cliques.rows[stays], cliques.weight)
    copies = n_copies[cliques.rows]
    if (copies <= 1).all():
        return links._cannot, links._cannot_weights, cliques
    with_copies = np.bincount(cliques.owner, weights=copies > 1) > 0
    listed, cliques = cliques.parted(with_copies)
    copies, owner = n_copies[listed.rows], listed.owner
    check_budget(int(np.bincount(owner, weights=copies) @ np.bincount(owner, weights=copies)) // 2)
    return *listed_with(links._cannot, links._cannot_weights, listed), cliques


def _chosen(rows: Any, n_samples: int) -> Ints:
    """Return the row numbers that an index of one axis picks."""
    if isinstance(rows, tuple):
        # scikit-learn asks for array[rows, ...].
        rest = [part for part in rows if not isinstance(part, EllipsisType)]
        if len(rest) != 1:
            raise IndexError("Links are chosen by rows alone: constraints[rows].")
        rows = rest[0]
    if not isinstance(rows, slice):
        rows = np.asarray(rows)
        if rows.size == 0 and rows.dtype.kind == "f":
            rows = rows.astype(np.int64)
        if rows.ndim != 1 or rows.dtype.kind not in "iub":
            raise TypeError(
                "Choose rows by a list or array of row numbers, a mask, or a slice; "
                f"got {rows.tolist()!r}."
            )
    chosen: Ints = np.arange(n_samples, dtype=np.int64)[rows]
    return chosen
