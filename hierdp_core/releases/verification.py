"""Compare published packages with a ledger, to detect changes or a rollback of the ledger."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from hierdp_core.exceptions import ReleaseError
from hierdp_core.releases.ledger import Kind, Ledger, Record
from hierdp_core.releases.ledger.records import canonical
from hierdp_core.releases.package.reading import (
    certificate_of,
    digests_of,
    faults_of,
    package_bytes,
)
from hierdp_core.releases.package.signatures import require_public_key, signature_of
from hierdp_core.releases.package.writing import CERTIFICATE

UNRECORDED = (
    "the ledger does not record that this package was written, so a change of its certificate "
    "would not show. Repeat the release with another path for its package. This records the "
    "package, without new noise and without cost."
)


def faults_against(
    ledger: Ledger, packages: Iterable[str | Path], *, public_key: str | Path | None = None
) -> list[str]:
    """Return the contradictions between a ledger and published packages, one sentence each.

    Args:
        ledger: the ledger of the agency.
        packages: the paths of packages, folders or ZIPs.
        public_key: a PEM file; every package must be signed with the matching private key.

    Raises:
        ReleaseError: the ledger or the public key cannot be read.
    """
    if public_key is not None:
        require_public_key(public_key)
    records = {record.number: record for record in ledger.records()}
    faults: list[str] = []
    for path in packages:
        try:
            files = package_bytes(Path(path))
            certificate = certificate_of(files, Path(path))
            digests = digests_of(files, Path(path))
        except ReleaseError as error:
            faults.append(str(error))
            continue
        try:
            signature_of(files, CERTIFICATE, public_key)
        except ReleaseError as error:
            faults.append(f"{path}: {error}")
        faults += [f"{path}: {fault}" for fault in faults_of(digests, certificate)]
        digest = sha256(files[CERTIFICATE]).hexdigest()
        faults += [f"{path}: {fault}" for fault in _contradictions(records, certificate, digest)]
    return faults


def _contradictions(
    records: Mapping[int, Record], certificate: Mapping[str, Any], digest: str
) -> list[str]:
    entry_of_certificate, release = certificate["ledger"], certificate["release"]
    faults = []
    for number, hash in (
        (entry_of_certificate["reserved_number"], entry_of_certificate["reserved_hash"]),
        (entry_of_certificate["number"], entry_of_certificate["hash"]),
    ):
        record = records.get(number)
        if record is None:
            faults.append(
                f"the certificate names record {number}, but the ledger ends before it. The "
                "ledger was rolled back, or it is not the one that was charged."
            )
        elif record.hash != hash or record.body.get("release") != release:
            faults.append(f"record {number} of the ledger is not that of this release.")
    if faults:
        return faults
    paid = records[entry_of_certificate["reserved_number"]].body.get("events")
    if canonical(paid) != canonical(certificate["budget"]["events"]):
        faults.append("the noise in its certificate is not that in the ledger.")
    written = [
        record.body["certificate"]
        for record in records.values()
        if record.kind is Kind.PACKAGED and record.body["release"] == release
    ]
    if not written:
        faults.append(UNRECORDED)
    elif digest not in written:
        faults.append(
            "its certificate was not written for this release: the ledger records another one."
        )
    return faults
