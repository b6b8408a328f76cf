"""Files without counts are refused with what they hold, and numbers of things are no counts."""

import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hierdp_core.readers.columns.count_rules import numbers_of_groups, weights
from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.columns.partitions import open_ended
from hierdp_core.readers.columns.things import counted_unit
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.result import Reading


def read_text(folder: Path, text: str, name: str = "t.csv", **stated: object) -> Reading:
    path = folder / name
    path.write_text(text)
    return read_here([path], stated=stated)


def column(name: str, *cells: object) -> ColumnFacts:
    return ColumnFacts(name, pa.array([str(cell) for cell in cells], pa.string()))


def _rates() -> str:
    rows = [f"{sex},PC,X{k},{k}.{j}" for k in range(1, 9) for j, sex in enumerate("FMT", start=2)]
    return "sex,unit,geo,2022\n" + "\n".join(rows)


def _prices() -> str:
    rows = [f"2023-0{m},Town {k},{2000 + 31.25 * k + m:.2f},{m / 7:.3f}" for k in range(9)
            for m in (1, 2)]  # fmt: skip
    return "month,town,average_price,annual_change\n" + "\n".join(rows)


def _expectancy() -> str:
    rows = [f"E0{k},Town {k},{sex},{78 + k / 3:.2f},{77 + k / 3:.2f},{79 + k / 3:.2f}"
            for k in range(9) for sex in ("Male", "Female")]  # fmt: skip
    head = "area code,area,sex,Life expectancy (years),Lower confidence interval,Upper CI\n"
    return head + "\n".join(rows)


def _weather() -> str:
    rng = np.random.default_rng(8)
    days = [f"433,202201{d:02d},{rng.normal(3, 4):.1f},{rng.normal(0, 5):.1f},"
            f"{rng.uniform(0, 9):.1f},{d % 3}" for d in range(1, 29)]  # fmt: skip
    return "STATIONS_ID,MESS_DATUM,TMK,TNK,RSK,QN\n" + "\n".join(days)


def _codebook() -> str:
    rows = ["GISJOIN,Match code,A25", "STATE,State name,", "U7B001,Total,", "U7B002,Urban,"]
    return "context_field,name,description\n" + "\n".join(rows)


REFUSED = {
    "rates": (_rates, "PC"),
    "prices": (_prices, "average_price"),
    "expectancy": (_expectancy, "Life expectancy"),
    "weather": (_weather, "measurements"),
    "codebook": (_codebook, "explains the columns"),
}


@pytest.mark.parametrize("id", REFUSED)
def test_a_file_without_counts_is_refused_in_one_sentence(tmp_path: Path, id: str) -> None:
    made, shown = REFUSED[id]
    reading = read_text(tmp_path, made())
    (fault,) = reading.report.faults
    assert not fault.choices
    assert shown in fault.what
    assert reading.table is None


@pytest.mark.parametrize(
    "text",
    [
        "sex,unit,geo,2022\n" + "".join(f"T,NR,X{k},{90 + k}\n" for k in range(8)),
        "town,average_price,people\na,20.5,4\nb,21.5,6\nc,22.5,5\n",
        "town,date,cases,rate\na,2022-01-01,5,1.5\na,2022-01-02,6,2.5\nb,2022-01-01,7,3.5\n",
        "name,description,people\nA town,on a hill,400\nB town,by the sea,300\n",
        "area,share of total,n\na,0.5,7\nb,0.25,9\nc,0.25,8\n",
        "name,district,description\nAda,N,tall\nBob,N,small\nCy,S,old\nDee,S,new\n",
        "town,date,confirmed,r1,r2\na,2022-01-01,5,1.5,2.5\na,2022-01-02,6,2.5,3.5\n",
    ],
)
def test_counts_beside_measures_are_not_refused(tmp_path: Path, text: str) -> None:
    reading = read_text(tmp_path, text)
    assert reading.table is not None or any(fault.choices for fault in reading.report.faults)


def test_a_person_may_state_the_counts_all_the_same(tmp_path: Path) -> None:
    reading = read_text(
        tmp_path, _prices(), levels=("town",), count="average_price", times=1, add_up=True,
        keep=("month=2023-01",),
    )  # fmt: skip
    assert reading.table is not None


