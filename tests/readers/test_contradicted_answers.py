"""Answers that the numbers contradict are not offered, or the report warns of them."""

import json
import zipfile
from pathlib import Path

import pytest

from hierdp_core.readers.reading import read_here
from hierdp_core.readers.result import Reading
from hierdp_core.tables import Counts, Flows, GroupSizes
from tests.support.answers import offered, read_text

_TOWNS = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple")


def ids_of_findings(reading: Reading) -> set[str]:
    return {finding.id for finding in reading.report.findings}


def lines(header: str, rows: list[tuple[object, ...]]) -> str:
    return header + "\n" + "\n".join(",".join(map(str, row)) for row in rows)


# ------------------------------------------------------------------------------------- decimals


def test_the_sums_of_trips_are_rounded_and_not_their_rows(tmp_path: Path) -> None:
    towns = ("T001", "T002", "T003")
    rows = [(a, b, age, 0.4) for a in towns for b in towns if a != b for age in ("20-29", "30-39")]
    text = lines("origin,destination,age,trips", rows)
    reading = read_text(tmp_path, text, add_up=True, times=1, count="trips")
    assert isinstance(reading.table, Flows), reading.report.lines()
    assert int(reading.table.values.sum()) == 6  # each pair has 0.8, where rows would give 0


def test_numbers_that_would_all_become_0_are_not_rounded_one_by_one(tmp_path: Path) -> None:
    shares = lines("town,people", [(t, f"0.{k + 1}3571") for k, t in enumerate(_TOWNS[:4])])
    choices = offered(read_text(tmp_path, shares, count="people"))
    assert {"times": 1} not in choices
    assert {"times": 1000} not in choices  # thousands have three decimals at most
    assert {"kind": "none"} in choices


def test_rounding_that_changes_the_sum_is_told(tmp_path: Path) -> None:
    text = lines("town,people", [(t, f"{k + 1}.4") for k, t in enumerate(_TOWNS)])
    reading = read_text(tmp_path, text, count="people", times=1)
    assert reading.table is not None
    assert {"rounded-sum", "maybe-thousands"} <= ids_of_findings(reading)
    assert any("36 after rounding, and 39.2 before it" in line for line in reading.report.lines())


# ------------------------------------------------------------------------- rows that are left out


def _blank_region(people: int) -> str:
    rows = [("" if k < 3 else f"R{k // 6}", town, people if k < 3 else 100 + k)
            for k, town in enumerate(_TOWNS)]  # fmt: skip
    return lines("region,town,people", rows)


@pytest.mark.parametrize(("people", "warned"), [(5_000, True), (2, False)])
def test_much_that_is_left_out_is_told(tmp_path: Path, people: int, *, warned: bool) -> None:
    stated = {"levels": ("region", "town"), "leave_out": ("region=",)}
    reading = read_text(tmp_path, _blank_region(people), **stated)
    assert reading.table is not None, reading.report.lines()
    assert ("much-left-out" in ids_of_findings(reading)) is warned


def test_a_total_that_is_left_out_is_not_told_of(tmp_path: Path) -> None:
    rows = [*((t, 100 + 7 * k) for k, t in enumerate(_TOWNS)), ("X", sum(range(100, 150, 7)))]
    reading = read_text(tmp_path, lines("town,people", rows), leave_out=("town=X",))
    assert reading.table is not None
    assert "much-left-out" not in ids_of_findings(reading)


def test_a_blank_above_all_others_repeats_no_cell(tmp_path: Path) -> None:
    choices = offered(read_text(tmp_path, _blank_region(50), levels=("region", "town")))
    assert {"fill_down": ("region",)} not in choices
    assert {"levels": ("town",)} in choices


def test_names_in_headings_that_were_left_out_are_filled_down(tmp_path: Path) -> None:
    rows: list[tuple[object, ...]] = []
    for k, town in enumerate(_TOWNS):
        rows += [(f"R{k // 4}", "", "")] * (k % 4 == 0) + [("", town, 100 + k)]
    stated = {"levels": ("region", "town"), "leave_out": ("town=",), "fill_down": ()}
    choices = offered(read_text(tmp_path, lines("region,town,people", rows), **stated))
    assert {"fill_down": ("region",)} in choices
    assert not any("leave_out" in choice for choice in choices)  # no row would be left


