"""The joint fits and best estimates top-down on the pages, with each of their options."""

import pytest
from support.neighbours import each_option
from support.pages import Opener, charts, healthy

from hierdp_core.mechanisms import MECHANISMS

SAMPLES = {"counts": "us-population", "group-sizes": "running-example"}
IDS = ("coc-opt", "pgsr-c-opt", "blue-topdown", "blue-topdown-sizes")
PAGES = ("pages/overview_page.py", "pages/how_it_works_page.py", "pages/area_page.py")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("id", IDS)
def test_pages_open_with_them(open_app: Opener, page: str, id: str) -> None:
    sample = SAMPLES[MECHANISMS[id].kinds[0]]
    test = healthy(open_app(page, sample=sample, mechanism=id))
    assert not test.error
    assert charts(test)


@pytest.mark.slow
@pytest.mark.parametrize("id", ["coc-opt", "pgsr-c-opt"])
def test_explore_opens_with_every_option(open_app: Opener, id: str) -> None:
    for options in each_option(id, 2):
        query = {f"option.{name}": word for name, word in options.items()}
        test = healthy(open_app(PAGES[0], sample="running-example", mechanism=id, **query))
        assert charts(test)
