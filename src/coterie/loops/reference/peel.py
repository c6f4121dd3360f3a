"""Take the trees off a graph, and solve them: the plain twin."""

from itertools import pairwise

import numpy as np


def strip(indptr, other, edge, order, parent, above):
    """Take off nodes while any has no more than one edge left."""
    ends = [set(range(start, stop)) for start, stop in pairwise(indptr)]
    parent[:], above[:] = -1, -1
    queue = [i for i, mine in enumerate(ends) if len(mine) <= 1]
    for i in queue:  # grows as it is walked
        for end in ends[i]:
            j = int(other[end])
            parent[i], above[i] = j, edge[end]
            ends[j] = {back for back in ends[j] if edge[back] != edge[end]}
            if len(ends[j]) == 1:
                queue.append(j)
        ends[i] = set()
    order[: len(queue)] = queue
    return len(queue)


def walk(indptr, other, waiting, order, starts):
    """Visit nodes breadth first, each component from its first node on."""
    visited, ends = [], [0]
    while waiting.any():
        queue = [int(waiting.argmax())]
        waiting[queue] = False
        for i in queue:  # grows as it is walked
            for j in other[indptr[i] : indptr[i + 1]].tolist():
                if waiting[j]:
                    waiting[j] = False
                    queue.append(j)
        visited += queue
        ends.append(len(visited))
    order[: len(visited)] = visited
    starts[: len(ends)] = ends
    return len(ends) - 1


def collect(order, parent, above, apart, together, cost):
    """Add to the costs of each node what its label costs all that hangs from it, at best."""
    taken = 0.0
    for i in order:
        if parent[i] < 0:
            taken += cost[i].min()
            continue
        message = (cost[i][:, None] + _table(apart, together, above[i], cost.shape[1])).min(axis=0)
        cost[parent[i]] += message - message.min()
        taken += message.min()
    return taken


def hand_down(order, parent, above, apart, together, cost, labels):
    """Give nodes that came off their best labels, the last one first."""
    for i in order[::-1]:
        total = cost[i].copy()
        if parent[i] >= 0:
            total += _table(apart, together, above[i], len(total))[:, labels[parent[i]]]
        if labels[i] < 0 or total[labels[i]] > total.min():
            labels[i] = total.argmin()


def _table(apart, together, edge, k):
    """Return what each two labels cost at the ends of an edge, (k, k)."""
    away, same = (np.broadcast_to(part[edge], k) for part in (apart, together))
    return np.where(np.eye(k, dtype=bool), same, away[:, None] + away)
