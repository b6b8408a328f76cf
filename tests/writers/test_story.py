"""Slides as HTML and PowerPoint, and the fitness-for-use page."""

import io
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import hierdp_core as hdp
from hierdp_core.decisions.fitness import fitness, fitness_of, measures
from hierdp_core.evaluation.released_counts import true_counts
from hierdp_core.exceptions import ChoiceError
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.maps.scale import UNDEFINED_LABEL
from hierdp_core.figures.meaning_of_epsilon import BELIEFS, belief_texts
from hierdp_core.figures.slide import enlarged, side_by_side
from hierdp_core.hierarchy import Regions
from hierdp_core.privacy.meaning import belief
from hierdp_core.tables import Counts
from hierdp_core.writers.fitness import SYNTHETIC, fitness_page
from hierdp_core.writers.story import SIZES, Step, omitted, slides_html, slides_pptx

CHART = Chart(
    title="Error <b>",
    figure=go.Figure(go.Bar(x=[1, 2], y=["a", "b"])),
    alt='Bars of "a" and b.',
    table=pd.DataFrame({"area": ["a", "b"], "error": [1.5, 2_000.0]}),
)
STEPS = (
    Step(title="Counts are <1% off", sentences=("Of **ten** areas.",), chart=CHART),
    Step(title="The published guarantee of this noise is ε = 1", warning=True),
)


# --- slides


@pytest.mark.parametrize("undefined", [True, False])
def test_the_legend_of_a_map_has_the_colour_of_areas_without_a_relative_error(undefined):
    step = Step(title="A map", chart=CHART, classed=True, undefined=undefined)
    page = slides_html("A talk", [step], footer="Source: us.")
    assert (UNDEFINED_LABEL in page) == undefined


def test_slides_open_alone_with_every_step_and_chart():
    page = slides_html("A talk", STEPS, footer="Source: us. Contains true values.")
    assert page.count('<section class="step">') == 2
    assert "Counts are &lt;1% off" in page
    assert "<b>ten</b>" in page
    assert page.count("Source: us. Contains true values.") == 2
    assert 'class="warn">The published guarantee' in page
    assert "default-src 'none'" in page
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=", page)
    assert 'aria-label="Bars of &quot;a&quot; and b."' in page
    assert page.count('data-act="png"') == page.count('data-act="svg"') == 1


def test_a_chart_saved_from_the_slides_is_marked_without_the_footer():
    marked, plain = (
        re.findall('data-name="([^"]*)"', slides_html("", STEPS, footer="", contains_truth=truth))
        for truth in (True, False)
    )
    assert marked == ["error-b-contains-true-values"]
    assert plain == ["error-b"]


@pytest.mark.parametrize("make", [lambda s: slides_html("", s, footer=""), slides_pptx])
def test_a_presentation_without_a_step_is_refused(make):
    with pytest.raises(ChoiceError, match="at least one slide"):
        make([]) if make is not slides_pptx else slides_pptx([], footer="")


def test_slides_for_powerpoint_hold_titles_sentences_and_tables():
    import pptx

    deck = pptx.Presentation(io.BytesIO(slides_pptx(STEPS, footer="Source: us.")))
    first, second = deck.slides
    shown = [shape.text_frame.text for shape in first.shapes if shape.has_text_frame]
    assert shown == ["Counts are <1% off", "Of ten areas.", "Source: us."]
    (table,) = [shape.table for shape in first.shapes if shape.has_table]
    assert [cell.text for cell in table.rows[2].cells] == ["b", "2,000"]
    red = second.shapes.title.text_frame.paragraphs[0].font.color.rgb
    assert str(red) == "B00020"


def test_slides_for_powerpoint_name_no_author_of_the_library():
    import pptx

    about = pptx.Presentation(io.BytesIO(slides_pptx(STEPS, footer=""))).core_properties
    assert (about.author, about.last_modified_by) == ("HierDP", "HierDP")
    assert about.title == STEPS[0].title
    assert about.created == about.modified
    assert about.created.year >= 2026
    slides_pptx([Step(title="A long title. " * 30)], footer="")


