"""Cannot-links inside a neighbourhood, each with the chain of must-links that proves it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from coterie._errors import ContradictionError
from coterie._types import Floats, Pairs
from coterie.constraints.checks import name
from coterie.constraints.closure import Closure
from coterie.constraints.cliques import Cliques
from coterie.constraints.pairs import merged
from coterie.constraints.value import Links

_SHOWN = 10  # rows of a chain in a message
_CARRIED = 1000  # contradictions that an error carries


@dataclass(frozen=True, eq=False, repr=False)
class Contradiction:
    """Two rows that must share a cluster and must not.

    Attributes
    ----------
    a, b : object
        The ends of the cannot-link, in the user's own ids.
    rows : tuple of int
        The ends as row numbers.
    weight : float
        The weight of the cannot-link.
    path : list
        The shortest chain of must-links from `a` to `b`, in the user's own ids. Found when it
        is first asked for.
    path_weights : ndarray of shape (len(path) - 1,)
        The weights of the must-links of that chain.

    Examples
    --------
    >>> from coterie import Constraints
    >>> found = Constraints([(4, 7), (7, 9)], [(4, 9)]).contradictions()
    >>> found[0].path
    [4, 7, 9]
    >>> print(found[0])
    Rows 4 and 9 must share a cluster and must not.
      must-link:   4 - 7 - 9
      cannot-link: 4 - 9
    """

    rows: tuple[int, int]
    weight: float
    _chains: "_Chains" = field(repr=False)

    @property
    def a(self) -> Any:
        return self._chains.name(self.rows[0])

    @property
    def b(self) -> Any:
        return self._chains.name(self.rows[1])

    @cached_property
    def _path_rows(self) -> NDArray[np.int64]:
        return self._chains.shortest(*self.rows)

    @property
    def path(self) -> list[Any]:
        return [self._chains.name(row) for row in self._path_rows]

    @property
    def path_weights(self) -> Floats:
        return self._chains.weights_along(self._path_rows)

    def __repr__(self) -> str:
        return f"Contradiction(a={self.a!r}, b={self.b!r}, weight={self.weight:g})"

    def __str__(self) -> str:
        rows = self._path_rows.tolist()
        names = [str(self._chains.name(row)) for row in rows[: _SHOWN // 2]]
        if len(rows) > _SHOWN:
            names.append(f"... {len(rows) - _SHOWN:,} more ...")
        names += [str(self._chains.name(row)) for row in rows[_SHOWN // 2 :][-_SHOWN // 2 :]]
        return (
            f"Rows {self.a} and {self.b} must share a cluster and must not.\n"
            f"  must-link:   {' - '.join(names)}\n"
            f"  cannot-link: {self.a} - {self.b}"
        )


class Contradictions(Sequence[Contradiction]):
    """All contradictions of some links, in the order of their rows; each is made when asked for.

    >>> from coterie import Constraints
    >>> found = Constraints([(0, 1), (1, 2)], [(0, 2), (0, 1), (2, 3)]).contradictions()
    >>> found
    Contradictions(2 cannot-links inside a neighbourhood)
    >>> [(c.a, c.b, len(c.path)) for c in found]
    [(0, 1, 2), (0, 2, 3)]
    """

    def __init__(self, closure: Closure[Any]) -> None:
        links = closure.constraints
        self._n = closure.n_contradictions
        self._single = links._cannot[closure._inside], links._cannot_weights[closure._inside]
        self._cliques = closure._inside_cliques
        self._chains = _Chains(closure)

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> Contradiction: ...
    @overload
    def __getitem__(self, index: slice) -> list[Contradiction]: ...
    def __getitem__(self, index: int | slice) -> Contradiction | list[Contradiction]:
        if isinstance(index, slice):
            return [self[i] for i in range(self._n)[index]]
        place = range(self._n)[index]
        pairs, weights = self._listed
        a, b = pairs[place].tolist()
        return Contradiction((a, b), float(weights[place]), self._chains)

    def __iter__(self) -> Iterator[Contradiction]:
        return (self[i] for i in range(self._n))

    @property
    def rows(self) -> Pairs:
        """The row numbers of both ends of each, shape (m, 2)."""
        return self._listed[0]

    def first(self, most: int = _CARRIED) -> list[Contradiction]:
        """Return some of them, at most `most`, without writing out large groups."""
        try:
            return self[:most]
        except ContradictionError:  # pragma: no cover
            raise
        except ValueError:
            pairs, weights = _some_pairs(self._cliques, most)
            both = zip(pairs.tolist(), weights.tolist(), strict=True)
            return [Contradiction((a, b), weight, self._chains) for (a, b), weight in both]

    @cached_property
    def _listed(self) -> tuple[Pairs, Floats]:
        if len(self._cliques.weights) == 0:
            return self._single
        more = self._cliques.listed()
        pairs, weights = (np.concatenate(both) for both in zip(self._single, more, strict=True))
        return merged(pairs, weights, np.maximum)

    def __repr__(self) -> str:
        many = "cannot-link" if self._n == 1 else "cannot-links"
        return f"Contradictions({self._n} {many} inside a neighbourhood)"
