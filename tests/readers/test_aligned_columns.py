"""Columns that blanks align, without a separator between cells."""

from pathlib import Path

import pytest

from hierdp_core.readers.formats.aligned import with_tabs
from tests.support.answers import read_text, total

_ROWS = [("Ba", "Ba", 348), ("Ba", "Upper Ba", 813), ("Lau", "Cicia", 46_199),
         ("Lau", "Lakeba", 35_695), ("Rewa", "Suva", 906)]  # fmt: skip


def _text(gap: str = "  ") -> str:
    lines = [f"{a:<10}{gap}{b:<12}{gap}{n:>10}" for a, b, n in _ROWS]
    return "\n".join([f"{'Province':<10}{gap}{'Tikina':<12}{gap}{'Population':>10}", *lines, ""])


def test_columns_that_are_clear_are_read(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _text(), name="t.txt")
    assert total(reading) == sum(n for _, _, n in _ROWS)
    assert reading.layout is not None
    assert reading.layout.levels == ("Province", "Tikina")
    (shown,) = [f for f in reading.report.corrections if f.id == "aligned"]
    assert shown.what == "its columns are aligned by blanks and were read as 3 columns"
    assert not any(f.id == "separator" for f in reading.report.findings)


@pytest.mark.parametrize(
    "text",
    ["area people\nAsh 120\nElm 9\nOak 31\nFir 4\n",  # no blank stands in all lines
     'area    n\n"Ash"   1\nElm     2\nOak     3\nFir     4\n',
     "area\nAsh one\nElm two\nOak six\nFir ten\n"],
)  # fmt: skip
def test_columns_that_are_not_clear_stay_one(text: str) -> None:
    assert with_tabs(text) == (text, 0)


def test_columns_that_are_not_clear_are_named_with_a_remedy(tmp_path: Path) -> None:
    lines = _text().splitlines()
    lines[2] = "Ba  Upper Ba  813"
    reading = read_text(tmp_path, "\n".join(lines), name="t.txt")
    (fault,) = reading.report.faults
    assert fault.id == "no-separator"
    assert "CSV" in fault.remedy


def test_a_list_of_names_is_no_aligned_table(tmp_path: Path) -> None:
    reading = read_text(tmp_path, "area\nAsh\nElm\nOak\nFir\n" * 3)
    assert not any(f.id in ("aligned", "no-separator") for f in reading.report.findings)
