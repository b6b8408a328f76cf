"""Levels of printed tables: headings above blocks, sorted rows, codes that a list names."""

from itertools import product
from pathlib import Path
from random import Random

import pyarrow as pa

from hierdp_core.readers.build.lookups import Join, join_lookup
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.report import Notebook
from tests.support.answers import offered, read_text, total


def _number(*place: int) -> int:
    return 60 + sum((7 * k + 3) * n for k, n in enumerate(place, start=2))


def _blocks(*, totals: bool) -> tuple[str, int]:
    """Return towns below the headings of three provinces, and the sum of their people."""
    lines, whole = ["Code,Town,Men,Women,Persons"], [0, 0]
    for p, province in enumerate(("NORTH", "MIDDLE", "SOUTH")):
        lines.append(f",{province},,,")
        block = [(_number(p, t), _number(t, p, 2)) for t in range(4 + p)]
        lines += [f"{p}{t}07,Town {p}{t},{m},{w},{m + w}" for t, (m, w) in enumerate(block)]
        men, women = (sum(values) for values in zip(*block, strict=True))
        whole = [whole[0] + men, whole[1] + women]
        if totals:
            lines.append(f",Total of the province,{men},{women},{men + women}")
    if totals:
        lines.append(f",Total,{whole[0]},{whole[1]},{sum(whole)}")
    return "\n".join(lines), sum(whole)


def test_headings_of_blocks_that_end_in_totals_are_a_level(tmp_path: Path) -> None:
    text, people = _blocks(totals=True)
    reading = read_text(tmp_path, text, count="Persons")
    assert total(reading) == people
    assert reading.table is not None
    assert reading.table.tree.level_sizes.tolist() == [1, 3, 15]
    assert any(
        'in a new column "heading"' in line and '"NORTH", "MIDDLE", "SOUTH"' in line
        for line in reading.report.lines()
    )


def test_the_saved_settings_of_such_a_table_read_it_again(tmp_path: Path) -> None:
    text, people = _blocks(totals=True)
    layout = read_text(tmp_path, text, count="Persons").layout
    again = read_here([tmp_path / "t.csv"], layout=layout)
    assert total(again) == people


def test_a_row_with_a_name_alone_may_be_an_area_without_a_number(tmp_path: Path) -> None:
    text, _ = _blocks(totals=False)
    reading = read_text(tmp_path, text, count="Persons")
    assert reading.table is None
    assert {"missing": "left out"} in offered(reading)


def _stations(sexes: tuple[str, ...] = ()) -> str:
    """Return polling stations whose numbers start again in each town, as do those of districts."""
    head = ["county,district,town,station", *(["sex"] if sexes else []), "voters"]
    rows = [
        [f"C{c}", f"0{d}", f"Town {c}{d}{t}" if t else "Old", f"00{s}"]
        for c, d, t in product(range(4), range(1, 4), range(3))
        if d < 3 or c % 2
        for s in range(1, 4 + (c + t) % 3)
    ]
    lines = [
        ",".join([*row, *([sex] if sex else []), str(_number(k, j))])
        for k, row in enumerate(rows)
        for j, sex in enumerate(sexes or ("",))
    ]
    return "\n".join([",".join(head), *lines])


def test_the_order_of_rows_states_the_levels_of_numbers_that_start_again(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _stations(), count="voters")
    assert reading.table is not None
    assert reading.layout is not None
    assert reading.layout.levels == ("county", "district", "town", "station")
    assert reading.table.tree.level_sizes.tolist() == [1, 4, 10, 30, 120]


def test_sexes_in_sorted_rows_are_no_level(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _stations(("F", "M")), count="voters")
    assert all("sex" not in one.get("levels", ()) for one in offered(reading))
    assert reading.layout is None or "sex" not in reading.layout.levels


