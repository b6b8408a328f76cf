"""A program whose sizes share only their total is solved on disk, one size after the other."""

import errno
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.strategies import group_size_tables

import hierdp_core as hdp
from hierdp_core import samples
from hierdp_core.exceptions import ChoiceError, FileError, SolverError
from hierdp_core.scale import PartitionedTable, plan_parts, simulate_parts, write_us_blocks
from hierdp_core.scale import on_disk as on_disk_module
from hierdp_core.scale.gathering import NumbersOnDisk
from hierdp_core.scale.limits import bytes_needed, workers_within
from hierdp_core.scale.on_disk import RowsOnDisk
from hierdp_core.scale.simulating import digest_in_memory
from hierdp_core.scale.ways import CumulativeSizeBySize, Gathered, SizeBySize, strategy_for
from hierdp_core.solvers.tree_program import solve_rows, solve_tree_program
from tests.scale.test_parts import BUDGETS, PEAK, ROOT, random_sizes, same_in_parts

HDP = hdp.mechanisms.PgsrHDp()
BY_SIZE = ["pgsr-h-dp", "pgsr-c-dp"]


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda budget: budget.kind)
@pytest.mark.parametrize("allocation", [None, [5, 1, 1, 2], [0, 1, 1, 1], [1, 0, 2, 1]])
@pytest.mark.parametrize("mechanism", BY_SIZE)
def test_numbers_are_those_in_memory(mechanism, budget, allocation, tmp_path):
    for cut in ("district", "town"):
        assert same_in_parts(
            random_sizes(), mechanism, tmp_path, budget=budget, allocation=allocation, cut=cut
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rows")


@given(table=group_size_tables(), data=st.data())
def test_rows_on_disk_have_the_values_of_arrays_in_memory(folder, table, data):
    tree = table.tree
    assume(tree.n_levels > 1)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    targets = table.values + rng.integers(-9, 9, table.values.shape)
    some = st.sampled_from([1.0, 3.0, 0.3])
    weights = np.array([data.draw(some) for _ in range(tree.n_levels)])
    weights[0] *= data.draw(st.sampled_from([0, 1]))
    total = data.draw(st.sampled_from([0, int(table.values[0].sum())]))
    rows, values = (RowsOnDisk(targets.shape[::-1], folder) for _ in range(2))
    rows.rows[:] = targets.T
    solve_rows(tree, rows.rows, weights, total=total, values=values.rows, let_go=rows.let_go)
    expected = solve_tree_program(tree, targets, weights, total=total)
    np.testing.assert_array_equal(values.rows.T, expected)


def test_one_size_is_worked_on_at_a_time():
    table = random_sizes()
    rows = np.ascontiguousarray(table.values.T)
    values, before = np.full(rows.shape, -1), np.full(rows.shape, -1)
    changed = []

    def let_go():
        changed.append(np.flatnonzero((values[:, 1:] != before[:, 1:]).any(axis=1)).tolist())
        before[:] = values

    total = int(rows[:, 0].sum())
    solve_rows(table.tree, rows, np.ones(4), total=total, values=values, let_go=let_go)
    assert [sizes for sizes in changed if sizes] == [[size] for size in range(len(rows))]
    assert len(changed) > 3 * len(rows)  # in the check, the sweeps and the proof as well


def test_a_row_that_is_too_large_is_refused():
    table = random_sizes()
    rows = np.ascontiguousarray(table.values.T)
    rows[3, 5] = 2**53
    with pytest.raises(SolverError, match="may be at most"):
        solve_rows(
            table.tree, rows, np.ones(4), total=9, values=np.empty_like(rows), let_go=lambda: None
        )


def test_rows_that_were_let_go_are_still_there(tmp_path):
    numbers = RowsOnDisk((3, 5000), tmp_path / "new" / "folder")
    numbers.rows[:] = np.arange(15_000).reshape(3, 5000)
    numbers.let_go()
    assert numbers.rows.tolist() == np.arange(15_000).reshape(3, 5000).tolist()
    assert list((tmp_path / "new" / "folder").iterdir()) == []  # no name, so nothing is left over


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="Linux tells what is in memory")
def test_rows_that_were_let_go_take_no_memory(tmp_path):
    numbers = RowsOnDisk((4, 2**19), tmp_path)
    numbers.rows[:] = 7
    assert resident(numbers) >= 16_000
    numbers.let_go()
    assert resident(numbers) == 0


def resident(numbers):
    """The kilobytes of a mapped array that are in the memory of this process."""
    start = f"{numbers.rows.ctypes.data:x}-"
    lines = Path("/proc/self/smaps").read_text().splitlines()
    first = next(k for k, line in enumerate(lines) if line.lstrip("0").startswith(start))
    return next(int(line.split()[1]) for line in lines[first:] if line.startswith("Rss:"))


