"""Every page, opened both ways: through app.py and alone; with good links and bad."""

import json
import re
from typing import Any

import pytest
from support.pages import ROOT, Opener, address, charts, healthy, maps, settled, texts

import hierdp_core as hdp
from hierdp_core.exceptions import HierdpError
from pages.ui.shell.address import parse
from pages.ui.shell.inputs import MORE
from pages.ui.shell.session import Key

EXPLORE, ZOOM = "pages/overview_page.py", "pages/area_page.py"
SAMPLES = ("us-households", "us-population", "running-example")


def drawn(figure: dict[str, Any]) -> int:
    return sum(len(t["locations"]) for t in figure["data"] if t["type"] == "choropleth")


@pytest.mark.slow
def test_the_released_table_can_be_taken_away(open_app: Opener) -> None:
    test = healthy(open_app(EXPLORE, sample="running-example"))
    button = next(b for b in test.get("download_button") if b.proto.label == "Download as ZIP")
    assert not button.proto.disabled
    test.multiselect(key="w-formats").set_value([]).run()
    button = next(b for b in test.get("download_button") if b.proto.label == "Download as ZIP")
    assert button.proto.disabled


def test_session_keys_are_touched_in_one_place() -> None:
    touching = [
        p.name
        for p in ROOT.glob("pages/**/*.py")
        if "session_state" in p.read_text(encoding="utf-8")
    ]
    assert touching == ["session.py"]


def test_pages_hold_no_mathematics() -> None:
    for page in ROOT.glob("pages/*_page.py"):
        assert not {"numpy", "pandas", "math", "plotly"} & set(
            re.findall(r"\w+", page.read_text(encoding="utf-8"))
        )


@pytest.mark.parametrize("sample", SAMPLES)
def test_overview_has_a_map_of_every_level(open_app: Opener, sample: str) -> None:
    test = healthy(open_app(EXPLORE, sample=sample))
    table = hdp.samples.load(sample).table
    assert address(test)["sample"] == sample
    assert [drawn(m) for m in maps(test)] == table.tree.level_sizes.tolist()


@pytest.mark.parametrize("page", [EXPLORE, ZOOM])
def test_pages_are_reached_through_the_app(open_app: Opener, page: str) -> None:
    test = healthy(open_app())
    healthy(test.switch_page(page).run())
    assert test.title[0].value


@pytest.mark.slow
def test_explore_asks_and_answers_in_plain_words(open_app: Opener) -> None:
    test = settled(healthy(open_app()))
    title = test.title[0].value
    assert re.fullmatch(
        r"The smaller the area, the larger the relative error: at ε = 1, county counts are "
        r"typically 0\.\d+% off, state counts 0\.000\d%",
        title,
    )
    stated = texts(test, "code")
    subject = "Counts of households in the United States, simulated with **Cumulative counts"
    assert subject in stated
    smallest = "smallest tenth of the counties with a true count above 0 (up to 2,058 households)"
    assert smallest in stated
    assert "100 of 100 simulated releases complete" in stated
    assert "at most 74% sure" in stated
    assert "1 : 1 : 1 → ε 0.334 each. Each ε is rounded up." in stated
    assert "household sizes by county are estimates" in stated
    assert "not for publication" in stated
    assert "adding or removing one person" in stated


def test_at_most_three_choices_stand_before_the_first_result(open_app: Opener) -> None:
    test = open_app()
    (more,) = test.get("popover")
    assert more.proto.popover.label == MORE
    hidden = {
        w.key for kind in ("selectbox", "number_input", "select_slider") for w in more.get(kind)
    }
    every = {w.key for w in [*test.selectbox, *test.number_input, *test.select_slider]}
    # The slider and the box beside it are one choice; the search for an area is none.
    assert every - hidden == {Key.FIND, Key.SAMPLE, Key.MECHANISM, Key.SIZE, Key.SIZE_BOX}


