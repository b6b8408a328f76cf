"""The rules of a guess, each by itself, and the margin that a choice needs."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.readers.columns.codes import fit_of
from hierdp_core.readers.columns.count_rules import (
    codes,
    named_as_a_count,
    named_by_year_or_table,
    named_otherwise,
    numbers_of_rows,
    numbers_of_things,
    rank_counts,
    sum_of_others,
    the_same_in_all_rows,
    whole_numbers,
    years,
)
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.guess import guess
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.columns.vocabulary import plain_name, size_in, size_stem
from hierdp_core.readers.formats.cells import usual_width
from hierdp_core.readers.formats.header import header_of
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook, Unreadable


def column(name: str, *cells: object) -> ColumnFacts:
    return ColumnFacts(name, pa.array([str(cell) for cell in cells], pa.string()))


def sheet(text: str) -> Sheet:
    names, *rows = [line.split(",") for line in text.strip().splitlines()]
    columns = tuple(pa.array(cells, pa.string()) for cells in zip(*rows, strict=True))
    return Sheet(file="t.csv", names=tuple(names), columns=columns)


@pytest.mark.parametrize(
    ("rule", "for_it", "against_it"),
    [
        (named_as_a_count, column("Einwohner", 5), column("weather", 5)),
        (named_as_a_count, column("pop_2011", 5), column("top_2011", 5)),
        (named_by_year_or_table, column("B01003_001E", 5), column("size", 5)),
        (whole_numbers, column("x", "1.234", "5"), column("x", "1.5", "2.25")),
    ],
)
def test_a_rule_speaks_for_counts(rule, for_it: ColumnFacts, against_it: ColumnFacts) -> None:
    assert rule(for_it) > 0 >= rule(against_it)


@pytest.mark.parametrize(
    ("rule", "against_it", "silent"),
    [
        (named_otherwise, column("area_km2", 5), column("people", 5)),
        (named_otherwise, column("unemployment_rate", 5), column("workers", 5)),
        (named_otherwise, column("zone_code", 5), column("count", 5)),
        (numbers_of_rows, column("column 1", *range(9)), column("column 1", 3, 1, 2)),
        (codes, column("x", "007", "008"), column("x", "7", "8")),
        (
            numbers_of_things,
            column("incident_number", *range(9000, 9030)),
            column("number_of_incidents", *range(9000, 9030)),
        ),
        (the_same_in_all_rows, column("record_count", *([16] * 9)), column("n", *([16] * 3))),
        (codes, column("x", *range(1000, 1010)), column("x", *range(995, 1005))),
        (years, column("year", 2010, 2011), column("people", 1810, 2211)),
    ],
)
def test_a_rule_speaks_against_counts(rule, against_it: ColumnFacts, silent: ColumnFacts) -> None:
    assert rule(against_it) < 0 <= rule(silent)


def test_a_choice_needs_a_margin() -> None:
    one = SheetFacts(sheet("area,people,rank\na,40,7\nb,70,3\nc,20,9"))
    assert rank_counts(one, ["people", "rank"]).best == "people"
    two = SheetFacts(sheet("area,people,households\na,40,7\nb,70,3\nc,20,9"))
    assert rank_counts(two, ["people", "households"]).best == ""
    assert set(rank_counts(two, ["people", "households"]).rivals) == {"people", "households"}


def test_a_total_is_known_by_its_parts() -> None:
    facts = SheetFacts(sheet("area,persons,men,women\na,30,10,20\nb,70,40,30\nc,50,26,24"))
    assert sum_of_others(facts, ["persons", "men", "women"]) == ("persons", ("men", "women"))
    wrong = SheetFacts(sheet("area,persons,men,women\na,30,10,20\nb,71,40,30\nc,50,26,24"))
    assert sum_of_others(wrong, ["persons", "men", "women"]) is None


@pytest.mark.parametrize(
    ("codes_of_column", "hint", "scheme"),
    [
        (["01001", "04013", "10001", "44007"], "GEOID", "fips"),
        (["00101", "00200", "03201", "07905"], "PUMA", None),
        (["01101", "01102", "02101", "02102"], "county", None),
        (["ATL", "DFW", "DEN", "FRA", "LHR"], "iata", None),
        (["AUT", "BEL", "DEU", "FRA", "ITA"], "geo", None),
        (["AT11", "BE10", "DE21", "ITC4"], "geo", "nuts"),
        (["XA11", "BE10", "QQ21", "ITC4"], "geo", None),
        (["001001", "001002", "097058", "015146"], "PRO_COM_T", "istat"),
        (["01001", "01004", "75056", "69123"], "CODGEO", "insee"),
        (["01001", "01004", "75056", "69123"], "code", None),
        (["3106200", "3304557", "3550308"], "cod_municipio_ibge", "ibge"),
        (["9906200", "3304557", "3550308"], "cod_municipio_ibge", None),
    ],
)
def test_codes_of_a_system_need_evidence(
    codes_of_column: list[str], hint: str, scheme: str | None
) -> None:
    fit = fit_of(pa.array(codes_of_column), hint)
    assert (fit and fit.scheme.id) == scheme


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("hh_4_plus", (4, True, True)), ("7+", (7, True, False)), ("1", (1, False, False)),
        ("2 Personen", (2, False, True)), ("6 et plus", (6, True, False)),
        ("5人以上", (5, True, True)), (">=6", (6, True, False)), ("size3", (3, False, True)),
        ("age_4", None), ("pop_2011", None), ("q3", None), ("party_1", None), ("3-4 persons", None),
    ],
)  # fmt: skip
def test_a_size_is_read_from_words(text: str, size: tuple[int, bool, bool] | None) -> None:
    assert size_in(text) == size


def test_names_are_compared_without_accents_and_cases() -> None:
    assert plain_name("Población Total") == "poblacion_total"
    assert plain_name("TractCode") == "tract_code"
    assert size_stem("hh_1") == size_stem("hh_4_plus")


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("area,men,women\na,40,7\nb,70,3\nc,20,9", "2 columns may hold the counts"),
        ("area,p2001,p2011\na,40,7\nb,70,3\nc,20,9", "2 columns may hold the counts"),
        ("area,altitude\na,40\nb,70\nc,20", "no column clearly holds counts"),
        ("code,name\n1,a\n2,b\n3,c", "no column clearly holds counts"),
        ("area,sex,people\na,M,1\na,F,2\nb,M,3\nb,F,4", 'differ in column "sex"'),
        ("id,area,sex,people\n1,a,M,1\n2,a,F,2\n3,b,M,3\n4,b,F,4", 'differ in column "sex"'),
        ("area,year,people\na,2001,1\na,2002,2\nb,2001,3\nb,2002,4", 'differ in column "year"'),
        (
            "area,1,2,3\na,40,7,1\nb,70,3,2\nc,20,9,3",
            'not clear whether columns "1" to "3" count groups of size 1 to 3',
        ),
        ("id,place,income\n1,a,400\n2,b,700\n3,a,200", "no column clearly holds counts"),
    ],
)
def test_what_is_not_clear_is_asked(text: str, about: str) -> None:
    question = guess(sheet(text)).question
    assert question is not None
    assert about in question.what
    assert question.choices


def test_one_statement_keeps_the_other_guesses() -> None:
    text = "state,county,p2001,p2011\nA,a,40,7\nA,b,70,3\nB,c,20,9"
    layout = guess(sheet(text), {"count": "p2011"}).layout
    assert layout is not None
    assert layout.levels == ("state", "county")
    assert layout.count == "p2011"
    assert guess(sheet(text), {"count": "p2011"}).question is None


def test_a_choice_says_its_flags() -> None:
    choice = Choice(words="", stated={"keep": ("year=2021",), "count": "p 1"})
    assert choice.flags == "--column keep=year=2021 --column 'count=p 1'"


@pytest.mark.parametrize(
    ("rows", "names", "left_out"),
    [
        ([["area", "n"], ["a", "1"], ["b", "2"]], ("area", "n"), 0),
        ([["People", "", ""], ["area", "m", "n"], ["a", "1", "2"], ["b", "2", "3"]],
         ("area", "m", "n"), 1),
        ([["area", "2001", "2011"], ["a", "501", "482"], ["b", "202", "303"]],
         ("area", "2001", "2011"), 0),
        ([["n", "m"], ["1", "a", "5"], ["2", "b", "6"], ["3", "c", "7"]],
         ("row_names", "n", "m"), 1),
    ],
)  # fmt: skip
def test_a_header_is_found(rows: list[list[str]], names: tuple[str, ...], left_out: int) -> None:
    header = header_of(rows, Notebook("t.csv"))
    assert header.names == names
    assert header.preamble == left_out
    assert usual_width(rows) == len(names)


def test_two_rows_of_a_header_are_joined() -> None:
    notes = Notebook("t.csv")
    rows = [["", "People", "", "Homes", ""], ["Area", "2001", "2011", "2001", "2011"],
            ["a", "50", "60", "7", "8"], ["b", "51", "61", "9", "8"]]  # fmt: skip
    assert header_of(rows, notes).names == (
        "Area", "People 2001", "People 2011", "Homes 2001", "Homes 2011",
    )  # fmt: skip
    assert [finding.id for finding in notes.findings] == ["two-headers"]


@pytest.mark.parametrize("count", ["1900", "2021"])
def test_a_record_whose_count_may_be_a_year_is_no_header(count: str) -> None:
    notes = Notebook("t.csv")
    rows = [["zone", "place", "n"], ["north", "a", count],
            *([["north", f"b{k}", str(k)] for k in range(5)])]  # fmt: skip
    assert header_of(rows, notes).rows == 1
    assert not notes.findings


def test_a_header_is_never_thrown_away() -> None:
    rows = [["place", "zone", "n"], *(["Town", "X", f"r{k}", str(k * 31)] for k in range(9))]
    with pytest.raises(Unreadable) as error:
        header_of(rows, Notebook("t.csv"))
    assert error.value.finding.id == "header-width"


@given(st.text(st.characters(max_codepoint=127), max_size=20))
def test_a_name_in_ascii_is_plain_in_the_same_way_as_others(text: str) -> None:
    accent = "\u0301"  # is removed, but the name is not ASCII
    assert plain_name(text) == plain_name(accent + text)
