"""Rounding of the numbers of a guarantee in the safe direction.

A guarantee may be printed weaker than it is, never stronger. Upper bounds on the privacy loss (ε,
δ, ρ, a factor between probabilities) are rounded up, and lower bounds (from an audit) are rounded
down. Arithmetic is either exact, or in decimals of 60 digits. Results of the latter are moved in
the safe direction by more than the rounding errors of their steps.

A float counts as the shortest decimal that reads back as the same float, which is also how it
prints: 0.1 is one tenth.
"""

import math
from collections.abc import Iterable
from contextlib import AbstractContextManager
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction

Real = Fraction | Decimal | float | int

STATED_DIGITS = 17  # enough to distinguish every float from its neighbours
GUARANTEE_DIGITS = 6

_DIGITS = 3
_WORKING_DIGITS = 60
# Factors that move a result by 1e-50 of itself. It has about ten steps, each with an error below
# 1e-59 of it.
_MORE, _LESS = Decimal(f"1.{'0' * 49}1"), Decimal(f"0.{'9' * 50}")
_FARTHEST = 10**9  # largest power of ten, enough for e^ε of any ε
_MOST_PERCENT, _LEAST_PERCENT = Decimal("99.999"), Decimal("0.001")
_PLAIN_FROM, _PLAIN_TO = -4, 6  # numbers with powers of ten outside this range are written as such
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def rounded_up(value: Real, digits: int = _DIGITS) -> Decimal:
    """Return the smallest decimal of at most `digits` significant digits that is not below `value`.

    >>> rounded_up(1.2345644, 6), rounded_up(Fraction(1, 3)), rounded_up(0.1)
    (Decimal('1.23457'), Decimal('0.334'), Decimal('0.1'))
    """
    return _rounded(value, digits, ROUND_CEILING)


def rounded_down(value: Real, digits: int = _DIGITS) -> Decimal:
    """Return the largest decimal of at most `digits` significant digits that is not above `value`.

    >>> rounded_down(0.92778), rounded_down(Fraction(2, 3))
    (Decimal('0.927'), Decimal('0.666'))
    """
    return _rounded(value, digits, ROUND_FLOOR)


def upper(value: Real, digits: int = _DIGITS) -> str:
    """Return `value` rounded up, as text for people to read.

    >>> upper(32859.6), upper(1e-8), upper(2.5e-8), upper(0.3333), upper(float("inf"))
    ('32,900', '10⁻⁸', '2.5 × 10⁻⁸', '0.334', '∞')
    """
    return _in_words(value, digits, ROUND_CEILING)


def lower(value: Real, digits: int = _DIGITS) -> str:
    """Return `value` rounded down, as text for people to read.

    >>> lower(0.92778), lower(0)
    ('0.927', '0')
    """
    return _in_words(value, digits, ROUND_FLOOR)


def stated(value: Real) -> str:
    """Return a number as it was stated, with all its digits; beyond 17 digits it is rounded up.

    >>> stated(Fraction("1.2345644")), stated(1e-8), stated(10_000), stated(Fraction(1, 3))
    ('1.2345644', '10⁻⁸', '10,000', '0.33333333333333334')
    """
    return upper(value, STATED_DIGITS)


def as_typed(value: float) -> str:
    """Return a number as commands, addresses and code accept it; it reads back as the same float.

    >>> as_typed(1e-8), as_typed(10_000.0)
    ('1e-08', '10000')
    """
    return repr(float(value)).removesuffix(".0")


def percent_as_typed(share: float) -> str:
    """Return the percentage as which a proportion was typed, with all its digits.

    >>> percent_as_typed(0.8), percent_as_typed(14.1 / 100), percent_as_typed(66.66666667 / 100)
    ('80', '14.1', '66.66666667')
    """
    texts = (f"{100 * share:.{digits}g}" for digits in range(1, STATED_DIGITS + 1))
    return next(
        (as_typed(float(t)) for t in texts if float(t) / 100 == share), as_typed(100 * share)
    )


