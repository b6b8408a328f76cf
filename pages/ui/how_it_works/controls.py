"""The controls of How it works: which data, group size, area, budget and seed."""

from dataclasses import replace

import streamlit as st

from hierdp_core.samples.sample import OWN, Sample
from hierdp_core.util.text import capital
from pages.ui.how_it_works import navigation, step_words
from pages.ui.how_it_works.address import HowItWorksAddress
from pages.ui.how_it_works.navigation import PAPER
from pages.ui.how_it_works.scene import Scene, column_of, node_of, sample_of, scene_of
from pages.ui.shell import address, datasets, flow_words, inputs, session, widgets
from pages.ui.shell.address import View
from pages.ui.shell.cache import remembered
from pages.ui.shell.session import Key


def controls() -> Scene:
    """Show the controls; return what they open."""
    view = navigation.fitting(address.view())
    paper = view.of(HowItWorksAddress).paper
    _notices(view)
    data, size, area, button = st.columns([7, 5, 4, 3], gap="small", vertical_alignment="bottom")
    with data:
        _data(PAPER if paper else view.settings.sample)
    sample = sample_of(view)
    with size:
        _group_size(view, sample)
    with area:
        _area(view, sample)
    button.button(
        "New noise",
        on_click=navigation.simulate_again,
        help="Simulate again, with another seed.",
        width="stretch",
    )
    return scene_of(view if paper else _budget(view, sample), sample)


def _notices(view: View) -> None:
    place = st.empty()
    if text := session.notice():
        place.warning(text, icon=":material/link_off:")
    elif navigation.is_flows(view.settings.sample):
        title = datasets.info(view.settings.sample).title
        place.info(flow_words.not_inside(title), icon=":material/info:")


def _data(chosen: str) -> None:
    widgets.selectbox(
        "Data",
        [PAPER, *(id for id in datasets.ids() if not navigation.is_flows(id))],
        key=session.seeded(Key.INSIDE_DATA, chosen),
        format_func=_data_title,
        on_change=navigation.choose_data,
    )


def _data_title(id: str) -> str:
    return step_words.PAPER if id == PAPER else datasets.info(id).title


def _group_size(view: View, sample: Sample) -> None:
    table = sample.table
    if not table.has_groups:
        return
    widgets.selectbox(
        "Group size",
        list(table.sizes[0 if table.domain.empty_groups else 1 :]),
        key=session.seeded(Key.INSIDE_SIZE, column_of(view, sample)),
        format_func=lambda size: capital(table.column_title(size)),
        on_change=navigation.choose_size,
    )


def _area(view: View, sample: Sample) -> None:
    titles = _area_titles(
        datasets.digest(view.settings) if sample.id == OWN else sample.id,
        view.of(HowItWorksAddress).paper,
        sample,
    )
    widgets.selectbox(
        "Area",
        list(titles),
        key=session.seeded(Key.INSIDE_PLACE, node_of(view, sample)),
        format_func=titles.__getitem__,
        on_change=navigation.choose_area,
        help="Type a few letters of a name.",
    )


def _budget(view: View, sample: Sample) -> View:
    with st.expander("Advanced: budget, random seed, budget allocation"):
        left, right = st.columns(2, gap="large")
        with left:
            budget, box = st.columns([3, 1], gap="medium")
            with budget:
                settings = inputs.budget_of(view.settings, box)
            seed = widgets.number_input(
                "Random seed", min_value=0, step=1, key=session.seeded(Key.SEED, settings.seed)
            )
        with right:
            settings = inputs.shares_of(settings, sample)
    view = replace(view, settings=replace(settings, seed=seed))
    address.keep(view)
    return view


@remembered(max_entries=8)
def _area_titles(digest: str, paper: bool, _sample: Sample) -> dict[int, str]:
    regions = _sample.table.regions
    if paper:
        return dict(enumerate(regions.ids))
    tree, titles = regions.tree, {}
    for node in range(tree.n_nodes):
        if regions.padded[node]:
            continue
        above = regions.names[int(tree.parent[node])] if tree.level_of[node] > 1 else ""
        titles[node] = f"{regions.names[node]}, {above}" if above else regions.names[node]
    return titles
