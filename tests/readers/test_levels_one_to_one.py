"""Codes and names that correspond one to one, constants, lookups at both ends and joined names."""

from itertools import product
from pathlib import Path

import pytest

from hierdp_core.readers.reading import read_here
from hierdp_core.readers.result import Reading
from tests.support.answers import offered, read_text, total

_STATES = ("Ashland", "Birchia", "Cedaria", "Dogwood")
_COUNTIES = ("Elm", "Fir", "Hazel")
_TOWNS = ("Upper", "Lower")


def _places() -> list[tuple[tuple[str, str], tuple[str, str], tuple[str, str]]]:
    """The code and the name of the state, the county and the town of each town."""
    return [
        (
            (chr(65 + i) * 2, state),
            (f"{i + 1}{j + 1}0", f"{county}{state[:4].lower()}"),
            (f"T{i + 1}{j + 1}{k + 1}", f"{town} {county}{state[:4].lower()}"),
        )
        for i, state in enumerate(_STATES)
        for j, county in enumerate(_COUNTIES)
        for k, town in enumerate(_TOWNS)
    ]


_HEADS = {
    "english": (("ST", "State"), ("county_code", "county"), ("town_code", "town")),
    "portuguese": (("UF", "Nome UF"), ("Cod Meso", "Nome Mesorregião"), ("CD_MUN", "NM_MUN")),
    "spanish": (("CODAUTO", "CCAA"), ("CPRO", "Provincia"), ("CMUN", "Municipio")),
    "polish": (("Kod woj.", "Województwo"), ("Kod pow.", "Powiat"), ("TERYT", "Gmina")),
    "dutch": (("PV", "Provincie"), ("GM", "Gemeente"), ("WK", "Wijk")),
    "japanese": (
        ("都道府県コード", "都道府県名"),
        ("郡コード", "郡名"),
        ("市区町村コード", "市区町村名"),
    ),
    "czech": (("kraj_kod", "kraj_nazev"), ("okres_kod", "okres_nazev"), ("obec_kod", "obec_nazev")),
}
_SIZES = [1, 4, 12, 24]


def _joined(cells: tuple[tuple[str, str], ...], coded: tuple[bool, ...]) -> list[str]:
    return [
        text
        for both, code in zip(cells, coded, strict=True)
        for text in (both if code else both[1:])
    ]


def level_sizes(reading: Reading) -> list[int]:
    assert reading.table is not None, reading.report.lines()
    sizes: list[int] = reading.table.regions.tree.level_sizes.tolist()
    return sizes


_CODED = [(True, True, True), (True, False, False), (False, True, False), (False, False, True)]


@pytest.mark.parametrize("coded", _CODED)
@pytest.mark.parametrize("language", _HEADS)
def test_a_code_and_a_name_are_one_level_of_counts(
    tmp_path: Path, language: str, coded: tuple[bool, ...]
) -> None:
    rows = [[*_joined(one, coded), str(100 + 7 * k)] for k, one in enumerate(_places())]
    text = "\n".join(map(",".join, [[*_joined(_HEADS[language], coded), "population"], *rows]))
    assert level_sizes(read_text(tmp_path, text)) == _SIZES


@pytest.mark.parametrize("coded", _CODED)
@pytest.mark.parametrize("language", _HEADS)
def test_a_code_and_a_name_are_one_level_at_both_ends(
    tmp_path: Path, language: str, coded: tuple[bool, ...]
) -> None:
    heads = _joined(_HEADS[language], coded)
    head = [*(f"{name} origin" for name in heads), *(f"{name} destination" for name in heads)]
    rows = [
        [*_joined(one, coded), *_joined(other, coded), str(20 + (k * 13) % 31)]
        for k, (one, other) in enumerate(product(_places(), repeat=2))
    ]
    text = "\n".join(map(",".join, [[*head, "trips"], *rows]))
    reading = read_text(tmp_path, text, count="trips")
    assert level_sizes(reading) == _SIZES
    assert reading.table is not None
    regions = reading.table.regions
    assert regions.names[regions.tree.leaves][0] == "Upper Elmashl"


