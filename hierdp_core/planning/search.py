"""Budgets from accuracy targets: the smallest ε or ρ, and the allocation, that meet them.

Targets are *met* if at least the proportion `reliability` of all simulations meets every target at
once. The search has three steps. It guesses a budget from the noise variances alone. It finds an
allocation by descent over a few simulations. It estimates the budget, and determines the number of
validation simulations from the spread of the results. This proposal is then tested on them, at 95%
confidence. They are fresh: no earlier step uses them.

The test works as follows. The search simulations alone give the budget that is expected to pass,
and a descending sequence of budgets that starts at 1.5 times this budget. The same fresh
simulations test one budget after the other, each by a one-sided test at 5% (Clopper and Pearson).
The test ends at the first budget that fails, and the last that passed is the answer. The answer is
too low only if some budget that is too low passed. Then the first such budget in the sequence
passed as well, since all budgets before the answer did. That budget was determined before any fresh
simulation, so it passes with a probability of at most 5%. The argument holds however similar the
noise is at different budgets (fixed-sequence tests; Maurer, Hothorn and Lehmacher 1995).

If the first budget of a sequence fails, a new one goes from twice this budget to just above it.
Suppose that a larger budget never meets the targets less often. Then each first budget that is
itself too low adds at most 5%. Nothing is added if the first one, 1.5 times the expected budget, is
enough.

The probability is over seeds; with one seed, the result is always the same.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pandas as pd

from hierdp_core import mechanisms
from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Mechanism
from hierdp_core.noise import checked_seed
from hierdp_core.planning.bench import FRESH, Bench, Scores
from hierdp_core.planning.bisection import (
    DENSITY,
    FEW,
    LARGEST,
    SMALLEST,
    SizeResult,
    least_size,
    rounded_up,
)
from hierdp_core.planning.confidence import hits_needed, hits_too_few
from hierdp_core.planning.forecast import foreseen
from hierdp_core.planning.result import CONFIDENCE, BudgetPlan, band, starved
from hierdp_core.planning.sequence import first_sequence, next_sequence
from hierdp_core.planning.sizes import KIND_OF_BUDGET, of_size, size_of, stated_size, unit_of
from hierdp_core.planning.splits import Split, descend, even, reduced
from hierdp_core.planning.synthetic import (
    STAND_IN,
    SyntheticTable,
    synthetic_twin,
    table_for,
    tuned,
)
from hierdp_core.planning.targets import Target, check_targets, quantity_id
from hierdp_core.privacy import Budget, Number
from hierdp_core.privacy.rounding import float_up
from hierdp_core.simulation import OPTIONS
from hierdp_core.tables import Table, quantity_regions
from hierdp_core.tables import quantity as quantity_of
from hierdp_core.util.argument_types import typed
from hierdp_core.util.earlier import accepts
from hierdp_core.util.parallel import CLIENT_AND_CANCEL, Workers, WorkersOption
from hierdp_core.util.progress import NamedProgressOption, reporting
from hierdp_core.util.text import by_number, counted

__all__ = ["RELIABILITY", "expected_simulations", "find_budget", "synthetic_twin"]

RELIABILITY = 0.95

_COARSE, _PILOT, _CURVE = 40, 100, 40  # simulations of one evaluation
_SPLITS = 24  # allocations that are simulated
_STEPS = (8, 4, 2)  # percentage points moved between two levels
_GAIN = 0.01  # an allocation must lower the simulated error by this proportion to be chosen
_PRECISION = 0.01  # of the smallest budget
_FARTHEST = 2.0  # largest factor by which one evaluation changes the expected size
_WIDEST = 0.1  # largest relative step in noise between two sizes that are tested
_TESTS = 6  # approximate number of sizes that new simulations test
_HALF_WIDTH = 0.025  # relative half-width of the interval of the size, if enough can be simulated
_LOOKS = 8
_TIES = 2  # simulations that may tie by chance
_MANY = (200, 400, 800, 1600, 3200, 6400)  # validation simulations
_CELLS = 45_000_000  # cells simulated at most in one validation
_EACH = 5_000  # the fixed cost of a simulation, expressed as a number of cells
_AROUND = tuple(2.0**k for k in (-2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2))


@accepts(OPTIONS, STAND_IN, KIND_OF_BUDGET, CLIENT_AND_CANCEL)
@typed
def find_budget(
    table: Table | SyntheticTable,
    mechanism: Mechanism | str,
    targets: Sequence[Target | str],
    *,
    allocation: Sequence[int] | None = None,
    most: Budget | Number = LARGEST,
    reliability: float = RELIABILITY,
    floor: float = 0.0,
    n_simulations: int | None = None,
    seed: int = 0,
    workers: WorkersOption = None,
    progress: NamedProgressOption = None,
) -> BudgetPlan:
    """Find the smallest budget that meets `targets`, and its allocation if none is given.

    Args:
        table: the table whose releases are simulated. With `SyntheticTable(table=table)`, a
            synthetic table of the same shape is simulated in its place.
        mechanism: a mechanism, such as `mechanisms.PgsrCOpt()`, or its id with any options, such
            as "coc: merge=mean".
        targets: accuracy targets, as text such as "county=5%" or as `Target`.
        allocation: one integer per level; by default the search chooses them.
        most: the largest budget to test, as a number (an ε) or as a `Budget`. The result is of
            the same kind: ε, ρ, or (ε, δ) with the same δ, accounting and noise.
        reliability: the proportion of simulations that must meet all targets at once, from 0.5 to
            0.999.
        floor: if the search chooses the allocation, each measured level keeps at least this part of
            an equal allocation, from 0 to 1, so that levels without a target stay useful. The part
            is rounded down to a whole percentage of the budget, but not below 1%.
        n_simulations: the number of validation simulations; by default enough to find the budget
            to within a few percent, fewer on large tables.
        seed: the seed of all noise.
        workers: the number of threads, by default one per core; or `Workers`, for a
            `distributed.Client` or a way to cancel.
        progress: True for a progress bar, or a function that is called as (simulations done,
            simulations expected, their purpose).

    Returns:
        the budget with its allocation, the errors at each level, and how well this and other
        budgets meet the targets.

    Raises:
        ChoiceError, HierarchyError, BudgetError: an argument is not valid.
        HierdpError: a simulation failed, as in `simulate`.
        PlanningStopped: the search was cancelled.
    """
    parsed_targets = tuple(t if isinstance(t, Target) else Target.parse(t) for t in targets)
    _check_reliability(reliability)
    largest = most if isinstance(most, Budget) else stated_size(most)
    if not 0 <= floor <= 1:
        raise ChoiceError(
            "The floor is the smallest budget of a level as a proportion of an equal allocation. "
            f"Set it to a number from 0, for no floor, to 1; got {floor:g}."
        )
    if n_simulations is not None:
        hits_needed(n_simulations, reliability, CONFIDENCE)
    described = table.table if isinstance(table, SyntheticTable) else table
    check_targets(described, parsed_targets)
    one = mechanisms.configured(mechanism)
    with reporting(progress, "simulations") as report:
        bench = Bench(
            table=table_for(table, one),
            mechanism=one,
            targets=parsed_targets,
            quantity=quantity_id(described, parsed_targets[0]),
            seed=checked_seed(seed),
            workers=Workers.of(workers),
            progress=report,
        )
        return _Search(bench, largest, reliability, floor).find(
            None if allocation is None else tuple(allocation),
            n_simulations,
            synthetic=isinstance(table, SyntheticTable),
        )


def expected_simulations(*, chosen: bool, n_simulations: int | None = None) -> int:
    """Estimate how many simulations `find_budget` makes.

    Args:
        chosen: whether the search chooses the allocation.
        n_simulations: the number of validation simulations. None assumes the smallest default
            number, so the search may need more.
    """
    search = _COARSE * 6 + _PILOT * 2 + _CURVE * len(_AROUND)
    return search + _TESTS * (n_simulations or _MANY[0]) + _COARSE * _SPLITS * chosen


class _Search:
    """The steps of one search; its bench keeps the simulations."""

    def __init__(
        self,
        bench: Bench,
        largest: Budget,
        reliability: float,
        floor: float,
    ) -> None:
        self.bench, self.reliability, self.floor = bench, reliability, floor
        self.largest, self.most = largest, size_of(largest)
        self.slope = 0.5 if largest.kind == "zcdp" else 1.0

    def budget(self, size: float) -> Budget:
        """Return the budget of a size, in the unit of the search."""
        return of_size(self.largest, Fraction(str(size)))

    def find(
        self, allocation: tuple[int, ...] | None, n_simulations: int | None, *, synthetic: bool
    ) -> BudgetPlan:
        bench = self.bench
        template = bench.plan(
            self.budget(1.0), allocation
        ).allocation.weights  # also raises an error if it is not valid
        chosen = allocation is None and sum(1 for weight in template if weight) > 1
        bench.expected = expected_simulations(chosen=chosen, n_simulations=n_simulations)
        split = template
        if chosen:
            split = reduced(self._split(even(template)))
        size = self._rough(split, _PILOT, self._guess(split), 0.05)
        n = n_simulations or self._simulations_needed(size, split)
        if n >= 8 * _PILOT:
            size = self._rough(split, n // 8, size, 0.02)
        bench.expected = bench.done + (1 + _TESTS) * n + _CURVE * len(_AROUND)
        result = self._checked(split, n, size)
        at = result or self.most
        bench.words = "computing the curve"
        first = quantity_of(bench.table, bench.quantity)
        curve = self._curve(at, split, n)
        bench.finished()
        return BudgetPlan(
            plan=tuned(self._fresh(at, split, n).plan, synthetic=synthetic),
            reached=result is not None,
            reliability=self.reliability,
            scores=self._fresh(at, split, n),
            between=self._between(at, split, n) if result and result > SMALLEST else None,
            curve=curve,
            scorers=bench.scorers,
            unit=unit_of(self.largest),
            allocation_chosen=chosen,
            synthetic=synthetic,
            largest=self.most,
            counted=bench.scorers[0].unit,
            place_levels=quantity_regions(bench.table, first).levels,
            places=tuple(len(nodes) for nodes in bench.places),
            warnings=self._warnings(at, split, chosen=chosen, synthetic=synthetic),
        )

    def _guess(self, split: Split) -> float:
        """Return the size that the variances predict."""
        size = 1.0
        for _ in range(3):
            first_guess = foreseen(
                self.bench, self.bench.plan(self.budget(size), split), self.reliability
            )
            size = min(
                self.most, max(SMALLEST, rounded_up(size * first_guess ** (1 / self.slope) + 1e-9))
            )
        return size

    def _split(self, start: Split) -> Split:
        """Return the percentages that need the smallest budget: predicted first, then simulated."""
        size = min(1.0, self.most)
        least = max(1, math.floor(self.floor * min(part for part in start if part)))
        for _ in range(2):
            start = self._foreseen_split(start, size, least)
            size = self._guess(start)
        self.bench.words = "finding the allocation"
        size = self._rough(start, _COARSE, size, 0.1)
        return descend(
            lambda s: self._tail(self.bench.score(self.budget(size), s, n=_COARSE)),
            start,
            steps=_STEPS,
            gain=_GAIN,
            most=_SPLITS,
            least=least,
        )

    def _foreseen_split(self, start: Split, size: float, least: int) -> Split:
        def cost(split: Split) -> float:
            return foreseen(self.bench, self.bench.plan(self.budget(size), split), self.reliability)

        return descend(cost, start, gain=1e-4, least=least)

    def _rough(
        self, split: Split, n: int, start: float, precision: float, needed: int | None = None
    ) -> float:
        """Estimate the size at which `needed` of `n` search simulations pass; `most` if none does.

        By default `needed` is the proportion `reliability` of them.
        """
        self.bench.words = "finding the budget"
        enough = needed or _rank(n, self.reliability)
        rough_size = least_size(
            lambda size: _look(self.bench.score(self.budget(size), split, n=n), enough),
            start=start,
            slope=self.slope,
            largest=self.most,
            precision=precision,
        )
        return rough_size or self.most

    def _tail(self, scores: Scores) -> float:
        """Return the multiple of the tolerance needed in all but a few simulations."""
        return _look(scores, _rank(scores.n_simulations, self.reliability)).value

    def _simulations_needed(self, size: float, split: Split) -> int:
        """Return how many simulations determine the budget to a few percent, within bounds."""
        worst = self.bench.score(self.budget(size), split, n=_PILOT).worst
        spread = 1.96 * math.sqrt(self.reliability * (1 - self.reliability) / _PILOT)
        low, high = (
            float(np.quantile(worst, min(1.0, self.reliability + sign * spread)))
            for sign in (-1, 1)
        )
        wide = math.log(high / low) / 2 / self.slope if 0 < low <= high < math.inf else 1.0
        simulations = _PILOT * (wide / _HALF_WIDTH) ** 2
        most = _CELLS / (self.bench.table.values.size + _EACH)
        fitting = [n for n in _MANY if n <= most] or list(_MANY[:1])
        least = next(n for n in _MANY if _enough(n, self.reliability))
        return max(least, next((n for n in fitting if n >= simulations), fitting[-1]))

    def _fresh(self, size: float, split: Split, n: int) -> Scores:
        return self.bench.score(self.budget(size), split, n=n, first=FRESH)

    def _checked(self, split: Split, n: int, start: float) -> float | None:
        """Return the last size that passes on new simulations; see the module docstring."""
        needed = hits_needed(n, self.reliability, CONFIDENCE)
        expected, step = self._expected(split, n, start, needed)
        self.bench.words = "validating"
        sizes = first_sequence(expected, step=step, largest=self.most)
        while True:
            result = top = None
            for size in sizes:
                top = top or size
                if self._fresh(size, split, n).hits < needed:
                    break
                result = size
            if result is not None or top is None or top >= self.most:
                return result
            sizes = next_sequence(top, largest=self.most)

    def _expected(self, split: Split, n: int, start: float, needed: int) -> tuple[float, float]:
        """Estimate the size that passes the test, and a step, from search simulations alone.

        The step is the standard error of that size, within bounds.
        """
        seen = _look(self.bench.score(self.budget(start), split, n=n), needed)
        if seen.tied:  # integers tie, so the scores tell little about other sizes
            error = math.sqrt(self.reliability * (1 - self.reliability) / n)
            step = min(_WIDEST / self.slope, max(_PRECISION, error / FEW / self.slope))
            return self._rough(split, n, start, step / 2, needed), step
        worst = self.bench.score(self.budget(start), split, n=n).worst
        spread = math.ceil(math.sqrt(n * self.reliability * (1 - self.reliability)))
        low, high = float(worst[max(0, needed - 1 - spread)]), float(worst[needed - 1])
        if not 0 < low <= high < math.inf:
            return start, _WIDEST / self.slope
        step = math.log(high / low) / self.slope
        factor = min(_FARTHEST, max(1 / _FARTHEST, high ** (1 / self.slope)))
        expected = min(self.most, max(SMALLEST, start * factor))
        return expected, min(_WIDEST / self.slope, max(_PRECISION, step))

    def _between(self, size: float, split: Split, n: int) -> tuple[float, float]:
        """Return bounds on the smallest size that is enough."""
        few = hits_too_few(n, self.reliability, CONFIDENCE)
        scores = self._fresh(size, split, n)
        if few < 0:
            return SMALLEST, size
        value = float(scores.worst[few])
        if int((scores.worst == value).sum()) <= _TIES:
            return max(SMALLEST, size * min(1.0, value) ** (1 / self.slope)), size
        low = size
        for _ in range(_LOOKS):  # integers tie: go further down until too few pass
            hits = self._fresh(low, split, n).hits
            if hits <= few:
                return low, size
            lower = low * math.exp(-max(_PRECISION, (hits - few) / n / DENSITY))
            low = max(SMALLEST, rounded_up(lower))
        return SMALLEST, size

    def _curve(self, size: float, split: Split, n: int) -> pd.DataFrame:
        """Return scores of each target at budgets around `size`, one row per budget and target.

        For the columns, see `BudgetPlan.curve`.
        """
        rows = []
        around = {min(self.most, max(SMALLEST, rounded_up(size * f))) for f in _AROUND}
        for at in sorted({*around, size}):
            budget = self.budget(at)
            fresh = at == size
            scores = (
                self._fresh(at, split, n) if fresh else self.bench.score(budget, split, n=_CURVE)
            )
            for k, scorer in enumerate(self.bench.scorers):
                values = scores.values[:, k]
                low, high = band(values, self.reliability)
                rows.append(
                    {
                        "epsilon": _as_float(budget.epsilon),
                        "delta": _as_float(budget.delta),
                        "rho": _as_float(budget.rho),
                        "target": scorer.target.text,
                        "measure": scorer.measure,
                        "median": float(np.median(values)),
                        "interval_low": low,
                        "interval_high": high,
                        "proportion_meeting_target": float((scores.taken[:, k] <= 1).mean()),
                        "simulations": scores.n_simulations,
                    }
                )
        return pd.DataFrame(rows)

    def _warnings(
        self, size: float, split: Split, *, chosen: bool, synthetic: bool
    ) -> tuple[str, ...]:
        plan = self.bench.plan(self.budget(size), split)
        warnings = [
            plan.privacy.caution or "",
            starved(plan, self.bench.scorers) if chosen else "",
        ]
        for scorer in self.bench.scorers:
            empty = int((scorer.limit == 0).sum())
            if empty and scorer.target.share is not None:
                has = by_number(empty, "has", "have")
                zero = "a count of 0 in the synthetic table" if synthetic else "a true count of 0"
                warnings.append(
                    f"{empty:,} of {counted(len(scorer.nodes), 'area')} at {scorer.target.level} "
                    f"level {has} {zero}. Such an area is within a relative tolerance only if it "
                    "is released as exactly 0."
                )
        return tuple(filter(None, warnings))


def _as_float(parameter: Fraction | None) -> float:
    return math.nan if parameter is None else float_up(parameter)


def _rank(n: int, reliability: float) -> int:
    """Return the smallest number that is at least the proportion `reliability` of `n`."""
    return math.ceil(reliability * n - 1e-9)


def _look(scores: Scores, needed: int) -> SizeResult:
    """Return the result of simulations of which `needed` must pass."""
    n, hits, value = scores.n_simulations, scores.hits, float(scores.worst[needed - 1])
    ties = int((scores.worst == value).sum()) > _TIES
    fails, may = max(0.5, n - hits), max(0.5, n - needed)
    return SizeResult(
        value=value,
        tied=ties,
        spare=max(0.0, (hits - needed) / n),
        tail=math.log(may / n) / math.log(fails / n) if fails < n else math.inf,
    )


def _enough(n: int, reliability: float) -> bool:
    try:
        hits_needed(n, reliability, CONFIDENCE)
    except ChoiceError:
        return False
    return True


def _check_reliability(reliability: float) -> None:
    if not 0.5 <= reliability <= 0.999:
        given = float(reliability)
        raise ChoiceError(
            f"The reliability lies between 0.5 and 0.999; got {given:g}. Give one such as 0.9."
        )
