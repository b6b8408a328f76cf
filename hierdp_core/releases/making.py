"""Make a release: debit its cost, add noise once, and compute the table from noisy measurements."""

import hashlib
from collections.abc import Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import pandas as pd

from hierdp_core.exceptions import ReleaseError
from hierdp_core.mechanisms.base import Plan, Tuning
from hierdp_core.noise import ExactNoise, NoiseSource, noise_source
from hierdp_core.releases.checks import plan_as_dict, releasable
from hierdp_core.releases.ledger import Entry, Kind, Ledger, new_id
from hierdp_core.releases.ledger.fingerprints import fingerprint
from hierdp_core.releases.margins import LEVEL, N_SIMULATIONS, Margins, margins
from hierdp_core.releases.measurements import from_arrays, from_bytes, to_arrays, to_bytes
from hierdp_core.releases.paying import Order, Paid, after_the_debit, record_noise, record_package
from hierdp_core.releases.shelf import Shelf
from hierdp_core.scale.partitioned import PartitionedTable
from hierdp_core.scale.ways import noisy_measurements
from hierdp_core.simulation import Checks, check, require_memory_for, require_planned_for
from hierdp_core.tables import Table, require_exact
from hierdp_core.util.argument_types import typed
from hierdp_core.util.parallel import Cancel, require_workers
from hierdp_core.util.progress import ProgressOption, reporting
from hierdp_core.util.text import paragraph
from hierdp_core.writers.exploration import released_level

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hierdp_core.maps.boundaries import Boundaries
    from hierdp_core.releases.parts.making import PartitionedRelease


@dataclass(frozen=True, eq=False, kw_only=True)
class Release(Paid):
    """A released table, its noisy measurements and their ledger entry, without exact numbers.

    Attributes:
        plan: the plan, with exactly the noise that was sampled.
        entry: its entry in the ledger after the noise was added.
        notes: notes for the owner of the data only, such as a warning about the dataset.
        ledger: the ledger in which the cost was debited.
        table: the released table.
        noisy: the noisy measurements that it was computed from.
        checks: the results of the checks of the released table.
    """

    table: Table
    noisy: Any = field(repr=False)
    checks: Checks

    def to_frame(self, level: str | None = None) -> pd.DataFrame:
        """Return the released numbers of a level as a data frame, one row per number.

        The columns are level, id, name, size (for group sizes) and value. Flows have origin,
        origin_name, destination and destination_name in place of id and name.

        Args:
            level: the name of the level; by default the last one.

        Raises:
            HierarchyError: there is no such level.
        """
        regions = self.table.regions
        at = regions.tree.n_levels - 1 if level is None else regions.level_index(level)
        return released_level(self.table, at)

    def margins(
        self,
        *,
        level: float = LEVEL,
        n_simulations: int = N_SIMULATIONS,
        workers: int | None = None,
        progress: ProgressOption = None,
        cancel: Cancel | None = None,
    ) -> Margins:
        """Return the margins of error of every released number.

        They are computed from the released table alone, by simulations, and cost no budget.

        Args:
            level: the confidence of the intervals, strictly between 0 and 1.
            n_simulations: the number of simulations, at least 10.
            workers: the number of threads; one per core by default.
            progress: True for a progress bar, or a function that is called with the number of
                completed simulations and the total.
            cancel: a function that is called from time to time. The computation ends once it
                returns True.

        Raises:
            ChoiceError: the level, the number of simulations or of workers is out of range.
            ReleaseError: the computation was cancelled.
            HierdpError: a simulation failed, as in `simulate`.
        """
        return margins(
            self.table,
            self.plan,
            seed=self.seed,
            level=level,
            n_simulations=n_simulations,
            workers=workers,
            progress=progress,
            cancel=cancel,
        )

    def write(
        self,
        path: str | Path,
        *,
        margins: Margins | None = None,
        boundaries: "Boundaries | None" = None,
        measurements: bool = False,
        sign: str | Path | None = None,
    ) -> Path:
        """Write the package: a new folder, or a ZIP file if `path` ends in .zip.

        Args:
            path: the path of the package; nothing must exist there.
            margins: the result of `margins()` of this release; by default that of its default
                arguments.
            boundaries: the boundaries of the regions, for GeoPackage files. A level whose name or
                areas do not occur in them gets no such file.
            measurements: whether the package includes the noisy measurements.
            sign: a file with the private key of the publisher; see `open_release`.

        Raises:
            ReleaseError: the path exists already or cannot be written, the key cannot be used, the
                margins are not those of this release, or the ledger cannot record the package.
            HierdpError: the margins cannot be computed, as in `margins`.
        """
        from hierdp_core.releases.package.signatures import Signer
        from hierdp_core.releases.package.writing import write_package

        # Margins have a table of their own, which could be that of a simulation.
        if margins is not None and not (
            margins.table is self.table and margins.plan is self.plan and margins.seed == self.seed
        ):
            raise ReleaseError(
                "The margins are not those of this release. Pass the result of its method margins, "
                "or leave them out."
            )
        target, signer = Path(path), None if sign is None else Signer(sign)
        certificate = write_package(
            target,
            self,
            margins=self.margins() if margins is None else margins,
            boundaries=boundaries,
            measurements=measurements,
            signer=signer,
        )
        record_package(self.ledger, self.id, target, certificate)
        return target


