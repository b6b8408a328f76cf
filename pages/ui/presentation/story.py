"""The steps of a presentation: finding, errors by level and size, decisions, and the budget."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from hierdp_core import decisions, figures
from hierdp_core.evaluation.exploring import Exploration, typical_errors
from hierdp_core.evaluation.size_classes import ZERO, by_size
from hierdp_core.figures import meaning_of_epsilon, slide
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.errors import by_size as size_figures
from hierdp_core.figures.maps import region_table
from hierdp_core.figures.maps.frequency import DIFFERENT
from hierdp_core.figures.style import Theme
from hierdp_core.maps.boundaries import MapLayer
from hierdp_core.privacy import loss_limit
from hierdp_core.util.constraints import USUAL_DELTA
from hierdp_core.util.text import percent
from hierdp_core.writers.story import Step
from pages.ui.impact import impact_words
from pages.ui.impact import work as impact_work
from pages.ui.impact.address import ImpactAddress
from pages.ui.overview import overview_words
from pages.ui.presentation import presentation_words
from pages.ui.shell import words
from pages.ui.shell.address import View
from pages.ui.shell.work import Drawn

LayerOf = Callable[[int], MapLayer]
_HEIGHT = 460  # pixels of a map
_MAPS = 3  # side by side; more are too small to read
_PRIOR = 0.5  # belief of the attacker in the text of this step


@dataclass(frozen=True)
class _Shown:
    """The content of a step; for the attributes see `step`."""

    view: View
    drawn: Drawn
    explored: Exploration
    layer_of: LayerOf
    theme: Theme
    mark: str


def step(
    k: int,
    view: View,
    drawn: Drawn,
    explored: Exploration,
    layer_of: LayerOf,
    theme: Theme,
    mark: str,
) -> Step:
    """Return a step of the presentation.

    Args:
        k: the number of the step, from 0.
        view: the settings.
        drawn: one simulation of them.
        explored: at least one simulation.
        layer_of: returns the polygons of a level.
        theme: the theme of the maps.
        mark: the note in pictures with true values or errors. Pictures can be saved and copied
            without their slide.
    """
    makers = (_finding, _zoom, _affected, _changes, _meaning)
    return makers[k](_Shown(view, drawn, explored, layer_of, theme, mark))


def every(view: View, drawn: Drawn, explored: Exploration, theme: Theme, mark: str) -> list[Step]:
    """Return all steps with their polygons and formatted tables, for a file."""
    layer_of = drawn.sample.boundaries.layer
    return [
        _with_formatted_table(step(k, view, drawn, explored, layer_of, theme, mark))
        for k in range(5)
    ]


def shares_of(table: pd.DataFrame) -> list[Any]:
    """Return the columns of the table of a step that hold proportions."""
    columns = (column for rule in decisions.RULES.values() for column in rule.place_columns)
    kinds = {**size_figures.KINDS, DIFFERENT: "share", "rel_error": "share"}
    kinds |= {column.title: column.kind for column in columns}
    return [name for name in table.columns if kinds.get(name) == "share"]


def _with_formatted_table(made: Step) -> Step:
    """Return a step whose table has the titles of the screen, and percentages."""
    if made.chart is None or made.chart.table is None:
        return made
    table = made.chart.table.dropna(axis="columns", how="all")
    table = table.assign(**{name: table[name].map(percent) for name in shares_of(table)})
    table = table.rename(columns=presentation_words.COLUMNS | meaning_of_epsilon.BELIEFS)
    return replace(made, chart=replace(made.chart, table=table))


def _finding(shown: _Shown) -> Step:
    drawn = shown.drawn
    levels = _levels(shown.explored)
    statement, budget = drawn.plan.privacy, words.budget(drawn.plan)
    finding = overview_words.finding(levels, budget, shown.explored.n)
    chart = _map(shown, len(drawn.levels) - 1).marked(shown.mark)
    note = presentation_words.map_note(1, drawn.simulation.seed)
    about = overview_words.subtitle(
        levels[-1],
        mechanism=drawn.plan.mechanism.title,
        default_for=words.default_for(drawn.plan.id, drawn.sample.table),
        unit=drawn.quantity.title,
        root=drawn.sample.table.regions.names[0],
    )
    step = Step(
        title=finding,
        sentences=(f"{about} {note}",),
        chart=chart,
        classed=True,
        undefined=_has_undefined(drawn),
    )
    if statement.claimed:
        broken = presentation_words.broken(statement)
        return replace(step, title=broken, sentences=(f"{finding}. {note}",), warning=True)
    return step


def _zoom(shown: _Shown) -> Step:
    drawn = shown.drawn
    levels, title = _levels(shown.explored), presentation_words.zoom(_levels(shown.explored))
    levels_shown = sorted({*range(len(levels))[: _MAPS - 1], len(levels) - 1})
    maps = slide.side_by_side(
        [_map(shown, k) for k in levels_shown],
        title=title,
        heads=[presentation_words.head(levels[k]) for k in levels_shown],
        caption=shown.layer_of(levels_shown[-1]).caption,
        mark=shown.mark,
    )
    return Step(
        title=title,
        sentences=(
            *presentation_words.zoomed(levels, unit=drawn.quantity.title),
            presentation_words.map_note(len(levels_shown), drawn.simulation.seed),
        ),
        chart=maps,
        classed=True,
        undefined=_has_undefined(drawn),
    )


def _affected(shown: _Shown) -> Step:
    drawn = shown.drawn
    part = shown.explored.counts.of_level(drawn.levels[-1])
    sizes = by_size(part)
    known = sizes.loc[sizes["size_class"] != ZERO, "median_rel"].tolist() or [0.0]
    return Step(
        title=presentation_words.affected(part.level, known[0], known[-1]),
        sentences=(impact_words.small_places(sizes, level=part.level, unit=drawn.quantity.title),),
        chart=size_figures.charts(sizes, unit=drawn.quantity.title, alone=True)[0].marked(
            shown.mark
        ),
    )


def _changes(shown: _Shown) -> Step:
    drawn = shown.drawn
    aim, counts = shown.view.of(ImpactAddress), shown.explored.counts
    rule = decisions.get(aim.rule)
    level = aim.level or rule.usual_level(counts.regions)
    values = rule.read(dict(aim.parameters), counts.of_level(level))
    decided = impact_work.decided_by(rule.id, drawn, counts, level, values)
    budget = words.budget(drawn.plan)
    return Step(
        title=impact_words.title(decided.outcome, budget, unit=decided.unit),
        sentences=(impact_words.brief(decided.outcome, unit=decided.unit),),
        chart=impact_work.map_chart(
            decided,
            drawn,
            shown.layer_of(drawn.levels.index(level)),
            height=_HEIGHT,
            theme=shown.theme,
        ),
    )


def _meaning(shown: _Shown) -> Step:
    drawn = shown.drawn
    statement = drawn.plan.privacy
    warning = (statement.caution,) if statement.caution else ()
    loss = loss_limit(statement)
    belief = Chart(
        title="Prior and posterior belief",
        figure=meaning_of_epsilon.belief_picture(
            meaning_of_epsilon.beliefs(loss), prior=_PRIOR, loss=loss
        ),
        alt=meaning_of_epsilon.belief_alt_of(
            statement, prior=_PRIOR, delta=float(statement.delta or USUAL_DELTA)
        ),
        table=meaning_of_epsilon.belief_texts(loss),
    )
    return Step(
        title=presentation_words.meaning(words.budget(drawn.plan), statement.unit),
        sentences=(*warning, overview_words.one_person(statement)),
        chart=belief,
        warning=bool(warning),
    )


def _has_undefined(drawn: Drawn) -> bool:
    """Return whether an area has no relative error, because its true count is 0."""
    return bool(drawn.regions["rel_error"].isna().any())


def _map(shown: _Shown, k: int) -> Chart:
    drawn = shown.drawn
    level = drawn.levels[k]
    rows = region_table.of_level(drawn.regions, level)
    return figures.maps.error_map.chart(
        rows,
        shown.layer_of(k),
        title=words.level_title(len(rows), level),
        box=drawn.sample.boundaries.box,
        unit=drawn.quantity.title,
        height=_HEIGHT,
        theme=shown.theme,
    )


def _levels(explored: Exploration) -> list[dict[Any, Any]]:
    return typical_errors(explored.counts).to_dict("records")
