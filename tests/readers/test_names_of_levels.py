"""Columns of names beside codes of several levels in one column."""

from pathlib import Path

from tests.support.answers import offered, read_text


def _quarters() -> str:
    lines = ["quarters;municipality name;level;region code;residents"]
    for city in ("Ash", "Birch"):
        number = f"00{3 if city == 'Ash' else 8}4"
        below, lower = [], 0
        for district in range(2):
            rows = [
                (f"{city} quarter {district}{k}", "Ward", f"Q{number}0{district}0{k}", 90 + 7 * k)
                for k in range(3)
            ]
            summed = sum(row[-1] for row in rows)
            below.append(
                (f"{city} district {district}", "District", f"D{number}0{district}", summed)
            )
            below += rows
            lower += summed
        for name, kind, code, people in [(city, "County", f"C{number}", lower), *below]:
            lines.append(f"{name};{city};{kind};{code};{people}")
    return "\n".join(lines)


def test_the_name_of_an_upper_level_names_no_lower_region(tmp_path: Path) -> None:
    answers = offered(read_text(tmp_path, _quarters(), count="residents"))
    (whole,) = [answer for answer in answers if "prefix" in answer]
    assert whole.get("names") != ("municipality name",)


def test_the_names_of_the_lowest_regions_are_used(tmp_path: Path) -> None:
    text = _quarters().replace("quarters;", "name of ward;", 1)
    answers = offered(read_text(tmp_path, text, count="residents"))
    (whole,) = [answer for answer in answers if "prefix" in answer]
    assert whole["names"] == ("name of ward",)
    reading = read_text(tmp_path, text, count="residents", **whole)
    assert reading.table is not None, reading.report.lines()
    regions = reading.table.regions
    assert "Ash quarter 01" in regions.names
    assert "Birch" not in regions.names


def test_a_status_with_one_value_is_no_upper_level(tmp_path: Path) -> None:
    lines = ["departamento,provincia,distrito,estado_acta,electores"]
    lines += [
        f"Dep {k // 8},Prov {k // 4},Distr {k},CONTABILIZADA,{400 + 13 * k}" for k in range(24)
    ]
    reading = read_text(tmp_path, "\n".join(lines), count="electores")
    assert reading.layout is not None, reading.report.lines()
    assert reading.layout.levels == ("departamento", "provincia", "distrito")


def test_a_state_with_one_value_is_an_upper_level(tmp_path: Path) -> None:
    lines = ["county,state,people"]
    lines += [f"County {k},Ash,{400 + 13 * k}" for k in range(24)]
    reading = read_text(tmp_path, "\n".join(lines))
    assert reading.layout is not None
    assert reading.layout.levels == ("state", "county")
