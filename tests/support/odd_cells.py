"""Tables with cells that offices write in their own ways: brackets, marks, measures, totals."""

from collections.abc import Iterator, Sequence

import numpy as np

from support.offices import File, Value, text
from support.registers import DISTRICTS

Row = Sequence[object]

_NAMES = [district for _, district in DISTRICTS]


def _numbers(salt: int, n: int = 16) -> list[int]:
    return [int(x) for x in np.random.default_rng([103, salt]).integers(2_300, 880_000, n)]


def _leaves(counts: Sequence[int]) -> dict[str, Value]:
    return dict(zip(_NAMES, counts, strict=True))


def _brackets() -> Iterator[tuple[str, File]]:
    counts = _numbers(1)
    small = {3: 12, 7: 41, 8: 9}
    cells = [f"({small[k]})" if k in small else n for k, n in enumerate(counts)]
    data = text([["district", "births"], *zip(_NAMES, cells, strict=True)])
    own = [small.get(k, n) for k, n in enumerate(counts)]
    yield (
        "brackets_kept",
        File(name="brackets.csv", data=data, leaves=_leaves(own), answers={"brackets": "kept"}),
    )
    rest: dict[str, Value] = {
        name: n for k, (name, n) in enumerate(zip(_NAMES, counts, strict=True)) if k not in small
    }
    yield (
        "brackets_missing",
        File(
            name="brackets.csv",
            data=data,
            leaves=rest,
            answers={"brackets": "missing", "missing": "left out"},
        ),
    )
    yield (
        "brackets_zero",
        File(
            name="brackets.csv",
            data=data,
            leaves=rest | {_NAMES[k]: 0 for k in small},
            answers={"brackets": "missing", "missing": "zero"},
        ),
    )


def _separators() -> Iterator[tuple[str, File]]:
    counts = [n + 1_000_000 * (k % 3) for k, n in enumerate(_numbers(2))]
    marks = (",", " ", ".", "'", "")
    cells = [f"{n:,}".replace(",", marks[k % 5]) for k, n in enumerate(counts)]
    rows: list[Row] = [["district", "people"], *zip(_NAMES, cells, strict=True)]
    yield "mixed_thousands", File(name="mixed.csv", data=text(rows, ";"), leaves=_leaves(counts))
    yield (
        "mixed_thousands_tab",
        File(name="mixed.tsv", data=text(rows, "\t"), leaves=_leaves(counts)),
    )
    swiss = [f"{n:,}".replace(",", "'") for n in counts]
    yield (
        "swiss",
        File(
            name="swiss.csv",
            data=text([["Bezirk", "Einwohner"], *zip(_NAMES, swiss, strict=True)], ";"),
            leaves=_leaves(counts),
        ),
    )
    units = [f"{n:,}".replace(",", ".") + " hab." for n in counts]
    yield (
        "units_behind",
        File(
            name="units.csv",
            data=text([["distrito", "poblacion"], *zip(_NAMES, units, strict=True)], ";"),
            leaves=_leaves(counts),
            answers={"units": "left out", "thousands": "."},
        ),
    )


def _measures_beside() -> Iterator[tuple[str, File]]:
    counts = _numbers(3)
    rank = sorted(counts, reverse=True)
    whole = sum(counts)
    for id, head, separator in (
        (
            "en",
            ["Rank", "District", "Population", "% of total", "Density (per km²)", "Change"],
            ",",
        ),
        (
            "de",
            ["Rang", "Kreis", "Einwohner", "Anteil in %", "Einwohner je km²", "Veränderung"],
            ";",
        ),
        ("pl", ["Lp.", "Powiat", "Ludność", "% ogółu", "Gęstość zaludnienia", "Zmiana"], ";"),
        ("es", ["Puesto", "Distrito", "Población", "% del total", "Densidad", "Variación"], ";"),
    ):
        rows: list[Row] = [head]
        rows += [
            [rank.index(n) + 1, name, n, f"{100 * n / whole:.1f}", round(n / 97), k - 8]
            for k, (name, n) in enumerate(zip(_NAMES, counts, strict=True))
        ]
        yield (
            f"measures_{id}",
            File(name=f"measures_{id}.csv", data=text(rows, separator), leaves=_leaves(counts)),
        )
    rows = [["District", "Cases", "Rate per 100,000", "Rank"]]
    rows += [
        [name, n, f"{n / 13:.2f}", rank.index(n) + 1]
        for name, n in zip(_NAMES, counts, strict=True)
    ]
    yield "rates", File(name="rates.csv", data=text(rows), leaves=_leaves(counts))
    rows = [["District", "2019", "2020", "2021", "Change 2019-21 (%)"]]
    rows += [[name, n - 40, n - 11, n, "0.4"] for name, n in zip(_NAMES, counts, strict=True)]
    yield (
        "years_and_change",
        File(
            name="years_change.csv",
            data=text(rows),
            leaves=_leaves(counts),
            answers={"count": "2021"},
        ),
    )


