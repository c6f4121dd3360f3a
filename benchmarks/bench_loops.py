"""The compiled loops on their own: compiled outside the clock, fresh input each round."""

import numpy as np
import pytest

from coterie import Constraints
from coterie.inference.peeled import Peeled
from coterie.loops import diameter, icm, sweep
from coterie.model import Energy, LinkGraph

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


@pytest.mark.parametrize("n_links", [10_000, 100_000])
@pytest.mark.parametrize("k", [6, 24])
def bench_pass_messages(benchmark, k, n_links):
    rng = np.random.default_rng(0)
    pairs = rng.integers(n_links // 2, size=(n_links, 2))
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    must = rng.random(len(pairs)) < 0.5
    links = Constraints(pairs[must], pairs[~must])
    graph = LinkGraph.of(links, links)
    energy = Energy.build(graph, rng.random((len(graph.rows), k)), np.ones((len(pairs), 1)))
    peeled = Peeled.of(energy)
    nowhere = np.full(len(peeled.core.nodes), -1, dtype=np.int32)
    rounds = {"reweighted": False, "damping": 0.4, "max_iter": 20, "tol": 0.0, "patience": 20}

    def fresh():
        return (nowhere.copy(),), rounds

    peeled.converse(*fresh()[0], **rounds)
    benchmark.pedantic(peeled.converse, setup=fresh, rounds=5)
    steps = 20 * len(peeled.core.pairs) * k
    benchmark.extra_info["ns a link, label and iteration"] = 1e9 * benchmark.stats.stats.min / steps
