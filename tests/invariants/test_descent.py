import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.algorithms import hmrf
from coterie.distortion import Identity
from coterie.inference import AbstractInference
from invariants.descent import (
    AT_LABELS,
    AT_METRICS,
    LEARNED,
    PLAIN,
    POSITIVE,
    VARIANTS,
    assert_never_rises,
    assert_rises_are_excused,
    slack,
)
from problems import blobs, random_constraints, random_problem

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* rows that must-links hold:UserWarning"),
    pytest.mark.filterwarnings("ignore:.* distinct clusters were found"),
]
HEEDING = [name for name in VARIANTS | POSITIVE if name != "MK"]


@st.composite
def fits(draw):
    """Draw rows and links, right and wrong, light and heavy, and a seed."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(8, 50)), draw(st.integers(1, 4))
    X, blob = blobs(rng, n, d, apart=draw(st.sampled_from([0.5, 2.0, 6.0])))
    X *= rng.uniform(0.2, 5.0, size=d)
    m, wrong = draw(st.integers(0, 25)), draw(st.sampled_from([0.0, 0.2, 0.5]))
    links = random_constraints(rng, n, m, blob=blob, wrong=wrong)
    options = {
        "link_weight": draw(st.sampled_from([0.1, 1.0, 20.0])),
        "closure": draw(st.booleans()),
        "n_init": 1,
        "tol": 0.0,
        "random_state": draw(st.integers(0, 99)),
    }
    return X, links, options


def fit(variant, drawn):
    X, links, options = drawn
    if variant in POSITIVE:
        X = np.exp(X / 5)
    return (VARIANTS | POSITIVE)[variant](3, **options).fit(X, constraints=links)


@pytest.mark.parametrize("variant", ["MK", "MK, constrained", *LEARNED])
@given(drawn=fits())
@settings(max_examples=25)
def test_the_objective_rises_only_where_an_event_is_counted(variant, drawn):
    model = fit(variant, drawn)

    assert_rises_are_excused(model.objective_history_, model.events_)
    if not any(model.events_.get(kind) for kind in AT_LABELS + AT_METRICS):
        assert_never_rises(model.objective_history_)


@pytest.mark.parametrize("variant", PLAIN)
@given(drawn=fits())
@settings(max_examples=25)
def test_without_a_metric_to_learn_the_objective_never_rises(variant, drawn):
    model = fit(variant, drawn)

    assert_never_rises(model.objective_history_)
    assert set(model.events_) <= {"reseeded"}


@pytest.mark.parametrize("variant", LEARNED)
@given(drawn=fits())
@settings(max_examples=15)
def test_without_cannot_links_only_a_mended_metric_raises_the_objective(variant, drawn):
    X, links, options = drawn
    links = type(links)(links.must_link, n_samples=len(X))

    model = fit(variant, (X, links, options))

    assert set(model.events_) <= {"conditioned", "projected", "reseeded"}
    assert_rises_are_excused(model.objective_history_, model.events_)


@pytest.mark.parametrize("variant", HEEDING)
@given(drawn=fits())
@settings(max_examples=15)
def test_no_iteration_ended_lower_than_what_is_returned(variant, drawn):
    model = fit(variant, drawn)

    half_steps = 3 if variant in LEARNED or variant.startswith("MK") else 2
    trace = model.objective_history_
    ends = trace[half_steps - 1 :: half_steps]
    assert model.objective_ == trace[-1]
    assert model.objective_ <= ends.min() + slack(trace)
    assert ends[-1] <= ends.min() + slack(trace)  # what came later is no part of the way there


class Careless(AbstractInference):
    """Any labels at all: methods of inference need not promise descent, because the loop does."""

    def infer(self, energy, labels, rng, events=None):
        return rng.integers(energy.unary.shape[1], size=len(labels)).astype(np.int32)


def test_the_loop_holds_careless_labels_to_the_energy(rng):
    _, _, problem = random_problem(rng, n=40, m=30, wrong=0.2)
    setting = hmrf.Setting(problem, Identity(), Careless(), scaled=False)
    start = rng.standard_normal((3, 2))

    result = hmrf.run(setting, start, max_iter=30, tol=0.0, rng=rng)

    assert len(result.trace) > 4
    assert_never_rises(result.trace)


def test_assert_never_rises_can_fail():
    with pytest.raises(AssertionError, match=r"step 2 raised the objective by 1: 3 -> 4"):
        assert_never_rises([5.0, 3.0, 4.0, 0.0])


def test_assert_never_rises_forgives_rounding_and_no_more():
    assert_never_rises([-5e6, -5e6 + 1e-4])
    with pytest.raises(AssertionError):
        assert_never_rises([-5e6, -5e6 + 1e-1])


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_rise_without_its_event_is_not_excused(step):
    trace = 9.0 - np.arange(6.0)
    trace[step:] += 5.0
    right = {1: {}, 2: {"projected": 1}, 3: {"links ignored": 1}}[step]
    wrong = {1: {"projected": 9}, 2: {"links ignored": 9}, 3: {"conditioned": 9}}[step]

    with pytest.raises(AssertionError, match="1 rises, but 0 of"):
        assert_rises_are_excused(trace, wrong)
    if right:
        assert_rises_are_excused(trace, right)
