"""Presentation: a settings file is held against the data before anything follows it."""

import json
import re
import time
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from support.pages import Opener, healthy, unbroken

from hierdp_core.util.marks import truth_mark
from pages.ui.presentation import presentation_words, story
from pages.ui.presentation.address import STEPS
from pages.ui.shell import address, charts, datasets
from pages.ui.shell.areas import Area
from pages.ui.shell.session import Key

PAGE = "pages/presentation_page.py"
USUAL = 'sample = "running-example"\nmechanism = "pgsr-h-dp"\nepsilon = 1\n'


def with_settings(test: AppTest, text: str) -> AppTest:
    test.file_uploader[0].set_value(("settings.toml", text.encode(), "application/toml")).run()
    return next(b for b in test.button if b.label == "Use these settings").click().run()


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('quantity = "nope"', 'has no quantity "nope"'),
        ("allocation = [1]", "Give one for each level"),
    ],
)
def test_a_settings_file_that_does_not_fit_is_reported_and_not_followed(
    open_app: Opener, line: str, fault: str
) -> None:
    test = open_app(PAGE, sample="running-example")
    assert fault in unbroken(with_settings(test, USUAL + line)).error[0].value
    assert healthy(test.run()).title


@pytest.mark.slow
def test_settings_for_other_data_leave_the_pins_of_the_old_ones_behind(open_app: Opener) -> None:
    test = open_app(PAGE, sample="us-population", pin="state:48")
    assert test.session_state[Key.VIEW].pins == (Area(level="state", id="48"),)
    assert healthy(with_settings(test, USUAL)).title
    view: address.View = test.session_state[Key.VIEW]
    assert (view.settings.sample, view.settings.mechanism) == ("running-example", "pgsr-h-dp")
    assert view.pins == ()


def test_tables_have_titles_and_percentages(open_app: Opener) -> None:
    test = healthy(open_app(PAGE, sample="running-example", epsilon="0.1"))
    shown = [(table.value, json.loads(table.proto.columns)) for table in test.dataframe]
    for table, columns in shown:
        assert not table.isna().all().any()
        assert "Rel_error" not in {column.get("label") for column in columns.values()}
        for name in ("rel_error", "median relative error", "different outcome"):
            if name in table:
                assert columns[name]["type_config"]["format"] == "%.3g%%"
    assert any("rel_error" in table for table, _ in shown)
    assert any("median relative error" in table for table, _ in shown)
    assert "Posterior belief, at most (%)" in str(shown[-1][1])


@pytest.mark.slow
def test_a_step_is_made_once_for_going_back_and_forth(
    open_app: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[int, int]] = []  # steps, and from how many simulations

    def noted(k: int, view: Any, drawn: Any, explored: Any, *rest: Any) -> Any:
        made.append((k, explored.n))
        return step(k, view, drawn, explored, *rest)

    step = story.step
    monkeypatch.setattr(story, "step", noted)
    test = open_app(PAGE, sample="running-example", epsilon="0.83", draws="10")
    until = time.monotonic() + 20
    while (0, 10) not in made:
        assert time.monotonic() < until
        time.sleep(0.02)
        test.run()
    places = []
    for label in ("Next", "Next", "Back", "Back", "Next"):
        next(b for b in test.button if b.label == label).click().run()
        places += re.findall(
            rf"Step \d of {STEPS}", "\n".join(c.value for c in healthy(test).caption)
        )
    assert set(made) == {(k, n) for k in range(STEPS) for _, n in made}
    assert len(made) == len(set(made))
    assert places == [f"Step {step} of {STEPS}" for step in (2, 3, 2, 1, 2)]
    assert len({title.value for title in test.title}) == STEPS


@pytest.mark.parametrize("confidential", [False, True])
def test_every_picture_of_true_values_is_marked_and_says_if_they_are_confidential(
    open_app: Opener, monkeypatch: pytest.MonkeyPatch, confidential: bool
) -> None:
    """A picture is saved or copied without the foot of its slide."""
    shown: list[Any] = []
    monkeypatch.setattr(datasets, "is_confidential", lambda _: confidential)
    monkeypatch.setattr(charts, "show", lambda chart, **_: shown.append(chart))
    budget = "0.81" if confidential else "0.82"  # samples share a cache, own data do not
    healthy(open_app(PAGE, sample="running-example", epsilon=budget, draws="10"))
    assert len(shown) == STEPS
    marked = [
        truth_mark(confidential=confidential)
        in [note.text for note in chart.figure.layout.annotations]
        for chart in shown
    ]
    assert marked.count(False) == 1
    assert shown[marked.index(False)].title == "Prior and posterior belief"  # of no table


def test_without_a_relative_error_no_level_has_a_typical_one() -> None:
    none = {"areas": 2, "typical_rel": float("nan"), "mean_abs": 0.5}
    levels = [{"level": "country"} | none | {"areas": 1}, {"level": "town"} | none]
    title = presentation_words.zoom(levels)
    assert title == "No town has a true count above 0, so there is no relative error"
