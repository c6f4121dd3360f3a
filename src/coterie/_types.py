"""Names for the arrays that pass between rooms."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]
Labels: TypeAlias = NDArray[np.int32]
Pairs: TypeAlias = NDArray[np.int64]  # (m, 2) row numbers
Rng: TypeAlias = np.random.Generator
