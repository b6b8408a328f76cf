"""What was released, what it costs, and what several events cost together."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy.budget import Allocation, Budget
from hierdp_core.privacy.rounding import float_up, raised, to_decimal, working_digits
from hierdp_core.privacy.shapes import MOST_SHAPES, Shape, largest_shapes


class Neighbours(Enum):
    """Which two tables must be hard to tell apart."""

    ADD_OR_REMOVE_ONE = "add or remove one"
    REPLACE_ONE = "replace one"


@dataclass(frozen=True, kw_only=True)
class GeometricEvent:
    """A whole-number vector plus two-sided geometric noise, P(k) ∝ exp(−|k| / scale).

    Attributes:
        level: the level whose regions were measured; None beside the levels.
        query: what was measured, in words.
        l1_sensitivity: most that one record moves the vector, in L1.
        scale: of the noise, exact.
        shapes: the moves that no other exceeds, as `Sensitivity` has them; empty for every move
            within the sensitivity.
    """

    level: int | None
    query: str
    l1_sensitivity: int
    scale: Fraction
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, kw_only=True)
class GaussianEvent:
    """A whole-number vector plus discrete Gaussian noise, P(k) ∝ exp(−k² / 2σ²).

    Attributes:
        level: the level whose regions were measured; None beside the levels.
        query: what was measured, in words.
        l2_sensitivity_squared: most that one record moves the vector, in L2, squared.
        sigma2: the parameter σ² of the noise, exact.
        shapes: the moves that no other exceeds, as `Sensitivity` has them; empty for every move
            within the sensitivity.
    """

    level: int | None
    query: str
    l2_sensitivity_squared: int
    sigma2: Fraction
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ThresholdEvent:
    """Numbers above 0 plus two-sided geometric noise, of which those from a threshold on stay.

    Numbers that are 0 get no noise and are never released. So a cell that is 0 in one table
    and not in its neighbour tells them apart, if it is released: that is what δ is for.

    Attributes:
        level: the level whose cells were measured.
        query: what was measured, in words.
        l1_sensitivity: most that one record moves the vector, in L1.
        scale: of the noise, exact.
        threshold: the least noisy number that is released.
        created: the most cells that one record alone can lift above 0, those it leaves
            and those it enters together.
        most: the most that one record adds to one cell.
    """

    level: int | None
    query: str
    l1_sensitivity: int
    scale: Fraction
    threshold: float
    created: int
    most: int

    @property
    def delta(self) -> float:
        """The probability that a cell which depends on one record alone is released.

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
        least = math.ceil(self.threshold) - self.most
        if least < 1:
            return 1.0
        with working_digits():
            released = (-to_decimal(least / self.scale)).exp()
            chance = self.created * released / (1 + (-to_decimal(1 / self.scale)).exp())
        return min(1.0, float_up(raised(chance)))


Event = GeometricEvent | GaussianEvent | ThresholdEvent


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
    return event.delta if isinstance(event, ThresholdEvent) else 0.0


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


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """Most that one record moves all answers of one level together.

    Attributes:
        l1: in L1.
        l2_squared: in L2, squared.
        shapes: the ways to move single numbers that no other way exceeds; empty for all within
            the two sensitivities. See `hierdp_core.privacy.shapes`.

    Raises:
        ValueError: a shape moves more than the sensitivities say.
    """

    l1: int
    l2_squared: int
    shapes: tuple[Shape, ...] = ()

    def __post_init__(self) -> None:
        for shape in self.shapes:
            if sum(shape) > self.l1 or sum(move * move for move in shape) > self.l2_squared:
                raise ValueError(f"{shape} moves more than {self.l1}, {self.l2_squared} squared.")

    @property
    def worst_shapes(self) -> tuple[Shape, ...]:
        """The shapes, listed where they are not; empty where they are too many."""
        if self.shapes or not self.l2_squared:
            return self.shapes
        # Whole numbers are never longer than their squares.
        l1 = min(self.l1, self.l2_squared)
        return largest_shapes(l1, self.l2_squared, at_most=MOST_SHAPES) or ()


def level_events(
    budget: Budget,
    allocation: Allocation,
    *,
    query: str,
    levels: Sequence[str],
    sensitivities: Sequence[Sensitivity],
    calibrate_to: Sequence[Sensitivity] | None = None,
) -> tuple[Event, ...]:
    """One event for each level with a share, together spending exactly the budget.

    Of (ε, δ) that is the ρ which the budget's conversion gives. A plan with the tight account
    spends more: see `spending`.

    A person is counted once on every level, so levels compose sequentially; the regions
    of one level are disjoint and compose in parallel.

    Args:
        budget: ε gives two-sided geometric noise, ρ or (ε, δ) discrete Gaussian noise.
        shares: one for each level.
        query: what is measured in a region.
        levels: level names, from the root down.
        sensitivities: one for each level: what the events cost is worked out from these.
        calibrate_to: only to repeat a published calibration that is not right: the noise
            follows these, and the events then have their true cost.
    """
    rho = budget.spendable_rho
    events: list[Event] = []
    for level, share in enumerate(allocation.fractions):
        if not share:
            continue
        true, words = sensitivities[level], f"{query} by {levels[level]}"
        used = true if calibrate_to is None else calibrate_to[level]
        if rho is None:
            assert budget.epsilon is not None
            events.append(
                GeometricEvent(
                    level=level,
                    query=words,
                    l1_sensitivity=true.l1,
                    scale=used.l1 / (share * budget.epsilon),
                    shapes=true.worst_shapes,
                )
            )
        else:
            events.append(
                GaussianEvent(
                    level=level,
                    query=words,
                    l2_sensitivity_squared=true.l2_squared,
                    sigma2=used.l2_squared / (2 * share * rho),
                    shapes=true.worst_shapes,
                )
            )
    return tuple(events)
