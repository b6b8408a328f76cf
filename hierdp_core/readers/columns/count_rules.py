"""Find the column of counts: each rule gives points, and the best column must lead by a margin.

Points and margin were set by hand. A word for counts in the name (3 points or more) is sufficient
if nothing speaks against it, and one strong sign against counts (-4 points or less) cancels it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.mean_stocks import holds_means_of_a_stock
from hierdp_core.readers.columns.partitions import (
    earlier_than,
    newest_first,
    of_other_years,
    ranges_in,
    siblings_of,
    whole_of_sexes,
)
from hierdp_core.readers.columns.region_columns import numbers_of_names
from hierdp_core.readers.columns.sum_evidence import (
    balanced_with,
    count_stages,
    negative,
    sum_of_parts,
    total_of_something_else,
)
from hierdp_core.readers.columns.vocabulary import (
    ABOUT_THE_ROW,
    AVERAGE,
    CATEGORY,
    CODE,
    CONCENTRATION,
    CONNECTIVES,
    COUNT,
    LABELS,
    LATITUDE,
    LONGITUDE,
    MISSING,
    NOT_A_COUNT,
    PER_MANY,
    PERSON,
    PLACE,
    ROW_NUMBER,
    STOCK,
    TOTAL,
    TOTAL_WORDS,
    WEIGHT,
    words,
)
from hierdp_core.util.arrays import FloatArray

SURE = 3.0  # points at which a column is one of counts without a further sign
POSSIBLE = 0.0  # points above which a column may be one of counts
_IN_A_SUM = 1.0  # points of a column that is a sum of others, or a part of one
MARGIN = 1.5  # points by which the best column must lead
_PUBLISHED = re.compile(r"[a-z]{1,3}[0-9]{1,6}[a-z]{0,2}_?[0-9]{0,4}[a-z]?(_[a-z0-9]+)?")
_CODED = re.compile(r"([a-z]{1,3})_?[0-9]{1,6}[a-z]?")
_YEAR_NAME = re.compile(r"(.*_)?[xy]?(19|20)[0-9]{2}(_.*)?")
_NUMBER_OF_ONE = re.compile(r"(?!number_of|no_of|num_of).+_(number|no|nr|num|nummer|numero)")
# Japanese, Chinese and Korean words that end in "number of", apart from indices, scores and days.
_NUMBER_OF = re.compile(
    r"(^|_)[\u4e00-\u9fff]+(?<![指係系点點分倍序年日月回])[数數](_|$)"
    r"|(^|_)[가-힣]+(?<![점지계배년일월])수(_|$)"
)
_MAX_PARTS = 8  # columns of which all subsets are tried as parts of a sum
_MAX_EXPLAINED = 40  # columns among which parts of a total are looked for
_MIN_ROWS = 3  # rows in which numbers add up by no chance
_MIN_SAME = 6  # rows in which the known parts add up by no chance
_NEARLY_ALL = 0.95  # proportion of the rows, apart from errors
_NEARLY_WHOLE = 0.9  # proportion of a total that another population has
_POPULATIONS = words("pmun ptot")  # municipal and total, of French communes
_MOSTLY = 0.5  # more than half of the rows
_MAX_SUMMED = 150  # columns of a sum, such as one for each year of age
# Demographic and Health Surveys: cluster, household and stratum numbers, and weights.
_NUMBER_OF_SURVEY = re.compile(r"[hm]?v(00[1-5]|02[1-3])")
# Words in the place of a number. They are few where the others are whole.
_WITHHELD = (
    "(?i)^(suppressed|confidential|withheld|secret|missing|unreliable|not available|no data)$"
)
_MAY_NUMBER = words("n number num value values")  # counts, or row numbers
_ONE_RECORD = words("person child enrollee passenger observation")  # of which each row has one
_SEVERAL_MEASURES = 2
_KNOWN_WORDS = COUNT | TOTAL_WORDS | LABELS | CONNECTIVES
_ABBREVIATED = 5  # letters, at most, of a word that is shortened
_SEVERAL = 6  # rows whose counts are all equal by no chance
_MIN_DAYS = 2  # different days; one may be a number
_DAY = r"^(1[89]|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])$"
_DIGITS_OF_IDENTIFIERS = 10  # numbers of one area with as many digits are not counts
_MOST_AGES = 120  # years
_MANY_GROUPS = 20  # numbers without a gap, which counts have by no chance
_MIN_MEMBERS = 1.5  # rows for each number, on average
_MAX_OVER_AVERAGE = 6  # rows for the most frequent number, as a multiple of the average
_MIN_TURN = 3  # smallest length of a sequence 1, 2, 3, … that repeats
_MAX_TURN = 30  # largest length of such a sequence
_TURNS = 3  # repetitions of such a sequence
_FEW = 20  # rows that may hold the counts 1, 2, 3, … by chance

Rule = Callable[[ColumnFacts], float]


def named_as_a_count(column: ColumnFacts) -> float:
    """Return points for a name, or a word in it, that says that people or things are counted."""
    if column.plain in COUNT:
        return 4.0
    if STOCK.fullmatch(column.plain):
        return 3.0
    first, *others = (re.sub("[0-9]+$", "", word) for word in column.plain.split("_"))
    words = {first, *others} - (_MAY_NUMBER - {first})  # "n_firms", but not "location_n"
    known = words & COUNT or re.sub("[0-9]+$", "", column.plain) in COUNT
    return 3.0 if known or _NUMBER_OF.search(column.plain) else 0.0


def named_by_year_or_table(column: ColumnFacts) -> float:
    """Return points for a name that is a year or looks like the code of a published table."""
    if column.plain in COUNT or column.name.startswith("column "):
        return 0.0
    if _YEAR_NAME.fullmatch(column.plain):
        return 1.5
    long = len(re.sub("[^0-9]", "", column.plain)) >= 3
    return 2.0 if long and _PUBLISHED.fullmatch(column.plain) else 0.0


def named_otherwise(column: ColumnFacts) -> float:
    """Return points against names of codes, measures, categories, regions or remarks on the row."""
    if column.plain in COUNT | _POPULATIONS:
        return 0.0
    if holds_means_of_a_stock(column):
        return 0.0
    position = column.plain in LATITUDE | LONGITUDE
    rate = PER_MANY.fullmatch(column.plain) or CONCENTRATION.fullmatch(column.plain)
    points = -6.0 if position or rate or NOT_A_COUNT.fullmatch(column.plain) else 0.0
    points -= 5.0 * bool(CODE.fullmatch(column.plain))
    points -= 5.0 * bool(_NUMBER_OF_SURVEY.fullmatch(column.plain))
    points -= 5.0 * bool(ABOUT_THE_ROW.fullmatch(column.plain))
    words = column.plain.split("_")
    total = bool({words[0], words[-1]} & TOTAL_WORDS)
    category = CATEGORY.fullmatch(column.plain) and not total and not _exceed_ages(column)
    points -= 4.0 * bool(category)
    places = all(PLACE.search(word) for word in column.plain.split("_") if word)
    return points - 4.0 * bool(column.plain and places)


def _exceed_ages(column: ColumnFacts) -> bool:
    """Return whether numbers below the word "age" are too many and too large for ages.

    They count the recipients of an "Age Pension".
    """
    first = column.plain.split("_")[0]
    named = first == "age" and not re.search("[0-9]", column.plain)
    many = named and column.distinct_filled > _MOST_AGES
    return many and bool((column.values > _MOST_AGES).any())


def whole_numbers(column: ColumnFacts) -> float:
    """Return points for whole numbers, some of which may be suppressed."""
    return 1.0 if column.whole + column.share(_WITHHELD) > 0.95 else -1.0


def numbers_of_rows(column: ColumnFacts) -> float:
    """Return points against numbers that only number the rows."""
    if not column.counts_rows:
        return -3.0 if column.rises and column.name == "column 1" else 0.0
    if column.plain in _ONE_RECORD:
        return -8.0
    if column.plain in COUNT and (column.plain not in _MAY_NUMBER or len(column.text) < _FEW):
        return 0.0
    return -8.0 if ROW_NUMBER.fullmatch(column.plain) else -3.0


def numbers_in_blocks(column: ColumnFacts) -> float:
    """Return points against numbers that start again at 1 and otherwise rise by 1, as in a list."""
    values = column.values
    one_record = column.plain in _ONE_RECORD
    named = column.plain in COUNT and column.plain not in _MAY_NUMBER and not one_record
    few = len(values) < _FEW and not one_record
    if named or few or np.isnan(values).any() or values[0] != 1:
        return 0.0
    again = values[1:] == 1
    if float((values[:-1][again] == values.max()).mean() if again.any() else 0) > _MOSTLY:
        return 0.0  # 1 to 6 for each region, as sizes
    in_turn = bool((again | (np.diff(values) == 1)).all())
    return -6.0 if in_turn and again.any() and column.distinct_filled >= _MIN_TURN else 0.0


def codes(column: ColumnFacts) -> float:
    """Return points against leading zeros and against distinct numbers that all have one length."""
    if column.leading_zeros:
        return -8.0
    lengths = {len(cell) for cell in column.filled.to_pylist()[:1000]}
    alike = lengths == {max(lengths, default=0)} and min(lengths) >= 4
    apart = alike and column.distinct == len(column.text) >= 6
    if apart and min(lengths) >= _DIGITS_OF_IDENTIFIERS:
        return -8.0
    return -2.0 if apart and not named_as_a_count(column) else 0.0


def years(column: ColumnFacts) -> float:
    """Return points against years."""
    return -6.0 if column.years else 0.0


def days(column: ColumnFacts) -> float:
    """Return points against dates, such as 20240131."""
    written = column.distinct_filled >= _MIN_DAYS and column.every(_DAY)
    return -8.0 if written or column.moments else 0.0


def the_same_in_all_rows(column: ColumnFacts) -> float:
    """Return points against a constant, which describes the table, such as its number of rows."""
    return -4.0 if column.distinct == 1 and len(column.text) >= _SEVERAL else 0.0


def numbers_of_things(column: ColumnFacts) -> float:
    """Return points against a name such as "cluster_number" over the numbers of things.

    Each row has a different number, or the numbers of all rows are 1, 2, 3, … without a gap.
    """
    if not _NUMBER_OF_ONE.fullmatch(column.plain) or column.plain in COUNT:
        return 0.0
    own = column.distinct == len(column.text) >= _FEW
    known = column.values[~np.isnan(column.values)]
    in_turn = bool(known.size) and known.min() == 1 and known.max() == len(np.unique(known))
    return -6.0 if own or (in_turn and len(known) >= _FEW) else 0.0


def weights(column: ColumnFacts) -> float:
    """Return points against a name that surveys give to weights."""
    return -6.0 if WEIGHT.fullmatch(column.plain) and column.plain not in COUNT else 0.0


def averages(column: ColumnFacts) -> float:
    """Return points against a name for a median, a mean, a share, a rate or an index number.

    Means of a stock over a period may be counts, if no column holds the stock itself.
    """
    if holds_means_of_a_stock(column):
        return -named_as_a_count(column)
    return -3.0 if AVERAGE.fullmatch(column.plain) and column.plain not in COUNT else 0.0


def numbers_in_turn(column: ColumnFacts) -> bool:
    """Return whether numbers repeat 1, 2, 3 up to a last one, as sizes or positions do."""
    values = column.values
    most = column.distinct
    if not _MIN_TURN <= most <= _MAX_TURN or len(values) < _TURNS * most:
        return False
    if np.isnan(values).any() or np.nanmin(values) != 1 or np.nanmax(values) != most:
        return False
    steps = np.diff(values)
    rising = (steps == 1) | ((steps <= 0) & (values[1:] == 1))
    return float(rising.mean()) >= _NEARLY_ALL


def numbers_of_groups(column: ColumnFacts) -> float:
    """Return points against numbers of groups: from 1 up without a gap, each in several rows.

    Small counts would be 1 or 2 in most rows.
    """
    values = column.values[~np.isnan(column.values)]
    if not values.size or column.distinct_filled < _MANY_GROUPS or (values % 1 != 0).any():
        return 0.0
    if values.min() != 1 or values.max() != column.distinct_filled:
        return 0.0
    often = np.bincount(values.astype(np.int64))[1:]
    in_several = float(often.mean()) >= _MIN_MEMBERS
    return -6.0 if in_several and often.max() <= _MAX_OVER_AVERAGE * often.mean() else 0.0


RULES: tuple[Rule, ...] = (
    named_as_a_count, named_by_year_or_table, named_otherwise, whole_numbers, numbers_of_rows,
    numbers_in_blocks, codes, years, days, the_same_in_all_rows, numbers_of_things,
    numbers_of_groups, weights, negative, averages,
)  # fmt: skip


def count_points(column: ColumnFacts) -> float:
    """Return the sum of the points of all rules; far below 0 for a column without numbers."""
    if not column.numeric:
        return SURE if column.plain in COUNT and _damaged_numbers(column) else -10.0
    return sum(rule(column) for rule in RULES)


def _damaged_numbers(column: ColumnFacts) -> bool:
    """Return whether over a third of the cells are numbers, marks or damaged numbers ("<5")."""
    cells = [cell for cell in column.different.to_pylist() if cell]
    marked = sum(bool(re.search("[0-9]", cell) or re.fullmatch(MISSING, cell)) for cell in cells)
    return 3 * marked > len(cells)


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The columns that may hold the counts.

    Attributes:
        best: the column that does; empty if none leads by the margin.
        why: the evidence, for people.
        by_name: whether the name of the best column is the evidence.
        rivals: the columns that may, the best first, if none leads.
        others: further columns of numbers.
    """

    best: str = ""
    why: str = ""
    by_name: bool = False
    rivals: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def rank_counts(facts: SheetFacts, free: Sequence[str]) -> Ranking:
    """Return the column of counts among `free` if one leads by a margin or is the sum of others.

    If the columns conflict, all that are possible are returned as rivals.
    """
    codes = {*numbers_of_names(facts, facts.sheet.names), *facts.chained, *facts.parts_of_codes}
    free = [name for name in free if name not in codes] or list(free)
    scored = {name: count_points(facts[name]) for name in free}
    scored |= {name: max(scored[name], _IN_A_SUM) for name in _in_sums(facts, free)}
    possible = sorted((n for n in free if scored[n] > POSSIBLE), key=lambda n: -scored[n])
    # Numbers of one length may be codes, but not among columns of ages that hold counts.
    ages = [n for n in ranges_in(free) if facts[n].numeric and not facts[n].leading_zeros]
    if set(ages) & set(possible):
        possible = [n for n in free if n in {*possible, *ages}]
        possible.sort(key=lambda n: -scored[n] if n not in ages else -1.0)
    if (total := _total_of_ranges(facts, free, ages)) and total not in possible:
        possible = [total, *possible]
    # Sizes of groups and the like are not counts where another column may hold them.
    possible = [n for n in possible if not numbers_in_turn(facts[n])] or possible
    if not possible:
        return Ranking()
    whole = sum_of_others(facts, possible) or _sum_of_all(facts, free)
    if whole is not None:
        total, parts = whole
        left = [n for n in possible if n not in (total, *parts)]
        if years_beside := of_other_years(facts, total, left):
            return Ranking(rivals=tuple(newest_first((total, *years_beside))))
        if other := _nearly_the_whole(facts, total, parts):
            return Ranking(rivals=(other, total))
        if count_stages(facts, parts):
            stages = dict.fromkeys((*parts, *(n for n in possible if n != total), total))
            return Ranking(rivals=tuple(stages))
        if total_of_something_else(facts, total, parts) or not sum_of_parts(facts, total, parts):
            return Ranking(rivals=tuple(dict.fromkeys((total, *parts, *possible))))
        clear = parts_of_total(facts, total, possible)
        # A sum of columns beside it holds counts, even if its numbers look like codes.
        besides = [n for n in free if facts[n].numeric and n not in (total, *parts)]
        if others := [n for n in totals_of_runs(facts, besides) if n not in clear]:
            return Ranking(rivals=tuple(dict.fromkeys((total, *others, *possible))))
        if all(scored[n] < SURE or n in clear for n in left):
            return Ranking(
                best=total, why=f"because it is the sum of {len(parts)} other columns",
                others=tuple(n for n in possible if n != total),
            )  # fmt: skip
    best = possible[0]
    if fuller := _columns_with_fewer_zeros(facts, best, possible):
        return Ranking(rivals=tuple(dict.fromkeys((*fuller, *possible))))
    near = [n for n in possible if scored[n] >= scored[best] - MARGIN]
    all_people = whole_of_sexes(facts, free)
    if all_people and all_people != best:
        return Ranking(rivals=tuple(dict.fromkeys((all_people, best, *possible))))
    beside = siblings_of(facts, best, free)
    if beside and whole is None:
        return Ranking(rivals=tuple(dict.fromkeys((best, *beside, *possible))))
    if len(possible) > 1 and earlier_than(best, facts.sheet.heading):
        return Ranking(rivals=tuple(possible))
    if terms := balanced_with(facts, best, free):
        return Ranking(rivals=tuple(dict.fromkeys((best, *terms, *possible))))
    if named_total(facts[best]) and total_of_something_else(facts, best, possible):
        return Ranking(rivals=tuple(possible))
    if alike := _coded_alike(facts, best, possible):
        return Ranking(rivals=tuple(dict.fromkeys((*alike, *possible))))
    if len(possible) > _SEVERAL_MEASURES and _is_half_understood(facts[best]):
        return Ranking(rivals=tuple(possible))
    if scored[best] >= SURE and len(near) == 1:
        return Ranking(
            best=best, why="judging by its name and its numbers", by_name=True,
            others=tuple(possible[1:]),
        )  # fmt: skip
    return Ranking(rivals=tuple(possible))


