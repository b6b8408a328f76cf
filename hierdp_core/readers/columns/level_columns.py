"""Levels in columns of their own: which columns are levels, and in which order."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.level_rules import (
    FROM_A_LIST,
    duplicates_level,
    named_after_places,
    names_above,
    numbers_rows,
    place_points,
    spells_out_codes,
    tier_of,
)
from hierdp_core.readers.columns.one_to_one import (
    abbreviate,
    called_alike,
    code_and_name,
    in_order,
    named_twice,
)
from hierdp_core.readers.columns.question import (
    Choice,
    Question,
    levels_in_words,
    merged_in_words,
    overlapping_levels,
)
from hierdp_core.readers.columns.region_columns import LABEL_SHARE, NAMES, RegionColumns, is_name
from hierdp_core.readers.columns.size_shapes import size_choice
from hierdp_core.readers.columns.split_codes import (
    fewest_above,
    in_nested_order,
    names_state_order,
    rows_state_order,
)
from hierdp_core.readers.columns.vocabulary import (
    CODE,
    LABELS,
    PLACE,
    ROW_NUMBER,
    says_name,
    subject_of,
)
from hierdp_core.readers.report import shown_code
from hierdp_core.util.text import join_and

_MIN_ORDERED = 3  # regions of a level; for fewer, the order of two levels matters little
_MANY_ROWS = 7  # rows of a table in which two regions may share a name
_MOST_PAIRS = 0.6  # proportion of all pairs of two levels, above which they overlap by design
_ROWS_OF_EACH = 2  # regions in each region of the level above, on average
_ROWS_OF_TOP = 4  # rows for each region of the first level, on average
_CLEARLY_MORE = 3  # values of a lower level, as a multiple of those of the level above
_FEW_BELOW = 1.5  # areas below an upper one, on average
_MANY_BELOW = 4  # the same, of an order of levels that is more plausible
_SPLIT = 1.25  # values with which a region occurs, on average
_MANY_LEAVES = 10
_NEARLY_AS_MANY = 0.8  # values, as a proportion of those of the last level
_NEARLY_EVERY = 0.85  # of the pairs of a region and a value
_MANY_PAIRS = 20
_COMPLETE = 0.5  # rows by size of a region, as a proportion of the median


@dataclass(frozen=True, kw_only=True)
class _Level:
    """A level of regions.

    Attributes:
        code: the column that identifies its regions.
        label: the column of their names; empty if there is none.
        twice: columns with the same names in other languages, which are not used.
    """

    code: str
    label: str = ""
    twice: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of codes and names."""
        return (self.code, self.label) if self.label else (self.code,)


def nested_levels(
    facts: SheetFacts, free: Sequence[str], *, extra: str, one_row: bool
) -> RegionColumns:
    """Return columns that nest: each value of a finer one lies in one value of the next coarser.

    Args:
        facts: facts about the table.
        free: columns that may be levels.
        extra: the column of group sizes, if each size has a row; else empty.
        one_row: a region has one row, or one for each size; False for records.
    """
    levels = _with_labels(facts, free)
    if not one_row:
        called = [
            lv for lv in levels
            if any(named_after_places(facts[n]) or n.startswith(FROM_A_LIST) for n in lv.columns)
        ]  # fmt: skip
        known = called or [
            lv for lv in levels if any(PLACE.search(facts[n].plain) for n in lv.columns)
        ]
        upper = {*names_above(facts, free, [lv.code for lv in known])}
        levels = [lv for lv in levels if lv in known or upper & {*lv.columns}] or levels
    levels = [lv for lv in levels if not _only_numbers_rows(facts, lv, levels)]
    if not levels:
        return RegionColumns(words={})
    fixed = [extra] if extra else []
    codes_of = [lv.code for lv in levels]
    spelt = [lv for lv in levels if one_row and spells_out_codes(facts, lv.code, codes_of, fixed)]
    levels = [lv for lv in levels if lv not in spelt] or levels
    leaf, within = _leaf(facts, levels, fixed, one_row)
    chain, rivals = _chain(facts, levels, leaf)
    unordered = _order_question(facts, chain)
    if within:
        chain = [lv for lv in levels if lv.code in within and lv.code != leaf.code] + [leaf]
        if len(chain) >= _MIN_ORDERED:
            down = fewest_above(facts, [lv.code for lv in chain])
            chain.sort(key=lambda lv: down.index(lv.code))
        chain = _with_levels_between(facts, levels, _by_tiers(facts, chain))
        chain = _with_upper_levels(facts, levels, chain)
        rivals = []
    chain = [*_above_all(facts, [*(levels if within else ()), *spelt], chain), *chain]
    if spelt and within and not chain[-1].label:
        chain[-1] = replace(chain[-1], label=spelt[-1].code)
    codes = tuple(lv.code for lv in chain)
    labels = tuple(lv.label or lv.code for lv in chain)
    rare = not within and one_row and _rarely_repeats(facts, codes, fixed)
    words: dict[str, Any] = {"levels": codes, "within": bool(within) or rare}
    words |= {"names": labels} if labels != codes else {}
    order = " > ".join(shown_code(name) for name in codes)
    nested = f"levels: {order}, each within the one before"
    reasons = [nested if len(codes) > 1 else f"level: {order}"]
    if rare:
        reasons.append(
            f"a name of {shown_code(codes[-1])} that occurs in several areas of "
            f"{shown_code(codes[-2])} stands for a different area in each"
        )
    if within:
        reasons.append(
            f"a code of {shown_code(codes[-1])} stands for a different area in each area above it"
        )
    for level in chain:
        reasons += [
            f"columns {shown_code(level.code)} and {shown_code(name)} name the same areas, and "
            f"{shown_code(level.code)} is used"
            for name in level.twice
        ]
    used = frozenset({*codes, *labels, *(name for lv in chain for name in lv.twice)})
    return RegionColumns(
        words=words,
        used=used,
        reasons=tuple(reasons),
        question=_crossed_question(facts, codes, words, [lv.code for lv in levels])
        or (_upper_question(facts, codes) if within else None)
        or _rival_question(facts, chain, rivals)
        or (None if within else unordered),
    )


