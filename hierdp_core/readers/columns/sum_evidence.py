"""Evidence on what the columns are that add up to another one.

A total of men and women holds the counts. A total may also be that of all regions or of all sizes
of groups, and births are the sum of deaths and of the natural increase. The sum alone does not
distinguish these.
"""

import re
from collections.abc import Sequence

import numpy as np

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.partitions import months_in, numbered_in, parts_in, year_in
from hierdp_core.readers.columns.size_shapes import holds_size_labels, size_columns
from hierdp_core.readers.columns.turned import may_be_transposed
from hierdp_core.readers.columns.vocabulary import (
    CATEGORY,
    CODE,
    COUNT,
    LABELS,
    NOT_A_COUNT,
    PERSON,
    PLACE,
    STOCK,
    TOTAL,
    TOTAL_WORDS,
    plain_name,
    words,
)

_PAIR = 2  # parts that may also be the terms of a balance
_MAX_TERMS = 40  # columns among which the terms of a balance are looked for
_MIN_ORDERED = 8  # rows in which numbers have one order by no chance
_NEARLY_EQUAL = 0.9  # a stage as a proportion of the one before
_LEAST_STAGE = 0.3
_MIN_NEGATIVE = 2  # different negative numbers; a single one may mark a missing value
# What happens to people. It is also balanced, as births with deaths.
_EVENTS = words(
    """
    birth births death deaths arrivals departures immigrants emigrants immigration emigration
    migrants migrations movers moves admissions discharges entries exits inflow inflows outflow
    outflows hires births_total deaths_total geburten geborene lebendgeborene gestorbene sterbefalle
    zuzuge zugezogene fortzuge weggezogene eintritte austritte naissances deces entrees sorties
    arrivees departs nacimientos defunciones altas bajas entradas salidas saidas nascimentos obitos
    nascite nati morti iscritti cancellati geboorten sterfgevallen vestigingen vertrekken fodte dode
    levendefodte fodda doda invandring utvandring inflyttade utflyttade tilflyttede fraflyttede
    syntyneet kuolleet urodzenia zgony narozeni zemreli
    """
)
_BALANCE = re.compile(
    r"(.*_)?(net|netto.*|balance|saldo.*|solde|surplus|excess|difference|diff|bilan|natural|"
    r"uberschuss|.*uberschuss|.*overskud|overskott|.*saldo|increase|decrease|gain|loss|zunahme|"
    r"accroissement|crecimiento|crescimento|crescita|aangroei|przyrost|prirustek)(_.*)?"
)
_CLASSES = re.compile(
    r"(.*_)?(grade|class|year|form|klasse|schuljahr|classe|clase|curso|ano|anno|klas|klass|luokka|"
    r"turma|age|ages|alter|edad|eta|idade|quarter|month|week|day|round|stage|level)s?(_.*)?"
)


def negative(column: ColumnFacts) -> float:
    """Return points against negative numbers, which are differences and not counts."""
    if column.plain in COUNT:
        return 0.0  # these are errors
    known = column.values[~np.isnan(column.values)]
    return -6.0 if len(np.unique(known[known < 0])) >= _MIN_NEGATIVE else 0.0


def total_of_something_else(facts: SheetFacts, total: str, others: Sequence[str]) -> bool:
    """Return whether a column may be the total of columns for sizes of groups or for regions.

    Args:
        facts: facts about the table.
        total: the column of the total.
        others: the columns that may be its parts.
    """
    parts = [n for n in facts.sheet.names if n in others and n != total]
    return counts_sizes(parts) or _rows_may_be_kinds(facts, parts)


def balanced_with(facts: SheetFacts, count: str, names: Sequence[str]) -> list[str]:
    """Return columns that give `count` with a difference, such as departures with net arrivals.

    Args:
        facts: facts about the table.
        count: a column that may hold the counts.
        names: further columns, of which those with negative numbers are differences.
    """
    numbers = [n for n in names if n != count and facts[n].numeric][:_MAX_TERMS]
    differences = [n for n in numbers if negative(facts[n]) < 0]
    whole = facts[count].values
    return [
        n for n in numbers
        if n not in differences
        and any(np.array_equal(facts[n].values + facts[d].values, whole) for d in differences)
    ]  # fmt: skip


