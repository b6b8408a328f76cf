"""What a cell shows: short text, light cards and charts, nothing from elsewhere."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import geopandas as gpd
import pandas as pd
import pytest
import shapely

import hierdp_core as hdp
from hierdp_core.cli.terminal import print_run
from hierdp_core.evaluation.exploring import explore
from hierdp_core.exceptions import ChoiceError, TableError
from hierdp_core.figures.bundle import MIME
from hierdp_core.privacy import Allocation
from hierdp_core.samples.sample import OWN
from hierdp_core.util.shown import Shown

LARGEST = 200_000  # bytes of what one cell shows
LONGEST, LINES = 4_000, 4  # letters and lines of a value as text
# The address in an SVG names its kind; nothing is fetched from it.
NEEDS = re.compile(r"<script|<link|<iframe|<img|url\(|//(?!www\.w3\.org/2000/svg)", re.IGNORECASE)

# One of every kind of value that a cell ends with. The table has 3,143 counties.
VALUES: dict[str, Callable[[Any], Any]] = {
    "allocation": lambda s: Allocation.of([1, 1, 2, 3, 4], s.table.regions.levels),
    "against budget": lambda s: s.comparison.chart.against_budget("state")[0],
    "audit": lambda s: hdp.audit("pgsr-c-chain", epsilon=1.0, runs=200),
    "best allocation": lambda s: hdp.best_allocation(
        s.groups, "pgsr-h-dp", epsilon=1, n_simulations=2
    ),
    "boundaries": lambda s: s.sample.boundaries,
    "budget": lambda s: hdp.Budget.pure(1),
    "budget plan": lambda s: hdp.find_budget(s.groups, "pgsr-h-dp", ["total=50"], n_simulations=60),
    "checks": lambda s: s.sim.checks,
    "compared": lambda s: s.comparison.chart.error("county"),
    "comparison": lambda s: s.comparison,
    "cost table": lambda s: s.sim.chart.cost_table("41", level="state"),
    "counts": lambda s: s.table,
    "decision map": lambda s: s.outcome.chart.map(s.sample.boundaries),
    "decision spread": lambda s: s.outcome.chart.spread(),
    "distribution": lambda s: s.sim.chart.distribution("Oregon", n_simulations=5),
    "domain": lambda s: s.table.domain,
    "error by level": lambda s: s.sim.chart.error_by_level(n_simulations=3),
    "error map": lambda s: s.sim.chart.map("county"),
    "evaluation": lambda s: hdp.evaluate(s.table, s.sim, quantity="count"),
    "exploration": lambda s: explore(s.table, s.plan, "count", n_simulations=2),
    "flows": lambda s: flows(),
    "group sizes": lambda s: s.groups,
    "hierarchy": lambda s: s.table.tree,
    "info": lambda s: hdp.samples.describe("us-population"),
    "level draws": lambda s: s.n_simulations.of_level("county"),
    "mechanism": lambda s: hdp.mechanisms.get("tree-dp")(),
    "mechanism info": lambda s: hdp.mechanisms.describe("tree-dp"),
    "outcome": lambda s: s.outcome,
    "pairs": lambda s: flows().content,
    "plan": lambda s: s.plan,
    "reading": lambda s: s.reading,
    "regions": lambda s: s.table.regions,
    "released counts": lambda s: s.n_simulations,
    "report": lambda s: s.reading.report,
    "sample": lambda s: s.sample,
    "settings": lambda s: hdp.Settings(),
    "simulation": lambda s: s.sim,
    "size distribution": lambda s: s.small.chart.distribution(),
    "statement": lambda s: s.plan.privacy,
    "tiles": lambda s: s.small.chart.map(),
    "trade-off": lambda s: s.comparison.chart.trade_off(),
}


def flows() -> hdp.Flows:
    frame = pd.DataFrame({"home": ["A", "A", "B"], "work": ["B", "A", "A"], "trips": [3, 4, 5]})
    return hdp.Flows.from_frame(frame, origin="home", destination="work", count="trips")


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    file = tmp_path_factory.mktemp("own") / "people.csv"
    file.write_text("state,people\nA,3\nB,4\n", encoding="utf-8")
    sample = hdp.samples.load("us-population")
    table = sample.table
    plan = hdp.plan(table, "tree-dp", epsilon=1)
    draws = hdp.released_counts(table, plan, "count", n_simulations=3)
    frame = pd.DataFrame({"state": ["A", "A", "B"], "members": [2, 3, 1]})
    groups = hdp.GroupSizes.from_frame(frame, levels="state", size="members", max_size=3)
    return SimpleNamespace(
        sample=sample,
        table=table,
        plan=plan,
        sim=hdp.simulate(table, plan),
        n_simulations=draws,
        groups=groups,
        small=hdp.simulate(groups, hdp.plan(groups, "pgsr-c-opt", epsilon=1)),
        outcome=hdp.decisions.decide("threshold", draws.of_level("county"), limit=50_000),
        comparison=hdp.compare(
            table, [plan, hdp.plan(table, "topdown", epsilon=1)], n_simulations=2
        ),
        reading=hdp.read_table(file, layout={"levels": ["state"], "count": "people"}),
    )


class Balanced(HTMLParser):
    """Holds that every element that opens also closes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.feed(text)
        assert self.opened == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        """An element without content."""


