"""The largest size that is counted: the table's own, a chosen one, or one that is measured.

The table's own largest size is a public cap that whoever made the table chose. Where it is
not, it tells of the data. Then either a number is chosen without looking, or the largest
group's size is measured with a small part of the budget and some room above:
K = X + noise + 5√2/ε_K, so that hardly ever a group is larger. Sizes above K are put at K.

Someone who joins the largest group makes X larger by one; an empty group leaves it as it is.

Source: [B] footnote 6, here with double geometric noise, in whole numbers.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import isqrt

import numpy as np

from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.mechanisms.base import Option
from hierdp_core.noise import NoiseSource
from hierdp_core.privacy import Event, GeometricEvent, exact_number
from hierdp_core.privacy.rounding import as_typed, rounded_up
from hierdp_core.tables import Domain
from hierdp_core.util.arrays import IntArray

PUBLIC, NOISY = "public", "noisy"
LARGEST_CELLS = 30_000_000  # regions × sizes: a quarter of a gigabyte an array
QUERY = "the largest size"

CAP = Option(
    name="cap",
    title="Largest size counted",
    about=(
        "public: that of the table, taken as public. A whole number, chosen without looking at "
        "the data: larger groups are put at it. noisy: measured with cap-epsilon, with room above."
    ),
    default=PUBLIC,
    choices=(),
)
CAP_EPSILON = Option(
    name="cap-epsilon",
    title="ε for a noisy largest size",
    about=(
        "Taken from the budget when the largest size counted is noisy (of ρ it takes ε²/2). About "
        "7/ε sizes are added on top, so little ε makes a long table."
    ),
    default="0.0001",
    choices=(),
    when=("cap", NOISY),
)
_MORE = f"“{CAP_EPSILON.title}” (cap-epsilon)"  # as pages call it, and as the words of a run do


def is_public(options: Mapping[str, str]) -> bool:
    """Is the table's own largest size the cap?"""
    return options.get("cap", PUBLIC) == PUBLIC


def is_noisy(options: Mapping[str, str]) -> bool:
    return options.get("cap", PUBLIC) == NOISY


def cap_epsilon(options: Mapping[str, str]) -> Fraction:
    """ε_K as it is stated.

    Raises:
        ChoiceError: it is no number above 0.
    """
    said = options.get("cap-epsilon", CAP_EPSILON.default)
    try:
        epsilon = exact_number("cap-epsilon", said)
    except BudgetError as error:
        raise ChoiceError(str(error)) from None
    if epsilon <= 0:
        raise ChoiceError(f"cap-epsilon must be above 0; got {said}.")
    return epsilon


def capped_domain(domain: Domain, options: Mapping[str, str], id: str) -> Domain:
    """The domain with the columns that a plan may know of; 0 where they are measured.

    Raises:
        ChoiceError: the cap is no cap, or the table would be too large with it.
    """
    if is_public(options):
        return domain
    if is_noisy(options):
        room = room_above(cap_epsilon(options))
        least = f"at least {as_typed(float(rounded_up(_least_epsilon(domain), 2)))}"
        _require_room(domain, room, id, f"Give {_MORE} more, {least}, or name a cap.")
        return replace(domain, n_columns=0)
    cap = chosen_cap(options, id)
    _require_room(domain, cap, id, "Name a smaller cap.")
    return replace(domain, n_columns=cap + 1)


def chosen_cap(options: Mapping[str, str], id: str) -> int:
    """The cap that is named as a number.

    Raises:
        ChoiceError: it is none.
    """
    said = options["cap"].strip()
    if said.isascii() and said.isdecimal() and 1 <= int(said[:19]) <= LARGEST_CELLS:
        return int(said)
    raise ChoiceError(
        f"{id}: cap is public, noisy or a whole number from 1 to {LARGEST_CELLS:,}; got "
        f'"{said[:40]}".'
    )


def cap_event(options: Mapping[str, str]) -> GeometricEvent:
    """What measuring the largest group costs: ε_K, whatever the rest of the budget is."""
    return GeometricEvent(level=None, query=QUERY, l1_sensitivity=1, scale=1 / cap_epsilon(options))


def room_above(epsilon: Fraction) -> int:
    """5√2/ε_K, rounded up: five standard deviations of the noise.

    >>> room_above(Fraction(1, 10_000)), room_above(Fraction(5))
    (70711, 2)
    """
    square = 50 / epsilon**2
    return isqrt(square.numerator // square.denominator) + 1


def largest_size(values: IntArray) -> int:
    """The size of the largest group of all, 0 where there is none; values as a table has them."""
    found = np.flatnonzero(values[0])
    return int(found[-1]) if len(found) else 0


def noisy_cap(values: IntArray, event: Event, noise: NoiseSource) -> int:
    """The measured cap, at least 1."""
    assert isinstance(event, GeometricEvent)
    drawn = np.array([largest_size(values)]) + noise.draw(event, (1,))
    return max(1, int(drawn[0]) + room_above(1 / event.scale))


def require_room_for(domain: Domain, cap: int, id: str) -> None:
    """Hold that a measured cap, no secret any more, leaves a table of bearable size.

    Raises:
        ChoiceError: it does not.
    """
    _require_room(domain, cap, id, f"Give {_MORE} more, or name a cap.")


def _require_room(domain: Domain, cap: int, id: str, remedy: str) -> None:
    regions = domain.tree.n_nodes
    if regions * (cap + 1) > LARGEST_CELLS:
        raise ChoiceError(
            f"{id} takes tables of up to {LARGEST_CELLS:,} numbers; with sizes up to {cap:,} this "
            f"one would have {regions:,} regions × {cap + 1:,} sizes. {remedy}"
        )


def _least_epsilon(domain: Domain) -> Fraction:
    """So much leaves half of the room to the groups themselves."""
    return Fraction(15 * domain.tree.n_nodes, LARGEST_CELLS)
