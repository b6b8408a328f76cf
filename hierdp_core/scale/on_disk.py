"""Integers in rows on disk, of which only the rows in use are in memory."""

import mmap
import os
import tempfile
from pathlib import Path

import numpy as np

from hierdp_core.exceptions import FileError
from hierdp_core.util.arrays import IntArray

_BLOCK = 2**20  # bytes


class RowsOnDisk:
    """An array in a temporary file, which is removed with the array or when the process ends.

    Args:
        shape: the shape of the array, whose rows are used one after the other.
        folder: a folder on the disk that is to hold the array; created if it does not exist.

    Raises:
        FileError: the disk has no room, or the folder cannot be written.
    """

    def __init__(self, shape: tuple[int, int], folder: Path) -> None:
        size = 8 * shape[0] * shape[1]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder) as file:
                # Missing disk space must be reported now, since a full disk ends a process that
                # writes to a mapped file.
                _reserve(file.fileno(), size)
                self._map = mmap.mmap(file.fileno(), size)
        except OSError as error:
            raise FileError(
                f"{folder} cannot hold {size / 1e9:.2g} GB of noisy numbers: "
                f"{error.strerror or error}. Name a folder that can be written, on a disk "
                "with enough free space."
            ) from None
        self.rows: IntArray = np.frombuffer(self._map, dtype=np.int64).reshape(shape)

    def let_go(self) -> None:
        """Remove the rows from the memory of this process; the file keeps their numbers."""
        if hasattr(mmap, "MADV_DONTNEED"):  # elsewhere the system does so when it needs memory
            self._map.madvise(mmap.MADV_DONTNEED)


def _reserve(file: int, size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
        return
    for start in range(0, size, _BLOCK):
        os.write(file, bytes(min(_BLOCK, size - start)))
