"""Sheets that are read one below the other, also if one column of words has several names."""

from pathlib import Path

import pytest
from support.answers import offered, total
from support.printed_tables import workbook_of

from hierdp_core.readers import Reading
from hierdp_core.readers.reading import read_here


def read(folder: Path, *heads: tuple[str, ...], confidential: bool = False) -> Reading:
    sheets = {
        f"Province {s}": [head, *[(100 * s + k, f"Town {s}{k}", 7 * s + k, 9) for k in range(5)]]
        for s, head in enumerate(heads, start=1)
    }
    path = folder / "t.xlsx"
    path.write_bytes(workbook_of(sheets))
    stated = {"sheet": "*", "count": "people", "levels": ["sheet", "code"]}
    return read_here([path], stated=stated, confidential=confidential)


def test_one_column_of_words_may_have_several_names(tmp_path: Path) -> None:
    heads = [("code", name, "people", "seats") for name in ("Partido", "Departamento", "Partido")]
    reading = read(tmp_path, *heads)
    assert total(reading) == sum(7 * s + k for s in (1, 2, 3) for k in range(5))
    assert reading.table is not None
    assert reading.table.regions.tree.level_sizes[-2:].tolist() == [3, 15]
    assert {"sheet": "*"} in offered(read_here([tmp_path / "t.xlsx"]))


@pytest.mark.parametrize(
    "second",
    [
        ("code", "town", "people", "rooms"),
        ("number", "district", "people", "seats"),
        ("code", "people", "town", "seats"),
    ],
)
def test_columns_of_numbers_or_several_columns_have_the_same_names(
    tmp_path: Path, second: tuple[str, ...]
) -> None:
    reading = read(tmp_path, ("code", "town", "people", "seats"), second)
    assert [fault.id for fault in reading.report.faults] == ["other-columns"]
    assert {"sheet": "*"} not in offered(read_here([tmp_path / "t.xlsx"]))


def test_confidential_sheets_have_the_same_names(tmp_path: Path) -> None:
    heads = [("code", name, "people", "seats") for name in ("Partido", "Departamento")]
    reading = read(tmp_path, *heads, confidential=True)
    assert [fault.id for fault in reading.report.faults] == ["other-columns"]
