"""A visitor's own data: on every page in their session, and nowhere else."""

import pytest
from streamlit.testing.v1 import AppTest
from support.own_data import own_data
from support.pages import ROOT

from hierdp_core.samples.sample import OWN
from hierdp_core.settings import Settings
from pages.ui.how_it_works.address import stepping
from pages.ui.shell.address import View
from pages.ui.shell.datasets import Own
from pages.ui.shell.session import Key

PAGES = (
    "pages/overview_page.py",
    "pages/area_page.py",
    "pages/how_it_works_page.py",
    "pages/impact_page.py",
)
SECRET = "Nowhere-on-Sea"


def named_data() -> Own:
    return own_data((40, 17, 230), confidential=True, names={"a1": SECRET})


def with_own(script: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / script), default_timeout=60)
    view = View(settings=Settings(sample=OWN, mechanism="tree-dp"))
    test.session_state[Key.OWN] = named_data()
    test.session_state[Key.VIEW] = stepping(view, paper=False)
    return test.run()


@pytest.mark.parametrize("script", PAGES)
def test_own_data_are_on_every_page_and_not_in_the_address(script: str) -> None:
    test = with_own(script)
    assert not test.exception
    assert not test.error
    assert OWN in [box.value for box in test.selectbox]
    address = {name: str(value) for name, value in test.query_params.items()}
    assert not any(OWN in value or SECRET in value for value in address.values())
    assert "sample" not in address


@pytest.mark.slow
@pytest.mark.parametrize("script", PAGES)
def test_another_session_sees_nothing_of_them(open_app, script: str) -> None:
    with_own(script)
    other = open_app(script)
    assert not other.exception
    assert not any(OWN in box.options for box in other.selectbox)
    linked = open_app(script, sample=OWN)
    assert not linked.exception
    assert any("not in this session" in str(w.value) for w in linked.warning)


@pytest.mark.slow
def test_two_visitors_with_the_same_view_see_their_own() -> None:
    first = with_own(PAGES[0])
    second = with_own(PAGES[0])
    tickets = {t.session_state[Key.OWN].ticket for t in (first, second)}
    assert len(tickets) == 2


@pytest.mark.slow
def test_the_stages_of_one_visitor_are_not_shown_to_another() -> None:
    def stages(counts: tuple[int, int, int]) -> str:
        test = AppTest.from_file(str(ROOT / "pages/how_it_works_page.py"), default_timeout=60)
        view = View(settings=Settings(sample=OWN, mechanism="tree-dp"))
        test.session_state[Key.OWN] = own_data(counts, confidential=False)
        test.session_state[Key.VIEW] = stepping(view, paper=False, tab="stages")
        test.run()
        assert not test.exception
        assert not test.error
        return "\n".join(str(table.value) for table in test.dataframe)

    first, second = stages((40, 17, 230)), stages((4_000, 1_700, 23_000))
    assert first
    assert first != second
