"""The shop window: everything is in it, and looking costs nothing."""

import subprocess
import sys

import pytest

import coterie

HEAVY = ["matplotlib", "numba", "numpy", "pandas", "polars", "pyarrow", "scipy", "sklearn"]


def in_a_fresh_process(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_import_loads_no_heavy_package():
    code = f"import sys, coterie; print([name for name in {HEAVY} if name in sys.modules])"

    assert in_a_fresh_process(code) == "[]"


def test_import_stays_under_50_milliseconds():
    code = "from time import perf_counter as now; t = now(); import coterie; print(now() - t)"

    # The best of a few: the machine may be busy with something else.
    assert min(float(in_a_fresh_process(code)) for _ in range(5)) < 0.050


def test_constraints_load_neither_numba_nor_scikit_learn():
    code = "from coterie import Constraints; import sys; print(*sys.modules)"

    assert {"numba", "sklearn"}.isdisjoint(in_a_fresh_process(code).split())


@pytest.mark.parametrize("name", coterie.__all__)
def test_public_name_resolves(name):
    assert getattr(coterie, name) is not None


def test_dir_shows_every_public_name():
    assert {*coterie.__all__} <= {*dir(coterie)}


def test_import_star_brings_every_public_name():
    code = "from coterie import *; import coterie; print({*coterie.__all__} - {*globals()})"

    assert in_a_fresh_process(code) == "set()"


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'coterie' has no attribute 'KMedoids'"):
        _ = coterie.KMedoids
