"""Files as they come: each with the fault it must name, or the correction that must be reported."""

import contextlib
import gzip
import io
import json
import os
import pickle
import socket
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierdp_core.readers import Layout, Limits, Reading, read
from hierdp_core.readers.formats.registry import FORMATS
from hierdp_core.readers.formats.sniff import open_source
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.report import Notebook, Report, Unreadable

SECRET = "731946"  # a value that stands in many of these files and must not come back
# Of the processor: a cold start with GDAL takes two, and a file that is not refused takes minutes.
HOSTILE_SECONDS = 10.0


def csv(text: str) -> bytes:
    return text.encode()


def counts_of(reading: Reading) -> dict[str, int]:
    """The count of every leaf by its code."""
    table = reading.table
    assert table is not None, reading.report.lines()
    leaves = table.regions.tree.leaves
    codes = table.regions.ids[leaves]
    return dict(zip(codes, table.values[leaves].tolist(), strict=True))


def ids_found(report: Report, kind: str) -> set[str]:
    return {finding.id for finding in report.findings if finding.kind == kind}


# name, content, the faults' ids with a word of their message
FAULTY: list[tuple[str, bytes, dict[str, str]]] = [
    ("empty.csv", b"", {"empty": "is empty"}),
    ("blank.csv", b"\n\n\n", {"empty": "no"}),
    ("header_only.csv", csv("id,n\n"), {"no-rows": "a header but no rows"}),
    ("negative.csv", csv("id,n\na,-3\nb,5\n"), {"negative": 'row 2, column "n"'}),
    ("minus_sign.csv", csv("id,n\na,−5\nb,5\n"), {"negative": "row 2"}),
    ("half.csv", csv("id,n\na,1\nb,2.5\n"), {"not-whole": "row 3"}),
    ("decimal_comma.csv", csv("id;n\na;5,5\nb;7,1\n"), {"not-whole": "row 2"}),
    ("wrap.csv", csv("id,n\na,9223372036854775808\nb,1\n"), {"too-large": "15 digits"}),
    ("huge.csv", csv("id,n\na,100000000000000000000000\nb,1\n"), {"too-large": "15 digits"}),
    ("sum.csv", csv("id,n\na,900000000000000\nb,900000000000000\n"), {"too-large": "together"}),
    ("exponent.csv", csv("id,n\na,1e3\nb,1\n"), {"scientific": "exponent"}),
    ("excel_narrow.csv", csv("id,n\na,1.2E+05\nb,1\n"), {"scientific": "exponent"}),
    ("inf.csv", csv("id,n\na,inf\nb,1\n"), {"not-a-number": "not a number"}),
    ("nan.csv", csv("id,n\na,nan\nb,1\n"), {"suppressed": "missing"}),
    ("blank_count.csv", csv("id,n\na,\nb,1\n"), {"blank-count": "row 2"}),
    ("hex.csv", csv("id,n\na,0x10\nb,1\n"), {"not-a-number": "row 2"}),
    ("truth.csv", csv("id,n\na,TRUE\nb,1\n"), {"not-a-number": "row 2"}),
    ("small_cells.csv", csv("id,n\na,<5\nb,*\n"), {"suppressed": "row 2"}),
    ("ambiguous.csv", csv("id;n\na;1.000\nb;2.000\n"), {"ambiguous": "one or one thousand"}),
    ("unit.csv", csv("id,n\na,5 people\nb,1\n"), {"not-a-number": "without a unit"}),
    ("long_row.csv", csv("id,n\na,1\nb,2,3\n"), {"long-rows": "row 3"}),
    ("all_long.csv", csv("id,n\na,1,2\nb,2,3\n"), {"header-width": "as many cells"}),
    ("short_row.csv", csv("id,m,n\na,1,1\nb,2\n"), {"short-rows": "row 3"}),
    ("open_quote.csv", csv('id,n\n"a,1\nb,2\n'), {"quote": "line 2"}),
    ("zero_byte.csv", b"id,n\na\x00b,1\nc,2\n", {"nul": "line 2"}),
    ("twice_named.csv", csv("id,n,n\na,1,2\n"), {"unclear": 'column "n (column 2)"'}),
    ("short.px", csv('AXIS-VERSION="2013";STUB="a";VALUES("a")="x","y";DATA=1;'),
     {"cells": "1 cell for 2 combinations of categories"}),
    ("no_data.px", csv('AXIS-VERSION="2013";STUB="a";VALUES("a")="x";'), {"damaged": "PX"}),
    ("sparse.px", csv('AXIS-VERSION="2013";STUB="a";KEYS("a")=CODES;DATA="x",1;'),
     {"keys": "KEYS"}),
    ("short_cube.json", csv('{"id":["a"],"size":[2],"dimension":{"a":{"category":'
     '{"index":["x","y"]}}},"value":[1]}'), {"cells": "1 cell for 2 combinations of categories"}),
    ("huge_cube.json", csv('{"id":["a","b","c"],"dimension":{' + ",".join(
        f'"{name}":{{"category":{{"index":{list(map(str, range(1000)))}}}}}'.replace("'", '"')
        for name in "abc") + '},"value":{"5":1}}'), {"damaged": "too large"}),
    ("twice.csv", csv("id,n\na,1\na,2\nb,3\n"), {"duplicate": 'region "a"'}),
    ("two_parents.csv", csv("state,county,n\nA,a,1\nB,a,2\nA,b,3\nA,c,3\nB,d,4\nB,e,4\n"),
     {"two-parents": 'county "a"'}),
    ("no_code.csv", csv("state,county,n\nA,a,1\n,b,2\n"), {"blank-code": "row 3"}),
    ("gap.csv", csv("land,state,county,n\nL,A,a,1\nL,B,b,1\nL,,c,2\n"), {"blank-code": "row 4"}),
    ("cycle.csv", csv("code,parent,n\nr,,1\na,b,1\nb,a,2\n"), {"cycle": "form a loop"}),
    ("self.csv", csv("code,parent,n\nr,,1\na,a,1\n"), {"self-loop": '"a"'}),
    ("orphan.csv", csv("code,parent,n\nr,,1\na,x,1\nb,r,2\n"), {"orphan": '"a"'}),
    ("parents.csv", csv("code,parent,n\nr,,\na,r,1\nb,r,1\nc,a,2\nc,b,2\n"),
     {"two-parents": '"c"'}),
    ("total_row.csv", csv("state,n\nA,1\nB,2\nTotal,4\n"), {"total-row": "row 4"}),
    ("no_header.csv", csv("1001,5\n1002,6\n1003,7\n"), {"unclear": '"column 2"'}),
    ("wrong_total.csv", csv("geoid,n\n01,9\n01001,1\n01003,2\n"), {"total-differs": '"01"'}),
    ("code_length.csv", csv("geoid,n\n01001,1\n010,2\n02013,2\n"), {"code-length": "row 3"}),
    ("numbers.csv", csv(f"id,n\n{SECRET},x{SECRET}\nb,1\n"), {"not-a-number": "row 2"}),
    ("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), {"kind": ".xlsx"}),
    ("a.pdf", b"%PDF-1.7 ...", {"kind": "PDF"}),
    ("program", b"\x7fELF" + bytes(100), {"kind": "program"}),
    ("binary.csv", bytes(range(1, 256)) * 20, {"not-text": "not text"}),
    ("page.html", b"<html><table></table></html>", {"xml": "XML or HTML"}),
    ("table.pkl", pickle.dumps({"a": 1}), {"pickle": "not opened"}),
    ("cut.parquet", b"PAR1" + bytes(50), {"damaged": "damaged"}),
    ("cut.dta", b"<stata_dta><header><release>118</release>" + bytes(50), {"damaged": "Stata"}),
    ("old.dta", b"\x72\x02\x01\x00" + bytes(50), {"damaged": "Stata"}),
    ("survey.sav", b"$FL2@(#) SPSS DATA FILE" + bytes(50), {"damaged": "SPSS"}),
    ("a.xpt", b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!" + bytes(50), {"kind": "SAS"}),
    ("cut.zip", b"PK\x03\x04" + bytes(50), {"archive": "complete ZIP"}),
    ("cut.csv.gz", gzip.compress(b"id,n\na,1\n")[:-4], {"archive": "damaged"}),
    ("topo.json", csv('{"type":"Topology","objects":{}}'), {"topojson": "TopoJSON"}),
    ("words.json", csv('{"id":"a","n":1}'), {"no-table": "no list of records"}),
    ("cut.json", csv('[{"id":"a","n":1'), {"not-json": "not complete JSON"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "wanted"), FAULTY, ids=[case[0] for case in FAULTY])
def test_a_fault_is_named_with_its_place(
    tmp_path: Path, name: str, data: bytes, wanted: dict[str, str]
) -> None:
    (tmp_path / name).write_bytes(data)
    reading = read_here([tmp_path / name])
    assert reading.table is None
    assert not reading.report.usable
    text = "\n".join(reading.report.lines())
    for id, word in wanted.items():
        assert id in ids_found(reading.report, "error"), text
        assert word in text
    assert f"x{SECRET}" not in text
    assert str(tmp_path) not in text
    assert all(f.remedy or f.id in ("no-layout", "no-rows") for f in reading.report.faults), text


# name, content, the ids of the corrections, and the count of every leaf
REPAIRED: list[tuple[str, bytes, set[str], dict[str, int]]] = [
    ("bom.csv", b"\xef\xbb\xbfid,n\na,1\nb,2\n", set(), {"a": 1, "b": 2}),
    ("utf16.csv", "id,n\nñ,1\nb,2\n".encode("utf-16"), {"encoding"}, {"ñ": 1, "b": 2}),
    ("utf16le.csv", "id,n\nñ,1\nb,2\n".encode("utf-16-le"), {"encoding"}, {"ñ": 1, "b": 2}),
    ("latin.csv", "id,n\nDoña Ana,1\nb,2\n".encode("cp1252"), {"encoding"},
     {"Doña Ana": 1, "b": 2}),
    ("semicolon.csv", csv("id;n\n00123;5\nNA;6\n"), set(), {"00123": 5, "NA": 6}),
    ("tabs.tsv", csv("id\tn\n007\t5\nNULL\t6\n"), set(), {"007": 5, "NULL": 6}),
    ("bars.txt", csv("id|n\n007|5\nnan|6\n"), set(), {"007": 5, "nan": 6}),
    ("blanks.csv", csv(" id , n \n a,1\nb ,2 \n"), {"trimmed"}, {"a": 1, "b": 2}),
    ("accents.csv", csv("id,n\ncafe\u0301,1\nb,2\n"), {"composed"}, {"café": 1, "b": 2}),
    ("thousands.csv", csv('id,n\na,"1,234"\nb,"12,345,678"\n'), {"thousands"},
     {"a": 1234, "b": 12345678}),
    ("thin_blanks.csv", csv("id;n\na;1\u202f234\nb;5\n"), {"thousands"}, {"a": 1234, "b": 5}),
    ("points.csv", csv("id;n\na;1.234.567\nb;5\n"), {"thousands"}, {"a": 1234567, "b": 5}),
    ("floats.csv", csv("id,n\na,5.0\nb,6.0\n"), {"decimals"}, {"a": 5, "b": 6}),
    ("plus.csv", csv("id,n\na,+5\nb,6\n"), set(), {"a": 5, "b": 6}),
    ("blank_rows.csv", csv("id,n\n\na,1\n,\nb,2\n\n"), {"blank-rows"}, {"a": 1, "b": 2}),
    ("title.csv", csv("People by place\n\nid,m,n\na,x,1\nb,y,2\n"), {"preamble"},
     {"a": 1, "b": 2}),
    ("mac.csv", b"id,n\ra,1\rb,2\r", set(), {"a": 1, "b": 2}),
    ("windows.csv", b"id,n\r\na,1\r\nb,2\r\n", set(), {"a": 1, "b": 2}),
    ("trailing.csv", csv("id,n,\na,1,\nb,2,\n"), {"empty-column"}, {"a": 1, "b": 2}),
    ("quoted.csv", csv('id,n\n"a, b","1"\n"c ""d""",2\n'), set(), {"a, b": 1, 'c "d"': 2}),
    ("total_row.csv", csv("state,n\nA,1\nB,2\nTotal,3\n"), {"totals"}, {"A": 1, "B": 2}),
    ("lost_zeros.csv", csv("fips,n\n1001,5\n10001,6\n"), {"zeros"}, {"01001": 5, "10001": 6}),
    ("geo_id.csv", csv("GEO_ID,n\n0500000US01001,5\n0500000US10001,6\n"), {"geo-id"},
     {"01001": 5, "10001": 6}),
    ("within.csv", csv("state,county,n\n01,001,5\n01,002,6\n02,001,7\n02,002,8\n"), {"within"},
     {"01001": 5, "01002": 6, "02001": 7, "02002": 8}),
    ("ragged.csv", csv("land,area,town,n\nL,A,a,1\nL,A,b,2\nM,B,,4\n"), {"ragged"},
     {"a": 1, "b": 2, "B": 4}),
    ("totals.csv", csv("geoid,n\n01,3\n01001,1\n01003,2\n"), {"totals"}, {"01001": 1, "01003": 2}),
    ("roots.csv", csv("code,parent,n\na,,1\nb,,2\n"), {"several-roots"}, {"a": 1, "b": 2}),
    ("packed.csv.gz", gzip.compress(csv("id,n\na,1\nb,2\n")), set(), {"a": 1, "b": 2}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data", "wanted", "counts"), REPAIRED, ids=[case[0] for case in REPAIRED]
)
def test_a_repair_is_told_and_nothing_else_changes(
    tmp_path: Path, name: str, data: bytes, wanted: set[str], counts: dict[str, int]
) -> None:
    (tmp_path / name).write_bytes(data)
    reading = read_here([tmp_path / name])
    assert ids_found(reading.report, "correction") == wanted, reading.report.lines()
    assert counts_of(reading) == counts


def test_all_faults_come_in_one_report(tmp_path: Path) -> None:
    rows = "".join(f"r{i},-{i}\n" for i in range(1, 400))
    (tmp_path / "many.csv").write_text("id,n\n" + rows + "x,2.5\nx,\nr1,abc,9\n")
    report = read_here([tmp_path / "many.csv"]).report
    assert {"negative", "not-whole", "blank-count", "long-rows"} <= ids_found(report, "error")
    (negative,) = [f for f in report.faults if f.id == "negative"]
    assert len(negative.places) == 5
    assert negative.more == 394
    assert "and 394 more of this kind" in negative.sentence


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_DOT_", "."), data)
    return buffer.getvalue()


def link_zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("table.csv")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/hostname")
    return buffer.getvalue()


def locked(data: bytes) -> bytes:
    changed = bytearray(data)
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        changed[changed.index(mark) + at] |= 1
    return bytes(changed)


def escaping() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("../../evil.csv", "id,n\na,1\n")
    return buffer.getvalue()


BOOK = {
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": "<Relationships xmlns="
    '"http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="x" Target="worksheets/sheet1.xml"/></Relationships>',
}


def workbook(sheet: str, **more: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in BOOK.items():
            archive.writestr(name, text)
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
        for name, text in more.items():
            archive.writestr(f"xl/{name}.xml", text)
    return buffer.getvalue()


def rows_of(*rows: str) -> str:
    inside = "".join(f'<row r="{i}">{row}</row>' for i, row in enumerate(rows, start=1))
    return f"<worksheet><sheetData>{inside}</sheetData></worksheet>"


def text_cell(at: str, text: str) -> str:
    return f'<c r="{at}" t="inlineStr"><is><t>{text}</t></is></c>'


BOMB = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>'
)

REPEATED = (
    '<t:c xmlns:t="urn:t"><t:table t:name="a"><t:table-row t:number-rows-repeated="1000000">'
    '<t:table-cell t:number-columns-repeated="1000" t:value-type="float" t:value="1"/>'
    "</t:table-row></t:table></t:c>"
)


def spreadsheet(content: str) -> bytes:
    """An OpenDocument file with this content."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    return packed.getvalue()


HOSTILE: list[tuple[str, Callable[[Path], bytes], str]] = [
    ("bomb.csv.gz", lambda _: gzip.compress(b"a,1\n" * 30_000_000, 9), "archive-ratio"),
    ("bomb.zip", lambda _: zipped(t_DOT_csv=bytes(10) + b"0" * 100_000_000), "archive-ratio"),
    ("many.zip", lambda _: zipped(**{f"m{i}_DOT_csv": b"a" for i in range(300)}),
     "archive-members"),
    ("outside.zip", lambda _: escaping(), "archive-path"),
    ("nested.zip", lambda _: zipped(inner_DOT_zip=zipped(a_DOT_csv=b"1")), "archive-nested"),
    ("link.zip", lambda _: link_zip(), "archive-link"),
    ("locked.zip", lambda _: locked(zipped(a_DOT_csv=b"id,n\na,1\n")), "archive-locked"),
    ("two.zip", lambda _: zipped(a_DOT_csv=b"id,n", b_DOT_csv=b"id,n"), "archive-content"),
    ("entities.xlsx", lambda _: workbook(BOMB + rows_of(text_cell("A1", "&c;"))), "xml-entities"),
    ("entities.ods", lambda _: spreadsheet(BOMB + "<a>&c;</a>"), "xml-entities"),
    ("broken.ods", lambda _: spreadsheet("<table:table><table:table-row>"), "damaged"),
    ("repeated.ods", lambda _: spreadsheet(REPEATED), "too-large"),
    ("broken.xlsx", lambda _: workbook("<worksheet><sheetData><row>"), "damaged"),
    ("wide.csv", lambda _: b",".join(b"c%d" % i for i in range(200_000)) + b"\n1\n", "columns"),
    ("field.csv", lambda _: b"id,n\n" + b"a" * 20_000_000 + b",1\n", "long-cell"),
    ("long_field.csv", lambda _: b"id,n\n" + b"a" * 1_000_000 + b",1\nb,2\n", "long-cell"),
    ("quotes.csv", lambda _: b'id,n\n"' + b"a\n" * 5_000_000, "quote"),
    ("deep.geojson", lambda _: b'{"type":' + b"[" * 200_000, "too-deep"),
    ("nan.geojson", lambda _: b'{"type":"FeatureCollection","features":[{"geometry":{"type":'
     b'"Polygon","coordinates":[[[NaN,0],[1,0],[1,1],[NaN,0]]]}}]}', "not-json"),
    ("vrt.geojson", lambda p: f"<OGRVRTDataSource><OGRVRTLayer name='a'><SrcDataSource>{p}"
     "</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>".encode(), "xml"),
    ("gdalg.geojson", lambda p: json.dumps(
        {"type": "gdal_streamed_alg", "command_line": f"gdal vector pipeline read {p}"}
     ).encode(), "no-table"),
    ("vrt.zip", lambda p: zipped(a_DOT_shp=f"<OGRVRTDataSource>{p}</OGRVRTDataSource>".encode(),
     a_DOT_shx=b"1", a_DOT_dbf=b"1"), "damaged"),
    ("cut.gpkg", lambda _: b"SQLite format 3\0" + bytes(50), "damaged"),
    ("large_size.csv", lambda _: csv("id,size\na,999999999\nb,1\n"), "large-size"),
]  # fmt: skip


def test_a_document_type_is_refused_for_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "declared.ods").write_bytes(spreadsheet("<!DOCTYPE a><a/>"))
    (fault,) = read_here([tmp_path / "declared.ods"]).report.faults
    assert fault.about("The file").startswith("The file declares a document type in its XML")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "make", "wanted"), HOSTILE, ids=[case[0] for case in HOSTILE])
def test_a_hostile_file_is_refused_soon(
    tmp_path: Path, name: str, make: Callable[[Path], bytes], wanted: str
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text(f"id,WKT\n{SECRET},POINT (1 1)\n")
    table = tmp_path / "table.csv"
    table.write_text("id,n\na,1\nb,2\n")
    (tmp_path / name).write_bytes(make(secret))
    before = os.times()
    boundaries = "json" in name or name in ("vrt.zip", "cut.gpkg")
    paths = [table, tmp_path / name] if boundaries else [tmp_path / name]
    reading = read(*paths)
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user
    assert spent - before.children_system < HOSTILE_SECONDS
    text = "\n".join(reading.report.lines())
    assert wanted in ids_found(reading.report, "error"), text
    assert SECRET not in text


def test_every_format_has_a_faulty_file(tmp_path: Path) -> None:
    damaged = [(name, make(tmp_path)) for name, make, id in HOSTILE if id == "damaged"]
    formats = set()
    for name, data in [*((name, data) for name, data, _ in FAULTY), *damaged]:
        (tmp_path / name).write_bytes(data)
        with contextlib.suppress(Unreadable):
            formats.add(open_source(tmp_path / name, Notebook(name), Limits()).format.id)
    assert formats == {one.id for one in FORMATS}


def test_nothing_is_fetched(tmp_path: Path) -> None:
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        over = threading.Event()

        def listen() -> None:
            while not over.is_set():
                try:
                    door, _ = server.accept()
                except TimeoutError:
                    continue
                with door:
                    asked.append(door.recv(1000))

        listener = threading.Thread(target=listen)
        listener.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}/table.csv"
        faults = [read_here([path]).report for path in (address, f"/vsicurl/{address}")]
        over.set()
        listener.join()
    assert asked == []
    assert all("address" in ids_found(report, "error") for report in faults)


@pytest.mark.parametrize("kind", ["folder", "pipe", "missing"])
def test_only_plain_files_are_opened(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "thing.csv"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    (fault,) = read_here([path]).report.faults
    assert fault.id == ("missing" if kind == "missing" else "not-a-file")


@pytest.mark.slow
def test_a_reading_that_takes_too_long_or_too_much_is_ended(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("id,n\n" + "".join(f"r{i},{i}\n" for i in range(100_000)))
    slow = read(table, limits=Limits(seconds=0.05)).report
    assert ids_found(slow, "error") == {"time"}
    assert ids_found(read(table, stop=lambda: True).report, "error") == {"stopped"}
    if os.name == "posix":
        heavy = read(table, limits=Limits(memory_bytes=150 * 2**20)).report
        assert ids_found(heavy, "error") & {"memory", "crash"}


def test_a_pickle_is_not_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"

    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(mark),)

    (tmp_path / "trap.csv").write_bytes(pickle.dumps(Trap(), protocol=0))
    assert not read_here([tmp_path / "trap.csv"]).report.usable or not mark.exists()
    assert not mark.exists()


def test_excel_keeps_zeros_and_tells_errors(tmp_path: Path) -> None:
    styles = (
        '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="00000"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>'
    )
    sheet = rows_of(
        text_cell("A1", "fips") + text_cell("B1", "people"),
        '<c r="A2" s="1"><v>1001</v></c><c r="B2"><v>5</v></c>',
        '<c r="A3" s="1"><v>10001</v></c><c r="B3"><v>7.0</v></c>',
    )
    path = tmp_path / "book.xlsx"
    path.write_bytes(workbook(sheet, styles=styles))
    reading = read_here([path])
    assert counts_of(reading) == {"01001": 5, "10001": 7}
    path.write_bytes(workbook(sheet.replace("<v>7.0</v>", "<v>7.25</v>"), styles=styles))
    assert ids_found(read_here([path]).report, "error") == {"not-whole"}
    wrong = sheet.replace('<c r="B3"><v>7.0', '<c r="B3" t="e"><v>#REF!')
    path.write_bytes(workbook(wrong, styles=styles))
    assert "excel-error" in ids_found(read_here([path]).report, "error")


def test_parquet_numbers_that_are_not_whole_are_faults(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"id": ["NA", "01"], "n": [1.0, 2.0]}), path)
    assert counts_of(read_here([path])) == {"NA": 1, "01": 2}
    for values, fault in (([1.5, 2.0], "not-whole"), ([None, 2], "blank-count"),
                          ([2**63, 1], "too-large")):  # fmt: skip
        kind = pa.uint64() if fault == "too-large" else None
        pq.write_table(pa.table({"id": ["a", "b"], "n": pa.array(values, kind)}), path)
        assert ids_found(read_here([path]).report, "error") == {fault}
    pq.write_table(pa.table({"id": ["a", "b"], "n": [np.inf, 2.0]}), path)
    assert not read_here([path]).report.usable


def test_a_file_that_claims_endless_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"id": ["a"] * 1000}), path)
    assert ids_found(read_here([path], limits=Limits(records=100)).report, "error") == {"rows"}


def test_what_is_stated_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("area;n\nx;1.000\ny;\n")
    stated = Layout(levels=("area",), count="n", thousands=".", blank_is_zero=True)
    reading = read_here([path], layout=stated)
    assert counts_of(reading) == {"x": 1000, "y": 0}
    assert ids_found(reading.report, "correction") == {"thousands", "blank-zero"}
    wrong = read_here([path], layout=Layout(levels=("place",), count="n"))
    assert ids_found(wrong.report, "error") == {"no-column"}


def test_two_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    paths = []
    for folder, text in (
        ("counts", "district,people\na,3\nb,4\n"),
        ("codes", "code,label\nx,Left\ny,Right\n"),
    ):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "data.csv")
        paths[-1].write_text(text)
    reading = read_here(paths)
    (fault,) = reading.report.faults
    assert (fault.id, fault.file) == ("second-table", "data.csv (file 2)")
    assert reading.report.files == ("data.csv (file 1)", "data.csv (file 2)")


@pytest.mark.parametrize(
    ("data", "remedy"),
    [
        (lambda: zipped(a_DOT_png=b"x"), "Put a CSV file, or the parts of one shapefile"),
        (lambda: locked(zipped(a_DOT_csv=b"id,n\na,1\n")), "without a password"),
        (lambda: zipped(a_DOT_zip=zipped(a_DOT_csv=b"id,n")), "Unpack the inner archive"),
    ],
    ids=["no table", "locked", "nested"],
)
def test_the_remedy_for_an_archive_fits_its_fault(
    tmp_path: Path, data: Callable[[], bytes], remedy: str
) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(data())
    (fault,) = read_here([path]).report.faults
    assert remedy in fault.remedy
