"""The trade-off between budget and accuracy: the tolerance that each level keeps at some budgets.

The curve of a target shows the tolerance at which it would be met. A level without a target gets a
curve for the measure of the first target, so that nobody chooses a budget without seeing its effect
there. A few simulations are enough to show the shape of the trade-off. `planning.search` tests
whether a budget is enough at a stated confidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pandas as pd

from hierdp_core import mechanisms
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.mechanisms.base import Mechanism
from hierdp_core.noise import checked_seed
from hierdp_core.planning.bench import Bench, Progress, Scores, TargetScorer
from hierdp_core.planning.sizes import of_size, size_of, unit_of
from hierdp_core.planning.synthetic import SyntheticTable, table_for
from hierdp_core.planning.targets import Target, check_targets, quantity_id, regions_for
from hierdp_core.privacy import Budget
from hierdp_core.simulation import Plan
from hierdp_core.tables import Table
from hierdp_core.util.earlier import renamed
from hierdp_core.util.parallel import Workers, WorkersOption
from hierdp_core.util.text import counted, join_and

EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
RHOS = (0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 5.0, 10.0)
SIMULATIONS = 20  # at each budget


@dataclass(frozen=True, eq=False, kw_only=True)
class TradeOff:
    """The tolerance that each level and target keeps at several budgets.

    Attributes:
        plans: one plan per budget, ascending.
        curves: one per target, then one for each level without a target.
        n_targets: the number of targets among `curves`, which come first; the others are for
            comparison.
        scores: the scores of the simulations at each budget, in the order of `plans`.
        unit: the unit of the budgets, "epsilon" or "rho".
        synthetic: whether the table was synthetic.
    """

    plans: tuple[Plan, ...]
    curves: tuple[TargetScorer, ...]
    n_targets: int
    scores: tuple[Scores, ...]
    unit: str
    synthetic: bool

    stand_in = renamed("stand_in", "synthetic")

    @property
    def sizes(self) -> tuple[float, ...]:
        """The budgets in their unit, ascending."""
        return tuple(size_of(plan.budget) for plan in self.plans)

    @property
    def simulations(self) -> int:
        """The number of simulations at each budget."""
        return self.scores[0].n_simulations

    @property
    def frame(self) -> pd.DataFrame:
        """One row per budget and curve.

        Columns: `size`; `curve`, its index in `curves`; `level`; `target`, whether the curve
        belongs to a target; `typical`, `least` and `most`, the median, minimum and maximum over
        simulations of the tolerance that would be needed, as a proportion of the true count or a
        number. They are infinite if an area that must be within a relative tolerance has a true
        count of 0 and is released as another number.
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
        """The number of simulations in which every target was met at once, at each budget."""
        return tuple(
            int((s.taken[:, : self.n_targets] <= 1).all(axis=1).sum()) for s in self.scores
        )

    @property
    def enough(self) -> float | None:
        """The smallest budget at and above which all simulations meet all targets, or None."""
        smallest = None
        for size, hits in zip(reversed(self.sizes), reversed(self.hits), strict=True):
            if hits < self.simulations:
                break
            smallest = size
        return smallest


def usual_budgets(kind: Budget | None = None) -> tuple[Budget, ...]:
    """Return the default budgets of a trade-off, stated as `kind` is; as ε alone if it is None."""
    if kind is None:
        return tuple(map(Budget.pure, EPSILONS))
    sizes = RHOS if kind.kind == "zcdp" else EPSILONS
    return tuple(of_size(kind, Fraction(str(size))) for size in sizes)


def trade_off(
    table: Table | SyntheticTable,
    mechanism: Mechanism | str,
    targets: Sequence[Target | str],
    *,
    budgets: Sequence[Budget] | None = None,
    allocation: Sequence[int] | None = None,
    n_simulations: int = SIMULATIONS,
    seed: int = 0,
    workers: WorkersOption = None,
    progress: Progress | None = None,
) -> TradeOff:
    """Return the tolerance that each level and target keeps at several budgets.

    Args:
        table, mechanism, targets: as in `find_budget`; at least one target.
        budgets: budgets of one kind, in any order; by default those of `usual_budgets`.
        allocation: whole numbers, one per level; equal by default.
        n_simulations: the number of simulations at each budget, at least 1.
        seed: the seed of all noise.
        workers: the number of threads, by default one per core; or `Workers`.
        progress: called as (simulations done, simulations expected, their purpose).

    Raises:
        ChoiceError, HierarchyError, BudgetError: an argument is not valid.
        HierdpError: a simulation failed, as in `simulate`.
        PlanningStopped: the simulations were cancelled.
    """
    parsed_targets = tuple(t if isinstance(t, Target) else Target.parse(t) for t in targets)
    if not parsed_targets or n_simulations < 1:
        raise ChoiceError(
            "A trade-off needs at least one target and one simulation; got "
            f"{counted(len(parsed_targets), 'target')} and {counted(n_simulations, 'simulation')}. "
            "Add what is missing."
        )
    ascending = _ascending(usual_budgets() if budgets is None else budgets)
    described = table.table if isinstance(table, SyntheticTable) else table
    check_targets(described, parsed_targets)
    one = mechanisms.configured(mechanism)
    bench = Bench(
        table=table_for(table, one),
        mechanism=one,
        targets=(*parsed_targets, *_for_comparison(described, parsed_targets)),
        quantity=quantity_id(described, parsed_targets[0]),
        seed=checked_seed(seed),
        workers=Workers.of(workers),
        progress=progress,
        expected=len(ascending) * n_simulations,
        words="the trade-off",
    )
    scores = tuple(bench.score(budget, allocation, n=n_simulations) for budget in ascending)
    bench.finished()
    return TradeOff(
        plans=tuple(s.plan for s in scores),
        curves=bench.scorers,
        n_targets=len(parsed_targets),
        scores=scores,
        unit=unit_of(ascending[0]),
        synthetic=isinstance(table, SyntheticTable),
    )


_KIND_WORDS = {"pure": "ε", "approximate": "(ε, δ)", "zcdp": "ρ"}


def _ascending(budgets: Sequence[Budget]) -> tuple[Budget, ...]:
    """Return the distinct budgets, ordered by size.

    Raises:
        BudgetError: there are no budgets, or they are of several kinds.
    """
    kinds = {_KIND_WORDS[budget.kind] for budget in budgets}
    if len(kinds) != 1:
        kinds_found = join_and(sorted(kinds)) or "no budget"
        raise BudgetError(
            f"A trade-off needs budgets of one kind; got {kinds_found}. State all budgets as ε, "
            "all as (ε, δ) or all as ρ."
        )
    return tuple(sorted(set(budgets), key=size_of))


def _for_comparison(table: Table, targets: Sequence[Target]) -> list[Target]:
    """Return a target for each level without one, with the measure of the first target."""
    first = targets[0]
    levels = regions_for(table, first).levels
    target_levels = {target.level for target in targets}
    return [replace(first, level=level) for level in levels if level not in target_levels]
