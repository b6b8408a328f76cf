"""Blocks of rows that stand below each other, each with its title and the header again."""

from pathlib import Path

import pytest
from support.answers import counts_by_name, offered, read_text, total

_TOWNS = ("Akureyri", "Dalvik", "Fjallabyggd", "Nordurthing", "Horgarsveit", "Hofn")


def _blocks(titles: list[str], *, other_areas: bool = False) -> str:
    lines = ["Population by municipality,,,", ",,,"]
    for k, title in enumerate(titles):
        lines += [f"{title},,,", "Municipality,Men,Women,All"]
        for i, town in enumerate(_TOWNS):
            men, women = 1000 + 37 * i + 5 * k, 900 + 41 * i + 9 * k
            name = f"{town} {k}" if other_areas else town
            lines.append(f"{name},{men},{women},{men + women}")
        lines.append(",,,")
    return "\n".join(lines) + "\n"


def _sum(k: int) -> int:
    return sum(1900 + 78 * i + 14 * k for i in range(len(_TOWNS)))


@pytest.mark.parametrize(
    ("titles", "column", "cells"),
    [
        (["Year 2020", "Year 2021", "Year 2022"], "year", ["2020", "2021", "2022"]),
        (["Table 4. Households", "Table 5. People"], "indicator", None),
    ],
)
def test_blocks_with_the_same_areas_are_asked_about(
    tmp_path: Path, titles: list[str], column: str, cells: list[str] | None
) -> None:
    text = _blocks(titles)
    answers = offered(read_text(tmp_path, text, count="All"))
    kept = [answer["keep"] for answer in answers]
    assert sorted(kept) == sorted((f"{column}={cell}",) for cell in cells or titles)
    for k, cell in enumerate(cells or titles):
        reading = read_text(tmp_path, text, count="All", keep=[f"{column}={cell}"])
        assert total(reading) == _sum(k)


def test_pages_of_one_table_are_read_together(tmp_path: Path) -> None:
    text = _blocks(["Page 1", "Page 2"], other_areas=True)
    assert total(read_text(tmp_path, text, count="All")) == _sum(0) + _sum(1)


def test_headings_over_the_same_areas_are_not_left_out(tmp_path: Path) -> None:
    lines = ["province,people"]
    for times, title in ((3, "Total (urban and rural)"), (1, "Urban"), (2, "Rural")):
        lines += [f"{title},", *(f"{town},{times * (100 + k)}" for k, town in enumerate(_TOWNS))]
    text = "\n".join(lines)
    (answer,) = offered(read_text(tmp_path, text, count="people"))
    assert answer == {"headings": "areas"}
    reading = read_text(tmp_path, text, count="people", headings="areas")
    assert total(reading) == sum(3 * (100 + k) for k in range(6))


def test_blocks_side_by_side_are_put_into_one_order(tmp_path: Path) -> None:
    towns = ["Alvor", "Bispo", "Cima", "Douro", "Evora", "Faro"]
    men, women = (dict(zip(towns, range(n, n + 60, 10), strict=True)) for n in (100, 203))
    rows = [f"{a},{men[a]},{b},{women[b]}" for a, b in zip(towns, towns[::-1], strict=True)]
    text = "\n".join(["town,Men,town,Women", *rows])
    reading = read_text(tmp_path, text, parts=("Men", "Women"), levels=("town (column 1)",))
    names = counts_by_name(reading)
    assert all(names[town] == men[town] + women[town] for town in towns)