def test_numbers_that_a_list_of_areas_names_are_a_level_and_no_counts(tmp_path: Path) -> None:
    zones = [103 + 7 * k for k in range(12)]
    ages = [f"{10 * a}-{10 * a + 9}" for a in range(6)]
    rows = [f"{z},{a},{_number(k, len(a))}" for k, z in enumerate(zones) for a in ages]
    (tmp_path / "table.csv").write_text("\n".join(["RODE,AGE,PERSONS", *rows]))
    listed = [f"{z},{k % 3},Quarter {'ABC'[k % 3]}" for k, z in enumerate(zones)]
    (tmp_path / "list.csv").write_text("\n".join(["RODE,DISTRICT_CODE,DISTRICT", *listed]))
    files = [tmp_path / "table.csv", tmp_path / "list.csv"]
    reading = read_here(files, stated={"add_up": True})
    assert all(one.get("count") != "RODE" for one in offered(reading))
    reading = read_here(files, stated={"add_up": True, "count": "PERSONS"})
    assert reading.table is not None
    assert reading.table.tree.level_sizes.tolist() == [1, 3, 12]


def test_names_of_places_that_repeat_are_names_of_their_licences(tmp_path: Path) -> None:
    towns = [(f"P{k % 4}", "Old" if k in (3, 6, 9) else f"Town {k}") for k in range(20)]
    order = Random(5)
    rows = [
        f"{1700 + 3 * k:06d},Hotel {order.randrange(23)},{town},{province},{9 + k % 40}"
        for k, (province, town) in enumerate(order.choices(towns, k=200))
    ]
    text = "\n".join(["Άδεια,Όνομα,Δήμος,Επαρχία,Κλίνες", *rows])
    answers = offered(read_text(tmp_path, text, count="Κλίνες"))
    assert answers[-2] == {"levels": ("Επαρχία", "Δήμος", "Άδεια"), "within": True}
    assert all("Όνομα" not in one.get("levels", ()) for one in answers)
    chosen = read_text(tmp_path, text, count="Κλίνες", **answers[-2])
    assert chosen.table is not None
    assert chosen.table.tree.level_sizes.tolist() == [1, 4, 20, 200]


def test_a_range_from_0_is_a_suppressed_number(tmp_path: Path) -> None:
    rows = [f"P{k % 3},Town {k},{_number(k)}" for k in range(12)]
    text = "\n".join(["Province,Town,Persons", *rows, "P1,Small,0-9", "P2,Tiny,1–4"])
    reading = read_text(tmp_path, text)
    assert {"missing": "left out"} in offered(reading)
    assert {"missing": "zero"} in offered(reading)
    assert total(read_text(tmp_path, text, missing="left out")) == sum(map(_number, range(12)))


def test_concentrations_are_no_counts(tmp_path: Path) -> None:
    codes = [f"{30 + k}.63.1.0{k % 9}" for k in range(40)]
    rows = [
        f"North,Lake {k % 5},{k % 28 + 1}.8.2023,{code},{_number(k)},{_number(k, 1)}"
        for k, code in enumerate(codes)
    ]
    text = "\n".join(["Region,Lake,Day,Lake code,Phosphorus µg/l,NO3 (mg/l)", *rows])
    question = " ".join(read_text(tmp_path, text).report.lines())
    for name in ("Phosphorus µg/l", "NO3 (mg/l)"):
        assert f'column "{name}" holds the counts, although it looks like codes' in question


def test_a_column_without_a_number_may_be_named_as_the_counts(tmp_path: Path) -> None:
    rows = [f"P{k % 3},Lake {k},{30 + k}.634.1.0{k + 10}" for k in range(40)]
    reading = read_text(tmp_path, "\n".join(["Province,Lake,Number", *rows]), count="Number")
    assert reading.table is None
    assert not any("unexpectedly" in line for line in reading.report.lines())


def test_flows_between_areas_of_different_kinds_keep_their_lower_levels(tmp_path: Path) -> None:
    homes = [(f"Region {k % 4}", f"Province {k}") for k in range(12)]
    seats = [(f"Region {k % 4}", f"University {k}") for k in range(6)]
    lines = [
        f"{u},{ur},{hr},{hp},{_number(i, k)}"
        for i, (ur, u) in enumerate(seats)
        for k, (hr, hp) in enumerate(homes)
    ]
    text = "\n".join(["UnivName,UnivRegion,HomeRegion,HomeProvince,Students", *lines])
    reading = read_text(tmp_path, text, count="Students")
    assert 'columns "HomeRegion" and "UnivRegion" hold the same areas' in " ".join(
        reading.report.lines()
    )
    answer = offered(reading)[0]
    assert {answer["levels"], answer["destinations"]} == {
        ("HomeRegion", "HomeProvince"),
        ("UnivRegion", "UnivName"),
    }
    chosen = read_text(tmp_path, text, count="Students", **answer)
    assert chosen.table is not None
    assert chosen.table.values.sum() == sum(int(line.rpartition(",")[2]) for line in lines)


