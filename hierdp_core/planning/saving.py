"""The best allocation that a search found, compared with an equal allocation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from hierdp_core.planning.confidence import ratio_interval
from hierdp_core.planning.result import BASIS, CONFIDENCE
from hierdp_core.privacy.rounding import float_up, lower, upper
from hierdp_core.simulation import Plan
from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.earlier import renamed
from hierdp_core.util.shown import Shown
from hierdp_core.util.text import counted

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BestAllocation(Shown):
    """The allocation that a search found, compared with an equal allocation.

    Attributes:
        plan: the plan with the mechanism, the budget and the allocation found.
        by_simulation: shape (fresh, levels): the mean absolute error of each level, from the
            root down, in new simulations of the allocation found; in the unit of the quantity.
        even_by_simulation: the same errors with an equal allocation. Row i uses the same random
            numbers as row i of `by_simulation`.
        weights: the weight of each level.
        n_simulations: the number of simulations of each allocation in the search, without the
            new simulations.
        tested: the number of allocations that the search simulated.
        synthetic: whether the table was synthetic.
    """

    plan: Plan
    by_simulation: FloatArray
    even_by_simulation: FloatArray
    weights: tuple[float, ...]
    n_simulations: int
    tested: int
    synthetic: bool

    by_draw = renamed("by_draw", "by_simulation")
    draws = renamed("draws", "n_simulations")
    stand_in = renamed("stand_in", "synthetic")

    @property
    def fresh(self) -> int:
        """The number of new simulations behind the errors."""
        return len(self.by_simulation)

    @property
    def error(self) -> float:
        """Σ over levels of weight × mean absolute error, over the new simulations."""
        return math.fsum(w * m for w, m in zip(self.weights, self.levels, strict=True))

    @property
    def even_error(self) -> float:
        """`error` with an equal allocation."""
        return math.fsum(w * m for w, m in zip(self.weights, self.even_levels, strict=True))

    @property
    def levels(self) -> tuple[float, ...]:
        """The mean absolute error of each level with the allocation found, from the root down."""
        return tuple(self.by_simulation.mean(axis=0).tolist())

    @property
    def even_levels(self) -> tuple[float, ...]:
        """`levels` with an equal allocation."""
        return tuple(self.even_by_simulation.mean(axis=0).tolist())

    @property
    def equal(self) -> bool:
        """Whether the allocation found is the equal one."""
        return len({weight for weight in self.plan.allocation.weights if weight}) == 1

    @property
    def saving(self) -> float:
        """The estimated reduction of the error, as a proportion of `even_error`."""
        return 1 - self.error / self.even_error if self.even_error else 0.0

    @cached_property
    def saving_interval(self) -> Interval | None:
        """The confidence interval of `saving`, at the level `CONFIDENCE`.

        It covers the randomness of simulations on this table only. Other tables may differ more.
        None if the allocation found is the equal one, or if the errors may be 0.
        """
        if self.equal:
            return None
        weighted = (rows @ self.weights for rows in (self.by_simulation, self.even_by_simulation))
        return _saving(*weighted)

    @cached_property
    def level_intervals(self) -> tuple[Interval | None, ...]:
        """For each level, the confidence interval of the saving of its own error."""
        pairs = zip(self.by_simulation.T, self.even_by_simulation.T, strict=True)
        return tuple(None if self.equal else _saving(own, other) for own, other in pairs)

    @property
    def saving_shown(self) -> bool:
        """Whether the interval lies above 0."""
        return self.saving_interval is not None and self.saving_interval[0] > 0

    @property
    def sentence(self) -> str:
        """The answer in words; it claims a lower error only if the interval supports that."""
        at, split = f"At {self.plan.budget.words}", self.plan.allocation.ratio
        interval_name = f"{100 * CONFIDENCE:.0f}% interval"
        if sum(1 for weight in self.plan.allocation.weights if weight) == 1:
            return (
                f"{at}, there is only one allocation, since the mechanism measures only one level."
            )
        if self.equal:
            return (
                f"{at}, no other allocation tested had a clearly lower simulated error than the "
                f"equal one. The search tested {counted(self.tested, 'allocation')}, so a better "
                "one may exist."
            )
        if self.saving_interval is None:
            return (
                f"{at}, the allocation {split} could not be compared with an equal one. Their "
                "errors are too close to 0."
            )
        between = _between(*self.saving_interval)
        if self.saving_shown:
            return (
                f"{at}, the allocation {split} has a weighted error {_percent(self.saving)} lower "
                f"than an equal allocation ({interval_name}: {between})."
            )
        return (
            f"{at}, no allocation was shown to be better than an equal one. The weighted error of "
            f"{split}, the choice of the search, is {between} ({interval_name})."
        )

    @property
    def measured(self) -> str:
        """The simulations behind the errors and the interval, if there is one, in words."""
        errors = (
            f"Errors are means over {self.fresh:,} new simulations, which had no part in "
            "choosing the allocation."
        )
        covers = "The interval covers the randomness of simulations on this table only."
        return errors if self.saving_interval is None else f"{errors} {covers}"

    @property
    def basis(self) -> str:
        """The table that the allocation was computed on, in words."""
        if self.synthetic:
            return (
                "Planned on a synthetic table of the same shape. No confidential counts were "
                "used. For the true table, another allocation may be better."
            )
        return (
            "Planned on the table's true counts, so the allocation and its errors reveal "
            "something about them. Use this only where the counts are public."
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per level: its weight, its errors, and its allocation if it has one.

        For flows, levels have no allocation here: it belongs to the levels of the tree over pairs,
        `plan.levels`, and the errors to the areas of one end.
        """
        names = self.plan.domain.regions.levels
        shared = self.plan.levels == names
        columns: dict[str, Sequence[Any]] = {
            "level": names,
            "weight": self.weights,
            **({"allocation": self.plan.allocation.weights} if shared else {}),
            "mean absolute error": self.levels,
            "with equal allocation": self.even_levels,
        }
        values = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in values]

    def as_dict(self) -> dict[str, Any]:
        """Return the values that `hierdp budget --weights … --json` prints."""
        budget = self.plan.budget
        parameters = {n: getattr(budget, n) for n in ("epsilon", "delta", "rho")}
        return {
            "mechanism": self.plan.id,
            **{name: None if v is None else float_up(v) for name, v in parameters.items()},
            "allocation": list(self.plan.allocation.weights),
            "shared_levels": list(self.plan.levels),
            "error": self.error,
            "even_error": self.even_error,
            "saving": self.saving,
            "saving_interval": _listed(self.saving_interval),
            "saving_shown": self.saving_shown,
            "confidence": CONFIDENCE,
            "levels": [
                {
                    "level": n,
                    "weight": w,
                    "mean_abs": m,
                    "even_mean_abs": e,
                    "saving_interval": _listed(between),
                }
                for n, w, m, e, between in zip(
                    self.plan.domain.regions.levels,
                    self.weights,
                    self.levels,
                    self.even_levels,
                    self.level_intervals,
                    strict=True,
                )
            ],
            "simulations": self.n_simulations,
            "fresh_simulations": self.fresh,
            "basis": BASIS[self.synthetic],
            "sentence": self.sentence,
        }


