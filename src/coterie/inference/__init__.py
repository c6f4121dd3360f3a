"""How linked rows are labelled, with centres and metrics held still."""

from coterie.inference.base import AbstractInference
from coterie.inference.held import Held
from coterie.inference.icm import ICM
from coterie.inference.nearest import Nearest

INFERENCE = {"icm": ICM, "nearest": Nearest}

__all__ = ["ICM", "INFERENCE", "AbstractInference", "Held", "Nearest"]
