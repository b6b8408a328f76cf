"""Codes of a level that start again in each area of a column that is not a level."""

from pathlib import Path

import pytest

from tests.support.answers import offered, read_text, total

# Province, district and clusters of a survey in which districts are numbered within provinces.
_AREAS = (
    ("Niassa", 1, 2), ("Niassa", 2, 3), ("Tete", 1, 2), ("Tete", 2, 2), ("Tete", 3, 2),
    ("Sofala", 1, 3), ("Sofala", 2, 2), ("Gaza", 1, 2),
)  # fmt: skip
_DISTRICTS = len(_AREAS)
_CLUSTERS = sum(n for *_, n in _AREAS)
_HOUSEHOLDS = 7  # in each cluster
_HEADER = "agregado;provincia;distrito;cluster;membros"


def _survey(header: str = _HEADER) -> str:
    rows = [header]
    for place, (province, district, clusters) in enumerate(_AREAS, start=1):
        for cluster in range(clusters):
            code = f"{place:03d}{cluster + 1:03d}"
            rows += [
                f"{code}-{k};{province};{district};{code};{(k * place + cluster) % 6 + 1}"
                for k in range(_HOUSEHOLDS)
            ]
    return "\n".join(rows)


def test_households_by_size_are_not_counted_in_merged_districts(tmp_path: Path) -> None:
    stated = {"kind": "group-sizes", "row": "group", "size": "membros"}
    answers = offered(read_text(tmp_path, _survey(), **stated))
    assert answers[0] == {"levels": ("provincia", "distrito", "cluster"), "within": True}
    assert answers[1] == {"levels": ("provincia", "distrito"), "within": True}
    for answer, n_areas in zip(answers, (_CLUSTERS, _DISTRICTS), strict=False):
        reading = read_text(tmp_path, _survey(), **stated, **answer)
        assert reading.table is not None
        assert reading.table.regions.tree.n_leaves == n_areas


def test_no_answer_merges_districts_without_a_word(tmp_path: Path) -> None:
    question = read_text(tmp_path, _survey(), row="person").question
    assert question is not None
    for choice in question.choices:
        levels = choice.stated.get("levels", ())
        assert isinstance(levels, tuple)
        if "distrito" in levels and "within" not in choice.stated:
            assert "are merged into" in choice.words


def test_merged_districts_of_clusters_are_named(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _survey(), row="person", levels=("distrito", "cluster"))
    assert total(reading) == _CLUSTERS * _HOUSEHOLDS
    assert any('several areas of "provincia"' in line for line in reading.report.lines())


def test_three_levels_with_clusters_have_no_remark(tmp_path: Path) -> None:
    levels = ("provincia", "distrito", "cluster")
    reading = read_text(tmp_path, _survey(), row="person", levels=levels, within=True)
    assert reading.table is not None
    assert reading.table.regions.tree.n_leaves == _CLUSTERS
    assert not any("several areas of" in line for line in reading.report.lines())


def test_flows_between_merged_districts_are_named(tmp_path: Path) -> None:
    ends = [area[:2] for area in _AREAS]
    rows = [
        f"{a};{m};{b};{n};{(k * 7 + p * 3) % 40 + 1}"
        for k, (a, m) in enumerate(ends) for p, (b, n) in enumerate(ends)
    ]  # fmt: skip
    text = "home_province;home_district;work_province;work_district;commuters\n" + "\n".join(rows)
    reading = read_text(
        tmp_path, text, kind="flows", count="commuters", add_up=True,
        levels=("home_district",), destinations=("work_district",),
    )  # fmt: skip
    assert any('several areas of "home_province"' in line for line in reading.report.lines())


@pytest.mark.parametrize("other", ["kreisart", "zone_type"])
def test_kinds_of_areas_are_not_above_the_codes(tmp_path: Path, other: str) -> None:
    rows = [
        f"{k};{k % 5 + 1};{'urban' if k % 3 else 'rural'};{k % 2}" for k in range(80)
    ]  # fmt: skip
    text = f"nr;district;{other};injured\n" + "\n".join(rows)
    reading = read_text(tmp_path, text, row="person", levels=("district",))
    assert not any("several areas of" in line for line in reading.report.lines())


def test_codes_that_lie_in_one_area_are_no_question(tmp_path: Path) -> None:
    provinces = ("Niassa", "Tete", "Sofala")
    rows = [f"{k};{provinces[k % 6 // 2]};{k % 6 + 1};{k % 2}" for k in range(90)]
    text = "nr;provincia;distrito;ferido\n" + "\n".join(rows)
    reading = read_text(tmp_path, text, row="person")
    assert reading.question is None
    assert total(reading) == len(rows)


def test_codes_with_which_those_of_a_level_begin_are_a_level(tmp_path: Path) -> None:
    districts = ("SD0107", "SD0112", "SD0203", "SD0311", "SD0315")
    rows = [
        f"{k};{d[:4]};{d};Site {k % 10};{k % 6 + 1}"
        for k, d in ((k, districts[k % 5]) for k in range(120))
    ]  # fmt: skip
    text = "form;adm1;loc_district;loc_site;members\n" + "\n".join(rows)
    reading = read_text(tmp_path, text, row="person")
    assert reading.layout is not None
    assert reading.layout.levels == ("adm1", "loc_district", "loc_site")
