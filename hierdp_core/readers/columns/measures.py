"""What a row of a table is and which columns hold its numbers: one function a manner of table.

Each looks for the evidence of its manner and gives `None` where there is none. What is not clear
becomes a question with the answers that are possible.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.codes import fit_of
from hierdp_core.readers.columns.count_rules import Ranking, ranked, says_total
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.matrix import DESTINATIONS, ORIGINS, square_of
from hierdp_core.readers.columns.partitions import newest_first, parts_in, year_in
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.columns.vocabulary import (
    CODE,
    COUNT,
    DESTINATION,
    GROUP_ID,
    LATITUDE,
    LONGITUDE,
    NOT_A_COUNT,
    ORIGIN,
    PERSON,
    SIZE,
    WEIGHT,
    YEAR,
    plain_name,
    size_in,
    size_stem,
)
from hierdp_core.readers.formats.sheet import Text, as_mask
from hierdp_core.readers.report import shown_code
from hierdp_core.util.arrays import FloatArray

# The words of a layout that name columns by what they hold.
NAMING = (
    "levels", "destinations", "names", "sizes", "parent", "count", "parts", "size", "group",
)  # fmt: skip
_MOST_CHOICES = 12
_MOST_YEARS = 40
_FEW_SIZES = 6  # numbers that are multiples of their sizes by chance
_LEAST_SHARED = 0.2  # of the destinations that must be origins too


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What a row is, and the columns of numbers.

    Attributes:
        words: of a layout.
        taken: columns of the numbers, and of what is known not to be regions.
        aside: columns that cannot be regions, such as years and coordinates.
        reasons: one line a choice.
        question: what is not clear.
        unused: columns of numbers that are left.
    """

    words: dict[str, Any]
    taken: frozenset[str] = frozenset()
    aside: frozenset[str] = frozenset()
    reasons: tuple[str, ...] = ()
    question: Question | None = None
    unused: tuple[str, ...] = ()


_Manner = Callable[[SheetFacts, Sequence[str], dict[str, Any]], Measure | None]


def measure_of(facts: SheetFacts, stated: dict[str, Any]) -> Measure:
    """The manner of the table, as stated or by its evidence."""
    free = [n for n in facts.sheet.names if n not in _stated_columns(stated)]
    for manner in _manners(stated):
        measure = manner(facts, free, stated)
        if measure is not None:
            aside = frozenset(n for n in free if _never_a_region(facts, n))
            return replace(measure, aside=aside)
    raise AssertionError("The last manner takes every table.")


def _manners(stated: dict[str, Any]) -> tuple[_Manner, ...]:
    """The manners that what is stated leaves, in the order in which their evidence is weighed."""
    stated_kind = stated.get("kind", "")
    if stated.get("row") == "person" and not stated.get("group"):
        return (*_PERSONS.get(stated_kind, ()), _counts)
    if stated.get("sizes") and stated_kind in ("", "group-sizes"):
        return (_stated_sizes,)
    if stated.get("parts"):
        return (_counts,)
    if stated.get("count") and not stated.keys() & {"kind", "size", "sizes", "destinations"}:
        return (_flow_pairs, _long_sizes, _counts)
    return _KINDS.get(
        stated_kind, (_matrix, _flow_pairs, _wide_sizes, _long_sizes, _groups_of_persons, _counts)
    )


def _stated_columns(stated: dict[str, Any]) -> set[str]:
    names: set[str] = set()
    for word in NAMING:
        value = stated.get(word, ())
        names |= {value} if isinstance(value, str) else set(value)
    return names


def _never_a_region(facts: SheetFacts, name: str) -> bool:
    """A column of fractions, coordinates or plain numbers without the name of a code."""
    column = facts[name]
    if column.plain in LATITUDE | LONGITUDE:
        return True
    if not column.numeric:
        return False
    measure = NOT_A_COUNT.fullmatch(column.plain) and not CODE.fullmatch(column.plain)
    return column.fractions or bool(measure) or column.years


# ----------------------------------------------------------------------------- counts of regions


