"""Tables of which a part is unknown: it is asked about, or read only where nothing contradicts."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.answers import offered, read_text, total

from hierdp_core.readers.columns.count_rules import POSSIBLE, count_points
from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.formats.encodings import decoding_of
from hierdp_core.readers.reading import read_here

_TOWNS = ("Almere", "Bunnik", "Culemborg", "Dronten", "Ede", "Franeker", "Gouda", "Heerde")
_ROOMS = ("1 room", "2 rooms", "3 rooms", "4 rooms", "5 rooms or more")


@pytest.mark.parametrize(
    "name", ["bev_dich", "Bevolkingsdichtheid", "pop_dens", "folketal_tetthed"]
)
def test_densities_are_no_counts(name: str) -> None:
    column = ColumnFacts(name, pa.array(["8173", "3417", "4066", "7265"]))
    assert count_points(column) <= POSSIBLE


def test_a_name_that_is_half_understood_is_asked_about(tmp_path: Path) -> None:
    rows = [f"{t},{310 + 7 * k * k},{120 + 5 * k},{900 - 11 * k}" for k, t in enumerate(_TOWNS)]
    reading = read_text(tmp_path, "gemeente,a_inw,a_hh,bev_qrs\n" + "\n".join(rows))
    assert reading.table is None
    assert {"count": "a_inw"} in offered(reading)
    assert {"count": "bev_qrs"} in offered(reading)


def _by_rooms(n_missing: int = 0, below: str = "") -> str:
    cells = [f"{t},{r},{97 + 31 * k % 211}"
             for t in _TOWNS for k, r in enumerate(_ROOMS)]  # fmt: skip
    return "area,rooms_of,2022\n" + "\n".join(cells[n_missing:]) + below


@pytest.mark.parametrize("n_missing", [0, 1, 4])
def test_a_category_is_asked_about_even_if_some_pairs_are_missing(
    tmp_path: Path, n_missing: int
) -> None:
    reading = read_text(tmp_path, _by_rooms(n_missing), count="2022")
    assert reading.table is None
    assert {"levels": ("area",)} in offered(reading)


def test_a_note_without_a_number_hides_no_category(tmp_path: Path) -> None:
    text = _by_rooms(below="\nSource: census,,")
    reading = read_text(tmp_path, text, count="2022", missing="left out")
    assert reading.table is None
    assert {"levels": ("area",)} in offered(reading)


def test_codes_that_start_again_are_no_category(tmp_path: Path) -> None:
    # 3 regions with wards 1 to 9, of which the last has 8.
    rows = [f"{r},{w},{210 + 17 * w}" for r in ("Nord", "Ost", "West") for w in range(1, 10)][:-1]
    reading = read_text(tmp_path, "region,ward,people\n" + "\n".join(rows))
    assert {"levels": ("ward",)} not in offered(reading)


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        ("Male,Female,Intersex", ("Male", "Female", "Intersex")),
        ("pop_m,pop_f,pop_x", ("pop_m", "pop_f", "pop_x")),
        ("Stations,Pemilih L,Pemilih P", ("Pemilih L", "Pemilih P")),
    ],
)
def test_all_sexes_are_offered_as_a_sum(tmp_path: Path, names: str, parts: tuple[str, ...]) -> None:
    rows = [f"{t},{510 + 7 * k * k},{520 + 9 * k},{3 + k % 4}" for k, t in enumerate(_TOWNS)]
    reading = read_text(tmp_path, f"county,{names}\n" + "\n".join(rows))
    assert {"parts": parts} in offered(reading)
    assert read_text(tmp_path, f"county,{names}\n" + "\n".join(rows), parts=parts).table is not None


def test_numbers_of_areas_within_larger_ones_are_no_level_of_their_own(tmp_path: Path) -> None:
    # 26 areas with numbers within four larger ones, of which two are equal.
    numbers = [*range(10, 23), *range(21, 34)]
    rows = [f"{n},Unit {k},{800 + 37 * k % 411}" for k, n in enumerate(numbers)]
    reading = read_text(tmp_path, "nn,district,people\n" + "\n".join(rows), count="people")
    assert reading.layout is not None
    assert reading.layout.levels == ("district",)


def test_headings_of_parts_are_left_out_in_czech(tmp_path: Path) -> None:
    parts = {"Jih": (1148, 941, 1713), "Sever": (620, 1301, 455)}
    lines = ["Kraj,Nehody", f"Celkem,{sum(map(sum, parts.values()))}"]
    for region, numbers in parts.items():
        lines += [f"{region},{sum(numbers)}", "v tom okresy:,"]
        lines += [f"  {region} {k},{n}" for k, n in enumerate(numbers)]
    reading = read_text(tmp_path, "\n".join(lines), count="Nehody")
    assert total(reading) == sum(map(sum, parts.values()))


def test_a_separator_of_thousands_shows_the_encoding(tmp_path: Path) -> None:
    rng = np.random.default_rng(41)
    rows = [f"{t} à Évry;{n:,}".replace(",", "\xa0")
            for t, n in zip(_TOWNS, rng.integers(1_000, 90_000, 8), strict=True)]  # fmt: skip
    data = ("Région;Population\n" + "\n".join(rows)).encode("cp1252")
    found = decoding_of(data)
    assert found is not None
    assert found.best == "cp1252"
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    assert read_here([path]).table is not None


def test_a_total_below_subtotals_that_are_left_out_is_not_read_twice(tmp_path: Path) -> None:
    blocks = {
        "Burgenland": (1283, 2465, 2199, 765),
        "Salzburg": (1175, 1694, 1722),
        "Tirol": (541, 1714, 817, 721),
    }
    rows = []
    for region, numbers in blocks.items():
        rows += [f"{region} {k},{n}" for k, n in enumerate(numbers)]
        rows.append(f"Zusammen,{sum(numbers)}")
    whole = sum(map(sum, blocks.values()))
    text = "Bezirk,Betriebe\n" + "\n".join([*rows, f"Insgesamt,{whole}"])
    reading = read_text(tmp_path, text, count="Betriebe", leave_out=("Bezirk=Zusammen",))
    assert total(reading) == whole


def test_codes_with_names_are_a_level_between_codes_that_start_again(tmp_path: Path) -> None:
    # Zones are numbered within each state, and each zone lies in one municipality.
    rows = []
    for k, state in enumerate(("AC", "BA", "CE", "ES")):
        for zone in range(1, 13):
            town = 1000 * (k + 1) + (zone * 7) % 5 + 9 * (zone > 5)
            rows.append((state, f"{town:05d}", f"Town {town}", zone, 900 + 37 * zone + 11 * k))
    towns = {(row[0], row[1]) for row in rows}
    text = "SG_UF,CD_MUNICIPIO,NM_MUNICIPIO,NR_ZONA,QT_ELEITORES\n" + "\n".join(
        ",".join(map(str, row)) for row in rows
    )
    reading = read_text(tmp_path, text)
    assert reading.table is not None
    assert reading.layout is not None
    assert reading.layout.levels == ("SG_UF", "CD_MUNICIPIO", "NR_ZONA")
    assert reading.table.regions.tree.level_sizes.tolist() == [1, 4, len(towns), len(rows)]


def test_an_upper_level_that_codes_do_not_need_is_a_level(tmp_path: Path) -> None:
    # Zones are numbered within each settlement. One district has the name of its settlement.
    rows = []
    for region, districts in {"North": 3, "West": 2, "South": 3}.items():
        for d in range(districts):
            district = f"{region} district {d}"
            for k in range(1 + d):
                settlement = district if d == 0 else f"Camp {region} {d}{k}"
                for zone in range(1, 5):
                    rows.append((region, district, settlement, f"Zone {zone}", 70 + 13 * len(rows)))
    text = "Region,District,Settlement,Zone,Refugees\n" + "\n".join(
        ",".join(map(str, row)) for row in rows
    )
    reading = read_text(tmp_path, text)
    assert reading.table is not None
    assert reading.layout is not None
    assert reading.layout.levels == ("Region", "District", "Settlement", "Zone")
    sizes = [len({row[:k] for row in rows}) for k in range(5)]
    assert reading.table.regions.tree.level_sizes.tolist() == sizes


def _blocks(label: str, regions: dict[str, list[str]]) -> tuple[str, int]:
    lines, whole = ["Number of schools by enrolment,,,", ",,,"], 0
    for region, councils in regions.items():
        lines += [f"{label}: {region},,,", "Council,1-199,1000+,All schools"]
        sums = [0, 0]
        for council in councils:
            numbers = [len(council) + len(lines), 3 * len(council)]
            lines.append(f"{council},{numbers[0]},{numbers[1]},{sum(numbers)}")
            sums = [one + two for one, two in zip(sums, numbers, strict=True)]
        lines += [f"Total,{sums[0]},{sums[1]},{sum(sums)}", ",,,"]
        whole += sum(sums)
    return "\n".join(lines), whole


_COUNCILS = {
    "Dodoma": ["Kondoa", "Mpwapwa", "Kongwa", "Bahi", "Chemba"],
    "Kilimanjaro": ["Rombo", "Mwanga", "Same", "Hai", "Siha"],
    "Mtwara": ["Masasi", "Newala", "Tandahimba", "Nanyumbu"],
}


def test_titles_of_blocks_that_state_areas_are_a_level(tmp_path: Path) -> None:
    text, whole = _blocks("Region", _COUNCILS)
    reading = read_text(tmp_path, text, count="All schools")
    assert total(reading) == whole
    assert reading.table is not None
    assert reading.table.regions.tree.level_sizes.tolist() == [1, 3, 14]
    assert "titles-of-blocks" in [finding.id for finding in reading.report.findings]
    assert "Mtwara" in reading.table.regions.names


def test_titles_of_blocks_that_state_no_areas_are_no_level(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _blocks("Sheet", _COUNCILS)[0], count="All schools")
    assert "titles-of-blocks" not in [finding.id for finding in reading.report.findings]
    if reading.table is not None:
        assert not {*_COUNCILS} & {*reading.table.regions.names}


def test_a_code_that_tells_rows_of_an_area_apart_is_offered_as_a_level(tmp_path: Path) -> None:
    rows = [
        (f"State {s}", f"Ward {s}{w}", f"{s}{w}{d:02d}7", 300 + 17 * d + 5 * w)
        for s in (1, 2, 3) for w in range(4) for d in range(3)
    ]  # fmt: skip
    text = "state,ward,vd_number,registered voters\n" + "\n".join(
        ",".join(map(str, row)) for row in rows
    )
    stated = {"levels": ("state", "ward"), "count": "registered voters"}
    level, added = offered(read_text(tmp_path, text, **stated))
    assert level == {"levels": ("state", "ward", "vd_number"), "within": True}
    assert added == {"add_up": True}
    table = read_text(tmp_path, text, **(stated | level)).table
    assert table is not None
    assert table.regions.tree.level_sizes.tolist() == [1, 3, 12, 36]
    assert total(read_text(tmp_path, text, **stated, **added)) == sum(row[3] for row in rows)
