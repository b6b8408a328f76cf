"""The privacy guarantee of a release, in numbers and in words.

No number here is stronger than the exact one, in floats and in words alike: ε, δ, ρ and the
factor e^ε are rounded up, the scale of noise is rounded down.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy.budget import Allocation, Budget
from hierdp_core.privacy.conversion import BUN_STEINKE, PURE_TO_ZCDP, epsilon_of_rho
from hierdp_core.privacy.events import (
    Event,
    GaussianEvent,
    Neighbours,
    ThresholdEvent,
    event_epsilon,
    event_rho,
    total_delta,
    total_epsilon,
    total_rho,
)
from hierdp_core.privacy.rounding import (
    GUARANTEE_DIGITS,
    factor_up,
    float_up,
    lower,
    root_down,
    root_up,
    upper,
)

TAKEN_FROM_DATA = " (taken from the data)"
NOT_COVERED = (
    "What was taken from the data is not public, and this guarantee does not cover it: a single "
    "record can change it."
)
_NO_CONVERSION = "none: ε and δ are stated as they are; there is no ρ"

# How neighbouring datasets differ, before the name of the privacy unit.
_BY = {Neighbours.ADD_OR_REMOVE_ONE: "adding or removing", Neighbours.REPLACE_ONE: "replacing"}


@dataclass(frozen=True, kw_only=True)
class Invariant:
    """A fact that is published exactly, or treated as public.

    Attributes:
        text: the fact, such as "the maximum group size, 7".
        taken_from_data: it was read off the records rather than stated.
    """

    text: str
    taken_from_data: bool = False

    @property
    def words(self) -> str:
        """The fact, and where it comes from."""
        return self.text + TAKEN_FROM_DATA * self.taken_from_data


@dataclass(frozen=True, kw_only=True)
class LevelPrivacy:
    """What one level spends.

    Attributes:
        level: its name; of what is measured beside the levels, the query.
        share: of the budget; empty beside the levels.
        epsilon, rho, sensitivity: rounded up.
        scale: the noise in words, its scale rounded down.
    """

    level: str
    share: str
    epsilon: float | None
    rho: float | None
    sensitivity: float
    scale: str


@dataclass(frozen=True, kw_only=True)
class PrivacyStatement:
    """The privacy guarantee of a release, in numbers and in words.

    Attributes:
        epsilon: rounded up; None when only ρ was stated.
        delta: rounded up; 0 for pure ε; None when only ρ was stated.
        rho: of all events together, rounded up; None where one has none.
        neighbours: which two tables are hard to tell apart.
        unit: what one record is: "one person".
        qualification: which changes of one record are meant, after the unit; empty for any.
        invariants: what is published exactly, or treated as public, in words.
        taken_from_data: those of them that were read off the records: no one stated that they are
            public, and the guarantee does not cover them.
        conversion: how ε and ρ are connected here.
        levels: from the root down; then what is released beside the levels, by its query.
        claimed: the budget that a published calibration claims, where the noise gives less
            privacy than that; else empty.
        claimed_epsilon: its ε; None where there is no such claim, or it was stated as ρ.
    """

    epsilon: float | None
    delta: float | None
    rho: float | None
    neighbours: Neighbours
    unit: str
    invariants: tuple[str, ...]
    conversion: str
    levels: tuple[LevelPrivacy, ...]
    qualification: str = ""
    taken_from_data: tuple[str, ...] = ()
    claimed: str = ""
    claimed_epsilon: float | None = None

    @property
    def caution(self) -> str:
        """What to say wherever a release of a mechanism with a wrong claim is shown."""
        if not self.claimed:
            return ""
        return (
            f"Warning: this published noise claims {self.claimed}, but its actual guarantee is "
            f"{self.guarantee}. Do not use it for a release."
        )

    @property
    def guarantee(self) -> str:
        """The parameters with the name of the definition, each rounded up.

        "ε = 1 (pure DP)", "ε = 1, δ = 10⁻⁸ (approximate DP)" or "ρ = 0.5 (zCDP)".
        """
        if self.epsilon is None:
            return f"ρ = {'–' if self.rho is None else _said(self.rho)} (zCDP)"
        if not self.delta:
            return f"ε = {_said(self.epsilon)} (pure DP)"
        return f"ε = {_said(self.epsilon)}, δ = {_said(self.delta)} (approximate DP)"

    @property
    def difference(self) -> str:
        """How neighbouring datasets differ: "adding or removing one person"."""
        return f"{_BY[self.neighbours]} {self.unit}{self.qualification}"

    @property
    def sentence(self) -> str:
        """The whole statement in words, a sentence each for what is guaranteed to whom."""
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
        limit = f"That makes no outcome more than {factor_up(self.epsilon)} times as likely"
        return (
            f"{limit}, except with probability {_said(self.delta)}." if self.delta else f"{limit}."
        )

    @property
    def _public(self) -> str:
        if not self.invariants:
            return ""
        public = f"Treated as public: {'; '.join(self.invariants)}."
        return f"{public} {NOT_COVERED}" if self.taken_from_data else public

    def as_dict(self) -> dict[str, Any]:
        """The statement as JSON takes it; its numbers are rounded as the attributes are."""
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
    states_what_is_spent: bool = False,
) -> PrivacyStatement:
    """What `events` cost together, beside the budget that was stated.

    Args:
        events: all that is released, one for each level that is measured among them.
        budget, shares, levels: what was asked for.
        neighbours, unit, invariants: what the guarantee is about.
        states_what_is_spent: the noise follows a published calibration, and ε is worked out
            from the events however much or little it is.

    Raises:
        BudgetError: they cost more than the budget.
    """
    spent_epsilon, spent_rho = total_epsilon(events), total_rho(events)
    over = _is_over(events, budget)
    if over and not states_what_is_spent:
        raise BudgetError(f"The mechanism would spend more than {budget.words}.")
    claimed = float_up(budget.epsilon) if over and budget.epsilon is not None else None
    by_level = {event.level: event for event in events}
    return PrivacyStatement(
        epsilon=_stated_epsilon(budget, spent_epsilon, spent_rho, states_what_is_spent),
        delta=_stated_delta(events, budget),
        rho=None if spent_rho is None else float_up(spent_rho),
        neighbours=neighbours,
        unit=unit,
        qualification=qualification,
        invariants=tuple(fact.words for fact in invariants),
        taken_from_data=tuple(fact.words for fact in invariants if fact.taken_from_data),
        conversion=_NO_CONVERSION
        if spent_rho is None
        else {
            "pure": PURE_TO_ZCDP,
            "approximate": BUN_STEINKE,
            "zcdp": "none: ρ is stated as it is",
        }[budget.kind],
        levels=tuple(
            _level_privacy(name, share, by_level.get(k))
            for k, (name, share) in enumerate(zip(levels, allocation.fractions, strict=True))
        )
        + tuple(_level_privacy(e.query, None, e) for e in events if e.level is None),
        claimed=budget.words if over else "",
        claimed_epsilon=claimed,
    )


def _is_over(events: Sequence[Event], budget: Budget) -> bool:
    """Whether events cost more than the budget allows."""
    epsilon, rho, delta = total_epsilon(events), total_rho(events), total_delta(events)
    allowed = budget.spendable_rho
    if rho is not None and allowed is not None:
        return rho > allowed
    if epsilon is None or budget.epsilon is None:
        return True
    return epsilon > budget.epsilon or delta > (budget.delta or 0)


def _stated_epsilon(
    budget: Budget,
    spent_epsilon: Fraction | None,
    spent_rho: Fraction | None,
    states_what_is_spent: bool,
) -> float | None:
    if budget.epsilon is None:
        return None
    if not states_what_is_spent:
        return float_up(budget.epsilon)
    if spent_epsilon is not None:
        return float_up(spent_epsilon)
    assert budget.delta is not None
    assert spent_rho is not None
    return epsilon_of_rho(spent_rho, delta=budget.delta)


def _stated_delta(events: Sequence[Event], budget: Budget) -> float | None:
    """The δ stated, or what the events cost where that is more."""
    if budget.kind == "zcdp":
        return None
    return max(float_up(budget.delta or Fraction(0)), total_delta(events))


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
        scale += f", released from {lower(event.threshold, GUARANTEE_DIGITS)} on"
    rho = event_rho(event)
    return LevelPrivacy(
        level=level,
        share="" if share is None else str(share),
        epsilon=None if epsilon is None else float_up(epsilon),
        rho=None if rho is None else float_up(rho),
        sensitivity=sensitivity,
        scale=scale,
    )


def _said(parameter: float) -> str:
    return upper(parameter, GUARANTEE_DIGITS)
