"""Group totals that are private: measured beside the sizes, and made to add up.

An empty group may then come or go as well, and someone may come with a group of their own.
"At most s" would move at every s when a group comes. How many groups are *above* each size
does not: the groups above size s are the survivors S[s] = G − H_c[s].

    what comes or goes               G of a region    S of a region
    one person, in a group           0                one entry by 1
    one empty group                  1                0
    one person with a group          1                S[0] by 1

Each of the two answers moves by at most 1, and they are paid for one after the other, so all
three are covered by the whole budget. Sizes in order are read from the largest downwards, to
as many as the noisy total says: what is missing is empty, and one entry moves by 1.

Source: [B] footnote 5; survivors are ours.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.mechanisms.options import decimal_word, exact_option, option
from hierdp_core.noise import NoiseSource, variance
from hierdp_core.privacy import Allocation, Budget, Event, Number, Sensitivity, level_events
from hierdp_core.solvers.tree_program import solve_tree_program
from hierdp_core.solvers.weights import level_weights
from hierdp_core.tables import Domain
from hierdp_core.util.arrays import IntArray

Totals = Literal["public", "private"]


def totals_option() -> Any:
    """The field that says whether the numbers of groups are public."""
    return option(
        "public",
        title="Number of groups in each area",
        about=(
            "public: treated as public and released exactly. private: measured with totals-share "
            "of the budget, so that an empty group is protected as a person is. The number of "
            "groups in each area then has an error as well."
        ),
        choices=("public", "private"),
    )


def totals_share_option() -> Any:
    """The field that says which part of the budget goes to private numbers of groups."""
    return option(
        Fraction(1, 10),
        name="totals-share",
        title="Part of the budget for the number of groups",
        about="Between 0 and 1. Allocated to the levels like the rest.",
        write=decimal_word,
        when=("totals", "private"),
    )


def checked_share(value: Number) -> Fraction:
    """The part of the budget that goes to private totals.

    Raises:
        ChoiceError: it does not lie between 0 and 1.
    """
    share = exact_option("totals-share", value)
    if not 0 < share < 1:
        raise ChoiceError(f"totals-share lies between 0 and 1, such as 0.1; got {value}.")
    return share


def totals_events(
    domain: Domain, budget: Budget, allocation: Allocation, levels: tuple[str, ...]
) -> tuple[Event, ...]:
    """One event for each level with a share, beside the levels, spending all of `budget`."""
    one = Sensitivity(l1=1, l2_squared=1)
    events = level_events(
        budget,
        allocation,
        query=f"the number of {domain.group}",
        levels=levels,
        sensitivities=(one,) * len(levels),
    )
    return tuple(replace(event, level=None) for event in events)


def totals_event_of(plan: Plan) -> dict[int, Event]:
    """The event of each level's private totals: the last of those beside the levels."""
    measured = sorted(plan.by_level)
    return dict(zip(measured, plan.beside[-len(measured) :], strict=True))


def noisy_totals(values: IntArray, plan: Plan, noise: NoiseSource) -> IntArray:
    """The number of groups of every region with noise, 0 on levels without a share.

    Args:
        values: shape (n_nodes, n_sizes).

    Returns:
        shape (n_nodes,).
    """
    events = totals_event_of(plan)
    groups: IntArray = values.sum(axis=1)
    noisy = np.zeros_like(groups)
    for level, event in events.items():
        nodes = plan.domain.tree.level(level)
        noisy[nodes] = groups[nodes] + noise.draw(event, groups[nodes].shape)
    return noisy


def consistent_totals(noisy: IntArray, plan: Plan) -> IntArray:
    """The whole, non-negative numbers of groups nearest to the noisy ones that add up.

    Non-negative least squares in whole numbers, each level by 1/variance.

    Args:
        noisy: shape (n_nodes,).

    Returns:
        shape (n_nodes,).
    """
    events, tree = totals_event_of(plan), plan.domain.tree
    known = [variance(events[k]) if k in events else None for k in range(tree.n_levels)]
    return solve_tree_program(tree, noisy[:, None], level_weights(known))[:, 0]


def survivors(values: IntArray) -> IntArray:
    """S[s], the groups above each size s from 0 to the last but one: all above it are none.

    Args:
        values: shape (n_regions, n_sizes, ...), groups by region and size.

    Returns:
        shape (n_regions, n_sizes − 1, ...).

    >>> survivors(np.array([[9, 2, 1, 2]]))
    array([[5, 3, 2]])
    """
    above: IntArray = np.cumsum(values[:, :0:-1], axis=1)[:, ::-1]
    return above


def to_length(row: IntArray, groups: int) -> IntArray:
    """A region's groups by size with so many groups: empty ones come, the smallest go.

    >>> to_length(np.array([1, 2, 3]), 8), to_length(np.array([1, 2, 3]), 4)
    (array([3, 2, 3]), array([0, 1, 3]))
    """
    largest_first = np.cumsum(row[::-1])
    kept = np.diff(np.minimum(largest_first, groups), prepend=0)[::-1]
    kept[0] += groups - kept.sum()
    return kept


def with_empty(found: IntArray, groups: IntArray) -> IntArray:
    """Groups of size 1 and more with the empty ones before them, to the given totals.

    Args:
        found: shape (n_regions, n_sizes − 1), no more than `groups` together.
        groups: shape (n_regions,).
    """
    empty = groups - found.sum(axis=1)
    return np.concatenate([empty[:, None], found], axis=1)
