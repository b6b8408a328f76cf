"""Files in the manner of many offices, made by code, each with what it means.

A `Country` is a hierarchy with codes, names and words in its language. A manner writes its
numbers as some office or program does. What a file means is known from how it was made.
"""

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from hierdp_core.util.data_files import data_rows

Value = int | tuple[int, ...]
Path = tuple[tuple[str, str], ...]  # (code, name) on each level


@dataclass(frozen=True, kw_only=True)
class Country:
    """A hierarchy as an office writes it.

    Attributes:
        id: for the names of files.
        columns: code column and name column of each level.
        places: the regions of the last level, with those above.
        count, male, female, year, sex, size: what columns are called.
        sexes: male, female and total.
        separator, thousands: of cells, and between digits.
        persons: sizes of households in words, from 1 up; {n} stands for the size.
        more: the last of them.
        title, source: lines above and below a table.
    """

    id: str
    columns: tuple[tuple[str, str], ...]
    places: tuple[Path, ...]
    count: str = "population"
    male: str = "male"
    female: str = "female"
    year: str = "year"
    sex: str = "sex"
    size: str = "household_size"
    households: str = "households"
    sexes: tuple[str, str, str] = ("Male", "Female", "Total")
    separator: str = ","
    thousands: str = ","
    persons: str = "{n} persons"
    more: str = "{n} or more"
    title: str = "Resident population by area"
    source: str = "Source: Statistical office. Figures are provisional."

    def counts(self, salt: int = 0) -> list[int]:
        rng = np.random.default_rng([len(self.id), *self.id.encode(), salt])
        return [int(n) for n in rng.integers(1_300, 990_000, len(self.places))]

    def sizes(self) -> list[tuple[int, ...]]:
        rng = np.random.default_rng([7, *self.id.encode()])
        return [
            tuple(int(n) for n in row) for row in rng.integers(60, 9_000, (len(self.places), 5))
        ]


@dataclass(frozen=True, kw_only=True)
class File:
    """A file and what it means.

    Attributes:
        name, data: of the file.
        kind: of the table; empty where the file holds none.
        leaves: the code or name of each last region, with its numbers.
        depth: how many levels of regions it names; None where several readings are right.
        answers: what a person who knows the file states where they are asked.
        beside: other files.
    """

    name: str
    data: bytes
    kind: str = "counts"
    leaves: Mapping[str, Value] = field(default_factory=dict)
    depth: int | None = None
    answers: Mapping[str, Any] = field(default_factory=dict)
    beside: tuple[tuple[str, bytes], ...] = ()


def _names(prefix: str, n: int) -> list[str]:
    ends = ("ford", "ham", "ville", "berg", "ton", "stead", "mouth", "wick", "field", "by")
    return [f"{prefix}{'aeiou'[k % 5]}{'nrlst'[k // 5 % 5]}{ends[k % 10]}" for k in range(n)]


def _tree(
    tops: int, below: int, code: Callable[[int, int], tuple[str, str]], stem: str
) -> tuple[Path, ...]:
    over = _names(stem, tops)
    return tuple(
        (
            (code(t, k)[0], over[t]),
            (code(t, k)[1], f"{_names(stem[::-1].title() + str(t), below)[k]}"),
        )
        for t in range(tops)
        for k in range(below)
    )


