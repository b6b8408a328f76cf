"""Tables in which each region has several rows, one for each sex, year or variable."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.attributes import holds_flags
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts, follows
from hierdp_core.readers.columns.partitions import holds_sexes, overlapping_ranges, year_in
from hierdp_core.readers.columns.question import Choice, Question, levels_in_words
from hierdp_core.readers.columns.size_shapes import size_choice
from hierdp_core.readers.columns.vocabulary import (
    ABOUT_THE_ROW,
    AVERAGE,
    CATEGORY,
    CODE,
    COUNT,
    MEASURE,
    NOT_A_COUNT,
    OF_WHICH,
    ROUND,
    STATISTIC,
    TOTAL,
    TOTAL_WORDS,
    WEIGHT,
    YEAR,
    plain_name,
    words,
)
from hierdp_core.readers.formats.sheet import as_mask
from hierdp_core.readers.report import shown_code, shown_codes
from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray
from hierdp_core.util.text import join_and

_MAX_VALUES = 8  # values that a question offers
_MAX_KINDS = 20  # values of a column of kinds of rows; of more, no single one is offered
_NEARLY_EACH_ROW = 0.9  # proportion of the rows with a place of their own
_MIN_VALUES = 4  # values of a column, one of which is the sum of the others by no chance
_MIN_GROUPS = 3  # regions in which it must be the sum
_FEW_VALUES = 3  # values, if one is the sum of the others in many regions
_MANY_GROUPS = 5  # regions in which a sum of two numbers is not by chance
_MIN_SUM = 50  # smallest sum of two numbers that counts as evidence
_MIN_CELLS = 12  # rows of a table of regions by categories
_MAX_CROSSED = 60  # values of a column that distinguishes the rows of a region
_MOST_PERIODS = 60  # different numbers of periods in one file; more are counts of a period
_MIN_CROSSED = 0.6  # proportion of pairs of region and value that have a row
_NEARLY = 0.02  # relative difference of rounded parts from their total
_ROUNDED = 10  # difference of rounded parts from a small total, in people
_MOSTLY_NEAR = 0.9  # proportion of regions with nearly exact sums
_SOME_EXACT = 0.25  # proportion of regions with exact sums, if parts are unpublished
_CODE_OF_ALL = re.compile("9+|[-–—−0]{2,}")  # of nines, or empty places
_SHOWN = 4  # values that a sentence shows
_SURE = 6.0  # minus the decimal logarithm of the probability of a coincidence
_MAX_BESIDE = 20  # further columns of numbers whose sums are evidence
_MIN_REPEATED = 3  # regions whose rows repeat one number each
_MAX_LISTS = 4  # lists of the same numbers
_MOSTLY_SAME = 0.9  # proportion of the numbers of one list that the others repeat
_TOTAL_WORDS = TOTAL_WORDS | words(
    """
    t tt both both_sexes persons total_persons all_ages _t 総数 計 zusammen beide hm h_m 男女計
    """
)


@dataclass(frozen=True, kw_only=True)
class RowChoice:
    """Which rows of each region are read.

    Attributes:
        keep: conditions on the rows that are read, each "COLUMN=VALUE".
        reasons: one line for each decision, for people.
        question: a question, if several choices are possible.
        times: the question is about years or dates, so that rows of several are in the table.
        level: the question is about a column that names the level of each row.
        crossed: most regions have a row for each value of the column in question.
        add_up: the rows are certainly parts, so that they are added up without a question.
    """

    keep: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    question: Question | None = None
    times: bool = False
    level: bool = False
    crossed: bool = False
    add_up: bool = False


def names_measures(column: ColumnFacts) -> bool:
    """Return whether a column is named like one of measures, and its values are not flags.

    An indicator that is Y or N describes the rows of one measure.
    """
    return bool(MEASURE.fullmatch(column.plain)) and not holds_flags(column)


def choose_rows(
    facts: SheetFacts,
    places: Sequence[str],
    free: Sequence[str],
    count: str,
    *,
    extra: str,
    events: bool = False,
) -> RowChoice:
    """Return which rows of a region are read, if it has several.

    Args:
        facts: facts about the table.
        places: the columns that identify a region, or a pair of regions for flows.
        free: columns that hold nothing else that is known.
        count: the column of counts; empty if there are several or none.
        extra: the column of group sizes; empty if there is none.
        events: the numbers count events such as trips, which can be added up over years.
    """
    keys = [*places, *([extra] if extra else [])]
    if facts.one_row_each(keys):
        return RowChoice()
    if numbered := numbered_within(facts, keys, free):
        return RowChoice(question=_of_numbers(facts, numbered, places, count, events=events))
    slicing = distinguishing_columns(facts, keys, free)
    if not slicing:
        return RowChoice()
    kept: list[str] = []
    reasons: list[str] = []
    left = list(slicing)
    # Where the rows of one column are chosen, those of another may turn out to be totals.
    for name in [*slicing, *slicing]:
        others = [n for n in left if n != name]
        total = _total_value(facts, name, keys, others, count) if name in left else None
        if total is None:
            continue
        left = others
        kept.append(f"{name}={total}")
        shown = shown_value(total)
        reasons.append(
            f"only rows with {shown} in column {shown_code(name)} are read, because they are totals"
        )
        if left:
            chosen = as_mask(pc.equal(facts[name].text, total))
            facts = facts if facts.sampled else SheetFacts(facts.sheet.take(chosen))
    if not left:
        return RowChoice(keep=tuple(kept), reasons=tuple(reasons))
    if events and len(left) == 1 and count and _surely_parts(facts, left[0], places, count):
        reason = f"rows that differ only in column {shown_code(left[0])} are added up"
        return RowChoice(keep=tuple(kept), reasons=(*reasons, reason), add_up=True)
    # What is counted comes first, then the year: men and women are parts of a region in one year.
    # Months of one year come last, since they are parts of the numbers of one kind.
    measures = [n for n in left if names_measures(facts[n])]
    times = [n for n in left if holds_times(facts, n)]
    months = [n for n in left if facts[n].months]
    others = [n for n in left if n not in months]
    name = next(iter((*measures, *(n for n in times if n not in months), *others, *months)))
    before = kept if name not in times else []
    return RowChoice(
        keep=tuple(kept), reasons=tuple(reasons), times=bool(times) and not events,
        crossed=crosses(facts, keys, name),
        question=_question(facts, name, before, left, places, count, events=events),
    )  # fmt: skip


def numbered_within(facts: SheetFacts, keys: Sequence[str], free: Sequence[str]) -> str:
    """Return a column that numbers the rows of each region from 0 or 1 on; empty for none.

    It is the number of a smaller region, such as that of a section in a department. Where all
    regions have the same numbers, they may be months or classes.
    """
    region = facts.key(keys)
    for name in free:
        column = facts[name]
        if name in keys or not column.numeric or column.fractions or column.distinct < _FEW_VALUES:
            continue
        if NOT_A_COUNT.fullmatch(column.plain) or CATEGORY.fullmatch(column.plain):
            continue
        if holds_times(facts, name):
            continue
        if crosses(facts, keys, name) and len(np.unique(np.bincount(region))) < _FEW_VALUES:
            continue
        if facts.one_row_each([*keys, name]) and _start_again(region, column.values):
            return name
    return ""


def _start_again(region: IntArray, values: FloatArray) -> bool:
    """Return whether the values of nearly all regions are 0, 1, 2, … or 1, 2, 3, … in any order."""
    if np.isnan(values).any():
        return False
    n_rows = np.bincount(region)
    least = np.full(len(n_rows), np.inf)
    most = np.full(len(n_rows), -np.inf)
    np.minimum.at(least, region, values)
    np.maximum.at(most, region, values)
    several = n_rows > 1
    if several.sum() < 2 or len(set(n_rows[several].tolist())) == 1:
        return False
    in_turn = (least <= 1) & (most - least == n_rows - 1)
    return bool(in_turn[several].mean() >= _MOSTLY_NEAR)


def _of_numbers(
    facts: SheetFacts, name: str, places: Sequence[str], count: str, *, events: bool
) -> Question:
    """Ask whether the numbers in a column are those of regions below the last level."""
    levels = (*places, name)
    inner = Choice(
        words=levels_in_words(levels, within=True), stated={"levels": levels, "within": True}
    )
    summed = Choice(
        words="all rows of an area are added up, because they are parts of it",
        stated={"add_up": True},
    )
    parts = not events or _add_up(facts, [name], places, count, events=events)
    return Question(
        what=f"an area has several rows, and numbers in column {shown_code(name)} start again in "
        f"each {shown_code(places[-1])}. It is not clear whether they are areas",
        choices=(inner, summed) if parts else (inner,),
    )


def _surely_parts(facts: SheetFacts, name: str, places: Sequence[str], count: str) -> bool:
    """Return whether rows of one pair that differ in a column are certainly parts of its trips.

    Trips of different airlines are an example. The column must have at least four values without a
    total, and no value may occur in more than half of the pairs with several rows, as revised
    numbers do.
    """
    column = facts[name]
    if facts.sampled or column.distinct < _MIN_VALUES or crosses(facts, places, name):
        return False
    if column.distinct_filled < column.distinct or column.numeric or column.level_of_row:
        return False
    if holds_times(facts, name) or names_measures(column):
        return False
    if not facts.one_row_each([*places, name]) or totals_in(facts, name, places, count):
        return False
    group = facts.key(places)
    several = np.bincount(group)[group] > 1
    n_several = len(np.unique(group[several]))
    often = np.bincount(column.index[several])
    return n_several >= _MANY_GROUPS and 2 * int(often.max()) <= n_several


def crosses(facts: SheetFacts, keys: Sequence[str], name: str) -> bool:
    """Return whether most regions have a row for each value of a column, as with sexes or years."""
    values, regions = facts[name].distinct, facts.different(keys)
    if not 1 < values <= _MAX_CROSSED:
        return False
    return facts.different([*keys, name]) >= _MIN_CROSSED * values * regions > regions


def is_crossed_table(
    facts: SheetFacts, names: Sequence[str], other: Collection[str] = frozenset()
) -> bool:
    """Return whether rows are cells of a table: regions by the values of a category, year or size.

    Args:
        facts: facts about the table.
        names: the columns without those that may hold counts.
        other: columns among these that may hold sizes.
    """
    keys = [n for n in names if not facts[n].fractions and 1 < facts[n].distinct < facts.n_rows]
    if facts.sampled or facts.different(keys) < facts.n_rows or facts.n_rows < _MIN_CELLS:
        return False
    for name in keys:
        if facts[name].distinct > _MAX_CROSSED:
            continue
        named = _may_cross(facts, name, other)
        rest = [n for n in keys if n != name and not facts.within([n], name)]
        for key in (rest, *([n] for n in rest)):
            if not (facts.one_row_each([*key, name]) and crosses(facts, key, name)):
                continue
            if named or facts.different(key) * facts[name].distinct == facts.n_rows:
                return True
    return False


def _may_cross(facts: SheetFacts, name: str, other: Collection[str]) -> bool:
    """Return whether a column may hold values of a category, even if some cells have no row."""
    column = facts[name]
    named = bool(CATEGORY.fullmatch(column.plain)) or holds_times(facts, name)
    return named or name in other or not _measured(column)


def _numbers_all(facts: SheetFacts, name: str) -> bool:
    """Return whether a column has a different number in each row, so that it has no categories."""
    column = facts[name]
    return column.numeric and column.distinct == facts.n_rows


def _measured(column: ColumnFacts) -> bool:
    """Return whether a column holds plain numbers, which distinguish rows only by chance."""
    periods = column.years or column.distinct <= _MOST_PERIODS
    year = YEAR.fullmatch(column.plain) and periods  # or passengers "in this period"
    named = CATEGORY.fullmatch(column.plain) or year
    if column.numeric and re.search("[0-9]{2}", column.plain) and not year:
        named = None  # one value of a category, such as "age_65_plus"
    if COUNT & {*column.plain.split("_")} and not year:
        named = None  # such as "electors_third_gender"
    return column.numeric and not (named or column.leading_zeros or CODE.fullmatch(column.plain))


def distinguishing_columns(
    facts: SheetFacts, keys: Sequence[str], free: Sequence[str]
) -> list[str]:
    """Return the columns that distinguish the rows of a region, categories first."""
    several = [
        n for n in free
        if n not in keys and facts[n].distinct > 1
        and not _numbers_all(facts, n)
        and not (_measured(facts[n]) and not crosses(facts, keys, n))
    ]  # fmt: skip

    def likely(name: str) -> tuple[bool, bool, int, bool]:
        """Return a sorting key: categories first, flags last, coarse before fine."""
        plain = facts[name].plain
        named = bool(CATEGORY.fullmatch(plain) or YEAR.fullmatch(plain))
        about = bool(ABOUT_THE_ROW.fullmatch(plain)) and not named
        return about, not named, facts[name].distinct, facts[name].coded

    chosen: list[str] = []
    rows = facts.different(keys)
    for name in sorted(several, key=likely):
        more = facts.different([*keys, *chosen, name])
        if more > rows:
            chosen.append(name)
            rows = more
        if rows == facts.n_rows:
            break
    return _without_implied(facts, keys, chosen)


def _without_implied(facts: SheetFacts, keys: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the columns without those whose values follow from the others."""
    kept = list(columns)
    for name in columns:
        others = [n for n in kept if n != name]
        column = facts[name]
        named = CATEGORY.fullmatch(column.plain) or YEAR.fullmatch(column.plain)
        unnamed = not named and not names_measures(column)
        blanks = column.distinct_filled < column.distinct
        if (
            others
            and (blanks or unnamed)
            and facts.different([*keys, *others]) == facts.different([*keys, *kept])
        ):
            kept = others
    return kept


