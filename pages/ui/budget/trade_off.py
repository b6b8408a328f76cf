"""The trade-off on Set a budget: one curve per level, and budgets to select from them."""

from dataclasses import dataclass, replace

import streamlit as st

from hierdp_core import figures
from hierdp_core.planning import PlanningStopped, TradeOff, trade_off
from hierdp_core.planning.bench import Progress
from hierdp_core.planning.trade_off import EPSILONS, RHOS, SIMULATIONS, usual_budgets
from hierdp_core.privacy.rounding import parameter
from hierdp_core.samples import Sample
from hierdp_core.settings import Settings
from hierdp_core.util.parallel import Workers, cores
from pages.ui.budget import budget_words, work
from pages.ui.budget.address import BudgetAddress
from pages.ui.shell import address, charts, datasets, frame, jobs, navigation, session, widgets
from pages.ui.shell.address import View
from pages.ui.shell.announcer import announce
from pages.ui.shell.cache import remembered
from pages.ui.shell.jobs import Job
from pages.ui.shell.session import Key
from pages.ui.shell.turns import urgent

PAGE = "trade-off"
OVERVIEW = "pages/overview_page.py"
_SHORT = 30.0  # seconds; a trade-off that takes less is computed without being asked for
_FIRST = 1.0  # seconds; one simulation at each budget is worth waiting for if it takes less
_KEPT = 100


@dataclass
class Result:
    """The result of the computation: the trade-off, or None until it is complete."""

    value: TradeOff | None = None


def show(view: View, sample: Sample) -> None:
    """Show the curves of the view; before they are complete, a button or the first curves."""
    st.divider()
    job = jobs.current(PAGE)
    if job is not None and job.name != _name(view):
        jobs.forget(PAGE)
    results = _results(_name(view))
    if results:
        _show_result(view, results[0])
        return
    seconds = _seconds(view)
    st.markdown(f"## {budget_words.TRADE_OFF}")
    if jobs.current(PAGE) is None and seconds > _SHORT:
        st.caption(budget_words.trade_off_yet(seconds))
        st.button(
            "Show the trade-off", icon=":material/show_chart:", on_click=_begin, args=(view, sample)
        )
        return
    first = _first(_name(view), view, sample) if seconds < _FIRST * SIMULATIONS else None
    if first is not None:
        _show_curves(view, first)
        st.caption(budget_words.FIRST_CURVES)
    _begin(view, sample)
    frame.part(_progress, every=jobs.beat(seconds))(view, seconds)


def _begin(view: View, sample: Sample) -> None:
    jobs.of(PAGE, _name(view), lambda: _job(view, sample))


def _progress(view: View, seconds: float) -> None:
    job = jobs.current(PAGE)
    if job is None:
        return
    running = job.look()
    if job.finished and job.value.value is not None:
        _results(_name(view)).append(job.value.value)
        st.rerun()
    if running:
        st.progress(job.share, text=budget_words.trade_off_progress(job.done, job.total, seconds))


def _show_result(view: View, result: TradeOff) -> None:
    """Show the charts, the budgets to select from, and the link to Overview."""
    if not work.asked_for(view):  # the answer of the search is announced instead
        announce(figures.errors.trade_off.finding(result))
    st.markdown(f"## {figures.errors.trade_off.finding(result)}")
    _show_curves(view, result)
    st.caption(budget_words.trade_off_note(result))
    _choice(view, result, _chosen(view, result))


def _show_curves(view: View, result: TradeOff) -> None:
    """Show one chart for each unit of error, beside each other; a selected point is a budget."""
    curves = figures.errors.trade_off.charts(result, chosen=_chosen(view, result))
    st.markdown(curves[0].sentence or budget_words.PICK)
    for k, (chart, column) in enumerate(zip(curves, st.columns(len(curves)), strict=True)):
        with column:
            chart_event = charts.show(
                chart,
                key=f"{Key.PLAN_CURVE}{k}",
                on_select="rerun",
                selection_mode="points",
            )
        if points := chart_event.selection.points:
            _pick(view, result, min(result.sizes, key=lambda s: abs(s - points[0]["x"])))


