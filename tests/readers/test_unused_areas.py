"""Columns of areas that are not levels, stated once all settings are known."""

from pathlib import Path

from hierdp_core.readers.reading import read_here
from hierdp_core.readers.result import Reading
from tests.support.answers import offered, read_text, total

# Zones that lie in towns, of which zone 30 has voters in two towns.
_ZONES = (("Aalen", 10), ("Aalen", 20), ("Bopfingen", 30), ("Lauchheim", 30), ("Lauchheim", 40))


def _voters() -> str:
    rows = [
        f"{town};{zone};{sex};{120 + 13 * k + len(sex)}"
        for k, (town, zone) in enumerate(_ZONES) for sex in ("männlich", "weiblich")
    ]  # fmt: skip
    return "gemeinde;wahlbezirk;geschlecht;wahlberechtigte\n" + "\n".join(rows)


def _states(reading: Reading, words: str) -> bool:
    return any(words in line for line in reading.report.lines())


def test_areas_whose_rows_are_added_over_others_are_stated(tmp_path: Path) -> None:
    stated = {"levels": ("wahlbezirk",), "count": "wahlberechtigte", "add_up": True}
    reading = read_text(tmp_path, _voters(), **stated)
    assert _states(reading, '"gemeinde" seems to hold areas and is not a level')
    both = read_text(
        tmp_path, _voters(), **{**stated, "levels": ("gemeinde", "wahlbezirk"), "within": True}
    )
    assert total(both) == total(reading)
    assert not _states(both, "to hold areas")


def test_an_upper_level_that_an_answer_leaves_out_is_stated(tmp_path: Path) -> None:
    rows = [f"{k};P{k % 2};P{k % 2}D{k % 4};P{k % 2}D{k % 4}S{k % 8};{k % 3}" for k in range(96)]
    text = "nr;province;district;subdistrict;children\n" + "\n".join(rows)
    lower = read_text(tmp_path, text, row="person", levels=("district", "subdistrict"))
    assert _states(lower, '"province" seems to hold upper areas and is not a level')
    whole = read_text(tmp_path, text, row="person", levels=("province", "district", "subdistrict"))
    assert not _states(whole, "to hold")


def test_names_of_levels_and_categories_are_not_stated(tmp_path: Path) -> None:
    rows = [
        f"{k};0{k % 4};Ort {k % 4};{'Stadt' if k % 4 else 'Land'};{'ja' if k % 3 else 'nein'}"
        for k in range(80)
    ]  # fmt: skip
    text = "nr;gemeinde_code;gemeinde_name;area_type;verletzt\n" + "\n".join(rows)
    reading = read_text(tmp_path, text, row="person", levels=("gemeinde_code",))
    assert not _states(reading, "to hold")


def test_stations_of_voters_are_offered_below_their_districts(tmp_path: Path) -> None:
    parties = ("Rot", "Blau", "Grün")
    rows = [
        f"{d};{name};{s};{who} {d % 7};{party};{'Y' if party == 'Rot' else 'N'};{who[0]};"
        f"{17 + (d * 3 + s * 11 + k * 29) % 140}"
        for d, name in ((101, "Nord"), (102, "Süd"), (103, "West"))
        for s in range(1, 3 + d % 3 + 1)
        for k, (party, who) in enumerate(zip(parties, ("Ada", "Ben", "Cem"), strict=True))
    ]  # fmt: skip
    head = (
        "district_number;district_name;polling_station_number;candidate_name;party;"
        "elected_indicator;candidate_middle_name;votes"
    )
    reading = read_text(tmp_path, f"{head}\n" + "\n".join(rows), count="votes")
    answers = offered(reading)
    levels = answers[0].get("levels")
    assert isinstance(levels, tuple)
    assert levels[0].startswith("district")
    assert levels[1:] == ("polling_station_number",)
    assert answers[0].get("within") is True
    assert not any("candidate_middle_name" in str(a.get("levels")) for a in answers)


def test_a_list_of_areas_without_a_header_names_the_levels_of_records(tmp_path: Path) -> None:
    areas = (("10101", "Ebene", "Mitte", "Kirche"), ("10102", "Ebene", "Mitte", "Schule"),
             ("10205", "Ebene", "Rand", "Halle"), ("20103", "Berge", "Tal", "Markt"))  # fmt: skip
    surnames = ("WEBER", "KOCH", "MAIER", "LANG", "FUCHS", "BRAUN", "VOGEL")
    rows = [
        ",".join((f"{400_000_007 + 613 * k}", areas[k % 4][0], surnames[k % 7],
                  surnames[(k * 3 + 1) % 7]))
        for k in range(140)
    ]  # fmt: skip
    table, lookup = tmp_path / "roll.csv", tmp_path / "places.csv"
    table.write_text("\n".join(rows))
    lookup.write_text("\n".join(",".join(area) for area in areas))
    first = offered(read_here([table, lookup]))
    assert any(answer.get("row") == "person" for answer in first)
    ways = [a.get("levels") for a in offered(read_here([table, lookup], stated={"row": "person"}))]
    assert ways
    assert isinstance(ways[0], tuple)
    assert "list column 2" in ways[0]
    assert not {"column 3", "column 4"} & {*ways[0]}
