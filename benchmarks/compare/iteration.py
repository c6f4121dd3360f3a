"""One full iteration of each method, against one Lloyd iteration of scikit-learn's KMeans.

    python benchmarks/compare/iteration.py [--rows 1000000] [--rounds 3] [--data uniform]

An iteration is the difference between a long and a short run of the same method from the same
centres, so validation, seeding and the last labelling are left out on both sides. The two take
turns, and the medians of both are compared; the methods take turns as well, in rounds.
"""

import argparse
import statistics
import time
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin
from threadpoolctl import threadpool_limits

from coterie import Constraints
from coterie.algorithms import hmrf
from coterie.distortion import DISTORTIONS
from coterie.engines import DenseRows
from coterie.inference import ICM
from coterie.model import LinkGraph, Problem

K, FEATURES, LINKS, THREADS = 16, 16, 10_000, 2
SHORT, LONG = 2, 32
METHODS = {
    "PCK-Means": ("identity", False),
    "MPCK S-D": ("diagonal", False),
    "MPCK M-D": ("diagonal", True),
    "MPCK S-F": ("full", False),
    "MPCK M-F": ("full", True),
}
TARGETS = {"PCK-Means": 0.8, "MPCK S-D": 1.0, "MPCK M-D": 1.3, "MPCK S-F": 1.5, "MPCK M-F": 6.0}


def blobs(rng, n_rows):
    """Return blobs that overlap, which settle slowly, and the blob of each row."""
    blob = rng.integers(K, size=n_rows)
    middles = rng.uniform(-10, 10, (K, FEATURES)).astype(np.float32)
    return middles[blob] + 12 * rng.standard_normal((n_rows, FEATURES), dtype=np.float32), blob


def uniform(rng, n_rows):
    """Return rows all over a cube, and which of a few of them is nearest."""
    X = rng.random((n_rows, FEATURES), dtype=np.float32)
    return X, pairwise_distances_argmin(X, X[-K:])


DATA = {"blobs": blobs, "uniform": uniform}


def problem(n_rows, data="blobs"):
    """Return rows, random pairs of them said to be what they are, and where centres begin."""
    X, blob = DATA[data](np.random.default_rng(0), n_rows)
    links = Constraints.from_labels(blob, n_pairs=LINKS, random_state=0)
    return X, links, X[:K].astype(np.float64)


def seconds(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def milliseconds(run):
    """Return how long one iteration takes."""
    run(SHORT)  # compile, and wake the threads of this method
    short, long = [], []
    for _ in range(3):
        short.append(seconds(lambda: run(SHORT)))
        long.append(seconds(lambda: run(LONG)))
    return 1e3 * (statistics.median(long) - statistics.median(short)) / (LONG - SHORT)


def kmeans(X, init, n_iter):
    with threadpool_limits(THREADS):
        KMeans(K, init=init, n_init=1, max_iter=n_iter, tol=0, algorithm="lloyd").fit(X)


def ours(X, links, init, name):
    metric, per_cluster = METHODS[name]
    rows = DenseRows(X, n_threads=THREADS)
    closed = links.closure().entailed()
    setting = hmrf.Setting(
        Problem(rows, LinkGraph.of(closed, links), K),
        DISTORTIONS[metric](per_cluster),
        ICM(),
        scaled=name != "PCK-Means",
    )

    def run(n_iter):
        rng = np.random.default_rng(0)
        return hmrf.run(setting, init - rows.shift, max_iter=n_iter, tol=0.0, rng=rng)

    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", choices=DATA, default="blobs")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    X, links, init = problem(options.rows, options.data)
    runs = {"KMeans": lambda n_iter: kmeans(X, init.astype(np.float32), n_iter)}
    runs |= {name: ours(X, links, init, name) for name in METHODS}
    taken = {name: [] for name in runs}
    for _ in range(options.rounds):
        for name, run in runs.items():
            taken[name].append(milliseconds(run))
    middle = {name: statistics.median(values) for name, values in taken.items()}
    print("| method | ms an iteration | least | of KMeans | to reach |")
    print("| --- | --- | --- | --- | --- |")
    for name, ms in middle.items():
        ratio, target = ms / middle["KMeans"], TARGETS.get(name)
        wanted = "" if target is None else f"{target:.1f}"
        print(f"| {name} | {ms:.1f} | {min(taken[name]):.1f} | {ratio:.2f} | {wanted} |")


if __name__ == "__main__":
    main()
