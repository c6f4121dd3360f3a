"""Take the trees off a graph, and solve them: messages go up, labels come down."""

import numpy as np

from coterie.loops import compiled


@compiled(nogil=True)
def strip(
    indptr,  # (u + 1,) int64  IN   node i has the edge ends indptr[i] to indptr[i + 1]
    other,  #  (2e,) int64     IN   the node at the other end
    edge,  #   (2e,) int64     IN   which edge it is
    order,  #  (u,) int64      OUT  the nodes that come off, in that order
    parent,  # (u,) int64      OUT  the node that a node hung by; -1 for the last of a tree
    above,  #  (u,) int64      OUT  the edge that it hung by, or -1
):
    """Take off nodes while any has no more than one edge left.

    All trees go, and whatever hangs by one edge from a loop. Returns how many nodes came off.
    """
    n = indptr.shape[0] - 1
    degree = np.empty(n, dtype=np.int64)
    gone = np.zeros(n, dtype=np.bool_)
    parent[:] = -1
    above[:] = -1
    found = 0
    for i in range(n):
        degree[i] = indptr[i + 1] - indptr[i]
        if degree[i] <= 1:
            order[found] = i
            found += 1
    place = 0
    while place < found:
        i = order[place]
        place += 1
        gone[i] = True
        for end in range(indptr[i], indptr[i + 1]):
            j = other[end]
            if not gone[j]:
                parent[i], above[i] = j, edge[end]
                degree[j] -= 1
                if degree[j] == 1:
                    order[found] = j
                    found += 1
    return found


@compiled(nogil=True)
def walk(
    indptr,  #  (u + 1,) int64  IN      node i has the edge ends indptr[i] to indptr[i + 1]
    other,  #   (2e,) int64     IN      the node at the other end
    waiting,  # (u,) bool       IN/OUT  the nodes to be visited; none are left
    order,  #   (u,) int64      OUT     these nodes, one component after the other
    starts,  #  (u + 1,) int64  OUT     component c has order[starts[c]:starts[c + 1]]
):
    """Visit nodes breadth first, each component from its first node on.

    Returns how many components there are.
    """
    found, n_components = 0, 0
    starts[0] = 0
    for first in range(indptr.shape[0] - 1):
        if not waiting[first]:
            continue
        waiting[first] = False
        place = found
        order[found] = first
        found += 1
        while place < found:
            i = order[place]
            place += 1
            for end in range(indptr[i], indptr[i + 1]):
                j = other[end]
                if waiting[j]:
                    waiting[j] = False
                    order[found] = j
                    found += 1
        n_components += 1
        starts[n_components] = found
    return n_components


@compiled(nogil=True)
def collect(
    order,  #    (p,) int64          IN      nodes that came off, in that order
    parent,  #   (u,) int64          IN      the node that each hung by, or -1
    above,  #    (u,) int64          IN      the edge that it hung by, or -1
    apart,  #    (e, 1 or k) float64 IN      labels a != b on an edge cost apart[a] + apart[b]
    together,  # (e, 1 or k) float64 IN      label c at both its ends costs together[c]
    cost,  #     (u, k) float64      IN/OUT  what each label costs each node
):
    """Add to the costs of each node what its label costs all that hangs from it, at best.

    The message of node i to label b of its parent is min over a of cost[i, a] + edge(a, b); the
    least of all a but one is the least of all, or the second where that one is the least. Messages
    are brought down to a least of 0. Returns what that took off, and the least of the last nodes.
    """
    k = cost.shape[1]
    step = 1 if apart.shape[1] > 1 else 0
    message = np.empty(k)
    taken = 0.0
    for i in order:
        j, e = parent[i], above[i]
        if j < 0:
            least = cost[i, 0]
            for a in range(1, k):
                least = min(least, cost[i, a])
            taken += least
            continue
        first, second, best = np.inf, np.inf, -1
        for a in range(k):
            away = cost[i, a] + apart[e, a * step]
            if away < first:
                first, second, best = away, first, a
            elif away < second:
                second = away
        least = np.inf
        for b in range(k):
            away = (second if b == best else first) + apart[e, b * step]
            message[b] = min(cost[i, b] + together[e, b * step], away)
            least = min(least, message[b])
        for b in range(k):
            cost[j, b] += message[b] - least
        taken += least
    return taken


@compiled(nogil=True)
def hand_down(
    order,  #    (p,) int64          IN      nodes that came off, in that order
    parent,  #   (u,) int64          IN      the node that each hung by, or -1
    above,  #    (u,) int64          IN      the edge that it hung by, or -1
    apart,  #    (e, 1 or k) float64 IN      labels a != b on an edge cost apart[a] + apart[b]
    together,  # (e, 1 or k) float64 IN      label c at both its ends costs together[c]
    cost,  #     (u, k) float64      IN      as `collect` left it
    labels,  #   (u,) int32          IN/OUT  those that stayed have theirs; -1: none yet
):
    """Give nodes that came off their best labels, the last one first.

    A tie keeps the label that a node has, or else takes the lowest.
    """
    k = cost.shape[1]
    step = 1 if apart.shape[1] > 1 else 0
    for place in range(order.shape[0] - 1, -1, -1):
        i = order[place]
        j, e = parent[i], above[i]
        least, now, best = np.inf, np.inf, 0
        for a in range(k):
            total = cost[i, a]
            if j >= 0:
                b = labels[j]
                if a == b:
                    total += together[e, a * step]
                else:
                    total += apart[e, a * step] + apart[e, b * step]
            if a == labels[i]:
                now = total
            if total < least:
                least, best = total, a
        if not now <= least:
            labels[i] = best