def _only_numbers_rows(facts: SheetFacts, level: _Level, levels: Sequence[_Level]) -> bool:
    """Return whether a column counts the rows of areas that other columns name."""
    column = facts[level.code]
    counts = column.counts_rows and ROW_NUMBER.fullmatch(column.plain) and not level.label
    return bool(counts) and any(
        named_after_places(facts[other.code], bare=False) for other in levels if other != level
    )


def _by_tiers(facts: SheetFacts, chain: Sequence[_Level]) -> list[_Level]:
    """Return levels in the order that their names state, or in their own if these do not.

    The last one may have any name, since it is the finest. Columns of which all combinations occur
    may be crossed, so their order remains open. A parish is a large area in one country and a
    small one in another: names do not decide where areas would mostly have a single one below.
    """
    every = math.prod(facts[lv.code].distinct for lv in chain)
    if facts.different([lv.code for lv in chain]) == every:
        return list(chain)
    for known in (chain, chain[:-1]):
        tiers = [tier_of(facts[lv.code]) for lv in known]
        if tiers and min(tiers) >= 0 and len(set(tiers)) == len(tiers):
            ordered = sorted(known, key=lambda lv: tier_of(facts[lv.code]))
            if any(_turned_over(facts, up.code, low.code) for up, low in pairwise(ordered)):
                return list(chain)
            return [*ordered, *chain[len(known) :]]
    return list(chain)


def _turned_over(facts: SheetFacts, upper: str, lower: str) -> bool:
    """Return whether areas have few areas below them, and many if the two levels change places."""
    pairs = facts.different([upper, lower])
    few, many = _FEW_BELOW * facts[upper].distinct, _MANY_BELOW * facts[lower].distinct
    return many <= pairs <= few


def _upper_question(facts: SheetFacts, codes: Sequence[str]) -> Question | None:
    """Ask which of two upper levels is above the other, if nothing states their order.

    Values of both repeat below several values of the other one, as district and province numbers
    that start again do.
    """
    for k, (one, other) in enumerate(pairwise(codes[:-1])):
        few, many = sorted(facts[name].distinct for name in (one, other))
        stated = _in_tiers(facts, (one, other)) or rows_state_order(facts, codes)
        if facts.within([other], one) or stated or _CLEARLY_MORE * few <= many:
            continue
        turned = (*codes[:k], other, one, *codes[k + 2 :])
        ways = (
            tuple(codes),
            turned,
            *(tuple(n for n in codes if n != out) for out in (other, one)),
        )
        return Question(
            what=f"values of columns {shown_code(one)} and {shown_code(other)} repeat below "
            "several values of the other column, so either may be the upper level",
            choices=tuple(
                Choice(words=levels_in_words(way, within=True),
                       stated={"levels": way, "within": True})
                for way in ways
            ),
        )  # fmt: skip
    return None


