"""Doubts about columns that may be counts: what their names or numbers say instead.

Each rule looks at one column and returns the end of a sentence that begins with its name, or an
empty text. An answer that names a column and the report of a table that counts it say the same.
"""

import re
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from hierdp_core.readers.columns.count_rules import (
    days,
    named_as_a_count,
    named_otherwise,
    numbers_of_rows,
    numbers_of_things,
    years,
)
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts, follows
from hierdp_core.readers.columns.no_counts import named_as_a_measure, named_as_a_price
from hierdp_core.readers.columns.record_rules import identifies_rows
from hierdp_core.readers.columns.vocabulary import (
    CHANGE,
    CODE,
    LATITUDE,
    LONGITUDE,
    SIZE,
    WEIGHT,
    plain_name,
    says_name,
    subject_of,
    words,
)
from hierdp_core.readers.report import shown_code

_NO_COUNT = -4.0  # points of the rules for codes, years and row numbers
_AMOUNTS = words(
    """
    acre acres acreage hectare hectares sqft sqm sqkm charge charges fee fees cost costs amount
    amounts revenue revenues turnover expenditure expenditures dollars dollar usd eur payment
    payments paid days hours minutes tage stunden jours heures dias horas giorni ore dagen timer
    fare fares tip toll sales tonnes tons kg litres height heights length width depth
    distance duration miles bedrooms bedroom
    contributions contribution wages payroll earnings beitrage cotisations
    betrag betrage kosten umsatz umsatze gebuhr gebuhren hohe lange breite montant montants cout
    couts chiffre_d_affaires hauteur longueur importo importi costo altezza lunghezza importe
    importes altura longitud montos monto superficie valor_total bedrag bedragen hoogte belop
    belopp kwota kwoty wysokosc גובה
    """
)
_HOUSE_NUMBER = re.compile(
    r"(.*_)?(house|street|door|building|hausnummer|hausnr|huisnummer|husnummer|talo)"
    r"_?(no|nr|num|number|nummer|numero)?"
    r"|(.*_)?(numero|num|nr|no|n)_(ext|int|exterior|interior|civico|de_rue|rue|casa|puerta)"
    r"|(numero_)?civico|numero_de_voie"
)
_MANY_EACH = 10  # rows for each different number, as of classes
_MOST_CLASS = 31  # the largest number of a class, such as an hour or a day
_MIN_SHARES = 3  # numbers of a column between 0 and 1
_WHOLE = 100  # percent
_NEARLY_WHOLE = 1  # difference of rounded percentages from 100
_NEARLY_ALL = 0.9  # proportion of the rows
_MANY_AGAIN = 6  # rows with a number that another row has as well, or with one of equal length
_NO_CHANCE = 4.0  # decimal digits that are equal by no chance
_NO_CHANCE_OF_ALL = 8  # digits with which numbers begin by no chance
_MIN_CODE_DIGITS = 3
_MIN_RUNS = 4  # different numbers
_ROWS_OF_EACH = 3  # on average
_MOST_KINDS = 8  # kinds of rows, such as levels
_LEAST_SUM = 10_000  # a smaller common sum may be chance
_MANY_PLACES = 20  # different coordinates
_MOST_PLACES = 0.9  # different coordinates as a proportion of the rows
_LEAST_COORDINATE = 10_000  # of a national grid
_CLOSE = 2  # largest coordinate as a multiple of the smallest
_FAR = 0.2  # relative difference of sums, of which parts are unpublished

Doubt = Callable[[SheetFacts, ColumnFacts], str]


def holds_changes(column: ColumnFacts) -> bool:
    """Return whether a column holds changes or balances, by its name."""
    return bool(CHANGE.fullmatch(column.plain))


def names_an_amount(text: str) -> bool:
    """Return whether a name or a value says that numbers are amounts or measurements.

    >>> names_an_amount("TOTAL_CHARGES"), names_an_amount("FARM OPERATIONS - ACRES OPERATED")
    (True, True)
    >>> names_an_amount("TOTAL_CASES"), names_an_amount("Heightsville")
    (False, False)
    """
    return bool({*plain_name(text).split("_")} & _AMOUNTS)


