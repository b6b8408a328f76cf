"""The app beside this folder, run without a browser."""

import sys
from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest
from support.pages import ROOT, open_page, stop_work

sys.path.insert(0, str(ROOT))  # as `streamlit run app.py` does


@pytest.fixture
def open_app() -> Iterator[Callable[..., AppTest]]:
    """Open a script at an address: `open_app("app.py", sample="us-population")`.

    What a page still works on at the end of a test is stopped.
    """
    pages: list[AppTest] = []

    def opened(script: str = "app.py", **query: str) -> AppTest:
        pages.append(open_page(script, **query))
        return pages[-1]

    yield opened
    for page in pages:
        stop_work(page)
