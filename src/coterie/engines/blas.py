"""BLAS on one thread, for as long as we are at work."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import local

from threadpoolctl import ThreadpoolController

_here = local()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread; inside another such block, do nothing.

    Threads of BLAS and threads of our own get in each other's way, and small products are slower
    on several.
    """
    if getattr(_here, "held", False):
        yield
        return
    with _blas().limit(limits=1):
        _here.held = True
        try:
            yield
        finally:
            _here.held = False


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")
