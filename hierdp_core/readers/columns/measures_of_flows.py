"""Tables of flows: columns of origins and of destinations, or a matrix of both."""

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import combinations, islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.codes import fit_of
from hierdp_core.readers.columns.count_rules import Ranking, rank_counts
from hierdp_core.readers.columns.directions import direction_of, named_as_destination
from hierdp_core.readers.columns.ends import end_of
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts, share_codes
from hierdp_core.readers.columns.flow_levels import levels_of_ends, of_two_levels
from hierdp_core.readers.columns.flow_totals import unknown_destinations_question
from hierdp_core.readers.columns.matrix import DESTINATIONS, ORIGINS, FlowMatrix, find_matrix
from hierdp_core.readers.columns.mean_stocks import holds_means_of_a_stock
from hierdp_core.readers.columns.measure import MAX_CHOICES, Measure
from hierdp_core.readers.columns.measures_of_counts import number_columns
from hierdp_core.readers.columns.named_ends import (
    MIN_TWINS,
    LevelOfEnds,
    NamedEnds,
    Pair,
    end_in,
    joined_ends,
    joined_names_of_ends,
    named_ends,
    without_shared_ending,
)
from hierdp_core.readers.columns.names_beside import names_of_ends
from hierdp_core.readers.columns.question import (
    Choice,
    Question,
    flow_choice,
    same_regions,
    sum_choice,
)
from hierdp_core.readers.columns.unlike_ends import unlike_ends
from hierdp_core.readers.columns.vocabulary import (
    CODE,
    LATITUDE,
    LONGITUDE,
    NOT_A_COUNT,
    NUMBER_OF_RECORD,
    ORIGIN,
    PARENT,
    PERSON,
    PLACE,
    YEAR,
)
from hierdp_core.readers.formats.sheet import as_mask
from hierdp_core.readers.report import shown_code
from hierdp_core.util.text import counted

_MIN_PAIRS = 6  # rows with different pairs of regions, by no chance
_MIN_RECORDS = 20  # rows with codes of their own
_MIN_DIFFERENT = 2  # numbers of a column of counts
_MANY_WORDS = 5  # words of a name that describes a count
_MIN_SHARED = 0.2  # proportion of the destinations that must be origins


def flow_pairs(facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]) -> Measure | None:
    """Return the layout of a table with columns of origins and columns of destinations."""
    numbers = free
    ends = NamedEnds()
    if stated.get("destinations") and stated.get("levels"):
        pairs = list(zip(stated["levels"], stated["destinations"], strict=False))
    else:
        free = [n for n in free if not facts[n].never_places]
        ends = named_ends(facts, [n for n in facts.sheet.names if n in free])
        pairs = [level.codes for level in ends.levels]
    code_question: Question | None = None
    if not pairs:
        pairs, code_question = _same_kind_of_code(facts, free, str(stated.get("count") or ""))
        if not stated.get("levels"):
            finer, finer_question = unlike_ends(facts, free)
            if finer and (not pairs or (len(finer) > 1 and {*finer[0]} == {*pairs[-1]})):
                pairs, code_question = finer, finer_question
    elif ends.levels:
        ends = replace(ends, levels=joined_ends(facts, ends.levels))
        pairs = [level.codes for level in ends.levels]
    if not pairs or not _has_stated_levels(pairs, stated):
        return None
    taken = {name for pair in pairs for name in pair}.union(*(lv.columns for lv in ends.levels))
    arrows = ", ".join(f"{shown_code(o)} → {shown_code(d)}" for o, d in pairs)
    reason = f"origins and destinations: {arrows}"
    words: dict[str, Any] = {
        "kind": "flows", "levels": tuple(o for o, _ in pairs),
        "destinations": tuple(d for _, d in pairs), **_flow_levels(facts, pairs, ends.levels),
    }  # fmt: skip
    labels = () if stated.get("names") else _names(facts, pairs, ends.levels)
    if labels:
        words["names"] = labels
        named = [n for n in labels if n not in {c for pair in pairs for c in pair}]
        taken |= {*named}
        reason = f"{reason}; names are in {', '.join(shown_code(n) for n in named)}"
    twice = [
        f"columns {shown_code(level.codes[0])} and {shown_code(name)} name the same areas, and "
        f"{shown_code(level.codes[0])} is used"
        for level in ends.levels if not level.names and not facts[level.codes[0]].coded
        for name, _ in level.others
    ]  # fmt: skip
    question = code_question or _finer_question(facts, pairs, ends.finer)
    if question is None and not stated.get("destinations"):
        question = _unlike_ends(facts, pairs)
    ranking = rank_counts(facts, [n for n in numbers if n not in taken])
    count = "" if stated.get("row") == "trip" else str(stated.get("count") or ranking.best)
    weights = _weights(facts, numbers, taken)
    means = [n for n in weights if holds_means_of_a_stock(facts[n])]
    others = ranking.rivals or (*_of_pairs(facts, pairs, ranking), *weights)
    rivals = tuple(dict.fromkeys((*means, *others)))
    if count or stated.get("row") == "trip" or not rivals:
        row = "pair" if count else "trip"
        if count and stated.get("totals") != "none":
            left_out = tuple(stated.get("leave_out", ()))
            question = question or unknown_destinations_question(facts, pairs, count, left_out)
        about = "each row is one trip"
        if count:
            about = f"column {shown_code(count)} holds the sizes of the flows"
        return Measure(
            words=words | {"row": row, "count": count}, taken=frozenset(taken),
            reasons=(reason, *twice, about), question=question,
            unused=tuple(n for n in number_columns(ranking) if n != count),
        )  # fmt: skip
    choices = [
        Choice(
            words=f"column {shown_code(name)} holds the sizes of the flows", stated={"count": name}
        )
        for name in rivals[:MAX_CHOICES]
    ]
    trip = Choice(
        words=f"each row is one trip, so {counted(facts.sheet.n_rows, 'row')} are counted and no "
        "column of numbers is used",
        stated={"kind": "flows", "row": "trip"},
    )
    return Measure(
        words=words | {"row": "trip"}, taken=frozenset(taken), reasons=(reason, *twice),
        question=question or Question(what="it is not clear how many trips each row stands for",
                                      choices=_in_order(facts, choices, trip)),
        unused=rivals,
    )  # fmt: skip


