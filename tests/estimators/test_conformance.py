"""What scikit-learn asks of every estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import coterie

ESTIMATORS = [
    coterie.PCKMeans(3),
    coterie.MKMeans(3),
    coterie.MKMeans(3, constrained_assignment=True),
    coterie.MPCKMeans(3),
    coterie.MPCKMeans(3, per_cluster=True),
    coterie.MPCKMeans(3, metric="full"),
    coterie.MPCKMeans(3, metric="full", per_cluster=True),
    coterie.MPCKMeans(3, metric="identity"),
    coterie.SupervisedMeans(3),
    coterie.SeededKMeans(3),
    coterie.ConstrainedKMeans(3),
    coterie.RCA(),
    coterie.LearnedMetricKMeans(n_clusters=3),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_conformance(estimator, check):
    check(estimator)
