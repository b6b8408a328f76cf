"""What a page in a browser is waited for: that its script is at rest, and that it fits."""

from typing import Any

AT_REST = '[data-testid="stApp"][data-test-script-state="notRunning"]'
FITS = """() => [...document.querySelectorAll('html, [data-testid=stMain]')]
    .every(e => e.scrollWidth <= e.clientWidth)"""


def wait_for_rest(page: Any) -> None:
    """Wait until the script of the page has run: what stands there now is all of it."""
    page.locator(AT_REST).wait_for()


def wait_until_it_fits(page: Any) -> None:
    """Wait until the page is at rest and nothing on it is wider than the screen."""
    wait_for_rest(page)
    page.wait_for_function(FITS)
