"""Reports and slides on paper: clean sheets, whatever the theme of the screen."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go

import hierdp_core as hdp
from hierdp_core.decisions.fitness import fitness
from hierdp_core.figures.chart import Chart
from hierdp_core.writers.fitness import fitness_page
from hierdp_core.writers.report import Section, report
from hierdp_core.writers.story import Step, slides_html

CHART = Chart(
    title="Error",
    figure=go.Figure(go.Bar(x=[1, 2], y=["a", "b"])),
    alt="Bars.",
    table=pd.DataFrame({"area": [f"area {k}" for k in range(20)], "error": range(20)}),
)
A4, SLIDE = (595, 842), (960, 540)  # points of a sheet upright, and of 1280 x 720 pixels


def printed(chromium: Any, file: Path) -> tuple[list[tuple[int, int]], Any]:
    """The sheets that a browser with a dark theme prints, in points, and its page."""
    page = chromium.new_context(color_scheme="dark").new_page()
    page.goto(file.as_uri())
    data = page.pdf(prefer_css_page_size=True)
    boxes = re.findall(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)\s*\]", data)
    return [(round(float(w)), round(float(h))) for w, h in boxes], page


def test_slides_print_one_to_a_sheet_with_every_chart(chromium: Any, tmp_path: Path) -> None:
    steps = [Step(title=f"Finding {k}", sentences=("Words.",), chart=CHART) for k in range(4)]
    file = tmp_path / "slides.html"
    file.write_text(slides_html("A talk", steps, footer="Source: us."), encoding="utf-8")
    sheets, page = printed(chromium, file)
    assert sheets == [SLIDE] * 4
    assert page.locator(".figure .main-svg").count() >= 4  # those never shown on screen too


def test_a_report_prints_upright_in_dark_ink_on_white(chromium: Any, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(report("A report", [Section.of(CHART)]), encoding="utf-8")
    sheets, page = printed(chromium, file)
    assert sheets
    assert set(sheets) == {A4}
    page.emulate_media(media="print")
    style = "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]"
    assert page.locator("body").evaluate(style) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]


def test_a_fitness_page_prints_on_one_sheet(chromium: Any, tmp_path: Path) -> None:
    data = hdp.samples.load("us-population")  # three levels, all size classes, all programmes
    plan = hdp.plan(data.table, "tree-dp", epsilon=1.0)
    found = fitness(data.table, plan, "count", n_simulations=2)
    assert len(found.decisions) >= 8
    file = tmp_path / "fitness.html"
    page = fitness_page(
        found, plan, title=data.title, source=data.source, repeat="hierdp fitness " * 8, seed=0
    )
    file.write_text(page, encoding="utf-8")
    sheets, _ = printed(chromium, file)
    assert sheets == [A4]
