"""Presentation: a settings file is held against the data before anything follows it."""

import pytest
from streamlit.testing.v1 import AppTest
from support.pages import Opener, healthy, unbroken

from pages.ui.shell import address
from pages.ui.shell.areas import Area
from pages.ui.shell.session import Key

PAGE = "pages/presentation_page.py"
USUAL = 'sample = "running-example"\nmechanism = "pgsr-h-dp"\nepsilon = 1\n'


def with_settings(test: AppTest, text: str) -> AppTest:
    test.file_uploader[0].set_value(("settings.toml", text.encode(), "application/toml")).run()
    return next(b for b in test.button if b.label == "Use these settings").click().run()


@pytest.mark.parametrize(
    ("line", "fault"), [('quantity = "nope"', 'No quantity "nope"'), ("allocation = [1]", "needed")]
)
def test_a_settings_file_that_does_not_fit_is_told_and_not_followed(
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
