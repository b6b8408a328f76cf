"""What a browser makes of the door's headers, and of a visitor's hostile names."""

from collections.abc import Callable
from typing import Any

import pytest

import app

pytestmark = pytest.mark.nightly  # every page once more, under its policy

NAME = "![i](/leak.png) <img src=/leak.png> $x$ :material/home: https://example.org **b**"
TABLE = f'nation,region,people\n"{NAME}",r1,120\n"{NAME}","[{NAME}]",80\n'
LIVE = """() => [...document.querySelectorAll('[data-testid=stMain] img, .katex')].length
  + document.querySelectorAll('[data-testid=stMain] a:not([href^="#"])').length"""


@pytest.mark.parametrize("path", [page.path for page in app.PAGES])
def test_a_page_needs_nothing_that_its_policy_forbids(visit: Callable[..., Any], path: str) -> None:
    page = visit("/_stcore/health", policy=True)
    refused: list[str] = []
    page.on("console", lambda m: refused.append(m.text) if "Content Security" in m.text else None)
    page.goto(page.url.replace("_stcore/health", path))
    page.locator("h1").first.wait_for()
    page.wait_for_timeout(3_000)
    assert refused == []


def test_names_of_a_file_are_text_in_a_browser(visit: Callable[..., Any], tmp_path: Any) -> None:
    file = tmp_path / "own.csv"
    file.write_text(TABLE)
    page = visit("/data", policy=True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_text("Public: anyone may see them").click()
    page.locator("input[type=file]").first.set_input_files([str(file)])
    page.get_by_role("button", name="Use these data in Overview").click()
    page.get_by_text("![i](/leak.png)", exact=False).first.wait_for()
    for link in ("Area profile", "How it works", "Impact on decisions", "Compare mechanisms"):
        page.get_by_role("link", name=link).first.click()
        page.locator("h1").filter(visible=True).first.wait_for()
        page.wait_for_timeout(4_000)
        assert page.evaluate(LIVE) == 0, link
    assert not [url for url in asked if "leak" in url or "example.org" in url]
