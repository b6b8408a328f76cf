"""A package as its readers have it: verified, with tables, margins and certificate."""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd

from hierdp_core.exceptions import ReleaseError
from hierdp_core.releases.package.writing import CERTIFICATE

_MOST_FILES = 1_000
_MOST_BYTES = 2_000_000_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Package:
    """A release as published: what a data user sees.

    Attributes:
        certificate: what was done and what it guarantees.
        tables: for each level by its name, the released numbers with margins; see
            `data-dictionary.csv`.
        certificate_hash: the SHA-256 of `certificate.json`, as the ledger has it.
    """

    certificate: Mapping[str, Any] = field(repr=False)
    tables: Mapping[str, pd.DataFrame] = field(repr=False)
    certificate_hash: str

    @property
    def guarantee(self) -> str:
        """The privacy guarantee in words."""
        return str(self.certificate["guarantee"]["sentence"])


def open_release(path: str | Path) -> Package:
    """Open a package, after the hash of every file in it was checked.

    Args:
        path: a folder or a ZIP that `Release.write` made.

    Raises:
        ReleaseError: it is no package, or a file in it is missing, changed or added.
    """
    files = package_bytes(Path(path))
    certificate = certificate_of(files, Path(path))
    if faults := faults_of(files, certificate):
        raise ReleaseError(f"{path} is not as it was released. {faults[0]}")
    tables = {}
    for name, content in files.items():
        if PurePosixPath(name).suffix == ".parquet":
            try:
                frame = pd.read_parquet(io.BytesIO(content))
                level = str(frame["level"].iloc[0]) if len(frame) else PurePosixPath(name).stem
            except (ValueError, KeyError, OSError):  # pyarrow's errors are among them
                raise ReleaseError(f"{path}: {name} is no table of a release.") from None
            tables[level] = frame
    order = [str(row["level"]) for row in certificate["fitness_for_use"]]
    tables = dict(
        sorted(tables.items(), key=lambda item: order.index(item[0]) if item[0] in order else -1)
    )
    return Package(
        certificate=certificate,
        tables=tables,
        certificate_hash=hashlib.sha256(files[CERTIFICATE]).hexdigest(),
    )


def package_bytes(path: Path) -> dict[str, bytes]:
    """Return every file of a package by its path.

    Raises:
        ReleaseError: there is none, or it cannot be read.
    """
    try:
        if path.is_dir():
            found = sorted(file for file in path.rglob("*") if file.is_file())
            _require_bearable(len(found), sum(file.stat().st_size for file in found), path)
            return {file.relative_to(path).as_posix(): file.read_bytes() for file in found}
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            _require_bearable(len(members), sum(m.file_size for m in members), path)
            return {member.filename: archive.read(member) for member in members}
    except FileNotFoundError:
        raise ReleaseError(f"There is no package {path}.") from None
    except (OSError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise ReleaseError(f"{path} cannot be read as a package: {error}.") from None


def certificate_of(files: Mapping[str, bytes], path: Path) -> dict[str, Any]:
    """Return the certificate of a package.

    Raises:
        ReleaseError: there is none, or it is damaged.
    """
    try:
        found = json.loads(files[CERTIFICATE])
    except KeyError:
        raise ReleaseError(f"{path} is no package: it has no {CERTIFICATE}.") from None
    except ValueError:
        raise ReleaseError(f"{path}: {CERTIFICATE} is damaged.") from None
    if isinstance(found, dict) and found.get("format", 1) != 1:
        raise ReleaseError(
            f"{path} was written by a newer version of HierDP. Install that version."
        )
    if not _has_what_is_read(found):
        raise ReleaseError(f"{path}: {CERTIFICATE} is damaged.")
    return dict(found)


def _has_what_is_read(found: Any) -> bool:
    """Whether a certificate, which anybody may have written, holds what is looked up in it."""
    try:
        texts = [found["release"], found["guarantee"]["sentence"], *found["files"].values()]
        texts += [found["ledger"]["hash"], found["ledger"]["reserved_hash"]]
        texts += [row["level"] for row in found["fitness_for_use"]]
        numbers = [found["format"], found["ledger"]["number"], found["ledger"]["reserved_number"]]
        events = found["budget"]["events"]
    except (AttributeError, KeyError, TypeError):
        return False
    whole = all(isinstance(number, int) for number in numbers)
    return whole and all(isinstance(text, str) for text in texts) and isinstance(events, list)


def faults_of(files: Mapping[str, bytes], certificate: Mapping[str, Any]) -> list[str]:
    """Return which files are not those of the certificate, a sentence each."""
    stated = certificate["files"]
    faults = [f"{name} is missing." for name in sorted(stated.keys() - files.keys())]
    for name in sorted(files.keys() - {CERTIFICATE}):
        if name not in stated:
            faults.append(f"{name} is not in the certificate.")
        elif hashlib.sha256(files[name]).hexdigest() != stated[name]:
            faults.append(f"{name} was changed.")
    return faults


def _require_bearable(n_files: int, n_bytes: int, path: Path) -> None:
    if n_files > _MOST_FILES or n_bytes > _MOST_BYTES:
        raise ReleaseError(f"{path} is too large for a package.")
