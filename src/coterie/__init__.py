"""Clustering that takes your word for it.

Say of some pairs of rows "same" or "different", and Coterie finds groups that respect what
was said and that hold for the pairs nobody was asked about.

This module is the shop window: a name is fetched from its room when it is first asked for,
so that importing the package costs next to nothing.
"""

from typing import TYPE_CHECKING

from coterie._version import __version__

__all__ = [
    "RCA",
    "ConstrainedKMeans",
    "ConstraintError",
    "ConstraintIndexError",
    "Constraints",
    "ContradictionError",
    "HMRFKMeans",
    "InfeasibleError",
    "LearnedMetricKMeans",
    "MKMeans",
    "MPCKMeans",
    "PCKMeans",
    "SeededKMeans",
    "SupervisedMeans",
    "__version__",
    "constraints",
    "difficulty",
    "distortion",
    "inference",
    "scores",
]

if TYPE_CHECKING:
    from coterie import constraints, difficulty, distortion, inference, scores
    from coterie._errors import (
        ConstraintError,
        ConstraintIndexError,
        ContradictionError,
        InfeasibleError,
    )
    from coterie.constraints import Constraints
    from coterie.estimators import (
        RCA,
        ConstrainedKMeans,
        HMRFKMeans,
        LearnedMetricKMeans,
        MKMeans,
        MPCKMeans,
        PCKMeans,
        SeededKMeans,
        SupervisedMeans,
    )
else:
    _ROOM_OF = {
        "RCA": "estimators",
        "ConstrainedKMeans": "estimators",
        "ConstraintError": "_errors",
        "ConstraintIndexError": "_errors",
        "Constraints": "constraints",
        "ContradictionError": "_errors",
        "HMRFKMeans": "estimators",
        "InfeasibleError": "_errors",
        "LearnedMetricKMeans": "estimators",
        "MKMeans": "estimators",
        "MPCKMeans": "estimators",
        "PCKMeans": "estimators",
        "SeededKMeans": "estimators",
        "SupervisedMeans": "estimators",
    }

    def __getattr__(name):
        from importlib import import_module

        if name in _ROOM_OF:
            value = getattr(import_module(f"coterie.{_ROOM_OF[name]}"), name)
        elif name in __all__:
            value = import_module(f"coterie.{name}")
        else:
            raise AttributeError(f"module 'coterie' has no attribute {name!r}")
        globals()[name] = value  # ask the room once
        return value

    def __dir__():
        return sorted(__all__)
