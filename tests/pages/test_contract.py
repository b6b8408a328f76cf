"""What every page promises by being in `app.PAGES`."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from support.own_data import own_data as parishes

import app
from hierdp_core.samples.sample import OWN
from hierdp_core.settings import Settings
from pages.ui.shell import terms
from pages.ui.shell.address import View
from pages.ui.shell.charts import table_note
from pages.ui.shell.datasets import Own
from pages.ui.shell.session import Key

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [page.script for page in app.PAGES]
SAMPLES = ("running-example", "us-population", "ri-commuting")  # one of each kind of table
SECRET = "Nowhere-on-Sea"

Opener = Callable[..., AppTest]


def healthy(test: AppTest) -> AppTest:
    assert not test.exception
    assert not test.error
    assert test.title[0].value
    return test


def texts(test: AppTest) -> str:
    parts = [*test.title, *test.markdown, *test.caption, *test.code, *test.table, *test.dataframe]
    return "\n".join(str(part.value) for part in parts)


def accessible(test: AppTest) -> AppTest:
    """A page with headings in order, and charts whose numbers are in a table or caption of it."""
    depths = [1, *(len(line) - len(line.lstrip("#")) for line in headings(test))]
    assert all(after <= before + 1 for before, after in pairwise(depths)), headings(test)
    labels = [part.label for part in (*test.expander, *test.tabs)]
    labels += [str(caption.value) for caption in test.caption]
    labels += [line.lstrip("# ") for line in headings(test)]
    captions = [str(caption.value).rstrip(".") for caption in test.caption]
    for chart in test.get("plotly_chart"):
        alt = chart.proto.alt
        in_caption = any(alt.endswith(f" {caption}.") for caption in captions)
        assert in_caption or any(alt.endswith(table_note(label)) for label in labels), alt
    return test


def headings(test: AppTest) -> list[str]:
    """Headings below the title, as written."""
    return [str(m.value) for m in test.markdown if str(m.value).startswith("#")]


def assert_terms_are_explained_once(test: AppTest) -> None:
    """Each glossary term in a text of the page has its meaning in one tooltip below the page."""
    texts = [str(part.value) for part in (*test.title, *test.markdown, *test.caption)]
    below = texts.index(terms.LEAD, len(test.title) + len(test.markdown))
    meanings = [caption.proto.help for caption in test.caption if caption.proto.help]
    expected = [term.meaning for term in terms.used(texts[:below])]
    assert expected
    assert all(meanings.count(meaning) == 1 for meaning in expected), (expected, meanings)


def own_data() -> Own:
    return parishes([40, 17, 230], confidential=True, names={"all": SECRET, "a1": SECRET})


def with_own_data(script: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / script), default_timeout=60)
    test.session_state[Key.OWN] = own_data()
    settings = Settings(sample=OWN, mechanism="tree-dp")
    test.session_state[Key.VIEW] = View(settings=settings, by_link=True)
    return test.run()


def test_every_script_is_a_page_of_the_app() -> None:
    more = (app.RELEASE, app.PACKAGE, app.RESULT)
    assert sorted([*SCRIPTS, *(page.script for page in more)]) == sorted(
        f"pages/{p.name}" for p in ROOT.glob("pages/*_page.py")
    )
    assert len({page.path for page in app.PAGES}) == len(app.PAGES)


@pytest.mark.parametrize("script", SCRIPTS)
def test_it_opens_alone_without_a_word_and_warns_of_nothing(open_app: Opener, script: str) -> None:
    test = healthy(open_app(script))
    assert not any("link" in str(w.value) for w in test.warning)
    assert_terms_are_explained_once(test)


@pytest.mark.slow
def test_every_page_is_reached_through_the_app_in_one_session(open_app: Opener) -> None:
    test = healthy(open_app("app.py", sample="running-example"))
    for script in SCRIPTS:
        healthy(test.switch_page(script).run())


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_it_opens_with_a_table_of_each_kind(open_app: Opener, script: str, sample: str) -> None:
    test = AppTest.from_file(str(ROOT / script), default_timeout=60)
    kind = {"running-example": "pgsr-c-dp", "us-population": "tree-dp", "ri-commuting": "inftda"}
    settings = Settings(sample=sample, mechanism=kind[sample])
    test.session_state[Key.VIEW] = View(settings=settings, by_link=True)
    accessible(healthy(test.run()))


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_bad_link_gives_a_message_once_and_the_usual_view(open_app: Opener, script: str) -> None:
    test = healthy(open_app(script, nonsense="1"))
    (warning,) = [w for w in test.warning if "not used" in str(w.value)]
    assert "nonsense" in str(warning.value)
    healthy(test.run())
    assert not any("not used" in str(w.value) for w in test.warning)


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_own_data_stay_in_their_session_and_out_of_the_address(
    open_app: Opener, script: str
) -> None:
    test = healthy(with_own_data(script))
    address = {name: str(value) for name, value in test.query_params.items()}
    assert not any(OWN in value or SECRET in value for value in address.values())
    other = healthy(open_app(script, sample="running-example"))
    assert SECRET not in texts(other)
    assert not any(OWN in box.options for box in other.selectbox)


@pytest.mark.slow
def test_the_link_of_one_page_leaves_no_warning_on_another(open_app: Opener) -> None:
    test = healthy(open_app("pages/lessons_page.py", lesson=app_lesson(), number="3"))
    assert not test.warning
    through = open_app("app.py")
    through.switch_page("pages/lessons_page.py").run()
    healthy(through.switch_page("pages/overview_page.py").run())
    assert not any("link" in str(w.value) for w in through.warning)


def app_lesson() -> str:
    from hierdp_core.lessons import LESSONS

    return LESSONS[1].id
