"""The controls for options of the compared mechanisms, one mechanism at a time."""

import streamlit as st

from hierdp_core import mechanisms
from hierdp_core.mechanisms.level_answers import METHODS
from hierdp_core.samples import Sample
from hierdp_core.settings import Settings
from hierdp_core.util.text import capital, several
from pages.ui.compare.address import CompareView
from pages.ui.shell import inputs, session, widgets, words
from pages.ui.shell.session import Key


def drawn(current: CompareView, sample: Sample) -> CompareView:
    """Draw the options of one mechanism. Return the comparison with the chosen values."""
    having = [id for id in current.mechanisms if mechanisms.describe(id).options]
    if not having:
        return current
    known = session.get(Key.COMPARE_OPTIONS)
    if known is not None and known not in having:
        session.forget(Key.COMPARE_OPTIONS)
    changed = [id for id in having if current.options_of(id)]
    id = widgets.selectbox(
        "Options of",
        having,
        key=session.seeded(Key.COMPARE_OPTIONS, (changed or having)[0]),
        format_func=lambda id: mechanisms.describe(id).title,
        help="Options of the mechanism. They apply to all its configurations.",
    )
    settings = Settings(sample=sample.id, mechanism=id, options=current.options_of(id))
    current = current.with_options(id, _chosen(settings, sample))
    if option_values := current.options_used():
        st.caption(f"Changed options: {several(f'{n} = {v}' for n, v in option_values.items())}.")
    return current


def _chosen(settings: Settings, sample: Sample) -> dict[str, str]:
    if inputs.level_option(settings) is None:
        return inputs.options(settings, sample.table)
    stated = inputs.with_level_option(settings, _methods(settings, sample))
    stated_settings = Settings(sample=settings.sample, mechanism=settings.mechanism, options=stated)
    return inputs.options(stated_settings, sample.table)


def _methods(settings: Settings, sample: Sample) -> str:
    """Draw a choice of method for each level. Return the methods as the value of the option."""
    levels, domain = sample.table.regions.levels, sample.table.domain
    now = inputs.methods_now(settings, len(levels))
    chosen = [
        widgets.selectbox(
            f"{capital(level)} method",
            METHODS,
            format_func=words.METHODS.__getitem__,
            key=session.seeded(f"{Key.METHOD}{k}", now[k]),
            help=words.METHODS_HELP,
        )
        for k, level in enumerate(levels)
    ]
    if domain.groups is not None and domain.group is not None:
        slow = [level for level, method in zip(levels, chosen, strict=True) if method == "hg"]
        if text := words.slow_method(domain.groups, domain.group, slow):
            st.caption(text)
    return chosen[0] if len(set(chosen)) == 1 else ",".join(chosen)
