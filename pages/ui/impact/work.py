"""Hundreds of simulations for Impact on decisions: some at once, the others in the background."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

import hierdp_core as hdp
from hierdp_core.decisions import (
    RULES,
    Outcome,
    across_budgets,
    decide,
    presets_for,
    summary,
)
from hierdp_core.decisions.budgets import FACTORS
from hierdp_core.evaluation.released_counts import LevelSimulations, ReleasedCounts
from hierdp_core.evaluation.size_classes import by_size
from hierdp_core.exceptions import ChoiceError
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.errors import by_size as errors_by_size
from hierdp_core.figures.errors import spread
from hierdp_core.figures.maps import frequency
from hierdp_core.figures.style import Theme
from hierdp_core.maps.boundaries import MapLayer
from hierdp_core.settings import Settings
from hierdp_core.util.marks import truth_mark
from pages.ui.impact import impact_words
from pages.ui.impact.address import ImpactAddress
from pages.ui.shell import datasets, geometry, jobs, words
from pages.ui.shell import work as shell_work
from pages.ui.shell.address import SIMULATIONS, View
from pages.ui.shell.cache import remembered
from pages.ui.shell.jobs import Job
from pages.ui.shell.work import Drawn, in_bundles

PAGE = "impact"
_FIRST = 10  # simulations to wait for, unless one is slow
_BUNDLE = 10  # simulations between two checks whether they are still wanted
BUDGETS = "impact-budgets"  # the page of the job for other budgets
_BUDGET_SIMULATIONS = 30
_KEPT = 6  # sets of simulations, up to about 30 MB each


@dataclass(frozen=True, eq=False, kw_only=True)
class Decided:
    """An outcome with the data of its charts; `digest` identifies it in caches.

    `confidential` states whether the visitor marked the data as confidential.
    """

    digest: str
    places: LevelSimulations
    outcome: Outcome
    sizes: pd.DataFrame
    unit: str
    confidential: bool = False

    @property
    def mark(self) -> str:
        """The mark on its files and pictures, which contain true values."""
        return truth_mark(confidential=self.confidential)


def simulations(view: View, drawn: Drawn) -> tuple[ReleasedCounts, Job[ReleasedCounts] | None]:
    """Return the simulations to show, and the job that runs the others; None when it is complete.

    While the job runs, the charts change at 10, 30, 100 … simulations. A job that was stopped is
    returned as well. A new view stops the job of the previous view.

    Raises:
        HierdpError: the job failed.
    """
    total, kept = view.of(ImpactAddress).n_simulations, _kept(drawn.digest)
    job = jobs.of(PAGE, (drawn.digest, total), lambda: _job(view, drawn, total, kept))
    if job.running:
        result = job.value
        return result.head(max((n for n in SIMULATIONS if n <= result.n), default=result.n)), job
    job.check()
    if not kept or kept[0].n < job.value.n:
        kept[:] = [job.value]
    return job.value, job if job.stopped else None


def _job(
    view: View, drawn: Drawn, total: int, earlier: list[ReleasedCounts]
) -> Job[ReleasedCounts]:
    counts = _begun(view, drawn, earlier).head(total)

    def more(counts: ReleasedCounts, first: int, n: int) -> ReleasedCounts:
        return counts.joined(_counts(drawn, first=first, n=n))

    size = 1 if drawn.slow else _BUNDLE
    return Job(
        name=(drawn.digest, total),
        compute=lambda job: in_bundles(job, size, more),
        value=counts,
        total=total,
        done=counts.n,
        finished=counts.n >= total,
        quiet_looks=1,
        seconds=(total - counts.n) * drawn.simulation.seconds["total"],
    )


def _begun(view: View, drawn: Drawn, earlier: list[ReleasedCounts]) -> ReleasedCounts:
    """Return the first simulations: those of this page, else of other pages, else new ones."""
    if earlier:
        return earlier[0]
    elsewhere = shell_work.known(view, drawn)  # simulation i is the same on all pages
    if elsewhere is not None and elsewhere.n >= _FIRST:
        return elsewhere.counts
    return _first(drawn.digest, drawn)


def decided(
    view: View, drawn: Drawn, counts: ReleasedCounts, level: str, parameters: Mapping[str, Any]
) -> Decided:
    """Return what the rule of `view` decides from these simulations.

    Raises:
        ChoiceError: the parameters do not fit the areas.
    """
    return decided_by(view.of(ImpactAddress).rule, drawn, counts, level, parameters)


def decided_by(
    rule: str, drawn: Drawn, counts: ReleasedCounts, level: str, parameters: Mapping[str, Any]
) -> Decided:
    """Return what a rule decides from these simulations.

    Raises:
        ChoiceError: the parameters do not fit the areas.
    """
    given = sorted((name, str(value)) for name, value in parameters.items())
    digest = f"{drawn.digest}\n{counts.n} {level} {rule} {given}"
    confidential = datasets.is_confidential(drawn.sample)
    return _decided(digest, rule, counts, level, parameters, confidential)


def programmes(drawn: Drawn, counts: ReleasedCounts) -> pd.DataFrame:
    """Return a row for every preset that fits and every rule with its usual parameters."""
    rows = []
    for preset in presets_for(drawn.sample.table):
        level = preset.level_in(drawn.levels)
        if level is not None:
            row = _summary(preset.rule, drawn, counts, level, preset.parameters)
            rows.append({"preset": preset.id, "decision": preset.title, "level": level} | row)
    for rule in RULES.values():
        level = rule.usual_level(counts.regions)
        row = _summary(rule.id, drawn, counts, level, {})
        rows.append({"preset": "", "rule": rule.id, "decision": rule.title, "level": level} | row)
    return pd.DataFrame([row for row in rows if "measure" in row])


def _summary(
    rule: str, drawn: Drawn, counts: ReleasedCounts, level: str, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the numbers of one decision; empty if it does not fit these areas."""
    try:
        return summary(decided_by(rule, drawn, counts, level, parameters).outcome)
    except ChoiceError:
        return {}


