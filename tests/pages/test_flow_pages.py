"""Overview, Area profile and How it works on tables of flows."""

import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from support.own_data import own_table
from support.pages import ROOT, Opener, charts, charts_of, healthy, texts
from support.simulations import simulated

import hierdp_core as hdp
from hierdp_core.explain import flows as flow_views
from hierdp_core.figures.flows import arcs_and_matrix as pictures
from hierdp_core.hierarchy import Regions
from hierdp_core.samples.sample import OWN
from hierdp_core.settings import Settings
from hierdp_core.tables import WITHIN
from hierdp_core.tables.flow_tree import FlowTree
from hierdp_core.util.text import percent, whole
from pages.ui.shell import flow_words
from pages.ui.shell.address import View
from pages.ui.shell.session import Key

EXPLORE, ZOOM, INSIDE = (f"pages/{name}_page.py" for name in ("overview", "area", "how_it_works"))
SMALL = {"sample": "ri-commuting", "draws": "10"}
SPARSE = {"sample": "od-random-sparse", "epsilon": "0.1", "draws": "10"}


def arcs(test: AppTest) -> list[str]:
    """The pairs on the flow map: "Kent County → Providence County"."""
    (figure,) = charts_of(test, "scattergeo")
    (heads,) = (t for t in figure["data"] if t.get("mode") == "markers")
    return [re.sub("<b>(.*?)</b>.*", r"\1", text) for text in heads["text"]]


def table_and_release(sample: str, **budget: float) -> tuple[Any, Any]:
    table = hdp.samples.load(sample).table
    return table, simulated(table, "inftda", seed=0, **budget)


class TestOverview:
    def test_title_headline_and_levels_of_the_tree(self, open_app: Opener) -> None:
        test = healthy(open_app(EXPLORE, **SMALL))
        title = (
            r"At ε = 1, (1 simulation has|\d+ simulations have) no false positives and no missed "
            r"flows between counties"
        )
        assert re.fullmatch(title, test.title[0].value)
        assert "of 412,443 jobs are assigned to a wrong pair of counties" in texts(test)
        announced = "".join(str(part.proto) for part in test.get("bidi_component"))
        assert "no missed flows between counties" in announced  # as in the title

    def test_errors_are_not_called_moves_where_the_total_changes(self, open_app: Opener) -> None:
        query = {**SMALL, "mechanism": "stability-histogram"}
        query |= {"epsilon": "1", "delta": "1e-8"}
        stated = texts(healthy(open_app(EXPLORE, **query)))
        assert "On average, absolute errors add up to **" in stated
        assert "assigned to a wrong pair of counties" not in stated

    def test_advice_on_the_tree_stands_beside_its_option(self, open_app: Opener) -> None:
        stated = texts(healthy(open_app(EXPLORE, **SMALL)))
        assert (
            stated.count("Destinations are refined first") == 2
        )  # below the chart, and the option
        assert stated.count("Choose this if arrivals matter most") == 1  # beside the option alone
        query = {**SMALL, "mechanism": "vanilla-gauss"}  # noise on the last level alone
        stated = texts(healthy(open_app(EXPLORE, **query)))
        assert "arrivals matter most" not in stated
        assert "Only pairs of the last level have noise" in stated

    def test_the_chart_has_errors_and_the_bound_of_every_level(self, open_app: Opener) -> None:
        test = healthy(open_app(EXPLORE, **SMALL))
        chart = next(c for c in charts(test) if any(t.get("name") == "bound" for t in c["data"]))
        named = {t["name"]: t for t in chart["data"] if "name" in t}
        assert set(named) == {"bound", "largest error", "mean absolute error"}
        levels = ["county → county", "all → county", "all → all"]
        assert named["largest error"]["y"] == levels
        bound = dict(zip(named["bound"]["y"], named["bound"]["x"], strict=True))
        largest = dict(zip(levels, named["largest error"]["x"], strict=True))
        assert largest["county → county"] < bound["county → county"]

    def test_a_mechanism_that_needs_another_budget_states_it(self, open_app: Opener) -> None:
        test = healthy(open_app(EXPLORE, **SMALL))
        test.selectbox(key=Key.MECHANISM).set_value("stability-histogram").run()
        assert not test.exception
        assert ["needs (ε, δ)" in error.value for error in test.error] == [True]
        test.button_group(key=Key.BUDGET).set_value("delta").run()
        assert "of 412,443 jobs" in texts(healthy(test))

    @pytest.mark.parametrize("quantity", ["departures", "arrivals", "within"])
    def test_maps_of_what_leaves_reaches_and_stays(self, open_app: Opener, quantity: str) -> None:
        test = healthy(open_app(EXPLORE, **SMALL, quantity=quantity))
        assert len(charts_of(test, "choropleth")) == 2

    def test_only_mechanisms_for_flows_are_offered(self, open_app: Opener) -> None:
        test = healthy(open_app(EXPLORE, **SMALL))
        titles = [hdp.mechanisms.describe(id).title for id in hdp.mechanisms.names("flows")]
        assert test.selectbox(key=Key.MECHANISM).options == titles

    def test_the_tree_is_explained_where_it_is_chosen(self, open_app: Opener) -> None:
        test = healthy(open_app(EXPLORE, **SMALL))
        test.selectbox(key=f"{Key.OPTION}inftda-tree").set_value("origin").run()
        assert "Choose this if departures matter most" in texts(healthy(test))

    def test_counts_have_no_tree_of_flows(self, open_app: Opener) -> None:
        test = healthy(open_app(EXPLORE, sample="us-population", mechanism="inftda", draws="10"))
        assert f"{Key.OPTION}inftda-tree" not in {box.key for box in test.selectbox}

    @pytest.mark.slow
    def test_many_levels_stand_in_two_rows(self, open_app: Opener) -> None:
        test = healthy(open_app(EXPLORE, sample="od-binary-sparse", draws="10"))
        assert len(charts_of(test, "choropleth")) == 9