@pytest.mark.slow
def test_a_changed_budget_changes_question_numbers_and_address(open_app: Opener) -> None:
    test = settled(open_app(draws="10"))
    before = texts(test, "code")
    test.select_slider(key=Key.SIZE).set_value(0.1).run()
    settled(healthy(test))
    assert "ε = 0.1" in test.title[0].value
    assert address(test)["epsilon"] == "0.1"
    assert test.number_input(key=Key.SIZE_BOX).value == 0.1
    assert texts(test, "code") != before


def test_the_box_takes_any_number_and_the_slider_follows(open_app: Opener) -> None:
    test = open_app()
    test.number_input(key=Key.SIZE_BOX).set_value(0.37).run()
    assert healthy(test).select_slider(key=Key.SIZE).value == 0.37
    assert address(test)["epsilon"] == "0.37"


@pytest.mark.slow
def test_shares_have_presets_and_always_add_up(open_app: Opener) -> None:
    test = open_app()
    test.button_group(key=Key.PRESET).set_value("bottom").run()
    assert [test.number_input(key=f"{Key.SHARE}{k}").value for k in range(3)] == [1, 2, 4]
    assert "1 : 2 : 4 → ε 0.143, 0.286, 0.572" in texts(healthy(test), "code")
    assert address(test)["allocation"] == "1,2,4"
    test.number_input(key=f"{Key.SHARE}0").set_value(2).run()
    assert healthy(test).button_group(key=Key.PRESET).value is None
    assert "2 : 2 : 4 → ε 0.25, 0.25, 0.5" in texts(test, "code")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "stated", "word"), [("rho", "ρ = 1", "rho"), ("delta", "ε = 1, δ = 10⁻⁸", "delta")]
)
def test_the_budget_may_be_stated_in_other_ways(
    open_app: Opener, kind: str, stated: str, word: str
) -> None:
    test = open_app()
    test.button_group(key=Key.BUDGET).set_value(kind).run()
    assert stated in healthy(test).title[0].value
    assert word in address(test)


@pytest.mark.slow
def test_the_account_of_epsilon_with_delta_is_chosen_beside_it(open_app: Opener) -> None:
    test = open_app(sample="running-example", mechanism="pgsr-h-dp", epsilon="1", delta="1e-8")
    assert not test.exception
    assert "accounting" not in address(test)
    test.selectbox(Key.ACCOUNT).select("simple").run()
    assert not test.exception
    assert address(test)["accounting"] == "simple"
    assert not [box for box in test.selectbox if box.key == Key.NOISE]
    test.selectbox(Key.ACCOUNT).select("tight").run()
    test.selectbox(Key.NOISE).select("gaussian").run()
    assert address(test)["noise"] == "gaussian"


@pytest.mark.slow
def test_another_sample_brings_its_own_mechanism_and_shares(open_app: Opener) -> None:
    test = open_app(allocation="1,2,3")
    test.selectbox(key=Key.SAMPLE).set_value("us-population").run()
    stated = address(healthy(test))
    assert (stated["sample"], stated["mechanism"]) == ("us-population", "tree-dp")
    assert "allocation" not in stated
    assert len(maps(test)) == 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sample", "mechanism"),
    [
        pytest.param(s, m, marks=[pytest.mark.slow] * (s == "us-households"))
        for s in SAMPLES
        for m in hdp.mechanisms.names(hdp.samples.describe(s).kind)
    ],
)
def test_every_mechanism_gives_a_view_or_states_why_not(
    open_app: Opener, sample: str, mechanism: str
) -> None:
    test = open_app(EXPLORE, sample=sample, mechanism=mechanism)
    assert not test.exception
    assert maps(test) or test.error
    assert address(test)["mechanism"] == mechanism or "not used" in test.warning[0].value


@pytest.mark.slow
@pytest.mark.parametrize("script", [EXPLORE, ZOOM])
def test_a_claim_that_does_not_hold_is_marked_on_every_view(open_app: Opener, script: str) -> None:
    query = {"mechanism": "pgsr-c-chain", "option.calibration": "published"}
    test = open_app(script, **query)
    assert not test.exception
    plan = hdp.Settings.from_query(query).plan(hdp.samples.load("us-households").table)
    assert plan.privacy.caution
    assert plan.privacy.caution in [str(w.value) for w in test.error]
    assert "a claimed ε = 1, actually ε = 1,065 (pure DP)" in test.title[0].value
    assert address(test)["option.calibration"] == "published"
    test.selectbox(key=f"{Key.OPTION}pgsr-c-chain-calibration").set_value("true").run()
    assert not healthy(test).warning
    assert "option.calibration" not in address(test)


