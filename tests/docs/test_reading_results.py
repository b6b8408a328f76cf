"""The pages on reading files state the sums of their table of sets."""

import re

from support.voice import ROOT

_PAGE = (ROOT / "docs" / "own-data-tests.md").read_text(encoding="utf-8")
_OWN_DATA = (ROOT / "docs" / "own-data.md").read_text(encoding="utf-8")
_SETS = [
    [int(cell) for cell in row if cell.isdigit()]
    for row in (line.strip("|").replace(" ", "").split("|") for line in _PAGE.splitlines())
    if len(row) == 8 and row[0].isdigit()
]
_FILES, _RIGHT, _ANSWERED = (sum(row[k] for row in _SETS) for k in (1, 2, 3))
_WRONG, _MISREAD = (sum(row[k] for row in _SETS) for k in (-2, -1))


def test_the_outcomes_of_a_set_add_up() -> None:
    for number, files, *outcomes in _SETS:
        assert files == sum(outcomes), number


def test_the_page_of_the_sets_states_their_sums() -> None:
    summary = " ".join(_PAGE.partition("\n## ")[0].split())
    for stated in (
        f"{_FILES:,} files with counts, {_RIGHT} files ({_RIGHT / _FILES:.0%})",
        f"another {_ANSWERED} ({_ANSWERED / _FILES:.0%})",
        f"In {_WRONG} files ({_WRONG / _FILES:.0%})",
        f"and {_MISREAD} ({_MISREAD / _FILES:.0%}) were misread",
    ):
        assert stated in summary


def test_the_page_on_own_data_states_the_same_sums() -> None:
    section = " ".join(_OWN_DATA.partition("## How often files are read correctly")[2].split())
    assert f"contain {_FILES:,} files with counts" in section
    assert f"{_RIGHT} were read correctly without help, and another {_ANSWERED}" in section
    (sets,) = re.findall(r"^([\w-]+) sets", section)
    assert f"In {sets.lower()} sets" in _PAGE
