"""Cluster some 500 texts by what they are made of, with four distortions.

    python examples/texts.py [--draws 3] [--figure demo-output/texts.png] [--all]

It needs no network: the texts are the docstrings of functions of SciPy and scikit-learn, without
their examples, and the class of a text is the module it comes from. No method sees a class; links
are pairs of texts that are said to be of the same module or not. They are drawn among seven texts
in ten, and all scores are of the other three. docs/howto/cluster-texts.md tells what was found.
"""

import argparse
import inspect
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

from coterie import Constraints, HMRFKMeans

MODULES = ["scipy.signal", "scipy.stats", "scipy.ndimage", "scipy.linalg", "sklearn.metrics"]
DISTORTIONS = ["euclidean", "cosine", "kl", "i-divergence"]
LINKED = 0.7  # the share of texts that links are drawn from
N_LINKS = [0, 100, 300]
N_LINKS_OF_FIGURE = [0, 30, 100, 300, 1_000]
WORDS = r"[a-zA-Z]{3,}"


def texts():
    """Return texts, without examples, and for each the number of its module."""
    module_of = {}  # some functions live in two modules: the first has them
    for number, module in enumerate(MODULES):
        for _, function in inspect.getmembers(import_module(module), inspect.isroutine):
            text = (inspect.getdoc(function) or "").split("Examples\n---")[0]
            if len(text.split()) >= 30:
                module_of.setdefault(text, number)
    return list(module_of), np.array(list(module_of.values()))


def summary(text):
    """Return what a text says before it comes to details."""
    return text.split("Parameters\n---")[0].lower()


def counts(**options):
    return CountVectorizer(token_pattern=WORDS, **options)


# How texts become rows, all of them CSR.
ROWS = {
    "whole texts": counts(stop_words="english", min_df=5),
    "the same, tf-idf": make_pipeline(
        counts(stop_words="english", min_df=5), TfidfTransformer(norm=None)
    ),
    "summaries": counts(stop_words="english", min_df=2, preprocessor=summary),
    "the 50 commonest words": counts(max_features=50),
}


def draw_of(y, n_links, draw):
    """Return links between most of the texts, and the numbers of the others."""
    linked = np.random.default_rng(draw).random(len(y)) < LINKED
    links = None
    if n_links:
        known = np.where(linked, y, -1)
        links = Constraints.from_labels(known, n_pairs=n_links, random_state=draw)
    return links, np.flatnonzero(~linked)


def score(X, y, n_links, n_draws, **parameters):
    """Return the mean ARI of other texts, and the shares of must- and cannot-links that hold."""
    scores, kept = [], []
    for draw in range(n_draws):
        links, rest = draw_of(y, n_links, draw)
        model = HMRFKMeans(len(MODULES), random_state=draw, **parameters)
        labels = model.fit(X, constraints=links).labels_
        scores.append(adjusted_rand_score(y[rest], labels[rest]))
        if links is not None:
            found = links.satisfaction(labels)
            kept.append([found.must_link_holds.mean(), found.cannot_link_holds.mean()])
    return np.mean(scores), np.mean(kept, axis=0) if kept else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--all", action="store_true", help="texts as rows of other kinds, too")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found, y = texts()
    print(f"{len(y)} texts of {len(MODULES)} modules: {np.bincount(y).tolist()}.\n")
    rows = ROWS if options.all else {"whole texts": ROWS["whole texts"]}
    heads = " | ".join(f"{n} links | learned" for n in N_LINKS)
    print(f"| ARI | distortion | {heads} |\n| --- | --- |{' --- |' * 2 * len(N_LINKS)}")
    for kind, vectorizer in rows.items():
        X = vectorizer.fit_transform(found).tocsr().astype(float)
        for distortion in DISTORTIONS:
            cells = [
                score(X, y, n, options.draws, distortion=distortion, metric_learning=learned)[0]
                for n in N_LINKS
                for learned in (False, True)
            ]
            line = " | ".join(f"{cell:.2f}" for cell in cells)
            print(f"| {kind} | {distortion} | {line} |", flush=True)
    if options.all:
        compare_penalties(found, y, options.draws)
    if options.figure:
        options.figure.parent.mkdir(parents=True, exist_ok=True)
        draw(found, y, options.draws, options.figure)


