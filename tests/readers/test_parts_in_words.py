"""Rows that are parts of other rows by their words, and rows whose ranges overlap."""

from pathlib import Path

import numpy as np
from support.answers import offered, read_text, total

_TOWNS = ("Alvor", "Bispo", "Cima", "Douro", "Evora", "Faro", "Guia", "Horta")
_RNG = np.random.default_rng(33)


def _towns_with_parts() -> tuple[str, int]:
    rows, whole = ["town,people"], 0
    for town in _TOWNS:
        people = int(_RNG.integers(900, 9000))
        whole += people
        rows += [f"{town},{people}", f"of which {town} centre,{people // 3}"]
    return "\n".join(rows), whole


def test_parts_of_other_rows_are_not_read_without_a_question(tmp_path: Path) -> None:
    text, whole = _towns_with_parts()
    reading = read_text(tmp_path, text)
    assert [fault.id for fault in reading.report.faults] == ["mixed-rows"]
    without, kept = offered(reading)
    assert total(read_text(tmp_path, text, **without)) == whole
    reading = read_text(tmp_path, text, **kept)
    assert reading.table is not None
    assert reading.table.regions.tree.level_sizes[-1] == 2 * len(_TOWNS)


def test_a_place_that_begins_like_a_word_is_an_area(tmp_path: Path) -> None:
    names = ["Davonport", "Dontville", *_TOWNS]
    text = "town,people\n" + "\n".join(f"{n},{300 + 37 * k}" for k, n in enumerate(names))
    assert read_text(tmp_path, text).report.usable


def _by_age(ages: list[str]) -> str:
    rows = [
        f"{t},{a},{40 + 17 * k + 5 * i}" for k, t in enumerate(_TOWNS) for i, a in enumerate(ages)
    ]
    return "county,age,people\n" + "\n".join(rows)


def test_ages_that_overlap_are_not_added_up(tmp_path: Path) -> None:
    apart, overlapping = _by_age(["0-14", "15-64", "65+"]), _by_age(["0-14", "15-64", "65+", "18+"])
    assert any(answer.get("add_up") for answer in offered(read_text(tmp_path, apart)))
    assert not any(answer.get("add_up") for answer in offered(read_text(tmp_path, overlapping)))
    for text, cautioned in ((apart, False), (overlapping, True)):
        reading = read_text(tmp_path, text, levels=["county"], add_up=True)
        words = [f.what for f in reading.report.findings if f.id == "caution"]
        assert any("overlap" in what for what in words) == cautioned
