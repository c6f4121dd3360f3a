"""Every labelling of a few linked rows, priced by the definitions: what inference says of them."""

from itertools import combinations

import numpy as np
import pytest

import reference_hmrf as paper
import reference_mpck
from coterie import Constraints
from estimators.methods import MEASURES, POSITIVE, beams, each, variants
from problems import all_labellings, random_constraints

K, LINKED = 3, 9
DISTANCES = {
    "euclidean": paper.squared_euclidean,
    "cosine": paper.cosine,
    "kl": paper.i_divergence,
    "i-divergence": paper.i_divergence,
    "itakura-saito": paper.itakura_saito,
}
PRIORS = {"kl": 1.0, "i-divergence": 1.0}
METHODS = variants(MEASURES, POSITIVE)
CONTRADICT = pytest.mark.filterwarnings("ignore:.* rows that must-links hold:UserWarning")


def prepared(X, distortion):
    """Return the rows as the distortion takes them."""
    if distortion == "cosine":
        return np.array([x / np.sqrt(x @ x) for x in X])
    return np.array([x / x.sum() for x in X]) if distortion == "kl" else X


def measures_of(model):
    """Return how far a row lies from a centre, and two rows from each other, by the definitions."""
    if model.distortion == "mahalanobis":
        return (lambda x, y, A: reference_mpck.length(x - y, A),) * 2
    distance = DISTANCES[model.distortion]
    alike = model.distortion in ("euclidean", "cosine")
    return distance, distance if alike else paper.from_the_middle(distance)


def log_z(X, model, metric):
    """Return what a metric costs each row."""
    if not model.metric_learning:
        return 0.0
    if model.distortion == "mahalanobis":
        return -reference_mpck.log_det(metric)
    if model.distortion == "euclidean":
        return -np.log(metric).sum()
    if model.distortion != "cosine":
        return paper.normaliser(metric)
    ones = np.ones(len(X))
    return paper.normaliser_of_cosine(metric, paper.shares(X, ones), paper.stiffness(X, ones))


def priced(weight, distance):
    """Return what a broken link costs; a hard one is not for sale."""
    return weight * distance if np.isfinite(weight) else np.inf


class Priced:
    """Eq. 6 with the centres and metrics of a model."""

    def __init__(self, model, X, links):
        X = prepared(X, model.distortion)
        distance, scaling = measures_of(model)
        metrics = model.metrics_ if model.per_cluster else [model.metrics_] * K
        each = list(zip(model.cluster_centers_, metrics, strict=True))
        extra = [log_z(X, model, metric) for metric in metrics]
        self.rows = np.array([[distance(x, *of) for of in each] for x in X]) + extra
        given = [distance(X.mean(axis=0), *of) for of in each]
        self.prior = PRIORS.get(model.distortion, 0.0) * sum(np.add(given, extra))
        scaled = model.penalty == "distance"
        widest = [max(scaling(x, y, A) for x, y in combinations(X, 2)) for A in metrics]
        self.links = []
        for (i, j), weight in zip(links.must_link, links.must_link_weights, strict=True):
            half = [priced(weight, scaling(X[i], X[j], A) if scaled else 1) / 2 for A in metrics]
            table = np.add.outer(half, half)
            np.fill_diagonal(table, 0.0)
            self.links.append((i, j, table))
        for (i, j), weight in zip(links.cannot_link, links.cannot_link_weights, strict=True):
            table = np.zeros((K, K))
            for h, A in enumerate(metrics):
                short = widest[h] - scaling(X[i], X[j], A)
                table[h, h] = priced(weight, short if scaled else 1)
            self.links.append((i, j, table))

    def of_links(self, labels):
        return sum(table[labels[i], labels[j]] for i, j, table in self.links)

    def objective(self, labels):
        own = self.rows[np.arange(len(labels)), labels].sum()
        return self.prior + own + self.of_links(labels)

    def energies(self, linked, labellings):
        """Return what linked rows and links cost under each of these labellings of the rows."""
        place = {row: p for p, row in enumerate(linked)}
        total = sum(self.rows[row, labellings[:, p]] for row, p in place.items())
        for i, j, table in self.links:
            total = total + table[labellings[:, place[i]], labellings[:, place[j]]]
        return total


