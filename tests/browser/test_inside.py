"""How it works as people use it: mouse, keyboard, links, dark, narrow."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from support.browser import wait_for_rest, wait_until_it_fits

from hierdp_core.explain.tree_steps import STEPS
from pages.ui.how_it_works.steps import BELOW_ZERO

Visit = Callable[..., Any]
TITLES = ("1 Noise", "2 Leaf costs", "3 Combine", "4 Own cost", "5 Shadow price", "6 Solution")
HEADINGS = (
    "Noise in each count",
    "Cost of each value",
    "Increments of the sub-areas, cheapest first",
    "Cost table of",
    "Marginal cost of each increment",
    "Change of each value",
)


@pytest.fixture(autouse=True)
def awake(visit: Visit) -> None:
    """The first session of a server comes by the front door.

    Until app.py has run once, Streamlit takes the folder pages/ for its older navigation and
    says over the page that its address does not exist (GUIDE 7).
    """
    visit("/?sample=running-example").get_by_role("heading").first.wait_for()


def wait_for_step(page: Any, step: int) -> None:
    """Until the page is at rest with the chart of a step: no sooner are clicks and keys kept."""
    page.get_by_role("heading", name=HEADINGS[step]).wait_for()
    wait_for_rest(page)
    page.wait_for_function("document.querySelectorAll('.js-plotly-plot .main-svg').length >= 2")


def test_the_steps_are_walked_with_the_mouse_and_back_with_the_keyboard(visit: Visit) -> None:
    page = visit("/inside")
    wait_for_step(page, 0)
    for k in range(1, len(STEPS)):
        page.get_by_role("button", name=f"Next: {TITLES[k][2:]}").click()
        wait_for_step(page, k)
        page.wait_for_url(re.compile(f"step={STEPS[k]}"))
    for k in range(len(STEPS) - 2, -1, -1):
        page.keyboard.press("ArrowLeft")
        wait_for_step(page, k)
        page.wait_for_url(re.compile(f"step={STEPS[k]}"))


def test_the_step_control_and_the_link_under_it(visit: Visit) -> None:
    page = visit("/inside")
    wait_for_step(page, 0)
    page.get_by_role("radio", name=TITLES[3]).click()
    wait_for_step(page, 3)
    page.wait_for_url(re.compile("step=own"))
    link = page.locator("code").first.inner_text()
    other = visit(link[link.index("/inside") :])
    wait_for_step(other, 3)
    assert "13" in other.locator(".js-plotly-plot").nth(1).inner_text()


def test_a_county_with_a_noisy_count_of_minus_three_explains_itself(visit: Visit) -> None:
    page = visit("/inside")
    wait_for_step(page, 0)
    page.get_by_role("button", name=BELOW_ZERO).click()
    page.get_by_text("moved from −3 to 0").first.wait_for()
    page.get_by_text("Areas reduced").first.wait_for()
    page.wait_for_url(re.compile("level=county&region="))
    assert page.locator('[data-testid="stException"]').count() == 0


@pytest.mark.parametrize("tab", ["The chain", "Noise and post-processing separately"])
def test_tabs_open_and_stand_in_the_address(visit: Visit, tab: str) -> None:
    page = visit("/inside?sample=running-example&epsilon=0.5")
    page.get_by_role("tab", name=tab).click()
    page.wait_for_url(re.compile("tab="))
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    assert page.get_by_role("tab", name=tab).get_attribute("aria-selected") == "true"


def test_tabs_are_filled_after_a_step(visit: Visit) -> None:
    page = visit("/inside")
    wait_for_step(page, 0)
    page.get_by_role("button", name=f"Next: {TITLES[1][2:]}").click()
    wait_for_step(page, 1)
    page.get_by_role("tab", name="The chain").click()
    page.get_by_role("heading", name=re.compile("Table 6")).wait_for()
    page.get_by_role("tab", name="Noise and post-processing separately").click()
    page.get_by_text("The published noise is a single example").wait_for()
    page.get_by_role("tab", name="The tree").click()
    wait_for_step(page, 1)


def test_numbers_can_be_read_in_the_dark(visit: Visit) -> None:
    page = visit("/inside?step=own", dark=True)
    wait_for_step(page, 3)
    page.wait_for_function(
        """() => {
            const text = document.querySelector('text.annotation-text');
            const parts = text && getComputedStyle(text).fill.match(/[0-9]+/g);
            return parts && parts.slice(0, 3).reduce((a, b) => a + Number(b), 0) > 500;
        }"""
    )


@pytest.mark.parametrize("step", ["noise", "own", "choice"])
def test_on_a_narrow_screen_nothing_is_cut_off(visit: Visit, step: str) -> None:
    page = visit(f"/inside?sample=us-households&level=state&region=13&step={step}", width=420)
    page.wait_for_function("document.querySelectorAll('.js-plotly-plot .main-svg').length >= 2")
    wait_until_it_fits(page)
