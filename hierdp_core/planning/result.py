"""The result of a budget search, its confidence, and both in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from hierdp_core.planning.bench import Scores, TargetScorer
from hierdp_core.planning.confidence import at_least
from hierdp_core.privacy.rounding import (
    float_up,
    lower,
    percent_exact,
    stated,
    to_decimal,
    upper,
)
from hierdp_core.simulation import Plan
from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.constraints import LARGEST_BUDGET
from hierdp_core.util.earlier import renamed
from hierdp_core.util.shown import Shown
from hierdp_core.util.text import by_number, join_and, paragraph, plural

CONFIDENCE = 0.95  # of the statement on the proportion of simulations
BASIS = {False: "true counts", True: "stand-in"}  # in JSON: the table that was planned on
_SURE = f"{100 * CONFIDENCE:.0f}%"
_WEAKER_TARGET = "Set a weaker target, such as a larger tolerance."
_LARGER_BUDGETS = (
    "Allow larger budgets (--most, or “Largest budget to try” on the page Set a budget), or set a "
    "weaker target."
)
_MORE_SIMULATIONS = (
    "Use more simulations (--simulations, or “Validation simulations” on the page Set a budget), "
    "or set a weaker target."
)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BudgetPlan(Shown):
    """The smallest budget shown to meet all targets, or the largest one tested if none was.

    Attributes:
        plan: the plan of a release with this mechanism, budget and allocation.
        reached: whether the budget is enough, at confidence `CONFIDENCE`.
        reliability: the proportion of simulations that must meet every target at once.
        scores: the validation simulations at this budget. They test a sequence of budgets that is
            fixed without them, from the largest down. If `reached`, this is the last budget that
            passed.
        between: bounds on the smallest budget that is enough, each at `CONFIDENCE`. The upper
            bound is the budget found. The lower bound assumes that errors scale with the noise,
            which post-processing may change. None if the targets were not met, or if no smaller
            budget can be stated.
        curve: the scores of each target at this and other budgets, one row per budget and target.
            Columns: `epsilon`, `delta` and `rho` of the budget, NaN where it has none; `target`;
            `measure`, the meaning of the next three columns: "proportion of areas within
            tolerance", "mean absolute error" or "mean relative error"; `median` over simulations;
            `interval_low` and `interval_high`, between which nine in ten simulations lie if the
            reliability is 0.95; `proportion_meeting_target`, the proportion of simulations that
            meet this target; and `simulations`, their number.
        scorers: the targets, with the areas of their levels.
        unit: "epsilon" or "rho", of the curve and of `between`.
        allocation_chosen: whether the search chose the allocation.
        synthetic: whether the table was synthetic.
        largest: the limit above which no budget was tested.
        counted: what the first target counts, plural.
        place_levels: the levels of the hierarchy that the first target is about.
        places: the number of areas of each of them.
        warnings: further sentences for the reader.
    """

    plan: Plan
    reached: bool
    reliability: float
    scores: Scores
    between: tuple[float, float] | None
    curve: pd.DataFrame
    scorers: tuple[TargetScorer, ...]
    unit: str
    allocation_chosen: bool
    synthetic: bool
    largest: float
    counted: str
    place_levels: tuple[str, ...]
    places: tuple[int, ...]
    warnings: tuple[str, ...]

    draws = renamed("draws", "n_simulations")
    stand_in = renamed("stand_in", "synthetic")

    @property
    def n_simulations(self) -> int:
        """The number of validation simulations that tested this budget."""
        return self.scores.n_simulations

    @property
    def surely(self) -> float:
        """A lower bound, at `CONFIDENCE`, on the proportion of simulations that meet all targets.

        For a budget that is enough it is `reliability`, which the sequence of tests covers. A
        bound from the hits of the last test alone would be biased by selection.
        """
        if self.reached:
            return self.reliability
        return at_least(self.scores.hits, self.n_simulations, CONFIDENCE)

    @property
    def size(self) -> float:
        """The budget in its unit."""
        parameter = self.plan.budget.rho if self.unit == "rho" else self.plan.budget.epsilon
        return float(parameter or 0)

    @cached_property
    def levels(self) -> pd.DataFrame:
        """The budget of each level in the allocation, one row per level.

        Columns: `level`, `share` (its weight in the allocation), `budget` (its part of ε or ρ, as
        in `plan.privacy.parts`), `noise_sd` (NaN for a level that is not measured).
        """
        statement, rows = self.plan.privacy, []
        # In the statement, other costs follow those of the levels.
        spent = zip(self.plan.variances, statement.levels, statement.parts[1], strict=False)
        for k, (variance, level, part) in enumerate(spent):
            rows.append(
                {
                    "level": level.level,
                    "share": self.plan.allocation.weights[k],
                    "budget": part,
                    "noise_sd": np.nan if variance is None else float(np.sqrt(variance)),
                }
            )
        return pd.DataFrame(rows)

    @cached_property
    def errors(self) -> pd.DataFrame:
        """The errors at each level of the hierarchy, one row per level.

        Columns: `level`, `regions` (the number of its areas), `mean_abs` and `q95_abs`. The last
        two are the mean and the 95% quantile of the absolute error over the level's areas, in
        `counted`, averaged over the validation simulations.
        """
        means = self.scores.errors.mean(axis=0)
        return pd.DataFrame(
            {
                "level": self.place_levels,
                "regions": self.places,
                "mean_abs": means[:, 0],
                "q95_abs": means[:, 1],
            }
        )

    @cached_property
    def margin(self) -> pd.DataFrame:
        """One row per target: `target`, `measure`, `needed`, `typical`, `assured`, `hits`.

        `measure` is the proportion of areas within tolerance, the mean absolute error or the mean
        relative error. `typical` is its median over simulations. `assured` is the value that all
        but the worst simulations reach.
        `hits` is the number of simulations that meet the target.
        """
        rows = []
        for k, scorer in enumerate(self.scorers):
            mean = scorer.target.share is None
            values = self.scores.values[:, k]
            low, high = band(values, self.reliability)
            rows.append(
                {
                    "target": scorer.target.text,
                    "measure": scorer.measure,
                    "needed": scorer.target.tolerance if mean else scorer.target.share,
                    "typical": float(np.median(values)),
                    "assured": high if mean else low,
                    "hits": int((self.scores.taken[:, k] <= 1).sum()),
                }
            )
        return pd.DataFrame(rows)

    @property
    def targets_words(self) -> str:
        """All targets in one phrase."""
        return join_and([scorer.words for scorer in self.scorers])

    @property
    def sentence(self) -> str:
        """The answer in one or two sentences."""
        budget, weights = self.plan.budget.words, self.plan.allocation.weights
        met = percent_exact(self.reliability)
        condition = f"{self.targets_words} in at least {met} of simulations"
        if not self.reached:
            targets = by_number(len(self.scorers), "the target", "all targets at once")
            return (
                f"Up to {self._symbol} = {stated(self.largest)}, no budget was shown to keep "
                f"{condition}. At {budget}, {self.scores.hits:,} of {self.n_simulations:,} "
                f"simulations met {targets}."
            )
        if len(weights) == 1:
            return f"{budget} keeps {condition}."
        return f"{budget} keeps {condition} (allocation {' : '.join(map(str, weights))})."

    @property
    def sure(self) -> str:
        """The confidence of the answer, in words."""
        hits, simulations = self.scores.hits, self.n_simulations
        if not self.reached:
            goal = percent_exact(self.reliability)
            return paragraph(
                f"At {_SURE} confidence, {hits:,} of {simulations:,} is too few to show that at "
                f"least {goal} of all simulations meet {self._them}.",
                self._remedy,
                f"Levels and errors are stated for {self.plan.budget.words}.",
            )
        targets = by_number(len(self.scorers), "the target", "all targets at once")
        met = f"{hits:,} of {simulations:,} validation simulations met {targets}."
        smallest = "Smaller budgets cannot be stated, so none was tested."
        if self.between is not None:
            low, high = self.between
            smallest = (
                f"The smallest {self._symbol} that meets {self._them} lies between {lower(low)} "
                f"and {upper(high)} ({100 * (2 * CONFIDENCE - 1):.0f}% confidence, if errors scale "
                "with the noise)."
            )
        surely = 100 * to_decimal(self.surely)  # 100 × 0.57 is less than 57 in floats
        every = (
            f"At {_SURE} confidence, at least {lower(surely, 4)}% of all simulations meet "
            f"{self._them}."
        )
        return paragraph(met, every, smallest)

    @property
    def _remedy(self) -> str:
        """What to change if no budget was shown to be enough."""
        if self.scores.hits >= self.reliability * self.n_simulations:
            return _MORE_SIMULATIONS
        return _LARGER_BUDGETS if self.largest < float(LARGEST_BUDGET) else _WEAKER_TARGET

    @property
    def _them(self) -> str:
        return by_number(len(self.scorers), "it", "them")

    @property
    def _symbol(self) -> str:
        return "ρ" if self.unit == "rho" else "ε"

    @property
    def basis(self) -> str:
        """The table that the budget was planned on, in words."""
        if self.synthetic:
            return (
                "Planned on a synthetic table of the same shape. No confidential counts were used. "
                "The true table may need a larger or a smaller budget."
            )
        result = "the budget found" if self.reached else "this result"
        return (
            f"Planned on the table's true counts, so {result} reveals something about them. "
            "Use this only where the counts are public."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the values that `hierdp budget --json` prints; scripts rely on their names."""
        budget = self.plan.budget
        parameters = {n: getattr(budget, n) for n in ("epsilon", "delta", "rho")}
        return {
            "reached": self.reached,
            "mechanism": self.plan.id,
            **{name: None if v is None else float_up(v) for name, v in parameters.items()},
            "allocation": list(self.plan.allocation.weights),
            "allocation_chosen": self.allocation_chosen,
            "levels": self.levels.to_dict("records"),
            "errors": self.errors.to_dict("records"),
            "margin": {
                "reliability": self.reliability,
                "hits": self.scores.hits,
                "at_least": self.surely,
                "confidence": CONFIDENCE,
                "between": None if self.between is None else list(self.between),
                "targets": self.margin.to_dict("records"),
            },
            "simulations": self.n_simulations,
            "basis": BASIS[self.synthetic],
            "sentence": self.sentence,
            "warnings": list(self.warnings),
        }


def band(values: FloatArray, reliability: float) -> tuple[float, float]:
    """Return two values between which all but the lowest and the highest simulations lie.

    At a reliability of 0.95, at most 5% of simulations lie below the first, and at most 5% above
    the second.
    """
    ascending = np.sort(values)
    beyond = len(ascending) - int(np.ceil(reliability * len(ascending) - 1e-9))
    return float(ascending[beyond]), float(ascending[-1 - beyond])


def starved(plan: Plan, scorers: Sequence[TargetScorer]) -> str:
    """Return a warning about levels without a target; empty if each has one."""
    if plan.levels != plan.domain.regions.levels:  # flows allocate over levels of pairs
        return ""
    target_levels = {scorer.target.level for scorer in scorers}
    sizes = plan.domain.tree.level_sizes
    others = [
        plural(level) if sizes[k] > 1 else f"the {level}"
        for k, level in enumerate(plan.levels)
        if plan.allocation.weights[k] and level not in target_levels
    ]
    if not others:
        return ""
    return (
        f"No target is set for {join_and(others)}, so the allocation ignores the accuracy there. "
        "If it matters, set a target there too, or choose the allocation."
    )
