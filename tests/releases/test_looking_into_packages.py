"""An area of a release in parts is read with its margins, and only where it stands."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from support.releases import new_ledger, small_table

import hierdp_core as hdp
from hierdp_core import samples
from hierdp_core.cli.entry import main
from hierdp_core.exceptions import ChoiceError, HierarchyError, ReleaseError
from hierdp_core.hierarchy import Regions
from hierdp_core.releases.parts import looking
from hierdp_core.releases.parts.looking import (
    is_package,
    levels_of_release,
    read_released_area,
)
from hierdp_core.scale import PartitionedTable, plan_parts


def package_in_parts(folder, table, id="tree-dp", *, cut):
    parts = PartitionedTable.of(table, folder / "table", cut=cut)
    plan = plan_parts(parts, id, budget=hdp.Budget.pure(1))
    made = hdp.release(parts, plan, ledger=new_ledger(folder), dataset="pop", workers=1)
    return made.write(folder / "package", n_simulations=10, workers=1)


def deep_table():
    """Two districts with two towns each, and three blocks in every town."""
    parents = {"all": None, "a": "all", "b": "all"}
    parents |= {f"{above}{k}": above for above in "ab" for k in range(2)}
    parents |= {
        f"{above}{n}{k}": f"{above}{n}" for above in "ab" for n in range(2) for k in range(3)
    }
    levels = ("country", "district", "town", "block")
    places = Regions.from_parents(parents, levels=levels, names={"a": "Arden", "b": "Brook"})
    return hdp.Counts.from_leaves(places, np.arange(12) * 31 + 5)


@pytest.fixture(scope="module")
def deep(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deep")
    path = package_in_parts(folder, deep_table(), cut="district")
    return path, hdp.open_release(path)


def everything(package):
    frames = [*package.tables.values(), *map(package.part, range(len(package.parts)))]
    return pd.concat(frames, ignore_index=True)


def test_every_area_has_its_own_row_first_and_then_what_is_directly_below(deep):
    _, package = deep
    table, rows = deep_table(), everything(package)
    tree, regions = table.tree, table.regions
    assert levels_of_release(package) == regions.levels
    for node in range(tree.n_nodes):
        level = regions.levels[tree.level_of[node]]
        frame = read_released_area(package, regions.ids[node], level=level)
        nodes = [node, *range(*tree.children(node).indices(tree.n_nodes)[:2])]
        assert frame["id"].tolist() == [regions.ids[k] for k in nodes]
        assert frame["level"].tolist() == [regions.levels[tree.level_of[k]] for k in nodes]
        expected = rows[rows["id"].isin(frame["id"])].set_index("id").loc[frame["id"]]
        for name in ("value", "margin", "low", "high"):
            assert frame[name].tolist() == expected[name].tolist()
        above = []
        while node >= 0:
            above.insert(0, regions.ids[node])
            node = tree.parent[node]
        assert frame.attrs["above"] == tuple(above)
    root = read_released_area(package)
    assert root["name"].tolist() == ["all", "Arden", "Brook"]


def test_sizes_are_rows_of_their_areas(tmp_path):
    path = package_in_parts(tmp_path, small_table("group-sizes"), "coc", cut="district")
    frame = read_released_area(hdp.open_release(path), "a")
    assert list(zip(frame["id"], frame["size"], strict=True)) == [
        (id, size) for id in ("a", "a1", "a2") for size in range(4)
    ]


def test_what_is_not_there_is_reported(deep, tmp_path):
    path, package = deep
    assert is_package(path)
    assert not is_package(tmp_path)
    with pytest.raises(ChoiceError, match='has the code "z9"'):
        read_released_area(package, "z9")
    with pytest.raises(ChoiceError, match='has the code "a0"'):
        read_released_area(package, "a0", level="block")
    with pytest.raises(HierarchyError, match='no level "parish"'):
        read_released_area(package, "a", level="parish")


def test_a_part_that_changes_after_the_check_is_not_shown(tmp_path):
    path = package_in_parts(tmp_path, small_table(), cut="district")
    package = hdp.open_release(path)
    part = path / "parts" / "part-00000.parquet"
    rows = package.part(0)
    rows.assign(value=rows["value"] + 100).to_parquet(part)
    with pytest.raises(ReleaseError, match=r"part-00000\.parquet was changed"):
        read_released_area(package, "a1")
    with pytest.raises(ReleaseError, match=r"part-00000\.parquet was changed"):
        package.part(0)
    part.unlink()
    with pytest.raises(ReleaseError, match=r"part-00000\.parquet cannot be read"):
        read_released_area(package, "a1")
    assert read_released_area(package, "all")["id"].tolist() == ["all", "a", "b"]


def without(rows, id):
    return rows[rows["id"] != id]


def test_a_package_that_somebody_else_wrote_is_reported_where_it_lacks_areas(deep):
    _, package = deep
    tables = dict(package.tables)
    for other, area, words in (
        ({"parts": package.parts[:1]}, "all", "1 part below 2 areas"),
        ({"tables": {**tables, "country": tables["country"][:0]}}, "all", "no hierarchy of areas"),
        ({"tables": tables | {"district": without(tables["district"], "a")}}, "a00", "2 parts"),
    ):
        with pytest.raises(ReleaseError, match=words):
            read_released_area(replace(package, **other), area)
    renamed = tables["district"].replace({"id": {"a": "c"}})
    other = replace(package, tables=tables | {"district": renamed})
    with pytest.raises(ReleaseError, match=r"no area a, although it has areas below it"):
        read_released_area(other, "a00")


def test_a_part_without_its_columns_is_reported(tmp_path):
    path = package_in_parts(tmp_path, small_table(), cut="district")
    package = hdp.open_release(path)
    package.part(0).drop(columns="parent").to_parquet(package.parts[0])
    own = hashlib.sha256(package.parts[0].read_bytes()).hexdigest()
    package = replace(package, part_hashes=(own, *package.part_hashes[1:]))
    with pytest.raises(ReleaseError, match=r"part-00000\.parquet cannot be read"):
        read_released_area(package, "a1")


def test_flows_have_no_areas_that_lie_in_each_other(tmp_path):
    table = small_table("flows")
    made = hdp.release(
        table, hdp.plan(table, "inftda", epsilon=1), ledger=new_ledger(tmp_path), dataset="pop"
    )
    path = made.write(tmp_path / "package", margins=made.margins(n_simulations=10))
    with pytest.raises(ReleaseError, match="no hierarchy of areas"):
        read_released_area(hdp.open_release(path))


def test_a_whole_release_is_read_as_well(tmp_path):
    table = small_table()
    made = hdp.release(
        table, hdp.plan(table, "topdown", epsilon=1), ledger=new_ledger(tmp_path), dataset="pop"
    )
    path = made.write(tmp_path / "package", margins=made.margins(n_simulations=10))
    package = hdp.open_release(path)
    assert read_released_area(package, "a")["id"].tolist() == ["a", "a1", "a2"]
    assert read_released_area(package, "b1")["id"].tolist() == ["b1"]


@pytest.mark.slow
def test_other_parts_and_groups_of_rows_are_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("hierdp_core.releases.parts.writing.ROWS_A_GROUP", 20)
    table = samples.load("us-population").table
    package = hdp.open_release(package_in_parts(tmp_path, table, "topdown", cut="state"))
    texas = list(package.tables["state"]["id"]).index("48")
    assert pq.ParquetFile(package.parts[texas]).metadata.num_row_groups > 10
    real, read = looking.content_of_part, []
    monkeypatch.setattr(
        looking,
        "content_of_part",
        lambda package, number: read.append(number) or real(package, number),
    )
    frame = read_released_area(package, "48201")
    assert frame.attrs["above"][-2:] == ("48", "48201")
    assert set(read) == {texas}


def test_the_command_shows_an_area_of_a_release(deep, tmp_path, capsys):
    path, _ = deep
    assert main(["parts", "show", str(path), "a0", "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in output["areas"]] == ["a0", "a00", "a01", "a02"]
    assert "ε = 1" in output["privacy"]
    assert main(["parts", "show", str(path), "a0"]) == 0
    shown = capsys.readouterr().out
    assert "not for publication" not in shown
    assert "The margins of error have a confidence of 90%.\n" in shown
    assert main(["parts", "show", str(path), "--table", str(tmp_path)]) == 2
    assert "shown without the exact table" in capsys.readouterr().err
