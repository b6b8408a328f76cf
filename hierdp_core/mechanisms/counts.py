"""Plain counts: one count per region.

A person belongs to one region of every level. Adding or removing a person therefore changes one
count per level, by one. The total is not public here. It is measured like any other count.
"""

from dataclasses import dataclass

from hierdp_core.mechanisms.base import Mechanism, Plan
from hierdp_core.mechanisms.group_sizes import with_children_sums
from hierdp_core.privacy import Sensitivity
from hierdp_core.solvers.least_squares import least_squares_on_tree
from hierdp_core.solvers.top_down import split_top_down
from hierdp_core.solvers.tree_program import solve_tree_program
from hierdp_core.util.arrays import FloatArray, IntArray

_ONE = Sensitivity(l1=1, l2_squared=1)


@dataclass(frozen=True, kw_only=True)
class TreeDp(Mechanism):
    """Noise on every count, then the closest consistent table of non-negative integers."""

    id = "tree-dp"
    title = "Counts, exact optimum"
    kinds = ("counts",)
    about = (
        "Adds noise to the count of every area, then finds the closest consistent table of "
        "non-negative integers (exact optimum)."
    )
    paper = (
        "[A] Fioretto, Van Hentenryck and Zhu 2021, Sections 6 and 7, for group sizes; here with a "
        "single size and without a public total"
    )
    query = "counts"
    sensitivity = _ONE
    consistent = valid = integral = is_tree_program = True

    def estimate(self, noisy: IntArray, plan: Plan) -> IntArray:
        return solve_tree_program(plan.domain.tree, noisy[:, None], plan.weights)[:, 0]


@dataclass(frozen=True, kw_only=True)
class TopDown(Mechanism):
    """Least squares from the root down, two levels at a time, each rounded before the next."""

    id = "topdown"
    title = "Top-down, least squares"
    kinds = ("counts",)
    about = (
        "Adds noise to the count of every area. From the root down, divides each count among its "
        "sub-areas by non-negative least squares and rounds. Lower levels never change upper ones."
    )
    paper = "Abowd 2018, as in [A] Fioretto, Van Hentenryck and Zhu 2021, Section 11"
    query = "counts"
    sensitivity = _ONE
    consistent = valid = integral = True

    def estimate(self, noisy: IntArray, plan: Plan) -> IntArray:
        targets = with_children_sums(noisy, plan)
        return split_top_down(plan.domain.tree, targets[:, None])[:, 0]


@dataclass(frozen=True, kw_only=True)
class Hay(Mechanism):
    """Noise on every count, then least-squares consistency."""

    id = "hay"
    title = "Least squares"
    kinds = ("counts",)
    about = (
        "Adds noise to the count of every area, then finds the closest consistent table by least "
        "squares. It has no bias, but counts may be negative and fractional."
    )
    paper = "Hay, Rastogi, Miklau and Suciu 2010, Section 4"
    query = "counts"
    sensitivity = _ONE
    consistent, valid, integral = True, False, False

    def estimate(self, noisy: IntArray, plan: Plan) -> FloatArray:
        return least_squares_on_tree(plan.domain.tree, noisy, plan.weights)
