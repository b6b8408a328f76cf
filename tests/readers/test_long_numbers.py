"""Numbers too long for integers of 64 bits, which are identifiers or errors and no counts."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.columns.flow_sums import totals_of_flows
from hierdp_core.readers.reading import read_here

LONG = "123456789012345678901"
ROWS = range(12)
TABLES = {
    "beside counts": ["area,kind,people,id", *(f"a{k},{'xy'[k % 2]},{k},{LONG}" for k in ROWS)],
    "counts": ["state,county,people", *(f"s{k % 3},c{k},{k + 1}{LONG}" for k in ROWS)],
    "codes": ["state,tract,people", *(f"{k % 4},{LONG}{k},{k}" for k in ROWS)],
    "persons": ["state,age,id", *(f"s{k % 3},{k},{k}{LONG}" for k in ROWS)],
    "sizes": ["state,county,1,2,3", *(f"s{k % 3},c{k},{k},{LONG},{k}" for k in ROWS)],
    "flows": ["origin,destination,flow", *(f"a{k % 4},b{k % 3},{k}{LONG}" for k in ROWS)],
    "matrix": ["home,a0,a1,a2", *(f"a{k},{k},{LONG},{k}" for k in range(3))],
    "outline": ["name,people", *(f"{'  ' * (k % 3 > 0)}n{k},{k}{LONG}" for k in ROWS)],
    "more digits than a float": ["area,people", *(f"a{k},{'9' * 400}" for k in ROWS)],
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("kind", ["", "counts"])
def test_long_numbers_are_read_without_a_warning(tmp_path: Path, name: str, kind: str) -> None:
    """A warning is an error here, as an integer that overflows is any number."""
    file = tmp_path / "table.csv"
    file.write_text("\n".join(TABLES[name]))
    reading = read_here([file], stated={"kind": kind} if kind else {})
    assert reading.table is None or reading.table.values.max() <= sum(ROWS) + len(ROWS)


@pytest.mark.parametrize(("cell", "value"), [("7", 7.0), (LONG, 2.0**53), ("-" + LONG, -(2.0**53))])
def test_values_stay_within_what_an_integer_holds(cell: str, value: float) -> None:
    assert ColumnFacts("n", pa.chunked_array([[cell, "", "x"]])).values[0] == value


def test_negative_flows_are_no_parts_of_a_total() -> None:
    places = [(a, b) for a in "abcdef" for b in "abcdef"]
    origins, destinations = zip(*places, strict=True)
    flows = np.where(np.arange(36) % 5 == 0, -400.0, np.arange(36) * 31.0)
    with_none = totals_of_flows(origins, destinations, flows.clip(min=0))
    assert totals_of_flows(origins, destinations, flows) == with_none
