"""Tables with a column that says of which level each row is, such as "county"."""

from dataclasses import replace

import numpy as np
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.columns.slices import Sliced
from hierdp_core.readers.report import shown_code

_MOST_VALUES = 8
_LEAST_SUM = 50  # a sum of smaller numbers may be chance
_NEARLY = 0.01


def with_level_question(rows: Sliced, facts: SheetFacts, name: str, count: str) -> Sliced:
    """The rows with the question which to read, where a column says of which level each row is.

    Args:
        rows: those that are read otherwise.
        facts: of the rows, among which these are.
        name: the column of levels.
        count: the column of counts; empty where there are several or none.
    """
    counts = pc.value_counts(facts[name].text).to_pylist()
    values = [c["values"] for c in sorted(counts, key=lambda c: -c["counts"]) if c["values"]]
    choices = [
        Choice(
            words=f"only rows with {shown_code(value)} in column {shown_code(name)} are read",
            stated={"keep": (*rows.keep, f"{name}={value}")},
        )
        for value in values[:_MOST_VALUES]
    ]
    one = Choice(words="no row is a total: all rows are read", stated={"totals": "none"})
    if not (count and _count_the_same(facts, name, count)):
        choices.append(one)
    question = Question(
        what=f"rows are of several levels, which column {shown_code(name)} names",
        choices=tuple(choices),
    )
    return replace(rows, question=question, level=True)


def _count_the_same(facts: SheetFacts, name: str, count: str) -> bool:
    """Whether the rows of two levels add up to nearly the same, as totals and their parts do."""
    sums = np.bincount(facts[name].index, weights=np.nan_to_num(facts[count].values))
    large = np.sort(sums[sums >= _LEAST_SUM])
    return bool((np.diff(large) <= _NEARLY * large[1:]).any())
