"""Where the rows live, and who sweeps them."""

from coterie.engines.base import AbstractRows, Linear, Quadratic, Rule, Sums, squared
from coterie.engines.blas import one_blas_thread
from coterie.engines.memory import DenseRows
from coterie.engines.sparse import SparseRows

__all__ = [
    "AbstractRows",
    "DenseRows",
    "Linear",
    "Quadratic",
    "Rule",
    "SparseRows",
    "Sums",
    "one_blas_thread",
    "squared",
]
