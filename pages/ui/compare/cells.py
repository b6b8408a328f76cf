"""How far each cell of a comparison is: its draws, and why one has no more."""

import pandas as pd
import streamlit as st

from hierdp_core.evaluation.comparison import Comparison, labels


def show(found: Comparison) -> None:
    """A row a cell, to unfold while draws are on their way or where a cell failed."""
    with st.expander("Progress by cell"):
        st.dataframe(
            table(found),
            hide_index=True,
            key="compare-cells",
            column_config={
                "Draws": st.column_config.ProgressColumn(
                    format=f"%d of {found.draws}", min_value=0, max_value=found.draws
                )
            },
        )


def table(found: Comparison) -> pd.DataFrame:
    """A row a cell: what it is, how many draws it has, and how it stands."""
    failures = dict(found.failures)
    done = found.done
    return pd.DataFrame(
        {
            "Cell": labels(found.plans, budgets=False),
            "Budget": [plan.budget.words for plan in found.plans],
            "Draws": done,
            "State": [
                f"failed: {failures[k]}" if k in failures else _state(n, found.draws)
                for k, n in enumerate(done)
            ],
        }
    )


def _state(done: int, wanted: int) -> str:
    if done >= wanted:
        return "done"
    return "on its way" if done else "no draw yet"
