import numpy as np
import pytest
from numpy.testing import assert_allclose

from coterie.loops import quadratic as ours
from coterie.loops.reference import quadratic as plain


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("n", "d", "k"), [(0, 2, 1), (1, 1, 2), (257, 3, 1), (300, 17, 4), (40, 40, 3)]
)
def test_quadratic(rng, n, d, k, dtype):
    parts = rng.standard_normal((n, d)), np.triu(rng.standard_normal((k, d, d)))
    given = [*parts, rng.standard_normal((k, d)), rng.standard_normal(k)]
    given = [part.astype(dtype) for part in given]
    values = [np.full((n, k), np.nan, dtype) for _ in range(2)]

    for of, out in zip((ours, plain), values, strict=True):
        of.quadratic(*given, out)

    assert_allclose(*values, rtol=1e-4 if dtype == np.float32 else 1e-10, atol=1e-5)
