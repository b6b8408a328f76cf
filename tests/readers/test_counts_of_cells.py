"""Rows that are cells of a table are not only counted: a column of their numbers is offered."""

from pathlib import Path

from tests.support.answers import offered, read_text

_REGIONS = (
    "ARAGÓN", "ASTURIAS", "CANTABRIA", "GALICIA", "MURCIA", "NAVARRA", "LA RIOJA", "MADRID", "CEUTA"
)  # fmt: skip
_SCHOOLS = (
    ("Huesca", "ARAGÓN"), ("Oviedo", "ASTURIAS"), ("Lugo", "GALICIA"), ("Vigo", "GALICIA"),
    ("Tudela", "NAVARRA"), ("Getafe", "MADRID"),
)  # fmt: skip
_HEADER = "Curso;Escuela;EscuelaREGION;ResidenciaR;SEXO;Mat"


def _numbers() -> list[int]:
    return [
        (7 * k + 31 * p + 11 * s) % 97 + 20
        for p in range(len(_SCHOOLS)) for k in range(len(_REGIONS)) for s in range(2)
    ]  # fmt: skip


def _cells() -> str:
    keys = [
        f"2022/2023;{school};{region};{home};{sex}"
        for school, region in _SCHOOLS for home in _REGIONS for sex in ("F", "M")
    ]  # fmt: skip
    rows = [f"{key};{n}" for key, n in zip(keys, _numbers(), strict=True)]
    return "\n".join([_HEADER, *rows])


def test_students_by_school_and_home_are_offered_as_counts(tmp_path: Path) -> None:
    answers = offered(read_text(tmp_path, _cells()))
    assert {"count": "Mat"} in answers
    assert answers.index({"count": "Mat"}) == 0


def test_records_have_no_such_answer(tmp_path: Path) -> None:
    rows = [line.rpartition(";")[0] for line in _cells().splitlines()[1:]]
    people = [f"{k};{row};{20 + k * 7 % 40}" for k, row in enumerate([*rows, *rows])]
    text = "\n".join([f"nr;{_HEADER.replace('Mat', 'Edad')}", *people])
    answers = offered(read_text(tmp_path, text))
    assert {"count": "Edad"} not in answers
