"""Decide as people use it: change the rule, sort the places, take things away, come back."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.browser import wait_for_rest, wait_until_it_fits

Visit = Callable[..., Any]
MAP = ".st-key-decide-map"


@pytest.fixture(autouse=True)
def awake(visit: Visit) -> None:
    """The first session of a server comes by the front door (GUIDE 7)."""
    visit("/?sample=running-example").get_by_role("heading").first.wait_for()


def wait_for_map(page: Any, places: int) -> None:
    page.wait_for_function(
        "([map, n]) => document.querySelectorAll(map + ' .geo path').length >= n",
        arg=[MAP, places],
    )


@pytest.mark.nightly  # long; on a busy machine widgets may lose the values of a link
def test_from_a_question_to_a_report(visit: Visit, tmp_path: Path) -> None:
    page = visit("/decide?sample=us-population&places=state&draws=30&epsilon=0.01&rule=threshold")
    page.get_by_role("heading", name=re.compile("in 30 simulations|% of simulations")).wait_for()
    wait_for_map(page, 51)
    wait_for_rest(page)

    limit = page.get_by_role("spinbutton", name="Threshold")
    limit.fill("5304000")
    limit.press("Enter")
    page.wait_for_url(re.compile(r"rule\.limit=5304000"))
    page.get_by_text("at least 5,304,000 people").first.wait_for()
    page.get_by_text(re.compile("The highest probability is .+, for Minnesota")).first.wait_for()

    page.get_by_role("tab", name="By size of area").click()
    page.get_by_text("States in up to ten classes by true number").first.wait_for()
    page.wait_for_url(re.compile("show=sizes"))

    with page.expect_download() as started:
        page.get_by_role("button", name="Download report (HTML)").click()
    file = tmp_path / "report.html"
    started.value.save_as(file)
    assert "contains-true-values" in started.value.suggested_filename
    report = page.context.new_page()
    report.route("http*://**", lambda route: route.abort())
    report.goto(file.as_uri())
    report.wait_for_function("document.querySelectorAll('.main-svg').length >= 5")
    assert "5,304,000 people" in report.inner_text("body")

    link = page.locator("code").first.inner_text()
    again = visit(link[link.index("/decide") :])
    again.get_by_text("at least 5,304,000 people").first.wait_for()
    again.get_by_text("States in up to ten classes by true number").first.wait_for()


def test_the_map_is_saved_as_a_picture(visit: Visit) -> None:
    page = visit("/decide?sample=us-population&places=state&draws=10&rule=seats&epsilon=0.001")
    wait_for_map(page, 51)
    page.locator(MAP).hover()
    with page.expect_download() as started:
        page.locator(f"{MAP} .modebar-btn").click()
    assert started.value.suggested_filename == "seats-state-map-contains-true-values.png"
    assert Path(started.value.path()).stat().st_size > 10_000


@pytest.mark.parametrize("show", ["places", "sizes", "draws"])
def test_on_a_narrow_screen_nothing_is_cut_off(visit: Visit, show: str) -> None:
    page = visit(f"/decide?sample=us-population&places=state&draws=10&show={show}", width=420)
    wait_for_map(page, 51)
    wait_until_it_fits(page)
