"""What the attacks on the process that reads files share."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.modules import written_module

from hierdp_core.readers.isolated import start


@pytest.fixture
def calls_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], None]]:
    """Have processes that read files run other code, from a server of their own."""
    start._stop_own()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    yield lambda code: monkeypatch.setattr(start, "READER", written_module(tmp_path, code))
    start._stop_own()
