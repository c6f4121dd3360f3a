"""Rows in one dense array, swept in blocks by threads of our own."""

from collections.abc import Callable, Iterator
from copy import copy
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coterie._types import Floats, Labels
from coterie.engines.base import AbstractRows, Linear, Rule, Sums, membership
from coterie.engines.blas import one_blas_thread
from coterie.engines.threads import pool
from coterie.loops import sweep as loops
from coterie.loops.tile import TILE

# Blocks are cut by the shape of the work alone, and their sums added in order: any number of
# threads gives the same result to the last bit.
BLOCK = 1 << 16  # rows of 16 features or fewer
COPIED = 1 << 17  # numbers: what one block of rows may cost as a float64 copy


class DenseRows(AbstractRows):
    """Rows of a C-ordered float32 or float64 array. The array is not copied."""

    def __init__(
        self,
        X: Floats,
        *,
        sample_weight: Floats | None = None,
        n_threads: int = 1,
        shift: Floats | None = None,
    ) -> None:
        self.X = X
        self.n_rows, self.n_features = X.shape
        self.n_threads = n_threads
        # Far from the origin, products of the raw rows would lose digits.
        middle = X.mean(axis=0, dtype=np.float64) if shift is None else shift
        self._narrow_shift = middle.astype(X.dtype)
        self.shift = self._narrow_shift.astype(np.float64)
        self._weighted = sample_weight is not None
        one = np.broadcast_to(np.float64(1.0), len(X))  # takes no room
        self.weights = one if sample_weight is None else sample_weight
        self._held = np.empty(0, dtype=np.int64)

    def hold(self, rows: NDArray[np.int64]) -> Self:
        held = copy(self)
        held.__dict__.pop("_row_weight", None)
        held._held = rows
        return held

    def reweighted(self, factor: Floats) -> Self:
        heard = self.hold(self._held)
        heard.weights, heard._weighted = self.weights * factor, True
        return heard

    @cached_property
    def _row_weight(self) -> NDArray[Any]:
        """The weights as the loops want them: below 0 where a row is held."""
        weights = self.weights.astype(np.float64 if self._weighted else np.int8)
        weights[self._held] = -1
        return weights

    def take(self, rows: NDArray[np.int64]) -> Floats:
        return self.X[rows].astype(np.float64) - self.shift

    def sweep(self, rule: Rule, labels: Labels) -> Sums:
        dtype, d = self.X.dtype, self.n_features
        narrow = [np.ascontiguousarray(part, dtype=dtype) for part in rule]
        k = len(narrow[0])
        loop: Any
        if isinstance(rule, Linear):
            loop, shapes = loops.sweep_linear, [(k,), (k, narrow[0].shape[1])]
        else:
            loop, shapes = loops.sweep_full, [(k,), (k, d), (k, d, d)]
        totals: list[Floats] = [np.zeros(shape) for shape in shapes]

        def work(block: slice) -> tuple[int, list[Floats]]:
            mine: list[Floats] = [np.zeros(shape) for shape in shapes]
            rows, weights = self.X[block], self._row_weight[block]
            moved = loop(rows, self._narrow_shift, *narrow, weights, labels[block], *mine)
            return moved, mine

        n_moved = 0
        for moved, parts in self._over(work, self._block(k)):
            n_moved += moved
            for total, part in zip(totals, parts, strict=True):
                total += part
        if isinstance(rule, Linear):
            second = totals[1][:, d:] if totals[1].shape[1] > d else None
            return Sums(totals[0], totals[1][:, :d], second, n_moved)
        return Sums(totals[0], totals[1], totals[2], n_moved)

    def _block(self, k: int) -> int:
        """Return how many rows a thread takes at a time: enough to outweigh k sums of its own."""
        rows = max(BLOCK * 16 // self.n_features, 16 * k)
        return max(1, min(rows, BLOCK) // TILE) * TILE

    def added(self, of: Callable[[Any], Any]) -> Floats:
        return self._added(lambda rows, weights: weights @ of(rows))

    def scatter(self) -> Floats:
        return self._added(lambda rows, weights: (rows.T * weights) @ rows)

    def mean(self) -> Floats:
        mean: Floats = self._added(lambda rows, weights: weights @ rows) / self.weights.sum()
        return mean

    def each(self, of: Callable[[Any, slice], Floats]) -> Floats:
        numbers = np.empty(self.n_rows)

        def work(block: slice) -> None:
            numbers[block] = of(self.X[block].astype(np.float64) - self.shift, block)

        for _ in self._over(work, self._copied()):
            pass
        return numbers

    def add_up(self, labels: Labels, k: int) -> Floats:
        def work(block: slice) -> Floats:
            rows = self.X[block].astype(np.float64) - self.shift
            member = membership(labels[block], self.weights[block], k)
            added: Floats = member @ rows
            return added

        return self._total(self._over(work, self._copied()))

    def _added(self, of: Callable[[Floats, Floats], Floats]) -> Floats:
        def work(block: slice) -> Floats:
            return of(self.X[block].astype(np.float64) - self.shift, self.weights[block])

        return self._total(self._over(work, self._copied()))

    def _copied(self) -> int:
        """Return how many rows may be copied at a time."""
        return max(256, COPIED // self.n_features)

    @staticmethod
    def _total(parts: Iterator[Floats]) -> Floats:
        total: Floats = next(parts)
        for part in parts:
            total += part
        return total

    def _over(self, work: Callable[[slice], Any], size: int) -> Iterator[Any]:
        """Yield the result of each block, in order."""
        blocks = [slice(i, min(i + size, self.n_rows)) for i in range(0, self.n_rows, size)]
        with one_blas_thread():
            if self.n_threads == 1 or len(blocks) == 1:
                yield from map(work, blocks)
                return
            yield from pool(self.n_threads).map(work, blocks)
