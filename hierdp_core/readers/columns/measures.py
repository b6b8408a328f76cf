"""What a row of a table is, and which columns hold its numbers: one function per layout of tables.

Each function recognises one layout and returns `None` for any other. If it cannot decide, the
result holds a question with the possible answers.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.measure import Measure, MeasureRule
from hierdp_core.readers.columns.measures_of_counts import counts_of_regions
from hierdp_core.readers.columns.measures_of_flows import flow_pairs, matrix_of_flows
from hierdp_core.readers.columns.measures_of_groups import groups_of_persons
from hierdp_core.readers.columns.measures_of_sizes import long_sizes, stated_sizes, wide_sizes
from hierdp_core.readers.columns.size_blocks import blocks_of_sizes
from hierdp_core.readers.columns.size_series import size_series
from hierdp_core.readers.columns.two_places import persons_of_two_places
from hierdp_core.readers.columns.vocabulary import CODE, LATITUDE, LONGITUDE, NOT_A_COUNT, POSTAL

# Settings whose values are names of columns.
NAMING = (
    "levels", "destinations", "names", "sizes", "parent", "count", "parts", "size", "group",
)  # fmt: skip


def measure_of(facts: SheetFacts, stated: dict[str, Any]) -> Measure:
    """Return the layout that was stated, or the first that the columns support."""
    free = [n for n in facts.sheet.names if n not in _stated_columns(stated)]
    for manner in _manners(stated):
        measure = manner(facts, free, stated)
        if measure is not None:
            aside = frozenset(n for n in free if _never_a_region(facts, n))
            return replace(measure, aside=aside | measure.aside)
    raise AssertionError("The last layout accepts every table.")


def _manners(stated: dict[str, Any]) -> tuple[MeasureRule, ...]:
    """Return the layouts that the statements allow, in the order in which they are tried."""
    stated_kind = stated.get("kind", "")
    if stated.get("row") == "person" and not stated.get("group"):
        return (*_PERSONS.get(stated_kind, (persons_of_two_places,)), counts_of_regions)
    if stated.get("sizes") and stated_kind in ("", "group-sizes"):
        return (stated_sizes,)
    if stated.get("size") and stated.get("row") == "group":
        return (long_sizes,)
    if stated.get("parts"):
        return (counts_of_regions,)
    if stated.get("count") and not stated.keys() & {"kind", "size", "sizes", "destinations"}:
        return (flow_pairs, long_sizes, counts_of_regions)
    return _KINDS.get(
        stated_kind,
        (
            matrix_of_flows,
            persons_of_two_places,
            flow_pairs,
            blocks_of_sizes,
            size_series,
            wide_sizes,
            long_sizes,
            groups_of_persons,
            counts_of_regions,
        ),
    )


def _stated_columns(stated: dict[str, Any]) -> set[str]:
    names: set[str] = set()
    for word in NAMING:
        value = stated.get(word, ())
        names |= {value} if isinstance(value, str) else set(value)
    return names


def _never_a_region(facts: SheetFacts, name: str) -> bool:
    """Return whether a column holds coordinates, fractions, years or a measure such as a rate."""
    column = facts[name]
    if column.plain in LATITUDE | LONGITUDE:
        return True
    if not column.numeric:
        return False
    measure = NOT_A_COUNT.fullmatch(column.plain) and not (
        column.leading_zeros or CODE.fullmatch(column.plain) or POSTAL.fullmatch(column.plain)
    )
    return column.fractions or bool(measure) or column.years


# The layouts that a stated kind of table allows: if a row is a person, and otherwise.
_PERSONS: Mapping[str, tuple[MeasureRule, ...]] = {"group-sizes": (groups_of_persons,)}
_KINDS: Mapping[str, tuple[MeasureRule, ...]] = {
    "counts": (counts_of_regions,),
    "group-sizes": (
        matrix_of_flows, flow_pairs, blocks_of_sizes, size_series, wide_sizes, long_sizes,
        groups_of_persons,
        counts_of_regions,
    ),
}  # fmt: skip
