"""Coterie beside the packages that people use today, on the same problems in one run.

    python benchmarks/compare/peers.py [--rounds 5]

It needs an environment with `active-semi-supervised-clustering`, `metric-learn` 0.7.0 and, because
of the latter, `scikit-learn<1.8`: `nox -s peers` makes one. Fits alone are timed, compilation is
left out (first_call.py is about that), and each of ours is the median of several rounds.
"""

import argparse
import statistics
import time
import warnings

import numpy as np
from active_semi_clustering.semi_supervised import pairwise_constraints as assc
from metric_learn import RCA as PeerRCA
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from coterie import RCA, Constraints, MPCKMeans, PCKMeans

K = 5


def blobs(n, n_links, seed=0):
    X, y = make_blobs(n, n_features=10, centers=K, cluster_std=1.0, random_state=seed)
    return X, y, Constraints.from_labels(y, n_pairs=n_links, random_state=seed + 1)


def timed(fit):
    began = time.perf_counter()
    model = fit()
    return time.perf_counter() - began, model


def median_of(rounds, fit):
    fit()  # compile and warm up outside the clock
    runs = [timed(fit) for _ in range(rounds)]
    return statistics.median(seconds for seconds, _ in runs), runs[-1][1]


def fresh(links):
    """Return the links without anything that was worked out before."""
    return Constraints(links.must_link, links.cannot_link, n_samples=links.n_samples)


def ours(model, X, links, rounds):
    return median_of(rounds, lambda: model.fit(X, constraints=fresh(links)))


def assc_fit(name, X, links, seed):
    pairs = links.must_link, links.cannot_link
    must, cannot = ([tuple(pair) for pair in part.tolist()] for part in pairs)
    np.random.seed(seed)  # noqa: NPY002 - the peer has no random_state
    return timed(lambda: getattr(assc, name)(n_clusters=K).fit(X, ml=must, cl=cannot))


def row(*cells):
    print("|", " | ".join(cells), "|", flush=True)


def against_assc(work, peer, model, n, n_links, wanted, rounds):
    """Print a row for each of five problems: the peer is quick where it happens to begin well."""
    for seed in range(5):
        X, y, links = blobs(n, n_links, seed)
        theirs, their_model = assc_fit(peer, X, links, seed)
        once, _ = ours(model.set_params(n_init=1), X, links, rounds)
        mine, _ = ours(model.set_params(n_init=5), X, links, rounds)
        found = [adjusted_rand_score(y, m.labels_) for m in (model, their_model)]
        row(
            f"{work}, draw {seed}",
            f"{1e3 * mine:.3g} ms (one start {1e3 * once:.3g} ms)",
            f"{peer}, one start: {1e3 * theirs:.4g} ms",
            f"{theirs / mine:.3g} ({theirs / once:.3g})",
            wanted,
            f"ARI {found[0]:.2f} and {found[1]:.2f}",
        )


def against_kmeans(rounds):
    X, _, links = blobs(10_000, 1_000)
    theirs, _ = median_of(rounds, lambda: KMeans(K, n_init=1, random_state=0).fit(X))
    for starts in (5, 1):
        mine, _ = ours(MPCKMeans(K, n_init=starts, random_state=0), X, links, rounds)
        row(
            "MPCK S-D, n = 10,000, 1,000 links",
            f"{starts} start{'s' * (starts > 1)}: {1e3 * mine:.3g} ms",
            f"KMeans, n_init=1: {1e3 * theirs:.3g} ms",
            f"{theirs / mine:.2g}",
            ">= 0.1",
            "",
        )


def against_rca(rounds):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 50)) @ rng.standard_normal((50, 50))
    must = rng.permutation(20_000).reshape(-1, 2)
    links = Constraints(must_link=must, n_samples=len(X))
    graph = sparse.coo_array((np.ones(len(must)), must.T), shape=(len(X), len(X)))
    chunks = sparse.csgraph.connected_components(graph, directed=False)[1]
    theirs, _ = median_of(rounds, lambda: PeerRCA().fit(X, chunks))
    for shrinkage in ("auto", 0.0):
        mine, _ = ours(RCA(shrinkage=shrinkage), X, links, rounds)
        row(
            "RCA, 10,000 links, d = 50",
            f"shrinkage={shrinkage}: {1e3 * mine:.3g} ms",
            f"metric-learn, chunks ready made: {1e3 * theirs:.3g} ms",
            f"{theirs / mine:.2g}",
            ">= 1",
            "",
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    warnings.simplefilter("ignore")
    row("work", "Coterie", "peer", "times as fast", "to reach", "")
    row(*["---"] * 6)
    pck, mpck = PCKMeans(K, random_state=0), MPCKMeans(K, random_state=0)
    against_assc("MPCK S-D, n = 1,000", "MPCKMeans", mpck, 1_000, 1_000, ">= 100", rounds)
    against_assc("PCK, n = 10,000", "PCKMeans", pck, 10_000, 1_000, ">= 200", rounds)
    against_kmeans(rounds)
    against_rca(rounds)


if __name__ == "__main__":
    main()
