import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.strategies import LINKS, N, cannot_of, must_of
from coterie import ConstraintError, Constraints

LABELS = st.lists(st.integers(-1, 3), min_size=N, max_size=N)


@given(LINKS, LABELS)
def test_links_are_judged_one_by_one(links, labels):
    def together(pair):
        return labels[pair[0]] == labels[pair[1]] != -1

    must = {pair: w for pair, w in must_of(links).items() if not together(pair)}
    cannot = {pair: w for pair, w in cannot_of(links).items() if together(pair)}
    n_links = links.n_must_link + links.n_cannot_link

    kept = links.satisfaction(labels)

    assert (must_of(kept.violated), cannot_of(kept.violated)) == (must, cannot)
    assert kept.n_violated == len(must) + len(cannot)
    assert kept.n_satisfied == n_links - kept.n_violated
    assert kept.violated_weight == sum(must.values()) + sum(cannot.values())
    assert kept.rate == (1 - kept.n_violated / n_links if n_links else 1.0)
    assert (~kept.must_link_holds).sum() == len(must)
    assert (~kept.cannot_link_holds).sum() == len(cannot)


@pytest.mark.parametrize(
    "labels",
    [
        ["elm", "elm", "oak", None],
        np.array(["elm", "elm", "oak", "yew"]),
        [0.0, 0.0, 1.0, np.nan],
        [True, True, False, False],
    ],
)
def test_labels_of_every_kind_are_compared(labels):
    links = Constraints([(0, 1), (1, 2)], [(0, 3)])

    kept = links.satisfaction(labels)

    assert kept.must_link_holds.tolist() == [True, False]
    assert kept.cannot_link_holds.tolist() == [True]


def test_a_row_in_no_cluster_is_with_nobody():
    kept = Constraints([(0, 1)], [(2, 3)]).satisfaction([-1, -1, -1, -1])

    assert (kept.n_satisfied, kept.n_violated) == (1, 1)


@pytest.mark.parametrize(
    ("links", "labels", "sentence"),
    [
        (Constraints(n_samples=3), [0, 1], "The links are about 3 rows, but there are 2 labels."),
        (Constraints([(0, 5)]), [0, 1], "A link names row 5, but there are 2 labels."),
        (Constraints(), [[0]], "labels must be one for each row; got shape (1, 1)."),
    ],
)
def test_labels_must_fit(links, labels, sentence):
    with pytest.raises(ConstraintError) as error:
        links.satisfaction(labels)

    assert str(error.value) == sentence


def test_a_labelling_found_by_closing_breaks_nothing_that_does_not_contradict():
    links = Constraints([(0, 1), (1, 2)], [(2, 3)], n_samples=5)

    assert links.satisfaction(links.closure().labels()).rate == 1.0