def test_a_list_that_repeats_the_codes_of_the_table_adds_only_upper_levels(tmp_path: Path) -> None:
    areas = [(f"{1 + k % 4}0{k % 8}0{11001 + k}", f"Ford {chr(65 + k)}") for k in range(24)]
    rows = [f"{code},{name},{_number(k)}" for k, (code, name) in enumerate(areas)]
    (tmp_path / "t.csv").write_text(
        "\n".join(["SA2,SA2 name,Persons", *rows, "Unknown,,37", "Total,,9999"])
    )
    listed = [f"{code},{name},{code[:3]},{code[0]}" for code, name in areas]
    header = "SA2_CODE_2021,SA2_NAME_2021,SA4_CODE_2021,STATE_CODE_2021"
    (tmp_path / "list.csv").write_text("\n".join([header, *listed]))
    files = [tmp_path / "t.csv", tmp_path / "list.csv"]
    answers = offered(read_here(files))
    assert not any(one.get("kind") == "flows" for one in answers)
    reading = read_here(files, stated={"leave_out": ("STATE_CODE_2021=",)})
    assert reading.table is not None, reading.report.lines()
    assert reading.table.tree.level_sizes.tolist() == [1, 4, 8, 24]
    assert total(reading) == sum(map(_number, range(24)))


def test_no_record_of_a_confidential_table_decides_which_columns_a_list_adds() -> None:
    names, codes = ["a", "b", "c", "d"], ["1", "2", "3", "4"]
    listed = _columns("list.csv", name=names, code=codes)
    by_name = Join(own="name", other="name", bare=False, shared=1.0)
    for own in (codes, [*codes[:3], "9"]):
        records = _columns("t.csv", name=names, number=own)
        notes = Notebook("list.csv", confidential=True)
        assert join_lookup(records, listed, by_name, notes).has("code")
    assert not join_lookup(_columns("t.csv", name=names, number=codes), listed, by_name,
                           Notebook("list.csv")).has("code")  # fmt: skip


def _columns(file: str, **columns: list[str]) -> Sheet:
    arrays = tuple(pa.array(cells, pa.string()) for cells in columns.values())
    return Sheet(file=file, names=tuple(columns), columns=arrays)


def test_recipients_of_an_age_pension_are_counts(tmp_path: Path) -> None:
    rows = [f"Area {k},{3 * _number(k)},{_number(k, 2)}" for k in range(150)]
    text = "\n".join(["area,Age Pension,Carer Allowance", *rows])
    assert {"count": "Age Pension"} in offered(read_text(tmp_path, text))


def _stations_of_prefectures(tmp_path: Path, *, leave_out: int = 0) -> list[Path]:
    areas = [(f"{p:02d}", f"{101 + s}") for p in (13, 17, 40) for s in range(4)]
    rows = [f"{p},{s},{_number(k)}" for k, (p, s) in enumerate(areas)]
    (tmp_path / "t.csv").write_text("\n".join(["pref,station,persons", *rows]))
    listed = [f"{p},Prefecture {p},{s},Police {p}-{s}" for p, s in areas[leave_out:]]
    header = "pref,pref_name,station,station_name"
    (tmp_path / "list.csv").write_text("\n".join([header, *listed]))
    return [tmp_path / "t.csv", tmp_path / "list.csv"]


def test_a_list_may_identify_areas_by_two_columns_together(tmp_path: Path) -> None:
    reading = read_here(_stations_of_prefectures(tmp_path), stated={"within": True})
    assert reading.table is not None, reading.report.lines()
    assert reading.table.tree.level_sizes.tolist() == [1, 3, 12]
    assert "Police 17-102" in reading.table.regions.names
    assert any("the two columns that both have" in line for line in reading.report.lines())


def test_two_codes_that_a_list_lacks_are_an_error(tmp_path: Path) -> None:
    reading = read_here(_stations_of_prefectures(tmp_path, leave_out=1))
    lines = " ".join(reading.report.lines())
    assert 'two codes of the table do not occur together in the list ("13/101")' in lines
    assert all("joined codes" not in str(one) for one in offered(reading))
