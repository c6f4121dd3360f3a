"""Messages between nodes that loops tie together, and moves of one node at a time.

Nodes of a component lie side by side, breadth first. The messages into a node lie where its edge
ends do: `messages[end]` says what each label of the node costs the node at the other end.
"""

import numpy as np

from coterie.loops import compiled

_SLACK = 1e-12  # a gain below this share of what an energy adds up is rounding, not progress


@compiled(nogil=True)
def _send(end, to, e, apart, together, share, belief, messages, fresh, damping):
    # The message over edge e, out of the node whose message comes in at `end`, into place `to`:
    # to label b, the least over a of share * belief[a] - messages[end, a] + edge(a, b). The least
    # of all a but one is the least of all, or the second where that one is the least.
    k = belief.shape[0]
    step = 1 if apart.shape[1] > 1 else 0
    first, second, best = np.inf, np.inf, -1
    for a in range(k):
        away = share * belief[a] - messages[end, a] + apart[e, a * step]
        if away < first:
            first, second, best = away, first, a
        elif away < second:
            second = away
    least = np.inf
    for b in range(k):
        away = (second if b == best else first) + apart[e, b * step]
        same = share * belief[b] - messages[end, b] + together[e, b * step]
        fresh[b] = min(same, away)
        least = min(least, fresh[b])
    change, size = 0.0, 0.0
    for b in range(k):
        new = fresh[b] - least
        change = max(change, abs(new - messages[to, b]))
        size = max(size, new)
        messages[to, b] = (1.0 - damping) * new + damping * messages[to, b]
    return least, change, size


@compiled(nogil=True)
def _believe(i, indptr, unary, messages, belief):
    for a in range(belief.shape[0]):
        belief[a] = unary[i, a]
    for end in range(indptr[i], indptr[i + 1]):
        for a in range(belief.shape[0]):
            belief[a] += messages[end, a]


@compiled(nogil=True)
def _label(i, start, indptr, other, edge, unary, apart, together, messages, cost, trial):
    # What it adds to the energy of the nodes before comes back. Nodes after speak by messages.
    k = cost.shape[0]
    step = 1 if apart.shape[1] > 1 else 0
    for a in range(k):
        cost[a] = unary[i, a]
    for end in range(indptr[i], indptr[i + 1]):
        e = edge[end]
        if other[end] > i:
            for a in range(k):
                cost[a] += messages[end, a]
            continue
        b = trial[other[end] - start]
        for a in range(k):
            if a == b:
                cost[a] += together[e, a * step]
            else:
                cost[a] += apart[e, a * step] + apart[e, b * step]
    best = np.argmin(cost)
    trial[i - start] = best
    added = unary[i, best]
    for end in range(indptr[i], indptr[i + 1]):
        e = edge[end]
        if other[end] < i:
            b = trial[other[end] - start]
            if best == b:
                added += together[e, best * step]
            else:
                added += apart[e, best * step] + apart[e, b * step]
    return added


@compiled(nogil=True)
def _below(start, stop, unary, labels):
    # What costs below 0 add to an energy. Twice as much less is the sum of what it adds up,
    # signs left out, as links cost 0 or more: this is the size that rounding goes by.
    below = 0.0
    for i in range(start, stop):
        if labels[i] >= 0:
            below += min(unary[i, labels[i]], 0.0)
    return below


