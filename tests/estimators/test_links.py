"""Links in every form: they are heard alike, and what cannot be is said plainly."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

import coterie
from coterie import ConstraintError, ConstraintIndexError, Constraints, ContradictionError
from estimators.methods import ALL, HEEDING, chains, each
from problems import blobs, random_constraints

HEEDERS = {name: HEEDING[name] for name in ("PCKMeans", "MPCKMeans S-D", "MPCKMeans M-F")}


@pytest.fixture
def rows_and_links(rng):
    X, blob = blobs(rng, apart=3.0)
    return X, chains(blob)


def matrix_of(links):
    pairs = np.concatenate([links.must_link, links.cannot_link])
    signed = np.concatenate([links.must_link_weights, -links.cannot_link_weights])
    n = links.n_samples
    return sparse.coo_array((signed, (pairs[:, 0], pairs[:, 1])), shape=(n, n))


@each(ALL)
def test_links_in_three_forms_give_one_fit(rows_and_links, method):
    X, links = rows_and_links
    forms = [links, (links.must_link.tolist(), links.cannot_link.tolist()), matrix_of(links)]

    labels = [method(3, random_state=0).fit(X, constraints=form).labels_ for form in forms]

    assert_array_equal(labels[1], labels[0])
    assert_array_equal(labels[2], labels[0])


@each(ALL)
def test_no_links_are_empty_links(rows_and_links, method):
    X, _ = rows_and_links
    silent = method(3, random_state=0).fit(X).labels_

    for empty in (([], []), Constraints(), Constraints(n_samples=len(X))):
        assert_array_equal(method(3, random_state=0).fit(X, constraints=empty).labels_, silent)


@each(HEEDING)
def test_hard_links_are_kept(rng, method):
    X, blob = blobs(rng, n=50, apart=1.0)
    links = random_constraints(rng, 50, 60, hard=60, blob=blob)

    model = method(3, random_state=0).fit(X, constraints=links)

    assert links.satisfaction(model.labels_).rate == 1.0


@pytest.mark.filterwarnings("ignore:.*not all links can be kept:UserWarning")
@each(HEEDING)
def test_hard_links_are_kept_against_soft_ones(rng, method):
    X, blob = blobs(rng, n=50, apart=1.0)
    hard = random_constraints(rng, 50, 30, hard=30, blob=blob)
    links = hard | Constraints(hard.cannot_link, hard.must_link)  # the soft ones say the opposite

    model = method(3, random_state=0).fit(X, constraints=links)

    assert links.hard.satisfaction(model.labels_).rate == 1.0
    assert links.soft.satisfaction(model.labels_).rate == 0.0


@each(HEEDERS)
def test_heavy_links_are_kept_and_light_ones_need_not_be(rows_and_links, method):
    X, _ = rows_and_links
    model = method(3, closure=False, random_state=0)
    apart = model.fit(X).labels_
    a, b = np.flatnonzero(apart == 0)[0], np.flatnonzero(apart == 1)[0]
    heavy = Constraints([(a, b)], must_link_weights=1e9)
    light = Constraints([(a, b)], must_link_weights=1e-9)

    kept = model.fit(X, constraints=heavy).links_.given.rate
    dropped = model.fit(X, constraints=light).links_.given.rate

    assert (kept, dropped) == (1.0, 0.0)


@each(ALL)
def test_hard_links_that_contradict_are_refused_with_the_chain(rows_and_links, method):
    X, _ = rows_and_links
    links = Constraints(
        [(4, 7), (7, 9)], [(4, 9)], must_link_weights=np.inf, cannot_link_weights=np.inf
    )

    with pytest.raises(ContradictionError, match="must share a cluster and must not") as error:
        method(3).fit(X, constraints=links)

    assert error.value.path == [4, 7, 9]


def test_the_chain_is_told_in_the_names_of_the_rows(rows_and_links):
    X, _ = rows_and_links
    names = [f"row {i}" for i in range(len(X))]
    links = Constraints(
        [(4, 7)], [(4, 7)], must_link_weights=np.inf, cannot_link_weights=np.inf, ids=names
    )

    with pytest.raises(ContradictionError) as error:
        coterie.PCKMeans(3).fit(X, constraints=links)

    assert error.value.path == ["row 4", "row 7"]


@each({name: method for name, method in ALL.items() if name != "SupervisedMeans"})
@pytest.mark.parametrize(
    ("cannot", "text"),
    [([(4, 9)], "1 cannot-link joins"), ([(4, 9), (4, 7)], "2 cannot-links join")],
)
def test_soft_links_that_contradict_are_counted_in_one_warning(
    rows_and_links, method, cannot, text
):
    X, _ = rows_and_links

    with pytest.warns(UserWarning, match=text) as said:
        method(3, random_state=0).fit(X, constraints=([(4, 7), (7, 9)], cannot))

    assert len(said) == 1


@each(ALL)
@pytest.mark.parametrize("links", [([(0, 60)], []), Constraints(cannot_link=[(60, 3)])])
def test_rows_that_are_not_there_are_named(rows_and_links, method, links):
    X, _ = rows_and_links

    with pytest.raises(ConstraintIndexError, match="there are 60 rows, 0 to 59") as error:
        method(3).fit(X, constraints=links)

    assert (error.value.rows, error.value.n_samples) == ([60], 60)


@each(ALL)
def test_links_about_other_data_are_refused(rows_and_links, method):
    X, links = rows_and_links

    with pytest.raises(ConstraintError, match="constraints are about 60 rows, but X has 59"):
        method(3).fit(X[1:], constraints=links)


@each(HEEDING)
def test_without_closure_links_are_taken_as_given(rows_and_links, method):
    X, links = rows_and_links

    given = method(3, closure=False, random_state=0).fit(X, constraints=links).links_
    closed = method(3, random_state=0).fit(X, constraints=links).links_

    everything = links.closure().entailed()
    assert given.n_entailed == 0
    assert given.closed.n_satisfied + given.closed.n_violated == 9
    assert closed.n_entailed == everything.n_must_link + everything.n_cannot_link - 9


@each(HEEDING)
def test_a_chain_of_links_is_as_good_as_all_it_entails(rng, method):
    X, blob = blobs(rng, apart=2.0)
    chain = chains(blob)
    labels = [
        method(3, random_state=0).fit(X, constraints=links).labels_
        for links in (chain, chain.closure().entailed())
    ]

    assert_array_equal(labels[0], labels[1])


@pytest.mark.filterwarnings("ignore:1 cannot-link joins:UserWarning")
@each(HEEDING)
def test_links_that_contradict_entail_nothing(rows_and_links, method):
    X, links = rows_and_links
    a, b = links.must_link[0]
    wrong = links | Constraints(cannot_link=[(a, b)])

    model = method(3, random_state=0).fit(X, constraints=wrong)
    as_given = method(3, closure=False, random_state=0).fit(X, constraints=wrong)

    assert model.links_.n_entailed == 0
    assert_array_equal(model.labels_, as_given.labels_)
