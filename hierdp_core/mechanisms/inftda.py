"""Counts and flows from the root down: [C] InfTDA and the two rivals it is held against.

They differ in how a family's noisy numbers are made whole, not negative and equal in sum to
their parent. Good near the root and for tables with many empty cells: what is 0 above is
never asked about below. At the leaves one noise on all of them does better.
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
    """Each family the nearest in its largest error, small numbers dropped first."""

    id = "inftda"
    title = "InfTDA"
    about = (
        "Divides the total from the root down. Adds noise to the children of every positive count, "
        "then takes integers that add up and whose largest change is smallest. Small counts "
        "become 0 first, which keeps false positives few."
    )
    paper = f"{PAPER}, Algorithms 1 and 2"

    order: Literal["ascending", "descending"] = option(
        "ascending",
        title="Reduced first",
        about=(
            "ascending: the smallest counts are reduced first (few false positives). descending: "
            "the largest are (few false negatives)."
        ),
        choices=("ascending", "descending"),
    )

    def fit_families(self, noisy: IntArray, starts: IntArray, totals: IntArray) -> IntArray:
        first = self.order == "ascending"
        return nearest_in_largest_error(noisy, starts, totals, smallest_first=first)

    def error_bounds(
        self, plan: Plan, *, draws: Sequence[int] | None, beta: float
    ) -> tuple[float, ...]:
        return top_down_bounds(plan, draws=draws, beta=beta)


@dataclass(frozen=True, kw_only=True)
class TdaL2(TotalSplit):
    """Each family the nearest in squares, rounded."""

    id = "tda-l2"
    title = "TDA, least squares"
    about = (
        "As InfTDA, but the children of each count are fitted by least squares and rounded so that "
        "they add up. Its error is similar, with more false positives."
    )
    paper = f"{PAPER}, Section 5"

    def fit_families(self, noisy: IntArray, starts: IntArray, totals: IntArray) -> IntArray:
        return nearest_in_squares(noisy, starts, totals)


@dataclass(frozen=True, kw_only=True)
class TdaLinf(TotalSplit):
    """Each family by a generic solver; which of the many optima comes out is up to it."""

    id = "tda-linf"
    title = "TDA, generic solver"
    about = (
        "As InfTDA, but the children of each count are fitted by HiGHS, a generic solver, which "
        "returns any of the many optima. Slow, with larger errors. For comparison."
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
        self, plan: Plan, *, draws: Sequence[int] | None, beta: float
    ) -> tuple[float, ...]:
        return top_down_bounds(plan, draws=draws, beta=beta)
