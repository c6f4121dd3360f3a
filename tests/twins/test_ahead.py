import numpy as np
import pytest
from numpy.testing import assert_array_equal

from coterie.loops import ahead
from coterie.loops.reference import ahead as plain


@pytest.mark.parametrize("of", [ahead, plain])
@pytest.mark.parametrize("shape", [(0, 3), (5, 1), (40, 100)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_asking_for_rows_changes_nothing_even_past_the_end(rng, of, shape, dtype):
    X = rng.standard_normal(shape).astype(dtype)
    before = X.copy()

    for start, stop in ((0, 2), (3, 10**6), (10**6, 10**6 + 5), (4, 1)):
        assert of.ask_for(X, start, stop) is None

    assert_array_equal(X, before)
