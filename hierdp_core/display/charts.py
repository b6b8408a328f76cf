"""The charts of the app as methods, such as `simulation.chart.map("county")`.

Every chart comes from the function that a page uses. A notebook displays a `Chart` at the end of a
cell. `chart.figure` is the Plotly figure, `chart.table` its numbers and `chart.alt` its alternative
text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hierdp_core.decisions.base import Outcome
from hierdp_core.display.places import boundaries_of, titled
from hierdp_core.evaluation.comparison import Comparison, Measure, rivals
from hierdp_core.evaluation.errors import by_region_errors, paired
from hierdp_core.evaluation.released_counts import released_counts
from hierdp_core.evaluation.repeated import simulate_many, summarize
from hierdp_core.exceptions import ChoiceError
from hierdp_core.explain.tree_steps import Family, Problem
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.errors import levels, spread
from hierdp_core.figures.maps import error_map, frequency
from hierdp_core.figures.program import cost, size_distribution
from hierdp_core.figures.style import Theme
from hierdp_core.simulation import Simulation
from hierdp_core.tables import Quantity
from hierdp_core.util.marks import CONTAINS_TRUTH
from hierdp_core.util.progress import ProgressOption
from hierdp_core.util.text import capital, counted, join_or, plural, several
from hierdp_core.writers import comparison_report
from hierdp_core.writers.comparison_report import Looking
from hierdp_core.writers.report import Section

_WIDTH = 720  # of a map, in pixels


@dataclass(frozen=True, eq=False, kw_only=True)
class SimulationCharts:
    """The charts of one simulated release, each marked as not for publication.

    Attributes:
        simulation: the simulation.
        quantity: the id of a quantity; the table's first if None.
    """

    simulation: Simulation
    quantity: str | None = None

    def map(
        self, level: str | None = None, *, boundaries: Any = None, theme: Theme = "light"
    ) -> Chart:
        """Return the map of relative errors of this simulation.

        Args:
            level: the name of the level; the last one by default.
            boundaries: `Boundaries` or a GeoDataFrame. By default, those of the sample that the
                table belongs to, or else one tile per area.
            theme: the theme of the page, "light" or "dark".

        Raises:
            HierdpError: there is no such level, or the boundaries do not fit.
        """
        asked = self._asked
        regions = self.simulation.exact.regions_of(asked)
        name = level or regions.levels[-1]
        place = regions.level_index(name)
        shapes = boundaries_of(regions, boundaries)
        rows = by_region_errors(self.simulation.exact, self.simulation, asked.id)
        rows = rows[rows["level"] == name]
        return error_map.chart(
            rows,
            shapes.layer(place),
            title=titled(len(rows), name),
            box=shapes.box,
            unit=asked.title,
            height=error_map.height_for(shapes.box, _WIDTH),
            theme=theme,
        ).marked(CONTAINS_TRUTH)

    def error_by_level(self, *, n_simulations: int = 30, progress: ProgressOption = None) -> Chart:
        """Return the mean absolute error at every level over simulations of the same plan.

        One simulation says little about a mechanism, so the plan is simulated again, with the same
        seed.

        Args:
            n_simulations: the number of simulations, at least 1.
            progress: True for a progress bar, or a function that is called with the number of
                completed simulations and the total.

        Raises:
            HierdpError: `n_simulations` is below 1, or a simulation failed, as in `simulate`.
        """
        simulation = self.simulation
        frame = simulate_many(
            simulation.exact,
            [simulation.plan],
            n_simulations=n_simulations,
            seed=simulation.seed,
            quantities=(self._asked.id,),
            progress=progress,
        )
        drawn = levels.chart(summarize(frame, "mean_abs"), unit=self._asked.title)
        return drawn.marked(CONTAINS_TRUTH)

    def distribution(
        self, area: str | None = None, *, level: str | None = None, n_simulations: int = 100
    ) -> Chart:
        """Return the group sizes of one area, true and released.

        For other tables, return the histogram of the area's released count over simulations.

        Args:
            area: the code or name of an area; the root by default.
            level: the level of the area, if several levels have its code.
            n_simulations: the number of simulations behind a histogram.

        Raises:
            ChoiceError: no area, or more than one, has this code or name, or `n_simulations` is
                below 1.
            HierarchyError: there is no such level.
        """
        simulation = self.simulation
        table, released = paired(simulation.exact, simulation)
        regions = table.regions if table.has_groups else table.regions_of(self._asked)
        node = _node(regions, area, level)
        name = regions.names[node]
        if table.has_groups:
            frame = size_distribution.size_table(
                table.values[node],
                released.values[node],
                top_coded=bool(table.labels["top_coded"]),
            )
            group = str(table.labels["group"])
            title = f"{capital(group)} of {name} by size"
            drawn = size_distribution.chart(frame, title=title, region=name, group=group)
            return drawn.marked(CONTAINS_TRUTH)
        counts = released_counts(
            table,
            simulation.plan,
            self._asked.id,
            n_simulations=n_simulations,
            seed=simulation.seed,
        )
        return spread.chart(
            counts.released[:, node],
            heading=f"{capital(self._asked.title)} of {name} over "
            f"{counted(n_simulations, 'simulation')}",
            title=self._asked.title,
            kind="count",
            exact=float(counts.true[node]),
        ).marked(CONTAINS_TRUTH)

    def cost_table(self, area: str | None = None, *, level: str | None = None) -> Chart:
        """Return the cost table of one area: the cost of each value in the dynamic program.

        For group sizes, it is the cost table of size 0. The page How it works shows cost tables
        step by step. Only mechanisms that use the tree program have them.

        Args:
            area: the code or name of an area; the root by default.
            level: the level of the area, if several levels have its code.

        Raises:
            ChoiceError: no area, or more than one, has this code or name, or the mechanism does not
                use the tree program.
            HierarchyError: there is no such level.
        """
        simulation = self.simulation
        regions = simulation.exact.regions
        node = _node(regions, area, level)
        family = Family.at(Problem.of(simulation.exact, simulation), node, 0)
        name, weight = regions.names[node], family.weight
        parts = "" if family.parts.size == 0 else plural(regions.levels[family.level + 1])
        return Chart(
            title=f"Cost table of {name}",
            figure=cost.stacked(family.table, name=name, parts=parts, weight=weight),
            alt=cost.stacked_alt(family.table, name=name, weight=weight),
            table=cost.cost_frame(family.table, names=[], part_tables=[], weight=weight),
        ).marked(CONTAINS_TRUTH)

    @property
    def _asked(self) -> Quantity:
        table = self.simulation.exact
        return table.quantities[0] if self.quantity is None else table.quantity(self.quantity)


@dataclass(frozen=True, kw_only=True)
class ComparisonCharts:
    """The charts of the page Compare mechanisms."""

    comparison: Comparison

    def error(self, level: str | None = None, *, budget: str | None = None) -> Chart:
        """Return the error of every case on a level, with its ranges over simulations.

        Args:
            level: the name of the level; the last one by default.
            budget: one of `budgets`; the middle one by default.

        Raises:
            ChoiceError: there is no such level or budget, or no simulation.
        """
        name = self._level(level)
        look = self._looking(budget)
        part = comparison_report.error_section(self.comparison, look, name, capital(name))
        return _chart_of(part)

    def against_budget(self, level: str | None = None) -> list[Chart]:
        """Return the error against the budget, one chart for each kind of budget.

        Args:
            level: the name of the level; the last one by default.

        Raises:
            ChoiceError: there is no such level, or no simulation.
        """
        name, look = self._level(level), self._looking(None)
        parts = comparison_report.budget_sections(self.comparison, look, name, capital(name))
        return [_chart_of(part) for part in parts]

    def trade_off(self, across: str | None = None, up: str | None = None) -> Chart:
        """Return the error on one level against that on another.

        Args:
            across: the level of the horizontal axis; the first one by default.
            up: the level of the vertical axis; the last one by default.

        Raises:
            ChoiceError: there is no such level, or no simulation.
        """
        last = self._level(up)
        first = self._level(across or self.comparison.levels[0])
        look = replace(self._looking(None), x=first, y=last)
        return _chart_of(comparison_report.trade_off_section(self.comparison, look))

    @property
    def budgets(self) -> tuple[str, ...]:
        """The guarantees within which cases are compared."""
        return tuple(guarantee for guarantee, _ in rivals(self.comparison.plans))

    def _level(self, level: str | None) -> str:
        known = self.comparison.levels
        if not known:
            raise ChoiceError("The comparison holds no simulation. Simulate at least one first.")
        if level is not None and level not in known:
            raise ChoiceError(f'There is no level "{level}". Choose {join_or(known)}.')
        return level or known[-1]

    def _looking(self, budget: str | None) -> Looking:
        known = self.budgets
        if budget is not None and budget not in known:
            raise ChoiceError(
                f'There is no budget "{budget}". Choose one of these: {several(known)}.'
            )
        comparison = self.comparison
        return Looking(
            measure=Measure(
                id="error",
                title="Mean absolute error",
                unit="mean absolute error",
                column="mean_abs",
                quantity=str(comparison.errors["quantity"].iloc[0]),
                about="",
            ),
            guarantee=budget or known[len(known) // 2],
            scale="stated",
            x=comparison.levels[0],
            y=comparison.levels[-1],
            level=None,
            noun="",
        )


@dataclass(frozen=True, kw_only=True)
class OutcomeCharts:
    """The charts of the page Impact on decisions."""

    outcome: Outcome

    def map(self, boundaries: Any, *, theme: Theme = "light") -> Chart:
        """Return the map of how often each area has another outcome than under the true counts.

        Args:
            boundaries: `Boundaries` that have the level of the decision.
            theme: the theme of the page, "light" or "dark".

        Raises:
            HierarchyError: the boundaries have no such level.
        """
        outcome = self.outcome
        place = boundaries.regions.level_index(outcome.level)
        name = titled(len(outcome.places), outcome.level)
        return frequency.chart(
            outcome,
            boundaries.layer(place),
            title=f"{outcome.rule.title}: {name}",
            regions=name,
            box=boundaries.box,
            unit="",
            height=error_map.height_for(boundaries.box, _WIDTH),
            theme=theme,
        ).marked(CONTAINS_TRUTH)

    def spread(self) -> Chart:
        """Return the histogram of the rule's main number over simulations."""
        outcome = self.outcome
        column = outcome.rule.simulation_columns[0]
        return spread.chart(
            outcome.by_simulation[column.id].to_numpy(),
            heading=f"{outcome.rule.title}: {column.title}",
            title=column.title,
            kind=column.kind,
            exact=outcome.facts.get("exact", 0.0),
        ).marked(CONTAINS_TRUTH)


