"""Release a table in parts: debit its cost once, add noise part by part, and compute the numbers.

The top is the table of all areas down to the roots of the parts. It is measured before the parts.
The noise of each part uses its own entropy from the operating system.

Parts whose measurements are stored are never measured again, so an interrupted release is continued
under the same entry of the ledger. If the noise of a part is lost before it is stored, nobody has
seen it, and it is not used.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierdp_core.exceptions import HierdpError, ReleaseError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.noise import ExactNoise, noise_source
from hierdp_core.releases.checks import plan_as_dict, releasable
from hierdp_core.releases.ledger import Kind, Ledger, new_id
from hierdp_core.releases.ledger.fingerprints import keyed
from hierdp_core.releases.margins import LEVEL, N_SIMULATIONS
from hierdp_core.releases.measurements import from_arrays, to_arrays
from hierdp_core.releases.parts.before import (
    content_of,
    part_summary,
    public_facts,
    require_planned,
)
from hierdp_core.releases.parts.stored import TOP, StoredParts, part_name
from hierdp_core.releases.paying import Order, Paid, after_the_debit, record_noise, record_package
from hierdp_core.releases.shelf import Shelf
from hierdp_core.scale.gathering import Summaries
from hierdp_core.scale.partitioned import PartitionedTable
from hierdp_core.scale.simulating import exact_top
from hierdp_core.scale.ways import PartStrategy, Settled, strategy_for
from hierdp_core.util.arrays import IntArray, NumberArray
from hierdp_core.util.parallel import in_parallel
from hierdp_core.util.progress import ProgressOption, reporting
from hierdp_core.util.text import by_number, counted, paragraph

if TYPE_CHECKING:
    from hierdp_core.maps.boundaries import Boundaries


@dataclass(frozen=True, eq=False, kw_only=True)
class PartitionedRelease(Paid):
    """One release in a ledger, with its noisy measurements on disk.

    Attributes:
        table: the exact table, of which only the areas are still read.
        strategy: how the plan is carried out.
        stored: the noisy measurements.
    """

    table: PartitionedTable = field(repr=False)
    strategy: PartStrategy = field(repr=False)
    stored: StoredParts

    def settled(self, *, workers: int | None = None, client: Any = None) -> Settled:
        """Return the released numbers of all levels down to the roots of the parts.

        The result also has what each part needs from the levels above it. It is computed from noisy
        measurements and public facts alone.

        Raises:
            HierdpError: measurements or areas cannot be read, or memory does not suffice.
        """
        summaries = self.strategy.summaries(self.table, self.stored.folder)
        if self.strategy.needs_summaries:
            self.strategy.require_room(self.table)
            in_parallel(
                self._summary,
                range(len(self.table.parts)),
                workers=workers,
                client=client,
                arrived=summaries.add,
                kept=False,
            )
        with after_the_debit(self.id):
            return self.strategy.settle_top(self.table.upper, self.noisy(TOP), summaries)

    def noisy(self, name: str) -> Any:
        """Return the stored measurements of a part, or of the top.

        Raises:
            ReleaseError: they are missing or damaged.
        """
        return from_arrays(self.stored.get(name))

    def write(
        self,
        path: str | Path,
        *,
        level: float = LEVEL,
        n_simulations: int = N_SIMULATIONS,
        boundaries: "Boundaries | None" = None,
        measurements: bool = False,
        sign: str | Path | None = None,
        workers: int | None = None,
        client: Any = None,
        progress: ProgressOption = None,
    ) -> Path:
        """Write the package as a new folder, part by part, with margins of error.

        Args:
            path: the path of the package; nothing must exist there.
            level: the confidence of the margins, such as 0.9.
            n_simulations: the number of simulations for the margins.
            boundaries: boundaries for GeoPackage files. A level gets a file if the boundaries have
                a level of the same name with a shape for each of its areas.
            measurements: whether the package includes the noisy measurements.
            sign: a file with the private key of the publisher; see `open_release`.
            workers: the number of threads, each of which processes one part at a time.
            client: a `distributed.Client` that replaces threads; its workers must have access to
                the folders.
            progress: True for a progress bar, or a function that is called in each step with the
                number of completed tasks and the total.

        Raises:
            ReleaseError: the path exists already or cannot be written, the key cannot be used, or
                the ledger cannot record the package.
            HierdpError: the margins cannot be computed, or a part cannot be read.
        """
        from hierdp_core.releases.package.signatures import Signer
        from hierdp_core.releases.parts.writing import write_parts_package

        target, signer = Path(path), None if sign is None else Signer(sign)
        certificate = write_parts_package(
            target,
            self,
            level=level,
            n_simulations=n_simulations,
            boundaries=boundaries,
            measurements=measurements,
            signer=signer,
            workers=workers,
            client=client,
            progress=progress,
        )
        record_package(self.ledger, self.id, target, certificate)
        return target

    def _summary(self, number: int) -> tuple[int, Any]:
        noisy = self.noisy(part_name(number))
        return number, self.strategy.summary(self.table.shape(number), noisy)


def release_parts(
    table: PartitionedTable,
    plan: Plan,
    order: Order,
    *,
    progress: ProgressOption = None,
    workers: int | None = None,
    client: Any = None,
) -> PartitionedRelease:
    """Release a table in parts once: debit the ledger, add noise to each part and store it.

    No further confirmation is requested. If a release of exactly this plan and table was
    interrupted, it is continued: stored parts are kept, the others are measured, and nothing is
    debited.

    Args:
        table: the exact table.
        plan: a plan from `plan_parts`, of a mechanism that can release.
        order: the request of the owner.
        progress: True for a progress bar, or a function that is called with the number of
            completed parts and the total.
        workers: the number of threads, each of which processes one part at a time.
        client: a `distributed.Client` that replaces threads; its workers must have access to the
            table and to the folder of the ledger.

    Raises:
        ReleaseError: the release was refused before anything was spent, or was interrupted after
            the debit, which is then kept. The message states which.
        HierdpError: the plan was made for another table, the table has impossible values, or its
            parts cannot be read.
    """
    exact_plan = releasable(plan)
    tuning = order.tuning(plan)
    strategy = strategy_for(table, exact_plan)
    strategy.require_room(table)
    source = noise_source()
    spread = partial(in_parallel, workers=workers, client=client)
    part_summaries = spread(partial(part_summary, table=table), range(len(table.parts)))
    exact = exact_top(table, [one.root for one in part_summaries])
    require_planned(table, plan, exact)
    words = plan_as_dict(exact_plan, title=order.title, tuning=tuning)
    words["table"] |= public_facts(table, part_summaries)
    ledger = order.ledger
    bill = order.bill(
        exact_plan, words, mark=keyed(content_of(table, part_summaries), ledger.key_file)
    )
    shelf = Shelf(ledger.folder)
    task = partial(
        _Releasing,
        table=table,
        strategy=strategy,
        exact=exact,
        ledger=ledger,
        spread=spread,
        progress=progress,
        notes=bill.notes,
    )
    for entry in bill.unfinished():
        with shelf.held(entry.release) as held:
            if held:
                return task(id=entry.release, stored=_stored(shelf, entry.release)).finished()
    id = new_id()
    stored = _stored(shelf, id)
    with shelf.held(id):
        _require_workers(client, source, shelf.folder)
        bill.pay(id, source=source)
        return task(id=id, stored=stored).finished()


@dataclass(frozen=True, eq=False, kw_only=True)
class _Releasing:
    """A release whose cost was debited, until all of its measurements are stored."""

    id: str
    table: PartitionedTable
    strategy: PartStrategy
    exact: IntArray
    stored: StoredParts
    ledger: Ledger
    spread: Any
    progress: ProgressOption
    notes: tuple[str, ...]

    def finished(self) -> PartitionedRelease:
        """Measure the parts that are not stored yet, record this, and return the release.

        Raises:
            ReleaseError: the release was interrupted, or stored measurements were lost.
        """
        names = [TOP, *(part_name(number) for number in range(len(self.table.parts)))]
        entry = self.ledger.entry(self.id)
        if entry.state is Kind.NOISE_ADDED:
            self.stored.require_sealed(names, entry.measurements)
        else:
            with _going_on_later(self.id, self.stored, names):
                self._measure()
                digest = self.stored.seal(names)
            entry = record_noise(self.ledger, self.id, digest)
        return PartitionedRelease(
            plan=self.strategy.plan,
            table=self.table,
            strategy=self.strategy,
            stored=self.stored,
            entry=entry,
            notes=self.notes,
            ledger=self.ledger,
        )

    def _measure(self) -> None:
        upper = self.table.upper
        self.stored.make()
        if not self.stored.has(TOP):
            # The parts may depend on the noise of the top, so it cannot be measured again.
            if any(self.stored.has(part_name(k)) for k in range(len(self.table.parts))):
                raise ReleaseError(self.stored.lost(TOP))
            noise = ExactNoise(self.strategy.plan_of_top(upper).events)
            self.stored.put(TOP, to_arrays(self.strategy.measure_top(upper, self.exact, noise)))
        noisy = from_arrays(self.stored.get(TOP))
        if self.strategy.needs_summaries:
            roots = self.strategy.roots(upper, noisy)
        else:
            roots = self.strategy.settle_top(upper, noisy, Summaries()).given
        measure = partial(
            measure_part, table=self.table, strategy=self.strategy, stored=self.stored
        )
        with reporting(self.progress, "parts") as report:
            self.spread(measure, list(enumerate(roots)), progress=report)


def measure_part(
    task: tuple[int, NumberArray],
    table: PartitionedTable,
    strategy: PartStrategy,
    stored: StoredParts,
) -> None:
    """Measure one part with exactly sampled noise, and store it unless it is stored already.

    Args:
        task: the number of the part, and the argument `root` of `PartStrategy.measure_part`.
        table: the exact table.
        strategy: how the plan is carried out.
        stored: the folder of measurements.
    """
    number, root = task
    if stored.has(part_name(number)):
        return
    part = table.read(number)
    noise = ExactNoise(strategy.plan_below_root(part).events, workers=1)
    stored.put(part_name(number), to_arrays(strategy.measure_part(part, root, noise)))


def _stored(shelf: Shelf, release: str) -> StoredParts:
    return StoredParts(folder=shelf.folder / f"{release}.parts")


def _require_workers(client: Any, source: str, folder: Path) -> None:
    """Require workers of a cluster that have the same library for noise and access to a folder.

    Raises:
        ReleaseError: a worker has another library or no access.
    """
    if client is None:
        return
    for worker, (own, reached) in client.run(_as_seen_here, str(folder)).items():
        if own != source:
            raise ReleaseError(
                f"The worker {worker} cannot sample the noise of this release: it has {own}, and "
                f'this process {source}. Install the same version there, with the extra "release".'
            )
        if not reached:
            raise ReleaseError(
                f"The worker {worker} has no access to {folder}. Put the ledger into a folder "
                "that all workers share."
            )


def _as_seen_here(folder: str) -> tuple[str, bool]:
    try:
        return noise_source(), Path(folder).is_dir()
    except ReleaseError:
        return "no OpenDP", False


@contextmanager
def _going_on_later(release: str, stored: StoredParts, names: Sequence[str]) -> Iterator[None]:
    """Report an interruption and how to continue, without any information about the counts."""
    try:
        yield
    except Exception as error:
        n_stored = sum(stored.has(name) for name in names)
        raise ReleaseError(
            paragraph(
                f"Release {release} was interrupted.",
                _reason(error),
                f"Of {counted(len(names), 'file')} of noisy measurements, {n_stored:,} "
                f"{by_number(n_stored, 'is', 'are')} stored, and the cost stays spent. Repeat the "
                "release to continue from there, at no further cost.",
            )
        ) from error


def _reason(error: Exception) -> str:
    """Return the part of an error that may be reported: the message of HierDP or of the system."""
    if isinstance(error, HierdpError):
        return str(error)
    reason = error.strerror if isinstance(error, OSError) else None
    return f"The system reports: {reason}." if reason else ""
