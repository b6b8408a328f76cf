"""Lists in which every row is a total or lies below one, also where numbers are rounded."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.readers import Reading
from hierdp_core.readers.columns.uniform_sums import uniform_nesting
from hierdp_core.readers.reading import read_here

SIZES = (5, 1, 7, 3, 1, 6, 4)  # places in each region, two of which have a single one


def listed(
    n_places: tuple[int, ...], seed: int, *, step: float = 1, mean: float = 4000
) -> tuple[list[str], list[int], list[int]]:
    """Return the names, numbers and rows above of a country, its regions and their places."""
    generator = np.random.default_rng(seed)
    names, numbers, parent = ["Utopia"], [0.0], [-1]
    for region, n in enumerate(n_places):
        own = generator.lognormal(np.log(mean), 1, n).round()
        head = len(names)
        names += [f"Region {region + 1}", *(f"P{region + 1}x{k}" for k in range(n))]
        numbers += [own.sum(), *own]
        parent += [0, *[head] * n]
        numbers[0] += own.sum()
    return names, [int(step * round(number / step)) for number in numbers], parent


def read(folder: Path, names: list[str], numbers: list[int], **stated: str) -> Reading:
    path = folder / "t.csv"
    rows = [f"{name},{number}\n" for name, number in zip(names, numbers, strict=True)]
    path.write_text("area,population\n" + "".join(rows))
    return read_here([path], stated=stated)


@pytest.mark.parametrize("step", [1, 10, 100])
@pytest.mark.parametrize("last", [False, True], ids=["totals first", "totals last"])
@pytest.mark.parametrize("label", ["{}", "{} total", "Total {}"])
def test_every_row_of_the_list_is_put_below_its_total(
    tmp_path: Path, step: int, last: bool, label: str
) -> None:
    names, numbers, _ = listed(SIZES, 7, step=step, mean=100_000)
    labels = [label.format(name) if name.startswith("Region") else name for name in names]
    order = -1 if last else 1
    reading = read(tmp_path, labels[::order], numbers[::order])
    exact = numbers[0] == sum(n for name, n in zip(names, numbers, strict=True) if name[0] == "P")
    assert exact or reading.question is not None
    if reading.question is not None:
        nested = reading.question.choices[0].stated
        reading = read(tmp_path, labels[::order], numbers[::order], **nested)
    table = reading.table
    assert table is not None, reading.report.lines()
    regions = table.regions
    levels = [regions.tree.level(depth) for depth in range(3)]
    assert [level.stop - level.start for level in levels] == [1, 7, 27]
    places = [number for name, number in zip(names, numbers, strict=True) if name[0] == "P"]
    assert sorted(table.leaf_arrays()["values"].tolist()) == sorted(places)
    assert set(regions.names[1:8]) == {f"Region {k + 1}" for k in range(7)}


@pytest.mark.parametrize("sizes", [(2, 3), (1, 1, 2, 1, 3, 1)])
def test_few_totals_of_single_places_are_totals(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    names, numbers, _ = listed(sizes, 3)
    table = read(tmp_path, names, numbers).table
    assert table is not None
    assert table.total == numbers[0]
    assert table.regions.tree.n_leaves == sum(sizes)


@given(
    st.lists(st.integers(1, 9), min_size=4, max_size=30),
    st.integers(0, 2**32),
    st.sampled_from([1, 5, 10]),
)
def test_a_list_of_one_depth_is_recognised(sizes: list[int], seed: int, step: int) -> None:
    _, numbers, parent = listed(tuple(sizes), seed, step=step, mean=40_000)
    nesting = uniform_nesting(np.array(numbers))
    assert nesting is None or nesting.parent.tolist() == parent
    assert nesting is not None or step > 1
    assert step > 1 or nesting is None or nesting.certain


@given(st.integers(0, 2**32), st.integers(3, 300), st.sampled_from([20, 300, 5000]))
def test_numbers_at_random_have_no_totals(seed: int, n: int, mean: int) -> None:
    numbers = np.random.default_rng(seed).lognormal(np.log(mean), 1, n).astype(np.int64)
    nesting = uniform_nesting(numbers)
    assert nesting is None or not nesting.certain


def test_a_nesting_that_may_be_chance_is_asked_about(tmp_path: Path) -> None:
    names, numbers, _ = listed(SIZES, 7, step=100)
    reading = read(tmp_path, names, numbers)
    assert reading.question is not None
    nested, out, flat = reading.question.choices
    assert (nested.stated["outline"], flat.stated["outline"]) == ("sums", "none")
    assert len(out.stated["leave_out"]) == 1 + len(SIZES)
    answered = read(tmp_path, names, numbers, **nested.stated)
    assert answered.table is not None
    assert answered.table.regions.tree.n_leaves == sum(SIZES)


def test_totals_must_agree_in_every_column() -> None:
    _, one, parent = listed(SIZES, 1)
    _, two, _ = listed(SIZES, 2)
    both = np.column_stack([one, two])
    nesting = uniform_nesting(both)
    assert nesting is not None
    assert nesting.parent.tolist() == parent
    both[5, 1] += 40
    assert uniform_nesting(both) is None


def test_a_long_list_without_totals_is_left_quickly() -> None:
    assert uniform_nesting(np.arange(1, 200_000)) is None
    assert uniform_nesting(np.full(5_000, 7)) is None


def test_rows_below_a_total_that_was_left_out_are_not_counted_twice(tmp_path: Path) -> None:
    names = ["Total", "Kreis A", "Helmir", "Helova", "Kreis B", "Helbury", "Kordorf"]
    numbers = [31072, 14004, 5003, 9001, 17068, 8050, 9018]
    reading = read(tmp_path, names, numbers, totals="left out", outline="none")
    assert reading.table is None
    assert any("2 times a row of totals (row 2)" in line for line in reading.report.lines())
    nested = read(tmp_path, names, numbers, totals="left out")
    assert nested.table is not None
    assert nested.table.total == numbers[0]
