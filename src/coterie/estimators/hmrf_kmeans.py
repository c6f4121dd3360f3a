"""HMRF-KMeans: any distortion, and a choice of inference."""

from dataclasses import replace
from typing import Any

import numpy as np

from coterie._validate import Rule, either, flag, one_of, real
from coterie.algorithms.gap import gap
from coterie.distortion import (
    AbstractDistortion,
    Bregman,
    Cosine,
    Diagonal,
    Full,
    Identity,
    i_divergence,
    itakura_saito,
    kl,
)
from coterie.estimators.pairwise import PairwiseClusterer
from coterie.inference import INFERENCE, AbstractInference

_SHARED: dict[str, Any] = {
    "cosine": Cosine,
    "kl": kl,
    "i-divergence": i_divergence,
    "itakura-saito": itakura_saito,
}
_OWN: dict[str, Any] = {"euclidean": Diagonal, "mahalanobis": Full}  # what they learn
_INFERENCE = [name for name in INFERENCE if name != "nearest"]


class HMRFKMeans(PairwiseClusterer):
    r"""K-means with links, any measure of distance, and a choice of how to label linked rows.

    It minimises Eq. 6 of Bilenko and Basu (2004), the energy of a hidden Markov random field:

    .. math:: \sum_i D(x_i, \mu_{l_i}) + \sum_{(i, j) \in M} w_{ij} \varphi(x_i, x_j) [l_i \ne l_j]
              + \sum_{(i, j) \in C} w_{ij} (\varphi_{\max} - \varphi(x_i, x_j)) [l_i = l_j]

    `MPCKMeans` is this with ``distortion="euclidean"`` or ``"mahalanobis"``, and `PCKMeans` with
    ``metric_learning=False, penalty="constant"``.

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters to find.
    distortion : str or Bregman, default="euclidean"
        How far a row is from a centre.

        - "euclidean": squared Euclidean distance; learns a weight for each feature.
        - "mahalanobis": the same, but learns a full matrix.
        - "cosine": one less the cosine, for rows whose direction matters and length does not.
        - "kl": Kullback-Leibler divergence of rows that are scaled to add up to 1.
        - "i-divergence": the same of amounts as they are, such as counts.
        - "itakura-saito": for numbers greater than 0 whose ratios matter, such as power spectra.
        - a `coterie.distortion.Bregman`: what any convex function makes.

        All but "mahalanobis" and "itakura-saito" take CSR matrices, and do not fill them.
    inference : {"icm", "bp", "lp", "exact"} or AbstractInference, default="icm"
        How linked rows are labelled together, with centres and metric held still.

        - "icm": each in turn to its cheapest cluster, until none moves.
        - "bp": max-product belief propagation.
        - "lp": the linear programming relaxation, rounded at random.
        - "exact": enumeration or mixed-integer programming, where time allows.

        Options, such as a time limit, are those of the classes in `coterie.inference`.
    metric_learning : bool, default=True
        Whether the distortion learns from rows and broken links. "mahalanobis" has to.
    per_cluster : bool, default=False
        Whether each cluster learns on its own: "euclidean" and "mahalanobis" only. Nothing to
        choose without metric_learning.
    penalty : {"distance", "constant"}, default="distance"
        What a broken link costs: its weight times a distance, as above, or its weight alone.
    link_weight : float or "auto", default="auto"
        What every link weight is multiplied by. "auto" is 1 where the penalty is a distance, and
        else what rows lie from the centre of all rows on the average.
    closure : bool, default=True
        Whether to add the links that the given ones entail. None are added where some contradict.
    conditioning : float, default=1e-3
        The share of its trace that is added to a singular sum before it is inverted, and the
        share of its trace that a projected metric stays inside the cone.
    init : {"auto", "neighbourhoods", "k-means++"}, default="auto"
        Where centres begin: see `MPCKMeans`. k-means++ draws by the distortion.
    n_init : int, default=5
        How many starts to make; the lowest objective is kept.
    max_iter : int, default=100
        The most iterations of one start.
    tol : float, default=1e-4
        Stop when an iteration gains less than this share of all that was gained since the first.
    compute_gap : bool, default=False
        Whether to find out how far from the best the labels of the linked rows may be: `gap_`.
    n_jobs : int or None, default=None
        How many threads to use; None for one on each core. The result is the same.
    random_state : int, RandomState or None, default=None
        The source of chance.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Of the rows as the distortion takes them: of length 1 for "cosine", of sum 1 for "kl".
    metrics_ : ndarray
        What was learned: see `MPCKMeans`; a weight for each feature for all but "mahalanobis".
    objective_ : float
        The final value of the objective.
    objective_history_ : ndarray
        Its value after each half-step: labels, centres, metric.
    links_ : LinkReport
        Which links hold, which do not, and what they cost.
    gap_ : float
        Where asked for: with the final centres and metric, by how much of itself the price of the
        linked rows, distances and links, exceeds what no labelling of them can go below. 0 proves
        the labels best; more does not prove that there are better ones. Finding out may take a
        minute where links are many.
    farthest_pair_ : str
        How the farthest pair of Eq. 4 was sought: "exact", or "candidates" where there are many
        rows; "unused" without cannot-links or distances.
    events_ : dict
        How often a step was taken that may raise the objective, or an inference ran out of time.
    n_iter_ : int
    converged_ : bool

    See Also
    --------
    MPCKMeans, PCKMeans

    References
    ----------
    Bilenko, Basu (2004). A comparison of inference techniques for semi-supervised clustering
    with hidden Markov random fields. SRL.

    Basu, Bilenko, Mooney (2004). A probabilistic framework for semi-supervised clustering. KDD.

    Examples
    --------
    Six texts as counts of four words. The lengths of texts do not matter to the cosine.

    >>> import numpy as np
    >>> from coterie import HMRFKMeans
    >>> texts = [[9, 3, 0, 0], [3, 1, 0, 0], [2, 1, 0, 0], [0, 0, 1, 1], [0, 1, 8, 9], [1, 0, 2, 2]]
    >>> model = HMRFKMeans(n_clusters=2, distortion="cosine", inference="bp", random_state=0)
    >>> model.fit(np.array(texts), constraints=([(0, 1)], [(1, 3)])).labels_ == model.labels_[0]
    array([ True,  True,  True, False, False, False])
    """

    def _doubt(self):
        if getattr(self._distortion(), "prior", 0.0):
            return (
                "A cluster has to be worth the rows at the mean of all that it begins with: see "
                "`prior` of coterie.distortion.Bregman."
            )
        return super()._doubt()

    def __init__(
        self,
        n_clusters=8,
        *,
        distortion="euclidean",
        inference="icm",
        metric_learning=True,
        per_cluster=False,
        penalty="distance",
        link_weight="auto",
        closure=True,
        conditioning=1e-3,
        init="auto",
        n_init=5,
        max_iter=100,
        tol=1e-4,
        compute_gap=False,
        n_jobs=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.distortion = distortion
        self.inference = inference
        self.metric_learning = metric_learning
        self.per_cluster = per_cluster
        self.penalty = penalty
        self.link_weight = link_weight
        self.closure = closure
        self.conditioning = conditioning
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.compute_gap = compute_gap
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        distortion = self._distortion()
        if isinstance(distortion, Bregman):
            tags.input_tags.positive_only = distortion.domain[0] >= 0.0
        return tags

    def _rules(self):
        return super()._rules() | {
            "distortion": either(one_of(*_OWN, *_SHARED), _instance(Bregman)),
            "inference": either(one_of(*_INFERENCE), _instance(AbstractInference)),
            "metric_learning": flag(),
            "per_cluster": flag(),
            "penalty": one_of("distance", "constant"),
            "link_weight": either(one_of("auto"), real(at_least=0)),
            "conditioning": real(at_least=1e-12),
            "compute_gap": flag(),
        }

    def _check(self):
        super()._check()
        if self.distortion == "mahalanobis" and not self.metric_learning:
            raise ValueError(
                'Without metric_learning, distortion="mahalanobis" is the Euclidean one. '
                'Ask for "euclidean".'
            )
        if self.per_cluster and self.distortion not in [*_OWN]:
            raise ValueError(
                'per_cluster=True is for distortion="euclidean" and "mahalanobis"; the others '
                "learn one set of weights for all clusters."
            )

    def _scaled(self):
        return self.penalty == "distance"

    def _distortion(self) -> AbstractDistortion:
        kind, learned = self.distortion, bool(self.metric_learning)
        if kind in [*_SHARED]:
            kind = _SHARED[kind]()
        if isinstance(kind, Bregman | Cosine):
            return replace(kind, learned=learned, conditioning=self.conditioning)
        if learned and kind in [*_OWN]:
            return _OWN[kind](bool(self.per_cluster), self.conditioning)
        return Identity()

    def _inference(self):
        how = self.inference
        chosen: Any = how if isinstance(how, AbstractInference) else INFERENCE[how]()
        if hasattr(chosen, "n_threads"):
            chosen = replace(chosen, n_threads=self._threads())
        return chosen

    def _link_weight(self, rows):
        if self.link_weight != "auto":
            return float(self.link_weight)
        if self._scaled():
            return 1.0
        return max(self._distortion().spread(rows), np.finfo(float).tiny)

    def _take_metric(self, result):
        self.metrics_ = result.metric if self._distortion().per_cluster else result.metric[0]
        self.farthest_pair_ = result.farthest

    def _metric(self):
        return self.metrics_ if self._fitted_distortion().per_cluster else self.metrics_[None]

    def _finish(self, setting, result):
        if self.compute_gap:
            self.gap_ = gap(setting, result, self._threads())
            self.events_ = dict(result.events)
        elif hasattr(self, "gap_"):
            del self.gap_


def _instance(kind):
    return Rule(lambda v: isinstance(v, kind), f"an instance of {kind.__name__}")
