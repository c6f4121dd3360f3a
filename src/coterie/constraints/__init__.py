"""What the user says of pairs of rows: links, and all that follows from them."""

from coterie.constraints.closure import Closure
from coterie.constraints.contradictions import Contradiction, refuse_contradictions
from coterie.constraints.given import as_constraints
from coterie.constraints.links import Constraints
from coterie.constraints.satisfaction import Satisfaction

__all__ = [
    "Closure",
    "Constraints",
    "Contradiction",
    "Satisfaction",
    "as_constraints",
    "refuse_contradictions",
]