def _counts(facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]) -> Measure | None:
    if stated.get("count"):
        name = str(stated["count"])
        return Measure(
            words={"kind": "counts", "row": "region", "count": name}, taken=frozenset({name}),
            unused=_left(ranked(facts, free)),
        )  # fmt: skip
    if stated.get("parts"):
        parts = tuple(stated["parts"])
        return Measure(
            words={"kind": "counts", "row": "region", "parts": parts}, taken=frozenset(parts),
            unused=_left(ranked(facts, free)),
        )  # fmt: skip
    if stated.get("row") == "person":
        return Measure(words={"kind": "counts", "row": "person"})
    ranking = ranked(facts, free)
    if ranking.best:
        return Measure(
            words={"kind": "counts", "row": "region", "count": ranking.best},
            taken=frozenset({ranking.best, *ranking.others}),
            reasons=(f"column {shown_code(ranking.best)} holds the counts {ranking.why}",),
            unused=ranking.others,
        )
    if ranking.rivals:
        return _one_of(facts, ranking)
    return _persons(facts, free)


def _left(ranking: Ranking) -> tuple[str, ...]:
    return tuple(name for name in (ranking.best, *ranking.others, *ranking.rivals) if name)


def _one_of(facts: SheetFacts, ranking: Ranking) -> Measure:
    """Several columns may hold the counts, or the only one has a name that says nothing."""
    # Where all columns are numbers, one that tells the rows apart may be the code of a region.
    texts = [n for n in facts.sheet.names if not facts[n].numeric]
    code = next((n for n in ranking.rivals if not texts and facts.one_row_each([n])), "")
    likely = newest_first(sorted(ranking.rivals, key=lambda n: n == code))
    count = likely[0]
    most = _MOST_YEARS if all(year_in(name) for name in likely) else _MOST_CHOICES
    choices = [
        Choice(words=f"column {shown_code(name)} holds the counts", stated={"count": name})
        for name in likely[:most]
    ]
    parts = parts_in(facts, [n for n in facts.sheet.names if facts[n].numeric])
    if parts:
        named = " and ".join(shown_code(name) for name in parts)
        words = f"columns {named} are added up to the counts"
        choices.insert(0, Choice(words=words, stated={"parts": parts}))
    if len(ranking.rivals) == 1:
        what = f"whether column {shown_code(ranking.rivals[0])} holds counts is not clear"
    else:
        what = f"{len(ranking.rivals)} columns may hold the counts"
    if _record_points(facts) >= 2:
        person = Choice(words="each row is one person", stated={"row": "person"})
        choices = [person, *choices]
    return Measure(
        words={"kind": "counts", "row": "region", "count": count},
        taken=frozenset(ranking.rivals) - {code},
        question=Question(what=what, choices=tuple(choices)),
        unused=tuple(likely[1:]),
    )


def _record_points(facts: SheetFacts) -> int:
    """How much speaks for one person a row: columns about persons, and rows that repeat."""
    about = [n for n in facts.sheet.names if PERSON.fullmatch(facts[n].plain)]
    repeats = facts.different(facts.sheet.names) < facts.n_rows
    single = [n for n in about if facts[n].distinct > 1]
    return 2 * bool(single) + 2 * repeats


def _weighted(facts: SheetFacts, others: Sequence[Choice] = ()) -> Question | None:
    """Ask what a person of a survey counts for, where columns hold weights."""
    weights = [
        n for n in facts.sheet.names if WEIGHT.fullmatch(facts[n].plain) and facts[n].numeric
    ]
    if not weights:
        return None
    named = ", ".join(shown_code(name) for name in weights)
    person = Choice(
        words="each row is one person, who counts once", stated={"kind": "counts", "row": "person"}
    )
    whole = [
        Choice(
            words=f"each person counts as many times as column {shown_code(name)} says",
            stated={"kind": "counts", "row": "region", "count": name, "add_up": True},
        )
        for name in weights[:_MOST_CHOICES]
    ]
    return Question(
        what=f"it is a survey: its persons have weights ({named})",
        choices=(person, *whole, *others),
    )


def _persons(facts: SheetFacts, free: Sequence[str]) -> Measure:
    taken = frozenset(n for n in free if PERSON.fullmatch(facts[n].plain))
    words = {"kind": "counts", "row": "person"}
    if _record_points(facts) >= 2 and len(facts.sheet.names) > 1:
        reason = "there is no column of counts and rows repeat, so that each row is one person"
        return Measure(words=words, taken=taken, reasons=(reason,), question=_weighted(facts))
    person = Choice(words="each row is one person, who is counted", stated={"row": "person"})
    numbers = [n for n in free if facts[n].numeric and not facts[n].fractions]
    parts = [n for n in free if facts[n].fractions and not NOT_A_COUNT.fullmatch(facts[n].plain)]
    choices = [
        Choice(words=f"column {shown_code(name)} holds the counts", stated={"count": name})
        for name in numbers[: _MOST_CHOICES - 1]
    ] + [
        Choice(
            words=f"column {shown_code(name)} holds the counts, which are rounded",
            stated={"count": name, "times": 1},
        )
        for name in parts[:_MOST_CHOICES]
    ]
    what = "it has no column of counts, and no two rows are alike: it may be a list of regions"
    return Measure(
        words=words, taken=taken, question=Question(what=what, choices=(person, *choices))
    )


