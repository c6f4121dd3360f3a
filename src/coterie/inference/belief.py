"""Belief propagation: max-product messages (Pearl, 1988; Bilenko & Basu, 2004, section 3.1)."""

from collections import Counter
from dataclasses import dataclass
from typing import final

import numpy as np

from coterie._types import Labels, Rng
from coterie._validate import below_one, check_params, real, whole
from coterie.inference.base import AbstractInference
from coterie.inference.peeled import Peeled
from coterie.model import Energy


@final
@dataclass(frozen=True, slots=True)
class BeliefPropagation(AbstractInference):
    """Rows tell those they are linked to what each label would cost them, until all agree.

    Exact where links close no loop. Where they do, messages may not come to rest: what counts are
    the best labels on the way, those that were given among them, of each part of the graph on its
    own. From there rows move one by one while they gain.

    Parameters
    ----------
    damping : float
        How much of an old message stays in the new one, from 0 up to 1, left out. Without any,
        messages may run in circles; the more of it, the slower they are.
    max_iter : int
        One iteration goes back and forth once along all rows.
    tol : float
        Messages rest when none changes by more than this share of the largest one.
    patience : int
        Iterations without better labels after which a component is left.
    n_threads : int
        Parts that no links join are shared among these. The labels are the same for any number.
        `HMRFKMeans` sets it, from `n_jobs`.
    """

    damping: float = 0.4
    max_iter: int = 200
    tol: float = 1e-4
    patience: int = 50
    n_threads: int = 1

    def __post_init__(self) -> None:
        check_params(
            self,
            damping=below_one(),
            max_iter=whole(at_least=1),
            tol=real(at_least=0),
            patience=whole(at_least=1),
            n_threads=whole(at_least=1),
        )

    def infer(
        self, energy: Energy, labels: Labels, rng: Rng, events: Counter[str] | None = None
    ) -> Labels:
        if energy.unary.shape[1] == 1:
            return np.zeros_like(labels)
        peeled = Peeled.of(energy)
        found = peeled.start(labels)
        peeled.converse(
            found,
            reweighted=False,
            damping=self.damping,
            max_iter=self.max_iter,
            tol=self.tol,
            patience=self.patience,
            n_threads=self.n_threads,
        )
        return peeled.labels(peeled.settled(found)[0], labels)
