"""Files of several levels, years and lists beside them: each question has an answer that works."""

from pathlib import Path

import pyarrow as pa
import pytest

from hierdp_core.readers.build.lookups import describes_columns
from hierdp_core.readers.columns.count_rules import rank_counts
from hierdp_core.readers.columns.ends import is_place_of_work
from hierdp_core.readers.columns.facts import SheetFacts, called_total
from hierdp_core.readers.columns.partitions import numbered_in, parts_of_years
from hierdp_core.readers.formats.second_header import with_second_header
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.report import Notebook
from hierdp_core.readers.result import Reading

_AREAS = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel")


def read_text(folder: Path, text: str, *beside: str, **stated: object) -> Reading:
    paths = [folder / f"t{k}.csv" for k in range(1 + len(beside))]
    for path, content in zip(paths, (text, *beside), strict=True):
        path.write_text(content)
    return read_here(paths, stated=stated)


def sheet(text: str) -> Sheet:
    names, *rows = [line.split(",") for line in text.strip().splitlines()]
    columns = tuple(pa.array(cells, pa.string()) for cells in zip(*rows, strict=True))
    return Sheet(file="t.csv", names=tuple(names), columns=columns)


def offered(reading: Reading) -> list[dict[str, object]]:
    return [dict(c.stated) for fault in reading.report.faults for c in fault.choices]


def total(reading: Reading) -> int:
    assert reading.table is not None, reading.report.lines()
    return int(reading.table.domain.tree.n_leaves and _sum(reading))


def _sum(reading: Reading) -> int:
    table = reading.table
    assert table is not None
    return int(table.values.sum() if table.kind == "flows" else table.values[0])


# ---------------------------------------------------------------------------- parents, levels, rows


def _projection() -> str:
    head = "Index,Name,Location code,Parent code,Year,Population\n"
    regions = (
        ("WORLD", 900, 0, 60),
        ("AFRICA", 903, 1840, 30),
        ("Kenya", 404, 903, 10),
        ("Mali", 466, 903, 20),
        ("EUROPE", 908, 1840, 30),
        ("Malta", 470, 908, 30),
    )
    rows = ["9,Geographic regions,1840,900,...,..."]
    rows += [
        f"{k},{name},{code},{above},{year},{100 * n + year - 2000}"
        for k, (name, code, above, n) in enumerate(regions)
        for year in (2020, 2021)
    ]
    return head + "\n".join(rows)


def test_headings_between_a_region_and_its_parent_are_led_over(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _projection(), keep=("Year=2021",), totals="left out")
    assert total(reading) == 100 * 60 + 3 * 21
    assert reading.table is not None
    regions = reading.table.regions
    assert regions.tree.level_sizes.tolist() == [1, 2, 3]
    assert regions.ids[0] == "900"


def test_a_missing_root_of_one_region_is_not_added(tmp_path: Path) -> None:
    text = "code,parent,people\nA,X,60\nB,A,20\nC,A,40\n"
    reading = read_text(tmp_path, text)
    assert reading.table is not None
    assert reading.table.regions.ids[0] == "A"


def _localities(*, twice: bool = True) -> str:
    rows, whole = [], 0
    for mun in range(1, 5):
        towns = [1000 * mun + 100 * loc for loc in range(1, 5)]
        whole += sum(towns)
        rows.append(f"00{mun},Mun {mun},0000,Total del Municipio,{sum(towns)}")
        rows += [f"00{mun},Mun {mun},000{k},Loc {k},{n}" for k, n in enumerate(towns, start=1)]
        rows += [f"00{mun},Mun {mun},9998,Localidades de una vivienda,{7 + mun}"] * twice
    first = f"000,Total de la entidad Xola,0000,Total de la entidad,{whole}"
    return "\n".join(["MUN,NOM_MUN,LOC,NOM_LOC,POBTOT", first, *rows])


def test_rows_without_which_totals_agree_are_offered(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _localities())
    assert reading.table is None
    [answer] = [one for one in offered(reading) if one.get("leave_out") == ("LOC=9998",)]
    assert answer["levels"] == ("MUN", "LOC")
    for stated in (answer, {"leave_out": ("LOC=9998",)}):
        right = read_text(tmp_path, _localities(), **stated)
        assert total(right) == sum(1000 * m + 100 * k for m in range(1, 5) for k in range(1, 5))
        assert right.table is not None
        assert right.table.regions.tree.n_leaves == 16


