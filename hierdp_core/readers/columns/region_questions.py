"""What to ask where the columns of regions can be read in two ways."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.columns.region_columns import Located
from hierdp_core.readers.columns.vocabulary import PLACE
from hierdp_core.readers.report import shown_code

_LEAST_LISTED = 4  # regions below each of the others


def own_region_each(facts: SheetFacts, places: Located, words: dict[str, Any]) -> Question | None:
    """Ask where no two records share a region: a row is then no record, or has another region."""
    levels = places.words["levels"]
    if facts.n_rows < 4 or not facts.one_row_each(levels):
        return None
    each = Choice(
        words=f"each row is one {words['row']}, and its region is {shown_code(levels[-1])}",
        stated={"levels": tuple(levels)},
    )
    above = tuple(levels[:-1])
    upper = (
        Choice(words=f"the regions are those of {shown_code(above[-1])}", stated={"levels": above})
        if above
        else None
    )
    return Question(
        what=f"each row has a region of its own in column {shown_code(levels[-1])}",
        choices=tuple(choice for choice in (upper, each) if choice is not None),
    )


def empty_combinations(facts: SheetFacts, places: Located, count: str) -> Question | None:
    """Ask where all regions are listed below all others, and nest where they have numbers.

    Programs write such rows with 0 for combinations that do not exist.
    """
    leaf = places.words["levels"][-1]
    if not count or facts[leaf].distinct < _LEAST_LISTED:
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
             f"{shown_code(upper)}, but has numbers with only one of them",
        choices=(
            Choice(words="combinations with 0 do not exist and are left out",
                   stated={"leave_out": tuple(f"{count}={zero}" for zero in zeros),
                           "levels": levels}),
            Choice(words="all combinations are regions", stated={"levels": levels, "within": True}),
        ),
    )  # fmt: skip


def groups_apart(facts: SheetFacts, places: Located, group: str) -> Question | None:
    """Ask where the rows of a group stand apart, and another column tells the places apart.

    Files list the members of a group one after the other. Where a number comes back later and
    exactly one column changes with it, that column names regions in which numbers start again.
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
        what=f"a number in column {shown_code(group)} occurs again within a region when "
             f"column {shown_code(apart)} changes, which suggests that each of its values "
             "is a region",
        choices=(
            Choice(words=f"column {shown_code(apart)} holds the regions of the last level",
                   stated={"levels": own} | ({} if nests else {"within": True})),
            Choice(words="equal numbers in a region are one group",
                   stated={"levels": levels, "group": group}),
        ),
    )  # fmt: skip
