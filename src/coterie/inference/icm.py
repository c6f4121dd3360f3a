"""Iterated conditional modes (Besag, 1986)."""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from coterie._types import Labels, Rng
from coterie.inference.base import AbstractInference
from coterie.loops import icm
from coterie.model import Energy, LinkGraph, Units

Ints = NDArray[np.int64]


@final
@dataclass(frozen=True, slots=True)
class ICM(AbstractInference):
    """Visit rows in random order, each to its cheapest cluster, until nothing moves.

    Row by row, a neighbourhood in the wrong place stays there: the first to leave would break
    all its must-links. So whole neighbourhoods are offered a move too. Rows that are not placed
    yet come in by neighbourhood, the largest first.
    """

    max_sweeps: int = 100
    move_neighbourhoods: bool = True

    def infer(self, energy: Energy, labels: Labels, rng: Rng) -> Labels:
        labels = labels.copy()
        single, together = energy.graph.single, energy.graph.neighbourhoods
        several = np.flatnonzero(together.sizes > 1)
        if (labels < 0).any():
            _sweep(energy, together, _waiting(together, labels), labels)
        # Only what has moved, as one of many perhaps, and what is linked to it has anything new
        # to weigh.
        stale = np.arange(len(single.sizes))
        for _ in range(self.max_sweeps):
            before = labels.copy()
            moved = _sweep(energy, single, rng.permutation(stale), labels)
            if moved == 0 and self.move_neighbourhoods and len(several):
                moved = _sweep(energy, together, rng.permutation(several), labels)
            if moved == 0:
                break
            stale = np.unique(single.unit_of[_stirred(energy.graph, labels != before)])
        return labels


def _stirred(graph: LinkGraph, moved: NDArray[np.bool_]) -> Ints:
    """Return the rows that have moved, and those that links join to them, some of them often."""
    beside = graph.other[np.repeat(moved, np.diff(graph.indptr))]
    return np.concatenate([np.flatnonzero(moved), beside])


def _waiting(units: Units, labels: Labels) -> Ints:
    """Return the units without any placed row, the largest first."""
    placed = np.bincount(units.unit_of, weights=labels >= 0, minlength=len(units.sizes)) > 0
    order = np.argsort(-units.sizes, kind="stable")
    return order[~placed[order]].astype(np.int64)


def _sweep(energy: Energy, units: Units, order: Ints, labels: Labels) -> int:
    graph = energy.graph
    moved: int = icm.icm_sweep(
        energy.unary,
        graph.indptr,
        graph.other,
        graph.link,
        graph.must,
        energy.penalty,
        units.starts,
        units.members,
        units.unit_of,
        order.astype(np.int64),
        labels,
    )
    return moved