def _total_value(
    facts: SheetFacts, name: str, keys: Sequence[str], others: Sequence[str], count: str
) -> str | None:
    """Return the value whose rows are totals of the other rows, by its word or its numbers.

    The result is None if no value, or more than one, is a total.
    """
    if YEAR.fullmatch(facts[name].plain):
        return None
    column = facts[name]
    named = [
        value for value in column.filled.to_pylist()[:200]
        if TOTAL.fullmatch(plain_name(value)) or plain_name(value) in _TOTAL_WORDS
    ]  # fmt: skip
    if not count:
        return None
    if not named and _blank_beside_sexes(column):
        named = [""]
    if not named:
        return _sum_of_the_others(facts, name, [*keys, *others], count)
    if len(named) != 1:
        return None
    is_total = as_mask(pc.equal(column.text, named[0]))
    values = facts[count].values
    group = facts.key([*keys, *others])
    size = int(group.max()) + 1
    total = np.full(size, np.nan)
    total[group[is_total]] = values[is_total]
    largest = np.full(size, -np.inf)
    np.maximum.at(largest, group[~is_total], np.nan_to_num(values[~is_total]))
    known = ~np.isnan(total)
    return named[0] if known.all() and (total >= largest).all() else None


def _sum_of_the_others(facts: SheetFacts, name: str, keys: Sequence[str], count: str) -> str | None:
    """Return the value whose rows are the exact sums of all other rows, such as code 999."""
    column, values = facts[name], facts[count].values
    if facts.sampled or column.distinct < _FEW_VALUES or np.isnan(values).any():
        return None
    group = facts.key(keys)
    sums = np.asarray(np.bincount(group, weights=values), dtype=np.float64)
    if (sums > 0).sum() < _MIN_GROUPS:
        return None
    few = column.distinct < _MIN_VALUES and (sums >= _MIN_SUM).sum() < _MANY_GROUPS
    if few and not _no_coincidence(sums / 2):
        return None
    index = column.index
    twice = np.flatnonzero(np.isclose(2 * values, sums[group]) & (sums[group] > 0))
    totals = [
        value for value in np.unique(index[twice]).tolist()
        if _is_total_everywhere(index == value, group, values, sums)
    ]  # fmt: skip
    if len(totals) != 1:
        return None
    return str(column.text[int(np.flatnonzero(index == totals[0])[0])].as_py())


