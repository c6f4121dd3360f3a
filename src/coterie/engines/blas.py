"""BLAS on one thread, while we are at work."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController

_held = Lock()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread, unless somebody does already.

    Threads of BLAS and threads of our own get in each other's way, and small products are slower
    on several. The limit is the process's, and only the thread that set it can lift it: so whoever
    comes meanwhile leaves it alone, and may see it lifted before the work is done.
    """
    if not _held.acquire(blocking=False):
        yield
        return
    try:
        with _blas().limit(limits=1):
            yield
    finally:
        _held.release()


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")
