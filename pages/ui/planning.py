"""The pieces of the page Plan: what is asked for, the search, and the answer."""

import math
from dataclasses import replace

import pandas as pd
import streamlit as st

from hierdp_core import figures
from hierdp_core.figures.numbers import parameter, percent
from hierdp_core.figures.style import CONFIG
from hierdp_core.planning import BudgetPlan, Target
from hierdp_core.planning.bench import Yardstick
from hierdp_core.samples import Sample
from hierdp_core.tables import Table, quantity_regions
from hierdp_core.tables import quantity as quantity_of
from hierdp_core.writers.exploration import CONTAINS_TRUTH
from pages.ui import frame, inputs, plan_words, plan_work, state, words
from pages.ui.aim import FINDS, LARGEST, Aim
from pages.ui.compare_view import CompareView
from pages.ui.state import Key, View

EXPLORE, COMPARE = "pages/explore_page.py", "pages/compare_page.py"
RELIABILITIES = (50.0, 80.0, 90.0, 95.0, 99.0)
FRESH = (200, 800, 3200)
_WHO = ("all", "99%", "95%", "90%", "80%", "median", "mean")
_BEAT = 1.0  # seconds between looks at a search
_MOST_TARGETS = 6


def controls() -> tuple[View, Sample]:
    """Draw the controls; what they say, and the data."""
    current, sample = inputs.data_and_mechanism()
    aim = current.aim
    st.markdown("**What must hold**")
    targets = tuple(
        _target(k, target, sample.table) for k, target in enumerate(aim.targets_for(sample.table))
    )
    if len(targets) < _MOST_TARGETS:
        st.button("Add a target", icon=":material/add:", on_click=_add)
    settings = current.settings
    with st.expander("More: kind of budget, shares, draws, and the counts to plan on"):
        left, right = st.columns(2, gap="large")
        with left:
            aim = _kind(aim)
            aim = _table(aim, sample)
        with right:
            settings = inputs.options_and_seed(settings)
            aim = replace(
                aim,
                given=st.toggle(
                    "I give the shares myself", key=state.seeded(Key.PLAN_GIVEN, aim.given)
                ),
            )
            if aim.given:
                settings = inputs.shares_of(settings, sample, methods=True)
    seen = replace(current, settings=settings, aim=replace(aim, targets=targets))
    state.keep(seen)
    return seen, sample


def _target(k: int, target: Target, table: Table) -> Target:
    """One row of controls; the target that it says."""
    seen = "visible" if k == 0 else "collapsed"
    key = f"{Key.PLAN_TARGET}{k}-"
    quantities = {q.id: q for q in table.quantities}
    asked = target.quantity or next(iter(quantities))
    quantities.setdefault(asked, quantity_of(table, asked))
    who, level, within, unit, counting, away = st.columns(
        [5, 5, 3, 4, 6, 1], vertical_alignment="bottom"
    )
    now = plan_words.who_choice(target)
    with who:
        chosen = st.selectbox(
            "Keep",
            dict.fromkeys([*_WHO, now]),
            key=state.seeded(f"{key}who", now),
            format_func=plan_words.who,
            label_visibility=seen,
        )
    with counting:
        wanted = st.selectbox(
            "Counting",
            list(quantities),
            key=state.seeded(f"{key}quantity", asked),
            format_func=lambda id: plan_words.counting(quantities[id]),
            label_visibility=seen,
        )
    regions = quantity_regions(table, quantities[wanted])
    with level:
        name = st.selectbox(
            "Level",
            regions.levels,
            key=state.seeded(f"{key}level", target.level),
            format_func=words.plural,
            label_visibility=seen,
        )
    with unit:
        relative = st.selectbox(
            "Unit",
            [True, False],
            key=state.seeded(f"{key}unit", target.relative),
            format_func=plan_words.UNITS.__getitem__,
            label_visibility=seen,
        )
    with within:
        value = target.tolerance * 100 if target.relative else target.tolerance
        said = st.number_input(
            "Within",
            min_value=0.001,
            max_value=100.0 if relative else 1e9,
            key=state.seeded(f"{key}within", round(min(value, 100.0 if relative else value), 9)),
            format="%g",
            label_visibility=seen,
        )
    with away:
        if k:
            st.button(
                "",
                icon=":material/close:",
                key=f"{key}away",
                help="Leave this target out",
                on_click=_leave_out,
                args=(k,),
            )
    words_ = f"{name}={chosen}:{said:.9f}{'%' if relative else ''}"
    first = next(iter(quantities))
    return replace(Target.parse(words_), quantity=None if wanted == first else wanted)


def _add() -> None:
    view = state.view()
    levels = state.data(view.settings.sample).table.regions.levels
    asked = {target.level for target in view.aim.targets}
    free = [level for level in reversed(levels) if level not in asked] or [levels[0]]
    extra = Target(level=free[0], tolerance=0.01, relative=True)
    _go_with((*view.aim.targets, extra))


def _leave_out(k: int) -> None:
    targets = state.view().aim.targets
    _go_with(targets[:k] + targets[k + 1 :])


