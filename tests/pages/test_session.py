"""Seeded values of widgets, which the browser may miss when one run follows another at once."""

from time import monotonic

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shell.session import Key


def page() -> None:
    import streamlit as st

    from pages.ui.shell import session

    session.begin()
    st.number_input("n", key=session.seeded("w-n", 5))
    if not st.session_state.get("cut short"):
        session.end()


def sent_again(test: AppTest) -> bool:
    """Whether the last run sent the value of the widget, and not the widget alone."""
    assert test.number_input[0].value == 5
    return bool(test.number_input[0].proto.set_value)


@pytest.mark.parametrize("seconds", [0.1, 5.0])
def test_a_seeded_value_is_sent_until_the_browser_has_it(seconds: float) -> None:
    test = AppTest.from_function(page).run()
    assert sent_again(test)
    test.session_state[Key.DONE] = monotonic() - seconds
    assert sent_again(test.run())
    test.session_state[Key.DONE] = monotonic() - 60
    assert not sent_again(test.run())


def test_it_is_sent_again_after_a_run_that_was_cut_short() -> None:
    test = AppTest.from_function(page).run()
    test.session_state[Key.DONE] = monotonic() - 60
    test.session_state["cut short"] = True
    assert not sent_again(test.run())
    assert sent_again(test.run())
