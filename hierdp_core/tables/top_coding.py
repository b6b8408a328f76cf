"""Change the largest size of tables of group sizes: count larger groups there, or add zeros."""

from typing import Any

import numpy as np
import numpy.typing as npt


def top_coded(values: npt.NDArray[Any], largest: int) -> npt.NDArray[Any]:
    """Return the table with `largest` as its largest size, at which larger groups are counted.

    Args:
        values: shape (n_regions, n_sizes, ...), groups by region and size.
        largest: the new largest size, at least 0; zeros are appended for sizes not in `values`.

    Returns:
        shape (n_regions, largest + 1, ...); `values` itself if it has that shape.

    >>> top_coded(np.array([[1, 2, 3, 4]]), 1), top_coded(np.array([[1, 2]]), 3)
    (array([[1, 9]]), array([[1, 2, 0, 0]]))
    """
    n_sizes = values.shape[1]
    if largest + 1 == n_sizes:
        return values
    if largest + 1 > n_sizes:
        behind = [(0, 0)] * values.ndim
        behind[1] = (0, largest + 1 - n_sizes)
        return np.pad(values, behind)
    cells = values[:, : largest + 1].copy()
    cells[:, -1] += values[:, largest + 1 :].sum(axis=1)
    return cells


def in_columns(values: npt.NDArray[Any], n_sizes: int) -> npt.NDArray[Any]:
    """Return the first `n_sizes` columns, with zeros for sizes that `values` does not have."""
    return values[:, :n_sizes] if n_sizes <= values.shape[1] else top_coded(values, n_sizes - 1)


def shared_columns(true: npt.NDArray[Any], released: npt.NDArray[Any]) -> int:
    """Return the number of columns that hold all sizes of the true and the released table.

    A release may have very many empty columns after the last size with a group. They contain no
    information, and a comparison must not depend on their number.

    >>> shared_columns(np.array([[1, 0, 0]]), np.array([[1, 0, 0, 2, 0, 0]]))
    4
    """
    n_true, filled_columns = int(true.shape[1]), np.zeros(0, dtype=np.int64)
    if released.shape[1] > n_true:
        filled_columns = np.flatnonzero(released[:, n_true:].any(axis=0))
    return n_true + int(filled_columns[-1]) + 1 if len(filled_columns) else n_true
