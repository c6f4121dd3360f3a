"""Relevant component analysis (Bar-Hillel et al., 2003)."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie._types import Floats


class Chunklets(NamedTuple):
    """How rows of one neighbourhood vary about their mean."""

    covariance: Floats  # (d, d)
    n_rows: int
    n_chunklets: int

    @property
    def evidence(self) -> int:
        """How many independent rows the covariance rests on."""
        return self.n_rows - self.n_chunklets


def chunklets(rows: Any, groups: NDArray[np.int64]) -> Chunklets:
    """Return the covariance of `rows` about the mean of their group."""
    n_groups, n = int(groups.max()) + 1, len(groups)
    member = sparse.csr_array((np.ones(n), (groups, np.arange(n))), shape=(n_groups, n))
    means = member @ rows / np.bincount(groups)[:, None]
    centred = rows - means[groups]
    return Chunklets(centred.T @ centred / n, n, n_groups)


def shrunk(found: Chunklets, shrinkage: float | None) -> tuple[Floats, float]:
    """Return the covariance, moved toward a multiple of the identity, and how far.

    The share of the identity is `shrinkage`; by default the one of `oracle_share`.
    """
    d = len(found.covariance)
    share = oracle_share(found) if shrinkage is None else shrinkage
    level = np.trace(found.covariance) / d
    return (1 - share) * found.covariance + share * level * np.eye(d), share


def oracle_share(found: Chunklets) -> float:
    """Return the share of the identity that comes closest to the true covariance.

    Near 1 where few rows speak or all directions look alike, near 0 where many rows tell the
    directions apart (oracle approximating shrinkage; Chen, Wiesel, Eldar and Hero, 2010, Eq. 23).
    """
    d, n = len(found.covariance), found.evidence
    level = np.trace(found.covariance) / d
    if level == 0.0:
        return 1.0
    # With the trace scaled to d, Tr(S)² is d².
    squares = float(((found.covariance / level) ** 2).sum())
    above = (1 - 2 / d) * squares + d**2
    below = (n + 1 - 2 / d) * (squares - d)
    return above / below if above < below else 1.0


def is_singular(covariance: Floats) -> bool:
    """Tell whether some direction has no variance, whatever the units of the features."""
    size = np.diagonal(covariance)
    if (size <= 0.0).any():
        return True
    root = np.sqrt(size)
    alike = np.linalg.eigvalsh(covariance / np.outer(root, root))
    values = np.linalg.eigvalsh(covariance)
    return bool(alike[0] <= 1e-10 or values[0] <= 1e-14 * values[-1])


def whitening(covariance: Floats) -> Floats:
    """Return the symmetric inverse root: rows times it have the identity as covariance."""
    values, vectors = np.linalg.eigh(covariance)
    root: Floats = (vectors / np.sqrt(values)) @ vectors.T
    return root
