"""Files with rows that are no areas: numbers of columns, subtotals, and filters of pivot tables."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from support.offices import File, Value, text, workbook

Rows = list[list[object]]

_PLACES = {
    "Ostmark": {"Adling": ("Aching", "Aufeld", "Aurach"), "Bering": ("Birk", "Buchau")},
    "Westmark": {"Cham": ("Clausen", "Cratz"), "Darn": ("Dobl", "Dreis", "Dünn")},
}
_PEOPLE: dict[str, int] = {
    "Aching": 1_204, "Aufeld": 387, "Aurach": 5_110, "Birk": 942, "Buchau": 218, "Clausen": 3_077,
    "Cratz": 655, "Dobl": 71, "Dreis": 1_843, "Dünn": 496,
}  # fmt: skip
_VILLAGES: dict[str, Value] = dict(_PEOPLE)
_ALL = sum(_PEOPLE.values())


def _rng(salt: int) -> np.random.Generator:
    return np.random.default_rng([2_117, salt])


def _villages() -> Iterator[tuple[str, str, str, int]]:
    for province, communes in _PLACES.items():
        for commune, villages in communes.items():
            yield from ((province, commune, village, _PEOPLE[village]) for village in villages)


# ------------------------------------------------------------------------- numbers of the columns


def _numbered(numbers: Sequence[object], head: Rows, title: Rows) -> Rows:
    """A printed table with men and women, and a row with the numbers of its columns."""
    rows: Rows = [*title, *head, list(numbers)]
    for province, commune, village, n in _villages():
        men = n * 49 // 100
        rows.append([province, commune, village, n, men, n - men])
    return rows


def _column_numbers() -> Iterator[tuple[str, File]]:
    """Tables whose columns are numbered below the header, in the ways of many offices."""
    one: Rows = [["Provinz", "Gemeinde", "Ort", "Insgesamt", "Männer", "Frauen"]]
    two: Rows = [
        ["Provinz", "Gemeinde", "Ort", "Einwohner", "", ""],
        ["", "", "", "Insgesamt", "Männer", "Frauen"],
    ]
    ways: dict[str, Sequence[object]] = {
        "plain": (1, 2, 3, 4, 5, 6),
        "brackets": ("(1)", "(2)", "(3)", "(4)", "(5)", "(6)"),
        "letters": ("a", "b", "c", "d", "e", "f"),
        "roman": ("I", "II", "III", "IV", "V", "VI"),
        "blank_first": ("", 1, 2, 3, 4, 5),
        "by_place": ("", 2, 3, 4, 5, 6),
        "word": ("Spalte", 1, 2, 3, 4, 5),
        "words": ("Sp. 1", "Sp. 2", "Sp. 3", "Sp. 4", "Sp. 5", "Sp. 6"),
        "letter_first": ("A", 1, 2, 3, 4, 5),
        "letters_first": ("А", "Б", "В", 1, 2, 3),
        "formula": (1, 2, 3, "4=5+6", 5, 6),
        "from_0": (0, 1, 2, 3, 4, 5),
        "parts": (1, 2, 3, "4", "4a", "4b"),
    }
    for id, numbers in ways.items():
        for header, head in (("one", one), ("two", two)):
            rows = _numbered(numbers, head, [])
            yield (
                f"numbered_{id}_{header}",
                File(name="einwohner.csv", data=text(rows, ";"), leaves=_VILLAGES, depth=3),
            )
        rows = _numbered(numbers, two, [["Einwohner am 31.12.2023"], []])
        yield (
            f"numbered_{id}_excel",
            File(name="einwohner.xlsx", data=workbook(rows), leaves=_VILLAGES, depth=3),
        )
    listed = _numbered(ways["plain"], one, [])
    yield (
        "numbered_json",
        File(name="einwohner.json", data=json.dumps(listed).encode(), leaves=_VILLAGES, depth=3),
    )
    pages = [*listed[:6], *listed[:2], *listed[6:]]
    yield (
        "numbered_on_each_page",
        File(name="einwohner.csv", data=text(pages, ";"), leaves=_VILLAGES, depth=3),
    )


def _rows_like_numbers() -> Iterator[tuple[str, File]]:
    """Tables whose first row counts up and is an area, or names sizes."""
    counts = {"4": (0, 2, 3), "7": (1, 1, 1), "9": (0, 0, 3), "12": (2, 5, 1)}
    first: Rows = [["ward_code", "men", "women", "children"], [1, 2, 3, 4]]
    leaves: dict[str, Value] = {"1": 4, **{code: own[2] for code, own in counts.items()}}
    yield (
        "counts_like_numbers",
        File(
            name="wards.csv",
            data=text([*first, *([code, *own] for code, own in counts.items())]),
            leaves=leaves,
            depth=1,
        ),
    )
    rng = _rng(1)
    own_sizes = {place: tuple(int(n) for n in rng.integers(20, 900, 4)) for place in _PEOPLE}
    rows: Rows = [["Gemeinde", "Haushalte mit … Personen", "", "", ""], ["", 1, 2, 3, 4]]
    rows += [[place, *sizes] for place, sizes in own_sizes.items()]
    yield (
        "sizes_like_numbers",
        File(
            name="haushalte.csv",
            data=text(rows, ";"),
            kind="group-sizes",
            leaves={place: (0, *sizes) for place, sizes in own_sizes.items()},
            answers={"kind": "group-sizes", "sizes": ("1", "2", "3", "4")},
        ),
    )


# ------------------------------------------------------------------------- codes in several columns


def _german_key(named: bool, numbers: bool, states: Sequence[tuple[str, str]]) -> File:
    """A register of municipalities with its key in five columns.

    Args:
        named: the areas above have rows with their names and without numbers.
        numbers: the columns are numbered.
        states: the code and the digits of the administrative regions of each state.
    """
    rng = _rng(2)
    rows: Rows = [
        ["Art", "Regionalschlüssel", "", "", "", "", "Gemeindename", "Bevölkerung", "", ""],
        ["", "Land", "RB", "Kreis", "VB", "Gem", "", "insgesamt", "männlich", "weiblich"],
    ]
    rows += [["", *range(1, 10)]] if numbers else []
    leaves: dict[str, Value] = {}
    for land, regions in states:
        rows += [["10", land, "", "", "", "", f"Land {land}", "", "", ""]] if named else []
        for region in regions:
            for kreis in ("31", "54"):
                path = [land, region, kreis]
                if named:
                    rows.append(["40", *path, "", "", f"Kreis {land}{region}{kreis}", "", "", ""])
                for k in range(1, 4):
                    union, own = ("5001", f"00{k}") if k < 3 else ("0007", "007")
                    men, women = (int(n) for n in rng.integers(300, 9_000, 2))
                    name = f"Ort {land}{region}{kreis}{k}"
                    rows.append(["60", *path, union, own, name, men + women, men, women])
                    leaves[name] = men + women
    answers = {
        "count": "Bevölkerung insgesamt",
        "missing": "left out",
        "leave_out": ("Regionalschlüssel Gem=",),
    }
    return File(name="gemeinden.xlsx", data=workbook(rows), leaves=leaves, answers=answers)


def _split_codes() -> Iterator[tuple[str, File]]:
    few = (("01", "0"), ("05", "13"), ("09", "1"), ("12", "0"), ("14", "2"), ("16", "0"))
    one = (("05", "135"),)
    for states, of in ((few, "states"), (one, "one_state")):
        for named in (True, False):
            for numbers in (True, False):
                id = f"key_{of}{'_named' * named}{'_numbered' * numbers}"
                yield id, _german_key(named, numbers, states)
    rng = _rng(3)
    rows: Rows = [["Cód_Distrito", "Cód_Concelho", "Concelho", "População"]]
    leaves: dict[str, Value] = {}
    for district in range(1, 13):
        for own in range(1, int(rng.integers(3, 6))):
            name, n = f"Vila {district}-{own}", int(rng.integers(400, 90_000))
            rows.append([f"{district:02d}", f"{own:02d}", name, n])
            leaves[name] = n
    yield (
        "more_districts_than_numbers_below",
        File(name="populacao.csv", data=text(rows, ";"), leaves=leaves, depth=2),
    )


# ------------------------------------------------------------------------------------- subtotals

_SUBTOTALS = {
    "fr": ("Sous-total {}", "TOTAL GÉNÉRAL"), "en": ("{} Total", "Grand Total"),
    "de": ("Zwischensumme {}", "Gesamtsumme"), "it": ("Totale parziale {}", "Totale"),
    "es": ("Total parcial de {}", "Total general"), "ja": ("{}小計", "合計"),
    "ru": ("Итого по {}", "Всего"), "bare": ("Sous-total", "Total"), "same": ("Total", "Total"),
}  # fmt: skip


_OF_LISTS = ("fr", "en", "ja", "bare", "same")


def _with_subtotals(label: str, whole: str, place: str) -> Rows:
    """A table with names in the first row of a block, and totals of communes and provinces.

    Args:
        label: the label of a total, with {} for the name.
        whole: the label of the last row.
        place: the column of labels: "first", "own" for that of the names, or "last".
    """
    rows: Rows = [["Province", "Commune", "Village", "Population"]]
    for province, communes in _PLACES.items():
        first: str = province
        for commune, villages in communes.items():
            name = commune
            for village in villages:
                rows.append([first, name, village, _PEOPLE[village]])
                first = name = ""
            column = {"first": 0, "own": 1, "last": 2}[place]
            rows.append(_total_row(label.format(commune), column, [_PEOPLE[v] for v in villages]))
        everybody = [_PEOPLE[v] for villages in communes.values() for v in villages]
        rows.append(_total_row(label.format(province), 2 * (place == "last"), everybody))
    return [*rows, _total_row(whole, 0, [*_PEOPLE.values()])]


def _total_row(label: str, column: int, numbers: Sequence[int]) -> list[object]:
    row: list[object] = ["", "", "", sum(numbers)]
    row[column] = label
    return row


def _list_of_households(label: str, whole: str, place: str) -> tuple[Rows, dict[str, Value]]:
    """An enumeration list, with the number of households in the total of each commune."""
    rng = _rng(5)
    rows: Rows = [["Province", "Commune", "Village", "No", "Head of household", "Age"]]
    found: Counter[str] = Counter()
    for province, communes in _PLACES.items():
        first: str = province
        for commune, villages in communes.items():
            name, number = commune, 0
            for village in villages:
                own = village
                for _ in range(int(rng.integers(3, 9))):
                    number += 1
                    head = f"{'ABCDEFGH'[int(rng.integers(8))]}. {_HEADS[int(rng.integers(6))]}"
                    age = int(rng.integers(19, 90))
                    rows.append([first, name, own, number, head, age])
                    found[village] += 1
                    first = name = own = ""
            total: list[object] = ["", "", "", number, "", ""]
            total[{"first": 0, "own": 1, "last": 2, "head": 4}[place]] = label.format(commune)
            rows.append(total)
    n = sum(found.values())
    return [*rows, [whole, "", "", n, "", ""]], dict(found)


_HEADS = ("Huber", "Maier", "Gruber", "Wagner", "Moser", "Lechner")


def _subtotals() -> Iterator[tuple[str, File]]:
    for id, (label, whole) in _SUBTOTALS.items():
        for place in ("first", "own", "last"):
            rows = _with_subtotals(label, whole, place)
            yield (
                f"subtotals_{id}_{place}",
                File(name="communes.csv", data=text(rows, ";"), leaves=_VILLAGES, depth=3),
            )
        for place in ("first", "own", "last", "head") if id in _OF_LISTS else ():
            rows, found = _list_of_households(label, whole, place)
            yield (
                f"household_list_{id}_{place}",
                File(
                    name="list.xlsx",
                    data=workbook(rows),
                    leaves=found,
                    depth=3,
                    answers={
                        "kind": "counts",
                        "row": "person",
                        "levels": ("Province", "Commune", "Village"),
                    },
                ),
            )


# ---------------------------------------------------------------------------------- pivot tables

_PIVOTS = {
    "en": ("Row Labels", "Sum of People", "Grand Total", "(All)", "Column Labels"),
    "de": ("Zeilenbeschriftungen", "Summe von Personen", "Gesamtergebnis", "(Alle)",
           "Spaltenbeschriftungen"),
    "fr": ("Étiquettes de lignes", "Somme de Personnes", "Total général", "(Tous)",
           "Étiquettes de colonnes"),
    "es": ("Etiquetas de fila", "Suma de Personas", "Total general", "(Todas)",
           "Etiquetas de columna"),
}  # fmt: skip


def _pivots() -> Iterator[tuple[str, File]]:
    """Pivot tables as saved, with filters above: in tabular form, compact, and with columns."""
    answers = {"kind": "counts", "row": "region"}
    for id, (labels, measure, whole, every, columns) in _PIVOTS.items():
        filters: Rows = [["School year", "2023-24"], ["Status", every], []]
        compact: Rows = [[labels, measure], *([v, n] for v, n in _PEOPLE.items()), [whole, _ALL]]
        tabular: Rows = [["Province", "Commune", "Village", measure]]
        for province, communes in _PLACES.items():
            first: str = province
            for commune, villages in communes.items():
                name = commune
                for village in villages:
                    tabular.append([first, name, village, _PEOPLE[village]])
                    first = name = ""
        tabular.append([whole, "", "", _ALL])
        halves = {village: (n // 3, n - n // 3) for village, n in _PEOPLE.items()}
        sums = [sum(own[k] for own in halves.values()) for k in (0, 1)]
        crossed: Rows = [[measure, columns], [labels, "F", "M", whole]]
        crossed += [[v, *own, _PEOPLE[v]] for v, own in halves.items()]
        crossed.append([whole, *sums, _ALL])
        for form, table, depth in (
            ("tabular", tabular, 3), ("compact", compact, 1), ("crossed", crossed, 1),
        ):  # fmt: skip
            yield (
                f"pivot_{id}_{form}",
                File(
                    name="pivot.xlsx",
                    data=workbook([*filters, *table]),
                    leaves=_VILLAGES,
                    depth=depth,
                    answers=answers | {"count": whole if form == "crossed" else measure},
                ),
            )
        width = max(len(row) for row in crossed)
        padded = [[*row, *[""] * (width - len(row))] for row in (*filters, *crossed)]
        yield (
            f"pivot_{id}_csv",
            File(
                name="pivot.csv",
                data=text(padded, ";"),
                leaves=_VILLAGES,
                depth=1,
                answers=answers | {"count": whole},
            ),
        )
    single: Rows = [["School year", "2023-24"], [], ["Village", "People"]]
    single += [[v, n] for v, n in _PEOPLE.items()]
    yield (
        "title_of_two_cells",
        File(name="people.xlsx", data=workbook(single), leaves=_VILLAGES, depth=1, answers=answers),
    )


def rows_not_areas() -> Iterator[tuple[str, File]]:
    yield from _column_numbers()
    yield from _rows_like_numbers()
    yield from _split_codes()
    yield from _subtotals()
    yield from _pivots()
