"""The privacy loss of events, one by one and together: ε, ρ, δ, and bounds on ε at a given δ.

For the ε of several events at a given δ there are several upper bounds, and the smallest is used.
They come from the privacy-loss distribution of the noise (`losses`), the simple bound and
Corollary 13 for the sum of ρ (`conversion`), and sequential composition of ε. The first needs a δ
of at least 1e-12, because Fourier transforms are exact to about 1e-15. It also needs the list of
shapes by which one record can change the measurements (`shapes`).
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
SEQUENTIAL = (
    "ε is the sum of the ε of all measurements, and ρ is the sum of half the squares of these ε"
)

LEAST_DELTA = Fraction(1, 10**12)  # smallest δ for which the exact curve is used
_MOST_RHO = 20_000  # above it, arrays of losses are very long, and nothing is protected


@dataclass(frozen=True, kw_only=True)
class Priced:
    """An ε of events at a given δ.

    Attributes:
        epsilon: the ε, rounded up.
        source: the bound that gives it, with its reference.
    """

    epsilon: float
    source: str


def event_epsilon(event: Event) -> Fraction | None:
    """Return the ε for which the event is (ε, `event_delta`)-DP; None for Gaussian noise.

    Source: Ghosh, Roughgarden and Sundararajan 2012 (geometric mechanism).

    Raises:
        BudgetError: the type of the event is unknown.
    """
    if isinstance(event, ThresholdEvent):
        return event.l1_sensitivity / event.scale
    if isinstance(event, GeometricEvent):
        return event.l1_sensitivity / event.scale
    if isinstance(event, GaussianEvent):
        return None
    raise BudgetError(
        f"The privacy loss of an event of type {type(event).__name__} is unknown. Use a "
        "GeometricEvent, a GaussianEvent or a ThresholdEvent."
    )


def event_delta(event: Event) -> float:
    """Return the δ beside `event_epsilon`, which is above 0 only for an event with a threshold."""
    return threshold_delta(event) if isinstance(event, ThresholdEvent) else 0.0


def event_rho(event: Event) -> Fraction | None:
    """Return the ρ for which the event is ρ-zCDP; None for an event with a threshold.

    Sources: Bun and Steinke 2016, Proposition 1.4 (geometric noise); Canonne, Kamath and Steinke
    2020, Theorem 4 (discrete Gaussian noise).

    Raises:
        BudgetError: the type of the event is unknown.
    """
    if isinstance(event, ThresholdEvent):
        return None
    if isinstance(event, GaussianEvent):
        return event.l2_sensitivity_squared / (2 * event.sigma2)
    epsilon = event_epsilon(event)
    assert epsilon is not None
    return epsilon**2 / 2


def total_epsilon(events: Iterable[Event]) -> Fraction | None:
    """Return the ε of all events (sequential composition); None if any of them is Gaussian."""
    prices = [event_epsilon(event) for event in events]
    known = [price for price in prices if price is not None]
    return sum(known, Fraction(0)) if len(known) == len(prices) else None


def total_delta(events: Iterable[Event]) -> float:
    """Return the δ of all events (sequential composition), rounded up."""
    return float_up(sum((Fraction(repr(event_delta(event))) for event in events), Fraction(0)))


def total_rho(events: Iterable[Event]) -> Fraction | None:
    """Return the ρ of all events (Bun and Steinke 2016, Lemma 1.7); None if any has none."""
    prices = [event_rho(event) for event in events]
    known = [price for price in prices if price is not None]
    return sum(known, Fraction(0)) if len(known) == len(prices) else None


def threshold_delta(event: ThresholdEvent) -> float:
    """Return the δ of a threshold: a bound on the release of cells that depend on one record.

    Each of the `created` cells holds at most `most`. It is therefore released with probability at
    most P(X ≥ k) = q^k / (1 + q), with k = ⌈threshold⌉ − most and q = exp(−1/scale), if k ≥ 1.
    δ is the sum of these probabilities, computed to 60 digits and rounded up. If k < 1, δ is 1.

    Proof of (ε, δ)-DP for neighbouring tables D and D'. Let a be the probability that
    D releases some cell that is 0 in D', and b the probability that D' releases some cell
    that is 0 in D. Then a + b ≤ δ. Take any set S of outcomes. Given that none of these
    cells is released, let u be the probability that the other cells of D fall where S allows.
    The noise of cells is independent, and the other cells of the two tables differ by at most
    `l1_sensitivity` in total, so

        P(D in S) ≤ a + (1 − a) u        and        P(D' in S) ≥ (1 − b) exp(−ε) u.

    Hence P(D in S) − exp(ε) P(D' in S) ≤ a + (b − a) u ≤ max(a, b) ≤ δ, as 0 ≤ u ≤ 1.

    Source: Bun, Nissim and Stemmer 2019, Theorem 3.5, with integer noise; the argument for
    cells on both sides is our own.
    """
    least = math.ceil(event.threshold) - event.most
    if least < 1:
        return 1.0
    with working_digits():
        released = (-to_decimal(least / event.scale)).exp()
        chance = event.created * released / (1 + (-to_decimal(1 / event.scale)).exp())
    # Decimals below 1e-999999 are 0, but this δ is above 0.
    return min(1.0, float_up(raised(chance)) or math.ulp(0.0))


def parts_of(events: Sequence[Event]) -> "tuple[Part, ...] | None":
    """Return the noise and the shapes of every event, in a fixed order.

    None if an event has a threshold, or more shapes than can be listed.
    """
    parts = []
    for event in events:
        part = _part_of(event)
        if part is None:
            return None
        parts.append(part)
    return tuple(sorted(parts, key=lambda part: (part.gaussian, part.noise, part.shapes)))


def losses_of(events: Sequence[Event]) -> "Losses | None":
    """Return the privacy-loss distribution of all events; None if it cannot be computed.

    It cannot be computed in these cases:

    - There are no events, or one has a threshold or more shapes than can be listed.
    - The ρ of the events is above 20,000, or the grid would be too long.
    - A record changes more than 100 numbers that have little Gaussian noise.
    """
    from hierdp_core.privacy.losses import composed  # slow to load, and seldom needed

    rho, parts = total_rho(events), parts_of(events)
    if not parts or rho is None or rho > _MOST_RHO:
        return None
    return composed(parts)


def within(events: Sequence[Event], budget: Budget) -> bool:
    """Return whether events stay within a budget, by the budget's accounting method."""
    if budget.epsilon is None or budget.delta is None or budget.accounting != TIGHT_ACCOUNT:
        return _within_spendable(events, budget)
    if _within_sum(events, budget) or _within_spendable(events, budget):
        return True
    return holds(events, budget.epsilon, budget.delta)


def holds(events: Sequence[Event], epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether the exact privacy curve proves that the events are (ε, δ)-DP.

    ε and δ are first rounded down to floats. False if δ is below 1e-12 or there is no curve.
    """
    if delta < LEAST_DELTA:
        return False
    losses = losses_of(events)
    return losses is not None and losses.delta(below(epsilon)) <= below(delta)


def priced(events: Sequence[Event], delta: Fraction) -> Priced | None:
    """Return the smallest ε of the bounds in `all_priced`, rounded up; None if there is none.

    >>> event = GaussianEvent(level=0, query="", l2_sensitivity_squared=1, sigma2=Fraction(27))
    >>> round(priced((event,), Fraction(1, 10**8)).epsilon, 3)
    0.979
    """
    bounds = [bound for bound in all_priced(events, delta) if math.isfinite(bound.epsilon)]
    return min(bounds, key=lambda bound: bound.epsilon, default=None)


def all_priced(events: Sequence[Event], delta: Fraction) -> tuple[Priced, ...]:
    """Return ε at δ by every bound that applies, each rounded up.

    Their order is: sequential composition, the simple bound, Corollary 13, the exact curve.
    """
    return _all_priced(tuple(events), delta)


@lru_cache(maxsize=512)
def _all_priced(events: tuple[Event, ...], delta: Fraction) -> tuple[Priced, ...]:
    bounds, most = [], math.inf
    total, rho = total_epsilon(events), total_rho(events)
    if total is not None and Fraction(repr(total_delta(events))) <= delta:
        most = float_up(total)
        bounds.append(Priced(epsilon=most, source=SEQUENTIAL))
    if rho is not None:
        simple, renyi = epsilon_of_rho(rho, delta=delta), epsilon_of_rho_tight(rho, delta=delta)
        bounds += [Priced(epsilon=simple, source=BUN_STEINKE), Priced(epsilon=renyi, source=TIGHT)]
    losses = losses_of(events) if delta >= LEAST_DELTA else None
    if losses is not None:
        exact = losses.epsilon(below(delta))
        if math.isfinite(exact):
            # The curve is 0 from the sum of ε on. On the grid, that is seen only a little later.
            bounds.append(Priced(epsilon=min(exact, most), source=EXACT_CURVE))
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
    """Return the largest float that does not exceed a fraction."""
    number = float(value)
    return number if Fraction(number) <= value else math.nextafter(number, -math.inf)
