"""What events cost, one by one and together: ε, ρ and δ, and (ε, δ) by the best known bound.

For (ε, δ) of several events, three bounds hold beside one another, and the least is taken: the
privacy-loss distributions of the noise (`losses`), Corollary 13 of Canonne, Kamath and Steinke
2020 for the sum of ρ, and sequential composition of ε. The first needs a δ of at least 1e-12,
since transforms are exact to some 1e-15, and the shapes in which one record moves what is measured.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from hierdp_core.exceptions import BudgetError
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
    GeometricEvent,
    Sensitivity,
    ThresholdEvent,
)
from hierdp_core.privacy.rounding import float_up, raised, to_decimal, working_digits

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


def event_epsilon(event: Event) -> Fraction | None:
    """The ε for which the event is (ε, `event_delta`)-DP; None for Gaussian noise.

    Source: Ghosh, Roughgarden and Sundararajan 2012 (geometric mechanism).
    """
    if isinstance(event, ThresholdEvent):
        return event.l1_sensitivity / event.scale
    if isinstance(event, GeometricEvent):
        return event.l1_sensitivity / event.scale
    if isinstance(event, GaussianEvent):
        return None
    raise BudgetError(f"No account is known for an event of type {type(event).__name__}.")


def event_delta(event: Event) -> float:
    """The δ beside `event_epsilon`: 0 but for a threshold."""
    return threshold_delta(event) if isinstance(event, ThresholdEvent) else 0.0


def event_rho(event: Event) -> Fraction | None:
    """The ρ for which the event is ρ-zCDP; None for a threshold, which has none.

    Source: Bun and Steinke 2016, Proposition 1.4 (geometric); Canonne, Kamath and Steinke
    2020, Theorem 4 (discrete Gaussian).
    """
    if isinstance(event, ThresholdEvent):
        return None
    if isinstance(event, GaussianEvent):
        return event.l2_sensitivity_squared / (2 * event.sigma2)
    epsilon = event_epsilon(event)
    assert epsilon is not None
    return epsilon**2 / 2


def total_epsilon(events: Iterable[Event]) -> Fraction | None:
    """ε of all events together (sequential composition); None when one is Gaussian."""
    prices = [event_epsilon(event) for event in events]
    known = [price for price in prices if price is not None]
    return sum(known, Fraction(0)) if len(known) == len(prices) else None


def total_delta(events: Iterable[Event]) -> float:
    """δ of all events together (sequential composition), rounded up."""
    return float_up(sum((Fraction(repr(event_delta(event))) for event in events), Fraction(0)))


def total_rho(events: Iterable[Event]) -> Fraction | None:
    """ρ of all events together (Bun and Steinke 2016, Lemma 1.7); None when one has none."""
    prices = [event_rho(event) for event in events]
    known = [price for price in prices if price is not None]
    return sum(known, Fraction(0)) if len(known) == len(prices) else None


def threshold_delta(event: ThresholdEvent) -> float:
    """Return the δ of a threshold: that a cell which depends on one record alone is released.

    Each of the `created` cells holds `most` at most, so it is released with probability at
    most P(X ≥ k) = q^k / (1 + q), k = ⌈threshold⌉ − most and q = exp(−1/scale), for k ≥ 1.
    δ is the sum of these probabilities, worked out to 60 digits and rounded up.

    Why that makes (ε, δ), for neighbouring tables D and D'. Let a be the probability that
    D releases some cell that is 0 in D', and b the probability that D' releases some cell
    that is 0 in D. Then a + b ≤ δ. Take any set S of outcomes. Given that none of these
    cells is released, let u be the probability that D puts the other cells where S allows.
    The cells get independent noise, and the numbers of the other cells lie within
    `l1_sensitivity` of each other, so

        P(D in S) ≤ a + (1 − a) u        and        P(D' in S) ≥ (1 − b) exp(−ε) u.

    Hence P(D in S) − exp(ε) P(D' in S) ≤ a + (b − a) u ≤ max(a, b) ≤ δ, as 0 ≤ u ≤ 1.

    Source: Bun, Nissim and Stemmer 2019, Theorem 3.5, with whole noise; the argument for
    cells on both sides is ours.
    """
    least = math.ceil(event.threshold) - event.most
    if least < 1:
        return 1.0
    with working_digits():
        released = (-to_decimal(least / event.scale)).exp()
        chance = event.created * released / (1 + (-to_decimal(1 / event.scale)).exp())
    return min(1.0, float_up(raised(chance)))


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
