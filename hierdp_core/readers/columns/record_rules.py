"""Signs that the rows of a table are records of persons, and that columns are survey weights."""

import re
from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.vocabulary import (
    AVERAGE,
    CODE,
    COUNT,
    GROUP_ID,
    LATITUDE,
    LONGITUDE,
    NOT_A_COUNT,
    PERSON,
    PLACE,
    STATISTIC,
    WEIGHT,
)
from hierdp_core.readers.formats.sheet import as_mask

_MIN_AGES = 12  # different ages; columns with fewer may be categories
_OLDEST = 125  # years
_MIN_NUMBERED = 6  # rows with different numbers
_MIN_DIGITS = 4  # digits of numbers of one length
_NUMBER_OF_A_THING = re.compile(  # "customer number", but not "number of customers"
    r"(?!number_of|no_of|num_of|n_of).*(nummer|_number|_no|_nr|_num|numero|numer|номер|番号|번호)"
)
_NUMBER_BEFORE = re.compile(r"(num|numero|nr|no)_(?!of_|de_(?!dossier)).+")  # "num_sejour"
_RECORD = re.compile(  # what a row of a register is about, apart from persons and groups
    r"(.*_)?(booking|reservation|order|case|visit|stay|record|loan|permit|incident|complaint|ticket|"
    r"sejour|dossier|claim|application|policy|invoice|transaction|request|episode|encounter|event|"
    r"admission|enrol?ment|registration|contract|account|customer|client|accident|crash|response|"
    r"interview|questionnaire|fall|vorgang|buchung|antrag|akte|registro|caso|expediente|prestamo|"
    r"reserva|prenotazione|pratica|ricovero|inscricao|matricula|sak)_?"
    r"(id|no|nr|num|number|nummer|numero|key|code|ref|reference)"
    r"|(id|no|nr|num|numero|codigo|cod)_(de_)?(reserva|registro|caso|expediente|sejour|dossier|"
    r"ricovero|pratica|prestamo|inscricao|matricula|internacao)"
)
_MIN_UPPER = 3  # regions between which rows rarely alternate by chance
_ROWS_EACH = 5  # rows for each of these regions
_MIN_PERSONS = 20  # rows of a list of persons
_MIN_WEIGHTS = 5  # different weights with decimals
_MAX_TERMS = 8  # columns of which ratios are tried
_MIN_RATIOS = 6  # rows in which numbers are a ratio by no chance
_RATIOS = ((1, 0.0051), (100, 0.051), (1000, 0.051))  # factors, with the error of rounding
_NEARLY_ALL = 0.9  # proportion of the rows
_APART = 20  # range of the ratios, as a multiple of the error
_MANY_WEIGHTS = 20  # different weights that are whole numbers
_MONEY = re.compile(  # amounts of one person
    r"(.*_)?(income|fare|price|tip|toll|tax|paid|payment|debt|loan|deposit|balance|cost|revenu|salaire|"
    r"loyer|prix|montant|einkommen|lohn|gehalt|miete|betrag|preis|ingreso|sueldo|renta|salario|monto|"
    r"importe|precio|renda|reddito|stipendio|importo|prezzo|inkomen|loon|huur|bedrag|inkomst|lon|"
    r"belopp|indkomst|belob|inntekt|dochod|kwota|cena|maara|tulo|gelir|ucret|tutar)s?(_.*)?"
)
_SURE_WEIGHT = 3.0  # points of a weight: its name alone is sufficient
_POSITION = re.compile(r"(.*_)?(easting|northing|latitude|longitude|coord.*|[xy]_?utm|utm_?[xy])")
_BODY_WEIGHT = re.compile(
    r"(birth_?)?weight(_?(g|gr|grams|kg|lb))?|dbwt|(geburts)?gewicht|poids(_(de_)?naissance)?|waga|"
    r"peso(_(al_)?(nac.*|nasc.*|rn))?|(fodsels?)?(vekt|vagt|vaegt)|vikt|vaha|suly|paino|tezina"
)
_OF_BODIES = re.compile(  # what registers of births and health record beside a weight
    r"(.*_)?(apgar[0-9]*|gesta[ct]\w*|grav(id\w*|ida)|parto|parity|paridade?|birth_?(order|length)|"
    r"delivery|plurality|estatura|talla|altura|height|bmi|imc|taille|grosse|korpergrosse|schwanger\w*|"
    r"geburtslange|naiss\w*|accouchement|wzrost|porod\w*|longd|nascidos?|consprenat|cesar\w*)(_.*)?"
)
_MEASURED = re.compile(  # of one person, such as marks at school, sizes, money and time
    r"(.*_)?(scores?|marks?|grades?|points|punkte|exam|test|result|height|bmi|cost|costs|charges?|"
    r"amount|salary|wages?|earnings|hours|minutes|days|stay|los|valor(es)?|montants?|betrag|importe|"
    r"montos?|valeur|waarde|bedrag|beløp|belopp|kwota)(_.*)?"
)


