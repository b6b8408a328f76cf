"""Tables in which each region has several rows, one for each sex, year or variable."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.columns.vocabulary import CATEGORY, TOTAL, YEAR, plain_name, words
from hierdp_core.readers.formats.sheet import as_mask
from hierdp_core.readers.report import shown_code

_MOST_VALUES = 8
_TOTAL_WORDS = words(
    """
    t tt both both_sexes persons total_persons all_ages _t 総数 計 zusammen beide hm h_m 男女計
    """
)


@dataclass(frozen=True, kw_only=True)
class Sliced:
    """Which rows of each region are read.

    Attributes:
        keep: values to keep, each "COLUMN=VALUE".
        reasons: one line a choice.
        question: what is not clear.
    """

    keep: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    question: Question | None = None


def sliced(
    facts: SheetFacts, places: Sequence[str], free: Sequence[str], count: str, *, extra: str
) -> Sliced:
    """How a region's rows are told apart, where it has several.

    Args:
        facts: of the table.
        places: the columns that name a region.
        free: columns that hold nothing else that is known.
        count: the column of counts; empty where there are several or none.
        extra: the column of sizes; empty where there is none.
    """
    keys = [*places, *([extra] if extra else [])]
    if facts.one_row_each(keys):
        return Sliced()
    slicing = _slicing(facts, keys, free)
    if not slicing:
        return Sliced()
    kept: list[str] = []
    reasons: list[str] = []
    for name in slicing:
        total = _total_value(facts, name, keys, [n for n in slicing if n != name], count)
        if total is None:
            return Sliced(
                keep=tuple(kept), reasons=tuple(reasons),
                question=_question(facts, name, kept, single=len(slicing) == 1),
            )  # fmt: skip
        kept.append(f"{name}={total}")
        reasons.append(f"rows with {shown_code(total)} in column {shown_code(name)} are totals")
    return Sliced(keep=tuple(kept), reasons=tuple(reasons))


def _slicing(facts: SheetFacts, keys: Sequence[str], free: Sequence[str]) -> list[str]:
    """The columns that tell the rows of a region apart, those named as categories first."""
    several = [n for n in free if n not in keys and facts[n].distinct > 1]

    def likely(name: str) -> tuple[bool, int]:
        plain = facts[name].plain
        return not (CATEGORY.fullmatch(plain) or YEAR.fullmatch(plain)), facts[name].distinct

    found: list[str] = []
    rows = facts.different(keys)
    for name in sorted(several, key=likely):
        more = facts.different([*keys, *found, name])
        if more > rows:
            found.append(name)
            rows = more
        if rows == facts.n_rows:
            break
    return found


def _total_value(
    facts: SheetFacts, name: str, keys: Sequence[str], others: Sequence[str], count: str
) -> str | None:
    """The value whose rows are the totals of the others': by its word, and never less than one."""
    if YEAR.fullmatch(facts[name].plain):
        return None
    column = facts[name]
    named = [
        value for value in column.filled.to_pylist()[:200]
        if TOTAL.fullmatch(plain_name(value)) or plain_name(value) in _TOTAL_WORDS
    ]  # fmt: skip
    if len(named) != 1 or not count:
        return None
    is_total = as_mask(pc.equal(column.text, named[0]))
    values = facts[count].values
    group = facts.key([*keys, *others])
    size = int(group.max()) + 1
    total = np.full(size, np.nan)
    total[group[is_total]] = values[is_total]
    largest = np.full(size, -np.inf)
    np.maximum.at(largest, group[~is_total], np.nan_to_num(values[~is_total]))
    known = ~np.isnan(total)
    return named[0] if known.all() and (total >= largest).all() else None


def _question(facts: SheetFacts, name: str, kept: Sequence[str], *, single: bool) -> Question:
    values = facts[name].filled.to_pylist()
    totals = [v for v in values if TOTAL.fullmatch(plain_name(v)) or plain_name(v) in _TOTAL_WORDS]
    newest = sorted(values, reverse=True) if facts[name].years else [*totals, *values]
    choices = [
        Choice(
            words=f"only rows with {shown_code(value)} in column {shown_code(name)} are read",
            stated={"keep": (*kept, f"{name}={value}")},
        )
        for value in list(dict.fromkeys(newest))[:_MOST_VALUES]
    ]
    if single and not totals and not YEAR.fullmatch(facts[name].plain):
        choices.append(
            Choice(words="the rows of a region are parts of it and are added up",
                   stated={"add_up": True})
        )  # fmt: skip
    return Question(
        what=f"a region has several rows, which differ in column {shown_code(name)}",
        choices=tuple(choices),
    )


def level_question(facts: SheetFacts, name: str) -> Question:
    """Ask which rows to read where a column says of which level each row is."""
    counts = pc.value_counts(facts[name].text).to_pylist()
    values = [c["values"] for c in sorted(counts, key=lambda c: -c["counts"]) if c["values"]]
    choices = [
        Choice(
            words=f"only rows with {shown_code(value)} in column {shown_code(name)} are read",
            stated={"keep": (f"{name}={value}",)},
        )
        for value in values[:_MOST_VALUES]
    ]
    one = Choice(words="no row is a total: all rows are read", stated={"totals": "none"})
    return Question(
        what=f"rows are of several levels, which column {shown_code(name)} names",
        choices=(*choices, one),
    )
