"""The common parts of releases of whole tables and of tables in parts: request and cost."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import hierdp_core
from hierdp_core.mechanisms.base import Plan, Tuning
from hierdp_core.privacy import PrivacyStatement
from hierdp_core.releases.checks import settled_tuning
from hierdp_core.releases.ledger import Entry, Ledger
from hierdp_core.releases.ledger.fingerprints import warnings
from hierdp_core.releases.ledger.store import Mark
from hierdp_core.releases.margins import public_seed


@dataclass(frozen=True, eq=False, kw_only=True)
class Paid:
    """What one entry of a ledger paid for.

    Attributes:
        plan: how, with exactly the noise that was sampled.
        entry: its record in the ledger, after the noise was added.
        notes: for the owner only, such as a warning about the name that was charged.
        ledger: that paid.
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
        """What the release guarantees."""
        return self.plan.privacy

    @property
    def seed(self) -> int:
        """The public seed of the margins; the noise of the release has none."""
        return public_seed(self.id)


@dataclass(frozen=True, kw_only=True)
class Order:
    """What the owner of a table asks for, as `release` takes it.

    Attributes:
        ledger: pays.
        dataset: its name in the ledger.
        title: the title of the release, for its readers.
        tuned_on: what the plan was chosen on.
        allow_same_table: release a plan that was tuned on this table.
    """

    ledger: Ledger
    dataset: str
    title: str
    tuned_on: Tuning | str | None
    allow_same_table: bool

    def tuning(self, plan: Plan) -> Tuning:
        """Return what the certificate says that the plan was chosen on.

        Raises:
            ReleaseError: it was chosen on this table, and that is not allowed.
        """
        return settled_tuning(plan, self.tuned_on, allowed=self.allow_same_table)

    def bill(self, plan: Plan, words: dict[str, Any], *, mark: str) -> "Bill":
        """Return what the ledger is asked to pay.

        Args:
            plan: a plan with exactly the noise to be sampled.
            words: what is released, as plain values.
            mark: the fingerprint of the table.
        """
        return Bill(ledger=self.ledger, dataset=self.dataset, plan=plan, words=words, mark=mark)


@dataclass(frozen=True, kw_only=True)
class Bill:
    """One release as the ledger has it.

    Attributes:
        ledger: pays.
        dataset: its name in the ledger.
        plan: a plan with exactly the noise to be sampled.
        words: what is released, as plain values: the same for the same release.
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
        """What the owner should know about the name that is charged."""
        return warnings(self.mark, self.dataset, self._known)

    def unfinished(self) -> list[Entry]:
        """Return the releases of exactly this plan and table that were paid and not packaged."""
        of_this_table = {one.release for one in self._known if one.mark == self.mark}
        return [
            entry
            for entry in self.ledger.unfinished(self.dataset, self.words)
            if entry.release in of_this_table and entry.events == self.plan.events
        ]

    def pay(self, release: str, *, source: str) -> None:
        """Debit the release, before any of its noise is sampled.

        Args:
            release: its id.
            source: the source of the noise, with its version.

        Raises:
            ReleaseError: over budget, or the ledger cannot be written; nothing was spent.
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
