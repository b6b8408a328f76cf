"""The privacy guarantee of a release, in numbers and in words.

No number here states a stronger guarantee than the exact number. ε, δ, ρ and the factor e^ε are
rounded up, and the scale of the noise is rounded down, both as floats and as text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any

from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy.account import (
    EXACT_CURVE,
    SEQUENTIAL,
    Priced,
    all_priced,
    event_epsilon,
    event_rho,
    priced,
    total_delta,
    total_epsilon,
    total_rho,
    within,
)
from hierdp_core.privacy.budget import (
    SIMPLE_ACCOUNT,
    TIGHT_ACCOUNT,
    ZCDP_ACCOUNT,
    Allocation,
    Budget,
)
from hierdp_core.privacy.conversion import BUN_STEINKE, PURE_TO_ZCDP, TIGHT, epsilon_of_rho
from hierdp_core.privacy.events import (
    Event,
    GaussianEvent,
    Neighbours,
    ThresholdEvent,
)
from hierdp_core.privacy.numbers import Number, probability
from hierdp_core.privacy.rounding import (
    GUARANTEE_DIGITS,
    factor_up,
    float_up,
    lower,
    root_down,
    root_up,
    upper,
)
from hierdp_core.privacy.spending import Candidate, Spending
from hierdp_core.util.constraints import USUAL_DELTA
from hierdp_core.util.shown import Shown
from hierdp_core.util.text import several

TAKEN_FROM_DATA = " (taken from the data)"
NOT_COVERED = (
    "Nobody stated that the facts taken from the data are public. A single record can change them, "
    "and this guarantee does not cover that."
)
_NO_RHO = "none, since this noise has no ρ"
_STATED_AS_RHO = "none, since the budget is stated as ρ"

# How neighbouring datasets differ; the name of the privacy unit follows.
_BY = {Neighbours.ADD_OR_REMOVE_ONE: "adding or removing", Neighbours.REPLACE_ONE: "replacing"}
_NOTICEABLE = 0.99  # the largest ratio to a stated ε at which a smaller one is worth stating


class FactSource(Enum):
    """The source of a fact that is published exactly or treated as public, in words."""

    DECLARED = "declared public by the owner"
    FROM_TABLE = "the exact number of the table, which the release publishes"
    UNCHANGED = "follows from how neighbouring datasets differ; the exact number is not published"


@dataclass(frozen=True, kw_only=True)
class Invariant:
    """A fact that is published exactly, or treated as public.

    Attributes:
        text: the fact, such as "the maximum group size, 7".
        source: where it comes from. A release does not accept a fact as declared if it was taken
            from the records.
        taken_from_data: whether it was taken from the records rather than stated.
    """

    text: str
    source: FactSource = FactSource.DECLARED
    taken_from_data: bool = False

    @property
    def words(self) -> str:
        """The fact, with a note if it was taken from the data."""
        return self.text + TAKEN_FROM_DATA * self.taken_from_data


@dataclass(frozen=True, kw_only=True)
class LevelPrivacy:
    """The privacy cost of one level.

    Attributes:
        level: the name of the level, or the query of an event that belongs to no level.
        share: the level's part in the allocation, such as "1/3"; "0" if it is not measured, and
            empty for events of no level.
        epsilon, rho: the cost, rounded up; None if the noise has none.
        sensitivity: rounded up; L2 for Gaussian noise, otherwise L1.
        scale: the noise in words, its scale rounded down.
    """

    level: str
    share: str
    epsilon: float | None
    rho: float | None
    sensitivity: float
    scale: str


@dataclass(frozen=True, kw_only=True, repr=False)
class PrivacyStatement(Shown):
    """The privacy guarantee of a release, in numbers and in words.

    Attributes:
        epsilon: rounded up; None if the budget was stated as ρ.
        delta: rounded up; 0 for pure ε; None if the budget was stated as ρ.
        rho: the ρ of all events together, rounded up; None if an event has none.
        neighbours: how neighbouring datasets differ.
        unit: the privacy unit, such as "one person".
        qualification: the changes of one record that are protected, as text that follows the unit;
            empty for any change.
        not_protected: what these changes leave out, as a sentence; empty if nothing.
        facts: the facts that are published exactly or treated as public, with their sources.
        conversion: the conversion between ε and ρ, with its source; otherwise "none", with the
            reason.
        accounting: the accounting method for (ε, δ), one of `ACCOUNTS`; empty for ε or ρ alone.
        candidates: the kinds of noise that tight accounting compared. Empty with other accounting,
            or if the noise follows a published calibration that spends another amount.
        levels: the levels from the root down, then the events that belong to no level.
        claimed: the budget that a published calibration claims, if the noise gives less privacy
            than that; otherwise empty.
        claimed_epsilon: the ε of that claim; None if there is no such claim, or it is in ρ.
        events: all events of the release. The guarantee at any δ is computed from them.
    """

    epsilon: float | None
    delta: float | None
    rho: float | None
    neighbours: Neighbours
    unit: str
    facts: tuple[Invariant, ...]
    conversion: str
    levels: tuple[LevelPrivacy, ...]
    qualification: str = ""
    not_protected: str = ""
    claimed: str = ""
    claimed_epsilon: float | None = None
    accounting: str = ""
    candidates: tuple[Candidate, ...] = ()
    events: tuple[Event, ...] = field(default=(), repr=False)

    @property
    def invariants(self) -> tuple[str, ...]:
        """The facts that are published exactly or treated as public, in words."""
        return tuple(fact.words for fact in self.facts)

    @property
    def taken_from_data(self) -> tuple[str, ...]:
        """The invariants that were taken from the records.

        Nobody stated that they are public, and the guarantee does not cover them.
        """
        return tuple(fact.words for fact in self.facts if fact.taken_from_data)

    @property
    def parts(self) -> tuple[str, tuple[float, ...]]:
        """The symbol of the parts of the budget, and the part of each of `levels`, rounded up.

        Parts are in ρ if the budget was stated as ρ, or if some noise has a ρ but no ε, such as
        Gaussian noise. Otherwise they are in ε.
        """
        without_epsilon = any(level.rho and not level.epsilon for level in self.levels)
        if self.rho is not None and (self.epsilon is None or without_epsilon):
            return "ρ", tuple(level.rho or 0.0 for level in self.levels)
        return "ε", tuple(level.epsilon or 0.0 for level in self.levels)

    def epsilon_at(self, delta: Number) -> Priced | None:
        """Return the smallest ε of all bounds for which the release is (ε, δ)-DP, rounded up.

        None if no bound gives one, for example because a threshold needs a larger δ.

        Raises:
            BudgetError: δ does not lie strictly between 0 and 1.
        """
        return priced(self.events, probability("delta", delta))

    def all_epsilons_at(self, delta: Number) -> tuple[Priced, ...]:
        """Return ε at δ by every bound that applies, each rounded up.

        Raises:
            BudgetError: δ does not lie strictly between 0 and 1.
        """
        return all_priced(self.events, probability("delta", delta))

    @property
    def as_approximate(self) -> str:
        """A guarantee of ε or ρ alone as (ε, δ) at a usual δ, as a sentence; empty for (ε, δ).

        It is also empty if this δ allows no ε that is noticeably smaller, and for a published
        calibration with a false claim.
        """
        if self.delta or not self.events or self.claimed:
            return ""
        found = self.epsilon_at(USUAL_DELTA)
        if found is None or (self.epsilon and found.epsilon > _NOTICEABLE * self.epsilon):
            return ""
        exact = found.source == EXACT_CURVE
        how = "exact curve of the noise" if exact else "conversion over Rényi orders"
        return (
            f"At δ = {_rounded_up(USUAL_DELTA)} this is ε = {_rounded_up(found.epsilon)} ({how})."
        )

    @property
    def caution(self) -> str:
        """A warning to show with a published calibration that claims too much; otherwise empty."""
        if not self.claimed:
            return ""
        return (
            f"Warning: this published noise claims {self.claimed}, but its actual guarantee is "
            f"{self.guarantee}. Do not use it for a release."
        )

    @property
    def guarantee(self) -> str:
        """The parameters, each rounded up, and the name of the definition.

        Examples: "ε = 1 (pure DP)", "ε = 1, δ = 10⁻⁸ (approximate DP)" or "ρ = 0.5 (zCDP)".
        """
        if self.epsilon is None:
            return f"ρ = {'–' if self.rho is None else _rounded_up(self.rho)} (zCDP)"
        if not self.delta:
            return f"ε = {_rounded_up(self.epsilon)} (pure DP)"
        return f"ε = {_rounded_up(self.epsilon)}, δ = {_rounded_up(self.delta)} (approximate DP)"

    @property
    def method(self) -> str:
        """The method by which the noise of a budget with δ was found, in words."""
        return self.conversion

    @property
    def difference(self) -> str:
        """How neighbouring datasets differ, such as "adding or removing one person"."""
        return f"{_BY[self.neighbours]} {self.unit}{self.qualification}"

    @property
    def sentence(self) -> str:
        """The statement in words: the guarantee, whom it protects, its meaning, what is public."""
        parts = (
            f"{self.guarantee}.",
            f"Neighbouring datasets differ by {self.difference}.",
            self._meaning,
            self._public,
        )
        return " ".join(part for part in parts if part)

    @property
    def _meaning(self) -> str:
        if self.epsilon is None:
            return ""
        factor = factor_up(self.epsilon)
        if not self.delta:
            return (
                f"No outcome is more than {factor} times as likely with one of them as with the "
                "other."
            )
        return (
            f"No set of outcomes is more than {factor} times as likely with one of them as with "
            f"the other, plus a probability of {_rounded_up(self.delta)}."
        )

    @property
    def _public(self) -> str:
        if not self.invariants:
            return ""
        public = f"Treated as public: {several(self.invariants)}."
        return f"{public} {NOT_COVERED}" if self.taken_from_data else public

    def as_dict(self) -> dict[str, Any]:
        """Return the statement as values for JSON; numbers are rounded as the attributes are."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "rho": self.rho,
            "neighbours": self.neighbours.value,
            "unit": self.unit,
            "difference": self.difference,
            "invariants": list(self.invariants),
            "taken_from_data": list(self.taken_from_data),
            "conversion": self.conversion,
            "accounting": self.accounting,
            "noise_candidates": [candidate.as_dict() for candidate in self.candidates],
            "at_usual_delta": self._at_usual_delta(),
            "claimed_epsilon": self.claimed_epsilon,
            "caution": self.caution,
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

    def _at_usual_delta(self) -> dict[str, Any] | None:
        found = self.epsilon_at(USUAL_DELTA) if self.events else None
        if found is None:
            return None
        return {"delta": USUAL_DELTA, "epsilon": found.epsilon, "source": found.source}


