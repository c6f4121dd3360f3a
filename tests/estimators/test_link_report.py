"""What a fit says it did with the links."""

import numpy as np
import pytest

from coterie import Constraints, MPCKMeans, PCKMeans, SupervisedMeans
from estimators.methods import COSINE, PAIRWISE, chains, each, without
from problems import blobs, random_constraints

X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
NAMES = ["ant", "bee", "cat", "dog", "eel", "fox"]
# The light must-link runs across the gap and is broken; it binds nothing else.
LINKS = Constraints(
    [(0, 1), (2, 3)], [(0, 5)], must_link_weights=[1.0, 0.25], n_samples=6, ids=NAMES
)


@pytest.fixture
def report():
    return PCKMeans(2, link_weight=2.0, random_state=0).fit(X, constraints=LINKS).links_


def test_links_are_counted(report):
    assert (report.given.n_satisfied, report.given.n_violated) == (2, 1)
    # Rows 0 and 1 belong together, so 1 must differ from 5 as well.
    assert report.n_entailed == 1
    assert (report.closed.n_satisfied, report.closed.n_violated) == (3, 1)


def test_broken_links_are_named_and_priced(report):
    assert report.given.violated.must_link.tolist() == [[2, 3]]
    assert report.costs.tolist() == [0.5]


def test_the_report_in_one_line(report):
    assert repr(report) == "LinkReport(2 of 3 links kept; with the 1 that they entail, 3 of 4)"


def test_the_report_tells_broken_links_by_the_names_of_rows(report):
    assert str(report).splitlines()[1:] == ["  broken must-link cat - dog: costs 0.5"]


def test_the_report_tells_broken_links_by_number_where_rows_have_no_names():
    links = ([(2, 3)], [(3, 4)])

    report = PCKMeans(2, link_weight=0.5, random_state=0).fit(X, constraints=links).links_

    assert str(report).splitlines()[1:] == [
        "  broken must-link 2 - 3: costs 0.5",
        "  broken cannot-link 3 - 4: costs 0.5",
    ]


def test_the_report_shows_the_five_dearest():
    weights = [0.1, 0.7, 0.3, 0.6, 0.2, 0.4]
    within = [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)]
    links = Constraints(cannot_link=within, cannot_link_weights=weights)

    model = PCKMeans(2, link_weight=0.01, random_state=0).fit(X, constraints=links)

    lines = str(model.links_).splitlines()
    assert [line.split()[-1] for line in lines[1:6]] == [
        "0.007",
        "0.006",
        "0.004",
        "0.003",
        "0.002",
    ]
    assert lines[6] == "  and 1 more in .closed.violated"


@pytest.mark.filterwarnings("ignore:.*not all links can be kept:UserWarning")
@each(without(PAIRWISE, COSINE))
def test_the_costs_are_the_difference_between_the_objective_and_the_distortion(rng, method):
    rows, blob = blobs(rng, n=50, apart=1.0)
    links = random_constraints(rng, 50, 60, blob=blob, wrong=0.1)
    links |= Constraints([(0, 1)], [(0, 1)])  # one of the two is broken

    model = method(3, n_init=1, random_state=0).fit(rows, constraints=links)

    assert model.links_.closed.n_violated == len(model.links_.costs) > 0
    assert (model.links_.costs >= 0).all()
    assert model.objective_ - model.links_.costs.sum() == pytest.approx(_distortion(model, rows))


def _distortion(model, rows):
    """Return Eq. 2 summed over rows, each from the centre of its own cluster."""
    k, d = model.cluster_centers_.shape
    metrics = np.asarray(getattr(model, "metrics_", np.ones(d)))
    if not getattr(model, "per_cluster", False):
        metrics = np.broadcast_to(metrics, (k, *metrics.shape))
    full = np.stack([np.diag(m) if m.ndim == 1 else m for m in metrics])[model.labels_]
    steps = rows - model.cluster_centers_[model.labels_]
    return np.einsum("ni,nij,nj->", steps, full, steps) - np.linalg.slogdet(full)[1].sum()


def test_supervised_means_reports_links_without_a_price(rng):
    rows, blob = blobs(rng, apart=20.0)
    a, b = np.flatnonzero(blob == 0)[-2:]
    links = chains(blob) | Constraints(cannot_link=[(a, b)])

    report = SupervisedMeans(3, random_state=0).fit(rows, constraints=links).links_

    assert report.given.violated.cannot_link.tolist() == [[a, b]]
    assert report.costs.tolist() == [0.0]


def test_without_links_there_is_nothing_to_report():
    report = MPCKMeans(2, random_state=0).fit(X).links_

    assert repr(report) == "LinkReport(0 of 0 links kept; with the 0 that they entail, 0 of 0)"
    assert str(report) == repr(report)
