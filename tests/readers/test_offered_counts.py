"""Which columns are offered as counts, and with which doubts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hierdp_core.readers import Reading
from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.columns.mean_stocks import holds_means_of_a_stock
from hierdp_core.readers.reading import read_here

_TOWNS = ("Alvor", "Bispo", "Cima", "Douro", "Evora", "Faro", "Guia", "Horta")


def read(folder: Path, text: str, **stated: Any) -> Reading:
    (folder / "t.csv").write_text(text, encoding="utf-8")
    return read_here([folder / "t.csv"], stated=stated)


def offered(reading: Reading) -> list[Mapping[str, Any]]:
    assert reading.question is not None
    return [choice.stated for choice in reading.question.choices]


def words_of(reading: Reading, **stated: Any) -> str:
    """Return the words of the answer with these settings."""
    assert reading.question is not None
    (words,) = (c.words for c in reading.question.choices if dict(c.stated) == stated)
    return words


def what(reading: Reading, kind: str) -> list[str]:
    return [finding.what for finding in reading.report.findings if finding.id == kind]


def numbers(name: str, *cells: float) -> ColumnFacts:
    return ColumnFacts(name, pa.array([f"{cell:g}" for cell in cells], pa.string()))


# ------------------------------------------------------------------------------ averages of a stock


@pytest.mark.parametrize(
    ("name", "is_stock"),
    [
        ("Mittlere Bevölkerung 2023", True), ("Emploi moyen annuel", True),
        ("Población media", True), ("Average employment", True), ("annual_avg_jobs", True),
        ("Medelfolkmängd", True),
        ("Przeciętne zatrudnienie", True), ("Average number of pupils", True),
        ("Average number of persons per household", False), ("Mean age of the population", False),
        ("Average household size", False), ("average weekly pay of employees", False),
        ("population", False), ("平均人口", True), ("Effectif moyen", True),
        ("Average price", False),
    ],
)  # fmt: skip
def test_averages_of_people_are_told_from_other_means(name: str, is_stock: bool) -> None:
    assert holds_means_of_a_stock(numbers(name, 1_204, 310, 52, 7_725)) == is_stock


def test_small_or_nearly_equal_means_are_of_groups() -> None:
    assert not holds_means_of_a_stock(numbers("Average number of persons", 2.4, 1.9, 3.1))
    assert not holds_means_of_a_stock(numbers("Average number of persons", 61, 58, 70))


_OWNERS = ("00", "10", "20", "30")


def _employment(spoil: int = 0) -> str:
    """Return averages and pay by owner, of which 00 is the total, with the upper areas."""
    rng = np.random.default_rng(7)
    lines = ["code,owner,avg_annual_employment,total_pay"]
    for upper in ("31", "47"):
        parts = rng.integers(40, 9_000, size=(3, 6))
        for area, own in [("000", parts.sum(axis=1)), *((f"{k + 1:03}", parts[:, k])
                                                       for k in range(6))]:  # fmt: skip
            values = [int(own.sum()), *own.tolist()]
            lines += [
                f"{upper}{area},{owner},{value},{int(rng.integers(10**6, 10**8))}"
                for owner, value in zip(_OWNERS, values, strict=True)
            ]
    return "\n".join(lines) + "\n"


def test_an_average_of_employment_is_offered_and_money_is_not_taken_at_once(
    tmp_path: Path,
) -> None:
    reading = read(tmp_path, _employment())
    assert reading.table is None
    words = words_of(reading, count="avg_annual_employment")
    assert "averages over a period" in words


def test_totals_by_another_classification_are_never_added_to_their_parts(tmp_path: Path) -> None:
    text = _employment()
    asked = read(tmp_path, text, levels=("code",), count="total_pay")
    assert all("add_up" not in stated for stated in offered(asked))
    refused = read(tmp_path, text, levels=("code",), count="total_pay", add_up=True)
    assert refused.table is None
    assert "belong to a total and its parts" in what(refused, "mixed-rows")[0]


def test_averages_stay_named_in_the_report(tmp_path: Path) -> None:
    rows = [f"{town},{120 + 977 * k}" for k, town in enumerate(_TOWNS)]
    reading = read(tmp_path, "Town,Mean population\n" + "\n".join(rows), count="Mean population")
    assert reading.table is not None
    assert "averages over a period" in what(reading, "caution")[0]


# ------------------------------------------------------------------- cells of two crossed categories


_BANDS = ("under15", "to29", "to44", "to59", "to74", "above", "unknown", "abroad")


@pytest.mark.parametrize("decimals", [False, True])
def test_the_sum_of_all_cells_is_offered_first_and_each_cell_after_it(
    tmp_path: Path, decimals: bool
) -> None:
    cells = [f"{sex}_{band}" for sex in ("K1", "K2") for band in _BANDS]
    rng = np.random.default_rng(11)
    values = rng.integers(20, 900, size=(len(_TOWNS), len(cells))) + (0.25 if decimals else 0)
    lines = [f"{t},{','.join(map(str, row))}" for t, row in zip(_TOWNS, values, strict=True)]
    text = f"commune,{','.join(cells)}\n" + "\n".join(lines) + "\n"
    choices = offered(read(tmp_path, text))
    assert choices[0]["parts"] == tuple(cells)
    if decimals:
        assert [c["count"] for c in choices if "count" in c] == cells
    reading = read(tmp_path, text, **choices[0])
    assert reading.table is not None
    assert reading.table.total == int(np.floor(values).sum())
