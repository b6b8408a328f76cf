"""A value that the program gives to a widget, and what a browser says of the widget meanwhile."""

from typing import Any

import pytest
from support.pages import direct_widgets, lines_in_pages

from pages.ui.shell import session
from pages.ui.shell.session import Key

VALUES = {
    "checkbox", "color_picker", "date_input", "feedback", "multiselect", "number_input", "pills",
    "radio", "segmented_control", "select_slider", "selectbox", "slider", "text_area",
    "text_input", "time_input", "toggle",
}  # fmt: skip


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The state of a session in a browser."""
    state: dict[str, Any] = {}
    monkeypatch.setattr(session.st, "session_state", state)
    monkeypatch.setattr(session, "in_browser", lambda: True)
    return state


def reported(kept: dict[str, Any], widget: str, value: object) -> None:
    """What Streamlit does with the value of a widget in a message of the browser."""
    kept[widget] = value


def test_an_old_report_does_not_undo_a_change_of_the_program(kept: dict[str, Any]) -> None:
    shown = session.identity(session.seeded(Key.SIZE_BOX, 1.0))
    session.put(Key.SIZE_BOX, 0.1)
    reported(kept, shown, 1.0)
    assert session.get(Key.SIZE_BOX) == 0.1
    assert session.identity(Key.SIZE_BOX) != shown


def test_nor_does_it_where_all_widgets_start_anew(kept: dict[str, Any]) -> None:
    shown = session.identity(session.seeded(Key.SIZE_BOX, 1.0))
    session.forget_widgets()
    assert session.get(Key.SIZE_BOX) is None
    reported(kept, shown, 1.0)
    session.seeded(Key.SIZE_BOX, 0.1)
    assert session.get(Key.SIZE_BOX) == 0.1
    session.forget_widgets()  # also what was reported on the widget before
    assert session.get(Key.SIZE_BOX) is None


def test_what_a_person_chose_keeps_the_widget(kept: dict[str, Any]) -> None:
    shown = session.identity(session.seeded(Key.SIZE_BOX, 1.0))
    reported(kept, shown, 0.5)
    assert session.get(Key.SIZE_BOX) == 0.5
    session.put(Key.SIZE_BOX, 0.5)
    assert session.identity(Key.SIZE_BOX) == shown


def test_values_that_no_widget_shows_keep_their_key(kept: dict[str, Any]) -> None:
    session.put(Key.PAGE, "Overview")
    session.put(Key.PAGE, "Lessons")
    session.forget(Key.PAGE)
    assert session.identity(Key.PAGE) == Key.PAGE
    assert Key.PAGE not in kept


def with_a_fixed_identity(source: str) -> list[int]:
    """Return the lines where a widget with a value has a key of its own making."""
    return [
        call.lineno
        for call, words in direct_widgets(source, VALUES)
        if not words["key"].startswith("session.identity(")
    ]


def test_every_widget_is_known_by_its_identity() -> None:
    planted = "st.toggle('a', key='k')\nst.toggle('b', key=session.identity('k'))"
    assert with_a_fixed_identity(planted) == [1]
    assert not lines_in_pages(with_a_fixed_identity)
