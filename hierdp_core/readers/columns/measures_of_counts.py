"""Tables of counts: which column holds them, or whether each row is one person."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from hierdp_core.readers.columns.count_rules import (
    Ranking,
    days,
    named_as_a_count,
    named_total,
    rank_counts,
    sum_of_others,
    totals_of_runs,
)
from hierdp_core.readers.columns.doubts import doubt_about, holds_changes
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts, called_total
from hierdp_core.readers.columns.mean_stocks import holds_means_of_a_stock
from hierdp_core.readers.columns.measure import MAX_CHOICES, Measure
from hierdp_core.readers.columns.no_counts import (
    named_as_a_measure,
    named_as_a_price,
    titled_as_a_measure,
)
from hierdp_core.readers.columns.partitions import (
    classes_in,
    crossed_in,
    months_in,
    newest_first,
    numbered_in,
    open_ended,
    other_sexes,
    parts_in,
    parts_of_years,
    ranges_in,
    single_ages,
    whole_of_sexes,
    year_in,
)
from hierdp_core.readers.columns.question import (
    NO_COUNTS_CHOICE,
    ROWS_ARE_RECORDS,
    Choice,
    Question,
)
from hierdp_core.readers.columns.rates import holds_measures, rates_question
from hierdp_core.readers.columns.record_rules import (
    describes_persons,
    identifies_rows,
    numbers_of_records,
    numbers_persons,
    person_columns,
    possible_weights,
    record_points,
    rows_repeat,
    weights_in,
)
from hierdp_core.readers.columns.row_identifiers import names_each_row
from hierdp_core.readers.columns.size_shapes import larger_than, numbered_beside, size_columns
from hierdp_core.readers.columns.sizes_of_rows import sizes_of_rows
from hierdp_core.readers.columns.stepped_codes import stepped_codes
from hierdp_core.readers.columns.titles import column_named_by_title
from hierdp_core.readers.columns.turned import TRANSPOSE_CHOICE, may_be_transposed
from hierdp_core.readers.columns.units import lines_of, scale_of
from hierdp_core.readers.columns.vocabulary import (
    CODE,
    LATITUDE,
    LONGITUDE,
    NOT_A_COUNT,
    PERSON,
    PLACE,
    POSTAL,
    ROW_NUMBER,
    STOCK,
    WEIGHT,
)
from hierdp_core.readers.report import shown_code, shown_codes
from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.text import by_number, counted, join_and

_MIN_ROWS = 3  # rows in which columns add up by no chance
_SHOWN = 4  # columns that a sentence names
_MAX_YEARS = 40  # years that a question offers
_MIN_RECORDS = 20  # rows with different numbers, so that they number records
_LEVEL = re.compile(r"(.*_)?(level|lvl|niveau|ebene|nivel|nivell?o|livello|poziom|niva)(_.*)?")
_MIN_WIDER = 5  # rows in which a count is never larger than another one by no chance
_FOLLOWS = 0.5  # correlation of the ranks of two counts of the same regions
_FOLLOWS_CLOSELY = 0.8  # such a correlation that codes do not have by chance
_NUMBERS = re.compile(r"(nummer|number|numero|code|(^|_)(nr|num|no|id|cod|kod))$")
_MOST_LEVELS = 6  # different numbers of levels
_ROWS_ARE_PERSONS = "each row is one person, so rows are counted"


def counts_of_regions(
    facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]
) -> Measure | None:
    """Return the column of counts, or take each row as a person; ask where both are possible.

    This rule accepts every table, so it is the last one.
    """
    named = {"count": str(stated["count"])} if stated.get("count") else {}
    parts = {"parts": tuple(stated["parts"])} if stated.get("parts") else {}
    if named or parts:
        ranking = rank_counts(facts, free)
        own = {*named.values(), *parts.get("parts", ())}
        return Measure(
            words={"kind": "counts", "row": "region"} | (named or parts),
            taken=frozenset(own),
            aside=frozenset(number_columns(ranking))
            - {_code_among(facts, ranking), *_codes_of_areas(facts, number_columns(ranking))}
            | _added_to(facts, named.get("count", "")),
            unused=number_columns(ranking),
        )  # fmt: skip
    if stated.get("row") == "person":
        return Measure(words={"kind": "counts", "row": "person"})
    steps = stepped_codes(facts)
    codes = () if steps is None else steps.levels
    ranking = rank_counts(facts, [n for n in free if n not in codes])
    if ranking.best and describes_persons(facts):
        best = facts[ranking.best]
        if not named_as_a_count(best) or identifies_rows(best):
            return _persons(facts, free)
    numbers = numbers_of_records(facts) if number_columns(ranking) else []
    if ranking.best and not numbers and describes_persons(facts):
        numbers = _numbers_in_no_order(facts)
    if numbers and not _divided_by_size(facts, ranking):
        return _records_or_counts(facts, ranking, numbers[0])
    if ranking.best and weights_in(facts, free) and (weighted := _weighted_records(facts, ranking)):
        return weighted
    if ranking.best and numbered_beside(ranking.best, [n for n in free if facts[n].numeric]):
        whole = sum_of_others(facts, number_columns(ranking))
        if whole is None or whole[0] != ranking.best:
            return _ambiguous_counts(facts, Ranking(rivals=number_columns(ranking)))
    if ranking.best and (wider := _wider_counts(facts, ranking, free)):
        return _ambiguous_counts(facts, Ranking(rivals=(ranking.best, *wider)))
    if ranking.best:
        return Measure(
            words={"kind": "counts", "row": "region", "count": ranking.best},
            taken=frozenset({ranking.best, *ranking.others}),
            reasons=(f"column {shown_code(ranking.best)} holds the counts, {ranking.why}",),
            question=None if "times" in stated else rates_question(facts, ranking.best),
            unused=ranking.others,
        )
    if titled := column_named_by_title(facts, ranking):
        return Measure(
            words={"kind": "counts", "row": "region", "count": titled}, taken=frozenset({titled}),
            reasons=(f"column {shown_code(titled)} holds the counts, judging by the title",),
        )  # fmt: skip
    counts = [n for n in ranking.rivals if named_as_a_count(facts[n])]
    if ranking.rivals and not counts and numbers_persons(facts):
        return _persons(facts, free)
    if ranking.rivals and not counts and (weighted := _weighted_records(facts, ranking)):
        return weighted
    if ranking.rivals:
        wider = _beyond_all(facts, ranking.rivals, free)
        return _ambiguous_counts(facts, Ranking(rivals=(*ranking.rivals, *wider)))
    return _persons(facts, free)


def _numbers_in_no_order(facts: SheetFacts) -> list[str]:
    """Return columns called "id" or without a name that have a different number in each row."""
    return [
        name for name in facts.sheet.names
        if (name.startswith("column ") or ROW_NUMBER.fullmatch(facts[name].plain))
        and facts[name].numeric and not facts[name].fractions
        and facts[name].distinct == facts.n_rows and not facts[name].counts_rows
    ]  # fmt: skip


def _divided_by_size(facts: SheetFacts, ranking: Ranking) -> bool:
    """Return whether columns number sizes and another column is their sum, as no record has."""
    names = number_columns(ranking)
    totals = totals_of_runs(facts, names)
    return any(
        np.array_equal(facts[total].values, np.sum([facts[n].values for n in sizes], axis=0))
        for choice in _of_several(facts, names) if (sizes := choice.stated.get("sizes"))
        for total in totals if total not in sizes
    )  # fmt: skip


def _records_or_counts(facts: SheetFacts, ranking: Ranking, number: str) -> Measure:
    """Take each row as one record, and ask whether a column of numbers is meant instead."""
    record = Choice(words=ROWS_ARE_RECORDS, stated={"kind": "counts", "row": "person"})
    counted = [n for n in number_columns(ranking) if n != number]
    added = [
        _added_up(_holds_counts(facts, name))
        for name in counted[:MAX_CHOICES]
    ]  # fmt: skip
    return Measure(
        words={"kind": "counts", "row": "person"},
        taken=frozenset({number, *number_columns(ranking)}),
        question=Question(
            what=f"each row has a number of its own in column {shown_code(number)}, so it may be "
            "one record. It is not clear whether rows are counted or a column holds the counts",
            choices=(record, *sizes_of_rows(facts), *added),
        ),
    )


def _weighted_records(facts: SheetFacts, ranking: Ranking) -> Measure | None:
    """Take rows as records with weights, and ask a question; return None for other tables.

    Columns of words would distinguish the rows of a table with one row for each region.
    """
    numbers = number_columns(ranking)
    coded = [n for n in numbers if _divides(facts, n)]
    others = [
        _added_up(_holds_counts(facts, name))
        for name in numbers[:MAX_CHOICES]
        if name not in coded
    ]  # fmt: skip
    question = weights_question(facts, others)
    if question is None or facts.n_rows < _MIN_RECORDS or _one_text_each(facts):
        return None
    return Measure(words={"kind": "counts", "row": "person"}, question=question)


def _divides(facts: SheetFacts, name: str) -> bool:
    """Return whether numbers without gaps or blanks lie in or above other classes of records.

    Cluster and domain numbers do. Numbers of persons differ between records of a class.
    """
    own = facts[name]
    if own.distinct != own.distinct_filled or not 1 < own.distinct <= facts.n_rows // _MIN_ROWS:
        return False
    return any(
        1 < facts[other].distinct <= facts.n_rows // _MIN_ROWS
        and facts[other].distinct != own.distinct
        and (facts.within([name], other) or facts.within([other], name))
        for other in facts.sheet.names
        if other != name and not facts[other].fractions
    )


def number_columns(ranking: Ranking) -> tuple[str, ...]:
    """Return all columns of a ranking: the best one, those beside it and those that compete."""
    return tuple(name for name in (ranking.best, *ranking.others, *ranking.rivals) if name)


def _added_to(facts: SheetFacts, count: str) -> frozenset[str]:
    """Return pairs of columns that add up to the count in each row, so they are not regions."""
    numbers = [n for n in facts.sheet.names if n != count and facts[n].numeric][:_MAX_YEARS]
    if not count or count not in facts.columns or facts.n_rows < _MIN_ROWS:
        return frozenset()
    total = facts[count].values
    pairs = [
        pair for pair in combinations(numbers, 2)
        if np.array_equal(facts[pair[0]].values + facts[pair[1]].values, total)
    ]  # fmt: skip
    return frozenset(name for pair in pairs for name in pair)


def _wider_counts(facts: SheetFacts, ranking: Ranking, free: Sequence[str]) -> tuple[str, ...]:
    """Return further columns of counts that are never smaller than the one taken.

    Such a column counts people of whom the one taken may be a part, as deaths are of cases, or
    ballots of the electors. A name for the stock at a time is sufficient.
    """
    best = facts[ranking.best]
    if STOCK.fullmatch(best.plain):
        return ()
    least = _FOLLOWS if ranking.by_name else _FOLLOWS_CLOSELY
    return tuple(n for n in free if n != best.name and _is_wider(facts, n, best.name, least))


def _beyond_all(facts: SheetFacts, counts: Sequence[str], free: Sequence[str]) -> tuple[str, ...]:
    """Return columns that are never smaller than any of the counts and rise and fall with one.

    Their numbers may have the same length, as codes have, where regions are alike.
    """
    return tuple(
        name
        for name in free
        if name not in counts
        and all(_is_wider(facts, name, count, -1.0) for count in counts)
        and any(_is_wider(facts, name, count, _FOLLOWS_CLOSELY) for count in counts)
    )


def _is_wider(facts: SheetFacts, name: str, count: str, least: float) -> bool:
    """Return whether a column may count all people of whom another one counts a part.

    Args:
        facts: facts about the table.
        name: the column.
        count: a column of counts.
        least: the least correlation of the ranks of their numbers.
    """
    own, part = facts[name], facts[count]
    if not (own.numeric and part.numeric) or own.fractions or own.leading_zeros:
        return False
    if least < _FOLLOWS_CLOSELY and 2 * own.distinct <= facts.n_rows:
        return False  # may be codes of upper regions, which repeat and do not follow the counts
    known = ~np.isnan(part.values)
    values = own.values[known]
    if facts.n_rows < _MIN_WIDER or not known.any() or np.isnan(values).any():
        return False
    wider = (values >= part.values[known]).all() and (values > part.values[known]).any()
    return bool(
        wider and _correlation(values, part.values[known]) >= least and not doubt_about(facts, name)
    )


def _correlation(one: FloatArray, other: FloatArray) -> float:
    """Return the correlation of the ranks of two columns of numbers; -1 if one is constant."""
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return -1.0
    ranks, others = (np.argsort(np.argsort(values)).astype(float) for values in (one, other))
    return float(np.corrcoef(ranks, others)[0, 1])


def _code_among(facts: SheetFacts, ranking: Ranking) -> str:
    """Return the column of codes of regions in a table that has only numbers; empty for none.

    Each of its rows has a different value.
    """
    texts = [n for n in facts.sheet.names if not facts[n].numeric]
    return next((n for n in number_columns(ranking) if not texts and facts.one_row_each([n])), "")


def _codes_of_areas(facts: SheetFacts, names: Sequence[str]) -> list[str]:
    """Return the columns of codes of regions: whole numbers under words for these and for numbers.

    Examples are "upper_area_number" and "Kreisnummer", whose numbers occur in several rows.
    """
    return [
        n for n in names
        if PLACE.search(facts[n].plain) and _NUMBERS.search(facts[n].plain)
        and not named_as_a_count(facts[n])
        and facts[n].whole == 1.0 and 1 < facts[n].distinct < facts.n_rows
    ]  # fmt: skip


def _ambiguous_counts(facts: SheetFacts, ranking: Ranking) -> Measure:
    """Return a layout and a question, where several columns may hold the counts.

    The same question is asked if only one column may hold them, but its name does not confirm it.
    """
    code = _code_among(facts, ranking)
    totals = totals_of_runs(facts, ranking.rivals)
    likely = newest_first(
        sorted(
            ranking.rivals,
            key=lambda n: (
                n == code,
                identifies_rows(facts[n]),
                holds_changes(facts[n]),
                n not in totals,
                not named_total(facts[n]),
            ),
        )
    )
    count = likely[0]
    crossed = _crossed_cells(facts, set(ranking.rivals))
    many = bool(crossed) or all(year_in(name) for name in likely)
    most = _MAX_YEARS if many else MAX_CHOICES
    usable = [n for n in likely if not identifies_rows(facts[n])] or likely
    offered = _without_measures(facts, usable)
    if crossed:
        offered = [*crossed, *(n for n in offered if n not in crossed)]
    choices = [_holds_counts(facts, name) for name in offered[:most]]
    numbers = [n for n in facts.sheet.names if facts[n].numeric]
    whole = parts_in(facts, numbers)
    others = other_sexes(numbers, whole) if whole else ()
    whole_and_others = [(*whole, *others), whole] if others else [whole]
    sums = [
        Choice(
            words=f"the counts are the sum of columns {join_and([shown_code(n) for n in parts])}",
            stated={"parts": parts},
        )
        for parts in (whole_and_others if whole else parts_of_years(facts, numbers))
    ]
    all_people = offered[0] == whole_of_sexes(facts, numbers)
    choices = [*choices[:1], *sums, *choices[1:]] if all_people else [*sums, *choices]
    if len(ranking.rivals) == 1:
        what = f"it is not clear whether column {shown_code(ranking.rivals[0])} holds the counts"
    elif len(offered) > most:
        what = (
            f"{len(offered)} columns may hold the counts. The {most} most likely are "
            "offered, and the setting count can name any other"
        )
    elif len(offered) == 1:
        what = f"it is not clear whether column {shown_code(offered[0])} holds the counts"
    elif len(choices) > len(offered):
        what = f"{len(offered)} columns may hold the counts, which may also be a sum of columns"
    else:
        what = f"{len(offered)} columns may hold the counts"
    several = _of_several(facts, likely)
    if TRANSPOSE_CHOICE in several and any(named_as_a_count(facts[n]) for n in offered):
        several.remove(TRANSPOSE_CHOICE)
        choices.append(TRANSPOSE_CHOICE)
    choices = [*several, *choices]
    if crossed and not any("parts" in choice.stated for choice in several):
        choices = [_all_added_up(facts, crossed), *choices]
    numbered = any(_numbers_records(facts[n]) for n in likely) or any(
        _numbers_records(facts[n])
        and not (CODE.fullmatch(facts[n].plain) or PLACE.search(facts[n].plain))
        for n in numbers
    )
    numbered = numbered and not _identified_by_codes(facts)
    records = [Choice(words=_ROWS_ARE_PERSONS, stated={"row": "person"}), *sizes_of_rows(facts)]
    years_beside = any(year_in(name) for name in likely)
    if record_points(facts) >= 2 and not years_beside:
        choices = [*records, *choices]
    elif numbered and len(records) > 1:
        finest = choices if any(names_each_row(facts, n) for n in facts.sheet.names) else []
        choices = [*records[1:], records[0], *map(_added_up, choices), *finest]
    elif (
        numbered
        or (years_beside and record_points(facts) >= 2)
        or not (_one_text_each(facts) or _published(facts))
    ):
        choices = [*choices, *records]
    has_a_count = any(named_as_a_count(facts[n]) and not _is_measure(facts[n]) for n in likely)
    titled = not has_a_count and titled_as_a_measure(facts.sheet.heading)
    if titled or (not crossed and all(_is_measure(facts[n]) for n in likely)):
        choices = [NO_COUNTS_CHOICE, *choices]
    elif not has_a_count:
        choices = [*choices, NO_COUNTS_CHOICE]
    return Measure(
        words={"kind": "counts", "row": "region", "count": count},
        taken=frozenset(ranking.rivals) - {code},
        question=Question(what=what, choices=tuple(choices)),
        unused=tuple(likely[1:]),
    )


def _holds_counts(facts: SheetFacts, name: str) -> Choice:
    """Return the answer that a column holds the counts, with a doubt that its name raises."""
    words = f"column {shown_code(name)} holds the counts"
    if doubt := doubt_about(facts, name):
        words = f"{words}, although {doubt}"
    elif facts[name].fractions:
        words = f"{words}, which have decimals"
    elif holds_means_of_a_stock(facts[name]):
        words = f"{words}, which are averages over a period by its name"
    return Choice(words=words, stated={"count": name})


def _added_up(choice: Choice) -> Choice:
    """Return the answer that a column holds the counts, whose rows are records of a region."""
    if "count" not in choice.stated:
        return choice
    return Choice(
        words=f"{choice.words}, which are added up", stated={**choice.stated, "add_up": True}
    )


def _is_measure(column: ColumnFacts) -> bool:
    """Return whether a column holds a rate, a share or the like, by its name or decimals."""
    return column.fractions or named_as_a_measure(column) or named_as_a_price(column)


def _without_measures(facts: SheetFacts, names: Sequence[str]) -> list[str]:
    """Return the columns without rates, shares and the like, unless there are no others.

    Estimates have decimals and are counts. Where their names say so, they come first.
    """
    estimates = [
        n for n in names
        if facts[n].fractions and named_as_a_count(facts[n]) and not doubt_about(facts, n)
    ]  # fmt: skip
    offered = [n for n in names if n in estimates or not _is_measure(facts[n])] or list(names)
    if estimates:
        most = np.nanmax([np.nan_to_num(facts[n].values) for n in estimates], axis=0)
        whole = [n for n in estimates if (np.nan_to_num(facts[n].values) == most).all()]
        offered.sort(key=lambda n: (n not in whole, not named_as_a_count(facts[n])))
    return offered


def _numbers_records(column: ColumnFacts) -> bool:
    """Return whether each row has a different number, in sequence or of equal length."""
    if column.fractions or not column.distinct == len(column.text) >= _MIN_RECORDS:
        return False
    return column.counts_rows or len({len(cell) for cell in column.filled.to_pylist()}) == 1


def _published(facts: SheetFacts) -> bool:
    """Return whether a table has a title, or a row called a total, as printed tables have."""
    texts = [c for c in facts.columns.values() if not c.numeric]
    return bool(facts.sheet.heading) or any(called_total(c.different).any() for c in texts)


def _one_text_each(facts: SheetFacts) -> bool:
    """Return whether columns of words or of nested codes distinguish all rows, as regions do.

    Days and times do not name regions, so that they do not count.
    """
    if _identified_by_codes(facts):
        return True
    texts = [n for n in facts.sheet.names if not facts[n].numeric and not facts[n].moments]
    return any(facts.one_row_each([n]) for n in texts) or facts.one_row_each(texts)


def _identified_by_codes(facts: SheetFacts) -> bool:
    """Return whether codes of several levels identify all rows, so that rows are regions."""
    weighted = any(WEIGHT.fullmatch(column.plain) for column in facts.columns.values())
    chained = any(facts.one_row_each([n]) for n in facts.chains) and not weighted
    return chained or stepped_codes(facts) is not None


def _of_several(facts: SheetFacts, names: Sequence[str]) -> list[Choice]:
    """Return the answers that use several columns: as regions, sizes, months or ages."""
    names = sorted(names, key=facts.sheet.names.index)
    choices = [TRANSPOSE_CHOICE] if may_be_transposed(facts) else []
    if sizes := numbered_in(names):
        larger = open_ended(facts.sheet.names, sizes)
        whole = (*sizes, larger) if larger else sizes
        one = {"kind": "group-sizes", "sizes": whole, "first_size": 1}
        shown = f"columns {shown_code(whole[0])} to {shown_code(whole[-1])}"
        if beside := [] if larger else larger_than(len(whole), names, like=whole[0]):
            shown = f"{shown_codes(beside, shown=MAX_CHOICES)} are left out, and {shown}"
        if not larger:
            words = f"{shown} count groups of size 1 to {len(whole)}"
            choices.append(Choice(words=words, stated=one))
        choices.append(
            Choice(words=f"{shown} count groups of size 1 to {len(whole)}, and the last also "
                         "counts larger groups", stated=one | {"top_coded": True})
        )  # fmt: skip
    else:
        choices += size_columns(names)
    if months := months_in(names) or ranges_in(names) or single_ages(names) or classes_in(names):
        shown = f"columns {shown_code(months[0])} to {shown_code(months[-1])}"
        words = f"the counts are the sum of {shown}"
        choices.append(Choice(words=words, stated={"parts": months}))

    return choices


def _crossed_cells(facts: SheetFacts, names: Collection[str]) -> tuple[str, ...]:
    """Return the columns for all combinations of two categories, some of them among `names`."""
    cells = [
        n for n in facts.sheet.names
        if facts[n].numeric and not (facts[n].leading_zeros or _is_code(facts[n]))
        and not NOT_A_COUNT.fullmatch(facts[n].plain)
    ]  # fmt: skip
    crossed = crossed_in(cells)
    if not set(crossed) & set(names) or any(named_as_a_measure(facts[n]) for n in crossed):
        return ()
    return crossed


def _all_added_up(facts: SheetFacts, names: Sequence[str]) -> Choice:
    """Return the answer that the counts are the sum of columns for combinations of categories."""
    shown = f"{shown_code(names[0])} to {shown_code(names[-1])}"
    words = f"the counts are the sum of all {len(names)} columns from {shown}"
    stated: dict[str, Any] = {"parts": tuple(names)}
    if any(facts[n].fractions for n in names):
        stated["times"] = scale_of((*facts.sheet.names, *lines_of(facts.sheet.heading)))
    return Choice(words=words, stated=stated)


def weights_question(
    facts: SheetFacts, others: Sequence[Choice] = (), *, possible: bool = False
) -> Question | None:
    """Ask how much each person of a survey counts, where columns look like weights.

    Args:
        facts: facts about the table.
        others: further answers.
        possible: columns without a name for weights are offered too, if no other has one.
    """
    person = Choice(
        words="each row is one person, who counts once", stated={"kind": "counts", "row": "person"}
    )
    weighted = {"kind": "counts", "row": "region"}
    return _weighted_question(facts, "person", (person, *others), weighted, possible=possible)


def weighted_trips_question(facts: SheetFacts, ends: Mapping[str, Any]) -> Question | None:
    """Ask how much each trip of a survey counts, where columns look like weights.

    Args:
        facts: facts about the table.
        ends: the settings of the origins and the destinations.
    """
    stated = {word: ends[word] for word in ("kind", "levels", "destinations")}
    once = Choice(words="each row is one trip, which counts once", stated={**stated, "row": "trip"})
    return _weighted_question(facts, "trip", (once,), {**stated, "row": "pair"})


def weighted_groups_question(facts: SheetFacts, size: str) -> Question | None:
    """Ask how much each group of a survey counts, where columns look like weights.

    Args:
        facts: facts about the table.
        size: the column of the sizes of groups.
    """
    once = Choice(
        words=f"each row is one group, which counts once, and column {shown_code(size)} holds its "
        "size",
        stated={"kind": "group-sizes", "size": size, "row": "group"},
    )
    rows = Choice(
        words="rows are counted, without their sizes", stated={"kind": "counts", "row": "person"}
    )
    weighted = {"kind": "counts", "row": "region"}
    return _weighted_question(facts, "group", (once, rows), weighted)


def _weighted_question(
    facts: SheetFacts,
    record: str,
    once: tuple[Choice, ...],
    weighted: Mapping[str, Any],
    *,
    possible: bool = False,
) -> Question | None:
    """Return a question on how much each record of a survey counts, if columns look like weights.

    Args:
        facts: facts about the table.
        record: what a row is.
        once: the answers that do not use weights, of which the first is the first of all.
        weighted: the settings of the answers that use weights, without the column.
        possible: columns without a name for weights are offered too, if no other has one.
    """
    names = [n for n in facts.sheet.names if not days(facts[n])]
    sure = weights_in(facts, names)
    weights = sure or (possible_weights(facts, names) if possible else [])
    if not weights:
        return None
    whole = [
        Choice(
            words=f"each {record} counts with the weight in column {shown_code(name)}",
            stated={**weighted, "count": name, "add_up": True}
            | ({"times": 1} if facts[name].fractions else {}),
        )
        for name in weights[:MAX_CHOICES]
    ]
    return how_much(weights, record, (once[0], *whole, *once[1:]), sure=bool(sure))


def how_much(
    weights: Sequence[str], record: str, choices: tuple[Choice, ...], *, sure: bool = True
) -> Question:
    """Return a question on how much each record of a survey counts.

    Args:
        weights: the columns that hold weights.
        record: what a row is.
        choices: the answers.
        sure: names state the weights; False for weights that are only possible.
    """
    shown = shown_codes(weights, shown=_SHOWN)
    why = f"the table holds survey weights ({shown})"
    if not sure:
        why = f"numbers in the table may be survey weights ({shown})"
    return Question(
        what=f"it is not clear how much each {record} counts, because {why}. Weighted counts "
        "estimate the population and are not counts of records: a guarantee then protects one "
        "unit of weight, not one record. To protect each record, count it once",
        choices=choices,
    )


def _persons(facts: SheetFacts, free: Sequence[str]) -> Measure:
    """Take each row as one person, and ask where the rows may be something else."""
    taken = frozenset(n for n in free if PERSON.fullmatch(facts[n].plain))
    words = {"kind": "counts", "row": "person"}
    if record_points(facts) >= 2 and len(facts.sheet.names) > 1:
        why = f"there is no column of counts and {_persons_in_words(facts)}"
        reason = f"each row is one person, because {why}"
        return Measure(
            words=words,
            taken=taken,
            reasons=(reason,),
            question=weights_question(facts, possible=True),
        )
    person = Choice(words=_ROWS_ARE_PERSONS, stated={"row": "person"})
    numbers = [n for n in free if facts[n].numeric and not facts[n].fractions]
    numbers = [n for n in numbers if not POSTAL.fullmatch(facts[n].plain) and not days(facts[n])]
    numbers = [n for n in numbers if not (identifies_rows(facts[n]) or facts[n].years)]
    numbers = [n for n in numbers if not _is_code(facts[n])] or numbers
    numbers = [n for n in numbers if not _numbers_or_locates(facts[n])]
    parts = [n for n in free if facts[n].fractions and facts[n].plain not in LATITUDE | LONGITUDE]
    parts = [
        n for n in parts
        if holds_means_of_a_stock(facts[n]) or not NOT_A_COUNT.fullmatch(facts[n].plain)
    ]  # fmt: skip
    times = scale_of((*facts.sheet.names, *lines_of(facts.sheet.heading)))
    crossed = _crossed_cells(facts, {*numbers, *parts})
    most = _MAX_YEARS if crossed else MAX_CHOICES
    choices = (
        ([_all_added_up(facts, crossed)] if crossed else [])
        + [_holds_counts(facts, name) for name in numbers[: most - 1]]
        + [
            Choice(
                words=f"column {shown_code(name)} holds the counts in units of {times:,}",
                stated={"count": name, "times": times},
            )
            for name in parts[:most]
            if times > 1
        ]
        + [
            Choice(
                words=f"column {shown_code(name)} holds the counts, which are rounded",
                stated={"count": name, "times": 1},
            )
            for name in parts[:most]
        ]
    )
    what = (
        "no column clearly holds counts, so each row may be one record. If the file is a list of "
        "areas or codes, read it together with the table that uses them"
    )
    if left_out := max(0, len(numbers) - most + 1) + max(0, len(parts) - most):
        what = f"{what}. {counted(left_out, 'further column')} can be named with the setting count"
    described = person_columns(facts) or numbers_of_records(facts) or not choices
    records = (person, *sizes_of_rows(facts))
    weighted = weights_question(facts, (*records[1:], *choices))
    yearly = _one_row_a_year(facts) and not person_columns(facts)
    if weighted and not yearly and not _one_text_each(facts):
        return Measure(words=words, taken=taken, question=weighted)
    answers = (*records, *choices) if described else (*choices, *records)
    measured = bool(parts) and not numbers and times == 1 and not person_columns(facts)
    measured &= not crossed
    measured |= bool(numbers) and not parts and all(_is_measure(facts[n]) for n in numbers)
    named = [c for c in facts.columns.values() if holds_measures(c)]
    measured |= bool(named) and not numbers and not parts and not person_columns(facts)
    measured |= titled_as_a_measure(facts.sheet.heading) and not person_columns(facts)
    measured |= _lists_regions(facts) and not choices
    measured &= not any(holds_means_of_a_stock(facts[n]) for n in parts)
    if measured and yearly:
        answers = tuple(choice for choice in answers if choice != person)
    answers = (NO_COUNTS_CHOICE, *answers) if measured else (*answers, NO_COUNTS_CHOICE)
    return Measure(words=words, taken=taken, question=Question(what=what, choices=answers))


def _one_row_a_year(facts: SheetFacts) -> bool:
    """Return whether each row is another year of a region or thing, so that it is not a person."""
    years = [n for n in facts.sheet.names if facts[n].years and facts[n].distinct >= _MIN_ROWS]
    texts = [n for n in facts.sheet.names if not facts[n].numeric]
    return any(
        1 < facts[n].distinct < facts.n_rows and facts.one_row_each([n, year])
        for year in years for n in texts
    )  # fmt: skip


def _numbers_or_locates(column: ColumnFacts) -> bool:
    """Return whether a column holds row numbers, level numbers or coordinates."""
    rows = column.counts_rows and len(column.text) >= _MIN_RECORDS and not named_as_a_count(column)
    levels = bool(_LEVEL.fullmatch(column.plain)) and column.distinct <= _MOST_LEVELS
    return rows or levels or column.plain in LATITUDE | LONGITUDE


def _lists_regions(facts: SheetFacts) -> bool:
    """Return whether rows have coordinates and a code or name of their own, and no person."""
    plain = {column.plain for column in facts.columns.values()}
    located = bool(plain & LATITUDE) and bool(plain & LONGITUDE)
    return located and not person_columns(facts) and _one_text_each(facts)


def _persons_in_words(facts: SheetFacts) -> str:
    """Return why rows are taken for persons: they repeat, or columns describe persons."""
    if rows_repeat(facts):
        return "rows repeat"
    names = [n for n in person_columns(facts) if facts[n].distinct > 1]
    describe = by_number(len(names), "describes", "describe")
    return f"{shown_codes(names, shown=_SHOWN)} {describe} persons"


def _is_code(column: ColumnFacts) -> bool:
    """Return whether the numbers of a column are codes, by its name or by leading zeros."""
    return column.leading_zeros or bool(CODE.fullmatch(column.plain))
