"""Names, upper levels and composite codes that a table states in a column of its own."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.offices import workbook
from support.printed_tables import workbook_of

from hierdp_core.readers.reading import read_here
from hierdp_core.readers.result import Reading
from tests.support.answers import offered, read_text, total

_ZONES = [(f"{d}{k:02}", f"Quarter {d}{k}", 301 + 17 * k + 100 * d)
          for d in (1, 2, 3) for k in range(1, 6)]  # fmt: skip


def _notes(reading: Reading, id: str) -> list[str]:
    return [finding.text for finding in reading.report.findings if finding.id == id]


def _names(reading: Reading, level: int = -1) -> list[str]:
    assert reading.table is not None, reading.report.lines()
    regions = reading.table.regions
    return list(regions.names[regions.tree.level(level % regions.tree.n_levels)])


# --------------------------------------------------------------------------------- names


def test_a_count_called_after_places_is_never_a_name(tmp_path: Path) -> None:
    """Different counts correspond one to one to codes, as names do."""
    table = tmp_path / "t.csv"
    rows = [f"{code},{n},{n - 90 - k}" for k, (code, _, n) in enumerate(_ZONES)]
    table.write_text("\n".join(["ward_code,people,born_in_this_country", *rows]))
    lookup = tmp_path / "wards.csv"
    names = [f"{code},{name},{code[0]},District {code[0]}" for code, name, _ in _ZONES]
    lookup.write_text("\n".join(["ward_code,ward_name,district_code,district_name", *names]))
    for paths in ([table, lookup], [table]):
        reading = read_here(paths, stated={"count": "people"})
        shown = _names(reading)
        assert shown == [row[1 if lookup in paths else 0] for row in _ZONES]
        assert "born_in_this_country" not in str(reading.guesses)


def test_a_name_beside_two_codes_is_preferred_to_the_second_code(tmp_path: Path) -> None:
    rows = [f"{code},{code[1:]}{code[0]},{name},{n}" for code, name, n in _ZONES]
    reading = read_text(tmp_path, "\n".join(["area_id,area,area_name,people", *rows]))
    assert _names(reading) == [name for _, name, _ in _ZONES]


# ------------------------------------------------------------------------- upper areas by code


_NUTS = ["AT", "AT1", "AT11", "AT111", "AT112", "AT12", "AT121", "AT122", "AT2", "AT21", "AT211"]
_NUTS += ["AT212", "AT3", "AT31", "AT311", "AT312"]


def _by_nuts(tmp_path: Path, extra: str) -> Reading:
    lowest = [code for code in _NUTS if len(code) == 5]
    people = {code: 500 + 31 * k for k, code in enumerate(lowest)}
    sums = {code: sum(n for low, n in people.items() if low.startswith(code)) for code in _NUTS}
    rows = [f"{code},{n}" for code, n in sums.items()]
    rows += [f"{extra},450"] if extra else []
    return read_text(
        tmp_path,
        "\n".join(["nuts_code,people", *rows]),
        **({"totals": "left out"} if extra else {}),
    )


def test_areas_that_only_a_stray_code_begins_with_are_reported(tmp_path: Path) -> None:
    reading = _by_nuts(tmp_path, "AT911")
    (note,) = _notes(reading, "made-areas")
    assert '"AT9", "AT91"' in note
    assert '1 code below them, "AT911"' in note
    assert not _notes(_by_nuts(tmp_path, ""), "made-areas")


def test_areas_that_no_system_knows_are_reported_without_rows_of_upper_areas(
    tmp_path: Path,
) -> None:
    codes = ["FR101", "FR102", "FRB01", "FRB02", "FRC11", "FRC12", "FRD11", "FRD12", "FRE11",
             "FRE12", "FRF11", "FRF12", "FR901"]  # fmt: skip
    rows = [f"{code},{400 + 7 * k}" for k, code in enumerate(codes)]
    reading = read_text(tmp_path, "\n".join(["nuts_code,people", *rows]))
    (note,) = _notes(reading, "made-areas")
    assert "FR901" in note
    assert total(reading) == sum(400 + 7 * k for k in range(len(codes)))


# ------------------------------------------------------------------------------ composite codes


def _survey(*, joined: bool) -> str:
    lines = ["cluster,region,district,block,sex"]
    for region, n_districts in ((1, 3), (2, 2), (11, 4)):
        for district in range(1, n_districts + 1):
            for block in range(1, 3):
                code = f"{region:02}{district:02}{block:02}"
                if not joined:
                    code = f"{(region * 31 + district * 7 + block) * 37 % 9973:06}"
                sexes = "mf" * (3 + district + block)
                lines += [f"{code},{region},{district},{block},{sex}" for sex in sexes]
    return "\n".join(lines).replace("region", "q1").replace("district", "q2").replace("block", "q3")


def test_levels_inside_a_joined_code_are_offered(tmp_path: Path) -> None:
    text = _survey(joined=True).replace("cluster", "area_id")
    answers = offered(read_text(tmp_path, text, row="person"))
    assert {"levels": ("q1", "q2", "q3"), "within": True} in answers
    assert {"levels": ("q1", "q2"), "within": True} in answers
    read = read_text(tmp_path, text, row="person", levels=("q1", "q2"), within=True)
    assert read.table is not None
    assert read.table.regions.tree.level_sizes.tolist() == [1, 3, 9]


def test_numbers_that_a_code_does_not_contain_are_not_offered(tmp_path: Path) -> None:
    text = _survey(joined=False).replace("cluster", "area_id")
    answers = offered(read_text(tmp_path, text, row="person"))
    assert not any(answer.get("levels", ("",))[0] == "q1" for answer in answers)


# -------------------------------------------------------------------------------- lists by hand


def _register(form: list[object]) -> bytes:
    rows: list[list[object]] = [["Register of inhabitants", *[""] * 6], form]
    rows += [["Sitio", "HH No.", "Last name", "First name", "Sex", "Age", "Remarks"]]
    for k in range(36):
        rows.append([f"Sitio {k // 9 + 1}", k // 3 + 1, f"Alba{k % 11}", f"Luz{k}", "FM"[k % 2],
                     (k * 17) % 80, ""])  # fmt: skip
    rows += [[f"Number of households: {12}", *[""] * 6], ["Number of persons: 36", *[""] * 6]]
    return workbook(rows)


def test_places_of_a_form_are_no_names_of_columns(tmp_path: Path) -> None:
    form: list[object] = ["Province: Ash", "", "", "", "Municipality: Elm", "", ""]
    (tmp_path / "t.xlsx").write_bytes(_register(form))
    reading = read_here([tmp_path / "t.xlsx"], stated={"kind": "counts", "row": "person"})
    assert total(reading) == 36
    assert _names(reading) == [f"Sitio {k}" for k in range(1, 5)]
    first = read_here([tmp_path / "t.xlsx"])
    assert not any("name" in str(answer.get("levels", "")).lower() for answer in offered(first))


def test_names_of_columns_with_one_word_before_the_colon_stay(tmp_path: Path) -> None:
    rows: list[list[object]] = [["Area", "Region: North", "", "Region: South", ""],
                                ["", "men", "women", "men", "women"]]  # fmt: skip
    rows += [[f"Town {k}", 10 + k, 20 + k, 30 + k, 40 + k] for k in range(8)]
    (tmp_path / "t.xlsx").write_bytes(workbook(rows))
    reading = read_here([tmp_path / "t.xlsx"])
    assert "Region: North men" in str([*reading.columns, *offered(reading)])


# ------------------------------------------------------------------------------ filled from above


def _with_blanks() -> str:
    lines = ["region,department,commune,people"]
    for k in range(12):
        region, department = ("West", f"D{k // 4}") if k < 8 else ("Capital", "")
        lines.append(f"{region},{department},C{k},{100 + 9 * k}")
    return "\n".join(lines)


def test_a_blank_cell_of_another_region_is_not_filled_without_a_word(tmp_path: Path) -> None:
    text = _with_blanks()
    text += "\nEast,D7,C20,70\nEast,D7,C21,90"
    answers = offered(read_text(tmp_path, text))
    assert answers
    assert not any("fill_down" in answer for answer in answers)
    reading = read_text(tmp_path, text, fill_down=("department",))
    (note,) = _notes(reading, "fill-contradicted")
    assert note.startswith('4 blank cells of column "department"')
    assert '"region"' in note


# -------------------------------------------------------------------------------- several files


def _counts_and_lists() -> tuple[bytes, bytes]:
    towns = [["town", "district code", "people"]]
    towns += [[f"T{k:02}", 101 + k % 3, 200 + 11 * k] for k in range(12)]
    districts: list[list[object]] = [["district code", "district name"]]
    districts += [[101 + k, f"District {k}"] for k in range(3)]
    other: list[list[object]] = [["province code", "province name"]]
    other += [[21 + k, f"Province {k}"] for k in range(4)]
    return workbook(towns), workbook_of({"districts": districts, "provinces": other})


def test_a_sheet_of_the_lookup_is_not_looked_for_in_the_table(tmp_path: Path) -> None:
    table, lookup = _counts_and_lists()
    paths = [tmp_path / "towns.xlsx", tmp_path / "lists.xlsx"]
    paths[0].write_bytes(table)
    paths[1].write_bytes(lookup)
    assert {"sheet": "districts"} in offered(read_here(paths))
    reading = read_here(paths, stated={"sheet": "districts"})
    assert total(reading) == sum(200 + 11 * k for k in range(12))
    assert "District 1" in reading.table.regions.names  # type: ignore[union-attr]
    faults = read_here(paths, stated={"sheet": "communes"}).report.faults
    assert {fault.id for fault in faults} == {"no-sheet"}


def test_a_codebook_of_few_columns_and_many_other_lines_is_a_document(tmp_path: Path) -> None:
    lines = ["Codebook of the extract", "Contents", "- Summary", "- Use", "Year: 2020"]
    lines += ["Table 1: Origin", "Universe: persons", "X1: Total", "X2: Born here", "X3: Others"]
    lines += [f"Terms of use, part {k}: ask" for k in range(20)]
    (tmp_path / "codebook.txt").write_text("\n".join(lines))
    rows = [f"A{k},{30 + k},{20 + k},10" for k in range(9)]
    (tmp_path / "t.csv").write_text("\n".join(["area,X1,X2,X3", *rows]))
    reading = read_here([tmp_path / "t.csv", tmp_path / "codebook.txt"], stated={"count": "X1"})
    assert total(reading) == sum(30 + k for k in range(9))
    assert _notes(reading, "document")


def test_boundaries_with_counts_are_joined_to_a_list_of_areas(tmp_path: Path) -> None:
    squares = [[[k, 0], [k + 1, 0], [k + 1, 1], [k, 1], [k, 0]] for k in range(8)]
    features = [
        {
            "type": "Feature",
            "properties": {"zone": f"Z{k:02}", "people": 90 + 7 * k},
            "geometry": {"type": "Polygon", "coordinates": [square]},
        }
        for k, square in enumerate(squares)
    ]
    shapes = json.dumps({"type": "FeatureCollection", "features": features})
    (tmp_path / "zones.geojson").write_text(shapes)
    rows = [f"Z{k:02},North {k},D{k // 4},District {k // 4}" for k in range(8)]
    text = "\n".join(["zone_code,zone_name,district_code,district_name", *rows])
    (tmp_path / "zones.csv").write_text(text)
    for order in (["zones.geojson", "zones.csv"], ["zones.csv", "zones.geojson"]):
        stated: dict[str, Any] = {"count": "people"}
        reading = read_here([tmp_path / name for name in order], stated=stated)
        assert total(reading) == sum(90 + 7 * k for k in range(8))
        assert _names(reading, -2) == ["District 0", "District 1"]
        assert reading.boundaries is not None


# -------------------------------------------------------------------------------- official files


@pytest.mark.parametrize("listed", [True, False])
def test_a_list_of_zones_gives_trips_their_boroughs_and_names(tmp_path: Path, listed: bool) -> None:
    rows = [f"1,2020-01-01,{a},{b},9" for a, b in ((4, 7), (4, 7), (7, 4), (9, 4), (9, 9))]
    (tmp_path / "t.csv").write_text(
        "\n".join(["VendorID,tpep_pickup_datetime,PULocationID,DOLocationID,fare_amount", *rows])
    )
    (tmp_path / "zones.csv").write_text(
        "LocationID,Borough,Zone\n4,East,Mill\n7,East,Quay\n9,West,Hill\n"
    )
    reading = read_here([tmp_path / name for name in ("t.csv", "zones.csv")[: 1 + listed]])
    assert _names(reading) == (["Mill", "Quay", "Hill"] if listed else ["4", "7", "9"])
    assert reading.table is not None
    assert reading.table.regions.levels[-2:] == (
        ("borough", "zone") if listed else ("total", "zone")
    )


@pytest.mark.parametrize(
    ("count", "unit", "stated"),
    [("beds", "beds", True), ("residents", "people", True), ("count", "people", False)],
)
def test_counts_that_no_name_calls_people_are_marked(
    tmp_path: Path, count: str, unit: str, stated: bool
) -> None:
    (tmp_path / "t.csv").write_text(f"region,district,{count}\nA,a,12\nA,b,30\nB,c,44\nB,d,5\n")
    reading = read_here([tmp_path / "t.csv"])
    assert reading.table is not None
    assert reading.table.quantities[0].title == unit
    marked = any("no name states what is counted" in guess for guess in reading.guesses)
    assert marked != stated