def state_privacy(
    events: Sequence[Event],
    *,
    budget: Budget,
    allocation: Allocation,
    levels: Sequence[str],
    neighbours: Neighbours,
    unit: str,
    invariants: Sequence[Invariant],
    qualification: str = "",
    not_protected: str = "",
    spending: Spending | None = None,
    states_what_is_spent: bool = False,
) -> PrivacyStatement:
    """Return the privacy statement of a release with these events.

    Args:
        events: all events of the release, among them one for each level that is measured.
        budget, allocation: the budget and its allocation, as stated.
        levels: level names, from the root down.
        neighbours, unit, invariants, qualification, not_protected: see `PrivacyStatement`.
        spending: the amount of the budget that the noise spends; if None, that of a conversion.
        states_what_is_spent: whether the statement gives the cost of the events as its ε instead of
            the budget's ε, because the noise follows a published calibration. The events may then
            cost more or less than the budget.

    Raises:
        BudgetError: the events cost more than the budget, without `states_what_is_spent`.
    """
    spent_rho = total_rho(events)
    over = not within(events, budget)
    used = spending or _by_conversion(budget)
    cost = _cost(events, budget) if states_what_is_spent else None
    if over and not states_what_is_spent:
        raise BudgetError(
            f"The mechanism would spend more than {budget.words}. Use a larger budget."
        )
    claimed = float_up(budget.epsilon) if over and budget.epsilon is not None else None
    by_level = {event.level: event for event in events}
    return PrivacyStatement(
        epsilon=_asked(budget) if cost is None else cost.epsilon,
        delta=_stated_delta(events, budget),
        rho=None if spent_rho is None else float_up(spent_rho),
        neighbours=neighbours,
        unit=unit,
        qualification=qualification,
        not_protected=not_protected,
        facts=tuple(invariants),
        conversion=_NO_RHO
        if spent_rho is None
        else {
            "pure": PURE_TO_ZCDP,
            "approximate": used.source if cost is None else cost.source,
            "zcdp": _STATED_AS_RHO,
        }[budget.kind],
        accounting=used.accounting,
        # The amounts compared are those of the budget, which such noise does not spend.
        candidates=used.candidates if cost is None else (),
        events=tuple(events),
        levels=tuple(
            _level_privacy(name, share, by_level.get(k))
            for k, (name, share) in enumerate(zip(levels, allocation.fractions, strict=True))
        )
        + tuple(_level_privacy(e.query, None, e) for e in events if e.level is None),
        claimed=budget.words if over else "",
        claimed_epsilon=claimed,
    )


