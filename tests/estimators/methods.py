"""Every clusterer in every variant, by name, and what to give it."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import coterie
from coterie import Constraints, HMRFKMeans
from coterie.distortion import Bregman

# Each inference, and what MPCKMeans learns, once: `test_hmrf_kmeans` has every pair of the two.
HMRF = {
    "HMRFKMeans S-D bp": partial(HMRFKMeans, inference="bp"),
    "HMRFKMeans M-D lp": partial(HMRFKMeans, inference="lp", per_cluster=True),
    "HMRFKMeans S-F exact": partial(HMRFKMeans, inference="exact", distortion="mahalanobis"),
    "HMRFKMeans M-F bp": partial(
        HMRFKMeans, inference="bp", distortion="mahalanobis", per_cluster=True
    ),
}
# Rows are told apart by direction: there is none in a row of zeros.
COSINE = {
    f"HMRFKMeans cosine {inference}": partial(HMRFKMeans, distortion="cosine", inference=inference)
    for inference in ("icm", "lp")
}
LEARNING = {
    "MKMeans": partial(coterie.MKMeans),
    "MKMeans constrained": partial(coterie.MKMeans, constrained_assignment=True),
    "MPCKMeans S-D": partial(coterie.MPCKMeans),
    "MPCKMeans M-D": partial(coterie.MPCKMeans, per_cluster=True),
    "MPCKMeans S-F": partial(coterie.MPCKMeans, metric="full"),
    "MPCKMeans M-F": partial(coterie.MPCKMeans, metric="full", per_cluster=True),
    **HMRF,
}
PAIRWISE = {
    "PCKMeans": partial(coterie.PCKMeans),
    "MPCKMeans identity": partial(coterie.MPCKMeans, metric="identity"),
    "HMRFKMeans constant": partial(HMRFKMeans, metric_learning=False, penalty="constant"),
    **COSINE,
    **LEARNING,
}
CENTRES = {
    "SupervisedMeans": partial(coterie.SupervisedMeans),
    "SeededKMeans": partial(coterie.SeededKMeans),
    "ConstrainedKMeans": partial(coterie.ConstrainedKMeans),
    **PAIRWISE,
}
ALL = {
    **CENTRES,
    "LearnedMetricKMeans": lambda k, **params: coterie.LearnedMetricKMeans(n_clusters=k, **params),
}
HEEDING = {name: method for name, method in PAIRWISE.items() if name != "MKMeans"}

# The variants of HMRFKMeans, by what they measure and by what they infer with.
MEASURES = {
    "identity": {"metric_learning": False},
    "S-D": {},
    "M-D": {"per_cluster": True},
    "S-F": {"distortion": "mahalanobis"},
    "M-F": {"distortion": "mahalanobis", "per_cluster": True},
    "cosine": {"distortion": "cosine"},
    "cosine, not learned": {"distortion": "cosine", "metric_learning": False},
}
POSITIVE = {
    name + more: {"distortion": name, **options}
    for name in ("kl", "i-divergence", "itakura-saito")
    for more, options in {"": {}, ", not learned": {"metric_learning": False}}.items()
}
INFERENCES = ("icm", "bp", "lp", "exact")


def double(x):
    return 2.0 * x


SQUARES = Bregman(phi=np.square, gradient=double, name="squares")


def variants(*measures):
    """Return HMRFKMeans with each of these measures and each inference, by name."""
    return {
        f"{name} {inference}": partial(HMRFKMeans, inference=inference, **options)
        for measure in measures
        for name, options in measure.items()
        for inference in INFERENCES
    }


def without(methods, others):
    """Return the methods that are not among the others."""
    return {name: method for name, method in methods.items() if name not in others}


def each(methods):
    """Run a test with `method` as each of these."""
    return pytest.mark.parametrize("method", methods.values(), ids=methods.keys())


def beams(rng, n=60, d=4, k=3, apart=1.5):
    """Return positive rows around `k` middles, each with a feature of its own, and their blobs."""
    blob = rng.permutation(np.arange(n) % k)
    middles = np.exp(apart * (np.eye(k, d) + 0.1 * rng.standard_normal((k, d))))
    middles *= d / middles.sum(axis=1, keepdims=True)
    return middles[blob] * np.exp(0.2 * rng.standard_normal((n, d))), blob


def chains(blob, length=3):
    """Return links that join the first rows of each blob, and part the blobs."""
    rows = [np.flatnonzero(blob == b)[:length] for b in range(blob.max() + 1)]
    must = [pair for chain in rows for pair in pairwise(chain)]
    cannot = [(rows[a][0], rows[b][0]) for a in range(len(rows)) for b in range(a)]
    return Constraints(must, cannot, n_samples=len(blob))
