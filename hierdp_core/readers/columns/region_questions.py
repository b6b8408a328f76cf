"""Questions about columns of regions that can be read in two ways."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.question import Choice, Question, levels_in_words
from hierdp_core.readers.columns.region_columns import RegionColumns
from hierdp_core.readers.columns.vocabulary import PLACE
from hierdp_core.readers.report import shown_code

_MIN_LISTED = 4  # regions, so that all combinations are not by chance


def distinct_regions_question(
    facts: SheetFacts, places: RegionColumns, words: dict[str, Any]
) -> Question | None:
    """Ask a question if no two records have the same region, which is unlikely for regions."""
    levels = places.words["levels"]
    if facts.n_rows < 4 or not facts.one_row_each(levels):
        return None
    each = Choice(
        words=f"{levels_in_words(levels)}, and each row is one {words['row']}",
        stated={"levels": tuple(levels)},
    )
    above = tuple(levels[:-1])
    upper = Choice(words=levels_in_words(above), stated={"levels": above}) if above else None
    return Question(
        what=f"no two rows have the same area in column {shown_code(levels[-1])}, so it may not "
        "be a level",
        choices=tuple(choice for choice in (upper, each) if choice is not None),
    )


def empty_combinations_question(
    facts: SheetFacts, places: RegionColumns, count: str
) -> Question | None:
    """Ask a question if all regions occur below all upper ones, but have counts below only one.

    Programs write such rows with 0 for combinations that do not exist.
    """
    leaf = places.words["levels"][-1]
    if not count or facts[leaf].distinct < _MIN_LISTED:
        return None
    some = facts[count].values > 0
    crossed = (
        n for n in facts.sheet.names
        if 1 < facts[n].distinct < facts[leaf].distinct and PLACE.search(facts[n].plain)
        and facts.different([n, leaf]) == facts[n].distinct * facts[leaf].distinct
    )  # fmt: skip
    upper = next(crossed, "")
    if not upper or not some.any():
        return None
    filled, levels = SheetFacts(facts.sheet.take(some)), (upper, leaf)
    if filled.different(levels) != filled[leaf].distinct:
        return None
    zeros = pc.unique(facts[count].text.filter(pa.array(facts[count].values == 0))).to_pylist()
    return Question(
        what=f"every value of column {shown_code(leaf)} is listed with every value of "
             f"{shown_code(upper)}, but has counts above 0 with only one of them",
        choices=(
            Choice(words=f"{levels_in_words(levels)}, and rows with 0 are left out",
                   stated={"leave_out": tuple(f"{count}={zero}" for zero in zeros),
                           "levels": levels}),
            Choice(words=f"each combination of {shown_code(upper)} and {shown_code(leaf)} is an "
                         "area, even with 0", stated={"levels": levels, "within": True}),
        ),
    )  # fmt: skip


def repeated_numbers_question(
    facts: SheetFacts, places: RegionColumns, group: str
) -> Question | None:
    """Ask a question if the number of a group occurs again later, in another value of some column.

    Files list the members of a group one after the other. If a number occurs again later and
    exactly one column has changed, this column probably names regions in which numbers start again.
    """
    levels = tuple(places.words["levels"])
    key = facts.key([*levels, group])
    runs = 1 + int((np.diff(key) != 0).sum())
    if runs == facts.different([*levels, group]):
        return None
    free = [n for n in facts.sheet.names if n not in {*levels, *places.used, group}]
    apart = next((n for n in free if facts.different([*levels, group, n]) == runs), "")
    if not apart:
        return None
    own = (*levels, apart)
    nests = facts.within([apart], levels[-1])
    return Question(
        what=f"equal numbers in column {shown_code(group)} may be different groups, because they "
             f"occur again where column {shown_code(apart)} changes",
        choices=(
            Choice(words=f"each value of column {shown_code(apart)} is an area with groups of its "
                         "own",
                   stated={"levels": own} | ({} if nests else {"within": True})),
            Choice(words=f"equal numbers within an area of {shown_code(levels[-1])} are one group",
                   stated={"levels": levels, "group": group}),
        ),
    )  # fmt: skip