def compare_penalties(found, y, n_draws):
    """Print what each way to price links does to them, and to the other texts."""
    print("\n| 300 links | distortion | learned | penalty | ARI | must-links kept | cannot-links |")
    print("|" + " --- |" * 7)
    for kind in ("whole texts", "summaries"):
        X = ROWS[kind].fit_transform(found).astype(float)
        for distortion in ("cosine", "kl"):
            for learned in (False, True):
                for penalty in ("distance", "constant"):
                    how = {"metric_learning": learned, "penalty": penalty}
                    ari, kept = score(X, y, 300, n_draws, distortion=distortion, **how)
                    cells = f"{ari:.2f} | {kept[0]:.0%} | {kept[1]:.0%}"
                    learning = "yes" if learned else "no"
                    print(f"| {kind} | {distortion} | {learning} | {penalty} | {cells} |")


def draw(found, y, n_draws, path):
    """Draw scores by the number of links, and how long the texts of each cluster are."""
    import matplotlib as mpl

    mpl.use("Agg")  # no window
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    X = ROWS["whole texts"].fit_transform(found).astype(float)
    colours = ["#666666", "#3B8BC4", "#E69F00", "#009E73", "#CC79A7"]
    figure, axes = plt.subplots(1, 3, figsize=(12, 4.8), width_ratios=[1.3, 1, 1])
    places = [10 if n == 0 else n for n in N_LINKS_OF_FIGURE]
    for distortion, colour, marker in zip(DISTORTIONS, colours, "soD^", strict=False):
        for learned, dashes in ((False, "-"), (True, ":")):
            how = {"distortion": distortion, "metric_learning": learned}
            line = [score(X, y, n, n_draws, **how)[0] for n in N_LINKS_OF_FIGURE]
            axes[0].plot(places, line, c=colour, marker=marker, ls=dashes, ms=5)
    axes[0].set_xscale("log")
    axes[0].set_xticks(places, [f"{n:,}" for n in N_LINKS_OF_FIGURE])
    axes[0].minorticks_off()
    axes[0].set(xlabel="links", ylabel="ARI of other texts", ylim=(0, 1))
    solid = [
        Line2D([], [], color=colour, marker=marker, label=distortion)
        for distortion, colour, marker in zip(DISTORTIONS, colours, "soD^", strict=False)
    ]
    dotted = Line2D([], [], color="black", ls=":", label="weights learned")
    axes[0].legend(handles=[*solid, dotted], frameon=False, fontsize=9)

    length = np.asarray(X.sum(axis=1)).ravel()
    rng = np.random.default_rng(0)
    for axis, distortion in zip(axes[1:], ("euclidean", "cosine"), strict=True):
        model = HMRFKMeans(len(MODULES), distortion=distortion, metric_learning=False)
        labels = model.set_params(random_state=0).fit(X).labels_
        # Clusters come in no order: the one of the longest texts is drawn last.
        order = sorted(range(len(MODULES)), key=lambda c: np.median(length[labels == c]))
        place = np.argsort(order)[labels] + rng.uniform(-0.32, 0.32, len(y))
        for number, module in enumerate(MODULES):
            mine = y == number
            look = {"s": 9, "alpha": 0.75, "lw": 0, "c": colours[number], "label": module}
            axis.scatter(place[mine], length[mine], **look)
        sizes = np.bincount(labels)[order]
        axis.set_xticks(range(len(order)), [f"{size}\ntexts" for size in sizes], fontsize=9)
        axis.set_yscale("log")
        axis.set_title(f"clusters of {distortion}", fontsize=11)
    axes[1].set_ylabel("words in the text that are counted")
    handles, names = axes[1].get_legend_handles_labels()
    figure.legend(handles, names, loc="lower right", ncols=5, frameon=False, markerscale=2.5)
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
