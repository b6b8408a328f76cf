"""Lines of notes directly below a table, without a blank row between."""

from pathlib import Path

import pyarrow as pa
import pytest

from hierdp_core.readers.formats.table_notes import without_notes
from hierdp_core.readers.report import Notebook
from tests.support.answers import offered, read_text, total

_ROWS = [f"Area {k},{20 + k},{30 + k},{50 + 2 * k}" for k in range(9)]
_TEXT = "\n".join(["area,men,women,people", *_ROWS])
_SUM = sum(50 + 2 * k for k in range(9))


@pytest.mark.parametrize(
    "lines",
    [
        ("Catatan/Note: Hasil Sensus Penduduk 2020 (September)", "Sumber: Badan Pusat Statistik"),
        ("Data from: the census office",),
        ("Numbers may change later.",),
        ("Kaynak: TÜİK", "Numbers are not final."),
    ],
)
def test_notes_without_a_blank_row_are_left_out(tmp_path: Path, lines: tuple[str, ...]) -> None:
    reading = read_text(tmp_path, "\n".join([_TEXT, *(f"{line},,," for line in lines)]))
    assert total(reading) == _SUM
    assert any(f.id == "notes-below" for f in reading.report.corrections)


def test_text_below_that_may_be_a_note_is_shown_and_never_counted_as_0(tmp_path: Path) -> None:
    reading = read_text(tmp_path, f"{_TEXT}\nAreas as of the first of January,,,")
    (fault,) = reading.report.faults
    assert "Areas as of the first of January" in fault.sentence
    assert offered(reading) == [{"missing": "left out"}]
    answered = read_text(tmp_path, f"{_TEXT}\nAreas as of the first of January,,,",
                         missing="left out")  # fmt: skip
    assert total(answered) == _SUM


def test_a_last_area_without_a_number_is_an_area(tmp_path: Path) -> None:
    reading = read_text(tmp_path, f"{_TEXT}\nArea 9,,,")
    assert {"missing": "zero"} in offered(reading)


def test_names_with_colons_are_no_notes(tmp_path: Path) -> None:
    rows = [row.replace("Area", "North: area") for row in _ROWS]
    reading = read_text(tmp_path, "\n".join(["area,men,women,people", *rows, "North: area 9,,,"]))
    assert {"missing": "zero"} in offered(reading)


def test_lines_of_fewer_cells_below_a_table_are_notes_despite_years_in_quotes(
    tmp_path: Path,
) -> None:
    lines = (
        '"Data source: census, 2021, the builder"',
        '"INFO","Cells were adjusted, and no small cell is exact."',
        '"Copyright of the office, 2021, see the terms"',
    )
    reading = read_text(tmp_path, "\n\n".join([_TEXT, *lines]))
    assert total(reading) == _SUM
    (shown,) = [f for f in reading.report.corrections if f.id == "notes-below"]
    assert shown.what == "3 lines of notes below the table were left out"


def test_lines_after_the_last_blank_row_are_notes(tmp_path: Path) -> None:
    rows = [f"{k},Town {k},{311 + 17 * k}" for k in range(10, 20)]
    below = [
        "Guests by town,,",
        "…: confidential,,",
        "Taken on 2 October 2023,,",
        "www.office.pt,,",
    ]
    text = "\n".join(["code,town,guests", *rows, ",,", *below])
    assert total(read_text(tmp_path, text)) == sum(311 + 17 * k for k in range(10, 20))


def test_no_confidential_record_makes_notes_of_those_before_it(tmp_path: Path) -> None:
    codes = pa.array(["101", "102", "", "103", "104", "Source: x"])
    columns = [codes, pa.array(["4", "5", "", "", "", ""])]
    for secret, kept in ((False, 3), (True, 5)):
        n_rows, _ = without_notes(columns, Notebook("t.csv", confidential=secret))
        assert n_rows == kept
