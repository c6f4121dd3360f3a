"""Labelled rows with links, some of them broken, as a distortion meets them in the M-step."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

import reference_mpck as paper
from coterie.distortion import Diagonal, Evidence, Full, Identity, Moments

ALL = [Identity(), Diagonal(), Diagonal(True), Full(), Full(True)]
LEARNED = ALL[1:]
OF_SPARSE_ROWS = ALL[:3]


def name_of(distortion):
    kind = type(distortion).__name__
    return f"{kind} per cluster" if distortion.per_cluster else kind


class Situation(NamedTuple):
    X: np.ndarray
    labels: np.ndarray
    centres: np.ndarray  # the means
    must: list  # triples of the reference
    cannot: list

    @property
    def k(self):
        return len(self.centres)


def random_situation(rng, n=30, d=3, k=3, m=12, weight=0.2):
    """Return rows, labels that fit them in parts, and links of little weight."""
    labels = rng.permutation(np.arange(n) % k)
    X = 2.0 * rng.standard_normal((k, d))[labels] + rng.standard_normal((n, d))
    pairs = [tuple(rng.choice(n, 2, replace=False)) for _ in range(2 * m)]
    links = [(i, j, weight * rng.uniform(0.5, 1.5)) for i, j in pairs]
    return Situation(X, labels, means(X, labels, k), links[:m], links[m:])


def means(X, labels, k):
    return np.stack([X[labels == h].mean(axis=0) for h in range(k)])


def random_metric(rng, distortion, k, d):
    if isinstance(distortion, Identity):
        return distortion.start(k, d)
    if isinstance(distortion, Diagonal):
        return rng.uniform(0.2, 3.0, size=(distortion.n_metrics(k), d))
    root = rng.standard_normal((distortion.n_metrics(k), d, d))
    return root @ root.transpose(0, 2, 1) + 0.1 * np.eye(d)


def matrices(metric, k):
    """Return a full matrix for each of k clusters."""
    each = metric if len(metric) == k else np.repeat(metric, k, axis=0)
    return [np.diag(part) if part.ndim == 1 else part for part in each]


def moments_of(distortion, X, labels, k):
    outer = np.einsum("ni,nj->nij", X, X) if isinstance(distortion, Full) else X**2
    groups = [labels == h for h in range(k)] if distortion.per_cluster else [labels >= 0]
    return Moments(
        np.bincount(labels, minlength=k).astype(float),
        np.stack([X[labels == h].sum(axis=0) for h in range(k)]),
        np.stack([outer[mine].sum(axis=0) for mine in groups]),
    )


def evidence_of(X, labels, k, must, cannot, pairs, *, as_sparse=False):
    """Return the evidence of the broken links; `pairs` is the farthest pair of each cluster."""
    signed = [(i, j, w / 2, h) for i, j, w in must for h in labels[[i, j]] if broken(labels, i, j)]
    apart = [(i, j, w, labels[i]) for i, j, w in cannot if not broken(labels, i, j)]
    signed += [(i, j, -w, h) for i, j, w, h in apart]
    differences = np.array([X[i] - X[j] for i, j, _, _ in signed]).reshape(-1, X.shape[1])
    return Evidence(
        sparse.csr_array(differences) if as_sparse else differences,
        np.array([c for _, _, c, _ in signed]),
        np.array([h for _, _, _, h in signed], dtype=np.int64),
        np.stack([a - b for a, b in pairs]),
        np.bincount([h for *_, h in apart], [w for _, _, w, _ in apart], minlength=k),
    )


def broken(labels, i, j):
    """Tell whether a must-link between the two would be broken, and so a cannot-link not."""
    return labels[i] != labels[j]


def farthest_pairs(X, metric, k):
    return [paper.farthest_pair(X, A) for A in matrices(metric, k)]