@pytest.mark.parametrize("loss", [0.0018, 0.5, 1.0, 3.7, 9.0])
def test_slides_round_bounds_on_beliefs_in_the_safe_direction(loss):
    import pptx

    chart = replace(CHART, table=belief_texts(loss))
    deck = pptx.Presentation(
        io.BytesIO(slides_pptx([Step(title="Meaning", chart=chart)], footer=""))
    )
    (table,) = [shape.table for shape in deck.slides[0].shapes if shape.has_table]
    head, *rows = [[cell.text for cell in row.cells] for row in table.rows]
    assert head == list(BELIEFS.values())
    assert len(rows) == 8
    for row in rows:
        prior, least, most = (float(text) for text in row)
        limits = belief(loss, prior / 100)
        assert least <= 100 * limits.least
        assert 100 * limits.most <= most


@pytest.mark.parametrize("size", SIZES)
def test_slides_with_pictures_have_the_size_that_was_requested(size, monkeypatch):
    import pptx
    from PIL import Image

    def drawn(figure, *, width, height, scale):
        file = io.BytesIO()
        Image.new("RGB", (round(width * scale), round(height * scale))).save(file, "PNG")
        return file.getvalue()

    monkeypatch.setattr("hierdp_core.writers.story.png", drawn)
    deck = pptx.Presentation(
        io.BytesIO(slides_pptx(STEPS, footer="Source: us.", size=size, pictures=True))
    )
    assert (deck.slide_width / 9525, deck.slide_height / 9525) == size  # units in a pixel
    (picture,) = [shape for shape in deck.slides[0].shapes if hasattr(shape, "image")]
    assert picture.image.size[0] == pytest.approx(picture.width / 9525, abs=1)
    assert picture._element.nvPicPr.cNvPr.get("descr") == CHART.alt
    for slide in deck.slides:
        for shape in slide.shapes:
            assert shape.top + shape.height <= deck.slide_height
            assert shape.left + shape.width <= deck.slide_width


@pytest.mark.parametrize("size", SIZES)
def test_a_printed_slide_is_a_page_of_its_size(size):
    page = slides_html("A talk", STEPS, footer="", size=size)
    assert f"@page {{size: {size[0]}px {size[1]}px; margin: 0}}" in page


def test_maps_of_slides_need_no_network():
    assert '"topojsonURL": "data:' in slides_html("A talk", STEPS, footer="")


def test_a_chart_on_a_slide_has_larger_type_and_no_height():
    chart = replace(CHART, figure=go.Figure(CHART.figure).update_layout(height=300))
    larger = enlarged(chart.marked("contains true values"))
    (mark,) = larger.figure.layout.annotations
    assert (
        mark.font.size > chart.marked("contains true values").figure.layout.annotations[0].font.size
    )
    assert larger.figure.layout.height is None
    assert chart.figure.layout.height == 300


def test_maps_stand_side_by_side_in_the_order_given():
    geo = go.Figure(go.Choropleth(locations=["1"], z=[0]))
    maps = [replace(CHART, title=t, figure=geo, alt=t) for t in ("Nation", "States")]
    both = side_by_side(
        maps, title="Zoom", heads=[("Nation", "< 1%"), ("States", "2%")], caption="Census."
    )
    assert [trace.geo for trace in both.figure.data] == ["geo", "geo2"]
    left, right = both.figure.layout.geo.domain.x, both.figure.layout.geo2.domain.x
    assert left[1] < right[0]
    assert both.alt == "Nation States"
    shown = [note.text for note in both.figure.layout.annotations]
    assert shown == ["Nation", "&lt; 1%", "States", "2%", "Census."]


def test_maps_side_by_side_have_their_mark_below_the_caption():
    geo = go.Figure(go.Choropleth(locations=["1"], z=[0]))
    words = {"title": "Zoom", "heads": [("Nation", "2%")], "caption": "Census."}
    plain = side_by_side([replace(CHART, figure=geo)], **words)
    both = side_by_side([replace(CHART, figure=geo)], **words, mark="contains true values")
    *_, caption, mark = both.figure.layout.annotations
    assert (caption.text, mark.text) == ("Census.", "contains true values")
    assert -mark.yshift >= caption.font.size
    assert both.figure.layout.margin.b + mark.yshift >= mark.font.size
    assert both.figure.layout.margin.b > plain.figure.layout.margin.b