def rates_or_prices(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if a column holds rates or prices, by its name."""
    if named_as_a_measure(column) or named_as_a_price(column):
        return "its name says that it holds rates, means or prices"
    return ""


def changes(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if a column holds changes, by its name."""
    return "its name says that it holds changes" if holds_changes(column) else ""


def amounts(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if a column holds amounts or measurements, by its name."""
    if column.plain in LATITUDE | LONGITUDE:
        return ""
    if names_an_amount(column.name):
        return "its name says that it holds amounts or measurements"
    return ""


def house_numbers(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if a column holds house numbers, by its name."""
    if _HOUSE_NUMBER.fullmatch(column.plain):
        return "its name says that it holds house numbers"
    return ""


def sizes_of_groups(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if a column holds the sizes of groups, by its name."""
    return "its name says that it holds sizes of groups" if column.plain in SIZE else ""


def codes_or_years(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if a column looks like codes, years or row numbers."""
    rules = (named_otherwise, years, days, numbers_of_rows, numbers_of_things)
    if named_as_a_count(column):
        return ""
    if min(rule(column) for rule in rules) <= _NO_COUNT or identifies_rows(column):
        return "it looks like codes, categories, coordinates, years or row numbers"
    return ""


def codes_of_names(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if a column holds the codes of the names in another one with a similar name.

    An example is "URN" beside "NAME_URN", if each number has one name.
    """
    subject = subject_of(column.plain)
    if named_as_a_count(column) or not subject or column.fractions:
        return ""
    for other in facts.texts:
        named = says_name(facts[other].plain) and subject_of(facts[other].plain) == subject
        if (
            named
            and column.distinct >= facts[other].distinct > 1
            and follows(column.index, facts[other].index)
        ):
            return f"it holds the codes of the names in column {shown_code(other)}"
    return ""


def percentages(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if a column and others add up to 100 in each row, as percentages do."""
    if not column.fractions or facts.sampled:
        return ""
    shares = [
        c.values for c in facts.columns.values()
        if c.numeric and c.fractions and _between(c, _WHOLE)
    ]  # fmt: skip
    if len(shares) < 2 or not _between(column, _WHOLE):
        return ""
    sums = np.nansum(shares, axis=0)
    whole = float((np.abs(sums - _WHOLE) <= _NEARLY_WHOLE).mean())
    return (
        "it and other columns add up to 100 in each row, as percentages do"
        if whole >= _NEARLY_ALL else ""
    )  # fmt: skip


def shares_of_one(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if all numbers of a column lie between 0 and 1."""
    if column.fractions and column.distinct_filled >= _MIN_SHARES and _between(column, 1):
        return "its numbers lie between 0 and 1, as shares and index numbers do"
    return ""


def few_numbers(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if a column repeats a few small numbers, as classes and marks do."""
    known = column.values[~np.isnan(column.values)]
    if named_as_a_count(column) or column.fractions or not _between(column, _MOST_CLASS):
        return ""
    if known.size < _MANY_EACH * column.distinct_filled:
        return ""
    return f"it holds only numbers from {known.min():,.0f} to {known.max():,.0f}, as classes do"


def one_number_for_each_area(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if all rows with the same word in another column have the same number.

    A code of an upper region is repeated with its name. Counts of its parts would differ.
    """
    if named_as_a_count(column) or column.fractions or facts.sampled or column.distinct < 2:
        return ""
    if WEIGHT.fullmatch(column.plain):
        return ""  # the members of a household have one weight
    numbers = np.log10(np.maximum(np.nan_to_num(column.values), 1.0))
    for name in facts.texts:
        other = facts[name]
        if name == column.name or not 1 < other.distinct < facts.n_rows or other.moments:
            continue
        if facts.different([name, column.name]) > other.distinct:
            continue
        if not _differ_within(facts, name):
            continue  # a region that is listed several times
        first = np.unique(other.index, return_index=True)[1]
        again = numbers.sum() - numbers[first].sum()  # decimal digits that repeat by no chance
        small = facts.n_rows - other.distinct >= _MANY_AGAIN and column.distinct >= _MIN_SHARES
        if again >= _NO_CHANCE or small:
            return f"rows with the same {shown_code(name)} have the same number, as codes do"
    return ""


def _differ_within(facts: SheetFacts, name: str) -> bool:
    """Return whether most columns of numbers differ between rows with the same word."""
    most = facts[name].distinct
    numbers = [n for n, c in facts.columns.items() if c.numeric and c.distinct > 1]
    differ = sum(facts.different([name, n]) > most for n in numbers)
    return 2 * differ > len(numbers)


def begins_with_another_code(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if each number begins with the code in another column, as codes do."""
    if named_as_a_count(column) or column.fractions or facts.n_rows < _MIN_SHARES:
        return ""
    for name in facts.sheet.names:
        other = facts[name]
        if name == column.name or other.distinct < 2 or other.distinct_filled < other.distinct:
            continue
        if column.distinct <= other.distinct or other.share("^[0-9]{2,}$") != 1.0:
            continue
        pairs = zip(column.text.to_pylist(), other.text.to_pylist(), strict=True)
        distinct = set(pairs)
        inside = all(
            len(long) > len(short) and long.startswith(short.lstrip("0")) and short.strip("0")
            for long, short in distinct
        )
        if inside and sum(len(short) for _, short in distinct) >= _NO_CHANCE_OF_ALL:
            return f"each number begins with that in column {shown_code(name)}, as codes do"
    return ""


def numbered_within_areas(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if the first digits of the numbers stand for the names in another column.

    Each name has one beginning, and each beginning one name, as with the codes of municipalities
    beside the names of their districts.
    """
    if named_as_a_count(column) or column.fractions or facts.sampled:
        return ""
    if column.distinct < facts.n_rows or np.isnan(column.values).any():
        return ""
    for digits in (1, 2, 3):
        start = np.unique(column.values // 10**digits, return_inverse=True)[1]
        for name in facts.texts:
            other = facts[name]
            if not _MIN_SHARES <= other.distinct == int(start.max()) + 1 <= facts.n_rows // 2:
                continue
            if follows(start, other.index):
                shown = shown_code(name)
                return f"its numbers begin with one code for each {shown}, as codes of areas do"
    return ""


def numbers_of_one_length(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if the numbers of a column without a name have the same number of digits."""
    if not column.name.startswith("column ") or column.fractions:
        return ""
    lengths = {len(cell) for cell in column.filled.to_pylist()}
    few = facts.n_rows < _MANY_AGAIN or column.distinct < _MIN_SHARES
    if few or len(lengths) > 1 or min(lengths) < _MIN_CODE_DIGITS:
        return ""
    return f"its numbers all have {min(lengths)} digits, as codes do"


def numbers_in_runs(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if equal numbers are together and nowhere else, as codes of regions are."""
    known = ~np.isnan(column.values)
    if named_as_a_count(column) or WEIGHT.fullmatch(column.plain):
        return ""
    if column.fractions or not known.all():
        return ""
    steps = np.diff(column.values)
    if column.distinct < _MIN_RUNS or facts.n_rows < _ROWS_OF_EACH * column.distinct:
        return ""
    if (steps <= 0).all() or int((steps != 0).sum()) != column.distinct - 1:
        return ""
    return "rows with the same number stand together, as with codes"


def close_together(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if many large numbers all differ and lie close together, as coordinates do."""
    known = column.values[~np.isnan(column.values)]
    if named_as_a_count(column) or not known.size:
        return ""
    if column.distinct < max(_MANY_PLACES, _MOST_PLACES * facts.n_rows):
        return ""
    if known.min() < _LEAST_COORDINATE or known.max() > _CLOSE * known.min():
        return ""
    return "its numbers lie close together, as coordinates do"


def no_sums_of_levels(facts: SheetFacts, column: ColumnFacts) -> str:
    """Return a doubt if upper rows are sums of lower ones in other columns, but not in this one."""
    if facts.sampled:
        return ""
    values = np.nan_to_num(column.values)
    far = ""
    for name, upper, lower in {*_kinds_with_equal_sums(facts, column.name)}:
        kinds = facts[name].index
        one, other = float(values[kinds == upper].sum()), float(values[kinds == lower].sum())
        if abs(one - other) <= _FAR * max(one, other):
            return ""
        far = name
    if not far:
        return ""
    return (
        f"its numbers do not add up over the levels in column {shown_code(far)}, as those of other "
        "columns do"
    )


def _kinds_with_equal_sums(facts: SheetFacts, but: str) -> Iterator[tuple[str, int, int]]:
    """Yield columns of kinds of rows with two kinds that have the same sum in another column.

    The kinds have different numbers of rows, as upper and lower regions have.
    """
    numbers = [
        c.values for n, c in facts.columns.items()
        if n != but and c.numeric and c.whole == 1.0 and not c.leading_zeros
        and c.distinct > _MOST_KINDS and not CODE.fullmatch(c.plain)
    ]  # fmt: skip
    for name, kind in facts.columns.items():
        if name == but or not 2 <= kind.distinct_filled <= _MOST_KINDS:
            continue
        rows = np.bincount(kind.index)
        for values in numbers:
            sums = np.bincount(kind.index, weights=np.nan_to_num(values))
            for one, other in combinations(range(len(rows)), 2):
                if rows[one] != rows[other] and sums[one] == sums[other] >= _LEAST_SUM:
                    yield name, one, other


RULES: tuple[Doubt, ...] = (
    rates_or_prices, changes, amounts, house_numbers, sizes_of_groups, codes_or_years,
    codes_of_names, percentages, shares_of_one, few_numbers, one_number_for_each_area,
    begins_with_another_code, numbered_within_areas,
    numbers_of_one_length, numbers_in_runs, close_together, no_sums_of_levels,
)  # fmt: skip


def doubt_about(facts: SheetFacts, name: str) -> str:
    """Return why a column of numbers probably does not hold counts; empty if nothing says so.

    Args:
        facts: facts about the table.
        name: the column.
    """
    if name not in facts.columns or not facts[name].numeric:
        return ""
    return next((words for rule in RULES if (words := rule(facts, facts[name]))), "")


def _between(column: ColumnFacts, most: float) -> bool:
    """Return whether a column has numbers, and all of them lie between 0 and `most`."""
    known = column.values[~np.isnan(column.values)]
    return bool(known.size and known.min() >= 0 and known.max() <= most)