def _go_with(targets: tuple[Target, ...]) -> None:
    view = state.view()
    state.go(replace(view, aim=replace(view.aim, targets=targets)))


def _kind(aim: Aim) -> Aim:
    """The kind of budget, how often the targets must hold, and where to stop."""
    find = st.segmented_control(
        "Find the budget as",
        FINDS,
        format_func=plan_words.FINDS.__getitem__,
        key=state.seeded(Key.PLAN_FIND, aim.find),
        required=True,
        help="ε: double geometric noise. ε with δ, or ρ (zero-concentrated): discrete Gaussian "
        "noise. The same number means something else in each.",
    )
    delta = aim.delta
    if find == "delta":
        delta = st.number_input(
            "δ",
            min_value=1e-15,
            max_value=0.1,
            format="%g",
            key=state.seeded(Key.PLAN_DELTA, aim.delta),
        )
    now = 100 * aim.reliability
    hundred = st.select_slider(
        "In at least so many of 100 draws all targets must hold",
        options=sorted({*RELIABILITIES, round(now, 6)}),
        format_func=lambda value: f"{value:g}",
        key=state.seeded(Key.PLAN_RELIABILITY, round(now, 6)),
    )
    most = st.number_input(
        "Largest budget to try",
        min_value=1e-5,
        max_value=LARGEST,
        format="%g",
        key=state.seeded(Key.PLAN_MOST, aim.most),
    )
    fresh = st.selectbox(
        "Fresh draws of the check",
        dict.fromkeys([None, *FRESH, aim.fresh]),
        format_func=lambda n: "as many as are needed" if n is None else f"{n:,}",
        key=state.seeded(Key.PLAN_FRESH, aim.fresh),
        help="Fewer are quicker and leave the budget less sure.",
    )
    return replace(aim, find=find, delta=delta, reliability=hundred / 100, most=most, fresh=fresh)


def _table(aim: Aim, sample: Sample) -> Aim:
    """The true counts or a stand-in, and its total where it needs one."""
    own = state.own()
    careful = own is not None and own.sample is sample and own.confidential
    usual = careful if aim.stand_in is None else aim.stand_in
    chosen = st.segmented_control(
        "Plan on",
        [False, True],
        format_func=lambda made: plan_words.STAND_IN if made else plan_words.TRUE,
        key=state.seeded(Key.PLAN_STAND_IN, usual),
        required=True,
        help=plan_words.TABLE_HELP,
    )
    total = aim.total
    if chosen and sample.table.domain.groups is None:
        guess = total if total is not None else (None if careful else _round_total(sample.table))
        total = st.number_input(
            "Its total: a public figure or a guess",
            min_value=1,
            max_value=10**12,
            step=1,
            key=state.seeded(Key.PLAN_TOTAL, guess),
        )
    stand_in = bool(chosen)
    said = aim.stand_in if stand_in == usual and aim.stand_in is None and not careful else stand_in
    return replace(aim, stand_in=said, total=total)


def _round_total(table: Table) -> int:
    """The total of a public table to two digits, as one would know it."""
    total = max(1, int(table.values.sum() if table.kind == "flows" else table.values[0]))
    step = 10 ** max(0, len(str(total)) - 2)
    return round(total / step) * step


def answer(view: View, sample: Sample, title: st.delta_generator.DeltaGenerator) -> None:
    """The button, the search on its way, and what it found."""
    needs_total = view.aim.stand_in and view.aim.total is None
    if needs_total and sample.table.domain.groups is None:
        st.info(plan_words.NEEDS_TOTAL)
        return
    found = plan_work.answer(view)
    search = plan_work.current()
    busy = search is not None and search.running and search.name == plan_work.name_of(view)
    if search is not None and search.running and not busy:
        search.cancel()
    st.button(
        "Find the budget",
        type="primary",
        icon=":material/search:",
        disabled=busy or found is not None,
        on_click=plan_work.begin,
        args=(view, sample),
    )
    if busy:
        frame.part(_progress, every=_BEAT)(view)
    elif found is not None:
        title.title(plan_words.title(found))
        _found(view, sample, found)
    elif search is not None and search.stop.is_set():
        st.caption(plan_words.CANCELLED)
    else:
        st.caption(plan_words.NOTHING_YET)


def _progress(view: View) -> None:
    search = plan_work.current()
    if search is None or not search.running:
        st.rerun()
    search.look()
    bar, button = st.columns([6, 1], vertical_alignment="center")
    with bar:
        st.progress(
            search.share, text=plan_words.progress(search.done, search.expected, search.words)
        )
    with button:
        st.button("Cancel", on_click=search.cancel, width="stretch")


def _found(view: View, sample: Sample, found: BudgetPlan) -> None:
    st.markdown(f"### {found.sentence}")
    st.markdown(found.sure)
    st.caption(found.basis)
    for warning in found.warnings:
        st.warning(warning, icon=":material/info:")
    yardsticks = found.yardsticks
    for columns in (yardsticks[k : k + 2] for k in range(0, len(yardsticks), 2)):
        for place, yardstick in zip(st.columns(2, gap="large"), columns, strict=False):
            with place:
                _curve(found, yardstick)
    _levels(found)
    _away(view, sample, found)