@pytest.mark.parametrize("language", _HEADS)
def test_a_level_of_records_is_not_lost_because_its_codes_have_an_odd_name(
    tmp_path: Path, language: str
) -> None:
    coded = (True, True, True)
    rows = [
        [str(7000 + k), *_joined(one, coded), "MF"[k % 2]]
        for k, one in enumerate(place for place in _places() for _ in range(5))
    ]
    head = ["pid", *_joined(_HEADS[language], coded), "sex"]
    reading = read_text(tmp_path, "\n".join(map(",".join, [head, *rows])), row="person")
    assert level_sizes(reading) == _SIZES


def test_names_in_two_languages_are_one_level_and_the_report_says_which(tmp_path: Path) -> None:
    names = (("Antwerpen", "Antwerp"), ("Brussel", "Bruxelles"), ("Gent", "Gand"), ("Luik", "Luik"))
    rows = [f"{a},{b},{a} {k},{50 + k}" for a, b in names for k in range(4)]
    text = "\n".join(["Arrondissement,Arrondissement (autre),Buurt,people", *rows])
    reading = read_text(tmp_path, text)
    assert level_sizes(reading) == [1, 4, 16]
    assert any("name the same areas" in reason for reason in reading.guesses)


@pytest.mark.parametrize(
    ("head", "cell"),
    [
        ("Table name", "HX01"), ("source_name", "Statistics Office"), ("Source area", "Ministry"),
        ("Unit code", "NR"), ("dataset_id", "pop"), ("Census round name", "PHC5"),
        ("geo_vintage", "v2021"), ("Note code", "p"), ("File name", "a.csv"), ("Quelle", "Amt"),
    ],
)  # fmt: skip
def test_a_constant_about_the_table_is_no_level(tmp_path: Path, head: str, cell: str) -> None:
    rows = [f"{cell},{one[1][1]},{one[2][1]},{40 + k}" for k, one in enumerate(_places())]
    reading = read_text(tmp_path, "\n".join([f"{head},county,town,population", *rows]))
    assert reading.layout is not None
    assert reading.layout.levels == ("county", "town")


@pytest.mark.parametrize(("head", "cell"), [("Country", "Chile"), ("state_code", "ST")])
def test_a_constant_that_is_a_place_names_the_whole(tmp_path: Path, head: str, cell: str) -> None:
    rows = [f"{cell},{one[1][1]},{one[2][1]},{40 + k}" for k, one in enumerate(_places())]
    reading = read_text(tmp_path, "\n".join([f"{head},county,town,population", *rows]))
    assert level_sizes(reading) == [1, 12, 24]
    assert reading.table is not None
    assert reading.table.regions.names[0] == cell


# ---------------------------------------------------------------------------------- both ends


def _read(folder: Path, text: str, lookup: str, **stated: object) -> Reading:
    paths = [folder / "t.csv", folder / "lookup.csv"]
    for path, content in zip(paths, (text, lookup), strict=True):
        path.write_text(content)
    return read_here(paths, stated=stated)


_LOOKUP = "\n".join(
    ["LAD22CD,LAD22NM,RGN22NM", *(f"L{c[0]},{c[1]},{a[1]}" for a, _, c in _places())]
)


def _flows(head: str) -> str:
    rows = [
        f"L{one[2][0]},L{other[2][0]},{5 + k % 17}"
        for k, (one, other) in enumerate(product(_places(), repeat=2))
    ]
    return "\n".join([head, *rows])


@pytest.mark.parametrize(
    "head", ["origin,destination,trips", "LTLA code,LTLA of workplace code,trips"]
)
def test_a_lookup_adds_the_level_above_both_ends(tmp_path: Path, head: str) -> None:
    text = _flows(head)
    reading = _read(tmp_path, text, _LOOKUP, count="trips")
    if reading.table is None:
        answer = offered(reading)[0]
        reading = _read(tmp_path, text, _LOOKUP, **{"count": "trips", **answer})
    assert level_sizes(reading) == [1, 4, 24]
    assert reading.table is not None
    assert reading.table.kind == "flows"
    regions = reading.table.regions
    assert list(regions.names[regions.tree.level(1)]) == list(_STATES)
    assert regions.names[regions.tree.leaves][0] == "Upper Elmashl"


