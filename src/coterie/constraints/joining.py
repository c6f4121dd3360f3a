"""Join two sets of links: of the same link, the larger weight holds."""

from typing import TypeVar

import numpy as np

from coterie._errors import ConstraintError
from coterie._types import Floats, Pairs
from coterie.constraints.checks import check_rows
from coterie.constraints.cliques import Cliques, listed_with, no_cliques
from coterie.constraints.pairs import merged
from coterie.constraints.value import Links, same_ids

L = TypeVar("L", bound=Links)
Weighted = tuple[Pairs, Floats]


def join(one: L, two: Links) -> L:
    """Return the links of both."""
    n_samples = one._n_samples if two._n_samples is None else two._n_samples
    if one._n_samples not in (None, n_samples):
        raise ConstraintError(
            f"Links about {one._n_samples} rows and links about {n_samples} rows cannot be joined."
        )
    if one._ids is not None and two._ids is not None and not same_ids(one, two):
        raise ConstraintError("Links whose rows go by different ids cannot be joined.")
    for links in (one, two):
        check_rows(links._must, "must_link", n_samples)
        check_rows(links._cannot, "cannot_link", n_samples)
    must = _larger((one._must, one._must_weights), (two._must, two._must_weights))
    cliques = _common(one._cliques, two._cliques)
    cannot = _larger(_beside(cliques, one), _beside(cliques, two))
    ids = two._ids if one._ids is None else one._ids
    return one._of(*must, *cannot, cliques, n_samples, ids)


def _larger(one: Weighted, two: Weighted) -> Weighted:
    pairs, weights = np.concatenate([one[0], two[0]]), np.concatenate([one[1], two[1]])
    return merged(pairs, weights, np.maximum)


def _common(one: Cliques, two: Cliques) -> Cliques:
    """Return the cliques that can stand for those of both; none where the two differ."""
    if len(one.rows) == 0 or len(two.rows) == 0:
        return one if len(one.rows) else two
    alike = np.array_equal(one.indptr, two.indptr) and np.array_equal(one.rows, two.rows)
    return one._replace(weight=max(one.weight, two.weight)) if alike else no_cliques()


def _beside(cliques: Cliques, links: Links) -> Weighted:
    """Return the single links that say more than `cliques` do, with what they add.

    The weight of a link is what its clique weighs and what it weighs alone, together.
    """
    pairs, weights, own = links._cannot, links._cannot_weights, links._cliques
    if len(own.rows) and len(cliques.rows) == 0:
        return listed_with(pairs, weights, own)
    if len(cliques.rows) == 0 or own.weight == cliques.weight:
        return pairs, weights
    held = cliques.hold(pairs)
    if np.isinf(cliques.weight):
        added = np.where(held, 0.0, weights)
    else:
        added = np.where(held, weights + (own.weight - cliques.weight), weights)
    return pairs[added > 0], added[added > 0]
