"""Best linear unbiased estimates of all counts, then non-negative integers from the root down.

The plain top-down algorithms fix a level before they use the levels below it. Here, all
measurements contribute to every level by least squares. Its estimates may be negative or
fractional, so non-negative integers are then determined from the root down. The idea is that of
BlueDown (Ghazi et al. 2026, arXiv:2603.10099). The algorithm is HierDP's own, not that of the
paper.
"""

from dataclasses import dataclass

from hierdp_core.mechanisms.base import Mechanism, Plan
from hierdp_core.mechanisms.group_sizes import GroupSizesMechanism
from hierdp_core.privacy import Sensitivity
from hierdp_core.solvers.blue_top_down import blue_top_down
from hierdp_core.util.arrays import IntArray

_PAPER = (
    "HierDP, after the idea of BlueDown, Ghazi et al. 2026 (arXiv:2603.10099); not their algorithm"
)


@dataclass(frozen=True, kw_only=True)
class BlueTopDown(Mechanism):
    """Counts: least squares on the whole tree, then integers, from the root down."""

    id = "blue-topdown"
    title = "Best estimates, top-down (after BlueDown)"
    kinds = ("counts",)
    about = (
        "Adds noise to the count of every area and combines all of them into best linear "
        "unbiased estimates. From the root down, each count is then divided among the sub-areas "
        "as non-negative integers close to those estimates. It follows the idea of BlueDown, but "
        "is not its authors' algorithm."
    )
    paper = _PAPER
    query = "counts"
    sensitivity = Sensitivity(l1=1, l2_squared=1)
    consistent = valid = integral = True

    def estimate(self, noisy: IntArray, plan: Plan) -> IntArray:
        return blue_top_down(plan.domain.tree, noisy[:, None], plan.weights)[:, 0]


@dataclass(frozen=True, kw_only=True)
class BlueTopDownSizes(GroupSizesMechanism):
    """Group sizes: `BlueTopDown` for every size, where the root keeps the number of all groups."""

    id = "blue-topdown-sizes"
    title = "Size estimates, top-down (after BlueDown)"
    about = (
        "Adds noise to the number of groups of every size in every area and combines all of "
        "them into best linear unbiased estimates. From the root down, each number is then divided "
        "among the sub-areas as non-negative integers close to those estimates. It follows the "
        "idea of BlueDown, but is not its authors' algorithm."
    )
    paper = _PAPER
    consistent = valid = integral = True

    def fitted(self, noisy: IntArray, plan: Plan) -> IntArray:
        return blue_top_down(plan.domain.tree, noisy, plan.weights, total=plan.domain.groups)
