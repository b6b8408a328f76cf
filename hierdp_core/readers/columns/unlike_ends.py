"""Flows whose two ends hold different kinds of regions, such as postcodes of pupils and schools."""

from collections.abc import Sequence
from itertools import combinations

from hierdp_core.readers.columns.directions import direction_of, only_different_words
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.named_ends import Pair, word_between
from hierdp_core.readers.columns.question import (
    Choice,
    Question,
    flow_choice,
    sum_choice,
    unlike_regions,
)
from hierdp_core.readers.columns.region_columns import about_something_else, is_name, may_be_region
from hierdp_core.readers.columns.vocabulary import (
    CODE,
    DESTINATION,
    LABELS,
    LANGUAGES,
    LEVEL_WORDS,
    ORIGIN,
    PLACE,
    POSTAL,
    plain_name,
)

_MIN_PLACES = 3  # regions of an end
_MIN_OWNER = 4  # letters of a word for whose region it is, such as "pupil"
_MIN_CROSSED = 1.5  # pairs of regions, as a multiple of the regions of the end that has more

# Words for areas that only one end of a flow has.
_ABROAD = frozenset({"foreign", "overseas", "abroad", "partner", "counterpart"})

_Ends = tuple[tuple[str, ...], tuple[str, ...]]  # the columns about each of two ends


def unlike_ends(facts: SheetFacts, free: Sequence[str]) -> tuple[list[Pair], Question | None]:
    """Return two columns of regions of different kinds with a question; no columns for others.

    Their names state an origin and a destination, or the same level of two things, such as the
    municipality of a school and that of a pupil.
    """
    likely = [n for n in free if _may_hold_places(facts, n)]
    named = _of_two_words(likely)
    ends = named or _of_two_things(facts, likely)
    if ends is None:
        return [], None
    leaves = (_finest(facts, ends[0]), _finest(facts, ends[1]))
    if not _are_crossed(facts, leaves):
        return [], None
    upper = _shared_level(facts, ends, leaves)
    levels = [*upper, leaves]
    direction = direction_of(*leaves)
    if not named and direction is not None and direction.turned:
        levels = [pair[::-1] for pair in levels]
    clear = bool(named) or (direction is not None and direction.clear)
    ways = (levels,) if clear else (levels, [pair[::-1] for pair in levels])
    choices: list[Choice] = [flow_choice(pairs) for pairs in ways]
    if upper:
        choices += [flow_choice(pairs[-1:]) for pairs in ways]
    choices += [sum_choice(*names) for names in zip(*levels, strict=True)]
    return levels, Question(what=unlike_regions(*levels[-1]), choices=tuple(choices))


def _may_hold_places(facts: SheetFacts, name: str) -> bool:
    column = facts[name]
    if column.years or column.fractions or column.distinct_filled < 2:
        return False
    postal = any(POSTAL.fullmatch(part) for part in column.plain.split("_"))
    return (postal or may_be_region(column)) and not about_something_else(facts, name)


def _of_two_words(likely: Sequence[str]) -> _Ends | None:
    """Return the columns named as origins and those named as destinations; None without both."""
    origins = tuple(n for n in likely if word_between(n, ORIGIN) is not None)
    destinations = tuple(n for n in likely if word_between(n, DESTINATION) is not None)
    return (origins, destinations) if origins and destinations else None


def _of_two_things(facts: SheetFacts, likely: Sequence[str]) -> _Ends | None:
    """Return the columns about two things of which each has a region of the same level.

    The names of these levels differ only in the word for the thing.
    """
    for one, other in combinations(likely, 2):
        words = _different_words(one, other)
        if words is None or not _same_level(facts, one, other):
            continue
        ends = [tuple(n for n in likely if word in plain_name(n)) for word in words]
        if not {*ends[0]} & {*ends[1]}:
            return ends[0], ends[1]
    return None


def _different_words(one: str, other: str) -> Pair | None:
    """Return the only words in which two names differ; None where these are not words for things.

    >>> _different_words("municipality of pupil", "municipality of school")
    ('pupil', 'school')
    >>> _different_words("UK_airport", "foreign_airport")
    ('uk', 'foreign')
    >>> _different_words("municipality code", "municipality name"), _different_words("a1", "b1")
    (None, None)
    """
    pair = only_different_words(one, other)
    if pair is None or plain_name(one) == pair[0]:
        return None
    if any(word in _ABROAD for word in pair):
        return pair
    named = all(
        len(word) >= _MIN_OWNER and word.isalpha() and word not in LABELS | LANGUAGES | LEVEL_WORDS
        for word in pair
    )
    return pair if named else None


def _same_level(facts: SheetFacts, one: str, other: str) -> bool:
    """Return whether two columns hold regions of one level, by their names, and do not nest.

    The words that both names share must be about regions, unlike those of "zone_id" and "desk_id".
    """
    words = {*plain_name(one).split("_")} & {*plain_name(other).split("_")}
    about_places = (w for w in words if POSTAL.fullmatch(w) or not CODE.fullmatch(w))
    if not any(PLACE.search(word) for word in about_places):
        return False
    abroad = _ABROAD & {*(_different_words(one, other) or ())}
    shared = {*facts[one].filled.to_pylist()} & {*facts[other].filled.to_pylist()}
    nest = facts.within([one], other) and facts.within([other], one)
    return bool(abroad or shared) and not nest


def _finest(facts: SheetFacts, names: Sequence[str]) -> str:
    """Return the column with the most regions; of several, one of codes, or else the first."""
    return max(
        names,
        key=lambda n: (
            facts[n].distinct_filled, not is_name(facts[n]), facts[n].coded, -names.index(n),
        ),
    )  # fmt: skip


def _are_crossed(facts: SheetFacts, leaves: Pair) -> bool:
    """Return whether regions of one end meet several regions of the other one, and conversely."""
    one, other = leaves
    if min(facts[n].distinct_filled for n in leaves) < _MIN_PLACES:
        return False
    if any(facts.one_row_each([n]) for n in leaves):
        return False
    if facts.within([one], other) or facts.within([other], one):
        return False
    most = max(facts[n].distinct for n in leaves)
    return facts.different(leaves) >= _MIN_CROSSED * most


def _shared_level(facts: SheetFacts, ends: _Ends, leaves: Pair) -> list[Pair]:
    """Return the columns of a level above both ends that has the same regions; empty for none."""
    above = [
        [n for n in names if n != leaf and facts[n].distinct < facts[leaf].distinct
         and facts.within([leaf], n)]
        for names, leaf in zip(ends, leaves, strict=True)
    ]  # fmt: skip
    shared = [
        (one, other) for one in above[0] for other in above[1]
        if _different_words(one, other) is not None and _same_level(facts, one, other)
    ]  # fmt: skip
    return [max(shared, key=lambda pair: facts[pair[0]].coded)] if shared else []
