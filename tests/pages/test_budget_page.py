"""The page Set a budget: targets in words, the search behind the page's back, the answer."""

import math
import re
import shlex
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from support.pages import Opener, address, healthy, searched, texts, until

import hierdp_core as hdp
from hierdp_core.exceptions import HierdpError
from hierdp_core.figures.errors import budget_search as pictures
from hierdp_core.planning import Target, find_budget
from pages.ui.budget import budget_words, commands
from pages.ui.budget.address import BudgetAddress
from pages.ui.compare.address import CompareView
from pages.ui.shell.address import parse
from pages.ui.shell.session import Key

PLAN = "pages/budget_page.py"
SHOWN = ("title", "code", "warning")  # beside paragraphs and captions
# One number of a small table, in four draws of five: found at once.
EASY = {
    "sample": "running-example",
    "mechanism": "pgsr-c-dp",
    "of100": "80",
    "given": "yes",
    "fresh": "60",
}
EASY |= {"target": "state=all:1"}


def widget(name: str, k: int = 0) -> str:
    return f"{Key.PLAN_TARGET}{k}-{name}"


@pytest.mark.slow
@pytest.mark.parametrize("sample", ["us-households", "us-population", "taxi", "running-example"])
def test_it_opens_with_every_kind_of_data(open_app: Opener, sample: str) -> None:
    test = healthy(open_app(PLAN, sample=sample))
    assert test.title[0].value == "Which budget do I need?"
    leaf = hdp.samples.load(sample).table.regions.levels[-1]
    assert address(test)["target"] == f"{leaf}=95%:5%"
    assert test.selectbox(key=widget("level")).value == leaf


@pytest.mark.slow
def test_the_app_leads_there(open_app: Opener) -> None:
    test = healthy(open_app())
    healthy(test.switch_page(PLAN).run())
    assert test.title[0].value == "Which budget do I need?"


@pytest.mark.slow
def test_it_finds_a_budget_with_its_confidence_and_leads_on(open_app: Opener) -> None:
    test = searched(healthy(open_app(PLAN, **EASY)), "Find the budget")
    stated = texts(test, *SHOWN)
    assert re.search(r"ε = [\d.]+ meets the target", stated)
    assert "keeps every state within 1 in at least 80% of simulations" in stated
    assert "allocation 1\N{NO-BREAK SPACE}:\N{NO-BREAK SPACE}1)" in stated
    assert "validation simulations met the target. At 95% confidence, at least" in stated
    assert "Planned on the table's true counts" in stated
    assert len(test.get("plotly_chart")) in (1, 2)  # the trade-off may be there as well
    assert "hierdp budget --sample running-example --mechanism pgsr-c-dp" in stated
    again = open_app(PLAN, **EASY)
    assert "keeps every state within 1" in texts(again, *SHOWN)  # kept for whoever asks the same


def test_a_target_is_put_together_from_its_controls(open_app: Opener) -> None:
    test = open_app(PLAN, sample="us-households")
    test.selectbox(key=widget("who")).set_value("median")
    test.selectbox(key=widget("level")).set_value("state")
    test.selectbox(key=widget("unit")).set_value(False)
    test.number_input(key=widget("within")).set_value(50.0)
    test.selectbox(key=widget("quantity")).set_value("members").run()
    assert address(healthy(test))["target"] == "state/members=median:50"


def test_targets_come_and_go(open_app: Opener) -> None:
    test = open_app(PLAN, sample="us-households")
    next(b for b in test.button if b.label == "Add a target").click()
    test.run()
    assert address(healthy(test))["target"] == "county=95%:5%,state=95%:1%"
    test.button(key=widget("away", 1)).click()
    test.run()
    assert address(healthy(test))["target"] == "county=95%:5%"


def test_an_address_says_all_of_it(open_app: Opener) -> None:
    query = {
        "sample": "us-population",
        "mechanism": "hay",
        "seed": "3",
        "target": "county=90%:7%,state/count=all:500",
        "find": "delta",
        "chance": "1e-06",
        "of100": "99",
        "most": "5",
        "stand-in": "yes",
        "total": "300000000",
        "fresh": "800",
        "given": "yes",
        "allocation": "1,1,1,2,3",
    }
    test = healthy(open_app(PLAN, **query))
    found = address(test)
    # The table's first quantity needs no name.
    assert found == query | {"target": "county=90%:7%,state=all:500"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"target": "tract=5%"},
        {"target": "county=0%"},
        {"target": "county=120%:5%"},
        {"target": "county/rooms=5%"},
        {"target": "nonsense"},
        {"find": "sigma"},
        {"of100": "nan"},
        {"of100": "100"},
        {"most": "-1"},
        {"fresh": "5"},
        {"stand-in": "yes", "total": "x"},
    ],
)
def test_a_bad_link_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(HierdpError):
        parse({"sample": "us-households"} | wrong, BudgetAddress)