class TestZoom:
    def test_the_strongest_flows_are_drawn(self, open_app: Opener) -> None:
        test = healthy(open_app(ZOOM, **SMALL))
        table, simulation = table_and_release("ri-commuting", epsilon=1)
        best = flow_views.at_level(table, simulation.table, 1).between().strongest(50, "released")
        frame = best.frame()
        assert arcs(test) == (frame["origin"] + " → " + frame["destination"]).tolist()
        test.select_slider(key=Key.FLOW_ARCS).set_value(10).run()
        assert arcs(healthy(test)) == (frame["origin"] + " → " + frame["destination"]).tolist()[:10]
        assert "Showing 10 of 20 simulated flows between different areas." in texts(test)

    def test_flows_of_one_place_by_direction(self, open_app: Opener) -> None:
        test = healthy(open_app(ZOOM, **SMALL, level="county", region="44009"))
        name = "Washington County"
        assert test.title[0].value.startswith(name)
        assert len(arcs(test)) == 8
        assert all(name in pair for pair in arcs(test))
        test.button_group(key=Key.FLOW_WAY).set_value("from").run()
        assert [pair.split(" → ")[0] for pair in arcs(healthy(test))] == [name] * 4
        assert f"from {name}" in texts(test)
        assert f"within {name} (24,329 true," in texts(test)

    def test_a_place_can_be_chosen_from_the_keyboard(self, open_app: Opener) -> None:
        test = healthy(open_app(ZOOM, **SMALL))
        test.selectbox(key=Key.ENTER).set_value("44007").run()
        assert healthy(test).title[0].value.startswith("Providence County")
        assert all("Providence County" in pair for pair in arcs(test))

    def test_parts_of_a_place_at_a_finer_level(self, open_app: Opener) -> None:
        test = healthy(open_app(ZOOM, **SPARSE, level="region", region="1"))
        table, simulation = table_and_release("od-random-sparse", epsilon=0.1)
        node = table.regions.node("1", 1)
        inside = flow_views.inside(table.regions, node, 2)
        flows = flow_views.at_level(table, simulation.table, 2).of(inside, inside, "both").between()
        assert len(arcs(test)) == min(50, len(flows.strongest(50, "released")))

    def test_the_caption_counts_what_the_title_counts(self, open_app: Opener) -> None:
        test = healthy(open_app(ZOOM, **SPARSE))
        test.button_group(key=f"{Key.FLOW_LEVEL}0").set_value(4).run()
        table, simulation = table_and_release("od-random-sparse", epsilon=0.1)
        flows = flow_views.at_level(table, simulation.table, 4)
        for shown, what in (("released", "simulated flows"), ("true", "true flows")):
            test.button_group(key=Key.FLOW_SHOWN).set_value(shown).run()
            there = len(flows.between().strongest(len(flows), shown))
            assert f"Showing 50 of {there:,} {what} between" in texts(healthy(test))
        within = flows.within()
        line = flow_words.within_line(
            "area", "", within.true.sum(), within.released.sum(), unit=table.unit
        )
        assert line in texts(test)

    def test_flows_among_the_parts_of_an_area_are_not_said_to_be_left_out(
        self, open_app: Opener
    ) -> None:
        test = healthy(open_app(ZOOM, **SPARSE, level="region", region="1"))
        table, _ = table_and_release("od-random-sparse", epsilon=0.1)
        (line,) = (c.value for c in test.caption if c.value.startswith("Not shown: "))
        assert line.startswith("Not shown: trips within the same ")
        assert whole(table.by_region(WITHIN)[table.regions.node("1", 1)]) not in line

    @pytest.mark.slow
    @pytest.mark.parametrize("shown", ["true", "released", "error"])
    def test_what_the_width_says_can_be_chosen(self, open_app: Opener, shown: str) -> None:
        test = healthy(open_app(ZOOM, **SPARSE))
        test.button_group(key=Key.FLOW_SHOWN).set_value(shown).run()
        test.button_group(key=Key.MATRIX_SHOWN).set_value(shown).run()
        healthy(test)
        assert (" errors in flows " in texts(test)) == (shown == "error")
        html = "".join(str(part.proto.body) for part in test.get("html"))
        for _, meaning in pictures.meanings(shown):  # type: ignore[arg-type]
            assert meaning in html

    @pytest.mark.slow
    def test_the_matrix_holds_the_busiest_places(self, open_app: Opener) -> None:
        test = healthy(open_app(ZOOM, **SPARSE))
        test.button_group(key=Key.MATRIX_LEVEL).set_value(4).run()
        (figure,) = charts_of(healthy(test), "heatmap")[:1]
        assert "the 25 busiest of 435 areas" in texts(test)
        heat = next(c for c in charts_of(test, "heatmap") if len(c["data"][0].get("y", [])) == 26)
        assert heat["data"][0]["y"][-1] == flow_views.OTHERS
        assert figure

    def test_false_positives_and_negatives_in_words(self, open_app: Opener) -> None:
        test = healthy(open_app(ZOOM, **SPARSE))
        table, simulation = table_and_release("od-random-sparse", epsilon=0.1)
        rows = flow_views.false_flows(table, simulation.table, FlowTree.of(table.domain))
        last = rows.iloc[-1]
        assert f"of these pairs add up to **{whole(last['false_positive_trips'])}**." in texts(test)
        assert f"trips for **{last['false_positives']:,} pairs** whose true count is 0" in texts(
            test
        )
        lost = percent(last["false_negatives"] / last["pairs"])
        assert f"(false negatives, {lost} of all pairs with a true count above 0)" in texts(test)

    @pytest.mark.nightly
    def test_italy_sends_only_what_it_draws(self, open_app: Opener) -> None:
        test = healthy(open_app(ZOOM, sample="italy-commuting", draws="10"))
        test.button_group(key=f"{Key.FLOW_LEVEL}0").set_value(3).run()
        (figure,) = charts_of(healthy(test), "scattergeo")
        assert len(arcs(test)) == 50
        assert len(figure["data"]) < 20
        size = sum(len(chart.proto.spec) for chart in test.get("plotly_chart"))
        assert size < 3_000_000