def record_points(facts: SheetFacts) -> int:
    """Return points for one person per row: 2 for columns about persons, and 2 for equal rows.

    With 2 points or more, rows are taken for persons.
    """
    single = [n for n in person_columns(facts) if facts[n].distinct > 1]
    return 2 * bool(single) + 2 * rows_repeat(facts)


def person_columns(facts: SheetFacts) -> list[str]:
    """Return the columns that are named after attributes of persons, such as sex or age."""
    return [n for n in facts.sheet.names if PERSON.fullmatch(facts[n].plain)]


def rows_repeat(facts: SheetFacts) -> bool:
    """Return whether some rows are equal in all columns.

    Rows without a number are ignored in a table with numbers: they are headings that repeat.
    """
    if facts.different(facts.sheet.names) == facts.n_rows:
        return False
    numbers = [c for c in facts.columns.values() if c.numeric]
    if not numbers:
        return True
    filled = np.any([as_mask(pc.not_equal(c.text, "")) for c in numbers], axis=0)
    keys = facts.key(facts.sheet.names)[filled]
    return len(np.unique(keys)) < len(keys)


def describes_persons(facts: SheetFacts) -> bool:
    """Return whether at least two columns are about persons, one of them decisive.

    Ages are decisive, and so is a value that differs in each row.
    """
    about = [n for n in person_columns(facts) if facts[n].distinct > 1]
    own = [n for n in about if facts[n].distinct == facts.n_rows]
    ages = [n for n in about if _holds_ages(facts[n])]
    return bool(own and len(about) > 1) or bool(ages and len(about) > 1)


def numbers_persons(facts: SheetFacts) -> bool:
    """Return whether each row has a different number or reference of a person."""
    about = [n for n in person_columns(facts) if facts[n].distinct > 1]
    own = [n for n in about if facts[n].distinct == facts.n_rows >= _MIN_PERSONS]
    return bool(own) and len(about) > 1


def numbers_of_records(facts: SheetFacts) -> list[str]:
    """Return the columns with a different number in each row, below a word for what it is about.

    An example is "booking_id". Codes of regions have no such word. Random identifiers need none,
    and neither do rising numbers called "id" where regions follow each other without order.
    """
    own = [n for n in facts.sheet.names if facts[n].distinct == facts.n_rows]
    return [
        n for n in own
        if (facts.n_rows >= _MIN_PERSONS and _RECORD.fullmatch(facts[n].plain))
        or (facts.n_rows >= _MIN_NUMBERED and facts[n].random_ids)
        or (facts[n].plain == "id" and identifies_rows(facts[n]) and facts[n].rises
            and _mixed_regions(facts))
    ]  # fmt: skip


def _mixed_regions(facts: SheetFacts) -> bool:
    """Return whether rows of the same upper region mostly do not follow each other.

    A list of regions is sorted by the regions above them, if its numbers rise. A list of records is
    sorted by time.
    """
    upper = [
        column for column in facts.columns.values()
        if PLACE.search(column.plain) and column.distinct >= _MIN_UPPER
        and _ROWS_EACH * column.distinct <= facts.n_rows
    ]  # fmt: skip
    return bool(upper) and all(
        2 * np.count_nonzero(np.diff(column.index)) >= facts.n_rows for column in upper
    )


def identifies_rows(column: ColumnFacts) -> bool:
    """Return whether each row has a different number under a word for numbers, codes or regions."""
    rows = len(column.text)
    if not column.numeric or column.fractions or not column.distinct == rows >= _MIN_NUMBERED:
        return False
    if column.plain in COUNT:
        return False
    if column.leading_zeros or _NUMBER_OF_A_THING.fullmatch(column.plain):
        return True
    if column.rises and _NUMBER_BEFORE.fullmatch(column.plain):
        return True
    lengths = {len(cell) for cell in column.filled.to_pylist()}
    alike = len(lengths) == 1 and min(lengths) >= _MIN_DIGITS
    named = all(PLACE.search(word) for word in column.plain.split("_") if word)
    return (alike and bool(column.plain) and named) or (
        bool(CODE.fullmatch(column.plain)) and (alike or column.counts_rows or rows >= _MIN_PERSONS)
    )


def _holds_ages(column: ColumnFacts) -> bool:
    """Return whether a column holds ages or years of birth: at least twelve plausible numbers."""
    if not column.numeric or column.distinct < _MIN_AGES:
        return False
    known = column.values[~np.isnan(column.values)]
    ages = bool(known.size) and known.min() >= 0 and known.max() <= _OLDEST
    return ages or column.years or bool((known > 1880).all() and (known < 2100).all())


# ---------------------------------------------------------------------------------------- weights


def called_weight(column: ColumnFacts) -> float:
    """Return points for a name that surveys give to weights."""
    return 3.0 if WEIGHT.fullmatch(column.plain) else 0.0