@pytest.mark.parametrize("wrong", [{"target": "tract=5%"}, {"ask": "shares", "weights": "1,nan"}])
def test_a_bad_link_is_reported_and_the_page_stands(
    open_app: Opener, wrong: dict[str, str]
) -> None:
    test = healthy(open_app(PLAN, sample="us-households", **wrong))
    assert "The link was not used" in test.warning[0].value


@pytest.mark.slow
def test_a_target_out_of_reach_is_reported(open_app: Opener) -> None:
    test = searched(open_app(PLAN, **EASY | {"most": "0.01"}), "Find the budget")
    assert "Up to ε = 0.01, no budget was shown to keep" in texts(test, *SHOWN)
    assert "No budget that was tried was shown to meet the target" in test.title[0].value


@pytest.mark.nightly
def test_a_synthetic_table_is_labelled_as_one(open_app: Opener) -> None:
    test = searched(
        open_app(PLAN, **EASY | {"stand-in": "yes", "target": "nation=all:3"}), "Find the budget"
    )
    assert "Planned on a synthetic table of the same shape" in texts(test, *SHOWN)
    assert "--synthetic" in texts(test, *SHOWN)


def test_cancel_stops_the_search(open_app: Opener) -> None:
    test = open_app(PLAN, sample="us-households", target="county=all:0.5%")
    next(b for b in test.button if b.label == "Find the budget").click()
    test.run()
    next(b for b in test.button if b.label == "Stop").click()
    test.run()
    until(test, lambda page: "was stopped" in texts(page, *SHOWN))
    assert not any(b.label == "Stop" for b in healthy(test).button)


@pytest.mark.slow
def test_explore_opens_with_the_budget_that_was_found(open_app: Opener) -> None:
    test = searched(open_app(PLAN, **EASY), "Find the budget")
    found = test.title[0].value.rpartition("ε = ")[2].partition(" ")[0]
    next(b for b in test.button if b.label == "Open in Overview").click()
    test.run()
    assert test.session_state[Key.VIEW].settings.epsilon == float(found)
    assert test.session_state[Key.VIEW].settings.allocation == (1, 1)


@pytest.mark.slow
def test_compare_opens_with_the_budget_that_was_found(open_app: Opener) -> None:
    test = searched(open_app(PLAN, **EASY), "Find the budget")
    found = float(test.title[0].value.rpartition("ε = ")[2].partition(" ")[0])
    next(b for b in test.button if b.label == "Compare mechanisms at this budget").click()
    test.run()
    grid = test.session_state[Key.VIEW].of(CompareView)
    assert (grid.sizes, grid.mechanisms[0]) == ((found,), "pgsr-c-dp")


# --- figures and words


def curve_of(*targets: str) -> Any:
    table = hdp.samples.load("running-example").table
    return find_budget(
        table, "pgsr-c-dp", targets, allocation=[1, 1], n_simulations=80, reliability=0.8
    )


@pytest.mark.slow
@pytest.mark.parametrize("target", ["state=all:1", "state=mean:1", "state=mean:30%"])
def test_the_picture_its_table_and_its_text_say_the_same(target: str) -> None:
    found = curve_of(target)
    (scorer,) = found.scorers
    mean = scorer.target.share is None
    needed = scorer.target.tolerance if mean else scorer.target.share
    asked = {"mean": mean, "symbol": "ε", "relative": scorer.target.relative}
    figure = pictures.curve(
        found.curve, needed=needed, found=found.size, unit="x", reliability=0.8, **asked
    )
    band, middle, edge = figure.data
    assert list(middle.y) == found.curve["median"].tolist()
    assert list(edge.y) == found.curve["interval_high" if mean else "interval_low"].tolist()
    assert len(band.x) == 2 * len(found.curve)
    table = pictures.table(found.curve, **asked)
    assert len(table) == len(found.curve)
    assert pictures.alt(found.curve, needed=needed, target=target, **asked).startswith(target)


