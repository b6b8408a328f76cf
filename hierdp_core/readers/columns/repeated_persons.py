"""Persons with several rows, such as one for each wave of a panel or each stay in hospital."""

import re

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.columns.record_rules import person_columns
from hierdp_core.readers.report import shown_code

_ID = re.compile(
    r"(id|pid|pnr|lopnr|persid|num_pat|.*_(id|no|nr|num|number|nummer|key)|id_.*|.*(id|nr))"
)
_MIN_PERSONS = 20  # different persons; fewer are categories
_MIN_SHARE = 12  # rows for each person on average, at most
_MAX_TIMES = 40  # waves or years of one person
_MOST_CHOICES = 8  # waves or years that answers name


def repeated_persons_question(facts: SheetFacts, group: str = "") -> Question | None:
    """Ask a question if the number of a person occurs in several rows."""
    for name in person_columns(facts):
        if name == group or not _numbers_persons(facts, name):
            continue
        time = next((n for n in facts.sheet.names if _distinguishes_rows(facts, name, n)), "")
        return _question(facts, name, time)
    return None


def _numbers_persons(facts: SheetFacts, name: str) -> bool:
    """Return whether a column identifies persons, some of whom have several rows."""
    column = facts[name]
    few = column.distinct < max(_MIN_PERSONS, facts.n_rows / _MIN_SHARE)
    repeats = column.distinct < 0.95 * facts.n_rows
    return bool(_ID.fullmatch(column.plain)) and repeats and not few


def _distinguishes_rows(facts: SheetFacts, person: str, name: str) -> bool:
    """Return whether a column with few values has a different one in each row of a person."""
    few = 1 < facts[name].distinct <= min(_MAX_TIMES, facts[person].distinct)
    return name != person and few and facts.one_row_each([person, name])


def _question(facts: SheetFacts, person: str, time: str) -> Question:
    choices = [
        Choice(words=f"only rows with {shown_code(value)} in column {shown_code(time)} are read",
               stated={"keep": (f"{time}={value}",)})
        for value in (_newest_first(facts[time]) if time else ())
    ]  # fmt: skip
    every = Choice(words="all rows are counted, so a person counts once for each row",
                   stated={"kind": "counts", "row": "person", "add_up": True})  # fmt: skip
    sizes = Choice(words="persons are counted by their number of rows",
                   stated={"kind": "group-sizes", "row": "person", "group": person})  # fmt: skip
    named = shown_code(person)
    what = f"numbers in column {named} repeat, so some persons have several rows"
    if time:
        what = f"{what}, which differ in column {shown_code(time)}"
    what = f"{what}. It is not clear which of them to read"
    if len(choices) > _MOST_CHOICES:
        more = f"{_MOST_CHOICES} of the {len(choices)} values of column {shown_code(time)}"
        what = f"{what}. The answers list {more}"
    return Question(what=what, choices=(*choices[:_MOST_CHOICES], every, sizes))


def _newest_first(column: ColumnFacts) -> list[str]:
    values = column.filled.to_pylist()
    whole = all(value.isdigit() for value in values)
    return sorted(values, key=lambda v: (int(v) if whole else 0, v), reverse=True)
