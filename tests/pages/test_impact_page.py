"""Impact: rules, presets, levels, links, simulations in the background, and what can go wrong."""

import doctest
import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from support.pages import Opener, address, charts, healthy, settled, texts

import hierdp_core as hdp
from hierdp_core import samples
from hierdp_core.decisions import RULES, Rule, decide, presets_for
from hierdp_core.decisions.base import outcome as outcome_of
from hierdp_core.decisions.budgets import FACTORS
from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.evaluation.size_classes import by_size
from hierdp_core.exceptions import ChoiceError, HierdpError
from hierdp_core.settings import Settings
from pages.ui.impact import impact_words, report, work
from pages.ui.impact import view as impact_view
from pages.ui.impact.address import ImpactAddress, to_python
from pages.ui.impact.work import Decided
from pages.ui.shell import work as shell_work
from pages.ui.shell.address import View, parse
from pages.ui.shell.session import Key
from pages.ui.shell.work import Drawn

DECIDE = "pages/impact_page.py"


def on_map(test: AppTest) -> int:
    return sum(len(t["locations"]) for t in charts(test)[0]["data"] if t["type"] == "choropleth")


def parameter(test: AppTest, kind: str, name: str) -> Any:
    return next(w for w in test.get(kind) if str(w.key).endswith(f"-{name}"))


@pytest.mark.parametrize(
    ("sample", "rule"),
    [*(("us-population", rule) for rule in RULES), ("us-households", "threshold")],
)
def test_every_rule_answers_for_states(open_app: Opener, rule: str, sample: str) -> None:
    test = settled(open_app(DECIDE, sample=sample, rule=rule, places="state", draws="30"))
    assert test.title[0].value.startswith("At ε = 1, ")
    assert on_map(test) == 51
    shown = texts(test, "code")
    assert "30 simulations" in shown
    assert RULES[rule].ties in shown
    assert "not for publication" in shown
    assert address(test)["rule"] == rule


@pytest.mark.parametrize("script", ["app.py", DECIDE])
def test_the_page_opens_through_the_app_and_alone(open_app: Opener, script: str) -> None:
    test = open_app(script, sample="running-example", draws="10")
    if script == "app.py":
        test.switch_page(DECIDE).run()
    assert settled(test).title[0].value.startswith("At ε = 1, ")


@pytest.mark.nightly
def test_which_counties_would_lose_by_the_noise_and_how_often(open_app: Opener) -> None:
    test = settled(open_app(DECIDE, rule="threshold", **{"rule.limit": "10000"}))
    shown = texts(test, "code")
    assert re.search(
        r"\*\*[\d,]+\*\* of 3,143 counties are eligible \(at least 10,000 households\)", shown
    )
    assert "300 simulations" in shown
    assert re.search(
        r"The highest probability is \*\*\d+(\.\d+)?%\*\*, for [A-Z].+ \(true count", shown
    )
    table = next(d.value for d in test.dataframe if "different outcome" in d.value)
    assert len(table) == 3143
    assert table["different outcome"].is_monotonic_decreasing
    assert (table["different outcome"] == table["False positive"] + table["False negative"]).all()


@pytest.mark.slow
def test_a_changed_threshold_changes_address_and_answer(open_app: Opener) -> None:
    test = settled(open_app(DECIDE, sample="us-population", rule="threshold", draws="30"))
    parameter(test, "number_input", "limit").set_value(100_000).run()
    assert address(settled(test))["rule.limit"] == "100000"
    assert "at least 100,000 people" in texts(test, "code")
    parameter(test, "selectbox", "side").set_value("below").run()
    assert address(settled(test))["rule.side"] == "below"
    other = settled(open_app(DECIDE, **address(test)))
    assert (
        texts(other, "code").split("By the true")[1][:200]
        == texts(test, "code").split("By the true")[1][:200]
    )


