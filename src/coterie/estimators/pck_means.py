"""PCK-Means: pairwise constrained k-means."""

import numpy as np

from coterie._validate import either, one_of, real
from coterie.estimators.pairwise import PairwiseClusterer
from coterie.inference import ICM


class PCKMeans(PairwiseClusterer):
    r"""K-means that pays for every link it breaks.

    It minimises Eq. 1 of Bilenko, Basu and Mooney (2004),

    .. math:: \sum_i \|x_i - \mu_{l_i}\|^2
              + \sum_{(i, j) \in M} w_{ij} [l_i \ne l_j] + \sum_{(i, j) \in C} w_{ij} [l_i = l_j]

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters to find.
    link_weight : float or "auto", default="auto"
        What every link weight is multiplied by. "auto" takes the mean squared distance of the
        rows from their mean, so that a link of weight 1 means the same at any scale of the data;
        1.0 takes the weights as they are.
    closure : bool, default=True
        Whether to add the links that the given ones entail. None are added where some contradict.
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
    objective_ : float
        The final value of the objective.
    objective_history_ : ndarray
        Its value after each half-step.
    links_ : LinkReport
        Which links hold, which do not, and what they cost.
    n_iter_ : int
    converged_ : bool
    events_ : dict
        How often an empty cluster was filled anew ("reseeded").

    See Also
    --------
    MPCKMeans : Learns the metric as well.

    References
    ----------
    Bilenko, Basu, Mooney (2004). Integrating constraints and metric learning in semi-supervised
    clustering. ICML.

    Examples
    --------
    Row 2 lies a little nearer to the rows on its left. A must-link draws it to the right.

    >>> import numpy as np
    >>> from coterie import Constraints, PCKMeans
    >>> X = np.array([[0.0], [1.0], [5.0], [10.0], [11.0]])
    >>> model = PCKMeans(n_clusters=2, random_state=0).fit(X)
    >>> model.labels_ == model.labels_[2]
    array([ True,  True,  True, False, False])
    >>> links = Constraints(must_link=[(2, 3)], n_samples=5)
    >>> model = model.fit(X, constraints=links)
    >>> model.labels_ == model.labels_[2]
    array([False, False,  True,  True,  True])
    >>> model.links_
    LinkReport(1 of 1 links kept; with the 0 that they entail, 1 of 1)
    """

    def __init__(
        self,
        n_clusters=8,
        *,
        link_weight="auto",
        closure=True,
        init="auto",
        n_init=5,
        max_iter=100,
        tol=1e-4,
        n_jobs=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.link_weight = link_weight
        self.closure = closure
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rules(self):
        return super()._rules() | {"link_weight": either(one_of("auto"), real(at_least=0))}

    def _scaled(self):
        return False

    def _inference(self):
        return ICM()

    def _link_weight(self, rows):
        if self.link_weight != "auto":
            return float(self.link_weight)
        return max(self._distortion().spread(rows), np.finfo(float).tiny)
