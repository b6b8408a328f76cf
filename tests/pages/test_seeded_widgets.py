"""Values that widgets start with reach the browser as their defaults."""

import inspect

from support.pages import Opener, direct_widgets, healthy, lines_in_pages

from hierdp_core import mechanisms
from pages.ui.shell import widgets
from pages.ui.shell.session import Key

WITH_DEFAULT = {
    name for name, _ in inspect.getmembers(widgets, inspect.isfunction) if name[0] != "_"
}
SMALL = {"sample": "running-example", "epsilon": "0.5", "draws": "10"}


def test_the_default_of_a_widget_is_what_the_session_keeps(open_app: Opener) -> None:
    test = healthy(open_app(**SMALL))
    assert test.number_input(key=Key.SIZE_BOX).proto.default == 0.5
    healthy(test.number_input(key=Key.SIZE_BOX).set_value(2.0).run())
    assert test.number_input(key=Key.SIZE_BOX).proto.default == 2.0
    slider, mechanism = test.select_slider(key=Key.SIZE), test.selectbox(key=Key.MECHANISM)
    assert [slider.options[int(place)] for place in slider.proto.default] == ["2"]
    assert mechanism.options[mechanism.proto.default] == mechanisms.describe(mechanism.value).title


def without_default(source: str) -> list[int]:
    """Return the lines where a widget with a key is given no default."""
    return [
        call.lineno
        for call, words in direct_widgets(source, WITH_DEFAULT)
        if not words.keys() & {"value", "index", "default"}
    ]


def test_no_page_leaves_the_default_to_the_browser() -> None:
    assert without_default("st.toggle('a', key='k')\nst.toggle('b', key='k', value=True)") == [1]
    assert not lines_in_pages(without_default)
