"""One simulation of a table in parts, on this machine or on a Dask cluster."""

import hashlib
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hierdp_core import mechanisms
from hierdp_core.exceptions import ChoiceError, FileError
from hierdp_core.hierarchy import sum_up
from hierdp_core.mechanisms.base import Mechanism, Plan
from hierdp_core.noise import SeededNoise, checked_seed
from hierdp_core.privacy import Budget
from hierdp_core.scale.limits import workers_within
from hierdp_core.scale.looking import UPPER, write_about
from hierdp_core.scale.partitioned import (
    ROWS_A_GROUP,
    Part,
    PartitionedTable,
    PartShape,
    part_table,
    rows_of,
    values_of,
)
from hierdp_core.scale.ways import PartNoise, PartStrategy, require_strategy, strategy_for
from hierdp_core.simulation import require_kind
from hierdp_core.tables import Domain
from hierdp_core.util.arrays import IntArray, NumberArray
from hierdp_core.util.parallel import in_parallel
from hierdp_core.util.progress import ProgressOption, reporting


@dataclass(frozen=True, eq=False, kw_only=True)
class PartitionedSimulation:
    """A simulation on disk: a demonstration, never a release.

    Attributes:
        folder: the folder of its files, one for each part and one for the areas above them.
        plan: the plan; its guarantee is that of the same plan in memory.
        levels: the names of all levels.
        cut: the level of the roots of the parts.
        n_parts: the number of parts.
        seed: the seed of the noise. Anyone who knows it can reproduce the noise, so it protects
            nobody.
    """

    folder: Path
    plan: Plan
    levels: tuple[str, ...]
    cut: int
    n_parts: int
    seed: int

    def values(self, number: int) -> NumberArray:
        """Return the values of a part in level order, its root first.

        Raises:
            FileError: there is no such part, or its file is missing or damaged.
        """
        return values_of(self._rows(f"part-{number:05d}.parquet"))

    def upper_values(self) -> NumberArray:
        """Return the values of the areas down to the level of the cut.

        Raises:
            FileError: their file is missing or damaged.
        """
        return values_of(self._rows(UPPER))

    def digest(self) -> str:
        """Return a hash of all values, level by level: the same however the table is cut.

        Raises:
            FileError: a file is missing or damaged.
        """
        upper = self.upper_values()
        hashes = [hashlib.sha256() for _ in self.levels]
        for level, values in enumerate(_by_level(upper, self._upper_rows())):
            hashes[level].update(values.tobytes())
        for number in range(self.n_parts):
            frame = self._rows(f"part-{number:05d}.parquet")
            rows = _rows_by_level(frame.column("parent").to_numpy(), len(self.levels) - self.cut)
            for level, values in enumerate(_by_level(values_of(frame), rows)):
                if level:
                    hashes[self.cut + level].update(values.tobytes())
        return digest_of(hashes)

    def _upper_rows(self) -> list[int]:
        parents = self._rows(UPPER, ["parent"]).column(0).to_numpy()
        return _rows_by_level(parents, self.cut + 1)

    def _rows(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        return rows_of(self.folder / name, columns)


def simulate_parts(
    table: PartitionedTable,
    mechanism: Mechanism | str,
    out: str | Path,
    *,
    budget: Budget,
    allocation: Sequence[int] | None = None,
    seed: int = 0,
    index: int = 0,
    workers: int | None = None,
    client: Any = None,
    memory: int | None = None,
    progress: ProgressOption = None,
) -> PartitionedSimulation:
    """Simulate a release of a table in parts, for demonstrations only.

    The values are those of the simulation in memory with the same seed and index, for any number of
    parts and workers. A worker holds one part at a time.

    Args:
        table: the exact table.
        mechanism: a mechanism, such as `mechanisms.Hay()`, or its id.
        out: a new folder for the result.
        budget: the budget to spend over the levels of the whole table.
        allocation: whole numbers, one per level from the root down; equal by default.
        seed: a whole number, at least 0.
        index: the number of the simulation, at least 0; those of one seed are independent.
        workers: the number of threads on this machine, each of which processes one part at a
            time; one per core by default. One thread needs the least memory.
        client: a `distributed.Client` that replaces threads; its workers must have access to both
            folders.
        memory: a limit on the memory of this process, in bytes. It determines the number of parts
            in memory at once. Workers of a cluster have their own limits.
        progress: True for a progress bar, or a function that is called in each step with the
            number of completed parts and the total.

    Raises:
        ChoiceError: the mechanism does not work on parts, or does not fit the table or the limit on
            memory; seed or index is not valid; or memory is limited together with a client.
        BudgetError: budget or allocation cannot be spent.
        FileError: a part is missing or was changed, or the result exists or cannot be written.
        SolverError: post-processing stopped before it proved an optimum.
        HierdpError: the numbers that are needed at once do not fit in the free memory.
    """
    checked_seed(seed)
    one = mechanisms.configured(mechanism)
    require_strategy(one, table.kind)
    folder = Path(out)
    _require_new(folder)
    if memory is not None:
        if client is not None:
            raise ChoiceError(
                "The limit on memory is for this machine. Limit the workers of a cluster with "
                "`dask worker --memory-limit`."
            )
        workers = workers_within(memory, table, one, workers=workers, allocation=allocation)
    numbers = range(len(table.parts))
    spread = partial(in_parallel, workers=workers, client=client)
    exact = exact_top(table, spread(partial(root_of, table=table), numbers))
    plan = _planned(table, one, budget=budget, allocation=allocation, exact=exact)
    strategy = strategy_for(table, plan)
    strategy.require_room(table)
    with reporting(progress, "parts") as report:
        noisy = strategy.measure_top(table.upper, exact, SeededNoise(seed, index=index))
        task = partial(PartTask, table=table, strategy=strategy, seed=seed, index=index)
        summaries = strategy.summaries(table, folder.parent)
        if strategy.needs_summaries:
            roots = strategy.roots(table.upper, noisy)
            measured = [task(number=n, root=root) for n, root in zip(numbers, roots, strict=True)]
            spread(summary_of, measured, progress=report, arrived=summaries.add, kept=False)
        settled = strategy.settle_top(table.upper, noisy, summaries)
        del summaries
        if not strategy.needs_summaries:
            roots = settled.given
        with _appearing_whole(folder) as unfinished:
            tasks = [
                task(number=n, root=root, given=given)
                for n, root, given in zip(numbers, roots, settled.given, strict=True)
            ]
            roots = spread(partial(_settle, folder=unfinished), tasks, progress=report)
            values = strategy.values_above(table.upper, settled, roots)
            rows = part_table(table.upper.ids, table.upper.tree, values)
            pq.write_table(rows, unfinished / UPPER)
            words = {"levels": table.levels, "parts": len(numbers), "seed": seed}
            write_about(unfinished, words | {"privacy": plan.privacy.sentence})
    return PartitionedSimulation(
        folder=folder,
        plan=plan,
        levels=table.levels,
        cut=table.cut,
        n_parts=len(numbers),
        seed=seed,
    )


def digest_in_memory(values: NumberArray, level_sizes: Sequence[int]) -> str:
    """Return the `PartitionedSimulation.digest` of the same values in memory."""
    parts = _by_level(values, level_sizes)
    return digest_of([hashlib.sha256(np.ascontiguousarray(p).tobytes()) for p in parts])


def digest_of(hashes: Sequence[Any]) -> str:
    """Return one hash for the hashes of all levels."""
    return hashlib.sha256("".join(one.hexdigest() for one in hashes).encode()).hexdigest()


def plan_parts(
    table: PartitionedTable,
    mechanism: Mechanism | str,
    *,
    budget: Budget,
    allocation: Sequence[int] | None = None,
    workers: int | None = None,
    client: Any = None,
) -> Plan:
    """Return the plan for a simulation or a release of a table in parts.

    The plan depends on no numbers except totals that the mechanism treats as public.

    Args:
        table: the exact table.
        mechanism: a mechanism, such as `mechanisms.TopDown()`, or its id.
        budget, allocation: as in `simulate_parts`.
        workers, client: the threads or the cluster that read the parts, as in `simulate_parts`.

    Raises:
        ChoiceError: the mechanism does not work on parts, or does not fit the table.
        BudgetError: budget or allocation cannot be spent.
        FileError: a part is missing or was changed.
    """
    one = mechanisms.configured(mechanism)
    require_strategy(one, table.kind)
    roots = in_parallel(
        partial(root_of, table=table), range(len(table.parts)), workers=workers, client=client
    )
    exact = exact_top(table, roots)
    return _planned(table, one, budget=budget, allocation=allocation, exact=exact)


def public_domain(table: PartitionedTable, mechanism: Mechanism, exact: IntArray) -> Domain:
    """Return the public facts that a plan may use, with a single area on each level.

    Args:
        table: the exact table.
        mechanism: the mechanism, which may treat some totals as public.
        exact: the numbers of the table down to the cut.

    Raises:
        ChoiceError: the mechanism does not fit the table.
    """
    groups = int(exact[0].sum()) if table.has_groups else None
    domain = table.public_domain(groups=groups)
    require_kind(domain, mechanism)
    if mechanism.needs_total:
        domain = replace(domain, total=int(exact[0]))
    if mechanism.needs_region_groups:  # the events of a plan depend on none of them
        assert groups is not None
        domain = replace(domain, region_groups=np.full(domain.tree.n_nodes, groups))
    return mechanism.public_domain(domain)


def _planned(
    table: PartitionedTable,
    mechanism: Mechanism,
    *,
    budget: Budget,
    allocation: Sequence[int] | None,
    exact: IntArray,
) -> Plan:
    domain = public_domain(table, mechanism, exact)
    return mechanism.plan(
        domain, budget=budget, allocation=mechanism.allocation(allocation, domain)
    )


def exact_top(table: PartitionedTable, roots: list[IntArray]) -> IntArray:
    """Return the exact numbers of all areas down to the cut, from those of the parts' roots."""
    return np.ascontiguousarray(sum_up(table.upper.tree, np.array(roots)))


def root_of(number: int, table: PartitionedTable) -> IntArray:
    """Return the exact numbers of the root of a part."""
    return table.root(number)


@dataclass(frozen=True, eq=False, kw_only=True)
class PartTask:
    """The work on one part, as it is sent to a worker.

    Attributes:
        table: the exact table.
        strategy: how the plan is carried out.
        seed, index: the seed and index of the noise of the whole table.
        number: the number of the part.
        root: the argument `root` of `PartStrategy.measure_part`.
        given: the entry of this part in `Settled.given`; None if the top is not settled yet.
    """

    table: PartitionedTable
    strategy: PartStrategy
    seed: int
    number: int
    root: NumberArray
    given: NumberArray | None = None
    index: int = 0

    def measured(self) -> tuple[Part, Any]:
        """Return the part with its noisy measurements, which are the same at every call."""
        part = self.table.read(self.number)
        return part, self.strategy.measure_part(part, self.root, self.noise(part))

    def noise(self, part: Part) -> PartNoise:
        """Return a source of noise for the cells of the part, each of which receives it once."""
        source = SeededNoise(self.seed, index=self.index)
        return PartNoise(
            source=source,
            first=part.first,
            cut=self.strategy.cut,
            of_parents=self.strategy.asks_of_parents,
        )


def summary_of(task: PartTask) -> tuple[int, Any]:
    """Return the number of a part, and its summary for settling the top."""
    return task.number, task.strategy.summary(*task.measured())


def _settle(task: PartTask, folder: Path) -> NumberArray:
    """Settle and write one part, and return its root; a repetition writes the same bytes."""
    assert task.given is not None
    if task.strategy.settles_all_at_once:
        shape: PartShape = task.table.shape(task.number)
        noisy = None
    else:
        shape, noisy = task.measured()
    values = task.strategy.settle_part(shape, noisy, task.given)
    _write_settled(folder / shape.info.file, shape, values)
    root: NumberArray = values[0].copy()
    return root


def _write_settled(target: Path, shape: PartShape, values: NumberArray) -> None:
    """Write the settled numbers of a part to a file that appears when it is complete."""
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    rows = part_table(shape.codes, shape.tree, values)
    pq.write_table(rows, unfinished, row_group_size=ROWS_A_GROUP)
    unfinished.replace(target)


@contextmanager
def _appearing_whole(folder: Path) -> Iterator[Path]:
    """Yield a hidden folder, which is renamed to `folder` at the end, or removed after an error.

    Raises:
        FileError: the folder cannot be written.
    """
    unfinished = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}").absolute()
    try:
        unfinished.mkdir(parents=True)
        yield unfinished
        unfinished.replace(folder)
    except OSError as error:
        raise FileError(
            f"{folder} cannot be written: {error.strerror or error}. Choose another folder, or "
            "make room there."
        ) from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _require_new(folder: Path) -> None:
    if folder.exists():
        raise FileError(f"{folder} already exists. Name a new folder for the result.")


def _rows_by_level(parents: IntArray, n_levels: int) -> list[int]:
    """Return the number of rows of each level; the parent of the root is -1."""
    ends, above = [1], (0, 1)
    for _ in range(n_levels - 1):
        stop = int(np.searchsorted(parents, above[1], side="left"))
        ends.append(stop)
        above = (above[1], stop)
    return [stop - start for start, stop in pairwise([0, *ends])]


def _by_level(values: NumberArray, rows: Sequence[int]) -> Iterator[NumberArray]:
    ends = np.cumsum([0, *rows])
    for start, stop in pairwise(ends):
        piece: NumberArray = values[start:stop].copy()
        yield piece