def _with_levels_between(
    facts: SheetFacts, levels: Sequence[_Level], chain: list[_Level]
) -> list[_Level]:
    """Return levels and the columns of names that are further levels between the last two.

    Codes of the last level start again in the areas above. Each last region has one value of such a
    column. Each value lies in one upper region, or names or places of the columns state that it is
    between the two, so that its values may repeat.
    """
    upper, leaf, codes = chain[-2].code, chain[-1].code, [lv.code for lv in chain]
    n_areas = facts.different(codes)
    between = [
        lv for lv in levels
        if lv not in chain and (not facts[lv.code].numeric or _has_names_of_places(facts, lv))
        and _ROWS_OF_EACH * facts.different([*codes[:-1], lv.code]) <= n_areas
        and facts.different([*codes[:-1], lv.code]) >= _ROWS_OF_EACH * facts.different(codes[:-1])
        and _is_between(facts, upper, lv.code, leaf)
        and facts.within(codes, lv.code)
    ]  # fmt: skip
    kept = list(chain)
    for level in sorted(between, key=lambda lv: facts[lv.code].distinct):
        last = kept[-2].code
        if _is_between(facts, last, level.code, leaf):
            kept.insert(-1, level)
    return kept


def _with_upper_levels(
    facts: SheetFacts, levels: Sequence[_Level], chain: Sequence[_Level]
) -> list[_Level]:
    """Return levels and the columns, named after regions, that nest with two levels above the last.

    The codes of the last level identify its areas without such a column.
    """
    kept = list(chain)
    for level in sorted(levels, key=lambda lv: facts[lv.code].distinct):
        own = facts[level.code].distinct
        if level in kept or not named_after_places(facts[level.code]):
            continue
        for place in range(1, len(kept) - 1):
            upper, lower = (kept[k].code for k in (place - 1, place))
            nests = facts.within([level.code], upper) and facts.within([lower], level.code)
            if nests and facts[upper].distinct < own < facts[lower].distinct:
                kept.insert(place, level)
                break
    return kept


def _has_names_of_places(facts: SheetFacts, level: _Level) -> bool:
    """Return whether a column of words, which is named after regions, names those of a level."""
    label = level.label
    return bool(label) and not facts[label].numeric and named_after_places(facts[label])


def _is_between(facts: SheetFacts, upper: str, name: str, leaf: str) -> bool:
    """Return whether a column is between two levels: it lies in the upper one, or names say so.

    A column that is named after regions may also stand between those of the two levels.
    """
    if facts.within([name], upper) or _in_tiers(facts, (upper, name, leaf)):
        return True
    places = [facts.sheet.names.index(column) for column in (upper, name, leaf)]
    return named_after_places(facts[name]) and places == sorted(places)


def _in_tiers(facts: SheetFacts, names: Sequence[str]) -> bool:
    """Return whether the names of columns are those of levels from the top down."""
    tiers = [tier_of(facts[name]) for name in names]
    return min(tiers) >= 0 and all(one < two for one, two in pairwise(tiers))


def _above_all(
    facts: SheetFacts, levels: Sequence[_Level], chain: Sequence[_Level]
) -> list[_Level]:
    """Return columns of words that are levels above the first one.

    Each region of the first level lies in one of their values.

    With several rows for each region, at least three words do not nest like this by chance.
    """
    top = chain[0].code
    if top == chain[-1].code or facts[top].distinct * _ROWS_OF_TOP > facts.n_rows:
        return []
    above = [
        lv for lv in levels
        if lv not in chain and not facts[lv.code].numeric and not facts[lv.code].coded
        and _MIN_ORDERED <= facts[lv.code].distinct < facts[top].distinct
        and facts.within([top], lv.code)
    ]  # fmt: skip
    kept: list[_Level] = []
    for level in sorted(above, key=lambda lv: -facts[lv.code].distinct):
        if not kept or facts.within([kept[0].code], level.code):
            kept.insert(0, level)
    return kept


def _rarely_repeats(facts: SheetFacts, codes: Sequence[str], fixed: Sequence[str]) -> bool:
    """Return whether a few names of the last level occur in several regions of the level above.

    They are different regions if no cell is blank, the columns above nest without exception, and
    no two rows have the same names on all levels.
    """
    if len(codes) < 2 or facts.sampled or facts.n_rows < _MANY_ROWS:
        return False
    *upper, leaf = codes
    own = facts[leaf]
    if own.numeric or own.coded or CODE.fullmatch(own.plain):
        return False
    if any(facts[n].distinct_filled < facts[n].distinct for n in codes):
        return False
    if any(facts.different([one, two]) > facts[two].distinct for one, two in pairwise(upper)):
        return False
    several = facts.different([upper[-1], leaf]) > own.distinct
    fewest = facts.n_rows >= _ROWS_OF_EACH * facts[upper[-1]].distinct
    rows = np.bincount(facts.key(codes))  # a region with few of the rows by size is an error
    complete = rows.min() >= _COMPLETE * np.median(rows)
    return bool(several and fewest and complete) and facts.one_row_each([*codes, *fixed])


