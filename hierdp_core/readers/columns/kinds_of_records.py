"""Files with records of several kinds, such as households and the persons in them."""

import re
from collections.abc import Mapping
from typing import Any

import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.outline import NONE
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.formats.sheet import as_mask
from hierdp_core.readers.report import shown_code

_KIND = re.compile(
    "(rec|record)_?(type|kind)|rectyp|type_(of_)?record|(type|tipo)_(d_|de_)?(enregistrement|registro)|"
    "satzart|tipo_?reg|rt"
)
_MAX_KINDS = 6


def kinds_of_records_question(facts: SheetFacts, stated: Mapping[str, Any]) -> Question | None:
    """Ask which records to read if a column names their kinds and another is blank in one of them.

    In census extracts, the record of a household stands before those of its persons. Each kind has
    columns of its own, so rows of both may not be counted together.
    """
    if stated.get("totals") == NONE:
        return None
    for name, column in facts.columns.items():
        if not _KIND.fullmatch(column.plain) or not 1 < column.distinct_filled <= _MAX_KINDS:
            continue
        kinds, shown = column.filled.to_pylist(), shown_code(name)
        if not any(_blank_in_one(facts, name, other, kinds) for other in facts.sheet.names):
            continue
        return Question(
            what=f"column {shown} shows that the rows are records of several kinds. It "
            "is not clear which of them to read",
            choices=tuple(
                Choice(
                    words=f"only rows with {shown_code(kind)} in column {shown} are read",
                    stated={"keep": (*stated.get("keep", ()), f"{name}={kind}")},
                )
                for kind in kinds
            ),
        )
    return None


def _blank_in_one(facts: SheetFacts, name: str, other: str, kinds: list[str]) -> bool:
    """Return whether a column is blank in all rows of one kind and filled in all of another."""
    blank = as_mask(pc.equal(facts[other].text, ""))
    shares = [float(blank[as_mask(pc.equal(facts[name].text, kind))].mean()) for kind in kinds]
    return max(shares) == 1.0 and min(shares) == 0.0
