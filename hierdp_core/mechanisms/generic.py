"""Group sizes by generic solvers: published programs, for small tables.

Source: [A] Fioretto, Van Hentenryck and Zhu 2021. The mechanisms are for comparison. `pgsr-h-dp`
finds the optimum of two of them in a fraction of the time, and `pgsr-c-opt` approximates that of
the third. Each has a limit on the size of the table, which is checked before any noise is added,
and a limit on the time. If a solver stops early, nothing is released. Tables up to the limits on
size were solved within a minute at ε = 1 on one core.
"""

from dataclasses import dataclass
from typing import Literal

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.mechanisms.cumulative import CumulativeMechanism, sizes_of
from hierdp_core.mechanisms.group_sizes import PAPER, GroupSizesMechanism
from hierdp_core.mechanisms.options import option
from hierdp_core.privacy import Allocation, Budget
from hierdp_core.solvers.generic_cost_tables import solve_tree_by_generic_tables
from hierdp_core.solvers.integer_program import (
    scip,
    solve_cumulative_by_integer_program,
    solve_sizes_by_integer_program,
)
from hierdp_core.tables import Domain
from hierdp_core.util.arrays import IntArray


@dataclass(frozen=True, kw_only=True)
class SolverMechanism(GroupSizesMechanism):
    """The base of mechanisms with generic solvers: a limit on the size and one on the time."""

    consistent = valid = integral = True
    not_for_release = "Its solver may not finish in time, after the budget has been spent."

    time_limit: Literal[10, 60, 600] = option(
        60,
        title="Time limit in seconds",
        about="If the solver has no optimum by then, nothing is released.",
        choices={"10": 10, "60": 60, "600": 600},
    )


@dataclass(frozen=True, kw_only=True)
class IntegerProgramMechanism(SolverMechanism):
    """The base of mechanisms that need SCIP, which is checked before any noise is added."""

    def plan(self, domain: Domain, *, budget: Budget, allocation: Allocation) -> Plan:
        try:
            scip()
        except ChoiceError as error:
            raise ChoiceError(f"{self.id}: {error} Use {self.instead} instead.") from None
        return super().plan(domain, budget=budget, allocation=allocation)


@dataclass(frozen=True, kw_only=True)
class PgsrH(IntegerProgramMechanism):
    """Noise on every count, then Model 1 solved by SCIP."""

    id = "pgsr-h"
    title = "Integer program, generic solver"
    about = (
        "Adds noise to the number of groups of every size in every area, then solves the quadratic "
        "integer program with SCIP, a generic solver. Exact optimum, but slow."
    )
    paper = f"{PAPER}, M_H, Model 1"
    largest_cells = 5_000
    instead = "pgsr-h-dp, which finds the same optimum"

    def fitted(self, noisy: IntArray, plan: Plan) -> IntArray:
        groups = plan.domain.groups
        assert groups is not None
        return solve_sizes_by_integer_program(
            plan.domain.tree,
            noisy,
            plan.whole_weights,
            total=groups,
            seconds=float(self.time_limit),
        )


@dataclass(frozen=True, kw_only=True)
class PgsrC(IntegerProgramMechanism, CumulativeMechanism):
    """Noise on every cumulative count, then Model 2 solved by SCIP."""

    id = "pgsr-c"
    title = "Cumulative integer program, generic solver"
    about = (
        "Adds noise to the number of groups of at most each size, then solves the cumulative "
        "integer program with SCIP, a generic solver. Exact optimum, but slow."
    )
    paper = f"{PAPER}, M_c, Model 2, Section 9"
    largest_cells = 5_000
    instead = "pgsr-c-opt, which fits a similar program in fractions and rounds its result"

    def fitted(self, noisy: IntArray, plan: Plan) -> IntArray:
        groups = plan.domain.groups
        assert groups is not None
        cumulative = solve_cumulative_by_integer_program(
            plan.domain.tree,
            noisy,
            plan.whole_weights,
            total=groups,
            seconds=float(self.time_limit),
        )
        return sizes_of(cumulative)


@dataclass(frozen=True, kw_only=True)
class PgsrHDpGeneric(SolverMechanism):
    """Noise on every count, then cost tables whose entries are found by integer programs."""

    id = "pgsr-h-dp-generic"
    title = "Size counts, generic solver"
    about = (
        "Solves the program of pgsr-h-dp by dynamic programming over tables of lowest costs. "
        "HiGHS, a generic solver, computes each entry. The optimum is the same, but this is far "
        "slower."
    )
    paper = f"{PAPER}, M_dp^OP, Section 11"
    largest_cells = 1_000
    instead = "pgsr-h-dp, which finds the same optimum"

    def fitted(self, noisy: IntArray, plan: Plan) -> IntArray:
        groups = plan.domain.groups
        assert groups is not None
        return solve_tree_by_generic_tables(
            plan.domain.tree,
            noisy,
            plan.whole_weights,
            total=groups,
            seconds=float(self.time_limit),
        )