@cache
def countries() -> tuple[Country, ...]:
    us = [row for row in data_rows("us_counties.csv") if row["state"] in ("CT", "DE", "RI", "AZ")]
    italy = {row["province"]: row for row in data_rows("it_provinces.csv")}
    towns = [
        row
        for row in data_rows("it_municipalities.csv")
        if row["province"] in ("007", "032", "093")
    ]
    towns = [row for row in towns if int(row["code"][3:]) <= 20]
    return (
        Country(
            id="us",
            columns=(("STATEFP", "STATE_NAME"), ("GEOID", "COUNTY_NAME")),
            places=tuple(
                ((r["geoid"][:2], r["state"]), (r["geoid"], f"{r['name']}, {r['state']}"))
                for r in us
            ),
        ),
        Country(
            id="it",
            columns=(("COD_PROV", "provincia"), ("PRO_COM_T", "comune")),
            count="popolazione",
            male="maschi",
            female="femmine",
            year="anno",
            sex="sesso",
            size="numero_componenti",
            households="famiglie",
            sexes=("Maschi", "Femmine", "Totale"),
            separator=";",
            thousands=".",
            persons="{n} componenti",
            more="{n} o più",
            title="Popolazione residente per comune",
            source="Fonte: Istat, Censimento della popolazione",
            places=tuple(
                ((r["province"], italy[r["province"]]["name"]), (r["code"], r["name"]))
                for r in towns
            ),
        ),
        Country(
            id="de",
            columns=(("Land_Nr", "Bundesland"), ("AGS", "Kreis")),
            count="Einwohner",
            male="männlich",
            female="weiblich",
            year="Jahr",
            sex="Geschlecht",
            size="Haushaltsgröße",
            households="Haushalte",
            sexes=("männlich", "weiblich", "Insgesamt"),
            separator=";",
            thousands=".",
            persons="{n} Personen",
            more="{n} und mehr Personen",
            title="Bevölkerung nach Kreisen",
            source="Quelle: Statistisches Bundesamt, 2023",
            places=_tree(4, 7, lambda t, k: (f"{t + 7:02d}", f"{t + 7:02d}{100 + 11 * k}"), "Ober"),
        ),
        Country(
            id="fr",
            columns=(("code_departement", "nom_departement"), ("CODGEO", "LIBGEO")),
            count="population_municipale",
            male="hommes",
            female="femmes",
            year="annee",
            sex="sexe",
            size="taille_menage",
            households="menages",
            sexes=("Hommes", "Femmes", "Ensemble"),
            separator=";",
            thousands="\u202f",
            persons="{n} personnes",
            more="{n} personnes ou plus",
            title="Population des communes",
            source="Source : Insee, recensement de la population",
            places=_tree(
                4, 8, lambda t, k: (f"{t + 1:02d}", f"{t + 1:02d}{4 + 13 * k:03d}"), "Saint"
            ),
        ),
        Country(
            id="br",
            columns=(("cod_uf", "estado"), ("cod_municipio_ibge", "municipio")),
            count="populacao",
            male="homens",
            female="mulheres",
            year="ano",
            sex="sexo",
            size="moradores",
            households="domicilios",
            sexes=("Homens", "Mulheres", "Total"),
            separator=";",
            thousands=".",
            persons="{n} moradores",
            more="{n} ou mais",
            title="População residente",
            source="Fonte: IBGE, Censo Demográfico",
            places=_tree(
                3, 9, lambda t, k: (f"{t + 31}", f"{t + 31}{10_000 + 517 * k:05d}"), "Vila"
            ),
        ),
        Country(
            id="in",
            columns=(("state_code", "State"), ("district_code", "District")),
            count="TOT_P",
            male="TOT_M",
            female="TOT_F",
            households="No_HH",
            thousands="indian",
            title="Primary Census Abstract",
            source="Note: Excludes areas under dispute",
            places=_tree(5, 6, lambda t, k: (f"{t + 1:02d}", f"{t * 6 + k + 1:03d}"), "Pura"),
        ),
        Country(
            id="jp",
            columns=(("都道府県コード", "都道府県名"), ("団体コード", "市区町村名")),
            count="人口総数",
            male="男",
            female="女",
            year="年次",
            sex="男女",
            size="世帯人員",
            households="世帯数",
            sexes=("男", "女", "総数"),
            persons="{n}人",
            more="{n}人以上",
            title="国勢調査 人口等基本集計",
            source="出典：総務省統計局",
            places=_tree(4, 6, lambda t, k: (f"{t + 1:02d}", f"{t + 1:02d}{101 + k}"), "大"),
        ),
        Country(
            id="uk",
            columns=(("Region code", "Region name"), ("LAD code", "LAD name")),
            count="All persons",
            title="Table 1: usual residents",
            source="1. Figures may not sum because of rounding",
            places=_tree(5, 5, lambda t, k: (f"E1200000{t + 1}", f"E0700{t:02d}{k + 11}"), "North"),
        ),
    )


# ------------------------------------------------------------------------------------- writing


def _number(n: int, country: Country, grouped: bool) -> str:
    if not grouped:
        return str(n)
    if country.thousands == "indian":
        head, tail = str(n)[:-3], str(n)[-3:]
        pairs = []
        while head:
            pairs.insert(0, head[-2:])
            head = head[:-2]
        return ",".join([*pairs, tail])
    return f"{n:,}".replace(",", country.thousands)


def text(rows: Sequence[Sequence[object]], separator: str = ",") -> bytes:
    def cell(value: object) -> str:
        words = str(value)
        return f'"{words}"' if separator in words or '"' in words else words

    return "".join(separator.join(map(cell, row)) + "\n" for row in rows).encode()


def workbook(rows: Sequence[Sequence[object]]) -> bytes:
    """The rows as an Excel workbook: numbers as numbers, texts as texts, blanks left out."""
    space = "http://schemas.openxmlformats.org"
    lines = []
    for i, row in enumerate(rows, start=1):
        cells = []
        for k, value in enumerate(row):
            at = f"{chr(65 + k)}{i}"
            if isinstance(value, int):
                cells.append(f'<c r="{at}"><v>{value}</v></c>')
            elif value != "":
                cells.append(f'<c r="{at}" t="inlineStr"><is><t>{escape(str(value))}</t></is></c>')
        lines.append(f'<row r="{i}">{"".join(cells)}</row>')
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{space}/spreadsheetml/2006/main" '
            f'xmlns:r="{space}/officeDocument/2006/relationships"><sheets>'
            '<sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{space}/package/2006/relationships"><Relationship Id="rId1" '
            'Type="x" Target="worksheets/sheet1.xml"/></Relationships>',
        )
        body = "".join(lines)
        archive.writestr(
            "xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{body}</sheetData></worksheet>"
        )
    return buffer.getvalue()


