"""Margins of error from a release alone: the mechanism is simulated on the released table.

R is the released table, and M the mechanism with the plan of the release. R_i = M(R), i = 1…n, are
simulations with independent noise. For a number q(R), such as the count of an area, their errors
are e_i = q(R_i) − q(R). The margin at confidence 1 − α is t √(1 + 1/n) √(mean e_i²).
Here t is the quantile at 1 − α/2 of Student's t distribution with n − 1 degrees of freedom. Margins
of counts are rounded up. Margins are post-processing, so they cost no budget. The method assumes
that errors of simulations on R are distributed like those on the exact table. Near zero they are
not, so margins of small numbers are raised: see `near_zero`.

Source: approximate Monte Carlo, arXiv:2503.19714, as the US Census Bureau publishes it.
"""

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import singledispatch

import numpy as np

from hierdp_core.exceptions import ChoiceError, ReleaseError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.releases.near_zero import NoiseLaw, raised
from hierdp_core.simulation import simulate
from hierdp_core.tables import Flows, Table
from hierdp_core.tables.flows import Pairs
from hierdp_core.util.arrays import BoolArray, FloatArray, NumberArray
from hierdp_core.util.parallel import Cancel, in_parallel
from hierdp_core.util.progress import ProgressOption, reporting

LEVEL = 0.9
N_SIMULATIONS = 100
LEAST_SIMULATIONS = 10
_AT_ONCE = 8  # simulations in memory together


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A released number with its margin of error.

    Attributes:
        value: the released value, or one computed from released numbers.
        margin: the margin of error; NaN if it is not known.
        low, high: the ends of the interval: the value minus and plus the margin. Except for a
            difference, a negative `low` is replaced by 0.
        bias: the mean of simulated minus released numbers, which is not subtracted.
    """

    value: float
    margin: float
    low: float
    high: float
    bias: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Margins:
    """Margins of error of every number in a release.

    Attributes:
        table: the released table.
        plan: the plan of the release.
        level: the stated confidence of each interval, such as 0.9.
        n_simulations: the number of simulations from which they are computed.
        seed: the public seed of the simulations; unrelated to the noise of the release.
        cells: the margin of every number, in the order of `numbers_of`; NaN if it is not known.
        bias_cells: the means of simulated minus released numbers, in the same order.
    """

    table: Table
    plan: Plan
    level: float
    n_simulations: int
    seed: int
    cells: FloatArray = field(repr=False)
    bias_cells: FloatArray = field(repr=False)

    @property
    def values(self) -> FloatArray:
        """The margins in the shape of `table.values`."""
        n = self.table.values.size
        return self.cells[len(self.cells) - n :].reshape(self.table.values.shape)

    @property
    def bias(self) -> FloatArray:
        """The bias in the shape of `table.values`."""
        n = self.table.values.size
        return self.bias_cells[len(self.cells) - n :].reshape(self.table.values.shape)

    def at(self, level: int) -> tuple[FloatArray, FloatArray]:
        """Return the margins and the biases of one level, in the order of its rows in a package.

        Args:
            level: the position of the level, 0 for the root.
        """
        place = _cells_of_level(self.table, level)
        return self.cells[place], self.bias_cells[place]

    def total(
        self, areas: Sequence[str], *, level: str | None = None, quantity: str = ""
    ) -> Interval:
        """Return the sum over areas of a level with its margin.

        Args:
            areas: the codes of one or more areas, each once.
            level: the level of the codes; by default the last one.
            quantity: the id of the quantity that is summed; by default the table's first.

        Raises:
            HierdpError: an area, the level or the quantity is unknown.
        """
        pick = self._picker(areas, level, quantity)
        simulated = self._simulated(lambda table: np.array([pick(table)]))[:, 0]
        return self._interval(pick(self.table), simulated, whole=True)

    def difference(
        self, a: Sequence[str], b: Sequence[str], *, level: str | None = None, quantity: str = ""
    ) -> Interval:
        """Return the sum over areas `a` minus that over areas `b`, with its margin.

        Arguments and errors are those of `total`.
        """
        pick_a, pick_b = (self._picker(x, level, quantity) for x in (a, b))
        simulated = self._simulated(lambda table: np.array([pick_a(table), pick_b(table)]))
        value = pick_a(self.table) - pick_b(self.table)
        return self._interval(value, simulated[:, 0] - simulated[:, 1], whole=True, least=-math.inf)

    def ratio(
        self, a: Sequence[str], b: Sequence[str], *, level: str | None = None, quantity: str = ""
    ) -> Interval:
        """Return the sum over areas `a` divided by that over areas `b`, with its margin.

        All attributes are NaN if the second sum is 0. If it is 0 or less in any simulation, all
        attributes except for `value` are NaN. Arguments and errors are those of `total`.
        """
        pick_a, pick_b = (self._picker(x, level, quantity) for x in (a, b))
        below = pick_b(self.table)
        if below == 0:
            nothing = math.nan
            return Interval(value=nothing, margin=nothing, low=nothing, high=nothing, bias=nothing)
        simulated = self._simulated(lambda table: np.array([pick_a(table), pick_b(table)]))
        some = simulated[simulated[:, 1] > 0]
        if len(some) < len(simulated):
            simulated = some[:0]
        return self._interval(
            pick_a(self.table) / below, simulated[:, 0] / simulated[:, 1], whole=False
        )

    def _picker(
        self, areas: Sequence[str], level: str | None, quantity: str
    ) -> Callable[[Table], float]:
        selected = self.table.quantity(quantity) if quantity else self.table.quantities[0]
        regions = self.table.regions_of(selected)
        if isinstance(areas, str):
            areas = [areas]
        if len(set(areas)) != len(areas) or not areas:
            raise ChoiceError("Name at least one area, and each area only once.")
        at = len(regions.levels) - 1 if level is None else regions.level_index(level)
        nodes = [regions.node(area, at) for area in areas]
        return lambda table: float(table.by_region(selected)[nodes].sum())

    def _simulated(self, numbers: Callable[[Table], FloatArray]) -> FloatArray:
        return np.array(
            in_parallel(
                lambda index: numbers(_again(self.table, self.plan, self.seed, index)),
                range(self.n_simulations),
            )
        )

    def _interval(
        self, value: float, simulated: FloatArray, *, whole: bool, least: float = 0.0
    ) -> Interval:
        errors = simulated - value
        if not len(errors):
            return Interval(
                value=value, margin=math.nan, low=math.nan, high=math.nan, bias=math.nan
            )
        square = np.array([np.mean(errors**2)])
        half = float(half_widths(square, self.level, len(errors), whole=whole)[0])
        low = max(least, value - half) if not math.isnan(half) else math.nan
        return Interval(
            value=value, margin=half, low=low, high=value + half, bias=float(errors.mean())
        )


def margins(
    table: Table,
    plan: Plan,
    *,
    seed: int,
    level: float = LEVEL,
    n_simulations: int = N_SIMULATIONS,
    near_zero: bool = True,
    workers: int | None = None,
    progress: ProgressOption = None,
    cancel: Cancel | None = None,
) -> Margins:
    """Return margins of error of every number in a released table.

    Args:
        table: the released table.
        plan: the plan of the release.
        seed: the public seed of the simulations.
        level: the confidence of the intervals, strictly between 0 and 1.
        n_simulations: the number of simulations, at least 10.
        near_zero: whether to raise the margins of small numbers, as in the module `near_zero`.
        workers, cancel: as in `in_parallel`, whose tasks are simulations.
        progress: True for a progress bar, or a function that is called with the number of
            completed simulations and the total.

    Raises:
        ChoiceError: the level, the number of simulations or of workers is out of range.
        ReleaseError: the computation was cancelled.
        HierdpError: a simulation failed, as in `simulate`.
    """
    require_margins(level, n_simulations)
    released = numbers_of(table, table).astype(np.float64)
    total, squares = np.zeros(len(released)), np.zeros(len(released))
    n_done = 0
    with reporting(progress, "simulations") as report:
        for first in range(0, n_simulations, _AT_ONCE):
            indices = range(first, min(n_simulations, first + _AT_ONCE))
            some = in_parallel(
                lambda index: numbers_of(_again(table, plan, seed, index), table),
                indices,
                workers=workers,
                cancel=cancel,
            )
            if len(some) < len(indices):
                raise ReleaseError(
                    "The computation of the margins of error was cancelled. Start it again."
                )
            for numbers in some:
                errors = numbers - released
                total += errors
                squares += errors**2
            n_done += len(some)
            if report is not None:
                report(n_done, n_simulations)
    cells = half_widths(squares / n_simulations, level, n_simulations, whole=True)
    if near_zero:
        cells = raised(
            cells,
            released,
            [_cells_of_level(table, place) for place in range(table.regions.tree.n_levels)],
            columns=table.values.shape[1] if table.values.ndim > 1 else 1,
            law=NoiseLaw.of(plan, level=level, factor=factor(level, n_simulations)),
        )
    cells[_fixed_cells(table, plan)] = 0
    return Margins(
        table=table,
        plan=plan,
        level=level,
        n_simulations=n_simulations,
        seed=seed,
        cells=cells,
        bias_cells=total / n_simulations,
    )


def require_margins(level: float, n_simulations: int) -> None:
    """Require a level and a number of simulations for which margins can be computed.

    Raises:
        ChoiceError: one of them lies outside its range.
    """
    if not 0 < level < 1:
        raise ChoiceError(
            f"The confidence of margins lies strictly between 0 and 1; got {level}. Give a number "
            "such as 0.9."
        )
    if n_simulations < LEAST_SIMULATIONS:
        raise ChoiceError(
            f"Margins need at least {LEAST_SIMULATIONS} simulations; got {n_simulations:,}. Use "
            "more."
        )


def public_seed(release: str) -> int:
    """Return the seed of a release's margins, which anyone can compute from its id.

    >>> public_seed("00ff"), public_seed("00fe")
    (2164203389, 1535334212)
    """
    return int.from_bytes(hashlib.sha256(f"margins of {release}".encode()).digest()[:4], "big")


def half_widths(mean_squares: FloatArray, level: float, n: int, *, whole: bool) -> FloatArray:
    """Return t √(1 + 1/n) √(mean e²), rounded up to an integer if `whole`.

    NaN if all errors were 0, since the error of the number is then not known.
    """
    half = factor(level, n) * np.sqrt(mean_squares)
    if whole:
        half = np.ceil(half)
    half[mean_squares == 0] = np.nan
    return half


def factor(level: float, n: int) -> float:
    """Return the ratio of a margin to the root mean square of `n` errors."""
    from scipy.stats import t

    return float(t.ppf((1 + level) / 2, n - 1)) * math.sqrt(1 + 1 / n)


@singledispatch
def numbers_of(table: Table, released: Table) -> NumberArray:
    """Return the numbers of a table in the order in which those of `released` are published."""
    values: NumberArray = table.values.reshape(-1)
    return values


@numbers_of.register
def _(table: Flows, released: Flows) -> NumberArray:
    aligned: NumberArray = np.concatenate(
        [
            _aligned(table.at(level), released.at(level), released, level)
            for level in range(released.tree.n_levels)
        ]
    )
    return aligned


def _aligned(pairs: Pairs, published: Pairs, table: Flows, level: int) -> NumberArray:
    """Return the values of `pairs` for the pairs of `published`; 0 for those not in `pairs`."""
    width = int(table.destinations.tree.level_sizes[level])
    keys = pairs.origin * width + pairs.destination
    keys_of_pairs = published.origin * width + published.destination
    values: NumberArray = np.zeros(len(keys_of_pairs), dtype=np.int64)
    if not len(keys):
        return values
    order = np.argsort(keys, kind="stable")
    place = np.minimum(np.searchsorted(keys[order], keys_of_pairs), len(keys) - 1)
    matches = keys[order][place] == keys_of_pairs
    values[matches] = pairs.values[order][place][matches]
    return values


def numbers_of_level(table: Table, level: int) -> NumberArray:
    """Return the released numbers of one level, in the order of its rows in a package."""
    return numbers_of(table, table)[_cells_of_level(table, level)]


@singledispatch
def _cells_of_level(table: Table, level: int) -> slice:
    columns = table.values[0].size
    nodes = table.tree.level(level)
    return slice(nodes.start * columns, nodes.stop * columns)


@_cells_of_level.register
def _(table: Flows, level: int) -> slice:
    lengths = [len(table.at(k)) for k in range(level + 1)]
    return slice(sum(lengths[:-1]), sum(lengths))


def _fixed_cells(table: Table, plan: Plan) -> BoolArray:
    """Return a mask of the numbers that the plan publishes exactly.

    They are a public total, if it is one number, and size 0 if empty groups are not counted.
    """
    fixed = np.zeros(len(numbers_of(table, table)), dtype=bool)
    if not plan.domain.empty_groups:
        fixed[:: table.values.shape[1]] = True
    root = _cells_of_level(table, 0)
    if plan.domain.total is not None and root.stop - root.start == 1:
        fixed[root] = True
    return fixed


def _again(table: Table, plan: Plan, seed: int, index: int) -> Table:
    """Return a simulation of the mechanism on the released table as if it were exact."""
    return simulate(table, plan, seed=seed, index=index).table
