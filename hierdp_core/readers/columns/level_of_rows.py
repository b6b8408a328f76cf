"""Tables with a column that names the level of each row, such as "county"."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.code_trees import nested_lengths
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts, index_of
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.columns.region_columns import (
    LABEL_SHARE,
    RegionColumns,
    about_something_else,
    is_name,
)
from hierdp_core.readers.columns.slices import RowChoice
from hierdp_core.readers.columns.vocabulary import PLACE
from hierdp_core.readers.formats.sheet import as_mask
from hierdp_core.readers.report import shown_code

_MAX_VALUES = 8  # levels that a question offers
_MIN_SUM = 50  # smallest sum that counts as evidence; smaller ones may be equal by chance
_NEARLY = 0.01  # relative difference of sums that count the same people


def with_level_question(
    rows: RowChoice, facts: SheetFacts, name: str, count: str, places: RegionColumns
) -> RowChoice:
    """Return the choice of rows with a question about a column that names the level of each row.

    Args:
        rows: the choice of rows by other columns.
        facts: facts about the table.
        name: the column that names levels.
        count: the column of counts; empty if there are several or none.
        places: the columns of regions.
    """
    counts = pc.value_counts(facts[name].text).to_pylist()
    values = [c["values"] for c in sorted(counts, key=lambda c: -c["counts"]) if c["values"]]
    choices = [
        Choice(
            words=f"only rows with {shown_code(value)} in column {shown_code(name)} are read",
            stated={"keep": (*rows.keep, f"{name}={value}")},
        )
        for value in values[:_MAX_VALUES]
    ]
    one = Choice(words="all rows are read as areas of one level", stated={"totals": "none"})
    if not (count and _count_the_same(facts, name, count)):
        choices.append(one)
    whole = all_levels(facts, name, places)
    if whole is None and (finest := _lettered_levels(facts, name, places)):
        kept = (*rows.keep, *finest.stated["keep"])
        whole = replace(finest, stated={**finest.stated, "keep": kept})
    choices = [*([] if whole is None else [whole]), *choices]
    question = Question(
        what=f"column {shown_code(name)} names the level of each row. People may be counted more "
        "than once if all rows are read",
        choices=tuple(choices),
    )
    return replace(rows, question=question, level=True)


def all_levels(facts: SheetFacts, name: str, places: RegionColumns) -> Choice | None:
    """Return the answer that all levels are read; None if codes do not begin with those above.

    A single row for the whole country may have any code, and is left out.
    """
    column = facts[name]
    alone = [c["values"] for c in pc.value_counts(column.text).to_pylist() if c["counts"] == 1]
    for code in sorted(places.used, key=facts.sheet.names.index):
        for whole in ("", *alone):
            read = facts.sheet if not whole else facts.sheet.take(pc.not_equal(column.text, whole))
            own = ColumnFacts(code, read.column(code))
            lengths = nested_lengths(own.text) if own.numbered_apart else ()
            if not lengths or len(lengths) != len(pc.unique(read.column(name))):
                continue
            shown = ", ".join(map(str, lengths))
            left_out = {"leave_out": (f"{name}={whole}",)} if whole else {}
            words = [n for n in facts.sheet.names if n in places.used and not facts[n].coded]
            likely = [*words, *facts.sheet.names] if words != [code] else []
            names = _names_of_codes(facts, code, likely, lengths)
            return Choice(
                words=f"all levels are read: codes of column {shown_code(code)} begin with the "
                f"code of the area above (lengths {shown})",
                stated={"levels": (code,), "prefix": lengths} | names | left_out,
            )
    return None


def _lettered_levels(facts: SheetFacts, name: str, places: RegionColumns) -> Choice | None:
    """Return the answer that the levels above come from the codes of the finest; None otherwise.

    Codes of each level begin with other letters, and their digits nest: "BU01600203" lies in
    "WK016002", which lies in "GM0160". A single row for the whole country may have any code.
    """
    once = [c["values"] for c in pc.value_counts(facts[name].text).to_pylist() if c["counts"] == 1]
    for whole in ("", *once):
        read = facts
        if whole:
            read = SheetFacts(facts.sheet.take(pc.not_equal(facts[name].text, whole)))
        if read.n_rows and (choice := _lettered_codes(read, name, places)) is not None:
            return choice
    return None


def _lettered_codes(facts: SheetFacts, name: str, places: RegionColumns) -> Choice | None:
    """Return the same as `_lettered_levels` for the rows of `facts`, of which none is set aside."""
    level = facts[name]
    for code in facts.sheet.names:
        column = facts[code]
        if code == name or not column.coded or not column.numbered_apart:
            continue
        letters = pc.replace_substring_regex(column.text, "[0-9]+$", "")
        digits = pc.replace_substring_regex(column.text, "^[^0-9]+", "")
        lengths = nested_lengths(digits)
        starts = index_of(letters)
        apart = len(np.unique(np.stack([starts, level.index]), axis=1).T)
        n_levels = level.distinct_filled
        if not len(lengths) == apart == len(np.unique(starts)) == n_levels:
            continue
        last = pc.equal(pc.utf8_length(digits), lengths[-1])
        begin = len(letters.filter(last)[0].as_py())
        if pc.equal(letters, "").to_pylist().count(True) or begin == 0:
            continue
        finest = level.text.filter(last)[0].as_py()
        prefix = tuple(begin + length for length in lengths)
        named = [n for n in facts.sheet.names if n in places.used and is_name(facts[n])]
        names = _names_of_codes(facts, code, [*named, *facts.sheet.names], prefix, at=last)
        return Choice(
            words=f"only rows with {shown_code(finest)} in column {shown_code(name)} are read, and "
            f"the levels above come from the first characters of column {shown_code(code)} "
            f"(lengths {', '.join(map(str, prefix))})",
            stated={"levels": (code,), "prefix": prefix, "keep": (f"{name}={finest}",)} | names,
        )
    return None


def _names_of_codes(
    facts: SheetFacts,
    code: str,
    likely: Sequence[str],
    prefix: Sequence[int],
    *,
    at: pa.Array | None = None,
) -> dict[str, tuple[str, ...]]:
    """Return the setting for a column of names of the lowest codes; empty where there is none.

    The names of an upper level repeat in all regions below it, so they name none of these.

    Args:
        facts: facts about the table.
        code: the column of codes.
        likely: columns that may hold the names, the most likely first.
        prefix: the lengths of the codes on each level.
        at: which rows are read, if only those of the lowest level are; all rows otherwise.
    """
    sheet = facts.sheet
    lowest = at if at is not None else pc.equal(pc.utf8_length(sheet.column(code)), prefix[-1])
    n_lowest = int(as_mask(lowest).sum())
    for name in dict.fromkeys(likely):
        column = facts[name]
        if name == code or column.numeric or column.coded or column.level_of_row:
            continue
        cells = column.text.filter(lowest)
        if len(pc.unique(cells)) >= LABEL_SHARE * n_lowest > 1 and _is_text_of(facts, name):
            return {"names": (name,)}
    return {}


def _is_text_of(facts: SheetFacts, name: str) -> bool:
    """Return whether a column by its name holds names or regions, and nothing else."""
    called = is_name(facts[name]) or bool(PLACE.search(facts[name].plain))
    return called and not about_something_else(facts, name)


def _count_the_same(facts: SheetFacts, name: str, count: str) -> bool:
    """Return whether two levels have nearly the same sum, as totals and their parts do."""
    sums = np.bincount(facts[name].index, weights=np.nan_to_num(facts[count].values))
    large = np.sort(sums[sums >= _MIN_SUM])
    return bool((np.diff(large) <= _NEARLY * large[1:]).any())