def _saving(own: FloatArray, other: FloatArray) -> Interval | None:
    """Return the confidence interval of 1 − mean(own)/mean(other), from paired simulations."""
    ratio = ratio_interval(own, other, CONFIDENCE)
    return None if ratio is None else (1 - ratio[1], 1 - ratio[0])


def _between(low: float, high: float) -> str:
    """Return an interval of changes in words, with both ends rounded outwards.

    >>> _between(0.1139, 0.1311), _between(-0.00401, 0.021), _between(-0.03, -0.01)
    ('11.3% to 13.2% lower', 'between 0.401% higher and 2.1% lower', '1% to 3% higher')
    """
    if low > 0:
        return f"{_floor(low)} to {_ceiling(high)} lower"
    if high < 0:
        return f"{_floor(-high)} to {_ceiling(-low)} higher"
    return f"between {_ceiling(-low)} higher and {_ceiling(high)} lower"


def _floor(part: float) -> str:
    return f"{lower(100 * _as_written(part), 3)}%"


def _ceiling(part: float) -> str:
    return f"{upper(100 * _as_written(part), 3)}%"


def _as_written(part: float) -> Fraction:
    return Fraction(repr(part))  # 100 × 0.131 is more than 13.1 in floats


def _percent(part: float) -> str:
    """Return a proportion with at most three digits."""
    return f"{100 * part:.3g}%"


def _listed(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)
