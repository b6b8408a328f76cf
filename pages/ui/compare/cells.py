"""The progress of each configuration of a comparison, and why one failed."""

import pandas as pd
import streamlit as st

from hierdp_core.evaluation.comparison import Comparison, labels
from pages.ui.shell import words


def show(comparison: Comparison) -> None:
    """Show the progress in an expander, one row per configuration."""
    with st.expander("Progress by configuration"):
        st.dataframe(
            table(comparison),
            hide_index=True,
            key="compare-cells",
            column_config={
                "Simulations": st.column_config.ProgressColumn(
                    format=f"%d of {comparison.n_simulations}",
                    min_value=0,
                    max_value=comparison.n_simulations,
                )
            },
        )


def table(comparison: Comparison) -> pd.DataFrame:
    """Return one row per configuration: its budget, its simulations and its state."""
    failures = dict(comparison.failures)
    n_done = comparison.done
    return pd.DataFrame(
        {
            "Configuration": labels(comparison.plans, budgets=False),
            "Budget": [words.budget(plan) for plan in comparison.plans],
            "Simulations": n_done,
            "State": [
                f"failed: {failures[k]}" if k in failures else _state(n, comparison.n_simulations)
                for k, n in enumerate(n_done)
            ],
        }
    )


def _state(done: int, total: int) -> str:
    if done >= total:
        return "done"
    return "running" if done else "waiting"