def test_a_lookup_adds_the_level_above_the_rows_and_columns_of_a_matrix(tmp_path: Path) -> None:
    codes = [f"L{c[0]}" for _, _, c in _places()]
    rows = [
        ",".join([one, *(str(3 + (i * 7 + j) % 23) for j in range(len(codes)))])
        for i, one in enumerate(codes)
    ]
    text = "\n".join([",".join(["from", *codes]), *rows])
    reading = _read(tmp_path, text, _LOOKUP, matrix="origins")
    assert level_sizes(reading) == [1, 4, 24]


def test_numbers_of_stations_and_their_names_are_the_last_level(tmp_path: Path) -> None:
    stations = [(f"{9000 + 13 * k}", f"Halt {c[1]}", a[1]) for k, (a, _, c) in enumerate(_places())]
    rows = [
        f"{','.join(one)},{','.join(other)},{10 + k % 19}"
        for k, (one, other) in enumerate(product(stations, repeat=2))
    ]
    head = "origin_nlc,origin_station_name,origin_region,destination_nlc,destination_station_name"
    text = "\n".join([f"{head},destination_region,journeys", *rows])
    reading = read_text(tmp_path, text, count="journeys")
    assert level_sizes(reading) == [1, 4, 24]


def test_numbers_that_divide_the_areas_of_both_ends_are_asked_about(tmp_path: Path) -> None:
    stops = [(f"{9000 + 13 * k}", a[1]) for k, (a, _, _) in enumerate(_places())]
    rows = [
        f"{','.join(one)},{','.join(other)},{10 + k % 19}"
        for k, (one, other) in enumerate(product(stops, repeat=2))
    ]
    text = "\n".join(["origin_nlc,origin_region,destination_nlc,destination_region,trips", *rows])
    reading = read_text(tmp_path, text, count="trips")
    assert reading.table is None
    answers = [read_text(tmp_path, text, **{"count": "trips", **a}) for a in offered(reading)]
    assert [level_sizes(answer) for answer in answers] == [[1, 4, 24], [1, 24], [1, 4]]


# ---------------------------------------------------------------------------------- joined names


def _listed(names: list[str], head: str = "area") -> str:
    return "\n".join([f"{head},people", *(f'"{name}",{30 + k}' for k, name in enumerate(names))])


def test_the_part_after_the_last_comma_may_be_the_level_above(tmp_path: Path) -> None:
    text = _listed([f"{county} County, {state}" for state in _STATES for county in _COUNTIES])
    reading = read_text(tmp_path, text)
    assert reading.table is None
    above, one_level = (read_text(tmp_path, text, **answer) for answer in offered(reading))
    assert level_sizes(above) == [1, 4, 12]
    assert level_sizes(one_level) == [1, 12]
    assert total(above) == total(one_level)


@pytest.mark.parametrize(
    "names",
    [
        [f"Ort {k}, {kind}" for k, kind in enumerate(["Stadt", "Hansestadt"] * 4)],
        ["Korea, Rep.", "Yemen, Rep.", "Congo, Rep.", "France", "Spain", "Italy"],
        [f"Ort {k}, Land {k}" for k in range(8)],
    ],
)
def test_other_words_after_a_comma_are_no_level(tmp_path: Path, names: list[str]) -> None:
    assert level_sizes(read_text(tmp_path, _listed(names))) == [1, len(names)]


def test_names_below_several_areas_can_be_different_areas_on_all_levels(tmp_path: Path) -> None:
    rows = [
        f"{700 + k},{camp},Zone {zone},Block {block},{2 + k % 6}"
        for k, (camp, zone, block, _) in enumerate(
            product(("Ash", "Elm", "Oak"), (1, 2, 3, 4), (1, 2, 3, 4, 5), range(5))
        )
    ]
    text = "\n".join(["number,Settlement,Zone,Block,age", *rows])
    reading = read_text(tmp_path, text, row="person")
    assert reading.table is None
    answer = {"levels": ("Settlement", "Zone", "Block"), "within": True}
    assert answer in offered(reading)
    assert level_sizes(read_text(tmp_path, text, row="person", **answer)) == [1, 3, 12, 60]
