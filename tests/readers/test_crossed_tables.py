"""Tables of areas by categories: rows are no persons, and classes no sizes, without a doubt."""

from itertools import product
from pathlib import Path

from tests.support.answers import offered, read_text, total

_CELLS = list(product(("Ask", "Embla", "Ygg", "Mim", "Lif"), range(4), ("K", "M")))


def _by_age() -> str:
    rows = [f"{area};{20 * age};{sex};{300 + 11 * k % 97}"
            for k, (area, age, sex) in enumerate(_CELLS)]  # fmt: skip
    return "fylki;aldur;kyn;mengi\n" + "\n".join(rows)


def test_cells_of_areas_by_ages_and_sexes_are_no_persons(tmp_path: Path) -> None:
    answers = offered(read_text(tmp_path, _by_age()))
    assert {"count": "mengi"} in answers
    assert not any(answer.get("row") in ("person", "group") for answer in answers)


def test_schools_in_two_years_are_no_pupils(tmp_path: Path) -> None:
    rows = [f"{year};{'VW'[k % 2]};S{k:03};{40 + 3 * k + j};{2 + k % 3};{k % 5}"
            for k in range(24) for j, year in enumerate((2021, 2022))]  # fmt: skip
    text = "rok;kraj;skola;zaci_celkem;tridy;zaci_special\n" + "\n".join(rows)
    answers = offered(read_text(tmp_path, text))
    assert not any(answer.get("row") in ("person", "group") for answer in answers)


def test_persons_with_a_number_are_still_offered(tmp_path: Path) -> None:
    rows = [f"{k + 1};{'ABC'[k * k % 3]};{18 + 7 * k % 60};{'KM'[k * 3 % 7 % 2]};{k * 5 % 9}"
            for k in range(48)]  # fmt: skip
    text = "nr;kraj;vek;pohlavi;body\n" + "\n".join(rows)
    reading = read_text(tmp_path, text)
    assert reading.question is None or any(
        choice.stated.get("row") == "person" for choice in reading.question.choices
    )


def test_boys_by_year_of_age_are_no_sizes_of_groups(tmp_path: Path) -> None:
    names = [f"T1AG{k}{sex}" for k in (1, 2, 3, 4) for sex in "MFT"]
    rows = []
    for k, area in enumerate(("Ae", "Be", "Ce", "De", "Ee", "Ef")):
        cells = [(30 + 7 * k + j, 28 + 5 * k + 2 * j) for j in range(4)]
        numbers = ",".join(f"{m},{f},{m + f}" for m, f in cells)
        rows.append(f"{area},{sum(map(sum, cells))},{numbers}")
    text = f"area,T1AGTT,{','.join(names)}\n" + "\n".join(rows)
    question = read_text(tmp_path, text).question
    if question is None:
        return
    sizes = [k for k, choice in enumerate(question.choices) if "sizes" in choice.stated]
    counts = [k for k, choice in enumerate(question.choices) if "count" in choice.stated]
    assert all(place > max(counts) for place in sizes)
    assert all("add up to" in question.choices[place].words for place in sizes)


def test_classes_of_income_are_no_sizes_without_a_doubt(tmp_path: Path) -> None:
    rows = [f"{area};{stub};{100 + 13 * k + 7 * stub}"
            for k, area in enumerate(("Ash", "Birch", "Cedar", "Elm", "Fir"))
            for stub in range(1, 6)]  # fmt: skip
    text = "county;income_stub;returns\n" + "\n".join(rows)
    question = read_text(tmp_path, text, count="returns").question
    assert question is not None
    *others, last = question.choices
    assert last.stated.get("size") == "income_stub"
    assert "neither its name nor its values" in last.words
    assert {"add_up": True} in [dict(choice.stated) for choice in others]
    stated = {"count": "returns", "kind": "group-sizes", "size": "income_stub"}
    reading = read_text(tmp_path, text, **stated)
    assert any("may not hold sizes of groups" in line for line in reading.report.lines())


def test_one_of_several_coded_measures_is_not_taken_by_its_name(tmp_path: Path) -> None:
    rows = [f"{area},{900 + 31 * k},{2000 + 57 * k},{700 + 29 * k},{88_000 + 913 * k}"
            for k, area in enumerate(("Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel"))]  # fmt: skip
    text = "county,n1,n2,n00300,a00300\n" + "\n".join(rows)
    answers = offered(read_text(tmp_path, text))
    assert [answer.get("count") for answer in answers[:3]] == ["n1", "n2", "n00300"]
    assert total(read_text(tmp_path, text, count="n1")) == sum(900 + 31 * k for k in range(6))


def test_numbers_of_things_that_a_column_names_are_counts_only_with_a_doubt(
    tmp_path: Path,
) -> None:
    rows = [f"{'NS'[k % 2]},{5000 + 371 * k % 6007},Skola {k},{30 + k % 9},{20 + k % 7}"
            for k in range(24)]  # fmt: skip
    text = "region,zzk,name_zzk,t_m,t_f\n" + "\n".join(rows)
    question = read_text(tmp_path, text).question
    for choice in question.choices if question is not None else ():
        assert choice.stated.get("count") != "zzk" or "codes of the names" in choice.words
    reading = read_text(tmp_path, text, count="zzk", levels=("region", "name_zzk"))
    assert any("codes of the names" in line for line in reading.report.lines())
