"""Files in which something hides the levels: marks, suppressed parts, flags or coded totals."""

from collections.abc import Iterator, Sequence

import numpy as np

from support.offices import File, Value, text

_TOPS = ("Nordmark", "Ostfeld", "Sudwald")
_TOWNS = (
    ("Ahlen", "Brand", "Celle", "Dorf"),
    ("Erding", "Forst", "Gera"),
    ("Halle", "Itzehoe", "Jena", "Kehl", "Lahr"),
)
_COUNTS = (
    (41_207, 3_911, 12_480, 977),
    (88_123, 2_754, 19_006),
    (7_349, 61_118, 5_023, 431, 9_286),
)
_LEAVES: dict[str, Value] = {
    town: n
    for towns, own in zip(_TOWNS, _COUNTS, strict=True)
    for town, n in zip(towns, own, strict=True)
}
_SUMS = [sum(own) for own in _COUNTS]
_WHOLE = sum(_SUMS)
_HIDDEN = "Lahr"  # the town whose number is suppressed, with 17 people
_CODES = {
    town: f"{t + 1}{k + 1:02d}" for t, towns in enumerate(_TOWNS) for k, town in enumerate(towns)
}

Rows = list[list[object]]


def _flat() -> Iterator[tuple[str, str, int]]:
    """Each town below its region, with its number."""
    for top, towns, own in zip(_TOPS, _TOWNS, _COUNTS, strict=True):
        for town, n in zip(towns, own, strict=True):
            yield top, town, n


def _outline() -> Iterator[tuple[int, str, int]]:
    """Regions and their towns in one list: depth, name and number."""
    for top, towns, own in zip(_TOPS, _TOWNS, _COUNTS, strict=True):
        yield 0, top, sum(own)
        yield from ((1, town, n) for town, n in zip(towns, own, strict=True))


