"""Files as offices print and export them: levels in one column, merged headers, code pages."""

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from xml.sax.saxutils import escape

import numpy as np

from support.offices import Country, File, Value, countries, text, workbook

Row = Sequence[object]


def _of_names(c: Country, counts: Sequence[Value]) -> dict[str, Value]:
    return {path[-1][1]: n for path, n in zip(c.places, counts, strict=True)}


def _of_codes(c: Country, counts: Sequence[Value]) -> dict[str, Value]:
    return {path[-1][0]: n for path, n in zip(c.places, counts, strict=True)}


def _families(
    c: Country, counts: Sequence[int]
) -> dict[tuple[str, str], list[tuple[str, str, int]]]:
    found: dict[tuple[str, str], list[tuple[str, str, int]]] = {}
    for path, n in zip(c.places, counts, strict=True):
        found.setdefault(path[0], []).append((*path[1], n))
    return found


def _outline(c: Country, counts: Sequence[int], steps: Sequence[str]) -> list[tuple[str, str, int]]:
    """Code, name and number of the whole, of each upper region and of the regions below it."""
    rows = [("0", steps[0] + c.title.split()[0], sum(counts))]
    for (code, name), own in _families(c, counts).items():
        rows.append((code, steps[1] + name, sum(n for *_, n in own)))
        rows += [(lower, steps[2] + title, n) for lower, title, n in own]
    return rows


def indented(c: Country) -> File:
    counts = c.counts(11)
    rows = [[c.columns[-1][1], c.count]]
    rows += [[name, n] for _, name, n in _outline(c, counts, ("", "  ", "    "))]
    return File(
        name="indented.csv", data=text(rows, c.separator), leaves=_of_names(c, counts), depth=2
    )


def marked(c: Country) -> File:
    counts = c.counts(12)
    rows = [[c.columns[-1][1], c.count]]
    rows += [[name, n] for _, name, n in _outline(c, counts, ("", "- ", ">> "))]
    return File(
        name="marked.csv", data=text(rows, c.separator), leaves=_of_names(c, counts), depth=2
    )


def told_by_sums(c: Country) -> File:
    counts = c.counts(13)
    rows = [[c.columns[-1][1], c.count]]
    rows += [[name, n] for _, name, n in _outline(c, counts, ("", "", ""))]
    return File(name="sums.csv", data=text(rows, c.separator), leaves=_of_names(c, counts), depth=2)


def filled_once(c: Country) -> File:
    counts = c.counts(14)
    rows: list[list[object]] = [[*(n for _, n in c.columns), c.count]]
    for (_, top), own in _families(c, counts).items():
        rows += [[top if k == 0 else "", name, n] for k, (_, name, n) in enumerate(own)]
    return File(
        name="blocks.csv", data=text(rows, c.separator), leaves=_of_names(c, counts), depth=2
    )


def with_subtotals(c: Country) -> File:
    counts = c.counts(15)
    rows: list[list[object]] = [[*(n for _, n in c.columns), c.count]]
    for (_, top), own in _families(c, counts).items():
        rows += [[top if k == 0 else "", name, n] for k, (_, name, n) in enumerate(own)]
        rows.append([f"{c.sexes[2]} {top}", "", sum(n for *_, n in own)])
    rows.append([c.sexes[2], "", sum(counts)])
    return File(
        name="subtotals.csv", data=text(rows, c.separator), leaves=_of_names(c, counts), depth=2
    )


def three_headers(c: Country) -> File:
    men, women = c.counts(16), c.counts(17)
    both = [a + b for a, b in zip(men, women, strict=True)]
    rows: list[Row] = [[c.title], []]
    rows += [["", "", "Census 2021", "", ""], ["", "", c.sex, "", ""]]
    rows += [[*c.columns[-1], c.sexes[2], *c.sexes[:2]]]
    rows += [[*p[-1], t, a, b] for p, t, a, b in zip(c.places, both, men, women, strict=True)]
    return File(name="headers.xlsx", data=workbook(rows), leaves=_of_codes(c, both))


def numbered_columns(c: Country) -> File:
    counts = c.counts(18)
    rows: list[list[object]] = [[*c.columns[-1], c.count], ["(1)", "(2)", "(3)"]]
    rows += [[*p[-1], n] for p, n in zip(c.places, counts, strict=True)]
    return File(name="numbered.csv", data=text(rows, c.separator), leaves=_of_codes(c, counts))


