"""The controls of Set a budget, and the search while it runs."""

from dataclasses import replace
from typing import Literal

import streamlit as st

from hierdp_core.planning import BestAllocation, Target
from hierdp_core.samples import Sample
from hierdp_core.tables import Table, quantity_regions
from hierdp_core.tables import quantity as quantity_of
from hierdp_core.util.text import plural
from pages.ui.budget import allocation_parts, budget_words, work
from pages.ui.budget import answer as answer_parts
from pages.ui.budget.address import ASKS, FINDS, LARGEST, SMALLEST, BudgetAddress
from pages.ui.shell import (
    address,
    choices,
    datasets,
    frame,
    inputs,
    jobs,
    parts,
    session,
    widgets,
    words,
)
from pages.ui.shell.address import View
from pages.ui.shell.announcer import announce
from pages.ui.shell.session import Key

RELIABILITIES = (50.0, 80.0, 90.0, 95.0, 99.0)
FRESH = (200, 800, 3200)
_WHO = ("all", "99%", "95%", "90%", "80%", "median", "mean")
_MOST_TARGETS = 6


def controls() -> tuple[View, Sample]:
    """Show the controls, and return what they state and the data."""
    ask = choices.one_of(
        "What to find",
        ASKS,
        address.view().of(BudgetAddress).ask,
        key=Key.PLAN_ASK,
        format_func=budget_words.ASKS.__getitem__,
        label_visibility="collapsed",
    )
    current, sample = inputs.data_and_mechanism()
    aim = replace(current.of(BudgetAddress), ask=ask)
    if ask == "allocation":
        new_view = _shares_controls(current.having(aim), sample)
    else:
        new_view = _budget_controls(current.having(aim), sample)
    address.keep(new_view)
    return new_view, sample


def _shares_controls(current: View, sample: Sample) -> View:
    """Show the controls of the search for an allocation with a low weighted error."""
    settings, aim = current.settings, current.of(BudgetAddress)
    budget, box, _ = st.columns([6, 2, 6], gap="medium")
    with budget:
        settings = inputs.budget_of(settings, box)
    aim = allocation_parts.weights(aim, sample.table.regions.levels)
    with st.expander("Advanced: variable, privacy definition, random seed, planning data"):
        left, right = st.columns(2, gap="large")
        with left:
            settings = inputs.counted_and_stated(settings, sample)
        with right:
            aim = _table(aim, sample)
            settings = inputs.seed_of(settings)
    return replace(current, settings=settings).having(aim)


def _budget_controls(current: View, sample: Sample) -> View:
    """Show the targets, and the other controls under "Advanced"."""
    aim = current.of(BudgetAddress)
    st.markdown("**Accuracy targets**")
    targets = tuple(
        _target(k, target, sample.table) for k, target in enumerate(aim.targets_for(sample.table))
    )
    if len(targets) < _MOST_TARGETS:
        st.button("Add a target", icon=":material/add:", on_click=_add)
    settings = current.settings
    with st.expander("Advanced: privacy definition, budget allocation, simulations, planning data"):
        left, right = st.columns(2, gap="large")
        with left:
            aim = _kind(aim)
            aim = _table(aim, sample)
        with right:
            settings = inputs.options_and_seed(settings)
            aim = replace(
                aim,
                given=widgets.toggle(
                    "Set the budget allocation myself",
                    key=session.seeded(Key.PLAN_GIVEN, aim.given),
                ),
                guard=widgets.toggle(
                    "Protect levels without a target",
                    key=session.seeded(Key.PLAN_GUARD, aim.guard),
                    help=budget_words.GUARD_HELP,
                ),
            )
            if aim.given:
                settings = inputs.shares_of(settings, sample, methods=True)
    return replace(current, settings=settings).having(replace(aim, targets=targets))


