"""The page Compare: cases side by side, controls, address, bad input."""

import json
import re
from threading import Event
from types import SimpleNamespace

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from support.pages import Opener, address, charts, settled, texts, until

from hierdp_core import mechanisms, samples
from hierdp_core.exceptions import ChoiceError, HierdpError
from hierdp_core.figures.errors import mechanisms as pictures
from hierdp_core.util.parallel import Workers
from pages.ui.compare import view, work
from pages.ui.compare.address import CompareView
from pages.ui.compare.work import CaseSimulations, Running
from pages.ui.shell import turns
from pages.ui.shell.jobs import Job
from pages.ui.shell.session import Key

PAGE = "pages/compare_page.py"
SMALL = {"sample": "running-example", "simulations": "10"}


def opened(open_app: Opener, **query: str) -> AppTest:
    test = settled(open_app(PAGE, **{**SMALL, **query}))
    assert not test.exception
    return test


@pytest.mark.slow
@pytest.mark.parametrize(
    "sample", ["us-households", "us-population", "running-example", "ri-commuting"]
)
def test_it_opens_with_every_kind_of_data(open_app: Opener, sample: str) -> None:
    query = {"sample": sample, "draws": "10", "budgets": "1"}
    test = settled(open_app(PAGE, **query))
    assert not test.exception
    assert not test.error
    assert charts(test)
    assert "not for publication" in texts(test, "code")
    assert address(test)["sample"] == sample


@pytest.mark.slow
def test_it_is_reached_through_the_app_with_the_data_last_looked_at(open_app: Opener) -> None:
    test = open_app(sample="us-population")
    test.switch_page(PAGE).run()
    assert not test.exception
    assert not test.warning
    assert test.selectbox(key=Key.COMPARE_SAMPLE).value == "us-population"


@pytest.mark.slow
def test_at_most_three_choices_stand_before_the_first_result(open_app: Opener) -> None:
    test = opened(open_app)
    more = test.expander[0]
    assert more.label.startswith("Advanced")
    hidden = {
        w.key for kind in ("multiselect", "selectbox", "number_input") for w in more.get(kind)
    }
    shown = {w.key for w in [*test.multiselect, *test.selectbox, *test.number_input]} - hidden
    looking = {Key.COMPARE_MEASURE, Key.COMPARE_X, Key.COMPARE_Y, Key.FIND}
    assert shown - looking == {
        Key.COMPARE_SAMPLE,
        Key.COMPARE_MECHANISMS,
        Key.COMPARE_BUDGETS,
    }


@pytest.mark.slow
def test_both_families_stand_side_by_side_with_what_is_public(open_app: Opener) -> None:
    test = opened(open_app)
    stated = texts(test, "code")
    assert "The mechanisms treat different information as public" in stated
    assert (
        "**Count-of-counts, matched** also treats as public: "
        "the number of groups (units) in every area" in stated
    )
    (table,) = [t.value for t in test.table]
    (difference,) = table["Neighbouring datasets differ by"].unique()
    assert difference.startswith("adding or removing one ")
    assert "except the only member of a group" in difference
    assert len(table) == 5
    assert any("(pgsr-c-opt)" in name for name in table["Mechanism"])
    assert any("(coc)" in name for name in table["Mechanism"])


@pytest.mark.slow
def test_the_best_is_stated_for_every_level_with_its_confidence(open_app: Opener) -> None:
    test = opened(open_app)
    stated = texts(test, "code")
    nation, state = stated.split("## Nation")[1].split("\n## ", 1)
    assert "the lowest error" not in nation  # the number of units is public, so every error is 0
    assert state.count("the lowest error") == 1
    assert "resamples of the 10 simulations" in stated
    stated = " ".join(box.value for box in test.info)
    assert stated.startswith("At ε = 1 (pure DP), adding or removing one person")
    assert ", use **" in stated


@pytest.mark.slow
def test_error_against_budget_has_a_point_a_budget(open_app: Opener) -> None:
    test = opened(open_app, mechanisms="pgsr-h-dp,topdown-2018", budgets="0.1,0.2,0.5")
    lines = [
        c for c in charts(test) if "ε, log scale" in json.dumps(c["layout"], ensure_ascii=False)
    ]
    assert len(lines) == 1  # none for the nation, whose number of units is public
    assert [len(trace["customdata"]) for trace in lines[0]["data"]] == [3, 3]
    assert lines[0]["layout"].get("showlegend", True)
    assert "Every error is 0, which a log scale cannot show." in texts(test)


