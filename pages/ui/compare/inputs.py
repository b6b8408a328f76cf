"""The controls of Compare mechanisms: data, mechanisms, budgets, and the rest under Advanced."""

from dataclasses import replace

import streamlit as st

from hierdp_core import mechanisms
from hierdp_core.privacy.rounding import parameter
from hierdp_core.samples import Sample
from hierdp_core.util.text import several
from pages.ui.compare import compare_words, options
from pages.ui.compare.address import (
    KINDS,
    MOST_MECHANISMS,
    SIMULATIONS,
    CompareView,
    fitting_mechanisms,
    own_allocation,
    presets,
    read_own_allocation,
)
from pages.ui.shell import address, datasets, frame, session, widgets, words
from pages.ui.shell.inputs import SIZES
from pages.ui.shell.session import Key


def grid() -> tuple[CompareView, Sample]:
    """Draw the controls. Return the comparison that they describe, and its data."""
    current = address.view().of(CompareView)
    frame.notice()
    data, budgets = st.columns(2, gap="medium")
    chosen = st.container()  # a separate row, because the names are long
    with data:
        id = widgets.selectbox(
            "Data",
            datasets.ids(),
            key=session.seeded(Key.COMPARE_SAMPLE, current.sample),
            format_func=lambda id: datasets.info(id).title,
        )
    if id != current.sample:
        sample = datasets.get(id)
        address.go(address.view().with_sample(id).having(CompareView.usual(sample)))
        st.rerun()
    sample = datasets.get(id)
    with chosen:
        current = _mechanisms(current, sample)
    with budgets:
        current = _sizes(current, sample)
    with st.expander(
        "Advanced: budget allocation, privacy definition, mechanism options, simulations"
    ):
        left, right = st.columns(2, gap="large")
        with left:
            current = _simulations(_kinds(_splits(current, sample), sample))
        with right:
            current = options.drawn(current, sample)
    keep(current)
    return current, sample


def keep(current: CompareView) -> None:
    """Store the comparison in the session."""
    address.keep(address.view().having(current))


def _mechanisms(current: CompareView, sample: Sample) -> CompareView:
    fitting = fitting_mechanisms(sample)
    selection = widgets.multiselect(
        "Mechanisms",
        fitting,
        key=session.seeded(
            Key.COMPARE_MECHANISMS, [id for id in current.mechanisms if id in fitting]
        ),
        format_func=lambda id: mechanisms.describe(id).title,
        max_selections=MOST_MECHANISMS,
        placeholder="Choose at least one",
        help="\n\n".join(
            f"**{mechanisms.describe(id).title}** ({id}): {mechanisms.describe(id).about}"
            for id in fitting
        ),
    )
    return replace(current, mechanisms=tuple(selection))


def _sizes(current: CompareView, sample: Sample) -> CompareView:
    symbol = compare_words.symbols(current.kinds)
    sizes = widgets.multiselect(
        f"Privacy-loss budgets {symbol}",
        sorted({*SIZES, *current.sizes}),
        key=session.seeded(Key.COMPARE_BUDGETS, list(current.sizes)),
        format_func=parameter,
        placeholder="Choose at least one",
        help=f"The smaller {symbol}, the less the published numbers reveal about any one "
        f"{sample.table.person}. Each budget covers a whole release, all levels combined.",
    )
    return replace(current, sizes=tuple(sorted(sizes)))


def _splits(current: CompareView, sample: Sample) -> CompareView:
    fitting = presets(sample)
    chosen = widgets.pills(
        "Budget allocations",
        list(fitting),
        selection_mode="multi",
        format_func=lambda id: fitting[id].title,
        key=session.seeded(Key.COMPARE_SHARES, [id for id in current.allocation if id in fitting]),
        help="\n\n".join(f"**{p.title}**: {p.about}" for p in fitting.values()),
    )
    own = [text for text in current.allocation if own_allocation(text) is not None]
    written = widgets.text_input(
        "Your own allocation",
        key=session.seeded(Key.COMPARE_OWN_SHARES, several(own)),
        placeholder=":".join("1" * max(2, len(sample.table.regions.levels))),
        help="Whole numbers, one per level from the top down, such as 1:1:2. Separate several "
        "allocations with semicolons. Set a budget finds allocations that suit a purpose.",
    )
    allocations = (*(id for id in fitting if id in chosen), *read_own_allocation(written or ""))
    return replace(current, allocation=allocations or ("even",))


def _kinds(current: CompareView, sample: Sample) -> CompareView:
    chosen = widgets.pills(
        "Privacy definitions",
        list(KINDS),
        selection_mode="multi",
        format_func=words.DEFINITIONS.__getitem__,
        key=session.seeded(Key.COMPARE_KINDS, list(current.kinds)),
        help="The same number means something different in each definition. Budgets of several "
        "definitions have separate axes, or are converted, as the axis then states.",
    )
    current = replace(
        current, kinds=tuple(kind for kind in KINDS if kind in chosen) or ("epsilon",)
    )
    if "delta" not in current.kinds:
        return current
    delta = widgets.number_input(
        "δ",
        min_value=1e-15,
        max_value=0.1,
        format="%g",
        key=session.seeded(Key.COMPARE_DELTA, current.delta),
        help=words.delta_help(sample.table.person),
    )
    return replace(current, delta=delta)


def _simulations(current: CompareView) -> CompareView:
    n_simulations = widgets.select_slider(
        "Simulations per configuration",
        options=SIMULATIONS,
        key=session.seeded(Key.COMPARE_SIMULATIONS, current.n_simulations),
        help="More simulations give a more certain ranking.",
    )
    seed = widgets.number_input(
        "Random seed", min_value=0, step=1, key=session.seeded(Key.COMPARE_SEED, current.seed)
    )
    return replace(current, n_simulations=n_simulations, seed=seed)
