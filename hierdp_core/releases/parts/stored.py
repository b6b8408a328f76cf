"""The noisy measurements of one release in parts, readable by their owner only.

There is one file for each part, and one for the top: all areas down to the roots of the parts. A
file appears when it is complete and on the disk. It is written only once. If two tasks measured the
same part, the measurements that are stored first are kept, and the noise of the other task is never
used.

Files are not compressed. Their size depends on the shape of the measurements, so a full disk cannot
select between noisy numbers. The shape itself depends on noisy numbers only if later measurements
depend on earlier ones, or if sorted sizes are pooled.
"""

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hierdp_core.exceptions import ReleaseError
from hierdp_core.releases.measurements import Arrays, from_bytes, to_bytes
from hierdp_core.releases.shelf import OWNER_ONLY_FOLDER, write_through
from hierdp_core.util.disk import remedy, sync_folder

TOP = "top"
_MANIFEST = "manifest.json"


def part_name(number: int) -> str:
    """Return the name of the measurements of a part."""
    return f"part-{number:05d}"


@dataclass(frozen=True, kw_only=True)
class StoredParts:
    """A folder with a file for the areas above the parts and one for each part.

    Attributes:
        folder: the folder, which only its owner can open.
    """

    folder: Path

    def make(self) -> None:
        """Create the folder if it does not exist.

        Raises:
            ReleaseError: the folder cannot be created.
        """
        try:
            self.folder.mkdir(mode=OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
            sync_folder(self.folder.absolute().parent)
        except OSError as error:
            raise ReleaseError(
                f"{self.folder} cannot be written: {error.strerror}. "
                f"{remedy(error, 'Correct its permissions.')}"
            ) from None

    def has(self, name: str) -> bool:
        """Return whether the measurements of a part, or of the top, are stored."""
        return self._file(name).is_file()

    def put(self, name: str, noisy: Arrays) -> None:
        """Store measurements, unless measurements of this name are stored already.

        Raises:
            OSError: the disk is full, or the folder cannot be written.
        """
        target = self._file(name)
        unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
        try:
            write_through(unfinished, to_bytes(noisy, packed=False))
            try:
                target.hardlink_to(unfinished)
            except FileExistsError:
                return
        finally:
            unfinished.unlink(missing_ok=True)
        sync_folder(self.folder)

    def get(self, name: str) -> Arrays:
        """Return stored measurements.

        Raises:
            ReleaseError: they are missing or damaged.
        """
        try:
            return from_bytes(self._file(name).read_bytes())
        except (OSError, ValueError):
            raise ReleaseError(self.lost(name)) from None

    def seal(self, names: Sequence[str]) -> str:
        """Write a list of the hashes of all stored files, and return the hash of the list.

        Raises:
            OSError: a file cannot be read, or the list cannot be written.
        """
        manifest = self.folder / _MANIFEST
        content = json.dumps({name: self._hash(name) for name in names}, indent=0).encode()
        if not manifest.exists():
            unfinished = manifest.with_name(f".{manifest.name}.{secrets.token_hex(4)}")
            write_through(unfinished, content)
            unfinished.replace(manifest)
            sync_folder(self.folder)
        return hashlib.sha256(content).hexdigest()

    def require_sealed(self, names: Sequence[str], digest: str) -> None:
        """Require that no file has changed since `seal`.

        Raises:
            ReleaseError: a file is missing or was changed.
        """
        try:
            content = (self.folder / _MANIFEST).read_bytes()
            entries = json.loads(content)
        except (OSError, ValueError):
            raise ReleaseError(self.lost(_MANIFEST)) from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise ReleaseError(self.lost(_MANIFEST))
        for name in names:
            try:
                same = self._hash(name) == entries.get(name)
            except OSError:
                same = False
            if not same:
                raise ReleaseError(self.lost(name))

    def lost(self, name: str) -> str:
        """Return the error message for lost measurements of a part, or of the top."""
        return (
            f"The noisy measurements {name} in {self.folder} are missing or are not those in the "
            "ledger. Restore them from a backup, or change the title. With another title, this "
            "is a new release, which costs as much again."
        )

    def _hash(self, name: str) -> str:
        return hashlib.sha256(self._file(name).read_bytes()).hexdigest()

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.npz"
