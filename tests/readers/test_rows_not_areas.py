"""Rows that are no areas: numbers of columns, labels of subtotals, and filters of pivot tables."""

from pathlib import Path

import pyarrow as pa
import pytest
from support.rows_not_areas import rows_not_areas

from hierdp_core.readers.columns.blocks import filled_down, find_blocks
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.split_codes import split_code
from hierdp_core.readers.columns.subtotals import with_blocks_filled
from hierdp_core.readers.formats.column_numbers import numbers_columns, without_column_numbers
from hierdp_core.readers.formats.pivot_filters import n_filter_rows
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook
from tests.readers.test_corpus import as_meant, outcome, read_file
from tests.support.answers import read_text, total

_FILES = dict(rows_not_areas())
_NAMES = [["area", "men", "women", "all"]]
_AREAS = [["Leeds", "70", "80", "150"], ["York", "90", "60", "150"]]
_CODES = [["101", "70", "80", "150"], ["102", "90", "60", "150"]]
_SMALL = [["4", "0", "2", "3"], ["7", "1", "1", "1"], ["9", "0", "0", "3"]]


def sheet(text: str) -> Sheet:
    names, *rows = [line.split(",") for line in text.strip("\n").splitlines()]
    columns = tuple(pa.array(cells, pa.string()) for cells in zip(*rows, strict=True))
    return Sheet(file="t.csv", names=tuple(names), columns=columns)


# ------------------------------------------------------------------------- numbers of the columns


@pytest.mark.parametrize(
    "row",
    [
        "1 2 3 4", "(1) (2) (3) (4)", "[1] [2] [3] [4]", "1. 2. 3. 4.", "a b c d", "A 1 2 3",
        "I II III IV", "i ii iii iv", "0 1 2 3", "_ 1 2 3", "_ 2 3 4", "Spalte 1 2 3", "Col. 1 2 3",
        "Nr. 1 2 3", "А Б 1 2", "甲 1 2 3", "1.0 2.0 3.0 4.0", "① ② ③ ④", "1 2 3 4=2+3",
        "(1) (2) (3) (4)=(2)+(3)", "1 2 2a 2b", "Sp.1 Sp.2 Sp.3 Sp.4", "١ ٢ ٣ ٤",
    ],
)  # fmt: skip
def test_a_row_numbers_the_columns(row: str) -> None:
    cells = [cell.replace("_", "") for cell in row.split()]
    assert numbers_columns(cells, _NAMES, _AREAS)


@pytest.mark.parametrize(
    ("row", "header", "below"),
    [
        ("1 2 3 4", _NAMES, _SMALL),  # counts as small as these
        ("1 2 3 4", _NAMES, [["2", "40", "50", "90"]]),  # the next area is the second
        ("Leeds 1 2 3", _NAMES, _AREAS),  # an area
        ("A 1 2 3", _NAMES, [["B", "5", "6", "7"]]),
        ("_ 1 2 3", [["area", "size", "", ""]], _AREAS),  # sizes
        ("_ 1 2 3", [["", "size", "size", "size"]], _AREAS),
        ("1 2 4 5", _NAMES, _CODES),
        ("I II x y", _NAMES, _AREAS),
        ("1 2 3 4", [["9", "70", "80", "150"]], _CODES),  # below a row of counts
    ],
)
def test_a_row_that_counts_up_may_be_an_area_or_sizes(
    row: str, header: list[list[str]], below: list[list[str]]
) -> None:
    cells = [cell.replace("_", "") for cell in row.split()]
    assert not numbers_columns(cells, header, below)


def test_pairs_of_numbers_are_kept_in_lists_of_flows(tmp_path: Path) -> None:
    rows = ["1,2,3", "1,3,5", "2,1,9", "3,3,1", "2,3,4"]
    reading = read_text(tmp_path, "\n".join(["origin,destination,trips", *rows]))
    assert reading.table is not None
    assert int(reading.table.values.sum()) == 22


def test_repeated_headers_and_numbers_inside_a_table_are_left_out() -> None:
    notes = Notebook("t.csv")
    table = sheet("area,men,women\n1,2,3\na,40,50\narea,men,women\n1,2,3\nb,60,70")
    left = without_column_numbers(table, notes)
    assert left.columns[0].to_pylist() == ["a", "b"]
    assert {finding.id for finding in notes.findings} == {"repeated-header", "column-numbers"}
    whole = sheet("area,men,women\na,40,50\nb,60,70")
    assert without_column_numbers(whole, notes) is whole


# ------------------------------------------------------------------------- codes in several columns


def _split(text: str, **stated: bool) -> tuple[str, ...] | None:
    facts = SheetFacts(sheet(text))
    free = [name for name in facts.sheet.names if name != "n"]
    found = split_code(facts, free, extra="", one_row=stated.get("one_row", True))
    return None if found is None else tuple(found.words["levels"])


def test_parts_of_a_code_are_levels_in_the_order_of_the_columns() -> None:
    rows = [f"{d:02d},{m:02d},{100 * d + m}" for d in range(1, 9) for m in (1, 2, 3)]
    text = "\n".join(["district,municipality,n", *rows])
    assert _split(text) == ("district", "municipality")
    assert _split(text, one_row=False) is None


