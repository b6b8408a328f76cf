"""Columns with the kind of an area are not levels, and two breakdowns of a total do not nest."""

from pathlib import Path

import pytest

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


def test_sums_are_upper_levels_only_where_their_parts_add_up(tmp_path: Path) -> None:
    # A country, its three regions, and then its towns, which no column assigns to regions.
    towns = [2310 + 397 * k * k % 1871 for k in range(20)]
    regions = [sum(towns[:9]) - 13, sum(towns[9:15]) + 30, sum(towns[15:]) - 17]
    rows = [("0", "Land", sum(towns))]
    rows += [(f"1{k}", f"Region {k}", n) for k, n in enumerate(regions)]
    rows += [(f"2{k:02d}", f"Town {k}", n) for k, n in enumerate(towns)]
    text = "code,name,people\n" + "\n".join(map("{},{},{}".format, *zip(*rows, strict=True)))
    reading = read_text(tmp_path, text, count="people")
    assert reading.table is None
    assert {"outline": "sums"} not in offered(reading)


@pytest.mark.parametrize("heading", ["of which: large towns", "（再掲）大都市", "darunter:"])
def test_parts_repeated_below_a_heading_are_left_out_by_an_answer(
    tmp_path: Path, heading: str
) -> None:
    # In a CSV file, such a heading has a single cell.
    own = {f"{k:02d}": (210 + 37 * k % 101, 90 + 23 * k % 67) for k in range(1, 13)}
    towns = {f"{k:02d}1": (60 + k, 31 + k) for k in (2, 5, 9)}
    sums = tuple(sum(column) for column in zip(*own.values(), strict=True))
    rows = [("00", *sums), *((code, *n) for code, n in own.items())]
    above = "\n".join(f"{code},Area {code},{one},{two}" for code, one, two in rows)
    below = "\n".join(f"{code},Town {code},{one},{two}" for code, (one, two) in towns.items())
    text = (
        f"code,name,1 person,2 persons\n{above.replace('Area 00', 'Total')}\n{heading}\n{below}\n"
    )
    first = read_text(tmp_path, text)
    assert first.table is None
    parts = ("code=021", "code=051", "code=091")
    left_out = (f"code={heading}",) if offered(first) != [{"leave_out": parts}] else ()
    second = read_text(tmp_path, text, leave_out=left_out)
    assert offered(second) == [{"leave_out": (*left_out, *parts)}]
    reading = read_text(tmp_path, text, leave_out=(*left_out, *parts))
    assert total(reading) == sum(sums)
