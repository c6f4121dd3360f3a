"""Where the centres begin."""

from collections.abc import Callable

from coterie.seeding.base import AbstractSeeding, Candidates, gather, gather_rows
from coterie.seeding.complete import complete
from coterie.seeding.neighbourhoods import FarthestFirst
from coterie.seeding.plusplus import PlusPlus

SEEDING: dict[str, Callable[[], AbstractSeeding]] = {
    "neighbourhoods": FarthestFirst,
    "k-means++": PlusPlus,
}

__all__ = [
    "SEEDING",
    "AbstractSeeding",
    "Candidates",
    "FarthestFirst",
    "PlusPlus",
    "complete",
    "gather",
    "gather_rows",
]
