"""Parameter rules: a test each, and the words that finish the sentence."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np


class Rule(NamedTuple):
    """A test, and the words that finish the sentence "... must be"."""

    holds: Callable[[Any], object]
    words: str


def whole(at_least: int) -> Rule:
    """Accept integers from `at_least` up, but not True and False."""
    return Rule(
        lambda v: _is(v, Integral) and v >= at_least,
        f"a whole number, {at_least} or more",
    )


def real(at_least: float) -> Rule:
    """Accept finite numbers from `at_least` up."""
    return Rule(
        lambda v: _is(v, Real) and np.isfinite(v) and v >= at_least,
        f"a finite number, {at_least:g} or more",
    )


def below_one() -> Rule:
    """Accept numbers from 0 up to 1, left out."""
    return Rule(lambda v: _is(v, Real) and 0 <= v < 1, "a number from 0 up to 1, left out")


def share() -> Rule:
    """Accept numbers from 0 to 1."""
    return Rule(lambda v: _is(v, Real) and 0 <= v <= 1, "a number from 0 to 1")


def one_of(*choices: Any) -> Rule:
    """Accept one of `choices`, compared by value and kind of thing."""
    listed = ", ".join(repr(c) for c in choices)
    words = f"one of {listed}" if len(choices) > 1 else listed
    return Rule(lambda v: any(type(v) is type(c) and v == c for c in choices), words)


def flag() -> Rule:
    """Accept True and False."""
    return Rule(lambda v: isinstance(v, bool | np.bool_), "True or False")


def either(*rules: Rule) -> Rule:
    """Accept what any of `rules` accepts."""
    return Rule(lambda v: any(r.holds(v) for r in rules), ", or ".join(r.words for r in rules))


def _is(value: Any, kind: type) -> bool:
    """Return whether this is such a number; True and False are none."""
    return isinstance(value, kind) and not isinstance(value, bool)


def check_params(estimator: object, **rules: Rule) -> None:
    """Raise on the first parameter of `estimator` that breaks its rule.

    >>> class Demo:
    ...     n_clusters = 0
    >>> check_params(Demo(), n_clusters=whole(at_least=1))
    Traceback (most recent call last):
        ...
    ValueError: Demo: n_clusters must be a whole number, 1 or more; got 0.
    """
    for name, rule in rules.items():
        value = getattr(estimator, name)
        if not rule.holds(value):
            who = type(estimator).__name__
            raise ValueError(f"{who}: {name} must be {rule.words}; got {value!r}.")
