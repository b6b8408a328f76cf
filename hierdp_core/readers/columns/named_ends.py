"""Columns whose names say that they hold origins, with those of the same name for destinations."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts, follows, share_codes
from hierdp_core.readers.columns.joined_names import column_of
from hierdp_core.readers.columns.level_rules import of_other_tiers
from hierdp_core.readers.columns.one_to_one import code_and_name, codeness, is_short
from hierdp_core.readers.columns.region_columns import (
    LABEL_SHARE,
    about_something_else,
    is_name,
    may_be_region,
)
from hierdp_core.readers.columns.vocabulary import (
    CODE,
    DESTINATION,
    LABELS,
    NOT_A_COUNT,
    ORIGIN,
    PLACE,
    YEAR,
    plain_name,
    says_name,
    subject_of,
)

_AREAS = frozenset({"area", "aire", "superficie"})  # words for a region and for its size
_LONG = 4  # letters of a word for an end between other words of a name
_OF_KEYS = frozenset({"source", "src", "from", "start", "quelle"})  # also of keys to larger regions
_MIN_UPPER = 2  # regions of a level above
_ENDING = re.compile(r"\s*(?:,[^,]*|\([^()]*\))$")  # ", province of origin" or "(origin)"
MIN_TWINS = 4  # regions that correspond one to one to others by no chance

Pair = tuple[str, str]  # the column of origins and that of destinations


@dataclass(frozen=True, kw_only=True)
class LevelOfEnds:
    """A level of origins and destinations.

    Attributes:
        codes: the columns that identify its regions.
        names: the columns of their names; None if there are none.
        others: further columns about the same regions, which are not used.
    """

    codes: Pair
    names: Pair | None = None
    others: tuple[Pair, ...] = ()

    @property
    def columns(self) -> frozenset[str]:
        pairs = (self.codes, *([self.names] if self.names else []), *self.others)
        return frozenset(name for pair in pairs for name in pair)

    @property
    def subject(self) -> str:
        """Return what the level is about: the name of its columns without the word for the end."""
        rests = [end_in(pair[0], ORIGIN) or "" for pair in (self.codes, self.names) if pair]
        rest = next((rest for rest in rests if PLACE.search(rest)), rests[0])
        return rest or self.codes[0]


@dataclass(frozen=True, kw_only=True)
class NamedEnds:
    """The columns of origins and destinations by their names.

    Attributes:
        levels: the levels, from the top down; empty if there are no such columns.
        finer: pairs of numbers that divide the regions of the last level and may be a level.
    """

    levels: tuple[LevelOfEnds, ...] = ()
    finer: tuple[Pair, ...] = ()


def named_ends(facts: SheetFacts, free: Sequence[str]) -> NamedEnds:
    """Return the columns that are named as origins with those of the same name for destinations.

    Columns that correspond one to one at both ends, such as codes and names, are one level.
    """
    named = [pair for pair in _named_pairs(facts, free) if not _classifies(facts, pair)]
    places = [pair for pair in named if _about_places(end_in(pair[0], ORIGIN) or "")]
    pairs = places or named
    finer: list[Pair] = []
    if places:  # an activity at the origin is not a region
        rest = [pair for pair in named if pair not in places]
        pairs = places + [pair for pair in rest if _lies_in_all(facts, pair, places)]
        pairs += [pair for pair in rest if pair not in pairs and _holds_all(facts, pair, pairs)]
        twins = [
            pair for pair in rest
            if pair not in pairs and any(_one_to_one(facts, pair, other) for other in pairs)
        ]  # fmt: skip
        pairs += twins
        finer = [
            pair for pair in rest
            if pair not in pairs and _lies_in_all(facts, pair, places, numbers=True)
        ]  # fmt: skip
    duplicates = [pair for pair in pairs if _duplicates_pair(facts, pair, pairs)]
    groups: list[list[Pair]] = []
    order = sorted(
        (pair for pair in pairs if pair not in duplicates),
        key=lambda pair: (-facts[pair[0]].distinct_filled, facts.sheet.names.index(pair[0])),
    )
    for pair in order:
        group = next((one for one in groups if _same_level(facts, pair, one)), None)
        if group is None:
            groups.append([pair])
        else:
            group.append(pair)
    levels = [_level(facts, group, duplicates if k == 0 else []) for k, group in enumerate(groups)]
    levels.sort(key=lambda level: facts[level.codes[0]].distinct)
    return NamedEnds(levels=tuple(levels), finer=tuple(finer))


def joined_ends(facts: SheetFacts, levels: Sequence[LevelOfEnds]) -> tuple[LevelOfEnds, ...]:
    """Return the levels with the levels and the names that a lookup added at both ends."""
    *upper, lowest = levels
    if lowest.names is None:
        lowest = replace(lowest, names=joined_names_of_ends(facts, lowest.codes))
    groups: list[list[Pair]] = []
    for pair in _beside(facts, lowest.codes):
        fewer = facts[pair[0]].distinct < facts[lowest.codes[0]].distinct
        if not fewer or not _in_one_each([*zip(lowest.codes, pair, strict=True)], facts):
            continue
        if any(_same_level(facts, pair, [level.codes]) for level in upper):
            continue
        same = next((one for one in groups if _same_level(facts, pair, one)), None)
        if same is None:
            groups.append([pair])
        else:
            same.append(pair)
    chain = sorted((*upper, *(_level(facts, group, []) for group in groups)),
                   key=lambda lv: -facts[lv.codes[0]].distinct)  # fmt: skip
    kept = [lowest]
    for level in chain:
        finer = [*zip(kept[-1].codes, level.codes, strict=True)]
        if level in upper or _in_one_each(finer, facts):
            kept.append(level)
    return tuple(kept[::-1])


def joined_names_of_ends(facts: SheetFacts, codes: Pair) -> Pair | None:
    """Return the columns of names that a lookup added at both ends; None without any."""
    named = (
        pair for pair in _beside(facts, codes)
        if all(facts.twins(a, b) for a, b in zip(codes, pair, strict=True))
        and not any(facts[name].coded or facts[name].numeric for name in pair)
    )  # fmt: skip
    return next(named, None)


def _beside(facts: SheetFacts, codes: Pair) -> list[Pair]:
    """Return the columns about regions that a lookup added at both ends.

    It adds each of its columns once under its own name, and once with the name of the column of
    codes after it.
    """
    pairs = []
    for name in facts.sheet.names:
        for end, other in {codes, codes[::-1]}:
            if column_of(name, other) in facts.columns and end != other:
                pair = (name, column_of(name, other))
                pairs.append(pair if end == codes[0] else pair[::-1])
    return [pair for pair in pairs if _may_be_joined(facts, pair)]


def _may_be_joined(facts: SheetFacts, pair: Pair) -> bool:
    """Return whether columns of a lookup may hold codes or names of regions at both ends."""
    return all(
        may_be_region(facts[name]) and not about_something_else(facts, name)
        and facts[name].distinct_filled > 1
        for name in pair
    )  # fmt: skip


def _named_pairs(facts: SheetFacts, free: Sequence[str]) -> list[Pair]:
    """Return all pairs of columns with the same name apart from the word for the end."""
    pairs: list[Pair] = []
    for origin in free:
        rest = end_in(origin, ORIGIN)
        if rest is None or YEAR.fullmatch(rest or "-"):
            continue
        if NOT_A_COUNT.fullmatch(rest) and not _numbers_of_areas(facts[origin], rest):
            continue
        others = [n for n in free if n != origin and n not in {end for _, end in pairs}]
        partner = next((n for n in others if end_in(n, DESTINATION) == rest), "")
        says_level = all(
            facts[n].level_of_row or facts[n].one_level for n in (origin, partner or origin)
        )
        if partner and _add_up_to_another(facts, (origin, partner)):
            continue
        if partner and _may_be_counts(facts, (origin, partner), rest):
            continue
        if partner and not facts[origin].years and not says_level:
            pairs.append((origin, partner))
    return pairs


def _classifies(facts: SheetFacts, pair: Pair) -> bool:
    """Return whether a pair of columns assigns regions to larger ones and holds no trips.

    Each region has one larger region, of which there are fewer, and no region is in both columns.
    An example is the pair "source code" and "target code" of a table that joins two levels.
    Words such as "home" refer to people, who may all go to one region.
    """
    source, target = (facts[name] for name in pair)
    if not _OF_KEYS & {*source.plain.split("_")}:
        return False
    if source.distinct_filled <= target.distinct_filled or target.distinct_filled < _MIN_UPPER:
        return False
    if not follows(source.index, target.index):
        return False
    return not {*source.filled.to_pylist()} & {*target.filled.to_pylist()}


def _add_up_to_another(facts: SheetFacts, pair: Pair) -> bool:
    """Return whether the numbers of two columns add up to a third in all rows, as counts do."""
    if not all(facts[name].numeric for name in pair) or facts.n_rows < MIN_TWINS:
        return False
    added = facts[pair[0]].values + facts[pair[1]].values
    return any(
        facts[name].numeric and np.array_equal(facts[name].values, added)
        for name in facts.sheet.names if name not in pair
    )  # fmt: skip


def _numbers_of_areas(column: ColumnFacts, rest: str) -> bool:
    """Return whether a column holds numbers or names of regions, and not the size of a region.

    Its name ends with "area", as in "pickup community area", and its values repeat.
    """
    named = rest.split("_")[-1] in _AREAS
    return named and not column.fractions and 2 * column.distinct <= len(column.text)


def _one_to_one(facts: SheetFacts, pair: Pair, other: Pair) -> bool:
    """Return whether regions of two pairs of columns correspond one to one, at both ends.

    Few regions may do so by chance.
    """
    both = list(zip(pair, other, strict=True))
    if not all(facts.twins(a, b) for a, b in both) or any(facts[n].fractions for n in pair):
        return False
    return min(facts[name].distinct for name in pair) >= MIN_TWINS


def _same_level(facts: SheetFacts, pair: Pair, group: Sequence[Pair]) -> bool:
    """Return whether a pair of columns is about the regions of other pairs: as codes or names."""
    for other in group:
        if of_other_tiers(facts[pair[0]], facts[other[0]]):
            continue
        both = list(zip(other, pair, strict=True))
        if _one_to_one(facts, pair, other) or all(code_and_name(facts, a, b) for a, b in both):
            return True
        if any(all(_names_of_codes(facts, *ends[::k]) for ends in both) for k in (1, -1)):
            return True
    return False


def _may_be_counts(facts: SheetFacts, pair: Pair, rest: str) -> bool:
    """Return whether two columns may count the same people at their homes and at their workplaces.

    Words in the middle of their names are about the ends. Nothing else is about regions, and the
    columns share no codes.
    """
    if _first_or_last(pair[0], ORIGIN) is not None:
        return False
    about_places = any(PLACE.search(word) or CODE.fullmatch(word) for word in rest.split("_"))
    return not about_places and not share_codes(facts[pair[0]], facts[pair[1]])


def _names_of_codes(facts: SheetFacts, code: str, name: str) -> bool:
    """Return whether a column by its name holds names, one for each code, of which few repeat."""
    own, column = facts[code], facts[name]
    subjects = [subject_of(end_in(n, ORIGIN) or end_in(n, DESTINATION) or "") for n in (code, name)]
    if not (is_name(column) or says_name(column.plain)) or column.coded or column.numeric:
        return False
    if not own.coded:
        return False
    if subjects[0] == subjects[1] and subjects[0]:
        return True  # "station id" and "station name", even if a few names are blank or differ
    if all(subjects) and _is_level(subjects[1]):
        return False
    enough = column.distinct >= LABEL_SHARE * own.distinct
    return enough and facts.different([code, name]) == own.distinct


def _is_level(subject: frozenset[str]) -> bool:
    return bool(PLACE.search("_".join(sorted(subject))))


def _level(facts: SheetFacts, group: Sequence[Pair], duplicates: Sequence[Pair]) -> LevelOfEnds:
    """Return the level of pairs of columns about the same regions."""
    codes = max(group, key=lambda pair: (facts[pair[0]].distinct_filled, codeness(facts[pair[0]])))
    rest = [pair for pair in group if pair != codes]
    words = [
        pair for pair in rest
        if not any(facts[name].numeric or facts[name].coded for name in pair)
        and (is_name(facts[pair[0]]) or not is_short(facts[pair[0]]))
        and all(follows(facts[a].index, facts[b].index) for a, b in zip(codes, pair, strict=True))
    ]  # fmt: skip
    named = any(facts[name].coded or facts[name].numeric for name in codes) or is_short(
        facts[codes[0]]
    )
    names = max(words, key=lambda pair: facts[pair[0]].distinct, default=None) if named else None
    others = [pair for pair in (*rest, *duplicates) if pair != names]
    return LevelOfEnds(codes=codes, names=names, others=tuple(others))


def _lies_in_all(
    facts: SheetFacts, pair: Pair, places: Sequence[Pair], *, numbers: bool = False
) -> bool:
    """Return whether a pair of columns holds smaller regions of one list, such as ports of states.

    Each smaller region lies in the same larger one at both ends.
    """
    if not numbers and any(facts[name].numeric for name in pair):
        return False
    if any(facts[name].fractions or facts[name].never_places for name in pair):
        return False
    if not share_codes(*(facts[n] for n in pair)):
        return False
    return all(
        facts[pair[0]].distinct > facts[one].distinct
        and _in_one_each([*zip(pair, (one, other), strict=True)], facts)
        for one, other in places
    )


def _holds_all(facts: SheetFacts, pair: Pair, places: Sequence[Pair]) -> bool:
    """Return whether a pair of columns holds larger regions of one list, by their names.

    Each region lies in the same larger one at both ends, and each larger one lies in one region of
    the levels above. A purpose or a category at the origin is not the same at the destination.
    """
    if any(facts[n].numeric or facts[n].coded or about_something_else(facts, n) for n in pair):
        return False
    ends = [{*facts[name].filled.to_pylist()} for name in pair]
    if 2 * len(ends[0] & ends[1]) < len(ends[0] | ends[1]) or len(ends[0]) < _MIN_UPPER:
        return False
    lowest = max(places, key=lambda one: facts[one[0]].distinct)
    if not _in_one_each([*zip(lowest, pair, strict=True)], facts):
        return False
    return (
        all(
            _in_one_each([*zip(one, pair, strict=True)], facts)
            or _in_one_each([*zip(pair, one, strict=True)], facts)
            for one in places
        )
        and facts[pair[0]].distinct < facts[lowest[0]].distinct
    )


def _in_one_each(ends: Sequence[Pair], facts: SheetFacts) -> bool:
    """Return whether each value of the first columns occurs with one value of the second ones."""
    together = {
        both for fine, coarse in ends
        for both in zip(facts[fine].text.to_pylist(), facts[coarse].text.to_pylist(), strict=True)
    }  # fmt: skip
    return len(together) == len({fine for fine, _ in together})


def _duplicates_pair(facts: SheetFacts, pair: Pair, pairs: Sequence[Pair]) -> bool:
    """Return whether a pair of columns holds numbers for the regions of a pair with letters.

    Airports, for example, have a number and a code of three letters, which belong to one level.
    """
    if not all(facts[name].numeric for name in pair):
        return False
    own = _kept(pair[0])
    return any(
        is_short(facts[other[0]])
        and not any(facts[name].numeric for name in other)
        and (not _kept(other[0]) or _kept(other[0]) == own or not own)
        and facts.twins(pair[0], other[0]) and facts.twins(pair[1], other[1])
        and min(facts[name].distinct for name in pair) >= MIN_TWINS
        for other in pairs
    )  # fmt: skip


def _kept(origin: str) -> tuple[str, ...]:
    """Return the words of the name of an origin without those for codes and names."""
    rest = end_in(origin, ORIGIN) or ""
    return tuple(word for word in rest.split("_") if word and word not in LABELS)


def _about_places(rest: str) -> bool:
    """Return whether the rest of a name is empty or about regions or codes."""
    return not rest or bool(PLACE.search(rest) or CODE.fullmatch(rest))


def end_in(name: str, words: str) -> str | None:
    """Return a name without its word for an origin or destination; None without such a word.

    The word stands first or last, or a long one between others.

    >>> end_in("home_town", ORIGIN), end_in("code_of_origin", ORIGIN), end_in("town", ORIGIN)
    ('town', 'code_of', None)
    >>> end_in("aeropuerto de origen (siglas)", ORIGIN), end_in("prefix h code", ORIGIN)
    ('aeropuerto_de_siglas', None)
    """
    rest = _first_or_last(name, words)
    return word_between(name, words) if rest is None else rest


def _first_or_last(name: str, words: str) -> str | None:
    """Return a name without its first or last words, if they are about an end; None for others."""
    plain = plain_name(name)
    match = re.fullmatch(rf"{words}(?:_(.*))?", plain) or re.fullmatch(rf"(?:(.*)_){words}", plain)
    if match is None:
        return None
    rests = [group for group in match.groups() if group and not re.fullmatch(words, group)]
    return rests[0] if rests else ""


def word_between(name: str, words: str) -> str | None:
    """Return the words around the only long word for an origin or destination; None for others.

    >>> word_between("cod_destino_municipio", DESTINATION), word_between("d_code", DESTINATION)
    ('cod_municipio', None)
    """
    parts = plain_name(name).split("_")
    places = [k for k, one in enumerate(parts) if len(one) >= _LONG and re.fullmatch(words, one)]
    if len(places) != 1:
        return None
    return "_".join((*parts[: places[0]], *parts[places[0] + 1 :]))


def without_shared_ending(names: list[str]) -> list[str]:
    """Return the names without the ending after a comma or in brackets that all of them share."""
    ends = {name[match.start() :] for name in names if (match := _ENDING.search(name))}
    if len(ends) > 1 or len(names) < MIN_TWINS:
        return []
    (end,) = ends or {""}
    return [name.removesuffix(end) for name in names] if all(n.endswith(end) for n in names) else []
