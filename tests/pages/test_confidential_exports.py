"""What can be taken away of a visitor's data says what it is: every file of every page."""

import base64
import io
import json
import re
import zipfile
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from support.own_data import own_data
from support.pages import ROOT, charts, healthy

import hierdp_core as hdp
from hierdp_core.figures.style import marked
from hierdp_core.planning import BudgetPlan, find_budget
from hierdp_core.samples.sample import OWN
from hierdp_core.settings import Settings
from hierdp_core.util.marks import CONFIDENTIAL, CONTAINS_TRUTH, truth_mark
from hierdp_core.util.text import capital
from hierdp_core.writers.report import Section, report
from hierdp_core.writers.takeaway import package
from pages.ui.budget import work
from pages.ui.budget.address import BudgetAddress
from pages.ui.impact.address import ImpactAddress
from pages.ui.shell import cache, words
from pages.ui.shell import own_data as life
from pages.ui.shell.address import View
from pages.ui.shell.datasets import Own
from pages.ui.shell.session import Key

EXPLORE, DECIDE = "pages/overview_page.py", "pages/impact_page.py"
COMPARE, PLAN = "pages/compare_page.py", "pages/budget_page.py"
PRIVACY = "pages/privacy_page.py"
LOCKED = {words.CONFIDENTIAL, words.CONFIDENTIAL_FILES, words.CONFIDENTIAL_SIMULATION}

COUNTS = (400, 170, 2300)

Files = dict[str, tuple[Any, str]]


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Files:
    """All that pages offer to take away: by label, the content and what the button says."""
    offered: Files = {}

    def button(label: str, data: Any = None, **how: Any) -> bool:
        offered[f"{label} {how.get('key', '')}"] = data, how.get("help") or ""
        return False

    monkeypatch.setattr(st, "download_button", button)
    return offered


def opened(script: str, own: Own) -> AppTest:
    """A page after one run. A test cannot run a page again with data of one's own chosen."""
    test = AppTest.from_file(str(ROOT / script), default_timeout=60)
    view = View(settings=Settings(sample=OWN, mechanism="tree-dp"), n_simulations=10)
    test.session_state[Key.OWN] = own
    test.session_state[Key.VIEW] = view.having(ImpactAddress(n_simulations=10)).having(
        BudgetAddress(synthetic=False)
    )
    return healthy(test.run())


@pytest.fixture(scope="module")
def answer() -> BudgetPlan:
    table = own_data(COUNTS, confidential=True).sample.table
    return find_budget(table, "tree-dp", ["parish=50%:9"], allocation=(1, 1, 1), n_simulations=60)


@pytest.fixture
def found_at_once(monkeypatch: pytest.MonkeyPatch, answer: BudgetPlan) -> None:
    """Plan has its answer when it opens."""
    monkeypatch.setattr(work, "answer", lambda view: answer)


def text_of(content: Any) -> str:
    """What a file says, with what is packed in it."""
    made = content() if callable(content) else content
    if isinstance(made, str):
        return made
    if made[:2] == b"PK":
        packed = zipfile.ZipFile(io.BytesIO(made))
        return packed.read("READ-ME.txt").decode()
    return bytes(made).decode()


def shown(test: AppTest) -> set[str]:
    return {str(part.value) for part in [*test.caption, *test.warning]}


# How many files a page offers at least, and which of them hold no true value.
OFFERS = {EXPLORE: 2, DECIDE: 2, COMPARE: 8, PLAN: 1}


@pytest.mark.slow
@pytest.mark.usefixtures("found_at_once")
@pytest.mark.parametrize("script", OFFERS)
@pytest.mark.parametrize("confidential", [True, False])
def test_every_file_of_confidential_data_states_it_and_so_does_its_button(
    files: Files, script: str, confidential: bool
) -> None:
    test = opened(script, own_data(COUNTS, confidential=confidential))
    assert len(files) >= OFFERS[script]
    assert bool(shown(test) & LOCKED) == confidential
    notebook, _ = files.pop("Open as notebook open-as-notebook")
    assert not re.search("400|170|2300", notebook)  # settings, and no count
    for name, (content, stated) in files.items():
        # Made when somebody asks for it: what is handed over lies in the server's memory.
        assert callable(content), name
        text = text_of(content)
        assert "not for publication" in text, name
        assert (CONFIDENTIAL in text or capital(CONFIDENTIAL) in text) == confidential, name
        if "HTML" not in name and script != EXPLORE and "all simulations" not in name:
            assert (CONFIDENTIAL in stated) == confidential, name


