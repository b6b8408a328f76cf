"""Make sure that files and their names are on the disk, so that they survive a loss of power."""

import errno
import os
from pathlib import Path

_FULL = (errno.ENOSPC, errno.EDQUOT)


def sync_file(path: Path) -> None:
    """Wait until the content of a file is on the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remedy(error: OSError, usual: str) -> str:
    """Return the remedy for an error of the disk: more space if it is full, otherwise `usual`.

    >>> remedy(OSError(errno.ENOSPC, "No space left on device"), "Correct its permissions.")
    'Free some space on the disk.'
    """
    return "Free some space on the disk." if error.errno in _FULL else usual
