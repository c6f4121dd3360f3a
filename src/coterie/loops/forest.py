"""Grow the forest of strongest links, and carry weights along it.

The strongest chain between two rows runs along a maximum spanning forest, so one forest
answers for all pairs. Nodes of a tree lie side by side, parents before children.
"""

import numpy as np

from coterie.loops import compiled


@compiled()
def grow(
    pairs,  #    (m, 2) int64   IN   the ends of each link, strongest link first
    weights,  #  (m,) float64   IN   the weight of each link
    parent,  #   (n,) int64     OUT  the node above each node, -1 at a root
    strength,  # (n,) float64   OUT  the weight of the link to the parent, inf at a root
):
    """Join nodes by the strongest links that close no circle (Kruskal, 1956).

    Returns the number of links that were used.
    """
    n = parent.shape[0]
    leader = np.arange(n)
    size = np.ones(n, dtype=np.int64)
    parent[:] = -1
    strength[:] = np.inf
    used = 0
    for link in range(pairs.shape[0]):
        a, b = pairs[link, 0], pairs[link, 1]
        lead_a, lead_b = a, b
        while leader[lead_a] != lead_a:
            leader[lead_a] = leader[leader[lead_a]]
            lead_a = leader[lead_a]
        while leader[lead_b] != lead_b:
            leader[lead_b] = leader[leader[lead_b]]
            lead_b = leader[lead_b]
        if lead_a == lead_b:
            continue
        if size[lead_a] > size[lead_b]:
            a, b, lead_a, lead_b = b, a, lead_b, lead_a
        # The smaller tree is hung from b by its node a: all links above a turn round.
        node, above, weight = a, b, weights[link]
        while node != -1:
            next_node, next_weight = parent[node], strength[node]
            parent[node], strength[node] = above, weight
            above, node, weight = node, next_node, next_weight
        leader[lead_a] = lead_b
        size[lead_b] += size[lead_a]
        used += 1
    return used


@compiled()
def within(
    indptr,  #   (g + 1,) int64  IN   tree t has the nodes indptr[t] to indptr[t + 1]
    parent,  #   (n,) int64      IN   the node above each node; it comes earlier
    strength,  # (n,) float64    IN   the weight of the link to the parent
    weights,  #  (p,) float64    OUT  one for each two nodes of a tree: (0, 1), (0, 2), …, (1, 2), …
):
    """Find the weakest link on the way between each two nodes of a tree."""
    base = 0
    for tree in range(indptr.shape[0] - 1):
        start, s = indptr[tree], indptr[tree + 1] - indptr[tree]
        for j in range(1, s):
            p, link = parent[start + j] - start, strength[start + j]
            for i in range(j):
                way = link
                if i != p:
                    low, high = min(i, p), max(i, p)
                    way = min(way, weights[base + low * (2 * s - low - 1) // 2 + high - low - 1])
                weights[base + i * (2 * s - i - 1) // 2 + j - i - 1] = way
        base += s * (s - 1) // 2


@compiled()
def across(
    indptr,  #   (g + 1,) int64  IN      tree t has the nodes indptr[t] to indptr[t + 1]
    parent,  #   (n,) int64      IN      the node above each node; it comes earlier
    strength,  # (n,) float64    IN      the weight of the link to the parent
    between,  #  (q, 2) int64    IN      pairs of trees
    weights,  #  (p,) float64    IN/OUT  a block for each pair of trees, a row for each left node
):
    """Spread the weights of links between two trees along both of them.

    A weight that travels is cut to the weakest link on its way; the largest that arrives stays.
    """
    base = 0
    for pair in range(between.shape[0]):
        left, right = indptr[between[pair, 0]], indptr[between[pair, 1]]
        rows = indptr[between[pair, 0] + 1] - left
        columns = indptr[between[pair, 1] + 1] - right
        block = weights[base : base + rows * columns].reshape((rows, columns))
        # First up to the root, then down again: so every node has heard of every other.
        for i in range(rows - 1, 0, -1):
            p, link = parent[left + i] - left, strength[left + i]
            for j in range(columns):
                block[p, j] = max(block[p, j], min(link, block[i, j]))
        for i in range(1, rows):
            p, link = parent[left + i] - left, strength[left + i]
            for j in range(columns):
                block[i, j] = max(block[i, j], min(link, block[p, j]))
        for j in range(columns - 1, 0, -1):
            p, link = parent[right + j] - right, strength[right + j]
            for i in range(rows):
                block[i, p] = max(block[i, p], min(link, block[i, j]))
        for j in range(1, columns):
            p, link = parent[right + j] - right, strength[right + j]
            for i in range(rows):
                block[i, j] = max(block[i, j], min(link, block[i, p]))
        base += rows * columns