def _crossed_question(
    facts: SheetFacts, codes: Sequence[str], words: Mapping[str, Any], others: Sequence[str]
) -> Question | None:
    """Ask a question if every region, or nearly every one, occurs with every value of a column.

    Sexes or ages occur with all regions. Codes that start again in each region usually differ in
    number. A column that is named after regions, such as a place of death, also counts if names of
    regions occur with several of its values although they nest in another column. Names of columns
    that state the levels settle the question.
    """
    if not words["within"] or len(codes) < 2:
        return None
    *upper, leaf = codes
    finest = facts[leaf].distinct > max(facts[name].distinct for name in upper)
    doubtful = finest and _in_words(facts[leaf]) and not _in_tiers(facts, codes)
    tiers = [tier_of(facts[name]) for name in codes]
    in_order = min(tiers) >= 0 and tiers == sorted(tiers)
    columns = {*others, *upper}
    elsewhere = [n for n in upper if doubtful and _nests_elsewhere(facts, n, leaf, columns)]
    crossed = [
        name for name in upper
        if facts.different([name, leaf]) >= _least_pairs(facts, name, leaf)
        and (not named_after_places(facts[name]) or name in elsewhere
             or (doubtful and _in_words(facts[name]) and not in_order))
    ]  # fmt: skip
    every = bool(crossed)
    complete = every and all(
        facts.different([name, leaf]) == facts[name].distinct * facts[leaf].distinct
        for name in crossed
    )
    if not crossed:
        crossed = [
            name for name in elsewhere
            if facts.different([name, leaf]) >= _SPLIT * facts[leaf].distinct
        ]  # fmt: skip
    if not crossed:
        return None
    named = join_and([shown_code(name) for name in crossed])
    rest: tuple[str, ...] = ()
    free = [n for n in facts.sheet.names if n in {*codes, *others} - {leaf, *crossed}]
    for name in sorted(free, key=lambda n: facts[n].distinct):
        nests = all(facts.within([name], above) for above in rest)
        if nests and facts[name].distinct < facts[leaf].distinct and facts.within([leaf], name):
            rest += (name,)
    rest += (leaf,)
    sizes = size_choice(facts, crossed[0]) if len(crossed) == 1 else None
    one = len(crossed) == 1
    levels, distinguish = ("is a level", "distinguishes") if one else ("are levels", "distinguish")
    whole = Choice(words=levels_in_words(codes, within=True),
                   stated={"levels": tuple(codes), "within": True})  # fmt: skip
    lower: tuple[Choice, ...] = (
        Choice(words=f"{levels_in_words(rest)}, and {named} {distinguish} the rows of an area",
               stated={"levels": rest}),
        Choice(words=levels_in_words((*rest, *crossed), within=True),
               stated={"levels": (*rest, *crossed), "within": True}),
        whole,
    )  # fmt: skip
    if all(CODE.fullmatch(facts[n].plain) for n in codes):
        lower = (whole, *lower[:-1])  # codes that start again below each region
    elif set(crossed) == set(upper) and _occurs_with_all(facts, upper, leaf):
        places = Choice(
            words=f"{levels_in_words(upper)}, and {shown_code(leaf)} distinguishes the rows of an "
            "area",
            stated={"levels": tuple(upper)},
        )
        lower = (whole, places, *lower[:-1])
    if complete:
        what = f"every area of column {shown_code(leaf)} occurs with every value of {named}"
    elif every:
        what = f"most areas of column {shown_code(leaf)} occur with most values of {named}"
    else:
        what = f"areas of column {shown_code(leaf)} occur with several values of {named}"
    if every:
        what = f"{what}, as if {named} held sexes or years"
    return Question(
        what=f"{what}. It is not clear whether {named} {levels}",
        choices=(*([sizes] if sizes else []), *lower),
    )


def _least_pairs(facts: SheetFacts, upper: str, leaf: str) -> float:
    """Return how many pairs occur, at least, if the regions of `leaf` are crossed with a category.

    Names hardly repeat in nearly all regions, but codes that start again in each may.
    """
    every = facts[upper].distinct * facts[leaf].distinct
    codes = facts[leaf].numeric or facts[leaf].coded
    return every if codes or every < _MANY_PAIRS else _NEARLY_EVERY * every