@overload
def release(
    table: Table,
    plan: Plan,
    *,
    ledger: Ledger,
    dataset: str,
    title: str = "",
    tuned_on: Tuning | str | None = None,
    allow_same_table: bool = False,
    progress: ProgressOption = None,
    workers: int | None = None,
) -> Release: ...


@overload
def release(
    table: PartitionedTable,
    plan: Plan,
    *,
    ledger: Ledger,
    dataset: str,
    title: str = "",
    tuned_on: Tuning | str | None = None,
    allow_same_table: bool = False,
    progress: ProgressOption = None,
    workers: int | None = None,
    client: Any = None,
) -> "PartitionedRelease": ...


@typed
def release(
    table: Table | PartitionedTable,
    plan: Plan,
    *,
    ledger: Ledger,
    dataset: str,
    title: str = "",
    tuned_on: Tuning | str | None = None,
    allow_same_table: bool = False,
    progress: ProgressOption = None,
    workers: int | None = None,
    client: Any = None,
) -> "Release | PartitionedRelease":
    """Release `table` once: debit the ledger, add noise without a seed, and post-process.

    No further confirmation is requested. If a release of exactly this plan, title and table has
    stored noise and no package yet, the call completes that release, and debits and samples
    nothing. If such a release was interrupted before its noise was stored, the call records it as
    failed and raises an error. If its table is in parts, the call continues it instead.

    Args:
        table: the exact table that the plan was made for, whole or in parts.
        plan: a plan from `plan` or `scale.plan_parts`, of a mechanism that can release.
        ledger: the ledger in which the cost is debited.
        dataset: the name of the dataset in the ledger.
        title: the title of the release, for its readers.
        tuned_on: the data that the plan was chosen on, one of `Tuning`; by default as the plan
            records.
        allow_same_table: whether to release a plan that was chosen on this table. The certificate
            then states this.
        progress: True for a progress bar, or a function that is called with the number of counts
            that have received noise and the total of the step. For a table in parts, it is called
            with the number of parts and their total.
        workers: the number of threads that sample noise; one per core by default.
        client: a `distributed.Client` that replaces threads, for tables in parts.

    Raises:
        ReleaseError: the release was refused before anything was spent, or it failed after the
            debit, which is then kept. The message states which.
        HierdpError: the plan was made for another table, the table has impossible values or is too
            large, or `workers` is below 1.
    """
    require_workers(workers)
    order = Order(
        ledger=ledger,
        dataset=dataset,
        title=title,
        tuned_on=tuned_on,
        allow_same_table=allow_same_table,
    )
    if isinstance(table, PartitionedTable):
        from hierdp_core.releases.parts.making import release_parts

        return release_parts(table, plan, order, progress=progress, workers=workers, client=client)
    if client is not None:
        raise ReleaseError("A cluster is used for tables in parts only. Leave out client.")
    exact = releasable(plan)
    tuning = order.tuning(plan)
    require_planned_for(table, plan)
    require_exact(table)
    require_memory_for(plan.domain)
    source, words = noise_source(), plan_as_dict(exact, title=title, tuning=tuning)
    bill = order.bill(exact, words, mark=fingerprint(table, ledger.key_file))
    shelf, notes = Shelf(ledger.folder), bill.notes
    for entry in bill.unfinished():
        with shelf.held(entry.release) as held:
            if held and (resumed := _resumed(ledger, shelf, entry)):
                return _finished(table.blank(), exact, *resumed, ledger=ledger, notes=notes)

    id = new_id()
    with shelf.held(id), reporting(progress, "noisy numbers") as report:
        noise = ExactNoise(exact.events, progress=report, workers=workers)
        bill.pay(id, source=source)
        with _failure_recorded(ledger, id):
            noisy = measured(table, exact, noise)
            stored = to_bytes(to_arrays(noisy))
            digest = shelf.put(id, stored)
        after = record_noise(ledger, id, digest)
    return _finished(table.blank(), exact, after, stored, ledger=ledger, notes=notes)


