"""Group sizes by optimisation: [A] Fioretto, Van Hentenryck and Zhu 2021.

A person who joins a group of size s takes one group from size s and gives one
to size s + 1: two cells of a region's vector move by one, and so on every level.
"""

from hierdp_core.arrays import IntArray
from hierdp_core.mechanisms.base import Mechanism, Plan, Query
from hierdp_core.privacy import Neighbours
from hierdp_core.solvers.tree_program import solve_tree_program, whole_weights
from hierdp_core.tables import Domain


class GroupSizesByTreeProgram(Mechanism):
    """Noise on every vector of group sizes, then the nearest table that fits."""

    id = "pgsr-h-dp"
    title = "Tree program, exact"
    kinds = ("group-sizes",)
    about = (
        "Adds noise to the number of groups of every size in every region, then finds the "
        "nearest whole, non-negative, consistent table with the public number of groups, "
        "exactly."
    )
    paper = "[A] Fioretto, Van Hentenryck and Zhu 2021, M_H^dp, Section 5"
    query = Query(
        words="groups by size",
        l1=2,
        l2_squared=2,
        neighbours=Neighbours.ADD_OR_REMOVE_ONE,
    )
    consistent = valid = integral = True

    def invariants(self, domain: Domain) -> tuple[str, ...]:
        return (
            *super().invariants(domain),
            f"the number of {domain.group}, {domain.groups:,}",
            f"the largest size, {domain.n_columns - 1}",
        )

    def estimate(self, noisy: IntArray, plan: Plan) -> IntArray:
        weights = whole_weights(list(plan.variances))
        return solve_tree_program(plan.domain.tree, noisy, weights, total=plan.domain.groups)
