"""The pieces of Compare mechanisms: controls of the charts, the charts, and the files."""

from collections.abc import Iterator
from dataclasses import replace

import streamlit as st

from hierdp_core.evaluation.comparison import SCALES, Comparison, comparable, measures, rivals
from hierdp_core.samples import Sample
from hierdp_core.samples.sample import OWN
from hierdp_core.util.text import capital
from hierdp_core.writers import comparison_report as report_parts
from hierdp_core.writers.comparison_report import Looking
from hierdp_core.writers.defused import csv_text
from hierdp_core.writers.exploration import with_note, with_quantity_named
from hierdp_core.writers.report import Section, report
from pages.ui.compare import cells, compare_words, inputs, work
from pages.ui.compare.address import CompareView
from pages.ui.compare.work import Running
from pages.ui.shell import (
    address,
    choices,
    datasets,
    frame,
    jobs,
    parts,
    sections,
    session,
    widgets,
    words,
)
from pages.ui.shell.announcer import announce
from pages.ui.shell.jobs import Job
from pages.ui.shell.session import Key

_UPDATES = 3.0  # seconds between two updates of the charts, which cost as much as simulations
_SLOW = 6.0  # seconds between two updates of the lower part, while simulations run


def results(view: CompareView, sample: Sample) -> None:
    """Show everything below the controls, refreshed while simulations run."""
    if not view.mechanisms or not view.sizes:
        st.info(compare_words.NONE_CHOSEN, icon=":material/arrow_upward:")
        address.write(view.to_query())
        return
    plans, reasons = view.plans(sample)
    for reason in reasons:
        st.warning(f"Excluded: {reason}", icon=":material/info:")
    job = work.job(view, sample, plans)
    job.look()
    work.wait(job)
    waiting = job.running
    if waiting:
        frame.part(_progress, every=jobs.beat())(job)
    every = max(_UPDATES, jobs.beat()) if waiting else None
    frame.part(_results, every=every)(job, view, sample, waiting)


def how_to_read(sample: Sample) -> None:
    """Explain how to read Compare mechanisms, and describe the data."""
    st.caption(parts.source(sample))
    with st.expander("About this page and the data"):
        for line in report_parts.HOW_TO_READ:
            st.markdown(line)
        st.markdown(f"**{sample.title}**: {sample.about} {sample.real}")
        st.caption(f"Source: {sample.credit}")


def _results(job: Job[Running], view: CompareView, sample: Sample, waiting: bool) -> None:
    running = job.look()
    if waiting and not running:
        st.rerun()
    comparison = job.value.comparison()
    if job.stopped and job.value.done < job.value.total:
        st.caption(compare_words.CANCELLED)
    if running or job.value.failures or job.stopped:
        cells.show(comparison)
    for place, failure in job.value.failures.items():
        st.warning(f"{comparison.plans[place].id}: {failure}", icon=":material/info:")
    for caution in {p.privacy.caution: None for p in comparison.plans if p.privacy.caution}:
        st.warning(caution, icon=":material/warning:")
    view, look = _looking(view, sample, comparison)
    inputs.keep(view)
    address.write(view.to_query())
    if not comparison.levels:
        return
    titles = _titles(sample, comparison)
    confidential = datasets.is_confidential(sample)
    recommendation = report_parts.headline(comparison, look)
    if recommendation:
        st.info(recommendation, icon=":material/recommend:")
    parts.badge(sample)
    announce(compare_words.COMPARING if running else recommendation)
    for column, level in _columns(comparison):
        with column:
            part = report_parts.error_section(comparison, look, level, titles[level])
            sections.show(
                part, key=f"error-{level}", notes=False, confidential=confidential, beneath=True
            )
    st.caption(report_parts.BARS)
    st.divider()
    lower = _slower_parts(job, comparison, look, running=running)
    sections.show(lower["guarantee"], key="guarantee", confidential=confidential)
    st.divider()
    _against_budget(comparison, look, lower, confidential=confidential)
    st.divider()
    left, right = st.columns(2, gap="large")
    with left:
        _trade_off(comparison, lower, confidential=confidential)
    with right:
        if "by size" in lower:
            sections.show(lower["by size"], key="by-size", confidential=confidential)
    st.divider()
    sections.show(lower["rest"], key="rest", confidential=confidential)
    st.divider()
    _take_away(comparison, look, view, sample)


