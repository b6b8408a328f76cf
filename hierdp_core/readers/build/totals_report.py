"""Checks of totals, and what the report says about them."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.hierarchy import Regions, sum_up
from hierdp_core.readers.build.totals import SeparatedTotals
from hierdp_core.readers.columns.code_trees import nested_lengths
from hierdp_core.readers.columns.country_names import is_country
from hierdp_core.readers.columns.facts import ColumnFacts, called_total
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.outline import NONE, SUMS
from hierdp_core.readers.columns.question import KEEP_CHOICE, TOTALS_CHOICES, Choice
from hierdp_core.readers.columns.sums import (
    CERTAIN,
    nearly_whole,
    nested_sums,
    with_hidden_parts,
)
from hierdp_core.readers.columns.vocabulary import CODE
from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.arrays import BoolArray, IntArray
from hierdp_core.util.text import a, by_number, counted

_LEAST = 50  # a sum of smaller numbers may be chance
_NEARLY = 0.01  # of the sum
_RARE = 1e-4  # a chance at which a region that is the sum of others is their total
_MANY = 10  # regions, one of which is rarely a simple share of the others by chance
_LEAST_MANY = 1000
_ROUNDED = 3  # standard deviations, at most, by which the sum of rounded numbers differs
_TIMES = (1, 2, 3)  # kinds of regions beside a total
_MUCH = 0.02  # of what is counted, in rows that are left out
_CLOSE = 0.0005  # of the others
_TWO = 2  # columns of levels
_LEAST_FAMILY = 5  # parts beside a total and a smaller total
_KINDS = 8  # values of a column of kinds of rows
_LISTED = 20  # rows that a remedy names
_LEAST_BESIDE = 3  # regions, of which one is rarely larger than the others by chance
_FAMILY = 4  # parts beside a total, in a table of one level


def check_grand_totals(
    separated: SeparatedTotals, whole: IntArray, layout: Layout, notes: Notebook
) -> None:
    """Check that grand totals equal the sums over the last regions.

    Args:
        separated: the grand totals and the other rows.
        whole: shape (n_columns,), the sums over the last regions.
        layout: what the columns mean.
        notes: receives the finding.
    """
    n_totals = len(separated.places)
    if not n_totals:
        return
    if layout.totals == "left out":
        report_omitted_totals(n_totals, notes)
        largest = int(separated.totals.sum(axis=1).max())
        if times := _times_read(int(whole.sum()), largest):
            _report_read_twice(f"a row of totals ({separated.places[0]})", times, (), notes)
        elif int(separated.totals.sum()) != int(whole.sum()):  # each may cover some of the rows
            report_other_total(int(whole.sum()), largest, separated.sheet.n_rows, notes)
    elif (separated.totals == whole).all():
        report_agreeing_totals(n_totals, notes)
    elif (separated.totals == whole).all(axis=1).any():
        notes.fault(
            "total-row",
            "one row of totals is the sum of the other rows, but other rows of totals are not",
            'They may be sums of some of the rows. If so, set totals = "left out".',
            places=separated.places,
            choices=TOTALS_CHOICES,
        )
    elif (whole > (1 + _NEARLY) * separated.totals).any():
        # The others hold further totals, which would be counted twice.
        notes.fault(
            "total-row",
            "the other rows add up to more than a row of totals, so some rows include others",
            "Leave out the rows that include others with leave_out, or read them as upper levels.",
            places=separated.places,
            choices=_without_inclusive(separated, whole, layout),
        )
    else:
        notes.fault(
            "total-row",
            "a row of totals is not the sum of the other rows",
            'Add the missing rows, or set totals = "left out".',
            places=separated.places,
            choices=TOTALS_CHOICES,
        )


def _without_inclusive(
    separated: SeparatedTotals, whole: IntArray, layout: Layout
) -> tuple[Choice, ...]:
    """Return the answers where the other rows add up to more than a row of totals.

    Either each total covers some of the rows and together they cover all, or the rows with one
    value of some column add up to a total.
    """
    totals = separated.totals
    if len(totals) > 1 and (totals.sum(axis=0) == whole).all():
        words = "Each row of totals is the sum of some of the rows: leave these totals out"
        return (Choice(words=words, stated={"totals": "left out"}),)
    if first := _first_rows_alone(separated, layout):
        return first
    if not layout.count:
        return ()
    sheet, largest = separated.sheet, int(totals.max())
    values = np.nan_to_num(ColumnFacts(layout.count, sheet.column(layout.count)).values)
    choices = []
    for name in sheet.names:
        if name in layout.columns or not _may_tell_rows(sheet, name, layout):
            continue
        different = pc.unique(sheet.column(name)).to_pylist()
        if not 1 < len(different) <= _KINDS:
            continue
        for value in filter(None, different):
            rows = as_mask(pc.equal(sheet.column(name), value))
            if rows.sum() > 1 and values[rows].sum() == largest:
                words = (
                    f"Only rows with {shown_code(value)} in column {shown_code(name)} are read, "
                    "which add up to the total"
                )
                kept = (*layout.keep, f"{name}={value}")
                choices.append(Choice(words=words, stated={"keep": kept}))
    return tuple(choices)


def _first_rows_alone(separated: SeparatedTotals, layout: Layout) -> tuple[Choice, ...]:
    """Return the answer to leave out the last rows, if the rows before them add up to a total.

    Such rows repeat parts of the others, as large cities below all prefectures do.
    """
    sheet = separated.sheet
    columns = (layout.count,) if layout.count else layout.sizes
    if not columns or separated.totals.shape[1] != len(columns):
        return ()
    values = np.stack(
        [np.nan_to_num(ColumnFacts(name, sheet.column(name)).values) for name in columns], axis=1
    )
    so_far = values.cumsum(axis=0)
    for total in separated.totals:
        (ends,) = np.nonzero((so_far == total).all(axis=1) & (values > 0).any(axis=1))
        n_first = int(ends[0]) + 1 if len(ends) else 0
        n_last = sheet.n_rows - n_first
        if n_first < _LEAST_FAMILY or not n_last:
            continue
        pairs = pairs_of(sheet, layout, np.arange(sheet.n_rows) >= n_first)
        if pairs:
            words = (
                f"The first {n_first:,} rows add up to the total, and rows below them repeat "
                f"parts of it: leave out the last {counted(n_last, 'row')}"
            )
            return (Choice(words=words, stated={"leave_out": (*layout.leave_out, *pairs)}),)
    return ()


def report_omitted_totals(n_rows: int, notes: Notebook) -> None:
    """Report that rows of totals were left out."""
    were = by_number(n_rows, "was", "were")
    notes.repair("totals", f"{counted(n_rows, 'row')} of totals {were} left out")


def report_agreeing_totals(n_rows: int, notes: Notebook) -> None:
    """Report that rows of totals agree with their parts and were left out."""
    agree = by_number(
        n_rows,
        "agrees with its parts and was left out",
        "agree with their parts and were left out",
    )
    notes.repair("totals", f"{counted(n_rows, 'row')} of totals {agree}")


def report_near_total(whole: Sheet, rest: Sheet, count: str, notes: Notebook) -> None:
    """Report a row that was left out and is nearly the sum of the rows that are read.

    Then a row may be missing, or one may include another.
    """
    values, read = (ColumnFacts(count, s.column(count)).values for s in (whole, rest))
    total = float(np.nansum(read))
    left = values[np.isfinite(values)].max(initial=0.0)
    if rest.n_rows < whole.n_rows and total != left and abs(total - left) <= _NEARLY * total:
        places, _ = whole.places(values == left)
        notes.note(
            "near-total",
            "the rows that were read add up to nearly, but not exactly, the number in "
            f"{places[0]}, which was left out. Check whether a row is missing, or some rows "
            "include others",
        )


def report_smaller_level(
    whole: Sheet, chosen: BoolArray, column: str, count: str, notes: Notebook
) -> None:
    """Report rows of one level that hold less than the rows of another one, which is not read.

    Args:
        whole: the rows of all levels.
        chosen: True for the rows that are read, shape (n_rows,).
        column: the column that names the level of each row.
        count: the column of counts; empty if there is none.
        notes: receives the note.
    """
    level = ColumnFacts(column, whole.column(column))
    if not count or not level.level_of_row or not chosen.any():
        return
    values = np.nan_to_num(ColumnFacts(count, whole.column(count)).values)
    read = float(values[chosen].sum())
    sums = np.bincount(level.index, weights=values)
    largest = int(sums.argmax())
    missing = float(sums[largest]) - read
    if missing <= 0:
        return
    notes.note(
        "smaller-level",
        f"rows with {shown_code(level.cell(largest))} in column {shown_code(column)} add up to "
        f"{sums[largest]:,.0f}, which is {missing:,.0f} more than the rows that are read. The "
        "rows that are read do not cover all that is counted",
    )


def report_omitted_share(
    whole: Sheet, rest: Sheet, count: str, notes: Notebook, *, by_region: bool
) -> None:
    """Warn where the rows that were left out hold much of the sum and are not totals.

    Totals add up to the sum of the rows that are read, or a multiple of it. There is no remedy if
    rows were left out by their regions, or because they have none (`by_region`).
    """
    values, read = (ColumnFacts(count, s.column(count)).values for s in (whole, rest))
    everything, total = float(np.nansum(values)), float(np.nansum(read))
    left = everything - total
    if total <= 0 or left < _MUCH * everything:
        return
    times = round(left / total)
    if times and abs(left - times * total) <= _NEARLY * total:
        return
    notes.repair(
        "much-left-out",
        f"the rows that were left out hold {left / everything:.0%} of the sum of column "
        f"{shown_code(count)}",
        "" if by_region else "If they are areas that belong to the table, keep them.",
    )


def check_read_twice(whole: Sheet, rest: Sheet, layout: Layout, notes: Notebook) -> None:
    """Report an error where the rows that are read are twice or three times a row left out.

    The row was the total of regions of several kinds, such as states and counties. Without it, each
    kind still counts the same people.

    Args:
        whole: all rows.
        rest: those that are read.
        layout: what the columns mean, with the conditions on rows that are left out.
        notes: receives the error.
    """
    columns = [name for name in (layout.count, *layout.parts, *layout.sizes) if name]
    nested = layout.prefix or layout.parent or layout.outline not in ("", NONE)
    if layout.totals == "none" or not columns or nested or layout.has_destinations:
        return
    called = [called_total(rest.column(n)) for n in (*layout.levels, *layout.names) if n]
    rest = rest.take(~np.any(called, axis=0)) if called else rest  # totals are not read as areas
    if rest.n_rows < _MANY or len(layout.levels) > 1:
        return
    read = sum(float(np.nansum(ColumnFacts(n, rest.column(n)).values)) for n in columns)
    for column, value in layout.dropped:
        rows = whole.take(as_mask(pc.equal(whole.column(column), value)))
        left = sum(float(np.nansum(ColumnFacts(n, rows.column(n)).values)) for n in columns)
        if times := _times_read(read, left):
            number = f"the number of {shown_code(value)}"
            _report_read_twice(number, times, (KEEP_CHOICE,), notes)
            return


def _times_read(read: float, total: float) -> int:
    """Return the multiple of a total that the rows add up to: 2, 3, or 0 for any other."""
    if total < _LEAST_MANY:
        return 0
    return next((k for k in _TIMES[1:] if abs(read - k * total) <= _CLOSE * read), 0)


def report_other_total(read: int, total: int, n_rows: int, notes: Notebook) -> None:
    """Report that rows that are read differ from totals left out by more than rounding.

    Args:
        read: the sum of the rows that are read.
        total: what the totals state.
        n_rows: the number of rows that are read.
        notes: receives the note.
    """
    step = max(int(np.gcd(read, total)), 1)
    if abs(read - total) <= _ROUNDED * step * np.sqrt(n_rows):
        return
    differs = "more" if read > total else "less"
    check = "some rows include others" if read > total else "rows are missing"
    notes.note(
        "other-total",
        f"the rows that are read add up to {read:,}, which is {abs(read - total):,} {differs} than "
        f"the totals that were left out ({total:,}). Check whether {check}",
    )


def _report_read_twice(
    total: str, times: int, choices: tuple[Choice, ...], notes: Notebook
) -> None:
    notes.fault(
        "read-twice",
        f"the rows that are read add up to {times} times {total}, which is left out, so the "
        "same units are counted more than once. Areas of several kinds are probably listed below "
        "this total",
        "Leave out the rows of all kinds but one with leave_out, or read the upper areas as "
        "levels.",
        choices=choices,
    )


def _own_codes(codes: Sequence[str], above: Sequence[str], notes: Notebook) -> list[str]:
    """Return the distinct codes as their rows have them, given the codes of the areas above.

    Codes that repeat below several areas were written with the code of the area above, as reported.
    """
    if not any(finding.id == "within" for finding in notes.findings):
        return sorted({*codes})
    pairs = zip(codes, above, strict=True)
    return sorted({code.removeprefix(top).removeprefix("/") or code for code, top in pairs})


def check_hidden_totals(
    regions: Regions, leaves: IntArray, layout: Layout, notes: Notebook
) -> None:
    """Report an error where one region of each family is the sum of its siblings.

    Such a region is a total under another name, and everything would be counted twice.
    """
    if layout.totals == "none" or regions.tree.n_levels < 2:
        return
    _check_lone_totals(regions, leaves, layout, notes)
    if notes.faulty:
        return
    hidden = [] if layout.prefix else _sums_of_siblings(regions, leaves, bool(layout.missing))
    if not hidden:
        _check_top_total(regions, leaves, layout, notes)
        if not notes.faulty:
            _check_two_totals(regions, leaves, layout, notes)
        if not notes.faulty:
            _check_multiple(regions, leaves, layout, notes)
        if not notes.faulty:
            _check_outsized(regions, leaves, layout, notes)
        return
    first = regions.tree.leaves.start
    codes = [regions.ids[first + leaf] for leaf in hidden]
    level, column = regions.levels[-1], layout.levels[-1]
    above = [regions.ids[int(regions.tree.parent[first + leaf])] for leaf in hidden]
    bare = _own_codes(codes, above, notes)
    pairs = tuple(f"{column}={code}" for code in bare)
    by_chance = float(np.prod(len(leaves) / np.maximum(leaves[hidden], 1)))
    exact = _all_exact(regions, leaves, hidden)
    certain = exact and by_chance <= _RARE
    notes.fault(
        "hidden-total",
        f"the number of {a(level)} is {_how_near(exact)} the sum of the others in the same "
        "area, so it is probably their total",
        _remedy_of_total(pairs, certain=certain),
        places=[f"{level} {shown_code(code)}" for code in codes[:5]],
        count=len(codes),
        choices=out_or_none(pairs, certain=certain),
    )


def _check_lone_totals(regions: Regions, leaves: IntArray, layout: Layout, notes: Notebook) -> None:
    """Report an error where regions without children are nearly the sums of those beside them.

    There is one in each family on an upper level, as a row for the whole state is in a list of
    municipalities with their towns. Where towns are counted twice, the sums are not exact.
    """
    tree = regions.tree
    if layout.prefix or layout.parent or tree.n_levels < 3:
        return
    sums, n_leaves = sum_up(tree, leaves), sum_up(tree, np.ones_like(leaves))
    for level in range(1, tree.n_levels - 1):
        place = len(layout.levels) - (tree.n_levels - 1) + level - 1
        above = tree.level(level - 1)
        families = [tree.children(node) for node in range(above.start, above.stop)]
        lone = [_lone_total(family, sums, n_leaves) for family in families]
        if place < 0 or len(families) < 2 or -1 in lone:
            continue
        codes = [regions.ids[node] for node in lone]
        tops = [regions.ids[int(tree.parent[node])] for node in lone]
        bare = _own_codes(codes, tops, notes)
        pairs = tuple(f"{layout.levels[place]}={code}" for code in bare)
        notes.fault(
            "hidden-total",
            f"the number of {a(regions.levels[level])} without sub-areas is nearly the sum of the "
            "others in the same area, so it is probably their total",
            _remedy_of_total(pairs, certain=False),
            places=[f"{regions.levels[level]} {shown_code(code)}" for code in codes[:5]],
            count=len(codes),
            choices=out_or_none(pairs, certain=False),
        )
        return


def _lone_total(family: slice, sums: IntArray, n_leaves: IntArray) -> int:
    """Return the node without children that is nearly the sum of its siblings; -1 for none.

    At least one of the siblings has children.
    """
    own = sums[family]
    if len(own) < 3 or n_leaves[family].max() < 2:
        return -1
    largest = int(np.argmax(own))
    number, rest = int(own[largest]), int(own.sum() - own[largest])
    near = abs(number - rest) <= _NEARLY * rest and number >= _LEAST
    return family.start + largest if near and n_leaves[family.start + largest] == 1 else -1


def _check_top_total(regions: Regions, leaves: IntArray, layout: Layout, notes: Notebook) -> None:
    """Report an error where one region of the second level is the sum of all others there."""
    tree = regions.tree
    if tree.n_levels < 3:
        return
    tops = tree.level(1)
    sums = sum_up(tree, leaves)[tops]
    place = int(np.argmax(sums))
    if len(sums) < 3 or sums.sum() < 2 * _LEAST:
        return
    if not _is_total(int(sums[place]), int(sums.sum()), hidden=bool(layout.missing)):
        return
    code = regions.ids[tops.start + place]
    # A single region on the first levels is the whole itself.
    column = layout.levels[max(len(layout.levels) - (tree.n_levels - 1), 0)]
    pair = f"{column}={code}"
    exact = 2 * int(sums[place]) == int(sums.sum())
    certain = exact and len(sums) / int(sums[place]) <= _RARE
    notes.fault(
        "hidden-total",
        f"the number of {a(regions.levels[1])} is {_how_near(exact)} the sum of all others, so "
        "it is probably their total",
        _remedy_of_total([pair], certain=certain),
        places=[f"{regions.levels[1]} {shown_code(code)}"],
        choices=out_or_none((pair,), certain=certain),
    )


def _check_two_totals(regions: Regions, leaves: IntArray, layout: Layout, notes: Notebook) -> None:
    """Report the two largest regions if one is the sum of all others, and the second of most.

    The second is a total without a few of the others, such as those abroad.
    """
    tree = regions.tree
    tops = tree.level(1)
    sums = sum_up(tree, leaves)[tops]
    if len(sums) < _LEAST_FAMILY:
        return
    second, first = np.argsort(sums, kind="stable")[-2:].tolist()
    others = np.delete(sums, [first, second])
    whole, part = int(sums[first]), int(sums[second])
    if whole != others.sum() or whole < _LEAST_MANY or part <= max(whole / 2, others.max()):
        return
    column = layout.levels[max(len(layout.levels) - (tree.n_levels - 1), 0)]
    codes = [regions.ids[tops.start + place] for place in (first, second)]
    pairs = tuple(f"{column}={code}" for code in codes)
    notes.fault(
        "hidden-total",
        f"the number of {a(regions.levels[1])} is the sum of all others but one, which has more "
        "than half of it, so both are probably totals",
        _remedy_of_total(pairs, certain=False),
        places=[f"{regions.levels[1]} {shown_code(code)}" for code in codes],
        choices=out_or_none(pairs, certain=False),
    )


def _check_multiple(regions: Regions, leaves: IntArray, layout: Layout, notes: Notebook) -> None:
    """Report one of many regions that is nearly the sum of all others, or half or a third of it.

    In a list of two kinds of regions, the total is half of the sum of both.
    """
    tree = regions.tree
    tops = tree.level(1)
    sums = sum_up(tree, leaves)[tops]
    place = int(np.argmax(sums))
    whole, rest = int(sums[place]), int(sums.sum() - sums[place])
    times = next((k for k in _TIMES if abs(rest - k * whole) <= _CLOSE * rest), 0)
    if len(sums) < _MANY or whole < _LEAST_MANY or not times:
        return
    column = layout.levels[max(len(layout.levels) - (tree.n_levels - 1), 0)]
    code = regions.ids[tops.start + place]
    exact = rest == times * whole
    certain = exact and len(_TIMES) / whole <= _RARE  # only the largest region is looked at
    near = "exactly" if exact else "nearly"
    notes.fault(
        "near-total",
        f"the number of one area is {near} the sum of all others"
        if times == 1
        else f"all other areas add up to {near} {times} times the number of one area, as "
        "happens where areas of several kinds are listed below a total",
        _remedy_of_total([f"{column}={code}"], certain=certain),
        places=[f"{regions.levels[1]} {shown_code(code)}"],
        choices=out_or_none((f"{column}={code}",), certain=certain),
    )


def _check_outsized(regions: Regions, leaves: IntArray, layout: Layout, notes: Notebook) -> None:
    """Report the row of a country that has more than all regions beside it.

    The table then holds only some of its parts, so that no sum agrees with it.
    """
    tree = regions.tree
    if layout.prefix or layout.parent:
        return
    tops = tree.level(1)
    sums = sum_up(tree, leaves)[tops]
    place = int(np.argmax(sums))
    whole, rest = int(sums[place]), int(sums.sum() - sums[place])
    if len(sums) < _LEAST_BESIDE or whole <= rest or whole < _LEAST:
        return
    codes = [regions.ids[node] for node in range(tops.start, tops.stop)]
    names = [regions.names[node] for node in range(tops.start, tops.stop)]
    if not (_names_country(names, place) or _has_code_above(codes, place)):
        return
    column = layout.levels[max(len(layout.levels) - (tree.n_levels - 1), 0)]
    pair = f"{column}={codes[place]}"
    notes.fault(
        "outsized-area",
        f"the number of {shown_code(names[place])} is larger than the sum of all other areas, so "
        "it probably includes them and others that are not in the table",
        _remedy_of_total([pair], certain=False),
        places=[f"{regions.levels[1]} {shown_code(codes[place])}"],
        choices=out_or_none((pair,), certain=True),
    )


def _names_country(names: Sequence[str], place: int) -> bool:
    """Return whether the name at a position, and no other, is that of a country."""
    return [k for k, name in enumerate(names) if is_country(name)] == [place]


def _has_code_above(codes: Sequence[str], place: int) -> bool:
    """Return whether the code at a position is the only zero, or shorter and begins all others.

    >>> _has_code_above(["DE", "DE1", "DE2"], 0), _has_code_above(["1", "10", "20"], 0)
    (True, False)
    """
    own, others = codes[place], [code for k, code in enumerate(codes) if k != place]
    if not re.search("[0-9]", "".join(others)):
        return False
    zero = bool(re.fullmatch("0+", own)) and not any(re.fullmatch("0+", code) for code in others)
    return zero or all(len(own) < len(code) and code.startswith(own) for code in others)


def _is_total(number: int, family: int, *, hidden: bool) -> bool:
    """Return whether a number is the sum of the others of its family.

    `family` is the sum of all of them. With `hidden`, some may be missing.
    """
    return 2 * number == family or (hidden and nearly_whole(number, family - number))


def _how_near(exact: bool) -> str:
    return "exactly" if exact else "nearly"


def _all_exact(regions: Regions, leaves: IntArray, hidden: Sequence[int]) -> bool:
    """Return whether each of some leaves is exactly the sum of its siblings."""
    tree, first = regions.tree, regions.tree.leaves.start
    for leaf in hidden:
        family = tree.children(int(tree.parent[first + leaf]))
        if 2 * leaves[leaf] != leaves[family.start - first : family.stop - first].sum():
            return False
    return True


def _sums_of_siblings(regions: Regions, leaves: IntArray, missing: bool) -> list[int]:
    """Return the leaves that are the sum of their siblings, if there is one in every family."""
    tree = regions.tree
    parents = tree.level(tree.n_levels - 2)
    first = tree.leaves.start
    families = [tree.children(node) for node in range(parents.start, parents.stop)]
    found: list[int] = []
    checked = 0
    for family in families:
        own = leaves[family.start - first : family.stop - first]
        if len(own) < 3 or own.sum() == 0:
            continue
        checked += 1
        if not _is_total(int(own.max()), int(own.sum()), hidden=missing) or own.max() < _LEAST:
            return []
        found.append(int(family.start - first + np.argmax(own)))
    if checked == 1 and len(families) == 1 and len(leaves) <= _FAMILY:
        return []
    return found if checked > 1 or len(families) == 1 else []


def check_nested_sums(
    sheet: Sheet, values: IntArray, own: BoolArray, layout: Layout, notes: Notebook
) -> None:
    """Report an error where rows are the sums of rows above or below, so that levels are mixed.

    Args:
        sheet: the table.
        values: the counts, shape (n_rows,) or (n_rows, n_columns).
        own: True for rows of regions on the last level, shape (n_rows,).
        layout: what the columns mean.
        notes: receives the finding.
    """
    is_reported = any(finding.id == "hidden-total" for finding in notes.findings)
    nested = layout.outline == SUMS
    if is_reported or layout.parent or layout.totals == "none" or (nested and layout.totals):
        return
    # Where sums define the hierarchy, rows outside it may still have parts.
    chosen = np.ones_like(own) if nested else own
    marked = np.zeros(len(values), dtype=np.bool_)
    # Many numbers that are rounded to tens are sums of others by chance.
    units = values // max(int(np.gcd.reduce(values, axis=None)), 1)
    nesting = nested_sums(units[chosen])
    hiding = with_hidden_parts(nesting, units[chosen])
    marked[np.flatnonzero(chosen)] = hiding.is_sum
    spoilt = bool((hiding.is_sum & ~nesting.is_sum).any())
    if not marked.any() or (nested and not spoilt):
        return
    certain = not spoilt and nesting.chance <= CERTAIN
    pairs = pairs_of(sheet, layout, marked)
    listed = ", ".join(pairs) if len(pairs) <= _LISTED else ""
    remedy = f'Leave the sums out: leave_out = "{listed}"' if listed else "Leave the sums out"
    choices = (
        *_as_levels(values, layout, spoilt=spoilt),
        *(() if spoilt else _below_the_levels(sheet, values, layout)),
        *out_or_none(pairs, certain=certain),
    )
    if notes.faulty and not choices:
        return  # what was found before explains it
    places, count = sheet.places(marked)
    notes.fault(
        "outline",
        "some rows are slightly more than the sums of other rows, as happens where a "
        "part of a total is not published"
        if spoilt
        else "some rows are the sums of other rows, so the list contains several levels",
        f"{remedy}." if certain else f'{remedy}, or set totals = "none".',
        places=places,
        count=count,
        choices=choices,
    )


def _as_levels(values: IntArray, layout: Layout, *, spoilt: bool) -> tuple[Choice, ...]:
    """Return the choice to read the sums as upper levels, if one column names all regions."""
    if len(layout.levels) != 1 or layout.prefix or layout.outline not in ("", SUMS):
        return ()
    parent = nested_sums(values).parent
    is_part = parent >= 0
    if not is_part.any() or not (spoilt or _add_up(values, parent)):
        return ()
    words = "The sums are upper levels, and each row belongs to the sum that contains it"
    left_out = {"totals": "left out"} if spoilt else {}
    return (Choice(words=words, stated={"outline": SUMS} | left_out),)


def _add_up(values: IntArray, parent: IntArray) -> bool:
    """Return whether each sum is that of all its parts, and not of several blocks of them."""
    is_part = parent >= 0
    sums = np.zeros_like(values)
    np.add.at(sums, parent[is_part], values[is_part])
    return bool((sums == values)[np.unique(parent[is_part])].all())


def _below_the_levels(sheet: Sheet, values: IntArray, layout: Layout) -> tuple[Choice, ...]:
    """Return the choice to read the sums of an intermediate level, where two columns are levels.

    The last column holds the codes of all levels, and its topmost sums are the regions of the first
    column. Leaving out the sums in between would also remove their level.
    """
    if len(layout.levels) != _TWO or layout.prefix or layout.parent or layout.outline:
        return ()
    above, last = layout.levels
    parent = nested_sums(values).parent
    tops = parent < 0
    areas = pc.unique(sheet.column(above).filter(pa.array(tops))).to_pylist()
    root = np.arange(len(parent))
    while (parent[root] >= 0).any():
        root = np.where(parent[root] >= 0, parent[root], root)
    cells = np.array(sheet.column(above).to_pylist(), dtype=object)
    between = (parent >= 0) & np.isin(np.arange(len(parent)), parent)
    if len(areas) != tops.sum() or not between.any() or (cells[root] != cells).any():
        return ()
    names = [name for name in layout.names[-1:] if name and name != last]
    stated: dict[str, Any] = {"levels": (last,)} | ({"names": tuple(names)} if names else {})
    codes = sheet.column(last)
    if lengths := nested_lengths(codes):
        shown = ", ".join(map(str, lengths))
        words = (
            f"The sums are upper levels, and codes of column {shown_code(last)} begin with the "
            f"code of the area above (lengths {shown})"
        )
        return (Choice(words=words, stated=stated | {"prefix": lengths}),)
    words = (
        f"The sums are upper levels, and each row of column {shown_code(last)} belongs to the sum "
        "that contains it"
    )
    return (Choice(words=words, stated=stated | {"outline": SUMS}),)


def pairs_of(sheet: Sheet, layout: Layout, marked: BoolArray) -> tuple[str, ...]:
    """Return the fewest "COLUMN=VALUE" pairs that match exactly the marked rows.

    Only columns of codes, names or kinds of rows are used. The result may be empty.
    """
    if marked.all():
        return ()
    rows = pa.array(marked)
    candidates: list[tuple[str, ...]] = []
    for name in dict.fromkeys((*reversed(layout.levels), *layout.names, *sheet.names)):
        if not name or not _may_tell_rows(sheet, name, layout):
            continue
        column = sheet.column(name)
        codes = pc.unique(column.filter(rows))
        others = pc.unique(column.filter(pc.invert(rows)))
        mixed = pc.any(pc.is_in(codes, value_set=others)).as_py()
        if not mixed and "" not in codes.to_pylist():
            candidates.append(tuple(f"{name}={code}" for code in codes.to_pylist()))
    return min(candidates, key=len, default=())


def _may_tell_rows(sheet: Sheet, name: str, layout: Layout) -> bool:
    """Return whether a column holds codes, names or kinds of rows, and not numbers."""
    if name in (*layout.levels, *layout.names):
        return True
    column = ColumnFacts(name, sheet.column(name))
    if name in (layout.count, *layout.sizes, *layout.parts):
        return False
    return not column.numeric or column.leading_zeros or bool(CODE.fullmatch(column.plain))


def _remedy_of_total(pairs: Sequence[str], *, certain: bool) -> str:
    """Return the remedy for rows that look like totals; `certain` ones cannot be kept.

    Args:
        pairs: a condition "column=cell" for each row.
        certain: whether the rows must be totals.
    """
    if len(pairs) > _LISTED:
        if certain:
            return f"Leave out all {len(pairs):,} rows, as the answer does."
        return (
            f"If they are totals, leave out all {len(pairs):,} rows, as the answer does. If they "
            'are not, set totals = "none".'
        )
    out = ", ".join(pairs)
    if certain:
        return f'Leave it out: leave_out = "{out}".'
    return f'If it is a total, set leave_out = "{out}". If it is not, set totals = "none".'


def out_or_none(pairs: tuple[str, ...], *, certain: bool = False) -> tuple[Choice, ...]:
    """Return the choices for rows that look like totals; with `certain`, only to leave them out."""
    out = Choice(words="These rows are totals: leave them out", stated={"leave_out": pairs})
    if certain:
        return (out,) if pairs else ()
    return (out, KEEP_CHOICE) if pairs else (KEEP_CHOICE,)