def _target(k: int, target: Target, table: Table) -> Target:
    """Show one row of controls, and return the target that it states."""
    label_visibility: Literal["visible", "collapsed"] = "visible" if k == 0 else "collapsed"
    key = f"{Key.PLAN_TARGET}{k}-"
    quantities = {q.id: q for q in table.quantities}
    quantity_id = target.quantity or next(iter(quantities))
    quantities.setdefault(quantity_id, quantity_of(table, quantity_id))
    who, level, within, unit, counting, away = st.columns(
        [5, 5, 3, 6, 6, 1], vertical_alignment="bottom"
    )
    now = budget_words.who_choice(target)
    with who:
        chosen = widgets.selectbox(
            "Keep",
            list(dict.fromkeys([*_WHO, now])),
            key=session.seeded(f"{key}who", now),
            format_func=budget_words.who,
            label_visibility=label_visibility,
        )
    with counting:
        selection = widgets.selectbox(
            "Variable",
            list(quantities),
            key=session.seeded(f"{key}quantity", quantity_id),
            format_func=lambda id: budget_words.counting(quantities[id]),
            label_visibility=label_visibility,
        )
    regions = quantity_regions(table, quantities[selection])
    with level:
        name = widgets.selectbox(
            "Level",
            regions.levels,
            key=session.seeded(f"{key}level", target.level),
            format_func=plural,
            label_visibility=label_visibility,
        )
    with unit:
        relative = widgets.selectbox(
            "Unit",
            [True, False],
            key=session.seeded(f"{key}unit", target.relative),
            format_func=budget_words.UNITS.__getitem__,
            label_visibility=label_visibility,
        )
    with within:
        value = target.tolerance * 100 if target.relative else target.tolerance
        tolerance = widgets.number_input(
            "Within",
            min_value=0.001,
            max_value=100.0 if relative else 1e9,
            key=session.seeded(f"{key}within", round(min(value, 100.0 if relative else value), 9)),
            format="%g",
            label_visibility=label_visibility,
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
    words_ = f"{name}={chosen}:{tolerance:.9f}{'%' if relative else ''}"
    first = next(iter(quantities))
    return replace(Target.parse(words_), quantity=None if selection == first else selection)


def _add() -> None:
    view = address.view()
    levels = datasets.get(view.settings.sample).table.regions.levels
    target_levels = {target.level for target in view.of(BudgetAddress).targets}
    free = [level for level in reversed(levels) if level not in target_levels] or [levels[0]]
    extra = Target(level=free[0], tolerance=0.01, relative=True)
    _go_with((*view.of(BudgetAddress).targets, extra))


def _leave_out(k: int) -> None:
    targets = address.view().of(BudgetAddress).targets
    _go_with(targets[:k] + targets[k + 1 :])


def _go_with(targets: tuple[Target, ...]) -> None:
    view = address.view()
    address.go(view.having(replace(view.of(BudgetAddress), targets=targets)))


def _kind(aim: BudgetAddress) -> BudgetAddress:
    """Show controls for the kind of budget, the reliability and the largest budget."""
    find = choices.one_of(
        "Privacy definition",
        FINDS,
        aim.find,
        key=Key.PLAN_FIND,
        format_func=words.DEFINITIONS.__getitem__,
        help=words.DEFINITIONS_HELP,
    )
    delta = aim.delta
    if find == "delta":
        delta = widgets.number_input(
            "δ",
            min_value=1e-15,
            max_value=0.1,
            format="%g",
            key=session.seeded(Key.PLAN_DELTA, aim.delta),
        )
    now = 100 * aim.reliability
    hundred = widgets.select_slider(
        "All targets must hold in at least this percentage of simulations",
        options=sorted({*RELIABILITIES, round(now, 6)}),
        format_func=lambda value: f"{value:g}%",
        key=session.seeded(Key.PLAN_RELIABILITY, round(now, 6)),
    )
    most = widgets.number_input(
        "Largest budget to try",
        min_value=SMALLEST,
        max_value=LARGEST,
        format="%g",
        key=session.seeded(Key.PLAN_MOST, aim.most),
    )
    fresh = widgets.selectbox(
        "Validation simulations",
        list(dict.fromkeys([None, *FRESH, aim.fresh])),
        format_func=lambda n: "as many as needed (slower)" if n is None else f"{n:,}",
        key=session.seeded(Key.PLAN_FRESH, aim.fresh),
        help="Fewer are quicker and give a wider interval for the budget.",
    )
    return replace(aim, find=find, delta=delta, reliability=hundred / 100, most=most, fresh=fresh)


def _table(aim: BudgetAddress, sample: Sample) -> BudgetAddress:
    """Show the choice of true counts or a synthetic table, which needs a total."""
    careful = datasets.is_confidential(sample)
    default = careful if aim.synthetic is None else aim.synthetic
    chosen = choices.one_of(
        "Plan on",
        [False, True],
        default,
        key=Key.PLAN_SYNTHETIC,
        format_func=lambda made: budget_words.SYNTHETIC if made else budget_words.TRUE,
        help=budget_words.TABLE_HELP,
    )
    total = aim.total
    if chosen and sample.table.domain.groups is None:
        guess = total if total is not None else (None if careful else _round_total(sample.table))
        total = widgets.number_input(
            "Total of the synthetic table: a public figure or an estimate",
            min_value=1,
            max_value=10**12,
            step=1,
            key=session.seeded(Key.PLAN_TOTAL, guess),
        )
    synthetic = bool(chosen)
    sentence = (
        aim.synthetic
        if synthetic == default and aim.synthetic is None and not careful
        else synthetic
    )
    return replace(aim, synthetic=sentence, total=total)


def _round_total(table: Table) -> int:
    """Return the total of a public table, rounded to two digits."""
    total = max(1, table.total)
    step = int(10 ** max(0, len(str(total)) - 2))
    return round(total / step) * step


def can_plan(view: View, sample: Sample) -> bool:
    """Return whether everything that a search needs is given."""
    needs_total = view.of(BudgetAddress).synthetic and view.of(BudgetAddress).total is None
    return not (needs_total and sample.table.domain.groups is None)


def answer(view: View, sample: Sample, title: st.delta_generator.DeltaGenerator) -> None:
    """Show the button, the running search and its answer."""
    if not can_plan(view, sample):
        st.info(budget_words.NEEDS_TOTAL)
        return
    search = work.current()
    busy = search is not None and search.running and search.name == work.name_of(view)
    result = work.answer(view)  # read after `busy`, so that a search that ends now has its answer
    if search is not None and search.running and not busy:
        search.stop()
    asks_allocation = view.of(BudgetAddress).ask == "allocation"
    st.button(
        "Find the allocation" if asks_allocation else "Find the budget",
        type="primary",
        icon=":material/search:",
        disabled=busy or result is not None,
        on_click=work.begin,
        args=(view, sample),
    )
    if busy:
        announce(budget_words.SEARCHING)
        frame.part(_progress, every=jobs.beat())(view)
    elif result is not None:
        title.title(budget_words.title(result))
        announce(result.sentence)
        if not view.of(BudgetAddress).synthetic:
            parts.badge(sample)
        if isinstance(result, BestAllocation):
            allocation_parts.found(view, sample, result)
        else:
            answer_parts.found(view, sample, result)
    elif search is not None and search.stopped:
        st.caption(budget_words.STOPPED)
    else:
        unasked = budget_words.not_yet(work.seconds(view))
        st.caption(budget_words.ALLOCATION_YET if asks_allocation else unasked)


def _progress(view: View) -> None:
    search = work.current()
    if search is None or not search.running:
        st.rerun()
    search.look()
    bar, button = st.columns([6, 1], vertical_alignment="center")
    with bar:
        st.progress(
            search.share, text=budget_words.progress(search.done, search.total, search.note)
        )
    with button:
        st.button("Stop", on_click=search.stop, width="stretch")


def how_to_read(sample: Sample) -> None:
    """Explain how to read Set a budget, and describe the data."""
    st.caption(parts.source(sample))
    with st.expander("About this page and the data"):
        asks_allocation = address.view().of(BudgetAddress).ask == "allocation"
        for line in (
            budget_words.HOW_TO_READ_ALLOCATION if asks_allocation else budget_words.HOW_TO_READ
        ):
            st.markdown(line)
        st.markdown(f"**{sample.title}**: {sample.about} {sample.real}")
        st.caption(f"Source: {sample.credit}")
