"""From where to where people move by the words of columns, and columns that measure each route."""

from itertools import product
from pathlib import Path

import pytest

from hierdp_core.readers.columns.directions import direction_of, likely_directions
from tests.support.answers import offered, read_text

_TOWNS = ("T1001", "T1002", "T1003", "T1004", "T1005", "T1006")
_PAIRS = [(one, other) for one, other in product(_TOWNS, repeat=2) if one != other]


def _flows(start: str, end: str) -> str:
    rows = [f"{one},{other},{7 + 3 * k}" for k, (one, other) in enumerate(_PAIRS)]
    return "\n".join([f"{start},{end},persons", *rows])


@pytest.mark.parametrize(
    ("one", "other", "turned"),
    [
        ("OutDistrict", "InDistrict", False),
        ("commune entree", "commune sortie", None),
        ("kommune til", "kommune fra", True),
        ("municipality of previous residence", "municipality of current residence", False),
        ("gmina pracy", "gmina zamieszkania", True),
        ("hospital_district", "residence_district", True),
        ("ciudad anterior", "ciudad actual", False),
        ("municipio_baja", "municipio_alta", False),
    ],
)
def test_words_of_both_ends_state_one_direction(one: str, other: str, turned: bool | None) -> None:
    direction = direction_of(one, other)
    if turned is None:
        assert direction is None
        assert len(likely_directions(one, other)) == 2
    else:
        assert direction is not None
        assert (direction.turned, direction.clear) == (turned, True)
        assert likely_directions(one, other) == (((other, one) if turned else (one, other)),)


def test_a_place_of_birth_may_be_where_people_come_from_or_a_hospital() -> None:
    direction = direction_of("district_of_residence", "district_of_birth")
    assert direction is not None
    assert (direction.turned, direction.clear) == (True, False)


@pytest.mark.parametrize(
    ("start", "end"), [("OutDistrict", "InDistrict"), ("gmina_zamieszkania", "gmina_pracy")]
)
def test_only_the_stated_direction_is_offered(tmp_path: Path, start: str, end: str) -> None:
    for text in (_flows(start, end), _flows(end, start)):
        answers = offered(read_text(tmp_path, text))
        flows = [answer for answer in answers if answer.get("kind") == "flows"]
        assert all(answer["levels"] == (start,) for answer in flows)
        assert flows or not answers


def test_words_in_the_cells_state_the_direction(tmp_path: Path) -> None:
    rows = [
        f'"{one} Town, new","{other} Town, place of origin",{9 + 2 * k}'
        for k, (one, other) in enumerate(_PAIRS)
    ]
    reading = read_text(tmp_path, "\n".join(["GEO,Geography,Persons", *rows]))
    flows = [answer for answer in offered(reading) if answer.get("kind") == "flows"]
    assert flows[0]["levels"] == ("Geography",)


def _routes() -> str:
    """Monthly routes with several measures of different size, of which none is called a count."""
    rows = []
    for month in (1, 2):
        for k, (one, other) in enumerate(_PAIRS):
            numbers = (
                900 + 37 * k + month,
                31 * k + 5,
                10_000 + 7919 * (k + 40 * month),
                9 + k % 5,
            )
            region = [f"R{1 + int(town[-1]) // 4}" for town in (one, other)]
            rows.append(
                f"{month};{one};{region[0]};{other};{region[1]};{';'.join(map(str, numbers))}"
            )
    header = (
        "mes;aeropuerto de origen (siglas);aeropuerto de origen (comunidad);"
        "aeropuerto de destino (siglas);aeropuerto de destino (comunidad);"
        "viajeros de pago;viajeros gratis;ASK;vuelos"
    )
    return "\n".join([header, *rows])


def test_routes_with_several_measures_are_asked_which_one_is_counted(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _routes())
    assert reading.table is None
    answers = offered(reading)
    assert "viajeros de pago" in {answer.get("count") for answer in answers}
    assert answers[0] != {"kind": "flows", "row": "trip"}
    answered = read_text(tmp_path, _routes(), count="viajeros de pago", add_up=True)
    assert answered.table is not None
    assert answered.table.kind == "flows"
    assert int(answered.table.values.sum()) == sum(
        2 * (900 + 37 * k) + 3 for k in range(len(_PAIRS))
    )
    assert answered.table.tree.n_leaves == len(_TOWNS)


def _births(column: str, other: str) -> str:
    rows = [
        f"{_TOWNS[k % 6]},{_TOWNS[(k * 5 + 1) % 6]},{18 + k % 23},{'MF'[k % 2]},{k % 10},"
        f"{2400 + (k * 397) % 1700}"
        for k in range(120)
    ]
    return "\n".join([f"municipality_birth,municipality_residence,age,sex,{other},{column}", *rows])


def test_the_weight_of_newborns_is_no_survey_weight(tmp_path: Path) -> None:
    for column, other in (("peso", "apgar5"), ("poids", "gestation"), ("weight", "gestation")):
        answers = offered(read_text(tmp_path, _births(column, other)))
        assert answers
        assert column not in {answer.get("count") for answer in answers}
    weighted = offered(read_text(tmp_path, _births("peso", "rooms")))
    assert "peso" in {answer.get("count") for answer in weighted}


def test_people_counted_at_home_and_at_work_are_no_flows(tmp_path: Path) -> None:
    header = "AGS,Kreis,Erwerbstätige am Wohnort insgesamt,Erwerbstätige am Arbeitsort insgesamt"
    rows = [f"0{8115 + k},Kreis {k},{4100 + 37 * k},{3900 + 53 * k}" for k in range(9)]
    answers = offered(read_text(tmp_path, "\n".join([header, *rows])))
    assert {str(answer.get("count", "")) for answer in answers} >= {*header.split(",")[2:]}
    assert not any(answer.get("kind") == "flows" for answer in answers)
