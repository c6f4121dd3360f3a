"""What an inference method promises to the loop."""

from abc import ABC, abstractmethod
from collections import Counter

from coterie._types import Labels, Rng
from coterie.model import Energy


class AbstractInference(ABC):
    """Choose labels for the energy in front of you. Move nothing else."""

    heeds_links = True  # whether the loop may hold labels to the energy

    @abstractmethod
    def infer(
        self, energy: Energy, labels: Labels, rng: Rng, events: Counter[str] | None = None
    ) -> Labels:
        """Return labels of low energy. Leave `labels` as it was; -1 is a row not yet placed.

        Place every row. You need not beat `labels`: the loop keeps the better of the two. What
        went another way than it should, for want of time say, is counted in `events`.
        """
