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
        "Splits the total from the root down: noise on the children of everything still positive, "
        "then whole numbers that add up and whose largest change is least. Small numbers turn to 0 "
        "first, which keeps false positives few."
    )
    paper = f"{PAPER}, Algorithms 1 and 2"

    order: Literal["ascending", "descending"] = option(
        "ascending",
        title="Taken from first",
        about=(
            "ascending: the smallest numbers give way first (few false positives); descending: "
            "the largest do (few lost flows)."
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
        "The same way down, but each family is the nearest in squares, rounded so that it adds up: "
        "as close as InfTDA, with more false positives."
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
        "The same way down, but each family is an integer program for HiGHS, a generic solver, "
        "which takes any of the many optima: slow, and with larger errors. For comparison."
    )
    paper = f"{PAPER}, Section 5"
    largest_cells = 200_000
    instead = "inftda, which finds an optimum that is good as well"
    not_for_release = "It is for comparison: its solver settles which of many optima comes out."

    def fit_families(self, noisy: IntArray, starts: IntArray, totals: IntArray) -> IntArray:
        return nearest_by_integer_program(noisy, starts, totals)

    def error_bounds(
        self, plan: Plan, *, draws: Sequence[int] | None, beta: float
    ) -> tuple[float, ...]:
        return top_down_bounds(plan, draws=draws, beta=beta)