def _in_words(column: ColumnFacts) -> bool:
    """Return whether a column holds names without digits."""
    coded = column.numeric or column.coded or CODE.fullmatch(column.plain)
    return not coded and not column.share("[0-9]")


def _nests_elsewhere(facts: SheetFacts, name: str, leaf: str, columns: Collection[str]) -> bool:
    """Return whether the last regions nest in a column that does not hold words."""
    return _in_words(facts[name]) and any(
        1 < facts[other].distinct <= facts[leaf].distinct / _ROWS_OF_EACH
        and facts.within([leaf], other)
        for other in columns
        if other not in (name, leaf)
    )


def _occurs_with_all(facts: SheetFacts, upper: Sequence[str], leaf: str) -> bool:
    """Return whether the last column is crossed with columns that nest, as classes with schools."""
    names = facts.sheet.names
    later = all(names.index(name) < names.index(leaf) for name in upper)
    nests = all(facts.within([low], up) for up, low in pairwise(upper))
    return nests and later and not named_after_places(facts[leaf])


def _with_labels(facts: SheetFacts, free: Sequence[str]) -> list[_Level]:
    """Return the levels: columns that correspond one to one are the code and the name of one level.

    Levels are ordered from the coarsest to the finest.
    """
    ordered = sorted(free, key=lambda n: (facts[n].distinct, facts.sheet.names.index(n)))
    levels: list[_Level] = []
    for name in ordered:
        same = next((lv for lv in levels if _same_codes(facts, lv.code, name)), None)
        if same is not None:
            if name in facts.chained and same.code not in facts.chained:
                levels[levels.index(same)] = replace(same, code=name)
            continue
        twins = [lv for lv in levels if code_and_name(facts, lv.code, name)]
        twins.sort(key=lambda lv: not _share_a_subject(facts, lv.code, name))
        twin = next((lv for lv in twins if not _belongs_to_another(facts, lv.code, name)), None)
        if twin is None:
            levels.append(_Level(code=name))
            continue
        if bool(place_points(facts[twin.code])) != bool(place_points(facts[name])):
            # Only one of them is about regions: the other is an attribute, such as the mayor.
            code = max(twin.code, name, key=lambda n: place_points(facts[n]))
            alike = called_alike(facts, twin.code, name) or abbreviate(facts, twin.code, name)
            if not (is_name(facts[twin.code]) or is_name(facts[name]) or alike):
                levels[levels.index(twin)] = replace(twin, code=code)
                continue
        if named_twice(facts, twin.code, name):
            levels[levels.index(twin)] = replace(twin, twice=(*twin.twice, name))
            continue
        code, label = in_order(facts, twin.code, name)
        if numbers_rows(facts[code]) and facts[label].coded:
            code = label
        spelt_out = facts[label].distinct < facts[code].distinct and not facts[code].coded
        label = "" if code == label or spelt_out or not may_be_label(facts[label]) else label
        place = levels.index(twin)
        levels[place] = replace(twin, code=code, label=twin.label or label)
    codes = [lv.code for lv in levels]
    twice = {name for k, name in enumerate(codes) if duplicates_level(facts, name, codes[:k])}
    levels = [lv for lv in levels if lv.code not in twice]
    return [lv for lv in levels if not _labels_another(facts, lv, levels)] or levels


def _same_codes(facts: SheetFacts, one: str, other: str) -> bool:
    """Return whether two columns hold the same number in each row, whatever they are called."""
    columns = facts[one], facts[other]
    return all(c.numeric and c.distinct > 1 for c in columns) and columns[0].text.equals(
        columns[1].text
    )


def _share_a_subject(facts: SheetFacts, one: str, other: str) -> bool:
    """Return whether two names have a word in common that is not a word for codes or names."""
    return bool(subject_of(facts[one].plain) & subject_of(facts[other].plain))


def _belongs_to_another(facts: SheetFacts, one: str, other: str) -> bool:
    """Return whether one of two columns is by its name the code or the name of a third one.

    In a table of the only state of each region, "NM_REGION" corresponds one to one to "CD_STATE",
    but names the regions of "CD_REGION".
    """
    if _share_a_subject(facts, one, other):
        return False
    return any(
        third not in (one, other)
        and facts[third].coded != facts[own].coded
        and _share_a_subject(facts, own, third)
        and facts.twins(own, third)
        and not any(_same_codes(facts, third, name) for name in (one, other))
        for own in (one, other)
        for third in facts.sheet.names
    )


