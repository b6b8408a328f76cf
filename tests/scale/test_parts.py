"""Tables in parts give the numbers that they give in memory, and a broken table gives none."""

import json
import shutil
from pathlib import Path
from unittest import mock

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import counts_tables

import hierdp_core as hdp
from hierdp_core import samples
from hierdp_core.cli.entry import main
from hierdp_core.exceptions import BudgetError, ChoiceError, FileError, HierarchyError
from hierdp_core.scale import PartitionedTable, simulate_parts, write_us_blocks
from hierdp_core.scale.simulating import digest_in_memory

BUDGETS = (hdp.Budget.pure(0.5), hdp.Budget.zcdp(0.1), hdp.Budget.approximate(0.5, 1e-8))
COUNTS = ("hay", "topdown", "inftda", "tda-l2", "tree-dp", "blue-topdown")
SIZES = ("topdown-2018", "pgsr-h-dp", "pgsr-c-dp", "pgsr-c-opt", "blue-topdown-sizes")


def same_in_parts(table, id, folder: Path, *, budget, seed=7, allocation=None, cut) -> bool:
    shutil.rmtree(folder, ignore_errors=True)
    parts = PartitionedTable.of(table, folder / "table", cut=cut)
    plan = hdp.plan(table, id, budget=budget, allocation=allocation)
    whole = hdp.simulate(table, plan, seed=seed, index=2)
    found = simulate_parts(
        parts, id, folder / "out", budget=budget, allocation=allocation, seed=seed, index=2
    )
    assert found.plan.privacy.sentence == plan.privacy.sentence
    return found.digest() == digest_in_memory(whole.table.values, table.tree.level_sizes)


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda budget: budget.kind)
@pytest.mark.parametrize("id", COUNTS)
def test_counts_are_those_in_memory(id, budget, tmp_path):
    table = samples.load("us-population").table
    assert same_in_parts(table, id, tmp_path, budget=budget, cut="division")


@pytest.mark.parametrize("id", SIZES)
def test_group_sizes_are_those_in_memory(id, tmp_path):
    table = samples.load("us-households").table
    assert same_in_parts(table, id, tmp_path, budget=BUDGETS[0], cut="state")


@settings(max_examples=25)
@given(data=st.data())
def test_any_tree_cut_anywhere_gives_the_same(data, tmp_path_factory):
    table = data.draw(counts_tables(least_levels=3))
    cut = data.draw(st.sampled_from(table.regions.levels[1:-1]))
    id = data.draw(st.sampled_from(COUNTS))
    folder = tmp_path_factory.mktemp("parts")
    budget = data.draw(st.sampled_from(BUDGETS))
    assert same_in_parts(table, id, folder, budget=budget, cut=cut)


def test_levels_without_a_part_of_the_budget(tmp_path):
    table = samples.load("us-population").table
    weights = [1, 0, 1, 0, 1]
    assert same_in_parts(
        table, "hay", tmp_path, budget=BUDGETS[0], allocation=weights, cut="division"
    )
    parts = PartitionedTable.open(tmp_path / "table")
    with pytest.raises(ChoiceError, match="region has no part of the budget"):
        simulate_parts(parts, "topdown", tmp_path / "more", budget=BUDGETS[0], allocation=weights)


@pytest.fixture
def parts(tmp_path) -> PartitionedTable:
    table = samples.load("us-population").table
    return PartitionedTable.of(table, tmp_path / "table", cut="state")


def test_one_worker_and_many_give_the_same(parts, tmp_path):
    one, many = (
        simulate_parts(parts, "inftda", tmp_path / f"by-{n}", budget=BUDGETS[0], workers=n)
        for n in (1, 3)
    )
    assert one.digest() == many.digest()
    assert one.values(5).sum() == many.values(5).sum()


def test_what_needs_the_whole_table_says_so(parts, tmp_path):
    sizes = PartitionedTable.of(samples.load("us-households").table, tmp_path / "s", cut="state")
    for id in ("coc-opt", "pgsr-h-relaxed"):
        with pytest.raises(ChoiceError, match=r"needs the whole table in memory.*hay"):
            simulate_parts(sizes, id, tmp_path / "out", budget=BUDGETS[0])
    with pytest.raises(ChoiceError, match="holds counts"):
        simulate_parts(parts, "pgsr-h-dp", tmp_path / "out", budget=BUDGETS[0])
    with pytest.raises(BudgetError):
        simulate_parts(parts, "hay", tmp_path / "out", budget=BUDGETS[0], allocation=[1, 2])
    assert not (tmp_path / "out").exists()


