"""How it works: every step of the papers' example and of real data, deep links, nonsense."""

import re
from typing import Any

import pytest
from support.pages import Opener, address, charts, healthy, press_first, texts

import hierdp_core as hdp
from hierdp_core.exceptions import HierdpError
from hierdp_core.explain.tree_steps import STEPS
from pages.ui.how_it_works.address import TABS, HowItWorksAddress
from pages.ui.how_it_works.navigation import PAPER
from pages.ui.how_it_works.steps import BELOW_ZERO
from pages.ui.shell.address import parse
from pages.ui.shell.session import Key

INSIDE = "pages/how_it_works_page.py"
REAL = {"sample": "us-households", "level": "state", "region": "13", "size": "7"}


@pytest.mark.parametrize("script", ["app.py", INSIDE])
def test_it_opens_both_ways_in(open_app: Opener, script: str) -> None:
    test = healthy(open_app(script))
    if script == "app.py":
        test = healthy(test.switch_page(INSIDE).run())
    assert test.title[0].value == "Inside the optimisation: occupied units of 1 person"
    assert "the noisy counts are those of Fioretto" in texts(test)
    assert "**2**. The others are **GA 3** and **NY 0**, which sum to 3." in texts(test)
    assert address(test) == {"step": "noise"}


LINKS: list[dict[str, str]] = [
    {},
    {"place": "NY"},
    REAL,
    {"sample": "us-households", "level": "county", "region": "13001", "allocation": "1,2,4"},
    {"sample": "us-population", "epsilon": "0.01", "level": "region", "region": "R4"},
    {"sample": "us-population", "allocation": "0,0,0,0,1"},
    {"sample": "running-example", "epsilon": "0.1", "size": "2"},
]


def links_to_steps() -> list[Any]:
    """Every link with every step; slow, except each link with one and the first with each."""
    quick = {(0, step) for step in STEPS} | {(k, STEPS[k % len(STEPS)]) for k in range(len(LINKS))}
    return [
        pytest.param(step, query, marks=[pytest.mark.slow] * ((k, step) not in quick))
        for k, query in enumerate(LINKS)
        for step in STEPS
    ]


@pytest.mark.nightly
@pytest.mark.parametrize(("step", "query"), links_to_steps())
def test_every_step_opens_by_its_link_and_says_its_numbers(
    open_app: Opener, step: str, query: dict[str, str]
) -> None:
    test = healthy(open_app(INSIDE, step=step, **query))
    assert not test.warning
    assert test.button_group(key=Key.INSIDE_STEP).value == step
    assert address(test).items() >= {"step": step, **query}.items()
    assert len(charts(test)) == 2
    for chart in test.get("plotly_chart"):
        assert len(chart.proto.alt) > 30
    assert len(test.dataframe[-1].value)
    assert "nan" not in texts(test).lower()


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ("leaves", "**GA** costs nothing at 3 and costs 4 at 1. **NY** costs nothing at 0"),
        (
            "merge",
            "The 1st increment comes from **GA** and saves 5. The 3rd increment comes from **GA**",
        ),
        ("own", "cost is **1**: GA 2, NY 0, US 2, or GA 3, NY 0, US 3."),
        ("price", "public total of **6**"),
        ("price", "**λ = 0**. The 3rd increment of this size costs exactly λ"),
        ("choice", "US is **3**. The 3 cheapest increments are taken, which gives **GA 3** and"),
    ],
)
def test_the_worked_example_is_explained_step_by_step(
    open_app: Opener, step: str, sentence: str
) -> None:
    assert sentence in texts(open_app(INSIDE, step=step))


def test_table_5_stands_there_digit_for_digit(open_app: Opener) -> None:
    table = open_app(INSIDE, step="own").dataframe[-1].value
    assert table["v"].tolist() == [0, 1, 2, 3, 4, 5]
    assert table["τ GA"].tolist()[:5] == [9, 4, 1, 0, 1]
    assert table["τ NY"].tolist()[:5] == [0, 1, 4, 9, 16]
    assert table["τ"].tolist() == [13, 5, 1, 1, 5, 11]
    assert table["chosen"].tolist() == ["", "", "", "◯", "", ""]


