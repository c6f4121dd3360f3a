"""What the loop found."""

from collections import Counter
from dataclasses import dataclass, field

from coterie._types import Floats, Labels


@dataclass(frozen=True)
class Result:
    """A local minimum of the objective, and the way to it.

    Attributes
    ----------
    labels : ndarray of shape (n,)
    centres : ndarray of shape (k, d)
        Of the shifted rows.
    metric : ndarray
    trace : list of float
        The objective after each half-step: labels, centres, metric.
    converged : bool
    n_iter : int
    n_broken_hard : int
        Hard links that no labelling was found for.
    farthest : str
        "exact" or "candidates": how the farthest pair of Eq. 5 was sought; "unused" without it.
    events : Counter
        Steps that may raise the objective, as the paper says, each with its count.
    """

    labels: Labels
    centres: Floats
    metric: Floats
    trace: list[float]
    converged: bool
    n_iter: int
    n_broken_hard: int = 0
    farthest: str = "unused"
    events: Counter[str] = field(default_factory=Counter)

    @property
    def objective(self) -> float:
        return self.trace[-1]
