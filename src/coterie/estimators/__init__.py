"""The scikit-learn face: check, translate, call, name the results."""

from coterie.estimators.hmrf_kmeans import HMRFKMeans
from coterie.estimators.learned_metric import LearnedMetricKMeans
from coterie.estimators.mpck_means import MKMeans, MPCKMeans
from coterie.estimators.pck_means import PCKMeans
from coterie.estimators.rca import RCA
from coterie.estimators.seeded import ConstrainedKMeans, SeededKMeans
from coterie.estimators.supervised_means import SupervisedMeans

__all__ = [
    "RCA",
    "ConstrainedKMeans",
    "HMRFKMeans",
    "LearnedMetricKMeans",
    "MKMeans",
    "MPCKMeans",
    "PCKMeans",
    "SeededKMeans",
    "SupervisedMeans",
]
