"""Labels of some rows, spread along must-links."""

import numpy as np

from coterie._errors import ConstraintError


def known_labels(y, links, n_samples, n_clusters):
    """Return the classes, and the cluster number of each row's class: -1 where not known."""
    if y is None:
        return np.empty(0, dtype=np.int64), np.full(n_samples, -1, dtype=np.int32)
    y = np.asarray(y)
    if y.shape != (n_samples,):
        raise ValueError(f"y must have one label for each of the {n_samples} rows; got {y.shape}.")
    if y.dtype.kind == "O":
        y = np.array(y.tolist())  # whole numbers may come as objects, e.g. from pandas
    if y.dtype.kind == "f":
        y = np.where(np.isnan(y), -1.0, y)  # NaN: not known
    if y.dtype.kind == "f" and np.isfinite(y).all() and (y == np.floor(y)).all():
        y = y.astype(np.int64)
    if y.dtype.kind not in "iub":
        raise ValueError(f"y must hold whole numbers, -1 for rows of unknown class; got {y.dtype}.")
    y = y.astype(np.int64)
    if (y < -1).any():
        raise ValueError(
            f"y holds {y.min()}; classes are 0 or more, and -1 stands for rows of unknown class."
        )
    classes = np.unique(y[y >= 0])
    if len(classes) > n_clusters:
        raise ValueError(
            f"y has {len(classes)} classes, more than n_clusters={n_clusters}. "
            "Ask for as many clusters as there are classes, or more."
        )
    known = np.where(y >= 0, np.searchsorted(classes, y), -1)
    return classes, _spread(known, links).astype(np.int32)


def _spread(known, links):
    closure = links.closure()
    rows, group = closure.rows, closure.neighbourhood
    label = np.full(closure.n_neighbourhoods, -1, dtype=np.int64)
    labelled = known[rows] >= 0
    label[group[labelled]] = known[rows[labelled]]
    wrong = np.flatnonzero(labelled & (known[rows] != label[group]))
    if len(wrong):
        row = rows[wrong[0]]
        twin = rows[(group == group[wrong[0]]) & labelled & (known[rows] == label[group])][0]
        raise ConstraintError(
            f"Must-links join rows {min(row, twin)} and {max(row, twin)}, but y gives them "
            "different classes. Drop one of the links, or one of the labels."
        )
    a, b = closure.apart[:, 0], closure.apart[:, 1]
    clash = np.flatnonzero((label[a] >= 0) & (label[a] == label[b]))
    if len(clash):
        one, two = (rows[group == side[clash[0]]][0] for side in (a, b))
        raise ConstraintError(
            f"Links say that the neighbourhoods of rows {one} and {two} differ, but y gives them "
            "the same class. Drop one of the links, or one of the labels."
        )
    spread = known.copy()
    spread[rows] = np.where(label[group] >= 0, label[group], known[rows])
    return spread
