"""Files in which people would be counted twice: totals among areas, and the same numbers twice.

Further files beside them hold no counts, or name their columns in ways that invite a wrong reading.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from support.offices import File, Value, text

Row = Sequence[object]

_REGIONS = {
    "Region Nord": ("Aalby", "Brovst", "Dronninglund", "Hadsund"),
    "Region Midt": ("Ebeltoft", "Grenaa", "Hornslet", "Lemvig", "Odder"),
    "Region Syd": ("Assens", "Bogense", "Faaborg", "Gram", "Haderslev", "Ringe"),
}
_PLACES = [place for places in _REGIONS.values() for place in places]
_SIZES = ("1 person", "2 personer", "3 personer", "4 personer", "5 personer og derover")
_COUNTRIES = ("AUT", "BEL", "CZE", "DEU", "ESP", "FRA", "ITA", "NLD", "POL", "PRT")
_BLOCS = {
    "WEST": ("AUT", "BEL", "DEU", "FRA", "NLD"),
    "SOUTH": ("ESP", "ITA", "PRT"),
    "EAST": ("CZE", "POL"),
}
_PREFECTURES = (
    "北海道", "青森県", "岩手県", "宮城県", "秋田県", "山形県", "福島県", "茨城県", "栃木県",
    "群馬県", "埼玉県", "千葉県", "東京都", "神奈川県",
)  # fmt: skip


def _rng(salt: int) -> np.random.Generator:
    return np.random.default_rng([211, salt])


def _households(salt: int) -> dict[str, list[int]]:
    rng = _rng(salt)
    return {place: [int(n) for n in rng.integers(40, 9_000, 5)] for place in _PLACES}


def _sums(numbers: dict[str, list[int]], places: Sequence[str]) -> list[int]:
    return [sum(numbers[place][k] for place in places) for k in range(5)]


def _leaves(numbers: dict[str, list[int]]) -> dict[str, Value]:
    return {place: (0, *row) for place, row in numbers.items()}


def _long(rows: Sequence[tuple[str, list[int]]]) -> list[Row]:
    return [[area, size, n] for area, row in rows for size, n in zip(_SIZES, row, strict=True)]


def _regions_among_group_sizes() -> Iterator[tuple[str, File]]:
    """Households by size, with regions above municipalities in one column of areas."""
    head = ["Område", "Husstandsstørrelse", "Antal husstande"]
    for k, hidden in enumerate((0, 3)):
        numbers = _households(k)
        rows: list[tuple[str, list[int]]] = []
        for region, places in _REGIONS.items():
            first, *rest = _sums(numbers, places)
            rows += [(region, [first + hidden, *rest]), *((p, numbers[p]) for p in places)]
        out = tuple(f"Område={region}" for region in _REGIONS)
        yield (
            f"husstande_lang_{k}",
            File(
                name=f"husstande_lang_{k}.csv",
                data=text([head, *_long(rows)], ";"),
                kind="group-sizes",
                leaves=_leaves(numbers),
                depth=1 if hidden else 2,
                answers={"leave_out": out} if hidden else {},
            ),
        )
    numbers = _households(7)
    upper = [(region, _sums(numbers, places)) for region, places in _REGIONS.items()]
    stacked = [*upper, *numbers.items()]
    out = tuple(f"Område={region}" for region in _REGIONS)
    for id, table in (
        ("husstande_blok", [["Område", *_SIZES], *([area, *row] for area, row in stacked)]),
        ("husstande_blok_lang", [head, *_long(stacked)]),
    ):
        yield (
            id,
            File(
                name=f"{id}.csv",
                data=text(table, ";"),
                kind="group-sizes",
                leaves=_leaves(numbers),
                depth=1,
                answers={"leave_out": out},
            ),
        )


def _flows(salt: int) -> dict[tuple[str, str], int]:
    rng = _rng(salt)
    return {(a, b): int(rng.integers(20, 9_000)) for a in _COUNTRIES for b in _COUNTRIES if a != b}


def _levels_of(code: str, levels: str) -> list[str]:
    bloc = next(name for name, members in _BLOCS.items() if code in members)
    return [{"c": code, "r": bloc, "w": "WORLD"}[level] for level in levels]


def _totals_at_both_ends() -> Iterator[tuple[str, File]]:
    """Migrants between countries, with the world and groups of countries at both ends."""
    for k, levels in enumerate(("cw", "cr", "crw")):
        flows = _flows(20 + k)
        table: dict[tuple[str, str], int] = {}
        for (a, b), n in flows.items():
            for start in _levels_of(a, levels):
                for end in _levels_of(b, levels):
                    table[start, end] = table.get((start, end), 0) + n
        listed = sorted(table, key=lambda pair: (pair[0] in _COUNTRIES, pair[1] in _COUNTRIES))
        totals = [code for code in dict.fromkeys(a for a, _ in listed) if code not in _COUNTRIES]
        ends = [code for code in dict.fromkeys(b for _, b in listed) if code not in _COUNTRIES]
        leaves: dict[str, Value] = {
            c: sum(n for (a, _), n in flows.items() if a == c) for c in _COUNTRIES
        }
        out = tuple(f"origin={code}" for code in totals)
        out += tuple(f"destination={code}" for code in ends)
        yield (
            f"migrants_{levels}",
            File(
                name=f"migrants_{levels}.csv",
                data=text(
                    [
                        ["origin", "destination", "migrants"],
                        *([a, b, table[a, b]] for a, b in listed),
                    ]
                ),
                kind="flows",
                leaves=leaves,
                answers={"leave_out": out},
            ),
        )


def _flows_that_stand_twice() -> Iterator[tuple[str, File]]:
    """Commuters by residence and by workplace, and moves as departures and as arrivals."""
    rng = _rng(30)
    flows = {(a, b): int(rng.integers(5, 3_000)) for a in _PLACES for b in _PLACES}
    leaves: dict[str, Value] = {
        place: sum(n for (a, _), n in flows.items() if a == place) for place in _PLACES
    }
    both = [[p, a, b, n] for p in "RW" for (a, b), n in flows.items()]
    yield (
        "perspective",
        File(
            name="perspective.csv",
            data=text([["perspective", "home", "work", "persons"], *both]),
            kind="flows",
            leaves=leaves,
            answers={"keep": ("perspective=R",)},
        ),
    )
    sides = [["OUT", a, b, n] for (a, b), n in flows.items()]
    sides += [["IN", b, a, n] for (a, b), n in flows.items()]
    yield (
        "in_and_out",
        File(
            name="in_and_out.csv",
            data=text([["direction", "area", "partner", "moves"], *sides]),
            kind="flows",
            leaves=leaves,
            answers={
                "kind": "flows", "levels": ("area",), "destinations": ("partner",),
                "keep": ("direction=OUT",),
            },
        ),
    )  # fmt: skip


def _blank_totals() -> Iterator[tuple[str, File]]:
    """A blank cell for both sexes, in a few areas and in rounded numbers."""
    for id, places, step in (("blank_few", _PLACES[:3], 1), ("blank_rounded", _PLACES, 5)):
        rng = _rng(40 + step)
        rows: list[Row] = []
        leaves: dict[str, Value] = {}
        for place in places:
            for year in (2020, 2021):
                men, women = (int(n) for n in rng.integers(900, 60_000, 2))
                whole = men + women
                rounded = [step * round(n / step) for n in (men, women, whole)]
                rows += [[place, year, s, n] for s, n in zip(("M", "F", ""), rounded, strict=True)]
                leaves[place] = rounded[2]
        yield (
            id,
            File(
                name=f"{id}.csv",
                data=text([["area", "year", "sex", "population"], *rows]),
                leaves=leaves,
                answers={"keep": ("year=2021",)},
            ),
        )


def _sizes_with_marks() -> Iterator[tuple[str, File]]:
    """Households by size, some columns of which hold only marks for unpublished numbers."""
    head = ["District", "Total households", "1 person", "2 persons", "3 persons", "4 persons",
            "5+ persons"]  # fmt: skip
    for id, marked, mark in (("sizes_slash", 3, "/"), ("sizes_na", 4, "NA")):
        numbers = _households(50 + marked)
        rows = [
            [place, sum(row), *(mark if k == marked else n for k, n in enumerate(row))]
            for place, row in numbers.items()
        ]
        published = {p: [0 if k == marked else n for k, n in enumerate(row)]
                     for p, row in numbers.items()}  # fmt: skip
        answers: dict[str, Any] = {"missing": "zero", "totals": "left out"}
        yield (
            id,
            File(
                name=f"{id}.csv",
                data=text([head, *rows]),
                kind="group-sizes",
                leaves=_leaves(published),
                answers=answers,
            ),
        )
    numbers = _households(58)
    yield (
        "haushalte_ein_wort",
        File(
            name="haushalte_ein_wort.csv",
            data=text(
                [
                    ["Kreis", "Haushalte insgesamt", "Einpersonenhaushalte",
                     "Zweipersonenhaushalte", "Dreipersonenhaushalte", "4-Personen-Haushalte",
                     "5 und mehr Personen"],
                    *([place, sum(row), *row] for place, row in numbers.items()),
                ],
                ";",
            ),
            kind="group-sizes",
            leaves=_leaves(numbers),
        ),
    )  # fmt: skip


def _numbers_within_provinces() -> Iterator[tuple[str, File]]:
    """Removals of persons between Spanish municipalities, and Mexican localities."""
    rng = _rng(60)
    codes = [(p, m) for p in ("01", "02", "28", "46") for m in ("001", "002", "003", "004")]
    rows: list[Row] = []
    leaves: dict[str, Value] = dict.fromkeys(("".join(code) for code in codes), 0)
    for k in range(400):
        start, end = codes[int(rng.integers(16))], codes[int(rng.integers(16))]
        rows.append([k + 1, *end, *start, int(rng.integers(0, 90)), 1 + k % 2])
        leaves["".join(start)] = int(str(leaves["".join(start)])) + 1
    yield (
        "variaciones",
        File(
            name="variaciones.csv",
            data=text(
                [["ID", "PROVALTA", "MUNIALTA", "PROVBAJA", "MUNIBAJA", "EDAD", "SEXO"], *rows]
            ),
            kind="flows",
            leaves=leaves,
            depth=2,
            answers={
                "kind": "flows", "row": "trip", "levels": ("PROVBAJA", "MUNIBAJA"),
                "destinations": ("PROVALTA", "MUNIALTA"), "within": True,
            },
        ),
    )  # fmt: skip
    names = ("San José", "San Juan", "San Pedro", "Santa Ana", "El Carmen")
    localities: list[Row] = []
    people: dict[str, Value] = {}
    for e, state in enumerate(("Aguascalientes", "Baja California", "Campeche"), start=1):
        for m in (1, 2, 3):
            town = f"{state.split(' ')[0]} de {('Arriba', 'Abajo', 'Enmedio')[m - 1]}"
            for k in range(1, 7):
                men, women = (int(n) for n in rng.integers(20, 2_500, 2))
                own = town if k == 1 else names[k - 2]
                localities.append([f"{e:02d}", state, f"{m:03d}", town, f"{k:04d}", own,
                                   men + women, men, women])  # fmt: skip
                people[f"{e:02d}{m:03d}{k:04d}"] = men + women
    yield (
        "localidades",
        File(
            name="localidades.csv",
            data=text(
                [["ENTIDAD", "NOM_ENT", "MUN", "NOM_MUN", "LOC", "NOM_LOC", "POBTOT", "POBMAS",
                  "POBFEM"], *localities]
            ),
            leaves=people,
            depth=3,
        ),
    )  # fmt: skip


def _coded_matrix() -> Iterator[tuple[str, File]]:
    """Moves between prefectures, with codes before the names of columns but not of rows."""
    n = len(_PREFECTURES)
    moves = _rng(70).integers(0, 4_000, (n, n)).tolist()
    heads = [f"{k:02d}_{name}" for k, name in enumerate(_PREFECTURES, start=1)]
    leaves: dict[str, Value] = {
        name: sum(row) for name, row in zip(_PREFECTURES, moves, strict=True)
    }
    rows = [[name, *row] for name, row in zip(_PREFECTURES, moves, strict=True)]
    yield (
        "idou",
        File(
            name="idou.csv",
            data=text([["前住地", *heads], *rows]),
            kind="flows",
            leaves=leaves,
            answers={"matrix": "origins"},
        ),
    )


def _stocks_and_averages() -> Iterator[tuple[str, File]]:
    """Populations at the start and at the end of a year, and tables of medians and shares."""
    rng = _rng(80)
    stocks = {place: [int(n) for n in rng.integers(10_000, 90_000, 2)] for place in _PLACES}
    ends: dict[str, Value] = {place: end for place, (_, end) in stocks.items()}
    yield (
        "start_and_end",
        File(
            name="start_and_end.csv",
            data=text([["Municipality", "Start of year", "Births", "Deaths", "End of year"],
                       *([p, a, 90 + k, 70 + 3 * k, b]
                         for k, (p, (a, b)) in enumerate(stocks.items()))]),
            leaves=ends,
            answers={"count": "End of year"},
        ),
    )  # fmt: skip
    words = ("Beginning of the year", "End of the year")
    yield (
        "stock_rows",
        File(
            name="stock_rows.csv",
            data=text([["Municipality", "Stock", "Population"],
                       *([p, word, n] for p, both in stocks.items()
                         for word, n in zip(words, both, strict=True))]),
            leaves=ends,
            answers={"keep": ("Stock=End of the year",)},
        ),
    )  # fmt: skip
    for id, head in (
        ("median_pay", "Median gross annual pay"),
        ("medianlohn", "Medianlohn"),
        ("gennemsnit", "Gennemsnitsindkomst"),
        ("osuus", "Naisten osuus"),
    ):
        rows = [
            [place, int(n)]
            for place, n in zip(_PLACES, rng.integers(2_000, 9_000, 15), strict=True)
        ]
        yield id, File(name=f"{id}.csv", data=text([["Area", head], *rows]), kind="")
    lines = "".join(
        f"{a:03d}{b:03d}{c:03d}{d:03d}{n:9d}\n"
        for a, b, c, d, n in rng.integers(1, 300, (200, 5)).tolist()
    )
    yield "fixed_flows", File(name="fixed_flows.txt", data=lines.encode(), kind="")


def _sizes_that_are_hidden() -> Iterator[tuple[str, File]]:
    """Sizes in headings that also hold a year, and bands of sizes beside single ones."""
    years = ("Husstande 2023 {}", "Husstande {} 2024", "Antal husstande, 2024, {}")
    for k, manner in enumerate(years):
        numbers = _households(90 + k)
        head = ["Kommune", *(manner.format(size) for size in _SIZES)]
        yield (
            f"sizes_and_year_{k}",
            File(
                name=f"sizes_and_year_{k}.csv",
                data=text([head, *([place, *row] for place, row in numbers.items())], ";"),
                kind="group-sizes",
                leaves=_leaves(numbers),
            ),
        )
    numbers, older = _households(94), _households(95)
    both = [f"Husstande {year} {size}" for year in (2014, 2024) for size in _SIZES]
    yield (
        "sizes_of_two_years",
        File(
            name="sizes_of_two_years.csv",
            data=text(
                [["Kommune", *both], *([p, *older[p], *numbers[p]] for p in numbers)],
                ";",
            ),
            kind="group-sizes",
            leaves=_leaves(numbers),
            answers={
                "kind": "group-sizes", "sizes": tuple(both[5:]), "first_size": 1,
                "top_coded": True,
            },
        ),
    )  # fmt: skip
    numbers = _households(96)
    bands = [f"Household size {size}" for size in ("1", "2", "3-5", "6-9", "10+")]
    yield (
        "sizes_and_bands",
        File(
            name="sizes_and_bands.csv",
            data=text(
                [["Ward", "Households", *bands],
                 *([place, sum(row), *row] for place, row in numbers.items())]
            ),
            kind="group-sizes",
            leaves={place: (0, *row[:2], sum(row[2:])) for place, row in numbers.items()},
        ),
    )  # fmt: skip


def _codes_of_all() -> Iterator[tuple[str, File]]:
    """Firms by branch, with a code of dashes or zeros for all, of which some are listed."""
    for id, code in (("all_dashes", "------"), ("all_zeros", "00")):
        rng = _rng(97 + len(code))
        rows: list[Row] = []
        leaves: dict[str, Value] = {}
        for place in _PLACES:
            parts = [int(n) for n in rng.integers(20, 400, 3)]
            leaves[place] = sum(parts) + int(rng.integers(30, 90))
            rows.append([place, code, leaves[place]])
            rows += [[place, f"{10 + k}{code[2:]}", n] for k, n in enumerate(parts)]
        yield (
            id,
            File(
                name=f"{id}.csv",
                data=text([["county", "branch", "firms"], *rows]),
                leaves=leaves,
                answers={"keep": (f"branch={code}",)},
            ),
        )


def _rates_and_money() -> Iterator[tuple[str, File]]:
    """Decimals beside the words for a rate in a column of measures, and medians with a sign."""
    rng = _rng(110)
    rows = [
        [code, "Fertility rate", "N", year, round(float(n), 2)]
        for code in _COUNTRIES
        for year, n in zip((2021, 2022), rng.uniform(1, 3, 2), strict=True)
    ]
    head = ["REF_AREA", "Measure", "DECIMALS_OF", "TIME_PERIOD", "OBS_VALUE"]
    yield "rate_in_rows", File(name="rate_in_rows.csv", data=text([head, *rows]), kind="")
    money = [[2022, place, f"${n:,}"] for place, n in
             zip(_PLACES, rng.integers(30_000, 99_000, 15).tolist(), strict=True)]  # fmt: skip
    data = text([["Year", "Town", "Median rent in dollars"], *money], ";")
    yield "median_money", File(name="median_money.csv", data=data, kind="")


def _totals_and_repeated_rows() -> Iterator[tuple[str, File]]:
    """Localities with totals of states and towns, and rows that repeat small ones."""
    rng = _rng(120)
    rows: list[Row] = []
    leaves: dict[str, Value] = {}
    names = ("Río Seco", "El Alto", "La Loma", "Dos Aguas")
    for e, state in enumerate(("Jalisco", "Nayarit"), start=1):
        inner: list[Row] = []
        whole = 0
        for m in (1, 2, 3):
            numbers = [int(n) for n in rng.integers(3, 9, 2)] + rng.integers(90, 9_000, 2).tolist()
            place = [f"{e:02d}", state, f"{m:03d}"]
            inner.append([*place, "0000", "Total del Municipio", sum(numbers)])
            for k, (name, n) in enumerate(zip(names, numbers, strict=True), start=1):
                inner.append([*place, f"{k:04d}", name, n])
                leaves[f"{e:02d}{m:03d}{k:04d}"] = n
            inner.append([*place, "9998", "Localidades de una vivienda", sum(numbers[:2])])
            whole += sum(numbers)
        top = [f"{e:02d}", state, "000", "0000"]
        rows += [[*top, "Total de la Entidad", whole], *inner]
    head = ["ENTIDAD", "NOM_ENT", "MUN", "LOC", "NOM_LOC", "POBTOT"]
    yield (
        "localidades_con_totales",
        File(
            name="localidades_con_totales.csv",
            data=text([head, *rows]),
            leaves=leaves,
            depth=3,
            answers={
                "leave_out": ("LOC=9998", "MUN=000"), "levels": ("ENTIDAD", "MUN", "LOC"),
                "names": ("NOM_ENT", "MUN", "NOM_LOC"), "within": True,
            },
        ),
    )  # fmt: skip


def counted_twice_files() -> Iterator[tuple[str, File]]:
    """Return each file under its id."""
    yield from _regions_among_group_sizes()
    yield from _totals_at_both_ends()
    yield from _flows_that_stand_twice()
    yield from _blank_totals()
    yield from _sizes_with_marks()
    yield from _numbers_within_provinces()
    yield from _coded_matrix()
    yield from _stocks_and_averages()
    yield from _sizes_that_are_hidden()
    yield from _codes_of_all()
    yield from _rates_and_money()
    yield from _totals_and_repeated_rows()
