"""A run that is stopped anywhere, as Streamlit does, leaves the next one where it would be."""

from types import SimpleNamespace
from typing import Any

import pytest

from hierdp_core.settings import Settings
from pages.ui.shell import address, session
from pages.ui.shell.address import View
from pages.ui.shell.session import Key

ONE = View(
    settings=Settings(sample="us-population", mechanism="tree-dp", epsilon=1.0), by_link=True
)
TENTH = View(
    settings=Settings(sample="us-population", mechanism="tree-dp", epsilon=0.1), by_link=True
)


class Stopped(Exception):
    """What Streamlit raises where a run gives way to the next."""


class StoppingState(dict[str, Any]):
    """A session that stops the run at one access."""

    def __init__(self, values: dict[str, Any]) -> None:
        super().__init__(values)
        self.left = 10**6

    def _count(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise Stopped

    def get(self, *args: Any) -> Any:
        self._count()
        return super().get(*args)

    def pop(self, *args: Any) -> Any:
        self._count()
        return super().pop(*args)

    def __setitem__(self, key: str, value: Any) -> None:
        self._count()
        super().__setitem__(key, value)

    def __delitem__(self, key: str) -> None:
        self._count()
        super().__delitem__(key)


BACK = {
    Key.VIEW: ONE,
    Key.PAGE: "Overview",
    Key.ADDRESS: (ONE.to_query(), 0.0),
    Key.SIZE_BOX: 1.0,
}
FROM_ANOTHER_PAGE = BACK | {Key.PAGE: "Lessons"}
BY_A_LINK = BACK | {Key.PAGE: "Lessons", Key.LINK: (TENTH.to_query(), False)}


@pytest.mark.parametrize("before", [{}, BACK, FROM_ANOTHER_PAGE, BY_A_LINK])
def test_a_run_stopped_anywhere_arrives_in_the_next(
    monkeypatch: pytest.MonkeyPatch, before: dict[str, Any]
) -> None:
    params = SimpleNamespace(to_dict=TENTH.to_query)
    monkeypatch.setattr(session, "in_browser", lambda: True)
    monkeypatch.setattr(address.st, "query_params", params)
    access, stopped = 0, True
    while stopped:
        access += 1
        state = StoppingState(before)
        monkeypatch.setattr(session.st, "session_state", state)
        state.left, stopped = access, False
        try:
            address.arrive("Overview", None)
        except Stopped:
            stopped = True
            address.arrive("Overview", None)
        state.left = 10**6
        assert state[Key.VIEW] == TENTH
        assert state[Key.PAGE] == "Overview"
        assert Key.LINK not in state
        assert session.get(Key.SIZE_BOX) is None
    assert access > 3
