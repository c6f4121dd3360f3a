"""The Rand index with same-class and different-class pairs given equal weight."""

from typing import Any

from coterie.scores.pair_counts import count_pairs


def modified_rand_score(labels_true: Any, labels_pred: Any) -> float:
    r"""Return the share of pairs judged rightly, both kinds of pairs counting the same.

    The Rand index is the chance that a random pair is judged as the classes
    judge it. With many classes nearly all pairs are of different classes, and
    splitting everything scores well. So the pair is drawn from the *matched*
    pairs (same class) with chance 0.5, and from the *mismatched* pairs with
    chance 0.5:

    .. math:: \frac{1}{2} \frac{n_s}{m_s} + \frac{1}{2} \frac{n_d}{m_d}

    where :math:`m_s` and :math:`m_d` pairs are of the same and of different
    classes, and :math:`n_s` and :math:`n_d` of them the prediction puts
    together and apart.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters: numbers, text or anything hashable.

    Returns
    -------
    float
        From 0 to 1, and 1.0 exactly for equal partitions. Where pairs of one
        kind are missing (one class only, or all classes different) the other
        kind has all the weight; with fewer than two rows the score is 1.0.

    Notes
    -----
    The score is not symmetric: the classes say which pairs are matched, so that
    all methods are judged on the same pairs. To draw the pairs by the clusters
    instead, swap the arguments. One cluster for all rows, and one for each row,
    both score 0.5.

    References
    ----------
    Chang, Yeung (2004). Locally linear metric adaptation for semi-supervised
    clustering. ICML. Section 4.2.

    Xing, Ng, Jordan, Russell (2003). Distance metric learning, with application
    to clustering with side-information. NIPS.

    Examples
    --------
    Of two matched pairs one is found, and three of four mismatched pairs are
    kept apart:

    >>> modified_rand_score([0, 0, 1, 1], ["a", "a", "a", "b"])
    0.5
    >>> modified_rand_score([0, 0, 1, 1], ["a", "a", "b", "c"])
    0.75
    """
    pairs = count_pairs(labels_true, labels_pred)
    matched = pairs.together_in_true
    mismatched = pairs.total - matched
    shares = []
    if matched:
        shares.append(pairs.together_in_both / matched)
    if mismatched:
        shares.append(pairs.apart_in_both / mismatched)
    return sum(shares) / len(shares) if shares else 1.0
