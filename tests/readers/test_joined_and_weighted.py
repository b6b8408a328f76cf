"""Names with the area above, codes with letters, blocks of sizes, weights, days and headings."""

from pathlib import Path

import pyarrow as pa
import pytest

import hierdp_core as hdp
from hierdp_core.exceptions import ChoiceError
from hierdp_core.readers import Reading
from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.number_words import in_digits
from hierdp_core.readers.columns.vocabulary import WEIGHT, heads_parts, plain_name, size_in
from hierdp_core.readers.reading import read_here
from hierdp_core.tables import Counts, Flows, GroupSizes
from tests.support.answers import offered, read_text, total

_TOWNS = ("Assis (SP)", "Bauru (SP)", "Tupi (SP)", "Picos (PI)", "Bom Jesus (PI)", "Oeiras (PI)")
_COUNTS = (510, 420, 333, 901, 77, 650)


def _text(head: str, names: tuple[str, ...] = _TOWNS, counts: tuple[int, ...] = _COUNTS) -> str:
    return "\n".join([head, *(f"{name},{n}" for name, n in zip(names, counts, strict=True))])


def _level(reading: Reading, level: int) -> list[str]:
    assert reading.table is not None, reading.report.lines()
    regions = reading.table.regions
    return sorted(regions.names[regions.tree.level(level)])


def test_names_in_brackets_become_a_level_with_one_answer(tmp_path: Path) -> None:
    text = _text("town,people")
    answer = offered(read_text(tmp_path, text))[0]
    reading = read_text(tmp_path, text, **answer)
    assert _level(reading, 1) == ["PI", "SP"]
    assert _level(reading, 2)[0] == "Assis"
    assert total(reading) == sum(_COUNTS)


@pytest.mark.parametrize("kind", ["town", "village"])
def test_kinds_of_places_in_brackets_are_no_level(tmp_path: Path, kind: str) -> None:
    names = tuple(f"{name.split()[0]} ({kind if k % 2 else 'city'})"
                  for k, name in enumerate(_TOWNS))  # fmt: skip
    assert total(read_text(tmp_path, _text("place,people", names))) == sum(_COUNTS)


def test_a_total_among_joined_names_has_no_area_above(tmp_path: Path) -> None:
    text = _text("town,people", (*_TOWNS, "Total"), (*_COUNTS, sum(_COUNTS)))
    answer = offered(read_text(tmp_path, text))[0]
    reading = read_text(tmp_path, text, **answer)
    assert reading.table is None or total(reading) == sum(_COUNTS)


def test_names_of_one_part_are_not_split(tmp_path: Path) -> None:
    text = _text("town,people", tuple("ABCDEF"))
    reading = read_text(tmp_path, text, split=("town",), levels=("town",))
    assert reading.table is None
    assert any("cannot be split" in line for line in reading.report.lines())


def test_letters_of_codes_are_asked_about(tmp_path: Path) -> None:
    names = ("AL-500", "AL-501", "AL-502", "TX-600", "TX-601", "TX-604")
    choices = offered(read_text(tmp_path, _text("area,people", names)))
    assert {"levels": ("area",), "prefix": (2, 6)} in choices
    one = ("AL-500", "AL-501", "AL-502", "AL-600", "AL-601", "AL-604")
    assert total(read_text(tmp_path, _text("area,people", one))) == sum(_COUNTS)


def test_blocks_of_sizes_are_added_up_and_a_missing_number_stays_missing(tmp_path: Path) -> None:
    head = "county,family_2,family_3_plus,family_x,nonfamily_1,nonfamily_2,nonfamily_3_plus"
    assert (
        read_text(tmp_path, f"{head}\na,1,2,3,4,5,6\nb,1,2,3,4,5,6", blocks="added up").table
        is None
    )
    head = "county,family_1,family_2,family_3_plus,single_hh_1,single_hh_2,single_hh_3_plus"
    text = f"{head}\na,10,2,3,14,5,6\nb,11,2,3,24,5,6\nc,12,2,3,34,5,6\nd,9,2,3,44,5,7"
    (answer, *_) = [c for c in offered(read_text(tmp_path, text)) if c.get("blocks")]
    reading = read_text(tmp_path, text, **answer)
    assert isinstance(reading.table, GroupSizes)
    assert reading.table.values[0].tolist() == [0, 158, 28, 37]
    hidden = read_text(tmp_path, text.replace("d,9,", "d,(D),"), **answer)
    assert any("suppressed or missing" in line for line in hidden.report.lines())


