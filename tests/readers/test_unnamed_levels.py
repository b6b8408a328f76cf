"""Surveys and flows with opaque names of columns: what is asked before they are read."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.answers import offered, read_text, total

from hierdp_core.readers.reading import read_here
from hierdp_core.readers.result import Reading
from hierdp_core.tables import Flows

_RESULTS = ("complete", "refused", "nobody at home")


def sizes(reading: Reading) -> list[int]:
    assert reading.table is not None, reading.report.lines()
    found: list[int] = reading.table.regions.tree.level_sizes.tolist()
    return found


def trips(reading: Reading) -> int:
    assert isinstance(reading.table, Flows), reading.report.lines()
    return int(reading.table.total)


def households() -> Iterator[tuple[int, int, int, str, float]]:
    """Yield district, segment, number in the segment, result of the interview, and a factor."""
    for k in range(72):
        segment = k // 6
        yield 1 + segment // 4, 101 + segment, 1 + k % 6, _RESULTS[k * k % 3], 40.5 + k % 11


def survey(*heads: str) -> str:
    return "\n".join(",".join(map(str, row)) for row in (heads, *households()))


def test_a_result_of_interviews_is_no_level_without_a_question(tmp_path: Path) -> None:
    text = survey("q1", "q2", "q3", "q4", "q5")
    once = read_text(tmp_path, text, kind="counts", row="person")
    assert once.table is None
    ways = [answer["levels"] for answer in offered(once)]
    assert ways[0] == ("q1", "q2")
    assert ("q4",) in ways
    assert not any("q5" in way for way in ways)
    chosen = read_text(tmp_path, text, kind="counts", row="person", levels=("q1", "q2"))
    assert sizes(chosen) == [1, 3, 12]
    assert total(chosen) == 72


def test_a_level_that_is_named_after_areas_is_not_doubted(tmp_path: Path) -> None:
    text = survey("district", "q2", "q3", "q4", "weight").replace(",weight", ",q5", 1)
    reading = read_text(tmp_path, text, kind="counts", row="person", levels=("district",))
    assert sizes(reading) == [1, 3]


@pytest.mark.parametrize("written", ["stata", "spss"])
def test_labels_of_columns_say_what_they_hold(tmp_path: Path, written: str) -> None:
    heads = {"a1": "District of residence", "a2": "Enumeration area", "a3": "Dwelling number",
             "a4": "Result of the interview", "a5": "Expansion factor"}  # fmt: skip
    frame = pd.DataFrame(households(), columns=list(heads)).astype({"a1": float, "a2": float})
    if written == "stata":
        path = tmp_path / "t.dta"
        frame.to_stata(path, write_index=False, variable_labels=heads)
    else:
        library = pytest.importorskip("pyreadstat")
        path = tmp_path / "t.sav"
        library.write_sav(frame, path, column_labels=heads)
    first = read_here([path])
    assert any(answer.get("count") == "a5" for answer in offered(first))
    once = read_here([path], stated={"kind": "counts", "row": "person"})
    assert [answer["levels"] for answer in offered(once)] == [("a1", "a2"), ("a1",)]


def test_numbers_with_decimals_may_be_weights(tmp_path: Path) -> None:
    text = survey("district", "area", "sex", "answer", "k7")
    first = read_text(tmp_path, text)
    assert first.table is None
    weighted = next(answer for answer in offered(first) if answer.get("count") == "k7")
    reading = read_text(tmp_path, text, **weighted)
    assert total(reading) == round(sum(row[-1] for row in households()))


@pytest.mark.parametrize("name", ["Latitude", "bmi", "income", "easting"])
def test_other_numbers_with_decimals_are_no_weights(tmp_path: Path, name: str) -> None:
    text = survey("district", "area", "sex", "age_group", name)
    assert not any(answer.get("count") == name for answer in offered(read_text(tmp_path, text)))


def test_groups_of_a_survey_may_count_with_weights(tmp_path: Path) -> None:
    rows = [f"{1 + k // 20},{1 + k % 5},{30.25 + k % 7}" for k in range(60)]
    text = "\n".join(["district,household_size,weight", *rows])
    first = read_text(tmp_path, text)
    assert first.table is None
    assert offered(first)[0] == {"kind": "group-sizes", "size": "household_size", "row": "group"}
    assert any(answer.get("count") == "weight" for answer in offered(first))
    assert total(read_text(tmp_path, text, **offered(first)[0])) == 60


def test_persons_of_two_places_may_count_with_weights(tmp_path: Path) -> None:
    towns = ("Ash", "Birch", "Cedar", "Elm")
    rng = np.random.default_rng(4)
    homes, works = rng.integers(0, 4, (2, 80)).tolist()
    rows = [
        f"{towns[h]},{towns[w]},{20 + k % 40},{2.5 + k % 3}"
        for k, (h, w) in enumerate(zip(homes, works, strict=True))
    ]
    text = "\n".join(["Wohngemeinde,Arbeitsgemeinde,Alter,Gewicht", *rows])
    answers = offered(read_text(tmp_path, text))
    weighted = [a for a in answers if a.get("count") == "Gewicht" and a.get("kind") == "flows"]
    assert weighted[0]["levels"] == ("Wohngemeinde",)
    assert trips(read_text(tmp_path, text, **weighted[0])) == pytest.approx(
        sum(2.5 + k % 3 for k in range(80)), abs=16
    )


# --------------------------------------------------------------------- records that look like areas


def registered(k: int) -> str:
    """Return a random identifier."""
    word = f"{k * 2654435761 % 2**32:08x}"
    return f"{word}-{k:04x}-4c3b-{word}{k:04x}"


def test_random_identifiers_and_coordinates_are_no_areas_and_no_counts(tmp_path: Path) -> None:
    rows = [
        f"{registered(k)},{'NS'[k % 2]},{10 * (k % 2) + k % 4},{2_600_000 + 371 * k},"
        f"{1_200_000 + 911 * k},{1 + k % 12}"
        for k in range(60)
    ]
    head = "CrashUID,CantonCode,TownCode,CrashLocation_E,CrashLocation_N,CrashMonth"
    reading = read_text(tmp_path, "\n".join([head, *rows]))
    assert reading.table is None
    answers = offered(reading)
    assert not any("CrashUID" in str(answer) for answer in answers)
    assert not any(answer.get("size") for answer in answers)
    assert answers[0] == {"kind": "counts", "row": "person"}
    fault = next(f for f in reading.report.faults if f.choices)
    assert all("although" in c.words for c in fault.choices if "Location" in c.words)


def test_households_with_identifiers_are_groups_and_no_areas(tmp_path: Path) -> None:
    rows = [f"{registered(k)},D{k // 30},T{k // 10},{1 + k % 6},{k % 3}" for k in range(90)]
    text = "\n".join(["uuid,district,town,hh_size,num_children", *rows])
    first = read_text(tmp_path, text)
    assert first.table is None
    assert offered(first)[0] == {"size": "hh_size", "row": "group"}
    reading = read_text(tmp_path, text, **offered(first)[0])
    assert sizes(reading) == [1, 3, 9]
    assert total(reading) == 90


def test_members_of_households_are_not_added_up_beside_weights_without_a_question(
    tmp_path: Path,
) -> None:
    rows = [f"{k % 5:02},{k // 4:03},{100 + k % 7},{k % 4},{k % 3},{k % 4 + k % 3}"
            for k in range(80)]  # fmt: skip
    text = "\n".join(["estado,upm,factor,hombres,mujeres,integrantes", *rows])
    first = read_text(tmp_path, text)
    assert first.table is None
    assert any(answer.get("row") == "person" for answer in offered(first))


def test_numbers_of_rows_are_no_areas_where_years_distinguish_the_rows(tmp_path: Path) -> None:
    rows = [f"{k + 1},{31 + k // 6 % 2},{310 + k % 12},{50 + 7 * k},{2022 + k // 12}"
            for k in range(24)]  # fmt: skip
    reading = read_text(tmp_path, "\n".join(["id,kode_kab,kode_kec,penduduk,tahun", *rows]))
    assert reading.table is None
    assert [answer["keep"] for answer in offered(reading)] == [("tahun=2023",), ("tahun=2022",)]


# ------------------------------------------------------------------------------------------ flows


def pairs(*heads: str, number: str = "{}") -> str:
    """Return a table with one row for each pair of six zones of two provinces."""
    rows = [
        ",".join([f"P{1 + one // 3}", f"0{one}", f"P{1 + other // 3}", f"0{other}",
                  number.format(100 + 17 * one + 29 * other)])
        for one in range(6) for other in range(6)
    ]  # fmt: skip
    return "\n".join([",".join(heads), *rows])


_WHOLE = sum(100 + 17 * one + 29 * other for one in range(6) for other in range(6))


@pytest.mark.parametrize("name", ["Dim: Mode (2): Member ID: [1]: Total - Mode", "C17-001"])
def test_pairs_with_one_row_each_are_no_single_trips(tmp_path: Path, name: str) -> None:
    heads = ("PR (home)", "ZONE (home)", "PR (work)", "ZONE (work)")
    text = pairs(*heads, name)
    answer: dict[str, object] = {}
    reading = read_text(tmp_path, text)
    while reading.table is None and offered(reading):
        answer |= offered(reading)[0]
        reading = read_text(tmp_path, text, **answer)
    assert trips(reading) == _WHOLE


def test_names_of_codes_at_both_ends_are_no_level_where_one_repeats(tmp_path: Path) -> None:
    names = ("Ash", "Birch", "Cedar", "Ash", "Elm", "Fir")
    rows = [
        f"Z0{one},{names[one]},Z0{other},{names[other]},{10 + one + other}"
        for one in range(6) for other in range(6)
    ]  # fmt: skip
    heads = "AREA_CODE (from),AREA_NAME (from),AREA_CODE (to),AREA_NAME (to),people"
    answers = offered(read_text(tmp_path, "\n".join([heads, *rows])))
    named = [a for a in answers if any("NAME" in str(a.get(w)) for w in ("levels", "destinations"))]
    assert not named


@pytest.mark.parametrize(
    ("home", "away"),
    [
        ("bostedskommune", "arbeidsstedskommune"),
        ("bopælskommune", "arbejdsstedskommune"),
        ("Wohnort", "Arbeitsort"),
        ("DCRAN", "CODGEO"),
    ],
)
def test_the_likely_direction_of_a_flow_comes_first(tmp_path: Path, home: str, away: str) -> None:
    rows = [f"0{one}7{one},0{other}7{other},{9 + one}" for one in range(6) for other in range(6)]
    for heads in ((home, away), (away, home)):
        reading = read_text(tmp_path, "\n".join([",".join([*heads, "antall"]), *rows]))
        flows = [a for a in offered(reading) if a.get("kind") == "flows"]
        assert reading.table is not None or flows[0]["levels"] == (home,)


def test_peruvian_codes_have_three_levels(tmp_path: Path) -> None:
    rows = [f"{d:02}{p:02}0{k},{10 + k}" for d in (1, 15) for p in (1, 2) for k in (1, 2, 3)]
    assert sizes(read_text(tmp_path, "\n".join(["UBIGEO,poblacion", *rows]))) == [1, 2, 4, 12]


def test_groups_with_a_stated_size_are_not_read_as_columns_of_sizes(tmp_path: Path) -> None:
    rows = [f"{1 + k // 6},{1 + k % 6},Area {1 + k // 24},{k % 5 + 1}" for k in range(96)]
    text = "\n".join(["HH1,HH2,region,members", *rows])
    answer = {"kind": "group-sizes", "row": "group", "size": "members", "levels": ("region",)}
    reading = read_text(tmp_path, text, **answer)
    assert total(reading) == 96
    assert sizes(reading) == [1, 4]


def test_words_for_the_ends_of_flows_are_no_part_of_the_names(tmp_path: Path) -> None:
    towns = ("Ash", "Birch", "Cedar", "Elm", "Fir")
    rows = [
        f'"{one}, town of origin","{other}, town of destination",{10 + k + 7 * j}'
        for k, one in enumerate(towns) for j, other in enumerate(towns) if one != other
    ]  # fmt: skip
    text = "\n".join(["GEO,Place,VALUE", *rows])
    stated = {"kind": "flows", "levels": ("GEO",), "destinations": ("Place",), "count": "VALUE"}
    reading = read_text(tmp_path, text, **stated)
    assert sizes(reading) == [1, 5]
    assert reading.table is not None
    assert reading.table.regions.names[1:] == towns


def test_cells_may_be_separated_by_carets(tmp_path: Path) -> None:
    rows = [f"A{k // 3}^B{k}^{10 + k}" for k in range(9)]
    reading = read_text(tmp_path, "\n".join(["region^town^people", *rows]))
    assert sizes(reading) == [1, 3, 9]
    assert total(reading) == sum(10 + k for k in range(9))


def test_a_question_on_areas_states_how_many_columns_it_does_not_offer(tmp_path: Path) -> None:
    names = ",".join(f"q{k}" for k in range(1, 11))
    text = f"{names},people\n0.5,1.5,2.5,3.5,4.5,1.5,2.5,3.5,1.5,2.5,10\n"
    reading = read_text(tmp_path, text)
    (fault,) = reading.report.faults
    assert "2 further columns can be named with the setting levels" in fault.what
    assert offered(reading) == [{"levels": (f"q{k}",)} for k in range(1, 9)]
