"""A look at functions that somebody has given: whether they make a divergence."""

from collections.abc import Callable
from typing import Any

import numpy as np

from coterie._types import Floats

_STEP = 1e-4  # of a number, to see how phi rises there

Elementwise = Callable[[Any], Any]


def refuse_no_divergence(
    phi: Elementwise,
    gradient: Elementwise,
    values: Floats,
    inside: Callable[[Floats], Floats],
    name: str,
) -> None:
    """Raise where phi is not convex on these numbers, or the gradient is not its own."""
    x, y = values, inside(values[::-1])
    for which, function in (("phi", phi), ("gradient", gradient)):
        if np.shape(function(y)) != y.shape:
            raise ValueError(
                f"{which} of {name} must work on arrays, element by element: of {len(y)} numbers "
                f"it made an array of shape {np.shape(function(y))}."
            )
    of_x, of_y, slope = (np.asarray(part) for part in (phi(x), phi(y), gradient(y)))
    divergence = of_x - of_y - slope * (x - y)
    size = np.abs(of_x) + np.abs(of_y) + np.abs(slope * (x - y))
    wrong = ~(np.isfinite(divergence) & (divergence >= -1e-9 * size))
    if wrong.any():
        at = int(wrong.argmax())
        raise ValueError(
            f"phi and gradient of {name} make no divergence: from {y[at]:g} to {x[at]:g} it is "
            f"{divergence[at]:g}. phi must be convex and finite, and gradient its derivative."
        )
    step = _STEP * np.abs(y)
    below, above = inside(y - step), inside(y + step)
    told = above - below > _STEP * 1e-100  # between less than that phi is not seen to rise
    step = np.where(told, above - below, 1.0)
    rise = (np.asarray(phi(above)) - np.asarray(phi(below))) / step
    bend = np.abs(gradient(above) - gradient(below))
    differs = told & (np.abs(rise - slope) > bend + 1e-9 * size / step)
    if differs.mean() > 0.5:
        at = int(differs.argmax())
        raise ValueError(
            f"gradient of {name} is not that of phi: at {y[at]:g} it is {slope[at]:g}, but phi "
            f"rises by {rise[at]:g}."
        )
