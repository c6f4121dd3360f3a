"""How much links say that the data do not, and how well they agree with one another."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie.constraints import as_constraints

_BLOCK = 1024  # links a side: a few arrays of 8 MB at a time


def informativeness(constraints: Any, labels: Any) -> float:
    r"""Return the share of links that a labelling made without them breaks, from 0 to 1.

    Links that the method would have kept anyway tell it nothing. With the partition P that it
    finds unconstrained,

    .. math:: I(C) = \frac{1}{|C|}\,|\{c \in C : P \text{ breaks } c\}|

    Parameters
    ----------
    constraints : Constraints, or whatever `constraints=` takes
        The links; each counts once, whatever its weight.
    labels : array-like of shape (n,)
        Clusters that were found without the links. A row of label -1 is in no cluster.

    Returns
    -------
    float
        0.0 where there are no links.

    References
    ----------
    Davidson, Wagstaff, Basu (2006). Measuring constraint-set utility for partitional
    clustering algorithms. PKDD.

    Examples
    --------
    >>> informativeness(([(0, 1), (1, 2)], [(0, 3), (2, 3)]), labels=[0, 0, 1, 1])
    0.5
    """
    links = as_constraints(constraints, len(labels))
    kept = links.satisfaction(labels)
    n_links = kept.n_satisfied + kept.n_violated
    return float(kept.n_violated / n_links) if n_links else 0.0


def coherence(constraints: Any, X: Any) -> float:
    r"""Return the share of (must-link, cannot-link) pairs that do not pull against each other.

    A link is the segment between its rows. A must-link wants the space along its segment
    shrunk, a cannot-link wants it stretched, and they quarrel where the one, seen along the
    other, overlaps it. Let :math:`o_c(m)` be the length that segment c has in common with the
    projection of m onto its line. Then

    .. math:: \text{coh}(C) = \frac{|\{(m, c) : o_c(m) = 0 \text{ and } o_m(c) = 0\}|}
                                   {|M|\,|C|}

    Parameters
    ----------
    constraints : Constraints, or whatever `constraints=` takes
        The links; each counts once, whatever its weight.
    X : array-like or sparse matrix of shape (n, d)
        The rows, in the space whose Euclidean distance is used.

    Returns
    -------
    float
        1.0 where one kind of link is missing: nothing is contested.

    Notes
    -----
    Segments that only touch, or stand at right angles, have no length in common. Lengths
    below what rounding makes of X count as none. All pairs are looked at, in blocks: the
    time grows with :math:`|M|\,|C|\,d`, the memory with neither.

    References
    ----------
    Davidson, Wagstaff, Basu (2006). Measuring constraint-set utility for partitional
    clustering algorithms. PKDD.

    Examples
    --------
    The must-link lies along the first axis; so does the first cannot-link, right over it.

    >>> X = [[0, 0], [2, 0], [1, 1], [5, 1], [0, 3], [0, 9]]
    >>> coherence(([(0, 1)], [(2, 3), (4, 5)]), X)
    0.5
    """
    points = X if sparse.issparse(X) else np.asarray(X)
    if points.ndim != 2:
        raise ValueError(f"X must be a table of rows and columns; got shape {points.shape}.")
    links = as_constraints(constraints, points.shape[0])
    must, cannot = links.must_link, links.cannot_link
    if not (len(must) and len(cannot)):
        return 1.0
    rows = np.unique(np.concatenate([must.ravel(), cannot.ravel()]))
    points, rounding = _linked(points, rows)
    must, cannot = np.searchsorted(rows, must), np.searchsorted(rows, cannot)
    n_quarrels = 0
    for musts in _segments(points, must):
        for cannots in _segments(points, cannot):
            n_quarrels += _n_quarrels(musts, cannots, rounding)
    n_pairs = len(must) * len(cannot)
    return (n_pairs - n_quarrels) / n_pairs


class _Segments(NamedTuple):
    """Some links as directed segments. Rows are dense or sparse as the data are."""

    start: Any  # (m, d)
    course: Any  # (m, d) from the start to the end
    length: NDArray[np.float64]
    offset: NDArray[np.float64]  # where the start lies along the link's own line

    def along(self, dots: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return dot products with each course, one a column, as lengths along it."""
        # A link between equal rows has no direction: all lies at its one point.
        return np.divide(dots, self.length, out=np.zeros_like(dots), where=self.length > 0)


def _segments(points: Any, pairs: NDArray[np.intp]) -> Iterator[_Segments]:
    for i in range(0, len(pairs), _BLOCK):
        start = points[pairs[i : i + _BLOCK, 0]]
        course = points[pairs[i : i + _BLOCK, 1]] - start
        made = _Segments(start, course, np.sqrt(_own_dots(course, course)), np.empty(0))
        yield made._replace(offset=made.along(_own_dots(start, course)))


def _n_quarrels(musts: _Segments, cannots: _Segments, rounding: float) -> int:
    both = _dots(musts.course, cannots.course)
    onto_cannots = _overlap(cannots, _dots(musts.start, cannots.course), both)
    onto_musts = _overlap(musts, _dots(cannots.start, musts.course), both.T)
    quarrels = (onto_cannots > rounding).T | (onto_musts > rounding)
    return int(quarrels.sum())


def _overlap(
    onto: _Segments, start_dots: NDArray[np.float64], course_dots: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the length that each segment, one a row, shares with each it is projected onto."""
    start = onto.along(start_dots) - onto.offset
    end = start + onto.along(course_dots)
    shared: NDArray[np.float64] = np.minimum(np.maximum(start, end), onto.length)
    shared -= np.maximum(np.minimum(start, end), 0.0)
    return shared


def _linked(points: Any, rows: NDArray[np.int64]) -> tuple[Any, float]:
    """Return the linked rows as 64-bit floats, and the length that rounding may feign."""
    fine = np.finfo(points.dtype).eps if points.dtype.kind == "f" else np.finfo(np.float64).eps
    is_sparse = sparse.issparse(points)
    points = (points.tocsr() if is_sparse else points)[rows].astype(np.float64)
    entries = points.data if is_sparse else points
    wrong = ~np.isfinite(entries)
    if wrong.any():
        at = points.tocoo().row[wrong] if is_sparse else np.nonzero(wrong)[0]
        raise ValueError(f"X has NaN or infinity in row {rows[at[0]]}, which a link names.")
    rounding = 64 * float(fine) * float(np.sqrt(_own_dots(points, points).max()))
    if not is_sparse:
        points -= points.mean(axis=0)  # far from the origin, projections would cancel
    return points, rounding


def _dots(a: Any, b: Any) -> NDArray[np.float64]:
    products: Any = a @ b.T
    dense: NDArray[np.float64] = products.toarray() if sparse.issparse(products) else products
    return dense


def _own_dots(a: Any, b: Any) -> NDArray[np.float64]:
    """Return the dot product of each row of `a` with the same row of `b`."""
    if sparse.issparse(a):
        return np.asarray(a.multiply(b).sum(axis=1), dtype=np.float64).ravel()
    dots: NDArray[np.float64] = np.einsum("ij,ij->i", a, b)
    return dots
