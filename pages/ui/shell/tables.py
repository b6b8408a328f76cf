"""Tables of numbers by level, as pages show them."""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from hierdp_core.util.text import capital

_MARGIN, _NAME, _NUMBER, _LETTER, _PADDING = 44, 150, 60, 6.6, 20  # pixels


def by_level(table: pd.DataFrame) -> None:
    """Show one row per level: its name, then formatted numbers."""
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            name: st.column_config.Column(capital(name))
            if name == "level"
            else st.column_config.NumberColumn(capital(name), format="localized")
            for name in table.columns
        },
    )


def width_of(names: Iterable[str], *, most: int) -> int:
    """Return the width in pixels of a column of names in which none is cut off, up to `most`.

    >>> width_of(["Ada", "Wabaunsee County, KS"], most=168)
    152
    """
    longest = max(map(len, names), default=0)
    return min(most, max(_NUMBER, int(_LETTER * longest + _PADDING)))


def in_sight(titles: Sequence[str], width: int) -> int:
    """How many columns, from the left, are seen whole in so many pixels; at least two.

    >>> in_sight(["County", "Different outcome", "True count"], 300)
    2
    """
    taken: float = _MARGIN
    for k, title in enumerate(titles):
        taken += _NAME if k == 0 else max(_NUMBER, _LETTER * len(title) + _PADDING)
        if taken > width and k >= 2:
            return k
    return len(titles)


def columns(table: pd.DataFrame) -> dict[str, Any]:
    """How the columns of a table are shown: their titles, and numbers as people read them."""
    return {
        name: st.column_config.NumberColumn(capital(name), format="localized")
        if pd.api.types.is_numeric_dtype(table[name])
        else st.column_config.Column(capital(name))
        for name in table.columns
    }
