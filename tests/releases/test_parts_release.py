"""A table in parts is released once: every cell measured once, stored once, paid for once."""

import hashlib
import signal
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from support.release_workers import COST, die_after_one_part, server
from support.releases import IN_A_MESSAGE, InjectedNoise, new_ledger, regions, small_table

import hierdp_core as hdp
from hierdp_core.exceptions import (
    ChoiceError,
    FileError,
    ReleaseError,
    SolverError,
    TableError,
)
from hierdp_core.hierarchy import Regions
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.noise import ExactNoise
from hierdp_core.releases.ledger import Kind
from hierdp_core.releases.making import finished
from hierdp_core.releases.margins import margins
from hierdp_core.releases.package import writing as package_writing
from hierdp_core.releases.parts import making, stored
from hierdp_core.releases.parts.stored import TOP, part_name
from hierdp_core.releases.verification import faults_against
from hierdp_core.scale import PartitionedTable, plan_parts
from hierdp_core.scale.gathering import GatheredNumbers
from hierdp_core.scale.partitioned import values_below
from hierdp_core.scale.ways import Matching
from hierdp_core.tables import Counts

BUDGET = hdp.Budget.pure("0.5")
COUNTS = ("tree-dp", "topdown", "inftda", "blue-topdown")
SIZES = ("pgsr-h-dp", "pgsr-c-dp", "topdown-2018", "coc", "coc: methods=naive")
SMALL_SIZES = [[2, 5, 1, 0], [1, 0, 3, 1], [0, 4, 0, 2]]
ONE_PERSON_MORE = [[2, 5, 1, 0], [1, 0, 3, 1], [0, 3, 1, 2]]
KIND = dict.fromkeys(COUNTS, "counts") | dict.fromkeys(SIZES, "group-sizes")


def in_parts(folder, table=None):
    return PartitionedTable.of(table or small_table(), folder / "table", cut="district")


def released(folder, id="tree-dp", *, table=None, ledger=None, mechanism=None):
    parts = in_parts(folder, table or small_table(KIND[id]))
    plan = plan_parts(parts, mechanism or id, budget=BUDGET)
    return hdp.release(parts, plan, ledger=ledger or new_ledger(folder), dataset="pop", workers=1)


def digests(made):
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in made.folder.glob("*.npz")
    }


@pytest.mark.parametrize("id", [*COUNTS, *SIZES])
def test_a_release_in_parts_is_consistent_paid_once_and_opens(tmp_path, id):
    ledger = new_ledger(tmp_path)
    made = released(tmp_path, id, ledger=ledger)
    path = made.write(tmp_path / "package", n_simulations=10, measurements=True, workers=1)
    package = hdp.open_release(path)
    assert package.certificate["checks"]["consistent"]
    assert package.certificate["checks"]["non_negative_integers"]
    assert list(package.tables) == ["country", "district"]
    districts = package.tables["district"].groupby("id", sort=False)["value"].sum()
    for number, (code, total) in enumerate(districts.items()):
        part = package.part(number)
        assert set(part["parent"]) == {code}
        assert part["value"].sum() == total
        assert {"margin", "low", "high", "note"} <= {*part.columns}
    assert {row["level"] for row in package.certificate["fitness_for_use"]} == {
        "country", "district", "parish"
    }  # fmt: skip
    (entry,) = ledger.entries("pop")
    assert entry.state is Kind.PACKAGED
    assert ledger.account("pop").spent == Fraction(1, 2)
    assert ledger.faults() == ()
    assert faults_against(ledger, [path]) == []


def test_every_cell_is_measured_once(tmp_path, monkeypatch):
    sampled = []
    draw = ExactNoise.draw
    monkeypatch.setattr(
        ExactNoise,
        "draw",
        lambda self, event, shape, cells=None: (
            sampled.append(int(np.prod(shape))) or draw(self, event, shape, cells)
        ),
    )
    # The end of cumulative sizes is public, so three of four are measured in each area.
    for id, numbers in (("tree-dp", 1), ("topdown", 1), ("pgsr-h-dp", 4), ("coc", 3)):
        sampled.clear()
        folder = tmp_path / id
        folder.mkdir()
        released(folder, id)
        assert sum(sampled) == numbers * small_table().tree.n_nodes


