"""Kullback-Leibler divergence: shares, such as the words of a text by frequency."""

from dataclasses import replace

from coterie.distortion.bregman import Bregman
from coterie.distortion.i_divergence import i_divergence


def kl(prior: float = 1.0) -> Bregman:
    r"""Return the divergence :math:`\sum_m x_m \log (x_m / \mu_m)` of rows that add up to 1.

    Rows are scaled so that they do. `prior` is as in `Bregman`. With learned weights it is the
    I-divergence of the scaled rows, which never falls below 0.
    """
    return replace(i_divergence(prior), normalised=True, name="the KL divergence")
