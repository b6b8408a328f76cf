"""The folder of the noisy measurements of releases, readable by its owner only."""

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hierdp_core.exceptions import ReleaseError
from hierdp_core.releases.ledger.store import OWNER_ONLY
from hierdp_core.util.disk import remedy, sync_folder

OWNER_ONLY_FOLDER = 0o700


class Shelf:
    """A folder with the noisy measurements of every release of a ledger.

    A file appears when it is complete and on the disk, so no file is incomplete.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, release: str, content: bytes) -> str:
        """Store the measurements of a release, and return their hash.

        Raises:
            OSError: the disk is full, or the folder cannot be written.
        """
        target = self._file(release)
        part = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
        try:
            write_through(part, content)
            part.replace(target)
            sync_folder(self.folder)
        finally:
            part.unlink(missing_ok=True)
        return hashlib.sha256(content).hexdigest()

    def has(self, release: str) -> bool:
        """Return whether the measurements of a release are stored."""
        return self._file(release).is_file()

    def get(self, release: str) -> bytes | None:
        """Return the measurements of a release; None if none were stored.

        Raises:
            ReleaseError: they cannot be read.
        """
        try:
            return self._file(release).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ReleaseError(
                f"The noisy measurements {self._file(release)} cannot be read: {error.strerror}. "
                "Correct the permissions of the file."
            ) from None

    @contextmanager
    def held(self, release: str) -> Iterator[bool]:
        """Lock a release for this process; yield False if another process has locked it.

        The system removes the lock when the process ends, for whatever reason.

        Raises:
            ReleaseError: the folder cannot be written, or the system has no such locks.
        """
        try:
            import fcntl
        except ImportError:
            raise ReleaseError(
                "This system has no POSIX file locks, which releases need. Use Linux or macOS."
            ) from None
        lock = self.folder / f"{release}.lock"
        try:
            self._make_folder()
            descriptor = os.open(lock, os.O_CREAT | os.O_RDWR, OWNER_ONLY)
        except OSError as error:
            raise ReleaseError(
                f"{self.folder} cannot be written: {error.strerror}. "
                f"{remedy(error, 'Correct its permissions.')}"
            ) from None
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            # The process that held the lock may have removed the file since it was opened here.
            if not _is_open_as(descriptor, lock):
                yield False
                return
            try:
                yield True
            finally:
                with suppress(OSError):
                    lock.unlink()
        finally:
            os.close(descriptor)

    def _make_folder(self) -> None:
        if not self.folder.is_dir():
            self.folder.mkdir(mode=OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
            sync_folder(self.folder.absolute().parent)

    def _file(self, release: str) -> Path:
        return self.folder / f"{release}.npz"


def _is_open_as(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def write_through(path: Path, content: bytes) -> None:
    """Write a new file that only its owner can read, and wait until it is on the disk."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
