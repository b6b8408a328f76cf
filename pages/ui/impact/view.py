"""The pieces of Impact on decisions: a rule, the finding, the map, the tables, the files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from hierdp_core import decisions, figures
from hierdp_core.decisions import Parameter, Preset, Rule
from hierdp_core.decisions.fitness import fitness_of
from hierdp_core.evaluation.released_counts import LevelSimulations, ReleasedCounts, true_counts
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.maps.frequency import DIFFERENT
from hierdp_core.samples import Sample
from hierdp_core.samples.sample import OWN
from hierdp_core.tables import Table
from hierdp_core.util.text import capital, counted, plural
from hierdp_core.writers.defused import csv_text
from hierdp_core.writers.exploration import with_note
from hierdp_core.writers.fitness import fitness_page
from pages.ui.impact import impact_words, report, work
from pages.ui.impact.address import SHOWN, ImpactAddress, preset_of, to_python, under_preset
from pages.ui.impact.glances import budgets_table, programmes_table
from pages.ui.impact.work import Decided
from pages.ui.shell import (
    address,
    charts,
    frame,
    inputs,
    jobs,
    navigation,
    parts,
    pin_bar,
    session,
    tables,
    widgets,
    words,
)
from pages.ui.shell.address import SIMULATIONS, View
from pages.ui.shell.announcer import announce
from pages.ui.shell.areas import Area
from pages.ui.shell.jobs import Job
from pages.ui.shell.pin_bar import PinBar
from pages.ui.shell.session import Key
from pages.ui.shell.work import Drawn

TAB_TITLES = {
    "places": "Affected areas",
    "budgets": "Other budgets",
    "programmes": "All programmes and rules",
    "sizes": "By size of area",
    "draws": "By simulation",
}

_WAYS = {
    "pages/overview_page.py": "See errors by level",
    "pages/area_page.py": "Open an area profile",
    "pages/compare_page.py": "Compare mechanisms",
    "pages/budget_page.py": "Find the budget for a target",
}
_ARROW = ":material/arrow_forward:"
_MAP_WIDTH = 540  # pixels of the map on a usual screen
_SECOND_WIDTH = 400  # of the map beside it
_TABLE_HEIGHT = 420
_SOON = 3.0  # if fewer seconds are left, the page is not drawn again before the end
_BARS, _SIZE_BARS = "The bars as a table", "The bars by size as a table"


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    """A rule with all of its parameters, and the level it is for.

    `preset` is the programme or law with this rule, level and parameters, if there is one.
    """

    rule: Rule
    level: str
    parameters: Mapping[str, Any]
    preset: Preset | None = None


def shared_controls() -> tuple[View, Sample]:
    """Draw the shared controls and the number of simulations. Return the view and its data."""

    def repeats(current: View) -> View:
        seeded = inputs.seed(current, "Random seed", "Simulate again")
        now = current.of(ImpactAddress)
        n_simulations = widgets.select_slider(
            "Simulated releases",
            options=SIMULATIONS,
            key=session.seeded(Key.RULE_SIMULATIONS, now.n_simulations),
        )
        return seeded.having(replace(now, n_simulations=n_simulations))

    return inputs.view(repeats)


def controls(view: View, sample: Sample) -> tuple[View, Question]:
    """Draw the controls of the rule. Return the view with their values, and the question.

    Raises:
        ChoiceError: a parameter has an invalid value.
    """
    table, now = sample.table, view.of(ImpactAddress)
    _programme(table)
    truth = true_counts(table, view.settings.quantity or table.quantities[0].id)
    levels = truth.regions.levels
    parameters = decisions.get(session.get(Key.RULE) or now.rule).parameters
    widths = [6 if parameter.kind == "places" else 3 for parameter in parameters]  # whole names
    with st.container(key="pairs-rule"):
        left, right, *boxes = st.columns([4, 3, *widths], gap="medium", vertical_alignment="bottom")
    with left:
        rule_id = widgets.selectbox(
            "Decision rule",
            decisions.names(),
            format_func=lambda id: decisions.get(id).title,
            key=session.seeded(Key.RULE, now.rule),
            help="\n\n".join(f"**{r.title}**: {r.about}" for r in decisions.RULES.values()),
        )
    usual_level = decisions.get(rule_id).usual_level(truth.regions)
    with right:
        level = widgets.selectbox(
            "Level",
            levels[::-1],
            format_func=capital,
            key=session.seeded(
                f"{Key.RULE_LEVEL}{view.settings.sample}-{rule_id}",
                (now.level if now.rule == rule_id else None) or usual_level,
            ),
        )
    rule, places = decisions.get(rule_id), truth.of_level(level)
    now = now.under(rule.id, None if level == usual_level else level)
    usual, given = rule.read({}, places), rule.read(dict(now.parameters), places)
    where = f"{Key.RULE_PARAMETER}{view.settings.sample}-{truth.quantity.id}-{level}-{rule.id}-"
    values = {}
    for parameter, box in zip(rule.parameters, boxes, strict=True):
        with box:
            values[parameter.name] = _ask(parameter, given[parameter.name], places, where)
    seen = view.having(now.set_to(rule, values, usual))
    address.keep(seen)
    preset = preset_of(decisions.presets_for(table), rule=rule.id, level=level, values=values)
    if preset is not None:
        st.caption(impact_words.programme(preset, level=level, unit=truth.quantity.title))
    return seen, Question(rule=rule, level=level, parameters=values, preset=preset)


def _programme(table: Table) -> None:
    """Offer the rules of real programmes and laws, and a second rule to show beside the first."""
    presets = {preset.id: preset for preset in decisions.presets_for(table)}
    if not presets:
        return
    left, right = st.columns(2, gap="medium")
    with left:
        st.selectbox(
            "Programme or law",
            list(presets),
            index=None,
            format_func=lambda id: presets[id].title,
            key=session.identity(Key.RULE_PRESET),
            on_change=_apply_preset,
            placeholder="Choose a preset, or set the rule below",
            help="\n\n".join(
                f"**{p.title}**: {p.about} Source: {p.source}." for p in presets.values()
            ).replace("$", "\\$"),
        )
    with right:
        now = address.view().of(ImpactAddress)
        widgets.selectbox(
            "Show a second rule",
            ["", *presets],
            format_func=lambda id: presets[id].title if id else "No second rule",
            key=session.seeded(Key.RULE_BESIDE, now.beside),
            on_change=_set_beside,
        )


def _apply_preset() -> None:
    chosen = session.get(Key.RULE_PRESET)
    if chosen is not None:
        address.go(under_preset(address.view(), decisions.get_preset(chosen)))


def _set_beside() -> None:
    view = address.view()
    address.keep(view.having(replace(view.of(ImpactAddress), beside=session.get(Key.RULE_BESIDE))))


def _ask(parameter: Parameter, value: Any, places: LevelSimulations, where: str) -> Any:
    key, label = f"{where}{parameter.name}", parameter.title
    if parameter.kind == "choice":
        choices = parameter.choices
        return widgets.selectbox(
            label,
            list(choices),
            format_func=choices.__getitem__,
            key=session.seeded(key, value),
            help=parameter.about,
        )
    if parameter.kind == "places":
        names = dict(zip(places.ids, places.names, strict=True))
        chosen = widgets.multiselect(
            label,
            sorted(names, key=names.__getitem__),
            format_func=names.__getitem__,
            key=session.seeded(key, list(value)),
            help=parameter.about,
            placeholder="None",
        )
        return parameter.read(chosen, places)
    if parameter.kind == "share":
        percents = widgets.number_input(
            f"{label} (%)",
            min_value=0.001,
            max_value=100.0,
            format="%g",
            key=session.seeded(key, 100.0 * value),
            help=parameter.about,
        )
        return parameter.read(percents / 100, places)
    least = int(parameter.least) if isinstance(value, int) else float(parameter.least)
    number = widgets.number_input(
        label,
        min_value=least,
        key=session.seeded(key, value),
        help=parameter.about,
    )
    return parameter.read(number, places)


def results(view: View, drawn: Drawn, question: Question, title: DeltaGenerator) -> None:
    """Show the results of the simulations so far.

    Args:
        view: the settings that are shown.
        drawn: one simulation of them.
        question: the rule, its parameters and its level.
        title: the placeholder of the title.
    """
    with st.spinner("Simulating…"):
        counts, job = work.simulations(view, drawn)
        decided = work.decided(view, drawn, counts, question.level, question.parameters)
    budget = words.budget(drawn.plan)
    title.title(_plain(impact_words.title(decided.outcome, budget, unit=decided.unit)))
    paragraph = impact_words.paragraph(decided.outcome, unit=decided.unit)
    st.markdown(_plain(paragraph))
    parts.badge(drawn.sample)
    announce(paragraph)
    if job and not job.stopped:
        frame.part(_waiting, every=jobs.beat(job.seconds))(view, drawn, counts.n)
    elif job:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Stopped after {counted(counts.n, 'simulation')}.", width="content")
            st.button("Continue", on_click=jobs.forget, args=(work.PAGE,))
    left, right = st.columns([7, 5], gap="large")
    with left:
        _map(decided, drawn)
    with right:
        if second := view.of(ImpactAddress).beside:
            _beside(decisions.get_preset(second), drawn, counts)
        else:
            _spread(decided)
    _tabs(view, decided, drawn, counts)
    _report(view, decided, drawn, counts)


def about_pins(bar: PinBar, view: View, drawn: Drawn, question: Question) -> None:
    """Show in the bar how often the decision about each pinned area changes."""
    counts, _ = work.simulations(view, drawn)
    decided = work.decided(view, drawn, counts, question.level, question.parameters)
    regions, rows = drawn.sample.table.regions, decided.outcome.places.set_index("id")["wrong"]

    def sentence(node: int) -> str:
        area = Area.of(regions, node)
        wrong = rows.get(area.id) if area.level == question.level else None
        return impact_words.pinned(
            decided.outcome, area.level, None if wrong is None else float(wrong)
        )

    bar.tell(sentence)


def _plain(text: str) -> str:
    """Return text with escaped dollar signs, as Markdown reads a pair of them as a formula."""
    return text.replace("$", "\\$")


def _beside(preset: Preset, drawn: Drawn, counts: ReleasedCounts) -> None:
    """Show a second rule at the same budget, from the same simulations."""
    level = preset.level_in(drawn.levels)
    assert level is not None
    decided = work.decided_by(preset.rule, drawn, counts, level, preset.parameters)
    st.markdown(f"## {_plain(preset.title)}")
    st.markdown(_plain(impact_words.paragraph(decided.outcome, unit=decided.unit)))
    height = figures.maps.error_map.height_for(drawn.sample.boundaries.box, _SECOND_WIDTH)
    chart = work.map_of(decided.digest, charts.theme(), False, decided, drawn, height)
    _show(chart, decided, "map-beside")
    st.caption(_plain(impact_words.programme(preset, level=level, unit=decided.unit)))


def _report(view: View, decided: Decided, drawn: Drawn, counts: ReleasedCounts) -> None:
    """Offer the page as one file, and a fitness-for-use statement on the planned release."""
    link = address.link(view.of(ImpactAddress).full_query(view))
    own = drawn.sample.id == OWN
    command = view.settings.to_shell().replace(" simulate ", " fitness ", 1)
    with st.container(horizontal=True):
        st.download_button(
            "Download fitness for use (HTML)",
            lambda: fitness_page(
                fitness_of(drawn.sample.table, counts),
                drawn.plan,
                title=drawn.sample.title,
                source=drawn.sample.credit,
                repeat="" if own else f"{command} --simulations {counts.n}",
                seed=drawn.simulation.seed,
                not_real=drawn.sample.badge,
                confidential=decided.confidential,
            ),
            file_name=f"fitness-for-use-contains-true-values-{drawn.sample.id}.html",
            mime="text/html",
            key="decide-fitness",
            on_click="ignore",
            help="One page about this plan: privacy in words, errors by level and size, decisions "
            "at risk, limits, and how to reproduce it. It opens without a network, and prints or "
            "saves as PDF on one A4 sheet.",
        )
        st.download_button(
            "Download report (HTML)",
            lambda: report.html(decided, drawn, link),
            file_name=f"{_file_name(decided, 'report')}.html",
            mime="text/html",
            key="decide-report",
            on_click="ignore",
            help="One file with the paragraph, the map, the most affected areas, the errors by "
            "size of area and the results by simulation. It opens without a network.",
        )
    if decided.confidential:
        st.warning(words.CONFIDENTIAL_FILES, icon=":material/lock:")


def _waiting(view: View, drawn: Drawn, n_shown: int) -> None:
    """Show the progress of the simulations. The page runs again only if there is more to show."""
    counts, job = work.simulations(view, drawn)
    if job is None or not job.running:
        st.rerun()
    # Drawing the page takes as long as many simulations, and it is drawn again at the end.
    if counts.n > n_shown and _SOON < job.seconds_left < float("inf"):
        st.rerun()
    job.look()
    bar, button = st.columns([6, 1], vertical_alignment="center")
    with bar:
        st.progress(job.share, text=words.simulations_words(job.done, job.total))
    with button:
        st.button("Stop", on_click=job.stop, width="stretch")


def _map(decided: Decided, drawn: Drawn) -> None:
    height = figures.maps.error_map.height_for(drawn.sample.boundaries.box, _MAP_WIDTH)
    picked = _show(
        work.map_of(decided.digest, charts.theme(), True, decided, drawn, height),
        decided,
        "map",
        heading=True,
        table_in=TAB_TITLES["places"],
        on_select="rerun",
        selection_mode="points",
    )
    if points := picked.selection.points:
        pin_bar.open_profile(Area(level=decided.outcome.level, id=str(points[0]["location"])))
    st.caption(impact_words.map_note(decided.outcome))


def _spread(decided: Decided) -> None:
    chart = work.spread_chart(decided)
    _show(chart, decided, "spread", table_in=_BARS, heading=True)
    st.caption(impact_words.spread_note(decided.outcome))
    if chart.table is not None:
        with st.expander(_BARS):
            _table(chart.table, {"simulations": "count"})


def _show(chart: Chart, decided: Decided, what: str, **how: Any) -> Any:
    """Draw a chart that can be saved as a picture, and return what `charts.show` returns."""
    return charts.show(chart, key=f"decide-{what}", file_name=_file_name(decided, what), **how)


def _file_name(decided: Decided, what: str) -> str:
    return f"{decided.outcome.rule.id}-{decided.outcome.level}-{what}-contains-true-values"


def _tabs(view: View, decided: Decided, drawn: Drawn, counts: ReleasedCounts) -> None:
    """Show the tabs on areas, budgets, programmes, sizes and simulations; compute the open one."""
    show = view.of(ImpactAddress).show
    shown = widgets.opened_tab(
        [TAB_TITLES[t] for t in SHOWN],
        shown=TAB_TITLES[show],
        key=Key.DECIDE_TAB,
        on_change=_other_tab,
    )
    draw: dict[str, Callable[[], None]] = {
        "places": lambda: _places(decided),
        "budgets": lambda: _budgets(view, drawn, decided),
        "programmes": lambda: _programmes(drawn, counts),
        "sizes": lambda: _sizes(decided),
        "draws": lambda: _by_simulation(decided),
    }
    with shown:
        draw[show]()


def _other_tab() -> None:
    titles = {title: name for name, title in TAB_TITLES.items()}
    view = address.view()
    show = titles[session.get(Key.DECIDE_TAB)]
    seen = view.having(replace(view.of(ImpactAddress), show=show))
    address.keep(seen)
    address.write(seen.of(ImpactAddress).full_query(seen))


def _places(decided: Decided) -> None:
    outcome = decided.outcome
    table = figures.maps.frequency.table(outcome)
    # The column that orders the rows follows the names: a phone cuts off columns on the right.
    name, true, wrong, *others = table.columns
    table = table[[name, wrong, true, *others]]
    kinds = {column.title: column.kind for column in outcome.rule.place_columns}
    kinds = {"true count": "count", DIFFERENT: "share"} | kinds
    _table(table, kinds, height=_TABLE_HEIGHT, level=outcome.level)
    about = impact_words.columns_note(outcome.rule.place_columns)
    st.caption(
        _plain(
            f"{about} {outcome.rule.ties} Click a column header to sort. "
            f"{words.OPENS} {words.NOT_PRIVATE}"
        )
    )
    _save(outcome.places, decided, "places")


def _programmes(drawn: Drawn, counts: ReleasedCounts) -> None:
    """Show every decision in a row. Selecting a row opens the decision."""
    rows = work.programmes(drawn, counts)
    st.markdown(impact_words.on_every_rule(rows))
    table = programmes_table(rows)
    picked = _table(table, {"areas affected": "count"}, key=f"{Key.RULE_TABLE}-rules")
    if picked is not None:
        row = rows.iloc[picked]
        preset = row["preset"]
        view = address.view()
        session.forget(f"{Key.RULE_TABLE}-rules")
        address.go(
            under_preset(view, decisions.get_preset(preset))
            if preset
            else view.having(
                replace(view.of(ImpactAddress), level=None, parameters=(), rule=row["rule"])
            )
        )
        st.rerun()
    st.caption(_plain(impact_words.programmes_note(counts.n, counts.quantity.title)))


def _budgets(view: View, drawn: Drawn, decided: Decided) -> None:
    """Show the decision at smaller and larger budgets, as results arrive."""
    job = work.budgets(view, drawn, decided)
    waiting = job.look()
    frame.part(_budgets_so_far, every=jobs.beat() if waiting else None)(job, decided, waiting)


def _budgets_so_far(job: Job[list[dict[str, Any]]], decided: Decided, waiting: bool) -> None:
    running = job.look()
    if waiting and not running:
        st.rerun()
    if running:
        st.progress(job.share, text=f"{job.done} of {job.total} budgets simulated")
    if not job.value:
        return
    rows, rule = pd.DataFrame(job.value), decided.outcome.rule
    if not running:
        st.markdown(impact_words.across_budgets(rows, level=decided.outcome.level, rule=rule))
    _table(budgets_table(rows), {"areas affected": "count"})
    st.caption(_plain(impact_words.budgets_note(rows, words.NOT_PRIVATE, rule=rule)))


def _sizes(decided: Decided) -> None:
    outcome, sizes = decided.outcome, decided.sizes
    st.markdown(impact_words.small_places(sizes, level=outcome.level, unit=decided.unit))
    panels = zip(
        figures.errors.by_size.PANELS,
        work.size_charts(decided),
        st.columns(3, gap="medium"),
        strict=True,
    )
    for (column, *_), chart, place in panels:
        with place:
            st.markdown(f"**{chart.title}**")
            _show(chart, decided, column, table_in=_SIZE_BARS)
    with st.expander(_SIZE_BARS):
        _table(figures.errors.by_size.table(sizes), figures.errors.by_size.KINDS)
    st.caption(
        f"{capital(plural(outcome.level))} in up to ten classes by true number of {decided.unit}. "
        f"{words.NOT_PRIVATE}"
    )
    _save(sizes, decided, "by-size")


def _by_simulation(decided: Decided) -> None:
    outcome = decided.outcome
    columns = outcome.rule.simulation_columns
    titles = {column.id: column.title for column in columns}
    table = outcome.by_simulation.rename(columns=titles)
    table.insert(0, "simulation", range(1, len(table) + 1))
    kinds = {c.title: c.kind for c in columns} | {"simulation": "count"}
    _table(table, kinds, height=_TABLE_HEIGHT)
    st.caption(_plain(f"{impact_words.columns_note(columns)} {words.NOT_PRIVATE}"))
    _save(outcome.by_simulation, decided, "by-simulation")


def _table(
    table: pd.DataFrame,
    kinds: Mapping[str, str],
    *,
    height: int | None = None,
    level: str | None = None,
    key: str = "",
) -> int | None:
    """Show a table. Return the number of the selected row; None if none is selected.

    Args:
        table: the values.
        kinds: the kinds of columns, by name, which determine the number format.
        height: in pixels.
        level: the level of the areas whose codes are the index of `table`. A selected row opens
            the profile of its area.
        key: the key of the table; if given, a row can be selected.
    """
    cells, config = table.copy(), dict[str, Any]()
    for name in table.columns:
        kind, title = kinds.get(name, "text"), capital(name)
        if kind == "share":
            cells[name] = table[name] * 100
            config[name] = st.column_config.NumberColumn(title, format="%.3g%%")
        elif kind == "flag":
            config[name] = st.column_config.CheckboxColumn(title)
            cells[name] = table[name].astype(bool)
        elif kind == "text":
            config[name] = st.column_config.TextColumn(title)
        else:
            digits = 0 if kind == "money" else 2
            if kind != "count":
                cells[name] = table[name].round(digits)
            config[name] = st.column_config.NumberColumn(title, format="localized")
    titles = [capital(name) for name in table.columns]
    for name in table.columns[tables.in_sight(titles, parts.WIDTH) :]:
        config[name] = None  # hidden; the menu of the table can show it
    how: dict[str, Any] = {"column_config": config, "height": height or "auto"}
    if level is not None:
        parts.area_rows(cells, level, key="places", **how)
    elif not key:
        tables.grid(cells, hide_index=True, **how)
    else:
        event = tables.grid(
            cells,
            hide_index=True,
            key=key,
            on_select="rerun",
            selection_mode="single-row",
            **how,
        )
        return int(event.selection.rows[0]) if event.selection.rows else None
    return None


def _save(table: pd.DataFrame, decided: Decided, what: str) -> None:
    st.download_button(
        "Download CSV",
        lambda: csv_text(with_note(table, confidential=decided.confidential)),
        file_name=f"{_file_name(decided, what)}.csv",
        mime="text/csv",
        key=f"decide-save-{what}",
        on_click="ignore",
        help=capital(decided.mark) + ".",
    )
    if decided.confidential:
        st.caption(words.CONFIDENTIAL)


def links() -> None:
    """Show links to other pages at the same budget."""
    with st.container(horizontal=True, gap="medium"):
        for page, label in _WAYS.items():
            # A link works only within app.py. A button also works on a page that is run alone.
            if st.button(label, type="tertiary", icon=_ARROW):
                navigation.to(page)


def repeat(view: View, drawn: Drawn, question: Question) -> None:
    """Show the link to this question, and the same question in Python."""
    st.markdown("## Share or reproduce")
    if view.settings.sample == OWN:
        st.markdown(words.OWN_REPEAT)
        return
    link, python = st.tabs(["Link", "Python"])
    with link:
        st.code(
            address.link(view.of(ImpactAddress).full_query(view)), language=None, wrap_lines=True
        )
    with python:
        lines = to_python(
            view.settings,
            drawn.quantity.id,
            rule=question.rule.id,
            level=question.level,
            given=question.parameters,
            n_simulations=view.of(ImpactAddress).n_simulations,
        )
        st.code(lines, language="python")


def how_to_read(sample: Sample) -> None:
    """Explain how to read Impact on decisions, and describe the data."""
    st.caption(parts.source(sample))
    with st.expander("About this page and the data"):
        for line in impact_words.HOW_TO_READ:
            st.markdown(line)
        st.markdown(f"**{sample.title}**: {sample.about} {sample.real}")
        st.caption(f"Source: {sample.credit}")
