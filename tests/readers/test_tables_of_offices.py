"""Tables as some offices publish them: codes of their own, rounds, sizes below years and means."""

from itertools import product
from pathlib import Path

import pytest

from hierdp_core.readers.columns.vocabulary import COUNT, plain_name
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.reading import read_here
from tests.support.answers import offered, read_text, total


def _number(*place: int) -> int:
    return 40 + sum((11 * k + 5) * n for k, n in enumerate(place, start=3))


# ----------------------------------------------------------------------------------------- sizes


def test_identifiers_of_rows_do_not_hide_columns_of_sizes_with_their_sum(tmp_path: Path) -> None:
    sizes = ["T5_1H", "T5_2H", "T5_3H", "T5_GE4H"]
    lines = [",".join(["guid", "area", *sizes, "T5_TH"])]
    for k in range(24):
        numbers = [_number(k % 7, size) for size in range(4)]
        guid = f"{2654435761 * (k + 3) % 2**32:08x}{2246822519 * (k + 5) % 2**32:08x}"
        lines.append(",".join(map(str, [guid, f"{k + 17001:06d}", *numbers, sum(numbers)])))
    reading = read_text(tmp_path, "\n".join(lines))
    answer = next(one for one in offered(reading) if one.get("kind") == "group-sizes")
    assert answer["sizes"] == tuple(sizes)
    assert answer["top_coded"] is True
    chosen = read_text(tmp_path, "\n".join(lines), **answer)
    assert total(chosen) == sum(_number(k % 7, size) for k in range(24) for size in range(4))


def _two_years() -> str:
    sizes = ["1", "2", "3", "4+"]
    lines = [
        "Households by size,,,,,,,,,,",
        "District,2016,,,,,2021,,,,",
        ",Household size,,,,Total,Household size,,,,Total",
        ",".join(["", *sizes, "", *sizes, ""]),
    ]
    for k in range(12):
        row = [f"District {chr(65 + k)}"]
        for year in (0, 1):
            numbers = [_number(k, size, year) for size in range(4)]
            row += map(str, [*numbers, sum(numbers)])
        lines.append(",".join(row))
    return "\n".join(lines)


def test_sizes_that_start_again_below_each_year_are_a_header(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _two_years())
    newest, *_ = [one for one in offered(reading) if one.get("kind") == "group-sizes"]
    assert newest["sizes"] == tuple(f"2021 Household size {s}" for s in ("1", "2", "3", "4+"))
    chosen = read_text(tmp_path, _two_years(), **newest)
    expected = sum(_number(k, size, 1) for k in range(12) for size in range(4))
    assert total(chosen) == expected


_OTHER_ROWS = ("Number of persons in households", "Average household size")


def _canada() -> tuple[str, int]:
    """Return a table of provinces and their divisions with the codes of Statistics Canada."""
    sizes = ["1 person", "2 persons", "3 persons", "4 or more persons"]
    divisions = [(p, d) for p in ("10", "24") for d in range(1, 5)]
    own = {(p, d): [_number(int(p), d, s) for s in range(4)] for p, d in divisions}
    rows: dict[str, list[int]] = {}
    for province in ("10", "24"):
        lower = [own[p, d] for p, d in divisions if p == province]
        rows[f"2021A0002{province}"] = [sum(column) for column in zip(*lower, strict=True)]
    rows |= {f"2021A0003{p}{d:02d}": own[p, d] for p, d in divisions}
    lines = ["DGUID,GEO,Household size (7),VALUE"]
    for code, numbers in rows.items():
        persons = sum(size * n for size, n in enumerate(numbers, start=1))
        cells = [*zip(sizes, numbers, strict=True), ("Total - Households by size", sum(numbers))]
        cells += zip(_OTHER_ROWS, (persons, round(persons / sum(numbers), 1)), strict=True)
        lines += [f"{code},Name of {code},{label},{value}" for label, value in cells]
    return "\n".join(lines), sum(map(sum, own.values()))


def test_means_among_rows_of_sizes_and_canadian_codes_are_understood(tmp_path: Path) -> None:
    text, households = _canada()
    reading = read_text(tmp_path, text)
    (fault,) = reading.report.faults
    (leave_out,) = fault.choices
    wanted = {f"Household size (7)={label}" for label in _OTHER_ROWS}
    assert {*leave_out.stated["leave_out"]} == wanted
    right = read_text(tmp_path, text, **leave_out.stated)
    assert right.table is not None
    assert total(right) == households
    assert right.table.tree.level_sizes.tolist() == [1, 2, 8]


# ------------------------------------------------------------------------------- codes and rounds