def _no_coincidence(totals: FloatArray | IntArray) -> bool:
    """Return whether sums that equal these totals, one in each group, are not a coincidence.

    A sum equals a number of this size by chance with a probability of about one over the number.
    """
    return bool(np.log10(np.maximum(totals, 1)).sum() >= _SURE)


def _blank_beside_sexes(column: ColumnFacts) -> bool:
    """Return whether some cells are blank beside words for both sexes, so that they mean both."""
    blanks = column.distinct_filled < column.distinct
    return blanks and holds_sexes(column.filled.to_pylist())


def _is_total_everywhere(
    chosen: BoolArray, group: IntArray, values: FloatArray, sums: FloatArray
) -> bool:
    """Return whether the chosen rows are one in each group and have half of its sum.

    Args:
        chosen: shape (n_rows,), the rows with one value.
        group: shape (n_rows,), the group of each row.
        values: shape (n_rows,), the counts.
        sums: shape (n_groups,), the sum of each group.
    """
    own = np.bincount(group[chosen], minlength=len(sums))
    total = np.bincount(group[chosen], weights=values[chosen], minlength=len(sums))
    return bool((own == 1).all() and (2 * total == sums).all())


def _question(
    facts: SheetFacts,
    name: str,
    kept: Sequence[str],
    left: Sequence[str],
    places: Sequence[str],
    count: str,
    *,
    events: bool,
) -> Question:
    values = facts[name].filled.to_pylist()
    totals = totals_in(facts, name, places, count)
    beside = [*places, *(n for n in left if n != name)]
    newest = [*totals, *sorted(values, key=_likely_count)]
    if facts[name].distinct_filled < facts[name].distinct:
        total = blank_is_total(facts, name, beside, count)
        newest = ["", *newest] if total else [*newest, ""]
    repeated = bool(count) and repeats_numbers(facts, name, beside, count, flows=events)
    times = holds_times(facts, name)
    if times:
        newest = values if facts[name].month_names else sorted(values, reverse=True)
    single = list(dict.fromkeys(newest))
    own = facts[name].distinct >= _NEARLY_EACH_ROW * facts.n_rows
    may_be = left == [name] and not events and not times
    places_below = may_be and _may_be_places(facts, name, own=own)
    kinds = times or (names_measures(facts[name]) and not own)
    if len(single) > _MAX_KINDS and not kinds:
        single = totals
    choices = [
        Choice(
            words=f"only rows with {shown_value(value)} in column {shown_code(name)} are read",
            stated={"keep": (*kept, f"{name}={value}")},
        )
        for value in single[:_MAX_VALUES]
    ]
    region = "a pair of areas" if events else "an area"
    of_a_year = left == [name] and _holds_parts_of_a_year(facts[name])
    parts = _add_up(facts, left, places, count, events=events) or (places_below and own)
    parts = parts and not repeated
    if of_a_year or parts:
        whole = ("its flow" if events else "it") if parts else "one year"
        words = f"all rows of {region} are added up, because they are parts of {whole}"
        if left == [name] and holds_several_times(facts, name):
            shown = shown_codes(list(dict.fromkeys(newest)), shown=_SHOWN)
            words = f"the trips of all of {shown} are added up"
        elif left != [name]:
            words = f"all rows of {region} are added up: {_listed_values(facts, left)}"
        summed = Choice(
            words=words, stated={"add_up": True} | ({"keep": tuple(kept)} if kept else {})
        )
        first = left == [name] and holds_sexes(values)
        choices = [summed, *choices] if first else [*choices, summed]
    sizes = None if events or len(left) > 1 else size_choice(facts, name)
    if sizes is not None:
        choices = [sizes, *choices]
    if places_below:
        levels = (*places, name)
        within = not _nest_by_themselves(facts, levels)
        lowest = Choice(
            words=levels_in_words(levels, within=within),
            stated={"levels": levels} | ({"within": True} if within else {}),
        )
        choices = [lowest, *choices] if own else [*choices, lowest]
    if not choices:
        choices = [Choice(words=f"all rows of {region} are added up", stated={"add_up": True})]
    shown = shown_codes([v for v in dict.fromkeys(newest) if v], shown=_SHOWN)
    if repeated:
        return Question(
            what=f"{region} has several rows with the same number, one for each value of column "
            f"{shown_code(name)} ({shown}), so everything would be counted more than once",
            choices=tuple(choices),
        )
    return Question(
        what=f"{region} has several rows, which differ in column {shown_code(name)} ({shown}). It "
        "is not clear which of them to read",
        choices=tuple(choices),
    )


