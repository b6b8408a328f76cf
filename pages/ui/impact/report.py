"""Impact on decisions as one HTML file that opens without a network."""

from hierdp_core import figures
from hierdp_core.decisions import Outcome, Parameter, presets_for
from hierdp_core.figures.errors import by_size
from hierdp_core.figures.maps.frequency import DIFFERENT
from hierdp_core.samples.sample import OWN
from hierdp_core.util.text import capital, number, percent, plural, whole
from hierdp_core.writers.report import Section, report
from pages.ui.impact import impact_words, work
from pages.ui.impact.address import preset_of
from pages.ui.impact.work import Decided
from pages.ui.shell import words
from pages.ui.shell.work import Drawn

_WIDTH = 900  # pixels of a figure in the file
_HARDEST = 15  # areas shown at once


def html(decided: Decided, drawn: Drawn, link: str) -> str:
    """Return the whole file: paragraph, map, histogram, size classes, tables and sources.

    Args:
        decided: an outcome over all simulations.
        drawn: one simulation of the same release.
        link: the address of the page that shows it.
    """
    outcome = decided.outcome
    sections = [_map(decided, drawn), *_hit(outcome), _spread(decided), *_sizes(decided)]
    return report(
        impact_words.title(outcome, words.budget(drawn.plan), unit=decided.unit),
        [*sections, _simulations(outcome), _reading()],
        summary=[
            *([words.not_real(drawn.sample.badge)] if drawn.sample.badge else []),
            impact_words.paragraph(outcome, unit=decided.unit),
            *_programme(decided, drawn),
            *_cautions(drawn),
        ],
        made_from=_made_from(decided, drawn, link),
        confidential=decided.confidential,
    )


def _map(decided: Decided, drawn: Drawn) -> Section:
    outcome, boundaries = decided.outcome, drawn.sample.boundaries
    columns = outcome.rule.place_columns
    layer = boundaries.layer(drawn.levels.index(outcome.level))
    height = figures.maps.error_map.height_for(boundaries.box, _WIDTH)
    return Section.of(
        work.map_chart(decided, drawn, layer, height=height),
        shares=(DIFFERENT, *(column.title for column in columns if column.kind == "share")),
        notes=(
            impact_words.map_note(outcome),
            impact_words.columns_note(columns),
            outcome.rule.ties,
        ),
    )


def _hit(outcome: Outcome) -> list[Section]:
    """Return the areas with the highest probability, in an open section, which is printed too."""
    table = figures.maps.frequency.table(outcome)
    kinds = {DIFFERENT: "share", "true count": "count"}
    kinds |= {column.title: column.kind for column in outcome.rule.place_columns}
    ever = table[table[DIFFERENT] > 0]
    if ever.empty:
        return []
    rows = ever.head(_HARDEST).drop(columns=[n for n, kind in kinds.items() if kind == "flag"])
    for name in rows.columns.intersection(list(kinds)):
        say = percent if kinds[name] == "share" else number if kinds[name] != "count" else whole
        rows = rows.assign(**{name: rows[name].map(say)})
    areas = plural(outcome.level)
    return [
        Section(
            title=f"{capital(areas)} with the highest probability of a different outcome",
            sentence=impact_words.hardest_hit_note(len(rows), len(ever), outcome.level),
            table=rows,
            open=True,
        )
    ]


def _spread(decided: Decided) -> Section:
    note = impact_words.spread_note(decided.outcome)
    return Section.of(work.spread_chart(decided), notes=(note,))


def _sizes(decided: Decided) -> list[Section]:
    level = decided.outcome.level
    small = impact_words.small_places(decided.sizes, level=level, unit=decided.unit)
    return [
        Section.of(
            chart,
            title=f"By size of area: {chart.title[:1].lower()}{chart.title[1:]}",
            sentence="" if k else small,
            shares=[title for title, kind in by_size.KINDS.items() if kind == "share"],
        )
        for k, chart in enumerate(work.size_charts(decided))
    ]


def _simulations(outcome: Outcome) -> Section:
    columns = outcome.rule.simulation_columns
    return Section(
        title="By simulation",
        table=outcome.by_simulation.rename(columns={c.id: c.title for c in columns}),
        shares=tuple(column.title for column in columns if column.kind == "share"),
        notes=(impact_words.columns_note(columns),),
    )


def _reading() -> Section:
    return Section(title="How to read this report", notes=impact_words.HOW_TO_READ)


def _cautions(drawn: Drawn) -> list[str]:
    caution = drawn.plan.privacy.caution
    return [caution] if caution else []


def _programme(decided: Decided, drawn: Drawn) -> list[str]:
    """Return the programme or law that the rule applies, and how the table differs."""
    outcome = decided.outcome
    presets = presets_for(drawn.sample.table)
    preset = preset_of(
        presets, rule=outcome.rule.id, level=outcome.level, values=outcome.parameters
    )
    if preset is None:
        return []
    about = impact_words.programme(preset, level=outcome.level, unit=decided.unit)
    return [f"**{preset.title}.** {about}"]


def _made_from(decided: Decided, drawn: Drawn, link: str) -> dict[str, str]:
    outcome, sample = decided.outcome, drawn.sample
    known = {
        "Data": f"{sample.title}. {sample.real}",
        "Source": sample.credit,
        "Mechanism": f"{drawn.plan.mechanism.title} ({drawn.plan.id})",
        "Budget": f"{drawn.plan.budget.words}; allocation {words.shares_line(drawn.plan)}",
        "Privacy guarantee of a release": drawn.plan.privacy.sentence,
        "Variable": decided.unit,
        "Rule": f"{outcome.rule.title}, for each {outcome.level}",
    }
    for parameter in outcome.rule.parameters:
        known[parameter.title] = _in_words(parameter, outcome)
    known["Simulations"] = f"{outcome.n_simulations:,}, seed {drawn.simulation.seed}"
    return known if sample.id == OWN else known | {"Link": link}


def _in_words(parameter: Parameter, outcome: Outcome) -> str:
    value = outcome.parameters[parameter.name]
    if parameter.kind == "choice":
        return parameter.choices[value]
    if parameter.kind == "share":
        return f"{100 * value:g}%"
    if parameter.kind == "places":
        names = outcome.places.set_index("id")["name"]
        return ", ".join(str(names[id]) for id in value) or "none"
    return f"{value:,}"