def test_table_6_stands_there_and_its_noise_is_called_too_small(open_app: Opener) -> None:
    test = healthy(open_app(INSIDE, tab="chain"))
    table = test.dataframe[-1].value
    assert table["τ US"].tolist()[:5] == ["22", "9", "2", "1 ◯", "5"]
    assert table["τ NY"].tolist()[:5] == ["18", "8", "2", "0 ◯", "1"]
    assert "too small" in test.warning[0].value
    assert "1.5 times" in test.warning[0].value


@pytest.mark.slow
def test_next_and_back_walk_the_steps_and_stop_at_the_ends(open_app: Opener) -> None:
    test = open_app(INSIDE)
    assert next(b for b in test.button if b.label == "Back").disabled
    for step in STEPS[1:]:
        test = healthy(press_first(test, "Next"))
        assert address(test)["step"] == step
        assert test.button_group(key=Key.INSIDE_STEP).value == step
    assert next(b for b in test.button if b.label == "The last step").disabled
    for step in STEPS[-2::-1]:
        test = healthy(press_first(test, "Back"))
        assert address(test)["step"] == step


def test_the_step_control_jumps_to_any_step(open_app: Opener) -> None:
    test = open_app(INSIDE)
    test.button_group(key=Key.INSIDE_STEP).set_value("price").run()
    assert address(healthy(test))["step"] == "price"


@pytest.mark.slow
def test_why_a_county_moved_from_minus_three_to_zero(open_app: Opener) -> None:
    test = healthy(press_first(open_app(INSIDE), BELOW_ZERO))
    text = texts(test)
    assert re.search(r"\*\*Why .* moved from −3 to 0\.\*\*", text)
    assert "A count cannot be negative" in text
    reduced = re.search(r"so they must fall by \*\*([\d,]+)\*\*", text)
    total = re.search(r"\*\*Areas reduced\.\*\* .*? That is ([\d,]+) in total\.", text)
    assert reduced is not None
    assert total is not None
    where = address(test)
    assert (where["sample"], where["level"], where["step"]) == (
        "us-households",
        "county",
        "choice",
    )
    table = test.dataframe[-1].value
    assert -3 in table["noisy"].tolist()
    lost = -table.iloc[1:].query("moved < 0")["moved"].sum()
    assert lost == int(total.group(1).replace(",", ""))
    again = healthy(open_app(INSIDE, **where))
    assert texts(again) == text


def test_a_release_without_negative_counts_states_it(open_app: Opener) -> None:
    test = open_app(INSIDE, sample="running-example", epsilon="1000", mechanism="pgsr-h-dp")
    test = healthy(press_first(test, BELOW_ZERO))
    assert "No noisy count of this simulated release is below zero" in test.warning[0].value
    assert not test.run().warning


def test_new_noise_leaves_the_papers_example_and_goes_on_from_there(open_app: Opener) -> None:
    test = healthy(press_first(open_app(INSIDE), "New noise"))
    assert address(test).items() >= {"sample": "running-example", "seed": "0"}.items()
    assert "the noisy counts are those of Fioretto" not in texts(test)
    test = healthy(press_first(test, "New noise"))
    assert address(test)["seed"] == "1"


@pytest.mark.nightly
def test_data_size_and_region_are_chosen_without_a_mouse(open_app: Opener) -> None:
    test = open_app(INSIDE)
    test.selectbox(key=Key.INSIDE_DATA).set_value("us-households").run()
    test.selectbox(key=Key.INSIDE_SIZE).set_value(4).run()
    regions = hdp.samples.load("us-households").table.regions
    test.selectbox(key=Key.INSIDE_PLACE).set_value(regions.node("48", 1)).run()
    where = address(healthy(test))
    assert (where["size"], where["region"]) == ("4", "48")
    assert "households of 4 people" in test.title[0].value
    assert "Texas" in texts(test)
    test.selectbox(key=Key.INSIDE_DATA).set_value("us-population").run()
    where = address(healthy(test))
    assert (where["sample"], where["mechanism"]) == ("us-population", "tree-dp")
    assert "size" not in where
    test.selectbox(key=Key.INSIDE_DATA).set_value(PAPER).run()
    assert "sample" not in address(healthy(test))


@pytest.mark.slow
def test_the_way_up_leads_to_combining_the_tables_of_the_parent(open_app: Opener) -> None:
    test = healthy(press_first(open_app(INSIDE, step="price", **REAL), "Up to"))
    assert address(test).items() >= {"level": "nation", "step": "merge"}.items()


