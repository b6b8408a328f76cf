"""Records whose areas no name supports, and weights, counts and levels that must be offered."""

from pathlib import Path

import pyarrow as pa
import pytest

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.record_rules import possible_weights
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.reading import read_here
from tests.support.answers import offered, read_text, total

_PERSON = {"kind": "counts", "row": "person"}


def survey(n_clusters: int = 9, n_each: int = 8) -> str:
    """Return households of a survey: numbers of flats start again in each cluster."""
    rows = ["grappe,appt,kodas,etat,pondv"]
    for cluster in range(n_clusters):
        region = f"{cluster // 3 + 1:02}"
        for flat in range(n_each):
            weight = 100 + 7.25 * (cluster * n_each + flat)
            state = ("done", "refused", "moved")[(cluster * 5 + flat * flat) % 3]
            code = f"{region}{cluster // 2:02}{cluster:02}"
            rows.append(f"{cluster + 401},{flat * 4 + 1:03},{code},{state},{weight}")
    return "\n".join(rows)


def test_a_number_within_clusters_is_no_level(tmp_path: Path) -> None:
    choices = offered(read_text(tmp_path, survey(), **_PERSON))
    assert all("appt" not in choice.get("levels", ()) for choice in choices)
    assert {"levels": ("kodas",), "prefix": (2, 4, 6)} in choices
    reading = read_text(tmp_path, survey(), **_PERSON, levels=("kodas",), prefix=(2, 4, 6))
    assert total(reading) == 72


def test_the_areas_of_weighted_records_are_asked_about_too(tmp_path: Path) -> None:
    stated = {"kind": "counts", "row": "region", "count": "pondv", "add_up": True, "times": 1}
    choices = offered(read_text(tmp_path, survey(), **stated))
    assert all("appt" not in choice.get("levels", ()) for choice in choices)
    assert any("kodas" in choice.get("levels", ()) for choice in choices)


def test_an_attribute_without_a_name_for_places_is_no_silent_level(tmp_path: Path) -> None:
    rows = [
        f"{401 + k % 12},{'ABC'[k % 12 // 4]},{('ja', 'nej')[k * k % 7 % 2]},{20 + k % 50}"
        for k in range(120)
    ]
    text = "\n".join(["klynge,del,svar,alder", *rows])
    choices = offered(read_text(tmp_path, text, **_PERSON))
    assert ("del", "klynge") in [choice.get("levels") for choice in choices]


def test_areas_named_as_such_are_not_asked_about(tmp_path: Path) -> None:
    rows = [f"{'ABCDE'[k % 5]},{('ja', 'nej')[k * k % 7 % 2]},{20 + k % 50}" for k in range(120)]
    reading = read_text(tmp_path, "\n".join(["kommune,svar,alder", *rows]), **_PERSON)
    assert reading.question is None
    assert total(reading) == 120


@pytest.mark.parametrize(
    ("name", "cells", "possible"),
    [
        ("kalibrering", ("1.5", "2.25", "0.75", "3.1", "4.2", "1.8"), True),
        ("kalibrering", ("1.5", "2.25", "-0.75", "3.1", "4.2", "1.8"), False),
        ("kalibrering", ("0.5", "0.25", "0.75", "0.1", "0.2", "0.8"), False),
        ("lonninkomst", ("1.5", "2.25", "0.75", "3.1", "4.2", "1.8"), True),
        ("inkomst", ("1.5", "2.25", "0.75", "3.1", "4.2", "1.8"), False),
        ("longitude", ("1.5", "2.25", "0.75", "3.1", "4.2", "1.8"), False),
        ("repr", tuple(str(20 + 37 * k) for k in range(24)), True),
        ("alter", tuple(str(20 + k) for k in range(24)), False),
        ("plz", tuple(str(20000 + 3700 * k) for k in range(24)), False),
    ],
)
def test_numbers_that_may_be_weights(name: str, cells: tuple[str, ...], possible: bool) -> None:
    facts = SheetFacts(Sheet(file="t.csv", names=(name,), columns=(pa.array([*cells] * 2),)))
    assert possible_weights(facts, [name]) == ([name] if possible else [])


def test_a_weight_by_its_numbers_is_asked_about_before_persons_are_counted(tmp_path: Path) -> None:
    rows = [
        f"{'ABCDE'[k % 5]},{'MF'[k % 2]},{20 + k % 50},{1 + k * 13 % 31 / 8}" for k in range(60)
    ]
    text = "\n".join(["kommune,kon,alder,kalibrering", *rows])
    once, weighed, *_ = offered(read_text(tmp_path, text))
    assert (once["row"], weighed["count"]) == ("person", "kalibrering")
    assert total(read_text(tmp_path, text, **once)) == 60
    added = sum(1 + k * 13 % 31 / 8 for k in range(60))
    assert abs(total(read_text(tmp_path, text, **weighed)) - added) <= 3