def _names(
    facts: SheetFacts, pairs: Sequence[Pair], levels: Sequence[LevelOfEnds]
) -> tuple[str, ...]:
    """Return the columns of names of origins and then of destinations; empty without any."""
    named = {
        code: name
        for lv in levels
        if lv.names
        for code, name in zip(lv.codes, lv.names, strict=True)
    }
    lowest = pairs[-1]
    if not levels and (added := joined_names_of_ends(facts, lowest)):
        named = dict(zip(lowest, added, strict=True))
    away = frozenset().union(*(level.columns for level in levels)) if levels else frozenset()
    codes = (*(one for one, _ in pairs), *(other for _, other in pairs))
    found = names_of_ends(facts, pairs, away) or codes
    names = tuple(named.get(code, name) for code, name in zip(codes, found, strict=True))
    return names if names != codes else ()


def _finer_question(
    facts: SheetFacts, pairs: Sequence[Pair], finer: Sequence[Pair]
) -> Question | None:
    """Ask whether numbers that divide the regions of the last level at both ends are a level."""
    if not finer:
        return None
    lowest = max(finer, key=lambda pair: facts[pair[0]].distinct)
    named = f"{shown_code(lowest[0])} and {shown_code(lowest[1])}"
    return Question(
        what=f"columns {named} divide each area of columns {shown_code(pairs[-1][0])} and "
        f"{shown_code(pairs[-1][1])}. It is not clear whether they are a level",
        choices=(
            flow_choice([*pairs, lowest]),
            flow_choice([lowest]),
            flow_choice(pairs, add_up=True),
        ),
    )


def _has_stated_levels(pairs: Sequence[tuple[str, str]], stated: dict[str, Any]) -> bool:
    """Return whether the origins are the levels that a person stated, if any were stated.

    Other levels, such as state, municipality and locality, are those of people and not of flows.
    """
    levels = stated.get("levels", ())
    named = {levels} if isinstance(levels, str) else {*levels}
    if not named or stated.get("kind") == "flows" or stated.get("destinations"):
        return True
    return named == {origin for origin, _ in pairs}


def _weights(facts: SheetFacts, free: Sequence[str], taken: Set[str]) -> tuple[str, ...]:
    """Return columns with decimals, which may say how many trips each row stands for.

    A mean number of trips or passengers over a period is one of them.
    """
    return tuple(
        n for n in free
        if n not in taken and facts[n].fractions
        and (holds_means_of_a_stock(facts[n]) or not NOT_A_COUNT.fullmatch(facts[n].plain))
    )  # fmt: skip


def _of_pairs(
    facts: SheetFacts, pairs: Sequence[tuple[str, str]], ranking: Ranking
) -> tuple[str, ...]:
    """Return columns of numbers in a table in which no two rows have the same two regions.

    Its rows are unlikely to be single trips, so that a column without a known name may count them.
    Where pairs of regions repeat, only columns with long names are returned, which describe counts.
    """
    taken = {name for pair in pairs for name in pair}
    once = _lists_pairs(facts, pairs)
    names = number_columns(ranking) or tuple(n for n in facts.sheet.names if facts[n].numeric)
    return tuple(
        n for n in names
        if n not in taken and _may_count(facts[n]) and (once or _long_name(facts[n]))
        and not any(facts.within([pair[0]], n) or facts.within([pair[1]], n) for pair in pairs)
    )  # fmt: skip