def test_names_that_repeat_spell_out_pairs_of_codes(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _localities(twice=False))
    assert reading.table is not None
    assert reading.layout is not None
    assert reading.layout.levels[-2:] == ("MUN", "LOC")
    assert reading.layout.names[-1] == "NOM_LOC"


@pytest.mark.parametrize(
    ("cell", "named"),
    [
        ("Total de la entidad Xola", True),
        ("Total del Municipio", True),
        ("Totalán", False),
        ("North Total Ford", False),
    ],
)
def test_a_cell_may_be_the_total_of_a_named_level(cell: str, named: bool) -> None:
    assert called_total(pa.array([cell])).tolist() == [named]


def test_rows_of_a_total_need_no_total_of_each_kind(tmp_path: Path) -> None:
    rows = [f"X0{k}: {area},{kind},{n}" for k, area in enumerate(_AREAS)
            for kind, n in (("a", 10 + k), ("b", 5), ("Grand Total", 15 + k))]  # fmt: skip
    text = "Geography,Population group,people\n" + "\n".join(rows) + "\nGrand Total,,105\n"
    assert total(read_text(tmp_path, text)) == 6 * 15 + 15


# ------------------------------------------------------------------------------------- years, parts


def test_a_total_of_one_of_several_years_is_asked_about() -> None:
    men = [(311 + 17 * k, 402 + 23 * k**2) for k in range(6)]
    rows = [f"{area},{a + 97 + b},{a},{97 + b},{3 * b + 131},{b},{2 * b + 131}"
            for area, (a, b) in zip(_AREAS, men, strict=True)]  # fmt: skip
    head = "area,people 2021,men 2021,women 2021,people 2022,men 2022,women 2022\n"
    facts = SheetFacts(sheet(head + "\n".join(rows)))
    found = rank_counts(facts, [n for n in facts.sheet.names if n != "area"])
    assert found.best == ""
    assert found.rivals == ("people 2022", "people 2021")


def test_a_column_of_people_that_is_mostly_0_has_rivals() -> None:
    rows = [f"{area},{900 + k},{k * (k > 4)}" for k, area in enumerate(_AREAS)]
    facts = SheetFacts(sheet("area,refugees,stateless persons\n" + "\n".join(rows)))
    assert rank_counts(facts, ["refugees", "stateless persons"]).rivals[0] == "refugees"
    one = SheetFacts(sheet("area,rank,people\n" + "\n".join(rows)))
    assert rank_counts(one, ["rank", "people"]).best == "people"


def test_men_and_women_are_offered_for_each_year() -> None:
    rows = [f"{area},{k},{k + 1},{k + 2},{k + 3}" for k, area in enumerate(_AREAS)]
    facts = SheetFacts(sheet("area,2021 F,2021 M,2022 F,2022 M\n" + "\n".join(rows)))
    pairs = parts_of_years(facts, facts.sheet.names[1:])
    assert pairs == [("2022 M", "2022 F"), ("2021 M", "2021 F")]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["size 1", "size 2", "size 3"], 3),
        (["U7B001", "U7B002", "U7B003"], 0),
        (["q01", "q02", "q03"], 0),
    ],
)
def test_codes_of_a_published_table_are_no_sizes(names: list[str], found: int) -> None:
    assert len(numbered_in(names)) == found


# -------------------------------------------------------------------------------------------- flows


def _moves() -> str:
    places = (("1", "1"), ("1", "3"), ("2", "1"), ("2", "5"))
    rows = []
    for s, c in places:
        own = [(t, d, "County", 5 + len(rows) + k) for k, (t, d) in enumerate(places)]
        rows += [f"{s},{c},{t},{d},{name},{n}" for t, d, name, n in own]
        rows.append(f"{s},{c},96,0,X County Total Migration,{sum(n for *_, n in own)}")
        rows.append(f"{s},{c},58,0,Other flows,3")
    head = "y1_statefips,y1_countyfips,y2_statefips,y2_countyfips,y2_name,n2\n"
    return head + "\n".join(rows)


