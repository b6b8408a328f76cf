"""Records of persons with two places each, such as residence and work."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

from hierdp_core.readers.columns.count_rules import named_as_a_count, rank_counts
from hierdp_core.readers.columns.directions import likely_directions
from hierdp_core.readers.columns.ends import End, end_of
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts, share_codes
from hierdp_core.readers.columns.flow_levels import levels_of_ends
from hierdp_core.readers.columns.joined_names import column_of
from hierdp_core.readers.columns.level_rules import named_after_places
from hierdp_core.readers.columns.measure import MAX_CHOICES, Measure
from hierdp_core.readers.columns.measures_of_counts import how_much
from hierdp_core.readers.columns.named_ends import named_ends
from hierdp_core.readers.columns.question import Choice, Question, levels_in_words
from hierdp_core.readers.columns.record_rules import identifies_rows, record_points, weights_in
from hierdp_core.readers.columns.region_columns import about_something_else
from hierdp_core.readers.columns.vocabulary import CATEGORY, CODE, PERSON, PLACE, words
from hierdp_core.readers.report import shown_code

_SETTLED = frozenset({"levels", "destinations", "count", "parts", "sizes", "size", "parent"})
_MIN_PLACES = 2  # places of a column
_STEM = 4  # letters that names of the levels of one place have in common
_LONG = 5  # digits of a code; shorter numbers may be amounts
_MIN_PERSONS = 20  # rows with different numbers, so that they number persons
_MAX_WEIGHTS = 2  # columns of weights that a question offers
_MIN_SHARED = 4  # places of two columns without words for places in their names
# Short words for levels, from the top down.
_TIERS = (
    words("pais country nation"),
    words("ent reg state estado region comunidad"),
    words("pro prov provincia province dep dept depto county"),
    words("mun muni municipio municipality com comune commune comuna gemeinde town"),
    words("loc localidad locality village"),
)
_Ends = dict[str, tuple[str, ...]]  # the columns of each place of a person, from the top level


def persons_of_two_places(
    facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]
) -> Measure | None:
    """Ask about a table in which each row is a person with two places.

    People can be counted at one of the places, or as flows between them.
    """
    if _SETTLED & stated.keys() or stated.get("row", "person") not in ("person", "trip"):
        return None
    about = [n for n in facts.sheet.names if PERSON.fullmatch(facts[n].plain)]
    if not _are_persons(facts, stated):
        return None
    ends = places_of_persons(facts, [n for n in free if n not in about])
    if len(ends) < 2:
        return None
    used = {name for columns in ends.values() for name in columns}
    best = rank_counts(facts, [n for n in free if n not in used and n not in about]).best
    if best and named_as_a_count(facts[best]) >= 4:
        return None  # each row says how many people there are
    return Measure(
        words={"kind": "counts", "row": "person"},
        taken=frozenset(about),
        reasons=("each row is one person, with two places",),
        question=_question(facts, ends),
    )


def _are_persons(facts: SheetFacts, stated: dict[str, Any]) -> bool:
    """Return whether rows are persons: as stated, by columns about persons, or by their numbers."""
    if record_points(facts) >= 2 or stated.get("row") == "person":
        return True
    if named_ends(facts, facts.sheet.names).levels:
        return False  # trips, each of which has a number
    counted = any(named_as_a_count(facts[n]) for n in facts.sheet.names if facts[n].numeric)
    return not counted and any(
        facts[n].distinct == facts.n_rows >= _MIN_PERSONS and not _may_measure(facts[n])
        for n in facts.sheet.names
    )


def _may_measure(column: ColumnFacts) -> bool:
    """Return whether different numbers may be amounts: of different lengths and in no order."""
    if not column.numeric or column.leading_zeros or column.rises or identifies_rows(column):
        return False
    return len({len(cell) for cell in column.filled.to_pylist()}) > 1


def shared_places_question(
    facts: SheetFacts, levels: Sequence[str], used: frozenset[str]
) -> Question | None:
    """Ask a question if an unused column holds the places of the last level and does not nest."""
    leaf = levels[-1]
    for name in facts.sheet.names:
        if name in used or not _may_hold_places(facts, name) or facts.twins(leaf, name):
            continue
        nest = facts.within([leaf], name) or facts.within([name], leaf)
        enough = facts[name].distinct_filled >= _MIN_SHARED
        if enough and not nest and share_codes(facts[leaf], facts[name]):
            return _question(facts, {leaf: (leaf,), name: (name,)})
    return None


def places_of_persons(facts: SheetFacts, free: Sequence[str]) -> _Ends:
    """Return the columns of each place of a person, by the word for it; empty for fewer than two.

    Columns are recognised by words in their names such as "residence", or else by equal codes.
    """
    likely = [n for n in free if _may_hold_places(facts, n)]
    ends = {n: end for n in likely if (end := end_of(n)) is not None and end.about_a_place}
    named = _alike(facts, ends) or _unlike(facts, ends)
    return named if len(named) > 1 else _by_codes(facts, likely)


def _may_hold_places(facts: SheetFacts, name: str) -> bool:
    """Return whether a column may hold places of persons, by its values and its name."""
    column = facts[name]
    several = _MIN_PLACES <= column.distinct_filled <= max(facts.n_rows // 2, 2)
    if not several or column.fractions or column.years or column.never_places:
        return False
    if CATEGORY.fullmatch(column.plain) and not PLACE.search(column.plain):
        return False
    if not column.numeric or column.leading_zeros:
        return True
    return not column.fractions and (_named(facts, name) or _long_codes(facts, name))


def _named(facts: SheetFacts, name: str) -> bool:
    plain = facts[name].plain
    return bool(PLACE.search(plain) or CODE.fullmatch(plain) or end_of(name))


def _long_codes(facts: SheetFacts, name: str) -> bool:
    """Return whether a column holds numbers of one length with at least five digits."""
    lengths = {len(cell) for cell in facts[name].filled.to_pylist()}
    return len(lengths) == 1 and lengths.pop() >= _LONG


def _alike(facts: SheetFacts, stated_ends: Mapping[str, End]) -> _Ends:
    """Return places that are stated by the same levels, such as region and district of each."""
    by_end: dict[str, dict[str, str]] = {}
    for name, end in stated_ends.items():
        by_end.setdefault(end.end, {}).setdefault(end.rest, name)
    shared = [
        (len(common), one, other, common)
        for one, other in combinations(by_end, 2)
        if (common := by_end[one].keys() & by_end[other].keys())
    ]
    if not shared:
        return {}
    most = max(shared)[0]
    common = next(rests for n, _, _, rests in shared if n == most)
    ends = [end for end in by_end if common <= by_end[end].keys()]
    ends.sort(key=lambda end: not next(s for s in stated_ends.values() if s.end == end).home)
    order = _levels(facts, [by_end[ends[0]][rest] for rest in common])
    rests = [stated_ends[name].rest for name in order]
    return {end: tuple(by_end[end][rest] for rest in rests) for end in ends}


def _levels(facts: SheetFacts, names: Sequence[str]) -> list[str]:
    """Return the columns from coarse to fine, without those that correspond one to one."""
    kept: list[str] = []
    if tiers := _tiers(names):
        return sorted(names, key=tiers.__getitem__)
    for name in sorted(names, key=lambda n: (facts[n].distinct, not facts[n].coded)):
        if not any(facts.twins(name, other) for other in kept):
            kept.append(name)
    return kept


def _tiers(names: Sequence[str]) -> dict[str, int]:
    """Return the position of each level by a short word in its name; empty where one has none.

    Municipality numbers start again in each province, so how many there are does not order them.
    """
    tiers = {
        name: tier
        for name in names
        if (end := end_of(name)) is not None
        for tier, known in enumerate(_TIERS)
        if known & {*end.rest.split("_")}
    }
    return tiers if len(tiers) == len(names) == len({*tiers.values()}) else {}


def _unlike(facts: SheetFacts, stated_ends: Mapping[str, End]) -> _Ends:
    """Return where people live and a place of another kind, such as a hospital; else empty."""
    home = [n for n, end in stated_ends.items() if end.home and end.rest]
    away = [n for n, end in stated_ends.items() if not end.home]
    if not home or not away:
        return {}
    finest = max(home, key=lambda n: facts[n].distinct)
    others = [n for n in away if not facts.twins(finest, n) and not facts.within([finest], n)]
    if not others:
        return {}
    other = max(others, key=lambda n: facts[n].distinct)
    return {stated_ends[finest].end: tuple(_levels(facts, home)), stated_ends[other].end: (other,)}


def _by_codes(facts: SheetFacts, names: Sequence[str]) -> _Ends:
    """Return the first two columns that hold the same places and do not nest."""
    texts = [n for n in names if facts[n].distinct_filled >= _MIN_SHARED]
    for one, other in combinations(texts, 2):
        like_codes = any(_named(facts, n) or _long_codes(facts, n) for n in (one, other))
        nest = facts.within([one], other) or facts.within([other], one)
        if like_codes and not nest and share_codes(facts[one], facts[other]):
            return {one: (one,), other: (other,)}
    return {}


def _question(facts: SheetFacts, ends: _Ends) -> Question:
    shown = {end: _shown(columns) for end, columns in ends.items()}
    used = {name for columns in ends.values() for name in columns}
    ways = [
        way
        for columns in ends.values()
        for finer in _with_finer(facts, columns)
        for way in _with_upper(facts, finer, used)
    ]
    weights = weights_in(facts, [n for n in facts.sheet.names if n not in used])[:_MAX_WEIGHTS]
    choices = [
        Choice(words=f"persons are counted, and "
                     f"{levels_in_words(columns, within=_numbers_repeat(facts, columns))}",
               stated={"kind": "counts", "row": "person", "levels": columns}
               | ({"within": True} if _numbers_repeat(facts, columns) else {}))
        for columns in ways
    ]  # fmt: skip
    choices = [*choices, *(_weighed(facts, choice, n) for n in weights for choice in choices)]
    trips: list[Choice] = []
    for start, end in _directions(ends):
        one, other = ends[start], ends[end]
        if len(one) == len(other) and _same_places(facts, one, other):
            trips += _below_upper_ends(facts, one, other)
            words = f"each row is a trip from {shown[start]} to {shown[end]}"
            within = {"within": True} if _numbers_repeat(facts, one) else {}
            trips.append(
                Choice(words=words, stated={"kind": "flows", "row": "trip", "levels": one,
                                            "destinations": other} | within)
            )  # fmt: skip
    choices += [*trips, *(_weighed(facts, choice, n) for n in weights for choice in trips)]
    first, second, *_ = shown.values()
    what = (
        f"each row has several areas, such as {first} and {second}. It is not clear which of them "
        "to read"
    )
    if weights:
        what = f"{what}, and {how_much(weights, 'person', ()).what}"
    return Question(what=what, choices=tuple(choices[:MAX_CHOICES]))


def _below_upper_ends(facts: SheetFacts, one: Sequence[str], other: Sequence[str]) -> list[Choice]:
    """Return the answer that rows are trips between places, with columns above both; if any."""
    if len(one) > 1:
        return []
    free = [n for n in facts.texts if not about_something_else(facts, n)]
    pairs = levels_of_ends(facts, free, (one[0], other[0]))
    if len(pairs) < 2:
        return []
    levels, destinations = zip(*pairs, strict=True)
    return [
        Choice(
            words=f"each row is a trip from {_shown(levels)} to {_shown(destinations)}",
            stated={"kind": "flows", "row": "trip", "levels": levels, "destinations": destinations},
        )
    ]


def _weighed(facts: SheetFacts, choice: Choice, weight: str) -> Choice:
    """Return an answer in which each person counts with a survey weight instead of once."""
    row = "pair" if choice.stated["row"] == "trip" else "region"
    return Choice(
        words=f"{choice.words}, and each counts with the weight in column {shown_code(weight)}",
        stated={**choice.stated, "row": row, "count": weight, "add_up": True}
        | ({"times": 1} if facts[weight].fractions else {}),
    )


def _numbers_repeat(facts: SheetFacts, columns: Sequence[str]) -> bool:
    """Return whether numbers of a level start again in each region of the level above.

    The names of the columns must state their levels.
    """
    if len(columns) < 2 or not _tiers(columns):
        return False
    return not all(facts.within([lower], upper) for upper, lower in pairwise(columns))


def _same_places(facts: SheetFacts, one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two places of persons are of one list, by the codes of all their levels."""
    if not _numbers_repeat(facts, one):
        return share_codes(facts[one[-1]], facts[other[-1]])
    paths, others = (
        {*zip(*(facts[name].text.to_pylist() for name in names), strict=True)}
        for names in (one, other)
    )
    return 2 * len(paths & others) >= max(len(paths), len(others))


