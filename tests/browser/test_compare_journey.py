"""Compare in a browser: first results, cancel, and a report that opens without a network."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pages.ui.compare import compare_words

Visit = Callable[..., Any]
CHARTS = ".js-plotly-plot .scatterlayer .trace path"


def wait_for_charts(page: Any) -> None:
    page.locator(CHARTS).first.wait_for(state="attached")


def wait_for_simulations(page: Any) -> None:
    # The first deep link to a fresh server is reported as unknown, above the right page.
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    page.get_by_role("button", name="Stop").wait_for(state="hidden", timeout=180_000)
    page.get_by_role("button", name="Download report (HTML)").wait_for()


def test_a_comparison_is_taken_away_and_opens_without_a_network(
    visit: Visit, chromium: Any, tmp_path: Path
) -> None:
    page = visit("/compare?sample=running-example&draws=10")
    wait_for_charts(page)
    wait_for_simulations(page)
    page.get_by_text("The mechanisms treat different information as public").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download report (HTML)").click()
    assert download.value.suggested_filename == "compare-running-example-contains-true-values.html"
    file = tmp_path / "report.html"
    download.value.save_as(file)

    context = chromium.new_context(offline=True)
    asked: list[str] = []
    wrong: list[str] = []
    report = context.new_page()
    report.on("request", lambda request: asked.append(request.url))
    report.on("pageerror", lambda error: wrong.append(str(error)))
    report.on("console", lambda shown: wrong.append(shown.text) if shown.type == "error" else None)
    report.goto(file.as_uri())
    report.locator(CHARTS).first.wait_for(state="attached")
    boxes = report.locator(".figure-box")
    drawn = report.locator(".figure-box .main-svg .scatterlayer")
    assert boxes.count() == drawn.count() >= 4
    assert "Contains true values: not for publication" in report.locator("body").inner_text()
    with report.expect_download() as csv:
        report.locator("summary").first.click()
        report.get_by_text("Download the table (CSV)").first.click()
    assert csv.value.suggested_filename.endswith("-contains-true-values.csv")
    # The camera of the first chart makes a picture without asking anybody.
    boxes.first.hover()
    with report.expect_download() as picture:
        report.locator(".modebar-btn").first.click()
    assert picture.value.suggested_filename.endswith(".png")
    assert Path(picture.value.path()).read_bytes().startswith(b"\x89PNG")
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert wrong == []
    context.close()


def test_a_chart_of_the_page_is_saved_as_a_picture(visit: Visit) -> None:
    page = visit("/compare?sample=running-example&draws=10")
    wait_for_charts(page)
    wait_for_simulations(page)
    chart = page.locator(".js-plotly-plot").first
    chart.hover()
    with page.expect_download() as picture:
        chart.locator(".modebar-btn").first.click()
    assert picture.value.suggested_filename.startswith("nation")


def test_cancel_keeps_what_is_done(visit: Visit) -> None:
    page = visit("/compare?sample=us-households&draws=300&budgets=0.1,0.2,0.5,1,2,5")
    wait_for_charts(page)
    page.keyboard.press("Escape")
    page.get_by_text(re.compile(r"\d+ of \d+ configurations complete")).wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text(compare_words.CANCELLED).wait_for()
    assert page.locator(CHARTS).count()


@pytest.mark.parametrize("dark", [False, True])
def test_a_telephone_shows_all_of_it(visit: Visit, dark: bool) -> None:
    page = visit("/compare?sample=running-example&draws=10", width=420, dark=dark)
    wait_for_charts(page)
    wait_for_simulations(page)
    overflow = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert overflow <= 0
