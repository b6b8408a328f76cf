"""What is added to every question: doubts, answers that are missing, and words that differ."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow.compute as pc

from hierdp_core.readers.columns.cautions import ignored_counts
from hierdp_core.readers.columns.chosen_rows import kept_rows, without_left_out
from hierdp_core.readers.columns.doubts import doubt_about, names_an_amount
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.layout import RECORDS
from hierdp_core.readers.columns.layout_words import as_names
from hierdp_core.readers.columns.question import (
    NO_COUNTS_CHOICE,
    ROWS_ARE_RECORDS,
    Choice,
    Question,
)
from hierdp_core.readers.columns.rates import says_rates
from hierdp_core.readers.columns.record_rules import called_weight, identifies_rows
from hierdp_core.readers.columns.size_doubts import doubt_about_sizes
from hierdp_core.readers.columns.slices import is_crossed_table
from hierdp_core.readers.columns.vocabulary import (
    COUNT,
    LEVEL_WORDS,
    plain_name,
    subject_of,
    words,
)
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import shown_code, shown_codes
from hierdp_core.util.text import by_number

_ANY_NUMBER = words("value values valor valeur wert hodnota vrednost waarde obs_value num number n")
_SAYS_WHAT = frozenset({"kind", "row", "count", "parts", "size", "sizes", "group"})
_MIN_RECORDS = 20  # rows with numbers of their own
_NEARLY_ALL = 0.95  # of the numbers of a column
_MOST_NUMBERS = 3  # columns of numbers beside those that distinguish the cells of a table
_MIN_DIGITS = 6  # of a number that identifies a record
_DOUBTED = " although "  # before the doubt in the words of an answer
_SHOWN_AREAS = 4  # regions that a sentence names
_SHOWN = 30  # last characters of a text that tell it from another


def complete(
    facts: SheetFacts,
    question: Question,
    stated: Mapping[str, Any],
    layout: Mapping[str, Any] = MappingProxyType({}),
) -> Question:
    """Return a question with all that a person needs to answer it.

    Args:
        facts: facts about the rows that are read.
        question: the question of one of the rules.
        stated: the settings that a person gave.
        layout: all settings, stated or guessed.
    """
    choices = [c for c in question.choices if not _leaves_nothing(facts, c, layout)]
    choices = _without_records(facts, choices or question.choices)
    choices = [*_counts_of_cells(facts, choices, stated), *choices]
    choices = [_with_doubt(facts, choice) for choice in choices]
    choices = [_with_losses(facts, _with_label(facts, c), layout) for c in choices]
    if _may_list_records(facts, choices, stated):
        record = Choice(words=ROWS_ARE_RECORDS, stated={"kind": "counts", "row": "person"})
        choices = [record, *choices]
    if _needs_refusal(facts, question, stated):
        choices = (
            [NO_COUNTS_CHOICE, *choices] if says_rates(facts) else [*choices, NO_COUNTS_CHOICE]
        )
    return replace(question, choices=told_apart(_doubted_last(choices)))


def _without_records(facts: SheetFacts, choices: Sequence[Choice]) -> list[Choice]:
    """Return the answers without those that rows are persons or groups, if the rows are a table.

    Columns without counts then distinguish all rows, and most combinations of their values have a
    row, as with regions and sexes or years. Records have no such order.
    """
    counted = [str(c.stated["count"]) for c in choices if c.stated.get("count")]
    records = [c for c in choices if c.stated.get("row") in ("person", "group")]
    weighted = any(called_weight(column) for column in facts.columns.values())
    if not (counted and records) or len(records) == len(choices) or weighted:
        return list(choices)
    used = {str(c.stated["size"]) for c in records if c.stated.get("size")}
    # One of the columns that may hold the counts may be a category in numbers.
    for numbers in (counted, *([name] for name in counted if len(counted) > 1)):
        names = [n for n in facts.sheet.names if n not in numbers]
        if is_crossed_table(facts, names, used):
            return [c for c in choices if c not in records]
    return list(choices)


def _counts_of_cells(
    facts: SheetFacts, choices: Sequence[Choice], stated: Mapping[str, Any]
) -> list[Choice]:
    """Return answers that count a column of numbers, if all others count the rows of a table.

    Each combination of the other columns then has one row. If rows were counted, each would count
    once, whatever its number is, so the numbers are offered too.
    """
    known = stated.keys() & _SAYS_WHAT
    if known or not choices or any(c.stated.get("row") not in RECORDS for c in choices):
        return []
    used = {n for c in choices for value in c.stated.values() for n in as_names(value)}
    numbers = [
        n for n in facts.sheet.names
        if n not in used and facts[n].numeric and facts[n].whole > _NEARLY_ALL
        and facts[n].distinct > 2 and not facts[n].years and not facts[n].leading_zeros
    ]  # fmt: skip
    if not is_crossed_table(facts, [n for n in facts.sheet.names if n not in numbers]):
        return []
    return [
        Choice(words=f"column {shown_code(name)} holds the counts", stated={"count": name})
        for name in numbers[:_MOST_NUMBERS]
        if not identifies_rows(facts[name]) and not facts[name].counts_rows
    ]


def _doubted_last(choices: Sequence[Choice]) -> list[Choice]:
    """Return the answers with doubted sizes or columns of counts after the others.

    Answers that doubt sizes come after all that count a column.
    """
    sizes = [c for c in choices if c.stated.keys() & {"size", "sizes"} and _DOUBTED in c.words]
    rest = _doubted_counts_last([c for c in choices if c not in sizes])
    refused = [c for c in rest[1:] if c == NO_COUNTS_CHOICE]
    return [*(c for c in rest if c not in refused), *sizes, *refused]


def _doubted_counts_last(choices: Sequence[Choice]) -> list[Choice]:
    """Return the answers with doubted columns of counts after the others, and after a refusal.

    A refusal comes first only if all answers that count a column are doubted, and no answer that
    counts rows comes before them.
    """
    doubted = [c for c in choices if c.stated.get("count") and _DOUBTED in c.words]
    counted = [c for c in choices if c.stated.get("count") or c.stated.get("parts")]
    rest = [c for c in choices if c not in doubted]
    if not doubted:
        return rest
    sized = any(c.stated.keys() & {"size", "sizes", "areas"} for c in rest)
    if len(doubted) == len(counted) and not sized:
        others = [c for c in rest if c != NO_COUNTS_CHOICE]
        refused = [c for c in rest if c == NO_COUNTS_CHOICE]
        place = min(choices.index(c) for c in doubted)
        before = sum(c in others for c in choices[:place])
        if before and others[0].stated.get("row") in RECORDS:
            return [*others[:before], *doubted, *others[before:], *refused]
        return [*refused, *others[:before], *doubted, *others[before:]]
    if len(doubted) == len(counted):
        return list(choices)
    place = max(k for k, c in enumerate(rest) if c in counted) + 1
    return [*rest[:place], *doubted, *rest[place:]]


def _rows_of(facts: SheetFacts, choice: Choice) -> Sheet | None:
    """Return the rows that an answer leaves; None if it leaves all, or if there are too many."""
    if facts.sampled or not choice.stated.keys() & {"keep", "leave_out"}:
        return None
    pairs = (*choice.stated.get("keep", ()), *choice.stated.get("leave_out", ()))
    if not all(facts.sheet.has(pair.partition("=")[0]) for pair in pairs):
        return None
    return without_left_out(kept_rows(facts.sheet, choice.stated), choice.stated)


def _leaves_nothing(facts: SheetFacts, choice: Choice, layout: Mapping[str, Any]) -> bool:
    """Return whether an answer leaves no rows, or only rows with 0."""
    rows = _rows_of(facts, choice)
    if rows is None:
        return False
    count = str(layout.get("count", ""))
    if not rows.n_rows or not rows.has(count) or not facts[count].numeric:
        return not rows.n_rows
    left = np.nan_to_num(ColumnFacts(count, rows.column(count)).values)
    return not left.any() and bool(np.nan_to_num(facts[count].values).any())


def _with_label(facts: SheetFacts, choice: Choice) -> Choice:
    """Return an answer that names the label of a code beside it, such as the year of code 1."""
    for pair in choice.stated.get("keep", ()):
        name, _, value = pair.partition("=")
        if name not in facts.columns or facts.sampled or shown_code(value) not in choice.words:
            continue
        subject = subject_of(facts[name].plain)
        beside = [
            n for n in facts.sheet.names
            if n != name and subject and subject_of(facts[n].plain) == subject
            and facts[n].distinct == facts[name].distinct == facts.different([name, n])
        ]  # fmt: skip
        label = _label_of(facts, name, value, beside[0]) if beside else ""
        if label and len(label) > len(value):
            words = f"{choice.words} ({shown_code(label)} in column {shown_code(beside[0])})"
            return replace(choice, words=words)
    return choice


def _label_of(facts: SheetFacts, name: str, value: str, beside: str) -> str:
    """Return the cell of another column in the first row with a value; empty without such a row."""
    place = pc.index(facts[name].text, value).as_py()
    return "" if place < 0 else str(facts[beside].text[place].as_py())


def _with_losses(facts: SheetFacts, choice: Choice, layout: Mapping[str, Any]) -> Choice:
    """Return an answer that names the regions of which it leaves no row.

    Rows for each level have a region of their own, so that nothing is lost.
    """
    rows = _rows_of(facts, choice) if choice.stated.get("keep") else None
    levels = [n for n in layout.get("levels", ()) if n in facts.columns]
    if rows is None or not levels or layout.get("kind") == "flows" or not rows.n_rows:
        return choice
    kept = [facts[pair.partition("=")[0]] for pair in choice.stated["keep"]]
    if any(c.level_of_row and (len(levels) == 1 or _names_levels(c)) for c in kept):
        return choice
    for level in levels:
        before = [code for code in facts[level].filled.to_pylist() if code]
        after = set(rows.column(level).to_pylist())
        if lost := [code for code in before if code not in after]:
            shown = shown_codes(lost, shown=_SHOWN_AREAS)
            number = f"{len(lost):,} of {len(before):,} areas of column {shown_code(level)}"
            have = by_number(len(lost), "has", "have")
            words = f"{choice.words}. {number} {have} no such row: {shown}"
            return replace(choice, words=words)
    return choice


def _names_levels(column: ColumnFacts) -> bool:
    """Return whether cells are words for levels, such as "county"."""
    named = [{*plain_name(cell).split("_")} for cell in column.filled.to_pylist()]
    return any(words & LEVEL_WORDS for words in named)


def told_apart(choices: list[Choice]) -> tuple[Choice, ...]:
    """Return the answers with different words: equal ones name settings that they do not share.

    >>> one = Choice(words="the same", stated={"count": "stock of all people 2015"})
    >>> other = Choice(words="the same", stated={"count": "stock of all people 2020"})
    >>> [choice.words for choice in told_apart([one, other])]
    ['the same (… 2015)', 'the same (… 2020)']
    """
    often = Counter(choice.words for choice in choices)
    result: list[Choice] = []
    for choice in choices:
        alike = [c for c in choices if c.words == choice.words]
        if often[choice.words] == 1 or all(c.stated == choice.stated for c in alike):
            result.append(choice)
            continue
        texts = [_setting_in_words(c) for c in alike]
        same = [len(set(letters)) == 1 for letters in zip(*texts, strict=False)]
        n_same = same.index(False) if False in same else len(same)
        start = len(re.split(r"\w+$", texts[0][:n_same])[0])
        rest = _setting_in_words(choice)[start:][-_SHOWN:]
        words = f"{choice.words} (… {rest})"
        result.append(replace(choice, words=words))
    return tuple(result)


def _setting_in_words(choice: Choice) -> str:
    """Return the values of the settings of an answer as one text."""
    return " ".join(str(value) for value in choice.stated.values())


def _with_doubt(facts: SheetFacts, choice: Choice) -> Choice:
    """Return an answer with a doubt about what it counts, or with the numbers that it ignores."""
    if _DOUBTED in choice.words:
        return choice
    if choice.stated.keys() & {"size", "sizes"} and (
        doubt := doubt_about_sizes(facts, choice.stated)
    ):
        return replace(choice, words=f"{choice.words}, although {doubt}")
    if doubt := doubt_about(facts, str(choice.stated.get("count", ""))):
        return replace(choice, words=f"{choice.words}, although {doubt}")
    kept = [pair.partition("=")[2] for pair in choice.stated.get("keep", ())]
    if any(names_an_amount(value) for value in kept):
        words = f"{choice.words}, although this value indicates amounts or measurements"
        return replace(choice, words=words)
    records = choice.stated.get("row") in ("person", "group")
    if records and (name := ignored_counts(facts, choice.stated, choice.stated)):
        words = f"{choice.words}. The numbers in column {shown_code(name)} are not used"
        return replace(choice, words=words)
    return choice


def _needs_refusal(facts: SheetFacts, question: Question, stated: Mapping[str, Any]) -> bool:
    """Return whether it is not certain that there are counts, and no answer refuses the file."""
    counted = [str(c.stated["count"]) for c in question.choices if c.stated.get("count")]
    if not counted or stated.keys() & _SAYS_WHAT:
        return False
    if NO_COUNTS_CHOICE in question.choices:
        return False
    known = [name for name in counted if name in facts.columns]
    return not any(_names_people(facts[n]) and not doubt_about(facts, n) for n in known)


def _may_list_records(
    facts: SheetFacts, choices: Sequence[Choice], stated: Mapping[str, Any]
) -> bool:
    """Return whether each row may be one record, and no answer says so.

    No column of numbers is then free of doubt, and rows have a number of their own. Two columns
    with the same words may then be surnames, not origins and destinations.
    """
    if stated.keys() & _SAYS_WHAT or any(c.stated.get("row") for c in choices):
        return False
    counted = [str(c.stated["count"]) for c in choices if c.stated.get("count")]
    flows = any("destinations" in c.stated for c in choices) and not any(
        c.numeric and _names_people(c) for c in facts.columns.values()
    )
    if not (counted or flows) or facts.n_rows < _MIN_RECORDS:
        return False
    numbers = [c for c in facts.columns.values() if c.numeric and not _names_people(c)]
    numbered = any(identifies_rows(c) or c.counts_rows or _unnamed_number(c) for c in numbers)
    return numbered and all(doubt_about(facts, name) for name in counted)


def _unnamed_number(column: ColumnFacts) -> bool:
    """Return whether a column without a name has another number of the same length in each row."""
    lengths = {len(cell) for cell in column.filled.to_pylist()}
    alike = len(lengths) == 1 and min(lengths) >= _MIN_DIGITS
    return column.name.startswith("column ") and alike and column.numbered_apart


def _names_people(column: ColumnFacts) -> bool:
    """Return whether a name has a word for people, things or a total, and not only for numbers."""
    named = {re.sub("[0-9]+$", "", word) for word in column.plain.split("_")}
    return bool(named & (COUNT - _ANY_NUMBER) or column.plain in COUNT - _ANY_NUMBER)
