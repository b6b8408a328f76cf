"""Official files, recognised by the names of their columns."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from hierdp_core.readers.columns.joined_names import column_of
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.vocabulary import COUNT, plain_name
from hierdp_core.readers.formats.sheet import Sheet, clean_sheet
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook

_FIPS = (2, 5, 11, 12, 15)
_ISTAT_2011 = re.compile(rb"\s*[SL]\s+[12]\s+[0-9]{1,3}\s+[0-9]{1,3}\s+[12]\s+[12]\s+[123]\s")
_RECORDS = ("trip", "person", "group")
_PICKUP_TIME = re.compile("([tl]pep_)?pickup_?datetime")
_OF_RECORDS = re.compile(r"passenger_count|.*(license|base)_num(ber)?")  # of one trip
_ISTAT_COLUMNS = (
    "record", "residence type", "province of residence", "municipality of residence", "sex",
    "reason", "place", "province of destination", "municipality of destination", "state abroad",
    "means", "time", "duration", "estimate", "persons",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class OfficialFile:
    """An official file.

    Attributes:
        title: what the file is.
        layout: how it is read; None if its regions still have to be found.
        words: the settings of the layout that are known if `layout` is None.
        taken: columns that hold numbers, not regions.
        caution: a limitation of the file that users must know; empty if there is none.
    """

    title: str
    layout: Layout | None = None
    words: dict[str, object] | None = None
    taken: tuple[str, ...] = ()
    caution: str = ""


def official_file(sheet: Sheet) -> OfficialFile | None:
    """Return the official file that `sheet` is, by its columns; None for other tables.

    A summary of an official list of records keeps some names of its columns, but also counts.
    """
    for look in _RECOGNISERS:
        known = look(sheet)
        if known is not None:
            of_records = known.layout is not None and known.layout.row in _RECORDS
            return None if of_records and any(map(_counts_records, sheet.names)) else known
    return None


def _counts_records(name: str) -> bool:
    """Return whether the name of a column says that each row stands for several records."""
    plain = plain_name(name)
    return plain.split("_")[-1] in COUNT and not _OF_RECORDS.fullmatch(plain)


def _households(sheet: Sheet) -> OfficialFile | None:
    for pattern, title in (
        (r"H0*13_?0*{}", "Census 2010 table H13, households by size"),
        (r"H9_0*{}N?", "Census 2020 table H9, households by size"),
        (r"IFO0*{}(_dp|_sf)?", "NHGIS table IFO, households by size"),
    ):
        sizes = []
        for place in range(2, 9):
            whole = re.compile(pattern.format(place), re.IGNORECASE)
            columns = [name for name in sheet.names if whole.fullmatch(name)]
            sizes += columns[:1]
        if len(sizes) == 7:
            stem = pattern.partition("0*{}")[0]
            taken = tuple(n for n in sheet.names if re.match(stem, n, re.IGNORECASE))
            return OfficialFile(
                title=title,
                words={
                    "kind": "group-sizes", "row": "region", "sizes": tuple(sizes),
                    "first_size": 1, "top_coded": True, "groups": "households",
                    "occupied": "households",
                },
                taken=taken,
            )  # fmt: skip
    return None


def _microdata(sheet: Sheet) -> OfficialFile | None:
    codes = ("TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK")
    if not sheet.has(*codes, "HHSIZE"):
        return None
    layout = Layout(
        kind="group-sizes", row="group", levels=codes, prefix=_FIPS, size="HHSIZE",
        top_coded=True, keep=("RTYPE=2",) if sheet.has("RTYPE") else (),
        groups="housing units", occupied="households",
    )  # fmt: skip
    return OfficialFile(title="Census microdata detail file of units (MDF)", layout=layout)


def _lodes(sheet: Sheet) -> OfficialFile | None:
    if not sheet.has("w_geocode", "h_geocode", "S000"):
        return None
    layout = Layout(
        kind="flows", row="pair", levels=("h_geocode",), destinations=("w_geocode",),
        prefix=_FIPS, fill=15, count="S000", unit="jobs", person="job",
    )  # fmt: skip
    return OfficialFile(
        title="LODES origin-destination file, from home to work",
        layout=layout,
        caution="LODES is already protected by its publisher: these are not true counts",
    )


def _istat_2021(sheet: Sheet) -> OfficialFile | None:
    if len(sheet.names) != 5 or not sheet.names[0].lower().startswith("prov_res"):
        return None
    layout = Layout(
        kind="flows", row="pair", levels=(sheet.names[1],), destinations=(sheet.names[3],),
        prefix=(3, 6), fill=6, count=sheet.names[4], unit="commuters",
    )  # fmt: skip
    return OfficialFile(title="ISTAT commuting matrix of 2021, work only", layout=layout)


def _istat_2011(sheet: Sheet) -> OfficialFile | None:
    if sheet.names != _ISTAT_COLUMNS:
        return None
    layout = Layout(
        kind="flows", row="pair",
        levels=("province of residence", "municipality of residence"),
        destinations=("province of destination", "municipality of destination"),
        prefix=(3, 6), count="persons", add_up=True, unit="commuters",
    )  # fmt: skip
    return OfficialFile(title="ISTAT commuting matrix of 2011", layout=layout)


def _trips_2013(sheet: Sheet) -> OfficialFile | None:
    if not sheet.has("medallion", "pickup_datetime"):
        return None
    zones = [n for n in sheet.names if re.fullmatch(r"(pickup_?)?(zone|location_?id)", n.lower())]
    if not zones:
        return OfficialFile(
            title="TLC taxi trips of 2013",
            caution="its trips have coordinates but no zone. Add a column pickup_zone with "
            "the zone of each pickup",
        )
    boroughs = [n for n in sheet.names if re.fullmatch(r"(pickup_?)?borough", n.lower())]
    layout = Layout(
        kind="group-sizes", row="person", levels=(*boroughs[:1], zones[0]), group="medallion",
        groups="pairs of taxi and zone", occupied="pairs of taxi and zone", person="pickup",
        people="pickups",
    )  # fmt: skip
    return OfficialFile(title="TLC taxi trips of 2013, pickups by taxi and zone", layout=layout)


def _trips_later(sheet: Sheet) -> OfficialFile | None:
    lower = {name.lower(): name for name in sheet.names}
    if not {"pulocationid", "dolocationid"} <= lower.keys() or "medallion" in lower:
        return None
    if not any(_PICKUP_TIME.fullmatch(name) for name in lower):
        return None  # without the time of each trip, a row may stand for many
    start, end = lower["pulocationid"], lower["dolocationid"]
    borough, zone = (_joined_to(sheet, lower, part, end) for part in ("borough", "zone"))
    levels, destinations = ((*borough[:1], start), (*borough[1:], end))
    shown = ((*borough[:1], *zone[:1]), (*borough[1:], *zone[1:])) if zone else ((), ())
    layout = Layout(
        kind="flows", row="trip", levels=levels, destinations=destinations,
        names=(*shown[0], *shown[1]), level_names=(*(["borough"] if borough else []), "zone"),
        unit="trips", person="trip",
    )  # fmt: skip
    return OfficialFile(
        title="TLC trips of 2014 or later, from zone to zone",
        layout=layout,
        caution="files since 2014 name no taxi, so pickups cannot be grouped by taxi",
    )


def _joined_to(sheet: Sheet, lower: Mapping[str, str], part: str, end: str) -> tuple[str, ...]:
    """Return the columns that a list of zones added for both ends of trips; empty for none."""
    name = lower.get(part, "")
    other = column_of(name, end)
    return (name, other) if name and sheet.has(other) else ()


def _gazetteer(sheet: Sheet) -> OfficialFile | None:
    if not sheet.has("GEOID", "ALAND", "INTPTLAT", "INTPTLONG"):
        return None
    taken = tuple(n for n in sheet.names if n not in ("USPS", "GEOID", "NAME"))
    if not sheet.has("POP10"):
        return OfficialFile(
            title="Census Gazetteer", taken=taken, words={},
            caution="it lists areas and holds no counts. Give it together with a table of counts",
        )  # fmt: skip
    return OfficialFile(
        title="Census Gazetteer of 2010",
        words={"kind": "counts", "row": "region", "count": "POP10", "unit": "people"},
        taken=taken,
    )


_RECOGNISERS: Sequence[Callable[[Sheet], OfficialFile | None]] = (
    _microdata, _lodes, _istat_2011, _istat_2021, _trips_2013, _trips_later, _households,
    _gazetteer,
)  # fmt: skip


def is_istat_2011(data: bytes) -> bool:
    """Return whether a text is the ISTAT commuting matrix of 2011: lines of fifteen fields."""
    first = [line for line in data[:400].split(b"\n", 2)[:2] if line.strip()]
    return bool(first) and all(_ISTAT_2011.match(x) and len(x.split()) == 15 for x in first)


def read_istat_2011(data: bytes, notes: Notebook, limits: Limits) -> Sheet:
    """Return the records of type S of the ISTAT commuting matrix of 2011.

    Records of type L are estimates from a sample and would count people twice.

    Source: ISTAT, matrix of commuting of 2011, description of the record.
    """
    kept = [line.split() for line in data.split(b"\n") if line.lstrip()[:1] == b"S"]
    wrong = [fields for fields in kept if len(fields) != len(_ISTAT_COLUMNS)]
    if wrong:
        notes.fault(
            "short-rows",
            f"{len(wrong):,} records do not have 15 fields",
            "Use the file as ISTAT publishes it.",
        )
        kept = [fields for fields in kept if len(fields) == len(_ISTAT_COLUMNS)]
    if not kept:
        raise notes.unreadable(
            "no-rows",
            "holds no records of type S, the records that count people",
            "Use the whole file.",
        )
    here = [fields for fields in kept if fields[6] != b"3"]
    if not here:
        raise notes.unreadable(
            "no-rows", "holds only records of commuters abroad", "Use the whole file."
        )
    notes.repair(
        "records",
        f"{len(here):,} records of type S were read. Records of type L, which are estimates of "
        f"the same people, and {len(kept) - len(here):,} of commuters abroad were left out",
    )
    columns = [
        pa.array([field.decode("ascii", "replace") for field in column], pa.string())
        for column in zip(*here, strict=True)
    ]
    return clean_sheet(notes.file, _ISTAT_COLUMNS, columns, None, notes, limits, separator=" ")
