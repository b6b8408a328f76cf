"""Official codes whose parts stand in columns of their own, from the highest level on the left.

A part starts again in each region above, so a lower one may have fewer different values than an
upper one. The order of the columns shows which is which.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.level_rules import named_after_places, tier_of
from hierdp_core.readers.columns.region_columns import LABEL_SHARE, RegionColumns, is_name
from hierdp_core.readers.columns.slices import crosses
from hierdp_core.readers.columns.vocabulary import CODE, PLACE, POSTAL
from hierdp_core.readers.formats.sheet import as_mask
from hierdp_core.readers.report import shown_code
from hierdp_core.util.arrays import BoolArray, IntArray

# The parts of the official key of German municipalities, from the top.
_KEY = tuple(
    re.compile(rf"(.*_)?({names})(_(code|nr|nummer|schlussel|key))?")
    for names in (
        "land|bl|bundesland|lkz",
        "rb|regbez|reg_bez|regierungsbezirk|bezirk",
        "kreis|krs|kr|landkreis",
        "vb|gv|gvb|vg|verband|verb|gemeindeverband|verbandsgemeinde",
        "gem|gemeinde|gmd|gde",
    )
)
_STATED_ORDER = 3  # levels whose names state the order of the columns
_LEAST_OF_KEY = 3  # parts of that key that must be there
_LEAST_ROWS = 4
_AREAS_OF_EACH = 2  # in each area above, on average, where the order of rows states the levels


def split_code(
    facts: SheetFacts, free: Sequence[str], *, extra: str, one_row: bool
) -> RegionColumns | None:
    """Return the parts of one code as levels; None if there are none, or if their order is plain.

    Args:
        facts: facts about the table.
        free: columns that may be levels.
        extra: the column of group sizes, if each size has a row; else empty.
        one_row: a region has one row, or one for each size; False for records.
    """
    parts = _of_key(facts)
    known = bool(parts)
    parts = parts or _of_digits(facts, free)
    if len(parts) < 2 or not one_row:
        return None
    rows = np.all([as_mask(pc.not_equal(facts[n].text, "")) for n in parts], axis=0)
    if int(rows.sum()) < _LEAST_ROWS:
        return None
    keys = [_key(facts, parts[: k + 1], rows) for k in range(len(parts))]
    counts = [len(np.unique(key)) for key in keys]
    distinct = [len(np.unique(facts[n].index[rows])) for n in parts]
    fixed = [extra] if extra else []
    whole = len(np.unique(_key(facts, [*parts, *fixed], rows)))
    if not known and (max(distinct) >= counts[-1] or _upward(facts, parts, rows)):
        return None
    if (
        whole < int(rows.sum())
        or distinct[-1] >= counts[-1]
        or _written_whole(facts, free, parts, counts[-1])
    ):
        return None
    kept = _levels(facts, parts, counts, rows)
    if not known and not _misleading(distinct, [parts.index(n) for n in kept]):
        return None
    if not known and _labelled_alike(facts, kept):
        return None
    names = _names(facts, kept, {n: keys[parts.index(n)] for n in kept}, rows)
    words: dict[str, object] = {"levels": kept, "within": len(kept) > 1}
    words |= {"names": names} if names != kept else {}
    order = " > ".join(shown_code(name) for name in kept)
    reasons = [
        f"levels: {order}, which are the parts of one code from left to right",
        f"a code of {shown_code(kept[-1])} stands for a different area in each area above it",
    ]
    return RegionColumns(
        words=words, used=frozenset({*parts, *names}), reasons=tuple(reasons[: len(kept)])
    )


def _labelled_alike(facts: SheetFacts, levels: Sequence[str]) -> bool:
    """Return whether nearly all regions have the last codes, whose names are the same everywhere.

    Such codes are those of sizes or of kinds of people.
    """
    if len(levels) < 2 or not crosses(facts, levels[:-1], levels[-1]):
        return False
    return any(facts.twins(levels[-1], name) for name in facts.texts if name != levels[-1])


def in_nested_order(facts: SheetFacts, names: Sequence[str]) -> list[str]:
    """Return levels from the coarsest to the finest, by their names or their numbers of values.

    Names of three levels in the order of the columns state the order of all. Digits of one width
    that do not nest are parts of one code and stay in the order of the columns.
    """
    place = facts.sheet.names.index
    if names_state_order(facts, names):
        return sorted(names, key=place)
    ordered = fewest_above(facts, names)
    for _ in ordered:
        for k, (upper, lower) in enumerate(pairwise(ordered)):
            parts = all(_digits(facts[n]) and _width(facts[n]) for n in (upper, lower))
            if parts and place(upper) > place(lower) and not _nest(facts, upper, lower):
                ordered[k : k + 2] = [lower, upper]
    return ordered


def fewest_above(facts: SheetFacts, names: Sequence[str]) -> list[str]:
    """Return levels in the order with the fewest areas on the upper ones.

    Names that repeat everywhere, such as "San Rafael", are few and belong to the lowest level. So
    do numbers that start again in each area. Rows that are sorted by the columns, from left to
    right, state another order.
    """
    place = facts.sheet.names.index
    if rows_state_order(facts, names):
        return sorted(names, key=place)
    ordered: list[str] = []
    while left := [n for n in names if n not in ordered]:
        ordered.append(
            min(left, key=lambda n: (facts.different([*ordered, n]), tier_of(facts[n]), place(n)))
        )
    return ordered


def rows_state_order(facts: SheetFacts, names: Sequence[str]) -> bool:
    """Return whether rows are sorted by columns from left to right, each of which divides areas.

    Each area then is one block of rows, with at least two areas below it on average. A column
    whose values all occur in each area above is not a level but, for example, a sex or an age,
    unless it is named after areas.
    """
    printed = sorted(names, key=facts.sheet.names.index)
    above = [printed[: k + 1] for k in range(len(printed))]
    areas = [facts.different(columns) for columns in above]
    for k, (upper, lower) in enumerate(pairwise(areas), start=1):
        crossed = upper > 1 and lower == upper * facts[printed[k]].distinct
        if _AREAS_OF_EACH * upper > lower:
            return False
        if crossed and not named_after_places(facts[printed[k]], bare=False):
            return False
    changes = (np.count_nonzero(np.diff(facts.key(columns))) for columns in above)
    return all(blocks == n - 1 for blocks, n in zip(changes, areas, strict=True))


def names_state_order(facts: SheetFacts, names: Sequence[str]) -> bool:
    """Return whether at least three names are those of levels from the top down, as printed."""
    printed = sorted(names, key=facts.sheet.names.index)
    tiers = [tier for name in printed if (tier := tier_of(facts[name])) >= 0]
    return len(tiers) >= _STATED_ORDER and all(one < two for one, two in pairwise(tiers))


def _nest(facts: SheetFacts, one: str, other: str) -> bool:
    return facts.within([one], other) or facts.within([other], one)


def _of_key(facts: SheetFacts) -> tuple[str, ...]:
    """Return the columns of the German key, in its order; empty if too few are there.

    A part of one digit may look like a column of counts.
    """
    digits = [n for n in facts.sheet.names if _digits(facts[n])]
    parts: list[str] = []
    for pattern in _KEY:
        called = [n for n in digits if n not in parts and pattern.fullmatch(facts[n].plain)]
        if len(called) > 1:
            return ()
        parts += called
    return tuple(parts) if len(parts) >= _LEAST_OF_KEY else ()


def _of_digits(facts: SheetFacts, free: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of digits of one width each that are named after regions or codes."""
    parts = [
        n for n in facts.sheet.names
        if n in free and _digits(facts[n]) and _width(facts[n]) and facts[n].distinct_filled > 1
        and not POSTAL.fullmatch(facts[n].plain)
        and (named_after_places(facts[n]) or CODE.fullmatch(facts[n].plain))
    ]  # fmt: skip
    zeros = any(facts[n].leading_zeros for n in parts)
    return tuple(parts) if zeros else ()