def shown(value: Any) -> dict[str, Any]:
    if hasattr(value, "_repr_mimebundle_"):
        return dict(value._repr_mimebundle_())
    page = value._repr_html_() if hasattr(value, "_repr_html_") else ""
    return {"text/plain": repr(value), "text/html": page}


SLOW = {"budget plan"}  # finding one takes many simulations
NAMES = [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in VALUES]


@pytest.mark.parametrize("name", NAMES)
def test_a_cell_shows_little_and_needs_nothing(scene: SimpleNamespace, name: str) -> None:
    value = VALUES[name](scene)
    assert len(repr(value)) < LONGEST
    assert repr(value).count("\n") < LINES
    found = shown(value)
    assert len(json.dumps(found)) < LARGEST
    assert not NEEDS.search(found["text/html"])
    Balanced(found["text/html"])


@pytest.mark.slow
def test_every_value_that_shows_itself_is_tried(scene: SimpleNamespace) -> None:
    kinds = {type(make(scene)).__name__ for name, make in VALUES.items() if name not in SLOW}
    assert {kind.__name__ for kind in lowest_subclasses(Shown)} <= kinds | {"BudgetPlan"}


def lowest_subclasses(kind: type) -> set[type]:
    """Return the public subclasses that have none themselves, on every level."""
    below = [one for one in kind.__subclasses__() if not one.__name__.startswith("_")]
    return set().union(*map(lowest_subclasses, below)) if below else {kind}


def test_a_total_of_1_is_in_the_singular() -> None:
    one = pd.DataFrame({"state": ["A", "B"], "people": [1, 0]})
    assert "total 1 person>" in repr(hdp.Counts.from_frame(one, levels="state", count="people"))
    assert "total 12 trips>" in repr(flows())
    trip = pd.DataFrame({"home": ["A"], "work": ["B"]})
    assert "total 1 trip>" in repr(hdp.Flows.from_frame(trip, origin="home", destination="work"))


def test_text_from_data_is_escaped() -> None:
    frame = pd.DataFrame({"state": ["<script>alert(1)</script>", "B"], "people": [3, 4]})
    table = hdp.Counts.from_frame(frame, levels="state", count="people", unit="<b>")
    sim = hdp.simulate(table, hdp.plan(table, "tree-dp", epsilon=1))
    for value in (table, table.regions, sim, sim.chart.map(), sim.chart.distribution()):
        page = shown(value)["text/html"]
        assert "<script" not in page
        assert "<b>" not in page


def test_cards_state_what_holds_true_values_and_the_guarantee(scene: SimpleNamespace) -> None:
    page = scene.sim._repr_html_()
    assert "ε = 1 (pure DP)" in page
    assert "adding or removing one person" in page
    assert "adds up: yes" in page
    for value in (scene.sim, scene.table, scene.outcome, scene.comparison):
        assert "Contains true values: not for publication." in value._repr_html_()
    assert "true values" not in scene.plan._repr_html_()