def _chosen(view: View, result: TradeOff) -> float | None:
    """Return the budget of the settings if the curves contain it, or None."""
    size = view.settings.rho if result.unit == "rho" else view.settings.epsilon
    return size if size in result.sizes else None


def _choice(view: View, result: TradeOff, chosen: float | None) -> None:
    """Show the budgets as buttons, and a button that opens Overview at the selected one."""
    symbol = "ρ" if result.unit == "rho" else "ε"
    left, right = st.columns([5, 2], vertical_alignment="bottom")
    with left:
        size = widgets.segmented_control(
            "Select a budget",
            result.sizes,
            format_func=lambda size: f"{symbol} = {parameter(size)}",
            key=session.seeded(Key.PLAN_PICK, chosen),
            help=budget_words.PICK_HELP,
            wrap=True,
        )
    if size is not None and size != chosen:
        _pick(view, result, size)
    with right:
        if st.button(
            "Open selection in Overview",
            key="trade-off-overview",
            icon=":material/map:",
            width="stretch",
            disabled=chosen is None,
        ):
            address.go(view)
            navigation.to(OVERVIEW)


def _pick(view: View, result: TradeOff, size: float) -> None:
    """Use a budget in the settings of every page."""
    settings = _with_budget(view.settings, result.unit, size, view.of(BudgetAddress))
    if settings != view.settings:
        address.go(replace(view, settings=settings))
        st.rerun()


def _with_budget(settings: Settings, unit: str, size: float, aim: BudgetAddress) -> Settings:
    allocation = settings.allocation if aim.given else None
    none = replace(settings, epsilon=None, delta=None, rho=None, allocation=allocation)
    if unit == "rho":
        return replace(none, rho=size, accounting=None, noise=None)
    delta = aim.delta if aim.find == "delta" else None
    return replace(none, epsilon=size, delta=delta)


def _job(view: View, sample: Sample) -> Job[Result]:
    def compute(job: Job[Result]) -> bool:
        try:
            job.value.value = _computed(
                view,
                sample,
                n_simulations=SIMULATIONS,
                workers=Workers(cancel=lambda: job.unwanted),
                progress=job.report,
            )
        except PlanningStopped:
            return False
        return True

    return Job(name=_name(view), compute=compute, value=Result(), quiet_looks=1)


def _computed(
    view: View,
    sample: Sample,
    *,
    n_simulations: int,
    workers: Workers | None = None,
    progress: Progress | None = None,
) -> TradeOff:
    aim, settings = view.of(BudgetAddress), view.settings
    return trade_off(
        aim.simulated(sample.table),
        settings.configured,
        aim.targets_for(sample.table),
        budgets=usual_budgets(aim.largest),
        allocation=settings.allocation if aim.given else None,
        n_simulations=n_simulations,
        seed=settings.seed,
        workers=workers,
        progress=progress,
    )


def _name(view: View) -> str:
    """Return the name of a view's trade-off, made of all settings that its curves depend on."""
    aim = view.of(BudgetAddress)
    facts = (aim.targets, aim.find, aim.delta, bool(aim.synthetic), aim.synthetic and aim.total)
    return f"{datasets.digest(work.without_budget(view))}\ntrade-off {facts}"


def _seconds(view: View) -> float:
    sizes = RHOS if view.of(BudgetAddress).find == "rho" else EPSILONS
    return len(sizes) * SIMULATIONS * work.seconds_of_one(view) / cores()


@remembered(max_entries=_KEPT)
def _first(digest: str, _view: View, _sample: Sample) -> TradeOff:
    """Return the trade-off of one simulation at each budget, to show while the others run."""
    with urgent():
        return _computed(_view, _sample, n_simulations=1)


@remembered(max_entries=_KEPT)
def _results(digest: str) -> list[TradeOff]:
    """Return the list in which the trade-off of a view is kept once it is computed."""
    return []