# ------------------------------------------------------------------------------- sizes of groups


def _wide_sizes(facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]) -> Measure | None:
    """Columns side by side, one a size, with a stem in common."""
    stems: dict[str, dict[int, tuple[str, bool, bool]]] = {}
    for name in free:
        size = None if name.startswith("column ") else size_in(name)
        if size is not None and facts[name].numeric:
            stems.setdefault(size_stem(name), {}).setdefault(size[0], (name, *size[1:]))
    stems = _joined_singular(stems)
    found = max(stems.values(), key=len, default={})
    sizes = sorted(found)
    if len(sizes) < 2 or sizes[0] > 1 or sizes != list(range(sizes[0], sizes[-1] + 1)):
        return None
    spare = [n for n in free if size_in(n) and n not in {found[size][0] for size in sizes}]
    names = tuple(found[size][0] for size in sizes)
    more, worded = found[sizes[-1]][1], any(found[size][2] for size in sizes)
    last = f" or more ({shown_code(names[-1])})" if more else ""
    reason = f"{len(names)} columns count the groups of size {sizes[0]} to {sizes[-1]}{last}"
    words: dict[str, Any] = {
        "kind": "group-sizes", "row": "region", "sizes": names, "first_size": sizes[0],
        "top_coded": more,
    }  # fmt: skip
    ranking = ranked(facts, [n for n in free if n not in names])
    left = _left(ranking)
    reasons, question = _totals_beside(facts, names, left)
    if (spare or (not worded and not more)) and "sizes" not in stated:
        question = Question(
            what="whether its columns of numbers are sizes of groups is not clear",
            choices=(
                Choice(
                    words=f"they count groups of size {sizes[0]} to {sizes[-1]}",
                    stated={k: words[k] for k in ("kind", "sizes", "first_size")},
                ),
                *(
                    Choice(words=f"column {shown_code(name)} holds the counts",
                           stated={"kind": "counts", "count": name})
                    for name in (*names, *left)[:_MOST_CHOICES]
                ),
            ),
        )  # fmt: skip
    return Measure(
        words=words, taken=frozenset({*names, *left}), reasons=(reason, *reasons),
        question=question, unused=left,
    )  # fmt: skip


def _stated_sizes(facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]) -> Measure | None:
    """Columns that a person named, one a size; the size of the first is in its name, if any is."""
    names = tuple(n for n in stated["sizes"] if n in facts.columns)
    first = size_in(names[0]) if names else None
    last = size_in(names[-1]) if names else None
    left = _left(ranked(facts, free))
    words = {
        "kind": "group-sizes", "row": "region", "sizes": names,
        "first_size": first[0] if first else 1, "top_coded": bool(last and last[1]),
    }  # fmt: skip
    return Measure(words=words, taken=frozenset({*names, *left}), unused=left)


def _joined_singular(
    stems: dict[str, dict[int, tuple[str, bool, bool]]],
) -> dict[str, dict[int, tuple[str, bool, bool]]]:
    """Sizes that go on under another word: "1 person", "2 persons", "5 or more"."""
    joined = dict(sorted(stems.items(), key=lambda item: min(item[1])))
    for stem, sizes in list(joined.items()):
        for other, rest in list(joined.items()):
            alike = not stem or not other or stem[:3] == other[:3]
            if other != stem and alike and min(rest) == max(sizes) + 1:
                sizes = joined[stem] = sizes | rest
                joined.pop(other)
    return joined


def _totals_beside(
    facts: SheetFacts, sizes: Sequence[str], left: Sequence[str]
) -> tuple[list[str], Question | None]:
    """Columns that say how many groups or members there are must agree with the sizes."""
    groups = np.sum([facts[name].values for name in sizes], axis=0)
    reasons = []
    for name in left:
        values = facts[name].values
        known = ~np.isnan(values) & ~np.isnan(groups)
        if known.any() and (values[known] == groups[known]).all():
            reasons.append(f"column {shown_code(name)} is their sum and is not needed")
        elif says_total(facts[name]) and (values[known] < groups[known]).any():
            return reasons, Question(
                what=f"column {shown_code(name)} looks like the total and is less than the sum of "
                "the columns of sizes",
                choices=(
                    Choice(
                        words="it is another number, and the columns of sizes are right",
                        stated={"kind": "group-sizes", "sizes": tuple(sizes)},
                    ),
                    Choice(words=f"column {shown_code(name)} holds the counts",
                           stated={"kind": "counts", "count": name}),
                ),
            )  # fmt: skip
    return reasons, None