@pytest.mark.slow
def test_another_rule_or_level_starts_with_its_usual_parameters(open_app: Opener) -> None:
    test = settled(
        open_app(
            DECIDE,
            sample="us-population",
            rule="threshold",
            draws="10",
            **{"rule.limit": "77"},
        )
    )
    test.selectbox(key=Key.RULE).set_value("seats").run()
    test.selectbox(key=f"{Key.RULE_LEVEL}us-population-seats").set_value("state").run()
    settled(test)
    assert "435 seats" in texts(test, "code")
    assert "The District of Columbia gets no seats." in texts(test, "code")
    assert "rule.limit" not in address(test)
    parameter(test, "multiselect", "without").set_value([]).run()
    assert "among 51 states" in texts(settled(test), "code")
    assert address(test)["rule.without"] == ""


def test_other_data_keep_the_rule_and_forget_what_does_not_fit(open_app: Opener) -> None:
    query = {"sample": "us-population", "rule": "ranking", "rule.k": "20", "draws": "10"}
    test = settled(open_app(DECIDE, places="division", **{**query, "rule.k": "3"}))
    assert "3 largest divisions" in texts(test, "code")
    test.selectbox(key=Key.SAMPLE).set_value("running-example").run()
    assert address(settled(test))["rule"] == "ranking"
    assert "places" not in address(test)
    assert "rule.k" not in address(test)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"rule": "lottery"}, 'no rule "lottery"'),
        ({"places": "village"}, 'no level "village"'),
        ({"rule": "threshold", "rule.limit": "-3"}, "“Threshold”, is a number"),
        ({"rule": "threshold", "rule.money": "3"}, 'has no parameter "money"'),
        (
            {"rule": "funding", "rule.money": "0"},
            "“Total funding (US$)”, is a number, at least 0.01",
        ),
        ({"rule": "seats", "rule.without": "zz"}, 'No state has the code "zz"'),
        ({"show": "all"}, '"show" must be one of places, budgets, programmes, sizes, draws'),
        ({"draws": "7"}, "The number of simulations must be one of"),
    ],
)
def test_a_bad_link_is_refused_in_words(query: dict[str, str], message: str) -> None:
    with pytest.raises(HierdpError, match=re.escape(message)):
        parse({"sample": "us-population"} | query, ImpactAddress)


def test_a_bad_link_states_it_and_shows_the_usual_view(open_app: Opener) -> None:
    test = healthy(open_app(DECIDE, sample="us-population", rule="lottery", draws="30"))
    assert 'no rule "lottery"' in test.warning[0].value
    assert "default view" in test.warning[0].value


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"rule": "ranking", "rule.k": "60"}, "has 51 areas"),
        ({"rule": "grouping", "rule.groups": "52"}, "cannot form 52 districts"),
        ({"rule": "seats", "rule.seats": "30"}, "needs at least 50; got 30"),
        ({"rule": "seats", "rule.seats": "999999999"}, "more seats"),
    ],
)
def test_wishes_that_do_not_fit_are_reported_beside_the_controls(
    open_app: Opener, query: dict[str, str], message: str
) -> None:
    test = open_app(DECIDE, sample="us-population", places="state", draws="10", **query)
    assert not test.exception
    assert message in test.error[0].value
    name = next(n for n in query if n.startswith("rule."))
    parameter(test, "number_input", name.removeprefix("rule.")).set_value(50).run()
    settled(test)


def test_a_threshold_that_no_place_meets_is_shown_all_the_same(open_app: Opener) -> None:
    test = settled(
        open_app(
            DECIDE,
            sample="us-population",
            rule="threshold",
            draws="10",
            **{"rule.limit": "1e12"},
        )
    )
    assert "no county is eligible (at least 1,000,000,000,000 people)" in texts(test, "code")
    assert "is misclassified in 10 simulations" in texts(test, "code")
    assert on_map(test) == 3143


@pytest.mark.slow
def test_cancel_keeps_what_is_there(open_app: Opener) -> None:
    test = open_app(DECIDE, mechanism="pgsr-c-opt", draws="1000", epsilon="0.77")
    cancel = next(button for button in test.button if button.label == "Stop")
    cancel.click().run()
    healthy(test)
    assert "Stopped after" in texts(test, "code")
    assert not [button for button in test.button if button.label == "Stop"]
    next(button for button in test.button if button.label == "Continue").click().run()
    assert [button for button in test.button if button.label == "Stop"]
    assert "Stopped" not in texts(healthy(test), "code")


