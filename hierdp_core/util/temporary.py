"""Temporary folders that do not outlive a process that was killed.

The owner of a folder holds a lock in it. The system releases the lock when the process ends,
however it ends, and the next process that starts removes the folder.
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
_YOUNG = 60.0  # seconds in which a folder without a lock may still be on its way to one


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A folder for files that are gone with the block, or with the process at the latest."""
    with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as name:
        place = Path(name)
        with (place / _LOCK).open("w") as held:
            _lock(held)
            yield place


def sweep() -> int:
    """Remove the folders of processes that have ended without removing them; how many."""
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
    """Lock a file until it is closed; False if another process holds it."""
    try:
        import fcntl
    except ImportError:  # Windows, where an open file cannot be removed anyway
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
