"""The allocation of a budget with the lowest weighted error, and what it saves.

Where levels are released as they are measured, a level with proportion s has an error of about c/s
with two-sided geometric noise and c/√s with Gaussian noise. Σ w c s^−a under Σ s = 1 is lowest at
s ∝ (w c)^(1/(1+a)), a = 1 or ½. Post-processing lets levels help each other, so the descent
starts from what the variances predict and ends with simulations.

The lowest of many simulated errors is too low by selection. The saving is therefore measured
again, on fresh simulations that had no part in the choice. Simulation i of the chosen allocation
is paired with simulation i of the equal one, and an interval is given for the ratio of the means.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hierdp_core import mechanisms
from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms import Mechanism
from hierdp_core.noise import checked_seed
from hierdp_core.planning.bench import FRESH, Bench
from hierdp_core.planning.confidence import ratio_interval
from hierdp_core.planning.forecast import node_variances
from hierdp_core.planning.result import BASIS, CONFIDENCE
from hierdp_core.planning.splits import Split, descend, even, reduced
from hierdp_core.planning.stand_in import STAND_IN, StandIn, table_for, tuned
from hierdp_core.privacy import Budget, Number
from hierdp_core.simulation import DELTA_AND_ACCOUNT, OPTIONS, Plan, plan
from hierdp_core.tables import Table
from hierdp_core.tables import quantity as quantity_of
from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.earlier import accepts
from hierdp_core.util.parallel import CLIENT_AND_CANCEL, Workers, WorkersOption
from hierdp_core.util.progress import NamedProgressOption, reporting

_STEPS = (8, 4, 2)  # percentage points moved between two levels
_GAIN = 0.002  # an allocation must save this proportion in the search to be chosen
_SPLITS = 30
_WORDS = "finding the allocation"
_MEASURING = "measuring the saving"
# Fresh simulations behind a saving: most on small tables, where they differ most and cost least.
_FRESH_LEAST, _FRESH_MOST = 60, 1_000
_FRESH_CELLS = 8_000_000  # numbers simulated at most, beyond the lowest number of simulations
_EACH = 5_000  # fixed cost of a simulation, in numbers

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False, kw_only=True)
class BestAllocation:
    """The allocation found, beside an equal one.

    Attributes:
        plan: the mechanism at the budget with the allocation found.
        by_simulation: shape (fresh, levels): the mean absolute error of each level, from the
            root down, in fresh simulations of the allocation found; in the table's unit.
        even_by_simulation: the same with an equal allocation; row i is the pair of row i.
        weights: the weight of each level.
        draws: simulations of each allocation in the search; the fresh ones are others.
        tested: how many allocations the search simulated.
        stand_in: True when the table was synthetic.
    """

    plan: Plan
    by_simulation: FloatArray
    even_by_simulation: FloatArray
    weights: tuple[float, ...]
    draws: int
    tested: int
    stand_in: bool

    @property
    def fresh(self) -> int:
        """How many fresh simulations the errors are means over."""
        return len(self.by_simulation)

    @property
    def error(self) -> float:
        """Σ over levels of weight × mean absolute error, over the fresh simulations."""
        return math.fsum(w * m for w, m in zip(self.weights, self.levels, strict=True))

    @property
    def even_error(self) -> float:
        """The same with an equal allocation."""
        return math.fsum(w * m for w, m in zip(self.weights, self.even_levels, strict=True))

    @property
    def levels(self) -> tuple[float, ...]:
        """The mean absolute error of each level with the allocation found, from the root down."""
        return tuple(self.by_simulation.mean(axis=0).tolist())

    @property
    def even_levels(self) -> tuple[float, ...]:
        """The same with an equal allocation."""
        return tuple(self.even_by_simulation.mean(axis=0).tolist())

    @property
    def equal(self) -> bool:
        """Whether the allocation found is the equal one."""
        return len({weight for weight in self.plan.allocation.weights if weight}) == 1

    @property
    def saving(self) -> float:
        """What the allocation saves, as a proportion of the equal one's error; an estimate."""
        return 1 - self.error / self.even_error if self.even_error else 0.0

    @cached_property
    def saving_interval(self) -> Interval | None:
        """The interval of `saving` at `CONFIDENCE`.

        It covers the randomness of simulations on this table, not the difference to another table.
        None where the equal allocation was found, or where its error may be 0.
        """
        if self.equal:
            return None
        weighted = (rows @ self.weights for rows in (self.by_simulation, self.even_by_simulation))
        return _saving(*weighted)

    @cached_property
    def level_intervals(self) -> tuple[Interval | None, ...]:
        """For each level, the interval of the saving of its own error, as `saving_interval`."""
        pairs = zip(self.by_simulation.T, self.even_by_simulation.T, strict=True)
        return tuple(None if self.equal else _saving(own, other) for own, other in pairs)

    @property
    def saving_shown(self) -> bool:
        """Whether the interval lies above 0."""
        return self.saving_interval is not None and self.saving_interval[0] > 0

    @property
    def sentence(self) -> str:
        """The answer in words; a saving is claimed only where the interval supports it."""
        at, split = (
            f"At {self.plan.budget.words}",
            " : ".join(map(str, self.plan.allocation.weights)),
        )
        sure = f"{100 * CONFIDENCE:.0f}% interval"
        if self.equal:
            return (
                f"{at}, no other allocation tested had a lower simulated error than the equal one. "
                f"The search tested {self.tested} allocations, so a better one may exist."
            )
        if self.saving_interval is None:
            return (
                f"{at}, no saving over an equal allocation could be shown for {split}. Their "
                "errors are too close to 0 to be compared."
            )
        between = _between(*self.saving_interval)
        if self.saving_shown:
            return (
                f"{at}, the allocation {split} has a weighted error {_percent(self.saving)} lower "
                f"than an equal allocation ({sure}: {between})."
            )
        return (
            f"{at}, no saving over an equal allocation could be shown. The weighted error of "
            f"{split}, the lowest in the search, is {between} ({sure})."
        )

    @property
    def measured(self) -> str:
        """What the errors and the interval rest on."""
        return (
            f"Errors are means over {self.fresh:,} fresh simulations, which had no part in "
            "choosing the allocation. The interval covers the randomness of simulations on this "
            "table only."
        )

    @property
    def basis(self) -> str:
        """What it was computed on."""
        if self.stand_in:
            return (
                "Planned on a synthetic table of the same shape. No confidential counts were "
                "used. The true table may favour another allocation and save more or less."
            )
        return (
            "Planned on the table's true counts, so the allocation and its saving reveal "
            "something about them. Use this only where the counts are public."
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per level, with its allocation where it has one.

        For flows, the allocation belongs to the levels of the tree over pairs, `plan.levels`, and
        the errors to the areas of one end.
        """
        names = self.plan.domain.regions.levels
        shared = self.plan.levels == names
        columns: dict[str, Sequence[Any]] = {
            "level": names,
            "weight": self.weights,
            **({"allocation": self.plan.allocation.weights} if shared else {}),
            "mean error": self.levels,
            "with equal allocation": self.even_levels,
        }
        values = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in values]

    def as_dict(self) -> dict[str, Any]:
        """Return what `hierdp budget --weights … --json` prints."""
        budget = self.plan.budget
        stated = {n: getattr(budget, n) for n in ("epsilon", "delta", "rho")}
        return {
            "mechanism": self.plan.id,
            **{name: None if v is None else float(v) for name, v in stated.items()},
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
            "simulations": self.draws,
            "fresh_simulations": self.fresh,
            "basis": BASIS[self.stand_in],
            "sentence": self.sentence,
        }


@accepts(OPTIONS, STAND_IN, DELTA_AND_ACCOUNT, CLIENT_AND_CANCEL)
def best_allocation(
    table: Table | StandIn,
    mechanism: Mechanism | str,
    *,
    budget: Budget | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    weights: Sequence[float] | None = None,
    quantity: str | None = None,
    n_simulations: int = 60,
    seed: int = 0,
    workers: WorkersOption = None,
    progress: NamedProgressOption = None,
) -> BestAllocation:
    """Return the allocation with the lowest Σ weight × mean absolute error over levels.

    The search keeps the allocation whose simulated error is lowest. Its saving over an equal
    allocation is then measured on fresh simulations, with an interval: see `BestAllocation`.

    Args:
        table, mechanism: as in `find_budget`.
        budget: to allocate, such as `Budget.approximate(1, 1e-8)`; or state it by `epsilon` or
            `rho`.
        weights: the weight of each level, from the root down; equal by default.
        quantity: id of the number whose errors count; the table's first by default.
        n_simulations: simulations of each allocation in the search. The saving is measured on
            at least as many fresh ones: on 60 of large tables, up to 1,000 of small ones.
        seed, workers, progress: as in `find_budget`.

    Raises:
        ChoiceError, BudgetError: an argument is not valid.
        PlanningStopped: the workers were told to stop.
    """
    one = mechanisms.configured(mechanism)
    spent = Budget.stated(budget, epsilon=epsilon, rho=rho)
    is_synthetic = isinstance(table, StandIn)
    table = table_for(table, one)
    asked = quantity_of(table, quantity or table.quantities[0].id)
    template = plan(table, one, budget=spent).allocation.weights
    counted = _checked_weights(weights, table.regions.levels)
    if n_simulations < 1:
        raise ChoiceError(f"At least one simulation is needed; got {n_simulations}.")
    affordable = _FRESH_CELLS // (table.values.size + _EACH)
    fresh = max(n_simulations, _FRESH_LEAST, min(_FRESH_MOST, affordable))
    with reporting(progress, "simulations") as report:
        bench = Bench(
            table=table,
            mechanism=one,
            targets=(),
            quantity=asked.id,
            seed=checked_seed(seed),
            workers=Workers.of(workers),
            progress=report,
            expected=_SPLITS * n_simulations + 2 * fresh,
            words=_WORDS,
        )

        def foreseen(split: Split) -> float:
            deviations = node_variances(bench.plan(spent, split), asked) ** 0.5
            means = (float(deviations[nodes].mean()) for nodes in bench.places)
            return sum(w * m for w, m in zip(counted, means, strict=True) if w)

        simulated: set[Split] = set()

        def cost(split: Split) -> float:
            simulated.add(split)
            means = bench.score(spent, split, n=n_simulations).errors[:, :, 0].mean(axis=0)
            return math.fsum(w * m for w, m in zip(counted, means.tolist(), strict=True))

        start, found = even(template), template
        if sum(1 for weight in template if weight) > 1:
            guess = descend(foreseen, start, gain=1e-6)
            best = min(
                (descend(cost, guess, steps=_STEPS, gain=_GAIN, most=_SPLITS), start), key=cost
            )
            found = template if best == start else reduced(best)
        bench.words = _MEASURING
        own, other = (
            bench.score(spent, split, n=fresh, first=FRESH).errors[:, :, 0]
            for split in (found, template)
        )
        bench.finished()
    return BestAllocation(
        plan=tuned(bench.plan(spent, found), stand_in=is_synthetic),
        by_simulation=own,
        even_by_simulation=other,
        weights=counted,
        draws=n_simulations,
        tested=max(1, len(simulated)),
        stand_in=is_synthetic,
    )


def _saving(own: FloatArray, other: FloatArray) -> Interval | None:
    """Return the interval of 1 − mean(own)/mean(other), from pairs."""
    ratio = ratio_interval(own, other, CONFIDENCE)
    return None if ratio is None else (1 - ratio[1], 1 - ratio[0])


def _between(low: float, high: float) -> str:
    """Return the two ends of a saving in words.

    >>> _between(0.113, 0.131), _between(-0.004, 0.021), _between(-0.03, -0.01)
    ('11.3% to 13.1% lower', 'between 0.4% higher and 2.1% lower', '1% to 3% higher')
    """
    if low > 0:
        return f"{_percent(low)} to {_percent(high)} lower"
    if high < 0:
        return f"{_percent(-high)} to {_percent(-low)} higher"
    return f"between {_percent(-low)} higher and {_percent(high)} lower"


def _percent(part: float) -> str:
    """Return a proportion with at most three digits."""
    return f"{100 * part:.3g}%"


def _listed(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _checked_weights(weights: Sequence[float] | None, levels: Sequence[str]) -> tuple[float, ...]:
    given = tuple(float(w) for w in weights) if weights is not None else (1.0,) * len(levels)
    if len(given) != len(levels):
        raise ChoiceError(
            f"One weight for each level is needed, {len(levels)}: {', '.join(levels)}; "
            f"got {len(given)}."
        )
    if not all(math.isfinite(w) and w >= 0 for w in given) or not any(given):
        raise ChoiceError("Weights are numbers from 0, at least one of them above 0.")
    return given