def _nest_by_themselves(facts: SheetFacts, levels: Sequence[str]) -> bool:
    """Return whether each region of a level has one name above it, so that no two share a name."""
    return all(follows(facts[lower].index, facts[upper].index) for upper, lower in pairwise(levels))


def _likely_count(value: str) -> bool:
    """Return a sorting key: False for what may be a count, True for measures such as densities."""
    plain = plain_name(value)
    return bool(
        STATISTIC.fullmatch(plain) or AVERAGE.fullmatch(plain) or NOT_A_COUNT.fullmatch(plain)
    )


def _add_up(
    facts: SheetFacts, names: Sequence[str], places: Sequence[str], count: str, *, events: bool
) -> bool:
    """Return whether rows may be parts that are added up: no totals, years or several measures."""
    return not any(
        blank_is_total(facts, n, [*places, *(other for other in names if other != n)], count)
        or totals_in(facts, n, [*places, *(other for other in names if other != n)], count)
        or names_measures(facts[n])
        or (not facts[n].numeric and overlapping_ranges(facts[n].filled.to_pylist()) is not None)
        or (
            (holds_times(facts, n) or facts[n].days)
            and not events
            and not holds_days_of_a_year(facts, n)
        )
        for n in names
    )


def blank_is_total(facts: SheetFacts, name: str, keys: Sequence[str], count: str) -> bool:
    """Return whether rows with a blank cell are totals of the other rows beside them.

    They are nearly their sums, or the other rows are those of men and women.
    """
    if _blank_beside_sexes(facts[name]):
        return True
    blanks = facts[name].distinct_filled < facts[name].distinct
    return bool(blanks and count) and _nearly_the_others(facts, name, "", keys, count)