def may_be_label(column: ColumnFacts) -> bool:
    """Return whether cells may be the names of regions that another column identifies.

    Numbers that differ in each region may be its counts, which must not become names, or a second
    code. They are names only if the column is called so.
    """
    return not column.numeric or says_name(column.plain)


def _labels_another(facts: SheetFacts, level: _Level, levels: Sequence[_Level]) -> bool:
    """Return whether a level holds the names of another one, some of which occur twice.

    Such a column is not a level above the codes. A column that is only called "name" holds the
    names of the areas that have one row each. Some may occur often, if they do not nest with other
    levels.
    """
    own = facts[level.code]
    if not (is_name(own) or not own.coded):
        return False
    overlaps = any(
        other.code != level.code and facts[other.code].distinct < own.distinct
        and not facts.within([level.code], other.code)
        for other in levels
    )  # fmt: skip
    called_name = {*own.plain.split("_")} <= NAMES
    for other in levels:
        finer = facts[other.code]
        if other is level or finer.distinct <= own.distinct or not finer.coded:
            continue
        alike = own.distinct >= LABEL_SHARE * finer.distinct and finer.distinct >= 4
        if alike and facts.different([other.code, level.code]) == finer.distinct:
            return True
        if called_name and overlaps and facts.one_row_each([other.code]):
            return True
    return False


def _leaf(
    facts: SheetFacts, levels: Sequence[_Level], fixed: Sequence[str], one_row: bool
) -> tuple[_Level, tuple[str, ...]]:
    """Return the finest level, and the codes above that distinguish its codes if they repeat."""
    names = facts.sheet.names

    def fineness(level: _Level) -> tuple[int, int, int]:
        column = facts[level.code]
        return column.distinct_filled, place_points(column), names.index(level.code)

    finest = max(levels, key=fineness)
    if not one_row or facts.one_row_each([finest.code, *fixed]):
        return finest, ()
    nested, _ = _chain(facts, levels, finest)
    if len(nested) > 1 and facts.one_row_each([*(lv.code for lv in nested), *fixed]):
        return finest, ()  # except for a few rows, which are faults
    others = [lv for lv in levels if lv is not finest]
    upper = [lv.code for lv in others if PLACE.search(facts[lv.code].plain)] or [
        lv.code for lv in others
    ]
    for k in range(len(upper)):
        above = upper[: k + 1]
        if facts.one_row_each([*above, finest.code, *fixed]):
            return finest, _needed(facts, above, finest.code, fixed)
    for level in reversed(others):
        above = [lv.code for lv in others if lv is not level]
        if facts.one_row_each([*above, level.code, *fixed]):
            return level, _needed(facts, [*above], level.code, fixed)
    return finest, ()


def _needed(
    facts: SheetFacts, above: Sequence[str], code: str, fixed: Sequence[str]
) -> tuple[str, ...]:
    """Return the columns above that nest, and `code`; or all columns if these do not suffice."""
    chain: list[str] = []
    for name in sorted(above, key=lambda n: facts[n].distinct):
        if not chain or facts.within([*chain, name], chain[-1]):
            chain.append(name)
    return (*chain, code) if facts.one_row_each([*chain, code, *fixed]) else (*above, code)


def _chain(
    facts: SheetFacts, levels: Sequence[_Level], leaf: _Level
) -> tuple[list[_Level], list[_Level]]:
    """Return the levels that nest, from the top down to `leaf`, and the levels that do not."""
    above = [
        lv for lv in levels
        if lv is not leaf and _coarser(facts, lv.code, leaf.code)
        and facts.within([leaf.code], lv.code)
    ]  # fmt: skip
    above = [
        lv for lv in above
        if not _repeats_below(facts, lv, above, leaf) and not _hardly_above(facts, lv, leaf)
    ]  # fmt: skip
    above.sort(key=lambda lv: (place_points(facts[lv.code]), facts[lv.code].distinct), reverse=True)
    chain: list[_Level] = []
    rivals: list[_Level] = []
    for level in above:
        nests = all(_nested(facts, level.code, other.code) for other in chain)
        (chain if nests else rivals).append(level)
    codes = facts.chains.get(leaf.code, ())  # from the shortest codes on
    in_code = {name: place for place, name in enumerate(codes)}
    chain.sort(
        key=lambda lv: (
            facts[lv.code].distinct, in_code.get(lv.code, -1), tier_of(facts[lv.code]),
        )
    )  # fmt: skip
    return [*chain, leaf], rivals


