"""The common steps of releases of whole tables and of tables in parts: request and debit."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import hierdp_core
from hierdp_core.exceptions import ReleaseError, SolverError
from hierdp_core.mechanisms.base import Plan, Tuning
from hierdp_core.privacy import PrivacyStatement
from hierdp_core.releases.checks import plan_as_dict, releasable, settled_tuning
from hierdp_core.releases.ledger import Account, Entry, Kind, Ledger
from hierdp_core.releases.ledger.fingerprints import warnings
from hierdp_core.releases.ledger.records import canonical
from hierdp_core.releases.ledger.store import Mark
from hierdp_core.releases.margins import public_seed
from hierdp_core.releases.shelf import Shelf
from hierdp_core.util.text import paragraph


@dataclass(frozen=True, eq=False, kw_only=True)
class Paid:
    """A release whose cost was debited.

    Attributes:
        plan: the plan, with exactly the noise that was sampled.
        entry: its entry in the ledger after the noise was added.
        notes: notes for the owner only, such as a warning about the dataset that was charged.
        ledger: the ledger in which it was debited.
    """

    plan: Plan = field(repr=False)
    entry: Entry = field(repr=False)
    notes: tuple[str, ...] = ()
    ledger: Ledger = field(repr=False)

    @property
    def id(self) -> str:
        """The id of the release in the ledger."""
        return self.entry.release

    @property
    def privacy(self) -> PrivacyStatement:
        """The privacy statement of the release."""
        return self.plan.privacy

    @property
    def seed(self) -> int:
        """The public seed of the margins; the noise of the release has no seed."""
        return public_seed(self.id)


def without_package(
    ledger: Ledger, dataset: str, plan: Plan, words: dict[str, Any], *, in_parts: bool = False
) -> tuple[Entry, ...]:
    """Return the releases of a plan that were debited and have no package yet.

    If the table is the same, the next call of `release` completes the first of them and debits
    nothing. A release whose noise was stored counts, even if the ledger does not record it yet.

    Args:
        ledger: the ledger in which they were debited.
        dataset: the name of the dataset in the ledger.
        plan: a plan with exactly the noise to be sampled.
        words: the plan as plain values, from `plan_as_dict`.
        in_parts: whether the table is in parts. A release of such a table can also be continued
            if its noise was not stored.
    """
    facts, shelf = canonical(words | {"table": None}), Shelf(ledger.folder)
    return tuple(
        entry
        for entry in ledger.entries(dataset)
        if entry.state in (Kind.RESERVED, Kind.NOISE_ADDED)
        and entry.events == plan.events
        and canonical(entry.plan | {"table": None}) == facts
        and (in_parts or entry.state is Kind.NOISE_ADDED or shelf.has(entry.release))
    )


@contextmanager
def after_the_debit(release: str) -> Iterator[None]:
    """Report a failure of post-processing, which does not undo the debit.

    Post-processing has access to noisy measurements and public facts alone, so its error may be
    reported.

    Raises:
        ReleaseError: a solver stopped before its optimum.
    """
    try:
        yield
    except SolverError as error:
        raise ReleaseError(
            paragraph(
                f"The noise of release {release} is stored and its cost stays spent, but no table "
                "could be computed from it.",
                str(error),
                "Choose another plan. Its release is a new one, with its own cost.",
            )
        ) from error


def record_noise(ledger: Ledger, release: str, measurements: str) -> Entry:
    """Record that the noise of a release was stored, and return its entry.

    Args:
        ledger: the ledger in which the release was debited.
        release: the id of the release.
        measurements: the hash of its stored measurements.

    Raises:
        ReleaseError: the ledger cannot record it. The noise is kept.
    """
    try:
        return ledger.noise_added(release, measurements=measurements)
    except ReleaseError as error:
        raise ReleaseError(
            f"The noise of release {release} is stored and its cost stays spent, but the ledger "
            f"does not record the noise. {error} Repeat the release, which is then completed "
            "without new noise and without cost."
        ) from error


def record_package(ledger: Ledger, release: str, path: Path, certificate: bytes) -> None:
    """Record that the package of a release was written.

    Args:
        ledger: the ledger in which the release was debited.
        release: the id of the release.
        path: the path of the package.
        certificate: the content of its certificate.

    Raises:
        ReleaseError: the ledger cannot record it. The package is kept.
    """
    try:
        ledger.packaged(release, certificate=hashlib.sha256(certificate).hexdigest())
    except ReleaseError as error:
        raise ReleaseError(
            f"The package {path} was written, but the ledger does not record it. {error} Repeat "
            "the release with another path for its package, which records it without new noise and "
            "without cost."
        ) from error


@dataclass(frozen=True, kw_only=True)
class Order:
    """The request of the owner of a table, with the arguments of `release`.

    Attributes:
        ledger: the ledger in which the cost is debited.
        dataset: the name of the dataset in the ledger.
        title: the title of the release, for its readers.
        tuned_on: the data that the plan was chosen on.
        allow_same_table: whether to release a plan that was tuned on this table.
    """

    ledger: Ledger
    dataset: str
    title: str
    tuned_on: Tuning | str | None
    allow_same_table: bool

    def tuning(self, plan: Plan) -> Tuning:
        """Return the data that the plan was chosen on, as the certificate will state.

        Raises:
            ReleaseError: the plan was chosen on this table without permission, or `tuned_on` is not
                one of `Tuning`.
        """
        return settled_tuning(plan, self.tuned_on, allowed=self.allow_same_table)

    def settle(self, plan: Plan, *, in_parts: bool = False) -> "Settled":
        """Check that the plan can be released and paid for; nothing is spent.

        The budget need not suffice if a release of the plan has no package yet, since it costs
        nothing to complete it.

        Args:
            plan: the plan to release.
            in_parts: whether the table is in parts.

        Raises:
            ReleaseError: the plan cannot be released, or it exceeds the budget.
        """
        exact = releasable(plan)
        words = plan_as_dict(exact, title=self.title, tuning=self.tuning(plan))
        account = self.ledger.account(self.dataset)
        earlier = without_package(self.ledger, self.dataset, exact, words, in_parts=in_parts)
        try:
            account.require_room(exact.events, protects=exact.privacy.difference)
        except ReleaseError:
            if not earlier:
                raise
            return Settled(plan=exact, account=account, earlier=earlier, can_be_new=False)
        return Settled(plan=exact, account=account, earlier=earlier)

    def bill(self, plan: Plan, words: dict[str, Any], *, mark: str) -> "Bill":
        """Return the debit to record in the ledger.

        Args:
            plan: a plan with exactly the noise to be sampled.
            words: the plan as plain values.
            mark: the fingerprint of the table.
        """
        return Bill(ledger=self.ledger, dataset=self.dataset, plan=plan, words=words, mark=mark)


@dataclass(frozen=True, eq=False, kw_only=True)
class Settled:
    """A plan that can be released and paid for, before it is confirmed.

    Attributes:
        plan: the plan, with exactly the noise to be sampled.
        account: the budget of the dataset.
        earlier: the releases of this plan that were debited and have no package yet.
        can_be_new: whether the budget suffices for a new release of the plan.
    """

    plan: Plan
    account: Account
    earlier: tuple[Entry, ...] = ()
    can_be_new: bool = True

    @property
    def consequence(self) -> str:
        """The effect of the release on the budget, in words.

        Whether an earlier release is completed is settled later: the table is compared, and
        another process may complete that release meanwhile. The cost of a new release is
        therefore stated as well.
        """
        if not self.earlier:
            return self.account.balance_after(self.plan.events)
        completed = (
            f"Release {self.earlier[0].release} of this plan was paid for and has no package yet. "
            "If the table is the same, that release is completed, and nothing more is spent."
        )
        if not self.can_be_new:
            return f"{completed} Otherwise nothing is released, since the budget does not suffice."
        after = self.account.balance_after(self.plan.events)
        return f"{completed} Otherwise this is a new release. {after}"


@dataclass(frozen=True, kw_only=True)
class Bill:
    """The debit of one release.

    Attributes:
        ledger: the ledger in which the cost is debited.
        dataset: the name of the dataset in the ledger.
        plan: a plan with exactly the noise to be sampled.
        words: the plan as plain values, which are equal for equal requests.
        mark: the fingerprint of the table.
    """

    ledger: Ledger
    dataset: str
    plan: Plan
    words: dict[str, Any]
    mark: str

    @cached_property
    def _known(self) -> tuple[Mark, ...]:
        return self.ledger.fingerprints()

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Warnings for the owner about the dataset that is charged."""
        return warnings(self.mark, self.dataset, self._known)

    def unfinished(self) -> list[Entry]:
        """Return the releases of exactly this plan and table that were debited but not packaged."""
        of_this_table = {one.release for one in self._known if one.mark == self.mark}
        return [
            entry
            for entry in self.ledger.unfinished(self.dataset, self.words)
            if entry.release in of_this_table and entry.events == self.plan.events
        ]

    def pay(self, release: str, *, source: str) -> None:
        """Debit the release, before any of its noise is sampled.

        Args:
            release: the id of the release.
            source: the source of the noise, with its version.

        Raises:
            ReleaseError: the release exceeds the budget, or the ledger cannot be written. Nothing
                was spent.
        """
        self.ledger.reserve(
            self.dataset,
            self.plan.events,
            plan=self.words,
            protects=self.plan.privacy.difference,
            software=f"hierdp {hierdp_core.__version__}; {source}",
            release=release,
            mark=self.mark,
        )
