"""The ledger of an agency: the budget of each dataset, and every release that spends it.

A release is debited before its noise is sampled, and the budget is never refunded, even after a
failure or a crash. Sums are computed again from the records inside the transaction that adds a
record, so two processes cannot spend the same budget.
"""

import hashlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from hierdp_core.exceptions import BudgetError, ReleaseError
from hierdp_core.privacy import Budget, Event, Number
from hierdp_core.releases.ledger.accounts import Account, budget_as_dict, budget_from_dict
from hierdp_core.releases.ledger.events import event_as_dict, event_from_dict
from hierdp_core.releases.ledger.records import (
    FOLLOWS,
    GENESIS,
    Kind,
    Record,
    canonical,
    faults_of_chain,
)
from hierdp_core.releases.ledger.store import WAIT_SECONDS, Mark, Store
from hierdp_core.releases.ledger.unrecorded import REMEDY, fault, stored
from hierdp_core.util.text import join_or

_LONGEST_NAME = 100


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One release in the ledger.

    Attributes:
        release: the id of the release.
        dataset: the dataset from whose budget its cost was debited.
        plan: the plan, as plain values.
        events: the exact events whose cost was debited.
        cost: the cost in the unit of the dataset's budget; None under (ε, δ).
        state: the kind of its last record.
        reserved: the record of the debit.
        last: its last record.
        measurements: the hash of its stored noisy measurements; empty until they are stored.
    """

    release: str
    dataset: str
    plan: dict[str, Any]
    events: tuple[Event, ...]
    cost: Fraction | None
    state: Kind
    reserved: Record
    last: Record
    measurements: str = ""


@dataclass(frozen=True, kw_only=True)
class Head:
    """The number of records of a ledger, and the hash of the last one."""

    number: int
    hash: str


class Ledger:
    """The budgets of an agency's datasets, and all debits from them, in one file.

    Args:
        path: the path of the file; `add_dataset` creates it if there is none.
        wait: seconds to wait while another process writes.
    """

    def __init__(self, path: str | Path, *, wait: float = WAIT_SECONDS) -> None:
        self.path = Path(path)
        self._store = Store(self.path, wait=wait)

    @property
    def key_file(self) -> Path:
        """The path of the key of fingerprints."""
        return self._beside(".key")

    @property
    def folder(self) -> Path:
        """The folder of the noisy measurements of releases, which only its owner can read."""
        return self._beside(".releases")

    def _beside(self, suffix: str) -> Path:
        """Return a path beside the file itself, which is the same if the ledger is a link to it."""
        file = self.path.resolve() if self.path.is_symlink() else self.path
        return file.with_name(file.name + suffix)

    def add_dataset(
        self,
        name: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> Account:
        """Record a dataset with the budget for all releases that will ever be made of it.

        Raises:
            BudgetError: the budget is not valid.
            ReleaseError: the name is not valid, the dataset exists already, or the ledger cannot be
                written.
        """
        _require_name(name)
        budget = Budget.of(epsilon=epsilon, delta=delta, rho=rho)
        self._store.create()
        with self._store.writing() as rows:
            if name in _folded(rows.all()).accounts:
                raise ReleaseError(
                    f"“{name}” is already in the ledger. To change its budget, use set-budget on "
                    "the command line, or Ledger.set_budget in Python."
                )
            rows.add(Kind.DATASET_ADDED, {"dataset": name, "budget": budget_as_dict(budget)})
        return Account(dataset=name, budget=budget)

    def set_budget(
        self,
        name: str,
        *,
        reason: str,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> Account:
        """Record another total budget of the same kind for a dataset, with the reason.

        Raises:
            BudgetError: the budget is not valid, is of another kind or is less than what was spent.
            ReleaseError: the dataset is unknown, the reason is missing or cannot be printed, or the
                ledger cannot be written.
        """
        budget = Budget.of(epsilon=epsilon, delta=delta, rho=rho)
        if not reason.strip():
            raise ReleaseError(
                "Give the reason for the new budget, with --reason on the command line. It is "
                "recorded."
            )
        if not reason.isprintable():
            raise ReleaseError("The reason has characters that cannot be printed. Remove them.")
        with self._store.writing() as rows:
            account = _folded(rows.all()).account(name)
            changed = replace(account, budget=budget)
            if (budget.kind, budget.delta) != (account.budget.kind, account.budget.delta):
                same = "Give a new total of the same kind."
                if account.budget.delta is not None:
                    same = "Give a new total of the same kind, with the same δ."
                raise BudgetError(f"The budget of “{name}” is {account.budget.words}. {same}")
            if changed.spent > (budget.rho or budget.epsilon or 0):
                raise BudgetError(
                    f"The releases of “{name}” cost {account.spent_words} already. Give a budget "
                    "of at least that."
                )
            rows.add(
                Kind.BUDGET_CHANGED,
                {"dataset": name, "budget": budget_as_dict(budget), "reason": reason.strip()},
            )
        return changed

    def reserve(
        self,
        dataset: str,
        events: Sequence[Event],
        *,
        plan: dict[str, Any],
        protects: str,
        software: str = "",
        release: str | None = None,
        mark: str = "",
    ) -> Entry:
        """Debit a release, before any of its noise is sampled.

        Args:
            dataset: the dataset from whose budget the cost is debited.
            events: everything that will be sampled.
            plan: the plan as plain values, which are equal for equal requests.
            protects: how neighbouring datasets differ.
            software: the software that makes the release, with its version.
            release: the id of the release; a new one by default.
            mark: the fingerprint of the table.

        Raises:
            ReleaseError: the release exceeds the budget or is in the ledger already, the dataset is
                unknown, or the ledger is damaged or cannot be written. It is also raised if noise
                of a release that is not recorded is stored beside the ledger. The budget is then
                unchanged.
        """
        with self._store.writing() as rows:
            rows.require_whole()
            folded = _folded(rows.all())
            rows.require_own_schema()
            if release in folded.entries:
                raise ReleaseError(f"The release {release} is in the ledger already. Use a new id.")
            self._require_recorded(folded)
            account = folded.account(dataset)
            account.require_room(events, protects=protects)
            cost = account.cost(events)
            release = release or new_id()
            record = rows.add(
                Kind.RESERVED,
                {
                    "release": release,
                    "dataset": dataset,
                    "plan": plan,
                    "events": [event_as_dict(event) for event in events],
                    "cost": None if cost is None else str(cost),
                    "protects": protects,
                    "software": software,
                    "fingerprint_hash": _hash_of(release, mark) if mark else "",
                },
            )
            if mark:
                rows.add_fingerprint(Mark(release, dataset, mark))
        return _entry(record)

    def noise_added(self, release: str, *, measurements: str) -> Entry:
        """Record that the noisy measurements of a release are stored, with their hash.

        Raises:
            ReleaseError: the release is unknown, its state does not allow this record, or the
                ledger cannot be written.
        """
        return self._step(Kind.NOISE_ADDED, release, {"measurements": measurements})

    def packaged(self, release: str, *, certificate: str) -> Entry:
        """Record that a package of the release was written, with the hash of its certificate.

        Raises:
            ReleaseError: the release is unknown, its state does not allow this record, or the
                ledger cannot be written.
        """
        return self._step(Kind.PACKAGED, release, {"certificate": certificate})

    def failed(self, release: str, *, reason: str) -> Entry:
        """Record that a release ended before its noise was stored; its cost stays spent.

        Raises:
            ReleaseError: the release is unknown, its state does not allow this record, or the
                ledger cannot be written.
        """
        return self._step(Kind.FAILED, release, {"reason": reason})

    def datasets(self) -> tuple[Account, ...]:
        """Return every dataset with its account, in the order in which they were added.

        Raises:
            ReleaseError: there is no ledger, or it cannot be used.
        """
        return tuple(self._fold().accounts.values())

    def account(self, dataset: str) -> Account:
        """Return the account of a dataset.

        Raises:
            ReleaseError: the dataset is unknown, or the ledger cannot be used.
        """
        return self._fold().account(dataset)

    def entries(self, dataset: str | None = None) -> tuple[Entry, ...]:
        """Return every release, or those of a dataset, in the order of their debits.

        Raises:
            ReleaseError: there is no ledger, or it cannot be used.
        """
        entries = self._fold().entries.values()
        return tuple(entry for entry in entries if dataset in (None, entry.dataset))

    def entry(self, release: str) -> Entry:
        """Return one release.

        Raises:
            ReleaseError: there is no release with this id, or the ledger cannot be used.
        """
        return self._fold().entry(release)

    def unfinished(self, dataset: str, plan: dict[str, Any]) -> tuple[Entry, ...]:
        """Return the releases of exactly this plan that are neither packaged nor failed.

        Raises:
            ReleaseError: there is no ledger, or it cannot be used.
        """
        return tuple(
            entry
            for entry in self.entries(dataset)
            if entry.state in (Kind.RESERVED, Kind.NOISE_ADDED)
            and canonical(entry.plan) == canonical(plan)
        )

    def records(self) -> tuple[Record, ...]:
        """Return every record, unchecked; see `faults`.

        Raises:
            ReleaseError: there is no ledger, or it cannot be read.
        """
        with self._store.reading() as rows:
            return tuple(rows.all())

    def head(self) -> Head:
        """Return the number of records and the hash of the last.

        Raises:
            ReleaseError: there is no ledger, or it cannot be read.
        """
        records = self.records()
        last = records[-1] if records else None
        return Head(number=last.number if last else 0, hash=last.hash if last else GENESIS)

    def fingerprints(self) -> tuple[Mark, ...]:
        """Return the fingerprints of the tables that were released.

        Raises:
            ReleaseError: there is no ledger, or it cannot be read.
        """
        with self._store.reading() as rows:
            return rows.fingerprints()

    def faults(self) -> tuple[str, ...]:
        """Return all faults of the ledger, one sentence each.

        Raises:
            ReleaseError: there is no ledger, or it cannot be read.
        """
        noise = stored(self.folder)  # before the records, to which others may add
        with self._store.reading() as rows:
            if damage := rows.damage():
                return (f"The file is damaged: {damage}.",)
            records = list(rows.all())
            if faults_of_schema := rows.faults_of_schema():
                return faults_of_schema
            marks = rows.fingerprints()
        faults = faults_of_chain(records)
        if faults:
            return tuple(faults)
        folded = _added_up(records)
        faults += [fault(id, self.folder) for id in noise if id not in folded.entries]
        for entry in folded.entries.values():
            if not _has_its_cost(entry, folded.accounts):
                faults.append(
                    f"Record {entry.reserved.number}: the cost of release {entry.release} is not "
                    "that of its noise."
                )
        faults += _faults_of_fingerprints(folded.entries, marks)
        for account in folded.accounts.values():
            if account.costs and not _kept(account):
                faults.append(
                    f"The releases of “{account.dataset}” cost {account.spent_words}, which is "
                    "over its budget."
                )
        return tuple(faults)

    def back_up(self, copy: str | Path) -> None:
        """Write a copy of the ledger as it is now, without the key and the measurements.

        Raises:
            ReleaseError: there is no ledger, or the copy exists already or cannot be written.
        """
        self._store.back_up(Path(copy))

    def _fold(self) -> "_Folded":
        with self._store.reading() as rows:
            return _folded(rows.all())

    def _require_recorded(self, folded: "_Folded") -> None:
        """Require that every release with noise is recorded, while no process can add a record."""
        for id in stored(self.folder):
            if id not in folded.entries:
                raise ReleaseError(f"{fault(id, self.folder)} {REMEDY}")

    def _step(self, kind: Kind, release: str, body: dict[str, Any]) -> Entry:
        with self._store.writing() as rows:
            entry = _folded(rows.all()).entry(release)
            if entry.state not in FOLLOWS[kind]:
                raise ReleaseError(
                    f"The release {release} is recorded as “{entry.state}” and cannot become "
                    f"“{kind}”. List the ledger to see what was recorded."
                )
            record = rows.add(kind, {"release": release, "dataset": entry.dataset, **body})
        return _after(entry, record)


def new_id() -> str:
    """Return a new id for a release: 128 random bits in hexadecimal."""
    return secrets.token_hex(16)


@dataclass(frozen=True, kw_only=True)
class _Folded:
    """The accounts and the releases that follow from all records."""

    accounts: dict[str, Account]
    entries: dict[str, Entry]

    def account(self, dataset: str) -> Account:
        if dataset not in self.accounts:
            names = join_or([f"“{name}”" for name in self.accounts])
            remedy = (
                f"Choose {names}." if names else "It has no dataset yet. Add the dataset first."
            )
            raise ReleaseError(f"The ledger has no dataset “{dataset}”. {remedy}")
        return self.accounts[dataset]

    def entry(self, release: str) -> Entry:
        if release not in self.entries:
            raise ReleaseError(
                f"The ledger has no release {release}. Correct the id. "
                "`hierdp ledger FILE` lists all releases."
            )
        return self.entries[release]


def _folded(records: Iterable[Record]) -> _Folded:
    """Return the accounts and releases of records, which must not have been changed.

    Raises:
        ReleaseError: a record was changed, is missing or is out of order.
    """
    records = list(records)
    if faults := faults_of_chain(records):
        raise ReleaseError(
            f"The ledger cannot be used. {faults[0]} Restore a backup, and compare it with the "
            "published packages with `hierdp ledger FILE verify --against PACKAGE`."
        )
    return _added_up(records)


def _added_up(records: Iterable[Record]) -> _Folded:
    budgets: dict[str, Budget] = {}
    entries: dict[str, Entry] = {}
    for record in records:
        if record.kind in (Kind.DATASET_ADDED, Kind.BUDGET_CHANGED):
            budgets[record.body["dataset"]] = budget_from_dict(record.body["budget"])
        elif record.kind is Kind.RESERVED:
            entries[record.body["release"]] = _entry(record)
        else:
            release = record.body["release"]
            entries[release] = _after(entries[release], record)
    of = {name: [e for e in entries.values() if e.dataset == name] for name in budgets}
    accounts = {
        name: Account(
            dataset=name,
            budget=budget,
            events=tuple(event for entry in of[name] for event in entry.events),
            costs=tuple(entry.cost or Fraction(0) for entry in of[name]),
            protects=of[name][0].reserved.body["protects"] if of[name] else "",
        )
        for name, budget in budgets.items()
    }
    return _Folded(accounts=accounts, entries=entries)


def _entry(record: Record) -> Entry:
    body = record.body
    return Entry(
        release=body["release"],
        dataset=body["dataset"],
        plan=body["plan"],
        events=tuple(event_from_dict(event) for event in body["events"]),
        cost=None if body["cost"] is None else Fraction(body["cost"]),
        state=record.kind,
        reserved=record,
        last=record,
    )


def _after(entry: Entry, record: Record) -> Entry:
    measurements = record.body.get("measurements", entry.measurements)
    return replace(entry, state=record.kind, last=record, measurements=measurements)


def _has_its_cost(entry: Entry, accounts: Mapping[str, Account]) -> bool:
    try:
        return entry.cost == accounts[entry.dataset].cost(entry.events)
    except (KeyError, ReleaseError):
        return False


def _faults_of_fingerprints(entries: Mapping[str, Entry], marks: Iterable[Mark]) -> list[str]:
    known, faults = {mark.release: mark for mark in marks}, []
    for release, entry in entries.items():
        recorded = entry.reserved.body.get("fingerprint_hash")  # None in earlier versions
        if release not in known:
            if recorded:
                faults.append(f"The fingerprint of the table of release {release} is missing.")
            continue
        is_other = recorded not in (None, _hash_of(release, known[release].mark))
        if is_other or known[release].dataset != entry.dataset:
            faults.append(f"The fingerprint of the table of release {release} was changed.")
    faults += [
        f"There is a fingerprint of release {release}, which the ledger does not record."
        for release in sorted(known.keys() - entries.keys())
    ]
    return faults


def _hash_of(release: str, mark: str) -> str:
    """Return a hash of a fingerprint, which does not show whether two tables are equal."""
    return hashlib.sha256(f"{release} {mark}".encode()).hexdigest()


def _kept(account: Account) -> bool:
    try:
        nothing_more = replace(account, events=(), costs=())
        if account.is_joint:
            nothing_more.require_room(account.events, protects=account.protects)
            return True
        total = account.budget.rho or account.budget.epsilon
        return total is not None and account.spent <= total
    except ReleaseError:
        return False


def _require_name(name: str) -> None:
    if not name.strip() or name != name.strip() or len(name) > _LONGEST_NAME:
        raise ReleaseError(
            f"The name of a dataset has 1 to {_LONGEST_NAME} characters, without spaces around it. "
            "Choose such a name."
        )
    if not name.isprintable():
        raise ReleaseError(
            "The name of a dataset has characters that cannot be printed. Remove them."
        )
