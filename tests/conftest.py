import os

import hypothesis
import numpy as np
import pytest

# The first call of a loop may compile it, so no example is held to a deadline.
hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_addoption(parser):
    text = "run the tests that use `seed` or `rng` on each of these: 0,1,2"
    parser.addoption("--seeds", default="0", help=text)


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        seeds = as_numbers(metafunc.config.getoption("seeds"))
        metafunc.parametrize("seed", seeds, ids="seed{}".format)


def as_numbers(text):
    try:
        return [int(seed) for seed in text.split(",")]
    except ValueError:
        raise pytest.UsageError(f"--seeds must look like 0,1,2; got {text!r}.") from None


@pytest.fixture
def rng(seed):
    """Return a generator of its own for each test: no test depends on another."""
    return np.random.default_rng(seed)
