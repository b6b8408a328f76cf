"""Group sizes by optimisation over cumulative counts.

Source: [A] Fioretto, Van Hentenryck and Zhu 2021, Section 9; `PgsrCOpt` is HierDP's own.

If a person joins a group of size s, there is one fewer group of at most size s. One cell of the
cumulative vector of a region changes by one, so its L1 sensitivity is half that of the counts by
size.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hierdp_core.hierarchy import Hierarchy
from hierdp_core.mechanisms.base import Plan
from hierdp_core.mechanisms.group_sizes import PAPER, GroupSizesMechanism
from hierdp_core.mechanisms.joint_fit import (
    RootFit,
    root_fit_option,
    row_fit_option,
    settled_root,
)
from hierdp_core.mechanisms.options import option
from hierdp_core.privacy import Sensitivity
from hierdp_core.privacy.shapes import unit_shape
from hierdp_core.solvers.chain import fit_chain, running_sums
from hierdp_core.solvers.cumulative_program import solve_cumulative_program
from hierdp_core.solvers.isotonic import isotonic_rows
from hierdp_core.solvers.row_fits import RowFit, fit_rows
from hierdp_core.solvers.tree_program import solve_tree_program
from hierdp_core.solvers.whole_rising import whole_rising_tree
from hierdp_core.tables import Domain
from hierdp_core.util.arrays import FloatArray, IntArray, NumberArray

_AREAS_AT_ONCE = 2**16  # areas held in memory as floats at the same time
_ROWS_AT_ONCE = 256  # rows whose copy fits into the processor's cache


@dataclass(frozen=True, kw_only=True)
class CumulativeMechanism(GroupSizesMechanism):
    """The base of mechanisms that measure the number of groups of at most each size."""

    query = "groups of at most each size"
    sensitivity = Sensitivity(l1=1, l2_squared=1)

    def answer(self, values: IntArray, tree: Hierarchy) -> IntArray:
        return np.cumsum(values, axis=1)

    def noisy_cumulative(self, noisy: Any, plan: Plan, node: int) -> NumberArray | None:
        row: NumberArray = noisy[node]
        return row

    def consistent_integers(self, cumulative: FloatArray, plan: Plan) -> IntArray:
        """Return the consistent table of integers closest to rounded cumulative counts, by size."""
        return nearest_table(sizes_of(np.rint(cumulative).astype(np.int64)), plan)


@dataclass(frozen=True, kw_only=True)
class PgsrCDp(CumulativeMechanism):
    """Every region made non-decreasing separately, then the closest consistent integers."""

    id = "pgsr-c-dp"
    title = "Cumulative counts, area by area"
    about = (
        "Adds noise to the number of groups of at most each size, which has half the sensitivity "
        "of numbers by size. Makes the counts of each area non-decreasing, then finds the closest "
        "consistent table of integers exactly."
    )
    paper = f"{PAPER}, M_c^dp, Section 9.1"
    is_suggested = True
    consistent = valid = integral = True

    def fitted(self, noisy: IntArray, plan: Plan) -> IntArray:
        return nearest_table(self.sizes_by_area(noisy, plan), plan)

    def sizes_by_area(self, noisy: IntArray, plan: Plan) -> IntArray:
        """Return numbers by size after each area's cumulative counts are made non-decreasing.

        Args:
            noisy: noisy cumulative counts, shape (n_areas, n_sizes), of any areas of the plan, and
                of the sizes that can occur.

        Returns:
            shape (n_areas, n_sizes).
        """
        cumulative = np.empty(noisy.shape, dtype=np.int64)
        for first in range(0, len(noisy), _AREAS_AT_ONCE):
            areas = slice(first, first + _AREAS_AT_ONCE)
            monotone = isotonic_rows(noisy[areas].astype(np.float64))
            cumulative[areas] = np.rint(np.clip(monotone, 0, plan.domain.groups))
        return sizes_of(cumulative)


@dataclass(frozen=True, kw_only=True)
class PgsrCOpt(CumulativeMechanism):
    """All regions made non-decreasing and consistent jointly."""

    id = "pgsr-c-opt"
    title = "Cumulative counts, fitted jointly"
    about = (
        "Adds noise to the number of groups of at most each size. Fits non-decreasing, consistent "
        "curves for all areas jointly by least squares, then rounds from the root down."
    )
    paper = f"Model 2 of {PAPER}, solved as a whole by HierDP"
    consistent = valid = integral = True
    is_suggested = True

    root: RootFit = root_fit_option()
    fit: RowFit = row_fit_option("both")
    whole: Literal["columns", "sizes"] = option(
        "columns",
        title="Rounding to integers",
        about=(
            "columns: cumulative counts are rounded from the root down and stay close to the fit. "
            "sizes: the closest table of integers by size is taken, whose cumulative counts "
            "drift away from the fit."
        ),
        choices=("columns", "sizes"),
    )

    def fitted(self, noisy: IntArray, plan: Plan) -> IntArray:
        tree, groups = plan.domain.tree, plan.domain.groups
        assert groups is not None
        rows = fit_rows(noisy, np.full(tree.n_nodes, groups), self.fit)
        root = settled_root(noisy[0], groups, plan, root=self.root, fit=self.fit)
        if root is not None:
            root[-1] = groups
        solved = solve_cumulative_program(
            tree, rows, plan.variances, total=groups, root=root
        ).values
        if self.whole == "sizes":
            return self.consistent_integers(solved, plan)
        # The solver meets the public total up to a hundredth of the noise, which may be groups.
        solved[0, -1] = groups
        # The number of groups of a region is not public: it is at most that of all groups.
        return sizes_of(whole_rising_tree(tree, solved, np.full(tree.n_nodes, groups)))


@dataclass(frozen=True, kw_only=True)
class PgsrCRelaxed(CumulativeMechanism):
    """The program of `PgsrC` in fractions, with each cumulative count rounded separately."""

    id = "pgsr-c-relaxed"
    title = "Cumulative counts, rounded separately"
    about = (
        "Solves the program of pgsr-c without the condition that numbers are integers, then rounds "
        "every number separately. The numbers may not add up. For comparison."
    )
    paper = f"{PAPER}, M_c^r, Section 9"
    consistent, valid, integral = False, True, True

    def fitted(self, noisy: IntArray, plan: Plan) -> IntArray:
        return sizes_of(np.rint(_cumulative_optimum(noisy, plan)).astype(np.int64))


@dataclass(frozen=True, kw_only=True)
class PgsrCChain(CumulativeMechanism):
    """One cumulative sum over all sizes and regions of each level."""

    id = "pgsr-c-chain"
    title = "Cumulative chain"
    about = (
        "Adds noise to cumulative sums over all sizes and areas of a level and makes them "
        "non-decreasing. One person changes as many sums as the level has areas. By default, the "
        "noise is calibrated to this. The calibration in the paper does not take it into account."
    )
    paper = f"{PAPER}, M_c^ch, Section 9.2; its Lemma 6 does not hold for the chain"
    query = "cumulative sums of groups over areas and sizes"
    consistent = valid = integral = True

    calibration: Literal["true", "published"] = option(
        "true",
        title="Noise calibration",
        about=(
            "true: calibrated to the sensitivity of the chain. published: as in the paper, whose "
            "noise is too small for the budget that it claims. The statement then gives the "
            "actual privacy loss."
        ),
        choices=("true", "published"),
    )

    def sensitivities(self, domain: Domain) -> tuple[Sensitivity, ...]:
        # Moving a group of region r from size s to s + 1 lowers all n sums from one to the other.
        return tuple(
            Sensitivity(l1=n, l2_squared=n, shapes=unit_shape(n))
            for n in map(int, domain.tree.level_sizes)
        )

    def published_sensitivities(self, domain: Domain) -> tuple[Sensitivity, ...] | None:
        if self.calibration != "published":
            return None
        return (Sensitivity(l1=1, l2_squared=1),) * domain.tree.n_levels

    def answer(self, values: IntArray, tree: Hierarchy) -> IntArray:
        return running_sums(tree, values)

    def noisy_cumulative(self, noisy: Any, plan: Plan, node: int) -> None:
        return None

    def fitted(self, noisy: IntArray, plan: Plan) -> IntArray:
        groups = plan.domain.groups
        assert groups is not None
        return fit_chain(plan.domain.tree, noisy, list(plan.variances), total=groups)


def nearest_table(sizes: IntArray, plan: Plan) -> IntArray:
    """Return the consistent table of non-negative integers closest to numbers of groups by size."""
    return solve_tree_program(plan.domain.tree, sizes, plan.weights, total=plan.domain.groups)


def sizes_of(cumulative: IntArray) -> IntArray:
    """Turn each row of cumulative counts into counts by size, in place, and return the array."""
    for first in range(0, len(cumulative), _ROWS_AT_ONCE):
        rows = cumulative[first : first + _ROWS_AT_ONCE]
        rows[:, 1:] -= rows[:, :-1]
    return cumulative


def _cumulative_optimum(noisy: IntArray, plan: Plan) -> FloatArray:
    groups = plan.domain.groups
    assert groups is not None
    return solve_cumulative_program(
        plan.domain.tree, noisy, list(plan.variances), total=groups
    ).values
