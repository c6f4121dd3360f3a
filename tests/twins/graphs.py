"""Small random graphs whose nodes are to be labelled."""

import numpy as np


def random_edges(rng, n, m):
    """Return at most `m` distinct edges between `n` nodes."""
    pairs = np.column_stack(np.triu_indices(n, 1))
    return rng.permutation(pairs)[:m].astype(np.int64)


def random_forest(rng, n, n_trees=2):
    """Return edges that make `n_trees` trees of `n` nodes, whose numbers say nothing."""
    name = rng.permutation(n)
    ends = [(name[i], name[rng.integers(max(i - 5, 0), i)]) for i in range(n_trees, n)]
    return np.sort(np.array(ends, dtype=np.int64).reshape(-1, 2), axis=1)


def energy_of(edges, apart, together, cost, labels):
    """Return what labels of nodes cost these and their edges."""
    total = cost[np.arange(len(labels)), labels].sum()
    for (i, j), away, same in zip(edges, apart, together, strict=True):
        a, b = labels[i] % len(away), labels[j] % len(away)  # one column speaks for all labels
        total += same[a] if labels[i] == labels[j] else away[a] + away[b]
    return total