@pytest.mark.nightly
def test_another_budget_gives_another_simulation(open_app: Opener) -> None:
    test = open_app(INSIDE, **REAL)
    before = texts(test)
    test.select_slider(key=Key.SIZE).set_value(0.1).run()
    assert address(healthy(test))["epsilon"] == "0.1"
    assert texts(test) != before


def test_what_explore_shows_is_opened_here(open_app: Opener) -> None:
    test = open_app(sample="us-population", epsilon="0.5", mechanism="hay")
    test = healthy(test.switch_page(INSIDE).run())
    assert address(test).items() >= {"sample": "us-population", "epsilon": "0.5"}.items()
    assert "Overview shows another mechanism, with this budget and seed." in texts(test)
    assert "tree-dp" in texts(test)


def test_bias_by_stage_of_post_processing(open_app: Opener) -> None:
    test = healthy(open_app(INSIDE, tab="stages", sample="us-households"))
    assert re.search(r"true value is 0 change by \*\*\+1\.\d+\*\* on average", texts(test))
    errors, bias = (table.value for table in test.dataframe[-2:])
    assert len(errors) == 4 * 3
    assert bias["true count"].iloc[0] == "0"
    cells = hdp.samples.load("us-households").table
    assert bias["counts"].sum() == cells.tree.n_leaves * cells.n_sizes


def test_the_papers_noise_has_no_average(open_app: Opener) -> None:
    test = healthy(open_app(INSIDE, tab="stages"))
    assert "has no average" in test.info[0].value
    healthy(press_first(test, "New noise on the worked example"))


@pytest.mark.parametrize("tab", TABS)
def test_a_tab_is_in_the_address(open_app: Opener, tab: str) -> None:
    test = healthy(open_app(INSIDE, tab=tab, sample="us-population"))
    assert address(test).get("tab", "tree") == tab


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            {"step": "dance"},
            '"step" must be one of noise, leaves, merge, own, price, choice; got "dance"',
        ),
        ({"size": "6"}, '"size" must lie between 1 and 5'),
        ({"size": "-1"}, '"size" must lie between 1 and 5'),
        ({"size": "two"}, '"size" must lie between 1 and 5'),
        ({"size": "1", "sample": "us-population"}, "These data have no group sizes"),
        ({"place": "TX"}, "must be an area of the worked example, one of US, GA, NY"),
        ({"tab": "moon"}, '"tab" must be one of tree, chain, stages'),
        ({"epsilon": "lots"}, "epsilon must be a number"),
        ({"level": "county", "region": "99999"}, 'No county has the code "99999"'),
        ({"nonsense": "1"}, "nonsense"),
    ],
)
def test_nonsense_is_refused_in_words(query: dict[str, str], message: str) -> None:
    with pytest.raises(HierdpError, match=re.escape(message)):
        parse(query, HowItWorksAddress)


@pytest.mark.parametrize(
    ("query", "message"),
    [({"size": "6"}, '"size" must lie between 1 and 5'), ({"epsilon": "lots"}, "must be a number")],
)
def test_nonsense_gives_a_plain_message_and_the_usual_view(
    open_app: Opener, query: dict[str, str], message: str
) -> None:
    test = healthy(open_app(INSIDE, **query))
    assert message in test.warning[0].value
    assert address(test) == {"step": "noise"}
    assert len(charts(test)) == 2
    assert not test.run().warning


@pytest.mark.nightly
def test_other_pages_do_not_speak_of_steps(open_app: Opener) -> None:
    test = open_app().switch_page(INSIDE).run()
    test = healthy(press_first(press_first(test, BELOW_ZERO), "Back"))
    place = address(test)
    test = healthy(test.switch_page("pages/area_page.py").run())
    assert place["step"] == "price"
    assert not {"step", "size"} & set(address(test))
    assert address(test)["region"] == place["region"]


def test_noise_too_wide_for_a_table_is_a_message(open_app: Opener) -> None:
    wide = {"epsilon": "0.00001", "shares": "1,9999,9999,9999,9999"}
    test = open_app(INSIDE, sample="us-population", step="own", **wide)
    assert not test.exception
    assert "Choose a larger budget" in test.error[0].value
