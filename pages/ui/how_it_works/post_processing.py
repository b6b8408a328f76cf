"""The tab that separates noise from post-processing, stage by stage and by true count."""

import pandas as pd
import streamlit as st

from hierdp_core import figures
from hierdp_core.figures.chart import Chart
from hierdp_core.util.text import plural
from pages.ui.how_it_works import navigation, shown, step_words
from pages.ui.how_it_works.scene import Scene, stages_of, tree_program
from pages.ui.shell import datasets

_SIMULATIONS = 10
_MANY_CELLS = 1_000_000  # above it, only one simulation is made, because each takes long


def post_processing(scene: Scene) -> None:
    """Show the effects of noise and of post-processing on the open data."""
    if scene.here.paper:
        st.info(
            "The published noise is a single example, so it has no averages over simulations. "
            "Choose data above, or press the button below, to see averages over simulated "
            "releases.",
            icon=":material/info:",
        )
        st.button("New noise on the worked example", on_click=navigation.simulate_again)
        return
    table = scene.sample.table
    settings = tree_program(scene.view.settings)
    n_simulations = 1 if table.values.size > _MANY_CELLS else _SIMULATIONS
    with st.spinner("Simulating…"):
        walk = stages_of(datasets.digest(settings), n_simulations, settings)
    st.markdown(_sentence(walk.bias, walk.n_simulations))
    unit = table.domain.group or table.quantities[0].title
    errors, bias = _charts(walk.errors, walk.bias, plural(table.regions.levels[-1]), unit)
    left, right = st.columns(2, gap="large")
    with left:
        shown.show(errors, key="stage-errors", table_in=errors.title)
        shown.table(figures.errors.post_processing.errors_table(walk.errors))
    with right:
        shown.show(bias, key="stage-bias", table_in=bias.title)
        shown.table(figures.errors.post_processing.bias_table(walk.bias))
    st.caption(step_words.stages_note(sizes=scene.problem.noisy.shape[1]))


def _sentence(bias: pd.DataFrame, n_simulations: int) -> str:
    released = bias[bias["stage"] == "whole"]
    zeros = released.loc[released["most"] == 0, "bias"]
    worst = released.sort_values("bias", kind="stable").iloc[0]
    return step_words.stages_sentence(
        None if zeros.empty else float(zeros.iloc[0]),
        (worst["true"], float(worst["bias"])) if worst["bias"] < 0 else None,
        n_simulations,
    )


def _charts(
    errors: pd.DataFrame, bias: pd.DataFrame, leaves: str, unit: str
) -> tuple[Chart, Chart]:
    pictures = figures.errors.post_processing
    return (
        Chart(
            title="Error, stage by stage",
            figure=pictures.errors(errors, unit=unit),
            alt=pictures.errors_alt(errors),
        ),
        Chart(
            title=f"Bias of {leaves}, by their true count",
            figure=pictures.bias(bias, unit=unit),
            alt=pictures.bias_alt(bias),
        ),
    )