def _may_count(column: ColumnFacts) -> bool:
    """Return whether numbers may be counts by their values, and their name does not say otherwise.

    A word for codes in a name of many words may describe the count, such as "Member ID: Total".
    """
    known = column.values[~np.isnan(column.values)]
    if not known.size or known.min() < 0 or column.distinct < _MIN_DIFFERENT:
        return False
    if column.years or column.leading_zeros or column.never_places or column.counts_rows:
        return False
    if PERSON.fullmatch(column.plain) or YEAR.fullmatch(column.plain):
        return False
    if column.plain in LATITUDE | LONGITUDE:
        return False
    measured = NOT_A_COUNT.fullmatch(column.plain) or CODE.fullmatch(column.plain)
    return not measured or (_long_name(column) and not column.fractions)


def _long_name(column: ColumnFacts) -> bool:
    return len(column.plain.split("_")) >= _MANY_WORDS


def _in_order(facts: SheetFacts, counted_by: Sequence[Choice], trip: Choice) -> tuple[Choice, ...]:
    """Return the answers. Counting rows comes first only if each row has a number of its own."""
    own = any(NUMBER_OF_RECORD.fullmatch(c.plain) and c.numbered_apart for c in _columns(facts))
    return (trip, *counted_by) if own else (*counted_by, trip)


def _columns(facts: SheetFacts) -> list[ColumnFacts]:
    return [facts[name] for name in facts.sheet.names]


def _lists_pairs(facts: SheetFacts, pairs: Sequence[tuple[str, str]]) -> bool:
    """Return whether a table has several rows, each for another pair of regions."""
    return facts.n_rows >= _MIN_PAIRS and facts.one_row_each([n for pair in pairs for n in pair])


def _same_kind_of_code(
    facts: SheetFacts, free: Sequence[str], count: str
) -> tuple[list[tuple[str, str]], Question | None]:
    """Return two columns with the same codes that do not nest, and ask which is the origin."""
    codes = [
        n for n in free
        if facts[n].coded and 1 < facts[n].distinct <= facts.n_rows // 2
        and facts[n].plain not in PARENT
        and not facts[n].fractions
    ]  # fmt: skip
    candidates = [
        (one, other) for one, other in combinations(codes, 2)
        if share_codes(facts[one], facts[other]) and not _nest(facts, one, other)
        and not of_two_levels(one, other)
    ]  # fmt: skip
    candidates = candidates or _same_names(facts, free)
    if not candidates:
        return [], None
    one, other = candidates[0]
    levels = levels_of_ends(facts, free, (one, other))
    if any(
        pair not in levels and not any(_named_by(facts, own, pair) for own in levels)
        for pair in candidates[1:]
    ):
        return [], None
    for start, end in ((one, other), (other, one)):
        if named_as_destination(start, end):
            turned = start != one
            return [pair[::-1] if turned else pair for pair in levels], None
    direction = direction_of(_with_ending(facts, one), _with_ending(facts, other), count)
    back = [pair[::-1] for pair in levels]
    if direction is not None and direction.turned:
        levels, back = back, levels
    shared = [pair for pair in levels if {*pair} == {one, other} or _share_any(facts, pair)]
    what = same_regions(*shared[-1])
    if direction is None:
        what = f"{what}, and no name says which of the two holds the origins"
    ways = (levels,) if direction is not None and direction.clear else (levels, back)
    choices = (
        *(flow_choice(pairs) for pairs in ways),
        *(
            flow_choice([pair], add_up=True)
            for pairs in ways for pair in pairs[:: len(levels)] if len(levels) > 1
        ),
        *(sum_choice(*names) for names in zip(*levels, strict=True)),
    )  # fmt: skip
    return levels, Question(what=what, choices=choices)


def _share_any(facts: SheetFacts, pair: tuple[str, str]) -> bool:
    return bool(set.intersection(*({*facts[name].filled.to_pylist()} for name in pair)))


def _with_ending(facts: SheetFacts, name: str) -> str:
    """Return the name of a column with the words that all of its names of regions end with."""
    cells = facts[name].filled.to_pylist()
    bare = without_shared_ending(cells)
    return f"{name} {cells[0].removeprefix(bare[0])}" if bare else name


def _same_names(facts: SheetFacts, free: Sequence[str]) -> list[tuple[str, str]]:
    """Return the first two columns with the same names of regions, without words for their ends.

    Such words are ", province of origin" and ", province of destination".
    """
    records = any(
        c.distinct == facts.n_rows >= _MIN_RECORDS and c.coded and not c.rises
        for c in facts.columns.values()
    )
    texts = [
        n for n in free
        if not (records and _may_name_persons(facts[n]))
        and not facts[n].numeric and MIN_TWINS <= facts[n].distinct <= facts.n_rows // 2
    ]  # fmt: skip
    places = {n: {*without_shared_ending(facts[n].filled.to_pylist())} for n in texts}
    alike = (
        (one, other) for one, other in combinations(texts, 2)
        if len(places[one] & places[other])
        >= max(MIN_TWINS, len(places[one] | places[other]) / 2)
        and not _nest(facts, one, other) and not of_two_levels(one, other)
    )  # fmt: skip
    return [*islice(alike, 1)]