def test_cards_of_plans_chosen_on_true_counts_state_it(scene: SimpleNamespace) -> None:
    best = VALUES["best allocation"](scene)
    for synthetic in (True, False):
        page = replace(best, synthetic=synthetic)._repr_html_()
        assert ("Contains true values: not for publication." in page) != synthetic


@pytest.mark.slow
def test_the_card_of_a_budget_found_on_true_counts_states_it(scene: SimpleNamespace) -> None:
    found = VALUES["budget plan"](scene)
    for synthetic in (True, False):
        page = replace(found, synthetic=synthetic)._repr_html_()
        assert ("Contains true values: not for publication." in page) != synthetic


def test_a_card_says_what_the_guarantee_does_not_cover() -> None:
    frame = pd.DataFrame({"state": ["A", "A", "B"], "members": [2, 3, 1]})
    taken = hdp.GroupSizes.from_frame(
        frame, levels="state", size="members", group="households of an unusually long name " * 9
    )
    plan = hdp.plan(taken, "coc", epsilon=1)
    assert len("; ".join(plan.privacy.invariants)) > 300
    for value in (plan, plan.privacy, hdp.simulate(taken, plan)):
        page = re.sub("<[^>]+>", "", value._repr_html_())
        assert "this guarantee does not cover that" in page
        assert all(fact in page for fact in plan.privacy.invariants)
    stated = hdp.plan(hdp.samples.load("us-population").table, "tree-dp", epsilon=1)
    assert "does not cover" not in stated._repr_html_()


@pytest.mark.parametrize("budget", [{"rho": 1}, {"epsilon": 1}])
def test_a_public_total_that_gets_noise_is_called_neither_private_nor_kept(
    budget: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    """Replacing a record leaves the total unchanged, but this mechanism does not publish it."""
    table = flows()
    simulation = hdp.simulate(table, hdp.plan(table, "vanilla-gauss", **budget))
    page = simulation._repr_html_()
    assert "the total, which replacing one record leaves unchanged" in page
    assert "public totals kept: not applicable (the mechanism publishes no exact total)" in page
    settings = hdp.Settings(sample=OWN, mechanism="vanilla-gauss")
    print_run(settings, table, simulation, hdp.evaluate(table, simulation).by_level)
    assert (
        "Public totals kept: not applicable (the mechanism publishes no exact total)"
        in capsys.readouterr().out
    )


def test_a_chart_is_figure_text_and_table(scene: SimpleNamespace) -> None:
    chart = scene.sim.chart.error_by_level(n_simulations=3)
    found = chart._repr_mimebundle_()
    assert set(found[MIME]) >= {"data", "layout", "config"}
    assert chart.alt in found["text/plain"]
    assert "Table behind the chart" in found["text/html"]
    assert "topojsonURL" in found[MIME]["config"]  # without it Plotly asks the network


def test_a_map_is_drawn_with_its_legend_and_its_words(scene: SimpleNamespace) -> None:
    page = scene.sim.chart.map("state")._repr_mimebundle_()["text/html"]
    assert page.count("<path") >= 1
    assert 'role="img"' in page
    assert "0.1–1%" in page
    assert "US Census Bureau" in page
    assert "contains true values" in page


@pytest.mark.parametrize("name", ["distribution", "size distribution", "cost table", "tiles"])
def test_a_chart_without_an_interactive_figure_states_that_it_has_true_values(
    scene: SimpleNamespace, name: str
) -> None:
    """Viewers without Plotly show the text and the HTML alone, which contain true counts."""
    output = VALUES[name](scene)._repr_mimebundle_()
    for kind in ("text/plain", "text/html"):
        assert output[kind].lower().count("contains true values: not for publication") == 1


def test_each_area_is_drawn_in_the_colour_of_its_class() -> None:
    frame = pd.DataFrame({"state": ["A", "B"], "people": [10, 10_000_000]})
    table = hdp.Counts.from_frame(frame, levels="state", count="people")
    sim = hdp.simulate(table, hdp.plan(table, "tree-dp", epsilon=0.01), seed=0)
    relative = sim.to_frame("count").set_index("id")["relative_error"]
    assert relative["A"] > 0.5
    assert relative["B"] < 1e-3
    page = sim.chart.map("state")._repr_mimebundle_()["text/html"]
    fills = re.findall(r'<path fill="(#\w+)"', page)
    assert len(fills) == 2
    assert fills[0] == "#451405"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.sim.chart.map("tract"), 'no level "tract"'),
        (lambda s: s.sim.chart.distribution("Atlantis"), 'No area .* "Atlantis"'),
        (lambda s: s.comparison.chart.error("tract"), 'no level "tract"'),
        (lambda s: s.comparison.chart.error(budget="ε = 7"), 'no budget "ε = 7"'),
        (lambda s: s.sim.chart.map(boundaries="x"), "must be a GeoDataFrame; got str"),
        (
            lambda s: s.sim.chart.map().save("map.doc"),
            "Use a name that ends in .png",
        ),
    ],
)
def test_what_cannot_be_drawn_is_reported(scene, call, message):
    with pytest.raises(hdp.HierdpError, match=message):
        call(scene)