def test_flows_between_two_kinds_of_areas_have_no_map() -> None:
    origins = Regions.from_parents(
        {"all": None} | dict.fromkeys("abc", "all"), levels=("all", "home")
    )
    schools = Regions.from_parents(
        {"all": None} | dict.fromkeys("xy", "all"), levels=("all", "home")
    )
    table = hdp.Flows.from_pairs(origins, schools, [*"aabcc"], [*"xyyxy"], [50, 3, 20, 7, 90])
    own = own_table(table, "Pupils", "Pupils by home and school.", confidential=False)
    test = AppTest.from_file(str(ROOT / ZOOM), default_timeout=120)
    test.session_state[Key.OWN] = own
    test.session_state[Key.VIEW] = View(settings=Settings(sample=OWN, mechanism="inftda"))
    stated = texts(healthy(test.run()))
    assert not charts_of(test, "scattergeo")
    assert "There is no map of them, because origins and destinations are not the same" in stated
    assert "Not shown" not in stated
    assert "matrix: 3 origins and 2 destinations" in stated
    assert "From homes" in stated
    assert "Between homes" not in stated
    flows = next(d.value for d in test.dataframe if "destination" in d.value)
    assert ("a", "x") in set(zip(flows["origin"], flows["destination"], strict=True))


def test_inside_says_that_it_does_not_show_flows(open_app: Opener) -> None:
    test = healthy(open_app(INSIDE, **SMALL))
    assert [box.value for box in test.info] == [
        flow_words.not_inside(hdp.samples.describe("ri-commuting").title)
    ]
    titles = {hdp.samples.describe(id).title for id in hdp.samples.names()}
    flows = {t for t in titles if t.startswith(("Commuting", "Synthetic flows"))}
    assert len(flows) == 8
    offered = set(test.selectbox(key=Key.INSIDE_DATA).options)
    assert not flows & offered
    assert titles - flows < offered