def sum_of_parts(facts: SheetFacts, total: str, parts: Sequence[str]) -> bool:
    """Return whether there is evidence that columns are parts of what their sum counts.

    Two columns are parts if their names say so: a known division of people, the total under a word
    for one, or names that repeat that of the total. More columns are parts unless a name is that of
    a difference.
    """
    plain = facts[total].plain
    stocks = [n for n in (total, *parts) if STOCK.fullmatch(facts[n].plain)]
    if len(stocks) > 1:
        return False  # the end of a year is its start with what changed
    if set(parts_in(facts, parts)) == set(parts):
        return True
    if any(_BALANCE.fullmatch(facts[n].plain) for n in (total, *parts)):
        return False
    if len(parts) > _PAIR:
        return True
    own = set(plain.split("_"))
    kept = own - LABELS - {""}
    if kept and all(kept <= set(facts[n].plain.split("_")) for n in parts):
        return True  # households: private households and institutional households
    if _of_one_table(total, parts):
        return True
    if own & _EVENTS or any(set(facts[n].plain.split("_")) & _EVENTS for n in parts):
        return False
    return _named_as_a_whole(plain) and not any(_named_as_a_total(facts[n].plain) for n in parts)


def count_stages(facts: SheetFacts, parts: Sequence[str]) -> bool:
    """Return whether each of three or more columns may count some of what another one counts.

    Examples are registered voters, returned ballots and valid ballots, which a form adds up as a
    check. In every row, their numbers then have the same order, and two are nearly equal. Columns
    whose names differ only in a number, such as quarters, do not count as stages.
    """
    stems = {re.sub("[0-9]+", "", facts[n].plain) for n in parts}
    if len(parts) <= _PAIR or len(stems) < len(parts) or parts_in(facts, parts):
        return False
    values = np.column_stack([facts[n].values for n in parts])
    values = values[~np.isnan(values).any(axis=1)]
    values = values[:, np.argsort(-values.sum(axis=0))]
    sums = values.sum(axis=0)
    in_order = bool((values[:, 1:] <= values[:, :-1]).all())
    steps = sums[1:] / np.maximum(sums[:-1], 1)
    alike = bool((steps >= _NEARLY_EQUAL).any() and (steps >= _LEAST_STAGE).all())
    return len(values) >= _MIN_ORDERED and in_order and alike


def counts_sizes(names: Sequence[str]) -> bool:
    """Return whether columns number sizes of groups from 1 up, by their names.

    >>> counts_sizes(["Grootte 1", "Grootte 2", "Grootte 3"]), counts_sizes(["Grade 1", "Grade 2"])
    (True, False)
    """
    if months_in(names) or any(map(year_in, names)):
        return False
    if any(_CLASSES.fullmatch(re.sub("_?[0-9]+_?", "", plain_name(name))) for name in names):
        return False
    return bool(numbered_in(names) or size_columns(names))


def _rows_may_be_kinds(facts: SheetFacts, parts: Sequence[str]) -> bool:
    """Return whether rows may be kinds of what is counted, and each column may be a region."""
    if len(facts.texts) != 1 or len(parts) < _PAIR:
        return False
    label = facts[facts.texts[0]]
    named = PLACE.search(label.plain) or CODE.fullmatch(label.plain)
    if holds_size_labels(facts, label.name):
        return True
    if named or not may_be_transposed(facts):
        return False
    if any(CODE.fullmatch(facts[n].plain) for n in facts.sheet.names):
        return False  # a code beside the names: rows are regions
    if set(parts_in(facts, parts)) == set(parts) or months_in(parts):
        return False
    return not any(_about_people(facts[n].plain) for n in parts)


def _about_people(plain: str) -> bool:
    """Return whether the name of a column is about what is counted, and not that of a region."""
    parts = set(plain.split("_"))
    known = (CATEGORY, PERSON, NOT_A_COUNT)
    return bool(parts & (COUNT | TOTAL_WORDS | _EVENTS)) or any(w.fullmatch(plain) for w in known)


def _named_as_a_total(plain: str) -> bool:
    return bool(TOTAL.fullmatch(plain)) or any(f"_{word}_" in f"_{plain}_" for word in TOTAL_WORDS)


def _named_as_a_whole(plain: str) -> bool:
    """Return whether a name is a word for a total, or for all people or things of a kind."""
    return _named_as_a_total(plain) or plain in COUNT or bool(set(plain.split("_")) & COUNT)


def _of_one_table(total: str, parts: Sequence[str]) -> bool:
    """Return whether names are numbers within one published table, such as P001001 to P001003."""
    stems = {re.sub("[0-9]{1,4}[A-Za-z]?$", "", name) for name in (total, *parts)}
    numbers = [re.search("([0-9]{1,4})[A-Za-z]?$", name) for name in (total, *parts)]
    return len(stems) == 1 and all(numbers) and bool(stems - {""})
