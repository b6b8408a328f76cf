"""The records of a ledger: each is chained to the one before it by a hash.

A hash covers the whole content of its record and the hash before it. If a record is changed, moved
or removed, the hashes after it fit only if all of them are computed again. They then differ from a
hash that a certificate states.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

GENESIS = "0" * 64  # stands for the hash before the first record


class Kind(StrEnum):
    """The kinds of records."""

    DATASET_ADDED = "dataset added"
    BUDGET_CHANGED = "budget changed"
    RESERVED = "reserved"
    NOISE_ADDED = "noise added"
    PACKAGED = "packaged"
    FAILED = "failed"


# For each kind, the kinds that may come just before it in one release.
FOLLOWS = {
    Kind.NOISE_ADDED: (Kind.RESERVED,),
    Kind.PACKAGED: (Kind.NOISE_ADDED, Kind.PACKAGED),
    Kind.FAILED: (Kind.RESERVED,),
}


@dataclass(frozen=True, kw_only=True)
class Record:
    """One record.

    Attributes:
        number: from 1, without gaps.
        time: the time at which it was written, in UTC, as ISO 8601 text.
        kind: the kind of the record.
        body: the other content: the dataset, the release if the record is about one, and more.
        previous: the hash of the record before.
        hash: the hash of all other attributes.
    """

    number: int
    time: str
    kind: Kind
    body: Mapping[str, Any]
    previous: str
    hash: str

    @classmethod
    def after(cls, number: int, previous: str, time: str, kind: Kind, body: dict[str, Any]) -> Self:
        """Return the next record of a chain whose last has `number` and the hash `previous`."""
        text = _canonical(number + 1, time, kind, body, previous)
        return cls(
            number=number + 1,
            time=time,
            kind=kind,
            body=body,
            previous=previous,
            hash=hashlib.sha256(text.encode()).hexdigest(),
        )

    @property
    def is_whole(self) -> bool:
        """Whether the hash fits the content of the record."""
        text = _canonical(self.number, self.time, self.kind, self.body, self.previous)
        return hashlib.sha256(text.encode()).hexdigest() == self.hash

    def as_dict(self) -> dict[str, Any]:
        """Return the record as a JSON object, from which its hash can be computed again."""
        return {
            "number": self.number,
            "time": self.time,
            "kind": self.kind.value,
            "body": dict(self.body),
            "previous": self.previous,
            "hash": self.hash,
        }


def canonical(value: object) -> str:
    """Return JSON in which equal values have equal texts."""
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )


def faults_of_chain(records: Iterable[Record]) -> list[str]:
    """Return the faults of a chain: changed records, gaps, and steps that are not allowed."""
    faults, number, previous = [], 0, GENESIS
    states: dict[str, Kind] = {}
    for record in records:
        if record.number != number + 1:
            faults.append(f"Record {number + 1} is missing before record {record.number}.")
        if record.previous != previous:
            faults.append(f"Record {record.number} does not follow the record before it.")
        if not record.is_whole:
            faults.append(f"Record {record.number} was changed after it was written.")
        faults += _faults_of_step(record, states)
        number, previous = record.number, record.hash
    return faults


def _faults_of_step(record: Record, states: dict[str, Kind]) -> list[str]:
    release = record.body.get("release")
    if release is None:
        return []
    before, states[release] = states.get(release), record.kind
    allowed = (None,) if record.kind is Kind.RESERVED else FOLLOWS.get(record.kind, ())
    if before in allowed:
        return []
    if before is None:
        return [f"Record {record.number} is of release {release}, which was never reserved."]
    step = f"Record {record.number} of release {release} is “{record.kind}”"
    return [f"{step}, which cannot follow “{before}”."]


def _canonical(number: int, time: str, kind: Kind, body: Mapping[str, Any], previous: str) -> str:
    return canonical([number, time, kind.value, body, previous])
