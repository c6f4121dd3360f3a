"""Rows in a CSR matrix. They are not shifted: that would fill them."""

from collections.abc import Callable
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._types import Floats, Labels
from coterie.engines.base import AbstractRows, Linear, Rule, Sums, membership

SCORES = 1 << 22  # how many scores are held at a time
BLOCK = 1 << 14  # rows that are handed over at a time


class SparseRows(AbstractRows):
    """Rows of a CSR matrix, for rules that are linear in the rows or their squares."""

    def __init__(self, X: Any, *, sample_weight: Floats | None = None) -> None:
        self.X = sparse.csr_array(X)
        self.n_rows, self.n_features = self.X.shape
        self.shift = np.zeros(self.n_features)
        self.weights = np.ones(self.n_rows) if sample_weight is None else sample_weight
        self._free = np.ones(self.n_rows, dtype=bool)

    def hold(self, rows: NDArray[np.int64]) -> Self:
        held = copy(self)
        held._free = np.ones(self.n_rows, dtype=bool)
        held._free[rows] = False
        return held

    def reweighted(self, factor: Floats) -> Self:
        heard = copy(self)
        heard.weights = self.weights * factor
        return heard

    def take(self, rows: NDArray[np.int64]) -> Any:
        return self.X[rows].astype(np.float64)

    def sweep(self, rule: Rule, labels: Labels) -> Sums:
        if not isinstance(rule, Linear):
            raise TypeError("A full metric for each cluster would fill sparse rows.")
        k, d = len(rule.offsets), self.n_features
        squares = rule.slopes.shape[1] > d
        slopes = rule.slopes.astype(self.X.dtype)
        counts, sums = np.zeros(k), np.zeros((k, d))
        second = np.zeros((k, d)) if squares else None
        n_moved, size = 0, max(1, SCORES // k)
        for start in range(0, self.n_rows, size):
            block = slice(start, start + size)
            rows, mine, free = self.X[block], labels[block], self._free[block]
            scores = rows @ slopes[:, :d].T + rule.offsets
            if squares:
                scores += rows.power(2) @ slopes[:, d:].T
            cheapest = scores.argmin(axis=1)
            n_moved += int(np.count_nonzero(cheapest[free] != mine[free]))
            mine[free] = cheapest[free]
            members = membership(cheapest, self.weights[block] * free, k)
            counts += members.sum(axis=1)
            rows = rows.astype(np.float64)
            sums += (members @ rows).toarray()
            if second is not None:
                second += (members @ rows.power(2)).toarray()
        return Sums(counts, sums, second, n_moved)

    def added(self, of: Callable[[Any], Any]) -> Floats:
        total: Floats = self.weights @ of(self.X.astype(np.float64, copy=False))
        return total

    def scatter(self) -> Floats:
        rows = self.X.astype(np.float64)
        total: Floats = (rows.T @ (sparse.diags_array(self.weights) @ rows)).toarray()
        return total

    def mean(self) -> Floats:
        mean: Floats = self.weights @ self.X.astype(np.float64) / self.weights.sum()
        return mean

    def each(self, of: Callable[[Any, slice], Floats]) -> Floats:
        numbers = np.empty(self.n_rows)
        for start in range(0, self.n_rows, BLOCK):
            block = slice(start, min(start + BLOCK, self.n_rows))
            numbers[block] = of(self.X[block].astype(np.float64), block)
        return numbers

    def add_up(self, labels: Labels, k: int) -> Floats:
        added = membership(labels, self.weights, k) @ self.X.astype(np.float64, copy=False)
        total: Floats = added.toarray()
        return total
