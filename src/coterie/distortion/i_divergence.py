"""Generalised I-divergence: amounts, such as counts of words."""

from typing import Any

import numpy as np
from scipy.special import xlogy

from coterie.distortion.bregman import Bregman


def i_divergence(prior: float = 1.0) -> Bregman:
    r"""Return the divergence :math:`\sum_m x_m \log (x_m / \mu_m) - x_m + \mu_m`.

    It is the loss of a Poisson model. `prior` is as in `Bregman`.
    """
    return Bregman(
        phi=_negative_entropy,
        gradient=_slope,
        domain=(0.0, np.inf),
        prior=prior,
        embed=_root,
        name="the I-divergence",
    )


def _negative_entropy(x: Any) -> Any:
    return xlogy(x, x) - x


def _slope(x: Any) -> Any:
    return np.log(x)


def _root(x: Any) -> Any:
    return 2 * np.sqrt(x)
