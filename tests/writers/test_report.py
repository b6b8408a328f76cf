"""The HTML file that holds a whole report."""

import base64
import json
import re
from html.parser import HTMLParser
from io import StringIO

import pandas as pd
import plotly.graph_objects as go
import pytest

import hierdp_core as hdp
from hierdp_core.evaluation.comparison import measures, rivals
from hierdp_core.util.marks import CONTAINS_TRUTH
from hierdp_core.writers.comparison_report import (
    Looking,
    budget_sections,
    guarantee_section,
    headline,
)
from hierdp_core.writers.report import Section, report

FIGURE = go.Figure(go.Scatter(x=[1, 2], y=[3, 4], name="</script><b>x")).update_layout(height=200)
TABLE = pd.DataFrame(
    {"level": ["state", "<b>"], "mean": [1.25, float("nan")], "simulations": [30, 3]}
)
SECTION = Section(
    title="Error & level", sentence="It is **12** < 13.", figure=FIGURE, alt="A line", table=TABLE
)


class Reader(HTMLParser):
    """What is fetched, and the text of scripts by their id."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.scripts: dict[str, str] = {}
        self.tags: list[str] = []
        self._id = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.tags.append(tag)
        self.addresses += [v for n, v in attrs if n in ("src", "href", "data", "action") and v]
        self._id = named.get("id") or "code" if tag == "script" else ""

    def handle_endtag(self, tag: str) -> None:
        self._id = "" if tag == "script" else self._id

    def handle_data(self, data: str) -> None:
        if self._id:
            self.scripts[self._id] = self.scripts.get(self._id, "") + data


def test_a_report_fetches_nothing() -> None:
    found = Reader(report("A title", [SECTION, SECTION]))
    assert all(address.startswith("data:") for address in found.addresses)
    assert "link" not in found.tags
    assert "default-src 'none'" in report("A title", [SECTION])


def test_plotly_is_inside_once_and_only_where_there_is_a_figure() -> None:
    one, two = (len(report("A title", [SECTION] * n)) for n in (1, 2))
    assert one > 1_000_000
    assert two - one < 20_000
    assert len(report("A title", [Section(title="Words", sentence="No figure.")])) < 20_000


def test_figures_and_tables_come_through_unbroken() -> None:
    html = report("A title", [SECTION])
    figure = json.loads(Reader(html).scripts["figure-0-data"])
    assert figure["data"][0]["name"] == "&lt;/script><b>x"  # shown as it was written
    assert "It is <b>12</b> &lt; 13." in html
    assert "Error &amp; level" in html
    assert "<td>&lt;b&gt;</td>" in html
    assert "nan" not in html[html.index("<tbody>") : html.index("</tbody>")]


@pytest.mark.parametrize("contains_truth", [True, False])
def test_the_mark_stands_everywhere_or_nowhere(contains_truth: bool) -> None:
    html = report("A title", [SECTION], contains_truth=contains_truth)
    (csv,) = re.findall(r'href="data:text/csv;base64,([^"]+)"', html)
    rows = pd.read_csv(StringIO(base64.b64decode(csv).decode()))
    assert rows["mean"][0] == 1.25
    assert (CONTAINS_TRUTH.capitalize() in html) == contains_truth
    assert ("contains-true-values.csv" in html) == contains_truth
    if contains_truth:
        assert rows["note"].unique().tolist() == [CONTAINS_TRUTH]
    else:
        assert "note" not in rows


def test_a_long_table_states_what_is_left_out() -> None:
    long = Section(title="Long", table=pd.DataFrame({"n": range(2_000)}))
    html = report("A title", [long])
    assert html.count("<tr>") < 600
    assert "The first 500 of 2,000 rows" in html


def test_it_states_what_it_was_made_from() -> None:
    html = report("A title", [], summary=["So."], made_from={"Data": "US <households>"})
    assert "US &lt;households&gt;" in html
    assert "HierDP" in html


def test_a_comparison_says_that_no_guarantee_covers_what_was_taken_from_the_data() -> None:
    frame = pd.DataFrame({"state": ["A", "C", "B"], "people": [2, 3, 1]})
    taken = hdp.Counts.from_frame(frame, levels="state", count="people")
    stated = hdp.samples.load("us-population").table
    for table, shown in ((taken, True), (stated, False)):
        plans = [hdp.plan(table, id, epsilon=1) for id in ("tree-dp", "topdown")]
        assert bool(plans[0].privacy.taken_from_data) == shown
        section = guarantee_section(hdp.compare(table, plans, n_simulations=1))
        assert ("no guarantee here covers that" in section.sentence) == shown


def test_a_comparison_with_an_error_of_0_states_no_multiple_of_it() -> None:
    table = hdp.samples.load("running-example").table
    plans = [hdp.plan(table, id, epsilon=e) for id in ("coc", "pgsr-h-dp") for e in (0.1, 1)]
    comparison = hdp.compare(table, plans, n_simulations=5, quantities=["", "occupied"])
    look = Looking(
        measure=measures(table)[0],  # numbers of units, which `coc` treats as public
        guarantee=rivals(plans)[-1][0],
        scale="stated",
        x="nation",
        y="state",
        level=None,
        noun="units",
    )
    stated = headline(comparison, look)
    assert "At state level, it has no error in these simulations, and the next best," in stated
    assert "times the error" not in stated
    (nation,) = budget_sections(comparison, look, "nation", "Nation")
    assert nation.notes == ("Every error is 0, which a log scale cannot show.",)
    (state,) = budget_sections(comparison, look, "state", "State")
    assert "Count-of-counts, matched at ε = 0.1 and 1" in state.notes[0]


@pytest.mark.parametrize(
    ("sample", "ids", "only_simulated"),
    [
        ("us-population", ("tree-dp", "hay"), False),
        ("us-population", ("hay", "topdown"), False),
        ("running-example", ("pgsr-h-relaxed", "pgsr-c-relaxed"), True),
    ],
)
def test_a_comparison_recommends_what_can_be_released(
    sample: str, ids: tuple[str, ...], only_simulated: bool
) -> None:
    table = hdp.samples.load(sample).table
    plans = [hdp.plan(table, id, epsilon=1) for id in ids]
    comparison = hdp.compare(table, plans, n_simulations=3)
    look = Looking(
        measure=measures(table)[-1], guarantee=rivals(plans)[0][0], scale="stated",
        x=comparison.levels[0], y=comparison.levels[1], level=None, noun="people",
    )  # fmt: skip
    stated = headline(comparison, look)
    can_release = {
        plan.mechanism.title for plan in plans if not plan.mechanism.reason_against_release()
    }
    assert ("none of the compared mechanisms can be released" in stated) == only_simulated
    assert ("(for simulation only) has a lower mean error" in stated) == (not only_simulated)
    used = re.findall(r", use \*\*([^*]+)\*\*", stated)
    assert len(used) == (not only_simulated)
    assert can_release.issuperset(used)
