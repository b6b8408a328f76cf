"""Numbers in units, columns that count members or other things, and rows of no area above."""

from pathlib import Path

import numpy as np
import pytest
from support.answers import counts_by_name, offered, read_text, total

from hierdp_core.readers.reading import read_here
from hierdp_core.tables import GroupSizes

_TOWNS = ("Alvor", "Bispo", "Cima", "Douro", "Evora", "Faro", "Guia", "Horta")


@pytest.mark.parametrize(
    ("head", "cells", "times"),
    [
        ("area,OBS_VALUE,UNIT_MULT", ",3", 1000),
        ("area,OBS_VALUE,UNIT_MULT", ",0", 1),
        ("area,OBS_VALUE,unit", ",THS", 1000),
        ("area,OBS_VALUE,unit", ",NR", 1),
        ("area,Ocupados (mil pessoas)", "", 1000),
        ("area,Employees (hundreds)", "", 100),
        ("area,employees_thousands", "", 1000),
        ("area,aantal x 100", "", 100),
    ],
)
def test_units_are_asked_about(tmp_path: Path, head: str, cells: str, times: int) -> None:
    rows = [f"{town},{311 + 17 * k}{cells}" for k, town in enumerate(_TOWNS)]
    answers = offered(read_text(tmp_path, f"{head}\n" + "\n".join(rows)))
    assert ({"times": times} in answers) == (times > 1)


@pytest.mark.parametrize(
    ("note", "asked"),
    [("Note: figures in thousands.", True), ("Note: about 2 thousand people are abroad.", False)],
)
def test_a_note_below_states_the_unit(tmp_path: Path, note: str, asked: bool) -> None:
    rows = [f"{town},{311 + 17 * k}" for k, town in enumerate(_TOWNS)]
    text = "\n".join(["area,people", *rows, "", f'"{note}",'])
    assert ({"times": 1000} in offered(read_text(tmp_path, text))) == asked


def test_thousands_of_trips_are_asked_about(tmp_path: Path) -> None:
    rows = [f"{a},{b},{len(a + b)}" for a in _TOWNS for b in _TOWNS if a != b]
    text = "\n".join(["origin,destination,trips_thousands", *rows])
    assert {"times": 1000} in offered(read_text(tmp_path, text))


def test_blocks_of_groups_and_their_members_are_never_added_up(tmp_path: Path) -> None:
    rng = np.random.default_rng(26)
    lines = ["town," + ",".join(f"{kind}_{n}" for kind in ("hh", "pers") for n in (1, 2, 3, 4))]
    for town in _TOWNS:
        groups = rng.integers(10, 90, 4).tolist()
        members = [n * size for size, n in enumerate(groups, start=1)]
        lines.append(",".join([town, *map(str, groups + members)]))
    (only,) = offered(read_text(tmp_path, "\n".join(lines)))
    assert only["sizes"] == ("hh_1", "hh_2", "hh_3", "hh_4")


@pytest.mark.parametrize(
    "names", [["0", "1", "2", "3-4", "5+"], ["0 børn", "1 barn", "2 børn", "3 børn og derover"]]
)
def test_classes_may_be_added_up(tmp_path: Path, names: list[str]) -> None:
    answers = offered(read_text(tmp_path, _by_size(names, "").partition("\n")[2]))
    assert {"parts": tuple(names)} in answers


def test_numbers_from_0_to_15_may_be_ages(tmp_path: Path) -> None:
    names = [*map(str, range(15)), "15+"]
    answers = offered(read_text(tmp_path, _by_size(names, "").partition("\n")[2]))
    assert {"kind": "counts", "parts": tuple(names)} in answers


def _by_size(names: list[str], title: str) -> str:
    rng = np.random.default_rng(26)
    lines = [f"{title}{',' * len(names)}", f"town,{','.join(names)}"]
    lines += [",".join([town, *map(str, rng.integers(40, 900, len(names)))]) for town in _TOWNS]
    return "\n".join(lines)


