"""How far a row is from a centre, and how that measure learns."""

from collections.abc import Callable

from coterie.distortion.base import AbstractDistortion, Evidence, Moments
from coterie.distortion.diagonal import Diagonal
from coterie.distortion.full import Full
from coterie.distortion.identity import Identity

DISTORTIONS: dict[str, Callable[[bool, float], AbstractDistortion]] = {
    "identity": Identity,
    "diagonal": Diagonal,
    "full": Full,
}

__all__ = [
    "DISTORTIONS",
    "AbstractDistortion",
    "Diagonal",
    "Evidence",
    "Full",
    "Identity",
    "Moments",
]
