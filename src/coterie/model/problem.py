"""Rows, linked rows and links, as the loop wants them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from coterie._types import Floats
from coterie.engines import AbstractRows
from coterie.model.graph import LinkGraph


@dataclass(frozen=True)
class Problem:
    """What is to be clustered: all rows, and the few that must be labelled together."""

    rows: AbstractRows
    graph: LinkGraph
    n_clusters: int

    @cached_property
    def free(self) -> AbstractRows:
        """The rows as a sweep sees them: those with links are left alone."""
        return self.rows.hold(self.graph.rows)

    @cached_property
    def linked(self) -> Any:
        """The linked rows, shifted, in float64."""
        return self.rows.take(self.graph.rows)

    @cached_property
    def linked_weights(self) -> Floats:
        return self.rows.weights[self.graph.rows]

    @cached_property
    def mean(self) -> Floats:
        """The mean of all rows, shifted."""
        return self.rows.mean()