def test_what_is_released_is_what_memory_makes_of_the_same_measurements(tmp_path):
    table = small_table()
    made = released(tmp_path, table=table)
    noisy = [made.noisy(part_name(number)) for number in range(2)]
    gathered, top = GatheredNumbers(made.table), made.noisy(TOP)
    for number, numbers in enumerate(noisy):
        assert numbers[0] == top[1 + number]  # a part has its root from the top
        gathered.add((number, (numbers, made.table.shape(number).tree.parent)))
    _, together = gathered.whole(top)
    plan = hdp.plan(table, "tree-dp", budget=BUDGET)
    expected, _ = finished(table.blank(), plan, together)
    package = hdp.open_release(made.write(tmp_path / "package", n_simulations=10, workers=1))
    found = [*package.tables["country"]["value"], *package.tables["district"]["value"]]
    found += [n for number in range(2) for n in package.part(number)["value"]]
    assert found == expected.values.tolist()


def test_a_package_has_maps_of_every_level_with_boundaries(tmp_path):
    table = small_table()
    made = released(tmp_path, table=table)
    drawn = tile_layout(table.regions, label="own")
    path = made.write(tmp_path / "package", n_simulations=10, boundaries=drawn, workers=1)
    package = hdp.open_release(path)
    assert [*package.maps] == ["country", "district", "parish"]
    below = pd.concat([package.part(number) for number in range(2)])
    for level, rows in {**package.tables, "parish": below}.items():
        shapes = package.shapes(level)
        assert dict(zip(shapes["id"], shapes["value"], strict=True)) == dict(
            zip(rows["id"], rows["value"], strict=True)
        )
        assert shapes.geometry.notna().all()


def test_boundaries_of_other_areas_give_no_map(tmp_path):
    made = released(tmp_path, table=small_table())
    other = Regions.from_parents(
        {"other": None, "x": "other", "x1": "x"}, levels=("country", "district", "parish")
    )
    path = made.write(
        tmp_path / "package", n_simulations=10, boundaries=tile_layout(other), workers=1
    )
    assert not hdp.open_release(path).maps


@pytest.mark.parametrize(
    "id", ["tree-dp", "inftda", "topdown-2018", "pgsr-h-dp", "coc", "coc: methods=naive"]
)
def test_margins_are_those_of_the_same_release_in_memory(tmp_path, id):
    table = small_table(KIND[id])
    made = released(tmp_path, id, table=table)
    package = hdp.open_release(made.write(tmp_path / "package", n_simulations=12, workers=1))
    frames = [package.tables["country"], package.tables["district"]]
    frames += [package.part(number) for number in range(2)]
    values = np.concatenate([frame["value"] for frame in frames]).reshape(table.values.shape)
    plan = hdp.plan(table.with_values(values), id, budget=BUDGET)
    expected = margins(table.with_values(values), plan, seed=made.seed, n_simulations=12)
    found = np.concatenate([frame["margin"].astype("float64") for frame in frames])
    np.testing.assert_array_equal(found, expected.cells)


NEIGHBOURS = {
    "tree-dp": (hdp.Counts, [40, 17, 230], [41, 17, 230]),
    # One person more, in a group that is there in both: the numbers of groups are public.
    "pgsr-h-dp": (hdp.GroupSizes, SMALL_SIZES, ONE_PERSON_MORE),
    "coc": (hdp.GroupSizes, SMALL_SIZES, ONE_PERSON_MORE),
}


