"""Whole numbers in rows on disk, of which no more than the rows in use are in memory."""

import mmap
import os
import tempfile
from pathlib import Path

import numpy as np

from hierdp_core.exceptions import FileError
from hierdp_core.util.arrays import IntArray

_BLOCK = 2**20  # bytes


class RowsOnDisk:
    """An array in a file without a name, which goes when the array does, or the process.

    Args:
        shape: the shape of the array; its rows are used one after the other.
        folder: on the disk that is to hold it; made where it is not there.

    Raises:
        FileError: the disk has no room, or the folder cannot be written.
    """

    def __init__(self, shape: tuple[int, int], folder: Path) -> None:
        size = 8 * shape[0] * shape[1]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder) as file:
                # Room that is missing must be told now: a full disk ends a process that writes
                # into a mapped file.
                _reserve(file.fileno(), size)
                self._map = mmap.mmap(file.fileno(), size)
        except OSError as error:
            raise FileError(
                f"{folder} cannot hold {size / 1e9:.2g} GB of noisy numbers: "
                f"{error.strerror or error}. Make room there, or write to another disk."
            ) from None
        self.rows: IntArray = np.frombuffer(self._map, dtype=np.int64).reshape(shape)

    def let_go(self) -> None:
        """Take the rows out of the memory of this process; the file keeps their numbers."""
        if hasattr(mmap, "MADV_DONTNEED"):  # elsewhere the system does so when it needs memory
            self._map.madvise(mmap.MADV_DONTNEED)


def _reserve(file: int, size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
        return
    for start in range(0, size, _BLOCK):
        os.write(file, bytes(min(_BLOCK, size - start)))
