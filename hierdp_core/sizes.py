"""Rows of group sizes with another largest size: top-coded, or with zeros behind."""

from typing import Any

import numpy as np
import numpy.typing as npt


def top_coded(values: npt.NDArray[Any], largest: int) -> npt.NDArray[Any]:
    """The same groups with sizes above `largest` put at `largest`.

    Args:
        values: shape (n_regions, n_sizes, ...), groups by region and size.
        largest: at least 0; beyond the last size zeros are added.

    Returns:
        shape (n_regions, largest + 1, ...); `values` itself where it has that shape.

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
    kept = values[:, : largest + 1].copy()
    kept[:, -1] += values[:, largest + 1 :].sum(axis=1)
    return kept


def with_columns(values: npt.NDArray[Any], n_sizes: int) -> npt.NDArray[Any]:
    """`values` with zeros for sizes that it does not have, up to `n_sizes` columns."""
    return top_coded(values, max(n_sizes, values.shape[1]) - 1)
