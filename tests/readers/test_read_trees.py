"""Any tree with any counts, written to a file in any of three ways, comes back as it was."""

import csv
import io
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.readers import Layout, Limits
from hierdp_core.readers.reading import read_here
from hierdp_core.tables import Counts

# A path of three levels, each code unique: "1", "1.2", "1.2.3".
PATHS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)),
    min_size=2, max_size=30, unique=True,
)  # fmt: skip
# Nines alone are a question: 99999 among small numbers is probably a code for a missing one.
COUNT = st.integers(0, 10**10).filter(lambda n: n < 999 or set(str(n)) != {"9"})
COUNTS = st.lists(COUNT, min_size=30, max_size=30)
SEPARATOR = st.sampled_from([",", ";", "\t", "|"])


def read_rows(rows: list[list[str]], separator: str, layout: Layout, **limits: int) -> Counts:
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerows(rows)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_text(text.getvalue())
        reading = read_here([path], layout=layout, limits=Limits(**limits))
    assert isinstance(reading.table, Counts), reading.report.lines()
    return reading.table


def by_code(table: Counts) -> dict[str, int]:
    """The value of every region below the root, by its code; copies of leaves are one."""
    ids, values = table.regions.ids, table.values.tolist()
    return {ids[i]: values[i] for i in range(1, len(ids)) if not table.regions.padded[i]}


def codes(path: tuple[int, int, int]) -> list[str]:
    return [f"n{path[0]}", f"n{path[0]}.{path[1]}", f"n{path[0]}.{path[1]}.{path[2]}"]


def wanted(paths: list[tuple[int, int, int]], counts: list[int]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for path, count in zip(paths, counts, strict=False):
        for code in codes(path):
            sums[code] = sums.get(code, 0) + count
    if len({path[0] for path in paths}) == 1:
        sums.pop(f"n{paths[0][0]}")  # it is the root
    return sums


@given(PATHS, COUNTS, SEPARATOR)
def test_level_columns(
    paths: list[tuple[int, int, int]], counts: list[int], separator: str
) -> None:
    rows = [[*codes(path), str(n)] for path, n in zip(paths, counts, strict=False)]
    layout = Layout(levels=("a", "b", "c"), count="n")
    table = read_rows([["a", "b", "c", "n"], *rows], separator, layout)
    assert by_code(table) == wanted(paths, counts)
    assert table.values[0] == sum(counts[: len(paths)])


@given(PATHS, COUNTS, SEPARATOR, st.randoms(use_true_random=False))
def test_a_parent_column(
    paths: list[tuple[int, int, int]], counts: list[int], separator: str, order: Random
) -> None:
    above: dict[str, str] = {"root": ""}
    for path in paths:
        one, two, three = codes(path)
        above |= {one: "root", two: one, three: two}
    own = {codes(path)[2]: str(n) for path, n in zip(paths, counts, strict=False)}
    rows = [[code, parent, own.get(code, "")] for code, parent in above.items()]
    order.shuffle(rows)
    layout = Layout(levels=("code",), parent="parent", count="n")
    table = read_rows([["code", "parent", "n"], *rows], separator, layout)
    everything = {code for path in paths for code in codes(path)}
    sums = dict.fromkeys(everything, 0)
    for path, n in zip(paths, counts, strict=False):
        for code in codes(path):
            sums[code] += n
    assert by_code(table) == sums


def test_a_first_count_that_may_be_a_year_below_rows_without_counts_is_no_header() -> None:
    rows = [["code", "parent", "n"], ["root", "", ""], ["a", "root", ""], ["a1", "a", "1987"],
            ["b", "root", ""], ["b1", "b", "12"]]  # fmt: skip
    table = read_rows(rows, ",", Layout(levels=("code",), parent="parent", count="n"))
    assert by_code(table) == {"a": 1987, "a1": 1987, "b": 12, "b1": 12}


@pytest.mark.slow
@given(PATHS, COUNTS)
def test_a_row_a_person_however_it_is_grouped(
    paths: list[tuple[int, int, int]], counts: list[int]
) -> None:
    few = [n % 4 + 1 for n in counts]
    rows = [codes(path) for path, n in zip(paths, few, strict=False) for _ in range(n)]
    layout = Layout(row="person", levels=("a", "b", "c"))
    whole = read_rows([["a", "b", "c"], *rows], ",", layout)
    streamed = read_rows([["a", "b", "c"], *rows], ",", layout, text_bytes=1)
    assert by_code(whole) == by_code(streamed) == wanted(paths, few)
    assert np.array_equal(np.sort(whole.values), np.sort(streamed.values))
