"""A page of the app without a browser: opened, waited for, read and pressed."""

import ast
import json
import time
from collections.abc import Callable, Container, Iterator
from concurrent.futures import Future, wait
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from pages.ui.shell.jobs import Job

ROOT = Path(__file__).resolve().parents[2]
LOOK = 1.0  # seconds after which a page is run although its work goes on, which must then be stated

Opener = Callable[..., AppTest]

# Every AppTest would read the metadata of all installed packages again, a third of its time.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def open_page(script: str = "app.py", **query: str) -> AppTest:
    """Return a page opened at an address: `open_page("app.py", sample="us-population")`."""
    test = AppTest.from_file(str(ROOT / script), default_timeout=60)
    for name, value in query.items():
        test.query_params[name] = value
    return test.run()


def direct_widgets(
    source: str, names: Container[str]
) -> Iterator[tuple[ast.Call, dict[str | None, str]]]:
    """Yield the calls of Streamlit's own widgets that have a key, with their keyword arguments."""
    for call in ast.walk(ast.parse(source)):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        words = {word.arg: ast.unparse(word.value) for word in call.keywords}
        own = ast.unparse(call.func.value) != "widgets"
        if own and call.func.attr in names and "key" in words:
            yield call, words


def lines_in_pages(check: Callable[[str], list[int]]) -> dict[str, list[int]]:
    """Return the lines that a check of source code finds in the pages, by file."""
    return {
        str(path.relative_to(ROOT)): lines
        for path in sorted((ROOT / "pages").rglob("*.py"))
        if (lines := check(path.read_text(encoding="utf-8")))
    }


def stop_work(test: AppTest) -> None:
    """Stop whatever goes on beside a page that nobody will look at again."""
    for job in jobs_of(test):
        job.stop()


def healthy(test: AppTest) -> AppTest:
    """Return a page that shows neither an exception nor an error."""
    assert not test.error, test.error
    return unbroken(test)


def unbroken(test: AppTest) -> AppTest:
    """Return a page that raised no exception; it may show an error in words."""
    assert not test.exception, test.exception
    return test


def texts(test: AppTest, *more: str) -> str:
    """Return the paragraphs and captions of a page, and `more` kinds of elements after them."""
    kinds = ("markdown", "caption", *more)
    parts = [part for kind in kinds for part in getattr(test, kind)]
    return "\n".join(str(part.value) for part in parts)


def charts(test: AppTest) -> list[dict[str, Any]]:
    """Return the figure of each chart."""
    return [json.loads(chart.proto.spec) for chart in test.get("plotly_chart")]


def charts_of(test: AppTest, kind: str) -> list[dict[str, Any]]:
    """Return the figures that have a trace of a kind, such as "choropleth"."""
    return [c for c in charts(test) if any(t["type"] == kind for t in c["data"])]


def maps(test: AppTest) -> list[dict[str, Any]]:
    """Return the figures that are maps of areas."""
    return charts_of(test, "choropleth")


def address(test: AppTest) -> dict[str, str]:
    """Return the parameters of a page's address."""
    values = test.query_params.items()
    return {name: v if isinstance(v, str) else v[0] for name, v in values}


def press(test: AppTest, label: str) -> AppTest:
    """Return the page after a press of the one button with this label."""
    (button,) = [b for b in test.button if b.label == label]
    return button.click().run()


def press_first(test: AppTest, beginning: str) -> AppTest:
    """Return the page after a press of the first button whose label begins so."""
    return next(b for b in test.button if b.label.startswith(beginning)).click().run()


def until(test: AppTest, done: Callable[[AppTest], object], seconds: float = 120) -> AppTest:
    """Return the page, run again until it is as wanted: when its work ends, or to look at it."""
    end = time.monotonic() + seconds
    while not done(test):
        assert time.monotonic() < end, f"the page did not get there within {seconds} s"
        wait(under_way(test), timeout=LOOK)
        test.run()
    return test


def under_way(test: AppTest) -> list[Future[Any]]:
    """Return what a page has begun and not ended beside itself."""
    futures = [job._future for job in jobs_of(test)]
    return [future for future in futures if future is not None and not future.done()]


def jobs_of(test: AppTest) -> list[Job[Any]]:
    """Return the jobs of a page's session."""
    return [value for value in test.session_state.values() if isinstance(value, Job)]


def settled(test: AppTest) -> AppTest:
    """Return the page once nothing that could be cancelled goes on."""
    return until(test, lambda page: not any(b.label in ("Cancel", "Stop") for b in page.button))


def searched(test: AppTest, label: str) -> AppTest:
    """Return the page once the search that a button starts has ended."""
    (button,) = [b for b in test.button if b.label == label]
    if button.disabled:  # the same search has ended before
        return test
    return healthy(settled(press(test, label)))
