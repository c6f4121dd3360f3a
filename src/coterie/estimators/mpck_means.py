"""MPCK-Means, which heeds links and learns metrics, and MK-Means, its ablation."""

from coterie._validate import flag, one_of, real
from coterie.distortion import DISTORTIONS
from coterie.estimators.pairwise import PairwiseClusterer
from coterie.inference import ICM, Nearest


class MPCKMeans(PairwiseClusterer):
    r"""K-means that heeds links and learns how to measure distance, both at once.

    It minimises Eq. 6 of Bilenko, Basu and Mooney (2004): the distance of rows from centres under
    learned metrics :math:`A_h`, less :math:`\log \det A_h` for each row, plus the price of broken
    links. A broken must-link costs more where its rows lie far apart (Eq. 4), a broken cannot-link
    where they lie near (Eq. 5). The paper's S-D, M-D, S-F and M-F are `metric` and `per_cluster`.

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters to find.
    metric : {"diagonal", "full", "identity"}, default="diagonal"
        What to learn: a weight for each feature, a full matrix, or nothing.
    per_cluster : bool, default=False
        Whether each cluster has a metric of its own. With few rows to a cluster and many
        features, that is more than the rows can tell. Nothing to choose with "identity".
    link_weight : float, default=1.0
        What every link weight is multiplied by.
    closure : bool, default=True
        Whether to add the links that the given ones entail. None are added where some contradict.
    conditioning : float, default=1e-3
        The share of its trace that is added to a singular sum before it is inverted, and the
        share of its trace that a projected metric stays inside the cone.
    init : {"auto", "neighbourhoods", "k-means++"}, default="auto"
        Where centres begin: at the neighbourhoods that must-links make, as in the paper, or by
        k-means++, with each neighbourhood as one heavy point. "auto" begins once as in the paper,
        where there are must-links, and then by k-means++.
    n_init : int, default=5
        How many starts to make; the lowest objective is kept.
    max_iter : int, default=100
        The most iterations of one start.
    tol : float, default=1e-4
        Stop when an iteration gains less than this share of all that was gained since the first.
    n_jobs : int or None, default=None
        How many threads sweep the rows; None for one on each core. The result is the same.
    random_state : int, RandomState or None, default=None
        The source of chance.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    metrics_ : ndarray
        The learned metric: (d,) or, for each cluster, (k, d) when diagonal, (d, d) or (k, d, d)
        when full.
    objective_ : float
        The final value of the objective.
    objective_history_ : ndarray
        Its value after each half-step: labels, centres, metric.
    links_ : LinkReport
        Which links hold, which do not, and what they cost.
    farthest_pair_ : str
        How the farthest pair of Eq. 5 was sought: "exact", or "candidates" where there are many
        rows; "unused" without cannot-links.
    events_ : dict
        How often a step was taken that may raise the objective: a sum was "conditioned", a metric
        was "projected", the "farthest pair changed", or "hard links mended"; and how often an empty
        cluster was filled anew ("reseeded"). Iterations after the best one count too.
    n_iter_ : int
    converged_ : bool

    References
    ----------
    Bilenko, Basu, Mooney (2004). Integrating constraints and metric learning in semi-supervised
    clustering. ICML.

    Examples
    --------
    One feature tells the groups apart, the other is noise on a larger scale:

    >>> import numpy as np
    >>> from coterie import MPCKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([np.repeat([0.0, 1.0], 50), 9 * rng.standard_normal(100)])
    >>> X[:, 0] += 0.1 * rng.standard_normal(100)
    >>> must_link = [(i, i + 1) for i in [*range(20), *range(50, 70)]]
    >>> links = must_link, [(0, 50)]
    >>> model = MPCKMeans(n_clusters=2, random_state=0).fit(X, constraints=links)
    >>> np.bincount(model.labels_[:50]).max(), np.bincount(model.labels_[50:]).max()
    (np.int64(50), np.int64(50))
    >>> bool(model.metrics_[0] > 100 * model.metrics_[1])
    True
    """

    def __init__(
        self,
        n_clusters=8,
        *,
        metric="diagonal",
        per_cluster=False,
        link_weight=1.0,
        closure=True,
        conditioning=1e-3,
        init="auto",
        n_init=5,
        max_iter=100,
        tol=1e-4,
        n_jobs=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.per_cluster = per_cluster
        self.link_weight = link_weight
        self.closure = closure
        self.conditioning = conditioning
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rules(self):
        return super()._rules() | {
            "metric": one_of(*DISTORTIONS),
            "per_cluster": flag(),
            "conditioning": real(at_least=1e-12),
        }

    def _distortion(self):
        per_cluster = bool(self.per_cluster) and self.metric != "identity"
        return DISTORTIONS[self.metric](per_cluster, self.conditioning)

    def _inference(self):
        return ICM()

    def _take_metric(self, result):
        one = len(result.metric) == 1 and not self._distortion().per_cluster
        self.metrics_ = result.metric[0] if one else result.metric
        self.farthest_pair_ = result.farthest

    def _metric(self):
        return self.metrics_ if self._fitted_distortion().per_cluster else self.metrics_[None]


class MKMeans(MPCKMeans):
    r"""K-means that learns its metric, from rows and links, but does not begin at links.

    This is MPCK-Means without what it knows of links when it begins. The paper does not say
    whether links enter the assignment of rows. By default they do not: rows go to their nearest
    centre, and broken links only teach the metric (Eq. 7). `constrained_assignment=True` is the
    other reading. All other parameters and the attributes are those of `MPCKMeans`.

    Parameters
    ----------
    n_clusters : int, default=8
    metric : {"diagonal", "full"}, default="diagonal"
    per_cluster : bool, default=False
    constrained_assignment : bool, default=False
        Whether rows are assigned with an eye on the links, as in MPCK-Means.
    link_weight, closure, conditioning, n_init, max_iter, tol, n_jobs, random_state
        As in `MPCKMeans`.

    Notes
    -----
    Where links do not enter the assignment, it may raise the objective, which prices them;
    `events_` counts how often ("links ignored").

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from coterie import Constraints, MKMeans
    >>> X, y = load_wine(return_X_y=True)
    >>> links = Constraints.from_labels(y, n_pairs=50, random_state=0)
    >>> model = MKMeans(n_clusters=3, random_state=0).fit(X, constraints=links)
    >>> model.metrics_.shape
    (13,)
    """

    def __init__(
        self,
        n_clusters=8,
        *,
        metric="diagonal",
        per_cluster=False,
        constrained_assignment=False,
        link_weight=1.0,
        closure=True,
        conditioning=1e-3,
        n_init=5,
        max_iter=100,
        tol=1e-4,
        n_jobs=None,
        random_state=None,
    ):
        super().__init__(
            n_clusters,
            metric=metric,
            per_cluster=per_cluster,
            link_weight=link_weight,
            closure=closure,
            conditioning=conditioning,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.constrained_assignment = constrained_assignment

    def _rules(self):
        rules = super()._rules() | {
            "metric": one_of("diagonal", "full"),
            "constrained_assignment": flag(),
        }
        return {name: rule for name, rule in rules.items() if name != "init"}

    def _why_broken(self):
        if self.constrained_assignment:
            return super()._why_broken()
        return (
            "MKMeans gives rows to their nearest centre, whatever the links say. "
            "constrained_assignment=True heeds them."
        )

    def _init(self):
        return "rows"

    def _inference(self):
        return ICM() if self.constrained_assignment else Nearest()
