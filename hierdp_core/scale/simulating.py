"""One simulation of a table in parts, on this machine or on a Dask cluster."""

import hashlib
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow.parquet as pq

from hierdp_core import mechanisms
from hierdp_core.exceptions import ChoiceError, FileError
from hierdp_core.hierarchy import sum_up
from hierdp_core.mechanisms.base import Mechanism, Plan
from hierdp_core.noise import checked_seed
from hierdp_core.privacy import Budget
from hierdp_core.scale.partitioned import PartitionedTable, part_table, values_of
from hierdp_core.scale.ways import Way, require_way, way_for
from hierdp_core.simulation import require_kind
from hierdp_core.util.arrays import IntArray, NumberArray
from hierdp_core.util.parallel import Progress, in_parallel

Result = TypeVar("Result")
_UPPER = "upper.parquet"


@dataclass(frozen=True, eq=False, kw_only=True)
class PartitionedSimulation:
    """A simulation on disk: a demonstration, never a release.

    Attributes:
        folder: of its files, one for each part and one for the areas above them.
        plan: how it was made; its guarantee is that of the same plan in memory.
        levels: the names of all levels.
        cut: the level of the roots of the parts.
        n_parts: how many parts there are.
        seed: of the noise. Anyone who knows it can repeat the noise, so it protects nobody.
    """

    folder: Path
    plan: Plan
    levels: tuple[str, ...]
    cut: int
    n_parts: int
    seed: int

    def values(self, number: int) -> NumberArray:
        """Return the values of a part in level order, its root first."""
        frame = pq.read_table(self.folder / f"part-{number:05d}.parquet")
        return values_of(frame)

    def upper_values(self) -> NumberArray:
        """Return the values of the areas down to the level of the cut."""
        return values_of(pq.read_table(self.folder / _UPPER))

    def digest(self) -> str:
        """Return a hash of all values, level by level: the same however the table is cut."""
        upper = self.upper_values()
        hashes = [hashlib.sha256() for _ in self.levels]
        for level, values in enumerate(_by_level(upper, self._upper_rows())):
            hashes[level].update(values.tobytes())
        for number in range(self.n_parts):
            frame = pq.read_table(self.folder / f"part-{number:05d}.parquet")
            rows = _rows_by_level(frame.column("parent").to_numpy(), len(self.levels) - self.cut)
            for level, values in enumerate(_by_level(values_of(frame), rows)):
                if level:
                    hashes[self.cut + level].update(values.tobytes())
        return digest_of(hashes)

    def _upper_rows(self) -> list[int]:
        parents = pq.read_table(self.folder / _UPPER, columns=["parent"]).column(0).to_numpy()
        return _rows_by_level(parents, self.cut + 1)


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
    progress: Progress | None = None,
) -> PartitionedSimulation:
    """Simulate a release of a table in parts, for demonstrations only.

    The values are those of the same seed in memory, however many parts and workers there are. At
    any time a worker holds one part.

    Args:
        table: the exact table.
        mechanism: such as `mechanisms.Hay()`, or an id.
        out: a new folder for the result.
        budget: to spend, over the levels of the whole table.
        allocation: whole numbers, one a level from the root down; even where not given.
        seed: a whole number, at least 0.
        index: which of the many independent simulations of that seed.
        workers: threads on this machine, one part each; 1 takes the least memory.
        client: a `distributed.Client` whose workers reach both folders, in place of threads.
        progress: called with steps done and steps in all.

    Raises:
        ChoiceError: the mechanism cannot be run in parts, or does not fit the table.
        BudgetError: budget or allocation cannot be spent.
        FileError: a part is missing or was changed, or the result cannot be written.
    """
    checked_seed(seed)
    one = mechanisms.configured(mechanism)
    require_way(one)
    folder = Path(out)
    _require_new(folder)
    exact = _exact_top(table, _run(client, workers)(_root, range(len(table.parts)), table))
    plan = _planned(table, one, budget=budget, allocation=allocation, exact=exact)
    way = way_for(table, plan, seed=seed, index=index)
    way.require_room(table)
    run, numbers = _run(client, workers, progress), range(len(table.parts))
    summaries = run(_summary, numbers, table, way) if way.needs_summaries else [None] * len(numbers)
    settled = way.settle_top(table.upper, exact, summaries)
    upper = table.upper
    with _appearing(folder) as part:
        run(_settle, numbers, table, way, settled.given, part)
        pq.write_table(part_table(upper.ids, upper.tree, settled.values), part / _UPPER)
    return PartitionedSimulation(
        folder=folder,
        plan=plan,
        levels=table.levels,
        cut=table.cut,
        n_parts=len(numbers),
        seed=seed,
    )