def _zeros(*, kinds: tuple[str, ...]) -> tuple[str, int]:
    """Return a table in which zeros stand for all areas of a level, also for towns and villages."""
    lines, people = ["District,Block,Village,Kind,TOT_P"], 0
    villages = [
        (f"{d:03d}", f"{10 * d + b:05d}", f"{1000 * d + 100 * b + v:06d}", _number(d, b, v))
        for d in (1, 2) for b in (1, 2, 3) for v in (1, 2, 3)
    ]  # fmt: skip
    people = sum(n for *_, n in villages)

    def upper(codes: tuple[str, ...], n: int) -> None:
        parts = (n, n - n // 3, n // 3)
        lines.extend(
            f"{','.join(codes)},{kind},{part}" for kind, part in zip(kinds, parts, strict=False)
        )

    upper(("000", "00000", "000000"), people)
    for district in ("001", "002"):
        own = [row for row in villages if row[0] == district]
        upper((district, "00000", "000000"), sum(n for *_, n in own))
        for block in dict.fromkeys(row[1] for row in own):
            upper((district, block, "000000"), sum(n for _, b, _, n in own if b == block))
    lines += [f"{d},{b},{v},{kinds[-1]},{n}" for d, b, v, n in villages]
    return "\n".join(lines), people


def test_zeros_in_place_of_codes_are_totals_of_towns_and_villages(tmp_path: Path) -> None:
    text, people = _zeros(kinds=("Total", "Rural", "Urban"))
    reading = read_text(tmp_path, text, count="TOT_P")
    answer = next(one for one in offered(reading) if "leave_out" in one)
    assert answer["levels"] == ("District", "Block", "Village")
    assert "within" not in answer
    right = read_text(tmp_path, text, count="TOT_P", **answer)
    assert total(right) == people


def test_zeros_in_place_of_codes_are_totals_where_each_area_has_one_row(tmp_path: Path) -> None:
    text, people = _zeros(kinds=("Total",))
    reading = read_text(tmp_path, text, count="TOT_P")
    answer = next(one for one in offered(reading) if "leave_out" in one)
    assert total(read_text(tmp_path, text, count="TOT_P", **answer)) == people


def _votes() -> str:
    """Return votes by town and zone; the towns with two zones share them with a smaller one."""
    lines = ["NR_TURNO;SG_UF;CD_MUNICIPIO;NR_ZONA;NR_CANDIDATO;SG_PARTIDO;QT_VOTOS"]
    for state, town, zone, number in product("AB", range(8), range(1, 6), (11, 16)):
        zones = (town, town + 1) if town in (2, 4) else (1 + town % 5,)
        for turn in (1, 2) if town in (2, 4) else (1,):
            if zone in zones:
                place = f"{state};{town + 8 * (state == 'B'):05d};{zone}"
                votes = _number(town, zone, number, turn)
                lines.append(f"{turn};{place};{number};P{number};{votes}")
    return "\n".join(lines)


def test_rounds_and_candidates_of_an_election_are_no_levels(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _votes())
    named = [tuple(one.get("levels", ())) for one in offered(reading)]
    assert not {"NR_TURNO", "NR_CANDIDATO"} & {name for levels in named for name in levels}
    assert named[0] == ("SG_UF", "CD_MUNICIPIO", "NR_ZONA")
    again = read_text(tmp_path, _votes(), levels=named[0], within=True)
    assert {one.get("keep") for one in offered(again)} == {("NR_TURNO=1",), ("NR_TURNO=2",)}


def test_a_european_total_among_codes_of_regions_is_asked_about(tmp_path: Path) -> None:
    own = {
        f"{country}{a}{b}": _number(ord(country[0]), a, b)
        for country in ("HR", "SI") for a in (0, 1) for b in (2, 3, 4)
    }  # fmt: skip
    rows = dict(own)
    for length in (2, 3):
        for code in {code[:length] for code in own}:
            rows[code] = sum(n for lower, n in own.items() if lower.startswith(code))
    text = "\n".join(
        [
            "geo,people",
            "EU27_2020,446735291",
            *map("{},{}".format, *zip(*sorted(rows.items()), strict=True)),
        ]
    )
    reading = read_text(tmp_path, text)
    assert offered(reading)[0] == {"leave_out": ("geo=EU27_2020",)}
    for outline in ({}, {"outline": "sums"}):
        right = read_text(tmp_path, text, leave_out=("geo=EU27_2020",), **outline)
        assert total(right) == sum(own.values())


def test_british_areas_of_a_lookup_are_levels_of_records(tmp_path: Path) -> None:
    areas = {f"E0101{k:04d}": f"E0800{k % 4:04d}" for k in range(20)}
    lookup = ["LSOA21CD,LSOA21NM,LAD22CD,LAD22NM"]
    towns = ("Ashby", "Bentley", "Corby", "Denton")
    lookup += [
        f"{lsoa},{towns[int(lad[-1])]} {k:03d},{lad},{towns[int(lad[-1])]}"
        for k, (lsoa, lad) in enumerate(areas.items())
    ]
    crimes = ["Crime ID,LSOA code,Crime type"]
    for k, lsoa in enumerate(areas):
        crimes += [f"{1000 * k + n:08x},{lsoa},Burglary" for n in range(5 + k % 7)]
    (tmp_path / "crimes.csv").write_text("\n".join(crimes))
    (tmp_path / "lookup.csv").write_text("\n".join(lookup))
    files = [tmp_path / "crimes.csv", tmp_path / "lookup.csv"]
    reading = read_here(files, stated={"row": "person"})
    assert reading.layout is not None
    assert reading.layout.levels == ("LAD22CD", "LSOA code")
    assert total(reading) == len(crimes) - 1


# ------------------------------------------------------------------------------------------ means


def test_a_mean_population_in_thousands_is_offered_before_a_refusal(tmp_path: Path) -> None:
    lines = [
        "Province;Area (km2);Average population (Thous. pers.);Population density (Person/km2)"
    ]
    lines += [
        f"Province {chr(65 + k)};{2000.5 + 37 * k};{_number(k, k) + 0.5};{120 + 3 * k}"
        for k in range(14)
    ]
    reading = read_text(tmp_path, "\n".join(lines))
    first = offered(reading)[0]
    assert first == {"count": "Average population (Thous. pers.)", "times": 1000}
    right = read_text(tmp_path, "\n".join(lines), **first)
    assert total(right) == sum(1000 * _number(k, k) + 500 for k in range(14))


# ------------------------------------------------------------------------------- names and levels


def _cantons() -> tuple[str, int]:
    """Return provinces, cantons and districts, of which the districts have few different names."""
    saints = ("San Rafael", "San Juan", "Santiago", "Centro", "San Antonio", "La Union")
    lines, people = ["PROVINCIA;CANTON;DISTRITO;POBLACION"], 0
    for province, canton in product(range(3), range(5)):
        town = "Central" if canton == 0 else f"Villa {chr(65 + 4 * province + canton)}"
        for k in range(3 + (canton + province) % 3):
            people += _number(province, canton, k)
            name = saints[(k + canton) % len(saints)]
            lines.append(f"P{province};{town};{name};{_number(province, canton, k)}")
    return "\n".join(lines), people


def test_names_that_repeat_everywhere_are_the_lowest_level(tmp_path: Path) -> None:
    text, people = _cantons()
    reading = read_text(tmp_path, text)
    assert reading.layout is not None
    assert reading.layout.levels == ("PROVINCIA", "CANTON", "DISTRITO")
    assert total(reading) == people
    assert reading.table is not None
    assert reading.table.tree.level_sizes.tolist()[:3] == [1, 3, 15]


def test_a_column_between_two_levels_is_one_of_them_whatever_it_is_called(tmp_path: Path) -> None:
    text, people = _cantons()
    header, *rows = text.split("\n")
    renamed = "\n".join([header.replace("CANTON", "bailiwick"), *rows])
    reading = read_text(tmp_path, renamed)
    named = [one.get("levels") for one in offered(reading)] or [reading.layout.levels]  # type: ignore[union-attr]
    assert named[0] == ("PROVINCIA", "bailiwick", "DISTRITO")
    right = read_text(tmp_path, renamed, levels=named[0], within=True)
    assert total(right) == people


@pytest.mark.parametrize("n_towns", [8, 26])
def test_many_names_below_several_areas_are_no_categories(tmp_path: Path, n_towns: int) -> None:
    quarters = [f"Quarter {chr(65 + k)}" for k in range(2 * n_towns)]
    lines, people = ["area,people"], 0
    for town in range(n_towns):
        own = {
            quarters[(3 * town + 2 * k) % len(quarters)]: _number(town, k, k % 3) for k in range(5)
        }
        lines += [f"Town {town},{sum(own.values())}", *(f"{q},{n}" for q, n in own.items())]
        people += sum(own.values())
    reading = read_text(tmp_path, "\n".join(lines))
    if reading.table is None:  # names below a third of the towns may be categories
        assert offered(reading)[0] == {"outline": "sums"}
        assert n_towns < 20
        reading = read_text(tmp_path, "\n".join(lines), outline="sums")
    assert total(reading) == people


def test_names_beside_codes_are_used_although_they_repeat(tmp_path: Path) -> None:
    lines = ["COD_DEP,DEPARTAMENTO,COD_MUN,MUNICIPIO,POBLACION"]
    for dep, mun in product(range(1, 5), range(1, 7)):
        name = ("Santa Rosa", "San Juan", "La Paz", f"Villa {dep}{mun}")[mun % 4]
        lines.append(f"0{dep},Region {dep},0{dep}{mun:02d},{name} {mun // 4},{_number(dep, mun)}")
    reading = read_text(tmp_path, "\n".join(lines))
    assert reading.layout is not None
    assert reading.layout.levels == ("COD_DEP", "COD_MUN")
    assert reading.layout.names == ("DEPARTAMENTO", "MUNICIPIO")


# ---------------------------------------------------------------------------------- words of counts


def test_words_for_counts_are_as_names_of_columns_are_compared() -> None:
    assert [word for word in COUNT if plain_name(word) != word] == []


@pytest.mark.parametrize("name", ["जनसंख्या", "จำนวนประชากร", "მოსახლეობა", "جمعیت", "Personnes"])
def test_counts_are_known_in_scripts_with_vowel_signs(tmp_path: Path, name: str) -> None:
    lines = [f"district,{name}", *(f"District {chr(65 + k)},{_number(k, k)}" for k in range(12))]
    reading = read_text(tmp_path, "\n".join(lines))
    assert total(reading) == sum(_number(k, k) for k in range(12))


def test_columns_of_sexes_and_origins_in_one_word_are_offered_as_a_sum(tmp_path: Path) -> None:
    names = ("LOCALHOMBRES", "LOCALMUJERES", "EXTRANJEROSHOMBRES", "EXTRANJEROSMUJERES")
    lines = [";".join(["DISTRITO", *names])]
    lines += [f"D{k};" + ";".join(str(3 + (k + 5 * c) % 17) for c in range(4)) for k in range(24)]
    reading = read_text(tmp_path, "\n".join(lines))
    assert offered(reading)[0] == {"parts": names}


def test_households_without_a_size_can_be_left_out(tmp_path: Path) -> None:
    lines = ["hhno,district,ea,hhsize"]
    sizes = [["NA", "1", "2", "4", "3", "6"][(k * k + k // 7) % 6] for k in range(120)]
    lines += [f"{k % 10 + 1},D{k // 40},{k // 10:03d},{size}" for k, size in enumerate(sizes)]
    stated: dict[str, object] = {"kind": "group-sizes", "row": "group", "size": "hhsize"}
    stated |= {"levels": ("district", "ea")}
    reading = read_text(tmp_path, "\n".join(lines), **stated)
    (leave_out,) = offered(reading)
    assert leave_out == {"leave_out": ("hhsize=NA",)}
    right = read_text(tmp_path, "\n".join(lines), **stated, **leave_out)
    assert total(right) == 120 - sizes.count("NA")


def test_flows_that_are_mostly_of_people_who_stayed_are_noted(tmp_path: Path) -> None:
    lines = ["from_county,to_county,movers"]
    for one, other in product("ABCD", repeat=2):
        n = 9_000 if one == other else _number(ord(one) % 7, ord(other) % 5) % 50
        lines.append(f"{one},{other},{n}")
    stated = {"kind": "flows", "levels": ("from_county",), "destinations": ("to_county",)}
    reading = read_text(tmp_path, "\n".join(lines), count="movers", **stated)
    assert reading.table is not None
    assert any("start and end in the same area" in line for line in reading.report.lines())
    moved = [line for line in lines if not line.endswith(",9000")]
    reading = read_text(tmp_path, "\n".join(moved), count="movers", **stated)
    assert not any("start and end in the same area" in line for line in reading.report.lines())


def test_a_list_of_many_short_rows_is_counted_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "persons.csv"
    path.write_text("county,sex\n" + "A,f\nB,m\nB,f\n" * 40)
    stated = {"row": "person", "levels": ("county",)}
    reading = read_here([path], stated=stated, limits=Limits(rows=100))
    assert total(reading) == 120


# ------------------------------------------------------------------------ encodings and words


def _japanese() -> str:
    towns = [
        "夕張市",
        "岩見沢市",
        "美唄市",
        "芦別市",
        "赤平市",
        "三笠市",
        "滝川市",
        "砂川市",
        "歌志内市",
        "深川市",
    ]
    lines = ["振興局,市町村,児童数"]
    lines += [f"空知総合振興局,{town},{_number(k, k % 3)}" for k, town in enumerate(towns)]
    return "\n".join(lines)


@pytest.mark.parametrize("stated", [{}, {"encoding": "Shift_JIS"}])
def test_japanese_names_are_not_taken_for_arabic(tmp_path: Path, stated: dict[str, object]) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(_japanese().encode("cp932"))
    reading = read_here([path], stated=stated)
    assert reading.table is not None, reading.report.lines()
    assert "夕張市" in reading.table.regions.names


def test_bands_of_age_are_no_level_whatever_the_words(tmp_path: Path) -> None:
    lines = ["REGIONE,CODICESCUOLA,FASCIAETA,ALUNNI"]
    for region, school, age in product("AB", range(4), ("< 6 anni", "6 anni", "7 anni")):
        lines.append(f"{region},{region}EE8{school}00X,{age},{_number(school, len(age))}")
    reading = read_text(tmp_path, "\n".join(lines))
    answers = offered(reading)
    assert answers
    named = {name for one in answers for name in one.get("levels", ())}  # type: ignore[attr-defined]
    assert "FASCIAETA" not in named


def test_two_counts_of_one_stem_are_asked_about(tmp_path: Path) -> None:
    lines = ["provincia;departamento;cantidad_hechos;cantidad_victimas"]
    lines += [f"P{k % 3};D{k};{_number(k, 2)};{_number(k, 1)}" for k in range(18)]
    reading = read_text(tmp_path, "\n".join(lines))
    counts = {one.get("count") for one in offered(reading)}
    assert {"cantidad_hechos", "cantidad_victimas"} <= counts


def _in_thousands(*, decimals: bool) -> str:
    lines = ["Population by district,,,,", "Thousand persons,,,,", "district,rural,urban,all,"]
    for k in range(10):
        rural, urban = _number(k, 1), _number(k, 2)
        numbers = (rural, urban, rural + urban)
        cells = [f"{n / 10:.1f}" if decimals else str(n) for n in numbers]
        lines.append(",".join([f"District {chr(65 + k)}", *cells, ""]))
    return "\n".join(lines)


@pytest.mark.parametrize("decimals", [False, True])
def test_a_unit_in_a_line_of_its_own_is_asked_about(tmp_path: Path, decimals: bool) -> None:
    text = _in_thousands(decimals=decimals)
    reading = read_text(tmp_path, text, count="all")
    assert {"times": 1000} in offered(reading)
    whole = sum(_number(k, 1) + _number(k, 2) for k in range(10)) * (100 if decimals else 1000)
    assert total(read_text(tmp_path, text, count="all", times=1000)) == whole


@pytest.mark.parametrize("decimals", [False, True])
def test_a_sum_of_columns_is_multiplied_once(tmp_path: Path, decimals: bool) -> None:
    text = _in_thousands(decimals=decimals)
    parts = {"parts": ("rural", "urban"), "times": 1000}
    whole = sum(_number(k, 1) + _number(k, 2) for k in range(10)) * (100 if decimals else 1000)
    assert total(read_text(tmp_path, text, **parts)) == whole
    assert total(read_text(tmp_path, text, **parts, add_up=True)) == whole


_SIZES = "district,1,2,3\n" + "\n".join(f"D{k},{9 + k},{7 + k},{5 + k}" for k in range(8))
_LONG = "district,size,households\n" + "\n".join(
    f"D{k},{size},{9 + k * size}" for k in range(8) for size in (1, 2, 3)
)
_PAIRS = "home,work,people\n" + "\n".join(
    f"{one},{other},{_number(ord(one) % 5, ord(other) % 7)}" for one, other in product("ABC", "ABC")
)
_SQUARE = "to,A,B,C\nA,11,12,13\nB,14,15,16\nC,17,18,19"
_SEVERAL = "district,sex,people\n" + "\n".join(
    f"D{k},{sex},{9 + k + len(sex)}" for k in range(8) for sex in ("men", "women")
)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (_SIZES, {"kind": "group-sizes", "sizes": ("1", "2", "3"), "first_size": 1}),
        (_LONG, {"kind": "group-sizes", "size": "size", "count": "households"}),
        (
            _PAIRS,
            {"kind": "flows", "levels": ("home",), "destinations": ("work",), "count": "people"},
        ),
        (_SQUARE, {"matrix": "origins"}),
        (_SEVERAL, {"levels": ("district",), "count": "people", "add_up": True}),
        (_SEVERAL, {"levels": ("district",), "count": "people", "keep": ("sex=men",)}),
    ],
)
def test_a_factor_is_applied_once_to_each_kind_of_table(
    tmp_path: Path, text: str, stated: dict[str, object]
) -> None:
    def whole(**more: object) -> int:
        table = read_text(tmp_path, text, **stated, **more).table
        assert table is not None
        values = table.values if table.between_regions else table.values[0]
        return int(values.sum())

    assert whole(times=10) == 10 * whole()


def test_a_total_above_nested_codes_is_compared_with_all_sizes(tmp_path: Path) -> None:
    sizes = ("1 person", "2 persons", "3 persons", "4 persons and more")
    own = {
        (f"9{d}", f"9{d}0{k}"): [_number(d, k, s) for s in range(4)]
        for d in (5, 6, 7)
        for k in (1, 2)
    }
    rows: dict[str, list[int]] = {"TOT": [sum(c) for c in zip(*own.values(), strict=True)]}
    for district in ("95", "96", "97"):
        lower = [numbers for (d, _), numbers in own.items() if d == district]
        rows[district] = [sum(column) for column in zip(*lower, strict=True)]
        rows |= {code: numbers for (d, code), numbers in own.items() if d == district}
    lines = ["code,place,size of household,households"]
    names = {code: "Total" if code == "TOT" else f"Place {code}" for code in rows}
    lines += [
        f"{c},{names[c]},{s},{n}" for c, ns in rows.items() for s, n in zip(sizes, ns, strict=True)
    ]
    stated: dict[str, object] = {"levels": ("code",), "names": ("place",), "prefix": (2, 4)}
    reading = read_text(tmp_path, "\n".join(lines), **stated)
    assert total(reading) == sum(rows["TOT"])
    assert reading.table is not None
    assert reading.table.tree.level_sizes.tolist() == [1, 3, 6]
    wrong = "\n".join(lines).replace(
        f"TOT,Total,1 person,{rows['TOT'][0]}", f"TOT,Total,1 person,{rows['TOT'][0] + 9}"
    )
    reading = read_text(tmp_path, wrong, **stated)
    assert reading.table is None
    assert "a row of totals is not the sum of the other rows" in reading.report.lines()[0]


# ------------------------------------------------------------------------------------ areas


@pytest.mark.parametrize("lowest", ["Administrative unit", "Organisation unit", "Census unit"])
def test_a_unit_of_places_is_a_level(tmp_path: Path, lowest: str) -> None:
    lines = [f"Prefecture,Municipality,{lowest},Persons"]
    lines += [
        f"P{p},M{p}{m},Unit {p}{m}{u},{_number(p, m, u)}"
        for p, m, u in product(range(3), range(3), range(4))
    ]
    reading = read_text(tmp_path, "\n".join(lines))
    assert reading.table is not None
    assert reading.table.tree.level_sizes.tolist() == [1, 3, 9, 36]


def test_a_unit_of_measurement_is_no_level(tmp_path: Path) -> None:
    lines = ["District,Unit,Persons", *(f"D{k},Number,{_number(k)}" for k in range(12))]
    reading = read_text(tmp_path, "\n".join(lines))
    assert reading.table is not None
    assert reading.table.tree.level_sizes.tolist() == [1, 12]


def _polls() -> tuple[str, int]:
    """Return the votes of each candidate by poll, and their number.

    A poll is known by its number within a district, and stands in a town that two districts share.
    """
    parties = {"Gallant": "Y", "Bell": "N", "Arsenault": "N"}
    lines = ["District Name,Station Number,Station Name,Candidate Name,Incumbent Indicator,Votes"]
    rows = [
        (
            f"District {d}",
            f"{n}{'A' * (n % 5 == 0)}",
            f"Town {(d + 5 * n) % 7}",
            name,
            flag,
            _number(d, n, k),
        )
        for d, n in product(range(4), range(1, 20))
        if n < 10 + 3 * d
        for k, (name, flag) in enumerate(parties.items())
    ]
    lines += [",".join(map(str, row)) for row in rows]
    return "\n".join(lines), sum(row[-1] for row in rows)


def test_polling_stations_lie_in_districts_and_not_in_the_towns_of_their_buildings(
    tmp_path: Path,
) -> None:
    text, votes = _polls()
    stated = {"count": "Votes", "levels": ("District Name", "Station Number"), "within": True}
    assert any(
        one.get("levels") == stated["levels"]
        for one in offered(read_text(tmp_path, text, count="Votes"))
    )
    answers = offered(read_text(tmp_path, text, **stated))
    assert {"add_up": True} in answers  # a flag in a column "Indicator" is no measure
    reading = read_text(tmp_path, text, **stated, add_up=True)
    assert total(reading) == votes


def test_a_blank_level_is_reported_at_the_end_where_it_is_blank(tmp_path: Path) -> None:
    airports = [(f"C{c}", f"S{c}{s}", f"A{c}{s}{a}") for c, s, a in product(*[range(3)] * 3)]
    airports = [(c, "" if c == "C2" else s, a) for c, s, a in airports]
    lines = ["from country,from state,from airport,to country,to state,to airport,passengers"]
    lines += [
        ",".join([*airports[k], *airports[m], str(_number(k, m))])
        for k, m in product(range(18), range(27))
        if k != m
    ]
    names = ("country", "state", "airport")
    stated: dict[str, object] = {
        "levels": tuple(f"from {name}" for name in names),
        "destinations": tuple(f"to {name}" for name in names),
        "kind": "flows",
        "count": "passengers",
    }
    reading = read_text(tmp_path, "\n".join(lines), **stated)
    faults = [finding for finding in reading.report.findings if finding.id == "blank-code"]
    assert len(faults) == 1
    assert all('"to state"' in place for place in faults[0].places)
    fewer = next(one for one in offered(reading) if "levels" in one)
    assert (fewer["levels"], fewer["destinations"]) == (
        ("from country", "from airport"),
        ("to country", "to airport"),
    )
    chosen = read_text(tmp_path, "\n".join(lines), **{**stated, **fewer})
    assert chosen.table is not None
    expected = sum(_number(k, m) for k, m in product(range(18), range(27)) if k != m)
    assert int(chosen.table.values.sum()) == expected


def test_a_title_that_names_people_settles_what_is_counted(tmp_path: Path) -> None:
    rows = "\n".join(f"District {k};{_number(k)}" for k in range(12))
    for title, unnamed in (("Residents of the districts", False), ("Districts", True)):
        reading = read_text(tmp_path, f"{title};\n\nDistrict;2023\n{rows}", count="2023")
        assert reading.table is not None
        assert any("no name states" in guess for guess in reading.guesses) is unnamed


def _two_blocks(shared: bool = False) -> str:
    left = [(k + 1, f"Town {chr(65 + k)}", _number(k), f"%{k % 9},25") for k in range(9)]
    right = [(k + 10, f"Town {chr(74 + k)}", _number(k, 2), f"%{k % 7},5") for k in range(8)]
    if shared:
        right = [(k + 10, f"Town {chr(65 + k)}", _number(k, 2), f"%{k % 7},5") for k in range(8)]
    right.append(("", "Total", sum(row[2] for row in [*left, *right]), "%100"))
    lines = ["No;Town;Registered;Share;No;Town;Registered;Share"]
    lines += [";".join(map(str, (*a, *b))) for a, b in zip(left, right, strict=True)]
    return "\n".join(lines)


def test_blocks_of_the_same_columns_side_by_side_are_one_table(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _two_blocks(), count="Registered")
    assert reading.table is not None
    assert reading.table.tree.level_sizes.tolist() == [1, 17]
    assert total(reading) == sum(_number(k) for k in range(9)) + sum(
        _number(k, 2) for k in range(8)
    )
    assert any(finding.id == "blocks" for finding in reading.report.findings)


def test_blocks_with_the_same_areas_are_not_put_below_each_other(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _two_blocks(shared=True))
    assert not any(finding.id == "blocks" for finding in reading.report.findings)


def test_records_do_not_decide_whether_blocks_stand_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(_two_blocks())
    regions = tmp_path / "regions.csv"
    regions.write_text("Town\n" + "\n".join(f"Town {chr(65 + k)}" for k in range(17)))
    reading = read_here([path], confidential=True, regions=regions)
    assert reading.table is None
    assert any("repeats all of its column names" in line for line in reading.report.lines())


def _offices() -> tuple[str, int]:
    """Return offices with subtotals, one of which is called Suma, and the number of all persons."""
    lines, whole = ["Region,District,Office,Persons"], 0
    for r, d in product(range(3), range(2)):
        offices = [
            "Suma" if (r, d) == (0, 0) else f"Office {r}{d}",
            *(f"O{r}{d}{k}" for k in (1, 2, 3)),
        ]
        numbers = [_number(r, d, k) * 40 for k in range(4)]
        for k, (office, number) in enumerate(zip(offices, numbers, strict=True)):
            region = "" if k + d else f"Region {r}"
            district = "" if k else f"District {r}{d}"
            lines.append(f"{region},{district},{office},{number}")
        lines.append(f",District {r}{d} Total,,{sum(numbers)}")
        whole += sum(numbers)
    return "\n".join(lines), whole


def test_an_office_that_is_called_like_a_total_can_be_kept(tmp_path: Path) -> None:
    text, whole = _offices()
    assert total(read_text(tmp_path, text.replace("Suma", "Sumo"))) == whole
    reading = read_text(tmp_path, text)
    assert reading.table is None
    answer = next(one for one in offered(reading) if one.get("totals") == "none")
    assert total(read_text(tmp_path, text, **answer)) == whole


def test_counts_of_confidential_rows_do_not_decide_what_is_a_total(tmp_path: Path) -> None:
    (tmp_path / "areas.csv").write_text("District,Office\nNorth,A\nNorth,B\nSouth,C\n")

    def findings(number: int) -> list[tuple[str, str]]:
        path = tmp_path / "t.csv"
        path.write_text(
            f"District,Office,Persons\nNorth,Suma,{number}\nNorth,A,12000\nNorth,B,9000\n"
            "South,C,5000\n"
        )
        stated = {"levels": ("District", "Office"), "count": "Persons", "totals": "none"}
        regions = tmp_path / "areas.csv"
        reading = read_here([path], confidential=True, regions=regions, stated=stated)
        return [(finding.id, finding.what) for finding in reading.report.findings]

    assert findings(3_000) == findings(40_000)


def test_days_of_a_year_may_be_added_up(tmp_path: Path) -> None:
    rows = [
        (f"Town {k}", f"{day:02d}/0{month}/2024", weapon, _number(k, day, month))
        for k, day, month in product(range(6), range(1, 11), range(1, 4))
        for weapon in ("none", "knife")
        if (k + day + month) % 3
    ]
    text = "\n".join(["Town,Date,Weapon,Cases", *(",".join(map(str, row)) for row in rows)])
    assert {"add_up": True} in offered(read_text(tmp_path, text))
    answer = next(one for one in offered(read_text(tmp_path, text, add_up=True)) if "totals" in one)
    chosen = read_text(tmp_path, text, add_up=True, **answer)
    assert total(chosen) == sum(row[-1] for row in rows)


def test_events_with_a_number_each_are_records(tmp_path: Path) -> None:
    rows = [
        f"XYZ{7000 + 13 * k},{k % 27 + 1:02d} May 2024,Battles,Country,A{k % 3},B{k % 3}{k % 2},"
        f"Place {k % 12},{k % 4},{1707350400 + 86400 * (k % 90)}"
        for k in range(240)
    ]
    head = "event_id_cnty,event_date,event_type,country,admin1,admin2,location,fatalities,timestamp"
    text = "\n".join([head, *rows])
    answers = offered(read_text(tmp_path, text))
    assert {"row": "person"} in answers
    assert not any(one.get("count") == "timestamp" for one in answers)
    reading = read_text(tmp_path, text, row="person")
    levels = [one["levels"] for one in offered(reading) if "levels" in one]
    assert levels
    assert not any("event_id_cnty" in names for names in levels)
    assert ("admin1", "admin2", "location") in levels


def test_a_number_and_the_name_of_a_district_are_one_level(tmp_path: Path) -> None:
    rows = [
        (f"Province {p}", d, "Centre" if d == 1 else f"D{p}{d}", week, _number(p, d, week))
        for p, d, week in product(range(4), range(1, 8), (1, 2))
    ]
    text = "\n".join(
        ["provincia_nombre,departamento_id,departamento_nombre,semana,cantidad_casos"]
        + [",".join(map(str, row)) for row in rows]
    )
    levels = [one.get("levels", ()) for one in offered(read_text(tmp_path, text))]
    assert ("provincia_nombre", "departamento_nombre") in levels
    assert not any({"departamento_id", "departamento_nombre"} <= {*names} for names in levels)


def test_a_note_in_brackets_with_separators_is_a_note(tmp_path: Path) -> None:
    rows = "\n".join(f"{32201 + k},Town {k},{_number(k)},{_number(k, 1)}" for k in range(9))
    reading = read_text(
        tmp_path,
        f"code,town,persons,houses\n{rows}\n（注）「-」は該当者なし。,,\n",
        count="persons",
    )
    assert total(reading) == sum(_number(k) for k in range(9))


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("등록외국인수", True),
        ("在留外国人数", True),
        ("登記戶數", True),
        ("소비자물가지수", False),
        ("消費者物価指数", False),
        ("평균점수", False),
    ],
)
def test_words_that_end_in_number_of_are_counts(tmp_path: Path, name: str, counts: bool) -> None:
    rows = "\n".join(f"Town {k},{_number(k)}" for k in range(12))
    reading = read_text(tmp_path, f"district,{name}\n{rows}")
    assert (reading.table is not None) is counts


