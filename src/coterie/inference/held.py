"""Labels that somebody has given, and that stay."""

from collections import Counter
from dataclasses import dataclass
from typing import final

from coterie._types import Labels, Rng
from coterie.inference.base import AbstractInference
from coterie.model import Energy


@final
@dataclass(frozen=True, eq=False, slots=True)
class Held(AbstractInference):
    """Return the labels that were given."""

    labels: Labels

    def infer(
        self, energy: Energy, labels: Labels, rng: Rng, events: Counter[str] | None = None
    ) -> Labels:
        return self.labels.copy()
