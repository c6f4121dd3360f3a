"""What scikit-learn asks of every estimator."""

from functools import partial

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import coterie
from coterie.distortion import Bregman

# Squared distances, of functions that print alike in every process: they name the tests.
SQUARES = Bregman(phi=np.square, gradient=partial(np.multiply, 2.0), embed=np.positive)

FROM_LINKS = [
    coterie.PCKMeans(3),
    coterie.MKMeans(3),
    coterie.MKMeans(3, constrained_assignment=True),
    coterie.MPCKMeans(3),
    coterie.MPCKMeans(3, per_cluster=True),
    coterie.MPCKMeans(3, metric="full"),
    coterie.MPCKMeans(3, metric="full", per_cluster=True),
    coterie.MPCKMeans(3, metric="identity"),
    coterie.SupervisedMeans(3),
    coterie.RCA(),
    coterie.LearnedMetricKMeans(n_clusters=3),
]
FROM_MEASURES = [
    coterie.HMRFKMeans(3, per_cluster=True, inference="bp", compute_gap=True),
    coterie.HMRFKMeans(3, distortion="mahalanobis", inference="lp"),
    coterie.HMRFKMeans(3, distortion="cosine", inference="bp"),
    coterie.HMRFKMeans(3, distortion="kl", inference="lp"),
    coterie.HMRFKMeans(3, distortion="i-divergence", inference="exact"),
    coterie.HMRFKMeans(3, distortion=SQUARES),
]
FROM_LABELS = [coterie.SeededKMeans(4), coterie.ConstrainedKMeans(4)]

# The reason that scikit-learn gives for its own KMeans.
RANDOM_STARTS = "k-means++ draws other starts where rows are repeated than where they weigh more"
ZEROS = "the check has rows of zeros, which have neither direction nor shares"
NEGATIVE = "the check has numbers below 0, and does not ask first whether they are taken"
MANY_CLASSES = "the check gives y more classes than the one or two clusters that it asks for"


def about_links(estimator):
    """Return the checks that a method cannot pass, with the reason."""
    if isinstance(estimator, coterie.SupervisedMeans) or not hasattr(estimator, "n_init"):
        return {}
    kinds = ["dense", "sparse"] if estimator._distortion().takes_sparse else ["dense"]
    return {f"check_sample_weight_equivalence_on_{kind}_data": RANDOM_STARTS for kind in kinds}


def about_measures(estimator):
    """Return the same for the distortions of HMRFKMeans."""
    reasons = about_links(estimator)
    if estimator.distortion in ("cosine", "kl"):
        kinds = ["_sparse_tag", "_sparse_array", "_sparse_matrix", "s_dtypes"]
        reasons |= {f"check_estimator{kind}": ZEROS for kind in kinds}
    if estimator.distortion == "kl":
        kinds = ["pandas_series", "not_an_array"]
        reasons |= {f"check_sample_weights_{kind}": ZEROS for kind in kinds}
        reasons["check_fit2d_1feature"] = ZEROS
    if estimator.distortion in ("kl", "i-divergence"):
        reasons["check_clustering"] = NEGATIVE
    return reasons


def about_labels(estimator):
    """Return the same for methods that take `y` at its word."""
    checks = [
        "check_dont_overwrite_parameters",
        "check_fit2d_1feature",
        "check_fit2d_predict1d",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
    ]
    reasons = dict.fromkeys(checks, MANY_CLASSES)
    if isinstance(estimator, coterie.ConstrainedKMeans):
        reasons["check_sample_weight_equivalence_on_dense_data"] = RANDOM_STARTS
    return reasons


@parametrize_with_checks(FROM_LINKS, expected_failed_checks=about_links)
def test_methods_that_learn_from_links(estimator, check):
    check(estimator)


# Rows at the mean may cost less than a cluster more, where each cluster begins with some.
@pytest.mark.filterwarnings("ignore:.*distinct clusters were found")
@parametrize_with_checks(FROM_MEASURES, expected_failed_checks=about_measures)
def test_methods_that_measure_otherwise(estimator, check):
    check(estimator)


# Most checks label every row, with fewer classes than there are clusters.
@pytest.mark.filterwarnings("ignore:.* Are there duplicate rows, or labels for all rows:Warning")
@parametrize_with_checks(FROM_LABELS, expected_failed_checks=about_labels)
def test_methods_that_learn_from_labels(estimator, check):
    check(estimator)
