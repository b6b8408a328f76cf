"""Tables of groups by size: a column for each size, or a column of sizes."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from hierdp_core.readers.columns.count_rules import named_total, rank_counts
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.measure import MAX_CHOICES, Measure
from hierdp_core.readers.columns.measures_of_counts import (
    number_columns,
    weighted_groups_question,
)
from hierdp_core.readers.columns.partitions import single_ages
from hierdp_core.readers.columns.question import NO_COUNTS_CHOICE, Choice, Question
from hierdp_core.readers.columns.record_rules import describes_persons, numbers_of_records
from hierdp_core.readers.columns.slices import crosses
from hierdp_core.readers.columns.turned import TRANSPOSE_CHOICE, may_be_transposed
from hierdp_core.readers.columns.vocabulary import (
    COUNT,
    HOUSEHOLD,
    SIZE,
    plain_name,
    size_in,
    size_stem,
    sizes_in,
)
from hierdp_core.readers.formats.sheet import Text
from hierdp_core.readers.report import shown_code, shown_codes
from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.text import join_and

_SIZED = frozenset({"size", "count", "row"})  # what a person may state of a table of sizes
_MOST_SIZE = 99  # in the name of a column of larger groups
_MAX_BARE = 20  # sizes in numbers without a word; more are ages
_UNLIKELY = 5.0  # minus the logarithm of the probability that all are multiples by chance
_COUNTED = (
    "perso",
    "haush",
    "hushol",
    "hushal",
    "huish",
    "osob",
    "morador",
    "pesso",
    "hous",
    "componen",
)
_OF_GROUPS = re.compile(rf"{HOUSEHOLD}|siz|famil|member|人|员|員|가구|세대")
_OF_MEMBERS = re.compile(  # "Persons living in 2-person households"
    r"(einwohner|bewohner|personen|persons|people|residents|population|personnes|habitants|"
    r"personas|poblacion|habitantes|pessoas|populacao|persone|popolazione|residenti|osob[ay]?|"
    r"ludnosc|inwoners|personer|befolkning|asukkaat|henkilo[a-z]*)_"
    r"(living_|vivant_|lebend_|que_viven_)?(in|dans|en|em|w|i|von)_.+"
)
_SHOWN = 4  # marks that a sentence shows
_WHOLE = 4  # sizes from 1 to an open class, which are not a coincidence
_MOST_OTHERS = 3  # cells beside them: a total, a mean and the number of persons
_FEW_SIZES = 6  # numbers that may all be multiples of their sizes by chance


def wide_sizes(facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]) -> Measure | None:
    """Return the layout of a table with a column for each size of groups."""
    stems: dict[str, dict[int, tuple[str, bool, bool]]] = {}
    for name in free:
        size = None if name.startswith("column ") else size_in(name)
        if size is not None and (facts[name].numeric or facts[name].all_missing):
            stems.setdefault(size_stem(name), {}).setdefault(size[0], (name, *size[1:]))
    stems = _joined_singular(stems)
    columns = max(stems.values(), key=len, default={})
    sizes = sorted(columns)
    if len(sizes) < 2 or sizes[0] > 1 or sizes != list(range(sizes[0], sizes[-1] + 1)):
        return None
    if not any(facts[name].numeric for name, *_ in columns.values()):
        return _unpublished_sizes(facts, free, [columns[size][0] for size in sizes])
    spare = [n for n in free if size_in(n) and n not in {columns[size][0] for size in sizes}]
    names = tuple(columns[size][0] for size in sizes)
    more, worded = columns[sizes[-1]][1], any(columns[size][2] for size in sizes)
    if len(sizes) > _MAX_BARE and not worded and stated.get("kind") != "group-sizes":
        return None  # ages
    reason = f"{len(names)} columns count the groups of size {sizes[0]} to {sizes[-1]}"
    if more:
        last = shown_code(names[-1])
        reason = (
            f"{len(names)} columns count the groups of size {sizes[0]} to {sizes[-1]} or more "
            f"({last})"
        )
    words: dict[str, Any] = {
        "kind": "group-sizes", "row": "region", "sizes": names, "first_size": sizes[0],
        "top_coded": more,
    }  # fmt: skip
    shown = f"columns {shown_code(names[0])} to {shown_code(names[-1])}"
    ranking = rank_counts(facts, [n for n in free if n not in names])
    left = number_columns(ranking)
    reasons, question = totals_beside(facts, names, left)
    if not more and question is None and "sizes" not in stated:
        question = _larger_sizes(words, left, largest=sizes[-1])
    members = {"kind": "counts", "parts": names}
    groups = {k: words[k] for k in ("kind", "sizes", "first_size")}
    of_size = {size: columns[size][0] for size in sizes}
    ages_from_birth = sizes[0] == 0 and bool(single_ages(names)) and not facts.sheet.heading
    counted = None if "sizes" in stated else members_or_groups(facts, of_size, groups, more=more)
    if counted is not None:
        question = counted
    elif "sizes" not in stated and (
        spare or (not worded and (ages_from_birth or not (more and _titled_as_sizes(facts))))
    ):
        each_age = Choice(
            words=f"{shown} count persons of each age, and the counts are their sum",
            stated=members,
        )
        ages = [each_age] if single_ages(names) else []
        question = Question(
            what=f"it is not clear whether {shown} count groups of size {sizes[0]} to {sizes[-1]}",
            choices=(
                Choice(
                    words=f"{shown} count groups of size {sizes[0]} to {sizes[-1]}",
                    stated=groups,
                ),
                *ages,
                *(
                    Choice(words=f"column {shown_code(name)} holds the counts",
                           stated={"kind": "counts", "count": name})
                    for name in (*names, *left)[:MAX_CHOICES]
                ),
            ),
        )  # fmt: skip
    return Measure(
        words=words, taken=frozenset({*names, *left}), reasons=(reason, *reasons),
        question=question, unused=left,
    )  # fmt: skip


def _unpublished_sizes(
    facts: SheetFacts, free: Sequence[str], names: Sequence[str]
) -> Measure | None:
    """Ask a question if the columns of sizes hold only marks for missing numbers."""
    left = number_columns(rank_counts(facts, [n for n in free if n not in names]))
    if not left:
        return None
    marks = dict.fromkeys(cell for n in names for cell in facts[n].different.to_pylist() if cell)
    return Measure(
        words={"kind": "counts", "row": "region", "count": left[0]},
        taken=frozenset({*names, *left}),
        question=Question(
            what=f"columns {shown_code(names[0])} to {shown_code(names[-1])} are columns of sizes, "
            f"but hold only marks for missing numbers ({shown_codes(list(marks), shown=_SHOWN)})",
            choices=tuple(
                Choice(words=f"column {shown_code(name)} holds the counts",
                       stated={"kind": "counts", "count": name})
                for name in left[:MAX_CHOICES]
            ),
        ),
    )  # fmt: skip


def _larger_sizes(
    words: Mapping[str, Any], left: Sequence[str], *, largest: int
) -> Question | None:
    """Ask about columns of larger groups under names that are not understood.

    An example is "6 Personen aufwärts" beside 1 to 5. Without them, large groups would be lost.
    """
    numbers = {n: _first_number(n) for n in left}
    if largest + 1 not in numbers.values():
        return None
    larger = [n for n, number in numbers.items() if largest < number <= _MOST_SIZE]
    stated = {k: words[k] for k in ("kind", "sizes", "first_size")}
    without = Choice(words=f"groups of more than {largest} are left out", stated=stated)
    whole = {**stated, "sizes": (*words["sizes"], larger[0]), "top_coded": True}
    open_class = Choice(
        words=f"column {shown_code(larger[0])} counts all groups of {largest + 1} or more",
        stated=whole,
    )
    return Question(
        what=f"{join_and([shown_code(n) for n in larger])} may count groups of more than {largest}",
        choices=(open_class, without) if len(larger) == 1 else (without,),
    )


def _first_number(name: str) -> int:
    """Return the first number in a name; 0 where there is none."""
    number = re.search("[0-9]+", unicodedata.normalize("NFKC", name))
    return int(number[0]) if number else 0


def stated_sizes(facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]) -> Measure | None:
    """Return the layout for the columns of sizes that a person gave.

    The first size comes from the name of the first column, and is 1 if there is none.
    """
    names = tuple(n for n in stated["sizes"] if n in facts.columns)
    first = size_in(names[0]) if names else None
    last = size_in(names[-1]) if names else None
    left = number_columns(rank_counts(facts, free))
    words = {
        "kind": "group-sizes", "row": "region", "sizes": names,
        "first_size": first[0] if first else 1, "top_coded": bool(last and last[1]),
    }  # fmt: skip
    return Measure(words=words, taken=frozenset({*names, *left}), unused=left)


def _joined_singular(
    stems: dict[str, dict[int, tuple[str, bool, bool]]],
) -> dict[str, dict[int, tuple[str, bool, bool]]]:
    """Return the sizes by the common part of their names; series that continue are joined.

    Examples are "1 person", "2 persons" and "5 or more".
    """
    joined = dict(sorted(stems.items(), key=lambda item: min(item[1])))
    for stem, sizes in list(joined.items()):
        for other, rest in list(joined.items()):
            alike = stem[:3] == other[:3] or stem.endswith(other) or other.endswith(stem)
            alike |= bool(_about(stem) & _about(other))
            whole = sorted({*sizes, *rest})
            goes_on = whole == [*range(whole[0], whole[0] + len(sizes) + len(rest))]
            if other != stem and alike and goes_on and stem in joined:
                sizes = joined[stem] = sizes | rest
                joined.pop(other)
    return joined


def _about(stem: str) -> set[str]:
    """Return the beginnings of words for persons and households that are in a name.

    >>> sorted(_about("personenhaushalte") & _about("haushalte_mit_personen"))
    ['haush', 'perso']
    """
    return {begin for begin in _COUNTED if begin in stem}


def totals_beside(
    facts: SheetFacts, sizes: Sequence[str], left: Sequence[str]
) -> tuple[list[str], Question | None]:
    """Return reasons and a question about columns that may be totals of the columns of sizes.

    A column with the sum of all sizes is not used. One that is called a total but is less than the
    sum leads to a question.
    """
    groups = np.sum([facts[name].values for name in sizes], axis=0)
    reasons = []
    for name in left:
        values = facts[name].values
        known = ~np.isnan(values) & ~np.isnan(groups)
        if known.any() and (values[known] == groups[known]).all():
            reasons.append(f"column {shown_code(name)} is their sum and is not used")
        elif named_total(facts[name]) and (values[known] < groups[known]).any():
            return reasons, Question(
                what=f"column {shown_code(name)} looks like the total but is less than the "
                     "sum of the columns of sizes",
                choices=(
                    Choice(
                        words="the columns of sizes are read, and this column is not used",
                        stated={"kind": "group-sizes", "sizes": tuple(sizes)},
                    ),
                    Choice(words=f"column {shown_code(name)} holds the counts",
                           stated={"kind": "counts", "count": name}),
                ),
            )  # fmt: skip
    return reasons, None


def long_sizes(facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]) -> Measure | None:
    """Return the layout of a table with a column of sizes, for groups or for counts of them."""
    size = str(stated.get("size") or next((n for n in free if _holds_sizes(facts, n)), ""))
    if not size or (not stated.keys() & _SIZED and describes_persons(facts)):
        return None  # the size of the household stands beside each of its members
    rest = [n for n in free if n != size]
    words: dict[str, Any] = {"kind": "group-sizes", "row": "region", "size": size}
    sizes = [parsed for parsed in sizes_in(facts[size].filled.to_pylist()[:60]) if parsed]
    words["top_coded"] = any(more for _, more, _ in sizes)
    taken = frozenset({size})
    repeated = facts[size].distinct < facts.n_rows
    aside = frozenset(n for n in rest if repeated and facts.twins(n, size))
    rest = [n for n in rest if n not in aside]
    reason = f"column {shown_code(size)} holds the size of a group"
    if stated.get("count"):
        return Measure(
            words=words | {"count": stated["count"]}, taken=taken | {str(stated["count"])},
            aside=aside, reasons=(reason,),
        )  # fmt: skip
    if stated.get("row") == "group":
        return Measure(words=words | {"row": "group"}, taken=taken, aside=aside, reasons=(reason,))
    ranking = rank_counts(facts, rest)
    taken |= {*number_columns(ranking)}
    if ranking.best and _counts_members(facts[size].text, facts[ranking.best].values):
        return Measure(
            words=words | {"count": ranking.best}, taken=taken, aside=aside, reasons=(reason,),
            question=_members_question(
                f"column {shown_code(ranking.best)}",
                {"kind": "group-sizes", "row": "region", "size": size, "count": ranking.best},
                {"kind": "counts", "count": ranking.best, "add_up": True},
            ),
            unused=ranking.others,
        )  # fmt: skip
    each = Choice(
        words="each row is one group, so rows are counted", stated={"size": size, "row": "group"}
    )
    if ranking.best and (numbers := numbers_of_records(facts)):
        return Measure(
            words=words | {"row": "group"}, taken=taken, aside=aside | {*numbers},
            reasons=(reason,),
            question=weighted_groups_question(facts, size)
            or Question(
                what=f"each row has a number of its own in column {shown_code(numbers[0])}, so it "
                "may be one group. It is not clear how many groups each row stands for",
                choices=(each, *_counted_by(size, number_columns(ranking))),
            ),
            unused=number_columns(ranking),
        )  # fmt: skip
    if ranking.best:
        more = f"column {shown_code(ranking.best)} holds the number of groups"
        return Measure(
            words=words | {"count": ranking.best}, taken=taken, aside=aside, reasons=(reason, more),
            unused=ranking.others,
        )  # fmt: skip
    if not ranking.rivals and not _holds_worded_sizes(facts, size):
        return Measure(
            words=words | {"row": "group"}, taken=taken, aside=aside,
            reasons=(reason, "each row is one group, because there is no column of counts"),
            question=weighted_groups_question(facts, size),
        )  # fmt: skip
    turned = [TRANSPOSE_CHOICE] if may_be_transposed(facts) else []
    choices = turned + _counted_by(size, ranking.rivals)
    texts = [n for n in facts.sheet.names if not facts[n].numeric]
    records = not facts.one_row_each([*texts, size])  # rows repeat, as those of households do
    crossed = (
        bool(choices) and not records and crosses(facts, [n for n in texts if n != size], size)
    )
    last: tuple[Choice, ...] = () if crossed else (each,)
    numbers = [n for n in facts.sheet.names if n != size and facts[n].numeric]
    if not choices and not records and numbers:
        last = (NO_COUNTS_CHOICE, each)  # numbers that are not counts, such as percentages
    return Measure(
        words=words | {"row": "group"}, taken=taken, aside=aside, reasons=(reason,),
        question=Question(what="it is not clear how many groups each row stands for",
                          choices=(each, *choices) if records else (*choices, *last)),
        unused=ranking.rivals,
    )  # fmt: skip


def _counted_by(size: str, names: Sequence[str]) -> list[Choice]:
    """Return the answers that a column holds the number of groups of each size."""
    return [
        Choice(words=f"column {shown_code(name)} holds the number of groups",
               stated={"size": size, "count": name})
        for name in names[:MAX_CHOICES]
    ]  # fmt: skip


def _counts_members(sizes: Text, numbers: FloatArray) -> bool:
    """Return whether all numbers are multiples of their sizes, so that they count members.

    The last size is ignored if it includes larger groups. By chance, a number is a multiple of its
    size s with probability 1/s. The product of these probabilities must be below exp(-5).
    """
    parsed = [size_in(cell) for cell in sizes.to_pylist()]
    size = np.array([entry[0] if entry and not entry[1] else 0 for entry in parsed])
    informative = (size >= 2) & (numbers > 0)
    if informative.sum() < _FEW_SIZES or float(np.log(size[informative]).sum()) < _UNLIKELY:
        return False
    return bool((numbers[informative] % size[informative] == 0).all())


def members_or_groups(
    facts: SheetFacts, columns: Mapping[int, str], groups: Mapping[str, Any], *, more: bool
) -> Question | None:
    """Ask a question if columns of sizes may count members, by their names or their numbers.

    Args:
        facts: facts about the table.
        columns: the column of each size.
        groups: the settings that read groups.
        more: the last column includes larger groups.
    """
    names = [*columns.values()]
    by_name = all(_OF_MEMBERS.fullmatch(plain_name(name)) for name in names)
    if not by_name and not _count_members(facts, columns, more):
        return None
    shown = f"columns {shown_code(names[0])} to {shown_code(names[-1])}"
    members = {"kind": "counts", "parts": tuple(names)}
    return _members_question(shown, groups, members, by_name=by_name)


def _count_members(facts: SheetFacts, columns: Mapping[int, str], more: bool) -> bool:
    """Return whether the numbers of all columns are multiples of their sizes.

    Args:
        facts: facts about the table.
        columns: the column of each size.
        more: the last column includes larger groups.
    """
    single = [size for size in columns if not (more and size == max(columns))]
    names = [columns[size] for size in single]
    if not all(facts[name].numeric for name in names):
        return False
    sizes = pa.array([str(size) for size in single for _ in range(facts.n_rows)])
    return _counts_members(sizes, np.nan_to_num(np.concatenate([facts[n].values for n in names])))


def _titled_as_sizes(facts: SheetFacts) -> bool:
    """Return whether the lines above a table have a word for groups or sizes, or there are none.

    A title such as "Buildings by number of floors" says that numbers are not those of members.
    """
    title = plain_name(facts.sheet.heading)
    return not title or bool(_OF_GROUPS.search(title)) or any(part in title for part in _COUNTED)


def _members_question(
    columns: str,
    groups: Mapping[str, Any],
    members: Mapping[str, Any],
    *,
    by_name: bool = False,
) -> Question:
    """Return the question whether numbers by size count members or groups."""
    count = "count" if columns.startswith("columns ") else "counts"
    it = "they" if columns.startswith("columns ") else "it"
    return Question(
        what=f"by their names, {columns} may count members instead of groups"
        if by_name
        else f"every number in {columns} is a multiple of its size, so {it} may count members "
        "instead of groups",
        choices=(
            Choice(
                words=f"{columns} {count} members, which are added up in each area", stated=members
            ),
            Choice(words=f"{columns} {count} groups", stated=groups),
        ),
    )


def _holds_sizes(facts: SheetFacts, name: str) -> bool:
    """Return whether a column holds sizes of groups, by its name or its cells."""
    column = facts[name]
    if column.plain in COUNT and column.plain not in SIZE:
        # A word such as "residents" says a size where another column says how many there are.
        others = [n for n in facts.sheet.names if n != name]
        return (
            not column.numeric
            and _holds_worded_sizes(facts, name)
            and bool(rank_counts(facts, others).best)
        )
    if column.plain in SIZE:
        return column.distinct <= max(60, facts.n_rows // 4) or column.whole > 0.5
    return not column.numeric and _holds_worded_sizes(facts, name)


def _holds_worded_sizes(facts: SheetFacts, name: str) -> bool:
    """Return whether cells are sizes in words such as "1 person" and "7 or more", or one total.

    Beside all sizes up to an open class, there may also be a mean and the number of persons.
    Numbers with leading zeros are codes, even beside "2A".
    """
    cells = facts[name].filled.to_pylist()[:60]
    if not 2 <= len(cells) <= 40 or any(re.fullmatch("0[0-9]+", cell) for cell in cells):
        return False
    sizes = [parsed for cell in cells if (parsed := size_in(cell)) is not None]
    worded = sum(parsed[2] or parsed[1] for parsed in sizes)
    numbers = [size for size, _, _ in sizes]
    whole = numbers == [*range(1, len(numbers) + 1)] and len(numbers) >= _WHOLE and sizes[-1][1]
    others = _MOST_OTHERS if whole else 1
    return len(sizes) >= 2 and worded >= 1 and len(cells) - len(sizes) <= others
