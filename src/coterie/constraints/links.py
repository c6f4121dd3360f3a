"""The class that users meet: links, and what can be asked of them."""

import os
from typing import Any, Self

from numpy.typing import ArrayLike

from coterie._types import Rng
from coterie.constraints import files, joining, makers, slicing, splitting, tables
from coterie.constraints.closure import Closure, close
from coterie.constraints.contradictions import Contradictions
from coterie.constraints.satisfaction import Satisfaction, judge
from coterie.constraints.value import Links


class Constraints(Links):
    """What is known of pairs of rows: must-links and cannot-links, weighted and immutable.

    A link that is given twice counts with the sum of its weights, so that splitting a weight
    changes nothing. A link of weight 0 says nothing and is dropped; one of infinite weight is
    hard, and must hold.

    Parameters
    ----------
    must_link, cannot_link : array-like of shape (m, 2)
        Pairs of row numbers, in any order.
    must_link_weights, cannot_link_weights : float or array-like of shape (m,), default=1
        How much each link counts, 0 or more. One number does for all.
    n_samples : int, optional
        How many rows there are. Needed to slice links by rows, e.g. in cross-validation.
    ids : array-like of shape (n_samples,), optional
        What the rows are called, for messages and files.

    Attributes
    ----------
    must_link, cannot_link : ndarray of shape (m, 2)
        The links, each once, smaller row first, in order. Read-only, like all arrays here.
    must_link_weights, cannot_link_weights : ndarray of shape (m,)
        Their weights.
    n_must_link, n_cannot_link : int
        How many there are; counted without writing groups out.
    n_samples : int or None
        How many rows there are.
    ids : ndarray or None
        What the rows are called.
    hard, soft : Constraints
        The links of infinite weight, and the others.

    Examples
    --------
    >>> from coterie import Constraints
    >>> links = Constraints([(0, 1), (1, 2)], [(4, 2)], n_samples=6)
    >>> links
    Constraints(2 must-links, 1 cannot-link, 6 rows)
    >>> links.cannot_link
    array([[2, 4]])

    Slicing keeps the links between the chosen rows, and renumbers them.

    >>> links[[4, 2, 1]].cannot_link
    array([[0, 1]])
    >>> links | Constraints([(3, 5)])
    Constraints(3 must-links, 1 cannot-link, 6 rows)
    """

    __slots__ = ()

    @classmethod
    def from_labels(
        cls,
        y: ArrayLike,
        n_pairs: int | None = None,
        random_state: int | Rng | None = None,
    ) -> Self:
        """Return the links between rows whose class is known.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            The class of each row; -1, None or NaN where it is not known.
        n_pairs : int, optional
            How many distinct pairs of rows of known class to draw at random, whether their
            classes are the same or not. By default nothing is drawn, and the fewest links that
            entail all others are given: must-links from the first row of each class to its
            other rows, and cannot-links between the first rows of every two classes.
        random_state : int, Generator or None
            The source of chance in the draw.

        Examples
        --------
        >>> from coterie import Constraints
        >>> links = Constraints.from_labels([0, 1, -1, 0, 1, 0])
        >>> links.must_link.tolist(), links.cannot_link.tolist()
        ([[0, 3], [0, 5], [1, 4]], [[0, 1]])
        >>> links.closure().entailed()
        Constraints(4 must-links, 6 cannot-links, 6 rows)
        >>> drawn = Constraints.from_labels([0, 1, -1, 0, 1, 0], n_pairs=4, random_state=0)
        >>> drawn.n_must_link + drawn.n_cannot_link
        4
        """
        return makers.of_labels(cls, y, n_pairs, random_state)

    @classmethod
    def from_groups(
        cls,
        groups: ArrayLike,
        *,
        apart: ArrayLike | None = None,
        must_link_weight: float = 1.0,
        cannot_link_weight: float = 1.0,
    ) -> Self:
        """Return links within groups of rows that belong together.

        Parameters
        ----------
        groups : array-like of shape (n_samples,)
            The group of each row; -1, None or NaN for a row that is in none. A group is kept
            as must-links from its first row to the others.
        apart : array-like of shape (n_samples,), optional
            The source of each row; rows of the same source all differ. That takes memory for
            the rows, not for the pairs, so a source may have millions of them.
        must_link_weight, cannot_link_weight : float, default=1.0
            The weight of each link.

        Examples
        --------
        Records of one source hold no duplicates; two records are known to be the same.

        >>> from coterie import Constraints
        >>> source = ["shop", "shop", "shop", "bank", "bank"]
        >>> Constraints.from_groups([7, None, None, 7, None], apart=source)
        Constraints(1 must-link, 4 cannot-links, 5 rows)
        """
        return makers.of_groups(cls, groups, apart, must_link_weight, cannot_link_weight)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        left: str = "a",
        right: str = "b",
        kind: str = "kind",
        weight: str = "weight",
        ids: ArrayLike | None = None,
        n_samples: int | None = None,
    ) -> Self:
        """Return the links in a table: one link a row.

        Parameters
        ----------
        frame : table of pandas, polars or pyarrow, or dict of columns
            The links.
        left, right : str
            The columns that name the two rows.
        kind : str
            The column that says "same" or "different" ("must-link", "cannot-link", 1, -1).
        weight : str
            The column of weights. Every weight is 1 where the table has no column "weight"
            and no other was named, or where the entry is None.
        ids : array-like of shape (n_samples,), optional
            What the rows are called in the table. By default they go by number, from 0.
        n_samples : int, optional
            How many rows there are, where `ids` does not tell.

        Examples
        --------
        >>> from coterie import Constraints
        >>> table = {"a": ["x", "y"], "b": ["y", "z"], "kind": ["same", "different"]}
        >>> Constraints.from_frame(table, ids=["x", "y", "z"]).cannot_link
        array([[1, 2]])
        """
        return tables.of_frame(cls, frame, (left, right, kind, weight), ids, n_samples)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        ids: ArrayLike | None = None,
        n_samples: int | None = None,
    ) -> Self:
        """Return the links in a .csv, .tsv, .jsonl or .parquet file.

        The file has the columns `a`, `b`, `kind` and, if need be, `weight`, as in
        `from_frame`. Errors name the line.
        """
        return files.read(cls, path, ids, n_samples)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the links to a .csv, .tsv, .jsonl or .parquet file, one link a line.

        Rows go by their ids where they have any. `read` with the same `ids` and `n_samples`
        gives equal links. The file is replaced at once, never left half written.
        """
        files.write(self, path)

    def closure(self) -> Closure[Self]:
        """Return the neighbourhoods that must-links make, and which of them must differ."""
        if self._closed is None:
            self._closed = close(self)
        closed: Closure[Self] = self._closed
        return closed

    def contradictions(self) -> Contradictions:
        """Return the cannot-links inside a neighbourhood, each with the chain that proves it."""
        return Contradictions(self.closure())

    def satisfaction(self, labels: ArrayLike) -> Satisfaction[Self]:
        """Return which links a labelling keeps. A row of label -1 is in no cluster."""
        return judge(self, labels)

    def split(self, k: int, random_state: int | Rng | None = None) -> list[tuple[Self, Self]]:
        """Return `k` pairs (links to learn from, links held out); each is held out once.

        Examples
        --------
        >>> from coterie import Constraints
        >>> links = Constraints([(0, 1), (1, 2)], [(0, 3), (1, 3)])
        >>> for train, held_out in links.split(2, random_state=0):
        ...     print(train, held_out)
        Constraints(1 must-link, 1 cannot-link) Constraints(1 must-link, 1 cannot-link)
        Constraints(1 must-link, 1 cannot-link) Constraints(1 must-link, 1 cannot-link)
        """
        return splitting.folds(self, k, random_state)

    def __getitem__(self, rows: Any) -> Self:
        return slicing.restrict(self, rows)

    def __or__(self, other: object) -> Self:
        if not isinstance(other, Links):
            return NotImplemented
        return joining.join(self, other)