def _curve(found: BudgetPlan, yardstick: Yardstick) -> None:
    target = yardstick.target
    rows = found.curve[found.curve["target"] == target.text]
    mean, symbol = target.share is None, "ρ" if found.unit == "rho" else "ε"
    needed = target.tolerance if target.share is None else target.share
    st.markdown(f"**{words.capital(yardstick.words)}**, {yardstick.unit}")
    st.plotly_chart(
        figures.plan.curve(
            rows,
            needed=needed,
            mean=mean,
            symbol=symbol,
            found=found.size if found.reached else None,
            unit=yardstick.unit,
            reliability=found.reliability,
            relative=target.relative,
        ),
        key=f"plan-{target.text}",
        config=CONFIG,
        alt=figures.plan.alt(
            rows,
            needed=needed,
            mean=mean,
            symbol=symbol,
            target=yardstick.words,
            relative=target.relative,
        ),
    )
    with st.expander("The curve as a table"):
        st.dataframe(
            figures.plan.table(rows, mean=mean, symbol=symbol, relative=target.relative),
            hide_index=True,
        )


def _levels(found: BudgetPlan) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("##### How the budget is shared")
        symbol = "ε" if found.plan.budget.kind == "pure" else "ρ"
        shared = found.levels
        total = sum(found.plan.shares.weights)
        st.dataframe(
            pd.DataFrame(
                {
                    "Level": [words.capital(name) for name in shared["level"]],
                    "Share": shared["share"],
                    "Of the budget": [percent(share / total) for share in shared["share"]],
                    symbol: [parameter(part) for part in shared["budget"]],
                    "Noise ±": [
                        "none drawn" if math.isnan(sd) else parameter(sd)
                        for sd in shared["noise_sd"]
                    ],
                }
            ),
            hide_index=True,
        )
        chosen = "chosen for these targets" if found.shares_chosen else "as given"
        st.caption(f"Shares {chosen}. Noise: its standard deviation in one number.")
    with right:
        st.markdown(f"##### What is left of the truth, {found.counted}")
        errors = found.errors
        st.dataframe(
            pd.DataFrame(
                {
                    "Level": [words.capital(name) for name in errors["level"]],
                    "Places": [f"{n:,}" for n in errors["regions"]],
                    "Mean error": [parameter(value) for value in errors["mean_abs"]],
                    "95 % of places within": [parameter(value) for value in errors["q95_abs"]],
                }
            ),
            hide_index=True,
        )
        st.caption(f"Absolute errors, means over {found.draws:,} fresh draws.")


def _away(view: View, sample: Sample, found: BudgetPlan) -> None:
    """On to Explore, and what can be taken away."""
    go, compare, save = st.columns(3)
    with go:
        if st.button("See it in Explore", icon=":material/map:", width="stretch"):
            budget = found.plan.budget
            settings = replace(
                view.settings,
                epsilon=None if budget.epsilon is None else float(budget.epsilon),
                delta=None if budget.delta is None else float(budget.delta),
                rho=None if budget.rho is None else float(budget.rho),
                shares=found.plan.shares.weights,
                quantity=found.yardsticks[0].target.quantity,
            )
            state.go(replace(view, settings=settings))
            st.switch_page(EXPLORE)
    with compare:
        if st.button("Compare mechanisms at it", icon=":material/balance:", width="stretch"):
            usual = CompareView.usual(sample)
            others = tuple(id for id in usual.mechanisms if id != found.plan.mechanism)
            grid = replace(
                usual,
                mechanisms=(found.plan.mechanism, *others),
                kinds=(view.aim.find,),
                sizes=(found.size,),
                delta=view.aim.delta,
            )
            state.put(Key.COMPARE, (grid, sample))
            st.switch_page(COMPARE)
    with save:
        note = plan_words.STAND_IN if found.stand_in else CONTAINS_TRUTH
        st.download_button(
            "Save the curve (CSV)",
            found.curve.assign(note=note).to_csv(index=False),
            file_name="plan-stand-in.csv" if found.stand_in else "plan-contains-true-values.csv",
            mime="text/csv",
            width="stretch",
        )
    with st.expander("To find this again"):
        link, shell, python = st.tabs(["Link", "Shell", "Python"])
        targets = view.aim.targets_for(sample.table)
        with link:
            st.code(state.link(view.plan_query()), language=None, wrap_lines=True)
        with shell:
            st.code(
                plan_words.shell(view.settings, view.aim, targets), language="bash", wrap_lines=True
            )
        with python:
            st.code(plan_words.python(view.settings, view.aim, targets), language="python")


def how_to_read(sample: Sample) -> None:
    with st.expander("How to read this page"):
        for line in plan_words.HOW_TO_READ:
            st.markdown(line)
        st.markdown(f"**{sample.title}**: {sample.about} {sample.real}")
        st.caption(f"Source: {sample.source}. Licence: {sample.licence}.")