def _by_name(country: Country, values: Sequence[Value]) -> dict[str, Value]:
    return {path[-1][1]: value for path, value in zip(country.places, values, strict=True)}


def _by_code(country: Country, values: Sequence[Value]) -> dict[str, Value]:
    return {path[-1][0]: value for path, value in zip(country.places, values, strict=True)}


def _flat(path: Path) -> list[str]:
    return [part for pair in path for part in pair]


def _headers(country: Country) -> list[str]:
    return [name for pair in country.columns for name in pair]


# ------------------------------------------------------------------------------------- manners


def name_columns(c: Country) -> File:
    rows = [[*(n for _, n in c.columns), c.count]]
    counts = c.counts()
    rows += [[*(n for _, n in p), n] for p, n in zip(c.places, counts, strict=True)]
    return File(name="names.csv", data=text(rows, c.separator), leaves=_by_name(c, counts), depth=2)


def codes_and_names(c: Country) -> File:
    counts = c.counts()
    rows = [[*_headers(c), c.count]]
    rows += [[*_flat(p), n] for p, n in zip(c.places, counts, strict=True)]
    return File(name="codes.csv", data=text(rows, c.separator), leaves=_by_code(c, counts), depth=2)


def last_level_alone(c: Country) -> File:
    counts = c.counts()
    rows = [[*c.columns[-1], c.count]]
    rows += [[*p[-1], n] for p, n in zip(c.places, counts, strict=True)]
    return File(name="flat.csv", data=text(rows, c.separator), leaves=_by_code(c, counts))


def thousands(c: Country) -> File:
    counts = c.counts()
    rows = [[*_headers(c), c.count]]
    rows += [[*_flat(p), _number(n, c, True)] for p, n in zip(c.places, counts, strict=True)]
    return File(
        name="thousands.csv", data=text(rows, c.separator), leaves=_by_code(c, counts), depth=2
    )


def two_years(c: Country) -> File:
    old, new = c.counts(1), c.counts(2)
    rows = [[*_headers(c), f"{c.count}_2011", f"{c.count}_2021"]]
    rows += [[*_flat(p), a, b] for p, a, b in zip(c.places, old, new, strict=True)]
    return File(
        name="years.csv",
        data=text(rows, c.separator),
        leaves=_by_code(c, new),
        depth=2,
        answers={"count": f"{c.count}_2021"},
    )


def total_and_parts(c: Country) -> File:
    men, women = c.counts(3), c.counts(4)
    both = [a + b for a, b in zip(men, women, strict=True)]
    rows = [[*_headers(c), c.male, c.female, c.count]]
    rows += [[*_flat(p), *n] for p, *n in zip(c.places, men, women, both, strict=True)]
    return File(name="parts.csv", data=text(rows, c.separator), leaves=_by_code(c, both), depth=2)


def titles_and_notes(c: Country) -> File:
    counts = c.counts()
    blank = [""] * len(_headers(c))
    rows: list[list[object]] = [[c.title, *blank], [*blank, ""], [*_headers(c), c.count]]
    rows += [[*_flat(p), n] for p, n in zip(c.places, counts, strict=True)]
    rows += [[*blank, ""], [c.source, *blank], ["* provisional", *blank]]
    return File(
        name="titles.csv", data=text(rows, c.separator), leaves=_by_code(c, counts), depth=2
    )


def bare_titles(c: Country) -> File:
    counts = c.counts()
    rows = [[*_headers(c), c.count]]
    rows += [[*_flat(p), n] for p, n in zip(c.places, counts, strict=True)]
    data = f"{c.title}\n\n".encode() + text(rows, c.separator) + f"\n{c.source}\n".encode()
    return File(name="bare_titles.csv", data=data, leaves=_by_code(c, counts), depth=2)


def from_pandas(c: Country) -> File:
    counts = c.counts()
    rows: list[list[object]] = [["", *_headers(c), c.count]]
    rows += [
        [i, *_flat(p), float(n)] for i, (p, n) in enumerate(zip(c.places, counts, strict=True))
    ]
    return File(name="pandas.csv", data=text(rows), leaves=_by_code(c, counts), depth=2)


def from_r(c: Country) -> File:
    counts = c.counts()
    lines = [",".join(f'"{name}"' for name in (*_headers(c), c.count))]
    for i, (p, n) in enumerate(zip(c.places, counts, strict=True), start=1):
        lines.append(",".join([f'"{i}"', *(f'"{cell}"' for cell in _flat(p)), str(n)]))
    data = ("\n".join(lines) + "\n").encode()
    return File(name="r.csv", data=data, leaves=_by_code(c, counts), depth=2)


