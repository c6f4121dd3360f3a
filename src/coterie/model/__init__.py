"""The problem, its energy and its result: they hold and compare, and never solve."""

from coterie.model.energy import Energy
from coterie.model.field import Field
from coterie.model.graph import LinkGraph, Units
from coterie.model.problem import Problem
from coterie.model.result import Result
from coterie.model.skeleton import Core, Ends, Skeleton

__all__ = [
    "Core",
    "Ends",
    "Energy",
    "Field",
    "LinkGraph",
    "Problem",
    "Result",
    "Skeleton",
    "Units",
]
