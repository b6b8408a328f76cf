"""Files whose layout differs from a plain list: regions in columns, cubes, sheets for regions."""

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from xml.sax.saxutils import escape

import numpy as np

from support.offices import Country, File, Value, countries, text
from support.printed_tables import workbook_of

Row = Sequence[object]


def _by_code(c: Country, counts: Sequence[Value]) -> dict[str, Value]:
    return {path[-1][0]: n for path, n in zip(c.places, counts, strict=True)}


def _by_name(c: Country, counts: Sequence[Value]) -> dict[str, Value]:
    return {path[-1][1]: n for path, n in zip(c.places, counts, strict=True)}


def opendocument(c: Country) -> File:
    counts = c.counts(60)
    rows: list[Row] = [[c.title], [], [*c.columns[-1], c.count]]
    rows += [[*p[-1], n] for p, n in zip(c.places, counts, strict=True)]
    return File(name="table.ods", data=ods({"Notes": [[c.source]], "Data": rows}),
                leaves=_by_code(c, counts))  # fmt: skip


def px_file(c: Country) -> File:
    men, women = c.counts(61), c.counts(62)
    both = [a + b for a, b in zip(men, women, strict=True)]

    def listed(words: Sequence[str]) -> str:
        return ",".join(f'"{word}"' for word in words)

    region = c.columns[-1][1]
    lines = [
        'CHARSET="ANSI";', 'AXIS-VERSION="2013";', 'MATRIX="POP";', f'TITLE="{c.title}";',
        f'STUB="{region}";', f'HEADING="{c.sex}";',
        f'VALUES("{region}")={listed([p[-1][1] for p in c.places])};',
        f'VALUES("{c.sex}")={listed(c.sexes[:2])};',
        f'CODES("{region}")={listed([p[-1][0] for p in c.places])};', "DATA=",
        *(f"{a} {b}" for a, b in zip(men, women, strict=True)), ";",
    ]  # fmt: skip
    return File(name="cube.px", data="\n".join(lines).encode(), leaves=_by_code(c, both),
                answers={"add_up": True})  # fmt: skip


def json_stat(c: Country) -> File:
    old, new = c.counts(63), c.counts(64)
    codes = [p[-1][0] for p in c.places]
    names = {code: p[-1][1] for code, p in zip(codes, c.places, strict=True)}
    values = [n for pair in zip(old, new, strict=True) for n in pair]
    content = {
        "version": "2.0", "class": "dataset", "label": c.title,
        "id": ["region", "year"], "size": [len(codes), 2],
        "dimension": {
            "region": {"label": c.columns[-1][1], "category": {
                "index": {code: k for k, code in enumerate(codes)}, "label": names}},
            "year": {"label": c.year, "category": {"index": ["2022", "2023"]}},
        },
        "value": values,
    }  # fmt: skip
    return File(name="cube.json", data=json.dumps(content).encode(), leaves=_by_code(c, new),
                answers={"keep": (f"{c.year}=2023",)})  # fmt: skip


def regions_in_columns(c: Country) -> File:
    men, women = c.counts(65), c.counts(66)
    both = [a + b for a, b in zip(men, women, strict=True)]
    total = f"{c.sexes[2]}:"
    rows: list[Row] = [["Label", *(p[-1][1] for p in c.places)]]
    rows += [[total, *both], [f"    {c.sexes[0]}", *men], [f"    {c.sexes[1]}", *women]]
    return File(name="columns.csv", data=text(rows, c.separator), leaves=_by_name(c, both),
                answers={"areas": "columns", "levels": ("area",), "count": total})  # fmt: skip


def names_that_repeat(c: Country) -> File:
    old, new = c.counts(67), c.counts(68)
    rows: list[Row] = [
        [*c.columns[-1], "Stichtag", "Stichtag"],
        ["", "", "31.12.2021", "31.12.2022"],
    ]
    rows += [[*p[-1], a, b] for p, a, b in zip(c.places, old, new, strict=True)]
    return File(name="dates.csv", data=text(rows, c.separator), leaves=_by_code(c, new),
                answers={"count": "Stichtag 31.12.2022"})  # fmt: skip


