"""How linked rows are labelled, with centres and metrics held still."""

from coterie.inference.base import AbstractInference
from coterie.inference.belief import BeliefPropagation
from coterie.inference.exact import Exact
from coterie.inference.held import Held
from coterie.inference.icm import ICM
from coterie.inference.nearest import Nearest
from coterie.inference.relaxation import LinearProgram, lower_bound

INFERENCE = {
    "bp": BeliefPropagation,
    "exact": Exact,
    "icm": ICM,
    "lp": LinearProgram,
    "nearest": Nearest,
}

__all__ = [
    "ICM",
    "INFERENCE",
    "AbstractInference",
    "BeliefPropagation",
    "Exact",
    "Held",
    "LinearProgram",
    "Nearest",
    "lower_bound",
]
