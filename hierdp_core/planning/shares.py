"""The shares that make a weighted error least at a given budget.

Where levels are released as they are measured, a level with share s errs by about c/s with
double geometric noise and c/√s with Gaussian noise, so Σ w c s^−a under Σ s = 1 is least at
s ∝ (w c)^(1/(1+a)), a = 1 or ½. Post-processing lets levels help each other, so the descent
starts from what the variances foresee and ends with draws.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hierdp_core.exceptions import ChoiceError
from hierdp_core.planning.bench import Bench, Cancel, Progress
from hierdp_core.planning.forecast import node_variances
from hierdp_core.planning.splits import Split, descend, even, reduced
from hierdp_core.release import Plan, checked_seed, plan
from hierdp_core.tables import Table
from hierdp_core.tables import quantity as quantity_of

_STEPS = (8, 4, 2)  # percent moved between two levels
_GAIN = 0.002  # a split must save so much to be taken
_SPLITS = 30
_WORDS = "finding the shares"


@dataclass(frozen=True, eq=False, kw_only=True)
class BestShares:
    """The shares found, beside even ones.

    Attributes:
        plan: the mechanism at the budget with the shares found.
        error: Σ over levels of weight × mean absolute error, over the draws; in the table's unit.
        even_error: the same with even shares.
        levels: the mean absolute error of each level with the shares found, from the root down.
        even_levels: the same with even shares.
        weights: what each level counted for.
        draws: of each split.
    """

    plan: Plan
    error: float
    even_error: float
    levels: tuple[float, ...]
    even_levels: tuple[float, ...]
    weights: tuple[float, ...]
    draws: int

    @property
    def sentence(self) -> str:
        """The answer in words."""
        saved = 1 - self.error / self.even_error if self.even_error else 0.0
        shares = " : ".join(map(str, self.plan.shares.weights))
        if len(set(self.plan.shares.weights)) == 1 or saved < _GAIN:
            return f"At {self.plan.budget.words} no shares tried do better than even ones."
        return (
            f"At {self.plan.budget.words} shares {shares} make the weighted error least: "
            f"{100 * saved:.2g} % less than even shares."
        )

    def rows(self) -> list[dict[str, Any]]:
        """A row a level, for people; its share too, where it has one.

        Of flows the shares belong to the levels of the tree over pairs, `plan.levels`, and the
        errors to the places of one end.
        """
        names = self.plan.domain.regions.levels
        shared = self.plan.levels == names
        columns: dict[str, Sequence[Any]] = {
            "level": names,
            "weight": self.weights,
            **({"share": self.plan.shares.weights} if shared else {}),
            "mean error": self.levels,
            "with even shares": self.even_levels,
        }
        values = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in values]

    def as_dict(self) -> dict[str, Any]:
        """What `hierdp plan --weights … --json` prints."""
        budget = self.plan.budget
        stated = {n: getattr(budget, n) for n in ("epsilon", "delta", "rho")}
        return {
            "mechanism": self.plan.mechanism,
            **{name: None if v is None else float(v) for name, v in stated.items()},
            "shares": list(self.plan.shares.weights),
            "shared_levels": list(self.plan.levels),
            "error": self.error,
            "even_error": self.even_error,
            "levels": [
                {"level": n, "weight": w, "mean_abs": m, "even_mean_abs": e}
                for n, w, m, e in zip(
                    self.plan.domain.regions.levels,
                    self.weights,
                    self.levels,
                    self.even_levels,
                    strict=True,
                )
            ],
            "draws": self.draws,
            "sentence": self.sentence,
        }


def best_shares(
    table: Table,
    mechanism: str,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float | None = None,
    weights: Sequence[float] | None = None,
    quantity: str | None = None,
    options: Mapping[str, str] | None = None,
    draws: int = 60,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> BestShares:
    """The shares with the least Σ weight × mean absolute error over levels, at one budget.

    Args:
        table: measured on its true counts; a stand-in does as well.
        mechanism: an id.
        epsilon, delta, rho: the budget.
        weights: what each level counts for, from the root down; evenly where not given.
        quantity: id of the number whose errors count; the table's first where not given.
        options: of the mechanism.
        draws: of each split that is tried.
        seed, workers, progress, cancel: as in `plan_budget`.

    Raises:
        ChoiceError, BudgetError: something asked for cannot be.
        PlanningStopped: `cancel` said so.
    """
    asked = quantity_of(table, quantity or table.quantities[0].id)
    template = plan(
        table, mechanism, epsilon=epsilon, delta=delta, rho=rho, options=options
    ).shares.weights
    counted = _checked_weights(weights, table.regions.levels)
    if draws < 1:
        raise ChoiceError(f"At least one draw is needed; got {draws}.")
    size = float(epsilon if rho is None else rho)  # type: ignore[arg-type]
    bench = Bench(
        table=table,
        mechanism=mechanism,
        targets=(),
        quantity=asked.id,
        options=dict(options or {}),
        unit="epsilon" if rho is None else "rho",
        delta=delta,
        seed=checked_seed(seed),
        workers=workers,
        progress=progress,
        cancel=cancel,
        expected=_SPLITS * draws,
        words=_WORDS,
    )

    def foreseen(split: Split) -> float:
        deviations = node_variances(bench.plan(size, split), asked) ** 0.5
        means = (float(deviations[nodes].mean()) for nodes in bench.places)
        return sum(w * m for w, m in zip(counted, means, strict=True) if w)

    def levels_of(split: Split) -> tuple[float, ...]:
        scores = bench.score(size, split, n=draws)
        return tuple(scores.errors[:, :, 0].mean(axis=0).tolist())

    def cost(split: Split) -> float:
        return math.fsum(w * m for w, m in zip(counted, levels_of(split), strict=True))

    start = even(template)
    if sum(1 for weight in template if weight) > 1:
        guess = descend(foreseen, start, gain=1e-6)
        found = descend(cost, guess, steps=_STEPS, gain=_GAIN, most=_SPLITS)
        found = min((found, start), key=cost)
    else:
        found = start
    bench.finished()
    return BestShares(
        plan=bench.plan(size, reduced(found)),
        error=cost(found),
        even_error=cost(start),
        levels=levels_of(found),
        even_levels=levels_of(start),
        weights=counted,
        draws=draws,
    )


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