@pytest.mark.slow
def test_explore_leads_to_the_error_by_size_of_place(open_app: Opener) -> None:
    test = open_app("app.py", sample="us-population")
    next(b for b in test.button if b.label == "Error by size of area").click().run()
    assert settled(test).title[0].value.startswith("At ε = 1, ")
    assert address(test)["show"] == "sizes"
    assert "in the smallest counties (" in texts(test, "code")
    next(b for b in test.button if b.label == "See errors by level").click().run()
    assert not test.exception
    assert test.title[0].value.startswith("The smaller the area")


def test_the_error_by_size_has_a_link_of_its_own(open_app: Opener) -> None:
    other = settled(open_app(DECIDE, sample="us-population", show="sizes", draws="30"))
    assert "in the smallest counties (" in texts(other, "code")
    assert len(charts(other)) == 5


@pytest.mark.parametrize("area", [{"level": "state"}, {"level": "state", "region": "06"}])
def test_an_area_in_the_address_is_ignored_with_a_message(
    open_app: Opener, area: dict[str, str]
) -> None:
    test = healthy(open_app(DECIDE, sample="us-population", rule="threshold", draws="10", **area))
    names = " and ".join(f'"{name}"' for name in area)
    message = f'This page ignores {names} in its address. On this page, "places" names the level.'
    assert test.warning[0].value == message
    assert address(test)["rule"] == "threshold"  # the rest of the link is used
    assert not {"level", "region"} & set(address(test))


def test_the_view_reads_back_from_its_address() -> None:
    shown = {"sample": "us-population", "rule": "seats", "places": "state", "rule.seats": "500"}
    view = parse({**shown, "simulations": "1000", "show": "draws"}, ImpactAddress)
    here = view.of(ImpactAddress)
    assert parse(here.full_query(view), ImpactAddress) == view
    assert (here.parameters, here.n_simulations) == ((("seats", "500"),), 1000)
    usual = parse({"sample": "us-population", "places": "county"}, ImpactAddress)
    assert usual.of(ImpactAddress) == ImpactAddress()
    assert ImpactAddress().n_simulations == 300


def test_a_link_of_the_first_version_still_states_how_many_simulations() -> None:
    view = parse({"sample": "running-example", "draws": "30"}, ImpactAddress)
    assert (view.of(ImpactAddress).n_simulations, view.n_simulations) == (30, 100)
    assert view.of(ImpactAddress).full_query(view)["simulations"] == "30"
    with pytest.raises(ChoiceError, match="old name"):
        parse({"draws": "30", "simulations": "30"}, ImpactAddress)


def test_the_python_gives_the_frequencies_of_the_page() -> None:
    view = parse({"sample": "running-example"})
    code = to_python(
        view.settings,
        "occupied",
        rule="threshold",
        level="state",
        given={"limit": 3},
        n_simulations=4,
    )
    space: dict[str, Any] = {}
    exec(code.replace("print(", "shown = ("), space)
    assert len(space["shown"]) == 2
    assert space["outcome"].n_simulations == 4
    assert "simulate(" not in code  # nothing but what the page shows


def test_the_report_holds_every_chart_and_table_and_opens_alone() -> None:
    view = parse({"sample": "us-population"})
    sample = hdp.samples.load("us-population")
    plan = view.settings.plan(sample.table)
    counts = hdp.released_counts(sample.table, plan, "count", n_simulations=3)
    states = counts.of_level("state")
    found = Decided(
        digest="",
        places=states,
        outcome=decide("seats", states),
        sizes=by_size(states),
        unit=counts.quantity.title,
    )
    drawn = Drawn(
        digest="",
        sample=sample,
        quantity=counts.quantity,
        plan=plan,
        simulation=hdp.simulate(sample.table, plan),
        regions=pd.DataFrame(),
    )
    moved = found.outcome.places["wrong"].gt(0).any()
    page = report.html(found, drawn, "http://here/decide?rule=seats")
    assert page.count('class="figure-box"') == 5
    assert page.count("as a table</summary>") == (5 if moved else 4)
    assert "435 seats are apportioned among 50 states" in page
    assert "District of Columbia" in page
    assert "3, seed 0" in page
    assert "http://here/decide?rule=seats" in page
    assert page.count("Contains true values: not for publication") >= 2
    assert "default-src 'none'" in page


