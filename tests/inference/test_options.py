import pytest

from coterie.inference import ICM, BeliefPropagation, Exact, LinearProgram


@pytest.mark.parametrize(
    ("make", "option", "value"),
    [
        (ICM, "max_sweeps", 0),
        (ICM, "order", "any"),
        (ICM, "move_neighbourhoods", 1),
        (BeliefPropagation, "damping", 1.0),
        (BeliefPropagation, "damping", -0.1),
        (BeliefPropagation, "max_iter", 0),
        (BeliefPropagation, "tol", float("nan")),
        (BeliefPropagation, "patience", 0),
        (LinearProgram, "n_roundings", -1),
        (LinearProgram, "time_limit", float("inf")),
        (Exact, "time_limit", -1.0),
        (Exact, "n_threads", 0),
    ],
)
def test_an_option_out_of_range_is_refused_by_name(make, option, value):
    with pytest.raises(ValueError, match=f"{make.__name__}: {option} must be"):
        make(**{option: value})


def test_options_in_range_are_taken():
    assert BeliefPropagation(damping=0.0, tol=0.0).damping == 0.0
    assert LinearProgram(n_roundings=0, time_limit=0.0).n_roundings == 0
    assert ICM(order="greedy").order == "greedy"