@pytest.mark.slow
def test_the_shell_line_and_the_python_find_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    from hierdp_core.cli.entry import command_line_parser
    from hierdp_core.settings import Settings

    settings = Settings(sample="running-example", mechanism="pgsr-c-dp", allocation=(1, 1), seed=4)
    aim = BudgetAddress(
        find="delta", delta=1e-6, reliability=0.8, most=50, fresh=80, given=True, synthetic=True
    )
    targets = (Target.parse("state=all:3"),)
    flags = command_line_parser().parse_args(
        shlex.split(commands.shell(settings, aim, targets))[1:]
    )
    assert (flags.delta, flags.reliability, flags.most) == ("1e-06", "80%", "50")
    assert (flags.allocation, flags.seed, flags.synthetic) == ("1,1", "4", True)
    exec(compile(commands.python(settings, aim, targets), "plan", "exec"), {})
    assert "within 3 in at least 80% of simulations" in capsys.readouterr().out


def test_commands_and_addresses_keep_every_digit() -> None:
    """A rounded ε or reliability would be that of another search."""
    from hierdp_core.cli.entry import command_line_parser
    from hierdp_core.settings import Settings

    stated = 66.66666667 / 100
    settings = Settings(sample="running-example", mechanism="pgsr-c-dp", epsilon=0.12345678901234)
    aim = BudgetAddress(reliability=stated, most=12.345678901234567)
    targets = (Target.parse("state=all:3"),)
    line = shlex.split(commands.shell(settings, aim, targets))
    flags = command_line_parser().parse_args(line[1:])
    assert float(flags.reliability.removesuffix("%")) / 100 == stated
    assert float(flags.most) == aim.most
    code = commands.python(settings, aim, targets)
    assert f"reliability={stated!r}" in code
    assert f"most={aim.most!r}" in code
    query = aim.to_query()
    assert (float(query["of100"]) / 100, float(query["most"])) == (stated, aim.most)
    shares = BudgetAddress(ask="allocation", weights=(1.0, 1.23456789012345))
    line = shlex.split(commands.shares_shell(settings, shares, ("nation", "state")))
    flags = command_line_parser().parse_args(line[1:])
    assert (flags.epsilon, flags.weights) == ("0.12345678901234", "1,1.23456789012345")
    assert shares.to_query()["weights"] == flags.weights


# --- the other question: which shares are best

SHARES = {
    "sample": "running-example",
    "mechanism": "pgsr-c-dp",
    "epsilon": "0.5",
    "ask": "allocation",
    "weights": "0,1",
}


@pytest.mark.slow
def test_the_best_shares_are_found_and_carried_on(open_app: Opener) -> None:
    test = healthy(open_app(PLAN, **SHARES))
    assert address(test) == SHARES | {"seed": "0", "quantity": "occupied"}
    assert "Find the allocation" in texts(test, *SHOWN)
    test = searched(test, "Find the allocation")
    data = hdp.samples.load("running-example")
    expected = hdp.best_allocation(data.table, "pgsr-c-dp", epsilon=0.5, weights=[0, 1])
    stated = texts(test, *SHOWN)
    assert expected.sentence in stated
    assert expected.basis in stated
    assert expected.measured in stated
    assert "95% interval" in stated
    assert "hierdp budget --sample running-example --mechanism pgsr-c-dp --epsilon 0.5" in stated
    errors, split = (frame.value for frame in test.dataframe)
    assert errors["Weight"].tolist() == ["0", "1"]
    low, high = expected.level_intervals[1]
    ends = math.floor(-1000 * high) / 10, math.ceil(-1000 * low) / 10
    assert errors.iloc[1, -1] == " to ".join(
        f"{end:+.1f}%".replace("-", "−") if end else "0.0%" for end in ends
    )
    assert tuple(split["Allocation"]) == expected.plan.allocation.weights
    next(b for b in test.button if b.label == "Open in Overview").click()
    test.run()
    shown = test.session_state[Key.VIEW].settings
    assert (shown.allocation, shown.epsilon) == (expected.plan.allocation.weights, 0.5)


@pytest.mark.slow
def test_compare_opens_with_the_shares_that_were_found(open_app: Opener) -> None:
    test = searched(open_app(PLAN, **SHARES), "Find the allocation")
    next(b for b in test.button if b.label == "Compare with an equal allocation").click()
    test.run()
    grid = test.session_state[Key.VIEW].of(CompareView)
    sample = hdp.samples.load(grid.sample)
    assert grid.mechanisms == ("pgsr-c-dp",)
    even, own = grid.splits(sample)
    assert even is None
    assert ":".join(map(str, own)) == grid.allocation[1]
    assert own[1] > own[0]