# --- the sentences


def places(true: list[int], released: list[list[int]]) -> LevelSimulations:
    names = tuple(f"Place {k}" for k in range(len(true)))
    return LevelSimulations(
        level="state",
        nodes=np.arange(len(true)),
        ids=names,
        names=names,
        true=np.array(true),
        released=np.array(released),
    )


def test_examples_in_the_docstrings() -> None:
    assert doctest.testmod(impact_words).failed == 0


def test_the_paragraph_of_a_threshold() -> None:
    found = decide("threshold", places([10, 20, 30], [[21, 20, 30], [10, 20, 30]]), limit=20)
    assert impact_words.paragraph(found, unit="people") == (
        "By the true counts, **2** of 3 states are eligible (at least 20 people). On average, "
        "**0.5** states are misclassified per simulation (all simulations: 0–1). These are 0.5 "
        "false positives and 0 false negatives. **1 state** is misclassified with a probability of "
        "5% or more. The highest probability is **50%**, for Place 0 (true count 10)."
    )


def test_the_interval_ends_at_values_that_occurred() -> None:
    """The ends of the interval are values of simulations, not points between them."""
    found = decide("threshold", places([10], [[20]] + [[10]] * 49), limit=20)
    assert "95% of simulations: 0)" in impact_words.paragraph(found, unit="people")
    found = decide("threshold", places([10], [[20]] * 2 + [[10]] * 48), limit=20)
    assert "95% of simulations: 0–1)" in impact_words.paragraph(found, unit="people")


def test_the_report_shows_who_is_hit_without_a_click() -> None:
    true = [10, 20, 30]
    found = decide("threshold", places(true, [[21, 20, 30], [10, 19, 30], [21, 20, 30]]), limit=20)
    (section,) = report._hit(found)
    assert section.open
    assert section.table is not None
    assert section.table["state"].tolist() == ["Place 0", "Place 1"]
    assert section.table["False negative"].tolist()[0].startswith("0")
    assert report._hit(decide("threshold", places(true, [true]), limit=20)) == []


def test_the_paragraph_of_seats_that_stay() -> None:
    found = decide("seats", places([60, 40], [[61, 39]]), seats=10, without=())
    assert impact_words.paragraph(found, unit="people") == (
        "10 seats are apportioned among 2 states by number of people (Huntington–Hill). No seat "
        "changes hands in 1 simulation."
    )


@pytest.mark.parametrize("k", [1, 2])
def test_the_paragraph_of_a_ranking(k: int) -> None:
    kept = decide("ranking", places([60, 40], [[61, 39]]), k=k)
    assert "the same in the one simulation" in impact_words.paragraph(kept, unit="people")
    swapped = decide("ranking", places([60, 40], [[39, 61]]), k=k)
    shown = impact_words.paragraph(swapped, unit="people")
    assert ("state by number of people differs in **100%** of simulations." in shown) == (k == 1)
    assert ("its order differs in **100%** of simulations" in shown) == (k == 2)


def test_districts_of_areas_without_people_have_no_size() -> None:
    empty = decide("grouping", places([0, 0, 0, 0], [[0, 1, 0, 0]]), groups=2)
    assert impact_words.title(empty, "ε = 1", unit="people") == (
        "At ε = 1, every true state count is 0, so district sizes cannot be compared"
    )
    shown = impact_words.paragraph(empty, unit="people")
    assert "to have about equal numbers of states. On average" in shown
    assert "people" not in shown
    some = decide("grouping", places([2, 2, 2, 2], [[2, 2, 2, 2]]), groups=2)
    assert "to have about 4 people each" in impact_words.paragraph(some, unit="people")


