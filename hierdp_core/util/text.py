"""Numbers and nouns as people read them."""

import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

_MINUS = "\N{MINUS SIGN}"
_VOWEL_SOUND = re.compile(
    r"(?!eu|one\b|uni|use|ut)([aeiou]|hour|honest|honou?r|heir)", re.IGNORECASE
)
_LEAST_PERCENT = 1e-8  # smaller percentages would have too many digits to be useful
_ALL = 100 - 1e-7  # from here on, a percentage differs from 100 only by rounding errors


def number(value: float) -> str:
    """Return a number as text: two significant digits below 10, a whole number above.

    >>> [number(v) for v in (0, 0.0384, 3.27, 12.4, 8_412.7, 116_716_292)]
    ['0', '0.038', '3.3', '12', '8,413', '116,716,292']
    """
    if math.isnan(value):
        return "–"
    size = abs(value)
    sign = _MINUS if value < 0 else ""
    if size == 0:
        return "0"
    if size >= 9.95:
        return f"{sign}{size:,.0f}"
    return sign + _plain(size, digits=2)


def whole(value: float) -> str:
    """Return a count with all its digits, or a fraction with two decimals.

    >>> whole(1234567), whole(-2.25)
    ('1,234,567', '−2.25')
    """
    if math.isnan(value):
        return "–"
    text = f"{abs(value):,.0f}" if value == round(value) else f"{abs(value):,.2f}"
    return _with_sign(value, text)


def in_grid(value: float) -> str:
    """Return a number as a cell of a grid shows it, with at most three decimals.

    >>> [in_grid(v) for v in (1234567, -2.25, -0.12345, 0.0, -0.0001)]
    ['1,234,567', '−2.25', '−0.123', '0', '0']
    """
    if math.isnan(value):
        return ""
    return _with_sign(value, f"{abs(value):,.3f}".rstrip("0").rstrip("."))


def signed(value: float) -> str:
    """Return a difference with its sign.

    >>> signed(3), signed(-12), signed(0)
    ('+3', '−12', '0')
    """
    return f"+{whole(value)}" if value > 0 else whole(value)


def signed_percent(share: float) -> str:
    """Return a change as a percentage with its sign and one decimal.

    >>> [signed_percent(v) for v in (-0.1312, 0.004, -0.1, -0.0001, 0.0, 12.5)]
    ['−13.1%', '+0.4%', '−10.0%', '0.0%', '0.0%', '+1,250.0%']
    """
    if math.isnan(share):
        return "–"
    text = f"{abs(100 * share):,.1f}"
    return f"+{text}%" if share > 0 and text != "0.0" else f"{_with_sign(share, text)}%"


def _with_sign(value: float, text: str) -> str:
    """Return `text`, the absolute value, with a minus if that is not written as 0."""
    return f"{_MINUS}{text}" if value < 0 and text.strip("0.") else text


def percent(share: float) -> str:
    """Return a proportion as a percentage; 100% is shown only for 1, up to rounding errors.

    >>> [percent(v) for v in (0.25, 0.0042, 7e-5, 0, 0.9998, 1)]
    ['25%', '0.42%', '0.007%', '0%', '99.9%', '100%']
    """
    if math.isnan(share):
        return "–"
    value = abs(share) * 100
    sign = _MINUS if share < 0 else ""
    if value == 0:
        return "0%"
    if value < _LEAST_PERCENT:
        return f"< {_plain(_LEAST_PERCENT, digits=1)}%"
    if 99.5 <= value < _ALL:
        return f"{sign}{math.floor(10 * value) / 10}%"
    if value >= 9.95:
        return f"{sign}{value:,.0f}%"
    return f"{sign}{_plain(value, digits=2 if value >= 0.1 else 1)}%"


def three_digits(value: float) -> str:
    """Return an error to three significant digits, or from 1,000 on as a whole number.

    Parameters of guarantees are rounded up instead, in `privacy.rounding`.

    >>> [three_digits(v) for v in (0.25, 1 / 3, 19.61, 1047.67, 0.0000123456)]
    ['0.25', '0.333', '19.6', '1,048', '0.0000123']
    """
    size = abs(value)
    if 0 < size < 1e-4:
        return _with_sign(value, _plain(size, digits=3))
    return _with_sign(value, f"{size:,.0f}" if size >= 999.5 else f"{size:.3g}")


def with_margin(value: float, margin: float) -> str:
    """Return an estimate with half the width of its interval, which decides its digits.

    Without a known width, the estimate alone.

    >>> with_margin(-0.46812, 0.0532), with_margin(0.2, 12.3), with_margin(3.14159, math.nan)
    ('−0.468 ± 0.053', '0 ± 12', '3.1')
    >>> with_margin(0, 0)
    '0 ± 0'
    """
    if math.isnan(margin):
        return number(value)
    decimals = 0
    if 0 < margin < 9.95:
        decimals = 1 - math.floor(math.log10(margin))
    size = _with_sign(value, f"{abs(value):,.{decimals}f}")
    return f"{size} ± {margin:,.{decimals}f}"


