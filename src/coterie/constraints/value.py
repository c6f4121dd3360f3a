"""The links themselves: an immutable value that can be sliced, joined and compared."""

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
from coterie.constraints.cliques import PAIR_BUDGET, Cliques, listed_with, no_cliques
from coterie.constraints.pairs import merged, read_only

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
        "_closed",
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
    _closed: Any  # the Closure, once it was asked for

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
        kinds: list[Any] = []
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
        self._cliques = Cliques(read_only(cliques[0]), read_only(cliques[1]), cliques[2])
        self._n_samples = n_samples
        self._ids = None if ids is None else read_only(ids)
        self._listed = None
        self._closed = None

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
        """Return other links, distinct and sorted, over the same rows."""
        cliques = no_cliques() if cliques is None else cliques
        return self._of(*must, *cannot, cliques, self._n_samples, self._ids)

    def _bound(self, n_samples: int) -> Self:
        """Return the same links, which now know how many rows there are."""
        must, cannot = (self._must, self._must_weights), (self._cannot, self._cannot_weights)
        return self._of(*must, *cannot, self._cliques, n_samples, self._ids)

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
        alone = ~self._cliques.hold(self._cannot)
        return int(alone.sum()) + self._cliques.n_pairs()

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
            # Not a TypeError: scikit-learn would put words of its own in its place.
            raise ConstraintError(_NO_ROWS)
        return self._n_samples

    def __bool__(self) -> bool:
        return bool(len(self._must) or len(self._cannot) or len(self._cliques.rows))

    __iter__ = None  # a list of rows can be chosen, but there is nothing to go through

    def _where(self, hard: bool) -> Self:
        """Return the links whose weight is infinite, or those whose weight is not."""
        cannot, weights, cliques = self._cannot, self._cannot_weights, self._cliques
        if np.isfinite(cliques.weight) and cliques.hold(cannot[np.isinf(weights)]).any():
            # A clique that holds a hard link is no longer of one kind.
            (cannot, weights), cliques = self._all_cannot(), no_cliques()
        must = np.isinf(self._must_weights) == hard
        singles = np.isinf(weights) == hard
        return self._with(
            (self._must[must], self._must_weights[must]),
            (cannot[singles], weights[singles]),
            cliques if np.isinf(cliques.weight) == hard else no_cliques(),
        )

    @property
    def hard(self) -> Self:
        """The links of infinite weight."""
        return self._where(hard=True)

    @property
    def soft(self) -> Self:
        """The links of finite weight."""
        return self._where(hard=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Links):
            return NotImplemented
        alike = (
            self._n_samples == other._n_samples
            and self.n_cannot_link == other.n_cannot_link
            and np.array_equal(self._must, other._must)
            and np.array_equal(self._must_weights, other._must_weights)
            and same_ids(self, other)
        )
        if not alike:
            return False
        if _alike(
            (self._cannot, self._cannot_weights, *self._cliques),
            (other._cannot, other._cannot_weights, *other._cliques),
        ):
            return True
        # The same links may be kept as a group on one side and one by one on the other.
        # Too many to list are equal only when they are kept alike.
        grouped = len(self._cliques.rows) or len(other._cliques.rows)
        if not grouped or self.n_cannot_link > PAIR_BUDGET:
            return False
        return _alike(self._all_cannot(), other._all_cannot())

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


def _alike(mine: tuple[Any, ...], theirs: tuple[Any, ...]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))


def same_ids(one: Links, two: Links) -> bool:
    """Tell whether the rows of both go by the same names."""
    if one._ids is None or two._ids is None:
        return one._ids is two._ids
    return one._ids is two._ids or one._ids.tolist() == two._ids.tolist()
