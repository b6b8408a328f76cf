"""A table from Python into one session of the app, through a file that only its owner reads.

The file is named by the digest of a token. The token is in the first address of the app, and is
valid once: loading the table removes the file. The file holds numbers and JSON, never a
pickle, and lies in a folder of mode 0700.
"""

import hashlib
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from hierdp_core.maps.boundaries import Boundaries
from hierdp_core.readers.report import Report
from hierdp_core.readers.result import Reading
from hierdp_core.readers.serialisation import packed, unpacked
from hierdp_core.tables import Table

FOLDER = "HIERDP_HANDOVER"  # names the folder to the app, in its environment
WORD = "handover"  # in the first address
_CONFIDENTIAL, _PUBLIC = b"\1", b"\0"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Handover:
    """A table that was handed over.

    Attributes:
        table: it.
        boundaries: a shape for every region; None for none.
        confidential: every file and picture made from it says so.
    """

    table: Table
    boundaries: Boundaries | None
    confidential: bool


def give(
    folder: Path, table: Table, boundaries: Boundaries | None, *, confidential: bool = False
) -> str:
    """Put a table into `folder` and return the token that takes it, once."""
    reading = Reading(report=Report.of((), ()), table=table, boundaries=boundaries)
    token = secrets.token_urlsafe(32)
    file = os.open(_file(folder, token), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(file, "wb") as out:
        out.write((_CONFIDENTIAL if confidential else _PUBLIC) + packed(reading))
    return token


def take(token: str) -> Handover | None:
    """Return what was handed over under `token`, and make the token invalid.

    None where the app was not opened from Python, and for a token that is wrong or was used.
    """
    folder = os.environ.get(FOLDER)
    if folder is None or not _TOKEN.fullmatch(token):
        return None
    file = _file(Path(folder), token)
    claimed = file.with_suffix(".taken")
    try:
        file.rename(claimed)  # one of two that come at once
        content = claimed.read_bytes()
        claimed.unlink()
    except OSError:
        return None
    reading = unpacked(content[1:])
    assert reading.table is not None
    return Handover(
        table=reading.table,
        boundaries=reading.boundaries,
        confidential=content[:1] == _CONFIDENTIAL,
    )


def _file(folder: Path, token: str) -> Path:
    return folder / hashlib.sha256(token.encode()).hexdigest()