def _slower_parts(
    job: Job[Running], comparison: Comparison, look: Looking, *, running: bool
) -> dict[str, Section]:
    """Return the sections below the errors, made less often while simulations run."""

    def made() -> dict[str, Section]:
        parts = {
            "guarantee": report_parts.guarantee_section(comparison),
            "conversion": report_parts.conversion_section(comparison),
            "trade-off": report_parts.trade_off_section(comparison, look),
            "rest": report_parts.rest_section(comparison),
        }
        for level in comparison.levels:
            title = capital(level)
            own = report_parts.budget_sections(comparison, look, level, title)
            parts |= {f"budget {level} {k}": part for k, part in enumerate(own)}
        by_size = report_parts.size_section(
            comparison, look, f"Bias by size of {look.level}, {look.noun}"
        )
        return parts if by_size is None else parts | {"by size": by_size}

    sections_by_name: dict[str, Section] = job.value.kept(
        look, made, comparison=comparison, running=running, every=_SLOW
    )
    return sections_by_name


def _progress(job: Job[Running]) -> None:
    """Show the progress of the simulations; the page runs again when they are complete."""
    if not job.look():
        st.rerun()
    cases = job.value
    bar, button = st.columns([6, 1], vertical_alignment="center")
    with bar:
        total = cases.view.n_simulations
        n_done = [
            min(case.done, total)
            for place, case in enumerate(cases.cases)
            if place not in cases.failures
        ]
        st.progress(
            min(1.0, cases.done / max(1, cases.total)),
            text=compare_words.progress(n_done, total, cases.seconds_left),
        )
    with button:
        st.button("Stop", on_click=job.stop, width="stretch")


def _looking(
    view: CompareView, sample: Sample, comparison: Comparison
) -> tuple[CompareView, Looking]:
    """Show the choice of guarantee and error measure; return the view and what the charts show."""
    guarantees = [guarantee for guarantee, _ in rivals(comparison.plans)]
    default = replace(view, guarantee=None).guarantee_among(guarantees)
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
    with left:
        guarantee = choices.one_of(
            "Compare at the same guarantee",
            guarantees,
            view.guarantee_among(guarantees),
            key=f"{Key.COMPARE_GUARANTEE}{'|'.join(guarantees)}",
            format_func=lambda guarantee: compare_words.guarantee(guarantee, guarantees),
            wrap=True,
        )
    measures_by_id = {measure.id: measure for measure in measures(sample.table)}
    with right:
        measure = widgets.selectbox(
            "Error measure",
            list(measures_by_id),
            format_func=lambda id: measures_by_id[id].title,
            key=session.seeded(Key.COMPARE_MEASURE, view.measure or next(iter(measures_by_id))),
            help="\n\n".join(f"**{m.title}**: {m.about}" for m in measures_by_id.values()),
        )
    levels = comparison.plans[0].levels
    scale = session.get(session.seeded(Key.COMPARE_SCALE, view.scale))
    x = session.get(session.seeded(Key.COMPARE_X, view.x or levels[0]))
    y = session.get(session.seeded(Key.COMPARE_Y, view.y or levels[-1]))
    parted = list(dict.fromkeys(comparison.by_size["level"])) if len(comparison.by_size) else []
    chosen = replace(
        view,
        measure=None if measure == next(iter(measures_by_id)) else measure,
        guarantee=None if guarantee == default else guarantee,
        scale=scale,
        x=None if x == levels[0] else x,
        y=None if y == levels[-1] else y,
    )
    return chosen, Looking(
        measure=measures_by_id[measure],
        guarantee=guarantee,
        scale=scale,
        x=x,
        y=y,
        level=parted[-1] if parted else None,
        noun=sample.table.quantities[0].title,
    )


