"""Ctrl-C comes through, however long a method would take."""

import os
import signal
import subprocess
import sys
from threading import Event, get_ident
from time import perf_counter, sleep

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from coterie.engines.threads import patient
from coterie.inference import BeliefPropagation, peeled
from problems import random_energy, random_labels

CHILD = """
import sys

import numpy as np

from coterie import Constraints
from coterie.inference import INFERENCE
from coterie.model import Energy, LinkGraph

name, n, n_threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
method = INFERENCE[name](n_threads=n_threads)
for size in (10, n):  # the first compiles the loops
    pairs = np.unique(np.sort(rng.integers(size, size=(3 * size, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    must = rng.random(len(pairs)) < 0.5
    links = Constraints(pairs[must], pairs[~must], n_samples=size)
    graph = LinkGraph.of(links, links)
    unary, penalty = 3 * rng.random((len(graph.rows), 8)), rng.random((len(pairs), 1))
    energy = Energy.build(graph, unary, penalty)
    if size == n:
        print("off", flush=True)
    method.infer(energy, np.full(len(graph.rows), -1, dtype=np.int32), rng)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there, a child is interrupted otherwise")
@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="takes too long")
@pytest.mark.parametrize(
    ("name", "n", "n_threads"),
    [("bp", 100_000, 1), ("bp", 100_000, 2), ("lp", 5_000, 1), ("exact", 5_000, 1)],
)
def test_an_interrupt_ends_a_process_at_once(name, n, n_threads):
    command = [sys.executable, "-c", CHILD, name, str(n), str(n_threads)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        child.stdout.readline()
        sleep(2.0)
        start = perf_counter()
        child.send_signal(signal.SIGINT)
        try:
            _, errors = child.communicate(timeout=30.0)
        finally:
            child.kill()

    assert errors.strip().endswith(b"KeyboardInterrupt")
    assert child.returncode == -signal.SIGINT
    assert perf_counter() - start < 8.0  # it takes less than one where nothing else runs


@pytest.mark.parametrize("n_threads", [1, 3])
def test_what_is_waited_for_comes_in_order_and_from_elsewhere(n_threads):
    def work(item):
        return item * item, get_ident()

    found = patient(work, range(5), n_threads)

    assert [square for square, _ in found] == [0, 1, 4, 9, 16]
    assert get_ident() not in {who for _, who in found}
    assert patient(work, [], n_threads) == []


def test_who_waits_hears_what_went_wrong_and_nothing_else_is_begun():
    begun = []

    def work(item):
        begun.append(item)
        raise ArithmeticError(f"item {item}")

    with pytest.raises(ArithmeticError, match="item 0"):
        patient(work, range(1000), 1)
    assert begun[0] == 0


def test_an_interrupt_leaves_what_has_not_begun(monkeypatch):
    begun, go_on, ended = [], Event(), Event()

    def work(item):
        begun.append(item)
        go_on.wait(10.0)
        ended.set()

    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("coterie.engines.threads.wait", interrupted)

    with pytest.raises(KeyboardInterrupt):
        patient(work, range(3), 1)

    go_on.set()
    assert ended.wait(10.0) or not begun
    sleep(0.05)
    assert len(begun) <= 1


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_few_iterations_at_a_time_find_what_all_find(rng, monkeypatch, n_threads):
    energy = random_energy(rng, n=40, m=80, k=4)
    labels = random_labels(rng, energy, 0.5)
    method = BeliefPropagation(n_threads=n_threads)
    at_once = method.infer(energy, labels, rng)

    monkeypatch.setattr(peeled, "_STEPS", 1)

    assert_array_equal(method.infer(energy, labels, rng), at_once)


def test_messages_hear_the_deadline_after_the_first_few(rng, monkeypatch):
    monkeypatch.setattr(peeled, "_STEPS", 1)
    of_one = peeled.Peeled.of(random_energy(rng, n=20, m=80))
    nowhere = np.full(len(of_one.core.nodes), -1, dtype=np.int32)
    rules = {"reweighted": False, "damping": 0.4, "tol": 0.0, "patience": 99}

    late, single, many = nowhere.copy(), nowhere.copy(), nowhere.copy()
    energies = of_one.converse(late, **rules, max_iter=99, deadline=perf_counter())[0]
    of_one.converse(single, **rules, max_iter=1)
    best = of_one.converse(many, **rules, max_iter=99)[0]

    assert_array_equal(late, single)
    assert best.sum() <= energies.sum()
