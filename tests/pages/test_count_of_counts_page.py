"""What the pages show of count-of-counts: methods, cumulative curves and the matching."""

import pytest
from streamlit.testing.v1 import AppTest
from support.pages import Opener, address, charts, healthy, texts

import hierdp_core as hdp
from pages.ui.shell import words
from pages.ui.shell.session import Key

EXPLORE, ZOOM = "pages/overview_page.py", "pages/area_page.py"


def methods(test: AppTest) -> list[str]:
    return [box.value for box in test.selectbox if str(box.key).startswith(Key.METHOD)]


class TestMethods:
    @pytest.mark.slow
    def test_every_level_has_one_and_all_forms_say_it(self, open_app: Opener) -> None:
        test = healthy(open_app(sample="us-households", mechanism="coc"))
        assert methods(test) == ["hc", "hc", "hc"]
        assert "option.methods" not in address(test)
        test.selectbox(key=f"{Key.METHOD}2").set_value("naive").run()
        assert address(healthy(test))["option.methods"] == "hc,hc,naive"
        _, toml, python, shell = (str(code.value) for code in test.code)
        for wanted in (
            hdp.Settings.from_toml(toml),
            hdp.Settings.from_python(python),
            hdp.Settings.from_shell(shell),
        ):
            assert wanted.options == {"methods": "hc,hc,naive"}

    @pytest.mark.slow
    def test_one_word_for_all_that_are_the_same(self, open_app: Opener) -> None:
        test = open_app(sample="running-example", mechanism="coc")
        for k in range(2):
            test.selectbox(key=f"{Key.METHOD}{k}").set_value("hg")
        assert address(healthy(test.run()))["option.methods"] == "hg"
        for k in range(2):
            test.selectbox(key=f"{Key.METHOD}{k}").set_value("hc")
        assert "option.methods" not in address(healthy(test.run()))

    def test_an_address_sets_them_beside_the_other_options(self, open_app: Opener) -> None:
        query = {"option.methods": "naive,hc", "option.merge": "mean"}
        test = healthy(open_app(sample="running-example", mechanism="coc", **query))
        assert methods(test) == ["naive", "hc"]
        assert {n: v for n, v in address(test).items() if n.startswith("option.")} == query

    @pytest.mark.slow
    def test_a_level_without_a_share_needs_none(self, open_app: Opener) -> None:
        test = healthy(open_app(sample="us-households", mechanism="coc", allocation="1,0,1"))
        boxes = [box for box in test.selectbox if str(box.key).startswith(Key.METHOD)]
        assert [box.disabled for box in boxes] == [False, True, False]

    @pytest.mark.slow
    def test_only_a_mechanism_with_methods_has_them(self, open_app: Opener) -> None:
        test = open_app(sample="running-example", mechanism="coc")
        test.selectbox(key=Key.MECHANISM).set_value("pgsr-c-dp").run()
        assert methods(healthy(test)) == []
        assert not [n for n in address(test) if n.startswith("option.")]

    @pytest.mark.slow
    @pytest.mark.parametrize(("sample", "stated"), [("us-households", True), ("taxi", False)])
    def test_noise_for_every_group_is_reported(
        self, open_app: Opener, sample: str, stated: bool
    ) -> None:
        test = healthy(open_app(sample=sample, mechanism="coc"))
        groups = hdp.samples.load(sample).table.domain.groups
        shown = [str(c.value) for c in test.caption if f"each of the {groups:,}" in str(c.value)]
        assert bool(shown) == stated

    def test_the_cost_of_a_choice_grows_with_its_levels(self) -> None:
        text = words.slow_method(200_000_000, "homes", ["nation", "state"])
        assert "at nation and state level, so a simulation takes about 40 s or more" in text
        assert words.slow_method(1_000_000, "homes", ["nation"]) == ""


def drawn(test: AppTest) -> list[list[str]]:
    """The names of what each chart draws."""
    return [[str(trace.get("name")) for trace in chart["data"]] for chart in charts(test)]


