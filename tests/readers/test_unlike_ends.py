"""Flows between places of different kinds, some of whose origins are totals."""

from itertools import product
from pathlib import Path

from tests.support.answers import offered, read_text

_PARISHES = [f"{7100 + 3 * k}" for k in range(7)]
_CLINICS = [f"K{k:03}" for k in range(5)]


def _patients() -> str:
    rows = []
    for k, (home, clinic) in enumerate(product(range(7), range(5))):
        if (home + clinic) % 3 == 2:
            continue
        own, theirs = f"D{1 + home // 3}", f"D{1 + clinic // 2}"
        rows.append(f"{own},{_PARISHES[home]},{theirs},{_CLINICS[clinic]},{11 + 5 * k}")
    header = "district of patient,parish of patient,district of clinic,clinic code,patients"
    return "\n".join([header, *rows])


def test_two_things_with_places_are_offered_as_flows(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _patients())
    assert reading.table is None
    answers = offered(reading)
    flows = [answer for answer in answers if answer.get("kind") == "flows"]
    assert flows[0]["levels"] == ("district of patient", "parish of patient")
    assert flows[0]["destinations"] == ("district of clinic", "clinic code")
    assert all("parish of patient" in str(answer["levels"]) for answer in flows)
    table = read_text(tmp_path, _patients(), **flows[0]).table
    assert table is not None
    assert table.kind == "flows"
    assert int(table.values.sum()) == sum(
        11 + 5 * k for k, (home, clinic) in enumerate(product(range(7), range(5)))
        if (home + clinic) % 3 != 2
    )  # fmt: skip
    sums = [answer for answer in answers if answer.get("add_up")]
    assert {read_text(tmp_path, _patients(), **answer).table.kind for answer in sums} == {"counts"}  # type: ignore[union-attr]


def _guests() -> str:
    """Guests by country of origin and town, with totals among the countries."""
    rows = []
    for j in range(4):
        guests = [120 + 31 * k + 17 * j for k in range(5)]
        for code, name, n in (
            ("000", "Totaal", sum(guests) + 40), ("010", "Totaal Europa", sum(guests[:3]) + 9),
            *((f"1{k}1", f"Land {'ABCDE'[k]}", guests[k]) for k in range(5)),
        ):  # fmt: skip
            rows.append(f"0{5 + j}1{j},Plaats {'WXYZ'[j]},{code},{name},{n},{n * 3 + 1}")
    header = "gem_dest_code,gem_dest,land_orig_code,land_orig,gasten,overnachtingen"
    return "\n".join([header, *rows])


def test_totals_among_origins_are_left_out_at_once(tmp_path: Path) -> None:
    answers = offered(read_text(tmp_path, _guests()))
    flows = [answer for answer in answers if answer.get("kind") == "flows"]
    assert [(a["levels"], a["destinations"]) for a in flows] == [
        (("land_orig_code",), ("gem_dest_code",))
    ]
    chosen = {**flows[0], "count": "gasten"}
    (answer,) = offered(read_text(tmp_path, _guests(), **chosen))
    assert answer["leave_out"] == ("land_orig_code=000", "land_orig_code=010")
    table = read_text(tmp_path, _guests(), **chosen, **answer).table
    assert table is not None
    assert int(table.values.sum()) == sum(120 + 31 * k + 17 * j for j in range(4) for k in range(5))


def test_a_table_of_classes_by_area_is_no_flow(tmp_path: Path) -> None:
    rows = [
        f"T{k:03},Town {k},C{c},Crop {'ABC'[c]},{5 + k + c}" for k in range(6) for c in range(3)
    ]
    header = "town code,town name,crop code,crop name,farms"
    answers = offered(read_text(tmp_path, "\n".join([header, *rows])))
    assert all(answer.get("kind") != "flows" for answer in answers)
