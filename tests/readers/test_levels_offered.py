"""Levels and sizes that a report offers for tables of offices, of records and of flows."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.support.answers import offered, read_text, total


def test_codes_with_letters_for_each_level_are_offered_with_all_levels(tmp_path: Path) -> None:
    rows = []
    for town in ("0160", "0161", "0162"):
        parts = [(f"{town}{d:02}", [f"{town}{d:02}{k:02}" for k in range(3)]) for d in range(2)]
        rows.append(f"Town {town},Gemeente,GM{town},600")
        for district, quarters in parts:
            rows.append(f"Town {town},Wijk,WK{district},300")
            rows += [f"Town {town},Buurt,BU{q},{90 + 10 * k}" for k, q in enumerate(quarters)]
    text = "\n".join(["gemeente,soort,code,inwoners", *rows])
    answer = offered(read_text(tmp_path, text))[0]
    assert answer == {"levels": ("code",), "prefix": (6, 8, 10), "keep": ("soort=Buurt",)}
    table = read_text(tmp_path, text, **answer).table
    assert table is not None
    assert np.sort(table.values)[::-1][:10].tolist() == [1800, *[600] * 3, *[300] * 6]
    assert len(table.values) == 1 + 3 + 6 + 18


def test_states_above_the_towns_of_persons_are_offered(tmp_path: Path) -> None:
    towns = {f"{11 + k // 4}00{k:02}": ("AA", "BB", "CC")[k // 4] for k in range(12)}
    codes = list(towns)
    rows = [
        f"{code},{codes[(k + step) % 12]},{towns[code]}"
        for k, code in enumerate(codes)
        for step in range(5)
    ]
    text = "\n".join(["codmunres,codmunocor,sigla_uf", *rows])
    stated = {"kind": "counts", "row": "person"}
    levels = [choice.get("levels") for choice in offered(read_text(tmp_path, text, **stated))]
    assert ("sigla_uf", "codmunres") in levels
    assert ("codmunres",) in levels


def test_numbers_of_airports_are_no_level_beside_their_letters(tmp_path: Path) -> None:
    names = ["ATL", "BOS", "LAX", "ORD", "SEA"]
    airports = {code: 10_100 + 37 * k for k, code in enumerate(names)}
    rows = [
        f"{airports[one]},{one},{airports[other]},{other},{100 + 7 * k}"
        for k, (one, other) in enumerate(product(airports, repeat=2))
        if one != other
    ]
    header = "origin_airport_id,origin,dest_airport_id,dest,passengers"
    reading = read_text(tmp_path, "\n".join([header, *rows]), kind="flows")
    assert reading.layout is not None
    assert reading.layout.levels == ("origin",)


def test_the_size_of_a_family_is_a_size_and_no_count(tmp_path: Path) -> None:
    rows = [
        f"{number},Camp {number % 3},B{number % 9},{1 + number * 7 % 6}" for number in range(180)
    ]
    reading = read_text(tmp_path, "\n".join(["family_no,camp,block,family_size", *rows]))
    assert total(reading) == 180


@pytest.mark.parametrize("names", ["GEO1_BO2012,GEO2_BO2012", "GEOLEV1,GEOLEV2"])
def test_numbers_of_regions_of_a_survey_are_levels(tmp_path: Path, names: str) -> None:
    reading = read_text(tmp_path, _nested(names), kind="counts", row="person")
    assert reading.table is not None, reading.report.lines()
    assert reading.table.regions.tree.level_sizes.tolist() == [1, 3, 9]


def test_numbers_that_begin_with_those_beside_them_are_offered_as_levels(tmp_path: Path) -> None:
    text = _nested("upper,lower")
    answers = offered(read_text(tmp_path, text, kind="counts", row="person"))
    assert answers[0] == {"levels": ("upper", "lower")}
    table = read_text(tmp_path, text, kind="counts", row="person", **answers[0]).table
    assert table is not None
    assert table.regions.tree.level_sizes.tolist() == [1, 3, 9]


def _nested(names: str) -> str:
    rows = [
        f"68,{9 + k % 4}.73,6800{k % 3},6800{k % 3}00{k % 9 // 3},{k % 5 + 1},{(k * 7) % 80},"
        f"{k % 2 + 1}"
        for k in range(180)
    ]
    return "\n".join([f"COUNTRY,HHWT,{names},PERNUM,AGE,SEX", *rows])


@pytest.mark.parametrize("name", ["place_of_death", "zone", "branch", "department", "community"])
@pytest.mark.parametrize("left_out", [0, 4])
def test_categories_named_like_places_are_asked_about(
    tmp_path: Path, name: str, left_out: int
) -> None:
    towns = ("Arno", "Ebon", "Jaluit", "Likiep", "Majuro", "Mili", "Wotje", "Utrik")
    values = ("Home", "Hospital", "Other")
    rows = [
        f"{value},{'North' if k < 4 else 'South'},{town},{97 + 31 * k + 7 * j}"
        for j, value in enumerate(values)
        for k, town in enumerate(towns)
        if (3 * k + j) % 5 or not left_out
    ]
    text = "\n".join([f"{name},region,district,people", *rows])
    assert {"levels": ("region", "district")} in offered(read_text(tmp_path, text))
