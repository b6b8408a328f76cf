"""Answers that add rows up: they say what they add, and never several years or a total."""

from pathlib import Path

import pytest

from tests.support.answers import offered, read_text, total

_AREAS = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel")


def _years_and_sexes() -> str:
    rows = [
        f"{area},{sex},{year},{1000 * k + 10 * year - 20_000 + 3 * (sex == 'women')}"
        for k, area in enumerate(_AREAS) for sex in ("men", "women") for year in (2021, 2022)
    ]  # fmt: skip
    return "area,sex,year,people\n" + "\n".join(rows)


def test_the_year_is_asked_before_the_sexes(tmp_path: Path) -> None:
    text = _years_and_sexes()
    first = read_text(tmp_path, text)
    assert offered(first) == [{"keep": ("year=2022",)}, {"keep": ("year=2021",)}]
    second = read_text(tmp_path, text, keep=("year=2022",))
    assert offered(second)[0] == {"add_up": True}
    both = read_text(tmp_path, text, keep=("year=2022",), add_up=True)
    assert total(both) == sum(2 * (1000 * k + 220) + 3 for k in range(6))


@pytest.mark.parametrize(
    ("column", "values"),
    [("year", (2021, 2022)), ("variable", ("births", "deaths")), ("kind", ("all", "x", "y"))],
)
def test_rows_that_are_no_parts_are_not_added_up(
    tmp_path: Path, column: str, values: tuple[object, ...]
) -> None:
    rows = [f"{area},{value},{90 * k + j}" for k, area in enumerate(_AREAS)
            for j, value in enumerate(values)]  # fmt: skip
    text = f"area,{column},people\n" + "\n".join(rows)
    reading = read_text(tmp_path, text, levels=("area",), add_up=True)
    assert reading.table is None
    assert [fault.id for fault in reading.report.faults] == ["mixed-rows"]
    for choice in offered(reading):
        one = read_text(tmp_path, text, levels=("area",), add_up=True, **choice)
        assert total(one) < 90 * 15 + 20
    whole = read_text(tmp_path, text, levels=("area",), add_up=True, totals="none")
    assert total(whole) == sum(90 * k + j for k in range(6) for j in range(len(values)))


def test_months_of_one_year_and_sexes_are_added_up(tmp_path: Path) -> None:
    rows = [f"{area},2023-Q{q},{sex},{90 * k + q}" for k, area in enumerate(_AREAS)
            for q in (1, 2) for sex in ("m", "f")]  # fmt: skip
    text = "area,quarter,sex,births\n" + "\n".join(rows)
    assert total(read_text(tmp_path, text, levels=("area",), add_up=True)) == 4 * 90 * 15 + 36


def test_a_year_of_each_part_is_no_reason_to_ask(tmp_path: Path) -> None:
    rows = [f"{area},{1950 + 7 * k + j},{90 * k + j}" for k, area in enumerate(_AREAS)
            for j in (0, 1)]  # fmt: skip
    text = "area,year_founded,pupils\n" + "\n".join(rows)
    assert total(read_text(tmp_path, text, levels=("area",), add_up=True)) == 2 * 90 * 15 + 6


def test_levels_of_one_column_are_not_added_up(tmp_path: Path) -> None:
    parts = {f"AA{k}{j}": 1000 * k + 7 * j for k in (1, 2, 3) for j in (1, 2, 3)}
    upper = {f"AA{k}": sum(n for code, n in parts.items() if code[2] == str(k)) for k in (1, 2, 3)}
    rows = [("small", c, n) for c, n in parts.items()]
    rows += [("large", c, n) for c, n in upper.items()] + [("whole", "AA", sum(upper.values()))]
    text = "territorial_level,ref_area,obs_value\n" + "".join(f"{a},{b},{n}\n" for a, b, n in rows)
    reading = read_text(tmp_path, text)
    assert total(reading) == sum(upper.values())
    assert reading.table is not None
    assert reading.table.regions.tree.n_leaves == 9


def test_all_levels_are_not_offered_where_two_count_the_same(tmp_path: Path) -> None:
    small = {"Ada": 4021, "Bee": 5103, "Cay": 2200, "Dow": 3301}
    rows = [("district", name, n) for name, n in small.items()]
    rows += [("region", "North", 4021 + 2200), ("region", "South", 5103 + 3301)]
    text = "area_type,name,people\n" + "".join(f"{a},{b},{n}\n" for a, b, n in rows)
    reading = read_text(tmp_path, text)
    assert {"totals": "none"} not in offered(reading)
    other = text.replace("6221", "9000")
    assert {"totals": "none"} in offered(read_text(tmp_path, other))


def _countries() -> str:
    codes = ("ALB", "AUT", "BEL", "BRA", "CHN", "DEU", "FRA", "IND", "KEN", "NGA")
    rows = [f"{code},{1000 + 17 * k}" for k, code in enumerate(codes)]
    groups = ("WLD,10765", "EUU,5000", "HIC,5100")
    return "Country Code,population\n" + "\n".join([*rows, *groups])