def symbols_beside(c: Country) -> File:
    counts, other = c.counts(69), c.counts(70)
    rows: list[Row] = [[*c.columns[-1], c.count, "SYMBOL", "LAND_AREA", "SYMBOL"]]
    rows += [[*p[-1], a, "", b, "F"] for p, a, b in zip(c.places, counts, other, strict=True)]
    return File(name="symbols.csv", data=text(rows, c.separator), leaves=_by_code(c, counts))


def ages_in_columns(c: Country) -> File:
    rng = np.random.default_rng([71, *c.id.encode()])
    ages = rng.integers(40, 9_000, (len(c.places), 91)).tolist()
    counts = [sum(row) for row in ages]
    rows: list[Row] = [[*c.columns[-1], "All ages", *range(90), "90+"]]
    rows += [[*p[-1], n, *row] for p, n, row in zip(c.places, counts, ages, strict=True)]
    return File(name="ages.csv", data=text(rows, c.separator), leaves=_by_code(c, counts))


def total_by_its_sums(c: Country) -> File:
    rng = np.random.default_rng([72, *c.id.encode()])
    ages = rng.integers(40, 9_000, (len(c.places), 6)).tolist()
    counts = [sum(row) for row in ages]
    rows: list[Row] = [[*c.columns[-1], "age", c.count]]
    rows += [
        [*p[-1], age, n]
        for p, own, n_all in zip(c.places, ages, counts, strict=True)
        for age, n in [*enumerate(own), (999, n_all)]
    ]
    return File(name="code_999.csv", data=text(rows, c.separator), leaves=_by_code(c, counts))


def _kinds(c: Country, counts: Sequence[int], rounding: int) -> list[Row]:
    rows: list[Row] = [["kind of area", "area", c.count]]
    rows.append(["Country", "the whole", sum(counts) + 2 * rounding])
    for top in dict.fromkeys(p[0] for p in c.places):
        own = [(p, n) for p, n in zip(c.places, counts, strict=True) if p[0] == top]
        rows.append(["Province", f"{top[1]} ({top[0]})", sum(n for _, n in own) + rounding])
        rows += [["Municipality", p[-1][1], n] for p, n in own]
    return rows


def level_in_a_column(c: Country) -> File:
    counts = c.counts(73)
    return File(name="kinds.csv", data=text(_kinds(c, counts, 0), c.separator),
                leaves=_by_name(c, counts))  # fmt: skip


def level_of_rounded_rows(c: Country) -> File:
    counts = c.counts(73)
    return File(name="rounded_kinds.csv", data=text(_kinds(c, counts, 41), c.separator),
                leaves=_by_name(c, counts),
                answers={"keep": ("kind of area=Municipality",), "levels": ("area",)})  # fmt: skip


def monthly(c: Country) -> File:
    months = [c.counts(74 + k) for k in range(3)]
    names = ("January 2023", "February 2023", "March 2023")
    counts = [sum(row) for row in zip(*months, strict=True)]
    rows: list[Row] = [[*c.columns[-1], *names]]
    rows += [[*p[-1], *row] for p, row in zip(c.places, zip(*months, strict=True), strict=True)]
    return File(name="months.csv", data=text(rows, c.separator), leaves=_by_code(c, counts),
                answers={"parts": names})  # fmt: skip


def all_combinations(c: Country) -> File:
    counts = c.counts(78)
    tops = list(dict.fromkeys(p[0][1] for p in c.places))
    rows: list[Row] = [["province", "district", "Freq"]]
    rows += [
        [top, p[-1][1], n if p[0][1] == top else 0]
        for p, n in zip(c.places, counts, strict=True)
        for top in tops
    ]
    return File(name="combinations.csv", data=text(rows, c.separator), leaves=_by_name(c, counts),
                depth=2,
                answers={"leave_out": ("Freq=0",), "levels": ("province", "district")})  # fmt: skip


