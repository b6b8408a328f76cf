"""The page Result in parts: areas of a simulation on disk, read when they are looked at."""

import json
import shutil
from argparse import Namespace
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from support.pages import ROOT, charts, healthy, maps, press, settled, texts
from support.releases import new_ledger, small_table

import app
import hierdp_core as hdp
from hierdp_core import samples
from hierdp_core.cli import app_command
from hierdp_core.desktop import offered
from hierdp_core.exceptions import ChoiceError
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.readers.limits import PATHS
from hierdp_core.scale import PartitionedTable, plan_parts, simulate_parts
from pages.ui.result import view
from tests.pages.test_contract import accessible

FIELD = "w-result-"
TEXAS = "48"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The counties of the United States in parts, and a simulation of them."""
    folder = tmp_path_factory.mktemp("parts")
    table = samples.load("us-population").table
    parts = PartitionedTable.of(table, folder / "table", cut="state", boundaries_of="us-population")
    made = simulate_parts(parts, "topdown", folder / "result", budget=hdp.Budget.pure(1), seed=3)
    return made.folder, parts.folder


@pytest.fixture
def started(folders, monkeypatch):
    """The app started on this machine with the simulation and its table."""
    alone(monkeypatch)
    monkeypatch.setenv(offered.RESULT, str(folders[0]))
    monkeypatch.setenv(offered.RESULT_TABLE, str(folders[1]))


def alone(monkeypatch, address="127.0.0.1"):
    real = st.get_option
    monkeypatch.setattr(
        st, "get_option", lambda name: address if name == "server.address" else real(name)
    )


def open_it():
    return AppTest.from_file(str(ROOT / app.RESULT.script), default_timeout=120).run()


def to_code(test, code):
    return test.text_input(key=f"{FIELD}code").set_value(code).run()


def in_memory(folders):
    table = samples.load("us-population").table
    plan = hdp.plan(table, "topdown", epsilon=1)
    return table, hdp.simulate(table, plan, seed=3).table.values


def test_the_root_is_shown_with_a_map_of_its_sub_areas(started):
    test = accessible(healthy(open_it()))
    assert test.title[0].value.startswith("The United States: the count is")
    assert "## 4 regions of the United States" in texts(test)
    assert "ε = 1" in texts(test)
    assert maps(test)
    assert "Contains true values" in texts(test)


def test_the_numbers_are_those_of_the_simulation_in_memory(started, folders):
    test = accessible(healthy(to_code(open_it(), TEXAS)))
    table, released = in_memory(folders)
    node = table.regions.node(TEXAS, 3)
    assert f"{table.values[node]:,}" in texts(test)
    assert f"{released[node]:,}" in texts(test)
    rows = test.dataframe[0].value
    counties = table.tree.children(node)
    assert sorted(rows.index) == sorted(table.regions.ids[counties])
    by_code = dict(zip(table.regions.ids[counties], released[counties], strict=True))
    assert rows["released"].to_dict() == by_code
    assert set(rows["name"]) == set(table.regions.names[counties])


@pytest.mark.slow
def test_one_goes_down_by_code_and_up_by_the_way(started):
    test = healthy(to_code(open_it(), "48201"))
    assert test.title[0].value.startswith("Harris County, TX: the count is")
    assert "## 254 counties of Texas" in texts(test)  # around an area of the last level
    test = healthy(press(test, "Texas"))
    assert test.title[0].value.startswith("Texas: ")
    test = healthy(press(test, "United States"))
    assert "## 4 regions of the United States" in texts(test)


@pytest.mark.slow
def test_an_area_is_found_by_its_name(started):
    test = healthy(to_code(open_it(), "texas"))
    assert test.title[0].value.startswith("Texas:")
    test = healthy(to_code(test, "Kalawao County"))
    assert test.title[0].value.startswith("Kalawao County, HI:")
    test = to_code(test, "Harris County")
    assert any(
        "2 areas are called Harris County. Type the code of one of them: 13145 and 48201."
        in str(one.value)
        for one in test.warning
    )
    assert test.title[0].value.startswith("Kalawao County, HI:")


@pytest.mark.slow
def test_a_code_that_is_not_there_is_reported_and_the_area_stays(started):
    test = healthy(to_code(open_it(), TEXAS))
    test = to_code(test, "no such code")
    assert not test.exception
    assert any("no such code" in str(one.value) for one in test.warning)
    assert test.title[0].value.startswith("Texas: ")


def test_only_the_part_on_screen_is_read(started, monkeypatch, folders):
    test = open_it()
    real, read = pq.read_table, []
    monkeypatch.setattr(
        pq, "read_table", lambda file, **how: read.append(Path(file)) or real(file, **how)
    )
    healthy(to_code(test, "36061"))
    states = PartitionedTable.open(folders[1]).upper.ids[-51:]
    parts = {file.name for file in read} - {"upper.parquet"}
    assert parts == {f"part-{states.index('36'):05d}.parquet"}


def test_the_error_at_every_level_is_worked_out_when_it_is_asked_for(started, folders):
    test = healthy(open_it())
    assert "typical area" not in str(test.get("html"))
    test = healthy(settled(press(test, "Compute the error at every level")))
    table, released = in_memory(folders)
    counties = table.tree.leaves
    mean = abs(released[counties] - table.values[counties]).mean()
    cards = [part.proto.body for part in test.get("html") if "hierdp-level" in part.proto.body]
    cards = [card for card in cards if "<b" in card]
    assert len(cards) == 5
    assert "3,143 counties" in cards[-1]
    assert f"average error {mean:.2g}"[:17] in cards[-1]


@pytest.mark.slow
def test_group_sizes_are_shown_by_size(tmp_path, monkeypatch):
    alone(monkeypatch)
    table = samples.load("us-households").table
    parts = PartitionedTable.of(table, tmp_path / "table", cut="state")
    made = simulate_parts(parts, "topdown-2018", tmp_path / "out", budget=hdp.Budget.pure(1))
    monkeypatch.setenv(offered.RESULT, str(made.folder))
    monkeypatch.setenv(offered.RESULT_TABLE, str(parts.folder))
    test = accessible(healthy(open_it()))
    assert "by size" in texts(test)
    assert "Tiles in place of a map" in json.dumps(charts(test))
    healthy(settled(press(test, "Compute the error at every level")))


def test_without_the_exact_table_there_are_released_numbers_alone(started, monkeypatch, folders):
    monkeypatch.delenv(offered.RESULT_TABLE)
    test = healthy(to_code(open_it(), TEXAS))
    table, released = in_memory(folders)
    node = table.regions.node(TEXAS, 3)
    assert f"{released[node]:,}" in test.title[0].value
    assert f"{table.values[node]:,}" not in texts(test) + test.title[0].value
    assert list(test.dataframe[0].value.columns) == ["level", "released", "name"]
    assert not maps(test)


def test_long_lists_show_the_largest_errors(started, monkeypatch):
    monkeypatch.setattr(view, "MOST_AREAS", 20)
    test = healthy(to_code(open_it(), TEXAS))
    assert "20 of 254 counties are shown, those with the largest relative errors" in texts(test)
    assert len(test.dataframe[0].value) == 20


def test_others_do_not_see_it(started, monkeypatch):
    alone(monkeypatch, address="0.0.0.0")
    assert not app._has_result()
    test = open_it()
    assert "Other machines can connect to this app" in test.error[0].value
    assert not test.dataframe


def test_without_a_result_there_is_no_such_page(monkeypatch):
    alone(monkeypatch)
    monkeypatch.delenv(offered.RESULT, raising=False)
    monkeypatch.delenv(PATHS, raising=False)
    assert not app._has_result()
    assert "needs the folder of a simulation or release in parts" in open_it().error[0].value


def test_folders_are_named_on_the_page_where_paths_may_be(monkeypatch, folders):
    alone(monkeypatch)
    monkeypatch.delenv(offered.RESULT, raising=False)
    monkeypatch.setenv(PATHS, "1")
    assert app._has_result()
    test = open_it()
    test.text_input(key=f"{FIELD}folder").set_value(str(folders[0]))
    test.text_input(key=f"{FIELD}table").set_value(str(folders[1])).run()
    assert "## 4 regions of the United States" in texts(healthy(test))
    test.text_input(key=f"{FIELD}folder").set_value(str(folders[1])).run()
    assert "holds neither a simulation in parts" in test.error[0].value


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """Releases in parts of counts, with a map, and of group sizes."""
    found = []
    for kind, id in (("counts", "topdown"), ("group-sizes", "coc")):
        folder, table = tmp_path_factory.mktemp(kind), small_table(kind)
        parts = PartitionedTable.of(table, folder / "table", cut="district")
        plan = plan_parts(parts, id, budget=hdp.Budget.pure("0.5"))
        made = hdp.release(parts, plan, ledger=new_ledger(folder), dataset="pop", workers=1)
        drawn = tile_layout(table.regions, label="own")
        path = made.write(folder / "package", n_simulations=10, boundaries=drawn, workers=1)
        found.append((path, parts.folder))
    return found


@pytest.fixture
def released(packages, monkeypatch):
    """The app started with a release of counts in parts."""
    alone(monkeypatch)
    monkeypatch.setenv(offered.RESULT, str(packages[0][0]))
    monkeypatch.delenv(offered.RESULT_TABLE, raising=False)
    return hdp.open_release(packages[0][0])


def of_area(rows, id):
    return rows[rows["id"] == id]


def test_a_release_is_shown_with_its_margins(released):
    test = accessible(healthy(open_it()))
    root = of_area(released.tables["country"], "all").iloc[0]
    stated = f"{root['value']:,} released, with a margin of error of {root['margin']:,}"
    assert stated in test.title[0].value
    rows = next(one.value for one in test.dataframe if "b" in one.value.index)
    districts = released.tables["district"].set_index("id").loc[rows.index]
    for shown, name in (("released", "value"), *((n, n) for n in ("margin", "low", "high"))):
        assert rows[shown].tolist() == districts[name].tolist()
    assert "Released numbers with margins of error" in texts(test)
    assert "## Largest districts of country all" in texts(test)
    assert "Margins of error relative to the released numbers" in texts(test)
    assert released.guarantee in texts(test)
    assert "The package is not signed." in texts(test)
    fitness = test.dataframe[-1].value
    assert list(fitness["level"].unique()) == ["country", "district", "parish"]
    assert "this simulation" not in texts(test) + test.title[0].value
    assert "true" not in texts(test)


def test_an_area_inside_a_part_of_a_release_has_its_margin(released):
    test = healthy(to_code(open_it(), "a1"))
    own = of_area(released.part(0), "a1").iloc[0]
    known = pd.notna(own["margin"])
    margin = f"of {own['margin']:,}" if known else "that is not known"
    stated = f"{own['value']:,} released, with a margin of error {margin}"
    assert stated in test.title[0].value
    assert "## 2 parishes of" in texts(test)  # around an area of the last level


def test_group_sizes_of_a_release_have_a_margin_each(packages, monkeypatch):
    alone(monkeypatch)
    monkeypatch.setenv(offered.RESULT, str(packages[1][0]))
    monkeypatch.delenv(offered.RESULT_TABLE, raising=False)
    test = accessible(healthy(open_it()))
    assert "19 groups, released by size" in test.title[0].value  # public
    assert "## Groups of country all by size" in texts(test)
    sizes = of_area(hdp.open_release(packages[1][0]).tables["country"], "all")
    shown = next(one.value for one in test.dataframe if "margin" in one.value)
    assert shown["released"].tolist() == sizes["value"].tolist()
    assert shown["margin"].tolist() == sizes["margin"].tolist()
    districts = next(one.value for one in test.dataframe if "b" in one.value.index)
    assert "margin" not in districts  # the public number of groups has none


def test_a_release_is_never_shown_beside_the_exact_table(packages, monkeypatch):
    alone(monkeypatch)
    monkeypatch.setenv(offered.RESULT, str(packages[0][0]))
    monkeypatch.setenv(offered.RESULT_TABLE, str(packages[0][1]))
    test = open_it()
    assert "shown without the exact table" in test.error[0].value
    assert not test.dataframe


def test_a_release_that_was_changed_is_not_shown(packages, monkeypatch, tmp_path):
    changed = tmp_path / "package"
    shutil.copytree(packages[0][0], changed)
    with (changed / "parts" / "part-00001.parquet").open("ab") as file:
        file.write(b"x")
    alone(monkeypatch)
    monkeypatch.setenv(offered.RESULT, str(changed))
    monkeypatch.delenv(offered.RESULT_TABLE, raising=False)
    assert "was changed" in open_it().error[0].value


def test_the_command_takes_a_release_without_a_table(packages):
    path, table = packages[0]
    flags = dict.fromkeys(("package", "public_key", "ledger"))
    named = app_command._offered(Namespace(**flags, result=str(path), table=None))
    assert named == {offered.RESULT: str(path.resolve())}
    with pytest.raises(ChoiceError, match="shown without the exact table"):
        app_command._offered(Namespace(**flags, result=str(path), table=str(table)))


AREA, OVERVIEW = "pages/area_page.py", "pages/overview_page.py"
LINK = f"{FIELD[:2]}to-result"


def offered_link(test):
    return [button.label for button in test.button if button.key == LINK]


@pytest.mark.slow
def test_area_profile_opens_its_area_in_the_simulation_in_parts(started, open_app):
    test = open_app(sample="us-population", level="state", region=TEXAS).switch_page(AREA)
    test = healthy(test.run())
    assert offered_link(test) == ["Open Texas in the simulation in parts, down to county level"]
    test = healthy(test.button(key=LINK).click().run())
    assert test.title[0].value.startswith("Texas: the count is")
    assert "## 254 counties of Texas" in texts(test)


@pytest.mark.slow
def test_overview_opens_the_simulation_in_parts(started, open_app):
    test = healthy(open_app(OVERVIEW, sample="us-population"))
    assert offered_link(test) == ["Open the simulation in parts, down to county level"]


@pytest.mark.slow
def test_other_samples_and_other_apps_offer_no_simulation_in_parts(started, open_app, monkeypatch):
    assert not offered_link(healthy(open_app(OVERVIEW, sample="running-example")))
    monkeypatch.setenv(offered.RESULT_TABLE, "/nowhere")
    assert not offered_link(healthy(open_app(OVERVIEW, sample="us-population")))
    monkeypatch.delenv(offered.RESULT)
    assert not offered_link(healthy(open_app(OVERVIEW, sample="us-population")))