def _totals() -> Iterator[tuple[str, File]]:
    counts = _numbers(4)
    for id, head, whole, of_region in (
        ("fi", ["Alue", "Väkiluku"], "KOKO MAA", "{} yhteensä"),
        ("pl", ["Jednostka", "Ludność"], "POLSKA", "Razem {}"),
        ("ee", ["Maakond", "Rahvaarv"], "Kogu Eesti", "{} kokku"),
        ("hu", ["Terület", "Népesség"], "Ország összesen", "{} összesen"),
        ("vi", ["Tỉnh", "Dân số"], "CẢ NƯỚC", "Toàn vùng {}"),
        ("tr", ["İl", "Nüfus"], "Türkiye", "{} toplamı"),
        ("no", ["Område", "Folketall"], "Hele landet", "{} i alt"),
        ("en", ["Area", "People"], "Nationwide", "{} subtotal"),
    ):
        rows: list[Row] = [head, [whole, sum(counts)]]
        for k, region in enumerate(dict.fromkeys(region for region, _ in DISTRICTS)):
            own = list(zip(_NAMES, counts, strict=True))[4 * k : 4 * k + 4]
            rows.append([of_region.format(region), sum(n for _, n in own)])
            rows += own
        yield (
            f"totals_{id}",
            File(name=f"totals_{id}.csv", data=text(rows, ";"), leaves=_leaves(counts), depth=2),
        )
        rows = [[head[0], "Name", head[1]]]
        for k, region in enumerate(dict.fromkeys(region for region, _ in DISTRICTS)):
            own = list(zip(_NAMES, counts, strict=True))[4 * k : 4 * k + 4]
            rows += [[region, *pair] for pair in own]
            rows.append([of_region.format(region), "", sum(n for _, n in own)])
        rows.append([whole, "", sum(counts)])
        yield (
            f"totals_below_{id}",
            File(name=f"below_{id}.csv", data=text(rows, ";"), leaves=_leaves(counts), depth=2),
        )


def _codes() -> Iterator[tuple[str, File]]:
    counts = _numbers(5)
    rows: list[Row] = [["FIPS", "County", "Population"]]
    codes = [
        1001,
        1003,
        1005,
        1007,
        1009,
        4001,
        4003,
        4005,
        4007,
        5001,
        5003,
        5005,
        10001,
        10003,
        12001,
        12003,
    ]
    rows += [[c, n, p] for c, n, p in zip(codes, _NAMES, counts, strict=True)]
    yield (
        "lost_zeros_us",
        File(
            name="fips.csv",
            data=text(rows),
            depth=2,
            leaves={f"{c:05d}": n for c, n in zip(codes, counts, strict=True)},
        ),
    )
    rows = [["CPRO", "PROVINCIA", "CMUN", "NOMBRE", "POB23"]]
    rows += [
        [k // 4 + 1, region, k % 4 + 1, name, n]
        for k, ((region, name), n) in enumerate(zip(DISTRICTS, counts, strict=True))
    ]
    yield (
        "lost_zeros_es",
        File(
            name="pobmun23.csv",
            data=text(rows, ";"),
            depth=2,
            leaves=_leaves(counts),
        ),
    )
    rows = [["Code", "Province", "Code", "District", "Population"]]
    rows += [
        [k // 4 + 1, region, 100 * (k // 4 + 1) + k % 4 + 1, name, n]
        for k, ((region, name), n) in enumerate(zip(DISTRICTS, counts, strict=True))
    ]
    yield (
        "two_code_columns",
        File(
            name="codes_twice.csv",
            data=text(rows),
            depth=2,
            leaves={str(100 * (k // 4 + 1) + k % 4 + 1): n for k, n in enumerate(counts)},
        ),
    )


def _longer() -> Iterator[tuple[str, File]]:
    counts = _numbers(6)
    rows: list[Row] = [["region", "district", "quarter", "arrivals"]]
    for j, quarter in enumerate(("2023-Q1", "2023-Q2", "2023-Q3", "2023-Q4")):
        rows += [[*place, quarter, n // 4 + j] for place, n in zip(DISTRICTS, counts, strict=True)]
    last = [n // 4 + 3 for n in counts]
    yield (
        "quarters_last",
        File(
            name="quarters.csv",
            data=text(rows),
            leaves=_leaves(last),
            depth=2,
            answers={"keep": ("quarter=2023-Q4",)},
        ),
    )
    yield (
        "quarters_summed",
        File(
            name="quarters.csv",
            data=text(rows),
            depth=2,
            answers={"add_up": True},
            leaves=_leaves([4 * (n // 4) + 6 for n in counts]),
        ),
    )
    rows = [["date", "location", "new_cases", "total_cases"]]
    for j, day in enumerate(("2021-03-01", "2021-03-02", "2021-03-03")):
        rows += [[day, name, 9 + j, n + 9 * j] for name, n in zip(_NAMES, counts, strict=True)]
    yield (
        "daily",
        File(
            name="daily.csv",
            data=text(rows),
            leaves=_leaves([n + 18 for n in counts]),
            answers={"count": "total_cases", "keep": ("date=2021-03-03",)},
        ),
    )
    rows = [["district", "year", "variable", "value"]]
    for year in (2020, 2021):
        rows += [
            [name, year, what, n + year - 2021 if what == "population" else n // 3]
            for name, n in zip(_NAMES, counts, strict=True)
            for what in ("population", "households")
        ]
    yield (
        "tidy",
        File(
            name="tidy.csv",
            data=text(rows),
            leaves=_leaves(counts),
            answers={"keep": ("variable=population", "year=2021")},
        ),
    )
    quarters = ["Centre", "Station", "Market", "Hill"]
    for name in ("quartier", "sector"):
        rows = [["region", "district", name, "people"]]
        rows += [
            [*place, quarter, n // 5 + j]
            for place, n in zip(DISTRICTS, counts, strict=True)
            for j, quarter in enumerate(quarters)
        ]
        answers = {"levels": ("region", "district", name), "within": True}
        yield (
            f"{name}s_of_towns",
            File(
                name=f"{name}s.csv",
                data=text(rows),
                depth=3,
                answers=answers if name == "sector" else {},
                leaves={
                    f"{d}/{q}": n // 5 + j
                    for d, n in zip(_NAMES, counts, strict=True)
                    for j, q in enumerate(quarters)
                },
            ),
        )


def odd_cell_files() -> Iterator[tuple[str, File]]:
    """Every table, each with an id."""
    for family in (_brackets, _separators, _measures_beside, _totals, _codes, _longer):
        yield from family()
