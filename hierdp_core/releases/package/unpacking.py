"""Unpack a ZIP from any source, within limits and only in memory."""

import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import IO

from hierdp_core.exceptions import ReleaseError
from hierdp_core.releases.package.writing import CERTIFICATE

MOST_FILES = 1_000
MOST_BYTES = 2_000_000_000
MOST_UPLOADED = 200_000_000  # unpacked size of a package that a visitor of the app uploads
_LONGEST_NAME = 200
_OF_THE_COMPUTER = "__MACOSX"  # what macOS adds beside a compressed folder
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def unpacked(
    file: Path | IO[bytes], name: str, *, most_bytes: int = MOST_BYTES
) -> dict[str, bytes]:
    """Return the files of a ZIP by their paths in it.

    The package may lie in a folder of the ZIP, as programs write it that compress a folder. An
    empty folder has a path that ends in a slash and no content. At most the stated size of each
    member is read, so the sum of the stated sizes bounds the memory.

    Args:
        file: the ZIP.
        name: the name of the file in messages.
        most_bytes: the largest size of all files, unpacked.

    Raises:
        ReleaseError: the file is not a ZIP file, is damaged, encrypted or too large, or contains
            a path that leads out of it or occurs twice.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            require_bearable(
                len(members), sum(one.file_size for one in members), name, most_bytes=most_bytes
            )
            _require_plain(members, name)
            files = {one.filename: archive.read(one) for one in members if not one.is_dir()}
            folders = [one.filename.removesuffix("/") for one in members if one.is_dir()]
            return _of_the_package(files | dict.fromkeys(without_files(folders, files), b""))
    except ReleaseError:
        raise
    except FileNotFoundError:
        raise ReleaseError(f'There is no package "{name}". Correct its path.') from None
    except (OSError, EOFError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise ReleaseError(
            f"{name} cannot be read as a package: {error}. Get it from its publisher again."
        ) from None


def _of_the_package(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files of the package alone, where a ZIP has it in its only folder."""
    tops = {path.split("/")[0] for path in files} - {_OF_THE_COMPUTER}
    outer = f"{tops.pop()}/" if len(tops) == 1 else ""
    if not outer or f"{outer}{CERTIFICATE}" not in files:
        return files
    inside = {path: files[path] for path in files if path.startswith(outer) and path != outer}
    return {path.removeprefix(outer): content for path, content in inside.items()}


def without_files(paths: Iterable[str], files: Iterable[str]) -> list[str]:
    """Return the paths that no file lies below, each with a slash at its end.

    Args:
        paths: the paths in a package that are not files.
        files: the paths of its files.
    """
    above = {str(folder) for file in files for folder in PurePosixPath(file).parents}
    return [f"{path}/" for path in paths if path not in above]


def require_bearable(
    n_files: int, n_bytes: int, name: str, *, most_bytes: int = MOST_BYTES, unpacked: bool = False
) -> None:
    """Require a package within the limits on the number and size of files.

    Args:
        n_files: the number of its files.
        n_bytes: their size, unpacked.
        name: its name in messages.
        most_bytes: the largest size.
        unpacked: whether it is a folder, which cannot be unpacked further.

    Raises:
        ReleaseError: the package has too many files or too many bytes.
    """
    if n_files > MOST_FILES:
        raise ReleaseError(
            f"{name} is too large for a package: it has more than {MOST_FILES:,} files. Name the "
            "package itself."
        )
    if n_bytes > most_bytes:
        raise ReleaseError(
            f"{name} is too large for a package: it has more than {most_bytes // 10**6:,} MB. Name "
            "the package itself."
            if unpacked
            else f"{name} is too large for a package: unpacked, it has more than "
            f"{most_bytes // 10**6:,} MB. Unpack it, and open the folder."
        )


def _require_plain(members: list[zipfile.ZipInfo], name: str) -> None:
    names: set[str] = set()
    for member in members:
        path = member.filename
        steps = path.removesuffix("/").split("/")
        leads_out = not {"", ".", ".."}.isdisjoint(steps) or "\\" in path or ":" in path
        if leads_out or not path.isprintable() or len(path) > _LONGEST_NAME:
            raise ReleaseError(
                f"{name} is not a package: a file in it has a path that is not allowed. Get the "
                "package from its publisher again."
            )
        if member.is_dir() and member.file_size:
            raise ReleaseError(
                f"{name} is not a package: a folder entry in it contains data. Get the package "
                "from its publisher again."
            )
        if path.casefold() in names:
            raise ReleaseError(
                f"{name} is not a package: a path occurs twice in it. Get the package from its "
                "publisher again."
            )
        names.add(path.casefold())
        if member.compress_type not in _METHODS:
            raise ReleaseError(
                f"{name} is not a package: its compression method is not supported. Get the "
                "package from its publisher again."
            )
