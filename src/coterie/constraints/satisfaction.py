"""Which links a labelling keeps."""

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie._errors import ConstraintError
from coterie._types import Pairs
from coterie.constraints.codes import as_codes
from coterie.constraints.value import Links

L = TypeVar("L", bound=Links)


@dataclass(frozen=True, repr=False)
class Satisfaction(Generic[L]):
    """Which links a labelling keeps, and which it breaks.

    Attributes
    ----------
    n_satisfied, n_violated : int
        How many links hold, and how many are broken.
    rate : float
        The share that holds; 1.0 where there are no links.
    violated : Constraints
        The broken links, with their weights.
    violated_weight : float
        The sum of their weights.
    must_link_holds, cannot_link_holds : ndarray of bool
        One answer for each link of `must_link` and of `cannot_link`.

    Examples
    --------
    >>> from coterie.constraints import Constraints
    >>> kept = Constraints([(0, 1)], [(1, 2)]).satisfaction([5, 5, 5])
    >>> kept
    Satisfaction(1 of 2 links hold, 50.0 %; violated weight 1)
    >>> kept.violated.cannot_link.tolist()
    [[1, 2]]
    """

    n_satisfied: int
    n_violated: int
    rate: float
    violated: L
    violated_weight: float
    _links: L = field(compare=False)
    _groups: NDArray[np.integer[Any]] = field(compare=False)

    @property
    def must_link_holds(self) -> NDArray[np.bool_]:
        return _together(self._groups, self._links.must_link)

    @property
    def cannot_link_holds(self) -> NDArray[np.bool_]:
        return ~_together(self._groups, self._links.cannot_link)

    def __repr__(self) -> str:
        total = self.n_satisfied + self.n_violated
        return (
            f"Satisfaction({self.n_satisfied} of {total} links hold, {self.rate:.1%}; "
            f"violated weight {self.violated_weight:g})"
        ).replace("%", " %")


def judge(links: L, labels: ArrayLike) -> Satisfaction[L]:
    """Return which of `links` the labelling keeps. A row of label -1 is in no cluster."""
    groups = _as_groups(links, labels)
    must, cannot = links._must, links._cannot
    must_broken = ~_together(groups, must)
    cannot_broken = _together(groups, cannot)
    cliques = links._cliques.inside(groups)
    violated = links._with(
        (must[must_broken], links._must_weights[must_broken]),
        (cannot[cannot_broken], links._cannot_weights[cannot_broken]),
        cliques,
    )
    n_links = links.n_must_link + links.n_cannot_link
    n_violated = violated.n_must_link + violated.n_cannot_link
    weight = float(violated._must_weights.sum() + violated._cannot_weights.sum())
    if n_in_groups := cliques.n_pairs():
        weight += n_in_groups * cliques.weight
    return Satisfaction(
        n_satisfied=n_links - n_violated,
        n_violated=n_violated,
        rate=1.0 - n_violated / n_links if n_links else 1.0,
        violated=violated,
        violated_weight=weight,
        _links=links,
        _groups=groups,
    )


def _together(groups: NDArray[np.integer[Any]], pairs: Pairs) -> NDArray[np.bool_]:
    a, b = groups[pairs[:, 0]], groups[pairs[:, 1]]
    holds: NDArray[np.bool_] = (a == b) & (a >= 0)
    return holds


def _as_groups(links: Links, labels: ArrayLike) -> NDArray[np.integer[Any]]:
    """Return labels as numbers from 0 up, with -1 for rows in no cluster."""
    given: NDArray[Any] = np.asarray(labels)
    if given.ndim != 1:
        raise ConstraintError(f"labels must be one for each row; got shape {given.shape}.")
    needed = links.n_samples
    if needed is not None and len(given) != needed:
        raise ConstraintError(
            f"The links are about {needed} rows, but there are {len(given)} labels."
        )
    named = np.concatenate([links._must.ravel(), links._cannot.ravel(), links._cliques.rows])
    highest = int(named.max(initial=-1))
    if highest >= len(given):
        raise ConstraintError(f"A link names row {highest}, but there are {len(given)} labels.")
    if given.dtype.kind in "iu":
        nowhere = given < 0
        return np.where(nowhere, -1, given) if nowhere.any() else given
    return as_codes(labels, "labels")