def some_links(rng, blob, m, *, hard=0, wrong=0.3):
    """Return links between 9 rows, light and heavy, right and wrong."""
    chosen = np.sort(rng.choice(len(blob), LINKED, replace=False))
    drawn = random_constraints(rng, LINKED, m, hard=hard, blob=blob[chosen], wrong=wrong)
    return Constraints(
        chosen[drawn.must_link],
        chosen[drawn.cannot_link],
        must_link_weights=drawn.must_link_weights,
        cannot_link_weights=drawn.cannot_link_weights,
        n_samples=len(blob),
    )


def a_tree(rng, blob):
    """Return links without loops, a third of them wrong."""
    rows = rng.choice(len(blob), LINKED, replace=False)
    pairs = np.array([(rows[i], rows[rng.integers(i)]) for i in range(1, LINKED)])
    must = (blob[pairs[:, 0]] == blob[pairs[:, 1]]) ^ (rng.random(len(pairs)) < 0.3)
    return Constraints(
        pairs[must],
        pairs[~must],
        must_link_weights=rng.uniform(0.1, 3.0, size=must.sum()),
        cannot_link_weights=rng.uniform(0.1, 3.0, size=(~must).sum()),
        n_samples=len(blob),
    )


def fitted(method, X, links, penalty):
    model = method(
        K, penalty=penalty, link_weight=1.0, closure=False, n_init=1, compute_gap=True,
        random_state=0,
    )  # fmt: skip
    return model.fit(X, constraints=links)


def reached_and_least(model, X, links):
    linked = links.closure().rows
    prices = Priced(model, X, links)
    reached = prices.energies(linked, model.labels_[linked][None])[0]
    return reached, prices.energies(linked, all_labellings(len(linked), K)).min()


@CONTRADICT
@each(METHODS)
@pytest.mark.parametrize(("penalty", "hard"), [("distance", 0), ("distance", 3), ("constant", 0)])
def test_no_labels_cost_less_than_those_of_exact_inference(rng, method, penalty, hard):
    X, blob = beams(rng, n=20, apart=0.5)
    links = some_links(rng, blob, 14, hard=hard)

    model = fitted(method, X, links, penalty)

    reached, least = reached_and_least(model, X, links)
    slack = 1e-9 * max(1.0, abs(least))
    assert np.isfinite(reached)
    assert reached >= least - slack
    assert model.gap_ >= 0.0
    assert reached - model.gap_ * abs(reached) <= least + slack
    if method.keywords["inference"] == "exact":
        assert "not proven" not in model.events_
        assert reached <= least + slack


@CONTRADICT
@each({name: method for name, method in METHODS.items() if not name.endswith("icm")})
def test_links_without_loops_are_solved_by_all_but_icm(rng, method):
    X, blob = beams(rng, n=20, apart=0.5)
    links = a_tree(rng, blob)

    model = fitted(method, X, links, "distance")

    reached, least = reached_and_least(model, X, links)
    assert reached == pytest.approx(least, rel=1e-9, abs=1e-9)
    assert model.gap_ == 0.0


@CONTRADICT
@pytest.mark.parametrize("penalty", ["distance", "constant"])
@each({name: method for name, method in METHODS.items() if name.endswith("bp")})
def test_the_objective_is_eq_6(rng, method, penalty):
    X, blob = beams(rng, n=20, apart=0.5)
    links = some_links(rng, blob, 14)
    a, b = links.closure().rows[:2]
    links |= Constraints([(a, b)], [(a, b)])  # one of the two is broken

    model = fitted(method, X, links, penalty)

    prices = Priced(model, X, links)
    assert model.links_.given.n_violated > 0
    assert model.objective_ == pytest.approx(prices.objective(model.labels_), rel=1e-8)
    assert model.links_.costs.sum() == pytest.approx(prices.of_links(model.labels_))


@CONTRADICT
def test_icm_gets_stuck_at_times():
    """Otherwise the tests above would tell nothing of one inference from another."""
    stuck = 0
    for start in range(10):
        rng = np.random.default_rng(start)
        X, blob = beams(rng, n=20, apart=0.5)
        links = some_links(rng, blob, 14)
        model = fitted(METHODS["S-D icm"], X, links, "distance")
        reached, least = reached_and_least(model, X, links)
        stuck += reached > least + 1e-9
        assert model.gap_ > 0 or reached == pytest.approx(least, rel=1e-9)

    assert stuck > 0
