"""How the ends of links lie: kept where that is little, else made anew, some at a time."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie._types import Floats, Pairs
from coterie.distortion import AbstractDistortion

KEPT = 1 << 23  # numbers
_AT_A_TIME = 1 << 20


class Apart:
    """The ends of links, as the distortion has them."""

    def __init__(self, distortion: AbstractDistortion, rows: Any, pairs: Pairs) -> None:
        self._distortion = distortion
        self._rows = rows
        self._pairs = pairs
        self.width: int = distortion.apart(rows, pairs[:0]).shape[1]

    def __getitem__(self, links: NDArray[np.int64]) -> Any:
        """Return how the ends of these links lie."""
        if self._whole is not None:
            return self._whole[links]
        return self._distortion.apart(self._rows, self._pairs[links])

    def gaps(self, metric: Floats) -> Floats:
        """Return how far apart the ends of each link are."""
        if self._whole is not None:
            return self._distortion.gaps(self._whole, metric)
        size = max(1, _AT_A_TIME // self.width)
        blocks = [self._pairs[i : i + size] for i in range(0, len(self._pairs), size)]
        apart, gaps = self._distortion.apart, self._distortion.gaps
        return np.concatenate([gaps(apart(self._rows, block), metric) for block in blocks])

    @cached_property
    def _whole(self) -> Any:
        if len(self._pairs) * self.width > KEPT:
            return None
        return self._distortion.apart(self._rows, self._pairs)
