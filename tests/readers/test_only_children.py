"""Sums with a single part that is a sum itself, and columns with the same codes."""

from pathlib import Path

import numpy as np

from hierdp_core.readers.columns.sums import nested_sums
from tests.support.answers import offered, read_text, total

_COUNTS = (
    ("Land", 0), ("Region Nord", 1), ("Wahlkreis 1", 2), ("Amt A", 3), ("Ort a", 4),
    ("Briefwahl A", 4), ("Amt B", 3), ("Ort b", 4), ("Ort c", 4), ("Ort d", 4),
    ("Region Süd", 1), ("Wahlkreis 2", 2), ("Amt C", 3), ("Ort e", 4), ("Ort f", 4),
    ("Amt D", 3), ("Ort g", 4), ("Ort h", 4),
)  # fmt: skip
_LOWEST = {
    "Ort a": 8147, "Briefwahl A": 0, "Ort b": 3391, "Ort c": 1203, "Ort d": 2777,
    "Ort e": 9913, "Ort f": 4409, "Ort g": 6551, "Ort h": 5023,
}  # fmt: skip


def _parents() -> list[int]:
    above: list[int] = []
    parents = []
    for row, (_, depth) in enumerate(_COUNTS):
        above = [*above[:depth], row]
        parents.append(above[depth - 1] if depth else -1)
    return parents


def _values() -> list[int]:
    values = [_LOWEST.get(name, 0) for name, _ in _COUNTS]
    parents = _parents()
    for row in reversed(range(1, len(values))):
        values[parents[row]] += values[row]
    return values


def test_the_parts_lie_below_the_only_part_of_a_sum() -> None:
    assert nested_sums(np.array(_values(), dtype=np.int64)).parent.tolist() == _parents()


def test_sums_with_an_only_part_are_read_as_levels(tmp_path: Path) -> None:
    rows = [f"{n};{v}" for (n, _), v in zip(_COUNTS, _values(), strict=True)]
    text = "Gebiet;Wahlberechtigte\n" + "\n".join(rows)
    reading = read_text(tmp_path, text, outline="sums")
    assert total(reading) == sum(_LOWEST.values())
    assert reading.table is not None
    assert reading.table.regions.tree.n_leaves == len(_LOWEST)


def test_an_only_part_without_parts_lies_below_its_sum() -> None:
    # Two towns are the only ones of their counties.
    values = [9100, 4000, 4000, 5100, 2100, 3000, 7300, 1200, 6100]
    parents = nested_sums(np.array(values, dtype=np.int64)).parent.tolist()
    assert parents[2] == 1
    assert parents[4:6] == [3, 3]
    assert parents[7:] == [6, 6]


def test_a_second_column_of_the_same_codes_is_no_level(tmp_path: Path) -> None:
    schools = [(11, 11007, 3, 61), (11, 11007, 5, 44), (11, 11019, 2, 73), (27, 27004, 8, 52),
               (27, 27004, 9, 87), (27, 27031, 4, 38)]  # fmt: skip
    rows = [f"{p};{p};{d};{d}{s:03d};{n}" for p, d, s, n in schools]
    text = "provid;province_agency_no;districtid;schoolid;pupils\n" + "\n".join(rows)
    reading = read_text(tmp_path, text, count="pupils")
    ways = [
        list(a["levels"]) for a in offered(reading)
        if isinstance(a.get("levels"), tuple)
    ]  # fmt: skip
    if reading.layout is not None:
        ways.append(list(reading.layout.levels))
    assert ways
    assert not any({"provid", "province_agency_no"} <= {*way} for way in ways)


def test_a_mean_number_of_passengers_is_offered_for_flows(tmp_path: Path) -> None:
    stops = ("Kastrup", "Nørreport", "Valby", "Ryparken")
    rows = [
        f"{hour};{a};{b};{37.25 * (k + 1) + 11.5 * (m + 1) + hour / 3:.3f}"
        for hour in (7, 16) for k, a in enumerate(stops) for m, b in enumerate(stops) if a != b
    ]  # fmt: skip
    text = "hour;origin_station;destination_station;average_passengers\n" + "\n".join(rows)
    answers = offered(read_text(tmp_path, text))
    assert answers[0].get("count") == "average_passengers"
