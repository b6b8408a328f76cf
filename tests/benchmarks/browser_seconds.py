"""Seconds that a visitor waits, measured in a real browser with nothing else running.

    .venv/bin/python tests/benchmarks/browser_seconds.py

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

SHOWN = ("svg.main-svg", "[data-testid=stTable]", "[data-testid=stDataFrame]")
PICTURE = ", ".join(f"{shown}:visible:not([data-old] *)" for shown in SHOWN)
MARK_OLD = """() => document.querySelectorAll('[data-testid=stElementContainer]')
    .forEach(element => element.setAttribute('data-old', ''))"""
COMPLETE = re.compile(r"^(\d+) of \1 simulated releases complete$")
BARS = {
    "command to first chart": 6.0,
    "page change to first picture": 1.0,
    "ε to headline": 0.5,
    "100 simulations of us-households": 3.0,
    "100 simulations of taxi": 20.0,
}


def seconds(work: Callable[[], None]) -> float:
    started = perf_counter()
    work()
    return perf_counter() - started


def report(what: str, found: float, bar: float) -> None:
    print(
        f"{what:<58} {found:6.2f} s, bar {bar:g} s{'' if found < bar else '  MISSED'}", flush=True
    )


def main() -> None:
    found = next(path for path in CHROMIUM if Path(path).exists())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        started = perf_counter()
        server = Serving()
        page = visited(browser, server, "/")
        page.locator(PICTURE).first.wait_for()
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
    links = page.locator("[data-testid=stSidebarNavLink], [data-testid=stTopNavLink]")
    for name in [link.inner_text().strip() for link in links.all()]:
        link = links.filter(has_text=re.compile(f"^{re.escape(name)}$"))

        def opened(link: Any = link) -> None:
            page.evaluate(MARK_OLD)
            link.click()
            page.locator(PICTURE).first.wait_for(timeout=10_000)

        if not link.is_visible() or name == "Overview":
            continue
        try:
            report(f"to {name}", seconds(opened), BARS["page change to first picture"])
        except TimeoutError:
            print(f"to {name}: it opens without a picture")
        page.wait_for_timeout(1500)
    for sample in ("us-households", "taxi"):
        bar = f"100 simulations of {sample}"
        one = visited(browser, server, f"/?sample={sample}&epsilon=0.7")
        one.get_by_text(COMPLETE).wait_for()
        most = int(COMPLETE.match(one.get_by_text(COMPLETE).inner_text()).group(1))
        box = one.get_by_label("ε =", exact=True)
        box.fill("0.3")

        def all_done(one: Any = one, box: Any = box) -> None:
            box.press("Enter")
            one.get_by_text(COMPLETE).wait_for(state="detached")
            one.get_by_text(COMPLETE).wait_for()

        report(f"{most} simulations of {sample}", seconds(all_done), BARS[bar])
        one.context.close()


if __name__ == "__main__":
    main()
