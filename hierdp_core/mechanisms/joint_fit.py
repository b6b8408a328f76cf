"""Options and steps shared by the mechanisms that fit all regions jointly."""

from typing import Any, Literal

import numpy as np

from hierdp_core.mechanisms.base import Plan
from hierdp_core.mechanisms.options import option
from hierdp_core.solvers.blue_top_down import subtree_variances
from hierdp_core.solvers.row_fits import RowFit, fit_rows
from hierdp_core.util.arrays import FloatArray, IntArray

RootFit = Literal["auto", "first", "joint"]
_WORTHWHILE = 0.05  # the smallest relative reduction of the root's variance for a joint fit


def row_fit_option(default: RowFit) -> Any:
    """Return the field for the fit of each area before the joint program."""
    return option(
        default,
        title="Non-decreasing fit of each area",
        about=(
            "Before all areas are fitted jointly, the counts of each one are made non-decreasing: "
            "by medians (l1), by means (l2), or as the average of the two (both). noisy leaves "
            "this step out."
        ),
        choices=("both", "l1", "l2", "noisy"),
    )


def root_fit_option() -> Any:
    """Return the field for whether the row of the root is fitted before all others."""
    return option(
        "auto",
        title="Fit of the root",
        about=(
            "first: the root is fitted separately and kept. joint: it is fitted with all other "
            "areas. auto: joint if the other measurements could lower the variance of the root "
            "by 5% or more; otherwise first, because the sum of the fitted areas is biased."
        ),
        choices=("auto", "first", "joint"),
    )


def settled_root(
    noisy: IntArray, groups: int, plan: Plan, *, root: RootFit, fit: RowFit
) -> FloatArray | None:
    """Return the row of the root if it is fitted first; None if it is fitted with all others.

    A root that is not measured, or is the only level, is never fitted first.

    Args:
        noisy: shape (m,), the noisy row of the root.
        groups: the number of groups.
        plan: gives the variance of each level.
        root, fit: the options. A row that is fitted first must not decrease, so for "noisy" it
            is fitted by means ("l2").

    Returns:
        shape (m,), non-decreasing and between 0 and `groups`, or None.
    """
    if plan.variances[0] is None or plan.domain.tree.n_levels == 1:
        return None
    if root == "joint" or (root == "auto" and _gain_from_below(plan) >= _WORTHWHILE):
        return None
    how: RowFit = "l2" if fit == "noisy" else fit
    row: FloatArray = fit_rows(noisy[None, :], np.array([groups]), how)[0]
    return row


def _gain_from_below(plan: Plan) -> float:
    """Return the proportion by which least squares on the tree reduces the variance of the root."""
    own = 1 / plan.weights[0]
    best = float(subtree_variances(plan.domain.tree, plan.weights)[0])
    return 1 - best / float(own)