def test_codes_beside_the_whole_code_are_no_parts_of_it() -> None:
    rows = [f"{d:02d}{m:02d},{d:02d},{m:02d},{d + m}" for d in range(1, 9) for m in (1, 2, 3)]
    assert _split("\n".join(["code,district,municipality,n", *rows])) is None
    above = [f"{d:02d},{d % 3:02d},{d}" for d in range(1, 9)]
    assert _split("\n".join(["district,region,n", *above])) is None


def test_the_german_key_needs_no_full_set_of_regions() -> None:
    rows = [f"05,{rb},{k},{g:03d},{k + g}" for rb in "13" for k in (11, 54) for g in (4, 8)]
    assert _split("\n".join(["Land,RB,Kreis,Gem,n", *rows])) == ("RB", "Kreis", "Gem")


# -------------------------------------------------------------------------------------- subtotals

_BLOCKS = """
province,commune,village,n
P,A,a,10
,,b,20
Sous-total A,,,30
,B,c,40
,,d,50
Total P,,,120
Q,C,e,60
,,f,70
Total Q,,,130
"""


def test_labels_of_totals_are_not_filled_down() -> None:
    filled = filled_down(sheet(_BLOCKS), ("province", "commune"))
    cells = filled.column("province").to_pylist()
    assert cells[:6] == ["P", "P", "Sous-total A", "P", "P", "Total P"]
    assert filled.column("commune").to_pylist() == ["A", "A", "", "B", "B", "", "C", "C", ""]
    assert find_blocks(sheet(_BLOCKS)).sure == ("province", "commune")


def test_a_total_above_its_rows_names_no_other_block() -> None:
    table = sheet("province,village,n\nTotal P,,30\n,a,10\n,b,20\nTotal Q,,90\n,c,40\n,d,50")
    filled = filled_down(table, ("province",))
    assert filled.column("province").to_pylist() == ["Total P", "", "", "Total Q", "", ""]


def test_totals_with_other_numbers_are_compared_in_their_blocks() -> None:
    """The total of a commune in the column of provinces gets the names of the commune."""
    notes = Notebook("t.csv")
    whole = with_blocks_filled(sheet(_BLOCKS), ("province", "commune"), notes)
    assert whole.n_rows == 6
    assert [finding.id for finding in notes.findings] == ["subtotals"]
    wrong = sheet(_BLOCKS.replace("Sous-total A,,,30", "Sous-total A,,,31"))
    kept = with_blocks_filled(wrong, ("province", "commune"), Notebook("t.csv"))
    assert kept.n_rows == 9
    assert [column[2].as_py() for column in kept.columns] == ["P", "A", "", "31"]


def test_a_wrong_subtotal_is_an_error(tmp_path: Path) -> None:
    right = read_text(tmp_path, _BLOCKS.strip())
    assert total(right) == 250
    wrong = read_text(tmp_path, _BLOCKS.strip().replace("Total P,,,120", "Total P,,,170"))
    assert wrong.table is None


@pytest.mark.parametrize("id", [id for id in _FILES if id.startswith("household_list_")][::3])
def test_totals_in_lists_of_households_are_no_households(tmp_path: Path, id: str) -> None:
    file = _FILES[id]
    reading = read_file(tmp_path, file, dict(file.answers))
    assert as_meant(reading, file)
    (output,) = [f for f in reading.report.corrections if f.id == "subtotals"]
    assert output.what.startswith("5 rows with totals of the rows above")


# ------------------------------------------------------------------------------------ pivot tables


@pytest.mark.parametrize(
    ("lines", "n"),
    [
        (["Year|2023|", "||", "Area|School|Sum of pupils"], 2),
        (["Year|2023|", "Status|(All)|", "Area|School|Pupils"], 2),
        (["Name|all|", "Area|Men|Women"], 0),  # a header of two rows
        (["Status|(Mehrere Elemente)|", "||", "Ort|Schule|Personen"], 2),
        (["Year|2023|", "Row Labels|Sum of pupils|"], 1),
        (["Filter||", "Year|- all -|", "||", "Area|School|Sum - pupils"], 3),
        (["Sum of pupils|Column Labels|", "Row Labels|F|M"], 1),
        (["Area|Men|Women"], 0),
        (["Area|Men|"], 0),
        (["Pupils by area||", "Area|Men|Women"], 0),
        (["Area|People|", "a|5|", "b|7|", "||", "District|Men|Women"], 0),  # two tables
    ],
)
def test_filters_above_a_pivot_table(lines: list[str], n: int) -> None:
    rows = [line.split("|") for line in (*lines, "a|x|5", "b|y|7", "c|z|9")]
    assert n_filter_rows(rows) == n


@pytest.mark.parametrize(
    "id", ["pivot_en_tabular", "pivot_de_compact", "pivot_fr_crossed", "pivot_es_csv",
           "title_of_two_cells", "numbered_word_two", "numbered_brackets_excel", "numbered_json",
           "numbered_on_each_page", "counts_like_numbers", "sizes_like_numbers",
           "key_states_named_numbered", "subtotals_fr_first", "subtotals_ja_own"],
)  # fmt: skip
def test_files_with_rows_that_are_no_areas(tmp_path: Path, id: str) -> None:
    result = outcome(tmp_path, _FILES[id])
    assert result.word in ("right", "asked"), result.shown
