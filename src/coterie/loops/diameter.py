"""Find the two rows that lie farthest apart."""

import numpy as np

from coterie.loops import compiled


@compiled(nogil=True)
def farthest_pair(
    rows,  #   (n, d) float64  IN  those farthest from the middle first
    radius,  # (n,) float64    IN  distance of each from the middle, falling
):
    """Return the places of the two rows of largest distance; the first such pair on a tie.

    Two rows are never farther apart than their radii together, so most pairs are passed over.
    """
    n, d = rows.shape
    first, second, best, reach = 0, 0, -1.0, -1.0
    for a in range(n - 1):
        if radius[a] + radius[a + 1] <= reach:
            break
        for b in range(a + 1, n):
            if radius[a] + radius[b] <= reach:
                break
            gap = 0.0
            for j in range(d):
                step = rows[a, j] - rows[b, j]
                gap += step * step
            if gap > best:
                first, second, best = a, b, gap
                # A hair less: the radii are rounded too.
                reach = np.sqrt(gap) * (1.0 - 1e-12)
    return first, second