def _order_question(facts: SheetFacts, chain: Sequence[_Level]) -> Question | None:
    """Ask which of two levels is the upper one, if they correspond one to one."""
    codes = [lv.code for lv in chain]
    for k, (one, other) in enumerate(pairwise(codes[:-1])):
        tiers = tier_of(facts[one]), tier_of(facts[other])
        if not facts.twins(one, other) or (min(tiers) >= 0 and tiers[0] != tiers[1]):
            continue
        if {one, other} <= {*facts.chains.get(codes[-1], ())}:
            continue  # the shorter codes are those of the upper level
        ragged = any(facts[n].distinct_filled < facts[n].distinct for n in (one, other))
        if ragged or facts[one].distinct < _MIN_ORDERED:
            continue
        ways = (tuple(codes), (*codes[:k], other, one, *codes[k + 2 :]))
        without = (tuple(n for n in codes if n != left) for left in (other, one))
        return Question(
            what=f"columns {shown_code(one)} and {shown_code(other)} correspond one to one, "
            "so either may be the upper level",
            choices=tuple(
                Choice(words=levels_in_words(way), stated={"levels": way})
                for way in (*ways, *without)
            ),
        )
    return None


def _hardly_above(facts: SheetFacts, level: _Level, leaf: _Level) -> bool:
    """Return whether a column of numbers without a name for regions has nearly as many as `leaf`.

    They are the numbers of regions within larger ones, of which a few are equal.
    """
    column, finest = facts[level.code], facts[leaf.code].distinct
    return (
        (column.numeric or column.coded) and not place_points(column)
        and finest >= _MANY_LEAVES and column.distinct >= _NEARLY_AS_MANY * finest
    )  # fmt: skip


def _repeats_below(
    facts: SheetFacts, level: _Level, levels: Sequence[_Level], leaf: _Level
) -> bool:
    """Return whether a column only identifies regions within another one, as county numbers do."""
    finest = facts[leaf.code].distinct
    others = [lv for lv in levels if lv is not level]
    if place_points(facts[level.code]):
        others = [lv for lv in others if place_points(facts[lv.code])]
    return any(
        _is_upper(facts, other, level, levels, leaf)
        and _not_every_pair(facts, other.code, level.code, finest)
        and not facts.within([level.code], other.code)
        and facts.different([other.code, level.code]) == finest
        for other in others
    )


def _is_upper(
    facts: SheetFacts, one: _Level, other: _Level, levels: Sequence[_Level], leaf: _Level
) -> bool:
    """Return whether the first of two columns is the upper one, if neither lies within the other.

    The lower one has the name of the last level, or lies within no third column. Otherwise it has
    more values.
    """
    called = [_named_like(facts, lv.code, leaf.code) for lv in (one, other)]
    if called[0] != called[1]:
        return called[1]
    nested = [
        any(
            third not in (one, other, leaf)
            and facts[third.code].distinct < facts[lv.code].distinct
            and facts.within([lv.code], third.code)
            for third in levels
        )
        for lv in (one, other)
    ]
    if nested[0] != nested[1]:
        return nested[0]
    names = facts.sheet.names
    orders = [(facts[lv.code].distinct, names.index(lv.code)) for lv in (one, other)]
    return orders[0] < orders[1]


def _named_like(facts: SheetFacts, code: str, name: str) -> bool:
    """Return whether the name of a column has no words but those for codes and of another name."""
    own = {word for word in facts[code].plain.split("_") if word not in LABELS}
    return bool(own) and own <= set(facts[name].plain.split("_"))


def _not_every_pair(facts: SheetFacts, upper: str, lower: str, finest: int) -> bool:
    """Return whether some pairs of values of two columns are missing.

    Regions and sexes occur in all pairs, for example. But the lower column may still hold numbers
    that identify regions within the upper one, if it has plain numbers and a name for regions.
    """
    if facts[upper].distinct * facts[lower].distinct > finest:
        return True
    places = place_points(facts[upper]) and place_points(facts[lower])
    return bool(places) and facts[lower].numeric


def _coarser(facts: SheetFacts, one: str, leaf: str) -> bool:
    """Return whether a column has fewer values than `leaf`, blank cells aside."""
    own, finest = facts[one], facts[leaf]
    if own.distinct_filled != finest.distinct_filled:
        return own.distinct_filled < finest.distinct_filled
    blanks = own.distinct + finest.distinct > own.distinct_filled + finest.distinct_filled
    return blanks and facts.sheet.names.index(one) < facts.sheet.names.index(leaf)


