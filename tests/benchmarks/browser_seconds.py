"""Seconds that a visitor waits, measured in a real browser with nothing else running.

    .venv/bin/python tests/benchmarks/browser_seconds.py
    .venv/bin/python tests/benchmarks/browser_seconds.py --quick    # without taxi

Needs Chromium and the extra `browser`.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from browser.conftest import ARGUMENTS, CHROMIUM, Serving
from playwright.sync_api import TimeoutError, sync_playwright

SHOWN = "svg.main-svg, [data-testid=stTable], [data-testid=stDataFrame]"
# Containers of a page are used again by the next one, its pictures are not. A page that is left may
# still draw some, so the heading must be another one too.
# Slides of a presentation are all there, and one is visible.
VISIBLE = """const visible = what => [...document.querySelectorAll(what)].filter(
        element => element.checkVisibility({visibilityProperty: true}));"""
MARK_OLD = f"""shown => {{
    {VISIBLE}
    window.old = new Set(visible(shown));
    window.heading = visible('h1')[0]?.innerText; }}"""
NEW_PICTURE = f"""shown => {{
    {VISIBLE}
    return visible('h1')[0]?.innerText !== window.heading
        && visible(shown).some(picture => !window.old.has(picture)); }}"""
COMPLETE = re.compile(r"^(\d+) of \1 simulated releases complete$")
BARS = {
    "command to first chart": 6.0,
    "page change to first picture": 1.0,
    "ε to headline": 0.5,
    "100 simulations of us-households": 3.0,
    "100 simulations of taxi": 20.0,
    "Impact, all simulations": 8.0,
    "Compare, complete": 20.0,
    "presentation step": 0.3,
}
# Direct links, at budgets that no page before has used.
IMPACT, COMPARE = "/decide?sample=us-households&epsilon=0.6", "/compare?sample=us-households&seed=1"
PRESENTATION = "/present?sample=us-households&epsilon=0.6"
SIMULATING = "[data-testid=stProgress]"
STEPS = 5


def seconds(work: Callable[[], None]) -> float:
    started = perf_counter()
    work()
    return perf_counter() - started


def report(what: str, found: float, bar: float | None = None) -> None:
    judged = "" if bar is None else f", bar {bar:g} s{'' if found < bar else '  MISSED'}"
    print(f"{what:<58} {found:6.2f} s{judged}", flush=True)


def main() -> None:
    found = next(path for path in CHROMIUM if Path(path).exists())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        browser.new_page().wait_for_timeout(2_000)  # a browser that is open, and idle
        started = perf_counter()
        server = Serving()
        page = visited(browser, server, "/")
        page.locator(SHOWN).locator("visible=true").first.wait_for()
        report("command to first chart", perf_counter() - started, BARS["command to first chart"])
        try:
            measure(browser, server, page)
        finally:
            server.stop()
            browser.close()


def visited(browser: Any, server: Serving, path: str) -> Any:
    context = browser.new_context(viewport={"width": 1400, "height": 1000}, bypass_csp=True)
    context.add_cookies([server.cookie])
    page = context.new_page()
    page.set_default_timeout(300_000)
    page.goto(server.base + path)
    return page


def measure(browser: Any, server: Serving, page: Any) -> None:
    page.get_by_text(COMPLETE).wait_for()
    headlines(page)
    page_changes(page)
    for sample in ("us-households",) if "--quick" in sys.argv else ("us-households", "taxi"):
        simulations(browser, server, sample)
    all_at_once(browser, server, IMPACT, "Impact, all simulations", epsilon="0.35")
    all_at_once(browser, server, COMPARE, "Compare, complete")
    steps(browser, server)


def headlines(page: Any) -> None:
    for epsilon in ("0.5", "0.2", "2"):
        before = page.locator("h1").inner_text()
        box = page.get_by_label("ε =", exact=True)
        box.fill(epsilon)

        def changed(before: str = before, box: Any = box) -> None:
            box.press("Enter")
            page.wait_for_function(
                "before => document.querySelector('h1')?.innerText !== before", arg=before
            )

        report(f"ε = {epsilon} to headline", seconds(changed), BARS["ε to headline"])
        page.get_by_text(COMPLETE).wait_for()


def page_changes(page: Any) -> None:
    links = page.locator("[data-testid=stSidebarNavLink], [data-testid=stTopNavLink]")
    for name in [link.inner_text().strip() for link in links.all()]:
        link = links.filter(has_text=re.compile(f"^{re.escape(name)}$"))

        def opened(link: Any = link) -> None:
            page.evaluate(MARK_OLD, SHOWN)
            link.click()
            page.wait_for_function(NEW_PICTURE, arg=SHOWN, timeout=5_000)

        if not link.is_visible() or name == "Overview":
            continue
        try:
            report(f"to {name}", seconds(opened), BARS["page change to first picture"])
        except TimeoutError:
            print(f"to {name}: it opens without a picture")
        page.wait_for_timeout(1500)


def simulations(browser: Any, server: Serving, sample: str) -> None:
    one = visited(browser, server, f"/?sample={sample}&epsilon=0.7")
    one.get_by_text(COMPLETE).wait_for()
    most = int(COMPLETE.match(one.get_by_text(COMPLETE).inner_text()).group(1))
    box = one.get_by_label("ε =", exact=True)
    box.fill("0.3")

    def all_done() -> None:
        box.press("Enter")
        one.get_by_text(COMPLETE).wait_for(state="detached")
        one.get_by_text(COMPLETE).wait_for()

    found = seconds(all_done)
    report(f"{most} simulations of {sample}", found, BARS[f"{most} simulations of {sample}"])
    one.context.close()


def all_at_once(
    browser: Any, server: Serving, path: str, what: str, *, epsilon: str | None = None
) -> None:
    """From a direct link, which also loads the app, until every simulation is on the page.

    With an ε, the bar is for the time from entering it. Without one, it is for the direct link.
    """
    started = perf_counter()
    page = visited(browser, server, path)
    page.locator(SHOWN).locator("visible=true").first.wait_for()
    report(f"{what.partition(',')[0]}, first picture after a direct link", perf_counter() - started)
    simulated(page)
    report(
        f"{what}, after a direct link",
        perf_counter() - started,
        BARS[what] if epsilon is None else None,
    )
    if epsilon is not None:
        box = page.get_by_label("ε =", exact=True)
        box.fill(epsilon)

        def entered() -> None:
            box.press("Enter")
            simulated(page)

        report(f"{what}, after entering ε", seconds(entered), BARS[what])
    page.context.close()


def simulated(page: Any) -> None:
    page.locator(SIMULATING).first.wait_for()
    page.locator(SIMULATING).first.wait_for(state="detached")


def steps(browser: Any, server: Serving) -> None:
    """From a key to the picture of each step of a presentation, there and back."""
    page = visited(browser, server, PRESENTATION)
    simulated(page)
    page.wait_for_timeout(1500)
    for direction, numbers in (("Right", range(2, STEPS + 1)), ("Left", range(STEPS - 1, 0, -1))):
        for number in numbers:

            def pressed(direction: str = direction) -> None:
                page.evaluate(MARK_OLD, SHOWN)
                page.keyboard.press(f"Arrow{direction}")
                page.wait_for_function(NEW_PICTURE, arg=SHOWN, timeout=10_000)

            found = seconds(pressed)
            report(f"{direction} to step {number}", found, BARS["presentation step"])
            page.wait_for_timeout(1000)
    page.context.close()


if __name__ == "__main__":
    main()
