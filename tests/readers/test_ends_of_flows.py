"""Flows whose ends are named differently, and records that have numbers of their own."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

from hierdp_core.readers.reading import read_here
from hierdp_core.tables import Flows
from tests.support.answers import offered, read_text, total

_PLACES = ("North", "East", "South", "West", "Centre")


def _moves(one: str, other: str, places: tuple[str, ...] = _PLACES) -> str:
    rows = [
        f'"{start}{one}","{end}{other}",{7 + 3 * i}'
        for i, (start, end) in enumerate(product(_PLACES, places))
        if start != end
    ]
    return "\n".join(["GEO,Geography after the move,Persons", *rows])


@pytest.mark.parametrize(
    ("one", "other"), [(", before", ", after"), (" (origin)", " (destination)"), ("", ", new")]
)
def test_places_with_words_for_their_end_are_those_of_flows(
    tmp_path: Path, one: str, other: str
) -> None:
    reading = read_text(tmp_path, _moves(one, other))
    assert reading.table is None
    tables = [read_text(tmp_path, _moves(one, other), **a).table for a in offered(reading)]
    kinds = [table.kind for table in tables if table is not None]
    stated = "origin" in one  # so that the opposite direction is not offered
    assert kinds == ["flows"] * (1 if stated else 2) + ["counts", "counts"]


def test_names_of_parts_that_repeat_in_all_areas_remain_levels(tmp_path: Path) -> None:
    parts = ("Hill", "Market", "Station", "Port", "Mill")
    text = _moves(", city", ", part", parts)
    reading = read_text(tmp_path, text.replace("GEO,Geography after the move", "city,district"))
    assert reading.table is not None
    assert reading.table.kind == "counts"
    levels = (reading.table.tree.level(k) for k in (1, 2))
    assert [level.stop - level.start for level in levels] == [5, 25]


@pytest.mark.parametrize("number", ["complaint_num", "ticket"])
def test_rows_with_numbers_of_their_own_may_be_counted(tmp_path: Path, number: str) -> None:
    rows = [
        f"{700_000 + 13 * k},{('A', 'B', 'C')[k % 3]},{(k * 7) % 11 + 100},2023-01-{k % 28 + 1:02}"
        for k in range(120)
    ]
    text = "\n".join([f"{number},borough,offence_cd,day", *rows])
    reading = read_text(tmp_path, text)
    assert reading.table is None
    assert {"row": "person"} in offered(reading)
    answered = read_text(tmp_path, text, row="person")
    assert answered.table is not None
    assert total(answered) == 120


_AT_BOTH_ENDS = ("A", "B", "C", "D", "E", "F")


def _stock(totals: tuple[str, ...]) -> str:
    """Flows among places, and the sums over some destinations under codes of their own."""
    rows = [
        f"{one},{other},{20 + 5 * i + j}"
        for i, one in enumerate(_AT_BOTH_ENDS)
        for j, other in enumerate(_AT_BOTH_ENDS)
        if one != other
    ]
    rows += [f"{one},{code},{900 + i}" for i, one in enumerate(_AT_BOTH_ENDS) for code in totals]
    return "\n".join(["origin,destination,people", *rows])


def test_many_destinations_that_are_no_origins_are_asked_about(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _stock(("X1", "X2", "X3", "X4", "X5", "X6")))
    assert reading.table is None
    answers = offered(reading)
    assert {"totals": "none"} in answers
    left = next(answer for answer in answers if "leave_out" in answer)
    answered = read_text(tmp_path, _stock(("X1", "X2", "X3", "X4", "X5", "X6")), **left)
    assert answered.table is not None
    assert int(answered.table.values.sum()) == int(
        read_text(tmp_path, _stock(())).table.values.sum()
    )


def test_destinations_with_codes_of_their_own_are_asked_about_once(tmp_path: Path) -> None:
    rows = [f"{one},school{k},{9 + k}" for one in _AT_BOTH_ENDS for k in range(6)]
    text = "\n".join(["origin,destination,people", *rows])
    (answer,) = offered(read_text(tmp_path, text))
    reading = read_text(tmp_path, text, **answer)
    assert reading.table is not None
    assert reading.table.kind == "flows"


_PORTS = {"Ash": "AA", "Birch": "AA", "Cedar": "BB", "Elm": "BB", "Fir": "BB", "Oak": "CC"}


def _between_ports() -> str:
    rows = [
        f"{_PORTS[one]},{one},{_PORTS[other]},{other},{100 + 17 * i}"
        for i, (one, other) in enumerate(product(_PORTS, repeat=2))
        if one != other
    ]
    return "\n".join(["UF Origem,Porto Origem,UF Destino,Porto Destino,TEU", *rows])


def test_two_columns_at_each_end_are_two_levels(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _between_ports(), count="TEU")
    assert isinstance(reading.table, Flows), reading.report.lines()
    assert reading.layout is not None
    assert reading.layout.levels == ("UF Origem", "Porto Origem")
    assert reading.layout.destinations == ("UF Destino", "Porto Destino")
    assert reading.table.regions.tree.level_sizes.tolist() == [1, 3, 6]
    assert len(reading.table.pairs) == 30


def test_columns_that_are_lost_in_a_sum_are_listed(tmp_path: Path) -> None:
    stated = {"kind": "flows", "levels": ("UF Origem",), "destinations": ("UF Destino",),
              "count": "TEU", "add_up": True}  # fmt: skip
    reading = read_text(tmp_path, _between_ports(), **stated)
    assert isinstance(reading.table, Flows), reading.report.lines()
    assert set(reading.unused) == {"Porto Origem", "Porto Destino"}
    (shown,) = [f for f in reading.report.findings if f.id == "unused"]
    assert shown.what == 'columns that were not used: "Porto Origem", "Porto Destino"'


def test_a_number_for_each_of_many_pairs_may_count_the_trips(tmp_path: Path) -> None:
    """A column without a known name may hold them, since no trip has its pair for itself."""
    places = [f"Place {chr(65 + k)}" for k in range(8)]
    rows = [(a, b, 7 * i + 3 * k + 2) for i, a in enumerate(places) for k, b in enumerate(places)]
    text = "area_from,area_to,calls\n" + "".join(f"{a},{b},{n}\n" for a, b, n in rows)
    (tmp_path / "t.csv").write_text(text)
    ends = {"kind": "flows", "levels": ("area_from",), "destinations": ("area_to",)}
    (fault,) = read_here([tmp_path / "t.csv"], stated=ends).report.faults
    assert [dict(choice.stated) for choice in fault.choices] == [
        {"count": "calls"}, {"kind": "flows", "row": "trip"},
    ]  # fmt: skip
    reading = read_here([tmp_path / "t.csv"], stated={**ends, **fault.choices[0].stated})
    assert reading.table is not None
    assert reading.table.values.sum() == sum(n for _, _, n in rows)


_CANTONS = {"Zürich": "ZH", "Bern": "BE", "Luzern": "LU", "Uri": "UR", "Schwyz": "SZ",
            "Glarus": "GL"}  # fmt: skip


def _short_matrix(short: Sequence[str]) -> str:
    head = ["Herkunft", *(f"Ziel {name} Personen" for name in short), "Summe Ziele"]
    flows = [[10 + 7 * i + 3 * k for k in range(len(short))] for i in range(len(_CANTONS))]
    rows = [[name, *own, sum(own)] for name, own in zip(_CANTONS, flows, strict=True)]
    return "\n".join(";".join(map(str, row)) for row in [head, *rows])


def test_columns_with_short_names_of_the_rows_are_a_matrix(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(_short_matrix([*_CANTONS.values()]), encoding="utf-8")
    (fault,) = read_here([tmp_path / "t.csv"]).report.faults
    first, *_ = fault.choices
    assert dict(first.stated) == {"matrix": "origins"}
    reading = read_here([tmp_path / "t.csv"], stated=first.stated)
    assert isinstance(reading.table, Flows), reading.report.lines()
    regions = reading.table.regions
    assert [*regions.names[regions.tree.leaves]] == [*_CANTONS]
    n = len(_CANTONS)
    assert reading.table.values.sum() == sum(10 + 7 * i + 3 * k for i in range(n) for k in range(n))


def test_short_names_in_another_order_are_no_matrix(tmp_path: Path) -> None:
    """Columns that abbreviate other names than the rows beside them may be anything."""
    short = [*_CANTONS.values()]
    (tmp_path / "t.csv").write_text(_short_matrix(short[::-1]), encoding="utf-8")
    reading = read_here([tmp_path / "t.csv"])
    choices = [c.stated for fault in reading.report.faults for c in fault.choices]
    assert not any("matrix" in stated for stated in choices)


def test_labels_of_codes_are_no_level_of_flows(tmp_path: Path) -> None:
    places = {f"W0{k}00{k}": name for k, name in enumerate(("Ash", "Birch", "Cedar", "Elm", "Fir"))}
    rows = [
        f"{a},{x},{b},{y},{10 + 7 * len(x) + len(y)}"
        for a, x in places.items()
        for b, y in places.items()
    ]
    head = "Local authorities code,Local authorities label,LA of work code,LA of work label,Count"
    answers = offered(read_text(tmp_path, "\n".join([head, *rows])))
    flows = [answer for answer in answers if answer.get("kind") == "flows"]
    assert {answer["levels"] for answer in flows} == {
        ("Local authorities code",), ("LA of work code",),
    }  # fmt: skip


@pytest.mark.parametrize(
    "head",
    [
        "Domicile,Lieu de travail,Navetteurs", "Asal,Tujuan,Penumpang",
        "Miejsce zamieszkania,Miejsce pracy,Pracujący", "Woonplaats,Werkplaats,Pendelaars",
    ],
)  # fmt: skip
def test_ends_in_other_languages_are_read_without_a_question(tmp_path: Path, head: str) -> None:
    places = ("Ash", "Birch", "Cedar", "Elm", "Fir")
    rows = [f"{a},{b},{7 * len(a) + len(b)}" for a in places for b in places]
    reading = read_text(tmp_path, "\n".join([head, *rows]))
    assert isinstance(reading.table, Flows), reading.report.lines()
    assert reading.layout is not None
    assert reading.layout.levels == (head.partition(",")[0],)


@pytest.mark.parametrize(
    ("corner", "rows"),
    [
        (r"Residence \ Workplace", "origins"), ("Origen/Destino", "origins"),
        ("Asal → Tujuan", "origins"), (r"Arbeitsort \ Wohnort", "destinations"),
        (r"Men \ Women", ""), ("Area", ""),
    ],
)  # fmt: skip
def test_the_corner_of_a_matrix_states_its_direction(
    tmp_path: Path, corner: str, rows: str
) -> None:
    places = ("Ash", "Birch", "Cedar", "Elm", "Fir")
    flows = {
        (a, b): 100 * i + 7 * k + 3 for i, a in enumerate(places) for k, b in enumerate(places)
    }
    lines = [",".join([corner, *places])]
    lines += [",".join([a, *(str(flows[a, b]) for b in places)]) for a in places]
    reading = read_text(tmp_path, "\n".join(lines))
    assert (reading.table is None) == (rows == "")
    if rows:
        assert isinstance(reading.table, Flows)
        assert reading.layout is not None
        assert reading.layout.matrix == rows
        assert int(reading.table.total) == sum(flows.values())
        assert any(one.id == "matrix" for one in reading.report.corrections)
