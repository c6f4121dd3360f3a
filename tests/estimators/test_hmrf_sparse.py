"""Sparse rows stay sparse."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from coterie import Constraints, HMRFKMeans


@pytest.mark.parametrize("learned", [False, True], ids=["not learned", "learned"])
@pytest.mark.parametrize("kind", ["euclidean", "cosine", "kl", "i-divergence"])
def test_rows_are_not_filled(rng, kind, learned):
    n, d = 4_000, 2_000
    columns = rng.integers(d, size=(n, 8))
    places = np.repeat(np.arange(n), 8), columns.ravel()
    X = sparse.csr_array((np.ones(8 * n), places), shape=(n, d))
    links = Constraints.from_labels(rng.integers(3, size=n), n_pairs=100, random_state=0)
    model = HMRFKMeans(3, distortion=kind, metric_learning=learned, n_init=1, random_state=0)
    model.set_params(max_iter=3, n_jobs=1)

    tracemalloc.start()
    try:
        model.fit(X, constraints=links).predict(X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < n * d * X.dtype.itemsize / 2
