"""What a trace may do, and the variants that are held to it."""

import numpy as np

from coterie import MKMeans, MPCKMeans, PCKMeans

# S: one metric, M: one for each cluster, D: diagonal, F: full, as in the paper.
VARIANTS = {
    "PCK": PCKMeans,
    "MK": MKMeans,
    "MK, constrained": lambda k, **options: MKMeans(k, constrained_assignment=True, **options),
    "identity": lambda k, **options: MPCKMeans(k, metric="identity", **options),
    "S-D": MPCKMeans,
    "M-D": lambda k, **options: MPCKMeans(k, per_cluster=True, **options),
    "S-F": lambda k, **options: MPCKMeans(k, metric="full", **options),
    "M-F": lambda k, **options: MPCKMeans(k, metric="full", per_cluster=True, **options),
}
LEARNED = ["S-D", "M-D", "S-F", "M-F"]
AT_METRICS = ("conditioned", "projected", "farthest pair changed")  # section 3.3, last paragraph
AT_LABELS = ("links ignored",)


def slack(trace):
    return 1e-9 * max(1.0, np.abs(trace).max())


def rises(trace):
    """Return the steps that raised the objective: 1 is the step after the first entry."""
    return 1 + np.flatnonzero(np.diff(trace) > slack(trace))


def assert_never_rises(trace):
    steps = np.diff(trace)
    worst = int(steps.argmax())
    assert steps[worst] <= slack(trace), (
        f"step {worst + 1} raised the objective by {steps[worst]:.3g}: "
        f"{trace[worst]:.6g} -> {trace[worst + 1]:.6g}"
    )


def assert_rises_are_excused(trace, events):
    """Labels, centres, metric: each rise must be one that the paper knows of, and be counted.

    There may be more events than rises, because not each of them raises the objective.
    """
    up = rises(trace)
    for place, kinds in ((0, AT_LABELS), (1, ()), (2, AT_METRICS)):
        n_rises, n_events = int((up % 3 == place).sum()), sum(events.get(kind, 0) for kind in kinds)
        assert n_rises <= n_events, f"{n_rises} rises, but {n_events} of {kinds}: {trace}"
