"""Codes are not said to be those of a known system if the names beside them are of other places."""

from pathlib import Path

from tests.support.answers import offered, read_text, total

_TOWNS = {"001": ("Aros", "Bodo", "Dal", "Eik"), "004": ("Fjell", "Gran", "Hov"),
          "010": ("Klev", "Lund", "Moen", "Nes", "Os")}  # fmt: skip


def _rows() -> list[tuple[str, str, int]]:
    return [
        (f"{upper}{k + 1:03}", f"{town}, Amt {upper}", 420 + 37 * k + int(upper))
        for upper, towns in _TOWNS.items() for k, town in enumerate(towns)
    ]  # fmt: skip


def test_names_called_otherwise_contradict_the_system(tmp_path: Path) -> None:
    text = "GEOGNR,GEOGDESC,persons\n" + "\n".join(f'{c},"{n}",{v}' for c, n, v in _rows())
    reading = read_text(tmp_path, text, count="persons")
    assert "Italian" not in " ".join((*reading.guesses, *reading.report.lines()))
    for answer in offered(reading):
        settled = read_text(tmp_path, text, count="persons", **answer)
        assert total(settled) == sum(v for *_, v in _rows())
        assert "Italian" not in " ".join((*settled.guesses, *settled.report.lines()))


def test_codes_that_only_count_below_each_upper_code_prove_no_system(tmp_path: Path) -> None:
    text = "geog,persons\n" + "\n".join(f"{c},{v}" for c, _, v in _rows())
    reading = read_text(tmp_path, text, count="persons")
    assert "Italian" not in " ".join((*reading.guesses, *reading.report.lines()))


def test_a_name_of_the_system_is_still_enough(tmp_path: Path) -> None:
    text = "codice_istat,persons\n" + "\n".join(f"{c},{v}" for c, _, v in _rows())
    reading = read_text(tmp_path, text, count="persons")
    assert any("Italian" in reason for reason in reading.guesses)
