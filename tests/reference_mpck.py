"""MPCK-Means as it stands in the paper, one pair and one row at a time.

Bilenko, Basu and Mooney (2004), "Integrating constraints and metric learning in semi-supervised
clustering", written from the equations and from nothing else. A link is a triple (i, j, weight),
a metric is a full matrix, and there is one for each cluster: where clusters share a metric, it
stands there k times.
"""

from itertools import combinations

import numpy as np


def length(x, A):
    """Return the squared length of x under A."""
    return sum(x[p] * A[p, q] * x[q] for p in range(len(x)) for q in range(len(x)))


def log_det(A):
    return sum(np.log(value) for value in np.linalg.eigvalsh(A))


def eq1(X, labels, centres, must, cannot):
    """Return the objective of pairwise constrained k-means."""
    identity = np.eye(X.shape[1])
    total = sum(length(x - centres[h], identity) for x, h in zip(X, labels, strict=True))
    total += sum(w for i, j, w in must if labels[i] != labels[j])
    return total + sum(w for i, j, w in cannot if labels[i] == labels[j])


def eq2(X, labels, centres, metrics):
    """Return the objective of k-means with a metric for each cluster."""
    return sum(
        length(x - centres[h], metrics[h]) - log_det(metrics[h])
        for x, h in zip(X, labels, strict=True)
    )


def eq3(X, labels, centres, metrics, must, cannot):
    """Return the objective that joins Eq. 1 and 2: links cost what they weigh."""
    total = eq2(X, labels, centres, metrics)
    total += sum(w for i, j, w in must if labels[i] != labels[j])
    return total + sum(w for i, j, w in cannot if labels[i] == labels[j])


def eq4(x, y, A, B):
    """Return f_M of two rows, whose clusters have the metrics A and B."""
    return length(x - y, A) / 2 + length(x - y, B) / 2


def eq5(x, y, A, pair):
    """Return f_C of two rows of a cluster with the metric A, whose farthest pair is given."""
    return length(pair[0] - pair[1], A) - length(x - y, A)


def farthest_pair(X, A):
    """Return the two rows of X that lie farthest apart under A."""
    return max(combinations(X, 2), key=lambda pair: length(pair[0] - pair[1], A))


def eq6(X, labels, centres, metrics, must, cannot, pairs=None):
    """Return the objective of MPCK-Means; `pairs` are the farthest, unless given."""
    if pairs is None:
        pairs = [farthest_pair(X, A) for A in metrics] if cannot else None
    total = eq2(X, labels, centres, metrics)
    for i, j, w in must:
        if labels[i] != labels[j]:
            total += w * eq4(X[i], X[j], metrics[labels[i]], metrics[labels[j]])
    for i, j, w in cannot:
        h = labels[i]
        if labels[j] == h:
            total += w * eq5(X[i], X[j], metrics[h], pairs[h])
    return total


def sum_of_eq7(h, X, labels, centres, pairs, must, cannot):
    """Return what Eq. 7 inverts for cluster h, before |X_h| divides it."""
    total = np.zeros((X.shape[1], X.shape[1]))
    for x, label in zip(X, labels, strict=True):
        if label == h:
            total += np.outer(x - centres[h], x - centres[h])
    for i, j, w in must:
        if labels[i] != labels[j] and h in (labels[i], labels[j]):
            total += w / 2 * np.outer(X[i] - X[j], X[i] - X[j])
    for i, j, w in cannot:
        if labels[i] == labels[j] == h:
            step = pairs[h][0] - pairs[h][1]
            total += w * (np.outer(step, step) - np.outer(X[i] - X[j], X[i] - X[j]))
    return total


def eq7(X, labels, centres, pairs, must, cannot, *, shared=False, diagonal=False):
    """Return the metric of each cluster where the derivative of Eq. 6 is zero.

    With one metric for all, the sums run over all clusters. A broken must-link is then met twice,
    once in each of its clusters, and so with its whole weight, as in the derivative of Eq. 6.
    """
    k = len(centres)
    sums = [sum_of_eq7(h, X, labels, centres, pairs, must, cannot) for h in range(k)]
    counts = [sum(1 for label in labels if label == h) for h in range(k)]
    if shared:
        sums, counts = [sum(sums)] * k, [len(X)] * k
    if diagonal:  # Eq. 8
        sums = [np.diag(np.diagonal(total)) for total in sums]
    return [n * np.linalg.inv(total) for n, total in zip(counts, sums, strict=True)]


def triples(constraints):
    """Return the must-links and the cannot-links of a `Constraints`, as triples."""
    kinds = (
        (constraints.must_link, constraints.must_link_weights),
        (constraints.cannot_link, constraints.cannot_link_weights),
    )
    return tuple(
        [(i, j, w) for (i, j), w in zip(pairs.tolist(), weights.tolist(), strict=True)]
        for pairs, weights in kinds
    )


def matrices(metrics, k, *, per_cluster):
    """Return k full matrices from metrics of whatever shape a model has."""
    each = list(metrics) if per_cluster else [metrics] * k
    return [np.diag(metric) if np.ndim(metric) == 1 else metric for metric in each]
