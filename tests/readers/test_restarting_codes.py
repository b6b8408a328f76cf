"""Parts of one code in lists of records: the order of the columns, and never areas merged."""

from itertools import product
from pathlib import Path

from tests.support.answers import offered, read_text, total

# Department, circuit and commune of an extract. Numbers start again below each, and only a few
# areas have records, so that circuits seem to lie within communes.
_AREAS = (
    ("02", "01", "11", "000", 23), ("02", "01", "12", "000", 14), ("07", "02", "41", "105", 9),
    ("07", "02", "44", "118", 11), ("09", "01", "61", "000", 13), ("09", "03", "61", "000", 17),
    ("09", "03", "62", "000", 30), ("09", "03", "84", "130", 8),
)  # fmt: skip
_N = sum(n for *_, n in _AREAS)


def _records(header: str = "DEPTO;REG;CIRCUITO;COMUNA", *, upward: bool = False) -> str:
    codes = [area[:4] for area in _AREAS for _ in range(area[4])]
    rows = [
        f"{k + 1};{';'.join(reversed(code) if upward else code)};{k % 7 + 1};{k % 2}"
        for k, code in enumerate(codes)
    ]
    return f"NRO;{header};DIA_SEMANA;HERIDO\n" + "\n".join(rows)


def test_parts_of_a_code_are_offered_in_the_order_of_the_columns(tmp_path: Path) -> None:
    text = _records()
    answers = offered(read_text(tmp_path, text, row="person"))
    whole = ("DEPTO", "REG", "CIRCUITO", "COMUNA")
    assert answers[0] == {"levels": whole, "within": True}
    assert answers[1] == {"levels": whole[:3], "within": True}
    reading = read_text(tmp_path, text, row="person", **answers[0])
    assert total(reading) == _N
    assert reading.table is not None
    starts = reading.table.regions.tree.level_start
    assert (starts[1:] - starts[:-1]).tolist() == [1, 3, 4, 8, 8]


def test_no_answer_merges_areas_without_a_word(tmp_path: Path) -> None:
    text = _records()
    question = read_text(tmp_path, text, row="person").question
    assert question is not None
    for choice in question.choices:
        reading = read_text(tmp_path, text, row="person", **choice.stated)
        if reading.table is None:
            continue
        n_areas = reading.table.regions.tree.n_leaves
        levels = choice.stated.get("levels", ())
        assert isinstance(levels, tuple)
        right = len({area[: len(levels)] for area in _AREAS})
        noted = any("are merged into" in line for line in reading.report.lines())
        assert n_areas == right or noted or "are merged" in choice.words


def test_names_of_levels_say_that_the_columns_go_upward(tmp_path: Path) -> None:
    text = _records("comuna;distrito;provincia;region", upward=True)
    answers = offered(read_text(tmp_path, text, row="person"))
    assert answers[0]["levels"] == ("region", "provincia", "distrito", "comuna")


def test_codes_that_nest_are_no_question(tmp_path: Path) -> None:
    rows = [f"{k};0{a};0{a}{b};{k % 2}" for k, (a, b, _) in
            enumerate(product(range(1, 4), range(1, 5), range(6)))]  # fmt: skip
    text = "nr;province_code;district_code;injured\n" + "\n".join(rows)
    reading = read_text(tmp_path, text, row="person")
    assert reading.question is None
    assert total(reading) == len(rows)
