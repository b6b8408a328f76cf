"""The maximum group size: that of the table, a chosen one, or a measured one.

The maximum size of a table may be public, if the maker of the table chose it. Otherwise it reveals
something about the data, and there are two remedies. A number can be chosen without looking at the
data. Or the size X of the largest group is measured with a small part of the budget, ε_K. A margin
is then added, K = X + noise + 5√2/ε_K, so that a group is rarely larger than K. Groups above size K
are counted as groups of size K.

If someone joins the largest group, X increases by one. An empty group does not change it.

Source: [B] Kuo, Chiu, Kifer, Hay and Machanavajjhala 2018, footnote 6. The noise is two-sided
geometric here, so that sizes are integers.
"""

from dataclasses import replace
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.mechanisms.base import MaxSize
from hierdp_core.mechanisms.options import decimal_word, exact_option, option, whole_number
from hierdp_core.noise import NoiseSource
from hierdp_core.privacy import Budget, Event, GeometricEvent, Number
from hierdp_core.privacy.budget import GAUSSIAN_NOISE, TIGHT_ACCOUNT
from hierdp_core.privacy.rounding import as_typed, lower, root_down, rounded_up, stated, upper
from hierdp_core.tables import Domain
from hierdp_core.util.arrays import IntArray
from hierdp_core.util.text import counted, paragraph

PUBLIC, NOISY = "public", "noisy"
LARGEST_CELLS = 30_000_000  # regions × sizes: a quarter of a gigabyte per array
QUERY = "the largest size"

_EPSILON_TITLE = "ε for a noisy maximum group size"
_MORE = f"“{_EPSILON_TITLE}” (cap-epsilon)"  # its title on pages, and the name of the option


def max_size_option() -> Any:
    """Return the field for the maximum group size."""
    return option(
        PUBLIC,
        name="cap",
        title="Maximum group size",
        about=(
            "public: that of the table, treated as public. An integer chosen without looking at "
            "the data: larger groups are counted as groups of this size. noisy: measured with "
            "cap-epsilon, plus a margin."
        ),
        read=whole_number,
    )


def max_size_epsilon_option() -> Any:
    """Return the field for the budget that is spent on measuring the largest size."""
    return option(
        Fraction(1, 10_000),
        name="cap-epsilon",
        title=_EPSILON_TITLE,
        about=(
            "If the maximum group size is noisy, it is measured with this ε, which is taken from "
            "the budget (for a budget in ρ, half the square of this ε). About 7 divided by this ε "
            "is added as a margin, so a small ε makes a table with many sizes."
        ),
        write=decimal_word,
        when=("cap", NOISY),
    )


def checked_epsilon(value: Number) -> Fraction:
    """Return the exact value of ε_K.

    Raises:
        ChoiceError: `value` is not a number above 0.
    """
    epsilon = exact_option("cap-epsilon", value)
    if epsilon <= 0:
        raise ChoiceError(f"cap-epsilon must be above 0; got {value}. Give a positive number.")
    return epsilon


def require_affordable(epsilon: Fraction, budget: Budget) -> None:
    """Check that measuring the largest size leaves a part of the budget for the rest.

    Args:
        epsilon: ε_K.
        budget: the budget as stated.

    Raises:
        BudgetError: nothing is left.
    """
    rho, cost = budget.spendable_rho, epsilon**2 / 2
    exact = budget.delta is None or budget.accounting == TIGHT_ACCOUNT
    reason = ""
    if budget.epsilon is not None and exact and budget.noise != GAUSSIAN_NOISE:
        if epsilon < budget.epsilon:
            return
        most = stated(budget.epsilon)
    else:
        assert rho is not None
        if cost < rho:
            return
        most = lower(root_down(2 * rho))
        reason = f"This costs ρ = {upper(cost)}, and the noise may spend ρ = {lower(rho)}."
    raise BudgetError(
        paragraph(
            f"{_MORE} is {stated(epsilon)}, which leaves nothing of the budget, {budget.words}.",
            reason,
            f"Set it below {most}, or use a larger budget.",
        )
    )