class TestWords:
    def test_the_headline_in_full(self) -> None:
        stated = flow_words.headline(
            [("region", 0.0004), ("town", 0.128)],
            0.35,
            0.87,
            total=28_871_447,
            unit="commuters",
            keeps_total=True,
        )
        assert stated == (
            "On average, **0.02%** of 28,871,447 commuters are assigned to a wrong pair of regions "
            "and **6.4%** to a wrong pair of towns. Of the pairs of towns released with "
            "commuters, on average **35%** have a true count of 0 (false positives). Of the pairs "
            "whose true count is above 0, on average **87%** are released without commuters (false "
            "negatives)."
        )

    def test_the_headline_without_true_flows_has_no_percentage_of_them(self) -> None:
        stated = flow_words.headline(
            [("town", 5.8)], 1.0, float("nan"), total=0, unit="commuters", keeps_total=False
        )
        assert stated.startswith(
            "Every true count of the table is 0. Of the pairs of towns released"
        )
        assert "580%" not in stated
        assert "false negatives" not in stated

    def test_no_false_positives_or_negatives(self) -> None:
        row = {"false_positives": 0, "false_negatives": 0, "released": 3, "pairs": 3}
        assert flow_words.false_flow_line(row, "town", unit="trips") == (  # type: ignore[arg-type]
            "Between towns there are no false positives or false negatives in this simulation."
        )

    @pytest.mark.parametrize(
        ("rows", "columns", "there", "missing"),
        [
            (False, False, "diagonal are flows within an area.", "combine"),
            (
                True,
                True,
                "The last row and the last column combine all other areas.",
                "origins and d",
            ),
            (True, True, "except the last one.", "The last row combines"),
        ],
    )
    def test_the_note_on_the_matrix_states_what_is_combined(
        self, rows: bool, columns: bool, there: str, missing: str
    ) -> None:
        note = flow_words.matrix_note(rows_combined=rows, columns_combined=columns, shown="true")
        assert there in note
        assert missing not in note.replace("Rows are origins and columns", "")

    def test_the_finding_names_one_end_where_the_ends_are_different_areas(self) -> None:
        stated = flow_words.finding(
            "ε = 1", "homes", fdr=0.1, fnr=0.2, n_simulations=3, same_places=False
        )
        assert "10% of released flows from homes are false positives" in stated

    def test_only_the_side_with_many_areas_is_combined(self) -> None:
        note = flow_words.matrix_note(
            rows_combined=True, columns_combined=False, shown="true", same_places=False
        )
        assert "The last row combines all other origins." in note
        assert "column combines" not in note
        assert "diagonal" not in note

    @pytest.mark.parametrize(
        ("n", "of", "words"), [(20, 20, "all 20 regions"), (25, 110, "busiest")]
    )
    def test_the_matrix_states_how_much_it_shows(self, n: int, of: int, words: str) -> None:
        assert words in flow_words.matrix_title(n, of, "region")

    def test_shares_of_nothing_are_no_division(self) -> None:
        row = {
            "false_positives": np.int64(0),
            "false_positive_trips": 0.0,
            "false_negatives": 2,
            "false_negative_trips": 6.0,
            "released": 0,
            "pairs": 2,
        }
        stated = flow_words.false_flow_line(row, "town", unit="trips")  # type: ignore[arg-type]
        assert "**6**, 3 on average" in stated
        assert "this simulation has no false positives" in stated
