"""Rows in arrays, frames and sparse matrices: the same answers, in kind."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

import coterie
from estimators.methods import ALL, CENTRES, chains, each
from problems import blobs

TAKE_SPARSE = {name: method for name, method in CENTRES.items() if "-F" not in name}
REFUSE_SPARSE = {name: method for name, method in ALL.items() if name not in TAKE_SPARSE}
SPARSE = pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array])


@pytest.fixture
def rows_and_links(rng):
    X, blob = blobs(rng, apart=20.0)
    return X, chains(blob)


@each(ALL)
def test_float32_stays_float32(rows_and_links, method):
    X, links = rows_and_links
    narrow = X.astype(np.float32)

    model = method(3, random_state=0).fit(narrow, constraints=links)

    centres = getattr(model, "clusterer_", model).cluster_centers_
    assert (centres.dtype, model.transform(narrow).dtype) == (np.float32, np.float32)


@each(ALL)
def test_float32_finds_what_float64_finds(rows_and_links, method):
    X, links = rows_and_links
    wide = method(3, random_state=0).fit(X, constraints=links)

    narrow = method(3, random_state=0).fit(X.astype(np.float32), constraints=links)

    assert adjusted_rand_score(wide.labels_, narrow.labels_) == 1.0


@each(ALL)
def test_whole_numbers_are_taken_for_floats(rows_and_links, method):
    X, links = rows_and_links

    model = method(3, random_state=0).fit(np.round(10 * X).astype(int), constraints=links)

    assert model.transform(X).dtype == np.float64


@each(ALL)
def test_labels_are_int32(rows_and_links, method):
    X, links = rows_and_links

    model = method(3, random_state=0).fit(X, constraints=links)

    assert (model.labels_.dtype, model.predict(X).dtype) == (np.int32, np.int32)


@each(ALL)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_say_what_arrays_say(rows_and_links, method, frame):
    X, links = rows_and_links
    table = frame({"height": X[:, 0], "width": X[:, 1]})
    from_array = method(3, random_state=0).fit(X, constraints=links)

    from_frame = method(3, random_state=0).fit(table, constraints=links)

    assert_array_equal(from_frame.labels_, from_array.labels_)
    assert_array_equal(from_frame.predict(table), from_array.predict(X))
    assert from_frame.feature_names_in_.tolist() == ["height", "width"]


@each(ALL)
@pytest.mark.parametrize(
    ("container", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
def test_set_output_names_the_distances(rows_and_links, method, container, kind):
    X, links = rows_and_links
    model = method(3, random_state=0).set_output(transform=container).fit(X, constraints=links)

    distances = model.transform(X)

    name = type(model).__name__.lower()
    assert isinstance(distances, kind)
    assert list(distances.columns) == [f"{name}{c}" for c in range(3)]
    assert list(model.get_feature_names_out()) == list(distances.columns)


def test_rca_names_its_features(rows_and_links):
    X, links = rows_and_links
    rca = coterie.RCA().set_output(transform="pandas")

    image = rca.fit(X, constraints=links).transform(X)

    assert list(image.columns) == ["rca0", "rca1"]


@each(TAKE_SPARSE)
@SPARSE
@pytest.mark.parametrize("linked", [False, True], ids=["no links", "links"])
def test_sparse_rows_say_what_dense_rows_say(rng, method, form, linked):
    X, blob = blobs(rng, d=4, apart=20.0)
    X[np.abs(X) < 3.0] = 0.0
    links = chains(blob) if linked else None
    dense = method(3, random_state=0).fit(X, constraints=links)

    model = method(3, random_state=0).fit(form(X), constraints=links)

    assert adjusted_rand_score(dense.labels_, model.labels_) == 1.0
    assert model.objective_ == pytest.approx(dense.objective_, rel=1e-6)
    assert_array_equal(model.predict(form(X)), model.predict(X))
    np.testing.assert_allclose(model.transform(form(X)), model.transform(X), atol=1e-6)


@each(REFUSE_SPARSE)
def test_sparse_rows_that_a_method_cannot_take_are_refused(rows_and_links, method):
    X, links = rows_and_links

    with pytest.raises(TypeError, match="Sparse data was passed"):
        method(3).fit(sparse.csr_array(X), constraints=links)


@each(ALL)
def test_a_clone_fits_to_the_same(rows_and_links, method):
    X, links = rows_and_links
    model = method(3, random_state=0).fit(X, constraints=links)

    twin = clone(model)

    assert not hasattr(twin, "labels_")
    assert_array_equal(twin.fit(X, constraints=links).labels_, model.labels_)


@each(ALL)
def test_a_pickled_model_answers_alike(rows_and_links, method):
    X, links = rows_and_links
    model = method(3, random_state=0).fit(X, constraints=links)

    twin = pickle.loads(pickle.dumps(model))

    assert_array_equal(twin.predict(X), model.predict(X))
    assert_array_equal(twin.transform(X), model.transform(X))


@each(ALL)
def test_the_rows_are_left_as_they_were(rows_and_links, method):
    X, links = rows_and_links
    before = X.copy()
    X.setflags(write=False)

    method(3, random_state=0).fit(X, constraints=links).predict(X)

    assert_array_equal(X, before)
