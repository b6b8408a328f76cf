"""Jupyter notebooks that repeat what a page of the app shows.

The cells are plain text in the notebook format 4.5, so that writing one needs no library.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hierdp_core.settings import Settings
from hierdp_core.tables import Table
from hierdp_core.util.escaping import json_text

_NOT_FOR_PUBLICATION = (
    "This notebook is a demonstration. It shows values of the table without noise, and the noise "
    "can be reproduced from the seed. Not for publication."
)
_NO_NOISE = (
    "This notebook adds no noise. It shows values of the table as they are. Not for publication."
)
_NEEDS = (
    "This notebook needs HierDP with the extra “notebook”. In the folder of the repository, run "
    '`pip install ".[notebook]"`.'
)
_OWN = "# Your own data stay in your session of the app. Name your files here."
_READ = 'reading = hdp.read_table("your-table.csv")'
_READ_CONFIDENTIAL = (
    "# The list of areas must not come from the records.\n"
    "reading = hdp.read_table(\n"
    '    "your-table.csv", regions="your-areas.csv", confidential=True\n)'
)


class DataSource(StrEnum):
    """The origin of the data of a page."""

    SAMPLE = "sample"
    OWN = "own data"
    CONFIDENTIAL = "confidential own data"


@dataclass(frozen=True, kw_only=True)
class Cells:
    """The content of a notebook after its title.

    Attributes:
        code: the text of each code cell.
        words: a paragraph under the title; empty for none.
        simulates: whether a cell simulates a release.
    """

    code: tuple[str, ...]
    words: str = ""
    simulates: bool = True


def ipynb(title: str, cells: Cells) -> str:
    """Return a notebook as the text of an .ipynb file."""
    note = _NOT_FOR_PUBLICATION if cells.simulates else _NO_NOISE
    paragraphs = [f"# {title}", cells.words, note, _NEEDS]
    cells_json = [_cell(0, "markdown", "\n\n".join(filter(None, paragraphs)))]
    cells_json += [_cell(k, "code", code) for k, code in enumerate(cells.code, start=1)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": cells_json,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json_text(content, indent=1) + "\n"


def data(settings: Settings, *, source: DataSource) -> str:
    """Return the cell that makes `table` and `boundaries`."""
    sample = (
        f"data = hdp.samples.load({settings.sample!r})\n"
        "table, boundaries = data.table, data.boundaries"
    )
    made = sample if source is DataSource.SAMPLE else _own(source)
    return f"import hierdp_core as hdp\n\n{made}\ntable"


def planned(settings: Settings) -> str:
    """Return the cell that makes `plan`."""
    return f"plan = {settings.plan_call('table')}\nplan"


def simulated(settings: Settings) -> str:
    """Return the cell that makes `sim` and `evaluation`."""
    return (
        f"sim = hdp.simulate(table, plan, seed={settings.seed})\n"
        f"evaluation = hdp.evaluate(table, sim, quantity={_quantity(settings)})\n"
        "evaluation"
    )


def overview(settings: Settings, table: Table, *, source: DataSource, simulations: int) -> Cells:
    """Return the cells of Overview: errors by level and one map per level."""
    selected = table.quantity(settings.quantity) if settings.quantity else table.quantities[0]
    maps = [
        f"evaluation.chart.map({level!r}, boundaries=boundaries)"
        for level in table.regions_of(selected).levels
    ]
    return Cells(
        code=(
            data(settings, source=source),
            planned(settings),
            simulated(settings),
            f"evaluation.chart.error_by_level(n_simulations={simulations})",
            *maps,
            "evaluation.to_frame()",
        )
    )


def area(settings: Settings, *, source: DataSource, level: str | None, id: str | None) -> Cells:
    """Return the cells of Area profile: one area, exact and simulated."""
    place = "" if id is None else f"{id!r}, level={level!r}"
    rows = "sim.to_frame(table.quantities[0].id)"
    rows_code = (
        "rows" if id is None else f"rows[(rows['id'] == {id!r}) | (rows['parent'] == {id!r})]"
    )
    return Cells(
        code=(
            data(settings, source=source),
            planned(settings),
            simulated(settings),
            f"sim.chart.distribution({place})",
            f"rows = {rows}\n{rows_code}",
        )
    )


def inside(
    settings: Settings,
    *,
    source: DataSource,
    level: str | None,
    id: str | None,
    paper: bool = False,
) -> Cells:
    """Return the cells of How it works: noisy measurements, and the cost table of an area.

    Args:
        settings: the settings of the page.
        source: where the data are from.
        level, id: the level and id of the area; the root if None.
        paper: whether the page shows the noise that the papers print instead of a simulation.
    """
    place = "" if id is None else repr(id) if level is None else f"{id!r}, level={level!r}"
    tree = settings.configured.is_tree_program
    words = "The page shows the noise that the papers print. This notebook simulates other noise."
    cost = (f"sim.chart.cost_table({place})",) if tree else ()
    return Cells(
        words=words if paper else "",
        code=(
            data(settings, source=source),
            planned(settings),
            simulated(settings),
            "sim.noisy",
            "sim.to_frame()",
            *cost,
        ),
    )


def meaning(settings: Settings, *, source: DataSource) -> Cells:
    """Return the cells of What ε means: the statement, and what an attacker can believe."""
    beliefs = (
        "from hierdp_core.privacy.meaning import belief, loss_limit, uncertain_fact\n"
        "from hierdp_core.privacy.rounding import lower, stated, upper\n\n"
        "delta = plan.privacy.delta or 10**-8  # not used for pure DP\n"
        "limit = loss_limit(plan.privacy, delta=delta)\n"
        'print(f"The belief of an attacker {uncertain_fact(plan.privacy)}:")\n'
        "for prior in (0.01, 0.1, 0.5):\n"
        "    after = belief(limit, prior)\n"
        "    low, high = lower(100 * after.least), upper(100 * after.most)\n"
        '    print(f"{prior:.0%} before: from {low}% to {high}% after")\n'
        "if plan.privacy.epsilon is None or plan.privacy.delta:\n"
        '    print(f"Each limit holds except with probability {stated(delta)}.")\n'
        "if plan.privacy.not_protected:\n"
        "    print(plan.privacy.not_protected)"
    )
    return Cells(
        code=(data(settings, source=source), planned(settings), "plan.privacy", beliefs),
        simulates=False,
    )


def comparison(
    settings: Settings,
    *,
    source: DataSource,
    mechanisms: Sequence[str],
    budgets: Sequence[str],
    allocation: Sequence[Sequence[int] | None],
    simulations: int,
    seed: int,
) -> Cells:
    """Return the cells of Compare mechanisms.

    Args:
        settings: the settings of the page, which name the data.
        source: where the data are from.
        mechanisms: the texts of the mechanisms: ids with any options.
        budgets: Python expressions for the budgets.
        allocation: allocations of the budget to levels; None for the default.
        simulations, seed: the number of simulations and the seed of every case.
    """
    grid = (
        "from hierdp_core.evaluation.comparison import fitting_grid\n\n"
        f"budgets = [{', '.join(budgets)}]\n"
        "plans, left_out = fitting_grid(\n"
        f"    table, {list(mechanisms)!r}, budgets,\n"
        f"    allocation={[w if w is None else list(w) for w in allocation]!r},\n)\n"
        f"comparison = hdp.compare(table, plans, n_simulations={simulations}, seed={seed})\n"
        'print(*left_out, sep="\\n")  # why cases were left out\n'
        "comparison"
    )
    return Cells(
        code=(
            data(settings, source=source),
            grid,
            "for level in comparison.levels:\n    display(comparison.chart.error(level))",
            "comparison.chart.trade_off()",
            "comparison.to_frame()",
        )
    )


def budget(settings: Settings, *, source: DataSource, call: str) -> Cells:
    """Return the cells of Set a budget; `call` is the Python expression of the search."""
    return Cells(
        code=(data(settings, source=source), f"result = {call}\nprint(result.sentence)\nresult")
    )


def impact(
    settings: Settings,
    table: Table,
    *,
    source: DataSource,
    rule: str,
    level: str | None,
    parameters: Mapping[str, Any],
    simulations: int,
) -> Cells:
    """Return the cells of Impact on decisions."""
    quantity = settings.quantity or table.quantities[0].id
    where = level or table.regions_of(table.quantity(quantity)).levels[-1]
    arguments = "".join(f", {name}={value!r}" for name, value in parameters.items())
    decided = (
        f"released = hdp.released_counts(\n    table, plan, {quantity!r}, "
        f"n_simulations={simulations}, seed={settings.seed}\n)\n"
        f"outcome = hdp.decisions.decide("
        f"{rule!r}, released.of_level({where!r}){arguments})\noutcome"
    )
    return Cells(
        code=(
            data(settings, source=source),
            planned(settings),
            decided,
            "outcome.chart.map(boundaries)",
            "outcome.chart.spread()",
            "outcome.to_frame()",
        )
    )


def lesson(id: str, number: int) -> Cells:
    """Return the cells of one lesson with the simulation of student `number`."""
    story = (
        f"from hierdp_core.lessons import lesson\n\none = lesson({id!r})\n"
        "print(one.story)\nprint(one.question)"
    )
    return Cells(
        code=(
            story,
            f"outcome = one.run({number})\nprint(outcome.result)\noutcome.bars",
            "print(one.moral)",
        )
    )


def own_files(source: DataSource) -> Cells:
    """Return the cells of Your data."""
    return Cells(
        code=(
            f"import hierdp_core as hdp\n\n{_own(source)}\nreading",
            "for line in reading.report.lines():\n    print(line)",
            "table",
        ),
        simulates=False,
    )


def _own(source: DataSource) -> str:
    read = _READ_CONFIDENTIAL if source is DataSource.CONFIDENTIAL else _READ
    return f"{_OWN}\n{read}\ntable, boundaries = reading.table, reading.boundaries"


def _quantity(settings: Settings) -> str:
    return "table.quantities[0].id" if settings.quantity is None else repr(settings.quantity)


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    source = text.splitlines(keepends=True)
    cell: dict[str, Any] = {"id": f"cell-{number}", "cell_type": kind, "metadata": {}}
    cell["source"] = source
    return cell | ({"outputs": [], "execution_count": None} if kind == "code" else {})
