"""Cautions about settings that a person stated: what they merge, leave out, or count by mistake.

Each rule looks at the stated settings and returns a sentence with the numbers concerned, or an
empty text. The report repeats the sentences for as long as the settings stand, so that an answer
that was given in a hurry stays visible.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.count_rules import named_as_a_count, rank_counts
from hierdp_core.readers.columns.doubts import doubt_about, holds_changes, names_an_amount
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.layout import RECORDS, without_effect
from hierdp_core.readers.columns.layout_words import as_names
from hierdp_core.readers.columns.mean_stocks import holds_means_of_a_stock
from hierdp_core.readers.columns.no_counts import (
    named_as_a_measure,
    named_as_a_price,
    titled_as_a_measure,
)
from hierdp_core.readers.columns.partitions import months_in, overlapping_ranges
from hierdp_core.readers.columns.size_doubts import doubt_about_sizes
from hierdp_core.readers.columns.slices import crosses, has_one_number_each, holds_times
from hierdp_core.readers.columns.units import lines_of, scale_of, units_of_rows
from hierdp_core.readers.columns.vocabulary import CATEGORY, PERSON, PLACE, plain_name
from hierdp_core.readers.report import shown_code, shown_codes
from hierdp_core.util.text import by_number, counted, join_and

_MOST_SIZE = 40  # members of a group; larger numbers are ages or amounts
_HALF = 0.5  # proportion of the rows
_MIN_PAIRS = 30  # rows with different ends, which trips have by no chance
_MIN_SAME = 4  # rows in which a sum is equal by no chance
_MOST_YEARS = 30
_SHOWN = 3
_MARK = re.compile(r"[\s*†‡§¹²³⁰⁴-⁹]*(\([0-9a-z*]\)|[*†‡§¹²³⁰⁴-⁹])$")  # of a footnote
_GAPS = 1.5  # the largest number, as a multiple of how many there are
_IF_AT_A_DATE = (
    "If they state how many there are on a day, or how many there have been so far, everyone is "
    "counted several times."
)

Rule = Callable[[SheetFacts, Mapping[str, Any], Mapping[str, Any]], str]


def measures_counted(
    facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]
) -> str:
    """Return a caution if a stated column of counts is called a rate, a mean, an index or a price.

    The title is checked if no column of counts has a word for people or things.
    """
    names = _stated_counts(facts, stated)
    called = [n for n in names if _is_measure(facts[n])]
    if called:
        return (
            f"judging by its name, column {shown_code(called[0])} holds rates, means, indices or "
            "prices, not counts. They do not add up over areas"
        )
    if (
        names
        and titled_as_a_measure(facts.sheet.heading)
        and not any(named_as_a_count(facts[n]) for n in names)
    ):
        return (
            f"the title has a word for rates, means, indices or prices. If column "
            f"{shown_code(names[0])} holds them, its numbers do not add up over areas and are not "
            "counts"
        )
    return ""


def changes_counted(facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    """Return a caution if a stated column of counts holds changes or balances, by its name."""
    for name in _stated_counts(facts, stated):
        if holds_changes(facts[name]):
            return (
                f"judging by its name, column {shown_code(name)} holds changes, which are "
                "differences between counts, not counts of records"
            )
    return ""


def averages_counted(
    facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]
) -> str:
    """Return a caution if a stated column of counts holds averages over a period, by its name."""
    for name in _stated_counts(facts, stated):
        if holds_means_of_a_stock(facts[name]):
            return (
                f"judging by its name, column {shown_code(name)} holds averages over a period. A "
                "person who was there for part of the period counts for that part"
            )
    return ""


def numbers_counted(facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    """Return a caution if a stated column of counts looks like codes, amounts, classes or shares.

    Rates and changes have cautions of their own.
    """
    for name in _stated_counts(facts, stated):
        if _is_measure(facts[name]) or holds_changes(facts[name]):
            continue
        if doubt := doubt_about(facts, name):
            return f"column {shown_code(name)} probably does not hold counts: {doubt}"
    return ""


def amounts_kept(facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    """Return a caution if the rows that are read hold amounts, by a stated value."""
    pairs = [pair.partition("=") for pair in stated.get("keep", ())]
    for column, _, value in pairs:
        if names_an_amount(value):
            return (
                f"judging by its words, {shown_code(value)} in column {shown_code(column)} is an "
                "amount or a measurement, not a count of records"
            )
    return ""


def units_ignored(facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    """Return a caution if numbers are used as they are, and a title or a name states a unit."""
    named = [str(layout.get("count", "")), *layout.get("parts", ()), *layout.get("sizes", ())]
    times = scale_of((*named, *units_of_rows(facts), *lines_of(facts.sheet.heading)))
    if stated.get("times") != 1 or times == 1:
        return ""
    return (
        f"the numbers are used as they are, although a title or a column states units of "
        f"{times:,}. Each counted unit then stands for {times:,}"
    )


def rows_counted(facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    """Return a caution if rows are counted as stated, and a column is named as a count."""
    name = ignored_counts(facts, stated, layout)
    if not name:
        return ""
    total = float(np.nansum(facts[name].values))
    return (
        f"each of the {counted(facts.n_rows, 'row')} counts once. The numbers in column "
        f"{shown_code(name)}, which add up to {total:,.0f}, are not used"
    )


def ignored_counts(facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    """Return a column of counts that is not used, because rows are counted; empty for none."""
    if stated.get("row") not in ("person", "trip", "group") or facts.sampled:
        return ""
    ends = [*layout.get("levels", ()), *layout.get("destinations", ())]
    used = {*ends, layout.get("group", ""), layout.get("size", "")}
    ranking = rank_counts(facts, [n for n in facts.sheet.names if n not in used])
    named = [name for name in ranking.rivals if named_as_a_count(facts[name])]
    best = ranking.best or next(iter((*named, *ranking.rivals)), "")
    pairs = stated["row"] == "trip" and facts.n_rows >= _MIN_PAIRS and facts.one_row_each(ends)
    size = str(layout.get("size", "") or stated.get("size", ""))
    sizes = stated["row"] == "group" and size in facts.columns and crosses(facts, ends, size)
    if not best or not (named_as_a_count(facts[best]) or pairs or sizes):
        return ""
    return best if float(np.nansum(facts[best].values)) > facts.n_rows else ""


def settings_ignored(
    facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]
) -> str:
    """Return a caution if stated settings have no effect with the kind of table and row."""
    kind, row = layout.get("kind", ""), layout.get("row", "")
    none = without_effect(kind, row) if kind and row else frozenset()
    idle = [name for name in stated if name in none]
    if not idle:
        return ""
    have = by_number(len(idle), "has", "have")
    return f'with kind = "{kind}" and row = "{row}", {join_and(idle)} {have} no effect'


def parts_left_out(facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    """Return a caution if another column is the sum of the stated parts, but larger in some rows.

    A part is then missing, such as the column of the largest groups.
    """
    parts = [n for n in stated.get("parts", ()) if n in facts.columns]
    if len(parts) < 2 or facts.sampled:
        return ""
    sums = np.nansum([facts[n].values for n in parts], axis=0)
    for name in facts.sheet.names:
        column = facts[name]
        if name in parts or not column.numeric or np.isnan(column.values).any():
            continue
        whole, same = column.values, column.values == sums
        if (whole < sums).any() or same.all() or same.sum() < max(_MIN_SAME, _HALF * len(sums)):
            continue
        missing = float((whole - sums).sum())
        rows = counted(int((~same).sum()), "row")
        return (
            f"the parts add up to {missing:,.0f} less than column {shown_code(name)}, in {rows}. "
            "A part is probably missing"
        )
    return ""


def ages_as_sizes(facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    """Return a caution if a stated size of groups has the range of ages or amounts."""
    name = str(stated.get("size", ""))
    if name not in facts.columns or stated.get("row") != "group":
        return ""
    if not larger_than_groups(facts[name]):
        return ""
    known = facts[name].values[~np.isnan(facts[name].values)]
    return (
        f"the sizes in column {shown_code(name)} go from {known.min():,.0f} to {known.max():,.0f}, "
        "and most are large. They may be ages or amounts"
    )


def sizes_doubted(facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    """Return a caution if stated columns probably hold no sizes of groups."""
    if not (doubt := doubt_about_sizes(facts, stated)):
        return ""
    named = shown_codes([*stated.get("sizes", ()), *as_names(stated.get("size", ""))], shown=_SHOWN)
    return f"{named} may not hold sizes of groups, because {doubt}"


def years_added(facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    """Return a caution if rows of several years are counted together."""
    if not (layout.get("add_up") or layout.get("row") in RECORDS) or facts.sampled:
        return ""
    named = {name for value in layout.values() for name in as_names(value)}
    pinned = {pair.partition("=")[0] for pair in (*layout.get("keep", ()),
                                                  *layout.get("leave_out", ()))}  # fmt: skip
    for name, column in facts.columns.items():
        if name in named | pinned or PERSON.fullmatch(column.plain):
            continue
        if column.years and 1 < len(column.filled) <= _MOST_YEARS:
            cells = sorted(column.filled.to_pylist())
            years = shown_codes(cells, shown=_SHOWN)
            if not all(re.fullmatch("[0-9]{4}", cell) for cell in cells):
                return (
                    f"rows of {len(cells)} periods are counted together ({years} in column "
                    f"{shown_code(name)}). To read one period, keep its rows: "
                    f"keep = {shown_code(f'{name}={cells[-1]}')}"
                )
            return (
                f"rows of {len(cells)} years are counted together ({years} in column "
                f"{shown_code(name)}). To read one year, keep its rows: "
                f"keep = {shown_code(f'{name}={cells[-1]}')}"
            )
    return ""


def times_added(facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    """Return a caution if the rows or columns of several days or months are added up.

    Numbers at a date, such as patients in a ward or all cases so far, would count once for each.
    """
    months = months_in(list(stated.get("parts", ())))
    if months:
        return (
            f"the numbers of {len(months)} months are added up ({shown_codes(months, shown=_SHOWN)}"
            f"). {_IF_AT_A_DATE} To read one month, name it: count = {shown_code(months[-1])}"
        )
    areas = [n for n in (*layout.get("levels", ()), *layout.get("destinations", ()))
             if n in facts.columns]  # fmt: skip
    if not stated.get("add_up") or not layout.get("count") or not areas or facts.sampled:
        return ""
    read = [pair.partition("=")[0] for pair in layout.get("keep", ())]
    for name, column in facts.columns.items():
        is_time = (column.days or column.months or holds_times(facts, name)) and not column.years
        if not is_time or name in {*areas, *read} or not crosses(facts, areas, name):
            continue
        times = column.filled.to_pylist()
        if len(times) < 2:
            continue
        return (
            f"the numbers of each area for {len(times)} days or periods are added up "
            f"({shown_codes(times, shown=_SHOWN)} in column {shown_code(name)}). {_IF_AT_A_DATE} "
            "To read one day or period, keep its rows: "
            f"keep = {shown_code(f'{name}={times[-1]}')}"
        )
    return ""


def overlaps_added(facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    """Return a caution if rows are added up whose ranges, such as ages, overlap."""
    areas = [n for n in (*layout.get("levels", ()), *layout.get("destinations", ()))
             if n in facts.columns]  # fmt: skip
    if not stated.get("add_up") or not areas or facts.sampled:
        return ""
    for name, column in facts.columns.items():
        if column.numeric or name in areas or not crosses(facts, areas, name):
            continue
        if pair := overlapping_ranges(column.filled.to_pylist()):
            return (
                f"rows that overlap are added up ({join_and([shown_code(cell) for cell in pair])} "
                f"in column {shown_code(name)}), so some people are counted twice. Keep only rows "
                "that do not overlap, or only a row that is the total"
            )
    return ""


def spelled_alike(facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    """Return a caution if areas of one level differ only in capitals, signs or footnote marks.

    They must have the same area above, because places in several areas may have similar names.
    """
    for ends in (layout.get("levels", ()), layout.get("destinations", ())):
        for k, name in enumerate(ends):
            if name not in facts.columns or facts.sampled:
                continue
            above = [n for n in ends[:k] if n in facts.columns]
            if cells := _in_one_area(facts, name, _alike(facts[name].filled.to_pylist()), above):
                return (
                    f"{join_and([shown_code(cell) for cell in cells])} in column "
                    f"{shown_code(name)} are read as different areas, although they differ only in "
                    "capitals, signs or footnote marks. If they are one area, give it one name"
                )
    return ""


def _alike(cells: Sequence[str]) -> list[list[str]]:
    """Return the cells that differ only in capitals, signs or footnote marks, in groups.

    In codes with digits, signs may matter: "1-2" is not "12".
    """
    known, groups = {*cells}, dict[str, list[str]]()
    for cell in cells:
        bare = _MARK.sub("", cell)
        key = bare if bare in known else cell
        if not re.search("[0-9]", key):
            key = plain_name(key).replace("_", "")
        groups.setdefault(key, []).append(cell)
    return [group for group in groups.values() if len(group) > 1]


def _in_one_area(
    facts: SheetFacts, name: str, groups: Sequence[list[str]], above: Sequence[str]
) -> list[str]:
    """Return the first group of which several cells occur in one area above; empty for none."""
    if not groups or not above:
        return groups[0] if groups else []
    text = facts[name].text
    cells = pa.array([cell for group in groups for cell in group], text.type)
    group_of = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    at = pc.index_in(text, value_set=cells).fill_null(-1).to_numpy()
    rows = at >= 0
    found = np.unique(
        np.column_stack([facts.key(above)[rows], group_of[at[rows]], at[rows]]), axis=0
    )
    pairs, n_cells = np.unique(found[:, :2], axis=0, return_counts=True)
    several = pairs[n_cells > 1, 1]
    return groups[int(several.min())] if several.size else []


def repeats_added(facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    """Return a caution if rows are added up that repeat one number of each region."""
    count = str(layout.get("count", ""))
    areas = [n for n in (*layout.get("levels", ()), *layout.get("destinations", ()))
             if n in facts.columns]  # fmt: skip
    if not stated.get("add_up") or count not in facts.columns or not areas or facts.sampled:
        return ""
    if not facts[count].numeric or not has_one_number_each(facts, areas, count):
        return ""
    return (
        f"all rows of an area have the same number in column {shown_code(count)}, so it is counted "
        "once for each row. To count it once, keep the rows of one kind"
    )


def categories_as_levels(
    facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]
) -> str:
    """Return a caution if a stated level is named after a category of people, such as sex."""
    levels = _stated_levels(facts, stated)
    called = [
        n for n in levels
        if CATEGORY.fullmatch(facts[n].plain) and not PLACE.search(facts[n].plain)
    ]  # fmt: skip
    if not called or len(levels) < 2:
        return ""
    others = [n for n in levels if n not in called]
    return (
        f"judging by its name, column {shown_code(called[0])} holds no areas. With it as a level, "
        f"{counted(facts.different(others), 'area')} count as {facts.different(levels):,}"
        if others else ""
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    measures_counted, changes_counted, averages_counted, numbers_counted, amounts_kept,
    units_ignored, rows_counted, parts_left_out, ages_as_sizes, sizes_doubted, years_added,
    times_added, overlaps_added, spelled_alike, repeats_added, categories_as_levels,
    settings_ignored,
)  # fmt: skip


def cautions(
    facts: SheetFacts, stated: Mapping[str, Any], layout: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return what a person should know of the settings that they stated, one sentence each.

    Args:
        facts: facts about the rows that are read.
        stated: the settings that a person gave.
        layout: all settings, stated or guessed.
    """
    return tuple(words for rule in RULES if (words := rule(facts, stated, layout)))


