"""Sizes of groups in words, as cells of a column or beside names that look like regions."""

from pathlib import Path

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
        'a cell in column "Household size" is no size of a group '
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
