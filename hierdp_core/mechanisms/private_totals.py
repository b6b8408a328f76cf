"""Private group totals: measured in addition to the sizes, and made consistent.

Neighbouring tables may then also differ by an empty group, or by a person with a group of their
own. A new group would change the number of groups of at most size s for every s from its own size
on. The number of groups *above* each size changes less. These numbers are called the survivors,
S[s] = G − H_c[s].

    added or removed                 change of G      change of S
    one person, in a group           0                one entry by 1
    one empty group                  1                0
    one person with a group          1                S[0] by 1

Each of the two answers changes by at most 1 in a region. They are composed sequentially, so the
whole budget covers all three cases. For the method hg, the noisy total determines how many sizes
are measured, from the largest down. If there are fewer groups than that, empty groups make up the
rest. In all three cases, at most one of these sizes changes, and by 1.

Source: [B] Kuo, Chiu, Kifer, Hay and Machanavajjhala 2018, footnote 5. Survivors are HierDP's own.
"""

from collections.abc import Mapping
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
    """Return the field for whether the numbers of groups are public."""
    return option(
        "public",
        title="Number of groups in each area",
        about=(
            "public: treated as public and released exactly. private: measured with totals-share "
            "of the budget, so it has an error as well. The only member of a group is then "
            "protected too, and so is an empty group if empty groups are counted."
        ),
        choices=("public", "private"),
    )


def totals_share_option() -> Any:
    """Return the field for the part of the budget that is spent on private numbers of groups."""
    return option(
        Fraction(1, 10),
        name="totals-share",
        title="Part of the budget for the number of groups",
        about="Above 0 and below 1. It is allocated to the levels like the rest of the budget.",
        write=decimal_word,
        when=("totals", "private"),
    )


def checked_share(value: Number) -> Fraction:
    """Return the exact part of the budget that is spent on private totals.

    Raises:
        ChoiceError: `value` does not lie strictly between 0 and 1.
    """
    share = exact_option("totals-share", value)
    if not 0 < share < 1:
        raise ChoiceError(
            f"Set totals-share to a number above 0 and below 1, such as 0.1; got {value}."
        )
    return share


def totals_events(
    domain: Domain, budget: Budget, allocation: Allocation, levels: tuple[str, ...]
) -> tuple[Event, ...]:
    """Return the events that spend `budget` on totals: one for each level with a part of it.

    Their own level is None, since the levels' events measure the sizes.
    """
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
    """Return the event of the private totals of each level: the last ones of `Plan.beside`."""
    measured = sorted(plan.by_level)
    return dict(zip(measured, plan.beside[-len(measured) :], strict=True))


def noisy_totals(values: IntArray, plan: Plan, noise: NoiseSource) -> IntArray:
    """Return the noisy number of groups of every region, 0 at levels that are not measured.

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


def consistent_totals(
    noisy: IntArray, plan: Plan, *, above_0: Mapping[int, IntArray] | None = None
) -> IntArray:
    """Return the consistent, non-negative, integer numbers of groups closest to the noisy ones.

    This is integer least squares, each level weighted by 1/variance.

    Args:
        noisy: shape (n_nodes,).
        plan: gives the noise of each level.
        above_0: the noisy numbers of groups above size 0 of each measured level, where these are
            all groups. They are averaged with `noisy`, weighted by 1/variance.

    Returns:
        shape (n_nodes,).
    """
    events, tree = totals_event_of(plan), plan.domain.tree
    known = [variance(events[k]) if k in events else None for k in range(tree.n_levels)]
    if above_0 is not None:
        noisy = noisy.copy()
        for level, others in above_0.items():
            first, second = known[level], plan.variances[level]
            assert first is not None
            assert second is not None
            part = first / (first + second) if first + second else 0.5
            nodes = tree.level(level)
            noisy[nodes] = np.rint((1 - part) * noisy[nodes] + part * others)
            known[level] = part * second
    return solve_tree_program(tree, noisy[:, None], level_weights(known))[:, 0]


def survivors(values: IntArray) -> IntArray:
    """Return S[s], the number of groups above size s, for every s but the last, where it is 0.

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
    """Return the largest groups of a region by size, filled up with empty groups to `groups`.

    >>> to_length(np.array([1, 2, 3]), 8), to_length(np.array([1, 2, 3]), 4)
    (array([3, 2, 3]), array([0, 1, 3]))
    """
    largest_first = np.cumsum(row[::-1])
    kept = np.diff(np.minimum(largest_first, groups), prepend=0)[::-1]
    kept[0] += groups - kept.sum()
    return kept


def with_empty(found: IntArray, groups: IntArray) -> IntArray:
    """Return groups by size from those of size 1 or more, with empty groups up to given totals.

    Args:
        found: shape (n_regions, n_sizes − 1), with row sums of at most `groups`.
        groups: shape (n_regions,).

    Returns:
        shape (n_regions, n_sizes).
    """
    empty = groups - found.sum(axis=1)
    return np.concatenate([empty[:, None], found], axis=1)
