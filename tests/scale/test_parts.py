"""Tables in parts give the numbers that they give in memory, and a broken table gives none."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import counts_tables

import hierdp_core as hdp
from hierdp_core import mechanisms, samples
from hierdp_core.cli.entry import main
from hierdp_core.exceptions import (
    BudgetError,
    ChoiceError,
    FileError,
    HierarchyError,
    HierdpError,
    TableError,
)
from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.scale import (
    PartitionedTable,
    plan_parts,
    read_area,
    simulate_parts,
    write_us_blocks,
)
from hierdp_core.scale.limits import bytes_needed, workers_within
from hierdp_core.scale.simulating import digest_in_memory
from hierdp_core.scale.ways import names_in_parts, require_strategy
from hierdp_core.util import memory
from hierdp_core.util.marks import CONTAINS_TRUTH

ROOT = Path(__file__).resolve().parents[2]
BUDGETS = (hdp.Budget.pure(0.5), hdp.Budget.zcdp(0.1), hdp.Budget.approximate(0.5, 1e-8))
COUNTS = ("hay", "topdown", "inftda", "tda-l2", "tree-dp", "blue-topdown")
SIZES = ("topdown-2018", "pgsr-h-dp", "pgsr-c-dp", "pgsr-c-opt", "blue-topdown-sizes")
MATCHED = (
    hdp.mechanisms.CountOfCounts(),
    hdp.mechanisms.CountOfCounts(methods=("naive", "hc", "hg", "hg"), merge="mean"),
    hdp.mechanisms.CountOfCountsNaive(),
)


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


@pytest.mark.parametrize("mechanism", MATCHED, ids=lambda one: f"{one.id}-{one.methods[0]}")
def test_matched_groups_are_those_in_memory(mechanism, tmp_path):
    table = random_sizes()
    for cut in ("district", "town"):
        assert same_in_parts(table, mechanism, tmp_path, budget=BUDGETS[0], cut=cut)


def random_sizes():
    """Group sizes in four levels of uneven families, some of them empty."""
    rng = np.random.default_rng(5)
    codes = {"nation": [("n", None)]}
    for level, n in (("district", 4), ("town", 11), ("block", 40)):
        above = [code for code, _ in list(codes.values())[-1]]
        places = [*range(len(above)), *rng.integers(0, len(above), n - len(above))]
        codes[level] = [(f"{level}{k}", above[p]) for k, p in enumerate(sorted(places))]
    parents = {code: parent for level in codes.values() for code, parent in level}
    regions = hdp.Regions.from_parents(parents, levels=tuple(codes))
    groups = rng.integers(0, 60, (40, 1)) * (rng.random((40, 1)) > 0.2)
    return hdp.GroupSizes.from_leaves(regions, rng.poisson(groups * rng.dirichlet([1] * 7, 40)))


def test_matching_needs_public_numbers_of_groups(tmp_path):
    parts = PartitionedTable.of(random_sizes(), tmp_path / "table", cut="town")
    for options in ({"totals": "private"}, {"max_size": "noisy"}):
        mechanism = hdp.mechanisms.CountOfCounts(**options)
        with pytest.raises(ChoiceError, match=r"treats the numbers of groups as public.*memory"):
            simulate_parts(parts, mechanism, tmp_path / "out", budget=BUDGETS[0])
        with pytest.raises(ChoiceError, match=r"treats the numbers of groups as public.*memory"):
            plan_parts(parts, mechanism, budget=BUDGETS[0])


@pytest.mark.slow
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
    with pytest.raises(ChoiceError, match="the weight of region in the allocation is 0"):
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


def test_what_needs_the_whole_table_states_it(parts, tmp_path):
    sizes = PartitionedTable.of(samples.load("us-households").table, tmp_path / "s", cut="state")
    for id in ("coc-opt", "pgsr-h-relaxed"):
        with pytest.raises(ChoiceError, match=r"needs the whole table in memory.*pgsr-h-dp") as no:
            simulate_parts(sizes, id, tmp_path / "out", budget=BUDGETS[0])
        assert "hay" not in str(no.value)  # it takes counts, and the table holds group sizes
    for id in ("vanilla-gauss", "tda-linf"):
        with pytest.raises(ChoiceError, match="Use inftda, tda-l2, topdown, hay, tree-dp or blue-"):
            simulate_parts(parts, id, tmp_path / "out", budget=BUDGETS[0])
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


def test_what_cannot_be_written_is_reported_and_leaves_nothing(parts, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot be written"):
        simulate_parts(parts, "hay", tmp_path / "file" / "out", budget=BUDGETS[0])
    fails = mock.Mock(side_effect=OSError(28, "No space left on device"))
    monkeypatch.setattr("hierdp_core.scale.simulating._settle", fails)
    with pytest.raises(FileError, match="No space left"):
        simulate_parts(parts, "hay", tmp_path / "out", budget=BUDGETS[0])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "table"]


def test_a_damaged_description_is_reported(parts):
    words = json.loads((parts.folder / "table.json").read_text(encoding="utf-8"))
    for damaged in ([], words | {"parts": [{"number": 0}]}, {"format": words["format"]}):
        (parts.folder / "table.json").write_text(json.dumps(damaged))
        with pytest.raises(FileError):
            PartitionedTable.open(parts.folder)


def test_a_folder_that_is_no_table_is_refused(parts, tmp_path):
    with pytest.raises(FileError, match="holds no table in parts"):
        PartitionedTable.open(tmp_path)
    with pytest.raises(FileError, match="is not empty"):
        write_us_blocks(parts.folder)
    with pytest.raises(FileError, match="already exists"):
        simulate_parts(parts, "hay", parts.folder, budget=BUDGETS[0])
    words = json.loads((parts.folder / "table.json").read_text(encoding="utf-8"))
    (parts.folder / "table.json").write_text(json.dumps(words | {"format": 9}))
    with pytest.raises(FileError, match="another version"):
        PartitionedTable.open(parts.folder)


def test_where_a_table_can_be_cut(tmp_path):
    table = samples.load("us-population").table
    for cut in ("nation", "county", "block"):
        with pytest.raises(ChoiceError, match=r"first and the last.*region, division or state"):
            PartitionedTable.of(table, tmp_path / "t", cut=cut)
    with pytest.raises(ChoiceError, match="holds flows"):
        PartitionedTable.of(samples.load("ri-commuting").table, tmp_path / "t", cut="county")


@pytest.mark.parametrize(
    ("codes", "fault"),
    [
        ((["a", "x", "y"], ["b", "x", "z"]), "The code x occurs in two parts"),
        ((["b", "x", "y"], ["a", "w", "z"]), "Part 0 is that of b, but its place is that of a"),
    ],
)
def test_areas_of_two_parts_are_not_mixed_up(tmp_path, codes, fault):
    tree = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
    described = {
        "upper": Regions.from_parents({"all": None, "a": "all", "b": "all"}, levels=("n", "s")),
        "levels": ("n", "s", "c"),
        "kind": "counts",
        "n_columns": 1,
        "labels": dict(samples.load("us-population").table.labels),
    }
    parts = [(tree, ids, np.array([5, 6])) for ids in codes]
    with pytest.raises(TableError, match=fault):
        PartitionedTable.write(tmp_path / "mixed", parts=parts, **described)
    with pytest.raises(FileError, match="holds no table in parts"):
        PartitionedTable.open(tmp_path / "mixed")
    different = [(tree, ids, np.array([5, 6])) for ids in (["a", "x", "y"], ["b", "w", "z"])]
    assert len(PartitionedTable.write(tmp_path / "t", parts=different, **described).parts) == 2


def test_codes_with_the_same_hash_may_differ(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "hierdp_core.scale.partitioned.hash_array",
        lambda codes, categorize: np.zeros(len(codes), dtype=np.uint64),
    )
    table = samples.load("us-population").table
    parts = PartitionedTable.of(table, tmp_path / "t", cut="state")
    assert parts.level_sizes == tuple(table.tree.level_sizes.tolist())


def test_a_released_table_with_fractions_is_not_cut_into_parts(tmp_path):
    table = samples.load("us-population").table
    released = hdp.simulate(table, hdp.plan(table, "hay", epsilon=1)).table
    with pytest.raises(TableError, match="must be whole"):
        PartitionedTable.of(released, tmp_path / "t", cut="state")
    assert not (tmp_path / "t").exists()


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
        with pytest.raises(ChoiceError, match="proportion of blocks"):
            write_us_blocks(tmp_path / "more", share=share)


def test_the_command_writes_and_simulates(tmp_path, capsys):
    folder, out = str(tmp_path / "t"), str(tmp_path / "o")
    line = ["parts", "write", folder, "--sample", "us-population", "--cut", "state", "--json"]
    assert main(line) == 0
    assert json.loads(capsys.readouterr().out)["parts"] == 51
    line = ["parts", "simulate", folder, "--mechanism", "hay", "--epsilon", "1", "--out", out]
    assert main([*line, "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert len(output["digest"]) == 64
    assert "ε = 1" in output["privacy"]
    assert main(line) == 2
    assert "already exists" in capsys.readouterr().err
    assert main(["parts"]) == 2
    assert "hierdp parts write" in capsys.readouterr().err


def test_a_limit_of_memory_is_kept_by_fewer_workers_or_refused(parts, tmp_path):
    hay, tree_dp = hdp.mechanisms.Hay(), hdp.mechanisms.TreeDp()
    one, two = (bytes_needed(parts, hay, workers=n) for n in (1, 2))
    assert one < two
    assert workers_within(two, parts, hay, workers=4) == 2
    assert workers_within(two - 1, parts, hay, workers=4) == 1
    assert workers_within(10**12, parts, hay, workers=3) == 3
    with pytest.raises(ChoiceError, match=r"needs about 0\.4 GB of memory.*0\.1 GB.*smaller parts"):
        simulate_parts(parts, hay, tmp_path / "out", budget=BUDGETS[0], memory=10**8)
    with pytest.raises(ChoiceError, match="such as hay or inftda"):
        simulate_parts(parts, tree_dp, tmp_path / "out", budget=BUDGETS[0], memory=10**8)
    groups = PartitionedTable.of(
        samples.load("us-households").table, tmp_path / "groups", cut="state"
    )
    with pytest.raises(ChoiceError, match="such as topdown-2018 or coc"):
        workers_within(10**8, groups, hdp.mechanisms.PgsrCOpt(), workers=1)
    with pytest.raises(ChoiceError, match="--memory-limit"):
        simulate_parts(parts, hay, tmp_path / "o", budget=BUDGETS[0], memory=10**9, client=object())
    assert {path.name for path in tmp_path.iterdir()} == {"table", "groups"}


def test_numbers_that_are_needed_at_once_are_counted_in_the_refusal(parts, tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    needed = r"tree-dp needs all numbers of the table at once, and [\d,]+ areas × 1 column \("
    with pytest.raises(HierdpError, match=needed):
        simulate_parts(parts, "tree-dp", tmp_path / "out", budget=BUDGETS[0])


@pytest.mark.parametrize("text", ["1", "GB", "-1GB", "1 PB", "1e9GB"])
def test_an_amount_of_memory_that_is_none_is_refused(parts, tmp_path, capsys, text):
    line = ["parts", "simulate", str(parts.folder), "--mechanism", "hay", "--epsilon", "1"]
    assert main([*line, "--out", str(tmp_path / "o"), f"--memory={text}"]) == 2
    assert "--memory takes an amount such as 1GB" in capsys.readouterr().err


def test_an_unknown_mechanism_is_refused_with_those_for_the_table(parts, tmp_path, capsys):
    line = ["parts", "simulate", str(parts.folder), "--mechanism", "foo", "--epsilon", "1"]
    assert main([*line, "--out", str(tmp_path / "o")]) == 2
    message = capsys.readouterr().err
    offered = message.partition("For this table, choose ")[2].rstrip(".\n").replace(" or ", ", ")
    assert offered.split(", ") == names_in_parts("counts")
    for id in offered.split(", "):
        require_strategy(mechanisms.configured(id), "counts")


def test_an_option_of_the_mechanism_changes_the_simulation(tmp_path, capsys):
    parents = {"n": None, "a": "n", "b": "n", "a1": "a", "a2": "a", "b1": "b"}
    regions = hdp.Regions.from_parents(parents, levels=["nation", "state", "county"])
    table = hdp.GroupSizes.from_leaves(regions, [[9, 40, 30, 8], [5, 20, 9, 7], [2, 30, 11, 3]])
    folder = PartitionedTable.of(table, tmp_path / "table", cut="state").folder
    line = ["parts", "simulate", str(folder), "--mechanism", "coc", "--epsilon", "1", "--json"]
    digests = []
    for option in ("merge=mean", "merge=weighted"):
        code = main([*line, "--out", str(tmp_path / option), "--option", option])
        assert code == 0
        digests.append(json.loads(capsys.readouterr().out)["digest"])
    assert digests[0] != digests[1]
    assert main([*line, "--out", str(tmp_path / "o"), "--option", "merge=foo"]) == 2
    assert "The option merge of coc cannot be" in capsys.readouterr().err


PEAK = """
import sys
from hierdp_core.cli import main
code = main(sys.argv[1:])
# The peak of this program; that of getrusage begins with the process that started it.
with open("/proc/self/status") as status:
    facts = dict(line.split(":", 1) for line in status)