def _with_finer(facts: SheetFacts, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the levels of one place, if possible also with a finer level of a similar name.

    An example is a hospital below the district of the hospital.
    """
    leaf = columns[-1]
    finer = [
        n for n in facts.sheet.names
        if n not in columns and facts[n].plain[:_STEM] == facts[leaf].plain[:_STEM]
        and _may_hold_places(facts, n) and facts[n].distinct > facts[leaf].distinct
        and facts.within([n], leaf)
    ]  # fmt: skip
    if not finer:
        return [columns]
    return [(*columns, min(finer, key=lambda n: facts[n].distinct)), columns]


def _with_upper(
    facts: SheetFacts, columns: tuple[str, ...], used: Collection[str]
) -> list[tuple[str, ...]]:
    """Return the levels of one place, if possible also below upper levels that name no place.

    Examples are the states of its towns, and the regions that a lookup adds to its codes.
    """
    top = columns[0]
    upper: list[str] = []
    above = [n for n in _joined_to(facts, top, used) if n not in used] or [
        n for n in facts.sheet.names
        if n not in used and not facts[n].numeric and named_after_places(facts[n])
        and end_of(n) is None and facts[n].distinct_filled > 1
        and 2 * facts[n].distinct <= facts[top].distinct and facts.within([top], n)
    ]  # fmt: skip
    for name in sorted(above, key=lambda n: facts[n].distinct):
        if not any(facts.twins(name, other) for other in upper) and all(
            facts.within([name], other) for other in upper
        ):
            upper.append(name)
    return [(*upper, *columns), columns] if upper else [columns]


def _joined_to(facts: SheetFacts, code: str, used: Collection[str]) -> list[str]:
    """Return the columns above the codes of one place that a lookup added to several places.

    It adds each of its columns once under its own name, and otherwise with the name of the codes.
    """
    names = facts.sheet.names
    others = [n for n in used if n != code]
    added = [
        n for n in names
        if any(column_of(base, code) == n for base in names)
        or any(column_of(n, other) in facts.columns for other in others)
    ]  # fmt: skip
    return [
        n for n in added
        if 1 < facts[n].distinct_filled < facts[code].distinct_filled
        and not about_something_else(facts, n) and facts.within([code], n)
    ]  # fmt: skip


def _directions(ends: _Ends) -> list[tuple[str, str]]:
    """Return from which place to which other people may go, the likely directions first."""
    end_at = {columns[-1]: end for end, columns in ends.items()}
    ways = [likely_directions(*pair) for pair in combinations(end_at, 2)]
    ordered = [*(way[0] for way in ways), *(back for way in ways for back in way[1:])]
    return [(end_at[start], end_at[end]) for start, end in ordered]


def _shown(columns: Sequence[str]) -> str:
    return " > ".join(shown_code(name) for name in columns)