def factor_up(epsilon: Real, digits: int = _DIGITS) -> str:
    """Return e^ε rounded up: how many times as likely an outcome can become.

    The excess over 1 keeps its significant digits, so that a small ε is not shown as "1".

    >>> [factor_up(e) for e in (0.001, 0.7, 1, 10.4, 100)]
    ['1.00101', '2.02', '2.72', '32,900', '2.69 × 10⁴³']
    """
    if _is_infinite(epsilon):
        return "∞"
    with working_digits():
        factor = raised(to_decimal(epsilon).exp())
        excess = factor - 1
    if excess >= 100:
        return upper(factor, digits)
    with working_digits(ROUND_CEILING):
        return _plain(1 + _rounded(excess, digits, ROUND_CEILING))


def percent_up(chance: float) -> str:
    """Return an upper bound on a probability as a percentage, rounded up and never 0% or 100%.

    Beyond 0.001% and 99.999%, only this is stated.

    >>> [percent_up(c) for c in (0.731, 0.9991, 0.00004, 1, 0)]
    ['74%', '99.91%', '0.004%', 'more than 99.999%', 'less than 0.001%']
    """
    return _percent(chance, ROUND_CEILING)


def percent_exact(chance: float) -> str:
    """Return, as a percentage, a probability that was chosen, with all its digits.

    >>> percent_exact(0.5), percent_exact(0.07), percent_exact(0.001)
    ('50%', '7%', '0.1%')
    """
    return f"{stated(100 * Fraction(str(chance)))}%"


def percent_down(chance: float) -> str:
    """Return a lower bound on a probability as a percentage, rounded down and never 0% or 100%.

    Beyond 0.001% and 99.999%, only this is stated.

    >>> [percent_down(c) for c in (0.269, 0.9919, 0.00004, 1, 0)]
    ['26%', '99.1%', '0.004%', 'more than 99.999%', 'less than 0.001%']
    """
    return _percent(chance, ROUND_FLOOR)


def working_digits(rounding: str = ROUND_HALF_EVEN) -> AbstractContextManager[Context]:
    """Return a context in which decimal arithmetic has 60 digits.

    A result must pass through `raised` or `lowered` before it is used as a bound.
    """
    return localcontext(_context(_WORKING_DIGITS, rounding))


def to_decimal(value: Real) -> Decimal:
    """Return `value` to 60 digits; a float counts as the decimal that it prints as."""
    if isinstance(value, Decimal):
        return value
    if isinstance(value, Fraction):
        context = _context(_WORKING_DIGITS, ROUND_HALF_EVEN)
        return context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Decimal(str(value))


def raised(value: Decimal) -> Decimal:
    """Return an upper bound on a result, at least 0, that was computed as `value`.

    `value` must have been computed inside `working_digits`, in about ten steps.
    """
    return _context(_WORKING_DIGITS, ROUND_CEILING).multiply(value, _MORE)


def lowered(value: Decimal) -> Decimal:
    """Return a lower bound on a result, at least 0, that was computed as `value`.

    `value` must have been computed inside `working_digits`, in about ten steps.
    """
    return _context(_WORKING_DIGITS, ROUND_FLOOR).multiply(value, _LESS)


def root_up(value: Real) -> Decimal:
    """Return √value rounded up at the 60th digit; exact if it has no more digits.

    >>> root_up(4)
    Decimal('2')
    """
    return _root(value, ROUND_CEILING)


def root_down(value: Real) -> Decimal:
    """Return √value rounded down at the 60th digit; exact if it has no more digits."""
    return _root(value, ROUND_FLOOR)


def float_up(exact: Fraction | Decimal) -> float:
    """Return the smallest float that does not print as less than `exact`.

    >>> float_up(Fraction(1, 10)), float_up(Fraction(1, 3))
    (0.1, 0.33333333333333337)
    """
    value = float(exact)
    while type(exact)(repr(value)) < exact:
        value = math.nextafter(value, math.inf)
    return value


