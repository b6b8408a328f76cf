"""The size of a budget: its ε or its ρ, the number that a search changes."""

from fractions import Fraction

from hierdp_core.exceptions import BudgetError
from hierdp_core.planning.bisection import LARGEST, SMALLEST
from hierdp_core.privacy import Budget, Number
from hierdp_core.privacy.numbers import exact_number
from hierdp_core.util.earlier import Arguments, Earlier
from hierdp_core.util.text import number


def of_size(kind: Budget, size: Fraction) -> Budget:
    """Return a budget of this size, stated in the form of `kind`: ε, ε with its δ, or ρ."""
    if kind.rho is not None:
        return Budget.zcdp(size)
    if kind.delta is None:
        return Budget.pure(size)
    return Budget.approximate(size, kind.delta, accounting=kind.accounting, noise=kind.noise)


def size_of(budget: Budget) -> float:
    """Return the size of a budget: its ρ if it is stated as ρ, else its ε."""
    return float((budget.epsilon if budget.rho is None else budget.rho) or 0)


def unit_of(budget: Budget) -> str:
    """Return the unit of a budget's size: "rho" or "epsilon"."""
    return "epsilon" if budget.rho is None else "rho"


def stated_size(
    size: Number,
    *,
    unit: str = "epsilon",
    delta: Number | None = None,
    accounting: str | None = None,
    noise: str | None = None,
) -> Budget:
    """Return the largest budget to test, from its size, its unit and the δ to use with ε.

    Raises:
        BudgetError: the size is not a number or out of range, or δ is given with ρ.
    """
    given = float(exact_number("The largest budget to try", size))
    if not SMALLEST <= given <= LARGEST:
        raise BudgetError(
            f"The largest budget to try lies between {number(SMALLEST)} and {LARGEST:,.0f}; got "
            f"{number(given)}. Give one in this range."
        )
    if unit == "rho" and delta is not None:
        raise BudgetError("δ is used with ε. Leave it out for a budget in ρ.")
    return Budget.of(
        epsilon=None if unit == "rho" else size,
        rho=size if unit == "rho" else None,
        delta=delta,
        accounting=accounting,
        noise=noise,
    )


def _in_most(arguments: Arguments, old: Arguments) -> Arguments:
    words = dict(old)
    unit = "rho" if words.pop("in_rho", False) else "epsilon"
    return {"most": stated_size(arguments.get("most", LARGEST), unit=unit, **words)}


KIND_OF_BUDGET = Earlier(
    words=("in_rho", "delta", "accounting", "noise"),
    now="most=hdp.Budget.zcdp(…), or hdp.Budget.approximate(…)",
    replace=_in_most,
)
