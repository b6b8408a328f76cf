"""Files as portals and programs export them: flat files, microdata, Stata, archives, R."""

import io
import json
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat

from support.offices import File, Value, text

Row = Sequence[object]

_TOWNS = [
    "Aldau", "Birkheim", "Celle", "Dorfen", "Emden", "Fulda", "Gotha", "Husum",
    "Itzehoe", "Jever", "Kleve", "Lahr", "Minden", "Norden", "Oelde", "Passau",
]  # fmt: skip
_STATES = ("Nordland", "Ostland", "Suedland", "Westland")


def _numbers(salt: int, n: int = 16) -> list[int]:
    return [int(x) for x in np.random.default_rng([101, salt]).integers(2_300, 480_000, n)]


def packed_zip(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


# ---------------------------------------------------------------------------------------- SDMX


def _sdmx() -> Iterator[tuple[str, File]]:
    areas = {f"AT{k}{m}": f"Land {k}{m}" for k in (1, 2, 3) for m in (1, 2, 3)}
    new, old = _numbers(1, 9), _numbers(2, 9)
    leaves: dict[str, Value] = dict(zip(areas, new, strict=True))
    head = [
        "STRUCTURE",
        "STRUCTURE_ID",
        "STRUCTURE_NAME",
        "freq",
        "Time frequency",
        "unit",
        "Unit of measure",
        "geo",
        "Geopolitical entity (reporting)",
        "TIME_PERIOD",
        "Time",
        "OBS_VALUE",
        "Observation value",
        "OBS_FLAG",
        "Observation status (Flag)",
        "CONF_STATUS",
    ]
    rows: list[Row] = [
        [
            "dataflow",
            "ESTAT:DEMO_R(1.0)",
            "Population",
            "A",
            "Annual",
            "NR",
            "Number",
            code,
            name,
            2023,
            "",
            n,
            "",
            "p" * (k % 2),
            "provisional" * (k % 2),
            "",
        ]
        for k, ((code, name), n) in enumerate(zip(areas.items(), new, strict=True))
    ]
    yield "sdmx_both", File(name="estat.csv", data=text([head, *rows]), leaves=leaves)
    head = [
        "DATAFLOW",
        "LAST UPDATE",
        "freq",
        "unit",
        "sex",
        "age",
        "geo",
        "TIME_PERIOD",
        "OBS_VALUE",
        "OBS_FLAG",
        "CONF_STATUS",
    ]
    rows = []
    for code, a, b in zip(areas, new, old, strict=True):
        half = a // 2 - 17
        for year, n in ((2022, b), (2023, a)):
            for sex, m in (("F", half), ("M", n - half), ("T", n)):
                rows.append(
                    [
                        "ESTAT:DEMO(1.0)",
                        "05/03/24 11:00:00",
                        "A",
                        "NR",
                        sex,
                        "TOTAL",
                        code,
                        year,
                        m,
                        "",
                        "",
                    ]
                )
    yield (
        "sdmx_sexes",
        File(
            name="sdmx_sexes.csv",
            data=text([head, *rows]),
            leaves=leaves,
            answers={"keep": ("TIME_PERIOD=2023", "sex=T")},
        ),
    )
    head = [
        "DATAFLOW",
        "LAST UPDATE",
        "freq",
        "unit",
        "geo",
        "TIME_PERIOD",
        "OBS_VALUE",
        "OBS_FLAG",
    ]
    rows = [
        [
            "ESTAT:DEMO(1.0): Population",
            "05/03/24",
            "A: Annual",
            "NR: Number",
            f"{code}: {name}",
            2023,
            n,
            "",
        ]
        for (code, name), n in zip(areas.items(), new, strict=True)
    ]
    yield (
        "sdmx_labelled",
        File(
            name="labelled.csv",
            data=text([head, *rows]),
            leaves={
                f"{code}: {name}": n for (code, name), n in zip(areas.items(), new, strict=True)
            },
        ),
    )
    head = [
        "STRUCTURE",
        "STRUCTURE_ID",
        "ACTION",
        "REF_AREA",
        "Reference area",
        "TERRITORIAL_LEVEL",
        "Territorial level",
        "SEX",
        "Sex",
        "AGE",
        "Age",
        "UNIT_MEASURE",
        "Unit of measure",
        "TIME_PERIOD",
        "OBS_VALUE",
        "OBS_STATUS",
        "UNIT_MULT",
        "Unit multiplier",
        "DECIMALS",
    ]
    rows = [
        [
            "DATAFLOW",
            "OECD.CFE:DF_POP(2.0)",
            "I",
            code,
            name,
            "TL2",
            "Large regions",
            "_T",
            "Total",
            "_T",
            "Total",
            "PS",
            "Persons",
            2022,
            n,
            "A",
            0,
            "Units",
            0,
        ]
        for (code, name), n in zip(areas.items(), new, strict=True)
    ]
    yield "oecd", File(name="oecd.csv", data=text([head, *rows]), leaves=leaves)


# ------------------------------------------------------------------------------------- GENESIS


def _genesis() -> Iterator[tuple[str, File]]:
    codes = [f"{k:02d}{m:03d}" for k in (3, 5) for m in range(101, 109)]
    counts = _numbers(3)
    leaves: dict[str, Value] = dict(zip(codes, counts, strict=True))
    head = [
        "Statistik_Code",
        "Statistik_Label",
        "Zeit_Code",
        "Zeit_Label",
        "Zeit",
        "1_Merkmal_Code",
        "1_Merkmal_Label",
        "1_Auspraegung_Code",
        "1_Auspraegung_Label",
        "2_Merkmal_Code",
        "2_Merkmal_Label",
        "2_Auspraegung_Code",
        "2_Auspraegung_Label",
        "BEVSTD__Bevoelkerungsstand__Anzahl",
    ]
    rows: list[Row] = []
    for code, town, n in zip(codes, _TOWNS, counts, strict=True):
        men = n // 2 - 31
        for sex, label, m in (
            ("GESM", "männlich", men),
            ("GESW", "weiblich", n - men),
            ("", "Insgesamt", n),
        ):
            rows.append(
                [
                    "12411",
                    "Fortschreibung des Bevölkerungsstandes",
                    "STAG",
                    "Stichtag",
                    "31.12.2022",
                    "KREISE",
                    "Kreise",
                    code,
                    town,
                    "GES",
                    "Geschlecht",
                    sex,
                    label,
                    m,
                ]
            )
    yield (
        "genesis_flat",
        File(name="12411-0015_flat.csv", data=text([head, *rows], ";"), leaves=leaves),
    )
    head = [
        "statistics_code",
        "statistics_label",
        "time_code",
        "time_label",
        "time",
        "1_variable_code",
        "1_variable_label",
        "1_variable_attribute_code",
        "1_variable_attribute_label",
        "value",
        "value_unit",
        "value_variable_code",
        "value_variable_label",
    ]
    rows = [
        [
            "12411",
            "Fortschreibung des Bevölkerungsstandes",
            "STAG",
            "Stichtag",
            "2022-12-31",
            "KREISE",
            "Kreise",
            code,
            town,
            n,
            "Anzahl",
            "BEVSTD",
            "Bevölkerungsstand",
        ]
        for code, town, n in zip(codes, _TOWNS, counts, strict=True)
    ]
    yield (
        "genesis_new",
        File(name="12411-0015_de_flat.csv", data=text([head, *rows], ";"), leaves=leaves),
    )
    lines = [
        "GENESIS-Tabelle: 12411-0015",
        "Bevölkerung: Kreise, Stichtag;;",
        "Fortschreibung des Bevölkerungsstandes;;",
        "Bevölkerungsstand (Anzahl);;",
        ";;31.12.2022",
    ]
    lines += [f"{code};{town};{n}" for code, town, n in zip(codes, _TOWNS, counts, strict=True)]
    lines += [
        "__________",
        "Kreise: teilweise vorläufige Ergebnisse",
        "(C)opyright Statistisches Bundesamt (Destatis), 2024",
    ]
    yield (
        "genesis_printed",
        File(name="12411-0015.csv", data="\n".join(lines).encode("latin-1"), leaves=leaves),
    )


# ------------------------------------------------------------------------- Nomis, NHGIS, IPUMS


def _english() -> Iterator[tuple[str, File]]:
    codes = [f"E0700{k:04d}" for k in range(16)]
    counts = _numbers(4)
    leaves: dict[str, Value] = dict(zip(codes, counts, strict=True))
    lines = [
        '"Population estimates - local authority based by five year age band"',
        '"ONS Crown Copyright Reserved [from Nomis on 12 March 2024]"',
        "",
        '"date  :","2022"',
        '"sex   :","Total"',
        '"measures :","Value"',
        "",
        '"local authority: district / unitary (as of April 2021)","mnemonic","All Ages"',
    ]
    lines += [f'"{t}","{c}",{n}' for t, c, n in zip(_TOWNS, codes, counts, strict=True)]
    lines += ["", '"This dataset provides annual population estimates."', ""]
    yield "nomis_query", File(name="nomis.csv", data="\n".join(lines).encode(), leaves=leaves)
    head = [
        "DATE",
        "DATE_NAME",
        "DATE_CODE",
        "DATE_TYPE",
        "GEOGRAPHY",
        "GEOGRAPHY_NAME",
        "GEOGRAPHY_CODE",
        "GEOGRAPHY_TYPE",
        "C2021_SEX",
        "C2021_SEX_NAME",
        "MEASURES",
        "MEASURES_NAME",
        "OBS_VALUE",
        "OBS_STATUS",
        "OBS_STATUS_NAME",
        "RECORD_COUNT",
    ]
    rows: list[Row] = [
        [
            2021,
            2021,
            2021,
            "date",
            645922000 + k,
            town,
            code,
            "local authorities",
            0,
            "All persons",
            20100,
            "Value",
            n,
            "A",
            "Normal Value",
            16,
        ]
        for k, (town, code, n) in enumerate(zip(_TOWNS, codes, counts, strict=True))
    ]
    yield "nomis_bulk", File(name="NM_2021_1.data.csv", data=text([head, *rows]), leaves=leaves)
    head = ["GISJOIN", "YEAR", "STUSAB", "STATE", "STATEA", "COUNTY", "COUNTYA", "AL0AA2020"]
    says = [
        "GIS Join Match Code",
        "Data File Year",
        "State Postal Abbreviation",
        "State Name",
        "State Code",
        "County Name",
        "County Code",
        "Persons: Total",
    ]
    rows = [
        [
            f"G{k // 8 + 31:02d}0{k % 8 * 2 + 1:03d}0",
            2020,
            "NE" if k < 8 else "NV",
            "Nebraska" if k < 8 else "Nevada",
            k // 8 + 31,
            f"{town} County",
            f"{k % 8 * 2 + 1:03d}",
            n,
        ]
        for k, (town, n) in enumerate(zip(_TOWNS, counts, strict=True))
    ]
    yield (
        "nhgis_described",
        File(
            name="nhgis0012_ds258_2020_county.csv",
            data=text([head, says, *rows]),
            depth=2,
            leaves={str(row[0]): int(str(row[-1])) for row in rows},
        ),
    )
    yield from _ipums()


def _ipums() -> Iterator[tuple[str, File]]:
    rng = np.random.default_rng([101, 5])
    rows: list[Row] = []
    sizes: dict[str, list[int]] = {}
    for serial in range(1, 181):
        state, area = 10 + serial % 3, 100 * (serial % 9 // 3 + 1)
        size, weight = int(rng.integers(1, 6)), int(rng.integers(40, 300))
        sizes.setdefault(f"{state}/{area:05d}", []).append(size)
        rows += [
            [
                2021,
                202101,
                serial,
                2021_000_000 + serial,
                weight,
                state,
                f"{area:05d}",
                1,
                number,
                weight + int(rng.integers(-9, 9)),
                1 + int(rng.integers(2)),
                int(rng.integers(0, 95)),
            ]
            for number in range(1, size + 1)
        ]
    head = [
        "YEAR",
        "SAMPLE",
        "SERIAL",
        "CBSERIAL",
        "HHWT",
        "STATEFIP",
        "PUMA",
        "GQ",
        "PERNUM",
        "PERWT",
        "SEX",
        "AGE",
    ]
    data = text([head, *rows])
    yield (
        "ipums_persons",
        File(
            name="usa_00003.csv",
            data=data,
            depth=2,
            leaves={place: sum(own) for place, own in sizes.items()},
            answers={
                "kind": "counts",
                "row": "person",
                "levels": ("STATEFIP", "PUMA"),
                "within": True,
            },
        ),
    )
    leaves: dict[str, Value] = {
        place: tuple(own.count(n) for n in range(6)) for place, own in sizes.items()
    }
    yield (
        "ipums_households",
        File(
            name="usa_00003.csv",
            data=data,
            kind="group-sizes",
            depth=2,
            leaves=leaves,
            answers={
                "kind": "group-sizes",
                "row": "person",
                "group": "SERIAL",
                "levels": ("STATEFIP", "PUMA"),
                "within": True,
            },
        ),
    )


# --------------------------------------------------------------------------------- PX, JSON-stat


def _cubes() -> Iterator[tuple[str, File]]:
    counts, men = _numbers(6), [n // 2 - 7 for n in _numbers(6)]
    leaves: dict[str, Value] = dict(zip(_TOWNS, counts, strict=True))
    listed = ",".join(f'"{town}"' for town in _TOWNS)
    lines = [
        'CHARSET="ANSI";',
        'AXIS-VERSION="2010";',
        'LANGUAGE="en";',
        'MATRIX="BE01";',
        'CONTENTS="Population";',
        'UNITS="number";',
        'STUB="region";',
        'HEADING="tableelement","sex","year";',
        f'VALUES("region")={listed};',
        'VALUES("tableelement")="Population";',
        'VALUES("sex")="total","men","women";',
        'VALUES("year")="2023";',
        'TIMEVAL("year")=TLIST(A1),"2023";',
        'ELIMINATION("sex")="total";',
        'CODES("sex")="1+2","1","2";',
        "DATA=",
        *(f"{n} {m} {n - m}" for n, m in zip(counts, men, strict=True)),
        ";",
    ]
    yield "px_contents", File(name="be01.px", data="\n".join(lines).encode(), leaves=leaves)
    places = ["Whole country", *_TOWNS]
    listed = ",".join(f'"{town}"' for town in places)
    lines = [
        'CHARSET="ANSI";',
        'AXIS-VERSION="2010";',
        'MATRIX="BE02";',
        'STUB="municipality";',
        'HEADING="year";',
        f'VALUES("municipality")={listed};',
        'VALUES("year")="2022","2023";',
        'TIMEVAL("year")=TLIST(A1,"2022"-"2023");',
        "DATA=",
        f"{sum(men)} {sum(counts)}",
        *(f"{m} {n}" for n, m in zip(counts, men, strict=True)),
        ";",
    ]
    yield (
        "px_whole",
        File(
            name="be02.px",
            data="\n".join(lines).encode(),
            leaves=leaves,
            answers={
                "keep": ("year=2023",),
                "leave_out": ("municipality=Whole country",),
                "outline": "sums",
                "totals": "left out",
            },
        ),
    )
    codes = [f"{k + 101:04d}" for k in range(16)]
    content = {
        "bridge": {
            "label": "Population",
            "source": "Office",
            "updated": "2024-02-01",
            "dimension": {
                "id": ["Region", "ContentsCode", "Tid"],
                "size": [16, 1, 1],
                "role": {"time": ["Tid"], "geo": ["Region"], "metric": ["ContentsCode"]},
                "Region": {
                    "label": "region",
                    "category": {
                        "index": {code: k for k, code in enumerate(codes)},
                        "label": dict(zip(codes, _TOWNS, strict=True)),
                    },
                },
                "ContentsCode": {
                    "label": "contents",
                    "category": {
                        "index": {"Persons": 0},
                        "label": {"Persons": "Persons"},
                        "unit": {"Persons": {"base": "persons", "decimals": 0}},
                    },
                },
                "Tid": {
                    "label": "year",
                    "category": {"index": {"2024": 0}, "label": {"2024": "2024"}},
                },
            },
            "value": counts,
        }
    }
    yield (
        "jsonstat_old",
        File(
            name="old.json",
            data=json.dumps(content).encode(),
            leaves=dict(zip(codes, counts, strict=True)),
        ),
    )
    content = {
        "version": "2.0",
        "class": "collection",
        "label": "tables",
        "link": {
            "item": [
                {
                    "class": "dataset",
                    "id": ["geo", "sex"],
                    "size": [16, 3],
                    "dimension": {
                        "geo": {
                            "label": "area",
                            "category": {
                                "index": codes,
                                "label": dict(zip(codes, _TOWNS, strict=True)),
                            },
                        },
                        "sex": {
                            "label": "sex",
                            "category": {
                                "index": ["M", "F", "T"],
                                "label": {"M": "Males", "F": "Females", "T": "Total"},
                            },
                        },
                    },
                    "value": [x for n, m in zip(counts, men, strict=True) for x in (m, n - m, n)],
                }
            ]
        },
    }
    yield (
        "jsonstat_collection",
        File(
            name="collection.json",
            data=json.dumps(content).encode(),
            leaves=dict(zip(codes, counts, strict=True)),
        ),
    )


# ------------------------------------------------------------------------------- R, archives


def _programs() -> Iterator[tuple[str, File]]:
    counts = _numbers(7)
    leaves: dict[str, Value] = dict(zip(_TOWNS, counts, strict=True))
    lines = ['"","population","area_km2"']
    lines += [f'"{t}",{n},{n / 700:.1f}' for t, n in zip(_TOWNS, counts, strict=True)]
    yield "r_row_names", File(name="rownames.csv", data="\n".join(lines).encode(), leaves=leaves)
    lines = ['"population" "births"']
    lines += [f'"{t}" {n} {n // 90}' for t, n in zip(_TOWNS, counts, strict=True)]
    yield (
        "r_write_table",
        File(
            name="pop.txt",
            data="\n".join(lines).encode(),
            leaves=leaves,
            answers={"count": "population"},
        ),
    )
    lines = ["population\tbirths"]
    lines += [f"{t}\t{n}\t{n // 90}" for t, n in zip(_TOWNS, counts, strict=True)]
    yield (
        "r_short_header",
        File(
            name="short.tsv",
            data="\n".join(lines).encode(),
            leaves=leaves,
            answers={"count": "population"},
        ),
    )
    lines = ['"","Var1","Var2","Freq"']
    pairs = [
        (t, s, n // 2 + k)
        for k, s in enumerate(("f", "m"))
        for t, n in zip(_TOWNS, counts, strict=True)
    ]
    lines += [f'"{k}","{t}","{s}",{n}' for k, (t, s, n) in enumerate(pairs, start=1)]
    yield (
        "r_table",
        File(
            name="freq.csv",
            data="\n".join(lines).encode(),
            answers={"add_up": True},
            leaves={t: 2 * (n // 2) + 1 for t, n in zip(_TOWNS, counts, strict=True)},
        ),
    )
    table = text([["town", "people"], *zip(_TOWNS, counts, strict=True)])
    yield (
        "zip_readme",
        File(
            name="table.zip",
            leaves=leaves,
            data=packed_zip(
                {"table/README.txt": b"Population of towns.\n", "table/people.csv": table}
            ),
        ),
    )
    about = text([["Dimension", "Description"], ["town", "Name of the town"], ["people", "Count"]])
    yield (
        "zip_metadata",
        File(
            name="98100001-eng.zip",
            leaves=leaves,
            data=packed_zip({"98100001.csv": table, "98100001_MetaData.csv": about}),
        ),
    )
    other = text([["town", "people"], *zip(_TOWNS, _numbers(8), strict=True)])
    yield (
        "zip_years",
        File(
            name="years.zip",
            leaves=leaves,
            answers={"sheet": "people_2022.csv"},
            data=packed_zip({"people_2021.csv": other, "people_2022.csv": table}),
        ),
    )
    head = [
        "REF_DATE",
        "GEO",
        "DGUID",
        "Sex",
        "UOM",
        "UOM_ID",
        "SCALAR_FACTOR",
        "SCALAR_ID",
        "VECTOR",
        "COORDINATE",
        "VALUE",
        "STATUS",
        "SYMBOL",
        "TERMINATED",
        "DECIMALS",
    ]
    rows: list[Row] = []
    for k, (town, n) in enumerate(zip(_TOWNS, counts, strict=True)):
        men = n // 2 - 9
        for j, (sex, m) in enumerate((("Both sexes", n), ("Males", men), ("Females", n - men))):
            rows.append(
                [
                    2021,
                    town,
                    f"2021A0003{k:04d}",
                    sex,
                    "Persons",
                    249,
                    "units",
                    0,
                    f"v{k * 3 + j}",
                    f"{k}.{j}",
                    m,
                    "",
                    "",
                    "",
                    0,
                ]
            )
    yield "statcan", File(name="17100009.csv", data=text([head, *rows]), leaves=leaves)
    head = [
        "Country Name",
        "Country Code",
        "Indicator Name",
        "Indicator Code",
        *map(str, range(2016, 2024)),
        "",
    ]
    series = [[n + 100 * k for k in range(8)] for n in counts]
    lines = [
        '"Data Source","World Development Indicators",',
        "",
        '"Last Updated Date","2024-03-28",',
        "",
        ",".join(f'"{h}"' for h in head[:-1]) + ",",
    ]
    lines += [
        f'"{t}","{t[:3].upper()}","Population, total","SP.POP.TOTL",'
        + ",".join(f'"{n}"' for n in own)
        + ","
        for t, own in zip(_TOWNS, series, strict=True)
    ]
    yield (
        "worldbank",
        File(
            name="API_SP.POP.TOTL.csv",
            data="\n".join(lines).encode(),
            answers={"count": "2023"},
            leaves={t[:3].upper(): own[-1] for t, own in zip(_TOWNS, series, strict=True)},
        ),
    )
    lines = ['"Kod";"Nazwa";"ludność ogółem"', '"";"";"2022"', '"";"";"[osoba]"']
    codes = [f"{2 * (k // 4 + 1):02d}{k % 4 + 1:02d}000" for k in range(16)]
    lines += [f'"{c}";"{t}";{n}' for c, t, n in zip(codes, _TOWNS, counts, strict=True)]
    yield (
        "bdl",
        File(
            name="LUDN_2137_CTAB.csv",
            data="\n".join(lines).encode(),
            leaves=dict(zip(codes, counts, strict=True)),
        ),
    )
    lines = ["ID;RegioS;Perioden;TotaleBevolking_1"]
    lines += [f'{k};"GM{k + 14:04d}    ";"2023JJ00";{n:>9}' for k, n in enumerate(counts)]
    yield (
        "cbs",
        File(
            name="03759ned_data.csv",
            data="\n".join(lines).encode(),
            leaves={f"GM{k + 14:04d}": n for k, n in enumerate(counts)},
        ),
    )
    rows = [["region", "kön", "2022", "2023"]]
    codes = [f"{k + 114:04d} {t}" for k, t in enumerate(_TOWNS)]
    for code, n in zip(codes, counts, strict=True):
        rows += [[code, "män", n // 2 - 30, n // 2], [code, "kvinnor", n // 3, n - n // 2]]
    yield (
        "scb",
        File(
            name="000001.csv",
            data=text(rows),
            leaves=dict(zip(codes, counts, strict=True)),
            answers={"count": "2023", "add_up": True},
        ),
    )


# --------------------------------------------------------------------------------------- Stata


def stata_file(frame: pd.DataFrame, labels: Mapping[str, Mapping[int, str]] | None = None) -> bytes:
    buffer = io.BytesIO()
    named = {column: dict(own) for column, own in (labels or {}).items()}
    frame.to_stata(buffer, write_index=False, version=118, value_labels=named or None)
    return buffer.getvalue()


def _stata() -> Iterator[tuple[str, File]]:
    counts = _numbers(9)
    regions = np.repeat(np.arange(1, 5), 4)
    named = dict(enumerate(_STATES, start=1))
    frame = pd.DataFrame(
        {"state": regions.astype(np.int8), "town": _TOWNS, "pop": np.array(counts, dtype=np.int32)}
    )
    yield (
        "stata_counts",
        File(
            name="towns.dta",
            data=stata_file(frame, {"state": named}),
            depth=2,
            leaves=dict(zip(_TOWNS, counts, strict=True)),
        ),
    )
    rng = np.random.default_rng([101, 10])
    where = rng.integers(0, 16, 500)
    towns = dict(enumerate(_TOWNS, start=1))
    frame = pd.DataFrame(
        {
            "persid": np.arange(1, 501, dtype=np.int32),
            "region": (where // 4 + 1).astype(np.int8),
            "district": (where + 1).astype(np.int16),
            "sex": rng.integers(1, 3, 500).astype(np.int8),
            "age": rng.integers(0, 90, 500).astype(np.float32),
        }
    )
    labels = {"region": named, "district": towns, "sex": {1: "male", 2: "female"}}
    yield (
        "stata_persons",
        File(
            name="persons.dta",
            data=stata_file(frame, labels),
            depth=2,
            leaves=dict(Counter(_TOWNS[k] for k in where.tolist())),
        ),
    )
    values = np.array(counts, dtype=np.float64)
    values[3] = np.nan
    frame = pd.DataFrame({"code": [f"{k + 1:04d}" for k in range(16)], "people": values})
    yield (
        "stata_missing",
        File(
            name="missing.dta",
            data=stata_file(frame),
            answers={"missing": "left out"},
            leaves={f"{k + 1:04d}": n for k, n in enumerate(counts) if k != 3},
        ),
    )
    frame = pd.DataFrame(
        {
            "region": (where // 4 + 1).astype(np.int8),
            "hhid": (np.arange(500) // 3 + 1),
            "pid": np.arange(500) % 3 + 1,
            "wt": rng.uniform(20, 900, 500).astype(np.float32),
        }
    )
    frame["region"] = (frame["hhid"] % 4 + 1).astype(np.int8)
    sizes: dict[str, list[int]] = {}
    for _, own in frame.groupby("hhid"):
        sizes.setdefault(_STATES[int(own["region"].iloc[0]) - 1], []).append(len(own))
    leaves: dict[str, Value] = {
        state: tuple(own.count(n) for n in range(4)) for state, own in sizes.items()
    }
    yield (
        "stata_households",
        File(
            name="survey.dta",
            data=stata_file(frame, {"region": named}),
            kind="group-sizes",
            leaves=leaves,
            answers={"kind": "group-sizes", "row": "person", "group": "hhid"},
        ),
    )


# ---------------------------------------------------------------------------------------- SPSS


def spss_file(
    frame: pd.DataFrame,
    labels: Mapping[str, Mapping[float, str]] | None = None,
    missing: Mapping[str, Sequence[float | str]] | None = None,
    packed: str = "",
) -> bytes:
    """The bytes of an SPSS file; `packed` is "compress" (.zsav), "row_compress" or neither."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.sav"
        pyreadstat.write_sav(
            frame,
            path,
            variable_value_labels={column: dict(own) for column, own in (labels or {}).items()},
            missing_ranges={column: list(own) for column, own in (missing or {}).items()} or None,
            **({packed: True} if packed else {}),
        )
        return path.read_bytes()


def _spss() -> Iterator[tuple[str, File]]:
    counts = _numbers(17)
    frame = pd.DataFrame(
        {
            "land": np.repeat(np.arange(1.0, 5.0), 4),
            "gemeinde": _TOWNS,
            "einwohner": np.array(counts, dtype=np.float64),
        }
    )
    named = {float(k): state for k, state in enumerate(_STATES, start=1)}
    yield (
        "spss_counts",
        File(
            name="gemeinden.sav",
            data=spss_file(frame, {"land": named}, packed="row_compress"),
            depth=2,
            leaves=dict(zip(_TOWNS, counts, strict=True)),
        ),
    )
    rng = np.random.default_rng([101, 18])
    where = rng.integers(0, 16, 500)
    towns = {float(k): town for k, town in enumerate(_TOWNS, start=1)}
    frame = pd.DataFrame(
        {
            "ID": np.arange(1.0, 501.0),
            "REGION": where // 4 + 1.0,
            "BEZIRK": where + 1.0,
            "GESCHLECHT": rng.integers(1, 3, 500) * 1.0,
            "ALTER": rng.integers(0, 96, 500) * 1.0,
            "GEBOREN": pd.Timestamp("1980-03-01") + pd.to_timedelta(where, unit="D"),
        }
    )
    labels = {
        "REGION": named,
        "BEZIRK": towns | {99.0: "keine Angabe"},
        "GESCHLECHT": {1.0: "männlich", 2.0: "weiblich"},
        "ALTER": {95.0: "95 und älter"},
    }
    for id, packed, suffix in (("plain", "", "sav"), ("packed", "compress", "zsav")):
        yield (
            f"spss_persons_{id}",
            File(
                name=f"mikrodaten.{suffix}",
                data=spss_file(frame, labels, packed=packed),
                depth=2,
                leaves=dict(Counter(_TOWNS[k] for k in where.tolist())),
            ),
        )
    frame.loc[:11, "BEZIRK"] = 99.0
    yield (
        "spss_missing",
        File(
            name="missing.sav",
            data=spss_file(frame, labels, {"BEZIRK": [99.0]}),
            answers={"leave_out": ("BEZIRK=",)},
            depth=2,
            leaves=dict(Counter(_TOWNS[k] for k in where[12:].tolist())),
        ),
    )


def export_files() -> Iterator[tuple[str, File]]:
    """Every export, each with an id."""
    for family in (_sdmx, _genesis, _english, _cubes, _programs, _stata, _spss):
        yield from family()
