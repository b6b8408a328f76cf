"""Margins of error of a release in parts, equal to those of the same release in memory.

The top is the table of all areas down to the roots of the parts. The mechanism is simulated on the
released parts as if they were exact; see `releases.margins`. If parts can be post-processed
separately, each part is read once and simulated repeatedly, each time with the values that the top
passes to it. The rules for small numbers use all numbers of a level, which are in memory together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hierdp_core.exceptions import ReleaseError
from hierdp_core.hierarchy import Hierarchy, sum_up
from hierdp_core.mechanisms.base import Plan
from hierdp_core.noise import SeededNoise
from hierdp_core.releases.margins import factor, half_widths, require_margins
from hierdp_core.releases.measurements import to_bytes
from hierdp_core.releases.near_zero import NoiseLaw, raised
from hierdp_core.releases.package.certificate import fitness_of_level
from hierdp_core.scale.gathering import Summaries
from hierdp_core.scale.partitioned import PartitionedTable
from hierdp_core.scale.simulating import PartTask, exact_top, root_of, summary_of
from hierdp_core.scale.ways import PartStrategy
from hierdp_core.util.arrays import FloatArray, IntArray, NumberArray

TOP = "top"


@dataclass(frozen=True, kw_only=True)
class PartsMargins:
    """Margins of every number of a release in parts, in files.

    Attributes:
        folder: the folder with a file for the areas above the parts and one for each part.
        level: the stated confidence of each interval, such as 0.9.
        n_simulations: the number of simulations from which they are computed.
        seed: the public seed of the simulations.
        fitness: the rows of `fitness`, by level and class of number.
    """

    folder: Path
    level: float
    n_simulations: int
    seed: int
    fitness: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    def of(self, name: str | int) -> tuple[FloatArray, FloatArray]:
        """Return margins and biases of a part, or of the top, in the order of its numbers."""
        rows = _read(self.folder, name)
        return rows["margins"], rows["bias"]


def margins_of_parts(
    released: PartitionedTable,
    strategy: PartStrategy,
    folder: Path,
    *,
    seed: int,
    level: float,
    n_simulations: int,
    spread: Any,
) -> PartsMargins:
    """Return margins of error of every number of a released table in parts.

    Args:
        released: the released table.
        strategy: how the plan was carried out.
        folder: an empty folder for the files of the margins.
        seed: the public seed of the simulations.
        level, n_simulations: as in `margins`.
        spread: `in_parallel` with its workers.

    Raises:
        ChoiceError: the level or the number of simulations lies outside its range.
    """
    require_margins(level, n_simulations)
    exact = exact_top(released, spread(partial(root_of, table=released), range(_n(released))))
    simulate = _all_at_once if strategy.settles_all_at_once else _part_by_part
    simulate(
        _Simulating(
            released=released,
            strategy=strategy,
            folder=folder,
            exact=exact,
            seed=seed,
            n=n_simulations,
            spread=spread,
        )
    )
    margins = PartsMargins(folder=folder, level=level, n_simulations=n_simulations, seed=seed)
    rows = [
        row
        for depth in range(len(released.levels))
        for row in _finished_level(margins, released, strategy.plan, depth)
    ]
    return replace(margins, fitness=tuple(rows))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Simulating:
    """The simulations behind the margins."""

    released: PartitionedTable
    strategy: PartStrategy
    folder: Path
    exact: IntArray
    seed: int
    n: int
    spread: Any

    def noisy_top(self, index: int) -> Any:
        noise = SeededNoise(self.seed, index=index)
        return self.strategy.measure_top(self.released.upper, self.exact, noise)

    def tasks(self, index: int, roots: Sequence[NumberArray]) -> list[PartTask]:
        return [
            PartTask(
                table=self.released,
                strategy=self.strategy,
                seed=self.seed,
                index=index,
                number=number,
                root=root,
            )
            for number, root in enumerate(roots)
        ]


class _Errors:
    """The sums of errors and of their squares over simulations."""

    def __init__(self, released: NumberArray) -> None:
        self._released = released.astype(np.float64)
        self._total, self._squares = np.zeros(released.shape), np.zeros(released.shape)

    def add(self, values: NumberArray) -> None:
        errors = np.asarray(values, dtype=np.float64) - self._released
        self._total += errors
        self._squares += errors**2

    def save(self, file: Path, n: int) -> None:
        arrays = {"values": self._released, "squares": self._squares / n, "bias": self._total / n}
        _save(file, {name: array.reshape(-1) for name, array in arrays.items()})


def _part_by_part(run: _Simulating) -> None:
    """Simulate the top as often as required, then each part.

    If the top is the sum of the parts, its errors are computed last.
    """
    errors, simulations = _Errors(run.exact), []
    for index in range(run.n):
        settled = run.strategy.settle_top(run.released.upper, run.noisy_top(index), Summaries())
        if not run.strategy.is_summed_up:
            errors.add(settled.values)
        simulations.append(run.tasks(index, settled.given))
    of_each_part = list(zip(*simulations, strict=True))
    roots = run.spread(partial(_simulate_part, folder=run.folder), of_each_part)
    if run.strategy.is_summed_up:
        for of_each_root in zip(*roots, strict=True):
            errors.add(sum_up(run.released.upper.tree, np.array(of_each_root)))
    errors.save(_file(run.folder, TOP), run.n)


def _simulate_part(tasks: tuple[PartTask, ...], folder: Path) -> list[NumberArray]:
    """Write the errors of a part, and return its root in each simulation."""
    part, roots = tasks[0].table.read(tasks[0].number), []
    errors = _Errors(part.values)
    for task in tasks:
        noisy = task.strategy.measure_part(part, task.root, task.noise(part))
        values = task.strategy.settle_part(part, noisy, task.root)
        errors.add(values)
        roots.append(values[0].copy())
    errors.save(_file(folder, tasks[0].number), len(tasks))
    return roots


def _all_at_once(run: _Simulating) -> None:
    """Make the simulations one after the other, each of all parts."""
    top = _Errors(run.exact)
    parts = [_Errors(run.released.read(number).values) for number in range(_n(run.released))]
    for index in range(run.n):
        noisy = run.noisy_top(index)
        roots = run.strategy.roots(run.released.upper, noisy)
        summaries = run.strategy.summaries(run.released, run.folder)
        run.spread(summary_of, run.tasks(index, roots), arrived=summaries.add, kept=False)
        settled = run.strategy.settle_top(run.released.upper, noisy, summaries)
        top.add(settled.values)
        for errors, values in zip(parts, settled.given, strict=True):
            errors.add(values)
    top.save(_file(run.folder, TOP), run.n)
    for number, errors in enumerate(parts):
        errors.save(_file(run.folder, number), run.n)


def _finished_level(
    margins: PartsMargins, released: PartitionedTable, plan: Plan, depth: int
) -> list[dict[str, Any]]:
    """Write the margins of one level to the files, and return its rows of fitness."""
    columns = released.n_columns
    places: list[tuple[str | int, slice]]
    if depth <= released.cut:
        places = [(TOP, _cells(released.upper.tree, depth, columns))]
    else:
        places = [
            (part.number, _rows(part.rows, depth - released.cut, columns))
            for part in released.parts
        ]
    values, squares = (_joined(margins.folder, places, what) for what in ("values", "squares"))
    n, law_factor = margins.n_simulations, factor(margins.level, margins.n_simulations)
    half = raised(
        half_widths(squares, margins.level, n, whole=True),
        values,
        [slice(0, len(values))],
        columns=columns,
        law=NoiseLaw.of(plan, level=margins.level, factor=law_factor),
    )
    if depth == 0 and plan.domain.total is not None and columns == 1:
        half[:] = 0
    if columns > 1 and not plan.domain.empty_groups:
        half[::columns] = 0  # that no group has size 0 is a public fact
    start = 0
    for name, place in places:
        stop = start + place.stop - place.start
        _put(margins.folder, name, place, half[start:stop])
        start = stop
    return fitness_of_level(released.levels[depth], values, half)


def _cells(tree: Hierarchy, depth: int, columns: int) -> slice:
    nodes = tree.level(depth)
    return slice(nodes.start * columns, nodes.stop * columns)


def _rows(rows: tuple[int, ...], depth: int, columns: int) -> slice:
    return slice(sum(rows[:depth]) * columns, sum(rows[: depth + 1]) * columns)


def _joined(folder: Path, places: Sequence[tuple[str | int, slice]], what: str) -> FloatArray:
    """Return one array of a level from the files of all parts."""
    return np.concatenate([_read(folder, name, (what,))[what][place] for name, place in places])


def _put(folder: Path, name: str | int, place: slice, half: FloatArray) -> None:
    """Write the margins of one level to a file."""
    arrays = _read(folder, name)
    margins = arrays.get("margins", np.full(len(arrays["values"]), np.nan))
    margins[place] = half
    _save(_file(folder, name), arrays | {"margins": margins})


def _read(
    folder: Path, name: str | int, columns: Sequence[str] | None = None
) -> dict[str, FloatArray]:
    try:
        with np.load(_file(folder, name)) as file:
            return {array: file[array] for array in columns or file.files}
    except OSError as error:
        remedy = (
            "Correct its permissions." if isinstance(error, PermissionError)
            else "Write the package again."
        )  # fmt: skip
        raise ReleaseError(
            f"{_file(folder, name)} cannot be read: {error.strerror or error}. {remedy}"
        ) from None


def _save(file: Path, arrays: dict[str, FloatArray]) -> None:
    file.write_bytes(to_bytes(dict(arrays), packed=False))


def _file(folder: Path, name: str | int) -> Path:
    return folder / f"{name}.npz"


def _n(table: PartitionedTable) -> int:
    return len(table.parts)