def test_destinations_that_are_totals_are_asked_about(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _moves(), count="n2", within=True)
    answers = offered(reading)
    assert {"totals": "none"} not in answers
    assert ("y2_statefips=96",) in [a["leave_out"] for a in answers]
    own = next(a for a in answers if len(a["leave_out"]) == 2)
    assert reading.table is None
    rows = [line.split(",") for line in _moves().splitlines()[1:]]
    right = read_text(tmp_path, _moves(), count="n2", within=True, **own)
    assert _sum(right) == sum(int(r[5]) for r in rows if r[2] in "12")


def test_trips_of_several_years_are_added_up_only_where_that_is_said(tmp_path: Path) -> None:
    places = ("A1", "B2", "C3", "D4")
    rows = [f"{a},{b},{y},{20 + k}" for k, a in enumerate(places) for b in places
            for y in (2021, 2022)]  # fmt: skip
    reading = read_text(tmp_path, "origin,destination,year,trips\n" + "\n".join(rows))
    words = [c.words for fault in reading.report.faults for c in fault.choices]
    assert offered(reading)[0] == {"keep": ("year=2022",)}
    assert words[-1] == 'the trips of all of "2022", "2021" are added up'


def test_a_few_trips_abroad_are_not_asked_about(tmp_path: Path) -> None:
    places = ("A1", "B2", "C3", "D4")
    rows = [f"{a},{b},{20 + k}" for k, a in enumerate(places) for b in places]
    text = "origin,destination,trips\n" + "\n".join([*rows, "A1,ZZ,4"])
    assert read_text(tmp_path, text).table is not None
    many = "\n".join([*rows, *(f"{a},ZZ,900" for a in places)])
    asked = read_text(tmp_path, "origin,destination,trips\n" + many)
    assert {"leave_out": ("destination=ZZ",)} in offered(asked)


@pytest.mark.parametrize(("name", "there"), [("PWCOUNTY", True), ("PWSTATE2", True),
                                             ("COUNTYFIP", False), ("power", False)])  # fmt: skip
def test_a_place_of_work_is_not_where_people_are_counted(name: str, there: bool) -> None:
    assert is_place_of_work(name) == there


# ------------------------------------------------------------------------------ headers and lookups


def test_a_first_row_that_repeats_names_is_part_of_the_header() -> None:
    table = sheet("Level,Code,2022 (column 3),2022 (column 4)\nLevel,Code,Total,Men\nUF,12,7,3")
    found = with_second_header(table, Notebook("t.csv"))
    assert found.names == ("Level", "Code", "2022 Total", "2022 Men")
    assert found.n_rows == 1


def test_a_first_row_of_an_index_names_its_columns() -> None:
    table = sheet("column 1,year,2021,2022\nprovince,district,,\nA,a,1,2\nA,b,3,4")
    found = with_second_header(table, Notebook("t.csv"))
    assert found.names == ("province", "district", "2021", "2022")
    assert found.n_rows == 2


@pytest.mark.parametrize(
    "text",
    [
        "area,people\nNorth,5\nSouth,6",
        "column 1,name,2021\nX,North,4\nY,South,5",
        "column 1,name,2021\nX,North,\nY,South,5\nZ,West,k",
        "a,b,n\na,b,5\nc,d,6",
    ],
)
def test_a_first_row_of_data_stays(text: str) -> None:
    table = sheet(text)
    assert with_second_header(table, Notebook("t.csv")) is table


def test_a_list_of_columns_is_not_joined(tmp_path: Path) -> None:
    text = "town,region,people\na,N,5\nb,N,7\nc,S,6\n"
    about = "variable,label\ntown,Name of the town\nregion,Its region\npeople,Residents\n"
    reading = read_text(tmp_path, text, about)
    assert total(reading) == 18
    assert any(finding.id == "dictionary" for finding in reading.report.findings)
    assert not describes_columns(sheet("town,mayor\na,x\nb,y"), sheet("town,people\na,1\nb,2"))