def from_excel(c: Country) -> File:
    counts = c.counts()
    rows: list[list[object]] = [[c.title], [], [*_headers(c), c.count]]
    rows += [[*_flat(p), n] for p, n in zip(c.places, counts, strict=True)]
    rows += [[], [c.source]]
    return File(name="book.xlsx", data=workbook(rows), leaves=_by_code(c, counts), depth=2)


def trailing_separators(c: Country) -> File:
    counts = c.counts()
    rows = [[*_headers(c), c.count]]
    body = [[*_flat(p), n, ""] for p, n in zip(c.places, counts, strict=True)]
    data = text(rows, c.separator) + text(body, c.separator)
    return File(name="trailing.csv", data=data, leaves=_by_code(c, counts), depth=2)


def by_sex_with_total(c: Country) -> File:
    men, women = c.counts(5), c.counts(6)
    rows: list[list[object]] = [[*_headers(c), c.sex, c.count]]
    for p, a, b in zip(c.places, men, women, strict=True):
        rows += [[*_flat(p), s, n] for s, n in zip(c.sexes, (a, b, a + b), strict=True)]
    both = [a + b for a, b in zip(men, women, strict=True)]
    return File(
        name="sex_total.csv", data=text(rows, c.separator), leaves=_by_code(c, both), depth=2
    )


def by_sex(c: Country) -> File:
    men, women = c.counts(5), c.counts(6)
    rows: list[list[object]] = [[*_headers(c), c.sex, c.count]]
    for p, a, b in zip(c.places, men, women, strict=True):
        rows += [[*_flat(p), s, n] for s, n in zip(c.sexes[:2], (a, b), strict=True)]
    both = [a + b for a, b in zip(men, women, strict=True)]
    return File(
        name="sex.csv",
        data=text(rows, c.separator),
        leaves=_by_code(c, both),
        depth=2,
        answers={"add_up": True},
    )


def by_year(c: Country) -> File:
    rows: list[list[object]] = [[*_headers(c), c.year, c.count]]
    for year in (2019, 2020, 2021):
        rows += [[*_flat(p), year, n] for p, n in zip(c.places, c.counts(year), strict=True)]
    return File(
        name="by_year.csv",
        data=text(rows, c.separator),
        leaves=_by_code(c, c.counts(2021)),
        depth=2,
        answers={"keep": (f"{c.year}=2021",)},
    )


def one_year(c: Country) -> File:
    counts = c.counts()
    rows: list[list[object]] = [[*_headers(c), c.year, c.count]]
    rows += [[*_flat(p), 2021, n] for p, n in zip(c.places, counts, strict=True)]
    return File(
        name="one_year.csv", data=text(rows, c.separator), leaves=_by_code(c, counts), depth=2
    )


def with_totals(c: Country) -> File:
    counts = c.counts()
    tops: dict[str, int] = {}
    rows: list[list[object]] = [[*(n for _, n in c.columns), c.count]]
    for p, n in zip(c.places, counts, strict=True):
        tops[p[0][1]] = tops.get(p[0][1], 0) + n
    rows += [[c.sexes[2], "", sum(counts)]]
    rows += [[top, c.sexes[2], n] for top, n in tops.items()]
    rows += [[p[0][1], p[1][1], n] for p, n in zip(c.places, counts, strict=True)]
    return File(
        name="totals.csv", data=text(rows, c.separator), leaves=_by_name(c, counts), depth=2
    )


def wrong_totals(c: Country) -> File:
    counts = c.counts()
    rows: list[list[object]] = [[*(n for _, n in c.columns), c.count]]
    rows += [[p[0][1], p[1][1], n] for p, n in zip(c.places, counts, strict=True)]
    rows += [[c.sexes[2], "", sum(counts) + 5]]
    return File(
        name="wrong_totals.csv",
        data=text(rows, c.separator),
        leaves=_by_name(c, counts),
        depth=2,
        answers={"totals": "left out"},
    )


def sizes_side_by_side(c: Country) -> File:
    sizes = c.sizes()
    rows: list[list[object]] = [
        [*_headers(c), f"hh_total_{c.id}", "hh_1", "hh_2", "hh_3", "hh_4", "hh_5_plus"]
    ]
    rows += [[*_flat(p), sum(s), *s] for p, s in zip(c.places, sizes, strict=True)]
    leaves = {k: (0, *v) for k, v in _by_code(c, sizes).items() if isinstance(v, tuple)}
    return File(
        name="sizes.csv", data=text(rows, c.separator), kind="group-sizes", leaves=leaves, depth=2
    )


