"""What mechanisms that fit all regions at once have in common."""

from typing import Any, Literal

import numpy as np

from hierdp_core.mechanisms.base import Plan
from hierdp_core.mechanisms.options import option
from hierdp_core.solvers.blue_top_down import subtree_variances
from hierdp_core.solvers.row_fits import RowFit, fit_rows
from hierdp_core.util.arrays import FloatArray, IntArray

RootFit = Literal["auto", "first", "joint"]
_WORTHWHILE = 0.05  # of the variance of the root's own noise


def row_fit_option(default: RowFit) -> Any:
    """The field that says what the joint program is fitted to."""
    return option(
        default,
        title="Monotone fit of each area",
        about=(
            "Before all areas are fitted jointly, each one is made monotone separately: by medians "
            "(l1), by means (l2), or as the average of the two (both). noisy leaves this step out."
        ),
        choices=("both", "l1", "l2", "noisy"),
    )


def root_fit_option() -> Any:
    """The field that says whether the root's row is settled before all others."""
    return option(
        "auto",
        title="Fit of the root",
        about=(
            "first: the root is fitted separately and kept. joint: it is fitted with all other "
            "areas. auto: joint where the other measurements could lower the variance of the "
            "root by 5% or more, and first elsewhere, since their sum is biased."
        ),
        choices=("auto", "first", "joint"),
    )


def settled_root(
    noisy: IntArray, groups: int, plan: Plan, *, root: RootFit, fit: RowFit
) -> FloatArray | None:
    """The root's row where it is settled first; None where it is fitted with all others.

    Args:
        noisy: shape (m,), the root's noisy row.
        groups: how many groups there are.
        plan: gives the variance of each level.
        root, fit: the options. A row that is settled must rise, so "noisy" is fitted by means.
    """
    if plan.variances[0] is None or plan.domain.tree.n_levels == 1:
        return None
    if root == "joint" or (root == "auto" and _gain_from_below(plan) >= _WORTHWHILE):
        return None
    how: RowFit = "l2" if fit == "noisy" else fit
    row: FloatArray = fit_rows(noisy[None, :], np.array([groups]), how)[0]
    return row


def _gain_from_below(plan: Plan) -> float:
    """By how much least squares lowers the variance of the root's own measurement, relatively."""
    own = 1 / plan.weights[0]
    best = float(subtree_variances(plan.domain.tree, plan.weights)[0])
    return 1 - best / float(own)