def test_a_region_that_is_exactly_half_of_the_others_is_their_total(tmp_path: Path) -> None:
    counts = [31_177 + 1_731 * k for k in range(12)]
    fine = [counts[k] // 3 for k in range(12)] + [c - c // 3 for c in counts]
    rows = [("N1", sum(counts)), *((f"P{k:02d}", c) for k, c in enumerate(counts))]
    rows += [(f"D{k:02d}", c) for k, c in enumerate(fine)]
    reading = read_text(tmp_path, lines("code,people", rows), outline="none", count="people")
    assert {"leave_out": ("code=N1",)} in offered(reading)
    assert {"totals": "none"} not in offered(reading)


# ------------------------------------------------------------------------------- kinds of tables


def test_trips_by_airline_are_added_up(tmp_path: Path) -> None:
    airports, lines_of = ("ATL", "BOS", "LAX", "ORD", "SEA"), ("AA", "DL", "UA", "WN", "AS", "B6")
    rows = [
        (1000 + 97 * i + 31 * j + 700 * k, name, one, other)
        for i, one in enumerate(airports) for j, other in enumerate(airports) if one != other
        for k, name in enumerate(lines_of) if (i + 2 * j + k) % 3 == 0
    ]  # fmt: skip
    reading = read_text(tmp_path, lines("PASSENGERS,CARRIER,ORIGIN,DEST", rows))
    assert isinstance(reading.table, Flows), reading.report.lines()
    assert int(reading.table.values.sum()) == sum(int(row[0]) for row in rows)
    assert any("are added up" in reason for reason in reading.guesses)


def test_trips_of_few_kinds_are_asked_about(tmp_path: Path) -> None:
    towns = ("T001", "T002", "T003", "T004")
    rows = [(a, b, kind, 10 + k) for a in towns for b in towns if a != b
            for k, kind in enumerate(("first", "revised"))]  # fmt: skip
    reading = read_text(tmp_path, lines("origin,destination,kind,trips", rows))
    assert reading.table is None
    assert {"add_up": True} in offered(reading)


def _to_work(end: str) -> str:
    codes = [f"2021A000313{k:02d}" for k in range(6)]
    rows = [(a, b, 100 + 17 * i + 5 * j) for i, a in enumerate(codes) for j, b in enumerate(codes)]
    return lines(f"DGUID,{end},VALUE", rows)


def test_a_column_called_as_the_place_of_work_of_another_is_its_destination(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _to_work("DGUID place of work"))
    assert isinstance(reading.table, Flows), reading.report.lines()
    assert read_text(tmp_path, _to_work("DGUID 2")).table is None


def test_ages_are_no_matrix(tmp_path: Path) -> None:
    ages = [f"Age {k}" for k in range(30)] + ["Age 30 and over"]
    rows = []
    for k, town in enumerate(_TOWNS):
        counts = [(3 + k * (j + 3)) % 29 for j in range(31)]
        rows.append((f"S{1000 + k}", town, sum(counts), *counts))
    text = lines("Zone code,Zone name,Total," + ",".join(ages), rows)
    reading = read_text(tmp_path, text)
    assert not any("matrix" in choice for choice in offered(reading))
    assert isinstance(reading.table, Counts), reading.report.lines()
    assert int(reading.table.values[0]) == sum(int(row[2]) for row in rows)


def test_members_of_households_are_no_households(tmp_path: Path) -> None:
    rows = []
    for house in range(30):
        rows += [(f"0301{house:05d}", member, f"N{house % 3}", f"E{house % 6:03d}",
                  (17 * house + 29 * member) % 80, house % 7 + 1)
                 for member in range(1, house % 4 + 2)]  # fmt: skip
    text = lines("household_id,individual_no,saq01,ea_id,s1q03a,saq02", rows)
    choices = offered(read_text(tmp_path, text))
    assert {"kind": "counts", "row": "person"} in choices
    assert not any(choice.get("row") == "group" or "count" in choice for choice in choices)


# ---------------------------------------------------------------------------------------- counts


def _communes() -> str:
    rows = [(f"{k // 4 + 1:02d}", f"{k % 4 + 1:02d}", town, 900 + 400 * k, 40 + k, 940 + 401 * k)
            for k, town in enumerate(_TOWNS)]  # fmt: skip
    return lines("CODREG,CODCOM,COM,PMUN,PCAP,PTOT", rows)


def test_two_populations_are_asked_about(tmp_path: Path) -> None:
    choices = offered(read_text(tmp_path, _communes()))
    assert [c["count"] for c in choices if "count" in c] == ["PMUN", "PTOT"]
    reading = read_text(tmp_path, _communes(), count="PMUN")
    assert reading.layout is not None
    assert reading.layout.levels[-1] in ("COM", "CODCOM")


def test_a_sum_beside_marks_is_known_before_and_after_a_row_is_left_out(tmp_path: Path) -> None:
    rows: list[tuple[object, ...]] = []
    for k, town in enumerate(_TOWNS):
        parts = [20 + k, 500 + 31 * k, 300 + 17 * k]
        rows.append((f"W{k:08d}", town, "[z]" if k else parts[0], *parts[1:],
                     sum(parts[1:]) + (0 if k else parts[0])))  # fmt: skip
    text = lines("Area code,Local authority,Nursery,Primary,Secondary,All maintained", rows)
    for stated in ({}, {"leave_out": ("Area code=W00000000",)}):
        reading = read_text(tmp_path, text, **stated)
        assert reading.table is not None, reading.report.lines()
        assert reading.layout is not None
        assert reading.layout.count == "All maintained"


def test_numbers_rounded_to_tens_are_no_sums_by_chance(tmp_path: Path) -> None:
    ages = [f"{5 * k}_to_{5 * k + 4}" for k in range(18)]
    rows = [(f"P{k // 4}", town, age, 10 * ((7 * k + 3 * j * j) % 12))
            for k, town in enumerate(_TOWNS) for j, age in enumerate(ages)]  # fmt: skip
    stated = {"levels": ("PA", "SZ", "AG"), "within": True}
    reading = read_text(tmp_path, lines("PA,SZ,AG,Pop", rows), **stated)
    assert "outline" not in ids_of_findings(reading)


# --------------------------------------------------------------------- names, centres, archives


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("local_level_code", "local_level"),
        ("vuzemi_kod", "vuzemi_txt"),
        ("Data zone code", "Data zone name"),
        ("OBČINE code", "OBČINE"),
    ],
)
def test_names_beside_codes_are_shown(tmp_path: Path, code: str, name: str) -> None:
    towns = (*_TOWNS, *(f"{town} West" for town in _TOWNS[:4]))
    rows = [(f"S{3270 + k}", town, 90 + 7 * k) for k, town in enumerate(towns)]
    reading = read_text(tmp_path, lines(f"{code},{name},people", rows))
    assert reading.table is not None, reading.report.lines()
    assert set(reading.table.regions.names) >= set(towns)