def sizes_in_words(c: Country) -> File:
    sizes = c.sizes()
    names = [c.persons.format(n=n) for n in range(1, 5)] + [c.more.format(n=5)]
    rows: list[list[object]] = [[*_headers(c), *names]]
    rows += [[*_flat(p), *s] for p, s in zip(c.places, sizes, strict=True)]
    leaves = {k: (0, *v) for k, v in _by_code(c, sizes).items() if isinstance(v, tuple)}
    return File(
        name="size_words.csv",
        data=text(rows, c.separator),
        kind="group-sizes",
        leaves=leaves,
        depth=2,
    )


def sizes_below_each_other(c: Country) -> File:
    sizes = c.sizes()
    names = [c.persons.format(n=n) for n in range(1, 5)] + [c.more.format(n=5), c.sexes[2]]
    rows: list[list[object]] = [[*_headers(c), c.size, c.households]]
    for p, s in zip(c.places, sizes, strict=True):
        rows += [[*_flat(p), name, n] for name, n in zip(names, (*s, sum(s)), strict=True)]
    leaves = {k: (0, *v) for k, v in _by_code(c, sizes).items() if isinstance(v, tuple)}
    return File(
        name="size_rows.csv",
        data=text(rows, c.separator),
        kind="group-sizes",
        leaves=leaves,
        depth=2,
    )


def sizes_as_numbers(c: Country) -> File:
    sizes = c.sizes()
    rows: list[list[object]] = [[*_headers(c), "size", c.households]]
    for p, s in zip(c.places, sizes, strict=True):
        rows += [[*_flat(p), size, n] for size, n in enumerate(s, start=1)]
    leaves = {k: (0, *v) for k, v in _by_code(c, sizes).items() if isinstance(v, tuple)}
    return File(
        name="size_numbers.csv",
        data=text(rows, c.separator),
        kind="group-sizes",
        leaves=leaves,
        depth=2,
    )


def persons(c: Country) -> File:
    rng = np.random.default_rng(3)
    rows: list[list[object]] = [["person_id", *(k for k, _ in c.columns), "age", c.sex]]
    counts = [int(n) for n in rng.integers(3, 40, len(c.places))]
    for p, n in zip(c.places, counts, strict=True):
        rows += [
            [len(rows), *(k for k, _ in p), int(rng.integers(0, 90)), c.sexes[int(rng.integers(2))]]
            for _ in range(n)
        ]
    return File(
        name="persons.csv", data=text(rows, c.separator), leaves=_by_code(c, counts), depth=2
    )


def members(c: Country) -> File:
    rng = np.random.default_rng(4)
    rows: list[list[object]] = [[*(k for k, _ in c.columns), "household_id", "age"]]
    found: dict[str, Value] = {}
    home = 0
    for p in c.places:
        sizes = [int(n) for n in rng.integers(1, 6, 12)]
        found[p[-1][0]] = tuple(sizes.count(size) for size in range(6))
        for size in sizes:
            home += 1
            rows += [[*(k for k, _ in p), home, int(rng.integers(0, 90))] for _ in range(size)]
    return File(
        name="members.csv", data=text(rows, c.separator), kind="group-sizes", leaves=found, depth=2
    )