@pytest.mark.slow
@pytest.mark.parametrize("script", [EXPLORE, ZOOM])
def test_numbers_that_do_not_add_up_are_reported(open_app: Opener, script: str) -> None:
    test = healthy(open_app(script, mechanism="pgsr-h-relaxed"))
    assert "are inconsistent" in test.warning[0].value


@pytest.mark.slow
def test_another_simulation_is_another_seed(open_app: Opener) -> None:
    test = open_app(sample="running-example", epsilon="0.5")
    next(b for b in test.button if b.label == "Simulate again").click().run()
    assert address(healthy(test))["seed"] == "1"


@pytest.mark.slow
def test_simulations_can_be_cancelled_and_show_their_number(open_app: Opener) -> None:
    test = open_app(draws="1000")
    next(b for b in test.button if b.label == "Stop").click().run()
    settled(test)
    assert re.search(r"\d+ of 1,000 simulated releases complete", texts(test, "code"))


@pytest.mark.slow
def test_what_the_page_says_can_be_said_elsewhere(open_app: Opener) -> None:
    test = open_app(sample="us-population", mechanism="hay", rho="0.5", seed="3")
    link, toml, python, shell = (str(code.value) for code in healthy(test).code)
    wanted = hdp.Settings(
        sample="us-population", mechanism="hay", rho=0.5, seed=3, quantity="count"
    )
    assert hdp.Settings.from_toml(toml) == wanted
    assert hdp.Settings.from_python(python) == wanted
    assert hdp.Settings.from_shell(shell) == wanted
    assert "sample=us-population&mechanism=hay&rho=0.5&seed=3" in link


@pytest.mark.parametrize(
    ("query", "stated"),
    [
        ({"epsilon": "minus one"}, "epsilon must be a number"),
        ({"epsilon": "nan"}, "epsilon must be finite"),
        ({"epsilon": "0"}, "epsilon must lie between"),
        ({"sample": "atlantis"}, "atlantis"),
        ({"mechanism": "magic"}, "magic"),
        ({"sample": "us-population", "mechanism": "pgsr-h-dp"}, "is for group sizes"),
        ({"shares": "1,2"}, "The allocation has 2 weights"),
        ({"shares": "1,1,-1"}, "Weights cannot be negative"),
        ({"shares": "a,b"}, "whole numbers"),
        ({"seed": "-3"}, "seed"),
        ({"draws": "7"}, "The number of simulations"),
        ({"quantity": "happiness"}, "happiness"),
        ({"level": "state", "region": "99"}, 'No state has the code "99"'),
        ({"level": "moon", "region": "01"}, 'no level "moon"'),
        ({"level": "state"}, 'must contain both "level" and "region"'),
        ({"nonsense": "1"}, "nonsense"),
    ],
)
def test_a_link_with_nonsense_is_refused_in_words(query: dict[str, str], stated: str) -> None:
    with pytest.raises(HierdpError, match=re.escape(stated)):
        parse(query)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "query", "stated"),
    [
        (EXPLORE, {"epsilon": "nan"}, "epsilon must be finite"),
        (ZOOM, {"level": "moon", "region": "01"}, 'no level "moon"'),
    ],
)
def test_a_link_with_nonsense_gives_a_message_and_the_usual_view(
    open_app: Opener, script: str, query: dict[str, str], stated: str
) -> None:
    test = healthy(open_app(script, **query))
    assert len(test.warning) == 1
    assert stated in test.warning[0].value
    assert address(test)["sample"] == "us-households"
    assert address(test)["epsilon"] == "1"
    assert maps(test)
    assert not test.run().warning