@compiled(nogil=True)
def pass_messages(
    starts,  #    (p + 1,) int64        IN      component c has the nodes starts[c]:starts[c + 1]
    indptr,  #    (u + 1,) int64        IN      node i has the edge ends indptr[i] to indptr[i + 1]
    other,  #     (2e,) int64           IN      the node at the other end
    edge,  #      (2e,) int64           IN      which edge it is
    back,  #      (2e,) int64           IN      where the node at the other end has this edge
    unary,  #     (u, k) float64        IN      what each label costs each node
    apart,  #     (e, 1 or k) float64   IN      labels a != b on an edge cost apart[a] + apart[b]
    together,  #  (e, 1 or k) float64   IN      label c at both its ends costs together[c]
    share,  #     (u,) float64          IN      how much of what it believes a node tells each other
    damping,  #   float                 IN      how much of an old message stays, where loops are
    max_iter,  #  int                   IN
    tol,  #       float                 IN      as a share of the largest message of the iteration
    patience,  #  int                   IN      iterations without better labels
    first,  #     int                   IN      components from this one on
    last,  #      int                   IN      up to this one, left out
    messages,  #  (2e, k) float64       IN/OUT  into the node whose edge end it is
    waited,  #    (p,) int64            IN/OUT  iterations without better labels; -1: at rest
    labels,  #    (u,) int32            IN/OUT  the best labels; -1: not placed yet
    energies,  #  (p,) float64          IN/OUT  what they cost; infinite where not all are placed
    bounds,  #    (p,) float64          IN/OUT  below which no labels of a component can go
):
    """Send messages back and forth along the nodes of each component, and keep the best labels.

    With shares of 1 these are max-product messages, in logarithms (Pearl, 1988; Kschischang et
    al., 2001): exact after one iteration where a component is a tree. With a share of one in the
    larger of the numbers of earlier and of later neighbours they are reweighted (Kolmogorov,
    2006), and without damping they give bounds; elsewhere `bounds` stay as they are.

    Nodes are labelled on the way forth, by the labels of those before and the messages of those
    after. A component stops when messages rest, when its labels are proved best, or when labels
    have not become better for a while. Returns how many stopped at `max_iter`.

    These go on where they were if they are called again with what came out: several calls of a
    few iterations do what one call of many does.
    """
    k = unary.shape[1]
    belief, cost, fresh = np.empty(k), np.empty(k), np.empty(k)
    widest = 0
    for c in range(first, last):
        widest = max(widest, starts[c + 1] - starts[c])
    trial = np.empty(widest, dtype=np.int32)
    n_restless = 0
    for c in range(first, last):
        if waited[c] < 0:
            continue
        start, stop = starts[c], starts[c + 1]
        tree = indptr[stop] - indptr[start] == 2 * (stop - start - 1)
        keep = 0.0 if tree else damping
        bounded = not tree and keep == 0.0
        for i in range(start, stop):
            n_later = 0
            for end in range(indptr[i], indptr[i + 1]):
                n_later += other[end] > i
            bounded = bounded and share[i] * n_later <= 1.0 + 1e-9
        below = _below(start, stop, unary, labels)
        for _ in range(max_iter):
            change, size = 0.0, 0.0
            for i in range(stop - 1, start - 1, -1):
                _believe(i, indptr, unary, messages, belief)
                told = 1.0 if tree else share[i]
                for end in range(indptr[i], indptr[i + 1]):
                    if other[end] < i:
                        _, moved, large = _send(
                            end, back[end], edge[end], apart, together, told, belief, messages,
                            fresh, keep,
                        )  # fmt: skip
                        change, size = max(change, moved), max(size, large)
            energy, bound = 0.0, 0.0
            for i in range(start, stop):
                _believe(i, indptr, unary, messages, belief)
                energy += _label(
                    i, start, indptr, other, edge, unary, apart, together, messages, cost, trial
                )
                told, n_later, least = 1.0 if tree else share[i], 0, belief[0]
                for a in range(1, k):
                    least = min(least, belief[a])
                for end in range(indptr[i], indptr[i + 1]):
                    if other[end] > i:
                        lowest, moved, large = _send(
                            end, back[end], edge[end], apart, together, told, belief, messages,
                            fresh, keep,
                        )  # fmt: skip
                        change, size = max(change, moved), max(size, large)
                        n_later += 1
                        bound += lowest
                bound += (1.0 - told * n_later) * least
            waited[c] += 1
            below_trial = 0.0
            for i in range(start, stop):
                below_trial += min(unary[i, trial[i - start]], 0.0)
            if energy < energies[c] - _SLACK * (energy - 2.0 * below_trial):
                energies[c], below = energy, below_trial
                for i in range(start, stop):
                    labels[i] = trial[i - start]
                waited[c] = 0
            if bounded:
                bounds[c] = max(bounds[c], bound)
            elif tree:
                bounds[c] = energy
            proved = energies[c] - bounds[c] <= _SLACK * (energies[c] - 2.0 * below)
            if proved or change <= tol * size or waited[c] >= patience:
                waited[c] = -1
                break
        n_restless += waited[c] >= 0
    return n_restless


@compiled(nogil=True)
def settle(
    starts,  #    (p + 1,) int64        IN      component c has the nodes starts[c]:starts[c + 1]
    indptr,  #    (u + 1,) int64        IN      node i has the edge ends indptr[i] to indptr[i + 1]
    other,  #     (2e,) int64           IN      the node at the other end
    edge,  #      (2e,) int64           IN      which edge it is
    unary,  #     (u, k) float64        IN      what each label costs each node
    apart,  #     (e, 1 or k) float64   IN      labels a != b on an edge cost apart[a] + apart[b]
    together,  #  (e, 1 or k) float64   IN      label c at both its ends costs together[c]
    max_sweeps,  # int                  IN
    labels,  #    (u,) int32            IN/OUT  -1: not placed yet, and silent until then
    energies,  #  (p,) float64          OUT     what they cost
):
    """Give each node its cheapest label while the others stay, until none moves.

    A tie keeps what is there. Returns how many moves there were.
    """
    k = unary.shape[1]
    step = 1 if apart.shape[1] > 1 else 0
    cost = np.empty(k)
    n_moves = 0
    for c in range(starts.shape[0] - 1):
        moved = True
        for _ in range(max_sweeps):
            if not moved:
                break
            moved = False
            for i in range(starts[c], starts[c + 1]):
                for a in range(k):
                    cost[a] = unary[i, a]
                for end in range(indptr[i], indptr[i + 1]):
                    e, b = edge[end], labels[other[end]]
                    if b < 0:
                        continue
                    for a in range(k):
                        if a == b:
                            cost[a] += together[e, a * step]
                        else:
                            cost[a] += apart[e, a * step] + apart[e, b * step]
                best = np.argmin(cost)
                mine = labels[i]
                slack = 0.0 if mine < 0 else _SLACK * (cost[mine] - 2.0 * min(unary[i, mine], 0.0))
                if mine < 0 or cost[best] < cost[mine] - slack:
                    labels[i] = best
                    moved = True
                    n_moves += 1
        energies[c] = 0.0
        for i in range(starts[c], starts[c + 1]):
            a = labels[i]
            energies[c] += unary[i, a]
            for end in range(indptr[i], indptr[i + 1]):
                e, b = edge[end], labels[other[end]]
                if other[end] < i:
                    if a == b:
                        energies[c] += together[e, a * step]
                    else:
                        energies[c] += apart[e, a * step] + apart[e, b * step]
    return n_moves