@pytest.mark.slow
def test_budgets_of_two_kinds_get_axes_of_their_own_or_are_converted(open_app: Opener) -> None:
    test = opened(open_app, **{"mechanisms": "pgsr-h-dp", "as": "epsilon,rho", "budgets": "0.1,1"})
    assert "Not all budgets here are comparable" in texts(test, "code")
    assert "expressed as ρ" not in texts(test, "code")
    before = len(charts(test))
    test.button_group(key=Key.COMPARE_SCALE).set_value("rho").run()
    until(test, lambda page: len(charts(page)) == before - 1)  # one axis for states, not two
    assert "pure DP is expressed as ρ" in texts(test, "code")
    assert address(test)["scale"] == "rho"


@pytest.mark.slow
def test_controls_change_the_address_and_the_address_the_controls(open_app: Opener) -> None:
    test = opened(open_app)
    test.multiselect(key=Key.COMPARE_MECHANISMS).set_value(["coc", "coc-naive"]).run()
    test.selectbox(key=Key.COMPARE_MEASURE).set_value("emd").run()
    test.number_input(key=Key.COMPARE_SEED).set_value(7).run()
    settled(test)
    stated = address(test)
    assert (stated["mechanisms"], stated["measure"], stated["seed"]) == (
        "coc,coc-naive",
        "emd",
        "7",
    )
    again = opened(open_app, **stated)
    assert again.multiselect(key=Key.COMPARE_MECHANISMS).value == ["coc", "coc-naive"]
    assert [code.value for code in again.code] == [code.value for code in test.code]


@pytest.mark.slow
def test_other_data_start_anew(open_app: Opener) -> None:
    test = opened(open_app)
    test.selectbox(key=Key.COMPARE_SAMPLE).set_value("us-population").run()
    settled(test)
    assert not test.exception
    chosen = test.multiselect(key=Key.COMPARE_MECHANISMS).value
    assert chosen
    assert set(chosen) <= set(mechanisms.names("counts"))


@pytest.mark.slow
def test_a_split_that_a_mechanism_cannot_spend_is_reported(open_app: Opener) -> None:
    test = opened(open_app, mechanisms="pgsr-h-dp,coc-bottom-up", allocation="bottom", budgets="1")
    assert any("coc-bottom-up spends the whole budget" in w.value for w in test.warning)
    assert charts(test)


@pytest.mark.slow
def test_nothing_chosen_asks_for_something(open_app: Opener) -> None:
    test = opened(open_app)
    test.multiselect(key=Key.COMPARE_MECHANISMS).set_value([]).run()
    assert not test.exception
    assert "Choose at least one mechanism" in test.info[0].value


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ({"mechanisms": "magic"}, "magic"),
        ({"mechanisms": "hay"}, "choose coc-opt or pgsr-c-opt"),
        ({"budgets": "0"}, "must lie between"),
        ({"budgets": "lots"}, "lots"),
        ({"as": "gold"}, "gold"),
        ({"shares": "mine"}, "mine"),
        ({"simulations": "7"}, "10, 30, 100, 300"),
        ({"seed": "-1"}, "seed"),
        ({"measure": "smell"}, "smell"),
        ({"scale": "richter"}, "richter"),
        ({"x": "planet"}, "planet"),
        ({"promise": "9-DP"}, "9-DP"),
        ({"delta": "2"}, "delta"),
        ({"colour": "red"}, "colour"),
        ({"sample": "mars"}, "mars"),
    ],
)
def test_an_address_with_nonsense_is_refused_by_name(query: dict[str, str], named: str) -> None:
    with pytest.raises(HierdpError, match=re.escape(named)):
        CompareView.from_query({**SMALL, **query})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "named"),
    [({"x": "planet"}, "planet"), ({"mechanisms": "coc", "options": "coc.luck=1"}, "luck")],
)
def test_a_bad_link_is_reported_and_the_default_view_shown(
    open_app: Opener, query: dict[str, str], named: str
) -> None:
    test = open_app(PAGE, **{**SMALL, **query})
    assert not test.exception
    assert any(named in w.value and "The link was not used" in w.value for w in test.warning)
    assert test.multiselect(key=Key.COMPARE_MECHANISMS).value


@pytest.mark.slow
def test_too_many_cases_are_refused_with_their_number(open_app: Opener) -> None:
    test = opened(open_app)
    test.multiselect(key=Key.COMPARE_BUDGETS).set_value([0.01, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0]).run()
    test.button_group(key=Key.COMPARE_SHARES).set_value(["even", "top", "bottom"]).run()
    assert not test.exception
    assert any(
        "5 mechanisms × 7 budgets × 3 allocations are 105 configurations" in e.value
        for e in test.error
    )


def test_an_address_says_only_what_is_not_usual() -> None:
    from pages.ui.shell import loading

    sample = loading.sample("running-example")
    assert CompareView.usual(sample).to_query() == {"sample": "running-example"}


