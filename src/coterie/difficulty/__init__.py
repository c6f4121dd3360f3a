"""How hard, and how helpful, a set of links is, before anything is fitted to it."""

from coterie.difficulty.feasibility import Feasibility, is_feasible
from coterie.difficulty.measures import coherence, informativeness

__all__ = ["Feasibility", "coherence", "informativeness", "is_feasible"]
