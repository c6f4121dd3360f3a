"""Grow the forest of strongest links, and carry weights along it: the plain twin."""

from itertools import pairwise

import numpy as np


def grow(pairs, weights, parent, strength):
    """Join nodes by the strongest links that close no circle (Kruskal, 1956)."""
    parent[:], strength[:] = -1, np.inf
    trees = [[node] for node in range(len(parent))]  # the tree of each node, its leader's first
    used = 0
    for (a, b), weight in zip(pairs.tolist(), weights.tolist(), strict=True):
        if trees[a] is trees[b]:
            continue
        small, large = (b, a) if len(trees[a]) > len(trees[b]) else (a, b)
        node, above, carried = small, large, weight
        while node != -1:
            next_node, next_weight = int(parent[node]), strength[node]
            parent[node], strength[node] = above, carried
            above, node, carried = node, next_node, next_weight
        moving = trees[small]
        trees[large].extend(moving)
        for node in moving:
            trees[node] = trees[large]
        used += 1
    return used


def within(indptr, parent, strength, weights):
    """Find the weakest link on the way between each two nodes of a tree."""
    base = 0
    for start, stop in pairwise(indptr):
        way = _ways(parent[start:stop] - start, strength[start:stop])
        found = way[np.triu_indices(stop - start, 1)]
        weights[base : base + len(found)] = found
        base += len(found)


def across(indptr, parent, strength, between, weights):
    """Spread the weights of links between two trees along both of them."""
    base = 0
    for pair in between:
        left, right = (slice(indptr[tree], indptr[tree + 1]) for tree in pair)
        before, after = (_ways(parent[t] - t.start, strength[t]) for t in (left, right))
        block = weights[base : base + len(before) * len(after)].reshape(len(before), len(after))
        block[:] = _max_min(_max_min(before, block), after)
        base += block.size


def _ways(parent, strength):
    """Return the weakest link between all nodes of one tree, inf from a node to itself."""
    way = np.full((len(parent), len(parent)), np.inf)
    for j in range(1, len(parent)):
        way[j, :j] = way[:j, j] = np.minimum(way[parent[j], :j], strength[j])
    return way


def _max_min(a, b):
    # The matrix product where + is max and * is min.
    return np.minimum(a[:, :, None], b[None, :, :]).max(axis=1)