def _against_budget(
    comparison: Comparison, look: Looking, parts: dict[str, Section], *, confidential: bool
) -> None:
    st.markdown("## Error against budget")
    groups = comparable(comparison.plans)
    if len(groups) > 1 or look.scale != SCALES[0]:
        widgets.segmented_control(
            "Budgets on the axis",
            SCALES,
            format_func=compare_words.SCALES.__getitem__,
            key=Key.COMPARE_SCALE,
            required=True,
            help="As stated: budgets with different meanings have separate charts. The other "
            "options convert budgets where possible. Budgets for the same neighbouring datasets "
            "then share one chart, which states the conversion.",
        )
    for column, level in _columns(comparison):
        with column:
            for name in [name for name in parts if name.startswith(f"budget {level} ")]:
                sections.show(parts[name], key=name, level=3, confidential=confidential)
    sections.show(parts["conversion"], key="conversion", level=3, confidential=confidential)


def _trade_off(comparison: Comparison, parts: dict[str, Section], *, confidential: bool) -> None:
    st.markdown(f"## {parts['trade-off'].title}")
    across, up = st.columns(2)
    with across:
        widgets.selectbox(
            "Level on the horizontal axis", comparison.plans[0].levels, key=Key.COMPARE_X
        )
    with up:
        widgets.selectbox(
            "Level on the vertical axis", comparison.plans[0].levels, key=Key.COMPARE_Y
        )
    sections.show(parts["trade-off"], key="trade-off", heading=False, confidential=confidential)


def _take_away(comparison: Comparison, look: Looking, view: CompareView, sample: Sample) -> None:
    st.markdown("## Share or reproduce")
    link = "" if sample.id == OWN else address.link(view.to_query())
    name = f"compare-{sample.id}-contains-true-values"
    confidential = datasets.is_confidential(sample)

    def whole() -> bytes:
        parts = report_parts.all_sections(comparison, look, _titles(sample, comparison))
        return report(
            f"Accuracy of mechanisms at each level: {sample.title}",
            parts,
            summary=[
                *([words.not_real(sample.badge)] if sample.badge else []),
                report_parts.headline(comparison, look),
                *report_parts.how_to_read(look),
            ],
            made_from=compare_words.made_from(comparison, view, sample, link),
            confidential=confidential,
        ).encode()

    left, right, _ = st.columns([2, 2, 3])
    with left:
        st.download_button(
            "Download report (HTML)",
            data=whole,
            file_name=f"{name}.html",
            mime="text/html",
            icon=":material/description:",
            on_click="ignore",
            width="stretch",
            help="One file with all charts and tables. It opens without a network.",
        )
    with right:
        st.download_button(
            "Download errors of all simulations (CSV)",
            data=lambda: csv_text(
                with_note(with_quantity_named(comparison.errors), confidential=confidential)
            ).encode(),
            file_name=f"{name}.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
            width="stretch",
        )
    st.caption(f"{words.NOT_PRIVATE} The camera above a chart saves it as a picture.")
    if confidential:
        st.warning(words.CONFIDENTIAL_FILES, icon=":material/lock:")
    if sample.id == OWN:
        return
    link_tab, shell = st.tabs(["Link", "Command line"])
    with link_tab:
        st.code(link, language=None, wrap_lines=True)
    with shell:
        for line in compare_words.shell_lines(view, sample):
            st.code(line, language="bash", wrap_lines=True)


def _columns(comparison: Comparison) -> Iterator[tuple[st.delta_generator.DeltaGenerator, str]]:
    """Yield a column of the page for each level, with at most three columns in a row."""
    for start in range(0, len(comparison.levels), 3):
        row = comparison.levels[start : start + 3]
        columns = min(3, len(comparison.levels))
        yield from zip(st.columns(columns, gap="medium"), row, strict=False)


def _titles(sample: Sample, comparison: Comparison) -> dict[str, str]:
    """Return the title of each level above its chart: "51 states", "Region → region"."""
    regions = None if sample.between_regions else sample.table.regions
    titles = {level: capital(level) for level in comparison.levels}
    if regions is not None:
        sizes = [int(n) for n in regions.tree.level_sizes]
        titles |= {n: words.level_title(k, n) for n, k in zip(regions.levels, sizes, strict=True)}
    return titles
