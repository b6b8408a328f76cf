"""The joint cost of the releases of one dataset, and the rest of its budget.

ε and ρ of releases add up, even if a plan was chosen in the light of earlier releases (Rogers,
Roth, Ullman and Vadhan 2016; Whitehouse, Ramdas, Rogers and Wu 2023). Under (ε, δ), all events are
accounted for together. This is tighter, but its proof assumes that no plan was chosen in the light
of earlier releases.
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
from hierdp_core.releases.ledger import sentences

_GRID = 10**15  # costs are rounded up to a multiple of 1 over this number


@dataclass(frozen=True, kw_only=True)
class Account:
    """One dataset: its budget, and what its releases cost.

    Attributes:
        dataset: the name of the dataset.
        budget: a budget of ε, (ε, δ) or ρ.
        events: the events of all releases so far, in order, including those that failed.
        costs: the cost of each release, in the unit of the budget; 0 under (ε, δ).
        protects: how neighbouring datasets differ in the first release; empty before it.
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
        """The ε or ρ of all releases; under (ε, δ), their ε at this δ, rounded up."""
        if not self.is_joint:
            return sum(self.costs, Fraction(0))
        return self._epsilon(self.events)

    @property
    def left(self) -> Fraction:
        """The rest of ε or ρ; under (ε, δ), the ε of the budget minus the ε spent."""
        total = self.budget.rho if self.budget.kind == "zcdp" else self.budget.epsilon
        assert total is not None
        return max(Fraction(0), total - self.spent)

    def cost(self, events: Sequence[Event]) -> Fraction | None:
        """Return the cost of events in the unit of the budget, rounded up; None under (ε, δ).

        Raises:
            ReleaseError: they have no cost in that unit.
        """
        if self.is_joint:
            return None
        if self.budget.kind == "zcdp":
            cost, refusal = total_rho(events), sentences.threshold_under_zcdp
        else:
            cost, refusal = total_epsilon(events), sentences.gaussian_under_pure
        if cost is not None and self.budget.kind == "pure" and total_delta(events):
            cost, refusal = None, sentences.threshold_under_pure
        if cost is None:
            raise ReleaseError(refusal(self.dataset, self.budget.words))
        return Fraction(ceil(cost * _GRID), _GRID)

    def require_room(self, events: Sequence[Event], *, protects: str) -> None:
        """Check that one more release keeps the budget.

        Args:
            events: the events of the release.
            protects: how neighbouring datasets differ.

        Raises:
            ReleaseError: the budget is exceeded, or the costs cannot be added.
        """
        if self.protects and protects != self.protects:
            raise ReleaseError(sentences.other_neighbours(self.dataset, self.protects, protects))
        cost = self.cost(events)
        total = (*self.events, *events)
        fits = within(total, self.budget) if cost is None else cost <= self.left
        if not fits:
            raise ReleaseError(self._over_budget(events, cost))

    def with_release(self, events: Sequence[Event]) -> Self:
        """Return the account as it is after a release of these events."""
        cost = self.cost(events) or Fraction(0)
        return replace(self, events=(*self.events, *events), costs=(*self.costs, cost))

    @property
    def spent_words(self) -> str:
        """The joint cost of all releases, rounded up: "ε = 0.6" or "ε = 0.6 at δ = 10⁻⁸"."""
        return self._amount(self.spent)

    @property
    def balance(self) -> str:
        """A sentence on the budget spent, rounded up, and the budget left, rounded down."""
        if self.is_joint:
            return (
                sentences.joint_balance(self.spent_words)
                if self.events
                else sentences.NOTHING_SPENT
            )
        return sentences.balance(self.spent_words, self._left_words)

    def balance_after(self, events: Sequence[Event]) -> str:
        """Return a sentence on the budget spent and left after a release of these events."""
        after = self.with_release(events)
        if self.is_joint:
            return sentences.joint_balance_after(after.spent_words)
        return sentences.balance_after(after.spent_words, after._left_words)

    def as_dict(self) -> dict[str, Any]:
        """Return the account as values for JSON; `spent` is rounded up, `left` is rounded down.

        Under (ε, δ), costs do not add up, so `left` is None, and `condition` is the condition under
        which `spent` is correct.
        """
        return {
            "dataset": self.dataset,
            "budget": budget_as_dict(self.budget),
            "spent": str(self.spent),
            "left": None if self.is_joint else str(self.left),
            "condition": sentences.CHOSEN_BEFORE if self.is_joint else "",
            "releases": len(self.costs),
            "protects": self.protects,
        }

    def _over_budget(self, events: Sequence[Event], cost: Fraction | None) -> str:
        if cost is not None:
            return sentences.over_budget(
                self.dataset,
                self.budget.words,
                cost=self._amount(cost),
                left=self._left_words,
                none_left=self.left <= 0,
            )
        return sentences.over_joint_budget(
            self.dataset,
            self.budget.words,
            spent=self.spent_words,
            together=self._amount(self._epsilon((*self.events, *events))),
        )

    def _epsilon(self, events: Sequence[Event]) -> Fraction:
        assert self.budget.delta is not None
        if not events:
            return Fraction(0)
        price = priced(events, self.budget.delta)
        if price is None or price.epsilon == inf:
            delta = stated(self.budget.delta)
            raise ReleaseError(sentences.no_joint_epsilon(self.dataset, delta))
        return Fraction(as_typed(price.epsilon))

    @property
    def _left_words(self) -> str:
        return f"{self._symbol} = {lower(self.left, GUARANTEE_DIGITS)}"

    def _amount(self, number: Fraction) -> str:
        amount = f"{self._symbol} = {upper(number, GUARANTEE_DIGITS)}"
        if self.budget.delta is None:
            return amount
        return f"{amount} at δ = {stated(self.budget.delta)}"

    @property
    def _symbol(self) -> str:
        return "ρ" if self.budget.kind == "zcdp" else "ε"


def budget_as_dict(budget: Budget) -> dict[str, str]:
    """Return the numbers of a budget as texts of fractions."""
    numbers = {"epsilon": budget.epsilon, "delta": budget.delta, "rho": budget.rho}
    return {name: str(value) for name, value in numbers.items() if value is not None}


def budget_from_dict(numbers: dict[str, str]) -> Budget:
    """Return the budget from the values of `budget_as_dict`."""
    exact = {name: Fraction(text) for name, text in numbers.items()}
    return Budget.of(epsilon=exact.get("epsilon"), delta=exact.get("delta"), rho=exact.get("rho"))
