"""Decide as one HTML file that opens without a network."""

from hierdp_core import figures
from hierdp_core.decisions import Outcome, Parameter
from hierdp_core.samples.sample import OWN
from hierdp_core.util.text import number, percent, plural, whole
from hierdp_core.writers.report import Section, report
from pages.ui.impact import impact_words, work
from pages.ui.impact.work import Decided
from pages.ui.shell import words
from pages.ui.shell.work import Drawn

_WIDTH = 900  # pixels of a figure in the file
_HARDEST = 15  # places shown at once


def html(found: Decided, drawn: Drawn, link: str) -> str:
    """The whole file: paragraph, map, spread, sizes, every table, and what it was made from.

    Args:
        found: an outcome over all draws.
        drawn: one draw of the same release.
        link: the address of the page that shows it.
    """
    outcome = found.outcome
    sections = [_map(found, drawn), *_hit(outcome), _spread(found), *_sizes(found)]
    return report(
        impact_words.title(words.budget(drawn.plan)),
        [*sections, _draws(outcome), _reading()],
        summary=[impact_words.paragraph(outcome, unit=found.unit), *_cautions(drawn)],
        made_from=_made_from(found, drawn, link),
        confidential=found.confidential,
    )


def _map(found: Decided, drawn: Drawn) -> Section:
    outcome, boundaries = found.outcome, drawn.sample.boundaries
    layer = boundaries.layer(drawn.levels.index(outcome.level))
    height = figures.maps.error_map.height_for(boundaries.box, _WIDTH)
    return Section.of(
        work.map_chart(found, drawn, layer, height=height),
        notes=(
            impact_words.map_note(outcome),
            impact_words.columns_note(outcome.rule.place_columns),
            outcome.rule.ties,
        ),
    )


def _hit(outcome: Outcome) -> list[Section]:
    """The places most often wrongly treated, in sight, so that they come out on paper too."""
    table = figures.maps.frequency.table(outcome)
    kinds = {"wrongly treated": "share", "true count": "count"}
    kinds |= {column.title: column.kind for column in outcome.rule.place_columns}
    ever = table[table["wrongly treated"] > 0]
    if ever.empty:
        return []
    shown = ever.head(_HARDEST).drop(columns=[n for n, kind in kinds.items() if kind == "flag"])
    for name in shown.columns.intersection(list(kinds)):
        say = percent if kinds[name] == "share" else number if kinds[name] != "count" else whole
        shown = shown.assign(**{name: shown[name].map(say)})
    many = plural(outcome.level)
    return [
        Section(
            title=f"The {many} most often hit",
            sentence=f"Of the {len(ever):,} {many} that are wrongly treated in any draw, these "
            f"{len(shown):,} are so most often; the table under the map has all."
            if len(ever) > len(shown)
            else "",
            table=shown,
            open=True,
        )
    ]


def _spread(found: Decided) -> Section:
    note = impact_words.spread_note(found.outcome)
    return Section.of(work.spread_chart(found), notes=(note,))


def _sizes(found: Decided) -> list[Section]:
    level = found.outcome.level
    small = impact_words.small_places(found.sizes, level=level, unit=found.unit)
    return [
        Section.of(
            chart,
            title=f"By size of place: {chart.title[:1].lower()}{chart.title[1:]}",
            sentence="" if k else small,
        )
        for k, chart in enumerate(work.size_charts(found))
    ]


def _draws(outcome: Outcome) -> Section:
    columns = outcome.rule.draw_columns
    return Section(
        title="Draw by draw",
        table=outcome.by_draw.rename(columns={c.id: c.title for c in columns}),
        notes=(impact_words.columns_note(columns),),
    )


def _reading() -> Section:
    return Section(title="How to read this", notes=impact_words.HOW_TO_READ)


def _cautions(drawn: Drawn) -> list[str]:
    caution = drawn.plan.privacy.caution
    return [caution] if caution else []


def _made_from(found: Decided, drawn: Drawn, link: str) -> dict[str, str]:
    outcome, sample = found.outcome, drawn.sample
    known = {
        "Data": f"{sample.title}. {sample.real}",
        "Source": f"{sample.source}. Licence: {sample.licence}.",
        "Mechanism": f"{drawn.plan.mechanism.title} ({drawn.plan.id})",
        "Budget": f"{drawn.plan.budget.words}; shares {words.shares_line(drawn.plan)}",
        "Privacy guarantee of a release": drawn.plan.privacy.sentence,
        "What is counted": found.unit,
        "Rule": f"{outcome.rule.title}, for each {outcome.level}",
    }
    for parameter in outcome.rule.parameters:
        known[parameter.title] = _said(parameter, outcome)
    known["Draws"] = f"{outcome.draws:,}, seed {drawn.simulation.seed}"
    return known if sample.id == OWN else known | {"Link": link}


def _said(parameter: Parameter, outcome: Outcome) -> str:
    value = outcome.parameters[parameter.name]
    if parameter.kind == "choice":
        return parameter.choices[value]
    if parameter.kind == "share":
        return f"{100 * value:g}%"
    if parameter.kind == "places":
        names = outcome.places.set_index("id")["name"]
        return ", ".join(str(names[id]) for id in value) or "none"
    return f"{value:,}"