def test_pictures_without_kaleido_say_how_to_get_it(scene, monkeypatch, tmp_path):
    monkeypatch.setattr("hierdp_core.figures.images.find_spec", lambda name: None)
    with pytest.raises(ChoiceError, match=r'pip install "\.\[images\]"'):
        scene.small.chart.distribution().save(tmp_path / "chart.png")


def squares(crs: str) -> gpd.GeoDataFrame:
    boxes = [shapely.box(10 + k, 45, 11 + k, 46) for k in range(2)]
    ids = {"GEOID": ["A", "B"], "other": ["x", "y"]}
    return gpd.GeoDataFrame(ids, geometry=boxes, crs="EPSG:4326").to_crs(crs)


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3857", "EPSG:3035"])
def test_boundaries_come_in_from_any_system_and_go_out_in_degrees(scene, crs):
    found = scene.small.to_geodataframe(squares(crs))
    assert found.crs == "EPSG:4326"
    assert found["id"].tolist() == ["A", "B"]
    assert found.total_bounds == pytest.approx([10, 45, 12, 46], abs=0.02)
    assert {"exact", "released", "error"} <= set(found)
    whole = scene.small.to_geodataframe(squares(crs), level="total")
    assert whole.total_bounds == pytest.approx([10, 45, 12, 46], abs=0.02)


@pytest.mark.parametrize(
    ("frame", "id", "error", "message"),
    [
        (squares("EPSG:4326").drop(columns="GEOID"), None, TableError, "No column .* codes"),
        (squares("EPSG:4326"), "FIPS", ChoiceError, 'no column "FIPS"'),
        (gpd.GeoDataFrame(squares("EPSG:4326")).set_crs(None, allow_override=True), None,
         ChoiceError, "no coordinate system"),
    ],
)  # fmt: skip
def test_boundaries_that_do_not_fit_are_reported(scene, frame, id, error, message):
    with pytest.raises(error, match=message):
        hdp.Boundaries.from_geodataframe(frame, scene.groups.regions, id=id)


def test_five_lines_from_a_file_to_a_map_of_errors(tmp_path: Path) -> None:
    file = tmp_path / "counties.csv"
    file.write_text("state,county,people\nA,1,120\nA,2,80\nB,3,9000\n", encoding="utf-8")
    lines = """
    import pandas as pd, hierdp_core as hdp
    df = pd.read_csv(FILE)
    table = hdp.Counts.from_frame(df, levels=["state", "county"], count="people")
    sim = hdp.simulate(table, hdp.plan(table, "tree-dp", epsilon=1))
    chart = sim.chart.map("county")
    """
    names: dict[str, Any] = {"FILE": file}
    exec("\n".join(line.strip() for line in lines.strip().splitlines()), names)
    assert names["chart"].title == "3 counties"
    assert len(names["chart"].table) == 3


@pytest.mark.slow
def test_a_plan_that_was_chosen_on_the_table_says_so() -> None:
    table = hdp.samples.load("running-example").table
    planned = hdp.plan(table, "pgsr-h-dp", epsilon=1)
    assert "A plan does not depend on the counts, apart from the facts" in planned._repr_html_()
    found = hdp.find_budget(table, "pgsr-h-dp", ["nation=50"], n_simulations=60).plan
    assert "A plan does not depend on the counts." not in found._repr_html_()
    assert "reveals something about the counts" in found._repr_html_()
