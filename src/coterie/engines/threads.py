"""Threads that stay: to start them takes as long as a tenth of a sweep."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


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


@cache
def _pool(n_threads: int, process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(n_threads, thread_name_prefix=f"coterie-{process}")
