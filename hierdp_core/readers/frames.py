"""Tables from data frames of pandas, Polars, PyArrow and other libraries that support Arrow.

A frame becomes a sheet of text and goes through the same rules as a file, so that a table is the
same whether pandas or HierDP read the CSV file. The first fault is raised as an error that
names row and column.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.exceptions import ChoiceError, TableError
from hierdp_core.hierarchy import Regions
from hierdp_core.maps.boundaries import Boundaries, Shapes
from hierdp_core.readers.build.boundaries_from_files import boundaries_of
from hierdp_core.readers.build.counts_from_text import whole_numbers
from hierdp_core.readers.build.layout_parts import counts_records
from hierdp_core.readers.build.public_facts import with_public_facts
from hierdp_core.readers.build.region_codes import report_blank_regions
from hierdp_core.readers.build.region_list import RegionList
from hierdp_core.readers.build.tables import build
from hierdp_core.readers.columns.layout import LISTS, Layout
from hierdp_core.readers.formats.features import Features
from hierdp_core.readers.formats.parquet import as_text
from hierdp_core.readers.formats.sheet import Sheet, as_mask, clean_sheet
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook, Report, Unreadable, no_column, shown_code
from hierdp_core.tables import Table
from hierdp_core.util.text import counted, paragraph

_FRAME, _LIST = "data frame (rows counted from 0)", "list of areas (rows counted from 0)"

# Remedies in terms of arguments. Those for files name settings.
_REMEDIES = {
    "ambiguous": "Convert the column to numbers.",
    "blank-count": "Fill in the missing counts, with fillna(0) where there is none, or remove the "
    "rows.",
    "duplicate": "Remove the wrong rows. If they are parts of one area, pass add_up=True.",
    "empty-groups": "Leave them out, or pass empty_groups=True.",
    "large-size": "Pass max_size to count larger groups as groups of that size.",
    "no-column": "Name columns of the data frame.",
    "no-rows": "Pass a data frame with rows.",
    "not-whole": "Convert the column to integers.",
    "bracketed": "Convert the column to integers.",
    "suppressed": "Counts must be known. Fill them in, or remove the rows.",
    "total-differs": "Fill in blank codes, remove the rows of totals, or add missing sub-areas.",
    "total-row": "Remove the rows of totals, or add the missing rows.",
    "not-listed": 'Correct its code, or assign it to a listed area, such as "other". Do not '
    "complete the list from the records, because that would reveal an area that a single record "
    "names.",
    "level-names": "Rename a column, since each level has the name of its column.",
    "two-parents": "Correct the rows that are wrong. If codes repeat under each area on purpose, "
    "pass within=True.",
}


def table_of(frame: Any, words: Mapping[str, Any], *, regions: Any = None) -> Table:
    """Return the table in a data frame.

    Args:
        frame: a data frame of pandas, Polars or PyArrow, or any object with `__arrow_c_stream__`.
        words: settings of a `Layout`; a setting of a list of columns also takes the name of one.
        regions: a data frame that lists all regions and does not come from the records; without
            one, the regions are those that the rows name.

    Raises:
        TableError: the frame cannot be such a table; the message names row and column.
        ChoiceError: `frame` is not a data frame or lacks a column, or two settings name the same
            column.
    """
    named = {word: _list_of(value) if word in LISTS else value for word, value in words.items()}
    layout = Layout.of(named)
    notes = Notebook(_FRAME)
    sheet = _sheet(frame, layout.columns, notes)
    listed = None if regions is None else _region_list(regions, layout)
    if counts_records(layout):
        _check_records(sheet, layout, notes)
    table = None if notes.faulty else build(sheet, layout, notes, listed)
    if table is not None:
        table = with_public_facts(
            table, layout, notes, guessed=(), listed=listed is not None, confidential=False
        )
    _require_no_fault(notes, *([listed.notes] if listed else []))
    assert table is not None
    return table


def boundaries_from(frame: Any, regions: Regions, *, id: str | None, caption: str) -> Boundaries:
    """Return boundaries for `regions` from a GeoDataFrame: see `Boundaries.from_geodataframe`.

    Raises:
        ChoiceError: `frame` is not a GeoDataFrame, has no coordinate system, or lacks the column.
        TableError: fewer than half of the regions have a shape.
    """
    if not hasattr(frame, "to_crs") or not hasattr(frame, "geometry"):
        raise ChoiceError(
            f"Boundaries must be a GeoDataFrame; got {type(frame).__name__}. Make one with "
            "geopandas.read_file."
        )
    if frame.crs is None:
        raise ChoiceError(
            "The GeoDataFrame has no coordinate system. State it with "
            'gdf.set_crs("EPSG:4326"), or the system that its coordinates are in.'
        )
    attributes = frame.drop(columns=frame.geometry.name)
    if attributes.index.name is not None:
        attributes = attributes.reset_index()
    if id is not None and id not in attributes.columns:
        raise ChoiceError(
            f"The GeoDataFrame {no_column([id], list(attributes.columns))}."
        )  # fmt: skip
    chosen = list(attributes.columns) if id is None else [id]
    columns = {str(name): attributes[name].astype("string").fillna("").tolist() for name in chosen}
    shapes: Shapes = np.asarray(frame.geometry.to_crs("EPSG:4326").to_numpy(), dtype=object)
    notes = Notebook(caption)
    boundaries = boundaries_of(regions, Features(columns=columns, shapes=shapes), notes)
    if boundaries is None and not notes.faulty:
        codes = (
            f"the codes of the level {regions.levels[-1]}, such as {shown_code(regions.ids[-1])}"
        )
        raise TableError(
            f"No column of the GeoDataFrame holds {codes}. Add such a column."
            if id is None
            else f"Column {shown_code(id)} does not hold {codes}. Choose another column with id=."
        )
    _require_no_fault(notes)
    assert boundaries is not None
    return boundaries


def _list_of(columns: str | Sequence[str]) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns)


def _sheet(frame: Any, columns: Sequence[str], notes: Notebook) -> Sheet:
    table = _arrow(frame, columns)
    try:
        return clean_sheet(
            notes.file,
            table.column_names,
            as_text(table.columns),
            np.arange(table.num_rows),
            notes,
            Limits(letters=2**20, columns=2**20),
        )
    except Unreadable as fault:
        raise TableError(_sentence(fault.finding)) from None


def _arrow(frame: Any, columns: Sequence[str]) -> pa.Table:
    """Return the `columns` of a frame as an Arrow table.

    Raises:
        ChoiceError: it is not a data frame, or a column is missing or not unique.
        TableError: a column holds values of several types.
    """
    names = _names(frame)
    missing = [name for name in columns if name not in names]
    if missing:
        raise ChoiceError(
            f"The data frame {no_column(missing[:1], names)}."
        )  # fmt: skip
    twice = [name for name in columns if names.count(name) > 1]
    if twice:
        raise ChoiceError(
            f"Two columns of the data frame are called {shown_code(twice[0])}. Rename one of them."
        )
    if hasattr(frame, "iloc"):  # pandas, where a column may hold values of any type
        return pa.table({name: _pandas_column(frame[name], name) for name in columns})
    return pa.table(frame).select(list(columns))


def _names(frame: Any) -> list[str]:
    if not hasattr(frame, "__arrow_c_stream__"):
        raise ChoiceError(
            "A data frame of pandas, Polars or PyArrow is needed; got "
            f"{type(frame).__name__}. Use hdp.read_table for files."
        )
    return [str(name) for name in getattr(frame, "column_names", getattr(frame, "columns", ()))]


def _pandas_column(series: Any, name: str) -> pa.Array:
    try:
        return pa.Array.from_pandas(series)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        kinds = {type(value) for value in series.dropna()}
        if kinds <= {str, int, np.int64}:
            return pa.array([None if v != v or v is None else str(v) for v in series], pa.string())
        mixed = ", ".join(sorted(kind.__name__ for kind in kinds)[:5])
        raise TableError(
            f"Column {shown_code(name)} of the data frame holds values of several types: {mixed}. "
            "Convert it to text or to numbers."
        ) from None


def _region_list(frame: Any, layout: Layout) -> RegionList:
    notes = Notebook(_LIST)
    columns_of_regions = [*layout.levels, layout.parent]
    there = _names(frame)
    names = [name for name in layout.names if name in there]
    columns = tuple(dict.fromkeys([*filter(None, columns_of_regions), *names]))
    own = [name for name in layout.columns if there.count(name) == 1 and name not in columns]
    try:
        # Only a list that is the table itself has all of its other columns.
        sheet = _sheet(frame, (*columns, *own), Notebook(_LIST))
    except TableError:
        sheet = _sheet(frame, columns, notes)
    return RegionList(sheet=sheet, notes=notes)


def _check_records(sheet: Sheet, layout: Layout, notes: Notebook) -> None:
    """Report rows without a region or a size, before grouping loses the row numbers."""
    for name in (*layout.levels, *layout.destinations):
        blank = as_mask(pc.equal(sheet.column(name), ""))
        if blank.any():
            report_blank_regions(sheet, blank, name, notes)
    if layout.size:
        whole_numbers(sheet, layout.size, notes)


def _require_no_fault(*notebooks: Notebook) -> None:
    report = Report.of((), [finding for notes in notebooks for finding in notes.findings])
    if report.faults:
        first, *others = report.faults
        rest = f"The data have {counted(len(others), 'more problem')}."
        raise TableError(paragraph(_sentence(first), rest if others else ""))


def _sentence(finding: Any) -> str:
    return str(replace(finding, remedy=_REMEDIES.get(finding.id, finding.remedy)).sentence)
