"""Whole fits, as users make them; k-means of scikit-learn beside them as the measure."""

import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from coterie import Constraints, MPCKMeans, PCKMeans

METHODS = {
    "KMeans": KMeans(5, n_init=5, random_state=0),
    "PCK": PCKMeans(5, random_state=0),
    "S-D": MPCKMeans(5, random_state=0),
    "M-D": MPCKMeans(5, per_cluster=True, random_state=0),
    "S-F": MPCKMeans(5, metric="full", random_state=0),
    "M-F": MPCKMeans(5, metric="full", per_cluster=True, random_state=0),
}


@pytest.mark.parametrize("n", [1_000, 10_000, 100_000])
@pytest.mark.parametrize("name", METHODS)
def bench_fit(benchmark, name, n):
    X, y = make_blobs(n, n_features=10, centers=5, cluster_std=5.0, random_state=0)
    links = Constraints.from_labels(y, n_pairs=1_000, random_state=0)
    model = METHODS[name]
    heard = {} if name == "KMeans" else {"constraints": links}

    model.fit(X, **heard)  # compile outside the clock
    benchmark.pedantic(model.fit, args=(X,), kwargs=heard, rounds=3)

    benchmark.extra_info["ARI"] = round(adjusted_rand_score(y, model.labels_), 3)
    benchmark.extra_info["iterations"] = int(model.n_iter_)