def sheet_for_each_region(c: Country) -> File:
    counts = c.counts(79)
    sheets: dict[str, list[Row]] = {}
    for path, n in zip(c.places, counts, strict=True):
        own = sheets.setdefault(path[0][1][:25], [[c.title], [*c.columns[-1], c.count]])
        own.append([*path[-1], n])
    return File(name="sheets_of_regions.xlsx", data=workbook_of(sheets),
                leaves=_by_code(c, counts), answers={"sheet": "*"})  # fmt: skip


def sexes_with_upper_rows(c: Country) -> File:
    men, women = c.counts(80), c.counts(81)
    rows: list[Row] = [["area", c.sex, c.count]]
    tops = list(dict.fromkeys(p[0] for p in c.places))
    for top in tops:
        inside = [k for k, p in enumerate(c.places) if p[0] == top]
        for sex, numbers in zip(c.sexes[:2], (men, women), strict=True):
            rows.append([f"{top[1]} ({top[0]})", sex, sum(numbers[k] for k in inside)])
        rows += [[c.places[k][-1][1], sex, numbers[k]] for k in inside
                 for sex, numbers in zip(c.sexes[:2], (men, women), strict=True)]  # fmt: skip
    both = [a + b for a, b in zip(men, women, strict=True)]
    return File(name="sexes_and_sums.csv", data=text(rows, c.separator), leaves=_by_name(c, both),
                depth=2, answers={"add_up": True, "outline": "sums"})  # fmt: skip


def one_upper_region(c: Country) -> File:
    counts = c.counts(82)
    rows: list[Row] = [["country", "province", "municipality", c.count]]
    last = ""
    for k, (path, n) in enumerate(zip(c.places, counts, strict=True)):
        top = path[0][1]
        rows.append(["Utopia" if k == 0 else "", top if top != last else "", path[-1][1], n])
        last = top
    rows.append(["Grand Total", "", "", sum(counts)])
    return File(name="one_upper.csv", data=text(rows, c.separator), leaves=_by_name(c, counts))


def flows_by_codes(c: Country) -> File:
    rng = np.random.default_rng([83, *c.id.encode()])
    codes = [f"K{p[-1][0]}" for p in c.places][:12]
    names = {f"K{p[-1][0]}": p[-1][1] for p in c.places}
    pairs = [(a, b, int(rng.integers(1, 900))) for a in codes for b in codes]
    out: dict[str, Value] = {a: sum(n for one, _, n in pairs if one == a) for a in codes}
    rows: list[Row] = [["CODEA", "LIBA", "CODEB", "LIBB", "NB"]]
    rows += [[a, names[a], b, names[b], n] for a, b, n in pairs]
    answers = {"kind": "flows", "levels": ("CODEA",), "destinations": ("CODEB",), "count": "NB"}
    return File(name="pairs.csv", data=text(rows, c.separator), kind="flows", leaves=out,
                answers=answers)  # fmt: skip


def rides(c: Country) -> File:
    rng = np.random.default_rng([84, *c.id.encode()])
    stations = [f"S{p[-1][0]}" for p in c.places][:8]
    trips = [
        ("" if k % 41 == 0 else stations[a], "" if k % 53 == 0 else stations[b], k)
        for k, (a, b) in enumerate(rng.integers(0, len(stations), (400, 2)).tolist())
    ]
    out: dict[str, Value] = dict.fromkeys({s for a, b, _ in trips if a and b for s in (a, b)}, 0)
    for start, end, _ in trips:
        if start and end:
            out[start] = int(str(out[start])) + 1
    rows: list[Row] = [["ride_id", "started_at", "start_station_id", "end_station_id"]]
    rows += [[f"R{k:04d}X", f"2023-09-{1 + k % 28:02d}", a, b] for a, b, k in trips]
    return File(name="rides.csv", data=text(rows, c.separator), kind="flows", leaves=out,
                answers={"leave_out": ("start_station_id=", "end_station_id=")})  # fmt: skip


def matrix_with_margins(c: Country) -> File:
    rng = np.random.default_rng([85, *c.id.encode()])
    names = [p[-1][1].replace(",", "") for p in c.places][:9]
    cells = rng.integers(5, 4_000, (len(names), len(names))).tolist()
    out: dict[str, Value] = {name: sum(row) for name, row in zip(names, cells, strict=True)}
    head = [f"{name} {what}" for name in names for what in ("Estimate", "MOE")]
    rows: list[Row] = [["Residence a year ago", *head]]
    rows += [
        [name, *(x for n in row for x in (n, 17))] for name, row in zip(names, cells, strict=True)
    ]
    return File(name="margins.csv", data=text(rows, c.separator), kind="flows", leaves=out,
                answers={"matrix": "origins"})  # fmt: skip