def _counties(folder: Path) -> Path:
    head = ["NAME", *(f"H9_00{k}N" for k in range(1, 9)), "state", "county"]
    rows = [[f"{town} County", "28", *(str(k) for k in range(1, 8)), str(33 + i // 4), f"00{i % 4}"]
            for i, town in enumerate(_TOWNS)]  # fmt: skip
    path = folder / "counties.json"
    path.write_text(json.dumps([head, *rows]))
    return path


def test_centres_are_joined_by_codes_in_two_columns(tmp_path: Path) -> None:
    centres = tmp_path / "centres.csv"
    rows = [(f"{33 + i // 4}00{i % 4}", town, 43 + i / 7, -71 - i / 5)
            for i, town in enumerate(_TOWNS)]  # fmt: skip
    centres.write_text(lines("GEOID,NAME,INTPTLAT,INTPTLONG", rows))
    reading = read_here([_counties(tmp_path), centres])
    assert isinstance(reading.table, GroupSizes), reading.report.lines()
    assert reading.drawn == "approximate boundaries around the centres"
    centres.write_text(lines("GEOID,NAME,INTPTLAT,INTPTLONG", rows[1:]))
    assert "no-centre" in ids_of_findings(read_here([_counties(tmp_path), centres]))


def _archive(folder: Path, texts: dict[str, str]) -> Path:
    path = folder / "data.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
    return path


def test_a_lookup_inside_an_archive_is_joined(tmp_path: Path) -> None:
    counts = lines("code,people", [(f"LV{k:05d}", 100 + k) for k in range(8)])
    lookup = lines(
        "Code,Name,Region", [(f"LV{k:05d}", t, f"R{k // 4}") for k, t in enumerate(_TOWNS)]
    )
    reading = read_here([_archive(tmp_path, {"counts.csv": counts, "classes.csv": lookup})])
    assert reading.table is not None, reading.report.lines()
    assert reading.table.regions.tree.level_sizes[-2:].tolist() == [2, 8]
    assert {"member", "joined"} <= ids_of_findings(reading)


def test_two_tables_of_counts_in_an_archive_are_asked_about(tmp_path: Path) -> None:
    texts = {f"people_{year}.csv": lines("code,people", [(f"LV{k:05d}", year + k) for k in
             range(8)]) for year in (2021, 2022)}  # fmt: skip
    reading = read_here([_archive(tmp_path, texts)])
    assert reading.table is None
    assert {"sheet": "people_2021.csv"} in offered(reading)
