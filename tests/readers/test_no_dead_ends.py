"""Answers that change nothing, tables without counts, sizes in any language, lines without data."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from hierdp_core.readers.columns.count_rules import numbers_in_turn
from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.columns.size_shapes import size_columns, sizes_by_shape
from hierdp_core.readers.result import Reading
from hierdp_core.tables import GroupSizes
from tests.support.answers import offered, read_text, total

_TOWNS = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple")


def level_names(reading: Reading) -> tuple[str, ...]:
    assert reading.layout is not None
    return reading.layout.levels


# -------------------------------------------------------------------------- dead ends, no counts


def _ragged() -> str:
    rows = [f"{'N' if k < 5 else 'S'},{'' if k < 5 else f'P{k // 7}'},{town},{10 + k}"
            for k, town in enumerate(_TOWNS)]  # fmt: skip
    return "region,province,town,people\n" + "\n".join(rows)


def test_an_answer_that_changed_nothing_is_not_offered_again(tmp_path: Path) -> None:
    stated = {"levels": ("region", "province", "town"), "fill_down": ("province",)}
    choices = offered(read_text(tmp_path, _ragged(), **stated))
    assert choices
    assert {"fill_down": ("province",)} not in choices


def test_a_level_that_is_blank_in_places_can_be_left_away(tmp_path: Path) -> None:
    levels = ("region", "province", "town")
    without = {"levels": ("region", "town")}
    choices = offered(read_text(tmp_path, _ragged(), levels=levels))
    assert without in choices
    assert total(read_text(tmp_path, _ragged(), **without)) == sum(range(10, 18))


def _doubtful() -> str:
    rows = [f"{town},{31 + 17 * k % 23},{12 + 5 * k % 19}" for k, town in enumerate(_TOWNS)]
    return "town,alpha,beta\n" + "\n".join(rows)


def test_doubtful_counts_may_be_none(tmp_path: Path) -> None:
    assert {"kind": "none"} in offered(read_text(tmp_path, _doubtful()))
    (fault,) = read_text(tmp_path, _doubtful(), kind="none").report.faults
    assert "holds no counts, as stated" in fault.what
    (back,) = fault.choices
    assert offered(read_text(tmp_path, _doubtful(), **back.stated)) == offered(
        read_text(tmp_path, _doubtful())
    )


def test_postal_codes_and_codes_of_departments_are_no_counts(tmp_path: Path) -> None:
    permits = "permit,city,zip,cost\n" + "\n".join(
        f'P{k},{town},{49000 + 7 * k},"{k},5"' for k, town in enumerate(_TOWNS)
    )
    communes = "REG,CODDEP,COM,PCAP,PTOT\n" + "\n".join(
        f"{'NS'[k // 4]},{971 + k // 4},{town},{12 + 5 * k % 19},{4000 + 83 * k % 900}"
        for k, town in enumerate(_TOWNS)
    )
    for text in (permits, communes):
        choices = offered(read_text(tmp_path, text))
        assert choices
        assert not any(choice.get("count") in ("zip", "CODDEP") for choice in choices)


def test_a_column_called_people_is_not_doubted(tmp_path: Path) -> None:
    text = _doubtful().replace("alpha", "people")
    assert read_text(tmp_path, text).table is not None


def _decimals(names: str, *, text: str = "") -> str:
    n = names.count(",") + 1
    rows = [f"{town}{text},{','.join(f'{50.13 + k + (j + 1) / 7:.2f}' for j in range(n))}"
            for k, town in enumerate(_TOWNS)]  # fmt: skip
    return f"district{',unit' * bool(text)},{names}\n" + "\n".join(rows)


def test_decimals_may_be_no_counts(tmp_path: Path) -> None:
    text = _decimals("people")
    assert {"kind": "none"} in offered(read_text(tmp_path, text, count="people"))


NO_COUNTS = {
    "per cent": _decimals('Population below 15 (%),"Sex ratio (women per 1,000 men)"'.replace(
        '"', "").replace("1,000", "1000")),
    "days": _decimals(",".join(f"2022-0{m}-28" for m in range(1, 8))),
    "density": _decimals("2021,2022", text=",PER_KM2"),
    "crosswalk": "ZIP,COUNTY,RES_RATIO,TOT_RATIO\n" + "\n".join(
        f"0290{k},4400{k % 3},0.{k + 3}171,0.{k + 1}553" for k in range(8)),
    "codebook": "Variable,Position,Length,Type,Label,Value,Value label,Number of cases\n"
    "REGION,1,1,N,Region,1,North,915\n,,,,,2,South,2978\nSEX,2,1,N,Sex,1,Man,1800\n",
}  # fmt: skip


@pytest.mark.parametrize("id", NO_COUNTS)
def test_rates_prices_crosswalks_and_codebooks_are_refused(tmp_path: Path, id: str) -> None:
    (fault,) = read_text(tmp_path, NO_COUNTS[id]).report.faults
    assert "no counts" in fault.what or "none of them holds counts" in fault.what
    assert not fault.choices


# ---------------------------------------------------------------------------------- group sizes


@pytest.mark.parametrize(
    "labels",
    [
        ("1 persoon", "2 personen", "3 personen", "4 personen", "5 of meer personen"),
        ("1 član", "2 člana", "3 člani", "4 in več članov"),
        ("1 person", "2 personer", "3 personer og derover"),
        ("1 osoba", "2 osobe", "3 osobe", "4+ osoba"),
    ],
)
def test_columns_of_sizes_in_other_languages(tmp_path: Path, labels: tuple[str, ...]) -> None:
    rows = [f"{town},{','.join(str(90 + 7 * k - 11 * j) for j in range(len(labels)))}"
            for k, town in enumerate(_TOWNS)]  # fmt: skip
    reading = read_text(tmp_path, f"town,{','.join(labels)}\n" + "\n".join(rows))
    assert isinstance(reading.table, GroupSizes)
    assert reading.table.top_coded
    assert reading.layout is not None
    assert reading.layout.sizes == labels


def test_sizes_in_unknown_words_are_offered(tmp_path: Path) -> None:
    labels = ("1 xol", "2 xola", "3 xola", "4 un zaidi xola")
    rows = [f"{town},{','.join(str(90 + 7 * k - 11 * j) for j in range(4))}"
            for k, town in enumerate(_TOWNS)]  # fmt: skip
    text = f"town,{','.join(labels)}\n" + "\n".join(rows)
    answer = {"kind": "group-sizes", "sizes": labels, "first_size": 1, "top_coded": True}
    assert answer in offered(read_text(tmp_path, text))
    assert isinstance(read_text(tmp_path, text, **answer).table, GroupSizes)


@pytest.mark.parametrize(
    ("labels", "open_ended"),
    [
        (("0 years", "1 years", "2 years"), False),
        (("1 room", "2 rooms", "3 rooms"), False),
        (("Zone 1", "Ward 2", "3"), False),
        (("1 xol", "2 xola", "4 xola"), False),
        (("2 xol", "3 xola", "4 xola"), False),
        (("1P", "2P", "3P"), True),
        (("1+", "2+", "3+"), False),
    ],
)
def test_other_labels_are_no_sizes(labels: tuple[str, ...], *, open_ended: bool) -> None:
    assert sizes_by_shape(labels, open_ended=open_ended) is None


def test_short_labels_of_sizes_may_be_open_or_not() -> None:
    closed, larger = size_columns(["5P", "1P", "3P", "2P", "4P"])
    assert closed.stated["sizes"] == ("1P", "2P", "3P", "4P", "5P")
    assert larger.stated["top_coded"]
    assert "top_coded" not in closed.stated


def _long(size: str, value: str, *, labels: tuple[str, ...] = ("1", "2", "3", "4")) -> str:
    rows = [f"{town},{700 + 31 * k - 90 * j},{label}"
            for k, town in enumerate(_TOWNS) for j, label in enumerate(labels)]  # fmt: skip
    return f"town,{value},{size}\n" + "\n".join(rows)


def test_numbers_in_turn_are_no_counts_beside_others(tmp_path: Path) -> None:
    text = _long("n_persones_agg", "valor")
    reading = read_text(tmp_path, text)
    assert reading.table is None
    answer = {"kind": "group-sizes", "size": "n_persones_agg"}
    assert answer in offered(reading)
    assert not any(choice.get("count") == "n_persones_agg" for choice in offered(reading))
    expected = sum(700 + 31 * k - 90 * j for k in range(8) for j in range(4))
    assert total(read_text(tmp_path, text, **answer)) == expected


def test_long_sizes_in_unknown_words_are_asked_about(tmp_path: Path) -> None:
    labels = ("1 xol", "2 xola", "3 xola", "4 un zaidi xola")
    text = _long("skala", "value", labels=labels)
    answer = {"kind": "group-sizes", "size": "skala", "top_coded": True}
    assert answer in offered(read_text(tmp_path, text))
    reading = read_text(tmp_path, text, **answer)
    assert isinstance(reading.table, GroupSizes)
    assert reading.table.values.shape[1] == 5


@pytest.mark.parametrize(
    ("cells", "turn"),
    [
        ([1, 2, 3] * 4, True),
        ([1, 1, 1, 2, 2, 2, 3, 3, 3], False),
        ([3, 1, 2, 2, 1, 3, 1, 1, 3], False),
        ([1, 2, 3], False),
        ([2, 3, 4] * 4, False),
    ],
)
def test_numbers_that_come_in_turn(cells: list[int], *, turn: bool) -> None:
    column = ColumnFacts("n", pa.array([str(cell) for cell in cells], pa.string()))
    assert numbers_in_turn(column) is turn


def test_labels_of_sizes_in_a_cube(tmp_path: Path) -> None:
    sizes = {str(k): f"{k} person{'er' * (k > 1)}" for k in range(1, 4)} | {
        "4": "4 personer og derover"
    }
    areas = {f"{100 + k}": town for k, town in enumerate(_TOWNS)}
    cube = {
        "version": "2.0", "class": "dataset", "id": ["area", "size"], "size": [8, 4],
        "dimension": {
            "area": {"label": "område", "category": {"index": list(areas), "label": areas}},
            "size": {"label": "husstand", "category": {"index": list(sizes), "label": sizes}},
        },
        "value": [500 - 70 * (k % 4) + k for k in range(32)],
    }  # fmt: skip
    reading = read_text(tmp_path, json.dumps(cube), "t.json")
    assert isinstance(reading.table, GroupSizes)
    assert total(reading) == sum(500 - 70 * (k % 4) + k for k in range(32))
    assert level_names(reading) == ("område code",)


# ------------------------------------------------------------------------- lines that are no data


def _psql(foot: str = "(8 rows)\n\n") -> str:
    rows = "\n".join(f" {town:<6} | {20 + k}" for k, town in enumerate(_TOWNS))
    return f" town   | people\n--------+-------\n{rows}\n{foot}"


def test_rules_and_a_foot_with_the_number_of_rows_are_left_out(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _psql())
    assert total(reading) == sum(range(20, 28))
    assert {f.id for f in reading.report.findings} >= {"no-rows-between", "notes-below"}


def test_a_line_below_the_header_that_names_the_first_column_is_left_out(tmp_path: Path) -> None:
    rows = "\n".join(f'"{town}",{90 + k},{50 + k},{20 + k},{160 + 3 * k},' for k, town in
                     enumerate(_TOWNS))  # fmt: skip
    head = '"Statistics office"\n"Households"\n\n"Household size","1","2","3+","Total",\n'
    head += '"Municipality",\n'
    reading = read_text(tmp_path, head + rows)
    assert isinstance(reading.table, GroupSizes), reading.report.lines()
    assert total(reading) == sum(160 + 3 * k for k in range(8))


def test_a_row_that_was_cut_off_is_a_fault_still(tmp_path: Path) -> None:
    rows = "\n".join(f"{town},N,{20 + k}" for k, town in enumerate(_TOWNS))
    reading = read_text(tmp_path, f"town,region,people\n{rows}\nOak\n{rows.lower()}\n")
    assert [f.id for f in reading.report.faults][:1] == ["short-rows"]


# ---------------------------------------------------------------------------------------- levels


def test_bands_of_ages_are_no_level(tmp_path: Path) -> None:
    bands = ("0_to_4", "5_to_9", "10_to_14", "15_and_over")
    rows = [f"P{k // 4},{town},{band},{10 + k + j}"
            for k, town in enumerate(_TOWNS) for j, band in enumerate(bands)]  # fmt: skip
    reading = read_text(tmp_path, "PA,SZ,AG,Pop\n" + "\n".join(rows), add_up=True)
    assert level_names(reading) == ("PA", "SZ")


@pytest.mark.parametrize(
    ("cells", "bands"),
    [
        (["0-4", "5-9", "10-14", "15+"], True),
        (["0 a 9 anos", "10 a 19 anos", "20 a 29 anos"], True),
        (["1-2", "7-9", "3-8", "4-9"], False),
        (["12-001", "12-002", "12-003"], False),
    ],
)
def test_ranges_of_numbers_that_follow_each_other(cells: list[str], *, bands: bool) -> None:
    assert ColumnFacts("n", pa.array(cells, pa.string())).bands is bands


def test_columns_that_are_added_up_to_the_counts_are_no_level(tmp_path: Path) -> None:
    rows = [f"{'NS'[k % 2]},{town},{5000 + 7 * k},{40 + k},{5040 + 8 * k}"
            for k, town in enumerate(_TOWNS)]  # fmt: skip
    text = "REG;COM;PMUN;PCAP;PTOT\n".replace(";", ",") + "\n".join(rows)
    reading = read_text(tmp_path, text, count="PTOT")
    assert level_names(reading) == ("REG", "COM")


def test_a_teacher_is_no_region_and_a_class_is_one(tmp_path: Path) -> None:
    teachers = ("Roth", "Braun", "Klein", "Lang", "Wolf", "Kurz", "Busch", "Stein")
    rows = [f"Year {5 + k // 2},{5 + k // 2}{'ab'[k % 2]},{name},{20 + k}"
            for k, name in enumerate(teachers)]  # fmt: skip
    reading = read_text(tmp_path, "Stufe,Klasse,Klassenlehrer/in,Schüler\n" + "\n".join(rows),
                        count="Schüler")  # fmt: skip
    assert level_names(reading) == ("Stufe", "Klasse")


def test_a_name_in_two_languages_is_one_level(tmp_path: Path) -> None:
    rows = [f"{'Noord' if k < 4 else 'Zuid'},{'Nord' if k < 4 else 'Sud'},{town},{20 + k}"
            for k, town in enumerate(_TOWNS)]  # fmt: skip
    reading = read_text(tmp_path, "prov_descr_nl,prov_descr_fr,commune,people\n" + "\n".join(rows))
    assert level_names(reading) == ("prov_descr_nl", "commune")


# ---------------------------------------------------------------------------------------- totals


def _blank_totals() -> str:
    rows = []
    for k, town in enumerate(_TOWNS):
        men, women = 40 + 3 * k, 45 + 2 * k
        rows += [f"{town},,,{men + women}", f"{town},102,men,{men}", f"{town},102,women,{women}"]
    return "town,sex_list,sex,people\n" + "\n".join(rows)


def test_blank_rows_that_are_sums_are_totals(tmp_path: Path) -> None:
    expected = sum(85 + 5 * k for k in range(8))
    reading = read_text(tmp_path, _blank_totals())
    assert total(reading) == expected


def test_blank_rows_that_are_sums_are_not_added_up(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _blank_totals(), add_up=True)
    assert reading.table is None
    (fault,) = reading.report.faults
    assert "a total and its parts" in fault.what
    assert "none" not in fault.remedy


def test_a_sure_total_is_not_kept_by_a_remedy(tmp_path: Path) -> None:
    counts = [31_177 + 1_731 * k for k in range(12)]
    rows = [f"C{k:02d},{n}" for k, n in enumerate(counts)]
    text = "code,people\n" + "\n".join([*rows, f"IE0,{sum(counts)}"])
    (fault,) = read_text(tmp_path, text).report.faults
    assert 'totals = "none"' not in fault.remedy
    assert {"totals": "none"} not in [dict(c.stated) for c in fault.choices]
