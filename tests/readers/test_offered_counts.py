"""Which columns are offered as counts, and with which doubts."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hierdp_core.readers import Reading
from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.columns.mean_stocks import holds_means_of_a_stock
from hierdp_core.readers.reading import read_here

_TOWNS = ("Alvor", "Bispo", "Cima", "Douro", "Evora", "Faro", "Guia", "Horta")


def read(folder: Path, text: str, **stated: Any) -> Reading:
    (folder / "t.csv").write_text(text, encoding="utf-8")
    return read_here([folder / "t.csv"], stated=stated)


def offered(reading: Reading) -> list[Mapping[str, Any]]:
    assert reading.question is not None
    return [choice.stated for choice in reading.question.choices]


def words_of(reading: Reading, **stated: Any) -> str:
    """Return the words of the answer with these settings."""
    assert reading.question is not None
    (words,) = (c.words for c in reading.question.choices if dict(c.stated) == stated)
    return words


def what(reading: Reading, kind: str) -> list[str]:
    return [finding.what for finding in reading.report.findings if finding.id == kind]


def numbers(name: str, *cells: float) -> ColumnFacts:
    return ColumnFacts(name, pa.array([f"{cell:g}" for cell in cells], pa.string()))


# ------------------------------------------------------------------------------ averages of a stock


@pytest.mark.parametrize(
    ("name", "is_stock"),
    [
        ("Mittlere Bevölkerung 2023", True), ("Emploi moyen annuel", True),
        ("Población media", True), ("Average employment", True), ("annual_avg_jobs", True),
        ("Medelfolkmängd", True),
        ("Przeciętne zatrudnienie", True), ("Average number of pupils", True),
        ("Average number of persons per household", False), ("Mean age of the population", False),
        ("Average household size", False), ("average weekly pay of employees", False),
        ("population", False), ("平均人口", True), ("Effectif moyen", True),
        ("Average price", False),
    ],
)  # fmt: skip
def test_averages_of_people_are_told_from_other_means(name: str, is_stock: bool) -> None:
    assert holds_means_of_a_stock(numbers(name, 1_204, 310, 52, 7_725)) == is_stock


def test_small_or_nearly_equal_means_are_of_groups() -> None:
    assert not holds_means_of_a_stock(numbers("Average number of persons", 2.4, 1.9, 3.1))
    assert not holds_means_of_a_stock(numbers("Average number of persons", 61, 58, 70))


_OWNERS = ("00", "10", "20", "30")


def _employment(spoil: int = 0) -> str:
    """Return averages and pay by owner, of which 00 is the total, with the upper areas."""
    rng = np.random.default_rng(7)
    lines = ["code,owner,avg_annual_employment,total_pay"]
    for upper in ("31", "47"):
        parts = rng.integers(40, 9_000, size=(3, 6))
        for area, own in [("000", parts.sum(axis=1)), *((f"{k + 1:03}", parts[:, k])
                                                       for k in range(6))]:  # fmt: skip
            values = [int(own.sum()), *own.tolist()]
            lines += [
                f"{upper}{area},{owner},{value},{int(rng.integers(10**6, 10**8))}"
                for owner, value in zip(_OWNERS, values, strict=True)
            ]
    return "\n".join(lines) + "\n"


def test_an_average_of_employment_is_offered_and_money_is_not_taken_at_once(
    tmp_path: Path,
) -> None:
    reading = read(tmp_path, _employment())
    assert reading.table is None
    words = words_of(reading, count="avg_annual_employment")
    assert "averages over a period" in words


def test_totals_by_another_classification_are_never_added_to_their_parts(tmp_path: Path) -> None:
    text = _employment()
    asked = read(tmp_path, text, levels=("code",), count="total_pay")
    assert all("add_up" not in stated for stated in offered(asked))
    refused = read(tmp_path, text, levels=("code",), count="total_pay", add_up=True)
    assert refused.table is None
    assert "belong to a total and its parts" in what(refused, "mixed-rows")[0]


def test_averages_stay_named_in_the_report(tmp_path: Path) -> None:
    rows = [f"{town},{120 + 977 * k}" for k, town in enumerate(_TOWNS)]
    reading = read(tmp_path, "Town,Mean population\n" + "\n".join(rows), count="Mean population")
    assert reading.table is not None
    assert "averages over a period" in what(reading, "caution")[0]


# ------------------------------------------------------------------ cells of two crossed categories


_BANDS = ("under15", "to29", "to44", "to59", "to74", "above", "unknown", "abroad")


@pytest.mark.parametrize("decimals", [False, True])
def test_the_sum_of_all_cells_is_offered_first_and_each_cell_after_it(
    tmp_path: Path, decimals: bool
) -> None:
    cells = [f"{sex}_{band}" for sex in ("K1", "K2") for band in _BANDS]
    rng = np.random.default_rng(11)
    values = rng.integers(20, 900, size=(len(_TOWNS), len(cells))) + (0.25 if decimals else 0)
    lines = [f"{t},{','.join(map(str, row))}" for t, row in zip(_TOWNS, values, strict=True)]
    text = f"commune,{','.join(cells)}\n" + "\n".join(lines) + "\n"
    choices = offered(read(tmp_path, text))
    assert choices[0]["parts"] == tuple(cells)
    if decimals:
        assert [c["count"] for c in choices if "count" in c] == cells
    reading = read(tmp_path, text, **choices[0])
    assert reading.table is not None
    assert reading.table.total == int(np.floor(values).sum())


# ------------------------------------------------------------------------- codes, means and levels


def _register() -> str:
    """Return areas with codes of upper areas, whose columns have no telling name."""
    rng = np.random.default_rng(3)
    lines = ["ilce,kayit,bolge,z1,z2"]
    for upper in range(4):
        for part in range(6):
            code = f"{31 + upper}{part + 1:03}"
            lines.append(f"Yer {upper}{part},{code},Bolge {upper},{2610 + 97 * upper},"
                         f"{int(rng.integers(3, 4_000))}")  # fmt: skip
    return "\n".join(lines) + "\n"


def test_a_number_that_is_constant_in_each_area_is_offered_with_a_doubt(tmp_path: Path) -> None:
    words = words_of(read(tmp_path, _register()), count="z1")
    assert 'although rows with the same "bolge" have the same number' in words
    reading = read(tmp_path, _register(), count="z1")
    assert any("probably does not hold counts" in output for output in what(reading, "caution"))


def test_a_number_that_differs_in_one_row_is_offered_without_a_doubt(tmp_path: Path) -> None:
    text = _register().replace(",2610,", ",2611,", 1)
    choices = read(tmp_path, text).question
    assert choices is not None
    assert not any("have the same number" in choice.words for choice in choices.choices)


def test_numbers_that_begin_with_another_code_are_doubted(tmp_path: Path) -> None:
    lines = [f"Obec {k},{41 + k // 5},{(41 + k // 5) * 10_000 + 7 * k},{3 + k * k % 97}"
             for k in range(20)]  # fmt: skip
    text = "nimi,ylin,oma,q\n" + "\n".join(lines) + "\n"
    assert "begins with that in column" in what(read(tmp_path, text, count="oma"), "caution")[0]
    other = text.replace(",43", ",53", 1)  # one number no longer begins with that of its row
    output = what(read(tmp_path, other, count="oma"), "caution")
    assert not any("begins with" in sentence for sentence in output)


def test_a_file_whose_numbers_are_all_doubted_is_first_refused(tmp_path: Path) -> None:
    lines = [f"AT\t{6000 + 17 * k}\tOrt {k}\tBezirk {k // 2}\t{701 + k // 2}\t47.{k}"
             for k in range(12)]  # fmt: skip
    reading = read(tmp_path, "\n".join(lines) + "\n")
    assert offered(reading)[0] == {"kind": "none"}


def _levels_in_rows() -> str:
    """Return rows of three levels with people, and a density that does not add up."""
    rng = np.random.default_rng(5)
    parts = rng.integers(900, 9_000, size=(3, 4))
    lines = ["navn,trin,i_alt,taethed"]
    lines.append(f"Rige,Land,{parts.sum()},212")
    for k, group in enumerate(parts):
        lines.append(f"Amt {k},Amt,{group.sum()},{180 + 13 * k}")
        lines += [f"Sogn {k}{j},Sogn,{n},{150 + 37 * j + k}" for j, n in enumerate(group)]
    return "\n".join(lines) + "\n"


def test_a_column_that_does_not_add_up_over_levels_as_others_do_is_doubted(
    tmp_path: Path,
) -> None:
    asked = read(tmp_path, _levels_in_rows().replace("i_alt", "aa").replace("taethed", "bb"))
    assert "do not add up over the levels" in words_of(asked, count="bb")
    assert " although " not in words_of(asked, count="aa")


def test_a_level_that_covers_less_than_another_is_named(tmp_path: Path) -> None:
    text = _levels_in_rows().replace("trin", "area_type")
    whole = read(tmp_path, text, count="i_alt", keep=("area_type=Sogn",))
    assert not what(whole, "smaller-level")
    lines = [line for line in text.splitlines() if not line.startswith("Sogn 12")]
    some = read(tmp_path, "\n".join(lines) + "\n", count="i_alt", keep=("area_type=Sogn",))
    assert "do not cover all that is counted" in what(some, "smaller-level")[0]


# ------------------------------------------------------------------------ sizes in rows and units


def _sizes(unit: str = "") -> str:
    lines = [f"Okrug,Size,Domovi{unit}"]
    for k, town in enumerate(_TOWNS):
        lines += [f"{town},{size} persons,{(7 - size) * 3 + k}.{k}" for size in range(1, 6)]
        lines.append(f"{town},6+ persons,{2 + k}.5")
    return "\n".join(lines) + "\n"


def test_a_row_for_each_area_and_size_is_never_one_group(tmp_path: Path) -> None:
    text = _sizes().replace(".", "")
    answers = offered(read(tmp_path, text))
    assert {"size": "Size", "count": "Domovi"} in answers
    assert not any(stated.get("row") == "group" for stated in answers)
    stated = read(tmp_path, text, size="Size", row="group")
    assert "are not used" in what(stated, "caution")[0]


def test_numbers_in_thousands_are_asked_about_and_stay_named(tmp_path: Path) -> None:
    text = _sizes(" ('000)")
    asked = read(tmp_path, text, size="Size", count="Domovi ('000)")
    assert [dict(stated) for stated in offered(asked)] == [{"times": 1000}, {"times": 1}]
    used = read(tmp_path, text, size="Size", count="Domovi ('000)", times=1)
    assert "units of 1,000" in what(used, "caution")[0]


def test_parts_of_each_row_are_not_added_up_as_one_area(tmp_path: Path) -> None:
    lines = ["Area,People"]
    for k, town in enumerate(_TOWNS):
        town_people, rest = 300 + 41 * k, 120 + 7 * k
        lines += [f"{town},{town_people + rest}", f"In towns,{town_people}", f"Outside,{rest}"]
    text = "\n".join(lines) + "\n"
    for stated in ({}, {"add_up": True}):
        reading = read(tmp_path, text, count="People", levels=("Area",), outline="none", **stated)
        assert reading.table is None
        (finding,) = (f for f in reading.report.findings if f.id == "mixed-rows")
        answer = dict(finding.choices[0].stated)
        right = read(
            tmp_path, text, count="People", levels=("Area",), outline="none", **stated, **answer
        )
        assert right.table is not None
        assert right.table.total == sum(420 + 48 * k for k in range(len(_TOWNS)))


# ---------------------------------------------------------------- printed headers, sizes in words


def test_a_header_in_two_rows_of_unequal_length_below_titles_is_read(tmp_path: Path) -> None:
    rows = []
    for k in range(12):
        district, code = f"Il {k // 4}(Yer {k})", 1_400 + 7 * k
        rows += [f"{district}-{code}|2021||{90 + k}|{40 + k}|50|",
                 f"|2022||{190 + k}|{90 + k}|100|"]  # fmt: skip
    head = ["Sonuclar|||", "Ilce nufusu|||", "|||Toplam|Erkek|Kadin|", "Il-Ilce|Yil||||"]
    text = "\n".join([*head, *rows, "", "Kaynak: kurum|||"]) + "\n"
    asked = read(tmp_path, text)
    assert {"keep": ("Yil=2022",)} in [dict(stated) for stated in offered(asked)]
    split = read(tmp_path, text, keep=("Yil=2022",))
    assert "split" in offered(split)[0]
    right = read(tmp_path, text, keep=("Yil=2022",), **offered(split)[0])
    assert right.table is not None
    assert right.table.total == sum(190 + k for k in range(12))
    assert [len(level) for level in _areas(right)] == [3, 12]


def _areas(reading: Reading) -> list[range]:
    assert reading.table is not None
    tree = reading.table.regions.tree
    starts = tree.level_start.tolist()
    return [range(a, b) for a, b in pairwise(starts[1:])]


def test_the_title_of_a_table_is_not_part_of_the_names_of_columns(tmp_path: Path) -> None:
    title = "Population by sex, sex ratio and population density of the districts, 2023"
    head = [f',"{title}",,,', "District,All,Men,Women,Density", "1,2,3,4,5"]
    rows = [f"{town},{90 + 3 * k},{40 + k},{50 + 2 * k},{k}.5" for k, town in enumerate(_TOWNS)]
    reading = read(tmp_path, "\n".join([*head, *rows]) + "\n")
    assert reading.table is not None
    assert reading.table.total == sum(90 + 3 * k for k in range(len(_TOWNS)))


@pytest.mark.parametrize(
    "labels",
    [
        ("یک نفره", "دو نفره", "سه نفره", "چهار نفره و بیشتر"),
        ("가구원-1인", "가구원-2인", "가구원-3인", "가구원-4인 이상"),
        ("أفراد الأسرة فرد واحد", "أفراد الأسرة 2", "أفراد الأسرة 3", "أفراد الأسرة 4 فأكثر"),
        ("Kućanstva 1", "Kućanstva 2", "Kućanstva 3", "Kućanstva 4 i više 4 and over"),
        ("Νοικοκυριά 1", "Νοικοκυριά 2", "Νοικοκυριά 3", "Νοικοκυριά 4 και άνω"),
    ],
)  # fmt: skip
def test_sizes_in_words_of_other_scripts_are_columns_of_sizes(
    tmp_path: Path, labels: tuple[str, ...]
) -> None:
    rows = [f"{town},{9 + k},{7 + k},{5 + k},{1 + k}" for k, town in enumerate(_TOWNS)]
    reading = read(tmp_path, "\n".join([f"Area,{','.join(labels)}", *rows]) + "\n")
    assert reading.table is not None
    assert reading.table.kind == "group-sizes"
    layout = reading.layout
    assert layout is not None
    assert (layout.sizes, layout.first_size, layout.top_coded) == (labels, 1, True)


def test_files_keep_their_roles_whatever_is_answered(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(
        "Nr,Kanton,Bezirk-nummer,Bezirk,Gemeinde\n"
        + "\n".join(f"{4001 + k},K{k // 8},{400 + k // 4},Bezirk {k // 4},Ort {k}"
                    for k in range(17)),
        encoding="utf-8",
    )  # fmt: skip
    (tmp_path / "t.csv").write_text(
        "GMDE,B1,B2,B3,B4\n"
        + "\n".join(f"{4001 + k},{300 + 91 * k},{150 + 45 * k},{150 + 46 * k},{33 + 7 * k}"
                    for k in range(16)),
        encoding="utf-8",
    )  # fmt: skip
    files = [tmp_path / "t.csv", tmp_path / "list.csv"]
    asked = read_here(files, stated={})
    counted = read_here(files, stated={"count": "B1"})
    assert asked.table is not None or "count" in str(offered(asked))
    assert counted.table is not None
    assert counted.table.total == sum(300 + 91 * k for k in range(16))


def _printed_sizes(total: int = 0) -> str:
    """Return sizes of households with a dash for none, and their totals, one of them changed."""
    lines = ["Kommun,1 person,2 personer,3 personer,4+ personer,Summa"]
    for k, town in enumerate(_TOWNS):
        cells = [9 + k, 7 + k, 0 if k % 2 else 3, 0 if k % 3 else 2]
        shown = [str(cell) if cell else "-" for cell in cells]
        lines.append(f"{town},{','.join(shown)},{sum(cells) + total * (k == 1)}")
    return "\n".join(lines) + "\n"


def test_missing_numbers_are_0_where_the_others_add_up_to_the_total(tmp_path: Path) -> None:
    reading = read(tmp_path, _printed_sizes())
    assert reading.table is not None
    expected = sum(9 + k + 2 * (7 + k) + 3 * (0 if k % 2 else 3) + 4 * (0 if k % 3 else 2)
                   for k in range(len(_TOWNS)))  # fmt: skip
    assert reading.table.total == expected
    assert "were read as 0" in what(reading, "certain-zeros")[0]


def test_missing_numbers_are_asked_about_where_a_total_is_larger(tmp_path: Path) -> None:
    reading = read(tmp_path, _printed_sizes(total=4))
    assert reading.table is None


def test_columns_that_only_the_title_names_are_called_so(tmp_path: Path) -> None:
    lines = ['"Antal hushall efter kommun, ar och storlek",,,', ",,,Hushall"]
    for k, town in enumerate(_TOWNS):
        lines += [f"{town},2021,1 person,{40 + k}"]
        lines += [f",,{size} personer,{30 + k}" for size in range(2, 5)]
    reading = read(tmp_path, "\n".join(lines) + "\n")
    assert reading.layout is not None
    assert (reading.layout.size, reading.layout.count) == ("storlek", "Hushall")


def test_areas_that_are_listed_several_times_hold_no_codes(tmp_path: Path) -> None:
    rng = np.random.default_rng(17)
    lines = ["kind,town,e2021,e2022"]
    for town in _TOWNS:
        one, other = rng.integers(900, 9_000, size=2)
        lines += [f"{kind},{town},{one},{other}" for kind in ("021", "045", "046")]
    question = read(tmp_path, "\n".join(lines) + "\n").question
    assert question is not None
    assert not any("have the same number" in choice.words for choice in question.choices)