def _long_sizes(facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]) -> Measure | None:
    """A column of sizes, with how many groups have each, or one group a row."""
    size = str(stated.get("size") or next((n for n in free if _holds_sizes(facts, n)), ""))
    if not size:
        return None
    rest = [n for n in free if n != size]
    words: dict[str, Any] = {"kind": "group-sizes", "row": "region", "size": size}
    sizes = [found for cell in facts[size].filled.to_pylist()[:60] if (found := size_in(cell))]
    words["top_coded"] = any(more for _, more, _ in sizes)
    taken = frozenset({size})
    reason = f"column {shown_code(size)} holds the size of a group"
    if stated.get("count"):
        return Measure(words=words | {"count": stated["count"]}, taken=taken, reasons=(reason,))
    if stated.get("row") == "group":
        return Measure(words=words | {"row": "group"}, taken=taken, reasons=(reason,))
    ranking = ranked(facts, rest)
    taken |= {*_left(ranking)}
    if ranking.best and _counts_members(facts[size].text, facts[ranking.best].values):
        return Measure(
            words=words | {"count": ranking.best}, taken=taken, reasons=(reason,),
            question=_members_question(
                f"column {shown_code(ranking.best)}",
                {"kind": "group-sizes", "row": "region", "size": size, "count": ranking.best},
                {"kind": "counts", "count": ranking.best, "add_up": True},
            ),
            unused=ranking.others,
        )  # fmt: skip
    if ranking.best:
        more = f"column {shown_code(ranking.best)} says how many groups there are"
        return Measure(
            words=words | {"count": ranking.best}, taken=taken, reasons=(reason, more),
            unused=ranking.others,
        )  # fmt: skip
    each = Choice(words="each row is one group", stated={"size": size, "row": "group"})
    if not ranking.rivals and not _sized_text(facts, size):
        return Measure(words=words | {"row": "group"}, taken=taken, reasons=(
            reason, "there is no column of counts, so that each row is one group",
        ))  # fmt: skip
    choices = [
        Choice(words=f"column {shown_code(name)} says how many groups there are",
               stated={"size": size, "count": name})
        for name in ranking.rivals[:_MOST_CHOICES]
    ]  # fmt: skip
    return Measure(
        words=words | {"row": "group"}, taken=taken, reasons=(reason,),
        question=Question(what="how many groups a row stands for is not clear",
                          choices=(*choices, each)),
        unused=ranking.rivals,
    )  # fmt: skip


def _counts_members(sizes: Text, numbers: FloatArray) -> bool:
    """Whether numbers by size can all be divided by their size: they count members, not groups."""
    known = [found[0] if (found := size_in(cell)) else 0 for cell in sizes.to_pylist()]
    size = np.array(known)
    telling = (size >= 2) & (numbers > 0)
    if telling.sum() < _FEW_SIZES:
        return False
    return bool((numbers[telling] % size[telling] == 0).all())


def _members_question(
    columns: str, groups: Mapping[str, Any], members: Mapping[str, Any]
) -> Question:
    return Question(
        what=f"{columns}: every number is a multiple of its size, as if members were counted and "
        "not groups",
        choices=(
            Choice(words="it counts members: read their number in each region", stated=members),
            Choice(words="it counts groups all the same", stated=groups),
        ),
    )