def test_provinces_are_offered_above_districts_that_share_a_name(tmp_path: Path) -> None:
    rows = [
        (f"Province {p}", "Centre" if d == 0 else f"District {p}{d}", f"Town {town}", box)
        for p, d in product(range(4), range(4))
        for town in ("Old", f"{p}{d}A", f"{p}{d}B")
        for box in (1, 2)
    ]
    lines = [",".join(map(str, (*row, _number(k)))) for k, row in enumerate(rows)]
    text = "\n".join(["Province,District,Town,Box,Voters", *lines])
    stated: dict[str, object] = {"count": "Voters"}
    answers = [one.get("levels") for one in offered(read_text(tmp_path, text, **stated))]
    assert ("Province", "District", "Town") in answers
    stated |= {"levels": ("District", "Town"), "within": True, "add_up": True}
    merged = read_text(tmp_path, text, **stated)
    assert any('"Province" seems to hold' in line for line in merged.report.lines())


def test_labels_over_the_middle_of_their_columns_name_all_of_them(tmp_path: Path) -> None:
    kinds = ("1-unit", "2-units", "5+ units")
    head = ["State,County,," + ",,,".join(kinds) + ",", "Code,Name" + ",Bldgs,Units,Value" * 3]
    rows = [
        ",".join(
            map(str, [f"{k:02d}", f"County {chr(65 + k)}", *(_number(k, c) for c in range(9))])
        )
        for k in range(12)
    ]
    text = "\n".join([*head, *rows])
    for place, kind in enumerate(kinds):
        reading = read_text(tmp_path, text, count=f"{kind} Units", levels=("County Name",))
        assert total(reading) == sum(_number(k, 3 * place + 1) for k in range(12))


