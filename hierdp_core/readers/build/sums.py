"""Rows that are the sums of rows beside them: upper levels in one list with their parts.

A row is the sum of a run when the next rows, or those just before it, add up to it exactly. One
such row may be chance, so that a list is only taken for one of several levels where there are
more of them than chance gives.
"""

import numpy as np

from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray

_LEAST = 50  # a sum of smaller numbers may be chance
_LEAST_SUMS = 2
_OVER_CHANCE = 4.0  # times as many sums as chance gives
_PASSES = 6  # levels of totals


def sums_of_runs(values: IntArray) -> BoolArray:
    """Where a row is a sum of rows below it, or above it, shape (n_rows,).

    Args:
        values: shape (n_rows,) or (n_rows, n_columns), in the order of the file; a sum is one in
            each column.
    """
    table = values.reshape(len(values), -1)
    below = _sums(table)
    above = _sums(table[::-1])[::-1]
    return below if below.sum() >= above.sum() else above


def _sums(values: IntArray) -> BoolArray:
    """The rows that are sums of rows below, from the lowest level of sums up."""
    total = np.zeros(len(values), dtype=np.bool_)
    left = np.arange(len(values))
    for _ in range(_PASSES):
        hits, expected = _hits(values[left])
        known = bool(total.any())
        enough = 1 if known else max(_LEAST_SUMS, _OVER_CHANCE * expected)
        if hits.sum() < enough or (known and expected > 0.5):
            break
        if not known:
            hits |= _same_as_next(values[left])
        total[left[hits]] = True
        left = left[~hits]
    return total


def _hits(values: IntArray) -> tuple[BoolArray, float]:
    """The rows that are sums of at least two rows below, and how many chance gives.

    Partial sums of the rows below pass the value of a row somewhere; they hit it exactly with a
    probability of about one over the mean of those rows.
    """
    n = len(values)
    rows = values.sum(axis=1)
    partial = np.concatenate([np.zeros((1, values.shape[1]), np.int64), values.cumsum(axis=0)])
    sums = partial.sum(axis=1)
    start = np.arange(1, n + 1)
    end = np.searchsorted(sums, sums[start] + rows)
    inside = end <= n
    end = np.minimum(end, n)
    filled = np.concatenate([[0], (rows > 0).cumsum()])
    length = filled[end] - filled[start]
    possible = inside & (length >= 2) & (rows >= _LEAST)
    hits = possible & (partial[end] - partial[start] == values).all(axis=1)
    chance: FloatArray = length[possible] / rows[possible]
    return hits, float(chance.sum())


def _same_as_next(values: IntArray) -> BoolArray:
    """The rows that equal the one row below: a region with a single part."""
    same = np.zeros(len(values), dtype=np.bool_)
    same[:-1] = (values[:-1] == values[1:]).all(axis=1) & (values[:-1].sum(axis=1) >= _LEAST)
    return same