@pytest.mark.parametrize("id", [*NEIGHBOURS])
def test_neighbouring_tables_give_the_same_package_under_the_same_measurements(
    tmp_path, monkeypatch, id
):
    monkeypatch.setattr(making, "ExactNoise", lambda events, **_: InjectedNoise(len(events)))
    monkeypatch.setattr(making, "new_id", lambda: "0" * 32)
    kind, *both = NEIGHBOURS[id]
    found = []
    for name, leaves in zip(("one", "other"), both, strict=True):
        folder = tmp_path / name
        folder.mkdir()
        made = released(folder, id, table=kind.from_leaves(regions(), leaves))
        path = made.write(folder / "package", n_simulations=10, measurements=True, workers=1)
        files = {file.relative_to(path): file.read_bytes() for file in path.rglob("*.*")}
        found.append({k: v for k, v in files.items() if not k.name.startswith("certificate")})
    assert len(found[0]) == 11
    assert found[0] == found[1]


def some_sizes():
    """Ten parishes in two districts, half of them without groups."""
    parents = {"all": None, "a": "all", "b": "all"}
    parents |= {f"{above}{k}": above for above in "ab" for k in range(5)}
    places = Regions.from_parents(parents, levels=("country", "district", "parish"))
    rng = np.random.default_rng(8)
    return hdp.GroupSizes.from_leaves(places, rng.integers(0, 20, (10, 6)) * ([[1], [0]] * 5))


MATCHED = (
    hdp.mechanisms.CountOfCounts(),
    hdp.mechanisms.CountOfCounts(methods=("naive", "hc", "hg"), merge="mean"),
    hdp.mechanisms.CountOfCounts(max_size=3),
)


@pytest.mark.parametrize("mechanism", MATCHED, ids=["coc", "three-methods", "top-coded"])
def test_matched_groups_keep_the_public_number_of_groups_of_every_area(tmp_path, mechanism):
    table = some_sizes()
    made = released(tmp_path, table=table, mechanism=mechanism)
    package = hdp.open_release(made.write(tmp_path / "package", n_simulations=10, workers=1))
    assert all(package.certificate["checks"].values())
    assert "public_totals_kept" in package.certificate["checks"]
    frames = [*package.tables.values(), *(package.part(number) for number in range(2))]
    frame = pd.concat(frames)
    groups = frame.groupby("id", sort=False)["value"].sum()
    assert groups.to_dict() == dict(zip(table.regions.ids, table.values.sum(axis=1), strict=True))
    assert frame["size"].max() == (3 if mechanism.max_size == 3 else 5)


@pytest.mark.parametrize("mechanism", MATCHED, ids=["coc", "three-methods", "top-coded"])
def test_matched_groups_are_what_memory_makes_of_the_same_measurements(tmp_path, mechanism):
    table = some_sizes()
    made = released(tmp_path, table=table, mechanism=mechanism)
    top, parts = made.noisy(TOP), [made.noisy(part_name(number)) for number in range(2)]
    below = [one.noisy.levels[1] for one in parts]
    parishes = [*chain(*below)] if isinstance(below[0], list) else np.concatenate(below)
    together = replace(top.noisy, levels=(*top.noisy.levels, parishes))
    plan = hdp.plan(table, mechanism, budget=BUDGET)
    expected, _ = finished(table.blank(), plan, together)
    package = hdp.open_release(made.write(tmp_path / "package", n_simulations=10, workers=1))
    frames = [*package.tables.values(), *(package.part(number) for number in range(2))]
    assert pd.concat(frames)["value"].tolist() == expected.values.reshape(-1).tolist()


def test_a_certificate_tells_where_public_numbers_are_not_kept(tmp_path, monkeypatch):
    settle = Matching.settle_part

    def swapped(self, shape, noisy, given):
        values = settle(self, shape, noisy, given)
        values[shape.tree.leaves] = values[shape.tree.leaves][::-1]
        return values

    monkeypatch.setattr(Matching, "settle_part", swapped)
    made = released(tmp_path, "coc")
    package = hdp.open_release(made.write(tmp_path / "package", n_simulations=10, workers=1))
    assert package.certificate["checks"]["consistent"]
    assert not package.certificate["checks"]["public_totals_kept"]


