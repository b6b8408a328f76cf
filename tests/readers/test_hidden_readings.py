"""Sizes beside other numbers in headings, bands of sizes, codes of all, and rates with decimals."""

from pathlib import Path

import pytest

from hierdp_core.tables import GroupSizes
from tests.support.answers import offered, read_text, total

_AREAS = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple")


def _table(*names: str) -> str:
    rows = [
        ",".join([area, *(str(700 - 90 * j + 13 * k * (j + 1)) for j in range(len(names)))])
        for k, area in enumerate(_AREAS)
    ]
    return "\n".join([",".join(["area", *names]), *rows])


@pytest.mark.parametrize(
    "manner", ["Households 2024 {}", "{} in 2024", "Census 2021: households of {}", "H17 {}"]
)
def test_numbers_that_all_headings_have_hide_no_size(tmp_path: Path, manner: str) -> None:
    sizes = ("1 person", "2 persons", "3 persons", "4 persons or more")
    reading = read_text(tmp_path, _table(*(manner.format(size) for size in sizes)))
    plain = read_text(tmp_path, _table(*sizes))
    assert isinstance(reading.table, GroupSizes), reading.report.lines()
    assert isinstance(plain.table, GroupSizes)
    assert (reading.table.values == plain.table.values).all()
    assert reading.table.top_coded


@pytest.mark.parametrize("manner", ["Quarter 2024 {}", "Age 2024 {}", "Shoe size {}"])
def test_other_series_of_numbers_are_no_sizes(tmp_path: Path, manner: str) -> None:
    reading = read_text(tmp_path, _table(*(manner.format(k) for k in (1, 2, 3, 4))))
    assert not isinstance(reading.table, GroupSizes), reading.guesses


def test_bands_beside_sizes_are_one_open_class_and_named(tmp_path: Path) -> None:
    names = [f"Household size {size}" for size in ("1", "2", "3-5", "6-9", "10+")]
    reading = read_text(tmp_path, _table(*names))
    assert isinstance(reading.table, GroupSizes), reading.report.lines()
    bare = read_text(tmp_path, _table(*names), kind="group-sizes", sizes=tuple(names), first_size=1)
    for one in (reading, bare):
        assert isinstance(one.table, GroupSizes)
        assert one.table.top_coded
        assert len(one.table.sizes) == 4
        shown = "\n".join(one.report.lines())
        assert '"Household size 10+" were added up and read as groups of 3 or more' in shown
    numbers = [sum(700 - 90 * j + 13 * k * (j + 1) for k in range(8)) for j in range(5)]
    assert reading.table.values[0].tolist() == [0, *numbers[:2], sum(numbers[2:])]


def test_larger_groups_that_an_answer_leaves_out_are_named(tmp_path: Path) -> None:
    names = [*(f"Daqs {size}" for size in (1, 2, 3)), "Daqs 4-6 daq", "Daqs 9-12 daq"]
    reading = read_text(tmp_path, _table(*names))
    shown = "\n".join(reading.report.lines())
    by_size = [choice for choice in offered(reading) if "sizes" in choice]
    assert not by_size or '"Daqs 4-6 daq", "Daqs 9-12 daq" are left out' in shown


def _branches(code: str, *, listed: int) -> tuple[str, int]:
    rows, whole = [], 0
    for k, area in enumerate(_AREAS):
        parts = [60 + 17 * k + 5 * j * k for j in range(4)]
        rows.append(f"{area},{code},{sum(parts)}")
        rows += [f"{area},{10 + j},{n}" for j, n in enumerate(parts[:listed])]
        whole += sum(parts)
    return "county,sector,firms\n" + "\n".join(rows), whole


