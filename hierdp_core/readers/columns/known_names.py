"""Known names of codes. If a table has other names, its codes belong to another system."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import pyarrow.compute as pc

from hierdp_core.hierarchy.united_states import counties
from hierdp_core.readers.columns.codes import Fit, bare_codes, names_scheme
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.region_columns import LABEL_SHARE, is_name
from hierdp_core.readers.columns.vocabulary import PLACE, plain_name
from hierdp_core.readers.formats.sheet import Text
from hierdp_core.util.data_files import data_rows

_MIN_NAMED = 4  # codes with known names; fewer are not evidence
_MIN_ALIKE = 0.3  # proportion of names that must agree; others are translated or shortened
_LONGEST_ABBREVIATION = 3  # letters; names are longer


@cache
def _us_names() -> Mapping[str, str]:
    states = {row["state"]: row["name"] for row in data_rows("us_state_names.csv")}
    named = {row["geoid"]: plain_name(row["name"]) for row in counties()}
    return named | {
        row["geoid"][:2]: plain_name(states[row["state"]])
        for row in counties()
        if row["state"] in states
    }


@cache
def _italian_names() -> Mapping[str, str]:
    return {row["code"]: plain_name(row["name"]) for row in data_rows("it_municipalities.csv")}


_KNOWN = {"fips": _us_names, "istat": _italian_names}


def names_disagree(facts: SheetFacts, code: str, fit: Fit, free: Sequence[str]) -> bool:
    """Return whether the names beside a column of codes belong to other regions.

    It is enough that one column of names agrees, because others may be in another language. A
    column that is named after the system, such as "FIPS", is not checked.

    Args:
        facts: facts about the columns of the table.
        code: the column of codes.
        fit: the system that the codes seem to follow.
        free: columns that may hold names.
    """
    known = _KNOWN.get(fit.scheme.id)
    if known is None or names_scheme(code):
        return False
    whole = bare_codes(facts[code].text)
    if fit.width:
        whole = pc.utf8_lpad(whole, fit.width, padding="0")
    shares: list[float] = []
    for length in fit.prefix[:2]:
        parts = pc.utf8_slice_codeunits(whole, 0, length)
        shares += [
            share for name in free
            if name != code and _may_be_names(facts, name)
            and (share := _share_alike(parts, facts[name].text, known())) is not None
        ]  # fmt: skip
    return bool(shares) and max(shares) < _MIN_ALIKE


def _may_be_names(facts: SheetFacts, name: str) -> bool:
    """Return whether a column is called one of names or regions, and holds words."""
    column = facts[name]
    if column.numeric or column.coded or not (is_name(column) or PLACE.search(column.plain)):
        return False
    letters = [len(cell) for cell in column.filled.to_pylist()]
    return bool(letters) and float(np.median(letters)) > _LONGEST_ABBREVIATION


def _share_alike(codes: Text, names: Text, known: Mapping[str, str]) -> float | None:
    """Return the proportion of codes whose name is the known one.

    It is None if fewer than four codes have a known name, if a code has several names, or if so
    many share a name that it is their type.
    """
    pairs = set(zip(codes.to_pylist(), names.to_pylist(), strict=True))
    named = [(known[code], plain_name(name)) for code, name in pairs if code in known and name]
    own = {code for code, _ in pairs}
    different = {name for _, name in pairs}
    if len(named) < _MIN_NAMED or len(pairs) > len(own):
        return None
    if len(different) < LABEL_SHARE * len(own):
        return None
    return float(np.mean([_alike(one, other) for one, other in named]))


def _alike(one: str, other: str) -> bool:
    """Return whether two names agree: one contains the other, or their first words match.

    >>> _alike("kent_county", "kent"), _alike("kent_county", "county_down")
    (True, False)
    """
    first, second = one.split("_"), other.split("_")
    return first[0] in second or second[0] in first[:1] or one in other or other in one