def several_sheets(c: Country) -> File:
    counts, other = c.counts(19), c.counts(20)
    head: list[Row] = [[*c.columns[-1], c.count]]
    old = [*head, *([*p[-1], n] for p, n in zip(c.places, other, strict=True))]
    new = [*head, *([*p[-1], n] for p, n in zip(c.places, counts, strict=True))]
    notes: list[Row] = [[c.title], [c.source], ["Contents"], ["2011"], ["2021"]]
    return File(
        name="sheets.xlsx",
        data=workbook_of({"Contents": notes, "2011": old, "2021": new}),
        leaves=_of_codes(c, counts),
        answers={"sheet": "2021"},
    )


def one_sheet_of_several(c: Country) -> File:
    counts = c.counts(21)
    table: list[Row] = [[*c.columns[-1], c.count]]
    table += [[*p[-1], n] for p, n in zip(c.places, counts, strict=True)]
    cover: list[Row] = [[c.title], [], [c.source], ["See the next sheet"]]
    return File(
        name="cover.xlsx",
        data=workbook_of({"Cover": cover, "Data": table}),
        leaves=_of_codes(c, counts),
    )


def footnoted(c: Country) -> File:
    counts = c.counts(22)
    marks = ("", "¹", " b", "*", " 2)", " (p)", " [r]", "")
    rows: list[list[object]] = [[*c.columns[-1], c.count]]
    rows += [
        [*p[-1], f"{n}{marks[k % len(marks)]}"]
        for k, (p, n) in enumerate(zip(c.places, counts, strict=True))
    ]
    return File(name="footnotes.csv", data=text(rows, c.separator), leaves=_of_codes(c, counts))


def men_and_women(c: Country) -> File:
    men, women = c.counts(23), c.counts(24)
    rows: list[list[object]] = [[*c.columns[-1], c.male, c.female]]
    rows += [[*p[-1], a, b] for p, a, b in zip(c.places, men, women, strict=True)]
    both = [a + b for a, b in zip(men, women, strict=True)]
    return File(
        name="sexes.csv",
        data=text(rows, c.separator),
        leaves=_of_codes(c, both),
        answers={"parts": (c.male, c.female)},
    )


def many_years(c: Country) -> File:
    years = range(2006, 2024)
    columns = [c.counts(year) for year in years]
    rows: list[list[object]] = [[*c.columns[-1], *years]]
    rows += [[*p[-1], *n] for p, *n in zip(c.places, *columns, strict=True)]
    return File(
        name="long_series.csv",
        data=text(rows, c.separator),
        leaves=_of_codes(c, columns[-1]),
        answers={"count": "2023"},
    )


def matrix(c: Country) -> File:
    rng = np.random.default_rng([41, *c.id.encode()])
    names = [p[-1][1] for p in c.places][:9]
    flows = rng.integers(0, 900, (9, 9))
    rows: list[list[object]] = [["", *names, c.sexes[2]]]
    rows += [
        [name, *("-" if a == b else int(n) for b, n in enumerate(flows[a])), int(flows[a].sum())]
        for a, name in enumerate(names)
    ]
    np.fill_diagonal(flows, 0)
    return File(
        name="square.csv",
        data=text(rows, c.separator),
        kind="flows",
        leaves={name: int(n) for name, n in zip(names, flows.sum(axis=1), strict=True)},
        answers={"matrix": "origins"},
    )


def records(c: Country) -> File:
    counts = c.counts(25)
    names = [*(n for pair in c.columns for n in pair), c.count]
    listed = [
        dict(zip(names, [*p[0], *p[1], n], strict=True))
        for p, n in zip(c.places, counts, strict=True)
    ]
    data = json.dumps({"source": c.source, "data": listed}, ensure_ascii=False).encode()
    return File(name="records.json", data=data, leaves=_of_codes(c, counts), depth=2)


def records_in_records(c: Country) -> File:
    counts = c.counts(26)
    tops = [
        {
            "name": top,
            c.count: sum(n for *_, n in own),
            "areas": [{"name": name, c.count: n} for _, name, n in own],
        }
        for (_, top), own in _families(c, counts).items()
    ]
    data = json.dumps({"regions": tops}, ensure_ascii=False).encode()
    return File(name="nested.json", data=data, leaves=_of_names(c, counts), depth=2)


def properties(c: Country) -> File:
    counts = c.counts(27)
    features = [
        {
            "type": "Feature",
            "properties": {c.columns[-1][0]: p[-1][0], c.columns[-1][1]: p[-1][1], c.count: n},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[k, 0], [k + 1, 0], [k + 1, 1], [k, 1], [k, 0]]],
            },
        }
        for k, (p, n) in enumerate(zip(c.places, counts, strict=True))
    ]
    data = json.dumps({"type": "FeatureCollection", "features": features}, ensure_ascii=False)
    return File(name="areas.geojson", data=data.encode(), leaves=_of_codes(c, counts))


