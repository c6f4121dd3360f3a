"""Numbers that judge a labelling."""

from coterie.scores.pairwise import PrecisionRecall, pairwise_f_score, pairwise_precision_recall
from coterie.scores.rand import modified_rand_score
from coterie.scores.satisfaction import constraint_satisfaction

__all__ = [
    "PrecisionRecall",
    "constraint_satisfaction",
    "modified_rand_score",
    "pairwise_f_score",
    "pairwise_precision_recall",
]
