"""What all tests of the command line share."""

import pytest

from hierdp_core.cli import terminal


@pytest.fixture(autouse=True)
def no_words_on_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard error is compared as a whole, and must not depend on the speed of the machine."""
    monkeypatch.setattr(terminal, "_FIRST_WORD", 86_400.0)
