"""The last column of a table of sizes counts larger groups, whatever its name says."""

from pathlib import Path

import pytest

from hierdp_core.readers import Reading, read

_ROWS = [
    ("North", "Alder", 9, 7, 5, 4),
    ("North", "Birch", 8, 6, 3, 2),
    ("South", "Cedar", 7, 9, 4, 1),
]


def table(tmp_path: Path, last: str, *further: str) -> Path:
    file = tmp_path / "households.csv"
    names = ["1 person", "2 persons", "3 persons", last, *further]
    lines = [f"state,county,{','.join(names)}"]
    lines += [",".join([*map(str, row), *("3" for _ in further)]) for row in _ROWS]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def n_groups(reading: Reading) -> int:
    assert reading.table is not None
    return int(reading.table.values[0].sum())


@pytest.mark.parametrize(
    "last",
    ["4 persons and above", "4 and above", "4 or above", "4 persons or higher", "4 and up", "4+"],
)
def test_words_for_larger_groups_are_known(tmp_path: Path, last: str) -> None:
    reading = read(str(table(tmp_path, last)))
    assert n_groups(reading) == 65
    assert reading.layout is not None
    assert reading.layout.top_coded


@pytest.mark.slow
def test_a_last_column_in_unknown_words_is_asked_about(tmp_path: Path) -> None:
    file = str(table(tmp_path, "4 kaj pli multaj"))
    reading = read(file)
    (fault,) = reading.report.faults
    assert fault.what == '"4 kaj pli multaj" may count groups of more than 3'
    whole, without = fault.choices
    answered = read(file, stated=whole.stated)
    assert n_groups(answered) == 65
    assert answered.layout is not None
    assert answered.layout.top_coded
    assert n_groups(read(file, stated=without.stated)) == 58


@pytest.mark.slow
def test_ranges_of_larger_groups_are_not_dropped_without_a_question(tmp_path: Path) -> None:
    file = str(table(tmp_path, "4 ĝis 6", "7 kaj pli"))
    (fault,) = read(file).report.faults
    assert '"4 ĝis 6" and "7 kaj pli" may count groups of more than 3' in fault.what
    assert [n_groups(read(file, stated=choice.stated)) for choice in fault.choices] == [58]
