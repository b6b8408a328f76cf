"""Tables of numbers by level, as pages show them."""

from typing import Any

import pandas as pd
import streamlit as st

from hierdp_core.util.text import capital


def by_level(table: pd.DataFrame) -> None:
    """A row a level: its name, then numbers as people read them."""
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


def columns(table: pd.DataFrame) -> dict[str, Any]:
    """How the columns of a table are shown: their titles, and numbers as people read them."""
    return {
        name: st.column_config.NumberColumn(capital(name), format="localized")
        if pd.api.types.is_numeric_dtype(table[name])
        else st.column_config.Column(capital(name))
        for name in table.columns
    }