@pytest.mark.parametrize("id", ["topdown", "tree-dp", "coc"])
def test_a_certificate_tells_where_parts_do_not_add_up(tmp_path, monkeypatch, id):
    made = released(tmp_path, id)
    settle = type(made.strategy).settle_part

    def more(self, shape, noisy, given):
        values = settle(self, shape, noisy, given)
        values[0] += 1
        return values

    monkeypatch.setattr(type(made.strategy), "settle_part", more)
    package = hdp.open_release(made.write(tmp_path / "package", n_simulations=10, workers=1))
    assert not package.certificate["checks"]["consistent"]


def fail_to_store(monkeypatch, name):
    """Let the storing of one part fail, as on a full disk."""
    write = stored.write_through

    def failing(path, content):
        if name in path.name:
            raise OSError(28, "No space left on device")
        write(path, content)

    monkeypatch.setattr(stored, "write_through", failing)


@pytest.mark.parametrize("id", ["tree-dp", "coc"])
def test_a_part_that_fails_is_measured_by_the_next_call_and_no_other_is(tmp_path, monkeypatch, id):
    ledger = new_ledger(tmp_path)
    with monkeypatch.context() as patch:
        fail_to_store(patch, part_name(1))
        with pytest.raises(
            ReleaseError, match=r"No space left.*Of 3 files.*2 are stored.*stays spent"
        ):
            released(tmp_path, id, ledger=ledger)
    (entry,) = ledger.entries("pop")
    assert entry.state is Kind.RESERVED
    folder = next(ledger.folder.glob("*.parts"))
    before = {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in folder.glob("*.npz")}
    assert set(before) == {"top.npz", "part-00000.npz"}
    parts = PartitionedTable.open(tmp_path / "table")
    plan = plan_parts(parts, id, budget=BUDGET)
    made = hdp.release(parts, plan, ledger=ledger, dataset="pop", workers=1)
    assert before.items() <= digests(made.stored).items()
    (entry,) = ledger.entries("pop")
    assert entry.state is Kind.NOISE_ADDED
    assert ledger.account("pop").spent == Fraction(1, 2)
    again = hdp.release(parts, plan, ledger=ledger, dataset="pop", workers=1)
    assert digests(again.stored) == digests(made.stored)
    assert len(ledger.entries("pop")) == 1


def test_a_lost_top_is_not_measured_a_second_time_beside_parts_of_the_first(tmp_path, monkeypatch):
    ledger = new_ledger(tmp_path)
    with monkeypatch.context() as patch:
        fail_to_store(patch, part_name(1))
        with pytest.raises(ReleaseError, match=r"Of 3 files.*2 are stored"):
            released(tmp_path, ledger=ledger)
    (top,) = ledger.folder.glob("*.parts/top.npz")
    top.unlink()
    parts = PartitionedTable.open(tmp_path / "table")
    plan = plan_parts(parts, "tree-dp", budget=BUDGET)
    with pytest.raises(ReleaseError, match=r"top in .* are missing.*change the title"):
        hdp.release(parts, plan, ledger=ledger, dataset="pop", workers=1)
    assert not top.exists()
    assert ledger.account("pop").spent == Fraction(1, 2)


def test_a_part_whose_measurements_are_stored_gets_no_further_noise(tmp_path):
    made = released(tmp_path)
    stored_before = digests(made.stored)
    roots = [made.noisy(part_name(number))[0] for number in range(2)]
    with mock.patch.object(making, "ExactNoise", side_effect=AssertionError("measured again")):
        for number, root in enumerate(roots):
            making.measure_part((number, root), made.table, made.strategy, made.stored)
    assert digests(made.stored) == stored_before


def test_a_solver_that_stops_in_parts_says_that_the_cost_stays_spent(tmp_path, monkeypatch):
    made = released(tmp_path)
    stops = mock.Mock(side_effect=SolverError("It stopped."))
    with monkeypatch.context() as patch:
        patch.setattr(type(made.strategy), "settle_top", stops)
        with pytest.raises(ReleaseError, match=r"its cost stays spent.*It stopped"):
            made.write(tmp_path / "package", n_simulations=10, workers=1)
    assert not (tmp_path / "package").exists()
    made.write(tmp_path / "package", n_simulations=10, workers=1)