@pytest.mark.parametrize("code", ["------", "00", "000"])
@pytest.mark.parametrize("listed", [2, 4])
def test_a_code_of_all_is_never_added_to_its_parts(tmp_path: Path, code: str, listed: int) -> None:
    text, whole = _branches(code, listed=listed)
    asked = read_text(tmp_path, text, levels=("county",))
    if asked.table is None:
        assert offered(asked)[0] == {"keep": (f"sector={code}",)}
        assert not any("add_up" in choice for choice in offered(asked))
    else:
        assert total(asked) == whole
    assert read_text(tmp_path, text, levels=("county",), add_up=True).table is None
    crossed = read_text(tmp_path, text, levels=("sector", "county"), within=True)
    assert crossed.table is None
    kept = read_text(tmp_path, text, levels=("county",), keep=(f"sector={code}",))
    assert total(kept) == whole


def test_a_category_that_is_only_the_largest_is_added_up(tmp_path: Path) -> None:
    rows = [f"{area},{kind},{n + k}" for k, area in enumerate(_AREAS)
            for kind, n in (("0", 90), ("1", 70), ("2", 60))]  # fmt: skip
    text = "county,sector,firms\n" + "\n".join(rows)
    assert total(read_text(tmp_path, text, levels=("county",), add_up=True)) == sum(
        int(row.rsplit(",")[-1]) for row in rows
    )


def _localities(*, twice: bool) -> tuple[str, int]:
    rows, whole = [], 0
    for state in ("01", "02"):
        inner: list[str] = []
        for town in ("001", "002", "003"):
            parts = [400 + 31 * k + 7 * int(state) * int(town) for k in range(4)]
            small = [f"{state},{town},9998,Homes alone,{4 + int(town)}"] if twice else []
            inner.append(f"{state},{town},0000,Town total,{sum(parts)}")
            inner += [f"{state},{town},000{k + 1},Place {k},{n}" for k, n in enumerate(parts)]
            inner += small
            whole += sum(parts)
        own = sum(int(r.rsplit(",", 1)[1]) for r in inner if ",0000," in r)
        rows += [f"{state},000,0000,State total,{own}", *inner]
    return "STATE,MUN,LOC,NOM_LOC,POP\n" + "\n".join(rows), whole


def test_totals_that_are_left_out_leave_no_other_row_that_counts_twice(tmp_path: Path) -> None:
    text, whole = _localities(twice=True)
    for stated in ({}, {"totals": "left out"}):
        levels = {"levels": ("STATE", "MUN", "NOM_LOC"), "within": True}
        reading = read_text(tmp_path, text, **levels, **stated)
        for _ in range(3):
            if reading.table is not None:
                break
            answer = next(c for c in offered(reading) if "leave_out" in c)
            stated = {**levels, **stated, **answer}
            reading = read_text(tmp_path, text, **stated)
        assert total(reading) == whole, (stated, reading.report.lines())


def _rates(measure: str) -> str:
    rows = [f"{area},{measure},{year},{70 + k + 0.3 * (year % 2):.1f}"
            for k, area in enumerate(_AREAS) for year in (2021, 2022)]  # fmt: skip
    return "area,Measure,TIME_PERIOD,OBS_VALUE\n" + "\n".join(rows)


def test_decimals_beside_a_word_for_rates_are_asked_about_first(tmp_path: Path) -> None:
    asked = offered(read_text(tmp_path, _rates("Life expectancy")))
    assert asked == [{"kind": "none"}, {"count": "OBS_VALUE", "times": 1}]
    other = offered(read_text(tmp_path, _rates("Population")))
    assert {"kind": "none"} not in other


def test_medians_in_money_are_first_offered_as_no_counts(tmp_path: Path) -> None:
    rows = [f'2022,{area},"${61 + k},{100 + k}"' for k, area in enumerate(_AREAS)]
    asked = offered(
        read_text(tmp_path, "Year,Name,Median Household Income in Dollars\n" + "\n".join(rows))
    )
    assert asked[0] == {"kind": "none"}
    assert {"count": "Year"} not in asked


def test_one_of_several_numbered_columns_is_never_the_count_by_itself(tmp_path: Path) -> None:
    names = ("Antal 2024 1 person xy", "Antal 2024 2 zz", "Antal 2024 3 zz")
    reading = read_text(tmp_path, _table(*names))
    assert reading.table is None, reading.guesses
    assert {"count": names[0]} in offered(reading)