def _plain(value: float, *, digits: int) -> str:
    """Return `value` > 0 to `digits` significant digits, without exponent or trailing zeros."""
    decimals = max(0, digits - 1 - math.floor(math.log10(value)))
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def join_and(parts: Sequence[str]) -> str:
    """Return a list in words, with "and" before the last part.

    >>> join_and([]), join_and(["a"]), join_and(["a", "b"]), join_and(["a", "b", "c"])
    ('', 'a', 'a and b', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def join_or(parts: Sequence[str]) -> str:
    """Return alternatives in words, with "or" before the last one.

    >>> join_or(["a"]), join_or(["a", "b"]), join_or(["a", "b", "c"])
    ('a', 'a or b', 'a, b or c')
    """
    return " or ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def confidence(level: float) -> str:
    """Return a confidence level as a percentage with all its digits.

    >>> confidence(0.9), confidence(0.975), confidence(0.9999999)
    ('90%', '97.5%', '99.99999%')
    """
    return f"{(100 * Decimal(repr(level))).normalize():f}%"


def listing(title: str, items: Iterable[str]) -> str:
    """Return a title and the items under it in one text, such as the alternative text of a chart.

    >>> listing("Mean error by level", ["nation: 3", "state: 12, the largest 20"])
    'Mean error by level. nation: 3; state: 12, the largest 20.'
    >>> listing("Mean error by level", [])
    'Mean error by level.'
    """
    return paragraph(f"{title}.", f"{text}." if (text := several(items)) else "")


def several(items: Iterable[str]) -> str:
    """Return items, which may contain commas, separated by semicolons, as in a cell of a table.

    >>> several(["the list of areas", "the totals, by state"])
    'the list of areas; the totals, by state'
    """
    return "; ".join(items)


def some(items: Sequence[str], *, shown: int) -> str:
    """Return the first `shown` items, and the number of the others.

    >>> some(["Kent", "Essex"], shown=2), some(["Kent", "Essex", "Surrey"], shown=1)
    ('Kent, Essex', 'Kent and 2 more')
    """
    text = ", ".join(items[:shown])
    return text if len(items) <= shown else f"{text} and {len(items) - shown:,} more"


def capital(text: str) -> str:
    """Return the text with a capital first letter and the rest unchanged.

    A Greek letter is a symbol and keeps its form: the capitals of ε and ρ look like E and P.

    >>> capital("a count is blank"), capital("ρ, converted")
    ('A count is blank', 'ρ, converted')
    """
    return text if "α" <= text[:1] <= "ω" else text[:1].upper() + text[1:]


def file_name(title: str) -> str:
    """Return a title as the name of a file.

    >>> file_name("Error: 3,143 counties")
    'error-3-143-counties'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def plural(noun: str) -> str:
    """Return the plural of a noun.

    >>> [plural(w) for w in ("county", "state", "census tract", "branch", "Bay")]
    ['counties', 'states', 'census tracts', 'branches', 'Bays']
    """
    if noun.endswith("y") and noun[-2:-1].lower() not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def singular(noun: str) -> str:
    """Return the singular of a noun that is counted; the noun itself if it is not a plural.

    >>> [singular(w) for w in ("people", "trips", "counties", "boxes", "employees", "staff")]
    ['person', 'trip', 'county', 'box', 'employee', 'staff']
    """
    if noun == "people":
        return "person"
    ends = (("ies", "y"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("s", ""))
    for end, one in ends:
        if noun.endswith(end) and not noun.endswith("ss"):
            return noun.removesuffix(end) + one
    return noun


def amount(n: int, unit: str) -> str:
    """Return a number with its unit, which is given as a plural; for 1, in the singular.

    >>> amount(3143, "people"), amount(1, "people"), amount(0, "trips")
    ('3,143 people', '1 person', '0 trips')
    """
    return f"{n:,} {by_number(n, singular(unit), unit)}"


def counted(n: int, noun: str) -> str:
    """Return a number with its noun, in the plural except for 1.

    >>> counted(3143, "county"), counted(1, "nation"), counted(0, "simulation")
    ('3,143 counties', '1 nation', '0 simulations')
    """
    return f"{n:,} {by_number(n, noun, plural(noun))}"


def by_number(n: int, one: str, several: str) -> str:
    """Return the word for one, or the word for any other number.

    >>> by_number(1, "has", "have"), by_number(3, "has", "have"), by_number(0, "has", "have")
    ('has', 'have', 'have')
    """
    return one if n == 1 else several


def a(noun: str) -> str:
    """Return a noun with its article, which depends on the sound at its beginning.

    >>> [a(noun) for noun in ("county", "area", "urban area", "unit", "hour", "household")]
    ['a county', 'an area', 'an urban area', 'a unit', 'an hour', 'a household']
    """
    return f"{'an' if _VOWEL_SOUND.match(noun) else 'a'} {noun}"


def at_most(bound: str) -> str:
    """Return an upper bound in words; "more than …" is returned unchanged.

    >>> at_most("74%"), at_most("more than 99.999%")
    ('at most 74%', 'more than 99.999%')
    """
    return bound if bound.startswith("more than") else f"at most {bound}"


def paragraph(*sentences: str) -> str:
    """Return whole sentences one after another; empty ones are left out.

    >>> paragraph("There are two.", "", "They differ.")
    'There are two. They differ.'
    """
    return " ".join(filter(None, sentences))
