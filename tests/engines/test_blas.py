from threading import Barrier, Thread

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from coterie.engines import one_blas_thread


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        if blas_threads() != {2}:
            pytest.skip(f"The BLAS of NumPy {np.__version__} does not take two threads here.")
        yield


def test_blas_runs_on_one_thread_inside_and_as_before_outside():
    with one_blas_thread():
        with one_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_an_error_inside_lifts_the_limit():
    with pytest.raises(KeyError), one_blas_thread():
        raise KeyError

    assert blas_threads() == {2}


def test_a_thread_that_works_meanwhile_leaves_the_limit_alone():
    def other():
        with one_blas_thread():
            pass

    with one_blas_thread():
        thread = Thread(target=other)
        thread.start()
        thread.join()
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_threads_that_come_and_go_leave_no_limit_behind():
    inside, first_left = Barrier(2), Barrier(2)

    def other():
        with one_blas_thread():
            inside.wait()
            first_left.wait()

    thread = Thread(target=other)
    with one_blas_thread():
        thread.start()
        inside.wait()
    first_left.wait()
    thread.join()

    assert blas_threads() == {2}
    with one_blas_thread():
        assert blas_threads() == {1}
    assert blas_threads() == {2}
