"""Cells around the centres of regions, from a table of their coordinates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.exceptions import HierdpError
from hierdp_core.hierarchy import Regions
from hierdp_core.maps.boundaries import APPROXIMATE, boundaries_from_leaves
from hierdp_core.maps.voronoi import Frame, framed_cells
from hierdp_core.readers.build.boundaries_from_files import MOST_CELLS, regions_of
from hierdp_core.readers.build.drawable_shapes import projection
from hierdp_core.readers.build.region_codes import leading_codes
from hierdp_core.readers.build.regions_from_columns import places_of
from hierdp_core.readers.columns.vocabulary import LATITUDE, LONGITUDE, plain_name
from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.readers.result import Reading
from hierdp_core.util.arrays import FloatArray

_SHOWN = 5
_OTHER_UNIT = 3_000.0  # times too much or too little land; a hectare has 10,000 square metres
_MOST_ROWS = 100_000  # a table with more rows is not searched for other codes
_MOST_PARTS = 8  # columns of digits that may hold a part of a code


@dataclass(frozen=True, eq=False, kw_only=True)
class Centres:
    """The coordinates of regions, without their borders.

    Attributes:
        codes: the ids of the regions.
        lat, lon: the coordinates of their centres in degrees, shape (n,).
        areas: square metres, shape (n,); 0 where unknown.
    """

    codes: tuple[str, ...] = field(repr=False)
    lat: FloatArray = field(repr=False)
    lon: FloatArray = field(repr=False)
    areas: FloatArray = field(repr=False)


def has_centres(sheet: Sheet) -> bool:
    """Return whether a table has columns of latitude and longitude."""
    plain = {plain_name(name) for name in sheet.names}
    return bool(plain & LATITUDE) and bool(plain & LONGITUDE)


def centres_of(sheet: Sheet, reading: Reading, counts: Sheet | None = None) -> Centres | None:
    """Return the centres in a separate table; its column of codes is the one that matches most.

    Args:
        sheet: the table of centres.
        reading: the reading of the table of counts.
        counts: that table. Its other columns may hold the codes, in one column or two. None if its
            rows are confidential.
    """
    regions = regions_of(reading)
    if regions is None:
        return None
    leaves = pa.array(regions.ids[regions.tree.leaves])
    width = _code_width(regions)

    def shared(name: str) -> int:
        codes = pc.unique(sheet.column(name))
        whole = pc.utf8_lpad(codes, width, padding="0") if width else codes
        return int(as_mask(pc.is_in(whole, value_set=leaves)).sum())

    code = max(sheet.names, key=shared)
    codes = sheet.column(code).to_pylist()
    if shared(code) == 0:
        ids = regions.ids[regions.tree.leaves]
        own = dict(zip(leading_codes(ids), ids, strict=True))
        code = max(sheet.names, key=lambda n: len(own.keys() & {*sheet.column(n).to_pylist()}))
        codes = [own.get(start, start) for start in sheet.column(code).to_pylist()]
        if not own.keys() & {*sheet.column(code).to_pylist()} and counts is not None:
            codes = _by_codes_of_rows(sheet, reading, counts) or codes
    return _centres(sheet, tuple(codes))


def _by_codes_of_rows(sheet: Sheet, reading: Reading, counts: Sheet) -> list[str]:
    """Return the region of each centre, by codes in the rows of the table of counts.

    Returns:
        An id for each row of `sheet`, blank for regions that the table lacks; an empty list where
        the codes of the rows are not all in one column of `sheet`.
    """
    layout = reading.layout
    usable = layout is not None and not layout.has_destinations and counts.weights is None
    if layout is None or not usable or counts.partial or not counts.has(*layout.levels):
        return []
    if counts.n_rows > _MOST_ROWS:
        return []
    for codes in _codes_in_parts(counts):
        row_codes = set(codes)
        for name in sheet.names:
            known = sheet.column(name).to_pylist()
            if not row_codes <= {*known} or len({*known}) < len(known):
                continue
            places = places_of(counts, layout, Notebook(counts.file))
            if places is None or len(places.node) != len(codes):
                return []
            ids = places.regions.ids
            region: dict[str, str] = {}
            for code, node in zip(codes, places.node.tolist(), strict=True):
                if region.setdefault(code, ids[node]) != ids[node]:
                    return []
            return [region.get(code, "") for code in known]
    return []


def _codes_in_parts(counts: Sheet) -> Iterator[list[str]]:
    """Yield codes of the rows: single columns, then joined pairs of columns."""
    whole = [(name, counts.column(name).to_pylist()) for name in counts.names]
    coded = [cells for _, cells in whole if all(cells) and len({*cells}) > 1]
    parts = [cells for cells in coded if all(map(str.isdigit, cells))]
    parts = [cells for cells in parts if len({len(cell) for cell in cells}) == 1]
    yield from sorted(coded, key=lambda cells: -len({*cells}))
    for upper, lower in permutations(parts[:_MOST_PARTS], 2):
        joined = [one + other for one, other in zip(upper, lower, strict=True)]
        if len({*joined}) > max(len({*upper}), len({*lower})):
            yield joined


def centres_of_rows(sheet: Sheet, reading: Reading) -> Centres | None:
    """Return the centres in the table of counts itself, by the region of each row."""
    layout, regions = reading.layout, regions_of(reading)
    if layout is None or regions is None or sheet.weights is not None or not has_centres(sheet):
        return None
    if not sheet.has(*layout.levels) or layout.has_destinations:
        return None
    places = places_of(sheet, layout, Notebook(sheet.file))
    if places is None:
        return None
    codes = tuple(places.regions.ids[node] for node in places.node.tolist())
    return _centres(sheet, codes)


def _code_width(regions: Regions) -> int:
    ids = regions.ids[regions.tree.leaves]
    return len(ids[0]) if ids[0].isdigit() else 0


def _centres(sheet: Sheet, codes: tuple[str, ...]) -> Centres | None:
    plain = {plain_name(name): name for name in reversed(sheet.names)}
    lat, lon, land = (
        next((plain[word] for word in sorted(known & plain.keys())), "")
        for known in (LATITUDE, LONGITUDE, {"aland", "aland10", "area"})
    )
    if not lat or not lon or sheet.weights is not None:
        return None
    try:
        values = [_floats(sheet, name) for name in (lat, lon)]
        areas = _floats(sheet, land) if land else np.zeros(sheet.n_rows)
    except ValueError:
        return None
    if not (np.abs(values[0]) <= 90).all() or not (np.abs(values[1]) <= 360).all():
        return None
    return Centres(codes=codes, lat=values[0], lon=values[1], areas=areas)


def _floats(sheet: Sheet, name: str) -> FloatArray:
    cells = [text.replace(",", ".") for text in sheet.column(name).to_pylist()]
    return np.array([float(text) for text in cells], dtype=np.float64)


def with_centres(reading: Reading, centres: Centres, notes: Notebook) -> Reading:
    """Return the reading with a cell around the centre of each leaf, if every leaf has one."""
    regions = regions_of(reading)
    if regions is None:
        return reading
    ids = regions.ids[regions.tree.leaves]
    width = _code_width(regions)
    at: dict[str, int] = {}
    for row, code in enumerate(centres.codes):
        at.setdefault(code.zfill(width) if code.isdigit() else code, row)
    missing = [code for code in ids if code not in at]
    if missing or len(ids) > MOST_CELLS:
        if missing:
            notes.repair(
                "no-centre", "an area has no centre, so the map shows a tile for each area",
                places=_quoted(missing), count=len(missing),
            )  # fmt: skip
        return reading
    rows = np.array([at[code] for code in ids])
    lat, lon, areas = centres.lat[rows], centres.lon[rows], centres.areas[rows]
    try:
        shapes = framed_cells(_frame(lat, lon), lat, lon, _known_areas(lat, lon, areas))
        drawn = boundaries_from_leaves(regions, shapes, caption=APPROXIMATE)
    except (HierdpError, ValueError):
        notes.repair(
            "no-cells",
            "areas around the centres cannot be formed, so the map shows a tile for each area",
        )
        return reading
    return replace(reading, boundaries=drawn, drawn="approximate boundaries around the centres")


def _quoted(codes: Sequence[str]) -> list[str]:
    return [shown_code(code) for code in codes[:_SHOWN]]


def _frame(lat: FloatArray, lon: FloatArray) -> Frame:
    size = float(max(np.ptp(lat), np.ptp(lon), 0.01)) * 111_000
    return Frame(
        projection=projection(lat, lon), closing=size / 40, tolerance=min(size / 1000, 2_500.0)
    )


def _known_areas(lat: FloatArray, lon: FloatArray, areas: FloatArray) -> FloatArray:
    """Return the areas; an unknown one is the area of the bounding box divided by the regions.

    Areas that would fill far more or less than the box are in another unit, such as hectares. They
    are scaled to fill it.
    """
    box = np.ptp(lat) * np.ptp(lon) * np.cos(np.radians(lat.mean())) * 111_000.0**2
    even = max(box / len(lat), 1e6)
    known = areas > 0
    if known.any() and not 1 / _OTHER_UNIT < areas[known].mean() / even < _OTHER_UNIT:
        areas = areas * (even / areas[known].mean())
    return np.where(known, areas, even)