def test_a_part_that_is_missing_or_changed_is_refused(parts, tmp_path):
    part = parts.folder / parts.parts[3].file
    content = part.read_bytes()
    frame = pq.read_table(part)
    for break_it, words in (
        (part.unlink, "cannot be read"),
        (lambda: part.write_bytes(content[:-9]), "was changed"),
        (lambda: pq.write_table(frame.drop_columns("count"), part), "was changed"),
    ):
        break_it()
        with pytest.raises(FileError, match=words):
            simulate_parts(parts, "hay", tmp_path / "out", budget=BUDGETS[0])
        assert [path.name for path in tmp_path.iterdir() if path.name != "table"] == []
        part.write_bytes(content)
    assert simulate_parts(parts, "hay", tmp_path / "out", budget=BUDGETS[0]).n_parts == 51


def test_what_cannot_be_written_is_told_and_leaves_nothing(parts, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot be written"):
        simulate_parts(parts, "hay", tmp_path / "file" / "out", budget=BUDGETS[0])
    fails = mock.Mock(side_effect=OSError(28, "No space left on device"))
    monkeypatch.setattr("hierdp_core.scale.simulating._settle", fails)
    with pytest.raises(FileError, match="No space left"):
        simulate_parts(parts, "hay", tmp_path / "out", budget=BUDGETS[0])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "table"]


def test_a_damaged_description_is_told(parts):
    words = json.loads((parts.folder / "table.json").read_text())
    for damaged in ([], words | {"parts": [{"number": 0}]}, {"format": words["format"]}):
        (parts.folder / "table.json").write_text(json.dumps(damaged))
        with pytest.raises(FileError):
            PartitionedTable.open(parts.folder)


def test_a_folder_that_is_no_table_is_refused(parts, tmp_path):
    with pytest.raises(FileError, match="holds no partitioned table"):
        PartitionedTable.open(tmp_path)
    with pytest.raises(FileError, match="is not empty"):
        write_us_blocks(parts.folder)
    with pytest.raises(FileError, match="is there already"):
        simulate_parts(parts, "hay", parts.folder, budget=BUDGETS[0])
    words = json.loads((parts.folder / "table.json").read_text())
    (parts.folder / "table.json").write_text(json.dumps(words | {"format": 9}))
    with pytest.raises(FileError, match="another version"):
        PartitionedTable.open(parts.folder)


def test_where_a_table_can_be_cut(tmp_path):
    table = samples.load("us-population").table
    for cut in ("nation", "county"):
        with pytest.raises(ChoiceError, match="between its first and last level"):
            PartitionedTable.of(table, tmp_path / "t", cut=cut)
    with pytest.raises(HierarchyError, match='No level "block"'):
        PartitionedTable.of(table, tmp_path / "t", cut="block")
    with pytest.raises(ChoiceError, match="holds flows"):
        PartitionedTable.of(samples.load("ri-commuting").table, tmp_path / "t", cut="county")


def test_blocks_add_up_to_the_counties(tmp_path):
    table = write_us_blocks(tmp_path / "blocks", share=0.05)
    assert table.levels[-1] == "block"
    assert table.level_sizes[:3] == (1, 51, 3143)
    counties = samples.load("us-population").table
    california = table.upper.ids.index("06") - 1
    part = table.read(california)
    level = part.tree.level(1)
    true = [counties.values[counties.regions.node(id, 4)] for id in part.ids[level]]
    assert part.values[level].tolist() == true
    empty = (part.values[part.tree.leaves] == 0).mean()
    assert 0.25 < empty < 0.5
    assert len(set(part.ids[part.tree.leaves])) == part.tree.n_leaves
    for share in (0, 1.5):
        with pytest.raises(ChoiceError, match="share of the blocks"):
            write_us_blocks(tmp_path / "more", share=share)


def test_the_command_writes_and_simulates(tmp_path, capsys):
    folder, out = str(tmp_path / "t"), str(tmp_path / "o")
    line = ["parts", "write", folder, "--sample", "us-population", "--cut", "state", "--json"]
    assert main(line) == 0
    assert json.loads(capsys.readouterr().out)["parts"] == 51
    line = ["parts", "simulate", folder, "--mechanism", "hay", "--epsilon", "1", "--out", out]
    assert main([*line, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["digest"]) == 64
    assert "ε = 1" in told["privacy"]
    assert main(line) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["parts"]) == 2
    assert "hierdp parts write" in capsys.readouterr().err
