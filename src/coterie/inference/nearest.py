"""Every row for itself: links are not looked at."""

from collections import Counter
from dataclasses import dataclass
from typing import final

import numpy as np

from coterie._types import Labels, Rng
from coterie.inference.base import AbstractInference
from coterie.model import Energy


@final
@dataclass(frozen=True, slots=True)
class Nearest(AbstractInference):
    """Give each row to its nearest centre, as k-means does."""

    heeds_links = False

    def infer(
        self, energy: Energy, labels: Labels, rng: Rng, events: Counter[str] | None = None
    ) -> Labels:
        nearest: Labels = energy.unary.argmin(axis=1).astype(np.int32)
        return nearest
