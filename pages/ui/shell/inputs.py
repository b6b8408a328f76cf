"""The controls: three visible choices, the others under advanced settings."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import streamlit as st

from hierdp_core import mechanisms
from hierdp_core.exceptions import HierdpError
from hierdp_core.mechanisms.level_answers import METHODS
from hierdp_core.privacy import ACCOUNTS, NOISES, PRESETS, Allocation
from hierdp_core.privacy.budget import BEST_NOISE, TIGHT_ACCOUNT
from hierdp_core.privacy.rounding import parameter
from hierdp_core.samples import Sample
from hierdp_core.settings import Settings
from hierdp_core.tables import Table
from hierdp_core.tables import quantity as quantity_of
from hierdp_core.util.constraints import LARGEST_BUDGET, SMALLEST_BUDGET, USUAL_DELTA
from hierdp_core.util.text import capital
from pages.ui.shell import address, datasets, flow_words, frame, session, widgets, words
from pages.ui.shell.address import SIMULATIONS, View
from pages.ui.shell.session import Key

SIZES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)  # of ε or ρ
MORE = "Settings"
TREE = "tree"  # the option that states which end of a flow is refined first


def view(repeats: Callable[[View], View] | None = None) -> tuple[View, Sample]:
    """Show the controls; return the chosen view and the data.

    Args:
        repeats: shows the controls of seed and simulations; `averages` by default.
    """
    current = address.view()
    frame.notice()
    with st.container(key="controls"):
        data, mechanism, budget, box, more = st.columns([13, 14, 12, 4, 6], gap="medium")
    current, sample = _data_and_mechanism(current, data, mechanism)
    with budget:
        settings = budget_of(current.settings, box)
    with (
        more,
        st.container(key="more"),
        st.popover(MORE, help=words.MORE_HELP, width="stretch"),
    ):
        left, right = st.columns([6, 5], gap="large")
        with left:
            settings = shares_of(settings, sample, methods=True)
            with suppress(
                HierdpError
            ):  # the page shows the error, below the controls that correct it
                st.markdown(words.shares_line(settings.plan(sample.table)))
            repeated = (repeats or averages)(replace(current, settings=settings))
        with right:
            settings = counted_and_stated(repeated.settings, sample)
    seen = replace(repeated, settings=settings)
    address.keep(seen)
    return seen, sample


def data_and_mechanism() -> tuple[View, Sample]:
    """Show only the controls of data and mechanism; return the chosen view and the data."""
    current = address.view()
    frame.notice()
    return _data_and_mechanism(current, *st.columns(2, gap="medium"))


def options_and_seed(settings: Settings) -> Settings:
    """Show the seed and the options of the mechanism; return the settings with them."""
    settings = seed_of(settings)
    table = datasets.get(settings.sample).table
    return replace(settings, options=options(settings, table))


def seed_of(settings: Settings) -> Settings:
    """Show the seed of a search; return the settings with it."""
    seed = widgets.number_input(
        "Random seed",
        min_value=0,
        step=1,
        key=session.seeded(Key.SEED, settings.seed),
        help="Another seed gives other noise, and usually nearly the same answer.",
    )
    return replace(settings, seed=seed)


def _data_and_mechanism(
    current: View,
    data: st.delta_generator.DeltaGenerator,
    mechanism: st.delta_generator.DeltaGenerator,
) -> tuple[View, Sample]:
    with data:
        chosen = widgets.selectbox(
            "Data",
            datasets.ids(),
            key=session.seeded(Key.SAMPLE, current.settings.sample),
            format_func=lambda id: datasets.info(id).title,
        )
    if chosen != current.settings.sample:
        address.go(current.with_sample(chosen))
        st.rerun()
    sample = datasets.get(chosen)
    with mechanism:
        selection = widgets.selectbox(
            "Mechanism",
            mechanisms.names(sample.table.kind),
            key=session.seeded(Key.MECHANISM, current.settings.mechanism),
            format_func=lambda id: mechanisms.describe(id).title,
            help=words.mechanism_help(current.settings.mechanism, sample.table),
        )
    if selection != current.settings.mechanism:
        current = current.with_mechanism(selection)
    return current, sample


def budget_of(settings: Settings, box: st.delta_generator.DeltaGenerator) -> Settings:
    """Show the slider of the budget, and its number in `box`; return the settings with it."""
    kind = session.get(session.seeded(Key.BUDGET, _budget_kind(settings)))
    delta = session.get(session.seeded(Key.DELTA, settings.delta or USUAL_DELTA))
    size = settings.epsilon if settings.rho is None else settings.rho
    symbol = "ρ" if kind == "rho" else "ε"
    session.seeded(Key.SIZE, size)
    session.seeded(Key.SIZE_BOX, size)
    widgets.select_slider(
        f"Privacy-loss budget {symbol}",
        options=sorted({*SIZES, session.get(Key.SIZE)}),
        format_func=parameter,
        key=Key.SIZE,
        on_change=_box_follows,
        help=f"A smaller {symbol} means that the published numbers reveal less about any one "
        f"{datasets.get(settings.sample).table.person}. The budget covers the whole release, all "
        "levels combined.",
    )
    with st.container(key="ends"):
        st.html(words.ENDS)
    with box:
        size = widgets.number_input(
            f"{symbol} =",
            min_value=float(SMALLEST_BUDGET),
            max_value=float(LARGEST_BUDGET),
            step=0.1,
            format="%g",
            key=Key.SIZE_BOX,
            on_change=_slider_follows,
        )
    account = session.get(session.seeded(Key.ACCOUNT, settings.accounting or TIGHT_ACCOUNT))
    noise = session.get(session.seeded(Key.NOISE, settings.noise or BEST_NOISE))
    stated = replace(settings, epsilon=size, delta=None, rho=None, accounting=None, noise=None)
    if kind == "rho":
        return replace(stated, epsilon=None, rho=size)
    if kind == "epsilon":
        return stated
    chosen = noise if account == TIGHT_ACCOUNT else None
    return replace(stated, delta=delta, accounting=account, noise=chosen)


def _box_follows() -> None:
    session.put(Key.SIZE_BOX, session.get(Key.SIZE))


def _slider_follows() -> None:
    session.put(Key.SIZE, session.get(Key.SIZE_BOX))


def _budget_kind(settings: Settings) -> str:
    if settings.rho is not None:
        return "rho"
    return "epsilon" if settings.delta is None else "delta"


def shares_of(settings: Settings, sample: Sample, *, methods: bool = False) -> Settings:
    """Show the allocation and, on request, the methods of the levels; return the settings."""
    levels = settings.shared_levels(sample.table)
    weights = Allocation.of(_weights_for(settings, levels), levels).weights
    presets = {p.id: p for p in PRESETS if p.weights_for(levels) is not None}
    st.markdown("**Budget allocation by level**")
    for k, weight in enumerate(weights):
        session.seeded(f"{Key.SHARE}{k}", weight)
    now = tuple(session.get(f"{Key.SHARE}{k}") for k in range(len(levels)))
    session.put(
        Key.PRESET, next((i for i, p in presets.items() if _same(p.weights_for(levels), now)), None)
    )

    def use_preset() -> None:
        if preset := presets.get(session.get(Key.PRESET)):
            for k, weight in enumerate(preset.weights_for(levels) or ()):
                session.put(f"{Key.SHARE}{k}", weight)

    widgets.segmented_control(
        "Presets",
        list(presets),
        format_func=lambda id: presets[id].title,
        key=Key.PRESET,
        on_change=use_preset,
        label_visibility="collapsed",
        wrap=True,
        help="\n\n".join(f"**{p.title}**: {p.about}" for p in presets.values()),
    )
    columns = st.columns(min(len(levels), 3))
    for k, level in enumerate(levels):
        with columns[k % len(columns)]:
            widgets.number_input(
                capital(level),
                min_value=1 if k == len(levels) - 1 else 0,
                max_value=10_000,
                step=1,
                key=f"{Key.SHARE}{k}",
            )
            if methods and _has_methods(settings):
                _method(settings, levels, k)
    if methods and _has_methods(settings):
        settings = _with_methods(settings, sample)
    chosen = tuple(int(session.get(f"{Key.SHARE}{k}")) for k in range(len(levels)))
    even = len(set(chosen)) == 1
    return replace(settings, allocation=None if even else chosen)


def _weights_for(settings: Settings, levels: Sequence[str]) -> tuple[int, ...] | None:
    """Return the weights, adapted to a new mechanism with or without noise at the root."""
    allocation = settings.allocation
    if allocation is not None and len(allocation) == len(levels) + 1:
        return allocation[1:]
    if allocation is not None and len(allocation) == len(levels) - 1:
        return (1, *allocation)
    return allocation


def _has_methods(settings: Settings) -> bool:
    """Return whether the mechanism has an option with a method for each level."""
    return level_option(settings) is not None


def level_option(settings: Settings) -> mechanisms.Option | None:
    """Return the option that has a value for each level, or None."""
    options = mechanisms.describe(settings.mechanism).options
    return next((option for option in options if option.per_level), None)


def with_level_option(settings: Settings, value: str) -> dict[str, str]:
    """Return the options with this value for the levels, without it if it is the default."""
    option = level_option(settings)
    assert option is not None
    others = {name: v for name, v in settings.options.items() if name != option.name}
    return others if value == option.default else {**others, option.name: value}


def methods_now(settings: Settings, n_levels: int) -> tuple[str, ...]:
    """Return the method of each level in the settings."""
    option = level_option(settings)
    assert option is not None
    stated = {n: v for n, v in settings.options.items() if n == option.name}
    mechanism = mechanisms.parse(settings.mechanism, stated)
    assert isinstance(mechanism, mechanisms.CountOfCounts)
    return mechanism.level_methods(n_levels)


def _method(settings: Settings, levels: Sequence[str], k: int) -> None:
    now = methods_now(settings, len(levels))
    widgets.selectbox(
        f"{capital(levels[k])} method",
        METHODS,
        format_func=words.METHODS.__getitem__,
        key=session.seeded(f"{Key.METHOD}{k}", now[k]),
        disabled=session.get(f"{Key.SHARE}{k}") == 0,
        help=words.METHODS_HELP,
    )


def _with_methods(settings: Settings, sample: Sample) -> Settings:
    levels, table = sample.table.regions.levels, sample.table
    chosen = [session.get(f"{Key.METHOD}{k}") for k in range(len(levels))]
    domain = table.domain
    if domain.groups is not None and domain.group is not None:
        slow = [
            n for k, n in enumerate(levels) if chosen[k] == "hg" and session.get(f"{Key.SHARE}{k}")
        ]
        if text := words.slow_method(domain.groups, domain.group, slow):
            st.caption(text)
    methods = chosen[0] if len(set(chosen)) == 1 else ",".join(chosen)
    return replace(
        settings,
        options=with_level_option(settings, methods),
    )


def _same(weights: Sequence[int] | None, allocation: Sequence[int]) -> bool:
    return weights is not None and tuple(weights) == tuple(allocation)


def counted_and_stated(settings: Settings, sample: Sample) -> Settings:
    """Show the variable, the kind of budget and the options; return the settings with them."""
    table = sample.table
    selected = () if settings.quantity is None else (quantity_of(table, settings.quantity),)
    quantities = {q.id: q.title for q in (*table.quantities, *selected)}
    known = settings.quantity or next(iter(quantities))
    quantity = widgets.selectbox(
        "Variable",
        list(quantities),
        format_func=lambda id: capital(quantities[id]),
        key=session.seeded(Key.QUANTITY, known),
    )
    kind = widgets.segmented_control(
        "Privacy definition",
        list(words.DEFINITIONS),
        format_func=words.DEFINITIONS.__getitem__,
        key=Key.BUDGET,
        required=True,
        help=words.DEFINITIONS_HELP,
    )
    if kind == "delta":
        widgets.number_input(
            "δ",
            # An address may state any δ above 0 and below 1.
            min_value=math.ulp(0.0),
            max_value=math.nextafter(1.0, 0.0),
            format="%g",
            key=Key.DELTA,
            help=words.delta_help(table.person),
        )
        _account_of_delta()
    return replace(settings, quantity=quantity, options=options(settings, table))


def _account_of_delta() -> None:
    """Show the accounting method of (ε, δ) and the kind of noise."""
    account = widgets.selectbox(
        "Accounting of (ε, δ)",
        list(ACCOUNTS),
        format_func=lambda word: capital(ACCOUNTS[word]),
        key=Key.ACCOUNT,
        help="How much noise (ε, δ) requires. The exact curve requires less than the others, which "
        "are for comparison with papers and older releases.",
    )
    if account == TIGHT_ACCOUNT:
        widgets.selectbox(
            "Noise",
            list(NOISES),
            format_func=lambda word: capital(NOISES[word]),
            key=Key.NOISE,
            help="The kinds are compared by the variance of the noise in units of the squared "
            "sensitivity, as a geometric mean over everything that is measured.",
        )


def options(settings: Settings, table: Table) -> dict[str, str]:
    """Show the options of the mechanism, and return those that differ from their defaults."""
    chosen: dict[str, str] = {}
    for option in mechanisms.describe(settings.mechanism).options:
        if option.per_level:  # has its controls beside the allocation
            chosen |= {n: v for n, v in settings.options.items() if n == option.name}
            continue
        if not option.has_effect(chosen, kind=table.kind):
            continue
        stated = str(settings.options.get(option.name, option.default))
        key = session.seeded(f"{Key.OPTION}{settings.mechanism}-{option.name}", stated)
        if option.choices:
            value = widgets.selectbox(
                option.title,
                option.choices,
                format_func=words.option_value,
                key=key,
                help=option.about,
            )
            if option.name == TREE:
                line = flow_words.tree_line(value, table.regions.levels)
                several = len(settings.shared_levels(table)) > 1
                st.caption(f"{line} {flow_words.tree_advice(value, several_levels=several)}")
        else:
            value = widgets.text_input(option.title, key=key).strip()
            st.caption(option.about)  # visible, since it states the possible values
        if value != option.default:
            chosen[option.name] = value
    return chosen


def averages(current: View) -> View:
    """Show the seed and the number of simulations; return the view with them."""
    seeded = seed(current, "Random seed", "Simulate again")
    n_simulations = widgets.select_slider(
        "Simulated releases to average over",
        options=SIMULATIONS,
        key=session.seeded(Key.SIMULATIONS, current.n_simulations),
    )
    return replace(seeded, n_simulations=n_simulations)


def seed(current: View, label: str, another: str) -> View:
    """Show the seed, and a button for another one; return the view with the seed."""
    number, button = st.columns(2, vertical_alignment="bottom")
    with number:
        chosen = widgets.number_input(
            label, min_value=0, step=1, key=session.seeded(Key.SEED, current.settings.seed)
        )
    with button:
        st.button(another, on_click=_new_seed, width="stretch")
    return replace(current, settings=replace(current.settings, seed=chosen))


def _new_seed() -> None:
    session.put(Key.SEED, session.get(Key.SEED) + 1)