class TestCumulative:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("sample", "mechanism"),
        [
            ("running-example", "coc"),
            ("running-example", "pgsr-c-dp"),
            ("us-households", "coc"),
            ("us-households", "pgsr-c-dp"),
            ("taxi", "coc"),
        ],
    )
    def test_three_curves_and_the_area_in_words(
        self, open_app: Opener, sample: str, mechanism: str
    ) -> None:
        test = healthy(open_app(ZOOM, sample=sample, mechanism=mechanism, epsilon="0.2"))
        wanted = ["true", "noisy", "released", "released − true", "noisy − true"]
        assert wanted in drawn(test)
        data = hdp.samples.load(sample).table
        plan = hdp.Settings(sample=sample, mechanism=mechanism, epsilon=0.2).plan(data)
        done = hdp.simulate(data, plan, seed=0)
        emd = hdp.errors(data, done)["emd"].iloc[0]
        assert f"**{emd:,.0f}**, the earth mover’s distance" in texts(test)

    @pytest.mark.slow
    def test_without_a_noisy_one_the_page_states_it(self, open_app: Opener) -> None:
        test = healthy(open_app(ZOOM, sample="us-households", mechanism="pgsr-h-dp"))
        assert ["true", "released", "released − true"] in drawn(test)
        assert "At nation level, this mechanism adds its noise to other counts" in texts(test)
        test = healthy(open_app(ZOOM, sample="us-households", mechanism="coc", allocation="0,1,1"))
        assert "The nation level has no budget" in texts(test)

    @pytest.mark.slow
    def test_counts_have_none(self, open_app: Opener) -> None:
        test = healthy(open_app(ZOOM, sample="us-population"))
        assert "Cumulative" not in texts(test)


class TestConsistency:
    @pytest.mark.slow
    @pytest.mark.parametrize("mechanism", ["coc", "coc-naive"])
    def test_each_level_before_and_after(self, open_app: Opener, mechanism: str) -> None:
        test = healthy(open_app(ZOOM, sample="us-households", mechanism=mechanism))
        assert ["its own estimate", "released"] in drawn(test)
        assert "For a county on average, it" in texts(test)
        assert "For the nation, it" in texts(test)

    @pytest.mark.parametrize("mechanism", ["coc-bottom-up", "pgsr-h-dp", "pgsr-c-dp"])
    def test_only_where_levels_are_matched(self, open_app: Opener, mechanism: str) -> None:
        test = healthy(open_app(ZOOM, sample="running-example", mechanism=mechanism))
        assert ["its own estimate", "released"] not in drawn(test)
        assert "were matched" not in texts(test)

    @pytest.mark.slow
    def test_a_level_without_budget_is_named(self, open_app: Opener) -> None:
        test = healthy(open_app(ZOOM, sample="us-households", mechanism="coc", allocation="1,0,1"))
        assert "no budget for the state level" in texts(test)


def siblings(test: AppTest) -> list[int]:
    return [box.value for box in test.selectbox if str(box.key).startswith(Key.SIBLING)]


class TestMatching:
    @pytest.mark.slow
    def test_the_largest_two_parts_come_first_and_others_can_be_chosen(
        self, open_app: Opener
    ) -> None:
        test = healthy(open_app(ZOOM, sample="us-households", mechanism="coc"))
        regions = hdp.samples.load("us-households").table.regions
        assert [regions.names[node] for node in siblings(test)] == ["California", "Texas"]
        ohio = regions.node("39", 1)
        test.selectbox(key=f"{Key.SIBLING}0-1").set_value(ohio).run()
        assert siblings(healthy(test))[1] == ohio
        alts = [chart.proto.alt for chart in test.get("plotly_chart")]
        assert any(
            alt.startswith("Sizes of the United States matched with those of Ohio") for alt in alts
        )

    @pytest.mark.slow
    def test_a_place_of_the_last_level_is_shown_with_its_largest_sibling(
        self, open_app: Opener
    ) -> None:
        place = {"level": "county", "region": "48301"}
        test = healthy(open_app(ZOOM, sample="us-households", mechanism="coc", **place))
        names = hdp.samples.load("us-households").table.regions.names
        assert [names[n] for n in siblings(test)] == ["Loving County, TX", "Harris County, TX"]
        assert "the housing units of Texas are matched one to one" in texts(test)

    @pytest.mark.slow
    def test_a_place_with_one_part_has_one_picture(self, open_app: Opener) -> None:
        place = {"level": "state", "region": "11"}
        test = healthy(open_app(ZOOM, sample="us-households", mechanism="coc", **place))
        assert len(siblings(test)) == 1

    @pytest.mark.slow
    def test_with_many_sizes_the_rest_is_reported(self, open_app: Opener) -> None:
        test = healthy(open_app(ZOOM, sample="taxi", mechanism="coc"))
        assert "The tables contain the rest." in texts(test)

    def test_every_picture_has_a_text(self, open_app: Opener) -> None:
        test = open_app(ZOOM, sample="running-example", mechanism="coc", epsilon="0.2")
        for chart in healthy(test).get("plotly_chart"):
            assert len(chart.proto.alt) > 30
