"""The privacy guarantee of a release, in numbers and in words.

No number here is stronger than the exact one, in floats and in words alike: ε, δ, ρ and the
factor e^ε are rounded up, the scale of noise is rounded down.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy.account import (
    EXACT_CURVE,
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


@dataclass(frozen=True, kw_only=True, repr=False)
class PrivacyStatement(Shown):
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
        accounting: by which account (ε, δ) became noise, one of `ACCOUNTS`; empty for ε or ρ
            alone, and where the noise does not follow from an account.
        candidates: the kinds of noise that the account weighed up; empty without a choice.
        levels: from the root down; then what is released beside the levels, by its query.
        claimed: the budget that a published calibration claims, where the noise gives less
            privacy than that; else empty.
        claimed_epsilon: its ε; None where there is no such claim, or it was stated as ρ.
        events: all that is released, from which the guarantee at any δ is worked out.
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
    accounting: str = ""
    candidates: tuple[Candidate, ...] = ()
    events: tuple[Event, ...] = field(default=(), repr=False)

    def epsilon_at(self, delta: Number) -> Priced | None:
        """Return the smallest ε known at which the release gives (ε, δ), rounded up.

        None where a threshold needs a larger δ.

        Raises:
            BudgetError: δ is not a probability.
        """
        return priced(self.events, probability("delta", delta))

    def all_epsilons_at(self, delta: Number) -> tuple[Priced, ...]:
        """Return ε at δ by every bound that applies, rounded up.

        Raises:
            BudgetError: δ is not a probability.
        """
        return all_priced(self.events, probability("delta", delta))

    @property
    def as_approximate(self) -> str:
        """What a guarantee of ε or ρ alone is at a usual δ, as a sentence; empty for (ε, δ).

        Empty as well where δ buys no smaller ε.
        """
        if self.delta or not self.events or self.claimed:
            return ""
        found = self.epsilon_at(USUAL_DELTA)
        if found is None or (self.epsilon and _said(found.epsilon) == _said(self.epsilon)):
            return ""
        exact = found.source == EXACT_CURVE
        how = "exact curve of the noise" if exact else "conversion over Rényi orders"
        return f"At δ = {_said(USUAL_DELTA)} this is ε = {_said(found.epsilon)} ({how})."

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
        factor = factor_up(self.epsilon)
        if not self.delta:
            return f"That makes no outcome more than {factor} times as likely."
        return (
            f"That makes no outcome more than {factor} times as likely, except with probability "
            f"{_said(self.delta)}."
        )

    @property
    def _public(self) -> str:
        if not self.invariants:
            return ""
        public = f"Treated as public: {several(self.invariants)}."
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
    spending: Spending | None = None,
    states_what_is_spent: bool = False,
) -> PrivacyStatement:
    """What `events` cost together, beside the budget that was stated.

    Args:
        events: all that is released, one for each level that is measured among them.
        budget, allocation, levels: what was asked for.
        neighbours, unit, invariants: what the guarantee is about.
        spending: what the noise spends of the budget, where an account found that out.
        states_what_is_spent: the noise follows a published calibration, and ε is worked out
            from the events however much or little it is.

    Raises:
        BudgetError: they cost more than the budget.
    """
    spent_rho = total_rho(events)
    over = not within(events, budget)
    used = spending or _by_conversion(budget)
    if over and not states_what_is_spent:
        raise BudgetError(f"The mechanism would spend more than {budget.words}.")
    claimed = float_up(budget.epsilon) if over and budget.epsilon is not None else None
    by_level = {event.level: event for event in events}
    return PrivacyStatement(
        epsilon=_stated_epsilon(events, budget) if states_what_is_spent else _asked(budget),
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
            "approximate": used.source,
            "zcdp": "none: ρ is stated as it is",
        }[budget.kind],
        accounting=used.accounting,
        candidates=used.candidates,
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
    """What events made for the ρ of a budget spend, without an account of their own."""
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


def _stated_epsilon(events: Sequence[Event], budget: Budget) -> float | None:
    """The ε that events cost, however much or little it is, by the account of the budget."""
    if budget.epsilon is None:
        return None
    if budget.delta is None:
        spent = total_epsilon(events)
        assert spent is not None
        return float_up(spent)
    spent_rho = total_rho(events)
    if budget.accounting == SIMPLE_ACCOUNT and spent_rho is not None:
        return epsilon_of_rho(spent_rho, delta=budget.delta)
    bounds = [
        bound.epsilon
        for bound in all_priced(events, budget.delta)
        if budget.accounting == TIGHT_ACCOUNT or bound.source != EXACT_CURVE
    ]
    return min(bounds)


def _stated_delta(events: Sequence[Event], budget: Budget) -> float | None:
    """The δ stated, or what the events cost where that is more."""
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
                f"two-sided geometric (discrete Laplace), scale {least}, released from {threshold} "
                "on"
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


def _said(parameter: float) -> str:
    return upper(parameter, GUARANTEE_DIGITS)