@pytest.mark.slow
def test_weights_and_the_question_are_controls(open_app: Opener) -> None:
    test = open_app(PLAN, sample="us-households")
    test.button_group(key=Key.PLAN_ASK).set_value("allocation").run()
    test.number_input(key=f"{Key.PLAN_WEIGHT}2").set_value(3.0).run()
    stated = address(healthy(test))
    assert (stated["ask"], stated["weights"]) == ("allocation", "1,1,3")
    assert "target" not in stated
    for k in range(3):
        test.number_input(key=f"{Key.PLAN_WEIGHT}{k}").set_value(0.0)
    test.run()
    next(b for b in test.button if b.label == "Find the allocation").click()
    test.run()
    until(test, lambda page: page.error)
    assert not test.exception
    assert "one of them must be above 0" in test.error[0].value


@pytest.mark.parametrize(
    "wrong",
    [
        {"ask": "luck"},
        {"weights": "1,2,3"},
        {"weights": "0,0"},
        {"weights": "1,-1"},
        {"weights": "1,nan"},
        {"weights": "1,"},
    ],
)
def test_bad_weights_in_a_link_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(HierdpError):
        parse(SHARES | wrong, BudgetAddress)


def test_other_data_keep_the_question(open_app: Opener) -> None:
    test = open_app(PLAN, **SHARES)
    test.selectbox(key=Key.SAMPLE).set_value("us-population").run()
    stated = address(healthy(test))
    assert (stated["ask"], stated["sample"]) == ("allocation", "us-population")
    assert "weights" not in stated


def test_shares_of_flows_stand_beside_their_tree(open_app: Opener) -> None:
    query = {"sample": "ri-commuting", "mechanism": "inftda", "ask": "allocation"}
    test = healthy(open_app(PLAN, **query))
    assert any(b.label == "Find the allocation" for b in test.button)


@pytest.mark.slow
def test_the_shell_line_and_the_python_find_the_same_shares(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from hierdp_core.cli.entry import command_line_parser
    from hierdp_core.settings import Settings

    settings = Settings(sample="running-example", mechanism="pgsr-c-dp", epsilon=0.5, seed=4)
    aim = BudgetAddress(ask="allocation", weights=(0.0, 1.0), synthetic=True, total=20)
    levels = ("nation", "state")
    flags = command_line_parser().parse_args(
        shlex.split(commands.shares_shell(settings, aim, levels))[1:]
    )
    assert (flags.weights, flags.epsilon, flags.seed) == ("0,1", "0.5", "4")
    assert (flags.synthetic, flags.total) == (True, "20")
    exec(compile(commands.shares_python(settings, aim, levels), "plan", "exec"), {})
    assert capsys.readouterr().out.startswith("At ε = 0.5, ")


def _with_trade_off(test: AppTest) -> AppTest:
    """The page once its trade-off is there, which starts with the second look."""
    until(test.run(), lambda page: any(b.label == "Select a budget" for b in page.button_group))
    return healthy(test)


@pytest.mark.slow
def test_a_budget_is_picked_from_the_trade_off_and_kept_on_every_page(open_app: Opener) -> None:
    test = _with_trade_off(open_app(PLAN, **EASY))
    stated = texts(test, *SHOWN)
    assert "meet the target in all 20 simulations" in stated
    assert "At ε = 1: every state within" in stated  # the budget of the settings
    assert f"{Key.PLAN_CURVE}0" in [chart.key for chart in test.get("plotly_chart")]
    test.button_group(key=Key.PLAN_PICK).set_value(0.5).run()
    assert "At ε = 0.5: every state within" in texts(healthy(test), *SHOWN)
    assert test.session_state[Key.VIEW].settings.epsilon == 0.5
    assert not test.button(key="trade-off-overview").disabled


@pytest.mark.slow
def test_first_curves_stand_on_the_page_before_all_simulations_are_complete(
    open_app: Opener,
) -> None:
    test = healthy(open_app(PLAN, **EASY | {"seed": "77"}).run())  # results of a seed are kept
    stated = texts(test, *SHOWN)
    assert budget_words.TRADE_OFF in stated
    assert budget_words.FIRST_CURVES in stated
    assert "The one simulation meets the target." in stated
    assert f"{Key.PLAN_CURVE}0" in [chart.key for chart in test.get("plotly_chart")]
    assert not any(group.label == "Select a budget" for group in test.button_group)
    complete = texts(_with_trade_off(test), *SHOWN)
    assert budget_words.FIRST_CURVES not in complete
    assert "meet the target in all 20 simulations" in complete
