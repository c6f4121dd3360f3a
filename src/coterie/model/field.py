"""An energy over the skeleton: what labels cost each node, and each edge."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from coterie._types import Floats, Labels
from coterie.model.energy import Energy
from coterie.model.graph import Units
from coterie.model.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Field:
    """What each label costs each unit, and each two labels the units that links join.

    Labels a and b at the ends of an edge cost apart[a] + apart[b], or together[a] where they are
    the same. So must-links add to `apart`, cannot-links to `together`.
    """

    skeleton: Skeleton
    units: Units
    unary: Floats  # (n, k)
    apart: Floats  # (e, 1 or k)
    together: Floats  # (e, 1 or k)
    hard: NDArray[np.bool_]  # (e,) whether a hard cannot-link is among the links

    @classmethod
    def of_energy(cls, energy: Energy) -> Self:
        """Return the field of this energy. Every labelling of units costs the same in both."""
        graph = energy.graph
        skeleton, units = graph.skeleton, graph.single
        must = graph.must[:, None]
        inside = np.flatnonzero((skeleton.edge_of < 0) & ~graph.must)
        if len(units.sizes) == len(energy.unary):
            # Units are numbered by their first rows: each is its row.
            unary = energy.unary
        else:
            unary = np.add.reduceat(energy.unary[units.members], units.starts[:-1], axis=0)
        if len(inside):
            unary = unary.copy()
            np.add.at(unary, units.unit_of[graph.pairs[inside, 0]], energy.penalty[inside])
        return cls(
            skeleton,
            units,
            unary,
            skeleton.added(np.where(must, energy.penalty, 0.0)),
            skeleton.added(np.where(must, 0.0, energy.penalty)),
            skeleton.added((graph.hard & ~graph.must).astype(float)) > 0,
        )

    def of(self, labels: Labels) -> float:
        """Return the energy of these labels of units, all placed."""
        a, b = labels[self.skeleton.pairs].T
        e, wide = np.arange(len(a)), self.apart.shape[1] > 1
        away = self.apart[e, a * wide] + self.apart[e, b * wide]
        costs = np.where(a == b, self.together[e, a * wide], away)
        return float(self.unary[np.arange(len(labels)), labels].sum() + costs.sum())

    def labels(self, of_units: Labels) -> Labels:
        """Return the labels of rows, given those of units."""
        return of_units[self.units.unit_of]

    def of_rows(self, labels: Labels) -> Labels:
        """Return the labels of units, given those of rows: that of the first row placed, or -1."""
        last_first = self.units.members[::-1]
        placed = last_first[labels[last_first] >= 0]
        found = np.full(len(self.units.sizes), -1, dtype=np.int32)
        found[self.units.unit_of[placed]] = labels[placed]
        return found
