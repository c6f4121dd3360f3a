"""Whether all links can hold at once with a given number of clusters."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._types import Labels
from coterie._validate import whole
from coterie.constraints import Constraints, as_constraints
from coterie.difficulty.colouring import decide

_SHOWN = 6  # rows in a repr


@dataclass(frozen=True, eq=False, repr=False)
class Feasibility:
    """Whether all links can hold with so many clusters, and what shows it.

    It is true or false as `answer` is; an undecided one raises ValueError when it is asked.

    Attributes
    ----------
    answer : bool or None
        None where the search was stopped before it came to an end.
    proof : {"colouring", "clique", "contradiction", "search", "undecided"}
        How it was decided. A greedy *colouring* succeeded; a *clique* of rows that must all
        differ is larger than the number of clusters; a *contradiction* asks two rows to share
        a cluster and to differ; or an exact *search* found a colouring or went through all.
    labels : ndarray of shape (len(rows),), or None
        Where the answer is yes, clusters for `rows` that keep every link.
    rows : ndarray
        The row numbers that show it. With "yes", all linked rows. With "clique", rows that must
        all differ. With "contradiction", the chain of must-links between the ends of a
        cannot-link. With "search" and "no", one row of each neighbourhood among which it
        fails; with "undecided", among which it was not settled.
    """

    answer: bool | None
    proof: str
    labels: Labels | None
    rows: NDArray[np.int64]

    def __bool__(self) -> bool:
        if self.answer is None:
            raise ValueError(
                "Whether these links can all hold was not decided in so many steps. "
                "Give is_feasible more max_steps, or look at .answer, which is None."
            )
        return self.answer

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.rows[:_SHOWN].tolist()))
        more = len(self.rows) - _SHOWN
        rows = f"rows {shown} and {more:,} more" if more > 0 else f"rows {shown}"
        if self.answer is None:
            return f"Feasibility(undecided: {rows})"
        if not self.answer:
            return f"Feasibility(no, by {self.proof}: {rows})"
        many = "row" if len(self.rows) == 1 else "rows"
        return f"Feasibility(yes, by {self.proof}: {len(self.rows):,} linked {many})"


def is_feasible(constraints: Any, n_clusters: int, *, max_steps: int = 100_000) -> Feasibility:
    """Return whether all links can hold at once with `n_clusters` clusters.

    Must-linked rows make neighbourhoods, and cannot-links a graph between these; the links
    can all hold when the graph has a colouring of `n_clusters` colours. That is hard in the
    worst case, so cheap proofs come first and the exact search is bounded.

    Parameters
    ----------
    constraints : Constraints, or whatever `constraints=` takes
        All links count, soft ones too: `constraints.hard` asks about the hard ones alone.
    n_clusters : int
        How many clusters there may be. Some may stay empty.
    max_steps : int, default=100_000
        How often the search may take a cluster back before it gives up. With one or two
        clusters it never has to.

    Returns
    -------
    Feasibility
        True or false, with the proof and its evidence; or undecided.

    References
    ----------
    Davidson, Ravi (2007). The complexity of non-hierarchical clustering with instance and
    cluster level constraints. Data Mining and Knowledge Discovery 14.

    Brélaz (1979). New methods to color the vertices of a graph. CACM 22.

    Examples
    --------
    >>> from coterie import Constraints
    >>> links = Constraints(must_link=[(2, 3)], cannot_link=[(0, 1), (1, 2), (0, 3)])
    >>> is_feasible(links, 3)
    Feasibility(yes, by colouring: 4 linked rows)
    >>> is_feasible(links, 3).labels
    array([0, 1, 2, 2], dtype=int32)

    Rows 0 and 1 must differ, and neither may be with rows 2 and 3:

    >>> is_feasible(links, 2)
    Feasibility(no, by clique: rows 0, 1, 2)
    """
    for name, value, rule in (
        ("n_clusters", n_clusters, whole(at_least=1)),
        ("max_steps", max_steps, whole(at_least=0)),
    ):
        if not rule.holds(value):
            raise ValueError(f"is_feasible: {name} must be {rule.words}; got {value!r}.")
    links = _as_links(constraints)
    if len(links.contradictions()):
        return Feasibility(False, "contradiction", None, _chain(links))
    closure = links.closure()
    n = closure.n_neighbourhoods
    verdict = decide(closure.apart, n, int(n_clusters), int(max_steps))
    if verdict.colours is not None:
        labels = verdict.colours[closure.neighbourhood]
        return Feasibility(True, verdict.proof, labels, closure.rows)
    # Neighbourhoods are numbered by first row, so the first of each come in order.
    first = closure.rows[np.unique(closure.neighbourhood, return_index=True)[1]]
    return Feasibility(verdict.answer, verdict.proof, None, first[verdict.nodes])


def _as_links(given: Any) -> Constraints:
    """Return `given` as Constraints, which need not say how many rows there are."""
    if isinstance(given, Constraints):
        return given
    if isinstance(given, list | tuple) and len(given) == 2:
        must, cannot = (() if part is None else part for part in given)
        return Constraints(must, cannot)
    return as_constraints(given, given.shape[0] if sparse.issparse(given) else 0)


def _chain(links: Constraints) -> NDArray[np.int64]:
    """Return the rows of the first contradiction, by number and not by the user's ids."""
    anonymous = Constraints(links.must_link, links.cannot_link)
    return np.array(anonymous.contradictions()[0].path, dtype=np.int64)