def budgets(view: View, drawn: Drawn, decided: Decided) -> Job[list[dict[str, Any]]]:
    """Return the job for other budgets; its value has one row per budget so far."""
    outcome = decided.outcome
    settings = [_scaled(view.settings, factor) for factor in FACTORS]

    def compute(job: Job[list[dict[str, Any]]]) -> bool:
        table = drawn.sample.table
        rows = across_budgets(
            table,
            [one.plan(table) for one in settings[len(job.value) :]],  # a stopped job continues here
            drawn.quantity.id,
            rule=outcome.rule,
            level=outcome.level,
            parameters=outcome.parameters,
            n_simulations=_BUDGET_SIMULATIONS,
            seed=drawn.simulation.seed,
        )
        for row in rows:
            job.value = [*job.value, row]
            job.done = len(job.value)
            if job.unwanted:
                break
        return job.done >= job.total

    name = decided.digest.replace(f"\n{outcome.n_simulations} ", "\n")
    return jobs.of(
        BUDGETS, name, lambda: Job(name=name, compute=compute, value=[], total=len(settings))
    )


def _scaled(settings: Settings, factor: float) -> Settings:
    """Return the same plan at a multiple of its budget."""
    if settings.rho is not None:
        return replace(settings, rho=_round(settings.rho * factor))
    assert settings.epsilon is not None
    return replace(settings, epsilon=_round(settings.epsilon * factor))


def _round(value: float) -> float:
    return float(f"{value:.3g}")


@remembered(max_entries=48)
def _decided(
    digest: str,
    _rule: str,
    _counts: ReleasedCounts,
    _level: str,
    _parameters: Mapping[str, Any],
    _confidential: bool,
) -> Decided:
    places = _counts.of_level(_level)
    outcome = decide(_rule, places, **_parameters)
    return Decided(
        digest=digest,
        places=places,
        outcome=outcome,
        sizes=by_size(places, outcome.places["wrong"].to_numpy(float)),
        unit=_counts.quantity.title,
        confidential=_confidential,
    )


@remembered(max_entries=24)
def map_of(
    digest: str, theme: Theme, keyed: bool, _decided: Decided, _drawn: Drawn, _height: int
) -> Chart:
    """Return the map of an outcome, marked as containing true values."""
    level = _drawn.levels.index(_decided.outcome.level)
    layer = geometry.of(_drawn.sample, level)
    return map_chart(_decided, _drawn, layer, height=_height, theme=theme, keyed=keyed)


def map_chart(
    decided: Decided,
    drawn: Drawn,
    layer: MapLayer,
    *,
    height: int,
    theme: Theme = "light",
    keyed: bool = True,
) -> Chart:
    """Return the map of how often each area has a different outcome."""
    outcome = decided.outcome
    chart = frequency.chart(
        outcome,
        layer,
        title=impact_words.map_title(outcome),
        regions=words.level_title(len(outcome.places), outcome.level),
        box=drawn.sample.boundaries.box,
        unit=decided.unit,
        height=height,
        theme=theme,
        keyed=keyed,
    )
    return chart.marked(decided.mark)


def spread_chart(decided: Decided) -> Chart:
    """Return the histogram of the rule's main result over the simulations."""
    outcome = decided.outcome
    column = outcome.rule.simulation_columns[0]
    chart = spread.chart(
        outcome.by_simulation[column.id].to_numpy(),
        heading=impact_words.spread_title(outcome),
        title=column.title,
        kind=column.kind,
        exact=outcome.facts.get("exact", 0.0),
    )
    return chart.marked(decided.mark)


def size_charts(decided: Decided) -> list[Chart]:
    """Return the charts of errors by size of area."""
    return [
        chart.marked(decided.mark)
        for chart in errors_by_size.charts(decided.sizes, unit=decided.unit)
    ]


@remembered(max_entries=16, show_spinner="Simulating…")
def _first(digest: str, _drawn: Drawn) -> ReleasedCounts:
    return _counts(_drawn, first=0, n=1 if _drawn.slow else _FIRST)


@remembered(max_entries=_KEPT)
def _kept(digest: str) -> list[ReleasedCounts]:
    """Return the store for the simulations of a view."""
    return []


def _counts(drawn: Drawn, *, first: int, n: int) -> ReleasedCounts:
    return hdp.released_counts(
        drawn.sample.table,
        drawn.plan,
        drawn.quantity.id,
        n_simulations=n,
        seed=drawn.simulation.seed,
        first=first,
    )
