"""Messages between nodes that loops tie together: the plain twin."""

import numpy as np

from coterie.loops.reference.peel import _table


def pass_messages(
    starts, indptr, other, edge, back, unary, apart, together, share, damping, max_iter, tol,
    patience, first, last, messages, waited, labels, energies, bounds,
):  # fmt: skip
    """Send messages back and forth along the nodes of each component, and keep the best labels."""
    k = unary.shape[1]
    n_restless = 0
    for c in range(first, last):
        if waited[c] < 0:
            continue
        nodes = range(starts[c], starts[c + 1])
        ends_of = {i: range(indptr[i], indptr[i + 1]) for i in nodes}
        later = {i: [end for end in ends_of[i] if other[end] > i] for i in nodes}
        earlier = {i: [end for end in ends_of[i] if other[end] < i] for i in nodes}
        tree = sum(map(len, later.values())) == len(nodes) - 1
        told = {i: 1.0 if tree else share[i] for i in nodes}
        keep = 0.0 if tree else damping
        bounded = keep == 0.0 and all(told[i] * len(later[i]) <= 1.0 + 1e-9 for i in nodes)

        def send(i, end, told=told, keep=keep, ends_of=ends_of):
            """Return the least of the message, how much it changed, and its size."""
            belief = unary[i] + messages[list(ends_of[i])].sum(axis=0)
            out = (told[i] * belief - messages[end])[:, None] + _table(
                apart, together, edge[end], k
            )
            out = out.min(axis=0)
            new, old = out - out.min(), messages[back[end]].copy()
            messages[back[end]] = (1.0 - keep) * new + keep * old
            return out.min(), np.abs(new - old).max(), new.max()

        for _ in range(max_iter):
            sent = [send(i, end) for i in reversed(nodes) for end in earlier[i]]
            trial: dict[int, int] = {}
            energy, bound = 0.0, 0.0
            for i in nodes:
                before = unary[i].copy()
                for end in earlier[i]:
                    before += _table(apart, together, edge[end], k)[:, trial[other[end]]]
                trial[i] = (before + messages[later[i]].sum(axis=0)).argmin()
                energy += before[trial[i]]
                belief = unary[i] + messages[list(ends_of[i])].sum(axis=0)
                forth = [send(i, end) for end in later[i]]
                bound += (1.0 - told[i] * len(later[i])) * belief.min()
                bound += sum(least for least, _, _ in forth)
                sent += forth
            waited[c] += 1
            trial_size = energy - 2 * sum(min(unary[i, trial[i]], 0.0) for i in nodes)
            if energy < energies[c] - 1e-12 * trial_size:
                energies[c], waited[c] = energy, 0
                labels[list(nodes)] = [trial[i] for i in nodes]
            if tree:
                bounds[c] = energy
            elif bounded:
                bounds[c] = max(bounds[c], bound)
            change = max((moved for _, moved, _ in sent), default=0.0)
            size = max((large for _, _, large in sent), default=0.0)
            below = sum(min(unary[i, labels[i]], 0.0) for i in nodes if labels[i] >= 0)
            proved = energies[c] - bounds[c] <= 1e-12 * (energies[c] - 2 * below)
            if proved or change <= tol * size or waited[c] >= patience:
                waited[c] = -1
                break
        n_restless += waited[c] >= 0
    return n_restless


def settle(starts, indptr, other, edge, unary, apart, together, max_sweeps, labels, energies):
    """Give each node its cheapest label while the others stay, until none moves."""
    k = unary.shape[1]

    def cost_of(i, others):
        """Return what each label costs node i, its edges to these ends counted."""
        cost = unary[i].copy()
        for end in others:
            if labels[other[end]] >= 0:
                cost += _table(apart, together, edge[end], k)[:, labels[other[end]]]
        return cost

    n_moves = 0
    for c in range(len(starts) - 1):
        nodes = range(starts[c], starts[c + 1])
        for _ in range(max_sweeps):
            before = n_moves
            for i in nodes:
                cost = cost_of(i, range(indptr[i], indptr[i + 1]))
                now = cost[labels[i]] if labels[i] >= 0 else np.inf
                size = now - 2 * min(unary[i, labels[i]], 0.0)
                if now == np.inf or cost.min() < now - 1e-12 * size:
                    labels[i] = cost.argmin()
                    n_moves += 1
            if n_moves == before:
                break
        energies[c] = sum(
            cost_of(i, [e for e in range(indptr[i], indptr[i + 1]) if other[e] < i])[labels[i]]
            for i in nodes
        )
    return n_moves
