"""Arrays that are stored in the user's cache folder for later processes.

No result depends on the cache: if the folder cannot be written, nothing is cached. An array is
computed again if its file is damaged, has another key, or belongs to another user who is not the
administrator.
"""

import hashlib
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import numpy as np

from hierdp_core.util.arrays import IntArray

_ADMINISTRATOR = 0  # the user id whose files every user trusts
_MOST_BYTES = 2**30  # larger files are not read
_UNFINISHED = 600.0  # seconds; no file takes longer to write


def cache_folder() -> Path:
    """Return the folder of cached files: HIERDP_CACHE, or the usual one of the platform."""
    if cache_home := os.environ.get("HIERDP_CACHE"):
        return Path(cache_home)
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "hierdp" / "Cache"
    cache_home = os.environ.get("XDG_CACHE_HOME", "")
    return (
        Path(cache_home) if Path(cache_home).is_absolute() else Path.home() / ".cache"
    ) / "hierdp"


def cached(name: str, key: str, make: Callable[[], IntArray]) -> IntArray:
    """Return the array of `make`, from the cache if it was computed before.

    Args:
        name: the name of the file, without suffix.
        key: a text that changes whenever the array of `make` does.
        make: called without arguments; returns the array.
    """
    try:
        file = cache_folder() / f"{name}.cache"
    except RuntimeError:  # no home folder
        return make()
    value = _read(file, key)
    if value is None:
        value = make()
        _write(file, key, value)
    return value


def _read(file: Path, key: str) -> IntArray | None:
    try:
        if not _is_trusted(file):
            return None
        stored = file.read_bytes()
    except OSError:
        return None
    seal, content = stored[: hashlib.sha256().digest_size], stored[hashlib.sha256().digest_size :]
    if seal != _seal(key, content):
        return None
    return np.asarray(np.load(BytesIO(content), allow_pickle=False))


def _is_trusted(file: Path) -> bool:
    """Return whether this is a plain file of the user or of the administrator.

    Files of others are not read, since they could contain wrong numbers.
    """
    about = file.lstat()
    if not stat.S_ISREG(about.st_mode) or about.st_size > _MOST_BYTES:
        return False
    return not hasattr(os, "getuid") or about.st_uid in (os.getuid(), _ADMINISTRATOR)


def _write(file: Path, key: str, values: IntArray) -> None:
    """Write a temporary file and rename it to `file`, so that nobody reads an incomplete file."""
    content = BytesIO()
    np.save(content, values, allow_pickle=False)
    sealed = _seal(key, content.getvalue()) + content.getvalue()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _remove_unfinished(file)
        handle, beside = tempfile.mkstemp(dir=file.parent, prefix=f"{file.stem}-", suffix=".tmp")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(sealed)
        Path(beside).replace(file)
    except OSError:
        Path(beside).unlink(missing_ok=True)


def _remove_unfinished(file: Path) -> None:
    """Remove the temporary files of processes that ended while they were writing."""
    for beside in file.parent.glob(f"{file.stem}-*.tmp"):
        with suppress(OSError):
            if time.time() - beside.stat().st_mtime > _UNFINISHED:
                beside.unlink()


def _seal(key: str, content: bytes) -> bytes:
    """Return the hash that a file begins with, which shows whether it is damaged or outdated."""
    return hashlib.sha256(key.encode() + b"\0" + content).digest()
