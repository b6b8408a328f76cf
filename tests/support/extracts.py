"""Extracts of registers and surveys, and tables whose labels carry a level, a size or a heading."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from support.offices import File, Value, text

Row = Sequence[object]

_TOWNS = {
    "1101": ("Eigersund", "11", "Rogaland"),
    "1103": ("Stavanger", "11", "Rogaland"),
    "1106": ("Haugesund", "11", "Rogaland"),
    "1108": ("Sandnes", "11", "Rogaland"),
    "4601": ("Bergen", "46", "Vestland"),
    "4602": ("Kinn", "46", "Vestland"),
    "4611": ("Etne", "46", "Vestland"),
    "5001": ("Trondheim", "50", "Trøndelag"),
    "5006": ("Steinkjer", "50", "Trøndelag"),
    "5007": ("Namsos", "50", "Trøndelag"),
}
_CODES = tuple(_TOWNS)


def _rng(salt: int) -> np.random.Generator:
    return np.random.default_rng([211, salt])


# ------------------------------------------------------------------------------------- one row each


def _records() -> Iterator[tuple[str, File]]:
    """Lists with one row for each pupil, booking or stay, without a column of counts."""
    rng = _rng(1)
    rows: list[Row] = []
    for _ in range(240):
        code = _CODES[int(rng.integers(10))]
        school = 974_500_000 + 137 * _CODES.index(code) + 11 * int(rng.integers(3))
        grade = int(rng.integers(1, 11))
        rows.append([2017 - grade, school, grade, code, _TOWNS[code][0]])
    yield (
        "pupils",
        File(
            name="elever.csv",
            data=text([["Fødselsår", "Orgnr", "Trinn", "Kommunenr", "Kommune"], *rows], ";"),
            leaves=dict(Counter(str(row[3]) for row in rows)),
            answers={"kind": "counts", "row": "person", "levels": ("Kommunenr",)},
        ),
    )
    cities = ("Porto", "Lisboa", "Faro", "Braga", "Évora", "Coimbra")
    homes = ("PRT", "GBR", "FRA", "ESP", "DEU", "USA", "BRA")
    rows = []
    for _ in range(260):
        day, nights = int(rng.integers(1, 25)), int(rng.integers(1, 6))
        month = int(rng.integers(1, 12))
        rows.append(
            [
                cities[int(rng.integers(6))],
                f"{day:02d}/{month:02d}/2023",
                f"{day + nights:02d}/{month:02d}/2023",
                ("Standard", "Superior", "Suite")[int(rng.integers(3))],
                int(rng.integers(1, 4)),
                homes[int(rng.integers(7))],
                f"{rng.uniform(50, 210):.2f}",
            ]
        )
    head = ["city", "check_in", "check_out", "room_type", "adults", "guest_country", "price"]
    yield (
        "bookings",
        File(
            name="bookings.csv",
            data=text([head, *rows]),
            leaves=dict(Counter(str(row[0]) for row in rows)),
            depth=1,
            answers={"kind": "counts", "row": "person", "levels": ("city",)},
        ),
    )
    departments = ("01", "2A", "38", "42", "69", "73", "74")
    rows = []
    for k in range(250):
        day, month = int(rng.integers(1, 29)), int(rng.integers(1, 13))
        rows.append(
            [
                f"{690_000_000 + 13 * int(rng.integers(9))}",
                f"{day:02d}/{month:02d}/2022",
                f"{int(rng.integers(0, 24)):02d}h{int(rng.integers(0, 60)):02d}",
                departments[int(rng.integers(7))],
                int(rng.integers(0, 95)),
                1 + k % 2,
                f"{int(rng.integers(1, 28)):02d}M{int(rng.integers(1, 30)):02d}",
            ]
        )
    head = ["finess", "date_entree", "heure_entree", "dep_residence", "age", "sexe", "ghm"]
    yield (
        "stays_fr",
        File(
            name="sejours.csv",
            data=text([head, *rows], ";"),
            leaves=dict(Counter(str(row[3]) for row in rows)),
            depth=1,
            answers={"kind": "counts", "row": "person", "levels": ("dep_residence",)},
        ),
    )
    rows = [[row[0], f"{44_562 + int(str(row[4]))}", row[3], row[6]] for row in rows]
    yield (
        "stays_serial_days",
        File(
            name="sejours_dates.csv",
            data=text([["finess", "date_admission", "departement", "ghm"], *rows], ";"),
            leaves=dict(Counter(str(row[2]) for row in rows)),
            depth=1,
            answers={"kind": "counts", "row": "person", "levels": ("departement",)},
        ),
    )


def _registers() -> Iterator[tuple[str, File]]:
    """Registers whose rows have a number, dates or codes that look like something else."""
    rng = _rng(7)

    def pick(values: Sequence[str]) -> str:
        return values[int(rng.integers(len(values)))]

    def day(mark: str) -> str:
        return mark.join((f"{rng.integers(1, 29):02d}", f"{rng.integers(1, 13):02d}", "2023"))

    cities = ("Porto", "Lisboa", "Faro", "Braga", "Évora", "Coimbra")
    homes = ("PRT", "GBR", "FRA", "ESP", "DEU", "USA", "BRA")
    rooms = ("Standard", "Superior", "Suite")
    rows: list[Row] = []
    for k in range(240):
        arrival, departure = day("-"), day("-")
        rows.append([50_000 + 7 * k, f"Hotel {rng.integers(1, 13)}", pick(cities), pick(rooms),
                     arrival, departure, pick(homes), int(rng.integers(1, 5)),
                     int(rng.integers(0, 4))])  # fmt: skip
    head = ["booking_id", "hotel", "city", "room_type", "arrival", "departure", "country", "adults",
            "children"]  # fmt: skip
    yield (
        "bookings_numbered",
        File(
            name="hotels.csv",
            data=text([head, *rows]),
            leaves=dict(Counter(str(row[2]) for row in rows)),
            depth=1,
            answers={"kind": "counts", "row": "person", "levels": ("city",)},
        ),
    )
    rows = []
    for _ in range(240):
        hotel = int(rng.integers(12))
        rows.append([f"Hotel {hotel}", cities[hotel // 2], pick(rooms), day("."), day("."),
                     pick(homes)])  # fmt: skip
    yield (
        "bookings_de",
        File(
            name="buchungen.csv",
            data=text(
                [["Hotel", "Stadt", "Zimmertyp", "Anreise", "Abreise", "Herkunftsland"], *rows], ";"
            ),
            leaves=dict(Counter(str(row[1]) for row in rows)),
            depth=1,
            answers={"kind": "counts", "row": "person", "levels": ("Stadt",)},
        ),
    )
    rows = [
        [f"{pick(('AL', 'AK', 'CA', 'TX'))}-{500 + int(rng.integers(6))}",
         pick(("AO", "AC", "CO")), int(rng.integers(0, 80)), pick(("Y", "N"))]
        for _ in range(300)
    ]  # fmt: skip
    yield (
        "coc_records",
        File(
            name="coc.csv",
            data=text([["CoC", "HouseholdType", "Age", "Veteran"], *rows]),
            leaves=dict(Counter(str(row[0]) for row in rows)),
            depth=2,
            answers={"levels": ("CoC",), "prefix": (2, 6)},
        ),
    )
    rows = [
        [9_000 + k, pick(("01", "02", "38", "42", "69")), day("/"), day("/"),
         int(rng.integers(1, 21)), int(rng.integers(0, 99)), 1 + int(rng.integers(2))]
        for k in range(240)
    ]  # fmt: skip
    head = ["num_sejour", "code_dep", "entree", "sortie", "duree", "age", "sexe"]
    yield (
        "stays_numbered",
        File(
            name="pmsi.csv",
            data=text([head, *rows], ";"),
            leaves=dict(Counter(str(row[1]) for row in rows)),
            depth=1,
        ),
    )
    rows = [
        [f"{rng.integers(1, 29):02d}jan2022", f"{rng.integers(1, 29)} Feb 2022",
         pick(("Kent", "Lake", "Pike", "Ross")), int(rng.integers(430, 440)),
         int(rng.integers(100, 1_000))]
        for _ in range(240)
    ]  # fmt: skip
    yield (
        "stays_us",
        File(
            name="discharges.csv",
            data=text([["admitdate", "discharged", "hospital_county", "zip3", "drg"], *rows]),
            leaves=dict(Counter(str(row[2]) for row in rows)),
            depth=1,
            answers={"kind": "counts", "row": "person", "levels": ("hospital_county",)},
        ),
    )


# ------------------------------------------------------------------------------------- weights


def _weights() -> Iterator[tuple[str, File]]:
    """Extracts of surveys with one row for each person, and its weights."""
    for salt, (id, head, area) in enumerate(
        (
            ("ipums", ["YEAR", "SERIAL", "HHWT", "STATEFIP", "PERNUM", "PERWT", "AGE", "SEX"], 3),
            ("cps", ["MONTH", "SERIAL", "WTFINL", "STATEFIP", "PERNUM", "ASECWT", "AGE", "SEX"], 3),
            ("censo", ["ANIO", "VIVIENDA", "FAC_VIV", "ENT", "NUMREN", "FAC_PER", "EDAD", "SEXO"],
             3),
            ("zensus", ["JAHR", "HHNR", "GEWICHT", "LAND", "PNR", "HOCHR", "ALTER", "GESCHLECHT"],
             3),
            ("eph", ["ANO4", "CODUSU", "PONDIH", "AGLOMERADO", "COMPONENTE", "PONDERA", "CH06",
                     "CH04"], 3),
            ("enquete", ["ANNEE", "MENAGE", "POIDS_MEN", "REGION", "NOI", "POIDS_IND", "AGE",
                         "SEXE"], 3),
            ("factor", ["ciclo", "nvivi", "factor_expansion", "ccaa", "nper", "factorel", "edad",
                        "sexo"], 3),
            ("acs", ["RT", "SERIALNO", "WGTP", "ST", "SPORDER", "PWGTP", "AGEP", "SEX"], 3),
        )
    ):  # fmt: skip
        rng = _rng(20 + salt)
        rows: list[Row] = []
        for home in range(1, 81):
            state, weight = int(rng.integers(1, 9)), int(rng.integers(40, 900))
            rows += [
                [2021, 1000 + home, weight, state, line, int(rng.integers(40, 900)),
                 int(rng.integers(0, 91)), 1 + int(rng.integers(2))]
                for line in range(1, 2 + int(rng.integers(5)))
            ]  # fmt: skip
        sums: Counter[str] = Counter()
        for row in rows:
            sums[f"{row[area]}"] += int(str(row[5]))
        persons = Counter(str(row[area]) for row in rows)
        for kind, leaves, answers in (
            ("persons", persons, {"kind": "counts", "row": "person"}),
            ("weighted", sums,
             {"kind": "counts", "row": "region", "count": head[5], "add_up": True}),
        ):  # fmt: skip
            yield (
                f"{id}_{kind}",
                File(
                    name=f"{id}.csv",
                    data=text([head, *rows]),
                    leaves=dict(leaves),
                    depth=1,
                    answers={**answers, "levels": (head[area],)},
                ),
            )


# ------------------------------------------------------------------------------------- headers


def _headers() -> Iterator[tuple[str, File]]:
    """A row below the header with the level's name or the units."""
    counts = [int(n) for n in _rng(40).integers(700, 90_000, 10)]
    names = [_TOWNS[code][0] for code in _CODES]
    leaves: dict[str, Value] = dict(zip(names, counts, strict=True))
    rows: list[Row] = [[name, n] for name, n in zip(names, counts, strict=True)]
    yield (
        "units_below",
        File(
            name="units.csv",
            data=text([["Geography", "Households"], ["(state)", "(number)"], *rows]),
            leaves=leaves,
            depth=1,
        ),
    )
    rows = [[code, name, n] for code, (name, n) in zip(_CODES, leaves.items(), strict=True)]
    yield (
        "codes_below",
        File(
            name="labels.csv",
            data=text(
                [["GEO_ID", "NAME", "Persons"], ["(code)", "(municipality)", "(number)"], *rows]
            ),
            leaves=dict(zip(_CODES, counts, strict=True)),
        ),
    )
    rows = [[name, n, n // 3] for name, n in leaves.items()]
    for id, below in (("level", ["(county)", "", ""]), ("words", ["state", "number", "number"])):
        yield (
            f"{id}_below",
            File(
                name=f"{id}_below.csv",
                data=text([["Area", "Persons", "Households"], below, *rows], ";"),
                leaves=leaves,
                depth=1,
                answers={"count": "Persons"},
            ),
        )
    yield (
        "level_alone_below",
        File(
            name="alone.csv",
            data=text(
                [["Area", "Persons", "Households"], ["(Gemeinde)", "Anzahl", "Anzahl"], *rows], ";"
            ),
            leaves=leaves,
            depth=1,
            answers={"count": "Persons"},
        ),
    )


# ------------------------------------------------------------------------------------- two columns


def _codes_and_names() -> Iterator[tuple[str, File]]:
    """A code and its description, also where two areas have one name."""
    rng = _rng(50)
    communes = {
        "01001": ("L'Abergement", "01"), "01004": ("Ambérieu", "01"), "01033": ("Valserhône", "01"),
        "38185": ("Grenoble", "38"), "38421": ("Saint-Martin", "38"), "38544": ("Vienne", "38"),
        "69123": ("Lyon", "69"), "69266": ("Villeurbanne", "69"), "93066": ("Saint-Denis", "93"),
        "93001": ("Aubervilliers", "93"), "93048": ("Montreuil", "93"),
        "97411": ("Saint-Denis", "974"), "97415": ("Saint-Paul", "974"),
        "97416": ("Saint-Pierre", "974"),
    }  # fmt: skip
    counts = {code: int(rng.integers(900, 300_000)) for code in communes}
    for id, columns in (("libgeo_first", (1, 0)), ("codgeo_first", (0, 1))):
        head = ["CODGEO", "LIBGEO"]
        rows: list[Row] = [
            [*((code, name)[k] for k in columns), counts[code]]
            for code, (name, _) in communes.items()
        ]
        yield (
            id,
            File(
                name=f"{id}.csv",
                data=text([[*(head[k] for k in columns), "NB"], *rows], ";"),
                leaves=dict(counts),
                answers={"count": "NB"},
            ),
        )
    rows = []
    people: Counter[str] = Counter()
    descriptions = ("Adams", "Adams", "Benton", "Clark", "Douglas", "Elmore", "Fulton", "Gem")
    for _ in range(260):
        k = int(rng.integers(8))
        rows.append([f"C{310 + 7 * k}", f"{descriptions[k]} County", int(rng.integers(18, 95)),
                     "MF"[int(rng.integers(2))], "DRU"[int(rng.integers(3))]])  # fmt: skip
        people[f"C{310 + 7 * k}"] += 1
    yield (
        "county_desc",
        File(
            name="voters.csv",
            data=text([["county_id", "county_desc", "age", "sex", "party"], *rows]),
            leaves=dict(people),
            depth=1,
        ),
    )
    rows = [[code, name, dep, counts[code]] for code, (name, dep) in communes.items()]
    yield (
        "upwards_dep",
        File(
            name="upwards.csv",
            data=text([["com", "lib_com", "dep", "effectif"], *rows], ";"),
            leaves=dict(counts),
        ),
    )


def _bottom_up() -> Iterator[tuple[str, File]]:
    """Levels from the bottom up, each with a code and a name."""
    rng = _rng(60)
    counts = [int(n) for n in rng.integers(800, 80_000, 10)]
    leaves: dict[str, Value] = dict(zip(_CODES, counts, strict=True))
    for id, head in (
        ("no", ["Kommunenr", "Kommune", "Fylkesnr", "Fylke", "Antall"]),
        ("it", ["Codice comune", "Comune", "Codice provincia", "Provincia", "Residenti"]),
        ("es", ["COD_MUN", "NOM_MUN", "COD_PROV", "NOM_PROV", "POBLACION"]),
        ("en", ["municipality code", "municipality", "province code", "province", "persons"]),
        ("fi", ["Kunta", "Kunnan nimi", "Maakunta", "Maakunnan nimi", "Väkiluku"]),
        ("tr", ["İlçe kodu", "İlçe adı", "İl kodu", "İl adı", "Nüfus"]),
        ("nl", ["gemeentecode", "gemeentenaam", "provinciecode", "provincienaam", "inwoners"]),
    ):
        rows: list[Row] = [
            [code, _TOWNS[code][0], _TOWNS[code][1], _TOWNS[code][2], n]
            for code, n in zip(_CODES, counts, strict=True)
        ]
        yield (
            f"bottom_up_{id}",
            File(name=f"upward_{id}.csv", data=text([head, *rows], ";"), leaves=leaves, depth=2),
        )

    records = [
        [code, _TOWNS[code][0], _TOWNS[code][1], _TOWNS[code][2], 1 + int(rng.integers(2)),
         int(rng.integers(0, 91))]
        for code in _CODES for _ in range(24)
    ]  # fmt: skip
    yield (
        "bottom_up_records",
        File(
            name="persons.csv",
            data=text([["mun_code", "mun_name", "prov_code", "prov_name", "sex", "age"], *records]),
            leaves=dict.fromkeys(_CODES, 24),
            depth=2,
        ),
    )
    quarters = [
        [f"{dep}{17 * town:03d}{k + 1:02d}01", name, f"{dep}{17 * town:03d}", f"Ville {dep}{town}",
         dep, int(rng.integers(300, 4_000))]
        for dep in ("38", "69") for town in range(1, 6)
        for k, name in enumerate(("Centre", "Nord", "Sud", "Gare")[: 2 + town % 3])
    ]  # fmt: skip
    yield (
        "quarters_of_one_name",
        File(
            name="iris.csv",
            data=text([["IRIS", "LIBIRIS", "COM", "LIBCOM", "DEP", "P20_POP"], *quarters], ";"),
            leaves={str(row[0]): int(str(row[5])) for row in quarters},
            depth=3,
        ),
    )


# ------------------------------------------------------------------------------------- sizes


_WORDED = {
    "en": ("One person", "Two persons", "Three persons", "Four persons", "Five or more persons"),
    "es": ("Una persona", "Dos personas", "Tres personas", "Cuatro personas", "Cinco y más"),
    "it": ("una persona", "due persone", "tre persone", "4 e più"),
    "de": ("eine Person", "zwei Personen", "drei Personen", "vier Personen", "fünf und mehr"),
    "de_households": ("Einpersonenhaushalte", "Zweipersonenhaushalte", "Dreipersonenhaushalte",
                      "Vierpersonenhaushalte", "Haushalte mit fünf und mehr Personen"),
    "fr": ("1 personne", "2 personnes", "3 personnes", "4 personnes", "5 personnes ou plus"),
    "hyphen": ("1-person household", "2-person household", "3-person household",
               "4-or-more-person household"),
    "hyphen_words": ("One-person household", "Two-person household", "Three-person household",
                     "Four-or-more-person household"),
    "pt": ("Um morador", "Dois moradores", "Três moradores", "Quatro moradores ou mais"),
    "nl": ("Eenpersoonshuishoudens", "Tweepersoonshuishoudens", "Driepersoonshuishoudens",
           "Vier of meer personen"),
}  # fmt: skip


def _sizes() -> Iterator[tuple[str, File]]:
    """Households by size in words, as columns and as rows."""
    names = [_TOWNS[code][0] for code in _CODES]
    for salt, (id, labels) in enumerate(_WORDED.items()):
        table = _rng(70 + salt).integers(30, 9_000, (10, len(labels)))
        leaves: dict[str, Value] = {
            name: (0, *(int(n) for n in row)) for name, row in zip(names, table, strict=True)
        }
        wide: list[Row] = [[name, *map(int, row)] for name, row in zip(names, table, strict=True)]
        yield (
            f"words_wide_{id}",
            File(
                name=f"wide_{id}.csv",
                data=text([["Area", *labels], *wide], ";"),
                kind="group-sizes",
                leaves=leaves,
                answers={"kind": "group-sizes", "sizes": labels, "first_size": 1,
                         "top_coded": True},
            ),
        )  # fmt: skip
        long: list[Row] = [
            [name, label, int(n)]
            for name, row in zip(names, table, strict=True)
            for label, n in zip(labels, row, strict=True)
        ]
        yield (
            f"words_long_{id}",
            File(
                name=f"long_{id}.csv",
                data=text([["Area", "Type of household", "Number"], *long], ";"),
                kind="group-sizes",
                leaves=leaves,
                answers={"kind": "group-sizes", "size": "Type of household", "top_coded": True,
                         "count": "Number"},
            ),
        )  # fmt: skip


def _blocks() -> Iterator[tuple[str, File]]:
    """Family households of 2 and more, and other households of 1 and more, in two blocks."""
    table = _rng(88).integers(10, 900, (10, 13)).tolist()
    names = [_TOWNS[code][0] for code in _CODES]
    leaves: dict[str, Value] = {
        name: (0, row[6], *(one + other for one, other in zip(row[:6], row[7:], strict=True)))
        for name, row in zip(names, table, strict=True)
    }
    last = "7-or-more person household"
    families = [f"{size}-person household" for size in range(2, 7)] + [last]
    others = ["1-person household", *families]
    sums = [[sum(row), sum(row[:6]), *row[:6], sum(row[6:]), *row[6:]] for row in table]
    inside = ["Total:", "Total:!!Family households:",
              *(f"Total:!!Family households:!!{x}" for x in families),
              "Total:!!Nonfamily households:",
              *(f"Total:!!Nonfamily households:!!{x}" for x in others)]  # fmt: skip
    answers = {"kind": "group-sizes", "blocks": "added up"}
    made = {"kind": "group-sizes", "leaves": leaves, "depth": 1}
    head = ["NAME", *(f"Estimate!!{name}" for name in inside)]
    rows: list[Row] = [head, *([name, *row] for name, row in zip(names, sums, strict=True))]
    yield "blocks_wide", File(name="b11016.csv", data=text(rows), answers=answers, **made)
    codes = ["GEO_ID", "NAME"]
    below = ["Geography", "Geographic Area Name"]
    for k, name in enumerate(inside, 1):
        codes += [f"B11016_{k:03d}E", f"B11016_{k:03d}M"]
        below += [f"Estimate!!{name}", f"Margin of Error!!{name}"]
    rows = [codes, below]
    rows += [
        [f"0500000US010{2 * k + 11}", name, *(x for n in row for x in (n, n % 50 + 3))]
        for k, (name, row) in enumerate(zip(names, sums, strict=True))
    ]
    by_code = {f"010{2 * k + 11}": leaves[name] for k, name in enumerate(names)}
    yield (
        "blocks_labels",
        File(
            name="acs.csv", data=text(rows), answers=answers,
            kind="group-sizes", leaves=by_code, depth=1,
        ),
    )  # fmt: skip
    head = ["county", *(f"family_{n}" for n in range(2, 7)), "family_7_plus",
            *(f"nonfamily_{n}" for n in range(1, 7)), "nonfamily_7_plus"]  # fmt: skip
    rows = [head, *([name, *row] for name, row in zip(names, table, strict=True))]
    yield "blocks_short", File(name="families.csv", data=text(rows), answers=answers, **made)
    labels = ["Total:", "    Family households:", *(f"        {name}" for name in families),
              "    Nonfamily households:", *(f"        {name}" for name in others)]  # fmt: skip
    rows = [["Label", *names]]
    rows += [[label, *(row[k] for row in sums)] for k, label in enumerate(labels)]
    yield (
        "blocks_turned",
        File(
            name="turned.csv",
            data=text(rows),
            answers={**answers, "areas": "columns", "levels": ("area",)},
            **made,
        ),
    )
    rows = [["Area", "Type", "Household size", "Households"]]
    for name, row in zip(names, table, strict=True):
        rows += [[name, "Family", size, n] for size, n in zip(families, row[:6], strict=True)]
        rows += [[name, "Nonfamily", size, n] for size, n in zip(others, row[6:], strict=True)]
    yield (
        "blocks_long",
        File(name="long_blocks.csv", data=text(rows), answers={"add_up": True}, **made),
    )


# ------------------------------------------------------------------------------------- labels


def _labels() -> Iterator[tuple[str, File]]:
    """The level above in the name of each area, and headings among the areas."""
    rng = _rng(90)
    cities = {
        "São Paulo (SP)": 0, "Campinas (SP)": 0, "Bom Jesus (SP)": 0, "Santos (SP)": 0,
        "Rio de Janeiro (RJ)": 0, "Niterói (RJ)": 0, "Petrópolis (RJ)": 0,
        "Bom Jesus (PI)": 0, "Teresina (PI)": 0, "Picos (PI)": 0, "Parnaíba (PI)": 0,
    }  # fmt: skip
    counts = {name: int(rng.integers(4_000, 900_000)) for name in cities}
    rows: list[Row] = [[name, n] for name, n in counts.items()]
    yield (
        "brackets_uf",
        File(
            name="municipios.csv",
            data=text([["Município", "População"], *rows], ";"),
            leaves=counts,
            depth=2,
            answers={
                "split": ("Município",),
                "levels": ("Município: area above", "Município"),
                "names": ("Município: area above", "Município: name"),
            },
        ),
    )
    places = (
        "Ankara(Çankaya)-1745", "Ankara(Keçiören)-1746", "Ankara(Mamak)-1747",
        "İzmir(Konak)-1801", "İzmir(Buca)-1802", "İzmir(Bornova)-1803",
        "Bursa(Nilüfer)-1911", "Bursa(Osmangazi)-1912", "Konya(Selçuklu)-2001",
        "Konya(Meram)-2002",
    )  # fmt: skip
    numbers = {place: int(rng.integers(30_000, 900_000)) for place in places}
    yield (
        "brackets_il",
        File(
            name="ilceler.csv",
            data=text([["İlçe", "Nüfus"], *([p, n] for p, n in numbers.items())], ";"),
            leaves={place.partition("-")[2]: n for place, n in numbers.items()},
            depth=2,
            answers={
                "split": ("İlçe",),
                "levels": ("İlçe: area above", "İlçe: code"),
                "names": ("İlçe: area above", "İlçe: name"),
            },
        ),
    )
    for id, heading, head in (
        ("ru", "в том числе:", ["Район", "Население"]),
        ("en", "of which:", ["Area", "Population"]),
        ("de", "davon:", ["Gebiet", "Einwohner"]),
        ("fr", "dont :", ["Territoire", "Habitants"]),
        ("es", "de los cuales:", ["Zona", "Población"]),
        ("pl", "w tym:", ["Obszar", "Liczba"]),
    ):
        towns = [(_TOWNS[code][0], int(rng.integers(900, 70_000))) for code in _CODES]
        whole = sum(n for _, n in towns)
        yield (
            f"heading_{id}",
            File(
                name=f"heading_{id}.csv",
                data=text([head, ["Rogaland", whole], [heading, ""], *towns], ";"),
                leaves=dict(towns),
                answers={"leave_out": (f"{head[0]}=Rogaland",)},
            ),
        )
        rows = [head]
        for county in ("Rogaland", "Vestland", "Trøndelag"):
            own = [(name, n) for (name, n), code in zip(towns, _CODES, strict=True)
                   if _TOWNS[code][2] == county]  # fmt: skip
            rows += [[county, sum(n for _, n in own)], [heading, ""], *own]
        yield (
            f"headings_{id}",
            File(name=f"headings_{id}.csv", data=text(rows, ";"), leaves=dict(towns), depth=2),
        )


def extract_files() -> Iterator[tuple[str, File]]:
    """Every file, each with an id."""
    families = (
        _records, _registers, _weights, _headers, _codes_and_names, _bottom_up, _sizes, _blocks,
        _labels,
    )  # fmt: skip
    for family in families:
        for id, file in family():
            yield f"extract_{id}", file
