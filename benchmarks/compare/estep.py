"""How long one E-step takes by each inference, and how that grows with links and clusters.

    python benchmarks/compare/estep.py

Random problems: uniform costs of labels, pairs of rows said to be what they are but for one in ten,
half of them within groups, penalties of the size of the costs. Rows are not placed yet. The global
program is Eq. 8 to 15 as printed, over all rows and links at once, in one call of HiGHS. The data
sets of the paper are read from the folder that COTERIE_DATA names, and left out where it names
none.
"""

import os
import statistics
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.datasets import load_iris

from coterie import Constraints
from coterie.algorithms import hmrf
from coterie.distortion import Diagonal
from coterie.engines import DenseRows
from coterie.inference import ICM, BeliefPropagation, LinearProgram, lower_bound
from coterie.model import Energy, LinkGraph, Problem

STEPS = {"ICM": ICM(), "BP": BeliefPropagation(), "LP": LinearProgram(time_limit=300.0)}
THREADS = 2


def random_energy(n, m, k, wrong=0.1):
    """Return the energy of about m links between n rows, half of them within groups."""
    rng = np.random.default_rng(0)
    group = rng.integers(k, size=n)
    pairs = rng.integers(n, size=(m, 2))
    for c in range(k):
        mine = np.flatnonzero(group[pairs[: m // 2, 0]] == c)
        pairs[mine, 1] = rng.choice(np.flatnonzero(group == c), len(mine))
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    must = (group[pairs[:, 0]] == group[pairs[:, 1]]) != (rng.random(len(pairs)) < wrong)
    links = Constraints(pairs[must], pairs[~must], n_samples=n)
    graph = LinkGraph.of(links, links)
    penalty = rng.uniform(0.2, 2.0, size=(len(graph.pairs), 1))
    return Energy.build(graph, 3 * rng.random((len(graph.rows), k)), penalty)


def fitted_energy(X, y, n_links):
    """Return the energy of the E-step at the middles of the classes."""
    links = Constraints.from_labels(y, n_pairs=n_links, random_state=0)
    rows, k = DenseRows(X), len(np.unique(y))
    problem = Problem(rows, LinkGraph.of(links, links), k)
    setting = hmrf.Setting(problem, Diagonal(), ICM(), scaled=True)
    centres = np.array([X[y == c].mean(axis=0) for c in np.unique(y)]) - rows.shift
    metric = setting.distortion.start(k, X.shape[1])
    return setting.energy(centres, metric, setting.penalties(metric)[0])


def global_program(energy):
    """Solve Eq. 8 to 15 as printed, all at once, and return the value."""
    (n, k), m = energy.unary.shape, len(energy.penalty)
    must, (a, b) = energy.graph.must, energy.graph.pairs.T
    penalty = np.broadcast_to(energy.penalty, (m, k))
    labels = np.arange(k)
    y_a, y_b = (np.add.outer(ends * k, labels).ravel() for ends in (a, b))
    z = (n + np.arange(m))[:, None] * k + labels
    same, z = np.repeat(must, k), z.ravel()
    parts = []
    for signs, chosen, most in (
        ((1, -1, -1), same, 0.0),  # Eq. 12
        ((-1, 1, -1), same, 0.0),  # Eq. 13
        ((-1, -1, 1), ~same, 0.0),  # Eq. 14
        ((1, 1, -1), ~same, 1.0),  # Eq. 15
    ):
        n_rows = int(chosen.sum())
        row = np.tile(np.arange(n_rows), 3)
        column = np.concatenate([part[chosen] for part in (y_a, y_b, z)])
        entries = np.repeat(signs, n_rows).astype(float)
        block = sparse.csr_array((entries, (row, column)), shape=(n_rows, (n + m) * k))
        parts.append((block, np.full(n_rows, most)))
    one = sparse.kron(sparse.eye_array(n), np.ones((1, k)))
    found = linprog(
        np.concatenate([energy.unary.ravel(), penalty.ravel()]),
        A_ub=sparse.vstack([block for block, _ in parts]).tocsr(),
        b_ub=np.concatenate([most for _, most in parts]),
        A_eq=sparse.hstack([one, sparse.csr_array((n, m * k))]).tocsr(),
        b_eq=np.ones(n),
        bounds=(0.0, 1.0),
        method="highs",
    )
    return found.fun


def seconds(work, patience=1.0):
    """Return the least of as many calls as there is patience for, 30 at most."""
    taken = []
    while not taken or (sum(taken) < patience and len(taken) < 30):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken) if len(taken) > 2 else statistics.mean(taken)


def step(energy, name):
    inference = STEPS[name]
    if hasattr(inference, "n_threads"):
        inference = type(inference)(n_threads=THREADS)
    start = np.full(len(energy.unary), -1, dtype=np.int32)

    def infer():
        return inference.infer(energy, start, np.random.default_rng(0))

    reached = energy.of(infer())
    return reached, seconds(infer)


def show(taken):
    return f"{1e3 * taken:.3g} ms"


def papers_sets():
    yield "Iris", *load_iris(return_X_y=True)
    folder = Path(os.environ.get("COTERIE_DATA", "nowhere"))
    for title, name, share in (("Protein", "protein", 1.0), ("Letters-IJL", "letters_ijl", 0.1)):
        path = folder / f"{name}.csv.gz"
        if path.exists():
            table = np.loadtxt(path, delimiter=",", skiprows=1)
            some = np.random.default_rng(0).random(len(table)) < share
            yield title, table[some, :-1], table[some, -1].astype(int)


def main():
    print("| data | links | ICM | BP, of ICM | LP, of ICM |\n| --- | --- | --- | --- | --- |")
    for title, X, y in papers_sets():
        for n_links in (20, 100, 500):
            energy = fitted_energy(X, y, n_links)
            icm, bp, lp = (step(energy, name)[1] for name in STEPS)
            ratios = f"{show(bp)}, {bp / icm:.1f} | {show(lp)}, {lp / icm:.1f}"
            print(f"| {title} | {n_links} | {show(icm)} | {ratios} |", flush=True)

    print("\n| rows, links, clusters | ICM | BP | LP | global program | bound |")
    print("| --- | --- | --- | --- | --- | --- |")
    for n, m in ((2_000, 2_000), (2_000, 6_000), (20_000, 20_000)):
        energy = random_energy(n, m, 6)
        bound = lower_bound(energy, time_limit=300.0)
        cells = []
        for name in STEPS:
            reached, taken = step(energy, name)
            cells.append(f"{show(taken)}, +{100 * max(reached / bound - 1, 0.0):.3f} %")
        began = time.perf_counter()
        value = global_program(energy)
        cells.append(f"{show(time.perf_counter() - began)}, {value:.2f}")
        print(f"| {n}, {len(energy.penalty)}, 6 | {' | '.join(cells)} | {bound:.2f} |", flush=True)

    print("\n| links (rows), clusters | ICM | BP |\n| --- | --- | --- |")
    for m, k in (
        (1_000, 6),
        (10_000, 6),
        (100_000, 6),
        (1_000_000, 6),
        (100_000, 12),
        (100_000, 24),
    ):
        energy = random_energy(m, m, k)
        cells = []
        for name in ("ICM", "BP"):
            taken = step(energy, name)[1]
            each = 1e9 * taken / len(energy.penalty)
            cells.append(f"{show(taken)}, {each:.0f} ns a link")
        print(f"| {m}, {k} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
