"""Peak memory of a fit beyond the rows themselves, as a share of them (Linux).

    python benchmarks/compare/memory.py [--rows 1000000]

Each method runs in a process of its own. What is counted is the highest resident size during
`fit`, less that just before it, when everything is imported and a small fit has compiled the loops.
"""

import argparse
import subprocess
import sys
import threading
import warnings
from os import sysconf
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

from coterie import Constraints, MPCKMeans, PCKMeans

SHORT = {"max_iter": 10, "random_state": 0}
METHODS = {
    "KMeans (scikit-learn)": KMeans(16, n_init=1, **SHORT),
    "PCK-Means": PCKMeans(16, **SHORT),
    "MPCK S-D": MPCKMeans(16, **SHORT),
    "MPCK M-D": MPCKMeans(16, per_cluster=True, **SHORT),
    "MPCK S-F": MPCKMeans(16, metric="full", **SHORT),
    "MPCK M-F": MPCKMeans(16, metric="full", per_cluster=True, **SHORT),
}


def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * sysconf("SC_PAGE_SIZE")


def fit(model, X, links):
    if isinstance(model, KMeans):
        model.fit(X)
    else:
        model.fit(X, constraints=links)


def measure(n_rows, name):
    """Print the peak of one fit beyond what was there before, as a share of the rows."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    blob = rng.integers(16, size=n_rows)
    X = rng.standard_normal((n_rows, 16), dtype=np.float32)
    X += 2 * rng.standard_normal((16, 16), dtype=np.float32)[blob]
    links = Constraints.from_labels(blob, n_pairs=10_000, random_state=0)
    few = Constraints.from_labels(blob[:1000], n_pairs=50, random_state=0)
    fit(METHODS[name], X[:1000], few)
    before, peak, done = resident(), 0, threading.Event()

    def watch():
        nonlocal peak
        while not done.wait(0.001):
            peak = max(peak, resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    fit(METHODS[name], X, links)
    done.set()
    watcher.join()
    beyond = peak - before
    print(f"| {name} | {beyond / 1e6:.0f} MB | {beyond / X.nbytes:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--method", choices=METHODS)
    options = parser.parse_args()
    if options.method:
        measure(options.rows, options.method)
        return
    print("| method | peak beyond X | share of X |\n| --- | --- | --- |", flush=True)
    for name in METHODS:
        command = [sys.executable, __file__, f"--rows={options.rows}", f"--method={name}"]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