def _holds_sizes(facts: SheetFacts, name: str) -> bool:
    column = facts[name]
    if column.plain in COUNT and column.plain not in SIZE:
        # A word such as "residents" says a size where another column says how many there are.
        others = [n for n in facts.sheet.names if n != name]
        return not column.numeric and _sized_text(facts, name) and bool(ranked(facts, others).best)
    if column.plain in SIZE:
        return column.distinct <= max(60, facts.n_rows // 4) or column.whole > 0.5
    return not column.numeric and _sized_text(facts, name)


def _sized_text(facts: SheetFacts, name: str) -> bool:
    """Cells such as "1 person" and "7 or more": sizes in words, totals beside them."""
    cells = facts[name].filled.to_pylist()[:60]
    if not 2 <= len(cells) <= 40:
        return False
    sizes = [found for cell in cells if (found := size_in(cell)) is not None]
    worded = sum(found[2] or found[1] for found in sizes)
    return len(sizes) >= 2 and worded >= 1 and len(cells) - len(sizes) <= 1


def _groups_of_persons(
    facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]
) -> Measure | None:
    """Each row is a person, and a column says which group they are in."""
    named = [n for n in free if GROUP_ID.fullmatch(facts[n].plain) and facts[n].distinct > 1]
    group = str(stated.get("group") or next(iter(named), ""))
    if not group:
        return None
    rest = [n for n in free if n != group]
    about = [n for n in rest if PERSON.fullmatch(facts[n].plain)]
    ranking = ranked(facts, [n for n in rest if n not in about])
    words = {"kind": "group-sizes", "row": "person", "group": group}
    reason = f"column {shown_code(group)} says a person's group; each row is a person"
    taken = frozenset({group, *about, *_left(ranking)})
    if stated.get("group"):
        return Measure(words=words, taken=taken)
    bare = not CODE.fullmatch(facts[group].plain) and facts[group].plain != "serialno"
    repeated = facts[group].distinct < facts.n_rows
    if bare and not about and not _repeats_within(facts, group):
        return None
    if ranking.best or not repeated:
        return _one_group_a_row(facts, group, ranking, taken)
    in_groups = Choice(
        words=f"each row is a person, and column {shown_code(group)} says the group", stated=words
    )
    return Measure(
        words=words,
        taken=taken,
        reasons=(reason,),
        question=_weighted(facts, (in_groups,)),
        unused=_left(ranking),
    )


def _repeats_within(facts: SheetFacts, group: str) -> bool:
    """Whether rows of the same group and of the same other words come more than once."""
    return (
        facts[group].distinct < facts.n_rows and facts.different(facts.sheet.names) < facts.n_rows
    )


def _one_group_a_row(
    facts: SheetFacts, group: str, ranking: Ranking, taken: frozenset[str]
) -> Measure:
    """Numbers beside a group's id, or an id a row: each row may be a whole group."""
    numbers = _left(ranking)
    whole = [
        Choice(words=f"each row is one group, and column {shown_code(name)} says its size",
               stated={"kind": "group-sizes", "row": "group", "size": name})
        for name in numbers[:_MOST_CHOICES]
    ]  # fmt: skip
    choices = (
        *whole,
        Choice(words=f"each row is a person, and column {shown_code(group)} says the group",
               stated={"kind": "group-sizes", "row": "person", "group": group}),
    )  # fmt: skip
    return Measure(
        words={"kind": "group-sizes", "row": "person", "group": group},
        taken=taken,
        question=Question(
            what=f"whether a row is a person or a whole group of column {shown_code(group)} is not "
            "clear",
            choices=choices,
        ),
        unused=numbers,
    )


# ----------------------------------------------------------------------------------------- flows


def _flow_pairs(facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]) -> Measure | None:
    """Columns of origins with columns of destinations of the same names."""
    if stated.get("destinations"):
        pairs = list(zip(stated["levels"], stated["destinations"], strict=False))
        names: list[tuple[str, str]] = []
    else:
        pairs, names = _ends(facts, [n for n in facts.sheet.names if n in free])
    if not pairs:
        return None
    taken = {name for pair in (*pairs, *names) for name in pair}
    reason = "origins and destinations: " + ", ".join(
        f"{shown_code(o)} → {shown_code(d)}" for o, d in pairs
    )
    words: dict[str, Any] = {
        "kind": "flows", "levels": tuple(o for o, _ in pairs),
        "destinations": tuple(d for _, d in pairs), **_flow_levels(facts, pairs),
    }  # fmt: skip
    question = _unlike_ends(facts, pairs) if not stated.get("destinations") else None
    ranking = ranked(facts, [n for n in free if n not in taken])
    count = str(stated.get("count") or ranking.best)
    if count or stated.get("row") == "trip" or not ranking.rivals:
        row = "pair" if count else "trip"
        about = f"column {shown_code(count)} holds the trips" if count else "each row is one trip"
        return Measure(
            words=words | {"row": row, "count": count}, taken=frozenset(taken),
            reasons=(reason, about), question=question,
            unused=tuple(n for n in _left(ranking) if n != count),
        )  # fmt: skip
    choices = [
        Choice(words=f"column {shown_code(name)} holds the trips", stated={"count": name})
        for name in ranking.rivals[:_MOST_CHOICES]
    ]
    trip = Choice(words="each row is one trip", stated={"kind": "flows", "row": "trip"})
    return Measure(
        words=words | {"row": "trip"}, taken=frozenset(taken), reasons=(reason,),
        question=question or Question(what="how many trips a row stands for is not clear",
                                      choices=(*choices, trip)),
        unused=ranking.rivals,
    )  # fmt: skip


