"""Temporary folders that are removed even if their process was killed.

A process locks a file in its folder. The system releases the lock when the process ends, for
whatever reason. `sweep` then removes the folder.
"""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_PREFIX = "hierdp-"
_LOCK = ".in-use"
_YOUNG = 60.0  # seconds within which a new folder may still be without its lock


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """Yield a folder for files, which is removed at the end of the block."""
    with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as name:
        place = Path(name)
        with (place / _LOCK).open("w") as held:
            _lock(held)
            yield place


def sweep() -> int:
    """Remove folders that ended processes left behind, and return how many were removed."""
    removed = 0
    with contextlib.suppress(OSError):
        for place in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            if _is_left_behind(place):
                shutil.rmtree(place, ignore_errors=True)
                removed += not place.exists()
    return removed


def _is_left_behind(place: Path) -> bool:
    try:
        about = place.lstat()
        if not place.is_dir() or place.is_symlink() or not _is_own(about):
            return False
        lock = place / _LOCK
        if not lock.is_file():
            return time.time() - about.st_mtime > _YOUNG
        with lock.open("r+") as held:
            return _lock(held)
    except OSError:
        return False


def _is_own(about: os.stat_result) -> bool:
    return not hasattr(os, "getuid") or about.st_uid == os.getuid()


def _lock(file: IO[str]) -> bool:
    """Lock a file until it is closed; return False if another process holds the lock."""
    try:
        import fcntl
    except ImportError:  # Windows, where an open file cannot be removed anyway
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
