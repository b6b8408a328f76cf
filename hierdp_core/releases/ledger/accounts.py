"""What the releases of one dataset cost together, and what is left of its budget.

ε and ρ of releases add up, whatever was chosen in the light of earlier releases (Rogers, Roth,
Ullman and Vadhan 2016; Whitehouse, Ramdas, Rogers and Wu 2023). Under (ε, δ) all events are put
into one account, which is tighter, and whose proof takes the plans to be chosen beforehand.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, inf
from typing import Any, Self

from hierdp_core.exceptions import ReleaseError
from hierdp_core.privacy import Budget, Event, total_delta, total_epsilon, total_rho
from hierdp_core.privacy.account import priced, within
from hierdp_core.privacy.rounding import GUARANTEE_DIGITS, as_typed, lower, stated, upper

_GRID = 10**15  # costs are rounded up to one of so many parts of 1


@dataclass(frozen=True, kw_only=True)
class Account:
    """One dataset: its budget, and what was released of it.

    Attributes:
        dataset: its name.
        budget: ε, ρ, or ε with δ.
        events: of all releases so far, in order, those that failed included.
        costs: of each release, in the unit of the budget; empty under (ε, δ).
        protects: how neighbouring datasets differ, as the first release has it; empty before.
    """

    dataset: str
    budget: Budget
    events: tuple[Event, ...] = ()
    costs: tuple[Fraction, ...] = ()
    protects: str = ""

    @property
    def is_joint(self) -> bool:
        """Whether all releases are accounted together, under (ε, δ)."""
        return self.budget.kind == "approximate"

    @property
    def spent(self) -> Fraction:
        """The ε or ρ of all releases; under (ε, δ) the ε at that δ, rounded up."""
        if not self.is_joint:
            return sum(self.costs, Fraction(0))
        return self._epsilon(self.events)

    @property
    def left(self) -> Fraction:
        """What is left of ε or ρ; under (ε, δ) the total ε less the ε spent at that δ."""
        total = self.budget.rho if self.budget.kind == "zcdp" else self.budget.epsilon
        assert total is not None
        return max(Fraction(0), total - self.spent)

    def cost(self, events: Sequence[Event]) -> Fraction | None:
        """Return what events cost in the unit of the budget, rounded up; None under (ε, δ).

        Raises:
            ReleaseError: they have no cost in that unit.
        """
        if self.is_joint:
            return None
        if self.budget.kind == "zcdp":
            cost, other = total_rho(events), "which hides small cells by a threshold, has no ρ"
        else:
            cost, other = total_epsilon(events), "with Gaussian noise has no ε without δ"
        if cost is not None and self.budget.kind == "pure" and total_delta(events):
            cost, other = None, "which hides small cells by a threshold, needs δ"
        if cost is None:
            raise ReleaseError(
                f"The budget of “{self.dataset}” is {self.budget.words}, and this plan, {other}. "
                "Plan with a budget of the same kind."
            )
        return Fraction(ceil(cost * _GRID), _GRID)

    def require_room(self, events: Sequence[Event], *, protects: str) -> None:
        """Check that one more release keeps the budget.

        Args:
            events: of the release.
            protects: how neighbouring datasets differ.

        Raises:
            ReleaseError: it does not, or its cost cannot be added to that of the others.
        """
        if self.protects and protects != self.protects:
            raise ReleaseError(
                f"Earlier releases of “{self.dataset}” protect against {self.protects}, and this "
                f"plan against {protects}. Their costs cannot be added: plan for the same privacy "
                "unit and neighbours."
            )
        cost = self.cost(events)
        total = (*self.events, *events)
        fits = within(total, self.budget) if cost is None else cost <= self.left
        if not fits:
            raise ReleaseError(
                f"Over budget, nothing was spent: {self._needed(events, cost)}, and "
                f"{self.left_words} of {self.budget.words} for “{self.dataset}”."
            )

    def with_release(self, events: Sequence[Event]) -> Self:
        """Return the account as it is after a release of these events."""
        cost = self.cost(events) or Fraction(0)
        return replace(self, events=(*self.events, *events), costs=(*self.costs, cost))

    @property
    def left_words(self) -> str:
        """What is left, rounded down: "ε = 0.4 is left"."""
        if self.is_joint:
            return f"the releases so far cost ε = {self._words(self.spent)} at that δ"
        symbol = "ρ" if self.budget.kind == "zcdp" else "ε"
        return f"{symbol} = {lower(self.left, GUARANTEE_DIGITS)} is left"

    @property
    def spent_words(self) -> str:
        """What all releases cost together, rounded up: "ε = 0.6"."""
        symbol = "ρ" if self.budget.kind == "zcdp" else "ε"
        tail = f" at δ = {stated(self.budget.delta)}" if self.budget.delta is not None else ""
        return f"{symbol} = {self._words(self.spent)}{tail}"

    def as_dict(self) -> dict[str, Any]:
        """The account as JSON takes it; spent is rounded up, left is rounded down."""
        return {
            "dataset": self.dataset,
            "budget": budget_as_dict(self.budget),
            "spent": str(self.spent),
            "left": str(self.left),
            "releases": len(self.costs),
            "protects": self.protects,
        }

    def _needed(self, events: Sequence[Event], cost: Fraction | None) -> str:
        if cost is not None:
            symbol = "ρ" if self.budget.kind == "zcdp" else "ε"
            return f"the release costs {symbol} = {self._words(cost)}"
        together = self._epsilon((*self.events, *events))
        return f"with this release all would cost ε = {self._words(together)}"

    def _epsilon(self, events: Sequence[Event]) -> Fraction:
        assert self.budget.delta is not None
        if not events:
            return Fraction(0)
        known = priced(events, self.budget.delta)
        if known is None or known.epsilon == inf:
            raise ReleaseError(
                f"No account gives an ε at δ = {stated(self.budget.delta)} for all releases of "
                f"“{self.dataset}” together."
            )
        return Fraction(as_typed(known.epsilon))

    @staticmethod
    def _words(number: Fraction) -> str:
        return upper(number, GUARANTEE_DIGITS)


def budget_as_dict(budget: Budget) -> dict[str, str]:
    """Return the numbers of a budget as texts of fractions."""
    numbers = {"epsilon": budget.epsilon, "delta": budget.delta, "rho": budget.rho}
    return {name: str(value) for name, value in numbers.items() if value is not None}


def budget_from_dict(numbers: dict[str, str]) -> Budget:
    """Return the budget that `budget_as_dict` gave."""
    exact = {name: Fraction(text) for name, text in numbers.items()}
    return Budget.of(epsilon=exact.get("epsilon"), delta=exact.get("delta"), rho=exact.get("rho"))
