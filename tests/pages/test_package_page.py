"""The page Published release: released numbers with margins, and nothing of anybody's own data."""

import ast
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from support.pages import ROOT, charts, texts
from support.releases import new_ledger, small_table
from support.syntax import nodes

import app
import hierdp_core as hdp
from hierdp_core.desktop import offered
from hierdp_core.hierarchy import Regions
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.samples.sample import OWN
from hierdp_core.scale import PartitionedTable, plan_parts
from hierdp_core.settings import Settings
from pages.ui.package.opened import Opened
from pages.ui.shell.address import View
from pages.ui.shell.cache import PRIVATE
from pages.ui.shell.session import Key
from tests.pages.test_contract import SECRET, accessible, own_data

TITLE = "Parishes of Quillonshire"
COUNTS = (48_611, 17_203, 230_977)
TRUE = {*COUNTS, COUNTS[0] + COUNTS[1], sum(COUNTS)}


def package_of(folder, table, *, mechanism="tree-dp", **budget):
    plan = hdp.plan(table, mechanism, **(budget or {"epsilon": "0.01"}))
    made = hdp.release(table, plan, ledger=new_ledger(folder, rho=100), dataset="pop", title=TITLE)
    return made, made.write(
        folder / "package.zip",
        margins=made.margins(n_simulations=10),
        boundaries=tile_layout(table.regions, label="own"),
        measurements=True,
    )


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A package in which no count, and no end of an interval, is a true number by chance."""
    places = Regions.from_parents(
        {"all": None, "a": "all", "b": "all", "a1": "a", "a2": "a", "b1": "b"},
        levels=("country", "district", "parish"),
        names={"a": "Arden", "a1": "Ash", "a2": "<b>Beech</b>"},
    )
    for _ in range(20):  # noise without a seed may be 0, or as large as a margin
        folder = tmp_path_factory.mktemp("published")
        _, path = package_of(folder, hdp.Counts.from_leaves(places, COUNTS))
        rows = pd.concat(hdp.open_release(path).tables.values())
        numbers = rows[["value", "margin", "low", "high"]].to_numpy(np.float64)
        if not np.isin(numbers, [*TRUE]).any():
            return path
    raise AssertionError("every release kept a true number")


@pytest.fixture
def page(published, monkeypatch):
    monkeypatch.setenv(offered.PACKAGE, str(published))
    return published


def open_it(**state):
    test = AppTest.from_file(str(ROOT / app.PACKAGE.script), default_timeout=120)
    for key, value in state.items():
        test.session_state[key] = value
    return test.run()


def everything(test):
    tables = [frame.value.to_csv() for frame in test.dataframe]
    return "\n".join([texts(test, "title", "selectbox"), *tables, json.dumps(charts(test))])


def test_a_reader_sees_released_numbers_with_margins_maps_and_the_certificate(page):
    path = page
    test = accessible(open_it())
    assert not test.exception
    assert not test.error
    package = hdp.open_release(path)
    first = package.tables["parish"].iloc[0]
    shown = everything(test)
    assert f"**Ash**: {first['value']:,}, with a margin of error of {first['margin']:,}" in shown
    assert TITLE in shown
    assert package.guarantee in shown
    assert package.certificate["ledger"]["hash"] in shown
    assert "not signed" in shown
    assert any(trace["type"] == "choropleth" for chart in charts(test) for trace in chart["data"])


def test_one_area_opens_with_its_sub_areas(page):
    path = page
    test = open_it()
    test.selectbox(key="w-package-level").set_value("district").run()
    assert not test.exception
    assert "## Sub-areas of Arden, by parish" in everything(test)
    (dots,) = [t for chart in charts(test) for t in chart["data"] if t["type"] == "scatter"]
    parishes = hdp.open_release(path).tables["parish"]
    inside = parishes[parishes["parent"] == "a"]
    assert sorted(row[0] for row in dots["customdata"]) == sorted(inside["name"])


def test_no_true_number_is_in_the_package_or_on_the_page(page):
    path = page
    package = hdp.open_release(path)
    for rows in package.tables.values():
        assert not TRUE & {*rows["value"].tolist()}
    test = open_it()
    for level in package.tables:
        test.selectbox(key="w-package-level").set_value(level).run()
        shown = everything(test)
        assert not any(f"{n:,}" in shown or str(n) in shown for n in TRUE)
    assert "true values" not in "\n".join(str(part.value) for part in test.sidebar.markdown)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "mechanism"), [("group-sizes", "pgsr-h-dp"), ("flows", "inftda")])
def test_sizes_and_flows_are_shown_as_well(tmp_path, monkeypatch, kind, mechanism):
    _, path = package_of(tmp_path, small_table(kind), mechanism=mechanism, rho=1)
    monkeypatch.setenv(offered.PACKAGE, str(path))
    test = accessible(open_it())
    assert not test.exception
    assert not test.error
    expected = "by size" if kind == "group-sizes" else "by destination"
    assert expected in everything(test)
    assert ("was released as 0 and has no margin" in texts(test)) == (kind == "flows")
    assert ("whether the largest size stands for larger ones" in texts(test)) == (kind != "flows")
    assert [box.label for box in test.selectbox][1:2] == ["Origin" if kind == "flows" else "Area"]


@pytest.mark.slow
def test_a_release_in_parts_shows_its_upper_levels_and_states_where_the_others_are(
    tmp_path, monkeypatch
):
    parts = PartitionedTable.of(small_table(), tmp_path / "table", cut="district")
    plan = plan_parts(parts, "tree-dp", budget=hdp.Budget.pure(1))
    made = hdp.release(parts, plan, ledger=new_ledger(tmp_path), dataset="pop", workers=1)
    path = made.write(tmp_path / "package", n_simulations=10, workers=1)
    monkeypatch.setenv(offered.PACKAGE, str(path))
    test = accessible(open_it())
    assert not test.exception
    assert not test.error
    assert list(test.selectbox(key="w-package-level").options) == ["country", "district"]
    assert "in the folder `parts` of the package" in everything(test)


def test_own_data_do_not_reach_the_page_and_the_package_does_not_reach_the_session(page):
    settings = Settings(sample=OWN, mechanism="tree-dp")
    mine = {Key.OWN: own_data(), Key.VIEW: View(settings=settings, by_link=True)}
    test = open_it(**mine)
    assert not test.exception
    assert SECRET not in everything(test)
    assert test.session_state[Key.OWN] is not None
    kept = test.session_state._state.filtered_state
    assert {key for key in kept if key.startswith("w-")} == {
        "w-package-file",
        "w-package-level",
        "w-package-area-parish",
    }
    others = [value for key, value in kept.items() if key not in (Key.OWN, Key.VIEW)]
    assert not any(TITLE in str(value) for value in others)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(one.script, marks=[] if one in app.PAGES[:2] else [pytest.mark.slow])
        for one in app.PAGES
    ],
)
def test_demonstrations_know_nothing_of_a_package(open_app, page, script):
    test = open_app(script, sample="running-example")
    assert not test.exception
    shown = everything(test)
    assert TITLE not in shown
    assert "Arden" not in shown
    assert not any(TITLE in str(box.options) for box in test.selectbox)


KNOWN = {
    "hierdp_core.desktop": {"offered"},
    "hierdp_core.exceptions": {"ReleaseError"},
    "hierdp_core.releases.package.reading": {"open_uploaded"},
    "hierdp_core.figures": {"published"},
    "hierdp_core.figures.chart": {"Chart"},
    "hierdp_core.figures.style": {"Theme"},
    "hierdp_core.releases": {"Package", "open_release"},
    "hierdp_core.releases.package.tables": {"MISSING_FLOWS"},  # a sentence
    "hierdp_core.util.escaping": {"in_markdown"},
    "hierdp_core.util.text": {"confidence", "paragraph", "several", "whole"},
    "pages.ui.package": {"package_words"},
    "pages.ui.package.opened": {"Opened"},
    "pages.ui.shell": {"cache", "charts", "session", "tables", "widgets"},
    "pages.ui.shell.reach": {"only_here"},
    "pages.ui.shell.signed": {"signed"},
}


def test_the_page_imports_nothing_that_holds_exact_tables():
    for path in Path(ROOT / "pages" / "ui" / "package").glob("*.py"):
        for node in nodes(path.read_text(encoding="utf-8")):
            if isinstance(node, ast.ImportFrom) and node.module.startswith(("hierdp", "pages")):
                assert {one.name for one in node.names} <= KNOWN[node.module], path.name


def uploaded(test, content):
    return test.file_uploader[0].set_value(("package.zip", content, "application/zip")).run()


def test_without_a_package_one_can_be_uploaded(published, monkeypatch):
    monkeypatch.delenv(offered.PACKAGE, raising=False)
    test = open_it()
    assert not test.selectbox
    assert "Upload the package of a release" in everything(test)
    test = accessible(uploaded(test, published.read_bytes()))
    assert not test.exception
    assert not test.error
    shown = everything(test)
    assert TITLE in shown
    assert "It stays in this session" in shown
    assert not any(f"{n:,}" in shown or str(n) in shown for n in TRUE)
    other = open_it()
    assert TITLE not in everything(other)  # another session has nothing of it


def test_an_uploaded_package_is_kept_in_the_caches_of_its_session(published):
    """The cache that all visitors share would keep its maps after the session."""
    package = hdp.open_release(published)
    for is_uploaded in (True, False):
        ticket = Opened(package=package, is_uploaded=is_uploaded).ticket
        assert ticket.startswith(PRIVATE) == is_uploaded


def test_maps_of_an_uploaded_package_are_drawn_on_this_machine_alone(published, monkeypatch):
    from pages.ui.package import view

    monkeypatch.delenv(offered.PACKAGE, raising=False)
    for here in (True, False):
        monkeypatch.setattr(view, "only_here", lambda here=here: here)
        test = uploaded(open_it(), published.read_bytes())
        drawn = [trace["type"] for chart in charts(test) for trace in chart["data"]]
        assert ("choropleth" in drawn) == here
        assert ("not shown if other machines can connect to the app" in everything(test)) != here


def test_an_uploaded_file_that_is_no_package_is_reported_in_one_sentence(page):
    test = open_it()
    assert TITLE in everything(test)
    test = uploaded(test, b"no ZIP")
    assert not test.exception
    assert "package.zip cannot be read as a package" in test.error[0].value
    assert TITLE not in everything(test)


def test_a_changed_package_is_reported_and_not_shown(published, tmp_path, monkeypatch):
    import shutil
    import zipfile

    copy = tmp_path / "copy.zip"
    shutil.copy(published, copy)
    with zipfile.ZipFile(copy, "a") as archive:
        archive.writestr("more.csv", "x")
    monkeypatch.setenv(offered.PACKAGE, str(copy))
    test = open_it()
    assert "not as it was released" in test.error[0].value
    assert not test.selectbox