DIFFERENCE = "adding or removing one person, except the only member of a group"


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("10-DP, add or remove one person", f"ε = 10 (pure DP), {DIFFERENCE}"),
        (
            "(0.1, 1e-08)-DP, add or remove one person",
            f"ε = 0.1, δ = 10⁻⁸ (approximate DP), {DIFFERENCE}",
        ),
        ("0.1-zCDP, add or remove one person", f"ρ = 0.1 (zCDP), {DIFFERENCE}"),
    ],
)
def test_links_may_name_a_guarantee_as_they_did_before(before: str, now: str) -> None:
    query = {"sample": "running-example", "as": "epsilon,delta,rho", "promise": before}
    assert CompareView.from_query(query).guarantee == now


@pytest.mark.parametrize("other", ["7-DP, add or remove one person", "10-DP, replace one person"])
def test_links_to_a_guarantee_that_no_case_has_are_refused(other: str) -> None:
    with pytest.raises(ChoiceError, match=f'No mechanism here has the guarantee "{other}"'):
        CompareView.from_query({"sample": "running-example", "promise": other})


# --- shares of one's own, options, cells


@pytest.mark.nightly
def test_shares_of_ones_own_stand_beside_presets(open_app: Opener) -> None:
    test = opened(open_app, mechanisms="pgsr-h-dp", budgets="1", allocation="even,1:3")
    assert test.text_input(key=Key.COMPARE_OWN_SHARES).value == "1:3"
    assert address(test)["allocation"] == "even,1:3"
    assert "--allocation 1,3" in texts(test, "code")
    test.text_input(key=Key.COMPARE_OWN_SHARES).set_value("1, 4; 2:1").run()
    settled(test)
    assert address(test)["allocation"] == "even,1:4,2:1"
    test.text_input(key=Key.COMPARE_OWN_SHARES).set_value("a:b").run()
    assert not test.exception
    assert 'got "a:b"' in test.error[0].value


@pytest.mark.slow
def test_shares_of_the_wrong_length_are_reported(open_app: Opener) -> None:
    test = opened(open_app, mechanisms="pgsr-h-dp", budgets="1")
    test.text_input(key=Key.COMPARE_OWN_SHARES).set_value("1:2:3").run()
    settled(test)
    assert not test.exception
    assert any("Excluded" in w.value for w in test.warning)


@pytest.mark.slow
def test_options_of_a_mechanism_are_in_the_address_and_back(open_app: Opener) -> None:
    query = {"mechanisms": "pgsr-h-dp,coc", "budgets": "1"}
    test = opened(open_app, **query)
    assert test.selectbox(key=Key.COMPARE_OPTIONS).value == "coc"
    test.selectbox(key=f"{Key.METHOD}1").set_value("hg").run()
    test.selectbox(key=f"{Key.OPTION}coc-merge").set_value("mean").run()
    settled(test)
    assert not test.exception
    stated = address(test)
    assert stated["options"] == "coc.methods=hc,hg;coc.merge=mean"
    assert "--option coc.methods=hc,hg --option coc.merge=mean" in texts(test, "code")
    again = opened(open_app, **stated)
    assert again.selectbox(key=f"{Key.METHOD}1").value == "hg"
    assert again.selectbox(key=f"{Key.OPTION}coc-merge").value == "mean"
    assert address(again) == stated


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("coc.luck=1", "luck"),
        ("magic.cap=1", "magic"),
        ("coc.cap", "MECHANISM.NAME=VALUE"),
        ("coc.totals=some", "some"),
    ],
)
def test_bad_options_in_a_link_are_refused(options: str, named: str) -> None:
    with pytest.raises(HierdpError, match=re.escape(named)):
        CompareView.from_query({**SMALL, "mechanisms": "coc", "options": options})


def test_every_cell_states_its_simulations_and_why_it_failed() -> None:
    from dataclasses import replace

    import hierdp_core as hdp
    from hierdp_core.evaluation.comparison import compare, grid
    from hierdp_core.privacy import Budget
    from pages.ui.compare import cells as compare_cells

    data = hdp.samples.load("running-example").table
    plans = grid(data, ["pgsr-h-dp", "coc"], [Budget.of(epsilon=1)])
    found = compare(data, plans, n_simulations=3)
    cells = compare_cells.table(replace(found, n_simulations=5, failures=((1, "out of time"),)))
    assert cells["Simulations"].tolist() == [3, 3]
    assert cells["State"].tolist() == ["running", "failed: out of time"]
    assert compare_cells.table(found)["State"].tolist() == ["done", "done"]
    assert cells["Budget"].unique().tolist() == ["ε = 1"]


