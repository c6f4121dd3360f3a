"""The problem, its energy and its result: they hold and compare, and never solve."""

from coterie.model.energy import Energy
from coterie.model.graph import LinkGraph, Units
from coterie.model.problem import Problem
from coterie.model.result import Result

__all__ = ["Energy", "LinkGraph", "Problem", "Result", "Units"]
