"""Grids of numbers on pages."""

from typing import Any

import pandas as pd
import pytest
import streamlit as st
from pandas.io.formats.style import Styler

from pages.ui.shell import tables


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    given: list[Any] = []
    monkeypatch.setattr(st, "dataframe", lambda table, **_: given.append(table))
    return given


def test_negative_numbers_have_a_minus_and_stay_numbers(shown: list[Any]) -> None:
    table = pd.DataFrame({"level": ["county", "state"], "error": [-1234, 5]})
    tables.grid(table)
    (styler,) = shown
    assert isinstance(styler, Styler)
    assert "−1,234" in styler.to_html()
    assert styler.data["error"].tolist() == [-1234, 5]


def test_other_numbers_and_long_tables_are_left_to_the_browser(shown: list[Any]) -> None:
    tables.grid(pd.DataFrame({"count": [1, 2]}))
    tables.grid(pd.DataFrame({"error": range(-500, 500)}))
    assert [type(table) for table in shown] == [pd.DataFrame, pd.DataFrame]
