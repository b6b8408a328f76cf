"""Values that widgets start with reach the browser, even where a first run was cut short."""

from time import monotonic

import pytest
from streamlit.testing.v1 import AppTest
from support.pages import Opener, healthy

from pages.ui.shell import session
from pages.ui.shell.session import Key

SMALL = {"sample": "running-example", "epsilon": "0.5", "draws": "10"}


def said(test: AppTest) -> tuple[bool, bool, bool]:
    """Whether the browser is told the values of the slider, the box and the mechanism."""
    return (
        test.select_slider(key=Key.SIZE).proto.set_value,
        test.number_input(key=Key.SIZE_BOX).proto.set_value,
        test.selectbox(key=Key.MECHANISM).proto.set_value,
    )


def test_a_run_right_after_another_says_the_values_again(open_app: Opener) -> None:
    test = healthy(open_app(**SMALL))
    assert said(test) == (True, True, True)
    assert said(healthy(test.run())) == (True, True, True)
    assert test.number_input(key=Key.SIZE_BOX).value == 0.5


def test_a_run_that_was_cut_short_counts_as_unseen(open_app: Opener) -> None:
    test = healthy(open_app(**SMALL))
    del test.session_state[Key.DONE]  # as where the end of the page was not reached
    assert said(healthy(test.run())) == (True, True, True)


def test_values_that_have_arrived_are_the_browsers(
    open_app: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = healthy(open_app(**SMALL))
    monkeypatch.setattr(session, "monotonic", lambda: monotonic() + 60)
    assert said(healthy(test.run())) == (False, False, False)
