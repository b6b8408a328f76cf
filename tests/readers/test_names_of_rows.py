"""Rows whose names say that they are no areas of their own, and numbers that are none."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.answers import offered, read_text, total

from hierdp_core.readers.columns.facts import called_total
from hierdp_core.readers.columns.vocabulary import TOTAL_WORDS
from hierdp_core.tables import GroupSizes

_TOWNS = ("Arno", "Ebon", "Jaluit", "Likiep", "Majuro", "Mili", "Wotje", "Utrik")


def _counts(towns: tuple[str, ...] = _TOWNS) -> dict[str, int]:
    rng = np.random.default_rng(24)
    return {
        town: int(n) for town, n in zip(towns, rng.integers(900, 9000, len(towns)), strict=True)
    }


def _text(rows: dict[str, int], head: str = "atoll,people") -> str:
    return "\n".join([head, *(f"{name},{n}" for name, n in rows.items())])


@pytest.mark.parametrize(
    "names",
    [
        ["Average per atoll", "Census 2011"], ["Durchschnitt", "Maximum", "Minimum"],
        ["Moyenne", "RGPH 2003"], ["District average"], ["Previous year", "Change"],
        ["dagegen Vorjahr"],
        ["2021", "2020"], ["2019"],
        ["incl. Ebon centre"], ["Arno incl. Mili"], ["Greater Majuro", "Metropolitan area of Mili"],
    ],
)  # fmt: skip
def test_rows_that_are_no_areas_are_left_out_or_kept(tmp_path: Path, names: list[str]) -> None:
    rows = _counts()
    text = _text(rows | {name: 5000 + 13 * k for k, name in enumerate(names)})
    reading = read_text(tmp_path, text)
    assert [fault.id for fault in reading.report.faults] == ["mixed-rows"]
    without, kept = offered(reading)
    assert total(read_text(tmp_path, text, **without)) == sum(rows.values())
    assert total(read_text(tmp_path, text, **kept)) > sum(rows.values())


@pytest.mark.parametrize("names", [["2021", "2019"], ["1990", "District 2"], ["1899"]])
def test_numbers_among_names_that_are_no_years_in_a_row_are_areas(
    tmp_path: Path, names: list[str]
) -> None:
    rows = _counts() | {name: 4000 + 17 * k for k, name in enumerate(names)}
    assert total(read_text(tmp_path, _text(rows))) == sum(rows.values())


@pytest.mark.parametrize("gap", [[], [["", "", "", ""]]])
@pytest.mark.parametrize("number", ["3.1.1", "12.4.10", "3.1.1.2"])
def test_a_table_number_and_titles_in_two_languages_are_no_header(
    tmp_path: Path, number: str, gap: list[list[str]]
) -> None:
    rows = _counts()
    title = "Population by sex and atoll of the republic at the end of the year"
    above = [
        ["Table", number, title, ""], ["Tabla", "", f"{title} (in the other language)", ""], *gap,
        ["Atoll", "Population", "", ""], ["", "Men", "Women", "Total"],
    ]  # fmt: skip
    below = [[name, str(n // 2), str(n - n // 2), str(n)] for name, n in rows.items()]
    text = "\n".join(",".join(cells) for cells in above + below)
    reading = read_text(tmp_path, text, count="Population Total")
    assert total(reading) == sum(rows.values())


@pytest.mark.parametrize("name", ["Media", "Meanwood", "Changeville", "Maxton", "Inclon", "Finale"])
def test_places_that_begin_like_such_words_are_areas(tmp_path: Path, name: str) -> None:
    rows = _counts() | {name: 4711}
    assert total(read_text(tmp_path, _text(rows))) == sum(rows.values())


def test_every_word_for_a_total_is_recognised_in_a_cell() -> None:
    for word in sorted(TOTAL_WORDS):
        cells = pa.array([word.replace("_", " "), word.upper(), word.title()])
        assert called_total(cells).all(), word


@pytest.mark.parametrize("whole", ["KOKO MAA", "Hela landet", "전국", "ทั่วประเทศ", "Cả nước"])
def test_the_whole_country_is_no_area_beside_some_of_its_parts(tmp_path: Path, whole: str) -> None:
    rows = _counts()
    sum_of_all = 3 * sum(rows.values()) + 11  # other areas are not in the table
    for text in (_text({whole: sum_of_all} | rows), _text(rows | {whole: sum_of_all})):
        reading = read_text(tmp_path, text)
        assert reading.table is None
        assert sum(rows.values()) in [
            total(read_text(tmp_path, text, **answer)) for answer in offered(reading)
        ]


@pytest.mark.parametrize("code", ["-", "A4"])
def test_the_code_of_a_total_is_offered_whole_where_it_begins_like_the_area_above(
    tmp_path: Path, code: str
) -> None:
    above = code[0]
    counts = [1412, 977, 2360, 1805, 1133, 1999]
    rows = [(above, f"A{k}0", n) for k, n in enumerate(counts)] + [(above, code, sum(counts))]
    text = "group,area,people\n" + "\n".join(",".join(map(str, row)) for row in rows)
    stated = {"levels": ("group", "area"), "within": True, "count": "people"}
    (left_out, *_) = offered(read_text(tmp_path, text, **stated))
    assert left_out == {"leave_out": (f"area={code}",)}
    assert total(read_text(tmp_path, text, **stated, **left_out)) == sum(counts)


def test_an_area_called_like_a_total_of_its_level_has_areas_of_its_own(tmp_path: Path) -> None:
    rows = [
        ("Karnali", district, unit, ward, 300 + 31 * ward + len(unit))
        for district, units in {
            "Dolpa": ["Dolpa Municipality", "Shey Rural Municipality"],
            "Jumla": ["Jumla Municipality", "Jumla Rural Municipality"],
            "Mugu": ["Mugu Municipality", "Soru Rural Municipality"],
        }.items()
        for unit in units for ward in range(1, 6)
    ]  # fmt: skip
    rows += [("Koshi", "Jhapa", "Damak Municipality", ward, 900) for ward in (1, 2)]
    text = "Province,District,Local_Level,Ward,Households\n" + "\n".join(
        ",".join(map(str, row)) for row in rows
    )
    stated = {"levels": ("Province", "District", "Local_Level", "Ward"), "within": True}
    reading = read_text(tmp_path, text, **stated)
    assert total(reading) == sum(row[4] for row in rows)
    assert reading.table is not None
    assert reading.table.regions.tree.level_sizes.tolist() == [1, 2, 4, 7, 32]


def test_corrected_rows_stand_for_those_beside_them(tmp_path: Path) -> None:
    rows = _counts()
    corrected = {"Ebon (corrected)": 812, "Mili, berichtigt": 377}
    text = "\n".join(["atoll,people", *(f'"{name}",{n}' for name, n in (rows | corrected).items())])
    marked, plain, kept = offered(read_text(tmp_path, text))
    assert total(read_text(tmp_path, text, **plain)) == sum(rows.values())
    before = rows["Ebon"] + rows["Mili"]
    assert total(read_text(tmp_path, text, **marked)) == sum(rows.values()) - before + 812 + 377
    assert total(read_text(tmp_path, text, **kept)) == sum(rows.values()) + 812 + 377


def test_rows_of_sizes_may_be_averages(tmp_path: Path) -> None:
    rng = np.random.default_rng(24)
    lines = ["commune,1 person,2 persons,3 or more persons"]
    lines += [f"{t},{','.join(map(str, rng.integers(40, 900, 3)))}" for t in (*_TOWNS, "Moyenne")]
    without, _ = offered(read_text(tmp_path, "\n".join(lines)))
    assert without == {"leave_out": ("commune=Moyenne",)}


def test_nines_are_a_code_of_missing_numbers(tmp_path: Path) -> None:
    rows = _counts() | {"Utrik": 999_999}
    without, kept = offered(read_text(tmp_path, _text(rows)))
    assert total(read_text(tmp_path, _text(rows), **without)) == sum(rows.values()) - 999_999
    assert total(read_text(tmp_path, _text(rows), **kept)) == sum(rows.values())
    large = _counts() | {"Utrik": 9_999}
    assert total(read_text(tmp_path, _text(large))) == sum(large.values())


def test_a_size_of_nines_is_no_size(tmp_path: Path) -> None:
    rows = [f"{k},{_TOWNS[k % 8]},{1 + k % 6 if k % 40 else 99}" for k in range(1, 121)]
    text = "\n".join(["hhid,district,members", *rows])
    stated = {"kind": "group-sizes", "row": "group", "size": "members", "levels": ["district"]}
    (without, _) = offered(read_text(tmp_path, text, **stated))
    table = read_text(tmp_path, text, **stated, **without).table
    assert isinstance(table, GroupSizes)
    assert int(table.values[0].sum()) == 117


def test_a_name_goes_on_on_the_next_page(tmp_path: Path) -> None:
    text = (
        "region,district,people\nNorth,A,510\n,B,673\nSouth,C,502\n,D,348\nSouth (cont.),E,748\n"
        ",F,852\n"
    )
    reading = read_text(tmp_path, text)
    assert reading.table is not None
    assert reading.table.regions.tree.level_sizes.tolist() == [1, 2, 6]


def test_areas_that_are_spelt_alike_are_named(tmp_path: Path) -> None:
    rows = [f"{r},{d},{300 + 41 * k}" for k, (r, d) in enumerate(
        [("Afar", "A"), ("AFAR", "B"), ("Somali", "C"), ("Somali", "D"), ("Harari", "E")]
    )]  # fmt: skip
    text = "\n".join(["region,district,people", *rows])
    reading = read_text(tmp_path, text, levels=["region", "district"], count="people")
    cautions = [f.what for f in reading.report.findings if f.id == "caution"]
    assert any('"AFAR" and "Afar"' in what or '"Afar" and "AFAR"' in what for what in cautions)


@pytest.mark.parametrize(
    "stem", ["Einwohner in {}-Personen-Haushalten", "Persons in {}-person households"]
)
def test_members_by_size_are_asked_about_by_their_names(tmp_path: Path, stem: str) -> None:
    rng = np.random.default_rng(24)
    lines = [",".join(["town", *(stem.format(size) for size in (1, 2, 3, 4))])]
    lines += [f"{t},{','.join(map(str, rng.integers(41, 997, 4)))}" for t in _TOWNS]
    members, groups = offered(read_text(tmp_path, "\n".join(lines)))
    assert members["kind"] == "counts"
    assert groups["kind"] == "group-sizes"


def test_columns_of_one_sum_hold_counts_even_of_one_length(tmp_path: Path) -> None:
    rng = np.random.default_rng(24)
    lines = ["commune,Suisses,Étrangers,Ensemble"]
    for town in _TOWNS:
        swiss, others = int(rng.integers(2000, 8000)), int(rng.integers(10, 900))
        lines.append(f"{town},{swiss},{others},{swiss + others}")
    reading = read_text(tmp_path, "\n".join(lines))
    assert reading.layout is not None
    assert reading.layout.count == "Ensemble"


def test_equal_rows_are_not_offered_to_be_added_up(tmp_path: Path) -> None:
    rows = [f"North,{town},{n}" for town, n in _counts().items()]
    text = "\n".join(["region,atoll,people", *(row for row in rows for _ in range(2))])
    reading = read_text(tmp_path, text)
    (fault,) = reading.report.faults
    assert (fault.id, fault.choices) == ("duplicate", ())
    assert "the same number" in fault.remedy


def test_areas_of_one_name_and_number_are_not_offered_to_be_added_up(tmp_path: Path) -> None:
    rows = [*_counts().items(), ("Ratak", 31_415), ("Ratak", 31_415), ("Ralik", 9_265)]
    rows += [("Ralik", 9_265), ("Ebon", 358)]  # another one of this name
    reading = read_text(tmp_path, "\n".join(["area,people", *(f"{a},{n}" for a, n in rows)]))
    (fault,) = reading.report.faults
    assert (fault.id, fault.choices) == ("duplicate", ())


def test_a_name_in_the_middle_of_its_block_is_not_filled_down(tmp_path: Path) -> None:
    cells = ["", "Ratak", "", "", "", "", "Ralik", ""]
    rows = [f"{cell},{town},{n}" for cell, (town, n) in zip(cells, _counts().items(), strict=True)]
    answers = offered(read_text(tmp_path, "\n".join(["chain,atoll,people", *rows])))
    assert answers == [{"levels": ("atoll",)}]


@pytest.mark.parametrize(
    "name", ["places", "schools", "villages", "wards", "capacity", "awards", "preschool", "gminy"]
)
def test_numbers_of_places_are_no_areas(tmp_path: Path, name: str) -> None:
    rows = [
        f"{'North' if k < 4 else 'South'},{town},{411 - 37 * k},{n}"
        for k, (town, n) in enumerate(_counts().items())
    ]
    reading = read_text(tmp_path, "\n".join([f"region,town,{name},pupils", *rows]), count="pupils")
    assert reading.layout is not None
    assert reading.layout.levels == ("region", "town")


def test_rounds_are_neither_added_up_nor_levels(tmp_path: Path) -> None:
    rows = [f"{t},Round {r},{n}" for r in (31, 32, 33) for t, n in _counts().items()]
    answers = offered(read_text(tmp_path, "\n".join(["atoll,round,idps", *rows])))
    assert answers == [{"keep": (f"round=Round {r}",)} for r in (33, 32, 31)]


@pytest.mark.parametrize(("year", "word"), [("tahun", ""), ("xyz", ""), ("Perioade", "Anul ")])
def test_running_numbers_hide_no_years(tmp_path: Path, year: str, word: str) -> None:
    rows = [f"32{k:02d},{town},{n},{word}{y}" for y in range(2019, 2023)
            for k, (town, n) in enumerate(_counts().items())]  # fmt: skip
    lines = [f"id,kode,nama_kabupaten,jumlah,{year}"]
    lines += [f"{k},{row}" for k, row in enumerate(rows, start=1)]
    answers = offered(read_text(tmp_path, "\n".join(lines)))
    assert answers == [{"keep": (f"{year}={word}{y}",)} for y in range(2022, 2018, -1)]


def test_no_in_brackets_is_the_unit_of_a_column(tmp_path: Path) -> None:
    rows = _counts()
    text = _text(rows, head="SA3 name,ERP at 30 June 2022 (no.)")
    assert total(read_text(tmp_path, text)) == sum(rows.values())
