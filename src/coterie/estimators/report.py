"""What a fit did with the links."""

from dataclasses import dataclass

import numpy as np

from coterie.constraints import Constraints, Satisfaction

_SHOWN = 5


@dataclass(frozen=True, repr=False)
class LinkReport:
    """Which links the labels keep, and what the broken ones cost.

    Attributes
    ----------
    given : Satisfaction
        Of the links as they were given.
    closed : Satisfaction
        Of the links with all that they entail; the same where the closure was not taken.
    costs : ndarray
        What each broken link of `closed` adds to the objective: must-links first, in the order
        of ``closed.violated.must_link``, then cannot-links.
    """

    given: Satisfaction[Constraints]
    closed: Satisfaction[Constraints]
    costs: np.ndarray

    @property
    def n_entailed(self):
        """How many links follow from those that were given."""
        total = self.closed.n_satisfied + self.closed.n_violated
        return total - self.given.n_satisfied - self.given.n_violated

    def __repr__(self):
        n_given = self.given.n_satisfied + self.given.n_violated
        n_closed = n_given + self.n_entailed
        return (
            f"LinkReport({self.given.n_satisfied} of {n_given} links kept; with the "
            f"{self.n_entailed} that they entail, {self.closed.n_satisfied} of {n_closed})"
        )

    def __str__(self):
        lines = [repr(self)]
        violated = self.closed.violated
        kinds = [("must-link", violated.must_link), ("cannot-link", violated.cannot_link)]
        broken = [(kind, a, b) for kind, pairs in kinds for a, b in pairs.tolist()]
        dearest = np.argsort(-self.costs, kind="stable")
        for place in dearest[:_SHOWN]:
            kind, a, b = broken[place]
            ids = violated.ids
            a, b = (a, b) if ids is None else (ids[a], ids[b])
            lines.append(f"  broken {kind} {a} - {b}: costs {self.costs[place]:.4g}")
        if len(broken) > _SHOWN:
            lines.append(f"  and {len(broken) - _SHOWN} more in .closed.violated")
        return "\n".join(lines)


def report(given: Constraints, closed: Constraints, labels, costs) -> LinkReport:
    """Return the report; `costs` has one entry for each link of `closed`, 0 where it holds."""
    kept = closed.satisfaction(labels)
    holds = np.concatenate([kept.must_link_holds, kept.cannot_link_holds])
    return LinkReport(given.satisfaction(labels), kept, costs[~holds])
