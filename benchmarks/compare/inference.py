"""What belief propagation and the LP relaxation gain over ICM, and what they take.

    python benchmarks/compare/inference.py [--figure docs/images/inference.png] [--draws 3]
                                           [--runs 30] [--starts 1]

Prints three tables. The first two are of one E-step, from rows that are not placed yet: how far its
energy lies above the LP bound, and how long it takes. The third is the pairwise F of whole fits on
rows that no link names, by the protocol of Bilenko and Basu (2004): links between the rows of one
of two folds, F on the other, metric learning, one start from neighbourhoods (with more starts the
others are from k-means++); then the same with a tenth of the answers wrong. Protein and Letters
are read from the folder that COTERIE_DATA names, and left out where it names none.
"""

import argparse
import os
import statistics
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import load_iris, make_blobs

from coterie import Constraints, HMRFKMeans
from coterie.algorithms import hmrf, starts
from coterie.distortion import Diagonal, Identity
from coterie.engines import DenseRows
from coterie.inference import (
    ICM,
    BeliefPropagation,
    Exact,
    LinearProgram,
    lower_bound,
)
from coterie.model import LinkGraph, Problem
from coterie.scores import pairwise_f_score

PATIENCE = 10.0  # seconds that one E-step of the LP may take
N_ROWS, K, FEATURES, SPREAD = 1_000, 5, 5, 6.0  # blobs that overlap
N_LINKS = [10, 30, 100, 300, 1_000, 3_000, 10_000]
N_LINKS_OF_FITS = [5, 10, 20, 50, 100, 200, 500, 1_000]
ROUNDING = 1e-6  # percent
FEW = 200  # links
LETTERS = 226  # the paper draws 10 %
STEPS = {
    "ICM": ICM(),
    "ICM, greedy": ICM(order="greedy"),
    "BP": BeliefPropagation(),
    "LP": LinearProgram(time_limit=PATIENCE),
    "exact": Exact(time_limit=2.0),
}
WRONG = 0.1  # the share of answers, where some are
FITS = {  # inference, and the share of answers that are wrong
    "ICM": ("icm", 0.0),
    "BP": ("bp", 0.0),
    "LP": ("lp", 0.0),
    "ICM, 10 % wrong": ("icm", WRONG),
    "BP, 10 % wrong": ("bp", WRONG),
}
GAINS = {"BP": "ICM", "LP": "ICM", "BP, 10 % wrong": "ICM, 10 % wrong"}
SETS = {"iris": "Iris", "protein": "Protein", "letters_ijl": "Letters-IJL"}
LOOKS = {  # told apart in grey as well
    "ICM": {"color": "#444444", "marker": "o"},
    "ICM, greedy": {"color": "#999999", "marker": "s", "ls": ":"},
    "BP": {"color": "#3B8BC4", "marker": "^"},
    "LP": {"color": "#E69F00", "marker": "D", "ls": "--"},
    "exact": {"color": "#009E73", "marker": "x", "ls": "-."},
    "BP, 10 % wrong": {"color": "#CC79A7", "marker": "v", "ls": ":"},
}


def read(name):
    """Return rows and classes, or None where there is no such file."""
    if name == "iris":
        return load_iris(return_X_y=True)
    path = Path(os.environ.get("COTERIE_DATA", "nowhere")) / f"{name}.csv.gz"
    if not path.exists():
        return None
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(int)


def drawn(name, rng):
    X, y = read(name)
    if name == "letters_ijl":
        some = rng.choice(len(y), LETTERS, replace=False)
        return X[some], y[some]
    return X, y


def partly_wrong(links, share, rng):
    """Return the links, about a share of them turned into their opposite."""
    pairs = np.concatenate([links.must_link, links.cannot_link])
    must = np.arange(len(pairs)) < links.n_must_link
    must ^= rng.random(len(pairs)) < share
    return Constraints(pairs[must], pairs[~must], n_samples=links.n_samples)


def of_blobs(wrong):
    """Return what makes the energy of an E-step: links as they are, some of them wrong."""

    def energy(n_links, draw):
        rng = np.random.default_rng(draw)
        X, y = make_blobs(N_ROWS, FEATURES, centers=K, cluster_std=SPREAD, random_state=draw)
        links = Constraints.from_labels(y, n_pairs=n_links, random_state=draw)
        links = partly_wrong(links, wrong, rng)
        rows = DenseRows(X)
        problem = Problem(rows, LinkGraph.of(links, links), K)
        setting = hmrf.Setting(problem, Identity(), ICM(), scaled=True)
        centres = np.array([X[y == c].mean(axis=0) for c in range(K)]) - rows.shift
        centres += SPREAD / 3 * rng.standard_normal(centres.shape)
        metric = setting.distortion.start(K, FEATURES)
        return setting.energy(centres, metric, setting.penalties(metric)[0])

    return energy


