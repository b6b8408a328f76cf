"""Columns with the kind of an area are not levels, and two breakdowns of a total do not nest."""

from pathlib import Path

from tests.support.answers import offered, read_text, total

_DISTRICTS = {"Dol": 6, "Hory": 5, "Luh": 4}


def _municipalities() -> list[tuple[str, str, int, int]]:
    return [
        (district, f"{district} {k}", 1 + k * k % 3, 310 + 47 * k + 13 * len(district))
        for district, n in _DISTRICTS.items() for k in range(n)
    ]  # fmt: skip


def test_a_code_that_alternates_within_districts_is_no_level(tmp_path: Path) -> None:
    rows = _municipalities()
    text = "okres,obec,area_code,obyvatel\n" + "\n".join(
        f"{okres},{obec},{kind},{n}" for okres, obec, kind, n in rows
    )
    reading = read_text(tmp_path, text, count="obyvatel")
    assert reading.layout is not None
    assert reading.layout.levels == ("okres", "obec")
    assert total(reading) == sum(n for *_, n in rows)


def test_regions_whose_rows_stand_together_stay_levels(tmp_path: Path) -> None:
    rows = sorted(_municipalities(), key=lambda row: row[2])
    text = "area_code,obec,obyvatel\n" + "\n".join(
        f"{kind},{obec},{n}" for _, obec, kind, n in rows
    )
    reading = read_text(tmp_path, text, count="obyvatel")
    assert reading.layout is not None
    assert reading.layout.levels == ("area_code", "obec")


def test_two_breakdowns_of_a_total_are_not_nested(tmp_path: Path) -> None:
    # A country, its two states, and then the districts of both.
    names = ("Ganzes", "Oberland", "Unterland", "Au", "Bach", "Feld", "Moos", "Ried")
    values = (990_445, 530_411, 460_034, 210_300, 320_111, 120_017, 140_009, 200_008)
    text = "area,people\n" + "\n".join(map("{},{}".format, names, values))
    reading = read_text(tmp_path, text, count="people")
    assert reading.layout is None or reading.layout.outline != "sums"
    assert {"outline": "none"} not in offered(reading)


def test_levels_in_one_list_are_asked_about_by_the_column_that_names_them(tmp_path: Path) -> None:
    own = {"07": {"Au": 2210, "Bach": 1873, "Feld": 2047}, "03": {"Moos": 1420, "Ried": 1655}}
    states = {code: sum(parts.values()) for code, parts in own.items()}
    lines = [("Bund", "99", "Ganzes", "", sum(states.values()))]
    lines += [("Land", code, f"Land {code}", "99", n) for code, n in states.items()]
    number = 101
    for code, parts in own.items():
        for name, n in parts.items():
            lines.append(("Wahlkreis", str(number), name, code, n))
            number += 1
    text = "Art;Gebietsnummer;Gebietsname;ObereGebietsnummer;Anzahl\n" + "\n".join(
        ";".join(map(str, line)) for line in lines
    )
    first = read_text(tmp_path, text, count="Anzahl")
    answer = {"keep": ("Art=Wahlkreis",)}
    assert answer in offered(first)
    reading = read_text(tmp_path, text, count="Anzahl", **answer)
    assert total(reading) == sum(states.values())
    assert reading.layout is not None
    assert reading.layout.levels == ("ObereGebietsnummer", "Gebietsnummer")
