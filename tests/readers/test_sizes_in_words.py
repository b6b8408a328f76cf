"""Sizes of groups in words, as cells of a column or beside names that look like regions."""

from pathlib import Path

import pytest

from hierdp_core.readers.columns.vocabulary import sizes_in
from hierdp_core.tables import GroupSizes
from tests.support.answers import offered, read_text, total

_SIZES = {"1 person": 40, "2 persons": 30, "3 persons": 12, "4 or more persons": 9}


def _long(extra: str = "") -> str:
    lines = ["area,Household size,households"]
    for k, area in enumerate(("Ash", "Birch", "Cedar", "Elm")):
        numbers = {size: number + k for size, number in _SIZES.items()}
        lines.append(f"{area},Total - Households by household size,{sum(numbers.values())}")
        lines += [f"{area},{size},{number}" for size, number in numbers.items()]
        lines += [f"{area},{extra},{500 + k}"] if extra else []
    return "\n".join(lines)


def test_rows_of_persons_beside_sizes_in_words_are_left_out_with_one_answer(
    tmp_path: Path,
) -> None:
    text = _long("Number of persons in households")
    reading = read_text(tmp_path, text)
    (fault,) = reading.report.faults
    assert fault.what == (
        'a cell in column "Household size" is not a size of a group '
        '("Number of persons in households")'
    )
    (answer,) = offered(reading)
    assert total(read_text(tmp_path, text, **answer)) == total(read_text(tmp_path, _long()))


def test_households_by_size_are_no_matrix_of_flows(tmp_path: Path) -> None:
    text = (
        "county,1,2,3,4,5,6,7+\nAsh,90,80,60,40,20,3,2\nBirch,70,60,50,30,10,2,1\n"
        "Cedar,60,70,40,20,11,4,3\nElm,55,66,44,22,12,5,2\nFir,50,40,30,20,10,1,1"
    )
    reading = read_text(tmp_path, text)
    assert isinstance(reading.table, GroupSizes), reading.report.lines()
    assert total(reading) == 1084


def _by_code(last: str, whole: int = 0) -> str:
    lines = ["area,size_code,households"]
    for k, area in enumerate(("Ash", "Birch", "Cedar", "Elm")):
        numbers = {size: 90 - 17 * j + k for j, size in enumerate(("1", "2", "3", last))}
        lines.append(f"{area},,{sum(numbers.values()) + whole}")
        lines += [f"{area},{size},{number}" for size, number in numbers.items()]
    return "\n".join(lines)


_STATED = {"kind": "group-sizes", "size": "size_code", "count": "households", "levels": ("area",)}


@pytest.mark.parametrize(
    "last", ["4P", "4p", "4+", "4 ou mais", "4 y más", "4 o más", "4 a více osob", "4 and more"]
)
def test_the_last_size_of_a_column_of_codes_includes_larger_ones(tmp_path: Path, last: str) -> None:
    reading = read_text(tmp_path, _by_code(last), **_STATED)
    assert total(reading) == sum(90 - 17 * j + k for j in range(4) for k in range(4))
    assert reading.layout is not None
    assert reading.layout.top_coded


@pytest.mark.parametrize("cells", [["1P", "2P", "3P"], ["1", "2", "9P"], ["2P"]])
def test_a_letter_after_a_number_may_also_mean_persons(cells: list[str]) -> None:
    assert not any(size and size[1] for size in sizes_in(cells))


@pytest.mark.parametrize("last", ["4 or more", "4P"])
def test_rows_without_a_size_are_asked_about_once(tmp_path: Path, last: str) -> None:
    for missing in ("", "zero", "left out"):
        stated = {**_STATED, "missing": missing} if missing else _STATED
        reading = read_text(tmp_path, _by_code(last, whole=5), **stated)
        (fault,) = reading.report.faults
        assert fault.id == "blank-size"
        (answer,) = offered(reading)
        assert answer == {"leave_out": ("size_code=",)}
        read = read_text(tmp_path, _by_code(last, whole=5), **stated, **answer)
        assert total(read) == total(read_text(tmp_path, _by_code(last), **_STATED))


def test_a_table_of_percentages_by_size_may_be_refused(tmp_path: Path) -> None:
    text = "size,percent\n1,26.7\n2,32.8\n3,16.1\n4,13.4\n5,6.5\n6,2.6\n7+,1.9\n"
    first, second = offered(read_text(tmp_path, text))
    assert first == {"kind": "none"}
    assert second["row"] == "group"
