"""What a row of a table is and which columns hold its numbers: one function a manner of table.

Each looks for the evidence of its manner and gives `None` where there is none. What is not clear
becomes a question with the answers that are possible.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.measure import Manner, Measure
from hierdp_core.readers.columns.measures_of_counts import counts_of_regions
from hierdp_core.readers.columns.measures_of_flows import flow_pairs, matrix_of_flows
from hierdp_core.readers.columns.measures_of_groups import groups_of_persons
from hierdp_core.readers.columns.measures_of_sizes import long_sizes, stated_sizes, wide_sizes
from hierdp_core.readers.columns.two_places import persons_of_two_places
from hierdp_core.readers.columns.vocabulary import CODE, LATITUDE, LONGITUDE, NOT_A_COUNT, POSTAL

# The words of a layout that name columns by what they hold.
NAMING = (
    "levels", "destinations", "names", "sizes", "parent", "count", "parts", "size", "group",
)  # fmt: skip


def measure_of(facts: SheetFacts, stated: dict[str, Any]) -> Measure:
    """The manner of the table, as stated or by its evidence."""
    free = [n for n in facts.sheet.names if n not in _stated_columns(stated)]
    for manner in _manners(stated):
        measure = manner(facts, free, stated)
        if measure is not None:
            aside = frozenset(n for n in free if _never_a_region(facts, n))
            return replace(measure, aside=aside | measure.aside)
    raise AssertionError("The last manner takes every table.")


def _manners(stated: dict[str, Any]) -> tuple[Manner, ...]:
    """The manners that what is stated leaves, in the order in which their evidence is weighed."""
    stated_kind = stated.get("kind", "")
    if stated.get("row") == "person" and not stated.get("group"):
        return (*_PERSONS.get(stated_kind, (persons_of_two_places,)), counts_of_regions)
    if stated.get("sizes") and stated_kind in ("", "group-sizes"):
        return (stated_sizes,)
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
    """A column of fractions, coordinates or plain numbers without the name of a code."""
    column = facts[name]
    if column.plain in LATITUDE | LONGITUDE:
        return True
    if not column.numeric:
        return False
    measure = NOT_A_COUNT.fullmatch(column.plain) and not (
        CODE.fullmatch(column.plain) or POSTAL.fullmatch(column.plain)
    )
    return column.fractions or bool(measure) or column.years


# The manners that a stated kind of table leaves, where a row is a person and in general.
_PERSONS: Mapping[str, tuple[Manner, ...]] = {"group-sizes": (groups_of_persons,)}
_KINDS: Mapping[str, tuple[Manner, ...]] = {
    "counts": (counts_of_regions,),
    "group-sizes": (
        matrix_of_flows, flow_pairs, wide_sizes, long_sizes, groups_of_persons, counts_of_regions,
    ),
}  # fmt: skip