def digest_in_memory(values: NumberArray, level_sizes: Sequence[int]) -> str:
    """Return the digest that the same values have in parts."""
    parts = _by_level(values, level_sizes)
    return digest_of([hashlib.sha256(np.ascontiguousarray(p).tobytes()) for p in parts])


def digest_of(hashes: Sequence[Any]) -> str:
    """Return one hash for the hashes of all levels."""
    return hashlib.sha256("".join(one.hexdigest() for one in hashes).encode()).hexdigest()


def _planned(
    table: PartitionedTable,
    mechanism: Mechanism,
    *,
    budget: Budget,
    allocation: Sequence[int] | None,
    exact: IntArray,
) -> Plan:
    groups = int(exact[0].sum()) if table.has_groups else None
    domain = table.public_domain(groups=groups)
    require_kind(domain, mechanism)
    if mechanism.needs_total:
        domain = replace(domain, total=int(exact[0]))
    domain = mechanism.public_domain(domain)
    return mechanism.plan(
        domain, budget=budget, allocation=mechanism.allocation(allocation, domain)
    )


def _exact_top(table: PartitionedTable, roots: list[IntArray]) -> IntArray:
    return np.ascontiguousarray(sum_up(table.upper.tree, np.array(roots)))


def _root(number: int, table: PartitionedTable) -> IntArray:
    root: IntArray = table.read(number).values[0]
    return root


def _summary(number: int, table: PartitionedTable, way: Way) -> Any:
    return way.summary(table.read(number))


def _settle(
    number: int, table: PartitionedTable, way: Way, given: Sequence[NumberArray], folder: Path
) -> None:
    """Settle and write one part; written again, it has the same bytes."""
    part = table.read(number)
    values = way.settle_part(part, given[number])
    target = folder / part.info.file
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    pq.write_table(part_table(part.ids, part.tree, values), unfinished)
    unfinished.replace(target)


def _run(
    client: Any, workers: int | None, progress: Progress | None = None
) -> Callable[..., list[Any]]:
    """Return a function that calls another one on every number of a part, in order."""

    def here(work: Callable[..., Result], numbers: Sequence[int], *given: Any) -> list[Result]:
        return in_parallel(
            lambda number: work(number, *given), numbers, workers=workers, progress=progress
        )

    def there(work: Callable[..., Result], numbers: Sequence[int], *given: Any) -> list[Result]:
        futures = client.map(lambda number: work(number, *given), numbers, pure=False, retries=5)
        done: list[Result] = client.gather(futures)
        return done

    return here if client is None else there


def _require_new(folder: Path) -> None:
    if folder.exists():
        raise FileError(f"{folder} is there already. Name a new folder for the result.")


@contextmanager
def _appearing(folder: Path) -> Iterator[Path]:
    """Give a folder to write in, which becomes `folder` at the end; an error leaves nothing."""
    part = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        part.mkdir(parents=True)
        yield part
        part.replace(folder)
    except OSError as error:
        raise FileError(f"{folder} cannot be written: {error.strerror or error}.") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _rows_by_level(parents: IntArray, n_levels: int) -> list[int]:
    """How many rows each level has, where the root's parent is -1."""
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


def cluster_client(address: str) -> Any:
    """Return a client of a Dask scheduler.

    Raises:
        ChoiceError: Dask is not installed, or nobody answers at the address.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ChoiceError(
            "A scheduler needs Dask. Install it: pip install 'hierdp[scale]'."
        ) from None
    try:
        return Client(address, timeout=10)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ChoiceError(
            f"No scheduler answers at {address}: {error}. Start one with `dask scheduler`, or name "
            "the address that it prints."
        ) from None
