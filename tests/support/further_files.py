"""Further files of registers and portals, in other words and layouts than those beside them."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from support.exports import packed_zip, stata_file
from support.offices import File, Value, text
from support.registers import two_places

Row = Sequence[object]

_AREAS = (
    "Alvik",
    "Borgen",
    "Dalby",
    "Ekeby",
    "Falun",
    "Grums",
    "Habo",
    "Kalix",
    "Laholm",
    "Malung",
    "Nora",
    "Orsa",
    "Piteå",
    "Ronneby",
    "Skara",
    "Tranås",
)
_TOPS = ("Norrlan", "Svealan", "Götalan", "Skånelan")


def _numbers(salt: int, n: int = 16) -> list[int]:
    return [int(x) for x in np.random.default_rng([107, salt]).integers(1_200, 390_000, n)]


def _ends(salt: int, n: int = 420) -> list[tuple[int, int, int]]:
    rng = np.random.default_rng([109, salt])
    home, away = rng.integers(0, 16, n), rng.integers(0, 16, n)
    away = np.where(rng.random(n) < 0.5, home, away)
    return list(zip(home.tolist(), away.tolist(), rng.integers(0, 95, n).tolist(), strict=True))


def _journeys() -> Iterator[tuple[str, File]]:
    for id, head, codes in (
        ("zweden", ["lopnr", "kon", "fodelsear", "bostadskommun", "arbetskommun"], _AREAS),
        ("finland", ["hetu_id", "sukupuoli", "ika", "asuinkunta", "tyokunta"], _AREAS),
        (
            "nederland",
            ["rinpersoon", "geslacht", "leeftijd", "woongemeente", "werkgemeente"],
            _AREAS,
        ),
        ("polska", ["id_osoby", "plec", "wiek", "powiat_zamieszkania", "powiat_pracy"], _AREAS),
        (
            "datasus",
            ["CONTADOR", "SEXO", "IDADE", "CODMUNRES", "CODMUNOCOR"],
            [f"3550{k:02d}" for k in range(16)],
        ),
        (
            "natality",
            ["cert_no", "sex", "mother_age", "res_fips", "occ_fips"],
            [f"480{2 * k + 1:02d}" for k in range(16)],
        ),
        (
            "danmark",
            ["pnr", "koen", "alder", "bopkom", "arbkom"],
            [f"0{k + 101}" for k in range(16)],
        ),
    ):
        rows: list[Row] = [
            [k + 100, 1 + age % 2, age, codes[a], codes[b]]
            for k, (a, b, age) in enumerate(_ends(len(id)))
        ]
        yield from two_places(id, head, rows, ((head[3],), (head[4],)), ";")
    flows = Counter((_AREAS[a], _AREAS[b]) for a, b, _ in _ends(3, 4_000))
    out: dict[str, Value] = dict.fromkeys(_AREAS, 0)
    for (a, _), n in flows.items():
        out[a] = int(str(out[a])) + n
    for id, head in (
        ("pendler", ["Wohnort", "Arbeitsort", "Anzahl"]),
        ("moves", ["OutLA", "InLA", "Moves"]),
        ("navette", ["commune_residence", "commune_travail", "effectif"]),
        ("migracao", ["Município de origem", "Município de destino", "Pessoas"]),
    ):
        yield (
            id,
            File(
                name=f"{id}.csv",
                data=text([head, *([a, b, n] for (a, b), n in flows.items())]),
                kind="flows",
                leaves=out,
                answers={"kind": "flows", "levels": (head[0],), "destinations": (head[1],)},
            ),
        )


def _repeated_persons() -> Iterator[tuple[str, File]]:
    """Persons with a row for each wave of a panel, or each stay in a hospital."""
    rng = np.random.default_rng([107, 20])
    rows: list[Row] = []
    for pid in range(1, 181):
        area, age = int(rng.integers(16)), int(rng.integers(16, 80))
        rows += [[pid, wave, _AREAS[area], age + wave, "MF"[pid % 2]] for wave in (1, 2, 3)]
    head = ["pid", "wave", "district", "age", "sex"]
    yield (
        "waves",
        File(
            name="waves.csv",
            data=text([head, *rows]),
            leaves=dict(Counter(str(row[2]) for row in rows if row[1] == 3)),
            answers={"kind": "counts", "row": "person", "keep": ("wave=3",)},
        ),
    )
    years: list[Row] = [[r[0], 2020 + int(str(r[1])), *r[2:]] for r in rows]
    yield (
        "panel_years",
        File(
            name="panel_years.csv",
            data=text([["person_id", "year", "district", "age", "sex"], *years]),
            leaves=dict(Counter(str(row[2]) for row in years if row[1] == 2023)),
            answers={"kind": "counts", "row": "person", "keep": ("year=2023",)},
        ),
    )
    stays: list[Row] = []
    for patient in range(1, 151):
        area, n = _AREAS[int(rng.integers(16))], int(rng.integers(1, 5))
        stays += [
            [
                patient,
                f"2023-{int(rng.integers(1, 13)):02d}-{int(rng.integers(1, 28)):02d}",
                area,
                "fm"[patient % 2],
                "ABC"[int(rng.integers(3))],
            ]
            for _ in range(n)
        ]
    head = ["patient_no", "date_in", "kommune", "sex", "ward_type"]
    yield (
        "stays",
        File(
            name="stays.csv",
            data=text([head, *stays]),
            leaves=dict(Counter(str(row[2]) for row in stays)),
            answers={"kind": "counts", "row": "person", "add_up": True},
        ),
    )


def _households() -> Iterator[tuple[str, File]]:
    rng = np.random.default_rng([107, 30])
    rows: list[Row] = []
    people: Counter[str] = Counter()
    for cluster in range(1, 33):
        area = _AREAS[(cluster - 1) % 16]
        for home in range(1, 7):
            size = int(rng.integers(1, 7))
            people[area] += size
            weight = 100_000 * int(rng.integers(3, 30))
            rows += [
                [
                    f"{cluster:4d}{home:4d}".strip(),
                    cluster,
                    home,
                    line,
                    weight,
                    area,
                    1 + int(rng.integers(2)),
                    int(rng.integers(0, 90)),
                ]
                for line in range(1, size + 1)
            ]
    head = ["hhid", "hv001", "hv002", "hvidx", "hv005", "hv024", "hv104", "hv105"]
    yield (
        "dhs",
        File(
            name="dhs.csv",
            data=text([head, *rows]),
            leaves=dict(people),
            depth=1,
            answers={"kind": "counts", "row": "person", "levels": ("hv024",)},
        ),
    )
    rows = []
    sizes: dict[str, list[int]] = {area: [0] * 6 for area in _AREAS}
    people = Counter()
    number = 4_000
    for k in range(16 * 9):
        area, size, number = _AREAS[k % 16], int(rng.integers(1, 6)), number + 7
        sizes[area][size] += 1
        people[area] += size
        rows += [
            [
                _TOPS[k % 16 // 4],
                area,
                f"HU-{number}",
                f"{'ABCDE'[m]}. Olsen",
                int(rng.integers(0, 90)),
                ("head", "spouse", "child")[min(m, 2)],
            ]
            for m in range(size)
        ]
    head = ["region", "municipality", "housing_unit_id", "name", "age", "relationship"]
    data = text([head, *rows])
    yield (
        "roster_persons",
        File(
            name="roster.csv",
            data=data,
            leaves=dict(people),
            depth=2,
            answers={"kind": "counts", "row": "person"},
        ),
    )
    yield (
        "roster_homes",
        File(
            name="roster.csv",
            data=data,
            kind="group-sizes",
            depth=2,
            leaves={area: tuple(own) for area, own in sizes.items()},
            answers={"kind": "group-sizes", "row": "person", "group": "housing_unit_id"},
        ),
    )


def _things() -> Iterator[tuple[str, File]]:
    """Lists of firms, vehicles and employees."""
    rng = np.random.default_rng([107, 40])
    rows: list[Row] = []
    for k in range(400):
        at = int(rng.integers(16))
        rows.append(
            [f"F{k:05d}", _TOPS[at // 4], _AREAS[at], "CGI"[k % 3], int(rng.integers(1, 400))]
        )
    data = text([["firm_id", "county", "municipality", "nace", "employees"], *rows])
    yield (
        "firms",
        File(
            name="firms.csv",
            data=data,
            leaves=dict(Counter(str(r[2]) for r in rows)),
            depth=2,
            answers={"kind": "counts", "row": "person", "levels": ("county", "municipality")},
        ),
    )
    sums: Counter[str] = Counter()
    for row in rows:
        sums[str(row[2])] += int(str(row[4]))
    yield (
        "firms_staff",
        File(
            name="firms.csv",
            data=data,
            leaves=dict(sums),
            depth=2,
            answers={"kind": "counts", "row": "region", "count": "employees", "add_up": True},
        ),
    )
    rows = []
    for k in range(500):
        at = int(rng.integers(16))
        rows.append(
            [10_000 + k, _TOPS[at // 4], _AREAS[at], ("IT", "HR", "Ops")[k % 3], "FM"[k % 2]]
        )
    data = text([["Employee ID", "Country", "Office", "Department", "Gender"], *rows])
    yield (
        "employees",
        File(
            name="employees.csv",
            data=data,
            leaves=dict(Counter(str(r[2]) for r in rows)),
            depth=2,
            answers={"levels": ("Country", "Office")},
        ),
    )
    rows = [
        [f"{k:06d}", _TOPS[int(a) // 4], _AREAS[int(a)], 1940 + k % 60, "MF"[k % 2]]
        for k, a in enumerate(rng.integers(0, 16, 400))
    ]
    yield (
        "voters",
        File(
            name="voters.csv",
            data=text([["voter_no", "constituency", "ward", "birth_year", "sex"], *rows]),
            leaves=dict(Counter(str(r[2]) for r in rows)),
            depth=2,
        ),
    )
    rows = [
        [f"{k:06d}", _AREAS[int(a)], 1940 + k % 60, "MF"[k % 2], ("SE", "NO", "DK", "PL")[k % 4]]
        for k, a in enumerate(rng.integers(0, 16, 400))
    ]
    yield (
        "citizens",
        File(
            name="citizens.csv",
            leaves=dict(Counter(str(r[1]) for r in rows)),
            depth=1,
            data=text(
                [["person_id", "municipality", "birth_year", "sex", "country_of_birth"], *rows]
            ),
        ),
    )


def _portals() -> Iterator[tuple[str, File]]:
    counts = _numbers(50)
    leaves: dict[str, Value] = dict(zip(_AREAS, counts, strict=True))
    men = [n // 2 - 40 for n in counts]
    codes = [f"E0600{k:04d}" for k in range(16)]
    rng = np.random.default_rng([107, 51])
    sizes = rng.integers(30, 9_000, (16, 5)).tolist()
    labels = [
        "0 people in household",
        "1 person in household",
        "2 people in household",
        "3 people in household",
        "4 or more people in household",
    ]
    rows: list[Row] = []
    for code, area, own in zip(codes, _AREAS, sizes, strict=True):
        own[0] = 0
        rows += [
            [code, area, k, label, n] for k, (label, n) in enumerate(zip(labels, own, strict=True))
        ]
    head = [
        "Lower tier local authorities Code",
        "Lower tier local authorities",
        "Household size (5 categories) Code",
        "Household size (5 categories)",
        "Observation",
    ]
    yield (
        "ons_sizes",
        File(
            name="TS017.csv",
            data=text([head, *rows]),
            kind="group-sizes",
            leaves={code: tuple(own) for code, own in zip(codes, sizes, strict=True)},
        ),
    )
    lines = [
        '"KS101EW - Usual resident population"',
        '"ONS Crown Copyright Reserved"',
        "",
        '"population","All usual residents"',
        "",
        '"2011 census merged wards","mnemonic","All persons","Males","Females"',
    ]
    lines += [
        f'"{a}","{c}",{n},{m},{n - m}'
        for a, c, n, m in zip(_AREAS, codes, counts, men, strict=True)
    ]
    yield (
        "nomis_sexes",
        File(
            name="ks101.csv",
            data="\n".join([*lines, ""]).encode(),
            leaves=dict(zip(codes, counts, strict=True)),
        ),
    )
    head = ["NAME", "P1_001N", "state", "county"]
    listed = [
        head,
        *(
            [f"{a} County, Iowa", str(n), "19", f"{2 * k + 1:03d}"]
            for k, (a, n) in enumerate(zip(_AREAS, counts, strict=True))
        ),
    ]
    yield (
        "census_api",
        File(
            name="api.json",
            data=json.dumps(listed).encode(),
            leaves={f"{a} County, Iowa": n for a, n in zip(_AREAS, counts, strict=True)},
        ),
    )
    rows = [
        [f"1010{k:05d}", a, f"101{k // 4}", _TOPS[k // 4], m, n - m, n]
        for k, (a, n, m) in enumerate(zip(_AREAS, counts, men, strict=True))
    ]
    head = [
        "SA2_CODE_2021",
        "SA2_NAME_2021",
        "SA3_CODE_2021",
        "SA3_NAME_2021",
        "Tot_P_M",
        "Tot_P_F",
        "Tot_P_P",
    ]
    yield (
        "abs",
        File(
            name="2021Census_G01.csv",
            data=text([head, *rows]),
            depth=2,
            leaves={f"1010{k:05d}": n for k, n in enumerate(counts)},
        ),
    )
    rows = []
    for area, n, m in zip(_AREAS, counts, men, strict=True):
        for year in (2018, 2023):
            for sex, own in (("Male", m), ("Female", n - m), ("Total people", n)):
                rows.append([area, sex, year, own + year - 2023, ""])
    yield (
        "statsnz",
        File(
            name="nz.csv",
            data=text([["Area", "Sex", "Year", "Value", "Flags"], *rows]),
            leaves=leaves,
            answers={"keep": ("Year=2023", "Sex=Total people")},
        ),
    )
    rows = [["Row Labels", "Sum of Population"]]
    for k, top in enumerate(_TOPS):
        own = list(zip(_AREAS, counts, strict=True))[4 * k : 4 * k + 4]
        rows += [[top, sum(n for _, n in own)], *own]
    rows.append(["Grand Total", sum(counts)])
    yield "pivot", File(name="pivot.csv", data=text(rows), leaves=leaves, depth=2)
    rows = [
        ["County", "Sub-county", "Male", "Female", "Intersex", "Total"],
        ["KENYA", "", sum(men), sum(counts) - sum(men) - 16, 16, sum(counts)],
    ]
    for k, top in enumerate(_TOPS):
        own3 = list(zip(_AREAS, counts, men, strict=True))[4 * k : 4 * k + 4]
        n, m = sum(x for _, x, _ in own3), sum(x for _, _, x in own3)
        rows.append([top, "", m, n - m - 4, 4, n])
        rows += [[top, a, x, y - x - 1, 1, y] for a, y, x in own3]
    yield "kenya", File(name="kenya.csv", data=text(rows), leaves=leaves, depth=2)
    rows = [["ENTIDAD", "NOM_ENT", "MUN", "NOM_MUN", "POBTOT", "POBFEM", "POBMAS"]]
    for k, top in enumerate(_TOPS):
        own3 = list(zip(_AREAS, counts, men, strict=True))[4 * k : 4 * k + 4]
        n, m = sum(x for _, x, _ in own3), sum(x for _, _, x in own3)
        rows.append([f"{k + 1:02d}", top, "000", "Total de la entidad", n, m, n - m])
        rows += [
            [f"{k + 1:02d}", top, f"{j + 1:03d}", a, y, x, y - x]
            for j, (a, y, x) in enumerate(own3)
        ]
    yield "iter", File(name="iter.csv", data=text(rows), leaves=leaves, depth=2)
    lines = [
        '"Population by Area, Information and Year"',
        "",
        '"Area","Population, 2023"',
        f'"WHOLE COUNTRY",{sum(counts)}',
    ]
    lines += [f'"{a}",{n}' for a, n in zip(_AREAS, counts, strict=True)]
    yield (
        "statfin",
        File(
            name="statfin.csv",
            data="\n".join(lines).encode(),
            leaves=leaves,
            answers={"leave_out": ("Area=WHOLE COUNTRY",), "outline": "sums"},
        ),
    )
    lines = [
        "Tabela 9514 - População residente, por sexo;;;",
        "Município;Sexo;;",
        ";Total;Homens;Mulheres",
    ]
    lines += [f"{a};{n};{m};{n - m}" for a, n, m in zip(_AREAS, counts, men, strict=True)]
    lines += ["Fonte: IBGE - Censo Demográfico;;;"]
    yield "sidra", File(name="tabela9514.csv", data="\n".join(lines).encode(), leaves=leaves)
    rows = [["freq", "unit", "geo", "TIME_PERIOD", "OBS_VALUE"]]
    for k, n in enumerate(counts[:9]):
        geo = f"PL{k // 3 + 2}{k % 3 + 1}"
        rows += [["A", "NR", geo, 2022, n], ["A", "PC_TOT", geo, 2022, round(n / 9_000, 1)]]
    yield (
        "sdmx_units",
        File(
            name="units.csv",
            data=text(rows),
            answers={"keep": ("unit=NR",), "count": "OBS_VALUE"},
            leaves={f"PL{k // 3 + 2}{k % 3 + 1}": n for k, n in enumerate(counts[:9])},
        ),
    )
    table = text([["county", "people"], *zip(_AREAS, counts, strict=True)])
    upper = text([["state", "people"], *((t, 1_000 + k) for k, t in enumerate(_TOPS))])
    yield (
        "zip_levels",
        File(
            name="levels.zip",
            leaves=leaves,
            answers={"sheet": "counties.csv"},
            data=packed_zip({"states.csv": upper, "counties.csv": table, "codebook.csv": upper}),
        ),
    )
    frame = pd.DataFrame(
        {
            "fips": np.array([1001 + 2 * k for k in range(16)], dtype=np.int32),
            "cname": _AREAS,
            "totpop": np.array(counts, dtype=np.float64),
        }
    )
    yield (
        "stata_fips",
        File(
            name="fips.dta",
            data=stata_file(frame),
            leaves={f"{1001 + 2 * k:05d}": n for k, n in enumerate(counts)},
        ),
    )
    rows = [
        ["Nr", "Kommune", "Folketal 1. januar 2024", "Folketal 1. januar 2023", "Ændring i pct."]
    ]
    rows += [
        [k + 1, a, n, n - 77, "0,4"] for k, (a, n) in enumerate(zip(_AREAS, counts, strict=True))
    ]
    yield (
        "change",
        File(
            name="folketal.csv",
            data=text(rows, ";"),
            leaves=leaves,
            answers={"count": "Folketal 1. januar 2024"},
        ),
    )
    rows = [["Gemeinde", "Personen [Anzahl]", "Fläche [km²]", "Dichte [Pers./km²]", "Rang"]]
    rows += [
        [a, f"{n:,}".replace(",", " "), "12,5", n // 12, k + 1]
        for k, (a, n) in enumerate(zip(_AREAS, counts, strict=True))
    ]
    yield "units_in_names", File(name="gemeinden.csv", data=text(rows, ";"), leaves=leaves)
    rows = [
        ["Kommune", "Antall"],
        *(
            [a, f"({n % 9 + 1})" if k in (2, 5) else n]
            for k, (a, n) in enumerate(zip(_AREAS, counts, strict=True))
        ),
    ]
    own2 = [n % 9 + 1 if k in (2, 5) else n for k, n in enumerate(counts)]
    yield (
        "brackets_no",
        File(
            name="klammer.csv",
            data=text(rows, ";"),
            answers={"brackets": "kept"},
            leaves=dict(zip(_AREAS, own2, strict=True)),
        ),
    )


def further_files() -> Iterator[tuple[str, File]]:
    """Every file, each with an id."""
    for family in (_journeys, _repeated_persons, _households, _things, _portals):
        for id, file in family():
            yield f"further_{id}", file
