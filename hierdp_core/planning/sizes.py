"""The size of a budget: its ε or its ρ, the number that a search changes."""

from fractions import Fraction

from hierdp_core.exceptions import BudgetError
from hierdp_core.planning.bisection import LARGEST, SMALLEST
from hierdp_core.privacy import Budget, Number
from hierdp_core.util.earlier import Arguments, Earlier


def of_size(kind: Budget, size: Fraction) -> Budget:
    """The budget of a size that is stated as `kind` is: as ε, as ε with its δ, or as ρ."""
    if kind.rho is not None:
        return Budget.zcdp(size)
    if kind.delta is None:
        return Budget.pure(size)
    return Budget.approximate(size, kind.delta, accounting=kind.accounting, noise=kind.noise)


def size_of(budget: Budget) -> float:
    """Its ρ where it is stated as one, else its ε."""
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
    """The budget of a size, in words: what it is a size of, and the δ that goes with ε.

    Raises:
        BudgetError: the size cannot be searched, or δ is stated beside ρ.
    """
    if not SMALLEST <= float(size) <= LARGEST:
        raise BudgetError(
            f"The largest budget to try lies between {SMALLEST:g} and {LARGEST:,.0f}; got "
            f"{float(size):g}."
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
