"""What the links entail: neighbourhoods, and the neighbourhoods that must differ."""

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from coterie._errors import ConstraintError
from coterie._types import Floats, Pairs
from coterie.constraints.checks import as_n_samples
from coterie.constraints.cliques import PAIR_BUDGET, Cliques, listed_with
from coterie.constraints.entailment import Groups, entailed_links
from coterie.constraints.pairs import merged, read_only
from coterie.constraints.value import Links

L = TypeVar("L", bound=Links)
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Closure(Generic[L]):
    """The neighbourhoods that must-links make, and which of them must differ.

    A neighbourhood is a set of rows joined by must-links, directly or through others; a row
    that only cannot-links name is a neighbourhood of one. Two neighbourhoods must differ when
    any cannot-link crosses them. A cannot-link inside a neighbourhood is a contradiction; it
    entails nothing.

    Attributes
    ----------
    constraints : Constraints
        The links this was made from.
    rows : ndarray of shape (l,)
        The rows that any link names, sorted.
    neighbourhood : ndarray of shape (l,)
        The neighbourhood of each of `rows`, numbered from 0 in order of first row.
    n_neighbourhoods : int
        How many there are.
    sizes : ndarray of shape (n_neighbourhoods,)
        How many rows each has.
    apart : ndarray of shape (p, 2)
        The pairs of neighbourhoods that must differ, lower number first, sorted.
    apart_weights : ndarray of shape (p,)
        The weight of the strongest cannot-link between the two.
    n_must_link, n_cannot_link : int
        How many links there are after closing, counted without writing them out.

    Examples
    --------
    Rows 0, 1 and 2 hang together; the cannot-link from 2 to 3 binds them all.

    >>> from coterie import Constraints
    >>> closure = Constraints([(0, 1), (1, 2)], [(2, 3)], n_samples=5).closure()
    >>> closure.labels()
    array([0, 0, 0, 1, 2])
    >>> closure.apart
    array([[0, 1]])
    >>> closure.entailed()
    Constraints(3 must-links, 3 cannot-links, 5 rows)
    """

    constraints: L
    rows: Ints
    neighbourhood: Ints
    n_neighbourhoods: int
    sizes: Ints
    _across: Pairs  # of neighbourhoods, without those that only `_cliques` stands for
    _across_weights: Floats
    _cliques: Cliques  # of neighbourhoods
    _inside: Pairs  # of rows: the single links that contradict, and their whole weights
    _inside_weights: Floats
    _inside_cliques: Cliques  # of rows

    @cached_property
    def _apart(self) -> tuple[Pairs, Floats]:
        found = listed_with(self._across, self._across_weights, self._cliques, np.maximum)
        return read_only(found[0]), read_only(found[1])

    @property
    def apart(self) -> Pairs:
        return self._apart[0]

    @property
    def apart_weights(self) -> Floats:
        return self._apart[1]

    @property
    def n_must_link(self) -> int:
        return int((self.sizes * (self.sizes - 1) // 2).sum())

    @cached_property
    def n_cannot_link(self) -> int:
        if self.n_neighbourhoods == len(self.rows):
            return self.constraints.n_cannot_link
        between = self.sizes[self.apart[:, 0]] * self.sizes[self.apart[:, 1]]
        return int(between.sum()) + self.n_contradictions

    @property
    def n_contradictions(self) -> int:
        """How many cannot-links lie inside a neighbourhood."""
        alone = ~self._inside_cliques.hold(self._inside)
        return int(alone.sum()) + self._inside_cliques.n_pairs()

    @cached_property
    def sound(self) -> L:
        """The links, less the soft must-links of neighbourhoods that hold a contradiction.

        From links that contradict anything follows: one must-link that is wrong joins two
        groups, and a few join all. Hard must-links stay.
        """
        at_odds = np.zeros(self.n_neighbourhoods, dtype=bool)
        wrong = np.concatenate([self._inside.ravel(), self._inside_cliques.rows])
        at_odds[self.neighbourhood[np.searchsorted(self.rows, wrong)]] = True
        links = self.constraints
        must, weights = links._must, links._must_weights
        place = np.searchsorted(self.rows, must[:, 0])
        keep = np.isinf(weights) | ~at_odds[self.neighbourhood[place]]
        cannot = links._cannot, links._cannot_weights
        return links._with((must[keep], weights[keep]), cannot, links._cliques)

    def _contradictory(self) -> tuple[Pairs, Floats]:
        """Return the cannot-links inside a neighbourhood, groups written out."""
        inside = self._inside, self._inside_weights
        return listed_with(*inside, self._inside_cliques, np.maximum)

    def labels(self, n_samples: int | None = None) -> Ints:
        """Return the neighbourhood of every row; a row without links is alone.

        Neighbourhoods are numbered in order of first row, so the numbers differ from those in
        `neighbourhood` wherever rows without links come in between.
        """
        n = as_n_samples(n_samples)
        n = self.constraints.n_samples if n is None else n
        if n is None:
            raise ConstraintError(
                "These links do not say how many rows there are: labels(n_samples)."
            )
        if len(self.rows) and self.rows[-1] >= n:
            raise ConstraintError(f"A link names row {self.rows[-1]}, but there are {n} rows.")
        first = np.empty(self.n_neighbourhoods, dtype=np.int64)
        # Of several values for one place the last is kept: the lowest row.
        first[self.neighbourhood[::-1]] = self.rows[::-1]
        leader = np.arange(n, dtype=np.int64)
        leader[self.rows] = first[self.neighbourhood]
        number = np.cumsum(leader == np.arange(n)) - 1
        return number[leader]

    def entailed(self, budget: int = PAIR_BUDGET) -> L:
        """Return the links with all that they entail, weighted.

        An entailed must-link weighs the weakest link of the strongest chain that joins its
        ends. An entailed cannot-link weighs the weakest of a chain, a given cannot-link and a
        chain, for the strongest such way. A given link is a way of its own, so it never weighs
        less than it did. Contradictions stay as given.

        Raises
        ------
        ConstraintError
            When there would be more than `budget` links.
        """
        if self.n_neighbourhoods == len(self.rows):
            return self.constraints  # no must-links: nothing follows
        self._check_budget(budget)
        groups = Groups(
            self.constraints,
            self.rows,
            self.neighbourhood,
            self.sizes,
            self.apart,
            self.apart_weights,
        )
        must, cannot = entailed_links(groups)
        both = zip(cannot, self._contradictory(), strict=True)
        pairs, weights = (np.concatenate(parts) for parts in both)
        return self.constraints._with(merged(*must), merged(pairs, weights))

    def _check_budget(self, budget: int) -> None:
        if self.n_must_link > budget or self._cliques.n_pairs() > PAIR_BUDGET:
            many = f"{self.n_must_link:,} must-links, and cannot-links besides"
        elif self.n_must_link + self.n_cannot_link > budget:
            many = f"{self.n_must_link:,} must-links and {self.n_cannot_link:,} cannot-links"
        else:
            return
        raise ConstraintError(
            f"Closing these links gives {many}, more than the {budget:,} links that are written "
            "out. Estimators take closure=False to use the links as given."
        )

    def __repr__(self) -> str:
        many = "neighbourhood" if self.n_neighbourhoods == 1 else "neighbourhoods"
        return f"Closure({self.n_neighbourhoods} {many} of {len(self.rows)} linked rows)"


def close(links: L) -> Closure[L]:
    """Return the neighbourhoods that `links` make, and which of them must differ."""
    must, cannot, cliques = links._must, links._cannot, links._cliques
    weights = cliques.total(cannot, links._cannot_weights)
    rows = np.unique(np.concatenate([must.ravel(), cannot.ravel(), cliques.rows]))
    neighbourhood = _components(np.searchsorted(rows, must), len(rows))
    n = int(neighbourhood.max(initial=-1)) + 1
    sides = neighbourhood[np.searchsorted(rows, cannot)]
    inside: NDArray[np.bool_] = sides[:, 0] == sides[:, 1]
    across, across_weights = merged(sides[~inside], weights[~inside], np.maximum)
    of_row = np.full(int(rows.max(initial=-1)) + 1, -1, dtype=np.int64)
    of_row[rows] = neighbourhood
    return Closure(
        constraints=links,
        rows=read_only(rows),
        neighbourhood=read_only(neighbourhood),
        n_neighbourhoods=n,
        sizes=read_only(np.bincount(neighbourhood, minlength=n).astype(np.int64)),
        _across=across,
        _across_weights=across_weights,
        _cliques=cliques.between(of_row),
        _inside=cannot[inside],
        _inside_weights=weights[inside],
        _inside_cliques=cliques.inside(of_row),
    )


def _components(pairs: NDArray[np.intp], n: int) -> Ints:
    """Return the component of each of `n` nodes, numbered in order of first node."""
    if len(pairs) == 0:
        return np.arange(n, dtype=np.int64)
    ones = np.ones(len(pairs), dtype=np.int8)
    graph = sparse.coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(n, n)).tocsr()
    n_found, found = csgraph.connected_components(graph, directed=False)
    first = np.empty(n_found, dtype=np.int64)
    first[found[::-1]] = np.arange(n)[::-1]
    number = np.empty(n_found, dtype=np.int64)
    number[np.argsort(first)] = np.arange(n_found)
    components: Ints = number[found]
    return components