def _nested(facts: SheetFacts, one: str, other: str) -> bool:
    """Return whether the finer of two columns lies within the coarser."""
    fine, coarse = sorted((one, other), key=lambda n: -facts[n].distinct)
    return facts.within([fine], coarse)


def _rival_question(
    facts: SheetFacts, chain: Sequence[_Level], rivals: Sequence[_Level]
) -> Question | None:
    """Ask which columns are levels, if another column may be one but does not nest."""
    if not rivals or len(chain) < 2:
        return None
    weakest = min(place_points(facts[lv.code]) for lv in chain[:-1])
    strong = [lv for lv in rivals if place_points(facts[lv.code]) >= max(weakest, 1)]
    if not strong and weakest > 0:
        return None
    leaf = chain[-1].code
    taken = tuple(lv.code for lv in chain)
    deepest = _deepest(facts, (*chain[:-1], *(strong or rivals)), leaf)
    choices = [Choice(words=levels_in_words(taken), stated={"levels": taken})]
    for rival in strong or rivals:
        nests = [lv.code for lv in chain[:-1] if _nested(facts, lv.code, rival.code)]
        path = (*sorted([*nests, rival.code], key=lambda n: facts[n].distinct), leaf)
        choices.append(Choice(words=levels_in_words(path), stated={"levels": path}))
    beside = nested_beside(facts, [lv.code for lv in (*chain[:-1], *rivals)], leaf)
    if len(beside) > 1 and all(choice.stated["levels"] != beside for choice in choices):
        choices.insert(0, Choice(words=levels_in_words(beside), stated={"levels": beside}))
    n_areas, n_values = facts.merged(leaf, [lv.code for lv in (*chain[:-1], *strong)])
    alone = levels_in_words((leaf,))
    merges = n_areas > 0 and not facts[leaf].coded
    if merges:
        alone = f"{alone}, and {merged_in_words(n_areas, n_values)}"
    choices.append(Choice(words=alone, stated={"levels": (leaf,)}))
    if not merges and any(facts[n].level_of_row for n in facts.sheet.names):
        choices = [choices[-1], *choices[:-1]]  # the rows above are among those of the last column
    path = deepest.stated["levels"] if deepest is not None else ()
    if deepest is not None and (_names_repeat(facts, path) or names_state_order(facts, path[:-1])):
        choices = [deepest, *choices[:-1][:6], choices[-1]]
    elif deepest is not None:
        choices = [*choices[:-1][:6], deepest, choices[-1]]
    names = [lv.code for lv in (*chain[:-1], *(strong or rivals))]
    return Question(what=overlapping_levels(names), choices=tuple(choices[:8]))


def nested_beside(facts: SheetFacts, names: Sequence[str], leaf: str) -> tuple[str, ...]:
    """Return the columns directly left of the last level that nest, and the last level."""
    columns = facts.sheet.names
    path: tuple[str, ...] = (leaf,)
    for name in reversed(columns[: columns.index(leaf)]):
        coarser = facts[name].distinct < facts[path[0]].distinct
        if name not in names or not coarser or not facts.within([path[0]], name):
            break
        path = (name, *path)
    return path


def _deepest(facts: SheetFacts, levels: Sequence[_Level], leaf: str) -> Choice | None:
    """Return the answer that all columns are levels whose values repeat; None if they nest."""
    codes = in_nested_order(facts, list(dict.fromkeys(lv.code for lv in levels)))
    n_areas = facts.different([*codes, leaf])
    codes = [n for k, n in enumerate(codes) if facts.different(codes[: k + 1]) < n_areas]
    path = (*codes, leaf)
    if all(facts.different([one, other]) == facts[other].distinct for one, other in pairwise(path)):
        return None
    return Choice(words=levels_in_words(path, within=True), stated={"levels": path, "within": True})


def _names_repeat(facts: SheetFacts, levels: Sequence[str]) -> bool:
    """Return whether values of a level repeat as names of regions do, in a few regions above."""
    for one, other in pairwise(levels):
        pairs = facts.different([one, other])
        every = facts[one].distinct * facts[other].distinct
        upper, lower = (tier_of(facts[n]) for n in (one, other))
        if 0 <= upper < lower:
            continue  # a state and a district, by their names
        if pairs > facts[other].distinct and pairs > _MOST_PAIRS * every:
            return False
    tiers = [tier for n in levels if (tier := tier_of(facts[n])) >= 0]
    return tiers == sorted(tiers) and all(named_after_places(facts[n]) for n in levels[:-1])