@pytest.mark.slow
def test_cells_are_shown_once_cancelled(open_app: Opener) -> None:
    test = open_app(PAGE, sample="us-households", draws="300")
    next(b for b in test.button if b.label == "Stop").click()
    test.run()
    assert not test.exception
    assert any(e.label == "Progress by configuration" for e in test.expander)
    assert "Simulations" in test.dataframe[0].value


@pytest.mark.slow
def test_flows_show_bias_by_departures(open_app: Opener) -> None:
    test = opened(open_app, sample="od-random-sparse", mechanisms="inftda", budgets="1")
    assert "Bias by size of" in texts(test, "code")


def test_an_account_is_a_word_of_the_address_and_a_flag_of_the_command() -> None:
    from pages.ui.compare.compare_words import shell_lines
    from pages.ui.shell import loading

    query = {**SMALL, "as": "delta", "accounting": "simple"}
    seen = CompareView.from_query(query)
    assert {budget.accounting for budget in seen.budgets()} == {"simple"}
    assert seen.to_query()["accounting"] == "simple"
    (line,) = shell_lines(seen, loading.sample(seen.sample))
    assert "--accounting simple" in line
    assert "--noise" not in line
    with pytest.raises(ChoiceError, match='no accounting method "renyi"'):
        CompareView.from_query({**SMALL, "accounting": "renyi"})


def test_what_was_made_of_some_results_is_made_again_of_all() -> None:
    view = CompareView(sample="running-example", mechanisms=())
    running = Running(view=view, plans=(), cases=())
    some, complete = object(), object()
    assert running.kept("look", lambda: 1, comparison=some, running=True, every=60) == 1
    assert running.kept("look", lambda: 2, comparison=complete, running=True, every=60) == 1
    assert running.kept("look", lambda: 3, comparison=complete, running=False, every=60) == 3
    assert running.kept("look", lambda: 4, comparison=complete, running=False, every=60) == 3
    assert running.kept("other", lambda: 5, comparison=complete, running=False, every=60) == 5


def test_the_progress_is_shown_without_gathering_what_was_simulated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts_shown: list[str] = []
    monkeypatch.setattr(st, "progress", lambda share, text: texts_shown.append(text))
    monkeypatch.setattr(Running, "comparison", lambda _: pytest.fail("gathered"))
    compared = CompareView.from_query({**SMALL, "mechanisms": "pgsr-h-dp", "budgets": "1,2"})
    plans, _ = compared.plans(samples.load(SMALL["sample"]))
    running = Running(view=compared, plans=plans, cases=(CaseSimulations(), CaseSimulations()))
    job = SimpleNamespace(value=running, look=lambda: True, stop=None)
    view._progress(job)  # type: ignore[arg-type]
    assert texts_shown == ["0 of 2 configurations complete. Each has at least 0 of 10 simulations."]


def test_no_simulation_begins_while_the_page_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = samples.load("running-example")
    view = CompareView.usual(sample)
    running = Running(view=view, plans=(), cases=())
    asked, began = Event(), Event()

    def simulations(*_: object, workers: Workers, **__: object) -> None:
        asked.set()
        assert not workers.cancel()
        began.set()

    monkeypatch.setattr(work, "simulate_cases", simulations)
    job: Job[Running] = Job(
        name="", compute=lambda job: running.simulate(job, sample), value=running
    )
    with turns.opening():
        job.look()
        assert asked.wait(5)
        assert not began.wait(0.1)
        with turns.waiting_for_work():
            assert began.wait(5)


def test_lines_are_equally_wide_and_differ_in_colour_and_dash() -> None:
    """A wider line would look as if it meant something."""
    compared = CompareView.usual(samples.load("running-example"))
    plans, _ = compared.plans(samples.load("running-example"))
    looks = pictures.looks(plans)
    of_mechanism = {plan.id: k for k, plan in enumerate(plans)}
    rows = looks.loc[list(of_mechanism.values())]
    assert rows["colour"].nunique() == rows["dash"].nunique() == len(of_mechanism) > 3
    points = [
        {
            **look,
            "size_class": place,
            "smallest": place,
            "largest": place,
            "mean": 1.0,
            "error": 0.1,
            "simulations": 30,
        }
        for look in rows.to_dict("records")
        for place in (0, 1)
    ]
    figure = pictures.bias_by_size(pd.DataFrame(points), unit="people")
    assert len(figure.data) == len(of_mechanism)
    assert len({line.line.width for line in figure.data}) == 1
    assert len({line.marker.size for line in figure.data}) == 1
    assert {line.line.dash for line in figure.data} == set(rows["dash"])
