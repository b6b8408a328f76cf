"""What events cost together as (ε, δ): the exact curve of their noise, else conversions.

Three bounds hold beside one another, and the least of them is taken: the privacy-loss
distributions of the noise (`losses`), Corollary 13 of Canonne, Kamath and Steinke 2020 for the
sum of ρ, and sequential composition of ε. The first needs a δ of at least 1e-12, since transforms
are exact to some 1e-15, and the shapes in which one record moves what is measured.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from hierdp_core.privacy.budget import TIGHT_ACCOUNT, Budget
from hierdp_core.privacy.conversion import (
    BUN_STEINKE,
    TIGHT,
    epsilon_of_rho,
    epsilon_of_rho_tight,
)
from hierdp_core.privacy.events import (
    Event,
    GaussianEvent,
    Sensitivity,
    ThresholdEvent,
    total_delta,
    total_epsilon,
    total_rho,
)
from hierdp_core.privacy.rounding import float_up

if TYPE_CHECKING:
    from hierdp_core.privacy.losses import Losses, Part

EXACT_CURVE = "exact privacy curve of the noise (privacy-loss distributions, pessimistic)"
SEQUENTIAL = "none: ε is the sum over all releases"

LEAST_DELTA = Fraction(1, 10**12)  # of the curve
_MOST_RHO = 20_000  # beyond it losses are long rows of numbers, and nothing is protected


@dataclass(frozen=True, kw_only=True)
class Priced:
    """An ε of events at some δ, rounded up, and which bound gives it."""

    epsilon: float
    source: str


def parts_of(events: Sequence[Event]) -> "tuple[Part, ...] | None":
    """Return the noise of every event with its shapes.

    None where one has a threshold, or more shapes than can be listed.
    """
    parts = []
    for event in events:
        part = _part_of(event)
        if part is None:
            return None
        parts.append(part)
    return tuple(sorted(parts, key=lambda part: (part.gaussian, part.noise, part.shapes)))


def losses_of(events: Sequence[Event]) -> "Losses | None":
    """Return the privacy-loss distribution of all events; None where there is none."""
    from hierdp_core.privacy.losses import composed  # slow to load, and seldom asked for

    rho, parts = total_rho(events), parts_of(events)
    if not parts or rho is None or rho > _MOST_RHO:
        return None
    return composed(parts)


def within(events: Sequence[Event], budget: Budget) -> bool:
    """Return whether events cost no more than a budget allows, by its own account."""
    if budget.epsilon is None or budget.delta is None or budget.accounting != TIGHT_ACCOUNT:
        return _within_spendable(events, budget)
    if _within_sum(events, budget) or _within_spendable(events, budget):
        return True
    return holds(events, budget.epsilon, budget.delta)


def holds(events: Sequence[Event], epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether the curve of the events shows (ε, δ), ε and δ being rounded down."""
    if delta < LEAST_DELTA:
        return False
    losses = losses_of(events)
    return losses is not None and losses.delta(below(epsilon)) <= below(delta)


def priced(events: Sequence[Event], delta: Fraction) -> Priced | None:
    """Return the smallest ε known at which events give (ε, δ), rounded up; None if there is none.

    >>> event = GaussianEvent(level=0, query="", l2_sensitivity_squared=1, sigma2=Fraction(27))
    >>> round(priced((event,), Fraction(1, 10**8)).epsilon, 3)
    0.979
    """
    bounds = [bound for bound in all_priced(events, delta) if math.isfinite(bound.epsilon)]
    return min(bounds, key=lambda bound: bound.epsilon, default=None)


def all_priced(events: Sequence[Event], delta: Fraction) -> tuple[Priced, ...]:
    """Return ε at δ by every bound that applies: sum, simple, Corollary 13, exact curve."""
    return _all_priced(tuple(events), delta)


@lru_cache(maxsize=512)
def _all_priced(events: tuple[Event, ...], delta: Fraction) -> tuple[Priced, ...]:
    bounds = []
    total, rho = total_epsilon(events), total_rho(events)
    if total is not None and Fraction(repr(total_delta(events))) <= delta:
        bounds.append(Priced(epsilon=float_up(total), source=SEQUENTIAL))
    if rho is not None:
        simple, renyi = epsilon_of_rho(rho, delta=delta), epsilon_of_rho_tight(rho, delta=delta)
        bounds += [Priced(epsilon=simple, source=BUN_STEINKE), Priced(epsilon=renyi, source=TIGHT)]
    losses = losses_of(events) if delta >= LEAST_DELTA else None
    if losses is not None:
        exact = losses.epsilon(below(delta))
        if math.isfinite(exact):
            bounds.append(Priced(epsilon=exact, source=EXACT_CURVE))
    return tuple(bounds)


def _part_of(event: Event) -> "Part | None":
    from hierdp_core.privacy.losses import Part

    if isinstance(event, ThresholdEvent):
        return None
    if isinstance(event, GaussianEvent):
        squared = event.l2_sensitivity_squared
        shapes = event.shapes or Sensitivity(l1=squared, l2_squared=squared).worst_shapes
        noise = event.sigma2
    else:
        moved = event.l1_sensitivity
        shapes = event.shapes or Sensitivity(l1=moved, l2_squared=moved**2).worst_shapes
        noise = event.scale
    if not shapes:
        return None
    return Part(gaussian=isinstance(event, GaussianEvent), noise=below(noise), shapes=shapes)


def _within_spendable(events: Sequence[Event], budget: Budget) -> bool:
    rho, allowed = total_rho(events), budget.spendable_rho
    if rho is not None and allowed is not None:
        return rho <= allowed
    return _within_sum(events, budget)


def _within_sum(events: Sequence[Event], budget: Budget) -> bool:
    epsilon, delta = total_epsilon(events), total_delta(events)
    if epsilon is None or budget.epsilon is None:
        return False
    return epsilon <= budget.epsilon and delta <= (budget.delta or 0)


def below(value: Fraction) -> float:
    """Return the largest float that is not above a fraction."""
    number = float(value)
    return number if Fraction(number) <= value else math.nextafter(number, -math.inf)
