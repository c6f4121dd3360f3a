"""An energy whose trees are solved, and what the methods do alike with the core that is left."""

from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter
from typing import Self

import numpy as np
from numpy.typing import NDArray

from coterie._types import Floats, Labels
from coterie.engines.threads import shared
from coterie.loops import messages, peel
from coterie.model import Core, Energy, Field

SLACK = 1e-12  # a gain below this share of an energy's size is rounding, not progress

_MAX_SWEEPS = 100
_STEPS = 1 << 24  # labels of edge ends that messages go over before Ctrl-C is heard: about 0.2 s
_PARTS = 8  # shares of the work for each thread, so that none waits long for another


@dataclass(frozen=True, eq=False)
class Peeled:
    """What labels cost the core, all that hangs from it included, and what the rest costs at best.

    Trees are solved exactly, so a method need only label the core; its components are problems of
    their own. Labels of the core are better for all when they are better here.
    """

    field: Field
    cost: Floats  # (n, k) of each node, with what hangs from it
    rest: float  # the least energy of the trees alone
    unary: Floats  # (c, k) `cost` of the nodes of the core
    apart: Floats  # (e, 1 or k) of its edges, as in Field
    together: Floats  # (e, 1 or k)
    hard: NDArray[np.bool_]  # (e,)

    @classmethod
    def of(cls, energy: Energy) -> Self:
        """Solve the trees of this energy."""
        field = Field.of_energy(energy)
        skeleton, core = field.skeleton, field.skeleton.core
        cost = np.array(field.unary, dtype=np.float64)
        hangs = skeleton.order, skeleton.parent, skeleton.above
        rest = peel.collect(*hangs, field.apart, field.together, cost)
        return cls(
            field,
            cost,
            rest,
            cost[core.nodes],
            field.apart[core.edges],
            field.together[core.edges],
            field.hard[core.edges],
        )

    @property
    def core(self) -> Core:
        return self.field.skeleton.core

    def start(self, labels: Labels) -> Labels:
        """Return the labels that the core has, where -1 is a node not placed yet."""
        return self.field.of_rows(labels)[self.core.nodes]

    def settled(self, labels: Labels) -> tuple[Labels, Floats]:
        """Return labels of the core that no node gains by leaving, and what components cost.

        Each node in turn goes to its cheapest label, from these on (ICM; Besag, 1986).
        """
        core = self.core
        energies: Floats = np.empty(len(core.starts) - 1)
        labels = labels.copy()
        indptr, other, edge, _ = core.ends
        messages.settle(
            core.starts, indptr, other, edge, self.unary, self.apart, self.together,
            _MAX_SWEEPS, labels, energies,
        )  # fmt: skip
        return labels, energies

    def energies(self, of_core: Labels) -> Floats:
        """Return what these labels cost each component, infinite where not all are placed."""
        core, n = self.core, len(self.core.starts) - 1
        a, b = of_core[core.pairs].T
        e, wide = np.arange(len(a)), self.apart.shape[1] > 1
        away = self.apart[e, a * wide] + self.apart[e, b * wide]
        costs = np.where(a == b, self.together[e, a * wide], away)
        own = self.unary[np.arange(len(of_core)), of_core]
        own = np.where(of_core < 0, np.inf, own)
        of_nodes, of_edges = core.component, core.edge_component
        total: Floats = np.bincount(of_nodes, own, n).astype(np.float64)
        return total + np.bincount(of_edges, costs, n)

    def sizes(self, of_core: Labels, energies: Floats) -> Floats:
        """Return the sum of what the energy of each component adds up, signs left out.

        Links cost 0 or more, rows may cost less, and what cancels leaves rounding of this size.
        """
        own = np.minimum(self.unary[np.arange(len(of_core)), of_core], 0.0)
        below = np.bincount(self.core.component, own, len(energies))
        sizes: Floats = energies - 2.0 * below
        return sizes

    def better(
        self, one: tuple[Labels, Floats], other: tuple[Labels, Floats]
    ) -> tuple[Labels, Floats]:
        """Return the better labels of each component and what they cost: a tie goes to `one`."""
        (labels, energies), (others, theirs) = one, other
        gains = theirs < energies - SLACK * self.sizes(others, theirs)
        moved = gains[self.core.component]
        return np.where(moved, others, labels), np.where(gains, theirs, energies)

    def labels(self, of_core: Labels, before: Labels) -> Labels:
        """Return labels of all rows, given those of the core: what hangs from it follows.

        A tie keeps the label that a row had `before`.
        """
        skeleton = self.field.skeleton
        of_units = self.field.of_rows(before)
        of_units[self.core.nodes] = of_core
        hangs = skeleton.order, skeleton.parent, skeleton.above
        peel.hand_down(*hangs, self.field.apart, self.field.together, self.cost, of_units)
        return self.field.labels(of_units)

    def converse(
        self, labels: Labels, *, reweighted: bool, damping: float, max_iter: int,
        tol: float, patience: int, n_threads: int = 1, deadline: float = np.inf,
    ) -> tuple[Floats, Floats, int]:  # fmt: skip
        """Pass messages along the core, from these labels of it on; they become the best ones.

        Returns what they cost each component, a bound on that, and how many components did not
        come to rest. A few iterations at a time, so that Ctrl-C is heard in between, and the
        deadline: there is always time for the first few.
        """
        core = self.core
        n = len(core.starts) - 1
        energies, bounds = self.energies(labels), np.full(n, -np.inf)
        later = np.bincount(core.pairs[:, 0], minlength=len(core.nodes))
        earlier = np.bincount(core.pairs[:, 1], minlength=len(core.nodes))
        share = 1.0 / np.maximum(later, earlier) if reweighted else np.ones(len(core.nodes))
        sent = np.zeros((2 * len(core.pairs), self.unary.shape[1]))
        waited = np.zeros(n, dtype=np.int64)
        few = max(1, _STEPS // max(1, sent.size))

        def work(turn: tuple[tuple[int, int], int]) -> int:
            span, n_iter = turn
            restless: int = messages.pass_messages(
                core.starts, *core.ends, self.unary, self.apart, self.together, share,
                damping, n_iter, tol, patience, *span, sent, waited, labels, energies, bounds,
            )  # fmt: skip
            return restless

        # Components do not meet, so that any number of threads finds the same.
        cuts = np.linspace(0, 2 * len(core.pairs), _PARTS * n_threads + 1)[1:-1]
        first = np.searchsorted(core.ends.indptr[core.starts], cuts)
        places = np.unique([0, *first, n]).tolist() if n_threads > 1 else [0, n]
        spans, n_restless = list(pairwise(places)), n
        for done in range(0, max_iter, few):
            n_iter = min(few, max_iter - done)
            n_restless = sum(shared(work, [(span, n_iter) for span in spans], n_threads))
            if n_restless == 0 or perf_counter() >= deadline:
                break
        return energies, bounds, n_restless
