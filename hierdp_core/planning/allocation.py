"""A search for a budget allocation with a low weighted error, compared with an equal one.

If levels are released as measured, a level with the proportion s of the budget has an error of
about c/s with two-sided geometric noise and c/√s with Gaussian noise. Under Σ s = 1, Σ w c s^−a is
lowest at s ∝ (w c)^(1/(1+a)), where a is 1 or ½. Post-processing combines the measurements of
several levels, so the search starts from the prediction of the variances and ends with simulations.
It is a local search over few candidates, so a better allocation may exist.

The lowest of many simulated errors tends to be too low, because it was selected for being low. The
reduction of the error is therefore measured again, on new simulations that had no part in the
choice. Simulation i of the chosen allocation is paired with simulation i of the equal one, and an
interval is given for the ratio of the means.
"""

import math
from collections.abc import Sequence

from hierdp_core import mechanisms
from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms import Mechanism
from hierdp_core.noise import checked_seed
from hierdp_core.planning.bench import FRESH, Bench
from hierdp_core.planning.forecast import node_variances
from hierdp_core.planning.saving import BestAllocation
from hierdp_core.planning.splits import Split, descend, even, reduced
from hierdp_core.planning.synthetic import STAND_IN, SyntheticTable, table_for, tuned
from hierdp_core.privacy import Budget, Number
from hierdp_core.simulation import DELTA_AND_ACCOUNT, OPTIONS, plan
from hierdp_core.tables import Table
from hierdp_core.tables import quantity as quantity_of
from hierdp_core.util.argument_types import typed
from hierdp_core.util.earlier import accepts
from hierdp_core.util.parallel import CLIENT_AND_CANCEL, Workers, WorkersOption
from hierdp_core.util.progress import NamedProgressOption, reporting
from hierdp_core.util.text import counted, join_and

_STEPS = (8, 4, 2)  # percentage points moved between two levels
_GAIN = 0.002  # an allocation must lower the simulated error by this proportion to be chosen
_SPLITS = 30
_WORDS = "finding the allocation"
_MEASURING = "measuring the error of the allocation"
# New simulations of both allocations: most on small tables, where they differ most.
_FRESH_LEAST, _FRESH_MOST = 60, 1_000
_FRESH_CELLS = 8_000_000  # cells simulated at most, beyond the lowest number of simulations
_EACH = 5_000  # the fixed cost of a simulation, expressed as a number of cells


@accepts(OPTIONS, STAND_IN, DELTA_AND_ACCOUNT, CLIENT_AND_CANCEL)
@typed
def best_allocation(
    table: Table | SyntheticTable,
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
    """Search for an allocation with a low sum over levels of weight × mean absolute error.

    The search simulates at most 31 allocations, the equal one among them, and keeps the one with
    the lowest simulated error. Each step moves a few percent of the budget between two levels. A
    better allocation may exist. New simulations then measure how much lower the error of the kept
    allocation is than that of an equal one, with a confidence interval: see `BestAllocation`.

    Args:
        table, mechanism: as in `find_budget`.
        budget: the budget to allocate, such as `Budget.approximate(1, 1e-8)`.
        epsilon: the ε of the budget, in place of `budget`.
        rho: the ρ of the budget, in place of `budget`.
        weights: the weight of each level of `table.regions`, from the root down, at least 0; equal
            by default.
        quantity: the id of the quantity whose errors count; the table's first by default.
        n_simulations: the number of simulations of each allocation in the search. The reduction
            of the error is measured on at least as many new simulations, and at least 60; on
            small tables, on up to 1,000.
        seed, workers, progress: as in `find_budget`.

    Raises:
        ChoiceError, BudgetError: an argument is not valid.
        HierdpError: a simulation failed, as in `simulate`.
        PlanningStopped: the search was cancelled.
    """
    configured = mechanisms.configured(mechanism)
    spent = Budget.stated(budget, epsilon=epsilon, rho=rho)
    is_synthetic = isinstance(table, SyntheticTable)
    table = table_for(table, configured)
    selected = quantity_of(table, quantity or table.quantities[0].id)
    template = plan(table, configured, budget=spent).allocation.weights
    level_weights = _checked_weights(weights, table.regions.levels)
    if n_simulations < 1:
        raise ChoiceError(
            f"At least one simulation is needed; got {n_simulations}. Give 1 or a larger number."
        )
    affordable = _FRESH_CELLS // (table.values.size + _EACH)
    fresh = max(n_simulations, _FRESH_LEAST, min(_FRESH_MOST, affordable))
    with reporting(progress, "simulations") as report:
        bench = Bench(
            table=table,
            mechanism=configured,
            targets=(),
            quantity=selected.id,
            seed=checked_seed(seed),
            workers=Workers.of(workers),
            progress=report,
            expected=_SPLITS * n_simulations + 2 * fresh,
            words=_WORDS,
        )

        def foreseen(split: Split) -> float:
            deviations = node_variances(bench.plan(spent, split), selected) ** 0.5
            means = (float(deviations[nodes].mean()) for nodes in bench.places)
            return sum(w * m for w, m in zip(level_weights, means, strict=True) if w)

        simulated: set[Split] = set()

        def cost(split: Split) -> float:
            simulated.add(split)
            means = bench.score(spent, split, n=n_simulations).errors[:, :, 0].mean(axis=0)
            return math.fsum(w * m for w, m in zip(level_weights, means.tolist(), strict=True))

        start, choice = even(template), template
        if sum(1 for weight in template if weight) > 1:
            guess = descend(foreseen, start, gain=1e-6)
            best = min(
                (descend(cost, guess, steps=_STEPS, gain=_GAIN, most=_SPLITS), start), key=cost
            )
            choice = template if best == start else reduced(best)
        bench.words = _MEASURING
        own, other = (
            bench.score(spent, split, n=fresh, first=FRESH).errors[:, :, 0]
            for split in (choice, template)
        )
        bench.finished()
    return BestAllocation(
        plan=tuned(bench.plan(spent, choice), synthetic=is_synthetic),
        by_simulation=own,
        even_by_simulation=other,
        weights=level_weights,
        n_simulations=n_simulations,
        tested=max(1, len(simulated)),
        synthetic=is_synthetic,
    )


def _checked_weights(weights: Sequence[float] | None, levels: Sequence[str]) -> tuple[float, ...]:
    level_weights = (
        tuple(float(w) for w in weights) if weights is not None else (1.0,) * len(levels)
    )
    if len(level_weights) != len(levels):
        raise ChoiceError(
            f"One weight for each level is needed; got {counted(len(level_weights), 'weight')}. "
            f"Give {counted(len(levels), 'weight')}, for {join_and(levels)}."
        )
    if not all(math.isfinite(w) and w >= 0 for w in level_weights) or not any(level_weights):
        raise ChoiceError(
            "Weights must be finite numbers, at least 0, and one of them must be above 0; got "
            f"{join_and([f'{w:g}' for w in level_weights])}. Correct the weights."
        )
    return level_weights
