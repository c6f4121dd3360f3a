"""Iterated conditional modes over linked rows, one unit at a time."""

import numpy as np

from coterie.loops import compiled

_SLACK = 1e-12  # a gain below this share of the cost is rounding, not progress


@compiled(nogil=True)
def _move_alone(i, unary, indptr, other, link, must, penalty, labels, cost):
    # What a must-link costs everywhere but at its other end is the same for all clusters when
    # there is one penalty: so it is taken off there, rather than added everywhere else. Costs
    # are then relative, which is enough to compare them.
    k, wide = unary.shape[1], penalty.shape[1] > 1
    for c in range(k):
        cost[c] = unary[i, c]
    for end in range(indptr[i], indptr[i + 1]):
        m, theirs = link[end], labels[other[end]]
        if theirs >= 0:
            if not must[m]:
                cost[theirs] += penalty[m, theirs if wide else 0]
            elif wide:
                for c in range(k):
                    cost[c] += penalty[m, c]
                cost[theirs] -= 2.0 * penalty[m, theirs]
            else:
                cost[theirs] -= 2.0 * penalty[m, 0]
    best = 0
    for c in range(1, k):
        if cost[c] < cost[best]:
            best = c
    mine = labels[i]
    if mine < 0 or cost[best] < cost[mine] - _SLACK * abs(cost[mine]):
        labels[i] = best
        return True
    return False


@compiled(nogil=True)
def icm_sweep(
    unary,  #   (l, k) float64    IN      cost of giving row i to cluster c
    indptr,  #  (l + 1,) int64    IN      row i has the link ends indptr[i] to indptr[i + 1]
    other,  #   (2m,) int64       IN      the row at the other end
    link,  #    (2m,) int64       IN      which link it is
    must,  #    (m,) bool         IN      must-link, or else cannot-link
    penalty,  # (m, 1 or k) float64 IN    a broken must-link costs both its clusters' entries, a
    #                                     broken cannot-link the entry of the cluster they share
    starts,  #  (u + 1,) int64    IN      unit u has the rows members[starts[u]:starts[u + 1]]
    members,  # (l,) int64        IN
    unit_of,  # (l,) int64        IN      the unit of each row
    order,  #   (v,) int64        IN      the order in which units are visited
    labels,  #  (l,) int32        IN/OUT  -1: not placed yet, and silent until then
):
    """Move each unit to its cheapest cluster as a whole, given every other label.

    Returns how many units moved. A tie keeps what is there, so the energy never rises; a unit
    that is moved, or not placed yet, goes to the lowest of its cheapest clusters.
    """
    k = unary.shape[1]
    step = 1 if penalty.shape[1] > 1 else 0
    cost = np.empty(k)
    moved = 0
    for unit in order:
        if starts[unit + 1] - starts[unit] == 1:
            i = members[starts[unit]]
            moved += _move_alone(i, unary, indptr, other, link, must, penalty, labels, cost)
            continue
        cost[:] = 0.0
        now = 0.0
        for place in range(starts[unit], starts[unit + 1]):
            i = members[place]
            mine = labels[i]
            now += unary[i, mine] if mine >= 0 else np.inf
            for c in range(k):
                cost[c] += unary[i, c]
            for end in range(indptr[i], indptr[i + 1]):
                j, m = other[end], link[end]
                theirs = labels[j]
                if unit_of[j] == unit:
                    # Both ends move together, and both see the link: half of it each time.
                    if not must[m]:
                        for c in range(k):
                            cost[c] += 0.5 * penalty[m, c * step]
                        if mine == theirs and mine >= 0:
                            now += 0.5 * penalty[m, mine * step]
                    elif mine != theirs and mine >= 0 and theirs >= 0:
                        now += 0.5 * (penalty[m, mine * step] + penalty[m, theirs * step])
                elif theirs >= 0:
                    if must[m]:
                        for c in range(k):
                            if c != theirs:
                                cost[c] += penalty[m, c * step] + penalty[m, theirs * step]
                        if mine != theirs and mine >= 0:
                            now += penalty[m, mine * step] + penalty[m, theirs * step]
                    else:
                        cost[theirs] += penalty[m, theirs * step]
                        if mine == theirs:
                            now += penalty[m, theirs * step]
        best = np.argmin(cost)
        if now == np.inf or cost[best] < now - _SLACK * abs(now):
            for place in range(starts[unit], starts[unit + 1]):
                labels[members[place]] = best
            moved += 1
    return moved


@compiled(nogil=True)
def elsewhere_cheaper(
    unary,  #   (l, k) float64  IN   cost of giving row i to cluster c
    labels,  #  (l,) int32      IN   all placed
    cheaper,  # (l,) bool       OUT
):
    """Mark the rows that would cost less in another cluster, links apart."""
    for i in range(unary.shape[0]):
        own = unary[i, labels[i]]
        found = False
        for c in range(unary.shape[1]):
            found |= unary[i, c] < own
        cheaper[i] = found
