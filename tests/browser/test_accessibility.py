"""Every page for everybody: axe-core, the keyboard, screen readers, phones and tablets."""

from collections.abc import Callable
from typing import Any

import pytest
from support.browser import wait_for_rest, wait_until_it_fits

import app

axe_playwright = pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = pytest.mark.nightly  # every page in two themes takes a quarter of an hour

Visit = Callable[..., Any]
PATHS = ["/" if page is app.PAGES[0] else f"/{page.path}" for page in app.PAGES]
# The smallest table that has every part of a page, and few simulations.
WITH = {"/compare": "?sample=running-example&draws=10", "/learn": "", "/data": ""}
USUAL = "?sample=running-example"
TOO_SMALL = 24  # pixels of a target
# Streamlit's own markup that nothing here can change: a rule, an element, and why.
EXCUSED = {
    ("list", '[data-testid="stSidebarNavItems"]'): (
        "Streamlit puts each group of pages into a <div> between <ul> and <li>."
    ),
    ("listitem", '[data-testid="stSidebarNavItems"] li'): "The same <div>, seen from its items.",
    ("presentation-role-conflict", '[data-testid="stFileUploaderDropzone"]'): (
        "Streamlit gives the area for dropped files a name. Its button is reached by keyboard."
    ),
}
# The browser loads the part that applies the page's own styles after the first elements stand.
STYLED = """() => getComputedStyle(document.querySelector('[data-testid=stApp]'))
    .getPropertyValue('--small-print')"""
FOLDED = "[data-testid=stMain] details:not([open])"
# No work goes on that could be stopped.
DONE = """() => ![...document.querySelectorAll('[data-testid=stMain] button')]
    .some(button => ['Cancel', 'Stop'].includes(button.innerText.trim()))"""


@pytest.fixture(autouse=True)
def awake(visit: Visit) -> None:
    """The first session of a server comes by the front door (GUIDE 7)."""
    visit("/?sample=running-example").get_by_role("heading").first.wait_for()


def opened(visit: Visit, path: str, **how: Any) -> Any:
    """A page at rest, styled and with its work done."""
    page = visit(path + WITH.get(path, USUAL), **how)
    page.get_by_role("heading", level=1).first.wait_for()
    page.wait_for_function(STYLED)
    page.wait_for_function(DONE, timeout=180_000)
    wait_for_rest(page)
    return page


def unfold(page: Any) -> None:
    """Open everything that can be unfolded, so that it is looked at as well."""
    page.evaluate(f"document.querySelectorAll('{FOLDED} > summary').forEach(s => s.click())")
    page.wait_for_function(f"!document.querySelector('{FOLDED}')")
    wait_for_rest(page)


def violations(page: Any) -> list[str]:
    """What axe-core finds, apart from what is excused."""
    options = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
    found = axe_playwright.Axe().run(page, options=options).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:160]} | {node['failureSummary'][:200]}"
        for rule in found
        for node in rule["nodes"]
        if not _excused(page, rule["id"], node["target"][-1])
    ]


def _excused(page: Any, rule: str, target: str) -> bool:
    elements = [selector for known, selector in EXCUSED if known == rule]
    return any(page.locator(target).first.evaluate("(e, s) => e.matches(s)", s) for s in elements)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("path", PATHS)
def test_axe_finds_nothing(visit: Visit, path: str, dark: bool) -> None:
    page = opened(visit, path, dark=dark)
    unfold(page)
    assert not violations(page)


def test_axe_finds_what_is_planted(visit: Visit) -> None:
    page = opened(visit, "/learn")
    page.locator("h1").evaluate(
        """heading => heading.insertAdjacentHTML(
            'afterend', '<h4>Too deep</h4><p style="color:#aaa;background:#fff">Too faint</p>')"""
    )
    found = " ".join(violations(page))
    assert "heading-order" in found
    assert "color-contrast" in found


