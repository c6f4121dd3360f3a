"""What a trace may do, and the variants that are held to it."""

from functools import partial

import numpy as np

from coterie import HMRFKMeans, MKMeans, MPCKMeans, PCKMeans

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
    "HMRF bp": partial(HMRFKMeans, inference="bp"),
    "HMRF M-D exact": partial(HMRFKMeans, per_cluster=True, inference="exact"),
    "HMRF S-F lp": partial(HMRFKMeans, distortion="mahalanobis", inference="lp"),
    "HMRF constant": partial(HMRFKMeans, penalty="constant"),
    "HMRF identity exact": partial(HMRFKMeans, metric_learning=False, inference="exact"),
    "cosine": partial(HMRFKMeans, distortion="cosine"),
    "cosine bp": partial(HMRFKMeans, distortion="cosine", inference="bp"),
    "cosine, not learned": partial(HMRFKMeans, distortion="cosine", metric_learning=False),
}
# Those that take positive rows only.
POSITIVE = {
    "KL": partial(HMRFKMeans, distortion="kl"),
    "KL exact": partial(HMRFKMeans, distortion="kl", inference="exact"),
    "KL, not learned": partial(HMRFKMeans, distortion="kl", metric_learning=False),
    "I-divergence": partial(HMRFKMeans, distortion="i-divergence", inference="bp"),
    "Itakura-Saito": partial(HMRFKMeans, distortion="itakura-saito", inference="lp"),
    "Itakura-Saito constant": partial(
        HMRFKMeans, distortion="itakura-saito", metric_learning=False, penalty="constant"
    ),
}
PLAIN = ["PCK", "identity", "HMRF identity exact", "cosine, not learned", "KL, not learned"]
PLAIN += ["Itakura-Saito constant"]
LEARNED = [name for name in VARIANTS | POSITIVE if name not in PLAIN and not name.startswith("MK")]
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