def _digits(column: ColumnFacts) -> bool:
    return column.every("^[0-9]{1,5}$")


def _width(column: ColumnFacts) -> bool:
    return len(pc.unique(pc.utf8_length(column.filled))) == 1


def _key(facts: SheetFacts, names: Sequence[str], rows: BoolArray) -> IntArray:
    return facts.key(names)[rows]


def _upward(facts: SheetFacts, parts: Sequence[str], rows: BoolArray) -> bool:
    """Return whether a part lies above one to its left, whose values each occur with one of it."""
    return any(
        len(np.unique(_key(facts, [left, right], rows))) == len(np.unique(facts[left].index[rows]))
        for k, left in enumerate(parts)
        for right in parts[k + 1 :]
    )


def _written_whole(
    facts: SheetFacts, free: Sequence[str], parts: Sequence[str], n_regions: int
) -> bool:
    """Return whether another column holds the whole code."""
    longest = max(pc.max(pc.utf8_length(facts[n].filled)).as_py() for n in parts)
    return any(
        n not in parts
        and facts[n].coded
        and facts[n].distinct_filled >= n_regions
        and pc.max(pc.utf8_length(facts[n].filled)).as_py() > longest
        for n in free
    )


def _levels(
    facts: SheetFacts, parts: Sequence[str], counts: Sequence[int], rows: BoolArray
) -> tuple[str, ...]:
    """Return the parts without those that divide no region, or have one region of the last each.

    Parts remain whose regions have rows of their own. All remain if the others do not identify the
    regions.
    """
    kept: list[str] = []
    before = 1
    blank = [as_mask(pc.equal(facts[name].text, "")) for name in parts]
    for k, (name, n) in enumerate(zip(parts[:-1], counts[:-1], strict=True)):
        own_rows = bool((~blank[k] & blank[k + 1]).any())
        if before < n and (n < counts[-1] or own_rows):
            kept.append(name)
            before = n
    kept.append(parts[-1])
    whole = len(np.unique(_key(facts, kept, rows))) == counts[-1]
    return tuple(kept) if whole else tuple(parts)


def _misleading(distinct: Sequence[int], places: Sequence[int]) -> bool:
    """Return whether a lower part has fewer different values than an upper one."""
    own = [distinct[place] for place in places]
    return any(lower < upper for k, upper in enumerate(own) for lower in own[k + 1 :])


def _names(
    facts: SheetFacts, levels: Sequence[str], keys: dict[str, IntArray], rows: BoolArray
) -> tuple[str, ...]:
    """Return a column of names for each level, or its codes where there is none."""
    names: dict[str, str] = {}
    for level in reversed(levels):
        own = keys[level]
        fewest = LABEL_SHARE * len(np.unique(facts[level].index[rows]))
        names[level] = next(
            (
                n for n in facts.texts
                if n not in (*levels, *names.values()) and not facts[n].coded
                and (is_name(facts[n]) or PLACE.search(facts[n].plain))
                and _named_by(facts[n], own, fewest, rows)
            ),
            level,
        )  # fmt: skip
    return tuple(names[level] for level in levels)


def _named_by(column: ColumnFacts, key: IntArray, fewest: float, rows: BoolArray) -> bool:
    """Return whether each region has one name, and there are at least `fewest` names."""
    index = column.index[rows]
    n_regions = len(np.unique(key))
    pairs = len(np.unique(key * (int(index.max(initial=0)) + 1) + index))
    return pairs == n_regions and fewest <= len(np.unique(index)) <= n_regions