def of_letters(n_links, draw):
    """Return the energy where a whole fit by ICM ended, with all that the links entail."""
    rng = np.random.default_rng(draw)
    X, y = drawn("letters_ijl", rng)
    links = Constraints.from_labels(y, n_pairs=n_links, random_state=draw)
    closed = links.closure().entailed()
    problem = Problem(DenseRows(X), LinkGraph.of(closed, links), 3)
    setting = hmrf.Setting(problem, Diagonal(), ICM(), scaled=True)
    how = {"init": "neighbourhoods", "n_init": 1, "max_iter": 100, "tol": 1e-4}
    found = starts.best_of(setting, links, rng=rng, **how)
    return setting.energy(found.centres, found.metric, setting.penalties(found.metric)[0])


PROBLEMS = {
    "blobs, all answers right": (of_blobs(0.0), N_LINKS),
    "blobs, 10 % of answers wrong": (of_blobs(WRONG), N_LINKS),
    "Letters-IJL, all that links entail": (of_letters, N_LINKS_OF_FITS),
}


def seconds(work):
    """Return the median of as many calls as half a second has room for, nine at most."""
    taken = []
    while not taken or (sum(taken) < 0.5 and len(taken) < 9):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def step(energy, inference, draw):
    """Return the energy of one E-step and its seconds, or NaN where time ran out."""
    start = np.full(len(energy.unary), -1, dtype=np.int32)
    found, events = [], Counter()

    def infer():
        rng = np.random.default_rng(draw)
        found.append(inference.infer(energy, start, rng, events))

    took = seconds(infer)
    return (np.nan, np.nan) if events["time limit"] else (energy.of(found[0]), took)


def steps(make, n_links, n_draws):
    """Return {method: (percent above the bound, seconds)}, each the mean over draws.

    Few links take no time, so they are drawn five times as often.
    """
    n_draws *= 5 if n_links <= FEW else 1
    found = {name: [] for name in STEPS}
    for draw in range(n_draws):
        energy = make(n_links, draw)
        bound = lower_bound(energy, time_limit=PATIENCE)
        for name, inference in STEPS.items():
            of_draws = found[name]
            if of_draws and np.isnan(of_draws[-1][0]):
                continue  # time ran out before
            reached, took = step(energy, inference, draw)
            above = 100 * (reached - bound) / abs(bound)
            of_draws.append((0.0 if above < ROUNDING else above, took))
    return {name: np.mean(of_draws, axis=0) for name, of_draws in found.items()}


def fits(data, n_links, run, n_starts):
    """Return the F of each method on each fold when links are from the other."""
    warnings.simplefilter("ignore")  # in processes of their own
    rng = np.random.default_rng(run)
    X, y = drawn(data, rng)
    first = rng.permutation(len(y)) < len(y) // 2
    init = "neighbourhoods" if n_starts == 1 else "auto"
    scores = []
    for known in (first, ~first):
        seed = int(rng.integers(2**31))
        links = Constraints.from_labels(np.where(known, y, -1), n_pairs=n_links, random_state=seed)
        doubtful = partly_wrong(links, WRONG, rng)
        rest, row = np.flatnonzero(~known), []
        for how, wrong in FITS.values():
            if how == "lp" and slow(data, n_links):
                row.append(np.nan)
                continue
            begin = {"init": init, "n_init": n_starts, "random_state": seed}
            model = HMRFKMeans(len(np.unique(y)), inference=how, n_jobs=1, **begin)
            labels = model.fit(X, constraints=doubtful if wrong else links).labels_
            row.append(pairwise_f_score(y, labels, rows=rest))
        scores.append(row)
    return scores


def slow(data, n_links):
    """Tell whether fits by LP take seconds each."""
    return data == "letters_ijl" and n_links > 100


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--draws", type=int, default=3, help="of the E-steps")
    parser.add_argument("--runs", type=int, default=30, help="of the fits, two folds each")
    parser.add_argument("--starts", type=int, default=1, help="of each fit")
    options = parser.parse_args()
    there = [data for data in SETS if read(data) is not None]
    if len(there) < len(SETS):
        print(f"COTERIE_DATA names no folder with {', '.join(set(SETS) - set(there))}.\n")
    of_steps = {
        name: [steps(make, n_links, options.draws) for n_links in grid]
        for name, (make, grid) in PROBLEMS.items()
        if make is not of_letters or "letters_ijl" in there
    }
    print_steps(of_steps)
    workers, of_fits = Parallel(n_jobs=-1), {}
    for data in there:
        of_fits[data] = []
        for n_links in N_LINKS_OF_FITS:
            each = (
                delayed(fits)(data, n_links, run, options.starts) for run in range(options.runs)
            )
            of_fits[data].append(np.concatenate(workers(each)))
    print_fits(of_fits)
    if options.figure:
        draw(of_steps, of_fits, options.figure)