def _may_name_persons(column: ColumnFacts) -> bool:
    """Return whether words in a list of records may be surnames, as nothing says they are regions.

    Two columns of surnames hold the same names.
    """
    return not PLACE.search(column.plain) and end_of(column.name) is None


def _named_by(facts: SheetFacts, codes: tuple[str, str], names: tuple[str, str]) -> bool:
    """Return whether two columns of names correspond one to one to two columns of codes."""
    return facts.twins(codes[0], names[0]) and facts.twins(codes[1], names[1])


def _nest(facts: SheetFacts, one: str, other: str) -> bool:
    """Return whether one of two columns lies within the other."""
    return facts.within([one], other) or facts.within([other], one)


def matrix_of_flows(
    facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]
) -> Measure | None:
    """Ask about a table whose columns are named like its rows, as in a matrix of flows."""
    square = find_matrix(facts.sheet)
    numbers = [n for n in free if facts[n].numeric]
    if square is None or not numbers:
        return None
    others = [n for n in numbers if n not in square.columns]
    choices = [
        Choice(words=f"flows go from the {rows} to the {columns}", stated={"matrix": how})
        for how, rows, columns in (
            (ORIGINS, "rows", "columns"), (DESTINATIONS, "columns", "rows"),
        )
    ]  # fmt: skip
    choices += [
        Choice(
            words=f"these are not flows, and column {shown_code(n)} holds the counts",
            stated={"count": n},
        )
        for n in (*others, *(n for n in numbers if n not in others))[:MAX_CHOICES]
    ]
    return Measure(
        words={"kind": "counts", "row": "region", "count": numbers[0]},
        taken=frozenset(numbers),
        question=Question(
            what=_unclear_matrix(square),
            choices=tuple(choices),
        ),
        unused=tuple(numbers),
    )


def _unclear_matrix(square: FlowMatrix) -> str:
    """Return what is unclear about a table whose columns are named like its rows."""
    rows = f"the rows in column {shown_code(square.places)}, as in a matrix of flows"
    unclear = "It is not clear which are the origins"
    if square.short:
        return f"the names of the columns are short forms of those of {rows}. {unclear}"
    return f"the columns have the same names as {rows}. {unclear}"


def _flow_levels(
    facts: SheetFacts, pairs: Sequence[Pair], levels: Sequence[LevelOfEnds]
) -> dict[str, Any]:
    """Return settings for the names of the levels of flows, or the prefix of their codes."""
    if len(pairs) > 1:
        rests = [level.subject for level in levels] or [end_in(o, ORIGIN) or o for o, _ in pairs]
        return {"level_names": tuple(rest.replace("_", " ").strip() for rest in rests)}
    (origin, destination), *_ = pairs
    ends = [facts[origin].text, facts[destination].text]
    fit = fit_of(pa.concat_arrays([pa.array(end) for end in ends]), origin)
    if fit is None:
        return {"level_names": ("area",)}
    return {"prefix": fit.prefix, "fill": fit.width}


def _unlike_ends(facts: SheetFacts, pairs: Sequence[tuple[str, str]]) -> Question | None:
    """Ask a question if origins and destinations share few codes. Both should be of one kind.

    Fewer than a fifth of the codes of the shorter list must occur in the other one.
    """
    origin, destination = pairs[-1]
    one, other = facts[origin].filled, facts[destination].filled
    if len(one) == 0 or len(other) == 0:
        return None
    shared = int(as_mask(pc.is_in(other, value_set=one)).sum())
    if shared >= _MIN_SHARED * min(len(one), len(other)) or min(len(one), len(other)) < 4:
        return None
    return Question(
        what=f"columns {shown_code(origin)} and {shown_code(destination)} look like an origin "
             "and a destination, but have few codes in common",
        choices=(
            Choice(
                words=f"flows go from {shown_code(origin)} to {shown_code(destination)}",
                stated={"kind": "flows", "levels": tuple(o for o, _ in pairs),
                        "destinations": tuple(d for _, d in pairs)},
            ),
            *(
                Choice(
                    words=f"these are not flows, and column {shown_code(name)} holds the counts",
                    stated={"kind": "counts", "row": "region", "count": name},
                )
                for name in pairs[-1] if facts[name].numeric and not facts[name].leading_zeros
            ),
        ),
    )  # fmt: skip
