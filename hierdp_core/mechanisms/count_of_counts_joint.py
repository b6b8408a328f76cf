"""Count-of-counts with all regions fitted jointly, a mechanism of HierDP.

The measurements are cumulative, as in [B] (Kuo, Chiu, Kifer, Hay and Machanavajjhala 2018): numbers
of groups of at most each size. By default, each row of measurements is first fitted separately.
Then one least-squares program over all levels finds the rows closest to these fits. They must not
decrease, must add up across levels, and must end at the number of groups of their region.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hierdp_core.mechanisms import private_totals, size_cap
from hierdp_core.mechanisms.base import MaxSize, Plan
from hierdp_core.mechanisms.count_of_counts import CountOfCountsMechanism
from hierdp_core.mechanisms.group_sizes import with_no_empty_groups, without_size_0
from hierdp_core.mechanisms.joint_fit import (
    RootFit,
    root_fit_option,
    row_fit_option,
    settled_root,
)
from hierdp_core.mechanisms.level_answers import Measured, Method, groups_of
from hierdp_core.mechanisms.options import option
from hierdp_core.mechanisms.private_totals import Totals
from hierdp_core.solvers.cumulative_program import solve_bounded_cumulative_program
from hierdp_core.solvers.row_fits import RowFit, fit_rows
from hierdp_core.solvers.whole_rising import whole_rising_tree
from hierdp_core.util.arrays import IntArray


@dataclass(frozen=True, kw_only=True)
class CountOfCountsJoint(CountOfCountsMechanism):
    """One program over all levels, then rounding to integers from the root down."""

    id = "coc-opt"
    title = "Count-of-counts, fitted jointly"
    about = (
        "Adds noise to the number of groups of at most each size, then fits all areas jointly by "
        "least squares. Sub-areas add up. Unless totals are private, every area keeps its public "
        "number of groups. The fit is rounded to integers from the root down."
    )
    paper = "measured as in [B] Kuo, Chiu, Kifer, Hay and Machanavajjhala 2018; joint fit by HierDP"

    methods: tuple[Method, ...] = option(
        ("hc",), title="Method", about="Always cumulative counts.", choices={"hc": ("hc",)}
    )
    root: RootFit = root_fit_option()
    fit: RowFit = row_fit_option("both")
    totals: Totals = private_totals.totals_option()
    totals_share: Fraction = private_totals.totals_share_option()
    max_size: MaxSize = size_cap.max_size_option()
    max_size_epsilon: Fraction = size_cap.max_size_epsilon_option()

    def estimate(self, noisy: Measured, plan: Plan) -> IntArray:
        tree, groups = plan.domain.tree, groups_of(noisy, plan)
        measured = self._cumulative_rows(noisy, plan, groups)
        if not plan.domain.empty_groups:
            measured = without_size_0(measured)
        root = settled_root(measured[0], int(groups[0]), plan, root=self.root, fit=self.fit)
        solved = solve_bounded_cumulative_program(
            tree,
            fit_rows(measured, groups, self.fit),
            plan.variances,
            groups=groups,
            root=root,
        )
        whole = whole_rising_tree(tree, solved.values, groups)
        sizes = np.diff(whole, axis=1, prepend=0, append=groups[:, None])
        return sizes if plan.domain.empty_groups else with_no_empty_groups(sizes)

    def _cumulative_rows(self, noisy: Measured, plan: Plan, groups: IntArray) -> IntArray:
        """Return noisy numbers of groups of at most each size, shape (n_nodes, largest).

        They are 0 at levels that are not measured.
        """
        tree = plan.domain.tree
        rows = np.zeros((tree.n_nodes, noisy.largest), dtype=np.int64)
        for level, answers in enumerate(noisy.levels):
            if answers is not None:
                nodes = tree.level(level)
                private = noisy.totals is not None
                rows[nodes] = groups[nodes, None] - answers if private else answers
        return rows
