"""How far a row is from a centre, and how that measure learns."""

from collections.abc import Callable

from coterie.distortion.base import AbstractDistortion, Assigned, Evidence, Moments
from coterie.distortion.bregman import Bregman
from coterie.distortion.cosine import Cosine
from coterie.distortion.diagonal import Diagonal
from coterie.distortion.full import Full
from coterie.distortion.i_divergence import i_divergence
from coterie.distortion.identity import Identity
from coterie.distortion.itakura_saito import itakura_saito
from coterie.distortion.kl import kl

DISTORTIONS: dict[str, Callable[[bool, float], AbstractDistortion]] = {
    "identity": Identity,
    "diagonal": Diagonal,
    "full": Full,
}

__all__ = [
    "DISTORTIONS",
    "AbstractDistortion",
    "Assigned",
    "Bregman",
    "Cosine",
    "Diagonal",
    "Evidence",
    "Full",
    "Identity",
    "Moments",
    "i_divergence",
    "itakura_saito",
    "kl",
]
