"""Cards and charts of values with gaps: areas without a decision, levels without an error."""

import re

import numpy as np
import pandas as pd
import pytest

import hierdp_core as hdp
from hierdp_core.evaluation.exploring import explore
from hierdp_core.exceptions import ChoiceError
from hierdp_core.privacy.rounding import parameter
from hierdp_core.util.text import number


def counties(**more: list[str]) -> hdp.Counts:
    frame = pd.DataFrame(
        {"state": list("AABB"), "county": ["a1", "a2", "b1", "b2"], "people": [10, 20, 30, 40]}
    ).assign(**more)
    names = "name" if more else ()
    return hdp.Counts.from_frame(frame, levels=["state", "county"], count="people", names=names)


def flows() -> hdp.Flows:
    frame = pd.DataFrame({"home": ["A", "A", "B"], "work": ["B", "A", "A"], "trips": [30, 40, 50]})
    return hdp.Flows.from_frame(frame, origin="home", destination="work", count="trips")


def test_areas_that_take_no_part_in_a_decision_are_not_shown_with_a_share() -> None:
    table = counties()
    counts = hdp.released_counts(
        table, hdp.plan(table, "tree-dp", epsilon=1), "count", n_simulations=3
    )
    found = hdp.decisions.decide(
        "seats", counts.of_level("county"), seats=3, without=["a1", "a2", "b1"]
    )
    assert np.isnan(found.places["wrong"]).sum() == 3
    assert "nan" not in found._repr_html_()
    assert "1 county" in found._repr_html_()


@pytest.mark.slow
def test_the_card_of_a_budget_has_each_error_beside_its_own_level() -> None:
    found = hdp.find_budget(flows(), "inftda", ["area=all:60"], n_simulations=60)
    assert found.levels["level"].tolist() != found.errors["level"].tolist()
    rows = re.findall(r"<tr><th[^>]*>([^<]*)</th><td[^>]*>([^<]*)</td></tr>", found._repr_html_())
    for frame, column, text in (
        (found.levels, "budget", parameter),
        (found.errors, "mean_abs", number),
    ):
        for level, value in zip(frame["level"], frame[column], strict=True):
            assert (level, text(value)) in rows


def test_the_card_of_an_exploration_has_the_errors_of_its_number_alone() -> None:
    table = flows()
    plan = hdp.plan(table, "inftda", epsilon=1)
    alone = explore(table, plan, "departures", n_simulations=3)
    beside = explore(table, plan, "departures", n_simulations=3, quantities=("",))
    assert set(beside.errors["quantity"]) > set(alone.errors["quantity"])
    assert beside._repr_html_() == alone._repr_html_()


@pytest.mark.parametrize("level", [None, "county"])
def test_a_name_of_several_areas_of_a_level_asks_for_a_code(level: str | None) -> None:
    table = counties(name=["West", "East", "West", "North"])
    simulation = hdp.simulate(table, hdp.plan(table, "tree-dp", epsilon=1))
    with pytest.raises(ChoiceError, match=r'names 2 areas\. Pass a code, such as "a1", "b1"'):
        simulation.chart.distribution("West", level=level)


@pytest.mark.parametrize("asked", [{"mechanism": "coc"}, {"epsilon": 1000.0}])
def test_controls_refuse_what_they_cannot_show(asked: dict[str, object]) -> None:
    pytest.importorskip("ipywidgets")
    with pytest.raises(ChoiceError):
        hdp.explore(counties(), **asked)


def test_controls_show_a_table_with_a_count_of_zero() -> None:
    table = hdp.Counts.from_leaves(counties().regions, [0, 5, 7, 9])
    assert hdp.explore(table) is not None


def test_the_histogram_of_arrivals_is_that_of_a_destination() -> None:
    ends = [
        hdp.Regions.from_parents({"all": None, **dict.fromkeys(ids, "all")}, levels=["all", "area"])
        for ids in (("a", "b"), ("x", "y", "z"))
    ]
    table = hdp.Flows.from_pairs(*ends, ["a", "b"], ["x", "z"], [100_000, 7])
    sim = hdp.simulate(table, hdp.plan(table, epsilon=1))
    chart = hdp.evaluate(table, sim, quantity="arrivals").chart
    assert "z" in chart.distribution("z", n_simulations=2).title


def test_the_card_of_a_comparison_tells_its_budgets_apart() -> None:
    table = counties()
    plans = [hdp.plan(table, epsilon=epsilon) for epsilon in (1, 2)]
    page = hdp.compare(table, plans, n_simulations=1)._repr_html_()
    assert "ε = 1" in page
    assert "ε = 2" in page


def test_the_card_of_flows_counts_pairs() -> None:
    table = flows()
    sim = hdp.simulate(table, hdp.plan(table, epsilon=1))
    assert "possible pairs" in hdp.evaluate(table, sim)._repr_html_()
    assert "possible pairs" not in hdp.evaluate(table, sim, quantity="departures")._repr_html_()