def test_continents_of_an_outline_are_levels(tmp_path: Path) -> None:
    of = {"Asia": ["India", "Japan", "Nepal"], "Africa": ["Kenya", "Ghana", "Mali", "Chad"]}
    number = {name: _number(k) for k, name in enumerate(n for names in of.values() for n in names)}
    lines = ["Continent / country,Total"]
    for continent, names in of.items():
        lines.append(f"{continent},{sum(number[name] for name in names)}")
        lines += [f"    {name},{number[name]}" for name in names]
    reading = read_text(tmp_path, "\n".join(lines), count="Total")
    assert total(reading) == sum(number.values())
    assert reading.table is not None
    assert reading.table.tree.level_sizes.tolist() == [1, 2, 7]


def test_numbers_that_start_again_in_each_area_may_be_areas(tmp_path: Path) -> None:
    rows = [(p, m, w) for p, m in product(range(3), range(6)) for w in range(1, 6 + (p + m) % 4)]
    lines = [f"P{p},M{p}{m},{w},{_number(p, m, w)}" for p, m, w in rows]
    text = "\n".join(["province,municipality,w,voters", *lines])
    answers = offered(read_text(tmp_path, text))
    answer = next(one for one in answers if one.get("levels", ())[-1:] == ("w",))
    chosen = read_text(tmp_path, text, **answer)
    assert chosen.table is not None
    assert chosen.table.tree.level_sizes.tolist() == [1, 3, 18, len(rows)]


