"""Counts of a part of the people beside counts of more of them, and counts named like ends."""

from pathlib import Path

import pytest

from tests.support.answers import offered, read_text, total

_AREAS = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple")


def _table(*names: str, factors: tuple[int, ...], apart: int = 0) -> str:
    rows = [
        ",".join([area, *(str(factor * (11 + 7 * k % 23) + apart) for factor in factors)])
        for k, area in enumerate(_AREAS)
    ]
    return "\n".join([",".join(["Bezirk", *names]), *rows])


@pytest.mark.parametrize(
    ("part", "whole"), [("Deaths", "Infected"), ("Beds", "Personnel"), ("Personen", "N1")]
)
def test_a_count_named_as_one_is_asked_about_beside_a_wider_one(
    tmp_path: Path, part: str, whole: str
) -> None:
    reading = read_text(tmp_path, _table(whole, part, factors=(90, 4)))
    answers = offered(reading)
    assert reading.table is None
    assert answers[0] == {"count": part}  # one click keeps the reading
    assert {"count": whole} in answers
    assert total(read_text(tmp_path, _table(whole, part, factors=(90, 4)), count=whole)) > 0


def test_a_wider_count_is_not_asked_about_if_it_is_smaller_or_measures_the_area(
    tmp_path: Path,
) -> None:
    smaller = read_text(tmp_path, _table("Personen", "Hunde", factors=(90, 4)))
    assert smaller.table is not None, smaller.report.lines()
    acres = read_text(tmp_path, _table("Personen", "Acres", factors=(4, 90)))
    assert acres.table is not None, acres.report.lines()


def test_a_wider_count_is_offered_although_its_numbers_have_one_length(tmp_path: Path) -> None:
    text = _table("Berechtigt", "Ja", "Nein", factors=(300, 21, 9))
    assert {"count": "Berechtigt"} in offered(read_text(tmp_path, text))


def test_numbers_that_add_up_to_a_third_are_no_origins(tmp_path: Path) -> None:
    rows = [
        f"{area},{1200 + 77 * k},{1900 - 31 * k},{3100 + 46 * k}" for k, area in enumerate(_AREAS)
    ]
    text = "\n".join(["Halt,From bus,To bus,All riders", *rows])
    reading = read_text(tmp_path, text)
    assert not any("destinations" in choice for choice in offered(reading))
    alone = "\n".join(line.rsplit(",", 1)[0] for line in text.splitlines())
    answers = offered(read_text(tmp_path, alone))
    assert any("destinations" in choice for choice in answers)
    counted = next(choice for choice in answers if choice.get("count") == "From bus")
    assert total(read_text(tmp_path, alone, **counted)) == sum(1200 + 77 * k for k in range(8))


def test_sexes_written_without_a_space_are_added_up(tmp_path: Path) -> None:
    rows = [f"S{k},{'AB'[k % 2]}k,{20 + 3 * k},{70 - 5 * k}" for k in range(8)]
    for names in ("ELEVESHOMMES,ELEVESFEMMES", "PUPILSMALE,PUPILSFEMALE"):
        text = "\n".join([f"site,county,{names}", *rows])
        one, other = names.split(",")
        reading = read_text(tmp_path, text)
        parts = [[*c["parts"]] for c in offered(reading) if isinstance(c.get("parts"), tuple)]
        assert [one, other] in parts, reading.report.lines()
        added = read_text(tmp_path, text, parts=(one, other))
        assert total(added) == sum(90 - 2 * k for k in range(8))


@pytest.mark.parametrize(
    "rate",
    ["Hunde je 1000 Einwohner", "Décès pour 100 000 habitants", "Casos por 100 mil habitantes",
     "Cars per 1,000 population", "Psy na 1000 ludnosc", "人口10万人当たり"],
)  # fmt: skip
def test_a_rate_for_many_people_is_never_the_count(tmp_path: Path, rate: str) -> None:
    reading = read_text(tmp_path, _table("Bestand", f'"{rate}"', factors=(400, 21)))
    assert reading.table is None
    assert all(choice.get("count") != rate for choice in offered(reading)[:1])
    assert {"count": "Bestand"} in offered(reading)
