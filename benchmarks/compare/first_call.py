"""How long the first fit of a fresh process takes, with and without the cache of compiled loops.

python benchmarks/compare/first_call.py
"""

import os
import subprocess
import sys
import tempfile

FIT = """
import time
import numpy as np

began = time.perf_counter()
from coterie import Constraints, {name}
rng = np.random.default_rng(0)
X, y = rng.standard_normal((1000, 10)), rng.integers(5, size=1000)
links = Constraints.from_labels(y, n_pairs=100, random_state=0)
model = {name}(5, random_state=0{options})
for work in ("fit", "again"):
    print(time.perf_counter() - began)
    began = time.perf_counter()
    model.fit(X, constraints=links)
print(time.perf_counter() - began)
"""
METHODS = {
    "PCKMeans": ("PCKMeans", ""),
    "MPCKMeans": ("MPCKMeans", ""),
    "MPCKMeans, full, per cluster": ("MPCKMeans", ', metric="full", per_cluster=True'),
}


def seconds(name, options, cache):
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FIT.format(name=name, options=options)],
        env=os.environ | {"NUMBA_CACHE_DIR": cache},
        check=True,
        capture_output=True,
        text=True,
    )
    return [float(line) for line in ran.stdout.split()]


def main():
    print("| method | cache | imports, links | first fit | second fit |")
    print("| --- | --- | --- | --- | --- |")
    for title, (name, options) in METHODS.items():
        with tempfile.TemporaryDirectory() as cache:
            for state in ("empty", "full"):
                before, first, second = seconds(name, options, cache)
                print(f"| {title} | {state} | {before:.2f} s | {first:.2f} s | {second:.3f} s |")


if __name__ == "__main__":
    main()