def test_persons_with_two_places_and_weights_count_once_or_by_weight(tmp_path: Path) -> None:
    codes = [f"{41 + k // 2}{k:03}" for k in range(6)]
    rows = [
        f"{codes[k % 6]},{codes[k * k % 11 % 6]},{18 + k % 60},{1.25 + k % 7}" for k in range(120)
    ]
    text = "\n".join(["GEM,GEMARB,LEEFTIJD,hochrechnung", *rows])
    choices = offered(read_text(tmp_path, text))
    rows_of = [(c.get("kind"), c.get("row"), c.get("count")) for c in choices]
    assert ("counts", "region", "hochrechnung") in rows_of
    assert ("flows", "pair", "hochrechnung") in rows_of
    for choice in choices[:-1]:
        whole = sum(1.25 + k % 7 for k in range(120)) if "count" in choice else 120
        reading = read_text(tmp_path, text, **choice)
        assert reading.table is not None
        values = reading.table.values
        people = values.sum() if choice["kind"] == "flows" else values[0]
        assert abs(int(people) - whole) <= 20


def flows(name: str) -> str:
    towns = [f"{3100 + k}" for k in range(6)]
    rows = [
        f"{a},Bezirk,{b},Bezirk,{7 * i + 12 * k + 5},{3 * k + i}"
        for i, a in enumerate(towns) for k, b in enumerate(towns)
    ]  # fmt: skip
    header = (
        f"CODE (POR),LEVEL (POR),CODE (POW),LEVEL (POW),{name}: [1]: Zusammen,{name}: [2]: Auto"
    )
    return "\n".join([header, *rows])


def test_counts_with_a_long_name_are_offered_where_pairs_do_not_repeat(tmp_path: Path) -> None:
    text = flows("Merkmal: Verkehrsmittel (2): Eintrag ID")
    first, second, trip, *_ = offered(read_text(tmp_path, text))
    assert [str(choice.get("count"))[-4:] for choice in (first, second)] == ["mmen", "Auto"]
    assert trip["row"] == "trip"
    reading = read_text(tmp_path, text, **first)
    assert reading.table is not None
    assert reading.table.values.sum() == sum(7 * i + 12 * k + 5 for i in range(6) for k in range(6))
    assert len(reading.table.tree.level_start) == 3  # the level of all rows is no level


def test_levels_of_a_lookup_are_offered_for_persons_with_two_places(tmp_path: Path) -> None:
    codes = [f"{41 + k // 2}{k:03}" for k in range(8)]
    rows = [
        f"{codes[k % 8]},{codes[k * k % 11 % 8]},{'MW'[k % 2]},{1930 + k % 60}0412"
        for k in range(160)
    ]
    (tmp_path / "list.csv").write_text(
        "\n".join(
            [
                "GEMEINDE,KREIS,LAND,NAME",
                *(f"{c},{c[:2]},{1 + int(c[:2]) // 43},Ort {c[-1]}" for c in codes),
            ]
        )
    )
    (tmp_path / "t.csv").write_text(
        "\n".join(["geburtsgemeinde,sterbegemeinde,geschlecht,datum", *rows])
    )
    reading = read_here([tmp_path / "t.csv", tmp_path / "list.csv"])
    assert any(len(choice.get("levels", ())) == 3 for choice in offered(reading))


def test_names_above_the_codes_of_schools_are_a_level(tmp_path: Path) -> None:
    rows = []
    for k in range(36):
        town = k // 6
        name = ("Nord", "Midt", "Sud")[town // 2]
        rows.append(f"{town + 300},Town {town},{k + 50},School {k % 9},{100 + k},{name}")
    header = "LA (code),LA (name),SchoolNumber,SchoolName,Pupils,Zonen (name)"
    reading = read_text(tmp_path, "\n".join([header, *rows]))
    assert reading.layout is not None
    assert reading.layout.words["levels"][0] == "Zonen (name)"


@pytest.mark.parametrize(
    ("header", "origins"),
    [
        ("arbetskommun,bostadskommun,antal", "bostadskommun"),
        ("utflyttkommun,inflyttkommun,antal", "utflyttkommun"),
        ("kommun a,kommun b,antal", "kommun a"),
    ],
)
def test_the_direction_that_names_support_stands_first(
    tmp_path: Path, header: str, origins: str
) -> None:
    towns = [f"{1400 + k}" for k in range(6)]
    rows = [
        f"{a},{b},{7 * i + 12 * k + 5}" for i, a in enumerate(towns) for k, b in enumerate(towns)
    ]
    reading = read_text(tmp_path, "\n".join([header, *rows]))
    first = offered(reading)[0]
    assert (first["kind"], first["levels"]) == ("flows", (origins,))
    assert reading.question is not None
    assert ("no name says" in reading.question.what) == ("kommun a" in header)


def test_years_of_places_are_no_persons(tmp_path: Path) -> None:
    pairs = [(k, year) for k in range(5) for year in range(2011, 2020)]
    rows = [f"Land {k},L{k},{year},{60 + k + year % 10 / 8}" for k, year in pairs]
    text = "\n".join(["Land,Kode,Jahr,Messung", *rows])
    choices = offered(read_text(tmp_path, text))
    assert {"kind": "none"} in choices
    assert all(choice.get("row") != "person" for choice in choices)