def _marked_cube() -> File:
    """A statistical database: marks before names, years, and nationality with a total."""
    rows: Rows = [
        ["Kanton (-) / Gemeinde (....)", "Jahr", "Staatsangehörigkeit (Kategorie)", "value"]
    ]
    for depth, name, n in _outline():
        for year in (2022, 2023):
            total = n - (2023 - year) * (n // 50)
            native = total * 3 // 4
            label = f"{'....' if depth else '- '}{name}"
            groups = {
                "Staatsangehörigkeit (Kategorie) - Total": total,
                "Schweiz": native,
                "Ausland": total - native,
            }
            rows += [[label, year, group, value] for group, value in groups.items()]
    sums = {"leaves": _LEAVES, "depth": 2}
    return File(name="cube.csv", data=text(rows), answers={"keep": ("Jahr=2023",)}, **sums)


def _suppressed_grand_total() -> File:
    """Cases of a benefit: a row for all areas, which counts a town that is not shown."""
    rows: Rows = [["Area code", "Region or country", "Local authority", "Cases"]]
    rows.append(["Total", "Areas shown", "All local authorities", _WHOLE + 17])
    rows += [[f"E06{_CODES[town]}", top, town, n] for top, town, n in _flat()]
    rows.append(["E06999", _TOPS[2], "Isle", "[c]"])
    leaves = {f"E06{_CODES[town]}": n for town, n in _LEAVES.items()}
    answers = {"missing": "left out", "totals": "left out"}
    return File(name="cases.csv", data=text(rows), leaves=leaves, depth=2, answers=answers)


def _suppressed_sums() -> File:
    """Regions among their towns by nothing but their sums, one of which a hidden town spoils."""
    rows: Rows = [["Area", "Population"]]
    for _, name, n in _outline():
        rows.append([name, n + 17 if name == _TOPS[2] else n])
    rows.append(["Isle", ".."])
    answers = {"missing": "left out", "outline": "sums", "totals": "left out"}
    return File(name="areas.csv", data=text(rows), leaves=_LEAVES, depth=2, answers=answers)


def _flags_and_characteristics() -> File:
    """A census profile: flags, levels by the length of codes, and several characteristics."""
    head = [
        "CENSUS_YEAR",
        "ALT_GEO_CODE",
        "GEO_LEVEL",
        "GEO_NAME",
        "CHARACTERISTIC_NAME",
        "C1_COUNT_TOTAL",
        "SYMBOL",
    ]
    listed = [("12", "Province", "Province of Ash", _WHOLE)]
    for t, (top, towns, own) in enumerate(zip(_TOPS, _TOWNS, _COUNTS, strict=True), start=1):
        listed.append((f"120{t}", "Census division", top, sum(own)))
        listed += [
            (f"120{t}{k:03d}", "Census subdivision", town, n)
            for k, (town, n) in enumerate(zip(towns, own, strict=True), start=1)
        ]
    rows: Rows = [list(head)]
    for code, level, name, n in listed:
        rows.append(
            [2021, code, level, name, "Population density per square kilometre", n / 10, ""]
        )
        rows.append([2021, code, level, name, "Population, 2021", n, ""])
        rows.append([2021, code, level, name, "Private dwellings", n // 2, ""])
    rows += [
        [2021, "1203099", "Census subdivision", "Reserve", name, "", ".."]
        for name in (
            "Population density per square kilometre",
            "Population, 2021",
            "Private dwellings",
        )
    ]
    answers = {
        "count": "C1_COUNT_TOTAL",
        "keep": ("CHARACTERISTIC_NAME=Population, 2021",),
        "missing": "left out",
        "levels": ("ALT_GEO_CODE",),
        "prefix": (2, 4, 7),
    }
    leaves = {code: n for code, level, _, n in listed if level == "Census subdivision"}
    return File(name="profile.csv", data=text(rows), leaves=leaves, depth=2, answers=answers)


def _postal_codes() -> File:
    """Schools with a commune, and a postal code that other communes have as well."""
    rng = np.random.default_rng(211)
    rows: Rows = [
        ["Région", "Département", "Commune", "Numéro de l'école", "Effectif", "Code Postal"]
    ]
    leaves: dict[str, Value] = {}
    for top, town, _ in _flat():
        for k in range(4):
            school, pupils = f"0{_CODES[town]}{k}A", int(rng.integers(40, 400))
            leaves[school] = pupils
            postal = 20_000 + 100 * int(rng.integers(0, 12))
            rows.append(
                ["Bretagne" if top == _TOPS[0] else "Corse", top, town, school, pupils, postal]
            )
    return File(name="ecoles.csv", data=text(rows, ";"), leaves=leaves, depth=4)


def _abbreviated_levels() -> File:
    """A column that says the level of each row in abbreviated words, beside codes that nest."""
    rows: Rows = [
        ["Regionalschlüssel", "Name", "Regionalebene", "Insgesamt", "Männlich", "Weiblich"]
    ]

    def add(code: str, name: str, level: str, n: int) -> None:
        rows.append([code, name, level, n, n * 2 // 5, n - n * 2 // 5])

    leaves: dict[str, Value] = {}
    men = sum(n * 2 // 5 for n in _LEAVES.values() if isinstance(n, int))
    rows.append(["10", "Land", "Land", _WHOLE, men, _WHOLE - men])
    for t, (top, towns, own) in enumerate(zip(_TOPS, _TOWNS, _COUNTS, strict=True), start=1):
        men = sum(n * 2 // 5 for n in own)
        rows.append([f"1004{t}", top, "Kreis/krfr. Stadt", sum(own), men, sum(own) - men])
        for k, (town, n) in enumerate(zip(towns, own, strict=True), start=1):
            code = f"1004{t}0{k}{k:05d}"
            leaves[code] = n
            add(code, town, "Gemeinde", n)
    return File(name="regional.csv", data=text(rows, ";"), leaves=leaves, depth=2)


def _numbered_incidents() -> File:
    """Incidents, most with a number of their own, some without an area."""
    rng = np.random.default_rng(223)
    rows: Rows = [["Crime ID", "Month", "LSOA code", "LSOA name", "Crime type"]]
    leaves: dict[str, Value] = {}
    for k, place in enumerate(rng.integers(0, 8, 240).tolist()):
        number = "" if k % 5 == 0 else f"{rng.integers(16**9, 16**10):x}"
        code = "" if k % 40 == 3 else f"E010120{place:02d}"
        name = f"Wick {place:03d}A" if code else ""
        kind = ("Burglary", "Drugs", "Vehicle crime")[int(rng.integers(0, 3))]
        rows.append([number, "2024-03", code, name, kind])
        if code:
            leaves[code] = int(str(leaves.get(code, 0))) + 1
    answers = {"leave_out": ("LSOA code=",), "row": "person"}
    return File(name="incidents.csv", data=text(rows), leaves=leaves, depth=1, answers=answers)


def _whole_with_a_code_of_its_own() -> File:
    """Levels by name, codes that nest, and the whole with the code of a region."""
    rows: Rows = [["Nível", "Cód.", "Brasil, Região e Município", "Ano 2022"]]
    rows.append(["BR", "1", "Brasil", _WHOLE])
    leaves: dict[str, Value] = {}
    for t, (top, towns, own) in enumerate(zip(_TOPS, _TOWNS, _COUNTS, strict=True), start=1):
        rows.append(["GR", t, top, sum(own)])
        for k, (town, n) in enumerate(zip(towns, own, strict=True), start=1):
            leaves[f"{t}10{k:04d}"] = n
            rows.append(["MU", f"{t}10{k:04d}", town, n])
    answers = {
        "levels": ("Cód.",),
        "prefix": (1, 7),
        "names": ("Brasil, Região e Município",),
        "leave_out": ("Nível=BR",),
        "count": "Ano 2022",
    }
    return File(name="tabela.csv", data=text(rows, ";"), leaves=leaves, depth=2, answers=answers)


def _whole_as_far_left() -> File:
    """The province as far to the left as its towns, one of which has its name."""
    rows: Rows = [["PROVINCE, CITY, MUNICIPALITY AND BARANGAY", "TOTAL POPULATION"]]
    rows.append([_TOPS[1].upper(), _WHOLE])
    for depth, name, n in _outline():
        rows.append([f"   {name}" if depth else name.upper(), n])
    return File(name="barangay.csv", data=text(rows), leaves=_LEAVES, depth=2)


def _totals_below_headings() -> File:
    """Headings without numbers, totals below, and a town and a village of one name."""
    rows: Rows = [["County / Municipality", "Type", "Final Estimate 2023"]]
    leaves: dict[str, Value] = {}
    for top, towns, own in zip(_TOPS, _TOWNS, _COUNTS, strict=True):
        rows.append([f"{top.upper()} COUNTY", "", ""])
        for kind, share in (("T", 3), ("V", 1)):
            for town, n in list(zip(towns, own, strict=True))[:2]:
                number = n * share // 4
                rows.append([f"   {town}", kind, number])
                leaves[f"{top.upper()} COUNTY/{town} ({kind})"] = number
        total = sum(n * share // 4 for n in own[:2] for share in (3, 1))
        rows.append([f"Total {top} County", "", total])
    rows.append(["TOTAL, SELECTED COUNTIES", "", sum(int(str(n)) for n in leaves.values())])
    answers = {"count": "Final Estimate 2023"}
    return File(name="estimates.csv", data=text(rows), leaves=leaves, depth=2, answers=answers)


def _of_which() -> File:
    """Areas with their sums, nationality with a part of the total, and sex with a total."""
    rows: Rows = [["area_code", "全国,都道府県,市区町村", "国籍総数か日本人", "男女", "value"]]
    listed = [("47000", "沖縄県", _WHOLE)]
    for t, (top, towns, own) in enumerate(zip(_TOPS, _TOWNS, _COUNTS, strict=True), start=2):
        listed.append((f"47{t}00", top, sum(own)))
        listed += [
            (f"47{t}{k:02d}", town, n)
            for k, (town, n) in enumerate(zip(towns, own, strict=True), start=1)
        ]
    for group, share in (("国籍総数", 1), ("うち日本人", 2)):
        for sex in ("総数", "男", "女"):
            for code, name, n in listed:
                whole = n if share == 1 else n * 49 // 50
                number = {"総数": whole, "男": whole // 3, "女": whole - whole // 3}[sex]
                rows.append([code, name, group, sex, number])
    answers = {"levels": ("area_code",), "keep": ("男女=総数", "国籍総数か日本人=国籍総数")}
    leaves = {code: n for code, _, n in listed if not code.endswith("00")}
    return File(name="FEH.csv", data=text(rows), leaves=leaves, depth=2, answers=answers)


def _coded_totals() -> File:
    """Codes alone: nines for all people, two kinds of areas beside each other, rounded apart."""
    rng = np.random.default_rng(227)
    wards = rng.integers(400, 9_000, 40) * 3
    regions = wards.reshape(8, 5).sum(axis=1) + rng.integers(-1, 2, 8) * 3
    areas = {f"{k:02d}": int(n) for k, n in enumerate(regions, start=1)}
    areas |= {f"{k:03d}": int(n) for k, n in enumerate(wards, start=1)}
    areas["9999"] = int(wards.sum()) + 3
    rows: Rows = [["Ethnic", "Sex", "Area_code", "Count"]]
    for code, n in areas.items():
        for ethnic, share in (("9999", 1.0), ("1", 0.7), ("2", 0.4), ("3", 0.1)):
            for sex, part in (("9", 1.0), ("1", 0.49), ("2", 0.51)):
                rows.append([ethnic, sex, code, round(n * share * part / 3) * 3])
    answers = {
        "keep": ("Sex=9", "Ethnic=9999"),
        "leave_out": ("Area_code=9999", *(f"Area_code={k:02d}" for k in range(1, 9))),
    }
    leaves = {f"{k:03d}": int(n) for k, n in enumerate(wards, start=1)}
    return File(name="Data8317.csv", data=text(rows), leaves=leaves, depth=1, answers=answers)


def _sizes_inside_names() -> File:
    """Households and persons by size, with the size in the middle of names, and totals last."""
    sizes = [*(str(k) for k in range(1, 8)), "GE8"]
    rows: Rows = [
        [
            "GUID",
            "GEOGDESC",
            *(f"T5_2_{k}PH" for k in sizes),
            "T5_2_TH",
            *(f"T5_2_{k}PP" for k in sizes),
            "T5_2_TP",
        ]
    ]
    rng = np.random.default_rng(229)
    leaves: dict[str, Value] = {}
    for k, town in enumerate(_LEAVES, start=1):
        groups = [int(n) for n in rng.integers(5, 300, 8)]
        persons = [n * size for size, n in enumerate(groups, start=1)]
        persons[-1] += 7
        rows.append([f"4c{k:02d}-8fa9", town, *groups, sum(groups), *persons, sum(persons)])
        leaves[f"4c{k:02d}-8fa9"] = (0, *groups)
    answers = {
        "kind": "group-sizes",
        "sizes": tuple(f"T5_2_{k}PH" for k in sizes),
        "first_size": 1,
        "top_coded": True,
    }
    return File(
        name="SAPS.csv",
        kind="group-sizes",
        data=text(rows),
        leaves=leaves,
        depth=1,
        answers=answers,
    )


def _matrix_with_leaders() -> File:
    """A matrix with dots after its names, a title over its columns, a total and crosses."""
    towns = list(_LEAVES)[:6]
    rng = np.random.default_rng(233)
    flows = rng.integers(10, 900, (6, 6))
    np.fill_diagonal(flows, 0)
    rows: Rows = [
        [
            "Województwo poprzedniego zamieszkania",
            "Ogółem",
            *(f"Województwo obecnego zamieszkania {town}" for town in towns),
        ]
    ]
    rows.append(["POLSKA", int(flows.sum()), *flows.sum(axis=0).tolist()])
    for k, town in enumerate(towns):
        cells = [str(n) for n in flows[k].tolist()]
        cells[k] = "x"
        rows.append([f"{town} ....", int(flows[k].sum()), *cells])
    leaves = dict(zip(towns, flows.sum(axis=1).tolist(), strict=True))
    answers = {"matrix": "origins"}
    return File(
        name="migracje.csv",
        kind="flows",
        data=text(rows, ";"),
        leaves=leaves,
        depth=1,
        answers=answers,
    )


def _place_of_work() -> File:
    """Commuters by county, with the codes of states a digit longer on one side."""
    rng = np.random.default_rng(239)
    rows: Rows = [
        [
            "Residence State FIPS Code",
            "Residence County FIPS Code",
            "Residence County Name",
            "Place of Work State FIPS Code",
            "Place of Work County FIPS Code",
            "Place of Work County Name",
            "Workers in Commuting Flow",
            "Margin of Error",
        ]
    ]
    counties = ("001", "003", "005", "007", "009")
    leaves = {f"033{code}": 0 for code in counties}
    for one in counties:
        for other in counties:
            n = int(rng.integers(10, 9_000))
            leaves[f"033{one}"] += n
            rows.append(["33", one, f"C{one} County", "033", other, f"C{other} County", n, n // 9])
    own = {code.removeprefix("033"): n for code, n in leaves.items()}
    return File(name="commuting.csv", kind="flows", data=text(rows), leaves=own)


def _stations() -> File:
    """Trips by bicycle from one station to another, with days and times of day."""
    rng = np.random.default_rng(241)
    rows: Rows = [
        [
            "Genero_Usuario",
            "Edad_Usuario",
            "Bici",
            "Ciclo_Estacion_Retiro",
            "Fecha_Retiro",
            "Hora_Retiro",
            "Ciclo_EstacionArribo",
            "Fecha_Arribo",
            "Hora_Arribo",
        ]
    ]
    stations = [f"{k:03d}" for k in range(101, 113)]
    leaves = dict.fromkeys(stations, 0)
    for _ in range(400):
        one, other = (stations[int(k)] for k in rng.integers(0, 12, 2))
        day, hour = (
            f"{rng.integers(10, 28)}/02/2024",
            f"{rng.integers(10, 20)}:{rng.integers(10, 60)}",
        )
        leaves[one] += 1
        rows.append(
            [
                "M",
                rng.integers(18, 60),
                rng.integers(10**6, 10**7),
                one,
                day,
                f"{hour}:05",
                other,
                day,
                f"{hour}:55",
            ]
        )
    return File(name="ecobici.csv", kind="flows", data=text(rows), leaves=leaves, depth=1)


def _lookup() -> File:
    """Codes with those above them, which belong to another table."""
    rows: Rows = [["OA21CD", "LSOA21CD", "LSOA21NM", "LAD22CD", "LAD22NM", "ObjectId"]]
    for k in range(60):
        rows.append(
            [
                f"E000600{k:02d}",
                f"E010120{k // 6:02d}",
                f"Wick {k // 6:03d}A",
                f"E0600000{k // 30}",
                _TOPS[k // 30],
                k + 1,
            ]
        )
    return File(name="lookup.csv", kind="", data=text(rows))


def _codebook() -> File:
    """The variables of another file, some with the values that mean a missing number."""
    rows: Rows = [["variable", "label", "type", "width", "values"]]
    rows += [
        [f"hv{k:03d}", f"Question {k}", "numeric", 2 + k % 3, "" if k % 2 else -9 + k]
        for k in range(1, 25)
    ]
    return File(name="codebook.csv", kind="", data=text(rows))


def spoilt_files() -> Iterator[tuple[str, File]]:
    files: Sequence[tuple[str, File]] = (
        ("marked_cube", _marked_cube()),
        ("suppressed_total", _suppressed_grand_total()),
        ("suppressed_sums", _suppressed_sums()),
        ("flags", _flags_and_characteristics()),
        ("postal_codes", _postal_codes()),
        ("abbreviated_levels", _abbreviated_levels()),
        ("numbered_incidents", _numbered_incidents()),
        ("own_code", _whole_with_a_code_of_its_own()),
        ("far_left", _whole_as_far_left()),
        ("headings", _totals_below_headings()),
        ("of_which", _of_which()),
        ("coded_totals", _coded_totals()),
        ("sizes_inside", _sizes_inside_names()),
        ("leaders", _matrix_with_leaders()),
        ("place_of_work", _place_of_work()),
        ("stations", _stations()),
        ("lookup", _lookup()),
        ("codebook", _codebook()),
    )
    yield from files
