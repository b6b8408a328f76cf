"""Levels whose order their names state, and columns and rows that only look like areas."""

import json
from pathlib import Path
from typing import Any

import pytest

from hierdp_core.readers import Reading
from hierdp_core.readers.reading import read_here


def read(folder: Path, names: str, rows: list[tuple[Any, ...]], **stated: Any) -> Reading:
    path = folder / "t.csv"
    lines = [names, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return read_here([path], stated=stated)


def levels_of(reading: Reading) -> tuple[str, ...]:
    assert reading.layout is not None, reading.report.lines()
    return reading.layout.levels


def count(*place: int) -> int:
    return 100 + sum((7 * k + 3) * n for k, n in enumerate(place, start=5))


def test_levels_in_the_order_of_their_names_are_offered_first(tmp_path: Path) -> None:
    rows = [
        (f"R{r}", f"R{r} Council {c}", f"Ward {(w + c) % 4}", f"Azimio {s}", 1000 + k, count(r, c))
        for k, (r, c, w, s) in enumerate(
            (r, c, w, s) for r in range(3) for c in range(3) for w in range(3) for s in range(3)
        )
    ]  # fmt: skip
    reading = read(tmp_path, "Region,Council,Ward,School,Reg. Number,Pupils", rows)
    assert reading.question is not None
    first = reading.question.choices[0].stated
    assert first["levels"] == ("Region", "Council", "Ward", "Reg. Number")


def test_a_level_between_two_others_is_read_although_codes_start_again(tmp_path: Path) -> None:
    rows = [
        (f"State {s}", f"P.{10 * s + p:03} Kuala", f"N.{4 * p + d:02} Bukit", count(s, p, d))
        for s in range(5) for p in range(4) for d in range(4)
    ]  # fmt: skip
    reading = read(tmp_path, "state,parlimen,dun,voters", rows)
    assert levels_of(reading) == ("state", "parlimen", "dun")
    assert reading.table is not None
    assert reading.table.regions.tree.n_leaves == len(rows)


def test_equal_names_on_two_levels_are_no_flows(tmp_path: Path) -> None:
    pool = [f"Nak{end}" for end in ("aro", "uru", "ipi", "oli", "ere", "anda", "una", "iko")]
    rows = [
        (f"Region {r}", f"District {r}{d}", pool[(r + s) % 8], pool[(3 * s + p + d) % 8],
         count(r, d, s, p))
        for r in range(3) for d in range(3) for s in range(3) for p in range(5)
    ]  # fmt: skip
    reading = read(tmp_path, "region,district,subcounty,parish,people", rows)
    kinds = [c.stated.get("kind") for c in reading.question.choices] if reading.question else []
    assert "flows" not in kinds
    assert levels_of(reading)[-2:] == ("subcounty", "parish")


def test_the_order_of_names_holds_where_letters_start_again(tmp_path: Path) -> None:
    rows = [(f"Camp {c}", f"Block {b}", count(c, b)) for c in range(12) for b in "ABCD"[: 2 + c % 3]
            for b in [ord(b) - 64]]  # fmt: skip
    reading = read(tmp_path, "Camp,Block,Individuals", rows, count="Individuals")
    assert levels_of(reading) == ("Camp", "Block")


def test_an_area_named_like_a_total_above_its_own_areas_is_an_area(tmp_path: Path) -> None:
    rows = [
        (province, district, f"{town} {district}", count(len(district), k))
        for province, district in (("Karnali", "Jumla"), ("Karnali", "Dolpa"), ("Bagmati", "Kavre"))
        for k, town in enumerate(("Kot", "Gaun", "Nagar"))
    ]  # fmt: skip
    reading = read(tmp_path, "Province,District,Local Level,Persons", rows)
    assert reading.table is not None, reading.report.lines()
    assert reading.table.total == sum(row[-1] for row in rows)
    assert "Jumla" in reading.table.regions.names


def test_rows_that_add_up_to_more_than_omitted_totals_are_noted(tmp_path: Path) -> None:
    towns = [(f"M{m}", f"Town {m}{k}", 1000 + count(m, k)) for m in range(4) for k in range(5)]
    totals = [
        (f"M{m}", "Total", sum(row[2] for row in towns if row[0] == f"M{m}")) for m in range(4)
    ]
    twice = [(f"M{m}", f"Single dwellings {m}", 300 + m) for m in range(4)]
    rows = sorted([*towns, *totals, *twice])
    reading = read(tmp_path, "municipality,locality,people", rows, totals="left out")
    assert reading.table is not None, reading.report.lines()
    extra = sum(row[2] for row in twice)
    assert any(
        f"which is {extra:,} more than the totals" in line for line in reading.report.lines()
    )
    plain = read(
        tmp_path, "municipality,locality,people", sorted([*towns, *totals]), totals="left out"
    )
    assert not any("than the totals" in line for line in plain.report.lines())


@pytest.mark.parametrize(
    "contact", ["office{k}@edu.example", "https://edu.example/{k}", "51.50{k}1, -0.12{k}1"]
)
def test_addresses_are_no_areas(tmp_path: Path, contact: str) -> None:
    rows = [
        (f"R{k // 5}", f"M{k}", f'"{contact.format(k=k)}"', count(k)) for k in range(15)
    ]  # fmt: skip
    reading = read(tmp_path, "region,municipality,contact,pupils", rows)
    assert levels_of(reading) == ("region", "municipality")


def test_identifiers_of_records_are_no_areas(tmp_path: Path) -> None:
    records = [
        {"_id": f"{2654435761 * (3 * k + month) % 2**32:08x}", "period": f"2024-0{month}",
         "town": f"T{k}", "unemployed": count(k, month)}
        for month in (1, 2, 3) for k in range(8)
    ]  # fmt: skip
    path = tmp_path / "t.json"
    path.write_text(json.dumps(records))
    reading = read_here([path])
    assert reading.question is not None, reading.report.lines()
    offered = [choice.stated.get("keep") for choice in reading.question.choices]
    assert ("period=2024-03",) in offered


def test_a_codebook_with_numbers_of_missing_cells_holds_no_counts(tmp_path: Path) -> None:
    rows = [(f"q{k}", f"Fraga {k}", "N", f"1-{k + 2}", 10 * k) for k in range(12)]
    reading = read(tmp_path, "variabel,etikett,typ,värden,antal_bortfall", rows)
    assert reading.table is None
    assert any("explains the columns" in line for line in reading.report.lines())


def test_the_size_of_its_household_beside_each_person_counts_no_groups(tmp_path: Path) -> None:
    rows = [
        (f"R{h % 3}", h, member, 1 + h % 4, "mf"[(h + member) % 2], 5 + (17 * h + 31 * member) % 80)
        for h in range(40) for member in range(1 + h % 4)
    ]  # fmt: skip
    reading = read(tmp_path, "region,hhid,line,hh_size,sex,age", rows)
    assert reading.question is not None, reading.report.lines()
    offered = [choice.stated for choice in reading.question.choices]
    assert {"kind": "counts", "row": "person"} in offered
    assert not any(choice.get("count") == "age" for choice in offered)
