"""Counts and flows from the root down: InfTDA, and two variants that its paper compares it with.

Source: [C] Boninsegna and Silvestri 2024. The mechanisms differ in how the noisy counts of a family
become non-negative integers that sum to their parent. They are accurate near the root and for
tables with many empty cells, since nothing below a 0 is measured. At the leaves, noise on the
leaves alone gives lower largest errors. If most pairs are empty, noise on every pair gives higher
mean errors there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hierdp_core.mechanisms.base import Plan
from hierdp_core.mechanisms.flow_bounds import top_down_bounds
from hierdp_core.mechanisms.flow_queries import TotalSplit
from hierdp_core.mechanisms.options import option
from hierdp_core.solvers.chebyshev import nearest_by_integer_program, nearest_in_largest_error
from hierdp_core.solvers.simplex import nearest_in_squares
from hierdp_core.util.arrays import IntArray

PAPER = "[C] Boninsegna and Silvestri 2024"


@dataclass(frozen=True, kw_only=True)
class InfTda(TotalSplit):
    """Fit each family by the least possible largest change, by default small counts first."""

    id = "inftda"
    title = "InfTDA"
    about = (
        "Divides the total from the root down. Adds noise to the sub-areas of every area with a "
        "positive count. Of the non-negative integers that add up, it takes those whose largest "
        "change is smallest. Among equally good choices, the smallest counts are reduced first by "
        "default, which gives fewer false positives."
    )
    paper = f"{PAPER}, Algorithms 1 and 2"

    order: Literal["ascending", "descending"] = option(
        "ascending",
        title="Reduced first",
        about=(
            "ascending: the smallest counts are reduced first (fewer false positives). descending: "
            "the largest counts are reduced first (fewer false negatives)."
        ),
        choices=("ascending", "descending"),
    )

    def fit_families(self, noisy: IntArray, starts: IntArray, totals: IntArray) -> IntArray:
        first = self.order == "ascending"
        return nearest_in_largest_error(noisy, starts, totals, smallest_first=first)

    def error_bounds(
        self, plan: Plan, *, n_noisy: Sequence[int] | None, beta: float
    ) -> tuple[float, ...]:
        return top_down_bounds(plan, n_noisy=n_noisy, beta=beta)


@dataclass(frozen=True, kw_only=True)
class TdaL2(TotalSplit):
    """Fit each family by least squares, then round."""

    id = "tda-l2"
    title = "TDA, least squares"
    about = (
        "Works like InfTDA, except that the sub-areas of each area are fitted by least squares and "
        "rounded so that they add up. Where most pairs of an origin and a destination are empty, "
        "it usually has more false positives."
    )
    paper = f"{PAPER}, Section 5"

    def fit_families(self, noisy: IntArray, starts: IntArray, totals: IntArray) -> IntArray:
        return nearest_in_squares(noisy, starts, totals)


@dataclass(frozen=True, kw_only=True)
class TdaLinf(TotalSplit):
    """Fit each family by a generic solver, which may return any of many optima."""

    id = "tda-linf"
    title = "TDA, generic solver"
    about = (
        "Works like InfTDA, except that HiGHS, a generic solver, fits the sub-areas of each area. "
        "If several choices are equally good, it may return any of them. Slow. For comparison."
    )
    paper = f"{PAPER}, Section 5"
    largest_cells = 200_000
    instead = "inftda, which finds an optimum without a generic solver"
    not_for_release = (
        "It is for comparison: its solver determines which of many optima is released."
    )

    def fit_families(self, noisy: IntArray, starts: IntArray, totals: IntArray) -> IntArray:
        return nearest_by_integer_program(noisy, starts, totals)

    def error_bounds(
        self, plan: Plan, *, n_noisy: Sequence[int] | None, beta: float
    ) -> tuple[float, ...]:
        return top_down_bounds(plan, n_noisy=n_noisy, beta=beta)
