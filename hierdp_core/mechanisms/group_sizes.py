"""Group sizes by optimisation over the number of groups of each size.

Source: [A] Fioretto, Van Hentenryck and Zhu 2021, Sections 5 to 7; others are named with each
mechanism.

If a person joins a group of size s, there is one fewer group of size s and one more of size s + 1.
At every level, two numbers of one region therefore change by one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierdp_core.hierarchy import child_sums
from hierdp_core.mechanisms.base import Mechanism, Plan
from hierdp_core.privacy import FactSource, Invariant, Sensitivity
from hierdp_core.solvers.top_down import split_top_down
from hierdp_core.solvers.tree_program import (
    solve_relaxed_tree_program,
    solve_tree_program,
)
from hierdp_core.tables import Domain, Fact
from hierdp_core.util.arrays import IntArray

PAPER = "[A] Fioretto, Van Hentenryck and Zhu 2021"


@dataclass(frozen=True, kw_only=True)
class GroupSizesMechanism(Mechanism):
    """The base of all mechanisms for group sizes; the number of groups is public by default."""

    kinds = ("group-sizes",)
    query = "groups by size"
    sensitivity = Sensitivity(l1=2, l2_squared=2)

    def estimate(self, noisy: Any, plan: Plan) -> IntArray:
        if plan.domain.empty_groups:
            return self.fitted(noisy, plan)
        return with_no_empty_groups(self.fitted(without_size_0(noisy), plan))

    def fitted(self, noisy: IntArray, plan: Plan) -> IntArray:
        """Return the content of the table to release, from the sizes that can occur.

        Args:
            noisy: shape (n_nodes, n_sizes, ...). If empty groups are not counted, size 0 is left
                out, here and in the result: that no group has size 0 is a public fact.
            plan: the plan.
        """
        raise NotImplementedError

    def invariants(self, domain: Domain) -> tuple[Invariant, ...]:
        return (
            *super().invariants(domain),
            Invariant(
                text=f"the number of {groups_in_words(domain)}, {domain.groups:,}",
                source=FactSource.FROM_TABLE,
            ),
            *group_facts(domain),
            max_size_fact(domain),
        )

    def qualification(self, domain: Domain) -> str:
        # If the table has no empty groups, removing the only member of a group removes the group,
        # and the public number of groups changes.
        if domain.empty_groups:
            return ""
        return ", except the only member of a group"

    def not_protected(self, domain: Domain) -> str:
        return "" if domain.empty_groups else "The only member of a group is not protected."


@dataclass(frozen=True, kw_only=True)
class PgsrHDp(GroupSizesMechanism):
    """Noise on every count, then the closest consistent table of non-negative integers."""

    id = "pgsr-h-dp"
    title = "Size counts, exact optimum"
    about = (
        "Adds noise to the number of groups of every size in every area, then finds the closest "
        "consistent table of non-negative integers that keeps the public number of groups "
        "(exact optimum)."
    )
    paper = f"{PAPER}, M_H^dp, Sections 6 and 7"
    is_suggested = True
    consistent = valid = integral = is_tree_program = True

    def fitted(self, noisy: IntArray, plan: Plan) -> IntArray:
        return solve_tree_program(plan.domain.tree, noisy, plan.weights, total=plan.domain.groups)


@dataclass(frozen=True, kw_only=True)
class PgsrHRelaxed(GroupSizesMechanism):
    """The program of `PgsrHDp` without the integer constraint, each value rounded separately."""

    id = "pgsr-h-relaxed"
    title = "Size counts, rounded separately"
    about = (
        "Solves the program of pgsr-h-dp without the condition that numbers are integers, then "
        "rounds every number separately. The numbers may not add up. For comparison."
    )
    paper = f"{PAPER}, M_H^r, Section 5"
    consistent, valid, integral = False, True, True

    def fitted(self, noisy: IntArray, plan: Plan) -> IntArray:
        assert plan.domain.groups is not None
        real = solve_relaxed_tree_program(
            plan.domain.tree, noisy, plan.weights, total=plan.domain.groups
        )
        return np.rint(real).astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class TopDown2018(GroupSizesMechanism):
    """Least squares from the root down, two levels at a time, each rounded before the next."""

    id = "topdown-2018"
    title = "Top-down (2018 Census test)"
    about = (
        "Adds noise to the number of groups of every size in every area and fits the root first. "
        "From the root down, divides each number among the sub-areas by non-negative least squares "
        "and rounds. Lower levels never change upper ones."
    )
    paper = f"Abowd 2018, as in {PAPER}, Section 11"
    is_suggested = True
    consistent = valid = integral = True

    def fitted(self, noisy: IntArray, plan: Plan) -> IntArray:
        targets = with_children_sums(noisy, plan)
        return split_top_down(plan.domain.tree, targets, total=plan.domain.groups)


def max_size_fact(domain: Domain) -> Invariant:
    """Return the maximum group size as a public fact."""
    text = f"{Fact.MAX_SIZE.value}, {domain.n_columns - 1:,}"
    return Invariant(text=text, taken_from_data=Fact.MAX_SIZE in domain.taken_from_data)


def groups_in_words(domain: Domain) -> str:
    """Return "groups" with the table's own word for them, such as "groups (households)"."""
    return "groups" if domain.group == "groups" else f"groups ({domain.group})"


def group_facts(domain: Domain) -> tuple[Invariant, ...]:
    """Return the fact that empty groups are or are not counted.

    The fact is public: neighbouring datasets agree on it. If the number of groups is public too,
    the only member of a group is protected only if empty groups are counted.
    """
    taken = Fact.EMPTY_GROUPS in domain.taken_from_data
    counted = "counted" if domain.empty_groups else "not counted"
    return (Invariant(text=f"that empty groups are {counted}", taken_from_data=taken),)


def without_size_0(noisy: IntArray) -> IntArray:
    """Return measurements without size 0, for tables that do not count empty groups.

    The exact number of groups of size 0 is then known to be 0, and the other numbers do not depend
    on it. So this is post-processing with a public fact.
    """
    return np.ascontiguousarray(noisy[:, 1:])


def with_no_empty_groups(sizes: IntArray) -> IntArray:
    """Return the given numbers of groups of sizes 1 and more, with 0 for size 0 before them."""
    none = np.zeros((len(sizes), 1), dtype=sizes.dtype)
    return np.concatenate([none, sizes], axis=1)


def with_children_sums(noisy: IntArray, plan: Plan) -> IntArray:
    """Return the noisy values, with sums of children at levels that are not measured."""
    tree, filled = plan.domain.tree, noisy.copy()
    for level in reversed(range(tree.n_levels - 1)):
        if plan.variances[level] is None:
            filled[tree.level(level)] = child_sums(tree, filled, level)
    return filled
