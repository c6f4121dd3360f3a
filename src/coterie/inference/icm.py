"""Iterated conditional modes (Besag, 1986)."""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from coterie._types import Labels, Rng
from coterie.inference.base import AbstractInference
from coterie.loops import icm
from coterie.model import Energy, Units

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
        joined = len(together.sizes) < len(single.sizes)
        if (labels < 0).any():
            _sweep(energy, together, _waiting(together, labels), labels)
        for _ in range(self.max_sweeps):
            moved = _sweep(energy, single, rng.permutation(len(single.sizes)), labels)
            if moved == 0 and joined and self.move_neighbourhoods:
                several = np.flatnonzero(together.sizes > 1)
                moved = _sweep(energy, together, rng.permutation(several), labels)
            if moved == 0:
                break
        return labels


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