def float_down(exact: Fraction | Decimal) -> float:
    """Return the largest float that does not print as more than `exact`.

    >>> float_down(Fraction(1, 10)), float_down(Fraction(1, 3))
    (0.1, 0.3333333333333333)
    """
    return -float_up(exact.copy_negate() if isinstance(exact, Decimal) else -exact)


def _context(digits: int, rounding: str) -> Context:
    return Context(prec=digits, rounding=rounding, Emax=_FARTHEST, Emin=-_FARTHEST)


def _rounded(value: Real, digits: int, rounding: str) -> Decimal:
    context = _context(digits, rounding)
    if isinstance(value, Fraction):
        number = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    else:
        number = context.plus(Decimal(str(value)) if not isinstance(value, Decimal) else value)
    return number.normalize(context)


def _root(value: Real, rounding: str) -> Decimal:
    exact = Fraction(value) if isinstance(value, Fraction | Decimal) else Fraction(str(value))
    context = _context(_WORKING_DIGITS, rounding)
    root = context.sqrt(context.divide(Decimal(exact.numerator), Decimal(exact.denominator)))
    # Decimal.sqrt rounds to nearest, whatever the context says.
    if rounding == ROUND_CEILING:
        return root if Fraction(root) ** 2 >= exact else context.next_plus(root)
    return root if Fraction(root) ** 2 <= exact else context.next_minus(root)


def _is_infinite(value: Real) -> bool:
    # Not math.isinf: it calls a Decimal as large as e^10,000 infinite.
    return value.is_infinite() if isinstance(value, Decimal) else value in (math.inf, -math.inf)


def _percent(chance: float, rounding: str) -> str:
    with working_digits():
        value = 100 * to_decimal(chance)
        from_certainty = min(value, 100 - value)
    if value > _MOST_PERCENT:
        return f"more than {_MOST_PERCENT}%"
    if value < _LEAST_PERCENT:
        return f"less than {_LEAST_PERCENT}%"
    decimals = 0 if from_certainty >= 1 else -from_certainty.adjusted()
    return f"{_plain(value.quantize(Decimal(1).scaleb(-decimals), rounding))}%"


def _in_words(value: Real, digits: int, rounding: str) -> str:
    if _is_infinite(value):
        return "∞" if value > 0 else "\N{MINUS SIGN}∞"
    return _plain(_rounded(value, digits, rounding))


def _plain(number: Decimal) -> str:
    """Return a decimal as text, without an exponent if that is short, otherwise with one."""
    number = number.normalize(_context(_WORKING_DIGITS, ROUND_HALF_EVEN))
    power = number.adjusted()
    if not number or _PLAIN_FROM <= power <= _PLAIN_TO:
        return f"{number:,f}".replace("-", "\N{MINUS SIGN}")
    head = number.scaleb(-power, _context(_WORKING_DIGITS, ROUND_HALF_EVEN))
    ten = f"10{str(power).translate(_SUPERSCRIPTS)}"
    if head == 1:
        return ten
    return f"{head:f} × {ten}".replace("-", "\N{MINUS SIGN}")


def parameter(value: float) -> str:
    """Return a privacy parameter rounded up to three digits, or to an integer from 1,000 on.

    >>> [parameter(v) for v in (1.0, 0.25, 1 / 3, 19.61, 1e-8, 1047.67)]
    ['1', '0.25', '0.334', '19.7', '10⁻⁸', '1,048']
    """
    if math.isnan(value):
        return "–"
    return upper(value, digits=_digits_of_parameter(value))


def rounding_note(symbol: str, values: Iterable[float]) -> str:
    """Return a sentence on the rounding of parameters; empty if `parameter` changes none.

    >>> rounding_note("ε", [1 / 3, 1 / 3, 1 / 3]), rounding_note("ε", [0.25, 0.75])
    ('Each ε is rounded up.', '')
    """
    finite = [value for value in values if math.isfinite(value)]
    exact = all(rounded_up(v, _digits_of_parameter(v)) == to_decimal(v) for v in finite)
    return "" if exact else f"Each {symbol} is rounded up."


def _digits_of_parameter(value: float) -> int:
    return max(3, len(str(math.floor(value))))
