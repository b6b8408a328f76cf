"""Areas found, pinned and left again in a browser; one press of Back undoes one click."""

import re
from collections.abc import Callable
from typing import Any

from support.browser import wait_for_rest

Visit = Callable[..., Any]
SMALL = "sample=us-population&mechanism=tree-dp&draws=10"
BEHIND = 1_500  # milliseconds: what comes at once may be a browser that is behind


def heading(page: Any, text: str) -> Any:
    return page.get_by_role("heading", level=1, name=text)


def finished(page: Any) -> None:
    """Wait until nothing on the page runs again by itself, and a click counts as a new one."""
    page.get_by_text(re.compile(r"^(\d+) of \1 simulated releases complete$")).wait_for()
    wait_for_rest(page)
    page.wait_for_timeout(BEHIND)


def entries(page: Any) -> int:
    return int(page.evaluate("history.length"))


def back_to(page: Any, text: str) -> None:
    page.go_back()
    heading(page, text).wait_for()
    wait_for_rest(page)
    page.wait_for_timeout(BEHIND)


def test_one_press_of_back_undoes_one_click(visit: Visit) -> None:
    page = visit(f"/?{SMALL}")
    finished(page)
    before = entries(page)

    page.get_by_label("Find an area").fill("Loving County")
    page.keyboard.press("Enter")
    heading(page, "Loving County").wait_for()
    finished(page)
    page.get_by_role("button", name="Pin this area").click()
    page.wait_for_url(re.compile("pin=county"))
    finished(page)
    page.locator('[data-testid="stSidebarNavLink"]').get_by_text("What ε means").click()
    heading(page, "a belief of 50% that a person is in the data can rise to at most").wait_for()
    page.wait_for_url(re.compile("pin=county"))
    page.get_by_text("the guarantee is the same").wait_for()
    page.wait_for_timeout(BEHIND)
    assert entries(page) == before + 3

    back_to(page, "Loving County")
    assert "pin=county" in page.url
    page.go_back()
    page.get_by_role("button", name="Pin this area").wait_for()
    wait_for_rest(page)
    assert "pin=" not in page.url
    page.wait_for_timeout(BEHIND)
    back_to(page, "ε = 1")
    assert "region=" not in page.url
    page.go_forward()
    heading(page, "Loving County").wait_for()


def test_a_row_of_a_table_opens_the_profile_of_its_area(visit: Visit) -> None:
    page = visit(f"/zoom?{SMALL}&level=state&region=48")
    heading(page, "Texas").wait_for()
    finished(page)
    before = entries(page)
    table = page.locator('[data-testid="stDataFrame"]').first
    table.scroll_into_view_if_needed()
    table.click(position={"x": 18, "y": 52})  # the box of the first row
    page.wait_for_url(re.compile("level=county"))
    page.wait_for_timeout(BEHIND)
    assert entries(page) == before + 1
    back_to(page, "Texas")


def test_simulations_play_and_can_be_stopped(visit: Visit) -> None:
    page = visit(f"/?{SMALL}")
    finished(page)
    page.get_by_text("Play the simulations").click()
    page.get_by_text("Simulated release 3 of 10").wait_for()
    assert page.locator("canvas").count() >= 5
    page.get_by_role("button", name="Pause").click()
    count = page.get_by_text(re.compile(r"^Simulated release \d+ of 10$"))
    shown = count.inner_text()
    page.wait_for_timeout(2_000)
    assert count.inner_text() == shown


def test_nothing_moves_where_the_system_asks_for_it(visit: Visit) -> None:
    page = visit(f"/?{SMALL}")
    page.emulate_media(reduced_motion="reduce")
    finished(page)
    page.get_by_text("Play the simulations").click()
    first = page.get_by_text("Simulated release 1 of 10")
    first.wait_for()
    page.wait_for_timeout(2_000)
    assert first.is_visible()
    page.get_by_role("button", name="Next").click()
    page.get_by_text("Simulated release 2 of 10").wait_for()