def with_measures(c: Country) -> File:
    counts = c.counts()
    rng = np.random.default_rng(5)
    rows: list[list[object]] = [
        [*_headers(c), "area_km2", "density", "lat", "lon", "note", c.count]
    ]
    for k, (p, n) in enumerate(zip(c.places, counts, strict=True)):
        area = round(float(rng.uniform(10, 900)), 2)
        lat, lon = 40 + 0.2 * (k % 7), 5 + 0.2 * (k // 7)
        rows.append(
            [*_flat(p), area, round(n / area, 1), f"{lat:.4f}", f"{lon:.4f}", "e" * (k % 2), n]
        )
    return File(name="measures.csv", data=text(rows), leaves=_by_code(c, counts), depth=2)


def with_kinds(c: Country) -> File:
    counts = c.counts()
    rows: list[list[object]] = [[*_headers(c), "type", "capital", c.count]]
    for k, (p, n) in enumerate(zip(c.places, counts, strict=True)):
        rows.append([*_flat(p), "urban" if k % 3 else "rural", f"Mayor {k}", n])
    return File(
        name="kinds.csv",
        data=text(rows, c.separator),
        leaves=_by_code(c, counts),
        depth=2,
        answers={"levels": (c.columns[0][0], c.columns[1][0])},
    )


def lookup_beside(c: Country) -> File:
    counts = c.counts()
    rows: list[list[object]] = [[c.columns[-1][0], c.count]]
    rows += [[p[-1][0], n] for p, n in zip(c.places, counts, strict=True)]
    listed = [_headers(c), *(_flat(p) for p in c.places)]
    return File(
        name="table.csv",
        data=text(rows, c.separator),
        leaves=_by_code(c, counts),
        depth=2,
        beside=(("lookup.csv", text(listed, c.separator)),),
    )


def lookup_alone(c: Country) -> File:
    rows = [_headers(c), *(_flat(p) for p in c.places)]
    return File(name="lookup.csv", data=text(rows, c.separator), kind="")


def numbered_lookup(c: Country) -> File:
    rows: list[list[object]] = [["", *_headers(c)]]
    rows += [[i, *_flat(p)] for i, p in enumerate(c.places)]
    return File(name="numbered.csv", data=text(rows), kind="")


def parents(c: Country) -> File:
    counts = c.counts()
    rows: list[list[object]] = [["code", "name", "parent", c.count]]
    tops: dict[str, tuple[str, int]] = {}
    for p, n in zip(c.places, counts, strict=True):
        name, total = p[0][1], tops.get(p[0][0], ("", 0))[1]
        tops[p[0][0]] = (name, total + n)
    rows += [["0", c.title, "", sum(counts)]]
    rows += [[f"T{code}", name, "0", total] for code, (name, total) in tops.items()]
    rows += [[p[-1][0], p[-1][1], f"T{p[0][0]}", n] for p, n in zip(c.places, counts, strict=True)]
    return File(name="parents.csv", data=text(rows, c.separator), leaves=_by_code(c, counts))


def unquoted(c: Country) -> File:
    rows = [[*(n for _, n in c.columns), c.count]]
    lines = [
        f"{p[0][1]}, North{c.separator}x{c.separator}{p[1][1]}{c.separator}{n}"
        for p, n in zip(c.places, c.counts(), strict=True)
    ]
    data = text(rows, c.separator) + ("\n".join(lines) + "\n").encode()
    return File(name="unquoted.csv", data=data, kind="")


def missing_marks(c: Country) -> File:
    counts = c.counts()
    rows: list[list[object]] = [[*_headers(c), c.count]]
    for k, (p, n) in enumerate(zip(c.places, counts, strict=True)):
        rows.append([*_flat(p), ":" if k % 9 == 4 else n])
    leaves = {
        p[-1][0]: n for k, (p, n) in enumerate(zip(c.places, counts, strict=True)) if k % 9 != 4
    }
    return File(
        name="missing.csv",
        data=text(rows, c.separator),
        leaves=leaves,
        depth=2,
        answers={"missing": "left out"},
    )


def one_name_column(c: Country) -> File:
    counts = c.counts()
    rows: list[list[object]] = [[c.columns[-1][1], c.count]]
    out = []
    for top in dict.fromkeys(p[0][1] for p in c.places):
        own = [(p[1][1], n) for p, n in zip(c.places, counts, strict=True) if p[0][1] == top]
        rows.append([f"{top} (sum)", sum(n for _, n in own)])
        out.append(f"{c.columns[-1][1]}={top} (sum)")
        rows += [list(pair) for pair in own]
    return File(
        name="outline.csv",
        data=text(rows, c.separator),
        leaves=_by_name(c, counts),
        answers={"leave_out": tuple(out)},
    )


def unknown_name(c: Country) -> File:
    counts = c.counts()
    rows: list[list[object]] = [[*_headers(c), "qzx"]]
    rows += [[*_flat(p), n] for p, n in zip(c.places, counts, strict=True)]
    return File(
        name="unknown.csv",
        data=text(rows, c.separator),
        leaves=_by_code(c, counts),
        depth=2,
        answers={"count": "qzx"},
    )


def flows(c: Country) -> File:
    rng = np.random.default_rng(8)
    codes = [p[-1][0] for p in c.places][:12]
    rows: list[list[object]] = [["origin", "destination", "commuters"]]
    out = dict.fromkeys(codes, 0)
    for o in codes:
        for d in codes:
            n = int(rng.integers(0, 400))
            rows.append([o, d, n])
            out[o] += n
    return File(name="flows.csv", data=text(rows, c.separator), kind="flows", leaves=out)


MANNERS: tuple[Callable[[Country], File], ...] = (
    name_columns,
    codes_and_names,
    last_level_alone,
    thousands,
    two_years,
    total_and_parts,
    titles_and_notes,
    bare_titles,
    from_pandas,
    from_r,
    from_excel,
    trailing_separators,
    by_sex_with_total,
    by_sex,
    by_year,
    one_year,
    with_totals,
    wrong_totals,
    sizes_side_by_side,
    sizes_in_words,
    sizes_below_each_other,
    sizes_as_numbers,
    persons,
    members,
    with_measures,
    with_kinds,
    lookup_beside,
    lookup_alone,
    numbered_lookup,
    parents,
    unquoted,
    missing_marks,
    one_name_column,
    unknown_name,
    flows,
)


def files() -> Iterator[tuple[str, File]]:
    """Every manner for every country, and the single files, each with an id."""
    for country in countries():
        for manner in MANNERS:
            yield f"{country.id}-{manner.__name__}", manner(country)
    for file in singles():
        yield file.name.partition(".")[0], file


def singles() -> Iterator[File]:
    """Files that one office writes in its own way."""
    nuts = ["AT11", "AT12", "AT13", "BE10", "BE21", "CZ01", "DE11", "DE12", "ITC1", "ITC4", "PL21"]
    counts = [284_123 + 1_777 * k for k in range(len(nuts))]
    leaves: dict[str, Value] = dict(zip(nuts, counts, strict=True))
    sdmx = [
        ["DATAFLOW", "LAST UPDATE", "freq", "unit", "geo", "TIME_PERIOD", "OBS_VALUE", "OBS_FLAG"]
    ]
    sdmx += [
        ["ESTAT:DEMO(1.0)", "01/02/23 23:00:00", "A", "NR", g, "2021", str(n), "p" * (k % 2)]
        for k, (g, n) in enumerate(zip(nuts, counts, strict=True))
    ]
    yield File(name="eurostat.csv", data=text(sdmx), leaves=leaves)
    flagged = [["NUTS_ID", "population"]] + [
        [g, f"{n} b" if k % 3 else f"{n} "]
        for k, (g, n) in enumerate(zip(nuts, counts, strict=True))
    ]
    yield File(name="eurostat_flags.tsv", data=text(flagged, "\t"), leaves=leaves)
    us = [row for row in data_rows("us_counties.csv") if row["state"] in ("ME", "NH", "VT")]
    people: dict[str, Value] = {row["geoid"]: int(row["population"]) for row in us}
    labels = [["GEO_ID", "NAME", "P1_001N"], ["Geography", "Geographic Area Name", " !!Total:"]]
    labels += [
        [f"0500000US{row['geoid']}", f"{row['name']}, {row['state']}", row["population"]]
        for row in us
    ]
    yield File(name="census_bureau.csv", data=text(labels), leaves=people, depth=2)
    nhgis = [["GISJOIN", "YEAR", "STATE", "STATEA", "COUNTY", "COUNTYA", "H7V001"]]
    nhgis += [
        [
            f"G{r['geoid'][:2]}0{r['geoid'][2:]}0",
            "2010",
            r["state"],
            r["geoid"][:2],
            r["name"],
            r["geoid"][2:],
            r["population"],
        ]
        for r in us
    ]
    yield File(
        name="nhgis.csv",
        data=text(nhgis),
        depth=2,
        leaves={f"G{k[:2]}0{k[2:]}0": v for k, v in people.items()},
    )
    pumas = [["PUMA", "persons"]] + [
        [f"{100 * k + 1:05d}", str(103_000 + 977 * k)] for k in range(1, 40)
    ]
    yield File(
        name="pumas.csv",
        data=text(pumas),
        depth=1,
        leaves={f"{100 * k + 1:05d}": 103_000 + 977 * k for k in range(1, 40)},
    )
    airports = ["ATL", "DFW", "DEN", "ORD", "LAX", "JFK", "LAS", "MCO", "MIA", "CLT", "SEA", "PHX"]
    rows = [["iata", "passengers_total"]] + [
        [a, str(31_000 + 823 * k)] for k, a in enumerate(airports)
    ]
    yield File(
        name="airports.csv",
        data=text(rows),
        depth=1,
        answers={"count": "passengers_total"},
        leaves={a: 31_000 + 823 * k for k, a in enumerate(airports)},
    )
    nations = ["AUT", "BEL", "BGR", "CYP", "CZE", "DEU", "DNK", "ESP", "EST", "FIN", "FRA", "GRC"]
    rows = [["iso3", "population"]] + [[a, str(31_000 + 823 * k)] for k, a in enumerate(nations)]
    yield File(
        name="iso3.csv",
        data=text(rows),
        depth=1,
        leaves={a: 31_000 + 823 * k for k, a in enumerate(nations)},
    )
    sumlev = [
        ["SUMLEV", "STATE", "COUNTY", "STNAME", "CTYNAME", "POPESTIMATE2020", "POPESTIMATE2021"]
    ]
    for state in ("ME", "NH", "VT"):
        own = [row for row in us if row["state"] == state]
        total = sum(int(row["population"]) for row in own)
        sumlev.append(
            [
                "040",
                own[0]["geoid"][:2],
                "000",
                state,
                state,
                str(total),
                str(total + 10 * len(own)),
            ]
        )
        sumlev += [
            [
                "050",
                r["geoid"][:2],
                r["geoid"][2:],
                state,
                r["name"],
                r["population"],
                str(int(r["population"]) + 10),
            ]
            for r in own
        ]
    yield File(
        name="estimates.csv",
        data=text(sumlev),
        depth=2,
        leaves={k: int(str(v)) + 10 for k, v in people.items()},
        answers={"count": "POPESTIMATE2021", "keep": ("SUMLEV=050",)},
    )
    ages = [["area", "age_0", "age_1", "age_2", "age_3"]]
    ages += [[f"Area {k}", *(str(100 * k + 7 * a + 3) for a in range(4))] for k in range(1, 12)]
    yield File(
        name="ages.csv",
        data=text(ages),
        answers={"count": "age_0"},
        leaves={f"Area {k}": 100 * k + 3 for k in range(1, 12)},
    )
    many = [["village", *(f"v{k}" for k in range(100))]]
    many += [
        [f"Village {r}", *(str((r * 31 + k * 17) % 997) for k in range(100))] for r in range(30)
    ]
    yield File(name="hundred_columns.csv", data=text(many), kind="")
    yield from levels_in_one_list()
    yield from same_codes()
    yield from numbers_by_size()


def levels_in_one_list() -> Iterator[File]:
    """Upper levels as rows among their parts, recognisable by their numbers alone."""
    rng = np.random.default_rng(31)
    leaves = {f"K{t}{k}": int(rng.integers(400, 90_000)) for t in range(1, 5) for k in range(1, 6)}
    above = {f"K{t}0": sum(n for c, n in leaves.items() if c[1] == str(t)) for t in range(1, 5)}
    rows = {"K00": sum(leaves.values())}
    for code, n in above.items():
        rows[code] = n
        rows |= {c: m for c, m in leaves.items() if c[1] == code[1]}
    sums = [code for code in rows if code.endswith("0")]
    yield File(
        name="register.csv",
        data=text([["key", "residents"], *([c, n] for c, n in rows.items())]),
        leaves=leaves,
        answers={"leave_out": tuple(f"key={code}" for code in sums)},
    )
    below: list[list[object]] = [["ward", "households"]]
    for t in range(1, 5):
        below += [[c, n] for c, n in leaves.items() if c[1] == str(t)]
        below.append([f"Block {t}", above[f"K{t}0"]])
    yield File(
        name="blocks.csv",
        data=text(below),
        leaves=leaves,
        answers={"leave_out": tuple(f"ward=Block {t}" for t in range(1, 5))},
    )
    places: list[list[object]] = [["canton", "place", "label", "persons"]]
    for code, n in rows.items():
        label = f"Locality {code}" if code in leaves else "whole"
        places.append([f"0{code[1]}", f"000{code[2]}", label, n])
    yield File(
        name="localities.csv",
        data=text(places),
        leaves={f"Locality {code}": n for code, n in leaves.items()},
        answers={"leave_out": ("label=whole",)},
    )
    levels: list[list[object]] = [["level", "area", "people"], ["nation", "Land", 999_999]]
    levels += [["shire", f"Shire {t}", n + 17] for t, n in enumerate(above.values())]
    levels += [["hundred", code, n] for code, n in leaves.items()]
    yield File(
        name="three_totals.csv",
        data=text(levels),
        leaves=leaves,
        answers={"keep": ("level=hundred",)},
    )


def same_codes() -> Iterator[File]:
    """Two columns of codes of the same level, which are not one within the other."""
    rng = np.random.default_rng(32)
    zones = [f"Z{k:03d}" for k in range(8)]
    trips = [(a, b, int(rng.integers(1, 900))) for a in zones for b in zones if rng.random() < 0.8]
    out = dict.fromkeys(zones, 0)
    for a, _, n in trips:
        out[a] += n
    yield File(
        name="jobs.csv",
        data=text([["area of living", "area of job", "workers"], *map(list, trips)]),
        kind="flows",
        leaves=out,
        answers={
            "kind": "flows",
            "levels": ("area of living",),
            "destinations": ("area of job",),
        },
    )
    table = [["to", *zones], *([a, *(int(rng.integers(5, 99)) for _ in zones)] for a in zones)]
    table[0][0] = "zone"
    yield File(name="matrix.csv", data=text(table), kind="")


def numbers_by_size() -> Iterator[File]:
    """Members where groups are expected, and groups whose numbers start anew in each place."""
    rng = np.random.default_rng(33)
    towns = [f"Town {k}" for k in range(6)]
    rows = [[t, s, s * int(rng.integers(20, 700))] for t in towns for s in range(1, 6)]
    yield File(
        name="members_by_size.csv",
        data=text([["town", "household_size", "residents"], *rows]),
        leaves={t: sum(int(str(r[2])) for r in rows if r[0] == t) for t in towns},
        answers={"kind": "counts", "count": "residents", "add_up": True},
    )
    roster: list[list[object]] = [["district", "cluster", "hhno", "line", "sex"]]
    sizes: dict[str, list[int]] = {}
    for d in range(3):
        for c in range(4):
            size = sizes.setdefault(f"D{d}/{c + 1:02d}", [0] * 7)
            for h in range(1, 7):
                members = int(rng.integers(1, 7))
                size[members] += 1
                roster += [[f"D{d}", f"{c + 1:02d}", h, k + 1, k % 2 + 1] for k in range(members)]
    yield File(
        name="roster.csv",
        data=text(roster),
        kind="group-sizes",
        leaves={code: tuple(size) for code, size in sizes.items()},
        answers={"levels": ("district", "cluster"), "within": True},
    )
