"""Values that widgets start with reach the browser as their defaults."""

import ast
import inspect
from pathlib import Path

from support.pages import Opener, healthy

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
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func.value) != "widgets"
        and call.func.attr in WITH_DEFAULT
        and "key" in (names := {word.arg for word in call.keywords})
        and not names & {"value", "index", "default"}
    ]


def test_no_page_leaves_the_default_to_the_browser() -> None:
    assert without_default("st.toggle('a', key='k')\nst.toggle('b', key='k', value=True)") == [1]
    pages = Path(widgets.__file__).parents[2]
    found = {
        str(path.relative_to(pages)): lines
        for path in sorted(pages.rglob("*.py"))
        if (lines := without_default(path.read_text(encoding="utf-8")))
    }
    assert not found