def test_without_the_means_of_the_system_rows_are_written_in_blocks(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    monkeypatch.setattr(on_disk_module, "_BLOCK", 100)
    numbers = RowsOnDisk((3, 7), tmp_path)
    assert numbers.rows.tolist() == np.zeros((3, 7)).tolist()


@pytest.fixture
def parts(tmp_path):
    return PartitionedTable.of(random_sizes(), tmp_path / "table", cut="town")


def test_a_disk_without_room_is_reported_before_noise_is_added(parts, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(FileError, match=r"cannot hold .* GB of noisy numbers: No space left"):
        simulate_parts(parts, HDP, tmp_path / "out", budget=BUDGETS[0])
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


def test_numbers_wait_on_disk_and_travel_as_arrays(parts, tmp_path):
    gathered = NumbersOnDisk(parts, tmp_path)
    n_columns = parts.n_columns
    for info in parts.parts:
        part = parts.read(info.number)
        gathered.add((info.number, (part.values, part.tree.parent)))
    tree, _ = gathered.whole(np.zeros((parts.upper.tree.n_nodes, n_columns), dtype=int))
    assert tree.level_sizes.tolist() == list(parts.level_sizes)

    def doubled(_, rows, values, let_go):
        values[:] = 2 * rows
        let_go()

    waiting = gathered.read_later(gathered.solved(tree, doubled))
    for number, later in enumerate(waiting):
        expected = 2 * parts.read(number).values
        expected[0] = 0  # the root of a part has its number from the top
        arrived = pickle.loads(pickle.dumps(later))
        assert type(arrived) is np.ndarray
        np.testing.assert_array_equal(arrived, expected)
        np.testing.assert_array_equal(np.asarray(later), expected)


def test_many_workers_give_the_same(parts, tmp_path):
    one, many = (
        simulate_parts(parts, HDP, tmp_path / f"by-{n}", budget=BUDGETS[0], workers=n)
        for n in (1, 3)
    )
    table = random_sizes()
    whole = hdp.simulate(table, hdp.plan(table, HDP, budget=BUDGETS[0]), seed=0)
    assert one.digest() == many.digest()
    assert one.digest() == digest_in_memory(whole.table.values, table.tree.level_sizes)


def larger(parts, times):
    """The table as if every part had so many times as many areas."""
    infos = tuple(replace(one, rows=tuple(times * n for n in one.rows)) for one in parts.parts)
    return replace(parts, parts=infos)


def test_less_memory_is_foreseen_than_for_all_sizes_at_once(parts):
    many = larger(parts, 10**5)
    at_once = bytes_needed(many, hdp.mechanisms.PgsrCOpt(), workers=1)
    assert bytes_needed(many, HDP, workers=1) < at_once / 2
    # A level that is not measured is left out of the program, which then is solved in memory.
    assert bytes_needed(many, HDP, workers=1, allocation=[1, 1, 0, 1]) == at_once
    assert bytes_needed(many, HDP, workers=1, allocation=[0, 1, 1, 1]) < at_once / 2
    with pytest.raises(ChoiceError, match="write the table again in smaller parts"):
        workers_within(10**8, many, HDP)
    with pytest.raises(ChoiceError, match="one part at a time"):
        workers_within(10**8, many, HDP, allocation=[1, 1, 0, 1])


def test_the_way_follows_the_plan(parts):
    for allocation, strategy in (([0, 1, 1, 1], SizeBySize), ([1, 1, 0, 1], Gathered)):
        plan = plan_parts(parts, HDP, budget=BUDGETS[0], allocation=allocation)
        assert type(strategy_for(parts, plan)) is strategy
    plan = plan_parts(parts, "pgsr-c-opt", budget=BUDGETS[0])
    assert type(strategy_for(parts, plan)) is Gathered
    plan = plan_parts(parts, "pgsr-c-dp", budget=BUDGETS[0])
    assert type(strategy_for(parts, plan)) is CumulativeSizeBySize


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is in other units")
@pytest.mark.parametrize("mechanism", BY_SIZE)
def test_the_process_stays_below_what_was_foreseen(mechanism, tmp_path):
    blocks = write_us_blocks(tmp_path / "blocks", share=0.3)
    labels = dict(samples.load("us-households").table.labels)
    shares = np.arange(16, 0, -1) / 136

    def sizes():
        for info in blocks.parts:
            part = blocks.read(info.number)
            rng = np.random.default_rng(info.number)
            yield part.tree, part.ids, rng.multinomial(part.values[part.tree.leaves], shares)

    table = PartitionedTable.write(
        tmp_path / "sizes", upper=blocks.upper, levels=blocks.levels, kind="group-sizes",
        n_columns=16, parts=sizes(), labels=labels,
    )  # fmt: skip
    limit = bytes_needed(table, hdp.mechanisms.parse(mechanism), workers=1)
    line = ["parts", "simulate", str(table.folder), "--mechanism", mechanism, "--epsilon", "1",
            "--out", str(tmp_path / "o"), "--memory", f"{limit // 10**6 + 1}MB"]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *line], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert int(done.stdout.split()[-1]) <= limit