def repeats_numbers(
    facts: SheetFacts, name: str, keys: Sequence[str], count: str, *, flows: bool = False
) -> bool:
    """Return whether a table holds the same numbers under each value of a column.

    An example is a list of flows once by residence and once by workplace. Flows in and out
    of a region also count, if the regions of each pair are exchanged.

    Args:
        facts: facts about the table.
        name: the column.
        keys: the columns that otherwise distinguish the rows, origins before destinations.
        count: the column of counts.
        flows: the keys are as many origins as destinations, and then other columns.
    """
    column = facts[name]
    n_lists = column.distinct
    if n_lists < 2 or column.distinct_filled < n_lists or facts.sampled:
        return False
    if holds_times(facts, name) or holds_sexes(column.filled.to_pylist()):
        return False
    keys = [n for n in keys if n != name]
    if facts.within(keys, name):  # equal rows, and not the same numbers under several values
        return False
    ways = [facts.key(keys)]
    if has_one_number_each(facts, keys, count):
        return True
    if n_lists > _MAX_LISTS:
        return False
    if flows and n_lists == 2 and len(keys) > 1:
        ways.append(_exchanged(facts, keys, ways[0]))
    values = np.nan_to_num(facts[count].values)
    return any(_same_in_each(way, column.index, values) for way in ways)


