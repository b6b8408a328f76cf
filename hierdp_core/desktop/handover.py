"""A table from Python into one session of the app, through a file that only its owner reads.

The file is named by the digest of a token. The token is part of the first address of the app, and
is valid once: loading the table removes the file. The file contains numbers and JSON, never a
pickle, and is in a folder of mode 0700.
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

FOLDER = "HIERDP_HANDOVER"  # the environment variable of the app that names the folder
WORD = "handover"  # the parameter of the first address that has the token
_CONFIDENTIAL, _PUBLIC = b"\1", b"\0"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Handover:
    """A table that was handed over.

    Attributes:
        table: the table.
        boundaries: a shape for every region, or None.
        confidential: whether every file and picture made from the table is marked.
    """

    table: Table
    boundaries: Boundaries | None
    confidential: bool


def give(
    folder: Path, table: Table, boundaries: Boundaries | None, *, confidential: bool = False
) -> str:
    """Put a table into `folder` and return the token with which it can be taken once."""
    reading = Reading(report=Report.of((), ()), table=table, boundaries=boundaries)
    token = secrets.token_urlsafe(32)
    file = os.open(_file(folder, token), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(file, "wb") as out:
        out.write((_CONFIDENTIAL if confidential else _PUBLIC) + packed(reading))
    return token


def take(token: str) -> Handover | None:
    """Return the table and boundaries put under `token`, and make the token invalid.

    Return None if the app was not opened from Python, or the token is wrong or was used before.
    """
    folder = os.environ.get(FOLDER)
    if folder is None or not _TOKEN.fullmatch(token):
        return None
    file = _file(Path(folder), token)
    claimed = file.with_suffix(".taken")
    try:
        file.rename(claimed)  # succeeds for only one of two simultaneous requests
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
