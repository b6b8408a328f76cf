"""Overview as one HTML file that opens without a network."""

import hierdp_core as hdp
from hierdp_core import figures, mechanisms
from hierdp_core.evaluation.exploring import Exploration, typical_errors
from hierdp_core.figures.maps import region_table
from hierdp_core.samples.sample import OWN
from hierdp_core.util.marks import CONTAINS_TRUTH
from hierdp_core.util.text import capital, plural
from hierdp_core.writers.report import Section, report
from pages.ui.overview import overview_words
from pages.ui.shell import words
from pages.ui.shell.address import View
from pages.ui.shell.work import Drawn

_WIDTH = 900  # pixels of a figure in the file


def html(
    view: View, drawn: Drawn, explored: Exploration, link: str, *, confidential: bool = False
) -> str:
    """Return the whole file: error by level, one map per level, and the largest errors.

    Args:
        view: the settings that are shown.
        drawn: one simulation of them.
        explored: the simulations so far. They are an argument because a file is made outside a
            session.
        link: the address of the page that shows the same.
        confidential: whether the data are confidential. Every mark of true values then states this.
    """
    levels = typical_errors(explored.counts)
    return report(
        overview_words.finding(levels.to_dict("records"), words.budget(drawn.plan), explored.n),
        [
            _levels(view, drawn, explored),
            *(_map(drawn, k) for k in range(len(drawn.levels))),
            _largest(drawn),
            Section(title="How to read this", notes=words.HOW_TO_READ_A_REPORT),
        ],
        summary=[
            text
            for text in (
                overview_words.data_of(drawn.sample.title, drawn.quantity.title),
                words.not_real(drawn.sample.badge),
                drawn.plan.privacy.caution,
                drawn.plan.privacy.sentence,
            )
            if text
        ],
        made_from=_made_from(drawn, explored, link),
        confidential=confidential,
    )


def _levels(view: View, drawn: Drawn, explored: Exploration) -> Section:
    errors = explored.errors
    summary = hdp.summarize(errors[errors["quantity"] == drawn.quantity.id], "mean_abs")
    unit = drawn.quantity.title
    progress = words.simulations_words(explored.n, view.n_simulations)
    chart = figures.errors.levels.chart(summary, unit=unit)
    return Section.of(chart.marked(CONTAINS_TRUTH), notes=(words.bars_note(progress, unit=unit),))


def _map(drawn: Drawn, k: int) -> Section:
    boundaries, rows = (
        drawn.sample.boundaries,
        region_table.of_level(drawn.regions, drawn.levels[k]),
    )
    title = words.level_title(len(rows), drawn.levels[k])
    unit, seed = drawn.quantity.title, drawn.simulation.seed
    chart = figures.maps.error_map.chart(
        rows,
        boundaries.layer(k),
        title=title,
        box=boundaries.box,
        unit=unit,
        height=figures.maps.error_map.height_for(boundaries.box, _WIDTH),
    )
    note = f"Relative error of the number of {unit} in one simulated release (seed {seed}). "
    legend = figures.maps.scale.SHARED.alt(undefined=bool(rows["rel_error"].isna().any()))
    return Section.of(
        chart.marked(CONTAINS_TRUTH),
        title=capital(title),
        notes=(note + legend,),
    )


def _largest(drawn: Drawn) -> Section:
    leaf = plural(drawn.levels[-1])
    title = f"{capital(leaf)} with the largest relative error"
    rows = region_table.largest_errors(drawn.regions, drawn.levels)
    if rows.empty:
        return Section(title=title, sentence=overview_words.no_relative_error(drawn.levels[-1]))
    if not rows["rel_error"].any():
        return Section(title=title, sentence=overview_words.all_exact(drawn.levels[-1]))
    unit, seed = drawn.quantity.title, drawn.simulation.seed
    return Section(
        title=title,
        table=rows,
        notes=(f"Errors of the number of {unit} in one simulated release (seed {seed}).",),
        open=True,
    )


def _made_from(drawn: Drawn, explored: Exploration, link: str) -> dict[str, str]:
    sample = drawn.sample
    facts = {
        "Data": f"{sample.title}. {sample.real}",
        "Source": sample.credit,
        "Mechanism": f"{mechanisms.describe(drawn.plan.id).title} ({drawn.plan.id})",
        "Budget": f"{drawn.plan.budget.words}; allocation {words.shares_line(drawn.plan)}",
        "Simulations": f"{explored.n:,}, seed {drawn.simulation.seed}",
    }
    return facts if sample.id == OWN else facts | {"Link": link}
