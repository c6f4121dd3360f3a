"""BLAS on one thread, for as long as anyone of us is at work."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController

_lock = Lock()
_at_work = 0
_limit = ExitStack()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread.

    Threads of BLAS and threads of our own get in each other's way, and small products are slower
    on several. The limit is the process's, so those who work at the same time share it: the first
    sets it, the last takes it back.
    """
    global _at_work
    with _lock:
        if _at_work == 0:
            _limit.enter_context(_blas().limit(limits=1))
        _at_work += 1
    try:
        yield
    finally:
        with _lock:
            _at_work -= 1
            if _at_work == 0:
                _limit.close()


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")