def positive_numbers(column: ColumnFacts) -> float:
    """Return points for positive numbers: weights are above 0 and have several values."""
    known = column.values[~np.isnan(column.values)]
    if not known.size or known.min() < 0 or column.distinct < 3:
        return -6.0
    return 1.0 if known.min() > 0 else 0.0


def measures_something_else(column: ColumnFacts) -> float:
    """Return points against the name of a measure or of an attribute of persons."""
    other = any(
        words.fullmatch(column.plain) for words in (NOT_A_COUNT, PERSON, STATISTIC, _MEASURED)
    )
    percent = bool(set(column.name) & {"%", "‰"})
    return -6.0 if other or percent or _is_position(column) else 0.0


def _is_position(column: ColumnFacts) -> bool:
    return column.plain in LATITUDE | LONGITUDE or bool(_POSITION.fullmatch(column.plain))


def large_or_fractional(column: ColumnFacts) -> float:
    """Return points for decimals, and for large numbers: weights stand for many people."""
    known = column.values[~np.isnan(column.values)]
    many = bool(known.size) and float(known.mean()) >= 10 and column.distinct >= 20
    return 1.0 * column.fractions + 1.0 * many


WEIGHT_RULES: tuple[Callable[[ColumnFacts], float], ...] = (
    called_weight, positive_numbers, measures_something_else, large_or_fractional,
)  # fmt: skip


def weights_in(facts: SheetFacts, names: Sequence[str]) -> list[str]:
    """Return the columns of survey weights, by their names and numbers.

    A column without a name for weights must be the only one, and not be called a mean. Several are
    shares and means.
    """
    scored = {
        n: sum(rule(facts[n]) for rule in WEIGHT_RULES)
        for n in names
        if facts[n].numeric and not facts[n].leading_zeros
    }
    likely = [n for n in names if scored.get(n, 0.0) >= _SURE_WEIGHT and not _of_a_body(facts, n)]
    called = [n for n in likely if called_weight(facts[n]) > 0]
    likely = [n for n in likely if n in called or not is_ratio(facts, n)]
    single = len(likely) == 1 and not AVERAGE.fullmatch(facts[likely[0]].plain)
    return called or (likely if single else [])


def _of_a_body(facts: SheetFacts, name: str) -> bool:
    """Return whether whole numbers below a single word for weights are body weights.

    The records are about births or health then, as with "peso" beside "apgar" and "parto".
    """
    column = facts[name]
    if column.fractions or not _BODY_WEIGHT.fullmatch(column.plain):
        return False
    return any(_OF_BODIES.fullmatch(c.plain) for c in facts.columns.values() if c is not column)


def is_ratio(facts: SheetFacts, name: str) -> bool:
    """Return whether a column holds ratios of two other columns, such as men per 100 women."""
    values = facts[name].values
    counts = [
        column.values for other, column in facts.columns.items()
        if other != name and column.numeric and not column.fractions and column.distinct > 1
    ][:_MAX_TERMS]  # fmt: skip
    for above, below in permutations(counts, 2):
        known = np.isfinite(values) & np.isfinite(above) & (below > 0)
        if known.sum() < _MIN_RATIOS or len(np.unique(values[known])) < _MIN_RATIOS:
            continue
        ratio, own = above[known] / below[known], values[known]
        for times, rounding in _RATIOS:
            near = np.abs(times * ratio - own) <= rounding
            if near.mean() >= _NEARLY_ALL and np.ptp(own) >= _APART * rounding:
                return True
    return False


def possible_weights(facts: SheetFacts, names: Sequence[str]) -> list[str]:
    """Return the columns that may hold survey weights by their numbers, whatever their names.

    These are positive numbers with decimals or of very different size, under a name that states
    neither a measure nor money, a code, a coordinate or an attribute of persons.
    """
    possible = [n for n in names if _weighs(facts[n]) and not _of_a_body(facts, n)]
    return [n for n in possible if not is_ratio(facts, n)]


def _weighs(column: ColumnFacts) -> bool:
    named = (CODE, PLACE, GROUP_ID, NOT_A_COUNT, PERSON, STATISTIC, AVERAGE, _MEASURED, _MONEY)
    if not column.numeric or column.leading_zeros or column.years or column.never_places:
        return False
    if any(words.search(column.plain) if words is PLACE else words.fullmatch(column.plain)
           for words in named) or column.plain in COUNT or _is_position(column):  # fmt: skip
        return False
    known = column.values[~np.isnan(column.values)]
    if known.size < len(column.text) or known.min() <= 0 or known.max() <= 1:
        return False
    if column.fractions:
        return column.distinct >= _MIN_WEIGHTS
    several = column.distinct >= max(_MANY_WEIGHTS, len(known) // 4)
    apart = identifies_rows(column) or column.numbered_apart or column.counts_rows
    return bool(several and not apart and known.max() > _OLDEST and known.max() >= 10 * known.min())
