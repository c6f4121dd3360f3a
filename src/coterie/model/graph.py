"""The linked rows as a graph of their own, numbered from 0, beside the many that carry no link."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from coterie._types import Floats, Pairs
from coterie.constraints import Closure, Constraints
from coterie.model.skeleton import Skeleton

Ints = NDArray[np.int64]


class Units(NamedTuple):
    """Sets of linked rows that move together."""

    starts: Ints  # (u + 1,) unit u has the rows members[starts[u]:starts[u + 1]]
    members: Ints  # (l,)
    unit_of: Ints  # (l,)

    @classmethod
    def of(cls, unit_of: Ints) -> Self:
        """Return the units from the number of each row's unit, which runs from 0."""
        starts = np.concatenate([[0], np.cumsum(np.bincount(unit_of))]).astype(np.int64)
        return cls(starts, np.argsort(unit_of, kind="stable").astype(np.int64), unit_of)

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts)

    def of_any(self, rows: NDArray[np.bool_]) -> Ints:
        """Return the units that any of these rows belongs to."""
        found = np.zeros(len(self.starts) - 1, dtype=bool)
        found[self.unit_of[rows]] = True
        return np.flatnonzero(found).astype(np.int64)


@dataclass(frozen=True)
class LinkGraph:
    """Links between rows 0 to l - 1, which stand for `rows`."""

    rows: Ints  # (l,) sorted
    pairs: Pairs  # (m, 2) ends, as places in `rows`; must-links first
    must: NDArray[np.bool_]  # (m,)
    weights: Floats  # (m,) infinite: hard
    indptr: Ints  # (l + 1,)
    other: Ints  # (2m,) the row at the other end
    link: Ints  # (2m,) which link it is
    single: Units  # hard must-links bind their rows together; every other row moves alone
    neighbourhoods: Units  # rows that any must-links join

    @classmethod
    def of(cls, constraints: Constraints, given: Constraints) -> Self:
        """Return the graph of `constraints`, with the neighbourhoods of `given`, not yet closed."""
        closure = given.closure()
        rows = closure.rows
        # Neighbourhoods that contradict themselves are none.
        together = closure.sound.closure() if closure.n_contradictions else closure
        must, cannot = constraints.must_link, constraints.cannot_link
        pairs = np.searchsorted(rows, np.concatenate([must, cannot])).astype(np.int64)
        is_must = np.zeros(len(pairs), dtype=bool)
        is_must[: len(must)] = True
        weights = np.concatenate([constraints.must_link_weights, constraints.cannot_link_weights])
        ends = pairs.T.ravel()
        order = np.argsort(ends, kind="stable")
        indptr = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=len(rows)))])
        n_links = len(pairs)
        return cls(
            rows=rows,
            pairs=pairs,
            must=is_must,
            weights=weights,
            indptr=indptr.astype(np.int64),
            other=pairs[:, ::-1].T.ravel()[order],
            link=(order % n_links if n_links else order).astype(np.int64),
            single=Units.of(_units(given.hard.closure(), rows)),
            neighbourhoods=Units.of(_units(together, rows)),
        )

    @classmethod
    def empty(cls, rows: Ints) -> Self:
        """Return a graph of rows that are held, but carry no links."""
        none = np.empty(0, dtype=np.int64)
        alone = Units.of(np.arange(len(rows), dtype=np.int64))
        return cls(
            rows=rows,
            pairs=np.empty((0, 2), dtype=np.int64),
            must=np.empty(0, dtype=bool),
            weights=np.empty(0),
            indptr=np.zeros(len(rows) + 1, dtype=np.int64),
            other=none,
            link=none,
            single=alone,
            neighbourhoods=alone,
        )

    @property
    def hard(self) -> NDArray[np.bool_]:
        return np.isinf(self.weights)

    @cached_property
    def skeleton(self) -> Skeleton:
        """The units of `single` as nodes, and how they hang together."""
        return Skeleton.of(self.single.unit_of[self.pairs], len(self.single.sizes))

    def broken(self, labels: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which links these labels of the linked rows break."""
        a, b = labels[self.pairs[:, 0]], labels[self.pairs[:, 1]]
        broken: NDArray[np.bool_] = (a != b) == self.must
        return broken


def _units(closure: Closure[Constraints], rows: Ints) -> Ints:
    """Return which of `rows` are of one neighbourhood, by numbers in order of first row."""
    unit_of = np.arange(len(rows), dtype=np.int64)
    place = np.searchsorted(rows, closure.rows)
    first = np.full(closure.n_neighbourhoods, len(rows), dtype=np.int64)
    np.minimum.at(first, closure.neighbourhood, place)
    unit_of[place] = first[closure.neighbourhood]
    return np.unique(unit_of, return_inverse=True)[1].astype(np.int64)
