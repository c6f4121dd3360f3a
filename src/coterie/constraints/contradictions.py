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
from coterie.constraints.cliques import PAIR_BUDGET, listed_with, make_cliques
from coterie.constraints.closure import Closure, close
from coterie.constraints.pairs import keys, ragged
from coterie.constraints.value import Links

_SHOWN = 10  # rows of a chain in a message
_CARRIED = 1000  # contradictions that an error carries

Ints = NDArray[np.int64]


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
    def _path_rows(self) -> Ints:
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
        self._closure = closure
        self._n = closure.n_contradictions
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

    @cached_property
    def _listed(self) -> tuple[Pairs, Floats]:
        return self._closure._contradictory()

    def first(self, most: int) -> list[Contradiction]:
        """Return `most` of them at most, without writing out large groups.

        Where there are too many to write out, these come from the first rows of each group.
        """
        if self._n <= PAIR_BUDGET:
            return self[:most]
        cliques = self._closure._inside_cliques
        owner, rank = ragged(np.diff(cliques.indptr))
        few = (rank <= most) & (owner <= most)
        cliques = make_cliques(owner[few], cliques.rows[few], cliques.weight)
        single = self._closure._inside[:most], self._closure._inside_weights[:most]
        pairs, weights = listed_with(*single, cliques, np.maximum)
        both = zip(pairs[:most].tolist(), weights[:most].tolist(), strict=True)
        return [Contradiction((a, b), weight, self._chains) for (a, b), weight in both]

    def __repr__(self) -> str:
        many = "cannot-link" if self._n == 1 else "cannot-links"
        return f"Contradictions({self._n} {many} inside a neighbourhood)"


class _Chains:
    """The graph of must-links, searched breadth first from one row at a time."""

    def __init__(self, closure: Closure[Any]) -> None:
        self._links = closure.constraints
        self._rows = closure.rows
        self._source = -1
        self._toward_source = np.empty(0, dtype=np.int64)

    def name(self, row: int) -> Any:
        """Return what the user calls this row."""
        return name(self._links.ids, row)

    @cached_property
    def _graph(self) -> Any:
        ends = np.searchsorted(self._rows, self._links.must_link)
        both = np.concatenate([ends, ends[:, ::-1]])
        ones = np.ones(len(both), dtype=np.int8)
        n = len(self._rows)
        return sparse.coo_array((ones, (both[:, 0], both[:, 1])), shape=(n, n)).tocsr()

    def shortest(self, a: int, b: int) -> Ints:
        """Return the rows of the shortest chain from `a` to `b`."""
        source, node = np.searchsorted(self._rows, [b, a]).tolist()
        if source != self._source:
            found = csgraph.breadth_first_order(self._graph, source, return_predecessors=True)
            self._source, self._toward_source = source, found[1]
        chain = [node]
        while node != source:
            node = int(self._toward_source[node])
            chain.append(node)
        return self._rows[chain]

    def weights_along(self, chain: Ints) -> Floats:
        """Return the weights of the links from each row of `chain` to the next."""
        steps = np.column_stack([chain[:-1], chain[1:]])
        n = int(self._rows[-1]) + 1
        spots = np.searchsorted(keys(self._links.must_link, n), keys(steps, n))
        weights: Floats = self._links.must_link_weights[spots]
        return weights


def refuse_contradictions(constraints: Links) -> None:
    """Raise when links of infinite weight contradict each other.

    Links of finite weight are penalties: where they contradict, one of them yields.

    Raises
    ------
    ContradictionError
        With the chain of must-links as `path`, and up to 1000 `contradictions`.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import Constraints
    >>> links = Constraints([(4, 7), (7, 9)], [(4, 9)])
    >>> refuse_contradictions(links)
    >>> hard = Constraints([(4, 7), (7, 9)], [(4, 9)],
    ...                    must_link_weights=np.inf, cannot_link_weights=np.inf)
    >>> refuse_contradictions(hard)
    Traceback (most recent call last):
        ...
    coterie._errors.ContradictionError: Rows 4 and 9 must share a cluster and must not.
      must-link:   4 - 7 - 9
      cannot-link: 4 - 9
    Drop one of these links, or give them weights so that one can yield.
    """
    found = Contradictions(close(constraints.hard))
    if not found:
        return
    first, *others = carried = found.first(_CARRIED)
    more = "" if not others else f"\nThere are {len(found) - 1:,} more contradictions."
    if len(found) == 2:
        more = "\nThere is 1 more contradiction."
    raise ContradictionError(
        f"{first}\nDrop one of these links, or give them weights so that one can yield.{more}",
        path=first.path,
        contradictions=carried,
    )
