"""The compiled loops on their own: compiled outside the clock, fresh input each round."""

import numpy as np
import pytest

from coterie import Constraints
from coterie.loops import diameter, icm, sweep
from coterie.model import LinkGraph

K = 16


def rows(n, d, dtype):
    return np.random.default_rng(0).standard_normal((n, d)).astype(dtype)


def timed(benchmark, loop, fresh, n):
    loop(*fresh()[0])
    benchmark.pedantic(loop, setup=fresh, rounds=7)
    benchmark.extra_info["ns a row"] = 1e9 * benchmark.stats.stats.min / n


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("d", [16, 128])
def bench_sweep_linear(benchmark, d, squared, dtype):
    X, wide = rows(200_000, d, dtype), 2 * d if squared else d
    slopes = np.ones((K, wide), dtype=dtype)
    slopes[:, :d] = -2 * X[:K]
    offsets = (X[:K] ** 2).sum(axis=1)
    weights = np.ones(len(X), dtype=np.int8)

    def fresh():
        labels = np.full(len(X), -1, dtype=np.int32)
        sums = np.zeros(K), np.zeros((K, wide))
        return (X, np.zeros(d, dtype), slopes, offsets, weights, labels, *sums), {}

    timed(benchmark, sweep.sweep_linear, fresh, len(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def bench_sweep_full(benchmark, dtype):
    X, d = rows(200_000, 16, dtype), 16
    factors = np.triu(np.ones((K, d, d), dtype))
    weights = np.ones(len(X), dtype=np.int8)

    def fresh():
        labels = np.full(len(X), -1, dtype=np.int32)
        sums = np.zeros(K), np.zeros((K, d)), np.zeros((K, d, d))
        rule = factors, X[:K], np.zeros(K, dtype)
        return (X, np.zeros(d, dtype), *rule, weights, labels, *sums), {}

    timed(benchmark, sweep.sweep_full, fresh, len(X))


@pytest.mark.parametrize("n_links", [10_000, 100_000])
def bench_icm_sweep(benchmark, n_links):
    rng = np.random.default_rng(0)
    blob = rng.integers(K, size=50_000)
    links = Constraints.from_labels(blob, n_pairs=n_links, random_state=0)
    graph = LinkGraph.of(links, links)
    n = len(graph.rows)
    unary, penalty = rng.random((n, K)), graph.weights[:, None]
    links_of = graph.indptr, graph.other, graph.link, graph.must, penalty
    order = rng.permutation(n)

    def fresh():
        labels = unary.argmin(axis=1).astype(np.int32)
        return (unary, *links_of, *graph.single, order, labels), {}

    timed(benchmark, icm.icm_sweep, fresh, n)


def bench_farthest_pair(benchmark):
    X = rows(5_000, 10, np.float64)
    radius = np.linalg.norm(X, axis=1)
    order = np.argsort(-radius)

    def fresh():
        return (X[order], radius[order]), {}

    timed(benchmark, diameter.farthest_pair, fresh, len(X))
