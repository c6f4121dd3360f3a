"""The cost of labelling the linked rows, with centres and metrics held still."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from coterie._types import Floats, Labels
from coterie.model.graph import LinkGraph


@dataclass(frozen=True)
class Energy:
    """What each label costs a row, and what each broken link costs.

    A broken must-link costs the entries of `penalty` of both its clusters, a broken cannot-link
    the entry of the cluster that its rows share. Hard links count apart: `of` puts a price on
    them that no other saving can outweigh, `penalties` leaves them out.
    """

    graph: LinkGraph
    unary: Floats  # (l, k)
    penalty: Floats  # (m, 1 or k)

    @classmethod
    def build(cls, graph: LinkGraph, unary: Floats, penalty: Floats) -> Self:
        """Return the energy, with a finite price on hard links."""
        hard = graph.hard
        if hard.any():
            soft = 2 * penalty[~hard].max(axis=1, initial=0.0).sum()
            at_stake = (unary.max(axis=1) - unary.min(axis=1)).sum()
            penalty = penalty.copy()
            penalty[hard] = 2.0 * (1.0 + at_stake + soft)
        return cls(graph, unary, penalty)

    def of(self, labels: Labels) -> float:
        """Return the energy, hard links priced; infinite while a row has no label."""
        if (labels < 0).any():
            return np.inf
        own = self.unary[np.arange(len(labels)), labels].sum()
        return float(own + self.costs(labels).sum())

    def penalties(self, labels: Labels) -> float:
        """Return what the broken soft links cost."""
        return float(self.costs(labels)[self.soft].sum())

    def costs(self, labels: Labels) -> Floats:
        """Return what each link costs, 0 where it holds."""
        a, b = labels[self.graph.pairs[:, 0]], labels[self.graph.pairs[:, 1]]
        m, wide = np.arange(len(a)), self.penalty.shape[1] > 1
        at_a = self.penalty[m, a * wide]
        at_b = self.penalty[m, b * wide]
        costs: Floats = np.where(self.graph.must, (a != b) * (at_a + at_b), (a == b) * at_a)
        return costs

    @cached_property
    def soft(self) -> NDArray[np.bool_]:
        return ~self.graph.hard