def has_one_number_each(facts: SheetFacts, keys: Sequence[str], count: str) -> bool:
    """Return whether all rows of each region have the same number, which differs among regions.

    It is a number of the whole region then, such as its voters beside the votes for each party.
    """
    if WEIGHT.fullmatch(facts[count].plain):
        return False  # the members of a household have one weight
    group, numbers = facts.key(keys), np.nan_to_num(facts[count].values)
    _, first, group = np.unique(group, return_index=True, return_inverse=True)
    if (numbers != numbers[first][group]).any():
        return False
    repeated = numbers[first][(np.bincount(group) > 1) & (numbers[first] > 0)]
    if len(repeated) < _MIN_REPEATED or 2 * len(np.unique(repeated)) <= len(repeated):
        return False
    return _no_coincidence(repeated)


def _exchanged(facts: SheetFacts, keys: Sequence[str], pair: IntArray) -> IntArray:
    """Return numbers for pairs of regions, equal for a pair and its reverse, shape (n_rows,).

    The first two columns hold the regions. Only pairs of one value of the other columns are equal.
    """
    ends = pa.concat_arrays([facts[n].text for n in keys[:2]]).dictionary_encode()
    index = np.asarray(ends.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    start, end = index[: len(pair)], index[len(pair) :]
    size = len(ends.dictionary)
    both = np.minimum(start, end) * size + np.maximum(start, end)
    rest = facts.key(keys[2:])
    return np.asarray(both * (int(rest.max(initial=0)) + 1) + rest, dtype=np.int64)


def _same_in_each(group: IntArray, value: IntArray, numbers: FloatArray) -> bool:
    """Return whether groups have the same numbers under each value, and not by chance.

    Args:
        group: shape (n_rows,), the group of each row.
        value: shape (n_rows,), the value of each row, from 0 on.
        numbers: shape (n_rows,).
    """
    _, group = np.unique(group, return_inverse=True)
    n_groups, n_values = int(group.max()) + 1, int(value.max()) + 1
    rows = np.zeros((n_groups, n_values), dtype=np.int64)
    np.add.at(rows, (group, value), 1)
    whole = (rows == rows[:, :1]).all(axis=1) & (rows[:, 0] > 0)
    order = np.lexsort((numbers, group, value))
    lists = [order[value[order] == k] for k in range(n_values)]
    inside = [one[whole[group[one]]] for one in lists]
    if not len(inside[0]) or len(inside[0]) < _MOSTLY_SAME * max(map(len, lists)):
        return False
    first = numbers[inside[0]]
    same = np.all([numbers[one] == first for one in inside[1:]], axis=0)
    large = first > 0
    if not large.any() or float(same[large].mean()) < _MOSTLY_SAME:
        return False
    return _no_coincidence(first[same & large])


def shown_value(value: str) -> str:
    """Return a value of a column in words, which may be blank."""
    return shown_code(value) if value else "a blank"


def _listed_values(facts: SheetFacts, names: Sequence[str]) -> str:
    """Return the values of some columns in words, at most four for each."""
    return join_and(
        [
            f"rows with {shown_codes(facts[name].filled.to_pylist(), shown=_SHOWN)} in column "
            f"{shown_code(name)}"
            for name in names
        ]
    )


def totals_in(facts: SheetFacts, name: str, keys: Sequence[str] = (), count: str = "") -> list[str]:
    """Return the values of a column that are words for totals, or whose rows are nearly the sums.

    Args:
        facts: facts about the table.
        name: the column.
        keys: columns within whose values rows are parts or a total.
        count: the column of counts; if it is empty, only words are evidence.
    """
    values = facts[name].filled.to_pylist()
    named = [v for v in values if TOTAL.fullmatch(plain_name(v)) or plain_name(v) in _TOTAL_WORDS]
    parts = [v for v in values if OF_WHICH.match(v)]
    if parts and len(parts) < len(values):
        return [v for v in values if v not in parts]
    return named or (sums_in(facts, name, keys, count) if count else [])


def sums_in(facts: SheetFacts, name: str, keys: Sequence[str], count: str) -> list[str]:
    """Return the values of a column whose rows are nearly the sums of the rows beside them.

    If they are the exact sums in another column of numbers, they are totals of all columns.
    """
    values = [value for value in facts[name].different.to_pylist() if value]
    if not _FEW_VALUES <= len(values) <= _MAX_CROSSED or holds_times(facts, name):
        return []
    totals = [v for v in values if _nearly_the_others(facts, name, v, keys, count)]
    return totals or _sums_of_another_count(facts, name, values, keys, count)


def _sums_of_another_count(
    facts: SheetFacts, name: str, values: Sequence[str], keys: Sequence[str], count: str
) -> list[str]:
    """Return the values whose rows are exactly the sums of those beside them in another column."""
    group = facts.key([n for n in keys if n != name])
    beside = [
        c.values for n, c in facts.columns.items()
        if n not in (name, count, *keys) and c.numeric and not c.fractions and c.distinct > 1
        and not c.leading_zeros
    ][:_MAX_BESIDE]  # fmt: skip
    index = facts[name].index
    codes = {value: int(index[pc.index(facts[name].text, value).as_py()]) for value in values}
    for numbers in beside:
        if np.isnan(numbers).any() or (numbers < 0).any():
            continue
        sums = np.asarray(np.bincount(group, weights=numbers), dtype=np.float64)
        several = np.bincount(group) > 2
        for value, code in codes.items():
            if (
                (several & (sums > 0)).sum() >= _MANY_GROUPS
                and _is_total_everywhere(index == code, group, numbers, sums)
                and _no_coincidence(sums[several] / 2)
            ):
                return [value]
    return []


def _nearly_the_others(
    facts: SheetFacts, name: str, value: str, keys: Sequence[str], count: str
) -> bool:
    """Return whether the rows with a value are nearly the sums of the other rows beside them.

    A code of nines such as 999, of zeros or of dashes stands for all if no other row is larger,
    even if the others overlap or are only some of the parts.
    """
    numbers = np.nan_to_num(facts[count].values)
    group = facts.key([n for n in keys if n != name])
    own = as_mask(pc.equal(facts[name].text, value))
    size = int(group.max()) + 1
    alone = np.bincount(group[own], minlength=size).max() <= 1
    total = np.bincount(group[own], weights=numbers[own], minlength=size)
    others = np.bincount(group[~own], weights=numbers[~own], minlength=size)
    largest = np.zeros(size)
    np.maximum.at(largest, group[~own], numbers[~own])
    informative = (total > 0) & (others >= _MIN_SUM)
    if informative.sum() < _MANY_GROUPS:
        same = bool(informative.any() and (total == others)[informative].all())
        return same and alone and _no_coincidence(total[informative])
    near = np.abs(total - others) <= np.maximum(_NEARLY * total, _ROUNDED)
    above = (total >= largest)[informative].all()
    nines = bool(_CODE_OF_ALL.fullmatch(value)) and bool(above)
    exact = (total == others)[informative]
    some = bool(above) and int(exact.sum()) >= _MANY_GROUPS and exact.mean() >= _SOME_EXACT
    return some or (alone and (nines or float(near[informative].mean()) >= _MOSTLY_NEAR))


def holds_times(facts: SheetFacts, name: str) -> bool:
    """Return whether a column holds years, months, dates or the rounds of an election."""
    plain = facts[name].plain
    named = bool(YEAR.fullmatch(plain) or ROUND.fullmatch(plain))
    return named or facts[name].years or facts[name].month_names


def holds_several_times(facts: SheetFacts, name: str) -> bool:
    """Return whether a column holds several years or dates, not the months of one year."""
    return holds_times(facts, name) and not _holds_parts_of_a_year(facts[name])


def holds_days_of_a_year(facts: SheetFacts, name: str) -> bool:
    """Return whether a column holds several days of one year."""
    column = facts[name]
    if not column.days or len(column.filled) < 2:
        return False
    years = {year_in(day) for day in column.filled.to_pylist()}
    return len(years) == 1 and 0 not in years


def _holds_parts_of_a_year(column: ColumnFacts) -> bool:
    """Return whether a column holds months or quarters of one year, or months without a year."""
    return column.months or _are_parts_of_a_year(column.filled.to_pylist())


def _are_parts_of_a_year(values: Sequence[str]) -> bool:
    """Return whether values are months or quarters of one year.

    >>> _are_parts_of_a_year(["2023-Q1", "2023-Q2"]), _are_parts_of_a_year(["2022", "2023"])
    (True, False)
    """
    years = {year_in(value) for value in values}
    parts = [re.sub("(1[89]|20)[0-9]{2}", "", value, count=1).strip(" -/.M") for value in values]
    plausible = all(
        re.fullmatch(r"[A-Za-z]*\W?[0-9]{0,2}|\w{3,9}", part) and part for part in parts
    )
    return len(years) == 1 and 0 not in years and plausible and len(set(parts)) == len(parts)


def _may_be_places(facts: SheetFacts, name: str, *, own: bool) -> bool:
    """Return whether a column of words may hold regions instead of categories.

    Args:
        facts: facts about the table.
        name: the column.
        own: nearly every row has a value of its own, as no category has.
    """
    column = facts[name]
    is_time = (
        bool(YEAR.fullmatch(column.plain)) or column.years or column.moments or column.month_names
    )
    is_category = not own and bool(CATEGORY.fullmatch(column.plain))
    return not (is_time or is_category or column.numeric or totals_in(facts, name))