def _chart_of(part: Section) -> Chart:
    return Chart(
        title=part.title,
        figure=part.figure,
        alt=part.alt,
        table=part.table,
        sentence=part.sentence,
    )


def _node(regions: Any, area: str | None, level: str | None) -> int:
    """Return the node whose code, or else whose name, is `area`; the root for None."""
    if area is None:
        return 0
    if level is not None:
        of_level = regions.tree.level(regions.level_index(level))
        nodes: Sequence[int] = range(of_level.start, of_level.stop)
    else:
        nodes = range(regions.tree.n_nodes)
    for labels in (regions.ids, regions.names):
        matches = [k for k in nodes if labels[k] == area and not regions.padded[k]]
        if len(matches) == 1:
            return matches[0]
        if matches:
            levels = dict.fromkeys(regions.levels[int(regions.tree.level_of[k])] for k in matches)
            if len(levels) == len(matches):
                raise ChoiceError(
                    f'"{area}" names areas of several levels: {", ".join(levels)}. Pass one of '
                    "them as level."
                )
            codes = ", ".join(f'"{regions.ids[k]}"' for k in matches[:5])
            raise ChoiceError(
                f'"{area}" names {len(matches):,} areas. Pass a code, such as {codes}.'
            )
    raise ChoiceError(f'No area has the code or name "{area}". Correct the code or the name.')
