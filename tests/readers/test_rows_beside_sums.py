"""Sums that are upper levels: a row beside them is never counted together with its own parts."""

from pathlib import Path

import pytest

from tests.support.answers import offered, read_text, total

# Two regions of a census. Region Vest and its district Sela are sums of their parts only if the
# village without inhabitants is passed over.
_ROWS = [
    ("1.", "Regija Ost", 5290), ("1.01.", "Okrug Brod", 3167), ("1.01.3.", "Brod", 2650),
    ("1.01.4.", "Grab", 517), ("1.02.", "Okrug Lug", 2123), ("1.02.1.", "Lug", 1402),
    ("1.02.2.", "Most", 721), ("2.", "Regija Vest", 4604), ("2.01.", "Okrug Sela", 1377),
    ("2.01.1.", "Pusto", 0), ("2.01.2.", "Opcina Sela", 1377), ("2.01.2.1.", "Sela", 913),
    ("2.01.2.2.", "Vir", 464), ("2.02.", "Okrug Zid", 3227), ("2.02.1.", "Zid", 2111),
    ("2.02.2.", "Rt", 1116),
]  # fmt: skip
_WHOLE = 5290 + 4604


def _text(rows: list[tuple[str, str, int]], *, codes: bool = True) -> str:
    head = "Sifra;Jedinica;Stanovnika\n" if codes else "Jedinica;Stanovnika\n"
    return head + "\n".join(
        f"{code};{name};{n}" if codes else f"{name};{n}" for code, name, n in rows
    )


@pytest.mark.parametrize("codes", [True, False])
def test_a_part_without_people_does_not_hide_that_a_district_has_one_part(
    tmp_path: Path, codes: bool
) -> None:
    stated = {"count": "Stanovnika", "levels": ("Jedinica",), "outline": "sums"}
    reading = read_text(tmp_path, _text(_ROWS, codes=codes), **stated)
    assert total(reading) == _WHOLE
    assert reading.table is not None
    assert reading.table.regions.tree.n_leaves == 9


@pytest.mark.parametrize("codes", [True, False])
def test_an_upper_area_that_is_no_sum_is_asked_about(tmp_path: Path, codes: bool) -> None:
    # A revised number: region Vest has 60 people less than its two districts.
    rows = [(c, name, n - 60 if name == "Regija Vest" else n) for c, name, n in _ROWS]
    text = _text(rows, codes=codes)
    stated = {"count": "Stanovnika", "levels": ("Jedinica",), "outline": "sums"}
    reading = read_text(tmp_path, text, **stated)
    assert reading.table is None
    assert "beside-sums" in [fault.id for fault in reading.report.faults]
    answer = {"leave_out": ("Jedinica=Regija Vest",)}
    assert answer in offered(reading)
    assert total(read_text(tmp_path, text, **stated, **answer)) == _WHOLE


def test_a_city_beside_districts_is_an_area_without_a_question(tmp_path: Path) -> None:
    rows = [*_ROWS[:7], ("3.", "Grad Nov", 1890), *_ROWS[7:]]
    stated = {"count": "Stanovnika", "levels": ("Jedinica",), "outline": "sums"}
    reading = read_text(tmp_path, _text(rows), **stated)
    assert total(reading) == _WHOLE + 1890


def test_a_large_city_is_an_area_if_this_is_stated(tmp_path: Path) -> None:
    rows = [("3.", "Grad Nov", 12_641), *_ROWS]
    stated = {"count": "Stanovnika", "levels": ("Jedinica",), "outline": "sums"}
    first = read_text(tmp_path, _text(rows), **stated)
    assert {"totals": "none"} in offered(first)
    second = read_text(tmp_path, _text(rows), **stated, totals="none")
    assert total(second) == _WHOLE + 12_641
