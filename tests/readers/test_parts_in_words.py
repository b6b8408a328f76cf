"""Rows that are parts of other rows by their words, and rows whose ranges overlap."""

from pathlib import Path

import numpy as np
from support.answers import offered, read_text, total

_TOWNS = ("Alvor", "Bispo", "Cima", "Douro", "Evora", "Faro", "Guia", "Horta")


def _towns_with_parts() -> tuple[str, int]:
    rng = np.random.default_rng(33)
    rows, whole = ["town,people"], 0
    for town in _TOWNS:
        people = int(rng.integers(900, 9000))
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


def test_parts_below_sums_are_left_out_first(tmp_path: Path) -> None:
    text = (
        "maakond / vald,rahvaarv\nHiiu maakond,3122\nHiiumaa vald,3122\nJärva maakond,9620\n"
        "Järva vald,1279\nPaide linn,1639\nsh. linnaline asula Paide,1311\nTüri vald,6702\n"
        "Põlva maakond,14096\nKanepi vald,923\nPõlva vald,5094\nRäpina vald,8079\n"
    )
    (without, _) = offered(read_text(tmp_path, text))
    reading = read_text(tmp_path, text, **without)
    assert total(reading) == 3122 + 9620 + 14096
    assert reading.table is not None
    assert reading.table.regions.tree.level_sizes.tolist() == [1, 3, 7]


def test_a_ratio_of_two_counts_is_no_weight(tmp_path: Path) -> None:
    rng = np.random.default_rng(33)
    rows = ["area,total,men,women,men per 100 women"]
    for _ in range(4):
        for town in _TOWNS[:6]:
            men, women = (int(n) for n in rng.integers(300, 4000, 2))
            rows.append(f"{town},{men + women},{men},{women},{100 * men / women:.2f}")
    answers = offered(read_text(tmp_path, "\n".join(rows)))
    assert not any(answer.get("count") == "men per 100 women" for answer in answers)
