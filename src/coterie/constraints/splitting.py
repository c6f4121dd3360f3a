"""Hold out some of the links, so that they can judge what the others taught."""

from typing import Any, TypeVar

import numpy as np

from coterie._errors import ConstraintError
from coterie._types import Rng
from coterie.constraints.value import Links

L = TypeVar("L", bound=Links)


def as_rng(random_state: Any) -> Rng:
    """Return a generator made from a seed, or the generator that was given."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ConstraintError(
            "random_state must be None, a whole number, 0 or more, or a NumPy generator; "
            f"got {random_state!r}."
        ) from None


def folds(links: L, k: int, random_state: Any) -> list[tuple[L, L]]:
    """Return `k` pairs of links: those to learn from, and those held out."""
    n_links = links.n_must_link + links.n_cannot_link
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 2:
        raise ConstraintError(f"k must be a whole number, 2 or more; got {k!r}.")
    if k > n_links:
        raise ConstraintError(f"{n_links} links cannot be split into {k} folds.")
    must, must_weights = links.must_link, links.must_link_weights
    cannot, cannot_weights = links.cannot_link, links.cannot_link_weights
    rng = as_rng(random_state)
    # Dealt out kind by kind, so that every fold has its share of both.
    deal = np.concatenate([rng.permutation(len(must)), len(must) + rng.permutation(len(cannot))])
    fold = np.empty(n_links, dtype=np.int64)
    fold[deal] = np.arange(n_links) % k

    def chosen(mask: Any) -> L:
        m, c = mask[: len(must)], mask[len(must) :]
        return links._with((must[m], must_weights[m]), (cannot[c], cannot_weights[c]))

    return [(chosen(fold != i), chosen(fold == i)) for i in range(k)]