def test_levels_of_a_list_stay_where_sexes_come_with_all_regions(tmp_path: Path) -> None:
    text = "C-MUN-0,C-C11-0,C-GALT-0,people\n"
    text += "".join(f"G{k},C{c},A{a},{10 + k + c + a}\n"
                    for k in range(1, 9) for c in (1, 2) for a in (1, 2, 3))  # fmt: skip
    codes = "code,name,FK\nL1,North,\nL2,South,\n"
    codes += "".join(f"B{k},District {k},L{1 + k // 3}\n" for k in range(1, 5))
    codes += "".join(f"G{k},Town {k},B{(k + 1) // 2}\n" for k in range(1, 9))
    reading = read_text(tmp_path, text, codes)
    assert ("FK 2", "FK", "C-MUN-0") in [answer.get("levels") for answer in offered(reading)]


def test_parents_in_a_list_of_codes_are_led_up(tmp_path: Path) -> None:
    text = "municipality,people\n" + "".join(f"G{k},{10 + k}\n" for k in range(1, 9))
    codes = "code,name,region\nL1,North,\nL2,South,\n"
    codes += "".join(f"B{k},District {k},L{1 + k // 3}\n" for k in range(1, 5))
    codes += "".join(f"G{k},Town {k},B{(k + 1) // 2}\n" for k in range(1, 9))
    reading = read_text(tmp_path, text, codes)
    assert reading.table is not None
    assert {"L1", "L2"} <= {*reading.table.regions.ids}
    assert reading.table.regions.tree.n_levels == 4


def test_codes_before_names_match_centres_and_their_decimal_commas(tmp_path: Path) -> None:
    text = "municipality,people\n" + "".join(f"0100{k} Town {k},{40 + k}\n" for k in range(1, 7))
    centres = "CODIGO;NOMBRE;LONGITUD_ETRS89;LATITUD_ETRS89\n"
    centres += "".join(f"0100{k};Town {k};-2,{k}0;42,{7 - k}5\n" for k in range(1, 7))
    reading = read_text(tmp_path, text, centres)
    assert total(reading) == 261
    assert reading.drawn == "approximate boundaries around the centres"


def test_a_column_of_units_may_say_thousands(tmp_path: Path) -> None:
    rows = "".join(f"{area},THS_PER,{k}.5\n" for k, area in enumerate(_AREAS))
    reading = read_text(tmp_path, f"area,unit,persons\n{rows}")
    assert offered(reading)[0] == {"times": 1000}


def test_rows_that_are_left_out_tell_nothing_about_levels(tmp_path: Path) -> None:
    rows = [("1", "North", f"a{k}", 40 + k) for k in range(4)] + [("SUM 1", "", "", 166)]
    rows += [("2", "South", f"b{k}", 50 + k) for k in range(4)] + [("SUM 2", "", "", 206)]
    head = "state code,state name,district,people\n"
    text = head + "".join(",".join(map(str, row)) + "\n" for row in rows)
    out = ("state code=SUM 1", "state code=SUM 2")
    reading = read_text(tmp_path, text, leave_out=out)
    assert total(reading) == 166 + 206
    assert reading.table is not None
    assert reading.table.regions.tree.n_levels == 3


def test_a_region_that_sums_up_all_others_by_size_is_no_region(tmp_path: Path) -> None:
    sizes = [("1 henkilö", 1), ("2 henkilöä", 2), ("3+ henkilöä", 3)]
    rows = [(f"MK{a}", shown, 10_000 * a + 31 * n) for a in range(1, 6) for shown, n in sizes]
    rows += [("SSS", shown, sum(n for _, s, n in rows if s == shown)) for shown, _ in sizes]
    rows += [(a, "Koko yhteensä", sum(n for b, _, n in rows if b == a))
             for a in dict.fromkeys(r[0] for r in rows)]  # fmt: skip
    text = "alue,asuntokunnan koko,value\n" + "".join(f"{a},{s},{n}\n" for a, s, n in rows)
    reading = read_text(tmp_path, text)
    assert reading.table is None
    assert {"leave_out": ("alue=SSS",)} in offered(reading)
    assert {"totals": "none"} not in offered(reading)
    right = read_text(tmp_path, text, leave_out=("alue=SSS",))
    assert right.table is not None
    assert int(right.table.values[0].sum()) == sum(n for a, _, n in rows[:15])


