"""What a release promises, in numbers and in words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy.budget import Budget, Shares
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

TAKEN_FROM_DATA = " (taken from the data)"
NOT_COVERED = (
    "What was taken from the data is not public, and this guarantee does not cover it: a single "
    "record can change it."
)
_NO_CONVERSION = "none: ε and δ are stated as they are; there is no ρ"

_NAMELESS = 10  # from this ε on, the factor e^ε is a number nobody can picture


@dataclass(frozen=True)
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
    """What one level spends; `share` is empty beside the levels. `scale` says the noise."""

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
        rho: of all events together; None where one has none.
        neighbours: which two tables are hard to tell apart.
        unit: what one record is: "one person".
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
    taken_from_data: tuple[str, ...] = ()
    claimed: str = ""
    claimed_epsilon: float | None = None

    @property
    def caution(self) -> str:
        """What to say wherever a release of a mechanism with a wrong claim is shown."""
        if not self.claimed:
            return ""
        return (
            f"Published calibration: it claims {self.claimed}, the noise gives {self.guarantee}. "
            "Not for a real release."
        )

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
        """The whole statement in plain words."""
        pair = f"{self.neighbours.value.removesuffix(' one')} {self.unit}"
        return (
            f"{self.guarantee}, neighbours {pair}{self._meaning}. "
            f"Public: {'; '.join(self.invariants)}.{f' {NOT_COVERED}' * bool(self.taken_from_data)}"
        )

    @property
    def _meaning(self) -> str:
        if self.epsilon is None:
            return ""
        if self.epsilon < _NAMELESS:
            factor = f"{math.exp(self.epsilon):.3g}"
        else:
            factor = f"e^{self.epsilon:,.0f}"
        but = f", but for a chance of {self.delta:g}" if self.delta else ""
        return f": doing so makes no outcome more than {factor} times as likely{but}"

    def as_dict(self) -> dict[str, Any]:
        """The statement as JSON takes it."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "rho": self.rho,
            "neighbours": self.neighbours.value,
            "unit": self.unit,
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
    shares: Shares,
    levels: Sequence[str],
    neighbours: Neighbours,
    unit: str,
    invariants: Sequence[Invariant],
    states_what_is_spent: bool = False,
) -> PrivacyStatement:
    """What `events` cost together, beside the budget that was stated.

    Args:
        events: all that is released, one for each level that is measured among them.
        budget, shares, levels: what was asked for.
        neighbours, unit, invariants: what the promise is about.
        states_what_is_spent: the noise follows a published calibration, and ε is worked out
            from the events however much or little it is.

    Raises:
        BudgetError: they cost more than the budget.
    """
    spent_epsilon, spent_rho = total_epsilon(events), total_rho(events)
    over = _is_over(events, budget)
    if over and not states_what_is_spent:
        raise BudgetError(f"The mechanism would spend more than {budget.words}.")
    claimed = float(budget.epsilon) if over and budget.epsilon is not None else None
    by_level = {event.level: event for event in events}
    return PrivacyStatement(
        epsilon=_stated_epsilon(budget, spent_epsilon, spent_rho, states_what_is_spent),
        delta={"pure": 0.0, "zcdp": None}.get(budget.kind, float(budget.delta or 0)),
        rho=None if spent_rho is None else float(spent_rho),
        neighbours=neighbours,
        unit=unit,
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
            for k, (name, share) in enumerate(zip(levels, shares.fractions, strict=True))
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
        return float(budget.epsilon)
    if spent_epsilon is not None:
        return float(spent_epsilon)
    assert budget.delta is not None
    assert spent_rho is not None
    return epsilon_of_rho(float(spent_rho), delta=float(budget.delta))


def _level_privacy(level: str, share: Fraction | None, event: Event | None) -> LevelPrivacy:
    if event is None:
        return LevelPrivacy(
            level=level, share="0", epsilon=None, rho=None, sensitivity=0.0, scale="not measured"
        )
    epsilon = event_epsilon(event)
    if isinstance(event, GaussianEvent):
        sensitivity = math.sqrt(event.l2_sensitivity_squared)
        scale = f"discrete Gaussian, σ = {math.sqrt(event.sigma2):.6g}"
    else:
        sensitivity = float(event.l1_sensitivity)
        scale = f"double geometric, scale {float(event.scale):.6g}"
    if isinstance(event, ThresholdEvent):
        scale += f", released from {event.threshold:,.6g} on"
    rho = event_rho(event)
    return LevelPrivacy(
        level=level,
        share="" if share is None else str(share),
        epsilon=None if epsilon is None else float(epsilon),
        rho=None if rho is None else float(rho),
        sensitivity=sensitivity,
        scale=scale,
    )
