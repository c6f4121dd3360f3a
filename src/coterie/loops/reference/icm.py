"""Iterated conditional modes over linked rows, one unit at a time: the plain twin."""

import numpy as np


def icm_sweep(unary, indptr, other, link, must, penalty, starts, members, unit_of, order, labels):  # noqa: ARG001
    """Move each unit to its cheapest cluster as a whole, given every other label."""
    k = unary.shape[1]
    by_cluster = np.broadcast_to(penalty, (len(penalty), k))

    def cost_of(trial, rows):
        """Return the energy that `rows` take part in; a link inside them counts once."""
        cost = unary[rows, trial[rows]].sum()
        inside = {int(row) for row in rows}
        for i in rows:
            for end in range(indptr[i], indptr[i + 1]):
                j, m = other[end], link[end]
                a, b = trial[i], trial[j]
                if a < 0 or b < 0:
                    continue
                share = 0.5 if int(j) in inside else 1.0
                if must[m] and a != b:
                    cost += share * (by_cluster[m, a] + by_cluster[m, b])
                if not must[m] and a == b:
                    cost += share * by_cluster[m, a]
        return cost

    moved = 0
    for unit in order:
        rows = members[starts[unit] : starts[unit + 1]]
        costs = np.empty(k)
        for c in range(k):
            trial = labels.copy()
            trial[rows] = c
            costs[c] = cost_of(trial, rows)
        now = cost_of(labels, rows) if (labels[rows] >= 0).all() else np.inf
        if now == np.inf or costs.min() < now - 1e-12 * abs(now):
            labels[rows] = costs.argmin()
            moved += 1
    return moved


def elsewhere_cheaper(unary, labels, cheaper):
    """Mark the rows that would cost less in another cluster, links apart."""
    cheaper[:] = unary.min(axis=1) < unary[np.arange(len(unary)), labels]
