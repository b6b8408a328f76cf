"""Keyed fingerprints of tables, which warn when a budget is charged to the wrong name.

The key is in a separate file that only the owner can read. Without the key, fingerprints reveal
nothing about tables, except which of them are equal. They are in no record of the chain and in no
package.
"""

import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from hierdp_core.exceptions import ReleaseError
from hierdp_core.releases.ledger.store import OWNER_ONLY, Mark
from hierdp_core.tables import Table
from hierdp_core.util.disk import remedy, sync_folder
from hierdp_core.util.text import join_and

_KEY_BYTES = 32


def fingerprint(table: Table, key_file: Path) -> str:
    """Return the fingerprint of a table's exact content under the owner's key.

    The key is created if there is none.

    Raises:
        ReleaseError: the key cannot be read or created.
    """
    return keyed(digested(table), key_file)


def keyed(pieces: Iterable[bytes], key_file: Path) -> str:
    """Return the fingerprint of content that is given piece by piece; see `fingerprint`.

    Raises:
        ReleaseError: the key cannot be read or created.
    """
    mark = hmac.new(_key(key_file), digestmod=hashlib.sha256)
    for part in pieces:
        mark.update(len(part).to_bytes(8, "big") + part)
    return mark.hexdigest()


def digested(table: Table) -> Iterable[bytes]:
    """Yield the whole content of a table, piece by piece."""
    yield table.kind.encode()
    for regions in table.domain.hierarchies:
        yield "\0".join(regions.ids).encode()
        yield np.ascontiguousarray(regions.tree.parent).tobytes()
    for name, array in sorted(table.leaf_arrays().items()):
        yield f"{name} {array.shape}".encode()
        yield np.ascontiguousarray(array, dtype=np.int64).tobytes()


def warnings(mark: str, dataset: str, known: Sequence[Mark]) -> tuple[str, ...]:
    """Return warnings for the owner of a dataset whose budget is charged, one text each.

    Args:
        mark: the fingerprint of the table.
        dataset: the name of the dataset that is charged.
        known: the fingerprints of earlier releases.
    """
    others = sorted({one.dataset for one in known if one.mark == mark and one.dataset != dataset})
    own = {one.mark for one in known if one.dataset == dataset}
    messages = []
    if own and mark not in own:
        messages.append(
            f"Earlier releases of “{dataset}” were made from other content. If the same person or "
            "firm can be in both tables, as in two years of a series, this budget is right, "
            "because the costs add up. A table with no person or firm of the earlier ones may have "
            "a name and a budget of its own. So may a table with another privacy unit, if you add "
            "up the costs for each person yourself."
        )
    if others:
        messages.append(
            f"The same table was released under {join_and([f'“{name}”' for name in others])} as "
            f"well. What is spent on “{dataset}” is not counted there."
        )
    return tuple(messages)


def _key(file: Path) -> bytes:
    try:
        if not file.exists():
            _write_key(file)
        key, mode = file.read_bytes(), stat.S_IMODE(file.stat().st_mode)
    except OSError as error:
        raise ReleaseError(
            f"The fingerprint key {file} cannot be used: {error.strerror}. "
            f"{remedy(error, 'Correct its permissions.')}"
        ) from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ReleaseError(
            f"The fingerprint key {file} can be read by other users. Run: chmod 600 {file}"
        )
    if len(key) != _KEY_BYTES:
        raise ReleaseError(f"The fingerprint key {file} is damaged. Restore it from a backup.")
    return key


def _write_key(file: Path) -> None:
    """Write a new key in one step; if another process has written one, that key is kept."""
    part = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY)
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(secrets.token_bytes(_KEY_BYTES))
            opened.flush()
            os.fsync(opened.fileno())
        with suppress(FileExistsError):
            os.link(part, file)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(file.absolute().parent)
