"""A card for each kind of value: its content, its guarantee, its checks and a table with bars.

To add a card for a class, derive the class from `Shown` and register a function here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from hierdp_core.audits.result import Audit
from hierdp_core.decisions.base import Outcome
from hierdp_core.evaluation.comparison import Comparison, overview
from hierdp_core.evaluation.evaluation import Evaluation
from hierdp_core.evaluation.exploring import Exploration
from hierdp_core.evaluation.released_counts import LevelSimulations, ReleasedCounts
from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.maps.boundaries import Boundaries
from hierdp_core.mechanisms.base import Plan, Tuning
from hierdp_core.planning.result import BudgetPlan
from hierdp_core.planning.saving import BestAllocation
from hierdp_core.privacy import NOT_COVERED, PrivacyStatement
from hierdp_core.privacy.rounding import parameter, rounding_note
from hierdp_core.readers.report import Report
from hierdp_core.readers.result import Reading
from hierdp_core.samples.sample import Sample
from hierdp_core.simulation import Simulation
from hierdp_core.tables import Counts, Domain, Flows, GroupSizes, Pairs, Table
from hierdp_core.tables.checks import totals_kept
from hierdp_core.util import html as piece
from hierdp_core.util.html import Bar
from hierdp_core.util.marks import CONTAINS_TRUTH
from hierdp_core.util.shown import Shown
from hierdp_core.util.text import (
    amount,
    capital,
    counted,
    join_and,
    number,
    percent,
    plural,
    some,
    whole,
)

_ROWS = 12  # most rows of a table in a card
_LEVELS = 6  # most levels that a line of text names
_LONGEST = 300  # most characters of a fact
# Facts that limit a guarantee are never cut.
_WHOLE = ("Guarantee", "Neighbouring datasets", "Treated as public", "Taken from the data")
_DECADES = 8  # most orders of magnitude in the histogram of a table
EXACT = capital(CONTAINS_TRUTH) + "."
_KINDS = {"error": "Error", "correction": "Corrected automatically", "note": "Note"}
_TUNED = "This plan was chosen on the table itself, so it reveals something about the counts."
_NOT_TUNED = "A plan does not depend on the counts, apart from the facts treated as public."


@dataclass(frozen=True, kw_only=True)
class Card:
    """The content of a card, which is written as text or as HTML.

    Attributes:
        kind: the name of the value's class.
        title: the heading.
        line: the value as one line of text; if empty, the title is used.
        facts: pairs of a label and a value.
        tables: HTML tables below the facts.
        cautions: warnings, shown above the facts.
        notes: small print below the tables.
    """

    kind: str
    title: str
    line: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    tables: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def text(value: Shown) -> str:
    """Return the value as one line of text."""
    content = card(value)
    return f"<{content.kind}: {_cut(content.line or content.title)}>"


def html(value: Shown) -> str:
    """Return the value as a card in HTML."""
    content = card(value)
    return piece.box(
        content.title,
        *map(piece.warning, content.cautions),
        piece.facts(
            (label, words if label in _WHOLE else _cut(words)) for label, words in content.facts
        ),
        *content.tables,
        *map(piece.note, content.notes),
    )


@singledispatch
def card(value: Shown) -> Card:
    """Return the content of the card of a value."""
    raise NotImplementedError(f"{type(value).__name__} has no card.")


@card.register
def _(tree: Hierarchy) -> Card:
    sizes = " / ".join(f"{n:,}" for n in tree.level_sizes.tolist()[: 2 * _LEVELS])
    return Card(
        kind="Hierarchy",
        title=_areas_on_levels(tree),
        facts=(("Areas by level", sizes),),
    )


@card.register
def _(regions: Regions) -> Card:
    return Card(
        kind="Regions",
        title=_areas_on_levels(regions.tree),
        line=_levels(regions),
        facts=(("Levels", _levels(regions)),),
        tables=(_first_areas(regions),),
    )


@card.register
def _(pairs: Pairs) -> Card:
    return Card(kind="Pairs", title=f"{counted(len(pairs), 'pair')} of areas with a flow")


@card.register
def _(domain: Domain) -> Card:
    kind = domain.kind.replace("-", " ")
    return Card(
        kind="Domain",
        title=f"Public facts about a table of {kind}",
        line=f"{kind} by {_levels(domain.regions)}; privacy unit: one {domain.person}",
        facts=(("Levels", _levels(domain.regions)), *_public(domain)),
    )


@card.register(Counts)
@card.register(GroupSizes)
@card.register(Flows)
def _(table: Counts | GroupSizes | Flows) -> Card:
    head = table.quantities[0]
    facts = [("Levels", _levels(table.regions)), ("Total", _total(table))]
    if table.between_regions:
        facts.append(("Pairs with a flow", f"{len(table.content):,}"))
    if table.has_groups:
        facts.append(("Group sizes", f"0 to {len(table.sizes) - 1:,}"))
    return Card(
        kind=type(table).__name__,
        title=f"{capital(table.kind_words)}: {_what(table)}",
        line=f"{_what(table)} by {_levels(table.regions)}; total {_total(table)}",
        facts=(*facts, *_public(table.domain)),
        tables=(_by_magnitude(table, head.id),),
        notes=(EXACT,),
    )


@card.register
def _(plan: Plan) -> Card:
    statement = plan.privacy
    return Card(
        kind="Plan",
        title=f"Plan: {plan.mechanism.title}",
        line=f"{plan.id}, {statement.guarantee}, allocation {plan.allocation.words}",
        facts=(*_guarantee(statement), ("Allocation", plan.allocation.words)),
        tables=(_spent(statement, plan),),
        cautions=_cautions(statement),
        notes=(
            _TUNED if plan.tuned_on is Tuning.SAME else _NOT_TUNED,
            "Nothing has been measured yet.",
        ),
    )


@card.register
def _(statement: PrivacyStatement) -> Card:
    return Card(
        kind="PrivacyStatement",
        title="Privacy guarantee",
        line=f"{statement.guarantee}, {statement.difference}",
        facts=_guarantee(statement),
        tables=(_spent(statement),),
        cautions=_cautions(statement),
    )


@card.register
def _(simulation: Simulation) -> Card:
    plan, checks = simulation.plan, simulation.checks
    results = (
        f"adds up: {_yes(checks.consistent)}, non-negative integers: {_yes(checks.valid)}, "
        f"public totals kept: {totals_kept(checks.keeps_invariants)}"
    )
    return Card(
        kind="Simulation",
        title=f"Simulated release: {plan.mechanism.title}",
        line=f"{plan.id}, {plan.privacy.guarantee}, seed {simulation.seed}; "
        f"{_what(simulation.table)} by {_levels(simulation.table.regions)}",
        facts=(
            *_guarantee(plan.privacy),
            ("Checks", results),
            ("Seed", str(simulation.seed)),
            ("Time", f"{simulation.seconds['total']:.2g} s"),
        ),
        tables=(_errors_of(simulation),),
        cautions=_cautions(plan.privacy),
        notes=(f"A demonstration only: seeded noise gives no protection. {EXACT}",),
    )


@card.register
def _(evaluation: Evaluation) -> Card:
    simulation = evaluation.simulation
    of_pairs = simulation.exact.between_regions and evaluation.quantity is None
    return Card(
        kind="Evaluation",
        title=f"Errors of one simulated release: {simulation.plan.mechanism.title}",
        line=f"{simulation.plan.id}, {simulation.privacy.guarantee}; {evaluation.counted}",
        facts=(
            ("Guarantee", simulation.privacy.guarantee),
            ("Quantity", evaluation.counted),
        ),
        tables=(_by_level(evaluation.by_level, of_pairs=of_pairs),),
        cautions=_cautions(simulation.privacy),
        notes=(f"These are the errors of one simulation. Other seeds give other errors. {EXACT}",),
    )


@card.register
def _(exploration: Exploration) -> Card:
    quantity, errors = exploration.counts.quantity, exploration.errors
    own = errors["quantity"] == quantity.id
    rows = errors[own].groupby("level", sort=False)["mean_abs"].mean()
    return Card(
        kind="Exploration",
        title=f"{counted(exploration.n, 'simulated release')}: {quantity.title}",
        facts=(("Levels", _levels(exploration.counts.regions)),),
        tables=(_mean_errors(rows.index.tolist(), rows.tolist(), quantity.title),),
        notes=(EXACT,),
    )


@card.register
def _(counts: ReleasedCounts) -> Card:
    return Card(
        kind="ReleasedCounts",
        title=f"{counts.quantity.title} in {counted(counts.n, 'simulated release')}",
        facts=(("Levels", _levels(counts.regions)),),
        notes=(EXACT,),
    )


@card.register
def _(counts: LevelSimulations) -> Card:
    n, areas = counts.released.shape
    return Card(
        kind="LevelSimulations",
        title=f"{counted(areas, counts.level)} in {counted(n, 'simulated release')}",
        notes=(EXACT,),
    )


@card.register
def _(comparison: Comparison) -> Card:
    tables: tuple[str, ...] = ()
    if comparison.levels:
        quantity = str(comparison.errors["quantity"].iloc[0])
        budgets = [plan.budget.words for plan in comparison.plans]
        tables = (_configurations(overview(comparison, quantity=quantity), budgets),)
    cautions = [p.privacy.caution for p in comparison.plans if p.privacy.caution]
    return Card(
        kind="Comparison",
        title=f"{counted(len(comparison.plans), 'configuration')}, "
        f"{counted(comparison.n_simulations, 'simulation')} each",
        facts=(("Levels", ", ".join(comparison.levels)),),
        tables=tables,
        cautions=tuple(dict.fromkeys(cautions)),
        notes=(EXACT,),
    )


@card.register
def _(outcome: Outcome) -> Card:
    decided = outcome.places.dropna(subset=["wrong"])
    worst = decided.sort_values("wrong", ascending=False, kind="stable").head(5)
    largest = float(decided["wrong"].max()) if len(decided) else 0.0
    most = f"no area {outcome.rule.wrong} in any simulation"
    if largest:
        name = str(worst["name"].iloc[0])
        most = f"{name}, which {outcome.rule.wrong} in {percent(largest)} of simulations"
    rows = [
        (str(row["name"]), whole(row["true"]), Bar(text=percent(row["wrong"]), part=row["wrong"]))
        for row in worst.to_dict("records")
    ]
    return Card(
        kind="Outcome",
        title=f"{outcome.rule.title}: {counted(len(decided), outcome.level)}, "
        f"{counted(outcome.n_simulations, 'simulation')}",
        facts=(
            ("Rule", outcome.rule.about),
            *((p.title, p.shown(outcome.parameters[p.name])) for p in outcome.rule.parameters),
            ("Most affected area", most),
        ),
        tables=(piece.table(("area", "true count", "different outcome"), rows),),
        notes=(EXACT,),
    )


@card.register
def _(plan: BudgetPlan) -> Card:
    # Two tables, because their levels may differ. For flows, the budget is divided over levels of
    # pairs. In other plans, the root may have no part of it.
    symbol, _ = plan.plan.privacy.parts
    budgets = zip(plan.levels["level"], plan.levels["budget"].map(parameter), strict=True)
    errors = zip(plan.errors["level"], plan.errors["mean_abs"].map(number), strict=True)
    note = rounding_note(symbol, plan.levels["budget"])
    return Card(
        kind="BudgetPlan",
        title=plan.sentence,
        facts=(("Simulations", plan.sure), ("Basis", plan.basis)),
        tables=(
            piece.table(("level", f"budget ({symbol})"), list(budgets)),
            piece.table(("level", "mean absolute error"), list(errors)),
        ),
        cautions=plan.warnings,
        notes=tuple(filter(None, (note, _mark(synthetic=plan.synthetic)))),
    )


@card.register
def _(best: BestAllocation) -> Card:
    head = ("level", "mean absolute error", "with equal allocation")
    levels = best.plan.domain.regions.levels
    errors = zip(levels, map(number, best.levels), map(number, best.even_levels), strict=True)
    return Card(
        kind="BestAllocation",
        title=best.sentence,
        facts=(("Simulations", best.measured), ("Basis", best.basis)),
        tables=(piece.table(head, list(errors)),),
        notes=tuple(filter(None, (_mark(synthetic=best.synthetic),))),
    )


@card.register
def _(audit: Audit) -> Card:
    result, meaning = audit.sentences
    return Card(
        kind="Audit",
        title=f"Audit of {audit.mechanism}",
        facts=(("Result", result), ("Meaning", meaning)),
        cautions=(meaning,) if audit.leaks else (),
    )


@card.register
def _(sample: Sample) -> Card:
    table = sample.table
    return Card(
        kind="Sample",
        title=sample.title,
        line=f"{sample.id}, {_what(table)} by {_levels(table.regions)}; total {_total(table)}",
        facts=(
            ("Content", f"{table.kind_words}: {_what(table)}"),
            ("Levels", _levels(table.regions)),
            ("Total", _total(table)),
            ("About", sample.about),
            ("Real or synthetic", sample.real),
            ("Source", sample.credit),
        ),
    )


@card.register
def _(boundaries: Boundaries) -> Card:
    placed = boundaries.plane is not None
    return Card(
        kind="Boundaries",
        title=boundaries.caption,
        line=f"{boundaries.caption}; {_levels(boundaries.regions)}",
        facts=(
            ("Levels", _levels(boundaries.regions)),
            ("Coordinates", "degrees (WGS 84)" if placed else "of a drawing, not geographic"),
        ),
    )


@card.register
def _(report: Report) -> Card:
    return Card(
        kind="Report",
        title="Usable" if report.usable else counted(len(report.faults), "error"),
        facts=tuple(
            (_KINDS[finding.kind], finding.sentence) for finding in report.findings[:_ROWS]
        ),
    )


@card.register
def _(reading: Reading) -> Card:
    report = reading.report
    content = "no table" if reading.table is None else _what(reading.table)
    facts = [("Table", content), ("Map", reading.drawn)] + [("Guess", g) for g in reading.guesses]
    return Card(
        kind="Reading",
        title=reading.title or ", ".join(report.files),
        facts=tuple((label, words) for label, words in facts if words),
        cautions=tuple(finding.sentence for finding in report.faults[:_ROWS]),
        notes=tuple(f.sentence for f in report.findings if f.kind != "error")[:_ROWS],
    )


def _mark(*, synthetic: bool) -> str:
    """Return the mark of errors of a table; "" if the table was synthetic."""
    return "" if synthetic else EXACT


def _areas_on_levels(tree: Hierarchy) -> str:
    return f"{counted(tree.n_nodes, 'area')} on {counted(tree.n_levels, 'level')}"


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _levels(regions: Regions) -> str:
    real = ~regions.padded
    sizes = np.bincount(regions.tree.level_of[real], minlength=regions.tree.n_levels)
    levels = [f"{level} ({n:,})" for level, n in zip(regions.levels, sizes.tolist(), strict=True)]
    return some(levels, shown=_LEVELS)


def _what(table: Table) -> str:
    if table.between_regions:
        return str(table.labels["unit"])
    return table.column_title(0) if not table.has_groups else table.quantities[2].title


def _total(table: Table) -> str:
    unit = str(table.labels.get("unit") or table.labels["people"])
    total = amount(table.total, unit)
    return f"at least {total}" if table.labels.get("top_coded") else total


def _public(domain: Domain) -> tuple[tuple[str, str], ...]:
    facts = join_and([fact.value for fact in domain.taken_from_data])
    unit = ("Privacy unit", f"one {domain.person}")
    return (unit, ("Taken from the data", facts)) if facts else (unit,)


def _guarantee(statement: PrivacyStatement) -> tuple[tuple[str, str], ...]:
    public = join_and(statement.invariants)
    return (
        ("Guarantee", statement.guarantee),
        ("Neighbouring datasets", f"differ by {statement.difference}"),
        *((("Treated as public", public),) if public else ()),
        *((("Taken from the data", NOT_COVERED),) if statement.taken_from_data else ()),
    )


def _cautions(statement: PrivacyStatement) -> tuple[str, ...]:
    return (statement.caution,) if statement.caution else ()


def _first_areas(regions: Regions) -> str:
    rows = [
        (regions.names[node], regions.ids[node], regions.levels[int(regions.tree.level_of[node])])
        for node in range(min(_ROWS // 2, regions.tree.n_nodes))
    ]
    return piece.table(("area", "code", "level"), rows)


def _by_magnitude(table: Table, quantity: str) -> str:
    """Return a table of the number of areas of the last level by order of magnitude."""
    chosen = table.quantity(quantity)
    regions = table.regions_of(chosen)
    leaves = regions.tree.leaves
    values = table.by_region(chosen)[leaves][~regions.padded[leaves]]
    digits = np.where(values < 1, 0, 1 + np.log10(np.maximum(values, 1)).astype(int))
    counts = np.bincount(np.minimum(digits, _DECADES)).tolist()
    names = ["0", "1 to 9"] + [f"{10**k:,} to {10 ** (k + 1) - 1:,}" for k in range(1, _DECADES)]
    names[-1] = f"{10 ** (_DECADES - 1):,} or more"
    shown = [(name, n) for name, n in zip(names, counts, strict=False) if n]
    most = max(n for _, n in shown)
    rows = [(name, Bar(text=f"{n:,}", part=n / most)) for name, n in shown]
    return piece.table((chosen.title, plural(regions.levels[-1])), rows)


def _spent(statement: PrivacyStatement, plan: Plan | None = None) -> str:
    """Return a table of what each level spends and of its noise."""
    sds = [0.0 if v is None else float(np.sqrt(v)) for v in plan.variances] if plan else []
    largest = max(sds, default=0.0)
    rows = []
    for k, level in enumerate(statement.levels[: 2 * _ROWS]):
        noise = level.scale
        sd = sds[k] if k < len(sds) else 0.0
        cell = Bar(text=noise, part=sd / largest) if largest and sd else noise
        rows.append((level.level, level.share or "–", cell))
    return piece.table(("level", "allocation", "noise"), rows)


def _errors_of(simulation: Simulation) -> str:
    """Return a table of the mean absolute error of the first quantity by level."""
    table, released = simulation.exact, simulation.table
    quantity = table.quantities[0]
    regions = table.regions_of(quantity)
    error = np.abs(released.by_region(released.quantity(quantity.id)) - table.by_region(quantity))
    means = []
    for level in range(regions.tree.n_levels):
        nodes = regions.tree.level(level)
        means.append(float(error[nodes][~regions.padded[nodes]].mean()))
    return _mean_errors(regions.levels, means, quantity.title)


def _mean_errors(levels: Sequence[str], means: Sequence[float], unit: str) -> str:
    largest = max(means, default=0.0)
    rows = [
        (level, Bar(text=number(mean), part=mean / largest if largest else 0.0))
        for level, mean in zip(levels, means, strict=True)
    ]
    return piece.table(("level", f"mean absolute error, {unit}"), rows)


def _by_level(errors: Any, *, of_pairs: bool) -> str:
    largest = float(errors["mean_abs"].max()) or 1.0
    rows = [
        (
            row["level"],
            f"{row['regions']:,}",
            Bar(text=number(row["mean_abs"]), part=row["mean_abs"] / largest),
            percent(row["median_rel"]),
        )
        for row in errors.to_dict("records")
    ]
    counted_by = "possible pairs" if of_pairs else "areas"
    head = ("level", counted_by, "mean absolute error", "median relative error")
    return piece.table(head, rows)


def _configurations(rows: Any, budgets: Sequence[str]) -> str:
    largest = float(rows["mean_abs"].max()) or 1.0
    cells = [
        (
            row["mechanism"],
            budgets[row["case"]],
            row["allocation"],
            row["level"],
            Bar(text=number(row["mean_abs"]), part=row["mean_abs"] / largest),
        )
        for row in rows.head(2 * _ROWS).to_dict("records")
    ]
    return piece.table(("mechanism", "budget", "allocation", "level", "mean absolute error"), cells)
