"""The first picture of a page lies within a screen and a half of a phone."""

from collections.abc import Callable
from typing import Any

import pytest
from support.browser import wait_for_rest

pytestmark = pytest.mark.nightly  # a quarter of a minute a page

HEIGHT = 900  # pixels of the screen
TOP = """e => e.getBoundingClientRect().top
    + document.querySelector('[data-testid=stMain]').scrollTop"""


@pytest.mark.parametrize("path", ["/", "/zoom", "/decide", "/present", "/compare"])
def test_the_first_picture_is_near_the_top_on_a_phone(visit: Callable[..., Any], path: str) -> None:
    page = visit(f"{path}?sample=us-households", width=420, height=HEIGHT)
    picture = page.locator(".js-plotly-plot").first
    picture.wait_for()
    wait_for_rest(page)
    assert picture.evaluate(TOP) < 1.5 * HEIGHT
