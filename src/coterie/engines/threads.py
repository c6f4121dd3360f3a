"""Threads that stay: to start them takes as long as a tenth of a sweep."""

import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

_TICK = 0.1  # seconds: not every system wakes up who waits for good


def pool(n_threads: int) -> ThreadPoolExecutor:
    """Return this process's threads, `n_threads` of them.

    A process that was forked has none of its parent's threads, so it makes its own.
    """
    return _pool(n_threads, os.getpid())


def shared(work: Callable[[T], R], items: Iterable[T], n_threads: int) -> list[R]:
    """Return what `work` makes of each item, in order, whoever does it."""
    listed = list(items)
    if n_threads == 1 or len(listed) <= 1:
        return [work(item) for item in listed]
    return list(pool(n_threads).map(work, listed))


def patient(work: Callable[[T], R], items: Iterable[T], n_threads: int) -> list[R]:
    """Return what `work` makes of each item, in order, and hear Ctrl-C meanwhile.

    For work that is long and hears nothing itself, such as a solver's. It goes to threads of its
    own, even if to one alone. When interrupted no item is begun any more. What has begun ends in
    the background, and neither the caller nor the end of the process waits for it.
    """
    futures: list[Future[R]] = []
    waiting: deque[tuple[Future[R], T]] = deque()
    for item in items:
        futures.append(Future())
        waiting.append((futures[-1], item))

    def serve() -> None:
        while waiting:
            try:
                future, item = waiting.popleft()
            except IndexError:  # another thread was quicker
                return
            try:
                future.set_result(work(item))
            except BaseException as error:
                future.set_exception(error)

    try:
        for _ in range(min(n_threads, len(futures))):
            Thread(target=serve, name=f"coterie-{os.getpid()}-patient", daemon=True).start()
        for future in futures:
            while not wait([future], timeout=_TICK).done:
                pass
        return [future.result() for future in futures]
    finally:
        waiting.clear()


@cache
def _pool(n_threads: int, process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(n_threads, thread_name_prefix=f"coterie-{process}")