def test_a_part_that_fails_tells_nothing_on_the_table(tmp_path, monkeypatch):
    """The message of an error inside the library may name a count, so it is not passed on."""
    fails = mock.Mock(side_effect=ValueError(f"the count {IN_A_MESSAGE} of b1"))
    monkeypatch.setattr(making, "measure_part", fails)
    ledger = new_ledger(tmp_path)
    with pytest.raises(ReleaseError, match="was interrupted") as shown:
        released(tmp_path, ledger=ledger)
    assert IN_A_MESSAGE not in str(shown.value)
    assert IN_A_MESSAGE not in str([record.as_dict() for record in ledger.records()])


def test_a_plan_for_another_public_total_is_refused_before_anything_is_spent(tmp_path):
    (tmp_path / "other").mkdir()
    parts, ledger = in_parts(tmp_path), new_ledger(tmp_path)
    other = in_parts(tmp_path / "other", Counts.from_leaves(regions(), [40, 17, 231]))
    plan = plan_parts(other, "inftda", budget=BUDGET)
    assert plan.domain.total == 288
    with pytest.raises(ChoiceError, match="made for another table"):
        hdp.release(parts, plan, ledger=ledger, dataset="pop")
    assert ledger.entries() == ()


def test_a_part_with_a_negative_number_is_refused_before_anything_is_spent(tmp_path, monkeypatch):
    read, parts, ledger = PartitionedTable.read, in_parts(tmp_path), new_ledger(tmp_path)
    plan = plan_parts(parts, "tree-dp", budget=BUDGET)

    def negative(self, number):
        part = read(self, number)
        return replace(part, values=values_below(part.tree, -part.values[part.tree.leaves]))

    monkeypatch.setattr(PartitionedTable, "read", negative)
    with pytest.raises(TableError, match="a number is negative"):
        hdp.release(parts, plan, ledger=ledger, dataset="pop")
    assert ledger.entries() == ()


def test_the_first_noise_that_is_stored_is_the_one_that_counts(tmp_path):
    shelf = stored.StoredParts(folder=tmp_path / "release.parts")
    shelf.make()
    shelf.put("top", {"values": np.arange(3)})
    shelf.put("top", {"values": np.arange(3) + 7})
    assert shelf.get("top")["values"].tolist() == [0, 1, 2]
    assert [file.name for file in shelf.folder.iterdir()] == ["top.npz"]
    assert shelf.folder.stat().st_mode & 0o077 == 0
    assert (shelf.folder / "top.npz").stat().st_mode & 0o077 == 0
    size = (shelf.folder / "top.npz").stat().st_size
    shelf.put("new", {"values": np.arange(3) - 9**9})
    assert (shelf.folder / "new.npz").stat().st_size == size  # whatever the noise is


def test_measurements_that_are_lost_or_changed_are_reported_and_nothing_is_sampled(tmp_path):
    ledger = new_ledger(tmp_path)
    made = released(tmp_path, ledger=ledger)
    parts = made.table
    plan = plan_parts(parts, "tree-dp", budget=BUDGET)
    file = made.stored.folder / "part-00001.npz"
    content = file.read_bytes()
    for break_it in (file.unlink, lambda: file.write_bytes(content[:-9])):
        break_it()
        with pytest.raises(ReleaseError, match=r"part-00001 in .* missing or are not those"):
            hdp.release(parts, plan, ledger=ledger, dataset="pop", workers=1)
    file.write_bytes(content)
    hdp.release(parts, plan, ledger=ledger, dataset="pop", workers=1)
    assert len(ledger.entries("pop")) == 1


