"""Small counts that are hidden in the first row of a table, and months that are no areas."""

from pathlib import Path

import pyarrow as pa
import pytest

from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.formats.header import header_of
from hierdp_core.readers.report import Notebook
from tests.support.answers import offered, read_text, total

_PARTS = ("Under 25", "25 to 44", "45 and over", "Farming", "Industry", "Services")


def _jobseekers(hidden: str) -> str:
    """Job seekers of towns in two months. The first town has few, most of which are hidden."""
    rows = []
    for month, name in (("202405", "Mai 2024"), ("202406", "Juni 2024")):
        for k in range(12):
            parts = [hidden] * 5 + ["12"] if k == 0 else [f"{30 + 7 * k + j}" for j in range(6)]
            land, district = 1 + k // 6, 10 + k // 3
            rows.append(
                f"{month};{name};{land};Land {land};{district};Kreis {'ABCD'[k // 3]};"
                f"{district}0{k:02};Ort {'abcdefghijkl'[k]};{200 + k};{';'.join(parts)}"
            )
    header = "Monat;Monat Name;Land Code;Land;Kreis Code;Kreis;Ort Code;Ort;Arbeitslose insgesamt;"
    return "\n".join([header + ";".join(_PARTS), *rows])


@pytest.mark.parametrize("hidden", ["<5", "< 5", "≤4"])
def test_a_first_row_of_hidden_counts_is_no_header(hidden: str) -> None:
    rows = [line.split(";") for line in _jobseekers(hidden).splitlines()]
    header = header_of(rows, Notebook("t.csv"))
    assert header.rows == 1
    assert header.names[-1] == "Services"


def test_sizes_below_a_bound_still_belong_to_the_header() -> None:
    rows = [
        ["", "", "Firms by number of jobs", "", ""],
        ["Code", "Town", "<5", "5-9", "10+"],
        *([f"T{k}", f"Town {k}", f"{40 + k}", f"{20 + k}", f"{3 + k}"] for k in range(8)),
    ]
    header = header_of(rows, Notebook("t.csv"))
    assert header.names[2:] == ("<5", "5-9", "10+") or header.names[2].endswith(" <5")


def test_months_are_chosen_and_are_no_level(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _jobseekers("<5"))
    assert reading.table is None
    answers = offered(reading)
    assert {"Mai 2024", "Juni 2024"} == {
        kept.partition("=")[2] for answer in answers for kept in answer.get("keep", ())
    } or {"202405", "202406"} == {
        kept.partition("=")[2] for answer in answers for kept in answer.get("keep", ())
    }
    assert all("Monat" not in answer.get("levels", ()) for answer in answers)
    answered = read_text(
        tmp_path, _jobseekers("<5"), keep=("Monat=202406",), count="Arbeitslose insgesamt"
    )
    assert answered.table is not None
    assert total(answered) == sum(200 + k for k in range(12))
    assert [
        answered.table.tree.level(k).stop - answered.table.tree.level(k).start for k in (1, 2, 3)
    ] == [2, 4, 12]


@pytest.mark.parametrize(
    ("name", "cells", "months"),
    [
        ("yearmonth", ("202405", "202406"), True),
        ("code mois", ("202405", "202412"), True),
        ("mes", ("Noviembre de 2023", "Diciembre de 2023"), True),
        ("month", ("May 2024", "March 2024"), True),
        ("municipality", ("202405", "202406"), False),
        ("month", ("202405", "202499"), False),
        ("place", ("Mayfield", "March"), False),
    ],
)
def test_months_of_years_are_dates(name: str, cells: tuple[str, ...], months: bool) -> None:
    assert ColumnFacts(name, pa.array(cells)).years == months