@pytest.mark.slow
def test_zoom_goes_down_and_up_without_a_mouse(open_app: Opener) -> None:
    test = healthy(open_app(ZOOM))
    assert drawn(maps(test)[0]) == 51
    test.selectbox(key=Key.ENTER).set_value("48").run()
    assert healthy(test).title[0].value.startswith("Texas")
    assert (address(test)["level"], address(test)["region"]) == ("state", "48")
    assert drawn(maps(test)[0]) == 254
    test.selectbox(key=Key.ENTER).set_value("48301").run()
    assert healthy(test).title[0].value.startswith("Loving County")
    assert drawn(maps(test)[0]) == 255  # its neighbours, and the line around itself
    next(b for b in test.button if b.label == "United States").click().run()
    assert drawn(maps(healthy(test))[0]) == 51


@pytest.mark.slow
@pytest.mark.parametrize("level", ["nation", "region", "division", "state", "county"])
def test_zoom_stands_on_any_level(open_app: Opener, level: str) -> None:
    regions = hdp.samples.load("us-population").table.regions
    at = regions.tree.level(regions.level_index(level)).start
    test = open_app(ZOOM, sample="us-population", level=level, region=regions.ids[at])
    assert regions.names[at] in healthy(test).title[0].value
    assert maps(test)


def test_zoom_shows_one_place_at_every_level_below(open_app: Opener) -> None:
    test = healthy(open_app(ZOOM, sample="us-population", level="region", region="R4"))
    tree = hdp.samples.load("us-population").table.tree
    assert len(maps(test)) == 1 + 4
    assert [drawn(m) for m in maps(test)][:3] == [2, 1, 2]
    assert drawn(maps(test)[-1]) < tree.n_leaves


@pytest.mark.slow
@pytest.mark.parametrize(("sample", "shown"), [("us-households", True), ("us-population", False)])
def test_sizes_are_drawn_where_there_are_any(open_app: Opener, sample: str, shown: bool) -> None:
    figures = charts(open_app(ZOOM, sample=sample))
    assert any("released" in str(t.get("name")) for f in figures for t in f["data"]) == shown


@pytest.mark.slow
def test_the_maps_come_as_tables_when_asked_for(open_app: Opener) -> None:
    test = open_app(sample="us-population")
    few = len(test.dataframe)
    test.session_state[Key.TABLES] = True
    healthy(test.run())
    sizes = [len(table.value) for table in test.dataframe]
    assert len(sizes) == few + 5
    assert [n for n in (1, 4, 9, 51, 3143) if n not in sizes] == []


@pytest.mark.slow
def test_a_page_keeps_the_view_of_the_one_before(open_app: Opener) -> None:
    test = open_app(sample="us-population", mechanism="hay", epsilon="0.5", allocation="1,1,1,1,3")
    test.switch_page(ZOOM).run()
    stated = address(healthy(test))
    assert (stated["sample"], stated["mechanism"], stated["epsilon"]) == (
        "us-population",
        "hay",
        "0.5",
    )
    assert stated["allocation"] == "1,1,1,1,3"


@pytest.mark.slow
@pytest.mark.parametrize("script", [EXPLORE, ZOOM])
def test_every_chart_has_a_text_for_those_who_do_not_see_it(open_app: Opener, script: str) -> None:
    test = open_app(script)
    for chart in test.get("plotly_chart"):
        assert len(chart.proto.alt) > 30


def test_maps_send_addresses_and_values_not_shapes(open_app: Opener) -> None:
    for chart in open_app().get("plotly_chart"):
        for trace in json.loads(chart.proto.spec)["data"]:
            if trace["type"] == "choropleth":
                assert str(trace["geojson"]).startswith("/app/static/")
        assert "topojsonURL" in chart.proto.config or "choropleth" not in chart.proto.spec


@pytest.mark.slow
def test_any_size_of_a_long_table_can_be_linked_to(open_app: Opener) -> None:
    test = open_app(EXPLORE, sample="taxi", mechanism="pgsr-c-dp", quantity="size-333")
    healthy(test)
    assert test.selectbox(Key.QUANTITY).value == "size-333"
    assert len(test.selectbox(Key.QUANTITY).options) < 30
