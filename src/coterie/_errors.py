"""The house's own errors: plain sentences, with the evidence as attributes."""

from collections.abc import Sequence
from typing import Any


class ConstraintError(ValueError):
    """Something is wrong with the links that were given."""


class ConstraintIndexError(ConstraintError, IndexError):
    """A link names a row that is not there.

    Attributes
    ----------
    rows : list
        The first offending row numbers or ids, five at most.
    n_samples : int or None
        How many rows there are.
    """

    def __init__(
        self, message: str, *, rows: Sequence[Any] = (), n_samples: int | None = None
    ) -> None:
        super().__init__(message)
        self.rows = list(rows)
        self.n_samples = n_samples


class ContradictionError(ConstraintError):
    """Two rows must share a cluster and must not.

    Attributes
    ----------
    path : list
        Rows (in the user's own ids) joined by must-links, from one end of the
        cannot-link to the other.
    contradictions : list
        Every contradiction that was found, this one first.
    """

    def __init__(
        self, message: str, *, path: Sequence[Any] = (), contradictions: Sequence[Any] = ()
    ) -> None:
        super().__init__(message)
        self.path = list(path)
        self.contradictions = list(contradictions)


class InfeasibleError(ConstraintError):
    """The hard links cannot all hold with this number of clusters.

    Attributes
    ----------
    rows : list
        Rows (in the user's own ids) that show it: they must all differ, for instance.
    n_clusters : int or None
        The number of clusters that was asked for.
    """

    def __init__(
        self, message: str, *, rows: Sequence[Any] = (), n_clusters: int | None = None
    ) -> None:
        super().__init__(message)
        self.rows = list(rows)
        self.n_clusters = n_clusters
