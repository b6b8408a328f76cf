"""What a report says of an answer that merges areas, leaves out parts, or counts no counts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from support.answers import offered, read_text

from hierdp_core.readers import Reading
from hierdp_core.readers.columns.cautions import (
    RULES,
    cautions,
    larger_than_groups,
    merged_areas,
    spelled_alike,
)
from hierdp_core.readers.columns.count_rules import rank_counts
from hierdp_core.readers.columns.doubts import holds_changes
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.measures_of_groups import groups_of_persons
from hierdp_core.readers.columns.partitions import ranges_in
from hierdp_core.readers.columns.sizes_of_rows import sizes_of_rows
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.reading import read_here

_TOWNS = ("Alvor", "Bispo", "Cima", "Douro", "Evora", "Faro", "Guia", "Horta")


def facts(names: str, rows: Sequence[Sequence[object]], heading: str = "") -> SheetFacts:
    columns = tuple(pa.array([str(cell) for cell in column]) for column in zip(*rows, strict=True))
    return SheetFacts(
        Sheet(file="t.csv", names=tuple(names.split(",")), columns=columns, heading=heading)
    )


def column(name: str, *cells: object) -> ColumnFacts:
    return ColumnFacts(name, pa.array([str(cell) for cell in cells], pa.string()))


def read(folder: Path, text: str, stated: Mapping[str, Any]) -> Reading:
    (folder / "t.csv").write_text(text, encoding="utf-8")
    return read_here([folder / "t.csv"], stated=stated)


def notes(reading: Reading) -> list[str]:
    return [f.what for f in reading.report.findings if f.id == "caution"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Saldo migratório", True), ("Folketilvækst", True), ("residentes", False),
        ("crescimento", True), ("Geburtenüberschuss", True), ("net_migration", True),
        ("population change 2023", True), ("population", False), ("Netto", False),
        ("households", False), ("przyrost naturalny", True), ("Överskott", True),
        ("Födelseöverskott", True),
    ],
)  # fmt: skip
def test_a_name_says_that_numbers_are_changes(name: str, shown: bool) -> None:
    assert holds_changes(column(name, 1, 2, 3)) == shown


def test_ages_and_amounts_are_larger_than_groups() -> None:
    assert larger_than_groups(column("q12", *range(18, 80)))
    assert not larger_than_groups(column("members", *[1, 2, 3, 4, 5, 6] * 9, 48))
    assert not larger_than_groups(column("members", "", ""))


_AREAS = facts(
    "town,saldo,mean price,residents,geo_code",
    [[town, k - 3, 100 + k, 1000 + 7 * k, 4400 + k] for k, town in enumerate(_TOWNS)],
)


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        ("saldo", "holds changes"), ("mean price", "rates, means, indices or prices"),
        ("geo_code", "looks like codes"), ("residents", ""),
    ],
)  # fmt: skip
def test_a_stated_count_that_is_none_is_named(count: str, shown: str) -> None:
    found = cautions(_AREAS, {"count": count}, {})
    assert len(found) == bool(shown)
    assert shown in "".join(found)


def test_a_title_on_prices_is_named_where_the_column_says_nothing() -> None:
    rows = [[town, 100 + 7 * k] for k, town in enumerate(_TOWNS)]
    priced = facts("town,2022", rows, heading="Median rent by town (€)")
    (shown,) = cautions(priced, {"count": "2022"}, {})
    assert shown.startswith("the title has a word")
    assert not cautions(facts("town,2022", rows), {"count": "2022"}, {})


def test_nothing_is_said_without_a_statement() -> None:
    assert not [rule for rule in RULES if rule(_AREAS, {}, {"count": "saldo"})]


def test_rows_counted_beside_a_column_of_counts_are_stated_with_both_numbers() -> None:
    trips = facts("from,to,trips", [[a, b, 5 + len(a + b)] for a in _TOWNS for b in _TOWNS])
    total = int(trips["trips"].values.sum())
    layout = {"levels": ("from",), "destinations": ("to",)}
    (shown,) = cautions(trips, {"row": "trip"}, layout)
    assert "64 rows" in shown
    assert f"{total:,}" in shown
    assert not cautions(trips, {"row": "pair"}, layout)


def test_a_missing_part_is_stated_with_its_number() -> None:
    rows = [[town, 5 + k + (k == 3) * 40, k, 5, (k == 3) * 40] for k, town in enumerate(_TOWNS)]
    sizes = facts("town,firms,small,middle,large", rows)
    (shown,) = cautions(sizes, {"parts": ("small", "middle")}, {})
    assert "40 less" in shown
    assert '"firms"' in shown
    assert "1 row" in shown
    assert not cautions(sizes, {"parts": ("small", "middle", "large")}, {})


def test_merged_areas_are_counted() -> None:
    places = facts("province,town,people", [[k % 2, _TOWNS[k // 2], 10 + k] for k in range(16)])
    guessed = ("province", "town")
    shown = merged_areas(places, {"levels": ("town",)}, guessed)
    assert shown.startswith('16 areas of column "town" are merged into 8')
    assert not merged_areas(places, {"levels": guessed, "within": True}, guessed)
    assert not merged_areas(places, {}, guessed)


def test_wards_of_several_districts_are_merged_areas() -> None:
    rows = [[d // 3, d, w] for d in range(6) for w in range(1, 6) for _ in range(4)]
    wards = facts("province,district,ward", rows)
    stated = {"levels": ("province", "ward"), "within": True}
    shown = merged_areas(wards, stated, ("province", "district"))
    assert shown.startswith('30 areas of column "ward" are merged into 10')


def test_the_report_keeps_the_caution_after_the_answer(tmp_path: Path) -> None:
    lines = ["provincia,concelho,populacao"]
    lines += [f"P{k % 2},{_TOWNS[k // 2]},{100 + k}" for k in range(16)]
    reading = read(tmp_path, "\n".join(lines), {"levels": ["concelho"], "add_up": True})
    assert reading.table is not None
    (shown,) = notes(reading)
    assert "16 areas" in shown
    assert "into 8" in shown


@pytest.mark.parametrize("sexes", ["cinsiyet", "køn"])
def test_a_level_of_sexes_is_named(tmp_path: Path, sexes: str) -> None:
    lines = [f"{sexes},ilce,nufus"]
    lines += [f"{sex},{town},{100 + k}" for sex in "KE" for k, town in enumerate(_TOWNS)]
    stated = {"levels": [sexes, "ilce"], "within": True}
    reading = read(tmp_path, "\n".join(lines), stated)
    assert any("8 areas count as 16" in shown for shown in notes(reading))


def test_ages_are_not_offered_as_sizes_of_households() -> None:
    rng = np.random.default_rng(29)
    members = rng.integers(1, 9, 120)
    heads = rng.integers(19, 88, 120)
    rows = [[f"H{k:04}", _TOWNS[k % 8], m, a]
            for k, (m, a) in enumerate(zip(members, heads, strict=True))]  # fmt: skip
    measure = groups_of_persons(facts("hhid,town,n_q1,n_q2", rows), ["hhid", "n_q1", "n_q2"], {})
    assert measure is not None
    assert measure.question is not None
    sizes = [c.stated["size"] for c in measure.question.choices if "size" in c.stated]
    assert sizes == ["n_q1"]


_CLASSES = ("firms", "n<10", "n10_49", "n50_249", "n250_999", "n1000")


def test_the_class_without_an_end_belongs_to_the_ranges() -> None:
    assert ranges_in(_CLASSES) == _CLASSES[1:]


def test_a_total_of_ranges_counts_even_if_some_are_not_published() -> None:
    rng = np.random.default_rng(29)
    parts = rng.integers(40, 400, (24, 5))
    rows = [[f"{k:03}", 1000 + p.sum(), 1000 + p[0], *p[1:]] for k, p in enumerate(parts)]
    for row in rows[:9]:
        row[-1] = "N"
        row[1] = sum(row[2:-1])
    firms = facts("county," + ",".join(_CLASSES), rows)
    assert rank_counts(firms, list(_CLASSES)).best == "firms"
    assert not sizes_of_rows(firms)


@pytest.mark.parametrize(
    ("stated", "warned"),
    [
        ({"levels": ("town",), "keep": ("year=2023",)}, False),
        ({"kind": "counts", "row": "person", "levels": ("town",)}, True),
    ],
)
def test_years_that_are_counted_together_are_named(
    tmp_path: Path, stated: dict[str, object], warned: bool
) -> None:
    rows = [f"{year},T{k},{10 + k}" for year in (2022, 2023) for k in range(8)]
    reading = read_text(tmp_path, "\n".join(["year,town,people", *rows]), **stated)
    assert reading.table is not None, reading.report.lines()
    notes = [line for line in reading.report.lines() if "2 years are counted together" in line]
    assert bool(notes) == warned


@pytest.mark.parametrize("marks", [("x", "-"), ("..", "n/a", "")])
@pytest.mark.parametrize("name", ["note", "year"])
def test_marks_for_missing_values_are_no_times(
    tmp_path: Path, name: str, marks: tuple[str, ...]
) -> None:
    """A column of several such marks ended the reading of the whole file."""
    rows = [f"{town},3,{mark}" for town in _TOWNS for mark in marks]
    path = tmp_path / "towns.csv"
    path.write_text("\n".join((f"town,people,{name}", *rows)), encoding="utf-8")
    reading = read_here([path], stated={"count": "people", "add_up": True})
    assert not any("added up" in finding.what for finding in reading.report.findings)
    assert reading.table is not None, reading.report


def test_records_of_several_years_are_named_without_a_statement(tmp_path: Path) -> None:
    rows = [f"{year},T{k % 4},{'FM'[k % 2]},{20 + k}" for year in (2022, 2023) for k in range(40)]
    reading = read_text(tmp_path, "\n".join(["survey_year,town,sex,age", *rows]))
    assert reading.table is not None, reading.report.lines()
    assert "2 years are counted together" in str(reading.report.lines())


def _by_time(name: str, times: Sequence[str]) -> str:
    rows = [
        f"{town},{time},{200 + 31 * k + 7 * t * (k % 3)}"
        for k, town in enumerate(_TOWNS)
        for t, time in enumerate(times)
    ]
    return f"town,{name},people\n" + "\n".join(rows)


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("Week Ending", ["31 December 2023", "4 February 2024"]),
        ("as at", ["2023-12-31", "2024-01-31"]),
        ("report date", ["31.12.2023", "31.03.2024"]),
    ],
)
def test_rows_of_days_in_different_years_are_not_offered_as_parts(
    tmp_path: Path, name: str, times: list[str]
) -> None:
    answers = offered(read(tmp_path, _by_time(name, times), {}))
    assert answers
    assert not any(answer.get("add_up") for answer in answers)


@pytest.mark.parametrize(
    ("name", "times"),
    [("month", ["1", "2", "3", "4"]), ("mes", ["enero", "febrero", "marzo"])],
)
def test_months_are_offered_as_parts_of_a_year_with_a_caution(
    tmp_path: Path, name: str, times: list[str]
) -> None:
    text = _by_time(name, times)
    (summed,) = [a for a in offered(read(tmp_path, text, {})) if a.get("add_up")]
    reading = read(tmp_path, text, summed)
    assert reading.report.usable
    (note,) = notes(reading)
    assert note.startswith(f"the numbers of each area for {len(times)} days or periods are added")
    assert not notes(read(tmp_path, text, {"keep": [f"{name}={times[0]}"]}))


def test_a_sum_of_columns_for_months_has_a_caution(tmp_path: Path) -> None:
    months = ["Jan 2023", "Feb 2023", "Mar 2023"]
    rows = [f"{town},{300 + k},{305 + k},{304 - k}" for k, town in enumerate(_TOWNS)]
    text = f"town,{','.join(months)}\n" + "\n".join(rows)
    (note,) = notes(read(tmp_path, text, {"parts": months}))
    assert note.startswith("the numbers of 3 months are added up")
    assert not notes(read(tmp_path, text, {"count": months[0]}))


# ------------------------------------------------------------------------- names that are alike


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        ("NORD", True), ("Nord*", True), ("Nord (1)", True), ("Nord ²", True), ("Nórd", True),
        ("Nord Ost", False), ("Norden", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("stated", [{}, {"count": "people"}])
def test_names_that_differ_in_a_mark_are_reported(
    tmp_path: Path, other: str, alike: bool, stated: dict[str, str]
) -> None:
    regions = ["Nord"] * 5 + [other] * 2 + ["Süd"] * 6
    rows = [f"{r},Ort {k:02d},{310 + 47 * k}" for k, r in enumerate(regions)]
    reading = read(tmp_path, "region,town,people\n" + "\n".join(rows), stated)
    assert reading.table is not None
    pair = f'"Nord" and "{other}"'
    assert any(pair in note for note in notes(reading)) == alike


def test_codes_are_compared_without_marks_only() -> None:
    rows = [("03", 1), ("03*", 2), ("1-2", 3), ("12", 4), ("4 (a)", 5), ("4 (b)", 6)]
    words = spelled_alike(facts("code,people", rows), {}, {"levels": ("code",)})
    assert '"03" and "03*"' in words
    assert not spelled_alike(facts("code,people", rows[2:]), {}, {"levels": ("code",)})


def test_similar_names_in_different_areas_are_not_reported() -> None:
    rows = [("A", "Saint-Denis", 1), ("B", "Saint Denis", 2), ("B", "Lens", 3)]
    levels = {"levels": ("region", "town")}
    assert not spelled_alike(facts("region,town,people", rows), {}, levels)
    assert spelled_alike(facts("region,town,people", [*rows, ("A", "SAINT-DENIS", 4)]), {}, levels)
