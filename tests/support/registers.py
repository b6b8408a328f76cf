"""Lists of persons as offices keep them: two places each, households, weights, levels that cross.

A list that may be read in several ways comes once for each meaning, with what its owner answers.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from support.offices import File, Value, text

Row = Sequence[object]
Pair = tuple[str, str]  # a region and a district in it

_NAMES = [
    "Arden", "Brook", "Carse", "Dunmore", "Elvet", "Farley", "Garth", "Hollin",
    "Irwell", "Jarrow", "Kelso", "Lomond", "Marle", "Nairn", "Otley", "Purton",
]  # fmt: skip
DISTRICTS: tuple[Pair, ...] = tuple(
    (f"{region}shire", name)
    for k, region in enumerate(("North", "East", "South", "West"))
    for name in _NAMES[4 * k : 4 * k + 4]
)


def _rng(salt: int) -> np.random.Generator:
    return np.random.default_rng([97, salt])


def _pairs(salt: int, n: int = 400) -> list[tuple[Pair, Pair]]:
    """Two districts for each of `n` persons: most of them stay where they live."""
    rng = _rng(salt)
    home = rng.integers(0, len(DISTRICTS), n).tolist()
    away = rng.integers(0, len(DISTRICTS), n).tolist()
    stays = (rng.random(n) < 0.6).tolist()
    return [
        (DISTRICTS[a], DISTRICTS[a if stay else b])
        for a, b, stay in zip(home, away, stays, strict=True)
    ]


def _counts(places: Sequence[str]) -> dict[str, Value]:
    return dict(Counter(places))


def two_places(
    id: str,
    head: Sequence[str],
    rows: Sequence[Row],
    ends: tuple[Sequence[str], Sequence[str]],
    separator: str = ",",
) -> Iterator[tuple[str, File]]:
    """One list of persons with two places, and its three meanings."""
    data = text([head, *rows], separator)
    at = [[list(head).index(name) for name in end] for end in ends]
    both = {str(row[place[-1]]) for row in rows for place in at}
    for end, place, title in zip(ends, at, ("from", "to"), strict=True):
        yield (
            f"{id}_{title}",
            File(
                name=f"{id}.csv",
                data=data,
                leaves=_counts([str(row[place[-1]]) for row in rows]),
                depth=len(end),
                answers={"kind": "counts", "row": "person", "levels": tuple(end)},
            ),
        )
    out: dict[str, Value] = dict.fromkeys(both, 0)
    out |= _counts([str(row[at[0][-1]]) for row in rows])
    yield (
        f"{id}_flows",
        File(
            name=f"{id}.csv",
            data=data,
            kind="flows",
            leaves=out,
            answers={
                "kind": "flows",
                "row": "trip",
                "levels": tuple(ends[0]),
                "destinations": tuple(ends[1]),
            },
        ),
    )


def _two_places() -> Iterator[tuple[str, File]]:
    rng = _rng(0)
    sexes, ages = rng.integers(0, 2, 400).tolist(), rng.integers(0, 95, 400).tolist()
    head = [
        "patient_id",
        "sex",
        "age",
        "residence_region",
        "residence_district",
        "hospital_region",
        "hospital_district",
    ]
    rows: list[Row] = [
        [7001 + k, "MF"[sexes[k]], ages[k], *home, *away]
        for k, (home, away) in enumerate(_pairs(1))
    ]
    ends = (("residence_region", "residence_district"), ("hospital_region", "hospital_district"))
    yield from two_places("patients", head, rows, ends)
    head = ["child_no", "sex", "mother_municipality", "birth_municipality", "birth_weight"]
    rows = [
        [k + 1, "fm"[sexes[k]], home[1], away[1], 2400 + 7 * (ages[k])]
        for k, (home, away) in enumerate(_pairs(2))
    ]
    yield from two_places("births", head, rows, (("mother_municipality",), ("birth_municipality",)))
    head = ["Personalnr", "Geschlecht", "Alter", "Wohnkreis", "Arbeitskreis"]
    rows = [
        [k * 3 + 11, "mw"[sexes[k]], 18 + ages[k] // 2, home[1], away[1]]
        for k, (home, away) in enumerate(_pairs(3))
    ]
    yield from two_places("beschaeftigte", head, rows, (("Wohnkreis",), ("Arbeitskreis",)), ";")
    head = ["id", "sesso", "eta", "comune_residenza", "comune_lavoro"]
    rows = [
        [k + 1, "MF"[sexes[k]], ages[k], home[1], away[1]]
        for k, (home, away) in enumerate(_pairs(4))
    ]
    yield from two_places("occupati", head, rows, (("comune_residenza",), ("comune_lavoro",)), ";")
    head = ["person", "gender", "birth_year", "home_county", "work_county", "industry"]
    rows = [
        [
            k + 1,
            ("male", "female")[sexes[k]],
            1940 + ages[k] % 60,
            home[1],
            away[1],
            "ABCDE"[ages[k] % 5],
        ]
        for k, (home, away) in enumerate(_pairs(5))
    ]
    yield from two_places("workers", head, rows, (("home_county",), ("work_county",)))
    head = ["pid", "sex", "county_of_birth", "county_of_residence"]
    rows = [[k + 1, sexes[k] + 1, away[1], home[1]] for k, (home, away) in enumerate(_pairs(6))]
    yield from two_places("natives", head, rows, (("county_of_birth",), ("county_of_residence",)))
    head = ["case_id", "onset_date", "age", "sex", "district_residence", "district_reporting"]
    rows = [
        [
            f"C{k:04d}",
            f"2023-0{1 + ages[k] % 9}-1{k % 9}",
            ages[k],
            "mf"[sexes[k]],
            home[1],
            away[1],
        ]
        for k, (home, away) in enumerate(_pairs(7))
    ]
    yield from two_places("cases", head, rows, (("district_residence",), ("district_reporting",)))
    head = [
        "num_pat",
        "sexe",
        "age",
        "dep_residence",
        "com_residence",
        "dep_hospitalisation",
        "com_hospitalisation",
    ]
    rows = [
        [k + 1, sexes[k] + 1, ages[k], *home, *away] for k, (home, away) in enumerate(_pairs(8))
    ]
    ends = (("dep_residence", "com_residence"), ("dep_hospitalisation", "com_hospitalisation"))
    yield from two_places("sejours", head, rows, ends, ";")
    head = ["folio", "sexo", "edad", "municipio_residencia", "municipio_nacimiento"]
    rows = [
        [k + 1, "HM"[sexes[k]], ages[k], home[1], away[1]]
        for k, (home, away) in enumerate(_pairs(9))
    ]
    ends = (("municipio_residencia",), ("municipio_nacimiento",))
    yield from two_places("nacidos", head, rows, ends)
    head = ["pupil_no", "year_group", "home_ward", "school_ward", "free_meals"]
    rows = [
        [k + 1, 1 + ages[k] % 11, home[1], away[1], "YN"[sexes[k]]]
        for k, (home, away) in enumerate(_pairs(10))
    ]
    yield from two_places("pupils", head, rows, (("home_ward",), ("school_ward",)))


def _unlike_places() -> Iterator[tuple[str, File]]:
    """Persons with a place and a facility of another kind, such as a hospital."""
    rng = _rng(11)
    hospitals = ["St Anne", "Royal", "General", "Queen Mary", "Infirmary", "Memorial"]
    homes = rng.integers(0, 16, 400).tolist()
    wards = rng.integers(0, 6, 400).tolist()
    ages = rng.integers(0, 95, 400).tolist()
    rows = [
        [k + 1, "MF"[ages[k] % 2], ages[k], DISTRICTS[homes[k]][1], hospitals[wards[k]]]
        for k in range(400)
    ]
    data = text([["admission_id", "sex", "age", "district_of_residence", "hospital"], *rows])
    for column, place in (("district_of_residence", 3), ("hospital", 4)):
        yield (
            f"admissions_{column}",
            File(
                name="admissions.csv",
                data=data,
                leaves=_counts([str(row[place]) for row in rows]),
                depth=1,
                answers={"kind": "counts", "row": "person", "levels": (column,)},
            ),
        )
    campuses = ["Main", "Harbour", "Hill", "Park"]
    rows = [
        [90_000 + k, "MF"[ages[k] % 2], DISTRICTS[homes[k]][1], campuses[wards[k] % 4], "BSc"]
        for k in range(400)
    ]
    data = text([["student_id", "gender", "home_state", "campus", "degree"], *rows])
    for column, place in (("home_state", 2), ("campus", 3)):
        yield (
            f"students_{column}",
            File(
                name="students.csv",
                data=data,
                leaves=_counts([str(row[place]) for row in rows]),
                depth=1,
                answers={"kind": "counts", "row": "person", "levels": (column,)},
            ),
        )


def _persons_or_households() -> Iterator[tuple[str, File]]:
    for id, head, shared in (
        (
            "register",
            ["person_no", "region", "district", "dwelling_id", "sex", "birth_year"],
            False,
        ),
        ("panel", ["pid", "region", "district", "hhid", "sex", "age"], True),
        ("anagrafe", ["id_persona", "provincia", "comune", "id_famiglia", "sesso", "eta"], True),
        (
            "einwohner",
            ["PersonenNr", "Kreis", "Gemeinde", "Haushaltsnummer", "Geschlecht", "Geburtsjahr"],
            False,
        ),
    ):
        rng = _rng(len(head[0]) * 100 + len(head[3]))
        rows: list[Row] = []
        sizes: dict[str, list[int]] = {}
        home = 0
        for place in DISTRICTS:
            own = rng.integers(1, 6, 14).tolist()
            sizes[place[1]] = own
            home = 0 if shared else home
            for size in own:
                home += 1
                rows += [
                    [
                        len(rows) + j + 1,
                        *place,
                        home,
                        "MF"[int(rng.integers(2))],
                        int(rng.integers(1930, 2020)),
                    ]
                    for j in range(size)
                ]
        data = text([head, *rows], ";" if id == "einwohner" else ",")
        yield (
            f"{id}_persons",
            File(
                name=f"{id}.csv",
                data=data,
                depth=2,
                leaves={place: sum(own) for place, own in sizes.items()},
                answers={"kind": "counts", "row": "person"},
            ),
        )
        leaves: dict[str, Value] = {
            place: tuple(own.count(n) for n in range(6)) for place, own in sizes.items()
        }
        yield (
            f"{id}_households",
            File(
                name=f"{id}.csv",
                data=data,
                kind="group-sizes",
                leaves=leaves,
                depth=2,
                answers={"kind": "group-sizes", "row": "person", "group": head[3]},
            ),
        )


def _shared_numbers() -> Iterator[tuple[str, File]]:
    """Household numbers that start anew in each area of a survey, in no order of the rows."""
    rng = _rng(21)
    rows: list[Row] = []
    sizes: dict[str, list[int]] = {}
    for k, place in enumerate(DISTRICTS):
        for area in range(1, 4):
            own = rng.integers(1, 6, 9).tolist()
            sizes[f"{k}/{area}"] = own
            rows += [
                [*place, area, home, line, int(rng.integers(0, 95)), "MF"[int(rng.integers(2))]]
                for home, size in enumerate(own, start=1)
                for line in range(1, size + 1)
            ]
    order = rng.permutation(len(rows)).tolist()
    head = ["region", "district", "cluster", "hhid", "line", "age", "sex"]
    data = text([head, *(rows[k] for k in order)])
    levels = ("region", "district", "cluster")
    leaves: dict[str, Value] = {
        place: tuple(own.count(n) for n in range(6)) for place, own in sizes.items()
    }
    yield (
        "clusters_households",
        File(
            name="clusters.csv",
            data=data,
            kind="group-sizes",
            leaves=leaves,
            depth=3,
            answers={
                "kind": "group-sizes",
                "row": "person",
                "group": "hhid",
                "levels": levels,
                "within": True,
            },
        ),
    )
    yield (
        "clusters_persons",
        File(
            name="clusters.csv",
            data=data,
            depth=2,
            leaves=_counts([str(row[1]) for row in rows]),
            answers={"kind": "counts", "row": "person", "levels": levels[:2]},
        ),
    )


def _surveys() -> Iterator[tuple[str, File]]:
    for weight, whole in (
        ("pw", False),
        ("hochrechnungsfaktor", True),
        ("expansion", True),
        ("V005", True),
        ("coef_extrapolation", True),
    ):
        rng = _rng(len(weight) + 31)
        rows: list[Row] = []
        for _ in range(500):
            place = DISTRICTS[int(rng.integers(16))]
            n = int(rng.integers(120, 4_000))
            rows.append(
                [
                    *place,
                    "MF"[int(rng.integers(2))],
                    int(rng.integers(0, 90)),
                    n if whole else n / 8,
                ]
            )
        data = text([["region", "district", "sex", "age", weight], *rows])
        yield (
            f"survey_{weight}_once",
            File(
                name="survey.csv",
                data=data,
                depth=2,
                leaves=_counts([str(r[1]) for r in rows]),
                answers={"kind": "counts", "row": "person"},
            ),
        )
        sums: Counter[str] = Counter()
        for row in rows:
            sums[str(row[1])] += float(str(row[-1]))  # type: ignore[assignment]
        answers: dict[str, Any] = {
            "kind": "counts",
            "row": "region",
            "count": weight,
            "add_up": True,
        }
        yield (
            f"survey_{weight}_weighted",
            File(
                name="survey.csv",
                data=data,
                depth=2,
                leaves={place: round(n) for place, n in sums.items()},
                answers=answers | ({} if whole else {"times": 1}),
            ),
        )


def _levels() -> Iterator[tuple[str, File]]:
    """Lists whose finest level crosses the one above, or is called after no kind of place."""
    rng = _rng(41)
    towns = [f"{name}ton" for name in _NAMES]
    rows: list[Row] = []
    for k in range(500):
        at = int(rng.integers(16))
        town = towns[at if at % 5 else (at + int(rng.integers(2))) % 16]
        rows.append([k + 1, *DISTRICTS[at], town, "MF"[k % 2], int(rng.integers(0, 90))])
    data = text([["person_id", "region", "district", "town", "sex", "age"], *rows])
    ways: Mapping[str, tuple[tuple[str, ...], int]] = {
        "district": (("region", "district"), 2),
        "town": (("town",), 3),
    }
    for title, (levels, place) in ways.items():
        yield (
            f"crossing_{title}",
            File(
                name="crossing.csv",
                data=data,
                depth=len(levels),
                leaves=_counts([str(row[place]) for row in rows]),
                answers={"levels": levels},
            ),
        )
    for finest in ("polling_centre", "surgery", "facility", "unit_group"):
        rows = []
        for k in range(600):
            at, part = int(rng.integers(16)), int(rng.integers(3))
            own = f"{DISTRICTS[at][1]} {('A', 'B', 'C')[part]}"
            rows.append([k + 1, *DISTRICTS[at], own, "MF"[k % 2], int(rng.integers(0, 90))])
        data = text([["person_id", "region", "district", finest, "sex", "age"], *rows])
        for title, depth, place in (("fine", 3, 3), ("coarse", 2, 2)):
            levels = ("region", "district", finest)[:depth]
            yield (
                f"list_{finest}_{title}",
                File(
                    name="list.csv",
                    data=data,
                    depth=depth,
                    leaves=_counts([str(row[place]) for row in rows]),
                    answers={"levels": levels},
                ),
            )


def register_files() -> Iterator[tuple[str, File]]:
    """Every list of persons with each of its meanings, each with an id."""
    yield from _two_places()
    yield from _unlike_places()
    yield from _persons_or_households()
    yield from _shared_numbers()
    yield from _surveys()
    yield from _levels()
