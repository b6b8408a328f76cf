"""Privacy-loss budgets, and their allocation to the levels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy.conversion import rho_of_epsilon, rho_of_epsilon_tight
from hierdp_core.privacy.numbers import Number, probability, within_range
from hierdp_core.privacy.rounding import as_typed, stated
from hierdp_core.util.text import counted, join_or

LARGEST_SHARE = 10_000

# Accounting methods: how the noise for (ε, δ) is computed. A text describes each of them.
TIGHT_ACCOUNT, ZCDP_ACCOUNT, SIMPLE_ACCOUNT = "tight", "zcdp", "simple"
ACCOUNTS = {
    TIGHT_ACCOUNT: "the exact privacy curve of the noise",
    ZCDP_ACCOUNT: "ρ, converted over Rényi orders (Corollary 13)",
    SIMPLE_ACCOUNT: "ρ, converted by the simple bound, as in the papers",
}
BEST_NOISE, GAUSSIAN_NOISE, GEOMETRIC_NOISE = "best", "gaussian", "geometric"
NOISES = {
    BEST_NOISE: "the kind with less variance",
    GAUSSIAN_NOISE: "discrete Gaussian",
    GEOMETRIC_NOISE: "two-sided geometric",
}


@dataclass(frozen=True, kw_only=True)
class Budget:
    """A privacy-loss budget: ε, (ε, δ) or ρ.

    Create one with `pure`, `approximate` or `zcdp`. The numbers are kept exactly as stated.

    Attributes:
        epsilon: ε; None if it was not stated.
        delta: δ; None for a budget of ε alone or of ρ.
        rho: ρ; None if it was not stated.
        accounting: the accounting method, one of `ACCOUNTS`: how the noise for (ε, δ) is
            computed. It has no effect on a budget of ε alone or of ρ.
        noise: the kind of noise, one of `NOISES`, for (ε, δ) with tight accounting. The other
            accounting methods use Gaussian noise.
    """

    epsilon: Fraction | None = None
    delta: Fraction | None = None
    rho: Fraction | None = None
    accounting: str = TIGHT_ACCOUNT
    noise: str = BEST_NOISE

    @classmethod
    def of(
        cls,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        accounting: str | None = None,
        noise: str | None = None,
    ) -> Self:
        """Return the budget with these numbers.

        Raises:
            BudgetError: no budget or more than one is given, a number is outside its range, or
                the accounting method or the kind of noise is unknown or is given without δ.
        """
        kind = _kind_of_account(accounting, noise, has_delta=delta is not None)
        if rho is not None and (epsilon is not None or delta is not None):
            raise BudgetError(
                "rho is given beside epsilon or delta. State the budget once: epsilon, epsilon "
                "with delta, or rho alone."
            )
        if rho is not None:
            return cls(rho=within_range("rho", rho))
        if epsilon is None and delta is not None:
            raise BudgetError("delta alone is not a budget. State epsilon with delta, or rho.")
        if epsilon is None:
            raise BudgetError("State a budget: epsilon, epsilon with delta, or rho.")
        if delta is None:
            return cls(epsilon=within_range("epsilon", epsilon))
        stated_epsilon, stated_delta = within_range("epsilon", epsilon), probability("delta", delta)
        return cls(epsilon=stated_epsilon, delta=stated_delta, accounting=kind[0], noise=kind[1])

    @classmethod
    def pure(cls, epsilon: Number) -> Self:
        """Return a budget of ε alone: pure DP.

        Raises:
            BudgetError: ε is outside its range.

        >>> Budget.pure(0.5).words
        'ε = 0.5'
        """
        return cls.of(epsilon=epsilon)

    @classmethod
    def approximate(
        cls,
        epsilon: Number,
        delta: Number,
        *,
        accounting: str = TIGHT_ACCOUNT,
        noise: str = BEST_NOISE,
    ) -> Self:
        """Return a budget of (ε, δ): approximate DP.

        Args:
            epsilon: the ε of the guarantee.
            delta: the δ of the guarantee.
            accounting: "tight" uses the exact privacy curve of the noise, or another bound where
                that allows less noise. "zcdp" converts (ε, δ) to ρ by Corollary 13 of Canonne,
                Kamath and Steinke 2020. "simple" does so by Proposition 1.3 of Bun and Steinke
                2016, as in the papers.
            noise: "best", "gaussian" or "geometric". Geometric noise needs tight accounting.

        Raises:
            BudgetError: a number is outside its range, or the accounting method or the kind of
                noise is unknown, or they cannot be combined.
        """
        return cls.of(epsilon=epsilon, delta=delta, accounting=accounting, noise=noise)

    @classmethod
    def zcdp(cls, rho: Number) -> Self:
        """Return a budget of ρ: zero-concentrated DP (zCDP).

        Raises:
            BudgetError: ρ is outside its range.
        """
        return cls.of(rho=rho)

    @classmethod
    def stated(
        cls,
        budget: Self | None = None,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        accounting: str | None = None,
        noise: str | None = None,
    ) -> Self:
        """Return `budget` if given, otherwise the budget with these numbers.

        Raises:
            BudgetError: both or neither are given, or as in `of`.
        """
        if budget is None:
            return cls.of(epsilon=epsilon, delta=delta, rho=rho, accounting=accounting, noise=noise)
        if any(word is not None for word in (epsilon, delta, rho, accounting, noise)):
            raise BudgetError("State the budget once: as budget, or as epsilon, delta or rho.")
        return budget

    @property
    def kind(self) -> str:
        """The kind of the budget: "pure" for ε, "approximate" for (ε, δ), "zcdp" for ρ."""
        if self.rho is not None:
            return "zcdp"
        return "pure" if self.delta is None else "approximate"

    @property
    def spendable_rho(self) -> Fraction | None:
        """The ρ that Gaussian noise may spend, whatever is released; None for pure ε.

        For (ε, δ) this is the ρ that the simple bound or Corollary 13 gives. With tight accounting,
        a plan may spend more (see `spending`). Where tight accounting does not apply, it spends
        this ρ, from Corollary 13.
        """
        if self.rho is not None:
            return self.rho
        if self.epsilon is None or self.delta is None:
            return None
        if self.accounting == SIMPLE_ACCOUNT:
            return Fraction(as_typed(rho_of_epsilon(self.epsilon, delta=self.delta)))
        return Fraction(as_typed(rho_of_epsilon_tight(self.epsilon, delta=self.delta)))

    def times(self, part: Fraction) -> "Budget":
        """Return a part of the budget; for (ε, δ), that part of its `spendable_rho`."""
        rho = self.spendable_rho
        if rho is not None:
            return Budget(rho=part * rho)
        assert self.epsilon is not None
        return Budget(epsilon=part * self.epsilon)

    def less(self, epsilon: Fraction) -> "Budget":
        """Return the rest of the budget after a release that is ε-DP.

        From a budget in ε, the release takes ε. From a budget in ρ it takes ε²/2, and from one in
        (ε, δ) it takes ε²/2 of its `spendable_rho`.

        Source: Bun and Steinke 2016, Proposition 1.4.

        Raises:
            BudgetError: nothing is left.
        """
        rho = self.spendable_rho
        if rho is None:
            assert self.epsilon is not None
            left, rest = self.epsilon - epsilon, Budget(epsilon=self.epsilon - epsilon)
        else:
            left, rest = rho - epsilon**2 / 2, Budget(rho=rho - epsilon**2 / 2)
        if left <= 0:
            raise BudgetError(
                f"ε = {stated(epsilon)} for one number leaves nothing of the budget, {self.words}. "
                "Use a smaller ε for this number, or a larger budget."
            )
        return rest

    @property
    def words(self) -> str:
        """The budget as it was stated: "ε = 1, δ = 10⁻⁸"."""
        if self.rho is not None:
            return f"ρ = {stated(self.rho)}"
        tail = "" if self.delta is None else f", δ = {stated(self.delta)}"
        return f"ε = {stated(self.epsilon or Fraction(0))}{tail}"


def _kind_of_account(
    accounting: str | None, noise: str | None, *, has_delta: bool
) -> tuple[str, str]:
    """Return the accounting method and the kind of noise, with defaults filled in.

    Raises:
        BudgetError: one is unknown, or there is no δ, or they cannot be combined.
    """
    account, kind = accounting or TIGHT_ACCOUNT, noise or BEST_NOISE
    for name, word, known in (("accounting", accounting, ACCOUNTS), ("noise", noise, NOISES)):
        if word is not None and not has_delta:
            raise BudgetError(
                f"{name} applies only to a budget with δ. Leave it out (--{name}), or state δ as "
                "well (--delta)."
            )
        if word is not None and word not in known:
            # Geometric noise has tight accounting only.
            offered = list(known)
            if name == "noise" and account != TIGHT_ACCOUNT:
                offered.remove(GEOMETRIC_NOISE)
            if name == "accounting" and kind == GEOMETRIC_NOISE:
                offered = [TIGHT_ACCOUNT]
            raise BudgetError(f'{name} has no value "{str(word)[:40]}". Choose {join_or(offered)}.')
    if account != TIGHT_ACCOUNT and kind == GEOMETRIC_NOISE:
        raise BudgetError(
            f'Accounting method "{account}" gives Gaussian noise only. For geometric noise, use '
            'accounting method "tight".'
        )
    return account, kind


@dataclass(frozen=True, kw_only=True)
class Allocation:
    """The allocation of a budget to the levels, as integer weights.

    A level with weight 0 is not measured at all.

    Attributes:
        weights: one for each level, from the root down.
    """

    weights: tuple[int, ...]

    @classmethod
    def of(cls, weights: Sequence[int] | None, levels: Sequence[str]) -> Self:
        """Return the allocation with these weights.

        Args:
            weights: one for each of `levels`; None means equal weights.
            levels: level names, from the root down.

        Raises:
            BudgetError: there are too few or too many weights, one is negative, too large or not
                an integer, or the weight of the last level is 0.
        """
        if weights is None:
            return cls(weights=(1,) * len(levels))
        named = ", ".join(levels)
        if len(weights) != len(levels):
            raise BudgetError(
                f"The allocation has {counted(len(weights), 'weight')}. Give one for each level "
                f"that can get noise: {named}."
            )
        for level, weight in zip(levels, weights, strict=True):
            if isinstance(weight, bool) or not _is_whole(weight):
                raise BudgetError(
                    f"Weights must be whole numbers; {level} has {weight}. Write 1, 3 "
                    "instead of 0.25, 0.75."
                )
            if weight < 0:
                raise BudgetError(
                    f"Weights cannot be negative; {level} has {weight}. Give 0 or a larger whole "
                    "number."
                )
            if weight > LARGEST_SHARE:
                raise BudgetError(
                    f"Weights go up to {LARGEST_SHARE:,}; {level} has {weight}. Only their ratios "
                    "matter, so divide all of them."
                )
        if not any(weights):
            raise BudgetError(
                f"All weights are 0. Give at least the last level, {levels[-1]}, a weight above 0."
            )
        if not weights[-1]:
            raise BudgetError(
                f"The last level, {levels[-1]}, has the weight 0. Nothing then shows how an area's "
                "count is divided among its sub-areas. Give it a weight above 0."
            )
        return cls(weights=tuple(int(weight) for weight in weights))

    @property
    def fractions(self) -> tuple[Fraction, ...]:
        """Each level's part of the budget, from the root down; they sum to exactly 1."""
        total = sum(self.weights)
        return tuple(Fraction(weight, total) for weight in self.weights)

    @property
    def words(self) -> str:
        """The weights as they are entered, such as "1,1,2"."""
        return ",".join(map(str, self.weights))

    @property
    def ratio(self) -> str:
        """The weights as people read them, such as "1 : 1 : 2"."""
        return " : ".join(map(str, self.weights))


