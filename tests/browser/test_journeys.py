"""What people do with the pages, in a browser that has no network."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import pytest
from support.browser import wait_for_rest, wait_until_it_fits

from hierdp_core import samples

Visit = Callable[..., Any]
PATHS = ".choroplethlayer path"
SAMPLES = ("us-households", "us-population", "running-example")


def map_sizes(page: Any) -> list[int]:
    """Polygons drawn on each map, top down, left to right."""
    plots = page.locator(".js-plotly-plot:has(.choroplethlayer)")
    return [plots.nth(i).locator(PATHS).count() for i in range(plots.count())]


def wait_for_maps(page: Any, sizes: list[int]) -> None:
    """Until the maps that come first have these numbers of polygons."""
    page.wait_for_function(
        """sizes => {
            const plots = [...document.querySelectorAll('.js-plotly-plot')]
                .map(plot => plot.querySelectorAll('.choroplethlayer path').length)
                .filter(n => n > 0);
            return sizes.every((n, i) => plots[i] === n);
        }""",
        arg=sizes,
    )


def wait_for_draws(page: Any) -> None:
    page.get_by_text(re.compile(r"^(\d+) of \1 simulated releases complete$")).wait_for()


def level_sizes(sample: str) -> list[int]:
    return [int(n) for n in samples.load(sample).table.tree.level_sizes]


def headline(page: Any) -> str:
    return str(page.locator("h1").inner_text())


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_region_of_every_level_is_on_a_map(visit: Visit, sample: str) -> None:
    page = visit(f"/?sample={sample}")
    wait_for_maps(page, level_sizes(sample))
    wait_for_draws(page)
    assert page.locator('[data-testid="stException"]').count() == 0


def test_a_changed_budget_changes_the_numbers(visit: Visit) -> None:
    page = visit("/")
    wait_for_maps(page, level_sizes("us-households"))
    wait_for_draws(page)
    before = headline(page)
    box = page.get_by_label("ε =", exact=True)
    box.fill("0.1")
    box.press("Enter")
    page.get_by_role("heading", name="ε = 0.1").wait_for()
    page.wait_for_function("before => !document.body.innerText.includes(before)", arg=before)
    page.wait_for_url(re.compile("epsilon=0.1"))
    assert headline(page) != before


def test_back_and_forth_retrace_the_view(visit: Visit) -> None:
    page = visit("/?sample=us-population&mechanism=tree-dp&epsilon=1")
    page.get_by_role("heading", name="ε = 1,").wait_for()
    wait_for_draws(page)
    box = page.get_by_label("ε =", exact=True)
    box.fill("0.1")
    box.press("Enter")
    page.get_by_role("heading", name="ε = 0.1,").wait_for()
    page.wait_for_url(re.compile("epsilon=0.1"))
    page.wait_for_timeout(1_500)  # what comes at once may be a browser that is behind
    page.go_back()
    page.get_by_role("heading", name="ε = 1,").wait_for()
    page.wait_for_timeout(300)  # while simulations arrive and the browser reports old values
    page.go_forward()
    page.get_by_role("heading", name="ε = 0.1,").wait_for()
    page.locator('[data-stale="false"] input[aria-label="ε ="][value="0.1"]').first.wait_for()
    wait_for_rest(page)
    assert box.input_value() == "0.1"


def test_a_click_on_a_state_enters_it(visit: Visit) -> None:
    page = visit("/")
    wait_for_maps(page, level_sizes("us-households"))
    wait_for_draws(page)
    wait_for_rest(page)  # the last redraw, after which a click is kept
    states = page.locator(".js-plotly-plot:has(.choroplethlayer)").nth(1).locator(PATHS)
    states.nth(states.count() // 2).click(force=True)
    page.wait_for_url(re.compile(r"/zoom\?.*level=state&region=\d\d"))
    code = re.search(r"region=(\d\d)", page.url)
    assert code is not None
    regions = samples.load("us-households").table.regions
    node = regions.node(code.group(1), 1)
    children = regions.tree.children(node)
    page.get_by_role("heading", name=regions.names[node]).first.wait_for()
    wait_for_maps(page, [children.stop - children.start])


def test_a_click_on_the_large_map_goes_down_and_the_way_leads_back(visit: Visit) -> None:
    page = visit("/zoom?sample=us-population&level=division&region=D9")
    regions = samples.load("us-population").table.regions
    wait_for_maps(page, [5])
    wait_for_rest(page)
    page.locator(PATHS).nth(0).click(force=True)
    page.wait_for_url(re.compile("level=state"))
    page.get_by_role("button", name=regions.names[0]).first.click()
    page.get_by_role("heading", name=f"The {regions.names[0]}").first.wait_for()
    wait_for_maps(page, [4])


def test_a_link_gives_the_view_again(visit: Visit) -> None:
    first = visit("/?sample=us-population&mechanism=hay&epsilon=0.5&shares=1,1,1,1,4&seed=7")
    wait_for_maps(first, level_sizes("us-population"))
    wait_for_draws(first)
    link = first.locator("code").first.inner_text()
    second = visit(link[link.index("/?") :])
    wait_for_maps(second, level_sizes("us-population"))
    wait_for_draws(second)
    assert headline(second) == headline(first)
    assert "ε = 0.5" in second.locator("h1").inner_text()
    assert unquote(second.url) == unquote(first.url)


def test_a_bad_link_is_reported_and_the_default_view_shown(visit: Visit) -> None:
    page = visit("/?epsilon=lots")
    page.get_by_text("epsilon must be a number").wait_for()
    wait_for_maps(page, level_sizes("us-households"))


@pytest.mark.parametrize("path", ["/", "/zoom"])
def test_in_the_dark(visit: Visit, path: str) -> None:
    page = visit(path, dark=True)
    page.wait_for_function(f"document.querySelectorAll('{PATHS}').length >= 51")
    page.locator(".ytick text").first.wait_for()
    colours = page.evaluate(
        """() => {
            const tick = document.querySelector('.ytick text');
            const app = document.querySelector('[data-testid=stApp]');
            return [getComputedStyle(app).backgroundColor, getComputedStyle(tick).fill];
        }"""
    )
    ground, text = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours)
    assert ground < 150 < 300 < text


@pytest.mark.parametrize("path", ["/", "/?sample=us-population", "/zoom?level=state&region=48"])
def test_on_a_narrow_screen_nothing_is_cut_off(visit: Visit, path: str) -> None:
    page = visit(path, width=420, height=900)
    page.wait_for_function(f"document.querySelectorAll('{PATHS}').length >= 51")
    wait_until_it_fits(page)
    maps = page.locator(".js-plotly-plot:has(.choroplethlayer)")
    assert maps.first.bounding_box()["width"] <= 420


def test_maps_draw_where_no_files_are_served(chromium: Any, serving_no_files: Any) -> None:
    context = chromium.new_context(bypass_csp=True)
    context.add_cookies([serving_no_files.cookie])
    page = context.new_page()
    page.set_default_timeout(60_000)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(serving_no_files.base)
    wait_for_maps(page, level_sizes("us-households"))
    page.close()
    assert not [url for url in asked if "geojson" in url]


def test_the_pages_are_listed_by_their_names(visit: Visit) -> None:
    page = visit("/")
    links = page.locator('[data-testid="stSidebarNavLink"]')
    links.get_by_text("Overview", exact=True).wait_for()
    assert [links.nth(i).inner_text() for i in range(links.count())] == [
        "Overview",
        "Area profile",
        "How it works",
        "What ε means",
        "Compare mechanisms",
        "Set a budget",
        "Impact on decisions",
        "Presentation",
        "Your data",
        "Published release",
        "Lessons",
    ]
