"""Iterated conditional modes (Besag, 1986)."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

from coterie._types import Labels, Rng
from coterie._validate import check_params, flag, one_of, whole
from coterie.inference.base import AbstractInference
from coterie.loops import icm
from coterie.model import Energy, LinkGraph, Units

Ints = NDArray[np.int64]


@final
@dataclass(frozen=True, slots=True)
class ICM(AbstractInference):
    """Visit rows one after the other, each to its cheapest cluster, until nothing moves.

    Row by row, a neighbourhood in the wrong place stays there: the first to leave would break
    all its must-links. So whole neighbourhoods are offered a move too. Rows that are not placed
    yet come in by neighbourhood.

    Parameters
    ----------
    max_sweeps : int
    move_neighbourhoods : bool
    order : {"random", "greedy"}
        Random: in another order each sweep, though at first the largest neighbourhoods come in
        first. Greedy: always those with the fewest links first, and of these the ones nearest to
        a centre (Bilenko, Basu & Mooney, 2004, section 3.2).
    """

    max_sweeps: int = 100
    move_neighbourhoods: bool = True
    order: Literal["random", "greedy"] = "random"

    def __post_init__(self) -> None:
        check_params(
            self,
            max_sweeps=whole(at_least=1),
            move_neighbourhoods=flag(),
            order=one_of("random", "greedy"),
        )

    def infer(
        self, energy: Energy, labels: Labels, rng: Rng, events: Counter[str] | None = None
    ) -> Labels:
        labels = labels.copy()
        graph = energy.graph
        single, together = graph.single, graph.neighbourhoods
        several = together.sizes > 1
        if (labels < 0).any():
            waiting = _waiting(together, labels)
            if self.order == "greedy":
                waiting = self._arranged(energy, together, waiting, rng)
            _sweep(energy, together, waiting, labels)
        stirred = np.ones(len(labels), dtype=bool)
        for _ in range(self.max_sweeps):
            before, rough = labels.copy(), _rough(energy, labels)
            order = self._arranged(energy, single, single.of_any(stirred & rough), rng)
            moved = _sweep(energy, single, order, labels)
            if moved == 0 and self.move_neighbourhoods and several.any():
                frustrated = together.of_any(rough)
                order = self._arranged(energy, together, frustrated[several[frustrated]], rng)
                moved = _sweep(energy, together, order, labels)
            if moved == 0:
                break
            stirred = _stirred(graph, labels != before)
        return labels

    def _arranged(self, energy: Energy, units: Units, chosen: Ints, rng: Rng) -> Ints:
        """Return the units that are chosen, in the order in which they are to be visited."""
        if self.order == "random":
            return rng.permutation(chosen)
        n = len(units.sizes)
        n_links = np.bincount(units.unit_of, np.diff(energy.graph.indptr), n)
        nearest = np.bincount(units.unit_of, energy.unary.min(axis=1), n)
        return chosen[np.lexsort((nearest[chosen], n_links[chosen]))]


def _rough(energy: Energy, labels: Labels) -> NDArray[np.bool_]:
    """Return which rows are nowhere, would rather be elsewhere, or are at an end of a broken link.

    Every other row pays as little as it can: there is no need to visit it.
    """
    rough = np.empty(len(labels), dtype=bool)
    icm.elsewhere_cheaper(energy.unary, labels, rough)
    rough[labels < 0] = True
    rough[energy.graph.pairs[energy.graph.broken(labels)]] = True
    return rough


def _stirred(graph: LinkGraph, moved: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the rows that have moved, as one of many perhaps, and those linked to them.

    Only these have anything new to weigh.
    """
    stirred = moved.copy()
    stirred[graph.other[np.repeat(moved, np.diff(graph.indptr))]] = True
    return stirred


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
