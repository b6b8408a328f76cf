"""Regions from the columns that a layout names, or from codes that begin with the code above."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.hierarchy.united_states import us_regions
from hierdp_core.readers.build.made_areas import report_made_areas
from hierdp_core.readers.build.region_codes import (
    Places,
    filled_codes,
    joined_codes,
    report_blank_regions,
)
from hierdp_core.readers.build.region_list import (
    RegionList,
    places_by_code,
    places_of_table_rows,
    stacked,
)
from hierdp_core.readers.build.regions_from_levels import places_by_levels
from hierdp_core.readers.build.regions_from_outlines import places_by_outline
from hierdp_core.readers.build.regions_from_parents import places_by_parent
from hierdp_core.readers.columns.code_schemes import Scheme
from hierdp_core.readers.columns.codes import level_parts, scheme_of
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.outline import INDENT, SUMS
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.readers.report import Notebook
from hierdp_core.util.text import join_or

_MOST_OUT = 20  # codes that a choice leaves out


def places_of(
    sheet: Sheet,
    layout: Layout,
    notes: Notebook,
    *,
    records: bool = False,
    regions: RegionList | None = None,
) -> Places | None:
    """Return the regions that the rows name; None where there are faults, which are reported.

    Args:
        sheet: the table as text.
        layout: which columns hold the codes.
        notes: receives the errors and corrections.
        records: a row is a record, so that it must lie on the last level.
        regions: the list of all regions; without one, they are those that the rows name.
    """
    if regions is not None:
        return _listed_places(sheet, layout, notes, records, regions)
    if layout.parent:
        return places_by_parent(sheet, layout, notes)
    if layout.outline in (INDENT, SUMS):
        return places_by_outline(sheet, layout, notes)
    if layout.prefix:
        codes = joined_codes(sheet, layout, notes)
        scheme = scheme_of(codes, layout.prefix, " ".join(layout.levels))
        places = _by_prefix(sheet, layout, codes, scheme, notes, records)
        return _with_state_names(places, scheme)
    texts = [
        filled_codes(sheet.column(name), layout.fill, k, layout)
        for k, name in enumerate(layout.levels)
    ]
    titles = layout.level_names or _titles(layout.levels)
    return places_by_levels(sheet, layout, texts, titles, ("all", "total"), notes, records)


def _listed_places(
    sheet: Sheet, layout: Layout, notes: Notebook, records: bool, regions: RegionList
) -> Places | None:
    """Return the regions of the rows within a list, which alone defines the hierarchy."""
    if layout.outline in (INDENT, SUMS):
        notes.fault(
            "outline-list",
            "with a list of areas, a table needs a column of codes for each level",
            "Remove the rows of the upper levels, add a column of codes for each level, and "
            "name these columns in levels.",
        )
        return None
    listed = regions.like(layout)
    places = None if listed is None else places_of(listed, layout, regions.notes)
    if listed is None or places is None:
        return None
    if layout.parent:
        return places_by_code(places, sheet, layout, notes, records=records)
    # The list comes first, so that neither the order nor the names of regions follow the records.
    both = places_of(stacked(listed, sheet, layout), layout, notes)
    if both is None:
        return None
    return places_of_table_rows(both, listed.n_rows, sheet, notes, records=records)


def _with_state_names(places: Places | None, scheme: Scheme | None) -> Places | None:
    """Return the regions with the names of US states in place of their codes."""
    if places is None or scheme is None or scheme.id != "fips":
        return places
    regions, known = places.regions, us_regions()
    states = known.tree.level(known.level_index("state"))
    named = dict(zip(known.ids[states], known.names[states], strict=True))
    named[scheme.root[0]] = known.names[0]
    shown = (
        named.get(i, n) if i == n else n for i, n in zip(regions.ids, regions.names, strict=True)
    )
    return replace(places, regions=replace(regions, names=tuple(shown)))


def _titles(columns: Sequence[str]) -> tuple[str, ...]:
    titles = tuple(_title(name) for name in columns)
    return titles if len(set(titles)) == len(titles) else tuple(columns)


def _title(name: str) -> str:
    # The small letter of the Turkish capital İ is i; Python adds a dot above it.
    words = " ".join(name.replace("_", " ").split()).lower().replace("i\u0307", "i")
    bare = re.sub("( |^)(code|id|name|fips|geoid|nr)$", "", words)
    return bare or "region"


def _by_prefix(
    sheet: Sheet,
    layout: Layout,
    codes: Text,
    scheme: Scheme | None,
    notes: Notebook,
    records: bool,
) -> Places | None:
    lengths = pc.utf8_length(codes)
    known = pc.is_in(lengths, value_set=pa.array(layout.prefix, lengths.type))
    blank = as_mask(pc.equal(codes, ""))
    wrong = ~as_mask(known) & ~blank
    name = layout.levels[0]
    if wrong.any():
        positions, count = sheet.places(wrong, name)
        notes.fault(
            "code-length",
            f"a code does not have {join_or([str(n) for n in layout.prefix])} characters",
            "Correct the code, which may have lost leading zeros, or leave its rows out with "
            "leave_out.",
            places=positions,
            count=count,
            choices=_without_codes(name, codes.filter(pa.array(wrong))),
        )
    if blank.any():
        report_blank_regions(sheet, blank, name, notes)
    if notes.faulty:
        return None
    used = layout.prefix[: 1 + layout.prefix.index(pc.max(lengths).as_py())]
    report_made_areas(codes, used, scheme, notes)
    titles = layout.level_names[: len(used)] or (scheme.levels[: len(used)] if scheme else ())
    titles = titles or tuple(f"level {k + 1}" for k in range(len(used)))
    root = scheme.root if scheme else ("all", "total")
    return places_by_levels(
        sheet, layout, level_parts(codes, used), titles, root, notes, records, unique=True
    )


def _without_codes(name: str, codes: Text) -> tuple[Choice, ...]:
    """Return the choice to leave out the rows with these codes, if there are few."""
    different = pc.unique(codes).to_pylist()
    if len(different) > _MOST_OUT:
        return ()
    pairs = tuple(f"{name}={code}" for code in different)
    return (Choice(words="Leave out the rows with these codes", stated={"leave_out": pairs}),)
