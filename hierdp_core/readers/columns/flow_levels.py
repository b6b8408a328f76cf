"""The levels of origins and destinations: pairs of columns that lie within each other."""

from collections.abc import Sequence
from itertools import permutations, zip_longest

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.level_rules import tier_named
from hierdp_core.readers.columns.region_columns import LABEL_SHARE
from hierdp_core.readers.columns.vocabulary import (
    LABELS,
    LEVEL_WORDS,
    plain_name,
    subject_of,
    words,
)

_SHARED = 0.5  # proportion of the regions of one end that are also at the other one
_STEM = 4  # letters with which the names of two levels of one end begin
_MAX_COLUMNS = 16  # columns among which further levels are looked for

_NAMES = words("nom nombre nome nombres cve c nm")
_SHORT_LEVELS = words("ent mun loc reg prov dep dept com dist cant ageb localidad")

Pair = tuple[str, str]


def levels_of_ends(facts: SheetFacts, free: Sequence[str], pair: Pair) -> list[Pair]:
    """Return the columns of origins and destinations on all levels, from the top down.

    A further pair has the names of the first one with another word for the level, or it holds the
    same regions at both ends, each in one region of the level above. It must not hold the names of
    the codes of the first one. Without such a pair, it is
    the only column of names below each end whose name begins as that of the end does, such as the
    provinces and the universities below "HomeRegion" and "UniversityRegion".

    Args:
        facts: facts about the table.
        free: columns that may be levels.
        pair: the columns of one level.
    """
    others = [
        n for n in free
        if n not in pair and 1 < facts[n].distinct < facts.n_rows and not facts[n].fractions
    ][:_MAX_COLUMNS]  # fmt: skip
    further = [
        two for two in permutations(others, 2)
        if _nest(facts, two, pair) and (renamed(*pair, two[0]) == two[1] or
                                        _same_places(facts, two, pair))
        and not _are_twins(facts, two, pair)
    ]  # fmt: skip
    further.sort(key=lambda two: renamed(*pair, two[0]) != two[1])
    levels = [pair]
    for two in further:
        taken = {name for level in levels for name in level}
        if not taken & {*two} and all(_nest(facts, two, level) for level in levels):
            levels.append(two)
    below = [_level_below(facts, others, name) for name in pair]
    if len(levels) == 1 and all(below) and not _are_twins(facts, (below[0], below[1]), pair):
        levels.append((below[0], below[1]))
    ordered = sorted(levels, key=lambda level: [facts[name].distinct for name in level])
    return [
        two for two, finer in zip_longest(ordered, ordered[1:])
        if two == pair or finer is None or not _are_names(facts, two, finer)
    ]  # fmt: skip


def _are_twins(facts: SheetFacts, two: Pair, pair: Pair) -> bool:
    """Return whether two columns hold the names of the codes of a pair, one for each."""
    return all(facts.twins(code, name) for code, name in zip(pair, two, strict=True))


def _level_below(facts: SheetFacts, free: Sequence[str], name: str) -> str:
    """Return the only column of words within a column whose name begins alike; empty if none."""
    stem = facts[name].plain[:_STEM]
    below = [
        n for n in free
        if facts[n].plain[:_STEM] == stem and not facts[n].numeric and not facts[n].coded
        and facts[n].distinct >= facts[name].distinct and facts.within([n], name)
    ]  # fmt: skip
    return below[0] if len(below) == 1 and len(stem) == _STEM else ""


def _are_names(facts: SheetFacts, two: Pair, finer: Pair) -> bool:
    """Return whether columns hold the names of codes of a finer level, of which few repeat."""
    return all(
        not facts[name].coded
        and facts[code].coded
        and bool(subject := subject_of(facts[name].plain))
        and subject == subject_of(facts[code].plain)
        and facts[name].distinct >= LABEL_SHARE * facts[code].distinct
        for name, code in zip(two, finer, strict=True)
    )


def renamed(start: str, end: str, name: str) -> str:
    """Return a name with the change that turns one name into another; empty if it does not apply.

    >>> renamed("GEO_CANT_RESID", "GEO_CANT_WORK", "GEO_COMM_RESID")
    'GEO_COMM_WORK'
    >>> renamed("Wohnkanton", "Arbeitskanton", "Wohngemeinde"), renamed("a1", "b1", "c1")
    ('Arbeitsgemeinde', '')
    """
    shortest = min(len(start), len(end))
    before = next((k for k in range(shortest) if start[k] != end[k]), shortest)
    behind = next(
        (k for k in range(shortest - before) if start[-1 - k] != end[-1 - k]), shortest - before
    )
    old, new = start[before : len(start) - behind], end[before : len(end) - behind]
    if not old or name.count(old) != 1:
        return ""
    return name.replace(old, new)


def of_two_levels(one: str, other: str) -> bool:
    """Return whether the names of two columns state two levels, such as NOM_MUN and NOM_LOC.

    A municipality often has the name of its main locality.
    """
    first, second = ({*plain_name(name).split("_")} - LABELS - _NAMES for name in (one, other))
    known = LEVEL_WORDS | _SHORT_LEVELS
    tiers = [tier_named(plain_name(name)) for name in (one, other)]
    if min(tiers) >= 0 and tiers[0] != tiers[1] and not (first & second):
        return True
    return first != second and all(own and own <= known for own in (first, second))


def _nest(facts: SheetFacts, two: Pair, pair: Pair) -> bool:
    """Return whether each column of one pair lies within the column of the other one."""
    fine, coarse = sorted((two, pair), key=lambda level: -facts[level[0]].distinct)
    if any(facts[a].distinct <= facts[b].distinct for a, b in zip(fine, coarse, strict=True)):
        return False
    return all(facts.within([a], b) for a, b in zip(fine, coarse, strict=True))


def _same_places(facts: SheetFacts, two: Pair, pair: Pair) -> bool:
    """Return whether a pair holds the same regions at both ends, each in one of the other pair."""
    one, other = (set(facts[name].filled.to_pylist()) for name in two)
    if not _are_places(facts[two[0]]) or len(one & other) < _SHARED * len(one | other):
        return False
    fine, coarse = sorted((two, pair), key=lambda level: -facts[level[0]].distinct)
    together = {
        both for a, b in zip(fine, coarse, strict=True)
        for both in zip(facts[a].text.to_pylist(), facts[b].text.to_pylist(), strict=True)
    }  # fmt: skip
    return len(together) == len({place for place, _ in together})


def _are_places(column: ColumnFacts) -> bool:
    return not column.years and not column.never_places and len(column.filled) > 1