def test_columns_that_count_members_are_asked_about(tmp_path: Path) -> None:
    rng = np.random.default_rng(26)
    names = [f"{size} Personen" for size in (1, 2, 3, 4)] + ["5+ Personen"]
    lines = ["town," + ",".join(names)]
    people = 0
    for town in _TOWNS:
        numbers = [int(n) * size for size, n in enumerate(rng.integers(40, 900, 5), start=1)]
        people += sum(numbers)
        lines.append(",".join([town, *map(str, numbers)]))
    text = "\n".join(lines)
    members, groups = offered(read_text(tmp_path, text))
    assert total(read_text(tmp_path, text, **members)) == people
    assert isinstance(read_text(tmp_path, text, **groups).table, GroupSizes)


@pytest.mark.parametrize(
    ("title", "asked"),
    [("Buildings by number of floors", True), ("Households by number of members", False)],
)
def test_a_title_tells_whether_numbers_are_sizes(tmp_path: Path, title: str, asked: bool) -> None:
    text = _by_size(["1", "2", "3", "4", "5+"], title)
    reading = read_text(tmp_path, text)
    assert bool(offered(reading)) == asked
    assert isinstance(reading.table, GroupSizes) != asked


def test_last_rows_of_no_area_are_not_put_below_the_last_one(tmp_path: Path) -> None:
    text = (
        "región,provincia,población\nNorte,Asturias,258619\n,Cantabria,180190\nSur,Cádiz,185162\n"
        ",Huelva,251462\n,Málaga,134641\n,Residentes en el extranjero,19382\n,No consta,587\n"
    )
    reading = read_text(tmp_path, text)
    assert reading.table is not None
    assert reading.table.regions.tree.level_sizes.tolist() == [1, 4, 7]
    names = counts_by_name(reading)
    assert names["Sur"] == 185162 + 251462 + 134641


def test_people_abroad_are_put_nowhere_inside_a_list_too(tmp_path: Path) -> None:
    text = (
        "province,district,voters\nNorth,Arno,410\n,Ebon,320\n,Diaspora,999\nSouth,Mili,280\n"
        ",Wotje,150\n,Utrik,77\n"
    )
    names = counts_by_name(read_text(tmp_path, text))
    assert (names["North"], names["South"]) == (410 + 320, 280 + 150 + 77)


def test_no_confidential_row_is_filled_by_the_name_of_the_last_one(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("region,town,people\nNorth,Arno,4\n,Ebon,3\n,Unknown,2\n")
    stated = {"levels": ("region", "town"), "count": "people", "fill_down": ("region",)}
    found = [
        {
            finding.id
            for finding in read_here([path], stated=stated, confidential=secret).report.findings
        }
        for secret in (True, False)
    ]
    assert ["no-place" in ids for ids in found] == [False, True]


def test_rows_that_are_nearly_the_sums_of_all_others_are_asked_about(tmp_path: Path) -> None:
    rng = np.random.default_rng(26)
    north, south = (3 * rng.integers(2000, 9000, n) for n in (9, 6))
    rows = [f"D{k},{n}" for k, n in enumerate([*north, *south])]
    rows += [f"North,{north.sum() + 3}", f"South,{south.sum() - 3}", "Outside,612"]
    text = "area,count\n" + "\n".join(rows)
    left, kept = offered(read_text(tmp_path, text))
    assert left == {"leave_out": ("area=North", "area=South")}
    assert total(read_text(tmp_path, text, **left)) == north.sum() + south.sum() + 612
    assert read_text(tmp_path, text, **kept).report.usable


def test_a_second_sum_among_the_columns_is_a_rival(tmp_path: Path) -> None:
    rng = np.random.default_rng(26)
    lines = ["district,learners M,learners F,learners T,teachers M,teachers F,teachers T"]
    for town in _TOWNS:
        a, b = (int(n) for n in rng.integers(10_000, 40_000, 2))
        c, d = (int(n) for n in rng.integers(100, 900, 2))
        lines.append(f"{town},{a},{b},{a + b},{c},{d},{c + d}")
    counts = [answer.get("count") for answer in offered(read_text(tmp_path, "\n".join(lines)))]
    assert {"learners T", "teachers T"} <= {*counts}