def numbered_sizes(c: Country) -> File:
    sizes = c.sizes()
    leaves: dict[str, Value] = {p[-1][0]: (0, *row) for p, row in zip(c.places, sizes, strict=True)}
    names = tuple(f"HUSH_ST__{k}" for k in range(1, 6))
    rows: list[Row] = [[*c.columns[-1], *names]]
    rows += [[*p[-1], *row] for p, row in zip(c.places, sizes, strict=True)]
    return File(name="numbered_sizes.csv", data=text(rows, c.separator), kind="group-sizes",
                leaves=leaves,
                answers={"kind": "group-sizes", "sizes": names, "first_size": 1})  # fmt: skip


def staff(c: Country) -> File:
    rng = np.random.default_rng([86, *c.id.encode()])
    chosen = rng.integers(0, len(c.places), 300).tolist()
    leaves: dict[str, Value] = {}
    rows: list[Row] = [["Staff list"], [], ["Emp No", "Directorate", "Team", "Job", "FTE", "Start"]]
    numbers = rng.permutation(np.arange(40_001, 40_301)).tolist()
    for number, k in zip(numbers, chosen, strict=True):
        path = c.places[k]
        leaves[path[-1][1]] = int(str(leaves.get(path[-1][1], 0))) + 1
        job = ("Officer", "Manager", "Clerk")[number % 3]
        rows.append([number, path[0][1], path[-1][1], job, "0.8", f"20{number % 17 + 10}-05-01"])
    rows += [[], ["Headcount", 300]]
    return File(name="staff.xlsx", data=workbook_of({"Staff": rows}), leaves=leaves,
                answers={"row": "person"})  # fmt: skip


MANNERS: tuple[Callable[[Country], File], ...] = (
    opendocument, px_file, json_stat, regions_in_columns, names_that_repeat, symbols_beside,
    ages_in_columns, total_by_its_sums, level_in_a_column, level_of_rounded_rows, monthly,
    all_combinations, sheet_for_each_region, sexes_with_upper_rows, one_upper_region,
    flows_by_codes, rides, matrix_with_margins, numbered_sizes, staff,
)  # fmt: skip


def layout_files() -> Iterator[tuple[str, File]]:
    """Every layout for every country, each with an id."""
    for country in countries():
        for manner in MANNERS:
            yield f"{country.id}-{manner.__name__}", manner(country)


def ods(sheets: dict[str, list[Row]]) -> bytes:
    """Several sheets as an OpenDocument spreadsheet, with repeated blank cells as programs do."""
    office = "urn:oasis:names:tc:opendocument:xmlns"

    def cell(value: object) -> str:
        if isinstance(value, int):
            shown = f"<text:p>{value:,}</text:p>"
            return (f'<table:table-cell office:value-type="float" office:value="{value}">{shown}'
                    "</table:table-cell>")  # fmt: skip
        words = f"<text:p>{escape(str(value))}</text:p>" if value != "" else ""
        return f'<table:table-cell office:value-type="string">{words}</table:table-cell>'

    def line(row: Row) -> str:
        blank = '<table:table-cell table:number-columns-repeated="1000"/>'
        return f"<table:table-row>{''.join(map(cell, row))}{blank}</table:table-row>"

    tables = "".join(
        f'<table:table table:name="{escape(name)}">{"".join(map(line, rows))}'
        '<table:table-row table:number-rows-repeated="1000000"><table:table-cell/>'
        "</table:table-row>"
        "</table:table>"
        for name, rows in sheets.items()
    )
    content = (
        f'<office:document-content xmlns:office="{office}:office:1.0" '
        f'xmlns:table="{office}:table:1.0" xmlns:text="{office}:text:1.0"><office:body>'
        f"<office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    return buffer.getvalue()