def test_a_slide_states_how_many_rows_and_columns_it_leaves_out():
    import pptx

    table = pd.DataFrame(1, index=range(51), columns=list("abcdefg"))
    steps = [Step(title="All", chart=replace(CHART, table=table))]
    (slide,) = pptx.Presentation(io.BytesIO(slides_pptx(steps, footer="Source."))).slides
    shown = [shape.text_frame.text for shape in slide.shapes if shape.has_text_frame]
    assert any("8 of 51 rows and 5 of 7 columns" in text for text in shown)
    assert omitted(table.iloc[:8, :5]) == ""
    assert "columns" not in omitted(table.iloc[:9, :5])


def test_without_the_extra_powerpoint_states_how_to_get_it(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("hierdp_core.writers.story.import_module", missing)
    with pytest.raises(ChoiceError, match=r"\.\[slides\]"):
        slides_pptx(STEPS, footer="")


# --- fitness for use


def example(n=5):
    table = hdp.samples.load("running-example").table
    plan = hdp.plan(table, "pgsr-h-dp", epsilon=1.0)
    return table, plan, fitness(table, plan, "members", n_simulations=n)


def test_measures_are_means_over_areas_and_simulations():
    _, _, found = example()
    part = found.counts.of_level("state")
    row = found.by_level.set_index("level").loc["state"]
    off = [
        (abs(int(r) - int(t)), int(t))
        for one in part.released
        for r, t in zip(one, part.true, strict=True)
    ]
    assert row["mae"] == pytest.approx(sum(e for e, _ in off) / len(off))
    assert row["mape"] == pytest.approx(sum(e / t for e, t in off) / len(off))
    assert row["within"] == pytest.approx(sum(e <= 0.05 * t for e, t in off) / len(off))
    assert found.by_size["areas"].sum() == len(part.true)
    assert measures(part, part.true == part.true.max())["areas"] < 2 + len(part.true)


def test_fitness_needs_a_simulation():
    table, _, _ = example(1)
    with pytest.raises(ChoiceError, match="at least one simulated release"):
        fitness_of(table, true_counts(table, "occupied"))


@pytest.mark.parametrize("synthetic", [True, False])
def test_the_page_says_what_is_inside_and_how_to_repeat_it(synthetic):
    _, plan, found = example()
    page = fitness_page(
        found,
        plan,
        title="Six units",
        source="made for the paper",
        repeat="hierdp fitness --sample running-example",
        seed=0,
        not_real="sizes are estimates",
        synthetic=synthetic,
    )
    assert "<b>Sizes are estimates.</b>" in page.split("<section>")[0]
    assert "Fitness for use: Six units at ε = 1" in page
    assert "at most 74% sure" in page
    assert "hierdp fitness --sample running-example" in page
    assert "Accuracy of states by size" in page
    assert ("Contains true values: not for publication" in page) != synthetic
    assert (SYNTHETIC in page) == synthetic
    assert len(page) < 60_000  # one page, without a script


def test_a_table_of_zeros_has_no_percentage_error():
    regions = Regions.from_parents({"all": None, "a": "all"}, levels=("country", "town"))
    table = Counts.from_leaves(regions, np.array([0]))
    plan = hdp.plan(table, "tree-dp", epsilon=1)
    found = fitness(table, plan, n_simulations=2)
    page = fitness_page(found, plan, title="T", source="S", repeat="", seed=0)
    assert "The town count of people differs" in page
    assert "No town has a true count above 0, so there is no percentage error." in page
    assert "allocation 1 : 1" in page


def test_the_page_states_the_exception_of_a_budget_with_delta():
    data = hdp.samples.load("running-example")
    for budget, excepted in (({"epsilon": 1}, False), ({"rho": 0.5}, True)):
        plan = hdp.plan(data.table, "pgsr-h-dp", **budget)
        page = fitness_page(
            fitness(data.table, plan, n_simulations=1),
            plan,
            title="Six units",
            source="made for the paper",
            repeat="hierdp fitness",
            seed=0,
        )
        assert "50% sure that a person is in the data" in page
        assert ("except with probability 10⁻⁸" in page) == excepted
