"""Itakura-Saito distance: ratios, such as power spectra."""

from typing import Any

import numpy as np

from coterie.distortion.bregman import Bregman


def itakura_saito() -> Bregman:
    r"""Return the divergence :math:`\sum_m x_m / \mu_m - \log (x_m / \mu_m) - 1`.

    It is the loss of a gamma model, and does not change when row and centre are scaled together.
    """
    return Bregman(
        phi=_negative_log,
        gradient=_slope,
        domain=(0.0, np.inf),
        closed=False,
        embed=np.log,
        name="the Itakura-Saito distance",
    )


def _negative_log(x: Any) -> Any:
    return -np.log(x)


def _slope(x: Any) -> Any:
    return -1.0 / x