def _is_half_understood(column: ColumnFacts) -> bool:
    """Return whether a name has a word for people or things beside a short one of no known meaning.

    Such a word may say that the number is a density or a mean, as in "bev_dich".
    """
    if column.plain in COUNT or STOCK.fullmatch(column.plain) or _NUMBER_OF.search(column.plain):
        return False
    return any(
        len(word) <= _ABBREVIATED and word.isalpha() and not _is_known(word)
        for word in column.plain.split("_")
    )


def _is_known(word: str) -> bool:
    return (
        word in _KNOWN_WORDS
        or any(known.fullmatch(word) for known in (PERSON, CATEGORY, NOT_A_COUNT))
        or bool(PLACE.search(word))
    )


def _coded_alike(facts: SheetFacts, best: str, possible: Sequence[str]) -> list[str]:
    """Return the columns with the letters of the best one and other digits, in their order.

    Such names, for example N1, N2 and N00200, are codes of several measures, none of which a name
    prefers. The result is empty if there is no second one, or if the best one is the first of its
    table.
    """
    stem = _coded_stem(facts[best])
    alike = [n for n in possible if stem and _coded_stem(facts[n]) == stem]
    numbers = facts[best].values
    total = _first_of_table(best) and not any((facts[n].values > numbers).any() for n in alike)
    if len(alike) < _SEVERAL_MEASURES or total:
        return []
    return sorted(alike, key=facts.sheet.names.index)


