"""Columns that add up to another one: parts of what is counted, terms of a balance, sizes or areas.

The sum alone is no evidence. Without evidence on the parts a question is asked, with the reading
that is meant among its answers.
"""

from pathlib import Path
from typing import Any

import pytest

from hierdp_core.readers import Reading
from hierdp_core.tables import GroupSizes
from tests.support.answers import offered, read_text, total

_AREAS = [(f"Region {k // 4}", f"Town {k}") for k in range(12)]
_FIRST = [310 + 37 * k for k in range(12)]
_SECOND = [120 + 23 * k for k in range(12)]
_SIZES = (91, 85, 40, 33, 12)


def _by_town(header: str, *columns: list[int]) -> str:
    rows = [",".join(map(str, (*area, *numbers)))
            for area, *numbers in zip(_AREAS, *columns, strict=True)]  # fmt: skip
    return f"region,town,{header}\n" + "\n".join(rows)


def _added(one: list[int], other: list[int]) -> list[int]:
    return [first + second for first, second in zip(one, other, strict=True)]


def _choices(reading: Reading) -> list[dict[str, Any]]:
    assert reading.table is None, reading.guesses
    return [dict(choice) for choice in offered(reading)]


@pytest.mark.parametrize(
    "header",
    [
        "Urodzenia,Zgony,Przyrost",
        "arrivals,departures,net",
        "entries,exits,balance",
        "Geburten,Gestorbene,Saldo",
        "total arrivals,departures,remaining",
        "Tulijat,Lähtijät,Erotus",
    ],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_terms_of_a_balance_are_asked_about(tmp_path: Path, header: str, sign: int) -> None:
    difference = [sign * (n if k % 3 else 1 - k) if sign < 0 else n
                  for k, n in enumerate(_SECOND)]  # fmt: skip
    above = [max(sum(pair), 1) for pair in zip(_FIRST, difference, strict=True)]
    first, second, _ = header.split(",")
    reading = read_text(tmp_path, _by_town(header, above, _FIRST, difference))
    choices = _choices(reading)
    assert {"count": first} in choices
    assert {"count": second} in choices


def test_differences_below_zero_are_no_counts(tmp_path: Path) -> None:
    difference = [(-1) ** k * (15 + k) for k in range(12)]
    above = _added(_FIRST, difference)
    choices = _choices(read_text(tmp_path, _by_town("in,out,both", above, _FIRST, difference)))
    assert {"count": "both"} not in choices


@pytest.mark.parametrize(
    "header",
    [
        "people,men,women",
        "women,men,people",
        "Insgesamt,Deutsche,Ausländer",
        "población,urbana,rural",
        "households,private households,institutional households",
        "P0020001,P0020002,P0020003",
        "Total,citizens,others",
    ],
)
def test_parts_of_what_is_counted_are_added_up(tmp_path: Path, header: str) -> None:
    names = header.split(",")
    whole = _added(_FIRST, _SECOND)
    columns = [_SECOND, _FIRST, whole] if names[2] == "people" else [whole, _FIRST, _SECOND]
    reading = read_text(tmp_path, _by_town(header, *columns))
    assert total(reading) == sum(whole)


def _sizes_in_rows(label: str, sizes: list[str], areas: list[str], whole: str, end: str) -> str:
    numbers = [[n * (k + 2) + 7 * k for k in range(len(areas))] for n in _SIZES]
    rows = [[size, *row, sum(row)] for size, row in zip(sizes, numbers, strict=True)]
    rows.append([end, *map(sum, zip(*[row[1:] for row in rows], strict=True))])
    return "\n".join(",".join(map(str, row)) for row in [[label, *areas, whole], *rows])


@pytest.mark.parametrize(
    ("label", "sizes", "whole"),
    [
        (
            "Asuntokunta",
            ["1 jäsen", "2 jäsentä", "3 jäsentä", "4 jäsentä", "5+ jäsentä"],
            "Koko maa",
        ),
        ("Stærð", ["1 íbúi", "2 íbúar", "3 íbúar", "4 íbúar", "5 íbúar eða fleiri"], "Alls"),
        ("Household size", ["1 person", "2 people", "3 people", "4 people", "5 or more"], "All"),
        ("Leibkond", ["1 liige", "2 liiget", "3 liiget", "4 liiget", "5 ja enam liiget"], "Kokku"),
    ],
)
@pytest.mark.parametrize("n_areas", [2, 3, 6])
def test_sizes_in_rows_and_areas_in_columns_are_asked_about(
    tmp_path: Path, label: str, sizes: list[str], whole: str, n_areas: int
) -> None:
    areas = ["Pohja", "Itä", "Etelä", "Länsi", "Keski", "Saaret"][:n_areas]
    text = _sizes_in_rows(label, sizes, areas, whole, whole)
    turned: dict[str, Any] = {"areas": "columns", "levels": ("area",)}
    reading = read_text(tmp_path, text)
    assert turned in _choices(reading)
    answered = read_text(tmp_path, text, **turned)
    if answered.table is None:
        by_size = next(c for c in _choices(answered) if "sizes" in c)
        assert by_size["sizes"] == tuple(sizes)
        stated = turned | by_size | {"leave_out": (f"area={whole}",)}
        answered = read_text(tmp_path, text, **stated)
    assert answered.table is not None, answered.report.lines()
    assert answered.table.kind == "group-sizes"
    assert answered.table.regions.tree.n_leaves == n_areas


def test_kinds_in_rows_and_areas_in_columns_are_asked_about(tmp_path: Path) -> None:
    rows = [[name, *(40 * k + 9 * j + 3 for j in range(5))]
            for k, name in enumerate(["Barley", "Oats", "Rye", "Wheat"], 1)]  # fmt: skip
    lines = [",".join(map(str, [*row, sum(map(int, row[1:]))])) for row in rows]
    text = "Crop,Norfolk,Kent,Devon,Essex,Surrey,England\n" + "\n".join(lines)
    assert {"areas": "columns", "levels": ("area",)} in _choices(read_text(tmp_path, text))


def test_a_near_total_of_areas_is_asked_about(tmp_path: Path) -> None:
    """The total of the areas is rounded, so it is no exact sum."""
    rows = [
        [size, *(n * (k + 2) for k in range(5))] for size, n in zip("abcde", _SIZES, strict=True)
    ]
    lines = [",".join(map(str, [*row, sum(map(int, row[1:])) + 1])) for row in rows]
    text = "Sort,Norfolk,Kent,Devon,Essex,Surrey,Total\n" + "\n".join(lines)
    assert {"areas": "columns", "levels": ("area",)} in _choices(read_text(tmp_path, text))


@pytest.mark.parametrize("words", ["Fjöldi / Number", "Daqs Size", "гурӯҳ", ""])
def test_sizes_in_columns_beside_their_total_are_asked_about(tmp_path: Path, words: str) -> None:
    names = [f"{words} {size}" for size in (1, 2, 3, 4)]
    if not words:  # the number in each of two languages
        names = [*(f"{size} cilvēki / {size} zmones" for size in (1, 2, 3)), "4+ cil. / 4+ zm."]
    columns = [[n + 31 * size for n in _SECOND] for size in (7, 5, 3, 2)]
    whole = [sum(numbers) for numbers in zip(*columns, strict=True)]
    reading = read_text(tmp_path, _by_town(",".join([*names, "Total"]), *columns, whole))
    by_size = [c for c in _choices(reading) if "sizes" in c]
    assert by_size[0]["sizes"] == tuple(names)
    assert {"count": "Total"} in _choices(reading)


def test_sizes_in_words_beside_their_total_are_read(tmp_path: Path) -> None:
    names = ["Une personne", "Deux personnes", "Trois personnes", "Quatre personnes et plus"]
    columns = [[n + 31 * size for n in _SECOND] for size in (7, 5, 3, 2)]
    whole = [sum(numbers) for numbers in zip(*columns, strict=True)]
    reading = read_text(tmp_path, _by_town(",".join(["Ensemble", *names]), whole, *columns))
    assert isinstance(reading.table, GroupSizes), reading.report.lines()
    assert reading.table.top_coded
    assert total(reading) == sum(whole)


def test_bare_sizes_in_rows_and_areas_in_columns_are_asked_about(tmp_path: Path) -> None:
    text = _sizes_in_rows("Íbúar", [*"1234", "5+"], ["Norður", "Suður", "Austur"], "Alls", "Alls")
    assert {"areas": "columns", "levels": ("area",)} in _choices(read_text(tmp_path, text))


@pytest.mark.parametrize("words", ["Grade", "Quarter", "Age"])
def test_classes_and_quarters_are_no_sizes(tmp_path: Path, words: str) -> None:
    names = [f"{words} {size}" for size in (1, 2, 3, 4)]
    columns = [[n + 31 * size for n in _SECOND] for size in (7, 5, 3, 2)]
    whole = [sum(numbers) for numbers in zip(*columns, strict=True)]
    reading = read_text(tmp_path, _by_town(",".join([*names, "Total"]), *columns, whole))
    assert total(reading) == sum(whole)