@pytest.mark.parametrize("confidential", [True, False])
def test_the_label_of_confidential_data_states_it(files: Files, confidential: bool) -> None:
    test = opened(PRIVACY, own_data(COUNTS, confidential=confidential))
    (label,) = [one for name, one in files.items() if "label" in name]
    shown = " ".join(part.proto.body for part in test.get("html"))
    for text in (text_of(label[0]), shown):
        assert "shows simulations" in text
        assert (capital(CONFIDENTIAL) in text) == confidential
    assert (label[1] == words.CONFIDENTIAL) == confidential


@pytest.mark.slow
@pytest.mark.parametrize("script", [DECIDE, COMPARE])
def test_pictures_of_confidential_data_say_so(files: Files, script: str) -> None:
    test = opened(script, own_data(COUNTS, confidential=True))
    stated = [note["text"] for c in charts(test) for note in c["layout"].get("annotations", ())]
    marks = [text for text in stated if CONTAINS_TRUTH in text]
    assert marks
    assert set(marks) == {truth_mark(confidential=True)}


@pytest.mark.slow
@pytest.mark.usefixtures("found_at_once")
def test_a_plan_for_data_of_ones_own_has_no_link(files: Files) -> None:
    test = opened(PLAN, own_data(COUNTS, confidential=True))
    assert any("No link is available" in str(part.value) for part in test.markdown)
    assert not any(OWN in str(part.value) for part in test.code)


class Held:
    """A job on its way, with the table in it."""

    def __init__(self) -> None:
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True


def test_forgetting_ends_the_jobs_and_keeps_nothing_that_holds_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own, jobs = own_data(COUNTS, confidential=True), [Held() for _ in range(4)]
    session: dict[str, Any] = {Key.OWN: own}
    session |= {f"{Key.JOB}{page}": job for page, job in enumerate(jobs)}
    session[Key.LEARN_DONE] = {"a lesson": 1}
    monkeypatch.setattr(st, "session_state", session)
    monkeypatch.setattr(cache, "forget", lambda: None)  # it needs a page that runs
    life.forget()
    assert all(job.stopped for job in jobs)
    assert session == {Key.LEARN_DONE: {"a lesson": 1}}


def test_a_report_of_confidential_data_states_it_in_text_table_and_picture() -> None:
    section = Section(
        title="Error",
        figure=marked(go.Figure(), CONTAINS_TRUTH),
        table=pd.DataFrame({"mean": [1.0]}),
    )
    html = report("A title", [section], confidential=True)
    assert html.count(f"{truth_mark(confidential=True).capitalize()}.") == 2
    (csv,) = re.findall(r'href="data:text/csv;base64,([^"]+)"', html)
    rows = pd.read_csv(io.StringIO(base64.b64decode(csv).decode()))
    assert rows["note"].tolist() == [truth_mark(confidential=True)]
    (figure,) = re.findall(r'id="figure-0-data">(.*?)</script>', html)
    notes = json.loads(figure)["layout"]["annotations"]
    assert [note["text"] for note in notes] == [truth_mark(confidential=True)]
    # The section itself is drawn on screens as well, and stays as it was.
    assert section.figure is not None
    assert section.figure.layout.annotations[0].text == CONTAINS_TRUTH


def test_a_released_table_of_confidential_data_states_it_in_note_and_statement() -> None:
    own = own_data(COUNTS, confidential=True)
    settings = Settings(sample=OWN, mechanism="tree-dp")
    drawn = hdp.simulate(own.sample.table, settings.plan(own.sample.table))
    for confidential in (True, False):
        packed = zipfile.ZipFile(
            io.BytesIO(
                package(drawn, settings, formats=["csv"], own=True, confidential=confidential)
            )
        )
        for name, mark in (
            ("READ-ME.txt", capital(CONFIDENTIAL)),
            ("statement.json", CONFIDENTIAL),
        ):
            assert (mark in packed.read(name).decode()) == confidential