def test_a_package_that_could_not_be_written_is_written_by_the_next_call(tmp_path, monkeypatch):
    made = released(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(package_writing, "sync_file", fails)
        with pytest.raises(ReleaseError, match=r"No space left.*without new noise"):
            made.write(tmp_path / "package", n_simulations=10, workers=1)
    assert not [path for path in tmp_path.iterdir() if "package" in path.name]
    assert hdp.open_release(made.write(tmp_path / "package", n_simulations=10, workers=1))
    with pytest.raises(ReleaseError, match="already exists"):
        made.write(tmp_path / "package")
    with pytest.raises(ReleaseError, match=r"does not end in \.zip"):
        made.write(tmp_path / "package.zip")


def fails(_):
    raise OSError(28, "No space left on device")


def test_a_part_of_a_package_that_was_changed_is_reported(tmp_path):
    ledger = new_ledger(tmp_path)
    path = released(tmp_path, ledger=ledger).write(
        tmp_path / "package", n_simulations=10, workers=1
    )
    with (path / "parts" / "part-00000.parquet").open("ab") as file:
        file.write(b"x")
    with pytest.raises(ReleaseError, match=r"parts/part-00000\.parquet was changed"):
        hdp.open_release(path)
    assert "was changed" in faults_against(ledger, [path])[0]


def test_refusals_come_before_anything_is_spent(tmp_path):
    ledger = new_ledger(tmp_path)
    parts = in_parts(tmp_path)
    release = {"ledger": ledger, "dataset": "pop"}
    with pytest.raises(ReleaseError, match="hay cannot be used for a release"):
        hdp.release(parts, plan_parts(parts, "hay", budget=BUDGET), **release)
    other = plan_parts(
        PartitionedTable.of(small_table("group-sizes"), tmp_path / "o", cut="district"),
        "pgsr-h-dp",
        budget=BUDGET,
    )
    with pytest.raises(ChoiceError, match="made for another table"):
        hdp.release(parts, other, **release)
    with pytest.raises(ReleaseError, match="used for tables in parts only"):
        hdp.release(small_table(), other, client=object(), **release)
    ledger.add_dataset("small", epsilon="0.1")
    plan = plan_parts(parts, "tree-dp", budget=BUDGET)
    with pytest.raises(ReleaseError, match="is left of the budget"):
        hdp.release(parts, plan, ledger=ledger, dataset="small")
    part = parts.folder / parts.parts[0].file
    part.write_bytes(part.read_bytes() + b"x")
    with pytest.raises(FileError, match="was changed"):
        hdp.release(parts, plan, **release)
    assert ledger.entries() == ()
    assert not list(ledger.folder.glob("*.parts"))


def test_a_table_that_does_not_add_up_is_refused_before_anything_is_spent(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "hierdp_core.scale.partitioned.values_below",
        lambda tree, leaves: np.arange(tree.n_nodes),
    )
    parts = in_parts(tmp_path)
    monkeypatch.undo()
    ledger = new_ledger(tmp_path)
    plan = plan_parts(parts, "tree-dp", budget=BUDGET)
    with pytest.raises(TableError, match="numbers of areas do not add up"):
        hdp.release(parts, plan, ledger=ledger, dataset="pop")
    assert ledger.entries() == ()


@pytest.mark.slow
def test_a_kill_in_the_middle_keeps_what_was_stored(tmp_path):
    ledger, context = new_ledger(tmp_path), server()
    parts = in_parts(tmp_path)
    process = context.Process(target=die_after_one_part, args=(ledger.path, parts.folder))
    process.start()
    process.join(300)
    assert process.exitcode == -signal.SIGKILL
    (entry,) = ledger.entries("pop")
    assert entry.state is Kind.RESERVED
    folder = next(ledger.folder.glob("*.parts"))
    before = {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in folder.glob("*.npz")}
    assert set(before) == {"top.npz", "part-00000.npz"}
    plan = plan_parts(parts, "tree-dp", budget=hdp.Budget.pure("0.001"))
    made = hdp.release(parts, plan, ledger=ledger, dataset="pop", workers=1)
    assert made.id == entry.release
    assert before.items() <= digests(made.stored).items()
    made.write(tmp_path / "package", n_simulations=10, workers=1)
    assert ledger.account("pop").spent == Fraction(COST)
    assert ledger.faults() == ()
