"""Tables without counts: rates, prices, measurements of instruments, and lists of columns.

Each rule returns a sentence that says what the table holds instead, or an empty text. If a person
stated what is counted, no rule is applied.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.mean_stocks import holds_means_of_a_stock
from hierdp_core.readers.columns.record_rules import describes_persons
from hierdp_core.readers.columns.vocabulary import (
    AVERAGE,
    CATEGORY,
    CODE,
    COUNT,
    GROUP_ID,
    LATITUDE,
    LONGITUDE,
    PER_MANY,
    PERSON,
    PLACE,
    POSTAL,
    ROW_NUMBER,
    STATISTIC,
    YEAR,
    plain_name,
    words,
)
from hierdp_core.readers.report import shown_code, shown_codes

_UNIT = re.compile(
    r"(unit|units|uom|unit_?of_?measure|unit_measure|einheit|unite|unidad|unita)(_.*)?"
)
_NO_COUNT_UNIT = re.compile(
    r"pc(_.*)?|%|.*\bper ?cent(age)?s?\b.*|rt|rates?|ratio|prozent|index|inx|i[0-9]{2}|"
    r".*\bindex\b.*|eur(_.*)?|usd(_.*)?|euro|us dollars?|pounds?|years?|.*\bper [0-9].*|"
    r"per[_ ](km2?|hab|inh|head|1000*).*|"
    r"promille|.*‰.*|degrees?.*|mm|cm|km|km2|ha|hectares?|kg|tonnes?",
    re.IGNORECASE,
)
_SHARE_OF = re.compile(r"%|‰|\bper (1[0 ,.]*0|km|sq|head|capita)\b", re.IGNORECASE)
_IN_UNITS = re.compile(r"[$€£¥₹‰%]|\((EUR|USD|GBP|CHF|JPY|INR|BRL|PLN|SEK|NOK|DKK|CZK|HUF)\b")
_PRICES = re.compile(
    r"(.*_)?(prices?|rents?|wages?|salar(y|ies)|earnings|incomes?|costs?|value_per|values_per|preise?|"
    r"mieten?|miete|lohne|prix|loyers?|precios?|precos?|prezz[oi]|fiyat[a-z]*|cen[ay]|hinnat|priser|"
    r"life_expectancy|esperanza_de_vida|esperance_de_vie|expectativa_de_vida|speranza_di_vita|"
    r"lebenserwartung|densit(y|ies))(_.*)?"
)
_DATE = re.compile(r"(.*_)?(date|datum|time|day|tag|jour|fecha|data|timestamp)(_.*)?")
_DAYS = r"^(19|20)[0-9]{2}-?(0[1-9]|1[0-2])-?[0-3][0-9]"
_DESCRIBED = words("field variable column element attribute context_field var")
_DESCRIPTION = words("description definition label meaning explanation beschreibung libelle")
# The same for record layouts, in the languages of many offices.
_FIELDS = words(
    """
    field fieldname field_name field_no variable variable_name column column_name attribute var
    campo campi variabile champ variavel feld spalte merkmal veld kolom variabel kolonne kenttä
    muuttuja pole zmienna kolumna mező columna colonna colonne rubrik fält nazwa_pola
    """
)
_EXPLANATIONS = words(
    """
    description definition label meaning explanation contents beschreibung bezeichnung bedeutung
    inhalt etikett etikette etiqueta etichetta rotulo libelle intitule descrizione contenuto
    descripcion significado contenido descricao
    conteudo omschrijving beskrivelse beskrivning selite kuvaus opis popis leírás
    """
)
_POSITIONS = words(
    """
    position positions start end length width format posizione lunghezza formato posicion longitud
    posicao tamanho stelle stellen lange laenge longueur positie lengte pozycja dlugosc
    """
)
# What a codebook states of each column beside its explanation.
_KINDS_OF_CELLS = words(
    """
    type typ tipo data_type datatype datentyp type_de_donnees tipo_de_dato tipo_de_dado format
    formato values value_labels codes werte wertebereich valeurs modalites valores valori varden
    verdier vaerdier waarden arvot hodnoty wartosci ertekek kodai
    """
)
# All columns of a codebook.
_CODEBOOK = words(
    """
    field variable column element attribute var name label description type format width length
    values value codes range missing decimals position start end unit question
    """
) | {
    "column_name", "variable_name", "field_name", "value_labels", "value_label", "data_type",
}  # fmt: skip
_MIN_DESCRIBED = 3  # columns of a list of columns
_MIN_WIDTH = 16  # characters of a line that holds several numbers
_RUN_TOGETHER = "^[0-9]{9,}[^0-9]*$"  # codes of two regions, and perhaps a name
_MIN_CODES = 20  # rows of a list of codes or lines
_MIN_READINGS = 3  # columns with decimals or negative numbers
_MIN_DAYS = 6  # columns named after days
_HARDLY_WHOLE = 0.15  # proportion of whole numbers; measurements end in 0 by chance
_MIN_DIGITS = 4  # digits of the code of a region
_SURE_CODEBOOK = 5  # columns of a list of columns that may also have others
_MAX_LINES = 5_000  # rows of a list of columns

Rule = Callable[[SheetFacts], str]


def in_other_units(facts: SheetFacts) -> str:
    """Return a sentence if a column of units says percent, money or the like in every row."""
    for name, column in facts.columns.items():
        if not _UNIT.fullmatch(column.plain) or column.blank:
            continue
        units = column.filled.to_pylist()
        if units and all(_NO_COUNT_UNIT.fullmatch(unit.strip()) for unit in units):
            return (
                f"its numbers are in the unit {shown_codes(units, shown=3)}, as column "
                f"{shown_code(name)} says, so it holds no counts"
            )
    return ""


def named_as_a_measure(column: ColumnFacts) -> bool:
    """Return whether the name states a rate, a price or a share, or a unit such as "(%)"."""
    if PER_MANY.fullmatch(column.plain):
        return True
    named = STATISTIC.fullmatch(column.plain) or AVERAGE.fullmatch(column.plain)
    if named and holds_means_of_a_stock(column):
        named = None
    return bool(named or _SHARE_OF.search(column.name))


def named_as_a_price(column: ColumnFacts) -> bool:
    """Return whether the name states a price, an amount or a length of life, or such a unit."""
    return bool(_PRICES.fullmatch(column.plain) or _IN_UNITS.search(column.name))


def titled_as_a_measure(heading: str) -> bool:
    """Return whether a title states a median, a price, a rate or the like, or a unit of money.

    >>> titled_as_a_measure("Median rent by district, 2023 (£)")
    True
    >>> titled_as_a_measure("Households by district, 2023")
    False
    """
    plain = plain_name(heading)
    stated = AVERAGE.fullmatch(plain) or STATISTIC.fullmatch(plain) or _PRICES.fullmatch(plain)
    return bool(stated or _IN_UNITS.search(heading))


def statistics_alone(facts: SheetFacts) -> str:
    """Return a sentence if all columns of numbers are named after rates, prices or means."""
    numbers = _value_columns(facts)
    named = [c for c in numbers if named_as_a_measure(c)]
    others = [c for c in numbers if c not in named and not _codes_of_places(c)]
    if not named or any(c.whole > 0 and not c.fractions for c in others):
        return ""
    if any(_names_counts(c) for c in numbers) or describes_persons(facts):
        return ""
    if not all(c.fractions or c.blank for c in named[:1]):
        return ""
    shown = shown_codes([c.name for c in named], shown=3)
    return f"its columns of numbers are measurements, such as {shown}, and it holds no counts"


def readings_of_instruments(facts: SheetFacts) -> str:
    """Return a sentence if most columns have decimals or negative numbers, by date."""
    numbers = _value_columns(facts)
    dates = [n for n, c in facts.columns.items() if _holds_dates(c)]
    if not dates or any(_names_counts(c) for c in numbers):
        return ""
    readings = [c for c in numbers if c.fractions or _below_zero(c)]
    few = len(readings) < _MIN_READINGS or 2 * len(readings) <= len(numbers)
    places = [n for n in facts.columns if CODE.fullmatch(facts[n].plain)]
    if few or not any(facts.one_row_each([*places[:1], date]) for date in dates):
        return ""
    shown = shown_codes([c.name for c in readings], shown=3)
    return f"its rows are measurements at several dates, such as {shown}, not counts"


def readings_by_date(facts: SheetFacts) -> str:
    """Return a sentence if all columns of numbers are named after days and have decimals."""
    numbers = _value_columns(facts)
    days = [c for c in numbers if re.fullmatch(_DAYS + ".*", c.name)]
    if len(days) < _MIN_DAYS or any(c.whole > _HARDLY_WHOLE for c in days):
        return ""
    if any(_names_counts(c) for c in numbers if c not in days):
        return ""
    shown = shown_codes([c.name for c in days], shown=3)
    return (
        f"its columns hold numbers with decimals for several days, such as {shown}, and no counts"
    )


def list_of_columns(facts: SheetFacts) -> str:
    """Return a sentence if the table explains the columns of another file."""
    plain = [c.plain for c in facts.columns.values()]
    alone = len(plain) >= _MIN_DESCRIBED and {*plain} <= _CODEBOOK
    among_others = len({*plain} & _CODEBOOK) >= _SURE_CODEBOOK
    if (alone or among_others) and {*plain} & _DESCRIBED:
        return "explains the columns of another file, and holds no counts"
    fields = [c for c in facts.columns.values() if c.plain in _FIELDS]
    unique = any(c.distinct == facts.n_rows for c in fields)
    if unique and {*plain} & _EXPLANATIONS and {*plain} & _KINDS_OF_CELLS:
        return "explains the columns of another file, and holds no counts"
    texts = [c for c in facts.columns.values() if not c.numeric and not c.blank]
    named = {word for name in plain for word in (name, *name.split("_"))}
    whole = named & _DESCRIBED and named & _DESCRIPTION
    if not whole or len(texts) < 2 or facts.n_rows > _MAX_LINES:
        return ""
    if any(_names_counts(c) or c.whole > 0.9 for c in facts.columns.values() if c.numeric):
        return ""
    if len(plain) > 6 or any(facts[n].numeric for n in facts.sheet.names[:2]):
        return ""
    return "explains the columns of another file, and holds no counts"


def lists_fields(names: Sequence[str]) -> bool:
    """Return whether the columns of a table say what the fields of another file mean.

    >>> lists_fields(["Campo", "Descrizione", "Posizione"]), lists_fields(["code", "description"])
    (True, False)
    """
    plain = {re.sub("_?[0-9]+$", "", plain_name(name)) for name in names}
    named = {word for name in plain for word in (name, *name.split("_"))}
    return bool(plain & _FIELDS and named & _EXPLANATIONS) or (
        bool(named & _FIELDS) and bool(named & _POSITIONS)
    )


def list_of_codes(facts: SheetFacts) -> str:
    """Return a sentence if the table only says which codes lie within which others."""
    columns = [c for c in facts.columns.values() if not c.blank]
    codes = [c for c in columns if CODE.fullmatch(c.plain) and c.coded and not c.numeric]
    own = [c for c in codes if c.numbered_apart and c.distinct == facts.n_rows >= _MIN_CODES]
    above = [c for c in codes if 1 < c.distinct < facts.n_rows]
    numbers = [c for c in columns if c.numeric and not CODE.fullmatch(c.plain)]
    if not own or not above or not all(_numbers_rows(c) for c in numbers):
        return ""
    if any(PERSON.fullmatch(c.plain) or CATEGORY.fullmatch(c.plain) for c in columns):
        return ""
    if any(GROUP_ID.fullmatch(c.plain) or c.moments for c in columns):
        return ""
    return (
        f"lists the codes of {shown_code(own[0].name)} with the codes above them and "
        "holds no counts. Give it together with a table of counts"
    )


def _numbers_rows(column: ColumnFacts) -> bool:
    """Return whether a column is named as a row number and has distinct cells."""
    return bool(ROW_NUMBER.fullmatch(column.plain)) and column.distinct == len(column.text)


def fixed_widths(facts: SheetFacts) -> str:
    """Return a sentence if the only column holds lines of digits of equal length."""
    columns = [*facts.columns.values()]
    if len(columns) > 1 or facts.n_rows < _MIN_CODES:
        return ""
    lengths = {len(line) for line in columns[0].different.to_pylist()}
    if len(lengths) > 1 or min(lengths) < _MIN_WIDTH or not columns[0].share("[0-9]{6}"):
        return ""
    return (
        "all its lines have the same length, as in a file of fixed width. Read it with "
        "the commands or the layout that came with it, and save it as CSV"
    )


def codes_run_together(facts: SheetFacts) -> str:
    """Return a sentence if lines without a header begin with the codes of several regions."""
    columns = [*facts.columns.values()]
    if facts.n_rows < _MIN_CODES or not all(n.startswith("column ") for n in facts.columns):
        return ""
    if facts.sheet.separator != "\t" or not columns[0].every(_RUN_TOGETHER):
        return ""
    digits = {len(re.split(r"\D", cell)[0]) for cell in columns[0].different.to_pylist()}
    if len(digits) > 1:
        return ""
    return (
        f"its lines begin with {digits.pop()} digits without a separator, as codes in a file of "
        "fixed width do. Split the codes with the layout that came with it, and save it as CSV"
    )


RULES: tuple[Rule, ...] = (
    fixed_widths, codes_run_together,
    in_other_units, statistics_alone, readings_of_instruments, readings_by_date, list_of_columns,
    list_of_codes,
)  # fmt: skip


def no_counts(facts: SheetFacts) -> str:
    """Return what a table holds instead of counts, in words; empty if it may hold counts."""
    return next((sentence for rule in RULES if (sentence := rule(facts))), "")


def _value_columns(facts: SheetFacts) -> list[ColumnFacts]:
    """Return the columns of numbers that are not codes, dates, coordinates or row numbers."""
    return [
        c for c in facts.columns.values()
        if c.numeric and not c.leading_zeros and not c.years and not _holds_dates(c)
        and not YEAR.fullmatch(c.plain) and not CODE.fullmatch(c.plain)
        and not (c.counts_rows and ROW_NUMBER.fullmatch(c.plain))
        and not GROUP_ID.fullmatch(c.plain) and c.plain not in LATITUDE | LONGITUDE
    ]  # fmt: skip


def _names_counts(column: ColumnFacts) -> bool:
    """Return whether the name has a word for people or things and is not that of a measure."""
    named = {re.sub("[0-9]+$", "", word) for word in column.plain.split("_")}
    return bool(named & COUNT) and not named_as_a_measure(column)


def _codes_of_places(column: ColumnFacts) -> bool:
    """Return whether a column holds postal codes, or numbers of one length named after regions."""
    if POSTAL.fullmatch(column.plain):
        return True
    lengths = {len(cell) for cell in column.filled.to_pylist()}
    named = all(PLACE.search(word) for word in column.plain.split("_"))
    return named and len(lengths) == 1 and min(lengths) >= _MIN_DIGITS


def _below_zero(column: ColumnFacts) -> bool:
    """Return whether a number is negative."""
    return bool((column.values[~np.isnan(column.values)] < 0).any())


def _holds_dates(column: ColumnFacts) -> bool:
    """Return whether a column is named after dates and holds days."""
    named = bool(_DATE.fullmatch(column.plain) or YEAR.fullmatch(column.plain))
    return named and column.every(_DAYS)
