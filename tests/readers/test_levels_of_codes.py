"""Levels of tables of counts: the finest codes are kept, attributes are none, and codes nest."""

from pathlib import Path

import pyarrow as pa
import pytest

from hierdp_core.readers.columns.attributes import holds_flags, holds_kinds_of_settlement
from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.result import Reading
from tests.support.answers import offered, read_text, total


def _levels(reading: Reading) -> tuple[str, ...]:
    assert reading.layout is not None
    return reading.layout.levels


def _sizes(reading: Reading) -> list[int]:
    """The number of areas on each level, from the top down."""
    assert reading.table is not None, reading.report.lines()
    tree = reading.table.regions.tree
    return [int((tree.level_of == level).sum()) for level in range(1, tree.n_levels)]


def _sectors(lost: bool = False) -> str:
    """Rows of sectors whose codes begin with those above; all names are of no known word."""
    rows = []
    for k in range(24):
        zone = ("3", "14", "27")[k // 8] if lost else ("13", "14", "27")[k // 8]
        town = f"{zone}0{1 + k % 8 // 4}"
        rows.append(f"{zone},{town},{town}{100 + k},{60 + 7 * k},{20 + 3 * k}")
    return "qarku,bashki,qelize,v01,v02\n" + "\n".join(rows)


@pytest.mark.parametrize("lost", [False, True])
def test_codes_that_begin_with_one_another_are_levels_and_no_counts(
    tmp_path: Path, lost: bool
) -> None:
    reading = read_text(tmp_path, _sectors(lost))
    assert reading.table is None
    counted = [answer.get("count") for answer in offered(reading)]
    assert {"v01", "v02"} <= {*counted}
    assert not {"qarku", "bashki", "qelize"} & {*counted}
    assert not any(answer.get("add_up") for answer in offered(reading))
    read = read_text(tmp_path, _sectors(lost), count="v01")
    assert _levels(read) == ("qarku", "bashki", "qelize")
    assert (_sizes(read), total(read)) == ([3, 6, 24], sum(60 + 7 * k for k in range(24)))


def test_numbers_that_begin_alike_by_chance_are_no_codes(tmp_path: Path) -> None:
    rows = [f"Town {k},{2 + k % 7},{20 + 10 * (k % 7) + k % 3}" for k in range(14)]
    reading = read_text(tmp_path, "town,firms,people\n" + "\n".join(rows), count="people")
    assert _levels(reading) == ("town",)


def test_a_name_goes_to_the_codes_that_it_is_called_after(tmp_path: Path) -> None:
    rows = [
        f"{'West' if k < 6 else 'East'},{1 + k // 6},{11 + k // 6 * 10},{'AB'[k // 6]}-State,"
        f"{11 + k // 6 * 10}{k:03},{30 + k}"
        for k in range(12)
    ]
    text = "NM_REGION,CD_REGION,CD_STATE,NM_STATE,CD_TRACT,people\n" + "\n".join(rows)
    reading = read_text(tmp_path, text)
    assert reading.layout is not None
    names = dict(zip(_levels(reading), reading.layout.names, strict=True))
    assert names["CD_STATE"] == "NM_STATE"
    assert names.get("CD_REGION", "NM_REGION") == "NM_REGION"
    assert total(reading) == sum(30 + k for k in range(12))


def test_a_number_of_each_row_is_offered_beside_adding_up(tmp_path: Path) -> None:
    rows = [
        f"{'Nord' if k < 12 else 'Sud'},{'ABCD'[k // 6]}ville,{32000001 + 7 * k},"
        f"{'AB'[k % 2]},{40 + 3 * k}"
        for k in range(24)
    ]  # fmt: skip
    text = "region,commune,maille,milieu,habitants\n" + "\n".join(rows)
    reading = read_text(tmp_path, text)
    answers = offered(reading)
    finest = {"levels": ("region", "commune", "maille")}
    assert answers.index(finest) < answers.index({"add_up": True})
    read = read_text(tmp_path, text, **finest)
    assert (_sizes(read), total(read)) == ([2, 4, 24], sum(40 + 3 * k for k in range(24)))


# ------------------------------------------------------------------------------------ attributes


def test_an_attribute_of_few_areas_is_no_level_above_them(tmp_path: Path) -> None:
    rows = [
        f"AB{k // 4},{'ja' if k in (1, 2, 3, 0) else 'nein'},{100 + k},Ort {k},{500 + k}"
        for k in range(12)
    ]
    text = "kreis,küstengebiet (ja/nein),gemeinde_nr,gemeinde,einwohner\n" + "\n".join(rows)
    reading = read_text(tmp_path, text)
    assert _levels(reading) == ("kreis", "gemeinde_nr")
    assert total(reading) == sum(500 + k for k in range(12))


def test_kinds_that_alternate_are_no_level(tmp_path: Path) -> None:
    rows = [f"{'PQR'[k % 3]},Place {k},{500 + k}" for k in range(12)]
    reading = read_text(tmp_path, "profile,place,people\n" + "\n".join(rows))
    assert _levels(reading) == ("place",)
    blocks = [f"{'PQR'[k // 4]},Place {k},{500 + k}" for k in range(12)]
    reading = read_text(tmp_path, "profile,place,people\n" + "\n".join(blocks))
    assert _levels(reading) == ("profile", "place")


@pytest.mark.parametrize(
    ("name", "cells", "flags"),
    [("coast", ["yes", "no"], True), ("coast (yes/no)", ["no", "no"], True),
     ("costa", ["sí", "no"], True), ("part", ["N", "S"], False), ("coast", ["no", "no"], False),
     ("urban", ["0", "1"], True), ("zone", ["1", "2"], False)],
)  # fmt: skip
def test_words_for_yes_and_no_are_flags(name: str, cells: list[str], flags: bool) -> None:
    column = _column(name, cells)
    assert holds_flags(column) is flags


def test_words_for_town_and_country_are_kinds_of_settlement() -> None:
    assert holds_kinds_of_settlement(_column("zone", ["Urbana", "Rural"]))
    assert holds_kinds_of_settlement(_column("тип", ["городское", "сельское"]))
    assert not holds_kinds_of_settlement(_column("zone", ["Urbana", "Norte"]))


def _column(name: str, cells: list[str]) -> ColumnFacts:
    return ColumnFacts(name, pa.array(cells, pa.string()))


# --------------------------------------------------------------------------------- lists of codes


def _municipalities() -> str:
    return "\n".join(
        f"{c}{k:02} Sogn {c}{k},{80 + 5 * k}" for c in (101, 147, 217) for k in (1, 2, 3)
    )


def _beside(folder: Path, table: str, codes: str, **stated: object) -> Reading:
    (folder / "t.csv").write_text(table)
    (folder / "codes.csv").write_text(codes)
    return read_here([folder / "t.csv", folder / "codes.csv"], stated=stated)


def test_a_list_of_upper_codes_is_joined_to_codes_before_names(tmp_path: Path) -> None:
    table = "sogn,folketal\n" + _municipalities()
    codes = "code,parentCode,level,name,notes\n101,,1,Kobenhavn,\n147,,1,Frederiksberg,\n"
    codes += "217,,1,Helsingor,\n219,,1,Hillerod,\n"
    reading = _beside(tmp_path, table, codes)
    assert _levels(reading) == ("code", "sogn")
    assert (_sizes(reading), total(reading)) == ([3, 9], 3 * (85 + 90 + 95))
    assert "Helsingor" in reading.table.regions.names  # type: ignore[union-attr]
    assert any(finding.id == "joined-part" for finding in reading.report.findings)


def test_a_list_with_parents_names_them(tmp_path: Path) -> None:
    table = "sogn,folketal\n" + _municipalities()
    codes = "code,parentCode,name\n1,,Hovedstaden\n2,,Nord\n"
    codes += "".join(f"{c},{c // 100},Kommune {c}\n" for c in (101, 147, 217))
    codes += "".join(f"{c}{k:02},{c},Sogn {c}{k}\n" for c in (101, 147, 217) for k in (1, 2, 3))
    reading = _beside(tmp_path, table, codes)
    assert _levels(reading)[-2:] == ("parentCode", "sogn")
    assert _levels(reading)[0] == "parentCode 2"
    assert {"Hovedstaden", "Kommune 217"} <= {*reading.table.regions.names}  # type: ignore[union-attr]


def test_lengths_of_codes_apply_to_codes_before_names(tmp_path: Path) -> None:
    table = "sogn,folketal\n" + _municipalities()
    reading = read_text(tmp_path, table, levels=("sogn",), prefix=(3, 5))
    assert (_sizes(reading), total(reading)) == ([3, 9], 3 * (85 + 90 + 95))
    assert "Sogn 1011" in reading.table.regions.names  # type: ignore[union-attr]


def test_a_list_without_parents_names_all_levels(tmp_path: Path) -> None:
    towns = [f"{1 + k // 8}0{1 + k % 8 // 4}" for k in range(16)]
    rows = [f"{town[0]},{town},{town}{k:02},{9 + k}" for k, town in enumerate(towns)]
    codes = "CODIGO,GLOSA\n1,Norte\n2,Sur\n101,Uno\n102,Dos\n201,Tres\n202,Cuatro\n"
    reading = _beside(tmp_path, "REG,COM,SECTOR,people\n" + "\n".join(rows), codes)
    assert _levels(reading) == ("REG", "COM", "SECTOR")
    assert {"Norte", "Tres"} <= {*reading.table.regions.names}  # type: ignore[union-attr]


# -------------------------------------------------------------------- parts of codes, and sums


def test_digits_between_two_codes_are_offered_as_a_level(tmp_path: Path) -> None:
    rows, k = [], 0
    for town in (1101, 1102, 2201):
        for ward in (1, 2):
            for block in (1, 2, 3):
                k += 1
                rows.append(f"{town // 100},{town},{ward},{town}0{ward}{block},{50 + k}")
    text = "OBL,OBS,RAY,KVARTAL,people\n" + "\n".join(rows)
    reading = read_text(tmp_path, text)
    answer = {"levels": ("OBL", "OBS", "RAY", "KVARTAL"), "within": True}
    assert answer in offered(reading)
    assert "RAY" not in [one.get("count") for one in offered(reading)]
    assert _sizes(read_text(tmp_path, text, **answer)) == [2, 3, 6, 18]


def _stepped() -> str:
    """Blocks whose numbers start again in each zone. Zeros in place of a code stand for a total."""
    rows: list[str] = []
    zones = {(1, 1): {"1007": 4}, (5, 1): {"8304": 3, "8319": 2}, (5, 3): {"041A": 3},
             (33, 1): {"5701": 5, "5716": 3}}  # fmt: skip
    number, sums, lines = 0, {}, []
    for (kom, place), inside in zones.items():
        for zone, blocks in inside.items():
            for block in range(1, blocks + 1):
                number += 17
                keys = [("000", "0000", "0000", "000"), (f"{kom:03}", "0000", "0000", "000"),
                        (f"{kom:03}", f"{place:04}", "0000", "000"),
                        (f"{kom:03}", f"{place:04}", zone, "000")]  # fmt: skip
                for key in keys:
                    sums[key] = sums.get(key, 0) + number
                lines.append((f"{kom:03}", f"{place:04}", zone, f"{block:03}", number))
    every = sorted([*((*key, n) for key, n in sums.items()), *lines])
    for kom, place_code, zone, block_code, n in every:
        town = "Alt i landet" if kom == "000" else f"Kommune {kom}"
        name = f"Sted {kom}{place_code}" if block_code != "000" else "Alt i alt"
        rows.append(f"29,Landet,{kom},{town},{place_code},{name},{zone},{block_code},{n}")
    return "LND,NM_LND,KOM,NM_KOM,STD,NM_STD,ZNA,BLK,people\n" + "\n".join(rows)


def test_codes_that_start_again_are_offered_in_the_order_of_the_table(tmp_path: Path) -> None:
    text = _stepped()
    reading = read_text(tmp_path, text)
    answer = next(a for a in offered(reading) if a.get("levels") == ("KOM", "STD", "ZNA", "BLK"))
    assert answer["leave_out"] == ("KOM=000", "STD=0000", "ZNA=0000", "BLK=000")
    read = read_text(tmp_path, text, **answer)
    assert (_sizes(read), total(read)) == ([3, 4, 6, 20], sum(17 * k for k in range(1, 21)))
    assert "Kommune 033" in read.table.regions.names  # type: ignore[union-attr]


def test_a_question_about_zeros_names_only_the_columns_that_have_them(tmp_path: Path) -> None:
    rows, place = [], 0
    for zone in (1, 2, 3):
        for town in range(3 * zone - 2, 3 * zone + 1):
            sizes = [101 + 37 * (town + k) for k in range(2 + town % 3)]
            rows.append(f"{zone:02},{town:02},000,{sum(sizes)}")
            for size in sizes:
                place += 1
                rows.append(f"{zone:02},{town:02},{place:03},{size}")
    reading = read_text(tmp_path, "area,sub,loc,population\n" + "\n".join(rows))
    question = next(one for one in reading.report.findings if one.asks)
    assert question.what == 'zeros in column "loc" seem to stand for totals'


def test_codes_without_totals_that_start_again_are_read_in_order(tmp_path: Path) -> None:
    header, *rows = _stepped().splitlines()
    text = "\n".join([header, *(row for row in rows if ",000," not in row)])
    reading = read_text(tmp_path, text)
    if reading.table is None:
        [*_, answer] = [a for a in offered(reading) if "BLK" in a.get("levels", ())]  # type: ignore[operator]
        reading = read_text(tmp_path, text, **answer)
    assert _sizes(reading)[-4:] == [3, 4, 6, 20]


def test_sums_between_the_levels_are_offered_as_a_level(tmp_path: Path) -> None:
    rows: list[str] = []
    for city, name in (("41", "Ota"), ("52", "Uji"), ("63", "Aki")):
        parts = {f"{city}01": (310, 127, 205), f"{city}02": (404, 93), f"{city}03": ()}
        lines, whole = [], 0
        for k, (town, blocks) in enumerate(parts.items(), 1):
            number = sum(blocks) + int(city) if blocks else 77 * k + int(city)
            lines.append(f"{town},{name},{number}")
            inner = [*blocks[:-1], blocks[-1] + int(city)] if blocks else []
            lines += [f"{town}{j},{name},{n}" for j, n in enumerate(inner, 1)]
            whole += number
        rows += [f"{city},{name},{whole}", *lines]
    text = "key_code,cityname,people\n" + "\n".join(rows)
    reading = read_text(tmp_path, text)
    if reading.table is None:
        answer = next(a for a in offered(reading) if a.get("prefix") or a.get("outline") == "sums")
        reading = read_text(tmp_path, text, **answer)
    assert _sizes(reading) == [3, 9, 18]


def test_levels_above_lettered_codes_are_offered_beside_a_row_for_all(tmp_path: Path) -> None:
    rows, k = ["XX00,All,All,country,0"], 0
    for c in ("0307", "1208"):
        rows.append(f"CO{c},C{c},C{c},county,0")
        for d in ("01", "02"):
            rows.append(f"DI{c}{d},D{c}{d},C{c},district,0")
            for w in ("1", "2", "3"):
                k += 1
                rows.append(f"WA{c}{d}{w},W{c}{d}{w},C{c},ward,{100 + k}")
    filled = []
    for row in rows:
        code, name, county, level, number = row.split(",")
        digits = code[2:].strip("0") and code[2:]
        below = [r for r in rows if r.startswith("WA") and r[2:].startswith(digits)]
        n = sum(int(r.rsplit(",", 1)[1]) for r in below) if number == "0" else int(number)
        filled.append(f"{code},{name},{county},{level},{n}")
    text = "code,name,county,level,people\n" + "\n".join(filled)
    reading = read_text(tmp_path, text)
    answer = next(a for a in offered(reading) if a.get("prefix"))
    read = read_text(tmp_path, text, **answer)
    assert (_sizes(read), total(read)) == ([2, 4, 12], sum(100 + j for j in range(1, 13)))


# ------------------------------------------------------------------- remedies that can be chosen


def test_totals_of_each_upper_area_read_with_a_column_that_is_a_total_everywhere(
    tmp_path: Path,
) -> None:
    rows = []
    for county in ("Alba", "Cluj", "Iasi"):
        numbers = [70 + 11 * len(county) + 5 * k for k in range(4)]
        rows.append(f"Total,{county},TOTAL,{sum(numbers)}")
        rows += [f"Total,{county},{county} {k},{n}" for k, n in enumerate(numbers)]
    text = "age,county,place,people\n" + "\n".join(rows)
    text = text.replace("age,", "varsta,")
    reading = read_text(tmp_path, text)
    assert _levels(reading) == ("county", "place")
    assert _sizes(reading) == [3, 12]
    flat = read_text(tmp_path, text, levels=("place",))
    assert {"totals": "left out"} in offered(flat)
    assert total(read_text(tmp_path, text, levels=("place",), totals="left out")) == total(reading)


def test_rows_that_repeat_the_parts_of_each_area_can_be_left_out(tmp_path: Path) -> None:
    rows: list[str] = []
    for area, parts in (("Aland", (310, 45)), ("Boland", (28, 290, 61)), ("Coland", (503, 72))):
        whole = sum(parts)
        rows += [f"{area},{whole}", f"..Towns,{parts[0]}", f"..Villages,{whole - parts[0]}"]
        rows += [f"..{area} {k},{n}" for k, n in enumerate(parts)]
    text = "area,people\n" + "\n".join(rows)
    reading = read_text(tmp_path, text)
    [answer] = [a for a in offered(reading) if a.get("outline") == "indent"]
    assert {*answer["leave_out"]} == {"area=..Towns", "area=..Villages"}  # type: ignore[misc]
    read = read_text(tmp_path, text, **answer)
    assert (_sizes(read), total(read)) == ([3, 7], 355 + 379 + 575)
    plain = read_text(tmp_path, text, outline="indent")
    assert any("area=..Towns" in a.get("leave_out", ()) for a in offered(plain))  # type: ignore[operator]