def measured(table: Table, plan: Plan, noise: NoiseSource) -> Any:
    """Return the noisy measurements of a table, the only step with access to exact counts."""
    return noisy_measurements(plan.mechanism, table.content, plan, noise)


def finished(blank: Table, plan: Plan, noisy: Any) -> tuple[Table, Checks]:
    """Return the released table and its checks, from noisy measurements and public facts alone."""
    values = plan.mechanism.estimate(noisy, plan)
    return plan.mechanism.released(blank, values, plan), check(plan.domain, values)


def _finished(
    blank: Table,
    plan: Plan,
    entry: Entry,
    stored: bytes,
    *,
    ledger: Ledger,
    notes: Sequence[str],
) -> Release:
    if hashlib.sha256(stored).hexdigest() != entry.measurements:
        raise ReleaseError(
            f"The stored measurements of release {entry.release} are not those in the ledger. "
            "Nothing was released from them. Restore them from a backup."
        )
    noisy = from_arrays(from_bytes(stored))
    with after_the_debit(entry.release):
        table, checks = finished(blank, plan, noisy)
    return Release(
        table=table,
        noisy=noisy,
        plan=plan,
        checks=checks,
        entry=entry,
        notes=tuple(notes),
        ledger=ledger,
    )


def _resumed(ledger: Ledger, shelf: Shelf, entry: Entry) -> tuple[Entry, bytes] | None:
    """Return the entry and the measurements of an interrupted release, so that it can be completed.

    None if another process has completed it.

    Raises:
        ReleaseError: its noise was not stored or is lost, so it cannot be completed.
    """
    now, stored = ledger.entry(entry.release), shelf.get(entry.release)
    if now.state is Kind.NOISE_ADDED:
        if stored is None:
            raise ReleaseError(
                f"The noisy measurements of release {now.release}, whose cost was debited, are "
                f"missing from {shelf.folder}. Restore them from a backup, or change the title. "
                "With another title, this is a new release, which costs as much again."
            )
        return now, stored
    if now.state is Kind.RESERVED and stored is not None and _is_readable(stored):
        digest = hashlib.sha256(stored).hexdigest()
        return record_noise(ledger, now.release, digest), stored
    if now.state is Kind.RESERVED:
        ledger.failed(now.release, reason="interrupted before its noise was stored")
        raise ReleaseError(
            f"Release {now.release} of this plan was interrupted before its noise was stored. "
            "It cannot be completed, and its cost stays spent. Repeat it to make a new release, "
            "which costs as much again."
        )
    return None


def _is_readable(stored: bytes) -> bool:
    """Return whether stored measurements can be read; a damaged disk may have cut them off."""
    try:
        from_arrays(from_bytes(stored))
    except (ValueError, KeyError):
        return False
    return True


@contextmanager
def _failure_recorded(ledger: Ledger, release: str) -> "Iterator[None]":
    """Record a failure after the debit, and report it without any information about the table."""
    try:
        yield
    except Exception as error:
        with suppress(ReleaseError):
            ledger.failed(release, reason="failed before its noise was stored")
        reason = error.strerror if isinstance(error, OSError) else None
        raise ReleaseError(
            paragraph(
                f"Release {release} failed before its noise was stored.",
                f"The system reports: {reason}." if reason else "",
                "Nothing was released, and its cost stays spent. Correct the cause, and repeat it "
                "as a new release, which costs as much again.",
            )
        ) from error
