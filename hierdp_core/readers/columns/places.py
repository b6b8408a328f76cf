"""Columns of regions: codes with parents, codes that begin with the code above, or levels."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow.compute as pc

from hierdp_core.readers.columns.attributes import without_attributes
from hierdp_core.readers.columns.codes import Fit, bare_codes, fit_of
from hierdp_core.readers.columns.directions import likely_directions
from hierdp_core.readers.columns.ends import end_of, is_place_of_work
from hierdp_core.readers.columns.facts import (
    SheetFacts,
    follows,
    index_of,
    share_codes,
)
from hierdp_core.readers.columns.flow_levels import of_two_levels
from hierdp_core.readers.columns.known_names import names_disagree
from hierdp_core.readers.columns.level_columns import nested_levels
from hierdp_core.readers.columns.level_rules import (
    named_after_places,
    numbers_rows,
    without_postal_codes,
    without_record_numbers,
)
from hierdp_core.readers.columns.names_beside import with_names
from hierdp_core.readers.columns.names_of_codes import names_of_levels
from hierdp_core.readers.columns.outline import NONE
from hierdp_core.readers.columns.question import (
    Question,
    flow_choice,
    same_regions,
    sum_choice,
)
from hierdp_core.readers.columns.record_rules import describes_persons
from hierdp_core.readers.columns.region_columns import (
    LABEL_SHARE,
    RegionColumns,
    about_something_else,
    is_name,
    may_be_region,
    numbers_of_names,
)
from hierdp_core.readers.columns.restarting_codes import restarting_codes_question
from hierdp_core.readers.columns.split_codes import split_code
from hierdp_core.readers.columns.vocabulary import (
    PARENT,
    PLACE,
)
from hierdp_core.readers.formats.sheet import as_mask
from hierdp_core.readers.report import shown_code


def find_regions(
    facts: SheetFacts, taken: frozenset[str], stated: dict[str, Any], *, extra: str, one_row: bool
) -> RegionColumns:
    """Return the columns of regions among those that are not taken.

    Args:
        facts: facts about the table.
        taken: columns that hold something else.
        stated: settings that a person gave.
        extra: the column of group sizes, if each size has a row; else empty.
        one_row: a region has one row, or one for each size; False for records.
    """
    others = [n for n in facts.sheet.names if n not in taken]
    numbers = numbers_of_names(facts, others)
    codes = facts.chained if one_row else frozenset[str]()
    free = [n for n in others if n in numbers or n in codes or may_be_region(facts[n])]
    if stated.get("levels"):
        return _by_statement(facts, free, taken, stated)
    named = (n for n in facts.sheet.names if n not in taken and facts[n].plain in PARENT)
    parent = stated.get("parent") or next(named, "")
    if parent:
        regions = _by_parent(facts, str(parent), [n for n in free if n != parent])
        if regions.words or stated.get("parent"):
            return regions  # else a lookup added parents that have no rows of their own
    places = [n for n in free if not about_something_else(facts, n)] or [
        # "Region / type of locality", where nothing else names the regions
        n for n in free
        if PLACE.search(facts[n].plain) and not facts[n].numeric and not facts[n].level_of_row
    ]  # fmt: skip
    if any(PLACE.search(facts[n].plain) and end_of(n) is None for n in places):
        places = [n for n in places if not is_place_of_work(n)]
    if not one_row or stated.get("add_up"):
        nested = () if describes_persons(facts) else codes
        numbers = without_record_numbers(facts, places)
        places = [n for n in places if n in numbers or n in nested]
    if one_row and any(facts.one_row_each([n]) for n in codes if n in places):
        places = [n for n in places if n not in facts.parts_of_codes]
    if one_row:
        places = without_attributes(facts, places)
    places = without_postal_codes(facts, _without_row_numbers(facts, places, taken))
    prefixed = _by_prefix(facts, places, one_row=one_row, extra=extra)
    split = None if prefixed else split_code(facts, places, extra=extra, one_row=one_row)
    regions = (
        prefixed
        or split
        or with_names(facts, nested_levels(facts, places, extra=extra, one_row=one_row), taken)
    )
    if stated.get("prefix"):
        regions = _of_whole_codes(facts, regions, stated["prefix"])
    question = _same_codes(facts, regions)
    if not one_row and not prefixed and regions.words:
        question = question or restarting_codes_question(facts, regions.words["levels"])
    return replace(regions, question=question or regions.question)


def _of_whole_codes(
    facts: SheetFacts, regions: RegionColumns, prefix: int | Sequence[int]
) -> RegionColumns:
    """Return only the last level if its codes have the stated lengths, so that they hold all.

    Codes of upper levels in columns of their own would stand in front of these codes twice.
    """
    levels = regions.words.get("levels", ())
    lengths = {prefix} if isinstance(prefix, int) else {*prefix}
    if len(levels) < 2 or max(lengths) not in {
        len(c) for c in facts[levels[-1]].filled.to_pylist()
    }:
        return regions
    names = [name for name in regions.words.get("names", ())[-1:] if name != levels[-1]]
    words = {"levels": levels[-1:]} | ({"names": tuple(names)} if names else {})
    return RegionColumns(words=words, used=regions.used)


def _without_row_numbers(facts: SheetFacts, places: list[str], taken: frozenset[str]) -> list[str]:
    """Return the regions without columns that only number the rows, if others suffice."""
    others = [n for n in places if not numbers_rows(facts[n])]
    rows = len(facts[places[0]].text) if places else 0
    finest = max((facts[n].distinct for n in others), default=0)
    if len(others) == len(places) or not 1 < finest < rows:
        return places
    distinguishing = [
        n for n in facts.sheet.names
        if not numbers_rows(facts[n]) and 1 < facts[n].distinct < rows
        and (facts[n].years or (n not in taken and (n in others or not facts[n].numeric)))
    ]  # fmt: skip
    together = np.unique(np.stack([facts[n].index for n in distinguishing]), axis=1)
    return others if together.shape[1] == rows else places


def _same_codes(facts: SheetFacts, regions: RegionColumns) -> Question | None:
    """Ask a question if two levels hold the same codes: no region lies within its own level."""
    levels = regions.words.get("levels", ())
    for k, lower in enumerate(levels):
        for upper in levels[:k]:
            if of_two_levels(upper, lower) or not share_codes(facts[upper], facts[lower]):
                continue
            choices = [flow_choice([way]) for way in likely_directions(upper, lower)]
            choices += [sum_choice(name) for name in (upper, lower)]
            return Question(what=same_regions(upper, lower), choices=tuple(choices))
    return None


# ------------------------------------------------------------------------------------- statements


def _by_statement(
    facts: SheetFacts, free: Sequence[str], taken: frozenset[str], stated: dict[str, Any]
) -> RegionColumns:
    """Return the levels that a person gave. Their codes and names are still recognised."""
    levels = stated["levels"]
    names = [levels] if isinstance(levels, str) else list(levels)
    words: dict[str, Any] = {"levels": tuple(names)}
    known = [n for n in names if n in facts.columns]
    if len(known) < len(names):
        return RegionColumns(words=words, used=frozenset(names))
    nested = stated.get("outline") not in (None, "", NONE)
    if len(names) == 1 and not nested and not stated.keys() & {"prefix", "parent", "destinations"}:
        fit = fit_of(facts[names[0]].text, names[0])
        if fit is not None:
            return _of_fit(facts, names[0], fit, free)
    if len(names) == 1 and "names" not in stated and "destinations" not in stated:
        label = _label_of(facts, names, free)
        words |= {"names": (label,)} if label else {}
    regions = RegionColumns(words=words, used=frozenset({*names, *words.get("names", ())}))
    settled = stated.keys() & {"names", "destinations", "prefix", "parent", "within"}
    return regions if settled else with_names(facts, regions, taken)


# ------------------------------------------------------------------------------- parents, prefixes


def _by_parent(facts: SheetFacts, parent: str, free: Sequence[str]) -> RegionColumns:
    """Return the column whose codes occur in the column of parents; no regions if too few do."""
    above = facts[parent].filled

    def shared(name: str) -> int:
        return int(as_mask(pc.is_in(above, value_set=facts[name].filled)).sum())

    code = max(free, key=shared, default="")
    if not code or shared(code) * 2 < len(above):
        return RegionColumns(words={})
    reason = f"column {shown_code(parent)} names the area above {shown_code(code)}"
    label = _label_of(facts, [code], [n for n in free if n != code])
    words: dict[str, Any] = {"levels": (code,), "parent": parent}
    words |= {"names": (label,)} if label else {}
    return RegionColumns(
        words=words, used=frozenset(n for n in (code, parent, label) if n), reasons=(reason,)
    )


def _by_prefix(
    facts: SheetFacts, free: Sequence[str], *, one_row: bool, extra: str
) -> RegionColumns | None:
    """Return the column of codes of a known system that has the most distinct codes.

    The result is None if another column of codes is finer, or if columns beside the codes name
    other upper levels than the codes begin with.
    """
    fits = [
        (n, fit) for n in free
        if (fit := fit_of(facts[n].text, n)) is not None
        and not names_disagree(facts, n, fit, free)
    ]  # fmt: skip
    if not fits:
        return None
    name, fit = max(fits, key=lambda one: (facts[one[0]].distinct, len(one[1].prefix)))
    others = [n for n in free if n not in {n for n, _ in fits}]
    finer = [n for n in others if facts[n].distinct > facts[name].distinct * 1.2]
    if len(fit.prefix) == 1 or (finer and one_row and any(facts.within([n], name) for n in finer)):
        return None  # a code of an upper level, beside columns of lower ones
    if fit.scheme.id != "fips" and _names_levels_above(facts, name, fit, others):
        return None
    return _of_fit(facts, name, fit, free)


def _names_levels_above(facts: SheetFacts, code: str, fit: Fit, free: Sequence[str]) -> bool:
    """Return whether a column names regions above those that the codes begin with."""
    whole = bare_codes(facts[code].text)
    if fit.width:
        whole = pc.utf8_lpad(whole, fit.width, padding="0")
    top = index_of(pc.utf8_slice_codeunits(whole, 0, fit.prefix[0]))
    n_tops = len(np.unique(top))
    return any(
        1 < facts[name].distinct < n_tops
        and named_after_places(facts[name])
        and follows(top, facts[name].index)
        for name in free
    )


def _of_fit(facts: SheetFacts, name: str, fit: Fit, free: Sequence[str]) -> RegionColumns:
    """Return the regions of a column of codes of a known system, with the names of each level."""
    lengths = ", ".join(str(n) for n in fit.prefix)
    reasons = [
        (
            f"column {shown_code(name)} holds {fit.scheme.title}: a code begins with the one above "
            f"({', '.join(fit.levels)}; lengths {lengths})"
        )
    ]
    if fit.width:
        reasons.append(f"leading zeros were lost: codes have {fit.width} digits")
    names = names_of_levels(facts, name, fit, free)
    if any(names):
        reasons.append(f"names are in {', '.join(shown_code(n) for n in names if n)}")
    words: dict[str, Any] = {
        "levels": (name,), "prefix": fit.prefix, "fill": fit.width,
        "names": names if any(names) else (),
    }  # fmt: skip
    above = [n for n in free if n != name and facts.within([name], n)]
    return RegionColumns(
        words=words, used=frozenset({name, *names, *above}), reasons=tuple(reasons)
    )


def _label_of(facts: SheetFacts, codes: Sequence[str], free: Sequence[str]) -> str:
    """Return a column of names that the codes determine and that names most of them differently."""
    for name in free:
        if name in codes or facts[name].numeric or not is_name(facts[name]):
            continue
        own = facts.different(codes)
        settled = facts.different([*codes, name]) == own
        if settled and facts[name].distinct >= LABEL_SHARE * own and facts[name].distinct > 1:
            return name
    return ""


# ------------------------------------------------------------------------------------------ levels
