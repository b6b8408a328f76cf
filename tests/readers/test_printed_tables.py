"""The rules for tables as offices print them, each by itself: outlines, blocks, headers."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hierdp_core.readers.build.counts_from_text import whole_numbers
from hierdp_core.readers.columns.blocks import filled_down, find_blocks
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.matrix import find_matrix, matrix_as_pairs
from hierdp_core.readers.columns.outline import depths_of, names_alike, parents_by_depth
from hierdp_core.readers.columns.partitions import newest_first, parts_in, siblings_of
from hierdp_core.readers.columns.sums import nearly_sums, nested_sums
from hierdp_core.readers.columns.units import scale_in
from hierdp_core.readers.columns.vocabulary import region_of_total
from hierdp_core.readers.formats.encodings import decoding_of
from hierdp_core.readers.formats.header import header_of
from hierdp_core.readers.formats.json_tables import rows_of
from hierdp_core.readers.formats.sheet import Sheet, clean_sheet
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.report import Notebook


def sheet(text: str) -> Sheet:
    names, *rows = [line.split(",") for line in text.strip("\n").splitlines()]
    columns = [pa.array(cells, pa.string()) for cells in zip(*rows, strict=True)]
    return clean_sheet("t.csv", names, columns, None, Notebook("t.csv"), Limits())


def test_rows_set_in_lie_within_the_row_above() -> None:
    depth = depths_of(
        sheet("area,n\nLand,9\n  North,5\n    a,2\n    b,3\n  South,4\n    c,4"), "area"
    )
    assert depth is not None
    parent = parents_by_depth(depth)
    assert parent is not None
    assert parent.tolist() == [-1, 0, 1, 1, 0, 4]


def test_marks_before_names_are_depths_too() -> None:
    depth = depths_of(sheet("area,n\nLand,9\n- North,5\n>> a,2\n>> b,3\n- South,4\n>> c,4"), "area")
    assert depth is not None
    assert depth.tolist() == [0, 1, 2, 2, 1, 2]


def test_rows_set_in_at_random_are_no_outline() -> None:
    assert parents_by_depth(np.array([0, 4, 2, 0, 2])) is None
    assert depths_of(sheet("area,n\na,1\nb,2\nc,3"), "area") is None


def test_names_below_every_row_are_categories() -> None:
    table = sheet("area,n\nx,5\nmen,2\nwomen,3\ny,9\nmen,4\nwomen,5")
    assert names_alike(table, "area", np.array([-1, 0, 0, -1, 3, 3])) == ("men", "women")
    towns = sheet("area,n\nx,5\ncentre,2\na,3\ny,9\ncentre,4\nb,3\nc,2")
    assert names_alike(towns, "area", np.array([-1, 0, 0, -1, 3, 3, 3])) == ()


def test_sums_say_which_row_lies_in_which() -> None:
    nesting = nested_sums(np.array([9_000, 5_000, 2_000, 3_000, 4_000, 1_500, 2_500]))
    assert nesting.parent.tolist() == [-1, 0, 1, 1, 0, 4, 4]
    assert nesting.whole
    loose = nested_sums(np.array([5_000, 2_000, 3_000, 4_000, 1_500, 2_500, 7_777]))
    assert not loose.whole  # the last row is in no sum


def test_rounded_totals_are_nearly_sums() -> None:
    values = np.array([12_310, 4_105, 8_200, 33_015, 21_000, 12_020])
    assert np.flatnonzero(nearly_sums(values)).tolist() == [0, 3]
    assert not nearly_sums(values + np.array([0, 900, 0, 5_000, 0, 0])).any()


def test_blocks_are_filled_down_where_only_that_explains_the_blanks() -> None:
    text = "{},place,n\nX,a,1\n,b,2\n,c,3\nY,d,4\n,e,5\n,f,6"
    assert find_blocks(sheet(text.format("province"))).sure == ("province",)
    doubtful = find_blocks(sheet(text.format("iso")))
    assert (doubtful.sure, doubtful.possible) == ((), ("iso",))
    repeated = "province,place,n\nX,a,1\n,b,2\n,c,3\nX,d,4\n,e,5\n,f,6"
    assert find_blocks(sheet(repeated)).possible == ()


def test_a_block_further_left_ends_those_to_the_right() -> None:
    table = sheet("region,county,town,n\nX,A,a,1\n,,b,2\nY,,,9\n,B,c,9")
    filled = filled_down(table, ("region", "county"))
    assert filled.column("region").to_pylist() == ["X", "X", "Y", "Y"]
    assert filled.column("county").to_pylist() == ["A", "A", "", "B"]


def test_a_header_of_three_rows_loses_what_only_names_an_axis() -> None:
    rows = [
        ["Table 7", "", "", "", ""], ["", "", "Census 2021", "", ""], ["", "", "Sex", "", ""],
        ["code", "place", "Total", "Male", "Female"], ["1", "a", "5", "2", "3"],
        ["2", "b", "9", "4", "5"], ["3", "c", "8", "4", "4"], ["4", "d", "7", "4", "3"],
    ]  # fmt: skip
    header = header_of(rows, Notebook("t.csv"))
    assert header.preamble == 1
    assert header.names == (
        "code", "place", "Census 2021 Total", "Census 2021 Male", "Census 2021 Female",
    )  # fmt: skip


def test_a_first_record_without_numbers_is_no_header() -> None:
    rows = [["area", "men", "women"], ["a", "confidential", "confidential"],
            *([f"b{k}", str(70 + k), str(90 - k)] for k in range(6))]  # fmt: skip
    assert header_of(rows, Notebook("t.csv")).rows == 1


def test_a_row_that_numbers_the_columns_is_left_out() -> None:
    rows = [["area", "men", "women"], ["1", "2", "3"],
            *([f"b{k}", str(70 + k), str(90 - k)] for k in range(6))]  # fmt: skip
    notes = Notebook("t.csv")
    assert header_of(rows, notes).rows == 2
    assert "column-numbers" in [finding.id for finding in notes.findings]


@pytest.mark.parametrize(
    ("cell", "number"),
    [("12345¹", 12345), ("12 345 b", 12345), ("12345 2)", 12345), ("1,234*", 1234),
     ("12345 [r]", 12345), ("12345(p)", 12345), ("77 ⁽³⁾", 77)],
)  # fmt: skip
def test_marks_after_a_number_are_no_digits(cell: str, number: int) -> None:
    table = Sheet(file="t.csv", names=("n",), columns=(pa.array([cell, "5"]),), separator=",")
    notes = Notebook("t.csv")
    values = whole_numbers(table, "n", notes)
    assert values is not None, notes.findings
    assert values.tolist() == [number, 5]
    assert notes.findings


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("Praha;Břeclav;Plzeň-město;Ústí;Žďár;Šumperk;Třebíč", "cp1250"),
     ("Łódź;Świdnica;Wąbrzeźno", "iso8859-2"),
     ("Besançon;Évreux;Rhône;Hérault", "cp1252"), ("RÍO ANA;MONTE LUCÍA;RÍO FE", "cp1252"),
     ("Область;Район;Население", "cp1251"), ("İlçe;Iğdır;Şırnak;Beytüşşebap", "cp1254"),
     ("都道府県;人口;横浜市;札幌市", "cp932"),
     ("행정구역;서울특별시;인구", "cp949"), ("地区;人口;广东省;广州市", "gb18030"),
     ("資料区分;警察署等コード;本票番号;事故内容;死者数;負傷者数;発生年;昼夜;天候", "cp932")],
)  # fmt: skip
def test_an_encoding_is_told_by_its_letters(text: str, encoding: str) -> None:
    found = decoding_of(text.encode(encoding))
    assert found is not None
    assert (found.best, found.rivals) == (encoding, ())


_MARRIED = "state,county,status,note\n" + "A,A1,ægtefælle,på\nB,B1,enlig,sjælden\n" * 9
_OTHER_LETTERS = (
    b"",
    "A,A1,enlig,Łódź Świętokrzyskie żółć zażółć gęślą jaźń pchnąć w tę łódź jeża\n".encode(
        "cp1250"
    ),
    "A,A1,enlig,Москва и область население города живут люди\n".encode("cp1251"),
    "A,A1,enlig,東京\n".encode("cp932"),
)


def _married(
    tmp_path: Path, content: bytes, encoding: str = "", *, confidential: bool = True
) -> Any:
    areas, path = tmp_path / "areas.csv", tmp_path / "persons.csv"
    areas.write_text("state,county\nA,A1\nA,A2\nB,B1\n")
    path.write_bytes(content)
    stated: dict[str, Any] = {
        "kind": "counts", "row": "person", "levels": ("state", "county"),
        "keep": ("status=ægtefælle",), "encoding": encoding,
    }  # fmt: skip
    regions = areas if confidential else None
    return read_here([path], stated=stated, regions=regions, confidential=confidential)


@pytest.mark.parametrize("added", _OTHER_LETTERS)
def test_no_confidential_record_decides_in_which_encoding_others_are_read(
    tmp_path: Path, added: bytes
) -> None:
    content = _MARRIED.encode("cp1252") + added
    assert [f.id for f in _married(tmp_path, content).report.faults] == ["which-encoding"]
    table = _married(tmp_path, content, "cp1252").table
    assert table.values[table.regions.tree.leaves].tolist() == [9, 0, 0]


@pytest.mark.parametrize("added", _OTHER_LETTERS)
def test_a_stated_encoding_is_always_used_in_confidential_data(
    tmp_path: Path, added: bytes
) -> None:
    """The other records are valid UTF-8, so they alone would be read as such."""
    table = _married(tmp_path, _MARRIED.encode() + added, "cp1252").table
    assert table.values[table.regions.tree.leaves].tolist() == [0, 0, 0]
    public = _married(tmp_path, _MARRIED.encode(), "cp1252", confidential=False).table
    assert public.values[0] == 9


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("encoding", ["", "UTF-8", "utf8"])
def test_confidential_data_in_utf_8_are_read_as_such_or_refused(
    tmp_path: Path, encoding: str, mark: bytes
) -> None:
    table = _married(tmp_path, mark + _MARRIED.encode(), encoding).table
    assert table.values[table.regions.tree.leaves].tolist() == [9, 0, 0]
    spoilt = _married(tmp_path, mark + _MARRIED.encode() + b"A,A1,enlig,\xe6\n", encoding)
    assert spoilt.table is None


def test_an_encoding_that_is_not_clear_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("municipio;people\nŐr;5\nB;7\n".encode("cp1250"))
    reading = read_here([path])
    (fault,) = [f for f in reading.report.faults if f.id == "which-encoding"]
    stated = next(c.stated for c in fault.choices if c.stated["encoding"] == "cp1250")
    table = read_here([path], stated=stated).table
    assert table is not None
    assert "Őr" in table.regions.names


def test_columns_of_years_come_newest_first() -> None:
    assert newest_first(["p2001", "p2021", "p2011"]) == ["p2021", "p2011", "p2001"]
    assert newest_first(["p2001", "q2021"]) == ["p2001", "q2021"]


def test_parts_are_known_by_their_words() -> None:
    facts = SheetFacts(sheet("area,Erkek,Kadın\na,40,70\nb,20,30\nc,25,45"))
    assert parts_in(facts, ["Erkek", "Kadın"]) == ("Erkek", "Kadın")
    shares = SheetFacts(sheet("area,men,women\na,40,60\nb,52,48\nc,51,49"))
    assert parts_in(shares, ["men", "women"]) == ()
    years = SheetFacts(sheet("area,p2011,p2021\na,40,60\nb,52,48\nc,51,59"))
    assert siblings_of(years, "p2011", ["p2011", "p2021"]) == ["p2021"]


def test_a_matrix_becomes_pairs_without_what_is_beside_it() -> None:
    table = sheet(
        "from,a,b,c,abroad,Total\na,-,2,3,9,14\nb,4,-,5,9,18\nc,6,7,-,9,22\nTotal,10,9,8,9,54"
    )
    square = find_matrix(table)
    assert square is not None
    assert square.places == "from"
    notes = Notebook("t.csv")
    pairs = matrix_as_pairs(table, "origins", notes)
    cells = zip(*(column.to_pylist() for column in pairs.columns), strict=True)
    assert set(cells) == {
        ("b", "a", "4"), ("c", "a", "6"), ("a", "b", "2"), ("c", "b", "7"), ("a", "c", "3"),
        ("b", "c", "5"),
    }  # fmt: skip
    hidden = sheet("from,a,b,c,land\na,1,2,3,6\nb,4,1,5,10\nc,6,7,1,14\nland,11,10,9,30")
    assert "land" not in matrix_as_pairs(hidden, "origins", notes).column("origin").to_pylist()
    assert matrix_as_pairs(table, "destinations", Notebook("t.csv")).names[0] == "destination"
    both = ["beside-matrix-rows", "beside-matrix-columns"]
    assert [finding.id for finding in notes.findings] == both * 2


@pytest.mark.parametrize(
    ("text", "times"),
    [("Population (1 000)", 1000), ("in thousands", 1000), ("Tsd. Personen", 1000), ("万人", 10000),
     ("rate per 1,000", 1), ("Thousand Oaks", 1000), ("Population 2021", 1)],
)  # fmt: skip
def test_a_unit_is_read_from_a_title(text: str, times: int) -> None:
    assert scale_in(text) == times


def test_the_region_of_a_total_is_named() -> None:
    assert region_of_total("total_north") == "north"
    assert region_of_total("north_toplam") == "north"
    assert region_of_total("totalford") == ""


@pytest.mark.parametrize(
    "content",
    [
        [{"a": "x", "n": 1}, {"a": "y", "n": 2}],
        [["a", "n"], ["x", 1], ["y", 2]],
        {"a": ["x", "y"], "n": [1, 2]},
        {"columns": ["a", "n"], "data": [["x", 1], ["y", 2]]},
        {"about": "…", "data": [{"a": "x", "n": 1}, {"a": "y", "n": 2}]},
    ],
)
def test_json_holds_tables_in_several_ways(content: object) -> None:
    assert rows_of(content, Notebook("table.json")) == [{"a": "x", "n": 1}, {"a": "y", "n": 2}]


@pytest.mark.parametrize("ids", [("1", "1", "2"), ("h1", "h1", "h2")])
def test_members_who_spell_their_region_differently_share_a_household(
    tmp_path: Path, ids: tuple[str, ...]
) -> None:
    path = tmp_path / "t.csv"
    names = ("Alder", "ALDER", "Alder")
    rows = "".join(f"A1,{n},{h}\n" for n, h in zip(names, ids, strict=True))
    path.write_text("code,name,hh_id\n" + rows + "B1,Birch,9\n", encoding="utf-8")
    stated = {
        "kind": "group-sizes", "row": "person", "group": "hh_id", "levels": ("code",),
        "names": ("name",),
    }  # fmt: skip
    table = read_here([path], stated=stated).table
    assert table is not None
    assert table.values[0].tolist() == [0, 2, 1]