def test_a_number_of_electors_of_one_gender_distinguishes_no_rows(tmp_path: Path) -> None:
    rows = [(f"D{k % 4}", f"Seat {k % 9}", _number(k), k % 3) for k in range(18)]
    lines = [",".join(map(str, row)) for row in rows]
    text = "\n".join(["district,seat,Total electors,Electors third gender", *lines])
    answers = offered(read_text(tmp_path, text, count="Total electors"))
    assert not any(
        "third gender" in condition for one in answers for condition in one.get("keep", ())
    )


def test_localities_below_a_code_of_zeros_called_a_total_are_left_out(tmp_path: Path) -> None:
    lines = ["ENT,NOM_ENT,MUN,NOM_MUN,LOC,NOM_LOC,POBTOT"]
    towns: dict[str, list[int]] = {f"00{k}": [900 + 31 * k, 80 + k, 40] for k in (1, 2, 3)}
    whole = sum(map(sum, towns.values()))
    state = "07,Sur,000,Total de la entidad Sur"
    lines += [f"{state},0000,Total de la entidad,{whole}"]
    lines += [f"{state},9998,Localidades de una vivienda,90", f"{state},9999,De dos,60"]
    for code, counts in towns.items():
        lines.append(f"07,Sur,{code},Villa {code},0000,Total del municipio,{sum(counts)}")
        places = [("0001", "Cabecera"), ("0002", "El Llano"), ("9998", "De una vivienda")]
        lines += [
            f"07,Sur,{code},Villa {code},{place},{name},{n}"
            for (place, name), n in zip(places, counts, strict=True)
        ]
    text = "\n".join(lines)
    reading = read_text(tmp_path, text)
    answers = offered(reading)
    stated = {"totals": "left out"} if {"totals": "left out"} in answers else {}
    assert reading.table is not None or stated
    assert total(read_text(tmp_path, text, **stated)) == whole