def test_a_pointer_to_a_file_is_refused(tmp_path: Path) -> None:
    text = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 81234\n"
    (fault,) = read_text(tmp_path, text, "people.parquet").report.faults
    assert "Git LFS" in fault.what


def test_a_workbook_that_was_cut_off_is_to_be_downloaded_again(tmp_path: Path) -> None:
    path = tmp_path / "people.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "x" * 4000)
    path.write_bytes(path.read_bytes()[:2000])
    (fault,) = read_here([path]).report.faults
    assert "is incomplete" in fault.what
    assert "again" in fault.remedy
    assert "Zip" not in fault.remedy


def test_numbers_of_households_are_no_counts() -> None:
    rng = np.random.default_rng(8)
    homes = [n for region in (90, 70, 40) for k in range(1, region) for n in [k] * (1 + k % 3)]
    assert numbers_of_groups(column("n_home", *rng.permutation(homes))) < 0
    few = rng.geometric(0.4, 400).clip(1, 24)
    assert numbers_of_groups(column("n", *few, *range(1, 25))) == 0
    assert numbers_of_groups(column("n", *range(1, 60))) == 0


@pytest.mark.parametrize(
    ("name", "against"), [("PERWT", True), ("hv005", True), ("population", False), ("n", False)]
)
def test_a_weight_is_no_count(name: str, against: bool) -> None:
    assert (weights(column(name, 5, 6, 7)) < 0) == against


def test_persons_with_numbers_of_households_are_asked_about(tmp_path: Path) -> None:
    homes = [(town, k) for town, n in (("P", 30), ("Q", 25), ("R", 22)) for k in range(1, n)]
    persons = [home for place, home in enumerate(homes) for _ in range(1 + place % 4)]
    rows = [f"{5000 + k},{t},{home},{'MF'[k % 2]},{1930 + 7 * k % 90}"
            for k, (t, home) in enumerate(persons)]  # fmt: skip
    text = "id_individuo,concelho,n_alojamento_familia,sexo,ano_nascimento\n" + "\n".join(rows)
    reading = read_text(tmp_path, text)
    choices = [dict(c.stated) for fault in reading.report.faults for c in fault.choices]
    assert {choice["kind"] for choice in choices} == {"counts", "group-sizes"}
    assert not any("count" in choice for choice in choices)
    sizes = next(choice for choice in choices if choice["kind"] == "group-sizes")
    table = read_text(tmp_path, text, **sizes).table
    assert table is not None
    assert int(np.sum(table.values[table.regions.tree.leaves])) == len(homes)


@pytest.mark.parametrize(
    ("names", "larger"),
    [
        (("size 1", "size 2", "size 3", "size 4+", "all"), "size 4+"),
        (("size 1", "size 2", "size 3", "size 4 or more"), "size 4 or more"),
        (("size 1", "size 2", "size 3", "share 4+"), ""),
        (("size 1", "size 2", "size 3", "size 9+"), ""),
    ],
)
def test_the_open_size_goes_on_from_the_others(names: tuple[str, ...], larger: str) -> None:
    assert open_ended(names, names[:3]) == larger


def test_larger_groups_are_part_of_the_offered_sizes(tmp_path: Path) -> None:
    head = ",".join(f"Household size (number of persons) {k}" for k in (*range(1, 4), "4+"))
    rows = "".join(f"Area {k},{10 + k},{20 + 2 * k},{9 + k},{5 + k}\n" for k in range(6))
    reading = read_text(tmp_path, f"region,{head}\n{rows}")
    assert reading.table is not None
    assert reading.layout is not None
    assert reading.layout.top_coded
    assert len(reading.layout.sizes) == 4


@pytest.mark.parametrize(
    ("name", "thing"),
    [
        ("households", "households"), ("HuishoudensTotaal (huishoudens)", "households"),
        ("No_HH", "households"), ("housing_units", "dwellings"), ("deaths_2021", "deaths"),
        ("household_population", ""), ("persons_in_households", ""), ("value", ""), ("n", ""),
    ],
)  # fmt: skip
def test_the_name_of_a_column_says_what_it_counts(name: str, thing: str) -> None:
    assert counted_unit(name)[0] == thing