def test_districts_that_exceed_the_limit_with_true_counts_only() -> None:
    found = decide("grouping", places([9, 4, 7, 9, 6], [[12, 5, 6, 9, 5]]), groups=3, limit=0.6)
    assert impact_words.title(found, "ε = 1", unit="people") == (
        "At ε = 1, district sizes differ by more than 60% with true counts, but in no simulation"
    )


def test_a_rule_without_a_paragraph_of_its_own_gets_the_general_one() -> None:
    known = RULES["threshold"]
    rule = Rule(**{**known.__dict__, "id": "new"})
    found = outcome_of(rule, places([10, 20], [[21, 20], [10, 20]]), {"limit": 20})
    shown = impact_words.paragraph(found, unit="people")
    assert shown.startswith("On average 0.5 of 2 states have a different outcome.")


def test_small_places_are_reported_with_what_is_systematic_and_what_is_zero() -> None:
    draws = [[3, 12, 98], [0, 12, 97], [1, 13, 98]]
    shown = impact_words.small_places(
        by_size(places([0, 10, 100], draws)), level="state", unit="people"
    )
    assert "The median relative error is **20%** in the smallest state (10 people)" in shown
    assert "released counts of the smallest state are 2.3 ± 1.4 people too high on average" in shown
    assert "released counts of the largest state are 2.3 ± 1.4 people too low on average" in shown
    assert "1 state has a true count of 0. The average error there is 1.3 people" in shown
    assert "**67%** of the released counts are above 0" in shown
    chance = by_size(places([10, 100], [[12, 98], [8, 102], [9, 101]]))
    shown = impact_words.small_places(chance, level="state", unit="people")
    assert shown.endswith(
        "No statistically significant bias is found in the smallest or the largest state."
    )
    zeros = by_size(places([0], [[0]]))
    assert "1 state has a true count of 0" in impact_words.small_places(
        zeros, level="state", unit="people"
    )
    assert pd.DataFrame(zeros)["places"].tolist() == [1]


def test_the_core_names_are_there_for_people() -> None:
    assert hdp.decisions.names()[0] == "threshold"
    assert callable(hdp.released_counts)


# --- presets, a second rule, other budgets


def test_a_preset_sets_rule_level_and_number_and_says_its_source(open_app: Opener) -> None:
    test = settled(open_app(DECIDE, sample="us-population", simulations="10"))
    test.selectbox(key=Key.RULE_PRESET).set_value("house").run()
    shown = texts(settled(test), "code")
    assert address(test)["rule"] == "seats"
    assert "435 seats are apportioned among 50 states" in shown
    assert "Source: 2 U.S.C. § 2a." in shown
    assert "Illustration" not in shown
    test.selectbox(key=Key.RULE_PRESET).set_value("title-i").run()
    shown = texts(settled(test), "code")
    assert "18.4 billion allocated by number of people" in shown
    assert "Illustration: the law counts children in low-income families" in shown


def test_a_second_rule_stands_beside_the_first(open_app: Opener) -> None:
    query = {
        "sample": "us-population",
        "rule": "threshold",
        "simulations": "10",
        "beside": "relief-fund",
    }
    test = settled(open_app(DECIDE, **query))
    shown = texts(test, "code")
    assert "(at least 50,000 people)" in shown
    assert "(above 500,000 people)" in shown
    assert address(test)["beside"] == "relief-fund"


def test_every_decision_stands_in_one_table(open_app: Opener) -> None:
    test = settled(open_app(DECIDE, sample="us-population", simulations="10", show="programmes"))
    table = next(d.value for d in test.dataframe if "decision" in d.value)
    assert len(table) == len(presets_for(hdp.samples.load("us-population").table)) + len(RULES)
    assert set(table["level"]) == {"County", "State"}


def test_budgets_without_harm_are_named_from_the_lowest_on() -> None:
    rows = pd.DataFrame({"budget": ["ε = 0.1", "ε = 1", "ε = 10"], "affected": [3, 0, 0]})
    shown = impact_words.across_budgets(rows, level="county", rule=RULES["threshold"])
    assert shown == (
        "At **ε = 1** and at every larger budget in the table, no county is misclassified in 5% of "
        "simulations or more."
    )
    back = rows.assign(affected=[0, 2, 1])
    shown = impact_words.across_budgets(back, level="county", rule=RULES["funding"])
    assert shown.startswith("Even at ε = 10, **1 county** loses more than the tolerance in 5%")
    never = impact_words.across_budgets(
        rows.assign(affected=0), level="county", rule=RULES["threshold"]
    )
    assert never.startswith("At each of these budgets, no county")


