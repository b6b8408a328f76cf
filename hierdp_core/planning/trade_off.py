"""The trade-off: how near every level is kept at several budgets, beside the targets.

Each target becomes a curve: the tolerance that it would have needed. A level without a target gets
the curve of the first target's measure, so that nobody picks a budget without seeing what it does
there. The simulations are few: they show the shape of the trade-off. Whether a budget is enough
at a stated confidence is what `planning.search` tests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from hierdp_core import mechanisms
from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Mechanism
from hierdp_core.noise import checked_seed
from hierdp_core.planning.bench import Bench, Cancel, Progress, Scores, Yardstick
from hierdp_core.planning.search import synthetic_twin
from hierdp_core.planning.targets import Target, check_targets, quantity_id, regions_for
from hierdp_core.privacy import Budget
from hierdp_core.simulation import Plan
from hierdp_core.tables import Table

EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
RHOS = (0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 5.0, 10.0)
SIMULATIONS = 20  # at each budget


@dataclass(frozen=True, eq=False, kw_only=True)
class TradeOff:
    """What each level and target is kept within, at several budgets.

    Attributes:
        plans: one a budget, ascending.
        curves: what is measured, one for each target, then one for each level without a target.
        n_targets: so many of `curves` are targets; the others are there for comparison.
        scores: the simulations at each budget, as `plans`.
        unit: "epsilon" or "rho", of the budgets.
        stand_in: True when the table was a synthetic one.
    """

    plans: tuple[Plan, ...]
    curves: tuple[Yardstick, ...]
    n_targets: int
    scores: tuple[Scores, ...]
    unit: str
    stand_in: bool

    @property
    def sizes(self) -> tuple[float, ...]:
        """The budgets in their unit, ascending."""
        budgets = (plan.budget for plan in self.plans)
        return tuple(float((b.rho if self.unit == "rho" else b.epsilon) or 0) for b in budgets)

    @property
    def simulations(self) -> int:
        """How many there are at each budget."""
        return self.scores[0].draws

    @property
    def frame(self) -> pd.DataFrame:
        """A row a budget and curve.

        Columns: `size`; `curve`, its place in `curves`; `level`; `target`, whether it is one;
        `typical`, the median over simulations of the tolerance that would have been needed, a
        proportion of the true count or a number; `least` and `most` over simulations. Infinite
        where an area with a true count of 0 is released as something else.
        """
        rows = []
        for size, scores in zip(self.sizes, self.scores, strict=True):
            for k, curve in enumerate(self.curves):
                needed = scores.taken[:, k] * curve.target.tolerance
                rows.append(
                    {
                        "size": size,
                        "curve": k,
                        "level": curve.target.level,
                        "target": k < self.n_targets,
                        "typical": float(np.median(needed)),
                        "least": float(needed.min()),
                        "most": float(needed.max()),
                    }
                )
        return pd.DataFrame(rows)

    @property
    def hits(self) -> tuple[int, ...]:
        """In how many simulations every target was met at once, at each budget."""
        return tuple(
            int((s.taken[:, : self.n_targets] <= 1).all(axis=1).sum()) for s in self.scores
        )

    @property
    def enough(self) -> float | None:
        """The smallest budget from which on all simulations meet all targets; None if none."""
        smallest = None
        for size, hits in zip(reversed(self.sizes), reversed(self.hits), strict=True):
            if hits < self.simulations:
                break
            smallest = size
        return smallest


def trade_off(
    table: Table,
    mechanism: Mechanism | str,
    targets: Sequence[Target | str],
    *,
    sizes: Sequence[float] | None = None,
    allocation: Sequence[int] | None = None,
    options: Mapping[str, str] | None = None,
    in_rho: bool = False,
    delta: float | None = None,
    n_simulations: int = SIMULATIONS,
    seed: int = 0,
    stand_in: bool = False,
    total: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> TradeOff:
    """Return what each level and target is kept within at several budgets.

    Args:
        table: looked at with its true counts, unless `stand_in`.
        mechanism: such as `mechanisms.PgsrCOpt()`, or an id.
        targets: as values or as words, see `planning.targets`; at least one.
        sizes: of the budgets; `EPSILONS` or `RHOS` where not given.
        allocation: whole numbers, one a level; equal where not given.
        options: the mechanism's own.
        in_rho: the sizes are of ρ instead of ε.
        delta: beside ε.
        n_simulations: at each budget, at least 1.
        seed: of all noise.
        stand_in: use a synthetic table of the same shape.
        total: of the synthetic table; needed for counts.
        workers: threads; as many as cores where not given.
        progress: called as (simulations done, simulations expected, what they are for).
        cancel: asked before every simulation.

    Raises:
        ChoiceError, HierarchyError, BudgetError: something asked for cannot be.
        PlanningStopped: `cancel` said so.
    """
    wanted = tuple(t if isinstance(t, Target) else Target.parse(t) for t in targets)
    if not wanted or n_simulations < 1:
        raise ChoiceError(
            "A trade-off needs at least one target and one simulation; "
            f"got {len(wanted)} and {n_simulations}."
        )
    check_targets(table, wanted)
    sizes = sorted(set(sizes if sizes is not None else RHOS if in_rho else EPSILONS))
    one = mechanisms.configured(mechanism, options)
    bench = Bench(
        table=synthetic_twin(table, one, total) if stand_in else table,
        mechanism=one,
        targets=(*wanted, *_for_comparison(table, wanted)),
        quantity=quantity_id(table, wanted[0]),
        seed=checked_seed(seed),
        workers=workers,
        progress=progress,
        cancel=cancel,
        expected=len(sizes) * n_simulations,
        words="the trade-off",
    )
    budgets = [
        Budget.of(epsilon=None if in_rho else size, rho=size if in_rho else None, delta=delta)
        for size in sizes
    ]
    scores = tuple(bench.score(budget, allocation, n=n_simulations) for budget in budgets)
    bench.finished()
    return TradeOff(
        plans=tuple(s.plan for s in scores),
        curves=bench.yardsticks,
        n_targets=len(wanted),
        scores=scores,
        unit="rho" if in_rho else "epsilon",
        stand_in=stand_in,
    )


def _for_comparison(table: Table, targets: Sequence[Target]) -> list[Target]:
    """For each level without a target, one with the measure of the first."""
    first = targets[0]
    levels = regions_for(table, first).levels
    asked = {target.level for target in targets}
    return [replace(first, level=level) for level in levels if level not in asked]
