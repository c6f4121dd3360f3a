"""The links themselves: an immutable value that can be sliced, joined and compared."""

from types import EllipsisType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie._errors import ConstraintError
from coterie._types import Floats, Pairs
from coterie.constraints.checks import (
    as_ids,
    as_n_samples,
    as_pairs,
    as_weights,
    check_no_self_links,
    check_rows,
)
from coterie.constraints.cliques import Cliques, listed_with, no_cliques
from coterie.constraints.overlaps import settle
from coterie.constraints.pairs import merged, ragged, read_only

_NO_ROWS = (
    "These links do not say how many rows there are, so they cannot be split by rows, "
    "e.g. by cross-validation. Give Constraints(..., n_samples=len(X))."
)


class Links:
    """Weighted must-links and cannot-links, and all that needs no closure.

    `Constraints` is the class to use; this one holds its data.
    """

    __slots__ = (
        "_cannot",
        "_cannot_weights",
        "_cliques",
        "_ids",
        "_listed",
        "_must",
        "_must_weights",
        "_n_samples",
    )

    _must: Pairs
    _must_weights: Floats
    _cannot: Pairs  # without those that `_cliques` stands for
    _cannot_weights: Floats
    _cliques: Cliques
    _n_samples: int | None
    _ids: NDArray[Any] | None
    _listed: tuple[Pairs, Floats] | None

    def __init__(
        self,
        must_link: ArrayLike = (),
        cannot_link: ArrayLike = (),
        *,
        must_link_weights: ArrayLike | None = None,
        cannot_link_weights: ArrayLike | None = None,
        n_samples: int | None = None,
        ids: ArrayLike | None = None,
    ) -> None:
        n_samples = as_n_samples(n_samples)
        names = as_ids(ids, n_samples)
        if names is not None:
            n_samples = len(names)
        kinds = []
        for what, given, weighed in (
            ("must_link", must_link, must_link_weights),
            ("cannot_link", cannot_link, cannot_link_weights),
        ):
            pairs = as_pairs(given, what)
            check_rows(pairs, what, n_samples)
            check_no_self_links(pairs, what, names)
            weights = as_weights(weighed, pairs, f"{what}_weights", names)
            speaks = weights > 0
            kinds += merged(pairs[speaks], weights[speaks])
        self._set(kinds[0], kinds[1], kinds[2], kinds[3], no_cliques(), n_samples, names)

    def _set(
        self,
        must: Pairs,
        must_weights: Floats,
        cannot: Pairs,
        cannot_weights: Floats,
        cliques: Cliques,
        n_samples: int | None,
        ids: NDArray[Any] | None,
    ) -> None:
        self._must, self._must_weights = read_only(must), read_only(must_weights)
        self._cannot, self._cannot_weights = read_only(cannot), read_only(cannot_weights)
        self._cliques = Cliques(*(read_only(part) for part in cliques))
        self._n_samples = n_samples
        self._ids = None if ids is None else read_only(ids)
        self._listed = None

    @classmethod
    def _of(cls, *parts: Any) -> Self:
        """Return the value made of these canonical parts, unchecked."""
        made = cls.__new__(cls)
        made._set(*parts)
        return made

    def _with(
        self,
        must: tuple[Pairs, Floats],
        cannot: tuple[Pairs, Floats],
        cliques: Cliques | None = None,
    ) -> Self:
        """Return other links over the same rows."""
        cliques = no_cliques() if cliques is None else cliques
        return self._of(*merged(*must), *merged(*cannot), cliques, self._n_samples, self._ids)

    @property
    def must_link(self) -> Pairs:
        """Pairs of rows that belong together: (m, 2), read-only, smaller row first, sorted."""
        return self._must

    @property
    def must_link_weights(self) -> Floats:
        """One positive weight for each must-link, read-only."""
        return self._must_weights

    @property
    def cannot_link(self) -> Pairs:
        """Pairs of rows that must differ: (m, 2), read-only, smaller row first, sorted."""
        return self._all_cannot()[0]

    @property
    def cannot_link_weights(self) -> Floats:
        """One positive weight for each cannot-link, read-only."""
        return self._all_cannot()[1]

    def _all_cannot(self) -> tuple[Pairs, Floats]:
        if self._listed is None:
            pairs, weights = listed_with(self._cannot, self._cannot_weights, self._cliques)
            self._listed = read_only(pairs), read_only(weights)
        return self._listed

    @property
    def n_must_link(self) -> int:
        """How many must-links there are."""
        return len(self._must)

    @property
    def n_cannot_link(self) -> int:
        """How many cannot-links there are, counted without writing groups out."""
        return len(self._cannot) + self._cliques.n_pairs()

    @property
    def n_samples(self) -> int | None:
        """How many rows the links are about, where that is known."""
        return self._n_samples

    @property
    def ids(self) -> NDArray[Any] | None:
        """What the user calls the rows, or None."""
        return self._ids

    @property
    def shape(self) -> tuple[int, int]:
        """The shape (n_samples, n_samples), for tools that slice by rows."""
        if self._n_samples is None:
            raise AttributeError(_NO_ROWS)
        return self._n_samples, self._n_samples

    def __len__(self) -> int:
        if self._n_samples is None:
            raise TypeError(_NO_ROWS)
        return self._n_samples

    def __bool__(self) -> bool:
        return bool(len(self._must) or len(self._cannot) or len(self._cliques.weights))

    __iter__ = None  # a list of rows can be chosen, but there is nothing to go through

    def __getitem__(self, rows: Any) -> Self:
        chosen = _chosen(rows, len(self))
        ids = None if self._ids is None else self._ids[chosen]
        n_copies = np.bincount(chosen, minlength=len(self)).astype(np.int64)
        first = np.cumsum(n_copies) - n_copies
        new_rows = np.argsort(chosen, kind="stable").astype(np.int64)

        def renumbered(pairs: Pairs, weights: Floats) -> tuple[Pairs, Floats]:
            a, b = pairs[:, 0], pairs[:, 1]
            link, rank = ragged(n_copies[a] * n_copies[b])
            a, b = a[link], b[link]
            copy_a, copy_b = rank // n_copies[b], rank % n_copies[b]
            both = np.column_stack([new_rows[first[a] + copy_a], new_rows[first[b] + copy_b]])
            return merged(both, weights[link])

        return self._of(
            *renumbered(self._must, self._must_weights),
            *renumbered(self._cannot, self._cannot_weights),
            self._cliques.copied(n_copies, first, new_rows),
            len(chosen),
            ids,
        )

    def __or__(self, other: object) -> Self:
        if not isinstance(other, Links):
            return NotImplemented
        n_samples = self._n_samples if other._n_samples is None else other._n_samples
        if None not in (self._n_samples, other._n_samples) and self._n_samples != n_samples:
            raise ConstraintError(
                f"Links about {self._n_samples} rows and links about {n_samples} rows "
                "cannot be joined."
            )
        if self._ids is not None and other._ids is not None and not _same_ids(self, other):
            raise ConstraintError("Links whose rows go by different ids cannot be joined.")
        for links in (self, other):
            check_rows(links._must, "must_link", n_samples)
            check_rows(links._cannot, "cannot_link", n_samples)
        must = merged(
            np.concatenate([self._must, other._must]),
            np.concatenate([self._must_weights, other._must_weights]),
            np.maximum,
        )
        cliques, cannot, weights = settle(
            self._cliques.joined(other._cliques),
            np.concatenate([self._cannot, other._cannot]),
            np.concatenate([self._cannot_weights, other._cannot_weights]),
        )
        ids = other._ids if self._ids is None else self._ids
        return self._of(*must, cannot, weights, cliques, n_samples, ids)

    def _where(self, mask_of: Any) -> Self:
        """Return the links whose weights `mask_of` accepts."""
        must, cannot = mask_of(self._must_weights), mask_of(self._cannot_weights)
        return self._with(
            (self._must[must], self._must_weights[must]),
            (self._cannot[cannot], self._cannot_weights[cannot]),
            self._cliques.only(mask_of(self._cliques.weights)),
        )

    @property
    def hard(self) -> Self:
        """The links of infinite weight."""
        return self._where(np.isinf)

    @property
    def soft(self) -> Self:
        """The links of finite weight."""
        return self._where(np.isfinite)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Links):
            return NotImplemented
        alike = (
            self._n_samples == other._n_samples
            and (self.n_must_link, self.n_cannot_link) == (other.n_must_link, other.n_cannot_link)
            and np.array_equal(self._must, other._must)
            and np.array_equal(self._must_weights, other._must_weights)
            and _same_ids(self, other)
        )
        if not alike:
            return False
        as_stored = (
            np.array_equal(self._cannot, other._cannot)
            and np.array_equal(self._cannot_weights, other._cannot_weights)
            and all(map(np.array_equal, self._cliques, other._cliques))
        )
        if as_stored:
            return True
        if not (len(self._cliques.weights) or len(other._cliques.weights)):
            return False
        # The same links may be kept as a group on one side and one by one on the other.
        return all(map(np.array_equal, self._all_cannot(), other._all_cannot()))

    def __hash__(self) -> int:
        must = self._must.tobytes(), self._must_weights.tobytes()
        return hash((*must, self.n_cannot_link, self._n_samples))

    def __repr__(self) -> str:
        must, cannot = self.n_must_link, self.n_cannot_link
        rows = "" if self._n_samples is None else f", {self._n_samples} rows"
        return (
            f"{type(self).__name__}({must} must-link{'' if must == 1 else 's'}, "
            f"{cannot} cannot-link{'' if cannot == 1 else 's'}{rows})"
        )

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, (
            self._must,
            self._must_weights,
            self._cannot,
            self._cannot_weights,
            self._cliques,
            self._n_samples,
            self._ids,
        )


def _same_ids(one: Links, two: Links) -> bool:
    if one._ids is None or two._ids is None:
        return one._ids is two._ids
    return one._ids is two._ids or one._ids.tolist() == two._ids.tolist()


def _chosen(rows: Any, n_samples: int) -> NDArray[np.int64]:
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
    chosen: NDArray[np.int64] = np.arange(n_samples, dtype=np.int64)[rows]
    return chosen
