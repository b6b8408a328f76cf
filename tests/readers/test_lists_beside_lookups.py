"""Lists of trips and persons beside lookups: both ends, check digits, and numbers of households."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hierdp_core.readers import Reading
from hierdp_core.readers.reading import read_here
from hierdp_core.tables import Flows

_RNG = np.random.default_rng(31)
_ZONES = {
    k: (f"Zona {name}", "Norte" if k % 2 else "Sul")
    for k, name in enumerate(("Alta", "Baixa", "Cais", "Douro", "Foz", "Lapa"), start=1)
}
_ENDS = _RNG.integers(1, 7, (160, 2)).tolist()


def read(folder: Path, stated: Mapping[str, Any], **texts: str) -> Reading:
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return read_here([folder / f"{name}.csv" for name in texts], stated=stated)


def answers(reading: Reading) -> list[dict[str, Any]]:
    return [dict(choice.stated) for fault in reading.report.faults for choice in fault.choices]


def _rides(blank: int = 0) -> str:
    lines = ["ride_id,seconds,pickup_service_area,dropoff_service_area,fare_total"]
    for k, (a, b) in enumerate(_ENDS):
        start = "" if k < blank else a
        lines.append(f"r{k:05},{60 + 7 * (k % 31)},{start},{b},{5 + k % 9}.5")
    return "\n".join(lines)


_LIST = "number,name,side\n" + "".join(f"{k},{n},{s}\n" for k, (n, s) in _ZONES.items())


def test_rows_with_a_number_of_a_ride_are_first_offered_as_trips(tmp_path: Path) -> None:
    first, *_ = answers(read(tmp_path, {}, rides=_rides()))
    assert first == {"kind": "flows", "row": "trip"}


def test_a_lookup_is_joined_to_both_ends_of_a_list_of_trips(tmp_path: Path) -> None:
    stated = {"kind": "flows", "row": "trip"}
    reading = read(tmp_path, stated, rides=_rides(), areas=_LIST)
    assert isinstance(reading.table, Flows), reading.report.lines()
    assert reading.table.values.sum() == len(_ENDS)
    regions = reading.table.regions
    assert regions.tree.level_sizes.tolist() == [1, 2, 6]
    assert {*regions.names[regions.tree.leaves]} == {name for name, _ in _ZONES.values()}


def test_a_trip_without_an_end_does_not_get_that_of_the_row_above(tmp_path: Path) -> None:
    reading = read(tmp_path, {"kind": "flows", "row": "trip"}, rides=_rides(blank=3))
    offered = answers(reading)
    assert {"leave_out": ("pickup_service_area=",)} in offered
    assert not [one for one in offered if "fill_down" in one]


_CODES = {f"31{k:04}": ("Leste" if k < 6 else "Oeste") for k in range(1, 13)}


def _births(extra: str = "") -> str:
    codes = [*_CODES, *([extra] if extra else [])]
    rows = [(codes[k % len(codes)], 18 + k % 25, "FM"[k % 2]) for k in range(240)]
    return "muncod,age,sex\n" + "".join(f"{code},{age},{sex}\n" for code, age, sex in rows)


_REGISTER = "region,full_code,town\n" + "".join(
    f"{region},{code}{(7 * k) % 10},Town {k}\n" for k, (code, region) in enumerate(_CODES.items())
)


def test_codes_are_joined_to_codes_with_a_check_digit(tmp_path: Path) -> None:
    reading = read(tmp_path, {}, births=_births(), towns=_REGISTER)
    ids = {finding.id for finding in reading.report.findings}
    assert {"joined", "check-digit"} <= ids
    assert "second-table" not in ids


def test_codes_of_other_lengths_are_not_cut(tmp_path: Path) -> None:
    longer = _REGISTER.replace("\n", "9\n").replace(",Town", "9,Town")
    ids = {f.id for f in read(tmp_path, {}, births=_births(), towns=longer).report.findings}
    assert "check-digit" not in ids
    assert "second-table" in ids


def test_rows_with_unknown_codes_can_be_left_out(tmp_path: Path) -> None:
    unknown = read(tmp_path, {}, births=_births("310000"), towns=_REGISTER)
    (leave_out,) = [one for one in answers(unknown) if "leave_out" in one]
    after = read(tmp_path, leave_out, births=_births("310000"), towns=_REGISTER)
    assert "not-in-lookup" not in {f.id for f in after.report.findings}


@pytest.mark.parametrize("household", ["husholdning_nr", "numer_gospodarstwa", "kotitalous_id"])
def test_a_number_of_a_household_is_no_level_in_other_languages(
    tmp_path: Path, household: str
) -> None:
    lines = [f"pid,county,parish,{household},etternavn,kjonn,alder"]
    for k in range(200):
        parish = k // 10
        name = ("Hansen", "Olsen", "Berg", "Lie", "Dahl")[k % 5]
        lines.append(f"p{k:04},C{parish // 10},S{parish:02},{k // 4},{name},{'mk'[k % 2]},{k % 80}")
    reading = read(tmp_path, {}, persons="\n".join(lines))
    for stated in answers(reading):
        assert household not in stated.get("levels", ())
        assert "etternavn" not in stated.get("levels", ())
    persons = read(tmp_path, {"kind": "counts", "row": "person"}, persons="\n".join(lines))
    assert persons.table is not None, persons.report.lines()
    assert persons.table.regions.tree.level_sizes.tolist() == [1, 2, 20]


def test_a_column_of_kinds_of_area_is_no_level(tmp_path: Path) -> None:
    lines = ["nazwa,jednostka_poziom,osoby"]
    total = {"A": 0, "B": 0}
    for k in range(12):
        upper = "A" if k < 6 else "B"
        total[upper] += 100 + 7 * k
    lines.append(f"Kraj,makroregion,{sum(total.values())}")
    for upper, name in (("A", "Wschod"), ("B", "Zachod")):
        lines.append(f"{name},region,{total[upper]}")
        lines += [
            f"Powiat {k},powiat,{100 + 7 * k}" for k in range(12) if (k < 6) == (upper == "A")
        ]
    reading = read(tmp_path, {}, people="\n".join(lines))
    levels = [one.get("levels", ()) for one in answers(reading)]
    levels += [reading.layout.levels] if reading.layout else []
    assert not any("jednostka_poziom" in one for one in levels)