def _coded_stem(column: ColumnFacts) -> str:
    """Return the letters of a name of few letters and a number; empty for other names and years."""
    match = _CODED.fullmatch(column.plain)
    return match[1] if match and not _YEAR_NAME.fullmatch(column.plain) else ""


def _total_of_ranges(facts: SheetFacts, free: Sequence[str], ranges: Sequence[str]) -> str:
    """Return the column that is the sum of columns for ranges in most rows and never less.

    In the others, a range is not published. The result is empty if there is no such column.
    """
    if len(ranges) < _MIN_ROWS:
        return ""
    sums = np.nansum([facts[n].values for n in ranges], axis=0)
    for name in free:
        column = facts[name]
        if name in ranges or not column.numeric or column.leading_zeros:
            continue
        same = (column.values == sums) & (sums > 0)
        if (column.values >= sums).all() and same.sum() >= max(_MIN_SAME, _MOSTLY * len(sums)):
            return name
    return ""


def _nearly_the_whole(facts: SheetFacts, total: str, parts: Sequence[str]) -> str:
    """Return a part that is named as a count like its total and is nearly all of it; else empty.

    Both are populations then, one without people who are also counted elsewhere.
    """
    counts = COUNT | _POPULATIONS
    if facts[total].plain not in counts:
        return ""
    whole = float(np.nansum(facts[total].values))
    named = [n for n in parts if facts[n].plain in counts]
    near = [n for n in named if np.nansum(facts[n].values) >= _NEARLY_WHOLE * whole]
    return near[0] if near else ""