@pytest.mark.parametrize("path", PATHS)
def test_every_target_can_be_hit(visit: Visit, path: str) -> None:
    page = opened(visit, path)
    small = page.evaluate(
        """least => [...document.querySelectorAll(
            '[data-testid=stMain] :is(button, summary, [role=tab], [role=combobox], a[href])')]
            .filter(e => e.checkVisibility({visibilityProperty: true, opacityProperty: true}))
            .map(e => [e.getAttribute('aria-label') || e.innerText, e.getBoundingClientRect()])
            .filter(([, box]) => box.width && (box.width < least || box.height < least))
            .map(([name, box]) => `${name}: ${box.width} x ${box.height}`)""",
        TOO_SMALL - 0.01,
    )
    assert not small


def test_an_unusable_budget_is_reported_in_words(visit: Visit) -> None:
    page = opened(visit, "/")
    box = page.get_by_label("ε =", exact=True)
    box.fill("-3")
    box.press("Enter")
    stated = page.get_by_role("alert").get_by_text("Please enter a value between")
    stated.wait_for()
    words = stated.inner_text()
    assert "0.00001" in words
    assert "10000" in words
    shown = stated.bounding_box()
    assert shown["width"] > 50
    assert shown["height"] > 15


@pytest.mark.parametrize("width", [1400, 420])
def test_what_is_wrong_with_a_budget_can_be_read(visit: Visit, width: int) -> None:
    page = visit("/?sample=running-example", width=width)
    box = page.get_by_label("ε =", exact=True)
    box.fill("-3")
    box.press("Enter")
    stated = page.get_by_role("alert").get_by_text("Please enter a value between")
    stated.wait_for()
    hidden = stated.evaluate(
        """box => {
        const {left, right, top, bottom} = box.getBoundingClientRect();
        const corners = [[left + 6, top + 6], [right - 6, top + 6], [left + 6, bottom - 6]];
        return corners.filter(([x, y]) => document.elementFromPoint(x, y) !== box); }"""
    )
    assert not hidden
    at = stated.bounding_box()
    assert at["x"] >= 0
    assert at["x"] + at["width"] <= width
    assert at["y"] >= box.bounding_box()["y"] + box.bounding_box()["height"]


def test_a_new_result_is_announced_by_a_region_that_stays(visit: Visit) -> None:
    page = opened(visit, "/")
    region = page.locator('.st-key-announced [role="status"]')
    page.wait_for_function(
        "region => region.textContent.includes('ε = 1')", arg=region.element_handle()
    )
    kept = region.element_handle()
    box = page.get_by_label("ε =", exact=True)
    box.fill("0.5")
    box.press("Enter")
    page.wait_for_function("region => region.textContent.includes('ε = 0.5')", arg=kept)
    assert kept.evaluate("region => region.isConnected && region.ariaLive === 'polite'")


@pytest.mark.parametrize("size", [(420, 900), (768, 1024)], ids=["phone", "tablet"])
@pytest.mark.parametrize("path", ["/", "/zoom", "/decide"])
def test_the_first_map_is_near_the_top(visit: Visit, path: str, size: tuple[int, int]) -> None:
    width, height = size
    page = opened(visit, path, width=width, height=height)
    first = page.locator(".js-plotly-plot:has(.choroplethlayer)").first
    first.wait_for()
    top = first.evaluate(
        """map => map.getBoundingClientRect().top
            + document.querySelector('[data-testid=stMain]').scrollTop"""
    )
    assert top < 1.5 * height
    wait_until_it_fits(page)


@pytest.mark.parametrize("path", ["/", "/zoom", "/inside", "/privacy"])
def test_tables_show_all_of_their_columns(visit: Visit, path: str) -> None:
    page = opened(visit, path)
    cut_off = page.evaluate(
        """() => [...document.querySelectorAll('[data-testid=stDataFrame] .dvn-scroller')]
            .filter(e => e.clientWidth && e.scrollWidth > e.clientWidth + 1)
            .map(e => `${e.scrollWidth} in ${e.clientWidth}`)"""
    )
    assert not cut_off