def print_steps(of_steps):
    for title, column, form in (
        ("percent above the bound", 0, lambda v: f"{v:.2f}" if v < 10 else f"{v:.0f}"),
        ("milliseconds", 1, lambda v: f"{1e3 * v:.2g}" if v < 0.09 else f"{1e3 * v:,.0f}"),
    ):
        print(f"| {title} | links |", " | ".join(STEPS), "|")
        print("|" + " --- |" * (2 + len(STEPS)))
        for name, of_grid in of_steps.items():
            for n_links, found in zip(PROBLEMS[name][1], of_grid, strict=True):
                values = [found[method][column] for method in STEPS]
                cells = " | ".join("" if np.isnan(v) else form(v) for v in values)
                print(f"| {name} | {n_links:,} | {cells} |")
        print(flush=True)


def print_fits(of_fits):
    heads = " | ".join(f"{one} less {other}" for one, other in GAINS.items())
    print(f"| F | links | ICM | ICM, 10 % wrong | {heads} |")
    print("|" + " --- |" * (4 + len(GAINS)))
    for data, of_grid in of_fits.items():
        for n_links, scores in zip(N_LINKS_OF_FITS, of_grid, strict=True):
            icm, doubtful = scores.mean(axis=0)[[0, 3]]
            pairs = [gain(scores, name) for name in GAINS]
            cells = " | ".join("" if np.isnan(m) else f"{m:+.3f} ± {e:.3f}" for m, e in pairs)
            print(f"| {SETS[data]} | {n_links:,} | {icm:.3f} | {doubtful:.3f} | {cells} |")


def gain(scores, name):
    """Return by how much a method beats ICM, and half of what a 95 % interval is wide."""
    column = dict(zip(FITS, scores.T, strict=True))
    ahead = column[name] - column[GAINS[name]]
    by_run = ahead.reshape(-1, 2).mean(axis=1)  # the two folds of a run share their rows
    return by_run.mean(), 1.96 * by_run.std(ddof=1) / np.sqrt(len(by_run))


def draw(of_steps, of_fits, path):
    """Draw energies, seconds and F, each by the number of links."""
    import matplotlib as mpl

    mpl.use("Agg")  # no window
    import matplotlib.pyplot as plt
    from PIL import Image

    figure, axes = plt.subplots(3, 3, figsize=(11, 10))
    for column, (name, of_grid) in enumerate(of_steps.items()):
        top, middle = axes[0, column], axes[1, column]
        for method in STEPS:
            above, took = np.array([found[method] for found in of_grid]).T
            for axis, values in ((top, above), (middle, took)):
                axis.plot(PROBLEMS[name][1], values, label=method, ms=5, lw=1.5, **LOOKS[method])
        top.set_title(name, fontsize=11)
        top.set_yscale("symlog", linthresh=1.0, linscale=0.8)
        top.set_ylim(-0.15, 1_000)
        top.set_yticks([0, 1, 10, 100, 1_000], ["0", "1", "10", "100", "1,000"])
        middle.set_yscale("log")
        middle.set_ylim(2e-5, 20)
    for column, (data, of_grid) in enumerate(of_fits.items()):
        axis, places = axes[2, column], np.array(N_LINKS_OF_FITS)
        axis.axhline(0, lw=1.5, color=LOOKS["ICM"]["color"])
        # Side by side, else the bars hide each other.
        for shift, method in zip((0.94, 1.0, 1.06), GAINS, strict=True):
            middle, error = np.transpose([gain(scores, method) for scores in of_grid])
            bars = {"capsize": 2, "ms": 5, "lw": 1.3, "label": method, **LOOKS[method]}
            axis.errorbar(places * shift, middle, error, **bars)
        axis.set_title(SETS[data], fontsize=11)
        axis.set_ylim(-0.05, 0.1)
    for axis in axes.flat:
        axis.set_xscale("log")
        axis.grid(alpha=0.25)
        axis.spines[["top", "right"]].set_visible(False)
    for axis in axes[2]:
        axis.set_xlabel("links given")
    labels = (
        "one E-step: % above the LP bound",
        "one E-step: seconds",
        "whole fit: F less that of ICM",
    )
    for axis, letter, label in zip(axes[:, 0], "abc", labels, strict=True):
        axis.set_ylabel(label)
        axis.set_title(letter, loc="left", fontweight="bold")
    found = [axis.get_legend_handles_labels() for axis in (axes[0, 0], axes[2, 0])]
    by_name = {name: handle for pair in found for handle, name in zip(*pair, strict=True)}
    handles, names = by_name.values(), by_name.keys()
    figure.legend(handles, names, loc="lower center", ncols=len(names), frameon=False)
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    figure.savefig(path, dpi=110)
    plt.close(figure)
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)  # a third of the size


if __name__ == "__main__":
    main()
