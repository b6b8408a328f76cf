"""The app beside this folder, run without a browser."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # as `streamlit run app.py` does


@pytest.fixture
def open_app() -> Callable[..., AppTest]:
    """Open a script at an address: `open_app("app.py", sample="us-population")`."""

    def opened(script: str = "app.py", **query: str) -> AppTest:
        test = AppTest.from_file(str(ROOT / script), default_timeout=60)
        for name, value in query.items():
            test.query_params[name] = value
        return test.run()

    return opened
