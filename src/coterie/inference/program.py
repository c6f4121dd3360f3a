"""The core as a linear program (Bilenko & Basu, 2004, Eq. 8 to 15), a few components at a time."""

from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._types import Floats, Labels, Pairs
from coterie.inference.peeled import Peeled

Span: TypeAlias = tuple[int, int]  # components from the first up to the second, left out

_BATCH = 4096  # variables: with fewer, to call the solver takes longer than to solve
_PASSES = 3  # what is cut down may let others be cut down


class Program(NamedTuple):
    """Minimise cost @ x + constant over 0 <= x <= 1, rows @ x <= most and sums @ x = 1.

    The first n * k variables are y, node by node, and each node's sum to 1 (Eq. 9). Then comes
    one z for each edge and label that has a price.
    """

    cost: Floats  # (v,)
    rows: sparse.csr_array  # (r, v)
    most: Floats  # (r,)
    sums: sparse.csr_array  # (n, v)
    constant: float
    n_nodes: int

    @classmethod
    def of(cls, peeled: Peeled, first: int, last: int, *, keep_hard: bool = True) -> Self:
        """Write the program of the components from `first` up to `last`, left out.

        Let x_c be 1 where both ends a and b of an edge have label c. The edge costs the apart[c]
        of either end, which goes to the nodes, and together[c] - 2 apart[c] for x_c. Where this
        price is above 0, x_c is as low as it can be: z >= y_ac + y_bc - 1 (Eq. 15). Where it is
        below, x_c is the lesser of y_ac and y_bc: y_ac - z with z >= y_ac - y_bc (Eq. 12). So
        Eq. 13 and 14 are not needed, and one z a label does for all links of an edge.

        A hard cannot-link is y_ac + y_bc <= 1, or has a price where they are not to be kept.
        """
        core, k = peeled.core, peeled.unary.shape[1]
        start, stop = core.starts[first], core.starts[last]
        edges = slice(core.edge_starts[first], core.edge_starts[last])
        pairs, n = core.pairs[edges] - start, int(stop - start)
        shape = len(pairs), k
        unary, apart, together = _cut(
            peeled.unary[start:stop],
            np.broadcast_to(peeled.apart[edges], shape),
            np.broadcast_to(peeled.together[edges], shape),
            peeled.hard[edges],
            pairs,
            keep_hard=keep_hard,
        )
        hard = np.broadcast_to(peeled.hard[edges, None] & keep_hard, shape)
        price = np.where(hard, 0.0, together - 2.0 * apart)
        np.add.at(unary, pairs[:, 0], apart + np.minimum(price, 0.0))
        np.add.at(unary, pairs[:, 1], apart)
        base = unary.min(axis=1)
        unary -= base[:, None]

        agree, differ, never = (np.flatnonzero(part) for part in (price < 0, price > 0, hard))
        listed = np.concatenate([agree, differ, never])
        n_rows, n_y = len(listed), n * k
        n_z = n_rows - len(never)
        of_a, of_b = (pairs[listed // k].T * k + listed % k).reshape(2, -1)
        row = np.arange(n_rows)
        agreeing = row < len(agree)
        entries = np.concatenate([np.ones(n_rows), np.where(agreeing, -1.0, 1.0), -np.ones(n_z)])
        places = (
            np.concatenate([row, row, row[:n_z]]),
            np.concatenate([of_a, of_b, n_y + row[:n_z]]),
        )
        rows = sparse.csr_array((entries, places), shape=(n_rows, n_y + n_z))
        places = np.repeat(np.arange(n), k), np.arange(n_y)
        sums = sparse.csr_array((np.ones(n_y), places), shape=(n, n_y + n_z))
        cost = np.concatenate([unary.ravel(), np.abs(price.ravel()[listed[:n_z]])])
        return cls(cost, rows, np.where(agreeing, 0.0, 1.0), sums, float(base.sum()), n)

    @property
    def scale(self) -> float:
        """What costs are divided by before they are handed to a solver that has tolerances."""
        return float(self.cost.max(initial=0.0)) or 1.0

    def energy(self, labels: Labels) -> float:
        """Return what whole labels of the nodes cost; infinite where they break a rule."""
        n_y = self.sums.nnz
        x = np.zeros(len(self.cost))
        x[:n_y].reshape(self.n_nodes, -1)[np.arange(self.n_nodes), labels] = 1.0
        over = np.maximum(self.rows @ x - self.most, 0.0)
        n_z = len(x) - n_y
        if over[n_z:].any():
            return np.inf
        x[n_y:] = over[:n_z]
        return float(self.cost @ x + self.constant)

    def bound(self, duals: Floats) -> float:
        """Return what no x costs less than, for any duals of `rows` of 0 or below (duality).

        Each row is let go for its price: then each node takes its cheapest label, and z is 0 or
        1. However far from the best the duals are, the bound holds.
        """
        duals = np.minimum(duals, 0.0)
        left = self.cost - self.rows.T @ duals
        n_y = self.sums.nnz
        of_nodes = left[:n_y].reshape(self.n_nodes, -1).min(axis=1).sum()
        of_edges = np.minimum(left[n_y:], 0.0).sum()
        return float(self.constant + duals @ self.most + of_nodes + of_edges)

    @property
    def dense(self) -> bool:
        """Tell whether interior points are quicker than the simplex method."""
        n_y = self.sums.nnz
        return bool(len(self.most) > max(2.5 * n_y, 10_000))


def spans(peeled: Peeled) -> list[Span]:
    """Return the components of each program: a large one alone, small ones together."""
    core, k = peeled.core, peeled.unary.shape[1]
    if k == 1:
        return []  # there is nothing to choose
    found, first, total = [], 0, 0
    sizes = k * (np.diff(core.starts) + np.diff(core.edge_starts))
    for c, size in enumerate(sizes.tolist()):
        if total + size > _BATCH and c > first:
            found.append((first, c))
            first, total = c, 0
        total += size
    return [*found, (first, len(sizes))] if len(sizes) else []


def _cut(
    unary: Floats,
    apart: Floats,
    together: Floats,
    hard: NDArray[np.bool_],
    pairs: Pairs,
    *,
    keep_hard: bool,
) -> tuple[Floats, Floats, Floats]:
    """Return what nodes and edges cost, cut down to what decides: solvers have tolerances.

    To give one end of an edge another label costs no more than the spread of its node, and what
    all its other edges can cost. An edge that costs more is never broken; nor is it where it costs
    twice as much as that, and no more. Likewise a label that costs more than all edges of a node.
    """
    n = len(unary)
    unary, apart, together = (np.array(part, dtype=np.float64) for part in (unary, apart, together))
    together[hard] = 0.0
    tied = np.bincount(pairs[hard].ravel(), minlength=n) > 0  # by what has no price
    mixed = apart.any(axis=1) & together.any(axis=1)
    for _ in range(_PASSES):
        reach = 2.0 * apart.max(axis=1, initial=0.0) + together.max(axis=1, initial=0.0)
        total = np.bincount(pairs.ravel(), np.repeat(reach, 2), n)
        least = unary.min(axis=1)
        ceiling = np.where(tied | (total == 0), np.inf, least + 2.0 * total)
        np.minimum(unary, ceiling[:, None], out=unary)
        spread = np.where(tied, np.inf, unary.max(axis=1) - least)
        # The largest would swallow the others in a difference: they are added up without it.
        largest = np.zeros(n)
        np.maximum.at(largest, pairs.ravel(), np.repeat(reach, 2))
        is_largest = reach[:, None] == largest[pairs]
        below = np.bincount(pairs.ravel(), np.where(is_largest, 0.0, reach[:, None]).ravel(), n)
        alone = np.bincount(pairs.ravel(), is_largest.ravel(), n)[pairs] == 1
        others = np.where(is_largest & alone, below[pairs], total[pairs] - reach[:, None])
        most = 2.0 * (spread[pairs] + others).min(axis=1)[:, None]
        most[mixed] = np.inf
        np.minimum(apart, most, out=apart)
        np.minimum(together, most, out=together)
    if not keep_hard and hard.any():
        reach = 2.0 * apart.max(axis=1) + together.max(axis=1)
        together[hard] = 2.0 * (1.0 + (unary.max(axis=1) - unary.min(axis=1)).sum() + reach.sum())
    return unary, apart, together
