"""Levels whose names repeat, codes that are kinds, and flows between areas of several levels."""

from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest

from hierdp_core.readers.columns.blocks import filled_down, find_blocks
from hierdp_core.readers.columns.count_rules import count_points
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.flow_levels import of_two_levels
from hierdp_core.readers.columns.matrix import find_matrix, matrix_as_pairs
from hierdp_core.readers.columns.record_rules import weights_in
from hierdp_core.readers.columns.slices import distinguishing_columns
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook
from tests.support.answers import offered, read_text, total


def sheet(text: str) -> Sheet:
    """Return comma-separated lines as a table."""
    names, *rows = (line.split(",") for line in text.split("\n"))
    columns = [pa.array(cells, pa.string()) for cells in zip(*rows, strict=True)]
    return Sheet(file="t.csv", names=tuple(names), columns=tuple(columns))


def _number(*place: int) -> int:
    return 70 + sum((9 * k + 2) * n for k, n in enumerate(place, start=2))


def test_parishes_may_have_the_names_of_municipalities(tmp_path: Path) -> None:
    towns = ("San Juan", "Bolívar", "El Valle", "Santa Ana")
    rows = [
        f"Estado {e},{m},{towns[(k + p) % 4]}{' Alto' * (p > 3)},{_number(e, k, p)}"
        for e in range(5)
        for k, m in enumerate(towns[: 3 + e % 2])
        for p in range(4 + k)
    ]
    reading = read_text(tmp_path, "\n".join(["ENTIDAD,MUNICIPIO,PARROQUIA,POBLACION", *rows]))
    assert reading.layout is not None
    assert reading.layout.levels == ("ENTIDAD", "MUNICIPIO", "PARROQUIA")
    assert reading.layout.within
    assert of_two_levels("MUNICIPIO", "PARROQUIA")
    assert not of_two_levels("home municipio", "work municipio")


def _crossed_upper_codes(names: tuple[str, str]) -> str:
    """Return sections whose numbers start again in four areas, and which three zones cross."""
    rows = [
        f"{['East', 'West', 'North', 'South'][a]},{['Red', 'Blue', 'Green'][(7 * n // 5 + a) % 3]},"
        f"{n:04d},{_number(a, n)}"
        for a in range(4)
        for n in range(1, 28)
    ]
    return "\n".join([f"{names[0]},{names[1]},SECTION,VOTERS", *rows])


def test_the_order_of_upper_codes_that_nothing_states_is_asked(tmp_path: Path) -> None:
    answers = offered(read_text(tmp_path, _crossed_upper_codes(("zone", "area"))))
    levels = [one.get("levels") for one in answers]
    assert ("zone", "area", "SECTION") in levels
    assert ("area", "zone", "SECTION") in levels


def test_names_of_upper_levels_state_their_order(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _crossed_upper_codes(("ENTIDAD", "DISTRITO")))
    assert reading.layout is not None, reading.report.lines()
    assert reading.layout.levels == ("ENTIDAD", "DISTRITO", "SECTION")


def test_kinds_with_codes_below_places_may_be_added_up(tmp_path: Path) -> None:
    rows = [
        f"0{r},Region {r},0{r}000{h},Clinic {r}{h},{d:02d},Unit {d},{_number(r, h, d)}"
        for r in range(1, 4)
        for h in range(1, 6)
        for d in range(h % 3 + 1, 7)
    ]
    header = "Cod regione,Regione,Cod struttura,Struttura,Cod disciplina,Disciplina,Posti"
    text = "\n".join([header, *rows])
    answers = offered(read_text(tmp_path, text, count="Posti"))
    answer = next(one for one in answers if one.get("add_up") and len(one.get("levels", ())) == 2)
    chosen = read_text(tmp_path, text, count="Posti", **answer)
    assert chosen.table is not None
    assert chosen.table.tree.level_sizes.tolist() == [1, 3, 15]
    assert total(chosen) == sum(int(row.rpartition(",")[2]) for row in rows)


def test_trips_between_stations_keep_their_boroughs(tmp_path: Path) -> None:
    places = [f"Corner {k},Borough {k % 4}" for k in range(12)]
    rows = [f"{places[k % 12]},{places[k * 5 // 7 % 12]}" for k in range(1, 241)]
    header = "STARTSTATIONNAME,STARTSTATIONBOROUGH,ENDSTATIONNAME,ENDSTATIONBOROUGH"
    answers = offered(read_text(tmp_path, "\n".join([header, *rows])))
    levels = [one.get("levels") for one in answers if one.get("kind") == "flows"]
    assert ("STARTSTATIONBOROUGH", "STARTSTATIONNAME") in levels