@pytest.mark.parametrize("total", ["A,Total,90\n", ""])
def test_a_blank_cell_that_makes_a_row_a_total_is_named(tmp_path: Path, total: str) -> None:
    text = f"state,county,people\n{total}A,a,50\nA,,30\nA,b,10\nB,c,30\nB,d,30\n"
    reading = read_text(tmp_path, text)
    lines = "\n".join(reading.report.lines())
    row = 4 if total else 3
    assert f'row {row}, column "county", state "A"' in lines
    assert "a row with a blank cell is read as the total of its area" in lines
    assert "Fill in the blank cell. If the row is a total, " in lines
    assert ({"totals": "left out"} in offered(reading)) == (not total)


def test_parts_that_exceed_their_totals_are_not_read_without_them(tmp_path: Path) -> None:
    text = "state,county,people\nA,,900\nA,a,500\nA,b,400\nA,both,900\nB,,300\nB,c,100\nB,d,200\n"
    reading = read_text(tmp_path, text)
    assert [fault.id for fault in reading.report.faults] == ["total-differs"]
    assert {"totals": "left out"} not in offered(reading)
    rounded = text.replace("both,900", "rest,7")
    assert {"totals": "left out"} in offered(read_text(tmp_path, rounded))


def test_levels_of_records_are_offered_with_those_above(tmp_path: Path) -> None:
    rows = [f"{9000 + k},D{k % 3},{k % 3}{k % 6},W{k * 7 % 5},S{k % 40}" for k in range(400)]
    text = "case_number,district,beat,ward,block\n" + "\n".join(rows)
    reading = read_text(tmp_path, text, row="person")
    assert {"levels": ("district", "beat")} in offered(reading)


def test_finer_places_of_each_end_are_offered(tmp_path: Path) -> None:
    rows = [f"F{k},K{k % 4},R{k % 4}{k % 8},K{k * 3 % 5},Spital {k * 3 % 5}{k % 2},{20 + k % 60}"
            for k in range(300)]  # fmt: skip
    head = "Fall_ID,Wohnkanton,Wohnregion,Spital_Kanton,Spital,Alter\n"
    reading = read_text(tmp_path, head + "\n".join(rows))
    levels = [answer.get("levels") for answer in offered(reading)]
    assert ("Spital_Kanton", "Spital") in levels
    assert ("Wohnkanton", "Wohnregion") in levels


@pytest.mark.parametrize(("wrong", "clear"), [(0, True), (1, False)])
def test_a_total_that_is_parted_twice_is_clear(wrong: int, clear: bool) -> None:
    rows = []
    for k, area in enumerate(_AREAS):
        men, women, own, foreign = 400 + 31 * k, 420 + 29 * k, 90 + 7 * k, 80 + 5 * k
        rows.append(
            f"{area},{men + women + own + foreign},{men + women + wrong},{men},{women},"
            f"{own + foreign},{own},{foreign}"
        )
    head = "area,all people,own people,own men,own women,foreign people,foreign men,foreign women\n"
    facts = SheetFacts(sheet(head + "\n".join(rows)))
    found = rank_counts(facts, [n for n in facts.sheet.names if n != "area"])
    assert (found.best == "all people") == clear


@pytest.mark.parametrize(("power", "clear"), [(1, True), (5, False)])
def test_the_first_column_of_a_published_table_is_its_total(power: int, clear: bool) -> None:
    rows = [f"{a},{900 + 40 * k},{500 + 22 * k},{400 + 18 * k},{90 * (k + 1) ** power}"
            for k, a in enumerate(_AREAS)]  # fmt: skip
    facts = SheetFacts(sheet("area,U7B001,U7B002,U7B003,U7B004\n" + "\n".join(rows)))
    assert (rank_counts(facts, facts.sheet.names[1:]).best == "U7B001") == clear


def test_postal_codes_are_regions_within_those_above(tmp_path: Path) -> None:
    rows = [f"{k},S{s},C{s}{c},{5400 + 3 * c + z},{50 + k}" for k, (s, c, z) in enumerate(
        (s, c, z) for s in (1, 2) for c in (1, 2, 3) for z in (0, 1, 3))]  # fmt: skip
    reading = read_text(tmp_path, '"",state,county,zip,enrollees\n' + "\n".join(rows))
    assert reading.table is not None, reading.report.lines()
    assert reading.table.regions.tree.n_leaves == 18