@dataclass(frozen=True, kw_only=True)
class SharePreset:
    """A named allocation of the budget; `weights_for` returns None for levels it does not fit."""

    id: str
    title: str
    about: str
    weights_for: Callable[[Sequence[str]], tuple[int, ...] | None]


def _census_2020(levels: Sequence[str]) -> tuple[int, ...] | None:
    # Redistricting data, persons, in 4099ths of the budget. Levels below counties are left out.
    known = {"nation": 104, "region": 0, "division": 0, "state": 1440, "county": 447}
    fits = set(levels) <= set(known) and {"nation", "state", "county"} <= set(levels)
    return tuple(known[level] for level in levels) if fits else None


PRESETS = (
    SharePreset(
        id="even",
        title="Equal",
        about="Every level gets the same part of the budget, as in the papers.",
        weights_for=lambda levels: (1,) * len(levels),
    ),
    SharePreset(
        id="top",
        title="Favour upper levels",
        about="Each level gets half as much as the one above it.",
        weights_for=lambda levels: tuple(2**k for k in reversed(range(len(levels)))),
    ),
    SharePreset(
        id="bottom",
        title="Favour lower levels",
        about="Each level gets twice as much as the one above it.",
        weights_for=lambda levels: tuple(2**k for k in range(len(levels))),
    ),
    SharePreset(
        id="census-2020",
        title="2020 Census",
        about=(
            "The relative allocation to nation, state and county in the 2020 Census redistricting "
            "data, persons (104 : 1,440 : 447). The levels below counties are left out. "
            "Source: US Census Bureau production settings, public domain."
        ),
        weights_for=_census_2020,
    ),
)


def _is_whole(value: object) -> bool:
    try:
        return isinstance(value, int) or int(value) == value  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        return False