def require_max_size(max_size: object, id: str) -> None:
    """Check that a maximum size is "public", "noisy" or an integer in the accepted range.

    Raises:
        ChoiceError: `max_size` is none of these.
    """
    if max_size in (PUBLIC, NOISY):
        return
    whole = isinstance(max_size, int) and not isinstance(max_size, bool)
    if not whole or not 1 <= max_size <= LARGEST_CELLS:  # type: ignore[operator]
        raise ChoiceError(
            f"{id}: Set cap to public, noisy or an integer from 1 to {LARGEST_CELLS:,}; got "
            f'"{str(max_size)[:40]}".'
        )


def capped_domain(domain: Domain, max_size: MaxSize, epsilon: Fraction, id: str) -> Domain:
    """Return the domain with the columns that a plan may use; 0 columns if the size is measured.

    Args:
        domain: the domain of a table.
        max_size: the value of the option.
        epsilon: ε_K, used if the maximum size is measured.
        id: the id of the mechanism, for messages.

    Raises:
        ChoiceError: the table would be too large with that size.
    """
    if max_size == "public":
        return domain
    if max_size == "noisy":
        least = f"at least {as_typed(float(rounded_up(_least_epsilon(domain), 2)))}"
        remedy = f"Increase {_MORE} to {least}, or set a maximum size as cap."
        _require_room(domain, room_above(epsilon), id, remedy)
        return replace(domain, n_columns=0)
    _require_room(domain, max_size, id, "Set a smaller maximum size as cap.")
    return replace(domain, n_columns=max_size + 1)


def cap_event(epsilon: Fraction) -> GeometricEvent:
    """Return the event of measuring the largest size, which is ε_K-DP."""
    return GeometricEvent(level=None, query=QUERY, l1_sensitivity=1, scale=1 / epsilon)


def room_above(epsilon: Fraction) -> int:
    """Return the margin 5√2/ε_K, rounded up: about five standard deviations of the noise.

    >>> room_above(Fraction(1, 10_000)), room_above(Fraction(5))
    (70711, 2)
    """
    square = 50 / epsilon**2
    return isqrt(square.numerator // square.denominator) + 1


def largest_size(values: IntArray) -> int:
    """Return the size of the largest group, 0 without groups.

    Args:
        values: shape (n_nodes, n_sizes).
    """
    found = np.flatnonzero(values[0])
    return int(found[-1]) if len(found) else 0


def noisy_cap(values: IntArray, event: Event, noise: NoiseSource) -> int:
    """Return the measured maximum size with its margin, at least 1."""
    assert isinstance(event, GeometricEvent)
    drawn = np.array([largest_size(values)]) + noise.draw(event, (1,))
    return max(1, int(drawn[0]) + room_above(1 / event.scale))


def require_room_for(domain: Domain, cap: int, id: str) -> None:
    """Check that a measured maximum size does not make the table too large.

    The size is noisy, so the check reveals nothing else about the data.

    Raises:
        ChoiceError: the table would be too large.
    """
    _require_room(domain, cap, id, f"Increase {_MORE}, or set a maximum size as cap.")


def _require_room(domain: Domain, cap: int, id: str, remedy: str) -> None:
    regions = domain.tree.n_nodes
    if regions * (cap + 1) > LARGEST_CELLS:
        raise ChoiceError(
            f"{id} takes tables of up to {LARGEST_CELLS:,} counts; with sizes up to {cap:,} this "
            f"one would have {counted(regions, 'area')} × {cap + 1:,} sizes. {remedy}"
        )


def _least_epsilon(domain: Domain) -> Fraction:
    """Return an ε_K whose margin takes at most half of `LARGEST_CELLS`, just above the least."""
    return Fraction(15 * domain.tree.n_nodes, LARGEST_CELLS)