def _by_conversion(budget: Budget) -> Spending:
    """Return the spending of events whose noise was computed from `Budget.spendable_rho`."""
    if budget.kind != "approximate":
        return Spending(budget=budget)
    simple = budget.accounting == SIMPLE_ACCOUNT
    source = BUN_STEINKE if simple else TIGHT
    return Spending(
        budget=Budget(rho=budget.spendable_rho),
        accounting=SIMPLE_ACCOUNT if simple else ZCDP_ACCOUNT,
        source=source,
    )


def _asked(budget: Budget) -> float | None:
    return None if budget.epsilon is None else float_up(budget.epsilon)


def _cost(events: Sequence[Event], budget: Budget) -> Priced | None:
    """Return the ε that events cost by the budget's accounting method, even above the budget.

    None for a budget in ρ.
    """
    if budget.epsilon is None:
        return None
    if budget.delta is None:
        spent = total_epsilon(events)
        assert spent is not None
        return Priced(epsilon=float_up(spent), source=SEQUENTIAL)
    spent_rho = total_rho(events)
    if budget.accounting == SIMPLE_ACCOUNT and spent_rho is not None:
        simple = epsilon_of_rho(spent_rho, delta=budget.delta)
        return Priced(epsilon=simple, source=BUN_STEINKE)
    bounds = [
        bound
        for bound in all_priced(events, budget.delta)
        if budget.accounting == TIGHT_ACCOUNT or bound.source != EXACT_CURVE
    ]
    return min(bounds, key=lambda bound: bound.epsilon)


