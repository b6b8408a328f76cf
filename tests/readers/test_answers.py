"""What every question says: doubts about columns, areas that are lost, and answers that differ."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hierdp_core.readers import Reading
from hierdp_core.readers.columns.answers import complete, told_apart
from hierdp_core.readers.columns.cautions import cautions
from hierdp_core.readers.columns.count_rules import rank_counts
from hierdp_core.readers.columns.doubts import doubt_about
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.guess import guess
from hierdp_core.readers.columns.partitions import whole_of_sexes
from hierdp_core.readers.columns.question import NO_COUNTS_CHOICE, Choice, Question
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.reading import read_here

_PARISHES = ("Arouca", "Barcelos", "Caminha", "Fafe", "Guarda", "Lousada", "Mafra", "Nelas")


def sheet(names: str, rows: Sequence[Sequence[object]], heading: str = "") -> Sheet:
    columns = tuple(pa.array([str(cell) for cell in column]) for column in zip(*rows, strict=True))
    return Sheet(file="t.csv", names=tuple(names.split(",")), columns=columns, heading=heading)


def facts(names: str, rows: Sequence[Sequence[object]], heading: str = "") -> SheetFacts:
    return SheetFacts(sheet(names, rows, heading))


def words_of(asked: Question | None) -> list[str]:
    assert asked is not None
    return [choice.words for choice in asked.choices]


def read(folder: Path, text: str, stated: Mapping[str, Any]) -> Reading:
    (folder / "t.csv").write_text(text, encoding="utf-8")
    return read_here([folder / "t.csv"], stated=stated)


_NUMBERS = facts(
    "parish,acres farmed,total charges,numero_ext,bedrooms,class,index,household_size,"
    "residents,low,high",
    [
        [
            _PARISHES[k % 8], 900 + 17 * k, 20_500 + 311 * k, 7 + 13 * k, 1 + k % 4, 1 + k % 3,
            f"0.{400 + 7 * k}", 1 + k % 5, 1_200 + 31 * k, f"{20 + k % 7}.5", f"{79 - k % 7}.5",
        ]
        for k in range(60)
    ],
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("acres farmed", "amounts"), ("total charges", "amounts"), ("numero_ext", "house numbers"),
        ("bedrooms", "amounts"), ("class", "codes, categories"), ("index", "rates"),
        ("household_size", "sizes of groups"), ("low", "add up to 100"), ("residents", ""),
    ],
)  # fmt: skip
def test_an_answer_and_the_report_doubt_the_same_columns(name: str, shown: str) -> None:
    doubt = doubt_about(_NUMBERS, name)
    assert shown in doubt
    assert bool(shown) == bool(doubt)
    asked = Question(what="?", choices=(Choice(words="it counts", stated={"count": name}),))
    said_by = words_of(complete(_NUMBERS, asked, {}))
    assert any(words.endswith(doubt or "it counts") for words in said_by)
    assert bool(cautions(_NUMBERS, {"count": name}, {"count": name})) == bool(shown)


def test_kept_rows_of_amounts_are_doubted() -> None:
    table = facts(
        "county,item,value",
        [[p, item, 50 + 9 * k] for k, p in enumerate(_PARISHES)
         for item in ("FARMS - ACRES OPERATED", "FARMS - NUMBER OF OPERATIONS")],
    )  # fmt: skip
    kept = {"keep": ("item=FARMS - ACRES OPERATED",)}
    assert any("amount" in shown for shown in cautions(table, kept, kept))
    other = {"keep": ("item=FARMS - NUMBER OF OPERATIONS",)}
    assert cautions(table, other, other) == ()


def test_rows_that_are_counted_say_what_they_ignore() -> None:
    table = facts("parish,persons", [[p, 40 + k] for k, p in enumerate(_PARISHES)])
    asked = Question(what="?", choices=(Choice(words="rows", stated={"row": "person"}),))
    assert words_of(complete(table, asked, {})) == [
        'rows. The numbers in column "persons" are not used'
    ]


def test_answers_with_the_same_words_are_told_apart() -> None:
    stock = "migrants by origin and destination, both sexes"
    choices = [Choice(words="cut off", stated={"count": f"{stock} {y}"}) for y in (2020, 2015)]
    assert [c.words for c in told_apart(choices)] == ["cut off (… 2020)", "cut off (… 2015)"]


def test_a_code_of_a_year_is_offered_with_the_year() -> None:
    rows = [[p, code, year, 90 + 7 * k] for k, p in enumerate(_PARISHES)
            for code, year in (("1", "2023"), ("0", "2022"))]  # fmt: skip
    asked = guess(sheet("parish,year code,year,persons", rows)).question
    assert all(
        'in column "year")' in shown or "year code" not in shown for shown in words_of(asked)
    )


def test_rows_of_one_kind_say_which_areas_they_lose() -> None:
    rows = [[p, "de facto" if k < 5 else "de jure", 500 + 11 * k] for k, p in enumerate(_PARISHES)]
    keep = Choice(words="only de facto", stated={"keep": ("kind=de facto",)})
    asked = Question(what="?", choices=(keep,))
    table = facts("country,kind,persons", rows)
    shown = words_of(complete(table, asked, {}, {"levels": ("country",), "count": "persons"}))
    assert shown[0] == (
        'only de facto. 3 of 8 areas of column "country" have no such row: "Lousada", "Mafra", '
        '"Nelas"'
    )


def test_no_answer_leaves_nothing() -> None:
    rows = [[p, "abroad", 70 + k] for k, p in enumerate(_PARISHES)] + [["Nelas", "home", 0]]
    nothing = Choice(words="leave out", stated={"leave_out": ("to=abroad",)})
    everything = Choice(words="all", stated={"totals": "none"})
    asked = Question(what="?", choices=(nothing, everything))
    table = facts("from,to,trips", rows)
    assert words_of(complete(table, asked, {}, {"count": "trips"})) == ["all"]


def test_a_table_of_zeros_is_not_usable_without_a_word(tmp_path: Path) -> None:
    text = "parish,men,women\n" + "\n".join(f"{p},..,{30 + k}" for k, p in enumerate(_PARISHES))
    reading = read(tmp_path, text, {"count": "men", "missing": "zero", "levels": "parish"})
    shown = [f.what for f in reading.report.findings if f.id == "caution"]
    assert reading.table is not None
    assert any(what.startswith("all numbers of the table are 0") for what in shown)


@pytest.mark.parametrize(("name", "refused"), [("class", True), ("residents", False)])
def test_files_that_may_hold_no_counts_can_be_refused(name: str, refused: bool) -> None:
    asked = Question(what="?", choices=(Choice(words="it counts", stated={"count": name}),))
    assert (NO_COUNTS_CHOICE in complete(_NUMBERS, asked, {}).choices) == refused
    assert NO_COUNTS_CHOICE not in complete(_NUMBERS, asked, {"kind": "counts"}).choices


def test_a_register_with_house_numbers_may_have_one_record_a_row() -> None:
    rows = [[6_300_041 + k, f"shop {k}", _PARISHES[k % 8], 1 + (37 * k) % 51] for k in range(40)]
    asked = guess(sheet("id,name,parish,numero_ext", rows)).question
    assert asked is not None
    assert any(choice.stated.get("row") == "person" for choice in asked.choices)


_TITLE = "Population by sex: census 2023"
_SEXES = "parish,all sexes,male,female,other,population 2017"


def census(whole: int = 3) -> SheetFacts:
    rows = [[p, 2 * (4_000 + 97 * k) + whole, 4_000 + 97 * k, 4_000 + 97 * k, whole, 7_100 + 83 * k]
            for k, p in enumerate(_PARISHES)]  # fmt: skip
    return facts(_SEXES, rows, _TITLE)


@pytest.mark.parametrize("other", [0, 3])
def test_two_columns_that_may_be_the_population_are_asked_about(other: int) -> None:
    ranking = rank_counts(census(other), _SEXES.split(",")[1:])
    assert ranking.best == ""
    assert ranking.rivals[0] == "all sexes"
    assert "population 2017" in ranking.rivals
    assert whole_of_sexes(census(other), _SEXES.split(",")[1:]) == "all sexes"


def test_a_count_of_an_earlier_year_than_the_title_is_asked_about() -> None:
    rows = [[p, 7_100 + 83 * k, 900 + 7 * k] for k, p in enumerate(_PARISHES)]
    names = "parish,population 2017,built-up"
    assert rank_counts(facts(names, rows, _TITLE), names.split(",")[1:]).best == ""
    title = "Population by sex: census 2017"
    assert rank_counts(facts(names, rows, title), names.split(",")[1:]).best == "population 2017"


def test_estimates_with_decimals_are_offered_before_labels_of_quality() -> None:
    rows = [[f"{33_000 + k}", 1 + k % 3,
             f"{2_000 + 31 * k}.{5371 + k}", f"{900 + 13 * k}.{7571 + k}"]
            for k in range(40)]  # fmt: skip
    asked = guess(sheet("iris,lab,p20_pop,p20_pop_fr", rows)).question
    counted = [c.stated["count"] for c in asked.choices if c.stated.get("count")] if asked else []
    assert counted[0] == "p20_pop"
    assert "p20_pop_fr" in counted


@pytest.mark.parametrize("amount", ["total_wages", "annual_payroll", "avg_weekly_pay", "turnover"])
def test_amounts_paid_are_no_counts_beside_an_average_of_people(
    tmp_path: Path, amount: str
) -> None:
    rows = [f"{k:02d},{3 * k + 40},{91_000 * k + 17}" for k in range(1, 13)]
    text = "\n".join([f"district,avg_employment,{amount}", *rows])
    (tmp_path / "pay.csv").write_text(text, encoding="utf-8")
    reading = read_here([tmp_path / "pay.csv"])
    assert reading.layout is None or reading.layout.count != amount
