import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from coterie.algorithms import apart
from coterie.algorithms.apart import Apart
from coterie.distortion import Cosine, Diagonal, Full, Identity, i_divergence

KINDS = [Identity(), Diagonal(True), Full(), Cosine(), i_divergence()]


@pytest.mark.parametrize(
    ("distortion", "as_sparse"),
    [(kind, form) for kind in KINDS for form in (False, True) if kind.takes_sparse or not form],
    ids=lambda value: value if isinstance(value, bool) else type(value).__name__,
)
def test_links_that_are_not_kept_lie_as_those_that_are(rng, monkeypatch, distortion, as_sparse):
    X = rng.random((12, 3)) + 0.1
    rows, pairs = sparse.csr_array(X) if as_sparse else X, rng.integers(12, size=(30, 2))
    metric = distortion.start(2, 3)
    kept = Apart(distortion, rows, pairs)
    gaps, some = kept.gaps(metric), kept[np.array([3, 7])]
    monkeypatch.setattr(apart, "KEPT", 0)
    monkeypatch.setattr(apart, "_AT_A_TIME", 4 * kept.width)

    anew = Apart(distortion, rows, pairs)

    assert_allclose(anew.gaps(metric), gaps)
    again = anew[np.array([3, 7])]
    assert again.shape == (2, anew.width)
    assert_allclose(abs(again - some).max(), 0.0)
