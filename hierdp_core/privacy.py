"""All privacy accounting: budgets, shares, what was released, what it costs.

An *event* describes one released vector fully enough that someone else could
account for it. The accountant prices events, adds them and converts the sum.
Budgets, shares and scales are exact fractions, so that the parts add up to the
whole and never above it.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import Enum
from fractions import Fraction
from typing import Any, Self

from scipy.optimize import minimize_scalar

from hierdp_core.exceptions import BudgetError

Number = int | float | str | Fraction

SMALLEST_BUDGET, LARGEST_BUDGET = Fraction(1, 100_000), Fraction(10_000)
LARGEST_SHARE = 10_000

BUN_STEINKE = "ε = ρ + 2√(ρ ln(1/δ)) (Bun and Steinke 2016, Proposition 1.3)"
TIGHT = "least ε over Rényi orders (Canonne, Kamath and Steinke 2020, Corollary 13)"
PURE_TO_ZCDP = "ρ is the sum over levels of ε²/2 (Bun and Steinke 2016, Proposition 1.4)"


class Neighbours(Enum):
    """Which two tables must be hard to tell apart."""

    ADD_OR_REMOVE_ONE = "add or remove one"
    REPLACE_ONE = "replace one"


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How much privacy loss may be spent: ε, or ε with δ, or ρ.

    Make one with `Budget.of`. Exactly the numbers that were stated are kept.
    """

    epsilon: Fraction | None = None
    delta: Fraction | None = None
    rho: Fraction | None = None

    @classmethod
    def of(
        cls,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> Self:
        """The budget that these numbers state.

        Raises:
            BudgetError: none or too many are given, or one lies outside its range.
        """
        if rho is not None and (epsilon is not None or delta is not None):
            raise BudgetError("State the budget once: epsilon, epsilon with delta, or rho alone.")
        if rho is not None:
            return cls(rho=_within_range("rho", rho))
        if epsilon is None:
            raise BudgetError("State a budget: epsilon, epsilon with delta, or rho.")
        if delta is None:
            return cls(epsilon=_within_range("epsilon", epsilon))
        return cls(epsilon=_within_range("epsilon", epsilon), delta=_probability("delta", delta))

    @property
    def kind(self) -> str:
        """ "pure" for ε, "approximate" for ε with δ, "zcdp" for ρ."""
        if self.rho is not None:
            return "zcdp"
        return "pure" if self.delta is None else "approximate"

    @property
    def spendable_rho(self) -> Fraction | None:
        """The ρ that Gaussian noise may spend; None for pure ε."""
        if self.rho is not None:
            return self.rho
        if self.epsilon is None or self.delta is None:
            return None
        return Fraction(rho_of_epsilon(float(self.epsilon), delta=float(self.delta)))

    @property
    def words(self) -> str:
        """The budget as people write it: "ε = 1, δ = 1e-08"."""
        if self.rho is not None:
            return f"ρ = {shortest(self.rho)}"
        tail = "" if self.delta is None else f", δ = {shortest(self.delta)}"
        return f"ε = {shortest(self.epsilon or Fraction(0))}{tail}"


@dataclass(frozen=True, kw_only=True)
class Shares:
    """How a budget is split over the levels, in whole numbers.

    A level with share 0 is not measured at all.
    """

    weights: tuple[int, ...]

    @classmethod
    def of(cls, weights: Sequence[int] | None, levels: Sequence[str]) -> Self:
        """`weights`, one for each of `levels` from the root down; None means even shares.

        Raises:
            BudgetError: the number is wrong, one is negative, fractional or too large, or
                the last level has none.
        """
        if weights is None:
            return cls(weights=(1,) * len(levels))
        named = ", ".join(levels)
        if len(weights) != len(levels):
            raise BudgetError(
                f"One share for each level is needed, {len(levels)}: {named}; got {len(weights)}."
            )
        for level, weight in zip(levels, weights, strict=True):
            if isinstance(weight, bool) or not _is_whole(weight):
                raise BudgetError(
                    f"Shares are whole numbers; {level} has {weight}. Instead of 0.25, 0.75 say "
                    "1, 3."
                )
            if not 0 <= weight <= LARGEST_SHARE:
                raise BudgetError(
                    f"Shares lie between 0 and {LARGEST_SHARE:,}; {level} has {weight}."
                )
        if not any(weights):
            raise BudgetError(f"At least one share must be above 0; the levels are {named}.")
        if not weights[-1]:
            raise BudgetError(
                f"The last level, {levels[-1]}, needs a share above 0: nothing else says how a "
                "region's number splits over its parts."
            )
        return cls(weights=tuple(int(weight) for weight in weights))

    @property
    def fractions(self) -> tuple[Fraction, ...]:
        """The shares of the whole; they sum to 1 exactly."""
        total = sum(self.weights)
        return tuple(Fraction(weight, total) for weight in self.weights)

    @property
    def words(self) -> str:
        return ",".join(map(str, self.weights))


@dataclass(frozen=True, kw_only=True)
class SharePreset:
    """A named way to split the budget; `weights_for` gives None where it does not fit."""

    id: str
    title: str
    about: str
    weights_for: Callable[[Sequence[str]], tuple[int, ...] | None]


def _census_2020(levels: Sequence[str]) -> tuple[int, ...] | None:
    # Redistricting data, persons: shares in 4099ths. Tracts and below are not in our samples.
    known = {"nation": 104, "region": 0, "division": 0, "state": 1440, "county": 447}
    fits = set(levels) <= set(known) and {"nation", "state", "county"} <= set(levels)
    return tuple(known[level] for level in levels) if fits else None


PRESETS = (
    SharePreset(
        id="even",
        title="Even",
        about="Every level gets the same share, as in the papers.",
        weights_for=lambda levels: (1,) * len(levels),
    ),
    SharePreset(
        id="top",
        title="More at the top",
        about="Each level gets half the share of the one above it.",
        weights_for=lambda levels: tuple(2**k for k in reversed(range(len(levels)))),
    ),
    SharePreset(
        id="bottom",
        title="More at the bottom",
        about="Each level gets twice the share of the one above it.",
        weights_for=lambda levels: tuple(2**k for k in range(len(levels))),
    ),
    SharePreset(
        id="census-2020",
        title="2020 Census",
        about=(
            "The relative shares of nation, state and county in the 2020 Census redistricting "
            "data, persons (104 : 1440 : 447); the levels below counties are left out. "
            "Source: U.S. Census Bureau production settings, public domain."
        ),
        weights_for=_census_2020,
    ),
)


@dataclass(frozen=True, kw_only=True)
class GeometricEvent:
    """A whole-number vector plus double geometric noise, P(k) ∝ exp(−|k| / scale).

    Attributes:
        level: the level whose regions were measured.
        query: what was measured, in words.
        l1_sensitivity: most that one record moves the vector, in L1.
        scale: of the noise, exact.
    """

    level: int
    query: str
    l1_sensitivity: int
    scale: Fraction


@dataclass(frozen=True, kw_only=True)
class GaussianEvent:
    """A whole-number vector plus discrete Gaussian noise, P(k) ∝ exp(−k² / 2σ²).

    Attributes:
        level: the level whose regions were measured.
        query: what was measured, in words.
        l2_sensitivity_squared: most that one record moves the vector, in L2, squared.
        sigma2: the parameter σ² of the noise, exact.
    """

    level: int
    query: str
    l2_sensitivity_squared: int
    sigma2: Fraction


Event = GeometricEvent | GaussianEvent


def event_epsilon(event: Event) -> Fraction | None:
    """The ε for which the event is ε-DP; None for Gaussian noise, which has none.

    Source: Ghosh, Roughgarden and Sundararajan 2012 (geometric mechanism).
    """
    if isinstance(event, GeometricEvent):
        return event.l1_sensitivity / event.scale
    if isinstance(event, GaussianEvent):
        return None
    raise BudgetError(f"No account is known for an event of type {type(event).__name__}.")


def event_rho(event: Event) -> Fraction:
    """The ρ for which the event is ρ-zCDP.

    Source: Bun and Steinke 2016, Proposition 1.4 (geometric); Canonne, Kamath and Steinke
    2020, Theorem 4 (discrete Gaussian).
    """
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


def total_rho(events: Iterable[Event]) -> Fraction:
    """ρ of all events together (Bun and Steinke 2016, Lemma 1.7)."""
    return sum((event_rho(event) for event in events), Fraction(0))


def level_events(
    budget: Budget,
    shares: Shares,
    *,
    query: str,
    levels: Sequence[str],
    l1_sensitivity: int,
    l2_sensitivity_squared: int,
) -> tuple[Event, ...]:
    """One event for each level with a share, together spending exactly the budget.

    A person is counted once on every level, so levels compose sequentially; the regions
    of one level are disjoint and compose in parallel.

    Args:
        budget: ε gives double geometric noise, ρ or (ε, δ) discrete Gaussian noise.
        shares: one for each level.
        query: what is measured in a region.
        levels: level names, from the root down.
        l1_sensitivity: of all regions of one level together.
        l2_sensitivity_squared: likewise, in L2.
    """
    rho = budget.spendable_rho
    events: list[Event] = []
    for level, (name, share) in enumerate(zip(levels, shares.fractions, strict=True)):
        if not share:
            continue
        words = f"{query} by {name}"
        if rho is None:
            assert budget.epsilon is not None
            scale = l1_sensitivity / (share * budget.epsilon)
            events.append(
                GeometricEvent(level=level, query=words, l1_sensitivity=l1_sensitivity, scale=scale)
            )
        else:
            sigma2 = l2_sensitivity_squared / (2 * share * rho)
            events.append(
                GaussianEvent(
                    level=level,
                    query=words,
                    l2_sensitivity_squared=l2_sensitivity_squared,
                    sigma2=sigma2,
                )
            )
    return tuple(events)


def epsilon_of_rho(rho: float, *, delta: float) -> float:
    """An ε at which ρ-zCDP gives (ε, δ)-DP.

    An upper bound, a little loose, never an underestimate.
    Source: Bun and Steinke 2016, Proposition 1.3.

    >>> round(epsilon_of_rho(4.9622, delta=1e-10), 2)
    26.34
    """
    rho, delta = float(_not_negative("rho", rho)), float(_probability("delta", delta))
    return rho + 2 * math.sqrt(rho * -math.log(delta))


def epsilon_of_rho_tight(rho: float, *, delta: float) -> float:
    """The least ε known at which ρ-zCDP gives (ε, δ)-DP.

    Every Rényi order gives an upper bound; the least is taken, so a search that stops
    early is loose, never wrong. Source: Canonne, Kamath and Steinke 2020, Corollary 13.

    >>> round(epsilon_of_rho_tight(2.5562255, delta=1e-10), 2)
    17.14
    """
    rho, delta = float(_not_negative("rho", rho)), float(_probability("delta", delta))
    if rho == 0:
        return 0.0

    def bound(log_excess: float) -> float:
        excess = math.exp(log_excess)  # the order is 1 + excess
        order = 1 + excess
        tail = -math.log(delta) - log_excess + order * -math.log1p(1 / excess)
        return order * rho + tail / excess

    best = minimize_scalar(bound, bounds=(-20.0, 40.0), method="bounded", options={"xatol": 1e-10})
    near = math.log(math.sqrt(-math.log(delta) / rho) + 1e-300)
    near_best = minimize_scalar(
        bound, bounds=(near - 3, near + 3), method="bounded", options={"xatol": 1e-10}
    )
    found = min(float(best.fun), float(near_best.fun), epsilon_of_rho(rho, delta=delta))
    return max(0.0, found)


def rho_of_epsilon(epsilon: float, *, delta: float) -> float:
    """The ρ that (ε, δ) buys: the inverse of `epsilon_of_rho`, rounded down.

    >>> f"{rho_of_epsilon(1.0, delta=1e-8):.6g}"
    '0.0132154'
    """
    epsilon = float(_within_range("epsilon", epsilon))
    log_inverse = -math.log(float(_probability("delta", delta)))
    # (√(l + ε) − √l)², written so that small ε does not cancel.
    rho = (epsilon / (math.sqrt(log_inverse + epsilon) + math.sqrt(log_inverse))) ** 2
    while epsilon_of_rho(rho, delta=delta) > epsilon:
        rho = math.nextafter(rho, 0.0) * (1 - 1e-15)
    return rho


@dataclass(frozen=True, kw_only=True)
class LevelPrivacy:
    """What one level spends. `scale` says the noise in words."""

    level: str
    share: str
    epsilon: float | None
    rho: float | None
    sensitivity: float
    scale: str


@dataclass(frozen=True, kw_only=True)
class PrivacyStatement:
    """What a release promises, in numbers and in words.

    Attributes:
        epsilon: None when only ρ was stated.
        delta: 0 for pure ε; None when only ρ was stated.
        rho: of all events together.
        neighbours: which two tables are hard to tell apart.
        unit: what one record is: "one person".
        invariants: what is published exactly, or taken as public.
        conversion: how ε and ρ are connected here.
        levels: from the root down.
    """

    epsilon: float | None
    delta: float | None
    rho: float
    neighbours: Neighbours
    unit: str
    invariants: tuple[str, ...]
    conversion: str
    levels: tuple[LevelPrivacy, ...]

    @property
    def guarantee(self) -> str:
        """The guarantee's usual name: "1-DP", "(1, 1e-08)-DP", "0.5-zCDP"."""
        if self.epsilon is None:
            return f"{self.rho:.6g}-zCDP"
        if not self.delta:
            return f"{self.epsilon:g}-DP"
        return f"({self.epsilon:g}, {self.delta:g})-DP"

    @property
    def sentence(self) -> str:
        """The whole statement as one sentence."""
        return (
            f"{self.guarantee} when neighbours {self.neighbours.value.replace(' one', '')} "
            f"{self.unit}; public: {'; '.join(self.invariants)}."
        )

    def as_dict(self) -> dict[str, Any]:
        """The statement as JSON takes it."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "rho": self.rho,
            "neighbours": self.neighbours.value,
            "unit": self.unit,
            "invariants": list(self.invariants),
            "conversion": self.conversion,
            "levels": [
                {
                    "level": level.level,
                    "share": level.share,
                    "epsilon": level.epsilon,
                    "rho": level.rho,
                    "sensitivity": level.sensitivity,
                    "noise": level.scale,
                }
                for level in self.levels
            ],
        }


def state_privacy(
    events: Sequence[Event],
    *,
    budget: Budget,
    shares: Shares,
    levels: Sequence[str],
    neighbours: Neighbours,
    unit: str,
    invariants: Sequence[str],
) -> PrivacyStatement:
    """What `events` cost together, beside the budget that was stated.

    Raises:
        BudgetError: they cost more than the budget.
    """
    spent_epsilon, spent_rho = total_epsilon(events), total_rho(events)
    allowed = budget.spendable_rho
    if allowed is None:
        assert budget.epsilon is not None
        over = spent_epsilon is None or spent_epsilon > budget.epsilon
    else:
        over = spent_rho > allowed
    if over:
        raise BudgetError(f"The mechanism would spend more than {budget.words}.")
    by_level = {event.level: event for event in events}
    return PrivacyStatement(
        epsilon=None if budget.epsilon is None else float(budget.epsilon),
        delta={"pure": 0.0, "zcdp": None}.get(budget.kind, float(budget.delta or 0)),
        rho=float(spent_rho),
        neighbours=neighbours,
        unit=unit,
        invariants=tuple(invariants),
        conversion={
            "pure": PURE_TO_ZCDP,
            "approximate": BUN_STEINKE,
            "zcdp": "none: ρ is stated as it is",
        }[budget.kind],
        levels=tuple(
            _level_privacy(name, share, by_level.get(k))
            for k, (name, share) in enumerate(zip(levels, shares.fractions, strict=True))
        ),
    )


def _level_privacy(level: str, share: Fraction, event: Event | None) -> LevelPrivacy:
    if event is None:
        return LevelPrivacy(
            level=level, share="0", epsilon=None, rho=None, sensitivity=0.0, scale="not measured"
        )
    epsilon = event_epsilon(event)
    if isinstance(event, GeometricEvent):
        sensitivity = float(event.l1_sensitivity)
        scale = f"double geometric, scale {float(event.scale):.6g}"
    else:
        sensitivity = math.sqrt(event.l2_sensitivity_squared)
        scale = f"discrete Gaussian, σ = {math.sqrt(event.sigma2):.6g}"
    return LevelPrivacy(
        level=level,
        share=str(share),
        epsilon=None if epsilon is None else float(epsilon),
        rho=float(event_rho(event)),
        sensitivity=sensitivity,
        scale=scale,
    )


def shortest(value: Fraction) -> str:
    """A fraction as the shortest decimal that reads back as the same float."""
    return repr(float(value)).removesuffix(".0")


def _exact(name: str, value: Number) -> Fraction:
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool):
        raise BudgetError(f"{name} must be a number, got {value}.")
    try:
        # Through the decimal text, so that 0.1 means one tenth.
        number = Decimal(str(value).strip())
    except InvalidOperation:
        raise BudgetError(f'{name} must be a number, such as 0.5; got "{value}".') from None
    if not number.is_finite():
        raise BudgetError(f"{name} must be finite, got {value}.")
    return Fraction(number)


def _within_range(name: str, value: Number) -> Fraction:
    number = _exact(name, value)
    if number <= 0:
        raise BudgetError(f"{name} must be above 0, got {value}. Small values protect more.")
    if not SMALLEST_BUDGET <= number <= LARGEST_BUDGET:
        raise BudgetError(
            f"{name} must lie between {float(SMALLEST_BUDGET):g} and "
            f"{float(LARGEST_BUDGET):,.0f}, got {value}."
        )
    return number


def _not_negative(name: str, value: Number) -> Fraction:
    number = _exact(name, value)
    if number < 0:
        raise BudgetError(f"{name} must not be negative, got {value}.")
    return number


def _probability(name: str, value: Number) -> Fraction:
    number = _exact(name, value)
    if not 0 < number < 1:
        raise BudgetError(f"{name} must lie strictly between 0 and 1, got {value}.")
    return number


def _is_whole(value: object) -> bool:
    try:
        return isinstance(value, int) or int(value) == value  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        return False