def test_a_block_for_each_year_is_not_added_up(tmp_path: Path) -> None:
    names = [f"{year} household {n}" for year in (2011, 2021) for n in (1, 2, 3)]
    rows = [
        f"{area},{k},{k + 1},{k + 2},{k + 4},{k + 5},{k + 6}" for k, area in enumerate("abcdef", 40)
    ]
    reading = read_text(tmp_path, "\n".join([",".join(["county", *names]), *rows]))
    assert not any(choice.get("blocks") for choice in offered(reading))


@pytest.mark.parametrize(
    "name",
    ["HHWT", "PERWT", "WTFINL", "ASECWT", "pweight", "FAC_PER", "factor de expansión", "poids",
     "Gewicht", "HOCHR", "PONDERA", "IPONDI", "EXTRI", "factorel", "PWGTP", "Hochrechnungsfaktor",
     "pspwght", "coef_elevacion"],
)  # fmt: skip
def test_names_of_weights(name: str) -> None:
    assert WEIGHT.fullmatch(plain_name(name))


@pytest.mark.parametrize("name", ["population", "state", "facility", "fac_code", "wtown", "county"])
def test_names_of_other_columns(name: str) -> None:
    assert not WEIGHT.fullmatch(plain_name(name))


def _column(name: str, *cells: object) -> ColumnFacts:
    return ColumnFacts(name, pa.array(list(map(str, cells)), pa.string()))


@pytest.mark.parametrize(
    "cells",
    [("2023-01-05", "2023-02-06"), ("05/01/2023", "6/12/2023"), ("05jan2020", "6 Feb 2020"),
     ("12h30", "7h05"), ("12:30 PM", "1:15 am"), ("2023-01-05T10:00:00+01:00",),
     ("5. 1. 2023", "16. 12. 2023")],
)  # fmt: skip
def test_days_and_times_are_never_places(cells: tuple[str, ...]) -> None:
    assert _column("x", *cells).never_places


def test_days_in_numbers_need_a_word_for_days() -> None:
    assert _column("date_admission", 44_562, 44_600).never_places
    assert not _column("county", 44_562, 44_600).never_places
    assert not _column("town", "1 Marsh", "2 Apricot Hill", "Mayfield").never_places


def test_dates_of_arrival_and_departure_are_no_flows(tmp_path: Path) -> None:
    rows = [f"{c},2023-0{k % 9 + 1}-10,2023-0{(k * 5) % 9 + 1}-10,{k % 4 + 1}"
            for k, c in enumerate("abcdef" * 8)]  # fmt: skip
    reading = read_text(tmp_path, "\n".join(["city,arrival,departure,guests", *rows]))
    assert reading.layout is None or reading.layout.kind != "flows"


def test_weights_of_trips_are_asked_about(tmp_path: Path) -> None:
    weights = [40 + k * 37 % 500 for k in range(90)]
    rows = [f"{k % 7 + 1},{k * 5 % 7 + 1},{weight}" for k, weight in enumerate(weights)]
    text = "\n".join(["h_reg,w_reg,hochr", *rows])
    *answers, refusal = offered(read_text(tmp_path, text))
    assert refusal == {"kind": "none"}
    once, weighted = (read_text(tmp_path, text, **answer) for answer in answers)
    assert isinstance(once.table, Flows)
    assert isinstance(weighted.table, Flows)
    assert (once.table.values.sum(), weighted.table.values.sum()) == (90, sum(weights))