@pytest.mark.parametrize(
    ("text", "unit", "person"),
    [
        ("area,households\na,40\nb,50\nc,60\n", "households", "household"),
        ("area,people\na,40\nb,50\nc,60\n", "people", "person"),
    ],
)
def test_the_unit_comes_from_the_column(tmp_path: Path, text: str, unit: str, person: str) -> None:
    table = read_text(tmp_path, text).table
    assert table is not None
    assert (table.labels["unit"], table.labels["person"]) == (unit, person)


def test_records_are_called_after_their_numbers(tmp_path: Path) -> None:
    rows = "".join(f"{9000 + k},{'abc'[k % 3]},{'xy'[k % 2]}\n" for k in range(30))
    table = read_text(tmp_path, f"incident_id,district,kind\n{rows}", row="person").table
    assert table is not None
    assert table.labels["unit"] == "incidents"


def test_a_number_for_each_household_makes_each_row_one(tmp_path: Path) -> None:
    rows = [f"{k // 5} {k % 5},{'abc'[k % 3]},{1 + k % 6},{7000 + 13 * k % 900}" for k in range(60)]
    reading = read_text(tmp_path, "hhid,region,hv009,hv005\n" + "\n".join(rows))
    choices = [dict(c.stated) for fault in reading.report.faults for c in fault.choices]
    assert {"kind": "counts", "row": "person"} in choices
    assert {"kind": "group-sizes", "row": "group", "size": "hv009"} in choices
    assert not any(choice.get("count") == "hv005" for choice in choices)


def test_rows_with_a_reference_of_a_pupil_are_persons(tmp_path: Path) -> None:
    rows = [f"P{7000 + 3 * k},{'NS'[k % 2]},{1 + k % 12},{k % 13},{'MF'[k % 2]}" for k in range(80)]
    head = "PupilMatchingRef,Region,MonthOfBirth,NCYear,Gender\n"
    reading = read_text(tmp_path, head + "\n".join(rows))
    assert reading.table is not None
    assert int(reading.table.values[0]) == 80


def _houses(title: str, years: str = "2021,2022,2023") -> str:
    heads = years.split(",")
    rows = [
        ",".join(
            [f"E0{k}", f"Town {k}", *(str(1000 * (100 + 7 * k + j)) for j in range(len(heads)))]
        )
        for k in range(1, 13)
    ]
    return f"{title}\n\narea code,area,{years}\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("years", ["2021,2022,2023", "2023"])
@pytest.mark.parametrize(
    "title",
    ["Median rent by town", "House prices by town (£)", "Prix moyen par ville", "Value per ha (€)"],
)
def test_prices_in_whole_numbers_are_first_said_to_be_no_counts(
    tmp_path: Path, title: str, years: str
) -> None:
    reading = read_text(tmp_path, _houses(title, years))
    assert reading.table is None
    assert reading.question is not None, reading.report.lines()
    assert reading.question.choices[0].stated == {"kind": "none"}


def test_counts_below_a_title_with_a_unit_are_read(tmp_path: Path) -> None:
    text = _houses("Persons and share of persons (%)", "persons")
    reading = read_text(tmp_path, text)
    assert reading.table is not None, reading.report.lines()
    assert reading.table.total == sum(1000 * (100 + 7 * k) for k in range(1, 13))


def test_levels_and_coordinates_of_a_list_of_places_are_not_offered_as_counts(
    tmp_path: Path,
) -> None:
    rows = [
        f"1,{500100 + k},Ward {k},50,North,{15 + k / 7:.3f},{98 + k / 9:.3f}" for k in range(25)
    ]
    text = "AD_LEVEL,WARD_ID,WARD,PR_ID,PROVINCE,LAT,LONG\n" + "\n".join(rows) + "\n"
    reading = read_text(tmp_path, text)
    assert reading.table is None
    assert reading.question is not None, reading.report.lines()
    choices = [choice.stated for choice in reading.question.choices]
    assert choices[0] == {"kind": "none"}
    assert not {"AD_LEVEL", "LAT", "LONG"} & {stated.get("count") for stated in choices}
