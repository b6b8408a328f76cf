"""Privacy parameters as exact numbers, checked against their ranges."""

from decimal import Decimal, InvalidOperation
from fractions import Fraction

from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy.rounding import to_decimal
from hierdp_core.util.constraints import LARGEST_BUDGET, SMALLEST_BUDGET

Number = int | float | str | Fraction

# An exact fraction of 1e99999999 would fill the memory, and one of a long text would take long.
_MOST_DIGITS = 400


def exact_number(name: str, value: Number) -> Fraction:
    """Return the exact value of a number. A float counts as the decimal number that it prints as.

    Raises:
        BudgetError: it is not a finite number, is far out of range or has too many digits. The
            message begins with `name`.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool):
        raise BudgetError(f"{name} must be a number, got {value}. Give a number, such as 0.5.")
    try:
        # Through the decimal text, so that 0.1 means one tenth.
        number = Decimal(str(value).strip())
    except InvalidOperation:
        raise BudgetError(
            f'{name} must be a number, got "{value}". Give a number, such as 0.5.'
        ) from None
    if not number.is_finite():
        raise BudgetError(f"{name} must be finite, got {value}. Give a number, such as 0.5.")
    if number and abs(number.adjusted()) > _MOST_DIGITS:
        raise BudgetError(f"{name} is far out of range. Give a number between 10⁻⁴⁰⁰ and 10⁴⁰⁰.")
    if len(number.as_tuple().digits) > _MOST_DIGITS:
        raise BudgetError(f"{name} has too many digits. Give {_MOST_DIGITS} or fewer.")
    return Fraction(number)


def within_range(name: str, value: Number) -> Fraction:
    """Return the exact value of a number that must lie in the range of budgets.

    Raises:
        BudgetError: the number lies outside this range.
    """
    number = exact_number(name, value)
    if not SMALLEST_BUDGET <= number <= LARGEST_BUDGET:
        raise BudgetError(
            f"{name} must lie between {to_decimal(SMALLEST_BUDGET):f} and "
            f"{to_decimal(LARGEST_BUDGET):,f}, got {value}. Give a number in this range."
        )
    return number


def not_negative(name: str, value: Number) -> Fraction:
    """Return the exact value of a number that must be at least 0.

    Raises:
        BudgetError: the number is negative.
    """
    number = exact_number(name, value)
    if number < 0:
        raise BudgetError(f"{name} must not be negative, got {value}. Give 0 or a larger number.")
    return number


def probability(name: str, value: Number) -> Fraction:
    """Return the exact value of a number that must lie strictly between 0 and 1.

    Raises:
        BudgetError: the number does not lie strictly between 0 and 1.
    """
    number = exact_number(name, value)
    if not 0 < number < 1:
        remedy = (
            "Give a small probability, such as 0.00000001." if name == "delta" else "Correct it."
        )
        raise BudgetError(f"{name} must lie strictly between 0 and 1, got {value}. {remedy}")
    return number
