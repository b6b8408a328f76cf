"""The tab of the tree: one step with its sentence, tree, chart, numbers and buttons."""

import pandas as pd
import streamlit as st

from hierdp_core import figures
from hierdp_core.explain.tree_steps import STEPS
from hierdp_core.util.text import paragraph
from pages.ui.how_it_works import navigation, shown, step_charts, step_words
from pages.ui.how_it_works.scene import Scene
from pages.ui.shell import session, widgets, words
from pages.ui.shell.session import Key

BELOW_ZERO = "Show an area whose noisy count is below zero"


def steps(scene: Scene) -> None:
    """Show the row of steps, the step that is open, and where to go from it."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        widgets.segmented_control(
            "Step",
            STEPS,
            format_func=step_words.TITLES.__getitem__,
            key=session.seeded(Key.INSIDE_STEP, scene.step),
            on_change=navigation.choose_step,
            required=True,
            wrap=True,
        )
        _back_and_next(scene.step)
    st.markdown(step_words.sentence(scene.family, scene.step))
    left, right = st.columns([5, 7], gap="large")
    with left:
        shown.show(step_charts.tree(scene), key="tree")
        if scene.step == "choice" and len(scene.family.parts) > shown.LONG:
            st.caption(
                "Red cells were raised, blue ones lowered. Hold the pointer over a cell to see "
                "its change."
            )
    with right:
        shown.show(step_charts.of_step(scene), key="chart")
    st.markdown(f"## {shown.NUMBERS}")
    _numbers(scene)
    _ways_on(scene)


def _back_and_next(step: str) -> None:
    at = STEPS.index(step)
    before, after = STEPS[max(at - 1, 0)], STEPS[min(at + 1, len(STEPS) - 1)]
    st.button(
        "Back",
        key="inside-back",
        on_click=navigation.go_to_step,
        args=(before,),
        shortcut="Left",
        disabled=before == step,
    )
    st.button(
        f"Next: {step_words.short(after)}" if after != step else "The last step",
        key="inside-next",
        on_click=navigation.go_to_step,
        args=(after,),
        type="primary",
        shortcut="Right",
        disabled=after == step,
    )


def _numbers(scene: Scene) -> None:
    """Show the values of the family, or the cost table that the chart is made of."""
    family, step = scene.family, scene.step
    costless = not family.part_tables and family.marked is None
    if step in ("noise", "choice") or (step == "leaves" and costless):
        shown.table(_values(scene))
        return
    shown.table(_costs(scene))
    cost_table = family.table
    if step == "leaves" and family.marked_table is not None:
        cost_table = family.marked_table
    notes = [step_words.window_note(cost_table)]
    if step == "own":
        floor = figures.program.cost.floor_of(cost_table, weight=family.weight)
        notes.append(step_words.floor_note(floor, scene.head))
    notes.append(
        step_words.weights_note(family.problem.weights.tolist(), scene.problem.regions.levels)
    )
    st.caption(paragraph(*notes))


def _values(scene: Scene) -> pd.DataFrame:
    family = scene.family
    nodes = [family.head, *(int(p) for p in family.parts)]
    known = scene.step != "noise"
    boxes = [step_charts.box(scene, n, known=known) for n in nodes]
    frame = figures.program.family.table(boxes, level="Area")
    frame.insert(1, "true", family.true[nodes])
    return frame if known else frame.drop(columns=["chosen", "moved"])


def _costs(scene: Scene) -> pd.DataFrame:
    family, table = scene.family, scene.family.table
    if scene.step == "leaves" and family.marked_table is not None:
        return figures.program.cost.cost_frame(
            family.marked_table, names=[], part_tables=[], weight=family.weight
        )
    if scene.step == "merge" or (scene.step == "price" and table.values[0] > 0):
        return figures.program.cost.merge_frame(table, scene.names, weight=family.weight)
    return figures.program.cost.cost_frame(
        table, names=scene.names, part_tables=family.part_tables, weight=family.weight
    )


def _ways_on(scene: Scene) -> None:
    above = scene.family.above
    with st.container(horizontal=True):
        if above is not None:
            st.button(
                f"Up to {words.place(scene.problem.names[above])}",
                on_click=navigation.go_to_node,
                args=(above, "merge"),
                icon=":material/arrow_upward:",
            )
        st.button(BELOW_ZERO, on_click=navigation.show_below_zero, icon=":material/search:")
