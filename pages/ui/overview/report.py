"""Explore as one HTML file that opens without a network."""

import pandas as pd

import hierdp_core as hdp
from hierdp_core import figures
from hierdp_core.figures.maps import region_table
from hierdp_core.samples.sample import OWN
from hierdp_core.util.text import capital, plural
from hierdp_core.writers.exploration import CONTAINS_TRUTH
from hierdp_core.writers.report import Section, report
from pages.ui.shell import words
from pages.ui.shell.address import View
from pages.ui.shell.work import Drawn

_WIDTH = 900  # pixels of a figure in the file


def html(
    view: View, drawn: Drawn, errors: pd.DataFrame, link: str, *, confidential: bool = False
) -> str:
    """The whole file: error by level, a map a level, the largest errors, the guarantee.

    Args:
        view: what is looked at.
        drawn: one draw of it.
        errors: of the draws so far. Handed over, since a file is made where there is no session.
        link: the address of the page that shows it.
        confidential: the data are; every mark of true values then says so.
    """
    budget = words.budget(drawn.plan)
    return report(
        words.question(budget, drawn.quantity.title, drawn.sample.table.regions.names[0]),
        [
            _levels(view, drawn, errors),
            *(_map(drawn, k) for k in range(len(drawn.levels))),
            _largest(drawn),
            Section(title="How to read this", notes=words.HOW_TO_READ),
        ],
        summary=[
            text for text in (drawn.plan.privacy.caution, drawn.plan.privacy.sentence) if text
        ],
        made_from=_made_from(drawn, link),
        confidential=confidential,
    )


def _levels(view: View, drawn: Drawn, errors: pd.DataFrame) -> Section:
    of_places = errors[errors["quantity"] == drawn.quantity.id]
    summary = hdp.summarize(of_places, "mean_abs")
    unit = drawn.quantity.title
    done = words.draws_words(int(errors["simulation"].nunique()), view.draws)
    small = region_table.small_places(drawn.regions, drawn.levels[-1])
    relative = hdp.summarize(of_places, "median_rel")
    sentence = words.headline(summary, relative, small, unit=unit)
    chart = figures.errors.levels.chart(summary, unit=unit, sentence=sentence)
    return Section.of(
        chart.marked(CONTAINS_TRUTH), notes=(f"Mean absolute error per place in {unit}, {done}.",)
    )


def _map(drawn: Drawn, k: int) -> Section:
    boundaries, rows = (
        drawn.sample.boundaries,
        region_table.of_level(drawn.regions, drawn.levels[k]),
    )
    title = words.level_title(len(rows), drawn.levels[k])
    chart = figures.maps.error_map.chart(
        rows,
        boundaries.layer(k),
        title=title,
        box=boundaries.box,
        scale=drawn.scale,
        unit=drawn.quantity.title,
        height=figures.maps.error_map.height_for(boundaries.box, _WIDTH),
    )
    note = f"Relative error of one draw, seed {drawn.simulation.seed}. "
    return Section.of(
        chart.marked(CONTAINS_TRUTH),
        title=capital(title),
        notes=(note + figures.maps.scale.alt(drawn.scale),),
    )


def _largest(drawn: Drawn) -> Section:
    leaf = plural(drawn.levels[-1])
    return Section(
        title=f"{capital(leaf)} with the largest relative error",
        table=region_table.largest_errors(drawn.regions, drawn.levels),
        open=True,
    )


def _made_from(drawn: Drawn, link: str) -> dict[str, str]:
    sample = drawn.sample
    known = {
        "Data": f"{sample.title}. {sample.real}",
        "Source": f"{sample.source}. Licence: {sample.licence}.",
        "Mechanism": drawn.plan.id,
        "Budget": f"{drawn.plan.budget.words}; shares {drawn.plan.allocation.words}",
        "Seed": str(drawn.simulation.seed),
    }
    return known if sample.id == OWN else known | {"Link": link}
