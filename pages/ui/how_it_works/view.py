"""How it works from top to bottom: which noise this is, the tabs, and the link to the step."""

import streamlit as st

import hierdp_core as hdp
from pages.ui.how_it_works import navigation, step_words
from pages.ui.how_it_works.address import TABS
from pages.ui.how_it_works.chain import chain
from pages.ui.how_it_works.navigation import TAB_TITLES
from pages.ui.how_it_works.post_processing import post_processing
from pages.ui.how_it_works.scene import Scene, tree_program
from pages.ui.how_it_works.steps import steps
from pages.ui.shell import address, widgets, words
from pages.ui.shell.session import Key

_PAPERS_NOISE = (
    "For occupied units of 1 person, the noisy counts are those of Fioretto et al. (2021): GA 3, "
    "NY 0, US 2. So the page reproduces Table 5 of that paper exactly. Other sizes have no noise. "
    "“New noise” simulates fresh noise on the same data."
)
_OTHER_MECHANISM = " Overview shows another mechanism, with this budget and seed."


def announcement(scene: Scene) -> str:
    """Return the announcement of the open tab or step, and what the step does here."""
    if scene.here.tab != TABS[0]:
        return TAB_TITLES[scene.here.tab]
    return f"Step {step_words.TITLES[scene.step]}. {step_words.sentence(scene.family, scene.step)}"


def note(scene: Scene) -> None:
    """State which noise the page shows."""
    if scene.here.paper:
        st.caption(_PAPERS_NOISE)
        return
    settings = tree_program(scene.view.settings)
    budget = settings.plan(scene.sample.table).budget
    title = hdp.mechanisms.describe(settings.mechanism).title
    same = settings.mechanism == scene.view.settings.mechanism
    st.caption(
        f"One simulated release, seed {settings.seed}, at {budget.words}, by “{title}” "
        f"({settings.mechanism}).{'' if same else _OTHER_MECHANISM} {words.NOT_PRIVATE}"
    )


def tabs(scene: Scene) -> None:
    """Show the tabs; only the open one is computed."""
    shown = widgets.opened_tab(
        [TAB_TITLES[tab] for tab in TABS],
        shown=TAB_TITLES[scene.here.tab],
        key=Key.INSIDE_TAB,
        on_change=navigation.choose_tab,
    )
    with shown:
        match scene.here.tab:
            case "chain":
                chain()
            case "stages":
                post_processing(scene)
            case _:
                steps(scene)


def link(scene: Scene) -> None:
    """Show the address of the open step."""
    st.markdown("## Link to this view")
    st.code(
        address.link(scene.here.full_query(scene.view)),
        language=None,
        wrap_lines=True,
    )