def scale_question(c: Country) -> File:
    counts = [100 * (n // 100) for n in c.counts(28)]
    blank = [""] * len(c.columns[-1])
    rows: list[list[object]] = [[f"{c.title} (1 000)", *blank], [*blank, ""]]
    rows += [[*c.columns[-1], c.count]]
    rows += [[*p[-1], f"{n / 1000:.1f}"] for p, n in zip(c.places, counts, strict=True)]
    return File(
        name="thousand.csv",
        data=text(rows, c.separator),
        leaves=_of_codes(c, counts),
        answers={"times": 1000, "count": c.count},
    )


def codes_of_missing(c: Country) -> File:
    counts = c.counts(29)
    rows: list[list[object]] = [[*c.columns[-1], c.count]]
    rows += [
        [*p[-1], -9 if k % 8 == 3 else n]
        for k, (p, n) in enumerate(zip(c.places, counts, strict=True))
    ]
    leaves = {
        p[-1][0]: n for k, (p, n) in enumerate(zip(c.places, counts, strict=True)) if k % 8 != 3
    }
    return File(
        name="codes_of_missing.csv",
        data=text(rows, c.separator),
        leaves=leaves,
        answers={"leave_out": (f"{c.count}=-9",)},
    )


def legend_below(c: Country) -> File:
    counts = c.counts(30)
    rows: list[list[object]] = [[*c.columns[-1], c.count]]
    rows += [[*p[-1], n] for p, n in zip(c.places, counts, strict=True)]
    legend = text(
        [[c.source], ["Symbols"], ["-", "nothing"], ["...", "not available"]], c.separator
    )
    data = text(rows, c.separator) + legend
    return File(name="legend.csv", data=data, leaves=_of_codes(c, counts))


MANNERS: tuple[Callable[[Country], File], ...] = (
    indented, marked, told_by_sums, filled_once, with_subtotals, three_headers, numbered_columns,
    several_sheets, one_sheet_of_several, footnoted, men_and_women, many_years, matrix, records,
    records_in_records, properties, scale_question, codes_of_missing, legend_below,
)  # fmt: skip

# Words of tables in languages whose offices still use code pages.
_CODE_PAGES: Mapping[str, tuple[str, str, str, tuple[str, ...]]] = {
    "cp1250": ("Okres", "Počet obyvatel", "Město", (
        "Děčín", "Žďár nad Sázavou", "Šumperk", "Třebíč", "Přerov", "Jičín",
        "Ústí nad Orlicí", "Kroměříž")),
    "iso8859-2": ("Powiat", "Ludność", "Gmina", (
        "Śrem", "Łańcut", "Świdnik", "Żywiec", "Wągrowiec", "Łęczna", "Ząbkowice Śląskie",
        "Mińsk")),
    "cp1251": ("Район", "Население", "Город", (
        "Алматы", "Караганда", "Павлодар", "Костанай", "Семей", "Тараз", "Кызылорда", "Актобе")),
    "cp1253": ("Δήμος", "Πληθυσμός", "Πόλη", (
        "Λάρισα", "Βόλος", "Τρίκαλα", "Καρδίτσα", "Ιωάννινα", "Άρτα", "Πρέβεζα", "Κέρκυρα")),
    "cp1254": ("İlçe", "Nüfus", "Belde", (
        "Çeşme", "Ödemiş", "Urla", "Menderes", "Kınık", "Güzelbahçe", "Bayındır", "Beydağ")),
    "cp1257": ("Novads", "Iedzīvotāju skaits", "Pilsēta", (
        "Cēsu", "Ogres", "Ādažu", "Mārupes", "Ķekavas", "Līvānu", "Rēzeknes", "Gulbenes")),
    "cp932": ("市区町村", "人口", "世帯", (
        "福岡市", "北九州市", "久留米市", "直方市", "飯塚市", "田川市", "柳川市", "八女市")),
    "euc_jp": ("市区町村", "人口", "世帯", (
        "高松市", "丸亀市", "坂出市", "善通寺市", "観音寺市", "東かがわ市", "三豊市", "小豆島町")),
    "cp949": ("시군구", "인구", "세대", (
        "수원시", "성남시", "의정부시", "안양시", "부천시", "광명시", "평택시", "동두천시")),
    "gb18030": ("地区", "人口", "户数", (
        "南京市", "无锡市", "徐州市", "常州市", "苏州市", "南通市", "连云港市", "淮安市")),
    "big5": ("鄉鎮市區", "人口數", "戶數", (
        "板橋區", "三重區", "中和區", "永和區", "新莊區", "新店區", "土城區", "蘆洲區")),
    "cp1252": ("Commune", "Population municipale", "Région", (
        "Besançon", "Évreux", "Nîmes", "Orléans", "Châteauroux", "Saint-Étienne", "Mâcon",
        "Forêt")),
}  # fmt: skip


def code_page(encoding: str) -> File:
    area, count, _, places = _CODE_PAGES[encoding]
    rng = np.random.default_rng([51, *encoding.encode()])
    counts: dict[str, Value] = {
        place: int(n) for place, n in zip(places, rng.integers(2_000, 90_000, 8), strict=True)
    }
    rows: list[Row] = [[area, count], *([place, n] for place, n in counts.items())]
    data = text(rows, ";").decode().encode(encoding)
    return File(name=f"{encoding}.csv", data=data, leaves=counts)


def printed_files() -> Iterator[tuple[str, File]]:
    """Every manner for every country, and the single files, each with an id."""
    for country in countries():
        for manner in MANNERS:
            yield f"{country.id}-{manner.__name__}", manner(country)
    for encoding in _CODE_PAGES:
        yield f"page_{encoding}".replace("-", "_"), code_page(encoding)
    for file in _single_files():
        yield file.name.partition(".")[0], file


def _single_files() -> Iterator[File]:
    areas = [f"AT{k}{m}" for k in (1, 2, 3) for m in (1, 2)]
    counts = {code: 205_117 + 1_373 * k for k, code in enumerate(areas)}
    head = "freq,unit,sex,geo\\TIME_PERIOD\t2020 \t2021 \n"
    bulk = head + "".join(f"A,NR,T,{code}\t{n - 9} \t{n} p\n" for code, n in counts.items())
    yield File(
        name="bulk_download.tsv", data=bulk.encode(), leaves=counts, answers={"count": "2021"}
    )
    digits = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
    towns: dict[str, Value] = {f"مدينة {k}": 10_431 + 2_357 * k for k in range(1, 9)}
    arabic: list[Row] = [["المدينة", "عدد السكان"]]
    arabic += [[town, f"{n:,}".replace(",", "٬").translate(digits)] for town, n in towns.items()]
    yield File(name="arabic_digits.csv", data=text(arabic, ";"), leaves=towns)
    rng = np.random.default_rng(52)
    zones = [f"Z{k:02d}" for k in range(6)]
    weighted = [(a, b, float(rng.uniform(1, 900))) for a in zones for b in zones]
    out: dict[str, Value] = {z: sum(round(x) for a, _, x in weighted if a == z) for z in zones}
    rows: list[Row] = [["origin", "destination", "weight_of_trips"]]
    rows += [[a, b, f"{x:.5f}"] for a, b, x in weighted]
    yield File(
        name="weighted.csv", data=text(rows), kind="flows", leaves=out,
        answers={"count": "weight_of_trips", "times": 1},
    )  # fmt: skip
    notes = "\n".join(f"Line {k % 5} of a text" for k in range(30))
    yield File(name="a_text.txt", data=notes.encode(), kind="")


def workbook_of(sheets: Mapping[str, Sequence[Row]]) -> bytes:
    """Several sheets as an Excel workbook: numbers as numbers, texts as texts, blanks left out."""
    space = "http://schemas.openxmlformats.org"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        listed = "".join(
            f'<sheet name="{escape(name)}" sheetId="{k}" r:id="rId{k}"/>'
            for k, name in enumerate(sheets, start=1)
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{space}/spreadsheetml/2006/main" '
            f'xmlns:r="{space}/officeDocument/2006/relationships"><sheets>{listed}</sheets></workbook>',
        )
        links = "".join(
            f'<Relationship Id="rId{k}" Type="x" Target="worksheets/sheet{k}.xml"/>'
            for k in range(1, len(sheets) + 1)
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{space}/package/2006/relationships">{links}</Relationships>',
        )
        for k, rows in enumerate(sheets.values(), start=1):
            with zipfile.ZipFile(io.BytesIO(workbook(rows))) as one:
                archive.writestr(
                    f"xl/worksheets/sheet{k}.xml", one.read("xl/worksheets/sheet1.xml")
                )
    return buffer.getvalue()