print(1024 * int(facts["VmHWM"].split()[0]))
sys.exit(code)
"""


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is in other units")
@pytest.mark.parametrize("id", ["hay", "inftda", "tree-dp"])
def test_the_process_stays_below_what_was_foreseen(id, tmp_path):
    table = write_us_blocks(tmp_path / "blocks", share=0.3)
    mechanism = hdp.mechanisms.get(id)()
    limit = bytes_needed(table, mechanism, workers=1)
    line = ["parts", "simulate", str(table.folder), "--mechanism", id, "--epsilon", "1",
            "--out", str(tmp_path / "o"), "--memory", f"{limit // 10**6 + 1}MB"]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *line], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert int(done.stdout.split()[-1]) <= limit


@pytest.mark.slow
def test_an_area_is_read_with_what_is_directly_below_it(parts, tmp_path):
    table = samples.load("us-population").table
    out = simulate_parts(parts, "hay", tmp_path / "out", budget=BUDGETS[0], seed=4)
    plan = hdp.plan(table, "hay", budget=BUDGETS[0])
    whole = hdp.simulate(table, plan, seed=4).table.values
    tree, ids = table.tree, table.regions.ids
    some = [*range(tree.level(4).start), int(tree.leaves.start), int(tree.n_nodes) - 1]
    for node in some:
        nodes = [node, *range(int(tree.child_start[node]), int(tree.child_start[node + 1]))]
        level = table.regions.levels[tree.level_of[node]]
        frame = read_area(out.folder, ids[node], level=level, table=parts.folder)
        assert frame["id"].tolist() == [ids[k] for k in nodes]
        assert frame["level"].tolist() == [table.regions.levels[tree.level_of[k]] for k in nodes]
        assert frame["exact"].tolist() == table.values[nodes].tolist()
        assert frame["released"].tolist() == whole[nodes].tolist()
        assert frame["error"].tolist() == (whole[nodes] - table.values[nodes]).tolist()
        assert frame.attrs["above"][-1] == ids[node]
        assert len(frame.attrs["above"]) == tree.level_of[node] + 1
    assert read_area(out.folder)["id"][0] == ids[0]


def test_a_code_that_stands_on_several_levels_is_reported_apart_by_its_level(tmp_path):
    tree = hdp.Hierarchy(parent=[-1, 0, 0, 1, 2], level_start=[0, 1, 3, 5])
    ids, nobody = ("x", "1", "2", "1", "2"), np.zeros(5, dtype=bool)
    regions = hdp.Regions(tree=tree, levels=("a", "b", "c"), ids=ids, names=ids, padded=nobody)
    counts = hdp.Counts.from_leaves(regions, [40, 70])
    parts = PartitionedTable.of(counts, tmp_path / "table", cut="b")
    out = simulate_parts(parts, "hay", tmp_path / "out", budget=BUDGETS[0])
    by_level = {
        level: read_area(out.folder, "2", level=level, table=parts.folder) for level in "bc"
    }
    assert by_level["b"]["level"].tolist() == ["b", "c"]
    assert by_level["c"]["exact"].tolist() == [70]
    assert read_area(out.folder, "2")["level"].tolist() == ["b", "c"]


def test_groups_of_an_area_are_rows_by_size(tmp_path):
    table = samples.load("us-households").table
    parts = PartitionedTable.of(table, tmp_path / "t", cut="state")
    out = simulate_parts(parts, "topdown-2018", tmp_path / "o", budget=BUDGETS[0])
    state = table.regions.ids[1]
    frame = read_area(out.folder, state, level="state", table=parts.folder)
    first = frame[frame["id"] == state]
    assert first["exact"].tolist() == table.values[1].tolist()
    assert first["size"].tolist() == list(range(table.values.shape[1]))


def test_only_the_rows_that_are_needed_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr("hierdp_core.scale.simulating.ROWS_A_GROUP", 10)
    counts = samples.load("us-population").table
    table = PartitionedTable.of(counts, tmp_path / "table", cut="division")
    out = simulate_parts(table, "inftda", tmp_path / "out", budget=BUDGETS[0])
    file = pq.ParquetFile(out.folder / table.parts[4].file)
    assert file.metadata.num_row_groups > 40
    state = table.read(4).ids[1]
    read = []
    whole = pq.ParquetFile.read_row_group
    monkeypatch.setattr(
        pq.ParquetFile,
        "read_row_group",
        lambda self, number, *how: read.append(number) or whole(self, number, *how),
    )
    assert read_area(out.folder, state, level="state")["level"].tolist()[1] == "county"
    assert len(read) < 40


@pytest.mark.slow
def test_an_area_or_a_simulation_that_is_not_there_is_reported(parts, tmp_path):
    out = simulate_parts(parts, "hay", tmp_path / "out", budget=BUDGETS[0])
    with pytest.raises(ChoiceError, match='has the code "99999"'):
        read_area(out.folder, "99999")
    with pytest.raises(HierarchyError, match='no level "block"'):
        read_area(out.folder, "06", level="block")
    with pytest.raises(FileError, match="holds neither a simulation in parts"):
        read_area(parts.folder)
    other = write_us_blocks(tmp_path / "blocks", share=0.05)
    with pytest.raises(FileError, match="other areas"):
        read_area(out.folder, table=other.folder)
    (out.folder / parts.parts[0].file).unlink()
    with pytest.raises(FileError, match="missing or was changed"):
        read_area(out.folder, parts.upper.ids[-51], level="state")


def test_the_command_shows_an_area(parts, tmp_path, capsys):
    out = simulate_parts(parts, "hay", tmp_path / "out", budget=BUDGETS[0])
    line = ["parts", "show", str(out.folder), "06", "--table", str(parts.folder)]
    assert main([*line, "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["areas"][0]["level"] == "state"
    assert len(output["areas"]) == 59
    assert output["mark"] == CONTAINS_TRUTH
    assert main([*line[:4], "--json"]) == 0
    assert "mark" not in json.loads(capsys.readouterr().out)
    assert main(line) == 0
    text = capsys.readouterr().out
    assert "not for publication" in text
    (row,) = (line for line in text.splitlines() if line.startswith("state"))
    simulated, true, error = map(float, row.replace(",", "").split()[2:])
    assert simulated % 1
    assert simulated - true == pytest.approx(error, abs=0.011)
