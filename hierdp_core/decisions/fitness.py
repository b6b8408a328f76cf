"""Fitness for use: how accurate a planned release will be, in a few numbers.

The measures are those that statistical offices publish about disclosure avoidance: mean absolute
error, mean absolute percentage error, mean error, and errors by size class.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from hierdp_core.decisions import decide, presets_for, summary
from hierdp_core.evaluation.released_counts import LevelSimulations, ReleasedCounts, released_counts
from hierdp_core.evaluation.size_classes import margin_of_mean
from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.tables import Table
from hierdp_core.util.arrays import BoolArray
from hierdp_core.util.parallel import Cancel
from hierdp_core.util.progress import ProgressOption

SIZE_EDGES = (1, 500, 1_000, 5_000, 10_000, 50_000, 100_000)  # true counts at which classes start
_WITHIN = 0.05  # of the true count


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitness:
    """The errors that a plan causes in the areas of a table, measured against true counts.

    Attributes:
        counts: the simulations from which everything is computed.
        by_level: one row per level, with the column `level` and the entries of `measures`.
        by_size: one row per size class of the last level, with the column `size` and the entries of
            `measures`.
        decisions: one row per programme or law, with the columns `decision`, `level` and those
            of `decisions.summary`.
    """

    counts: ReleasedCounts
    by_level: pd.DataFrame
    by_size: pd.DataFrame
    decisions: pd.DataFrame


def fitness(
    table: Table,
    plan: Plan,
    quantity: str | None = None,
    *,
    n_simulations: int = 100,
    seed: int = 0,
    progress: ProgressOption = None,
    cancel: Cancel | None = None,
) -> Fitness:
    """Return how accurate a release under `plan` will be, estimated from simulations.

    Args:
        table: the exact table, or a synthetic one of the same shape.
        plan: a plan for `table`.
        quantity: which number of each region to measure; by default the first of the table.
        n_simulations: the number of simulations, at least 1.
        seed: the seed of all noise.
        progress, cancel: see `released_counts`.

    Raises:
        ChoiceError: the table has no such quantity, the plan is for another table, or
            `n_simulations` or `seed` is not valid.
        HierdpError: a simulation failed, as in `simulate`.
    """
    counts = released_counts(
        table,
        plan,
        quantity or table.quantities[0].id,
        n_simulations=n_simulations,
        seed=seed,
        progress=progress,
        cancel=cancel,
    )
    return fitness_of(table, counts)


def fitness_of(table: Table, counts: ReleasedCounts) -> Fitness:
    """Return the result of `fitness` from simulations that exist already.

    Raises:
        ChoiceError: `counts` has no simulation.
    """
    if not counts.n:
        raise ChoiceError(
            "Fitness for use needs at least one simulated release; there is none. Simulate first."
        )
    levels = [counts.of_level(level) for level in counts.regions.levels]
    return Fitness(
        counts=counts,
        by_level=pd.DataFrame([{"level": level.level} | measures(level) for level in levels]),
        by_size=_by_size(levels[-1]),
        decisions=_decisions(table, counts),
    )


def measures(part: LevelSimulations, which: BoolArray | None = None) -> dict[str, float]:
    """Return measures of the error over some areas and all simulations.

    The measures are:

    - `areas`: the number of these areas.
    - `mae`: the mean absolute error.
    - `mape`: the mean absolute percentage error, as a proportion, over areas with a true count
      above 0; NaN if there are none.
    - `bias`: the mean of released minus true count.
    - `bias_margin`: half the width of a 95% confidence interval for it, from the spread of the
      simulations; NaN for a single one.
    - `within`: the proportion of released numbers within 5% of the true count.
    - `largest`: the mean over simulations of the largest absolute error.

    Args:
        part: the areas of one level.
        which: shape (areas,), True for the areas to include; by default all.
    """
    included = np.ones(len(part.true), dtype=bool) if which is None else which
    true = part.true[included].astype(np.float64)
    error = part.released[:, included] - true
    size, positive = np.abs(error), true > 0
    relative = size[:, positive] / true[positive]
    return {
        "areas": int(included.sum()),
        "mae": float(size.mean()),
        "mape": float(relative.mean()) if positive.any() else np.nan,
        "bias": float(error.mean()),
        "bias_margin": margin_of_mean(error.mean(axis=1)),
        "within": float((size <= _WITHIN * true).mean()),
        "largest": float(size.max(axis=1).mean()),
    }


def _by_size(part: LevelSimulations) -> pd.DataFrame:
    """Return one row per size class that has areas, those with a true count of 0 first."""
    group = np.searchsorted(SIZE_EDGES, part.true, side="right")
    rows = [{"size": _size_words(int(k))} | measures(part, group == k) for k in np.unique(group)]
    return pd.DataFrame(rows)


def _size_words(k: int) -> str:
    """Return the name of the size class after `k` edges.

    >>> _size_words(0), _size_words(1), _size_words(7)
    ('0', '1–499', '100,000 or more')
    """
    if k == 0:
        return "0"
    low = f"{SIZE_EDGES[k - 1]:,}"
    return f"{low} or more" if k == len(SIZE_EDGES) else f"{low}–{SIZE_EDGES[k] - 1:,}"


def _decisions(table: Table, counts: ReleasedCounts) -> pd.DataFrame:
    """Return the programmes and laws for this kind of table, without those that do not apply."""
    rows = []
    for preset in presets_for(table):
        level = preset.level_in(counts.regions.levels)
        if level is None:
            continue
        try:
            outcome = decide(preset.rule, counts.of_level(level), **preset.parameters)
        except ChoiceError:  # such as more seats than areas can have
            continue
        rows.append({"decision": preset.title, "level": level} | summary(outcome))
    return pd.DataFrame(rows)