def merged_areas(facts: SheetFacts, stated: Mapping[str, Any], guessed: Sequence[str]) -> str:
    """Return a caution if equal values of the stated levels are merged over regions above them.

    Args:
        facts: facts about the rows that are read.
        stated: the settings that a person gave.
        guessed: the levels that are guessed without this statement, from the top down.
    """
    levels = _stated_levels(facts, stated)
    above = [n for n in guessed if n in facts.columns and n not in levels]
    if not levels or not above or facts.sampled:
        return ""
    leaf = levels[-1]
    if leaf in guessed:
        above = [n for n in above if guessed.index(n) < guessed.index(leaf)]
    elif not _numbered_again(facts[leaf]):
        above = []
    if not above:
        return ""
    key = levels if stated.get("within") else [leaf]
    areas, values = facts.different([*key, *above]), facts.different(key)
    if areas <= values:
        return ""
    return (
        f"{areas:,} areas of column {shown_code(leaf)} are merged into {values:,}, "
        f"because the same code or name below different values of "
        f"{shown_codes(above, shown=_SHOWN)} counts as one area"
    )


def larger_than_groups(column: ColumnFacts) -> bool:
    """Return whether numbers are too large for the sizes of most groups, as ages are.

    The largest is above 40, and the median is at least 10.
    """
    known = column.values[~np.isnan(column.values)]
    if not known.size:
        return False
    return bool(known.max() > _MOST_SIZE and np.median(known) >= _MOST_SIZE / 4)


def _numbered_again(column: ColumnFacts) -> bool:
    """Return whether numbers go from 0 or 1 up, as those of wards that start again elsewhere."""
    known = column.values[~np.isnan(column.values)]
    if not column.numeric or not known.size or known.min() not in (0, 1):
        return False
    return bool(known.max() <= _GAPS * column.distinct_filled)


def _is_measure(column: ColumnFacts) -> bool:
    return named_as_a_measure(column) or named_as_a_price(column)


def _stated_counts(facts: SheetFacts, stated: Mapping[str, Any]) -> list[str]:
    """Return the columns that a person stated to hold counts or parts of them."""
    names = [str(stated.get("count", "")), *stated.get("parts", ())]
    return [n for n in names if n in facts.columns and facts[n].numeric]


def _stated_levels(facts: SheetFacts, stated: Mapping[str, Any]) -> list[str]:
    levels = stated.get("levels", ())
    names = [levels] if isinstance(levels, str) else [*levels]
    return [n for n in names if n in facts.columns]