def _stated_delta(events: Sequence[Event], budget: Budget) -> float | None:
    """Return the stated δ, or the δ of the events if it is larger."""
    if budget.kind == "zcdp":
        return None
    return max(float_up(budget.delta or Fraction(0)), total_delta(events))


@lru_cache(maxsize=1024)
def _level_privacy(level: str, share: Fraction | None, event: Event | None) -> LevelPrivacy:
    if event is None:
        return LevelPrivacy(
            level=level, share="0", epsilon=None, rho=None, sensitivity=0.0, scale="not measured"
        )
    epsilon = event_epsilon(event)
    if isinstance(event, GaussianEvent):
        sensitivity = float_up(root_up(event.l2_sensitivity_squared))
        scale = f"discrete Gaussian, σ = {lower(root_down(event.sigma2), GUARANTEE_DIGITS)}"
    else:
        sensitivity = float(event.l1_sensitivity)
        least = lower(event.scale, GUARANTEE_DIGITS)
        scale = f"two-sided geometric (discrete Laplace), scale {least}"
        if isinstance(event, ThresholdEvent):
            threshold = lower(event.threshold, GUARANTEE_DIGITS)
            scale = (
                f"two-sided geometric (discrete Laplace), scale {least} (only noisy counts "
                f"of at least {threshold} are released)"
            )
    rho = event_rho(event)
    return LevelPrivacy(
        level=level,
        share="" if share is None else str(share),
        epsilon=None if epsilon is None else float_up(epsilon),
        rho=None if rho is None else float_up(rho),
        sensitivity=sensitivity,
        scale=scale,
    )


def _rounded_up(parameter: float) -> str:
    return upper(parameter, GUARANTEE_DIGITS)