def _columns_with_fewer_zeros(facts: SheetFacts, best: str, possible: Sequence[str]) -> list[str]:
    """Return other columns of numbers if the best one is 0 in most rows and they are not.

    Such a table counts several groups of people, of which the best column is only one.
    """
    if facts[best].plain in COUNT or _share_of_zeros(facts[best]) <= _MOSTLY:
        return []
    fuller = [n for n in possible if n != best and _share_of_zeros(facts[n]) <= _MOSTLY]
    return sorted(fuller, key=lambda n: -float(np.nansum(facts[n].values)))


def _share_of_zeros(column: ColumnFacts) -> float:
    """Return the proportion of cells that are 0 or not a number."""
    return float((np.nan_to_num(column.values) == 0).mean())


def _sum_of_all(facts: SheetFacts, free: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """Return the column that is the sum of all other columns of whole numbers, and these columns.

    Columns of single ages are an example. By themselves, some of them may look like codes.
    """
    numbers = [n for n in free if facts[n].numeric and facts[n].whole > _NEARLY_ALL
               and not facts[n].leading_zeros and not CODE.fullmatch(facts[n].plain)]  # fmt: skip
    if not _MAX_PARTS < len(numbers) <= _MAX_SUMMED:
        return None
    values = np.column_stack([facts[n].values for n in numbers])
    if np.isnan(values).any() or len(values) < _MIN_ROWS:
        return None
    sums = values.sum(axis=1)
    totals = [n for n in numbers if (2 * facts[n].values == sums).all()]
    if len(totals) != 1 or not sums.any():
        return None
    return totals[0], tuple(n for n in numbers if n != totals[0])


def sum_of_others(facts: SheetFacts, names: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """Return a column that is the sum of two or more others in every row, and these columns.

    Where parts are not published, it is enough if the known ones add up to it in most rows.
    """
    values = {name: facts[name].values for name in names[:60]}
    several = [n for n in values if np.nansum(values[n]) > 0]
    for total in sorted(several, key=lambda n: -float(np.nansum(values[n]))):
        parts = [
            n for n in several if n != total and np.nansum(values[n]) <= np.nansum(values[total])
        ]
        for chosen in _subsets(parts):
            added = np.sum([values[n] for n in chosen], axis=0)
            both = ~np.isnan(added) & ~np.isnan(values[total])
            if both.sum() >= 2 and (added[both] == values[total][both]).all():
                return total, tuple(chosen)
            if _sum_of_known(values, chosen, total):
                return total, tuple(chosen)
    return None


def _sum_of_known(values: Mapping[str, FloatArray], parts: Sequence[str], total: str) -> bool:
    """Return whether a column is the sum of the known parts in most rows and never less.

    A mark such as [z] stands for a part that does not exist.
    """
    whole, columns = values[total], [values[name] for name in parts]
    if np.isnan(whole).any() or not any(np.isnan(column).any() for column in columns):
        return False
    sums = np.nansum(columns, axis=0)
    if (sums > whole).any():
        return False
    same = (sums == whole) & (whole > 0)
    return int(same.sum()) >= _MIN_SAME and float(same.mean()) >= _MOSTLY


def totals_of_runs(facts: SheetFacts, names: Sequence[str]) -> list[str]:
    """Return the columns that are the sum of two or more just before or after, in every row."""
    ordered = sorted(names, key=facts.sheet.names.index)[:_MAX_SUMMED]
    values = {name: np.nan_to_num(facts[name].values) for name in ordered}
    totals = []
    for place, name in enumerate(ordered):
        for beside in (ordered[:place][::-1], ordered[place + 1 :]):
            sums = np.zeros(facts.n_rows)
            for n_parts, part in enumerate(beside, start=1):
                sums = sums + values[part]
                if (sums > values[name]).any():
                    break
                if n_parts > 1 and sums.any() and (sums == values[name]).all():
                    totals.append(name)
                    break
    return list(dict.fromkeys(totals))


def _in_sums(facts: SheetFacts, names: Sequence[str]) -> set[str]:
    """Return columns of whole numbers that are the sum of others in every row, and these others.

    Numbers of one length look like codes, but codes do not add up. Columns that differ only in a
    number count groups by size or people by age, and are left to other rules.
    """
    whole = [n for n in names if facts[n].numeric and not facts[n].fractions]
    if facts.n_rows < _MIN_SAME or not 2 < len(whole) <= _MAX_EXPLAINED:
        return set()
    totals = [n for n in totals_of_runs(facts, whole) if facts[n].distinct >= _MIN_SAME]
    sums = [(total, parts_of_total(facts, total, whole) - {total}) for total in totals]
    return {
        name for total, parts in sums for name in (total, *parts)
        if len({re.sub("[0-9]", "", part).strip("+ ") for part in parts}) == len(parts) > 1
    }  # fmt: skip


def parts_of_total(facts: SheetFacts, total: str, names: Sequence[str]) -> set[str]:
    """Return the columns into which a total is divided, step by step.

    For example, it is divided by origin, and each origin by sex. Two columns are parts of a third
    if they add up to it in all rows, and so are all remaining columns together. Columns of one
    published table are parts of its first column if none is larger.
    """
    values = {name: facts[name].values for name in names[:_MAX_EXPLAINED]}
    known, left = [total], [name for name in values if name != total]
    if total not in values:
        return set()
    for whole in known:  # grows as it goes on
        for pair in combinations(left, 2):
            if set(pair) <= set(left) and _add_up_to(values, pair, whole):
                known += pair
                left = [name for name in left if name not in pair]
        if len(left) > 2 and _add_up_to(values, left, whole):
            known += left
            left = []
    stem = _first_of_table(total)
    table = {name for name in left if stem and name.startswith(stem)}
    return set(known) | {n for n in table if not (values[n] > values[total]).any()}


def _first_of_table(name: str) -> str:
    """Return the stem of the first column of a published table, as U7B of U7B001; else empty."""
    match = re.fullmatch("([A-Z][A-Z0-9]{1,5}_?)0{1,2}1[A-Z]?", name)
    return match[1] if match else ""


def _add_up_to(values: Mapping[str, FloatArray], parts: Sequence[str], whole: str) -> bool:
    """Return whether columns add up to another one in every row in which all are known."""
    sums = np.sum([values[name] for name in parts], axis=0)
    both = ~np.isnan(sums) & ~np.isnan(values[whole])
    same = bool((sums[both] == values[whole][both]).all())
    return same and int((sums[both] > 0).sum()) >= _MIN_ROWS


def _subsets(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return subsets of the columns, the largest first; for many columns only all and pairs."""
    if len(names) < 2:
        return []
    sizes = range(len(names), 1, -1) if len(names) <= _MAX_PARTS else (len(names), 2)
    limited = names[:12]
    return [
        chosen
        for size in dict.fromkeys(sizes)
        for chosen in ([tuple(names)] if size == len(names) else combinations(limited, size))
    ]


def named_total(column: ColumnFacts) -> bool:
    """Return whether the name of a column is a word for a total."""
    return bool(TOTAL.fullmatch(column.plain))