def test_groups_of_countries_are_left_out_by_one_answer(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _countries())
    assert reading.table is None
    (answer,) = offered(reading)
    assert set(answer["leave_out"]) == {f"Country Code={c}" for c in ("WLD", "EUU", "HIC")}
    assert total(read_text(tmp_path, _countries(), **answer)) == 10_765


def test_countries_alone_are_not_asked_about(tmp_path: Path) -> None:
    text = "\n".join(_countries().splitlines()[:11])
    assert total(read_text(tmp_path, text)) == 10_765


def test_a_total_below_the_sum_of_the_others_is_not_left_out_alone(tmp_path: Path) -> None:
    text = "area,people\nTotal,300\na,100\nb,200\nnorth and south,290\n"
    reading = read_text(tmp_path, text)
    assert [fault.id for fault in reading.report.faults] == ["total-row"]
    assert {"totals": "left out"} not in offered(reading)
    less = read_text(tmp_path, "area,people\nTotal,400\na,100\nb,200\n")
    assert {"totals": "left out"} in offered(less)


def test_what_is_left_out_is_not_named_by_other_numbers(tmp_path: Path) -> None:
    rows = [("Nord", 6000, 2400), ("n1", 2000, 700), ("n2", 4000, 1700), ("Sued", 9000, 4100),
            ("s1", 5000, 2000), ("s2", 4000, 2100)]  # fmt: skip
    text = "key,people,women\n" + "".join(f"{k},{a},{b}\n" for k, a, b in rows)
    text = text.replace("key,", "sector,")
    reading = read_text(tmp_path, text, levels=("sector",), count="people", totals="")
    pairs = [pair for choice in offered(reading) for pair in choice.get("leave_out", ())]
    assert not any(pair.startswith("women=") for pair in pairs)


def test_a_hidden_total_is_named_as_in_its_rows(tmp_path: Path) -> None:
    rows = []
    for k in (1, 2, 3):
        parts = [2000 * k + 17 * j for j in (1, 2, 3)]
        rows += [f"0{k},0000,{sum(parts)}", *(f"0{k},000{j},{n}" for j, n in enumerate(parts, 1))]
    text = "canton,place,people\n" + "\n".join(rows)
    reading = read_text(tmp_path, text)
    assert {"leave_out": ("place=0000",)} in offered(reading)
    right = read_text(tmp_path, text, leave_out=("place=0000",))
    assert total(right) == sum(2000 * k + 17 * j for k in (1, 2, 3) for j in (1, 2, 3))


@pytest.mark.parametrize(("more", "found"), [(0, True), (500, False)])
def test_two_kinds_of_rows_that_add_up_to_the_same_are_told(
    tmp_path: Path, more: int, found: bool
) -> None:
    small = {f"s{k}": 3000 + 113 * k**2 for k in range(8)}
    large = {"North": sum(n for c, n in small.items() if int(c[1]) % 2),
             "South": sum(n for c, n in small.items() if not int(c[1]) % 2) + more}  # fmt: skip
    rows = [f"fine,{c},{n}" for c, n in small.items()] + [
        f"coarse,{c},{n}" for c, n in large.items()
    ]
    reading = read_text(tmp_path, "sort,zone,people\n" + "\n".join(rows), levels=("zone",))
    assert ([fault.id for fault in reading.report.faults] == ["equal-kinds"]) == found
    if found:
        (first, *_) = offered(reading)
        assert first == {"keep": ("sort=fine",)}
        right = read_text(
            tmp_path, "sort,zone,people\n" + "\n".join(rows), levels=("zone",), **first
        )
        assert total(right) == sum(small.values())


def test_years_of_small_areas_are_asked_even_if_none_has_a_row_in_each(tmp_path: Path) -> None:
    # Each sorting office serves a street of its own in each year, but all districts repeat.
    rows = [
        f"{year};{'OV'[k % 2]};{area};{10_000 + 97 * k + 31 * j + 7 * year};{60 * k + j + 5}"
        for k, area in enumerate(_AREAS) for j in range(3) for year in (2021, 2022)
    ]  # fmt: skip
    text = "Rok;Okres;Obec;PSC;Osoby\n" + "\n".join(rows)
    levels = ("Okres", "Obec", "PSC")
    for more in ({"within": True}, {"levels": ("Obec",)}, {"levels": ("Okres", "Obec")}):
        stated = {"count": "Osoby", "levels": levels, "add_up": True, **more}
        reading = read_text(tmp_path, text, **stated)
        assert reading.table is None
        assert [fault.id for fault in reading.report.faults] == ["mixed-rows"]
        one_year = read_text(tmp_path, text, **{**stated, **offered(reading)[0]})
        assert total(one_year) == sum(60 * k + j + 5 for k in range(6) for j in range(3))


def test_areas_with_a_code_for_each_year_are_not_counted_twice(tmp_path: Path) -> None:
    rows = [f"{7_301 + 83 * (6 * j + k)};{area};{2019 + j};{400 + 60 * k + j}"
            for j in range(3) for k, area in enumerate(_AREAS)]  # fmt: skip
    text = "record_code;parish;year;people\n" + "\n".join(rows)
    reading = read_text(tmp_path, text, count="people", levels=("record_code",))
    assert reading.table is None
    assert offered(reading)[0] == {"keep": ("year=2021",)}
