"""How many pairs of rows two labellings put together, counted without listing pairs."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.scores.codes import encode

TABLE_CELLS = 1 << 22


class PairCounts(NamedTuple):
    """Numbers of pairs, as Python integers: neither their sums nor their ratios round."""

    together_in_both: int
    together_in_true: int
    together_in_pred: int
    total: int

    @property
    def apart_in_both(self) -> int:
        """Pairs that neither labelling puts together."""
        together = self.together_in_true + self.together_in_pred - self.together_in_both
        return self.total - together


def count_pairs(labels_true: Any, labels_pred: Any, rows: Any = None) -> PairCounts:
    r"""Return how many pairs are together in each labelling, and in both.

    With :math:`n_{ab}` rows of true label a and predicted label b, the pairs
    together in both number :math:`\sum_{ab} n_{ab} (n_{ab} - 1) / 2`.

    >>> count_pairs([0, 0, 0, 1], [5, 5, 7, 7])
    PairCounts(together_in_both=1, together_in_true=3, together_in_pred=2, total=6)
    """
    true, n_true = encode(labels_true, "labels_true")
    pred, n_pred = encode(labels_pred, "labels_pred")
    if len(true) != len(pred):
        raise ValueError(
            f"labels_true has {len(true)} labels and labels_pred has {len(pred)}; "
            "both need one for each row."
        )
    if rows is not None:
        chosen = _chosen(rows, len(true))
        true, pred = true[chosen], pred[chosen]
    return PairCounts(
        _pairs_in(_contingency(true, pred, n_true, n_pred)),
        _pairs_in(np.bincount(true)),
        _pairs_in(np.bincount(pred)),
        len(true) * (len(true) - 1) // 2,
    )


def _contingency(
    true: NDArray[np.int64], pred: NDArray[np.int64], n_true: int, n_pred: int
) -> NDArray[np.int64]:
    """Return the non-zero cells of the contingency table, perhaps among zeros, in any order."""
    cell = true * np.int64(n_pred) + pred
    cells: NDArray[np.int64]
    if n_true * n_pred <= max(TABLE_CELLS, 2 * len(true)):
        cells = np.bincount(cell)
    else:  # most cells of so large a table are empty: sort the rows instead
        cells = np.unique(cell, return_counts=True)[1]
    return cells


def _pairs_in(sizes: NDArray[np.int64]) -> int:
    # Whole up to 3e9 rows of one label: beyond, the product leaves 64 bits.
    return int((sizes * (sizes - 1) // 2).sum())


def share(part: int, whole: int) -> float:
    """Return part / whole; a share of nothing is 1.0."""
    return part / whole if whole else 1.0


def _chosen(rows: Any, n: int) -> NDArray[np.int64]:
    """Return the row numbers that an index array or a mask picks."""
    given: NDArray[Any] = np.asarray(rows)
    if given.size == 0 and given.dtype.kind == "f":
        given = given.astype(np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iub":
        raise ValueError("rows must be a list of row numbers or a mask of True and False.")
    if given.dtype.kind == "b":
        if len(given) != n:
            raise ValueError(f"rows is a mask of {len(given)} rows, but there are {n} labels.")
        return np.flatnonzero(given)
    outside = given[(given < -n) | (given >= n)]
    if len(outside):
        raise IndexError(f"rows names row {outside[0]}, but there are {n} labels.")
    chosen: NDArray[np.int64] = np.arange(n, dtype=np.int64)[given]
    twice = np.flatnonzero(np.bincount(chosen) > 1)
    if len(twice):
        raise ValueError(
            f"rows names row {twice[0]} more than once; a row has no pair with itself."
        )
    return chosen
