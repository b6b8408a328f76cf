"""Tables as pages show them: one row per level, and grids of any numbers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from hierdp_core.util.text import capital, in_grid

_MARGIN, _NAME, _NUMBER, _LETTER, _PADDING = 44, 150, 60, 6.6, 20  # pixels


_MOST_ROWS = 400  # largest number of rows of a table whose numbers are formatted here
_WITH_COMMAS = (None, "localized")  # formats of number columns that `in_grid` replaces


def grid(table: pd.DataFrame, *, column_config: Mapping[str, Any] | None = None, **how: Any) -> Any:
    """Show a table as a grid, in which negative numbers have a minus sign instead of a hyphen.

    The browser would write a hyphen. It does so in tables of more than 400 rows, because a text for
    every cell would take too long. The numbers stay numbers, so columns are sorted by value.

    Args:
        table: the table.
        column_config: the configuration of its columns, as for `st.dataframe`.
        how: passed on to `st.dataframe`, whose result is returned.
    """
    config = dict(column_config or {})
    numbers = table.select_dtypes("number").columns
    if len(table) > _MOST_ROWS or not (table[numbers] < 0).any(axis=None):
        return st.dataframe(table, column_config=config or None, **how)
    writers: dict[Any, Any] = {}
    for name in numbers:
        column = config.get(name) or {}
        kind = column.get("type_config") or {}
        if kind.get("format") in _WITH_COMMAS:
            writers[name] = in_grid
            if kind:  # a format of the column would hide the text of its cells
                config[name] = {**column, "type_config": {**kind, "format": None}}
    # Styler is slow if the index has duplicates; a hidden index is not needed.
    rows = table if table.index.is_unique else table.reset_index(drop=True)
    return st.dataframe(rows.style.format(writers, na_rep=""), column_config=config or None, **how)


def by_level(table: pd.DataFrame) -> None:
    """Show one row per level: its name, then formatted numbers."""
    grid(
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
    """Return how many columns, from the left, fit into a width in pixels; at least two.

    >>> in_sight(["County", "Different outcome", "True count"], 300)
    2
    """
    width_used: float = _MARGIN
    for k, title in enumerate(titles):
        width_used += _NAME if k == 0 else max(_NUMBER, _LETTER * len(title) + _PADDING)
        if width_used > width and k >= 2:
            return k
    return len(titles)


def columns(table: pd.DataFrame, titles: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the configuration of the columns of a table: titles and number formats.

    Args:
        table: the table.
        titles: the titles of columns; other columns are called by their names.
    """
    called = {name: (titles or {}).get(name, capital(name)) for name in table.columns}
    return {
        name: st.column_config.NumberColumn(title, format="localized")
        if pd.api.types.is_numeric_dtype(table[name])
        else st.column_config.Column(title)
        for name, title in called.items()
    }
