"""Tables of records of persons with a column that identifies the group of each."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hierdp_core.readers.columns.cautions import larger_than_groups
from hierdp_core.readers.columns.count_rules import Ranking, rank_counts
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.measure import MAX_CHOICES, Measure
from hierdp_core.readers.columns.measures_of_counts import number_columns, weights_question
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.columns.record_rules import describes_persons
from hierdp_core.readers.columns.vocabulary import CODE, GROUP_ID, PERSON
from hierdp_core.readers.report import shown_code

_MIN_MEMBERS = 1.5  # fewest rows for each group, on average, at which rows can be members
_MIN_IDS = 20  # fewest rows with different numbers at which each can be one group


def groups_of_persons(
    facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]
) -> Measure | None:
    """Return the layout of a table of persons with a column that identifies their groups."""
    named = [n for n in free if GROUP_ID.fullmatch(facts[n].plain) and facts[n].distinct > 1]
    group = str(stated.get("group") or next(iter(named), ""))
    if not group:
        return None
    rest = [n for n in free if n != group]
    about = [n for n in rest if PERSON.fullmatch(facts[n].plain)]
    ranking = rank_counts(facts, [n for n in rest if n not in about])
    words = {"kind": "group-sizes", "row": "person", "group": group}
    reason = (
        f"column {shown_code(group)} holds the group of each person, and each row is one person"
    )
    taken = frozenset({group, *about, *number_columns(ranking)})
    if stated.get("group"):
        return Measure(words=words, taken=taken)
    if facts[group].plain.endswith("id") and facts[group].distinct == facts.n_rows >= _MIN_IDS:
        return _one_group_a_row(facts, group, ranking, taken)  # "hhid": each row is a household
    bare = not CODE.fullmatch(facts[group].plain) and facts[group].plain != "serialno"
    repeated = facts[group].distinct < facts.n_rows
    if bare and not about and not _repeats_within(facts, group):
        return None
    if ranking.best or not repeated:
        return _one_group_a_row(facts, group, ranking, taken)
    in_groups = Choice(
        words=f"groups are counted by size: each row is one person of a group in column "
        f"{shown_code(group)}",
        stated=words,
    )
    return Measure(
        words=words,
        taken=taken,
        reasons=(reason,),
        question=weights_question(facts, (in_groups,)) or persons_or_groups_question(facts, group),
        unused=number_columns(ranking),
    )


def persons_or_groups_question(facts: SheetFacts, group: str) -> Question | None:
    """Ask whether persons or groups are counted, where columns describe persons."""
    if not describes_persons(facts):
        return None
    return _persons_and_groups(group)


def _persons_and_groups(group: str) -> Question:
    """Return the question whether persons or groups are counted."""
    named = shown_code(group)
    return Question(
        what=f"each row is one person of a group in column {named}. It is not clear whether "
             "persons or groups are counted",
        choices=(
            Choice(words="persons are counted", stated={"kind": "counts", "row": "person"}),
            Choice(words=f"groups are counted by size: rows with the same {named} are one group",
                   stated={"kind": "group-sizes", "row": "person", "group": group}),
        ),
    )  # fmt: skip


def _repeats_within(facts: SheetFacts, group: str) -> bool:
    """Return whether some rows are equal in all columns, as members of one group may be."""
    return (
        facts[group].distinct < facts.n_rows and facts.different(facts.sheet.names) < facts.n_rows
    )


def _numbers_members(facts: SheetFacts, group: str) -> bool:
    """Return whether a column numbers the rows of each group 1, 2, 3 and so on, as for members."""
    own = facts[group].index
    sizes = np.bincount(own)
    if sizes.mean() < _MIN_MEMBERS:
        return False
    for name in facts.sheet.names:
        values = facts[name].values
        if name == group or not facts[name].numeric or np.isnan(values).any():
            continue
        sums = np.bincount(own, weights=values)
        if facts.one_row_each([group, name]) and np.array_equal(2 * sums, sizes * (sizes + 1)):
            return True
    return False


def _one_group_a_row(
    facts: SheetFacts, group: str, ranking: Ranking, taken: frozenset[str]
) -> Measure:
    """Return a question about a table in which a row may be one person or a whole group.

    Such a table has columns of numbers beside the group, or a different group in each row.
    """
    numbers = tuple(sorted(number_columns(ranking), key=lambda n: larger_than_groups(facts[n])))
    if _numbers_members(facts, group):
        return Measure(
            words={"kind": "group-sizes", "row": "person", "group": group}, taken=taken,
            question=_persons_and_groups(group), unused=numbers,
        )  # fmt: skip
    whole = [
        Choice(words="groups are counted by size: each row is one group, and column "
                     f"{shown_code(name)} holds its size",
               stated={"kind": "group-sizes", "row": "group", "size": name})
        for name in numbers[:MAX_CHOICES] if not larger_than_groups(facts[name])
    ]  # fmt: skip
    choices = (
        *whole,
        Choice(words="rows are counted: each is one person or thing",
               stated={"kind": "counts", "row": "person"}),
        *(
            Choice(words=f"column {shown_code(name)} holds the counts, which are added up",
                   stated={"kind": "counts", "row": "region", "count": name, "add_up": True})
            for name in numbers[:MAX_CHOICES]
        ),
        Choice(words="groups are counted by size: each row is one person of a group in column "
                     f"{shown_code(group)}",
               stated={"kind": "group-sizes", "row": "person", "group": group}),
    )  # fmt: skip
    return Measure(
        words={"kind": "group-sizes", "row": "person", "group": group},
        taken=taken,
        question=Question(
            what=f"column {shown_code(group)} identifies groups. It is not clear whether a row is "
            "one person of a group or a whole group",
            choices=choices,
        ),
        unused=numbers,
    )