def test_a_place_that_loses_most_dollars_is_named_with_its_part() -> None:
    found = decide("funding", places([60, 40], [[50, 50]]), money=1000, tolerance=0.01)
    shown = impact_words.paragraph(found, unit="people")
    assert "Of $1,000 allocated by number of people, **$100** (10%) is misallocated" in shown
    assert "The largest mean loss is that of Place 0: $100, which is 17% of its" in shown
    assert impact_words.title(found, "ε = 1", unit="people") == (
        "At ε = 1, on average $100 of $1,000 goes to the wrong states"
    )


def test_budgets_go_on_where_the_visitor_had_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that nobody watched is started again; no budget stands there twice."""
    monkeypatch.setattr(st, "session_state", {})
    rows = [{"budget": str(factor)} for factor in FACTORS]
    asked: list[int] = []

    def some(table: object, plans: list[object], *_: object, **__: object) -> Iterator[Any]:
        asked.append(len(plans))
        yield from rows[len(rows) - len(plans) :]

    monkeypatch.setattr(work, "across_budgets", some)
    settings = Settings(sample="running-example", mechanism="pgsr-h-dp", epsilon=1.0)
    drawn = SimpleNamespace(
        sample=samples.load("running-example"),
        quantity=SimpleNamespace(id="occupied"),
        simulation=SimpleNamespace(seed=0),
    )
    outcome = SimpleNamespace(rule=None, level="state", parameters={}, n_simulations=30)
    found = SimpleNamespace(digest="d\n30 state", outcome=outcome)
    job = work.budgets(View(settings=settings), drawn, found)  # type: ignore[arg-type]
    monkeypatch.setattr(type(job), "unwanted", property(lambda job: len(job.value) == 2))
    assert not job.compute(job)
    monkeypatch.setattr(type(job), "unwanted", False)
    assert job.compute(job)
    assert job.value == rows
    assert asked == [len(rows), len(rows) - 2]


def test_it_begins_with_the_simulations_that_other_pages_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(st, "session_state", {})
    settings = Settings.of(
        {"sample": "running-example", "mechanism": "pgsr-h-dp", "epsilon": "0.7"}
    )
    drawn, own = shell_work.one_simulation(settings), ImpactAddress(n_simulations=300)
    view = View(settings=settings).having(own)
    alone = work.simulations(view, drawn)[0]
    assert alone.n == 10
    monkeypatch.setattr(st, "session_state", {})
    explored = shell_work._explored(drawn, first=0, n=100)
    monkeypatch.setattr(shell_work, "_kept", lambda _: [explored])
    shared = work.simulations(view, drawn)[0]
    assert shared.n == 100
    np.testing.assert_array_equal(shared.head(10).released, alone.released)
    fresh = work._counts(drawn, first=0, n=100)
    np.testing.assert_array_equal(shared.released, fresh.released)
    assert shared.released.dtype == fresh.released.dtype


def test_the_page_is_not_drawn_in_between_where_all_simulations_come_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reruns = []
    job = SimpleNamespace(
        running=True, seconds_left=1.0, share=0.5, done=40, total=300, look=lambda: True, stop=None
    )
    monkeypatch.setattr(work, "simulations", lambda *_: (SimpleNamespace(n=30), job))
    monkeypatch.setattr(st, "rerun", lambda: reruns.append(job.seconds_left))
    for left in (1.0, float("inf"), 60.0):
        job.seconds_left = left
        impact_view._waiting(None, None, 10)  # type: ignore[arg-type]
    assert reruns == [60.0]
    job.running, job.seconds_left = False, 1.0
    impact_view._waiting(None, None, 10)  # type: ignore[arg-type]
    assert len(reruns) == 2