def test_foreign_airports_are_the_other_end_of_flows(tmp_path: Path) -> None:
    rows = [
        f"Home {h},Abroad {a},{_number(h, a)},{_number(a, h) % 5000}"
        for h, a in product(range(6), range(9))
        if (h + a) % 3
    ]
    header = "UK_airport,foreign_airport,pax_this_period,pax_last_period"
    text = "\n".join([header, *rows])
    answers = offered(read_text(tmp_path, text, count="pax_this_period"))
    assert answers[0] == {
        "kind": "flows",
        "levels": ("UK_airport",),
        "destinations": ("foreign_airport",),
    }


@pytest.mark.parametrize(("n_values", "by_chance"), [(3, False), (100, True)])
def test_many_numbers_of_a_period_distinguish_rows_by_chance(
    n_values: int, *, by_chance: bool
) -> None:
    rows = [f"{k % 4},{k % n_values}" for k in range(400)]
    facts = SheetFacts(sheet("\n".join(["town,total_pax_charter_this_period", *rows])))
    columns = distinguishing_columns(facts, ["town"], ["total_pax_charter_this_period"])
    assert bool(columns) != by_chance


# ------------------------------------------------------------------------------------ single facts


def test_marks_of_footnotes_behind_names_of_a_matrix_are_ignored() -> None:
    table = sheet("to,Total,Chad,Mali,Niger,Togo\nChad*,9,0,2,3,4\nMali,8,3,0,2,3\nNiger†,7,1,2,0,4"
                  "\nTogo,6,1,2,3,0\nWORLD,30,5,6,8,11")  # fmt: skip
    assert find_matrix(table) is not None
    notes = Notebook("t.csv")
    pairs = matrix_as_pairs(table, "destinations", notes)
    assert len({*pairs.column("origin").to_pylist()}) == 4
    stated = [finding.what for finding in notes.findings]
    assert any('1 row without a column of the same name was left out: "WORLD"' in t for t in stated)


def test_long_numbers_that_differ_in_each_row_are_no_counts() -> None:
    cells = [str(202300000001 + 7 * k) for k in range(30)]
    own = ColumnFacts("num_acc", sheet("\n".join(["num_acc", *cells])).columns[0])
    assert count_points(own) < 0


def test_a_percentage_or_an_amount_is_no_survey_weight() -> None:
    rows = [f"{41 + k / 7:.2f},{1234.5 + 17 * k:.2f},{1 + k / 9:.3f}" for k in range(30)]
    facts = SheetFacts(sheet("\n".join(["%age Female,valor_repassado,weight", *rows])))
    assert weights_in(facts, ["%age Female"]) == []
    assert weights_in(facts, ["valor_repassado"]) == []
    assert weights_in(facts, ["weight"]) == ["weight"]


@pytest.mark.parametrize("cells", [["7,90,281", "54,871"], ["62,00,000"], ["1,234,567", "54,871"]])
def test_a_comma_that_stands_twice_separates_thousands(tmp_path: Path, cells: list[str]) -> None:
    rows = [f"Block {k};{cell}" for k, cell in enumerate(cells * 3)]
    reading = read_text(tmp_path, "\n".join(["Block;Pupils", *rows]))
    assert total(reading) == 3 * sum(int(cell.replace(",", "")) for cell in cells)


def test_serial_numbers_of_blocks_do_not_hide_the_names_of_the_blocks() -> None:
    lines = [
        "sheet,S.No,District,Tehsil,Voters",
        *(
            f"{province},{d if t == 0 else ''},{f'D{province}{d}' if t == 0 else ''},T{t},{50 + t}"
            for province in ("A", "B")
            for d in range(1, 4)
            for t in range(4)
        ),
        "B,Grand Total,,,1236",
    ]
    table = sheet("\n".join(lines))
    assert find_blocks(table).sure == ("District",)
    filled = filled_down(table, ["District"]).column("District").to_pylist()
    assert filled[:5] == ["DA1"] * 4 + ["DA2"]
    assert filled[-2:] == ["DB3", ""]
