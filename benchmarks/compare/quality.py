"""How well each method finds the classes, on the rows that no link names.

    python benchmarks/compare/quality.py [--draws 10] [--data iris wine] [--links 50 100 300]

Links are random pairs of 70 % of the rows, said to be what they are; scores are of the other rows,
the same ones whatever the number of links. Cells are the mean ARI / pairwise F over all draws. A
draw has its own links, held-out rows and seed; the blobs are drawn anew as well.
"""

import argparse
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
)
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from coterie import (
    Constraints,
    LearnedMetricKMeans,
    MKMeans,
    MPCKMeans,
    PCKMeans,
    SupervisedMeans,
)
from coterie.scores import pairwise_f_score

LINKED = 0.7  # the share of rows that links are drawn from


def standardised(load):
    def loaded(**options):
        X, y = load(**options)
        return StandardScaler().fit_transform(X), y

    return loaded


DATA = {
    "iris": load_iris,
    "wine": load_wine,
    "wine, standardised": standardised(load_wine),
    "breast cancer, standardised": standardised(load_breast_cancer),
    "digits": load_digits,
    "blobs that overlap": None,
}
METHODS = {
    "k-means": lambda k, seed: KMeans(k, n_init=5, random_state=seed),
    "PCK": lambda k, seed: PCKMeans(k, random_state=seed),
    "S-D": lambda k, seed: MPCKMeans(k, random_state=seed),
    "M-D": lambda k, seed: MPCKMeans(k, per_cluster=True, random_state=seed),
    "S-F": lambda k, seed: MPCKMeans(k, metric="full", random_state=seed),
    "M-F": lambda k, seed: MPCKMeans(k, metric="full", per_cluster=True, random_state=seed),
    "MK": lambda k, seed: MKMeans(k, random_state=seed),
    "Supervised": lambda k, seed: SupervisedMeans(k, random_state=seed),
    "RCA + PCK": lambda k, seed: LearnedMetricKMeans(n_clusters=k, random_state=seed),
}


def rows_of(name, draw):
    """Return the rows and classes of a draw."""
    if DATA[name] is None:
        return make_blobs(1000, 10, centers=5, cluster_std=5.0, random_state=draw)
    return DATA[name](return_X_y=True)


def links_of(y, n_links, draw):
    """Return links between most of the rows, and the numbers of the others."""
    linked = np.random.default_rng(draw).random(len(y)) < LINKED
    links = Constraints.from_labels(np.where(linked, y, -1), n_pairs=n_links, random_state=draw)
    return links, np.flatnonzero(~linked)


def fitted(model, X, links):
    return model.fit(X) if isinstance(model, KMeans) else model.fit(X, constraints=links)


def scores(make, name, n_links, n_draws):
    """Return the ARI and the pairwise F of each draw."""
    found = []
    for draw in range(n_draws):
        X, y = rows_of(name, draw)
        links, rest = links_of(y, n_links, draw)
        labels = fitted(make(len(np.unique(y)), draw), X, links).labels_
        ari = adjusted_rand_score(y[rest], labels[rest])
        found.append((ari, pairwise_f_score(y, labels, rows=rest)))
    return np.array(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--data", nargs="+", choices=DATA, default=list(DATA))
    parser.add_argument("--links", nargs="+", type=int, default=[50, 100, 300])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| data | links |", " | ".join(METHODS), "|")
    print("|", " | ".join(["---"] * (2 + len(METHODS))), "|")
    for name in options.data:
        for n_links in options.links:
            means = [
                scores(make, name, n_links, options.draws).mean(axis=0) for make in METHODS.values()
            ]
            cells = " | ".join(f"{ari:.2f} / {f:.2f}" for ari, f in means)
            print(f"| {name} | {n_links} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
