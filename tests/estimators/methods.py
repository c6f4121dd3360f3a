"""Every clusterer in every variant, by name, and what to give it."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import coterie
from coterie import Constraints

LEARNING = {
    "MKMeans": partial(coterie.MKMeans),
    "MKMeans constrained": partial(coterie.MKMeans, constrained_assignment=True),
    "MPCKMeans S-D": partial(coterie.MPCKMeans),
    "MPCKMeans M-D": partial(coterie.MPCKMeans, per_cluster=True),
    "MPCKMeans S-F": partial(coterie.MPCKMeans, metric="full"),
    "MPCKMeans M-F": partial(coterie.MPCKMeans, metric="full", per_cluster=True),
}
PAIRWISE = {
    "PCKMeans": partial(coterie.PCKMeans),
    "MPCKMeans identity": partial(coterie.MPCKMeans, metric="identity"),
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


def each(methods):
    """Run a test with `method` as each of these."""
    return pytest.mark.parametrize("method", methods.values(), ids=methods.keys())


def chains(blob, length=3):
    """Return links that join the first rows of each blob, and part the blobs."""
    rows = [np.flatnonzero(blob == b)[:length] for b in range(blob.max() + 1)]
    must = [pair for chain in rows for pair in pairwise(chain)]
    cannot = [(rows[a][0], rows[b][0]) for a in range(len(rows)) for b in range(a)]
    return Constraints(must, cannot, n_samples=len(blob))
