"""Numbers of a guarantee, rounded the safe way.

A guarantee may be printed weaker than it is, never stronger: what bounds the privacy loss from
above (ε, δ, ρ, a factor between probabilities) is rounded up, what bounds it from below (an audit)
is rounded down. All arithmetic is exact or in decimal with directed rounding.

A float stands for the shortest decimal that reads back as the same float, which is also how it is
printed: 0.1 is one tenth.
"""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

Real = Fraction | float | int

_DIGITS = 3
_WORKING_DIGITS = 60
_PLAIN_FROM, _PLAIN_TO = -4, 6  # powers of ten outside are written as such
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def rounded_up(value: Real, digits: int = _DIGITS) -> Decimal:
    """The least decimal of so many significant digits that is not below `value`.

    >>> rounded_up(1.2345644, 6), rounded_up(Fraction(1, 3)), rounded_up(0.1)
    (Decimal('1.23457'), Decimal('0.334'), Decimal('0.1'))
    """
    return _rounded(value, digits, ROUND_CEILING)


def rounded_down(value: Real, digits: int = _DIGITS) -> Decimal:
    """The largest decimal of so many significant digits that is not above `value`.

    >>> rounded_down(0.92778), rounded_down(Fraction(2, 3))
    (Decimal('0.927'), Decimal('0.666'))
    """
    return _rounded(value, digits, ROUND_FLOOR)


def upper(value: Real, digits: int = _DIGITS) -> str:
    """`value` rounded up, as people read it.

    >>> upper(32859.6), upper(1e-8), upper(2.5e-8), upper(0.3333), upper(float("inf"))
    ('32,900', '10⁻⁸', '2.5 × 10⁻⁸', '0.334', '∞')
    """
    return _in_words(value, digits, ROUND_CEILING)


def lower(value: Real, digits: int = _DIGITS) -> str:
    """`value` rounded down, as people read it.

    >>> lower(0.92778), lower(0)
    ('0.927', '0')
    """
    return _in_words(value, digits, ROUND_FLOOR)


def factor_up(epsilon: Real, digits: int = _DIGITS) -> str:
    """e^ε rounded up: by how many times an outcome can become more likely.

    What lies above 1 keeps its significant digits, so that small ε do not read as "1 times".

    >>> [factor_up(e) for e in (0.001, 0.7, 1, 10.4, 100)]
    ['1.00101', '2.02', '2.72', '32,900', '2.69 × 10⁴³']
    """
    if math.isinf(epsilon):
        return "∞"
    context = Context(prec=_WORKING_DIGITS, rounding=ROUND_CEILING, Emax=10**9, Emin=-(10**9))
    # Decimal.exp rounds to nearest, so one unit in its last place is added.
    factor = context.next_plus(context.exp(rounded_up(epsilon, _WORKING_DIGITS)))
    excess = _rounded(Fraction(factor - 1), digits, ROUND_CEILING)
    return _plain(1 + excess if excess < 100 else _rounded(Fraction(factor), digits, ROUND_CEILING))


def float_up(exact: Fraction) -> float:
    """The least float that does not print as less than `exact`.

    >>> float_up(Fraction(1, 10)), float_up(Fraction(1, 3))
    (0.1, 0.33333333333333337)
    """
    value = float(exact)
    while Fraction(repr(value)) < exact:
        value = math.nextafter(value, math.inf)
    return value


def float_down(exact: Fraction) -> float:
    """The largest float that does not print as more than `exact`."""
    return -float_up(-exact)


def _rounded(value: Real, digits: int, rounding: str) -> Decimal:
    exact = value if isinstance(value, Fraction) else Fraction(str(value))
    context = Context(prec=digits, rounding=rounding, Emax=10**9, Emin=-(10**9))
    number = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return number.normalize(context)


def _in_words(value: Real, digits: int, rounding: str) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "\N{MINUS SIGN}∞"
    return _plain(_rounded(value, digits, rounding))


def _plain(number: Decimal) -> str:
    """A decimal without exponent where that is short, else as a power of ten."""
    power = number.adjusted()
    if not number or _PLAIN_FROM <= power <= _PLAIN_TO:
        return f"{number:,f}".replace("-", "\N{MINUS SIGN}")
    head = number.scaleb(-power).normalize()
    ten = f"10{str(power).translate(_SUPERSCRIPTS)}"
    if head == 1:
        return ten
    return f"{head:f} × {ten}".replace("-", "\N{MINUS SIGN}")