def _ends(
    facts: SheetFacts, free: Sequence[str]
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Pairs of columns of codes, from the top, and pairs of columns of their names."""
    pairs: list[tuple[str, str]] = []
    for origin in free:
        rest = _end(origin, ORIGIN)
        if rest is None or NOT_A_COUNT.fullmatch(rest) or YEAR.fullmatch(rest or "-"):
            continue
        partner = next((n for n in free if n != origin and _end(n, DESTINATION) == rest), "")
        if partner and not facts[origin].years:
            pairs.append((origin, partner))
    names = [pair for pair in pairs if facts[pair[0]].plain.endswith("name")]
    if names and len(names) < len(pairs):
        pairs = [pair for pair in pairs if pair not in names]
    else:
        names = []
    pairs.sort(key=lambda pair: facts[pair[0]].distinct)
    return pairs, names


def _end(name: str, words: str) -> str | None:
    """What is left of a name without its word for an end; None where it has none."""
    plain = plain_name(name)
    match = re.fullmatch(rf"{words}(?:_(.*))?", plain) or re.fullmatch(rf"(?:(.*)_){words}", plain)
    if match is None:
        return None
    found = [group for group in match.groups() if group and not re.fullmatch(words, group)]
    return found[0] if found else ""


def _matrix(facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]) -> Measure | None:
    """A column a destination: the columns are called as the rows are."""
    square = square_of(facts.sheet)
    numbers = [n for n in free if facts[n].numeric]
    if square is None or not numbers:
        return None
    others = [n for n in numbers if n not in square.columns]
    choices = [
        Choice(words=f"flows: people go from the {rows} to the {columns}", stated={"matrix": how})
        for how, rows, columns in (
            (ORIGINS, "rows", "columns"), (DESTINATIONS, "columns", "rows"),
        )
    ]  # fmt: skip
    choices += [
        Choice(words=f"no flows: column {shown_code(n)} holds the counts", stated={"count": n})
        for n in (*others, *(n for n in numbers if n not in others))[:_MOST_CHOICES]
    ]
    return Measure(
        words={"kind": "counts", "row": "region", "count": numbers[0]},
        taken=frozenset(numbers),
        question=Question(
            what=f"the columns are called like the rows of column {shown_code(square.places)}: it "
            "looks like a matrix of origins and destinations",
            choices=tuple(choices),
        ),
        unused=tuple(numbers),
    )


def _flow_levels(facts: SheetFacts, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The names of the levels, or the codes that tell them."""
    if len(pairs) > 1:
        rests = [_end(o, ORIGIN) or o for o, _ in pairs]
        return {"level_names": tuple(rest.replace("_", " ").strip() for rest in rests)}
    (origin, destination), *_ = pairs
    ends = [facts[origin].text, facts[destination].text]
    fit = fit_of(pa.concat_arrays([pa.array(end) for end in ends]), origin)
    if fit is None:
        return {"level_names": ("place",)}
    return {"prefix": fit.prefix, "fill": fit.width}


def _unlike_ends(facts: SheetFacts, pairs: Sequence[tuple[str, str]]) -> Question | None:
    """Origins and destinations are regions of one kind, so that they share codes."""
    origin, destination = pairs[-1]
    one, other = facts[origin].filled, facts[destination].filled
    if len(one) == 0 or len(other) == 0:
        return None
    shared = int(as_mask(pc.is_in(other, value_set=one)).sum())
    if shared >= _LEAST_SHARED * min(len(one), len(other)) or min(len(one), len(other)) < 4:
        return None
    return Question(
        what=f"columns {shown_code(origin)} and {shown_code(destination)} look like an origin and "
        "a destination, and share few codes",
        choices=(
            Choice(
                words="they are an origin and a destination",
                stated={"kind": "flows", "levels": tuple(o for o, _ in pairs),
                        "destinations": tuple(d for _, d in pairs)},
            ),
        ),
    )  # fmt: skip


# The manners that a stated kind of table leaves, where a row is a person and in general.
_PERSONS: Mapping[str, tuple[_Manner, ...]] = {"group-sizes": (_groups_of_persons,)}
_KINDS: Mapping[str, tuple[_Manner, ...]] = {"counts": (_counts,)}