@pytest.mark.parametrize("text", ["of which:", "davon", "dont :", "w tym:", "из них:", "incl."])
def test_headings_of_parts(text: str) -> None:
    assert heads_parts(text)


@pytest.mark.parametrize("text", ["of which: women", "Davos", "Dontown", "Inclan", "Doncaster"])
def test_other_texts_are_no_headings(text: str) -> None:
    assert not heads_parts(text)


@pytest.mark.parametrize("text", ["sex", "en", "to work", "Fire station", "One Tree Hill"])
def test_numbers_in_words_alone_are_no_sizes(text: str) -> None:
    assert size_in(text) is None, in_digits(text)


def test_a_description_with_repeated_names_is_no_level(tmp_path: Path) -> None:
    rows = [f"C{k:02d},{'ABCDEFGH'[k % 8]} County,{100 + k}" for k in range(20)]
    reading = read_text(tmp_path, "\n".join(["county_id,county_desc,people", *rows]))
    assert reading.table is not None, reading.report.lines()
    assert reading.table.regions.tree.n_levels == 2
    assert reading.table.regions.tree.n_leaves == 20


def test_rows_of_suppressed_numbers_are_no_header(tmp_path: Path) -> None:
    reading = read_text(tmp_path, "area,people\nAsh,(D)\nBirch,44\nCedar,55\nElm,66")
    assert any("suppressed or missing" in line for line in reading.report.lines())


def test_codes_of_letters_decide_where_descriptions_repeat(tmp_path: Path) -> None:
    rows = [f"{'ABCDEFGHIJKLMNOPQRST'[k]}X,{'PQRSTUVW'[k % 8]}ville,{100 + k}" for k in range(20)]
    reading = read_text(tmp_path, "\n".join(["county_code,county_desc,people", *rows]))
    assert reading.table is not None, reading.report.lines()
    assert reading.table.regions.tree.n_leaves == 20
    assert reading.table.regions.tree.n_levels == 2


def test_counts_of_survey_weights_protect_a_unit_of_weight(tmp_path: Path) -> None:
    rows = "".join(f"{n},North,{'AB'[n % 2]},{n + 3}\n" for n in range(40))
    (tmp_path / "survey.csv").write_text("person,region,area,weight\n" + rows)
    stated = {"row": "region", "levels": ["region", "area"], "count": "weight", "add_up": True}
    table = read_here([tmp_path / "survey.csv"], stated=stated).table
    assert isinstance(table, Counts)
    assert (table.unit, table.person) == ("units of weight", "unit of weight")
    assert "one unit of weight" in hdp.plan(table, "tree-dp", epsilon=1).privacy.sentence
    named = read_here([tmp_path / "survey.csv"], stated=stated | {"person": "household"}).table
    assert isinstance(named, Counts)
    assert named.person == "household"


def test_settings_with_destinations_and_a_count_need_no_further_word() -> None:
    words = {"levels": ["home"], "destinations": ["work"], "count": "commuters"}
    layout = Layout.of(words)
    assert (layout.kind, layout.row) == ("flows", "pair")
    with pytest.raises(ChoiceError, match=r'State row = "pair" or row = "trip"\.'):
        Layout.of({name: value for name, value in words.items() if name != "count"})


def test_units_of_the_same_name_in_several_institutions_are_asked_about(tmp_path: Path) -> None:
    rows = [
        f"{n},{code},{name},{unit},{n % 90}"
        for n, (code, name, unit) in enumerate(
            [("K1", "Nordklinik", "Surgery"), ("K2", "Seeklinik", "Surgery")] * 9
            + [("K1", "Nordklinik", "Maternity"), ("K2", "Seeklinik", "Geriatrics")] * 9
        )
    ]
    text = "\n".join(["admission_id,clinic_code,clinic_name,ward,age", *rows])
    reading = read_text(tmp_path, text)
    assert reading.table is None
    answer = {"levels": ("clinic_code", "ward"), "within": True}
    assert answer in offered(reading)
    read = read_text(tmp_path, text, **answer)
    assert len(_level(read, 2)) == 4
    assert total(read) == 36
