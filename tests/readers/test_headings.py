"""Rows with only a name, which may be areas that contain the rows below them."""

from pathlib import Path

import pytest
from support.answers import offered, read_text, total

from hierdp_core.readers.reading import read_here

PLACES = """place,seniors
Ontario,
Elham,120
Ashby,88
Ludlow,301
Manitoba,
Ashby,45
Hythe,67
Elham,230
"""


def test_headings_are_offered_as_areas_above(tmp_path: Path) -> None:
    answers = offered(read_text(tmp_path, PLACES, count="seniors"))
    assert answers[0] == {"headings": "areas"}
    reading = read_text(tmp_path, PLACES, count="seniors", headings="areas")
    assert total(reading) == 120 + 88 + 301 + 45 + 67 + 230
    assert reading.table is not None
    assert reading.table.regions.tree.level_sizes.tolist() == [1, 2, 6]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ontario,\n", ""),  # the first row has a number
        ("Manitoba,", "Manitoba,40"),  # one heading only
        ("Manitoba,", "West,\nManitoba,"),  # a heading right below another
        ("Elham,230\n", "Elham,\n"),  # nothing below the last one
        ("Manitoba,", "Ontario,"),  # the same heading again
        ("Ontario,", "of which:,"),
    ],
)
def test_other_rows_with_a_name_alone_are_no_headings(tmp_path: Path, old: str, new: str) -> None:
    text = PLACES.replace(old, new)
    assert {"headings": "areas"} not in offered(read_text(tmp_path, text, count="seniors"))
    reading = read_text(tmp_path, text, count="seniors", headings="areas")
    assert [fault.id for fault in reading.report.faults] == ["headings"]


def test_areas_without_a_number_are_no_headings_where_few_rows_are_between(tmp_path: Path) -> None:
    text = "town,people\nA,\nB,1\nC,\nD,2\nE,\nF,3\n"
    assert {"headings": "areas"} not in offered(read_text(tmp_path, text, count="people"))


def test_confidential_headings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(PLACES)
    stated = {"count": "seniors", "headings": "areas"}
    reading = read_here([path], stated=stated, confidential=True)
    (fault,) = reading.report.faults
    assert fault.id == "headings"
    assert "a record could decide" in fault.what
    quiet = read_here([path], stated={"count": "seniors"}, confidential=True)
    assert {"headings": "areas"} not in offered(quiet)
