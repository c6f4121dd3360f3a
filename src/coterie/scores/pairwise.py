"""The pairwise F-measure of Bilenko, Basu and Mooney (2004)."""

from typing import Any, NamedTuple

from coterie.scores.pair_counts import count_pairs, share


class PrecisionRecall(NamedTuple):
    """Precision and recall over pairs of rows in one cluster."""

    precision: float
    recall: float


def pairwise_f_score(labels_true: Any, labels_pred: Any, *, rows: Any = None) -> float:
    r"""Return the F-measure over pairs of rows that share a cluster, from 0 to 1.

    A pair is *found* when the prediction puts it together, and *true* when the
    classes do. With precision P the share of found pairs that are true, and
    recall R the share of true pairs that are found,

    .. math:: F = \frac{2 P R}{P + R}
                = \frac{2\,|\text{found} \cap \text{true}|}{|\text{found}| + |\text{true}|}

    This is the measure of section 4.1 of Bilenko, Basu and Mooney (2004), who
    cluster all rows and score the rows of the test fold only: `rows`.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters: numbers, text or anything hashable. The names do
        not matter, and -1 is a name like any other.
    rows : array-like, optional
        Row numbers, or a mask: only pairs of these rows count.

    Returns
    -------
    float
        1.0 for equal partitions; also where neither labelling has a pair
        together, as with no rows, one row, or all labels different.

    Notes
    -----
    The score is symmetric in its two labellings. Pairs are counted from the
    contingency table, in whole numbers, so the counts are exact at any size.

    References
    ----------
    Bilenko, Basu, Mooney (2004). Integrating constraints and metric learning
    in semi-supervised clustering. ICML.

    Examples
    --------
    >>> pairwise_f_score([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0

    One of the two found pairs is true, and one of the three true pairs is found:

    >>> pairwise_f_score([0, 0, 0, 1], [5, 5, 7, 7])
    0.4
    >>> pairwise_f_score([0, 0, 0, 1], [5, 5, 7, 7], rows=[0, 1])
    1.0
    """
    pairs = count_pairs(labels_true, labels_pred, rows)
    return share(2 * pairs.together_in_both, pairs.together_in_pred + pairs.together_in_true)


def pairwise_precision_recall(
    labels_true: Any, labels_pred: Any, *, rows: Any = None
) -> PrecisionRecall:
    r"""Return precision and recall over pairs of rows that share a cluster.

    .. math:: P = \frac{|\text{found} \cap \text{true}|}{|\text{found}|}, \quad
              R = \frac{|\text{found} \cap \text{true}|}{|\text{true}|}

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters.
    rows : array-like, optional
        Row numbers, or a mask: only pairs of these rows count.

    Returns
    -------
    PrecisionRecall
        A share of nothing is 1.0: where no pair is found, none is wrong.

    See Also
    --------
    pairwise_f_score : Their harmonic mean.

    Examples
    --------
    >>> pairwise_precision_recall([0, 0, 0, 1, 1], [5, 5, 7, 7, 8])
    PrecisionRecall(precision=0.5, recall=0.25)
    """
    pairs = count_pairs(labels_true, labels_pred, rows)
    return PrecisionRecall(
        share(pairs.together_in_both, pairs.together_in_pred),
        share(pairs.together_in_both, pairs.together_in_true),
    )
