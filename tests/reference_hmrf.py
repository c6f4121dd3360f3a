"""HMRF-KMeans as it stands in the paper, one pair, one row and one number at a time.

Bilenko and Basu (2004), "A comparison of inference techniques for semi-supervised clustering with
hidden Markov random fields", Eq. 3, 4 and 6, and each measure from its own textbook formula: no
convex function, no moments, no matrix. A link is a triple (i, j, weight), and a is the weight of
each feature. A *measure* takes a row, a centre and these weights.
"""

from itertools import combinations
from math import inf, log, sqrt


def log_ratio(x, y):
    """Return x log (x / y), which is 0 where x is."""
    if x == 0:
        return 0.0
    return x * log(x / y) if y > 0 else inf


def squared_euclidean(x, centre, a):
    return sum(w * (p - q) ** 2 for p, q, w in zip(x, centre, a, strict=True))


def kl(x, centre, a):
    """Return the KL divergence of shares; their sums cancel where all weights are equal only."""
    assert len(set(a)) == 1
    return a[0] * sum(log_ratio(p, q) for p, q in zip(x, centre, strict=True))


def i_divergence(x, centre, a):
    return sum(w * (log_ratio(p, q) - p + q) for p, q, w in zip(x, centre, a, strict=True))


def itakura_saito(x, centre, a):
    return sum(w * (p / q - log(p / q) - 1) for p, q, w in zip(x, centre, a, strict=True))


def logistic(x, centre, a):
    """Return the divergence of coins that fall heads with these chances."""
    return sum(
        w * (log_ratio(p, q) + log_ratio(1 - p, 1 - q))
        for p, q, w in zip(x, centre, a, strict=True)
    )


def inner(x, y, a):
    return sum(w * p * q for p, q, w in zip(x, y, a, strict=True))


def cosine(x, centre, a):
    return 1 - inner(x, centre, a) / (sqrt(inner(x, x, a)) * sqrt(inner(centre, centre, a)))


def from_the_middle(measure):
    """Return the penalty scaling of a divergence: both rows, from the middle between them."""

    def scaling(x, y, a):
        middle = [(p + q) / 2 for p, q in zip(x, y, strict=True)]
        return measure(x, middle, a) + measure(y, middle, a)

    return scaling


def normaliser(a):
    """Return what a row of a Bregman divergence adds to log Z."""
    return -sum(log(w) for w in a) / 2


def normaliser_of_cosine(a, shares, stiffness):
    """Return what a row adds to log Z where directions are compared."""
    dear = sum(v * w for v, w in zip(shares, a, strict=True))
    return stiffness * (log(dear) - sum(log(w) for w in a) / len(a))


def shares(X, weights):
    """Return what each feature has of the squares of all rows, as if their lengths were 1."""
    total = [0.0] * len(X[0])
    for x, weight in zip(X, weights, strict=True):
        square = sum(p**2 for p in x)
        total = [t + weight * p**2 / square for t, p in zip(total, x, strict=True)]
    return [t / sum(total) for t in total]


def sum_of_directions(X, weights, a):
    """Return the sum of all rows, each of length 1 under the weights a."""
    total = [0.0] * len(a)
    for x, weight in zip(X, weights, strict=True):
        length = sqrt(inner(x, x, a))
        total = [t + weight * p / length for t, p in zip(total, x, strict=True)]
    return total


def stiffness(X, weights):
    """Return what rows lie from the direction of all of them, on the average."""
    ones = [1.0] * len(X[0])
    middle = sum_of_directions(X, weights, ones)
    far = (w * cosine(x, middle, ones) for x, w in zip(X, weights, strict=True))
    return sum(far) / sum(weights)


def farthest_pair(X, scaling, a):
    return max(combinations(X, 2), key=lambda pair: scaling(*pair, a))


def eq3(x, y, weight, scaling, a):
    """Return f_M, what a broken must-link costs."""
    return weight * scaling(x, y, a)


def eq4(x, y, weight, scaling, a, pair):
    """Return f_C, what a broken cannot-link costs, with the farthest pair of rows given."""
    return weight * (scaling(*pair, a) - scaling(x, y, a))


def eq6(X, labels, centres, a, must, cannot, *, measure, scaling, log_z, pair=None, given=()):
    """Return the objective; `log_z` is what each row adds, of these weights.

    The farthest `pair` is that of the rows, unless it is held still. The rows `given` (weight,
    row) are in each cluster from the beginning.
    """
    total = 0.0
    for x, h in zip(X, labels, strict=True):
        total += measure(x, centres[h], a) + log_z(a)
    for centre in centres:
        total += sum(weight * (measure(x, centre, a) + log_z(a)) for weight, x in given)
    for i, j, weight in must:
        if labels[i] != labels[j]:
            total += eq3(X[i], X[j], weight, scaling, a)
    if cannot and pair is None:
        pair = farthest_pair(X, scaling, a)
    for i, j, weight in cannot:
        if labels[i] == labels[j]:
            total += eq4(X[i], X[j], weight, scaling, a, pair)
    return total
