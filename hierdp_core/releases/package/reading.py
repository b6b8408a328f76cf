"""A package as its readers use it: verified, with tables, margins and certificate."""

import hashlib
import io
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hierdp_core.exceptions import ReleaseError
from hierdp_core.releases.package.certificate import as_json
from hierdp_core.releases.package.signatures import SIGNATURE, Signature, signature_of
from hierdp_core.releases.package.unpacking import (
    MOST_UPLOADED,
    require_bearable,
    unpacked,
    without_files,
)
from hierdp_core.releases.package.writing import (
    CERTIFICATE,
    MEASUREMENTS_OF_PARTS,
    PAGE,
    PARTS,
)
from hierdp_core.util.parquet import read_parquet
from hierdp_core.util.text import counted, paragraph
from hierdp_core.writers.defused import file_words

if TYPE_CHECKING:
    import geopandas as gpd

# The errors of pyarrow, and those of pandas if the metadata of a file is wrong.
_UNREADABLE = (ValueError, OSError, LookupError, TypeError, AttributeError, RuntimeError)
_NUMBERS = {"value", "margin", "low", "high", "bias"}
_AREAS = ({"id", "name"}, {"origin", "origin_name", "destination", "destination_name"})
_MOST_CELLS, _LONGEST_TEXT = 50_000_000, 10_000  # limits for a table, and for a text in it


@dataclass(frozen=True, eq=False, kw_only=True)
class Package:
    """A release as it was published for data users.

    Attributes:
        certificate: the certificate, as plain values.
        tables: the released numbers with margins, by the name of the level. For a release in parts,
            only the upper levels have tables. The columns are described in
            `data-dictionary.csv`.
        page: `certificate.html`, to read and to print.
        certificate_hash: the SHA-256 of `certificate.json`, as the ledger has it.
        signature: the state of its signature.
        maps: the content of a GeoPackage for each level with shapes, by name; see `shapes`.
        parts: for a release in parts, one file with the lower levels of each area of the last level
            with a table, in the order of that table; see `part`.
        part_hashes: the SHA-256 of each part, as the certificate states it.
    """

    certificate: Mapping[str, Any] = field(repr=False)
    tables: Mapping[str, pd.DataFrame] = field(repr=False)
    page: bytes = field(repr=False)
    certificate_hash: str
    signature: Signature = Signature.NONE
    maps: Mapping[str, bytes] = field(repr=False, default_factory=dict)
    parts: tuple[Path, ...] = field(repr=False, default=())
    part_hashes: tuple[str, ...] = field(repr=False, default=())

    @property
    def guarantee(self) -> str:
        """The privacy guarantee in words."""
        return str(self.certificate["guarantee"]["sentence"])

    @property
    def title(self) -> str:
        """The title of the release, or the name of its dataset if it has no title."""
        return str(self.certificate["title"] or self.certificate["dataset"])

    def part(self, number: int) -> pd.DataFrame:
        """Return the levels below one area of the last level with a table, for a release in parts.

        Raises:
            ReleaseError: there is no such part, it cannot be read, or it was changed since the
                package was opened.
        """
        if not 0 <= number < len(self.parts):
            if not self.parts:
                raise ReleaseError("The package has no parts. Read its numbers from `tables`.")
            raise ReleaseError(
                f"The package has no part {number}. Choose one of its "
                f"{counted(len(self.parts), 'part')}, which are numbered from 0."
            )
        return _numbers_of(content_of_part(self, number), self.parts[number].name)

    def shapes(self, level: str) -> "gpd.GeoDataFrame | None":
        """Return the released numbers of a level with the shapes of its areas.

        None if the package has no map of that level.

        Raises:
            ReleaseError: the map cannot be read.
        """
        if level not in self.maps:
            return None
        import geopandas as gpd
        from pyogrio.errors import DataSourceError

        try:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "level.gpkg"
                file.write_bytes(self.maps[level])
                return gpd.read_file(file, engine="pyogrio")
        except (DataSourceError, ValueError) as error:
            raise ReleaseError(
                f"The map of level {level} cannot be read: {error}. Get the package from its "
                "publisher again."
            ) from None


def content_of_part(package: Package, number: int) -> bytes:
    """Return the content of a part, which is read from the disk each time.

    Raises:
        ReleaseError: the part cannot be read, or was changed since the package was opened.
    """
    file = package.parts[number]
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ReleaseError(
            f"{file} cannot be read: {error.strerror}. Correct its permissions, or get the package "
            "from its publisher again."
        ) from None
    if hashlib.sha256(content).hexdigest() != package.part_hashes[number]:
        raise ReleaseError(
            f"{file} was changed since the package was opened. Get the package from its publisher "
            "again."
        )
    return content


def open_release(path: str | Path, *, public_key: str | Path | None = None) -> Package:
    """Open a package after checking the hash of every file in it.

    Hashes show that a package is complete. Only a signature that was checked with `public_key`
    shows who published it. Without a key, `certificate.sig` may have any content.

    Args:
        path: a folder or a ZIP that `Release.write` made.
        public_key: a PEM file from the publisher; the package must be signed with the matching
            private key.

    Raises:
        ReleaseError: the file is not a package, a file in it is missing, changed or added, it is
            not signed with that key, or the key cannot be read.
    """
    files = package_bytes(Path(path))
    parts = tuple(file for file in _large_files(Path(path)) if file.parent.name == PARTS)
    digests = digests_of(files, Path(path))
    return _verified(files, digests, Path(path), public_key=public_key, parts=parts)


def open_uploaded(content: bytes, name: str, *, public_key: str | Path | None = None) -> Package:
    """Open a package that was uploaded as a ZIP, after checking the hash of every file in it.

    It is unpacked in memory, with lower limits than in `open_release`.

    Args:
        content: the content of the ZIP.
        name: the name of the file, for messages.
        public_key: as in `open_release`.

    Raises:
        ReleaseError: as in `open_release`, or it is too large.
    """
    files = unpacked(io.BytesIO(content), name, most_bytes=MOST_UPLOADED)
    digests = {file: hashlib.sha256(inside).hexdigest() for file, inside in files.items()}
    return _verified(files, digests, Path(name), public_key=public_key)


def _verified(
    files: Mapping[str, bytes],
    digests: Mapping[str, str],
    path: Path,
    *,
    public_key: str | Path | None,
    parts: tuple[Path, ...] = (),
) -> Package:
    certificate = certificate_of(files, path)
    signature = signature_of(files, CERTIFICATE, public_key)
    if faults := faults_of(digests, certificate):
        raise ReleaseError(
            paragraph(
                f"{path} is not as it was released.",
                faults[0],
                "Get the package from its publisher again.",
            )
        )
    tables = _tables(files, path)
    order = list(dict.fromkeys(str(row["level"]) for row in certificate["fitness_for_use"]))
    drawn = {_stem(name): content for name, content in files.items() if name.startswith("maps/")}
    stems = dict(zip(order, file_words(order), strict=True))
    stems |= {level: stem for level, (stem, _) in tables.items()}
    return Package(
        certificate=certificate,
        tables={level: tables[level][1] for level in order if level in tables},
        page=files.get(PAGE, b""),
        certificate_hash=hashlib.sha256(files[CERTIFICATE]).hexdigest(),
        signature=signature,
        maps={level: drawn[stem] for level, stem in stems.items() if stem in drawn},
        parts=parts,
        part_hashes=tuple(digests[part.relative_to(path).as_posix()] for part in parts),
    )


def _tables(files: Mapping[str, bytes], path: Path) -> dict[str, tuple[str, pd.DataFrame]]:
    """Return for each level, by name, the stem of its files and its numbers."""
    tables = {}
    for name, content in files.items():
        if PurePosixPath(name).suffix != ".parquet":
            continue
        frame = _numbers_of(content, f"{path}: {name}")
        level = str(frame["level"].iloc[0]) if len(frame) else _stem(name)
        tables[level] = (_stem(name), frame)
    return tables


def _numbers_of(content: bytes, name: str) -> pd.DataFrame:
    try:
        _require_decodable(content)
        frame: pd.DataFrame = read_parquet(content).to_pandas()
    except _UNREADABLE:
        frame = pd.DataFrame()
    if not _is_released(frame):
        raise ReleaseError(
            f"{name} is not a table of a release. Get the package from its publisher again."
        )
    return frame


def _is_released(frame: pd.DataFrame) -> bool:
    """Return whether a table has the columns that readers of a package use."""
    columns = {*frame.columns}
    if not columns >= {"level", *_NUMBERS} or not any(columns >= area for area in _AREAS):
        return False
    return all(pd.api.types.is_numeric_dtype(frame[name]) for name in _NUMBERS)


def _require_decodable(content: bytes) -> None:
    """Require a table within limits, since a small file can hold long texts many times.

    Raises:
        ValueError: the file is not a Parquet file, or is too large.
    """
    with pq.ParquetFile(pa.BufferReader(content)) as file:
        rows, schema = file.metadata.num_rows, file.schema_arrow
    if rows * len(schema) > _MOST_CELLS:
        raise ValueError("too many numbers")
    texts = [one.name for one in schema if one.type in (pa.string(), pa.large_string())]
    with pq.ParquetFile(pa.BufferReader(content), read_dictionary=texts) as file:
        for column in file.read(texts, use_threads=False).columns:
            longest = (pc.max(pc.utf8_length(chunk.dictionary)).as_py() for chunk in column.chunks)
            if max((n or 0 for n in longest), default=0) > _LONGEST_TEXT:
                raise ValueError("too long a text")


def _stem(name: str) -> str:
    return PurePosixPath(name).stem


def package_bytes(path: Path) -> dict[str, bytes]:
    """Return every file of a package by its path, except for the files of parts.

    An empty folder, or a link that leads to no file, has a path that ends in a slash and no
    content. No certificate names such a path.

    Raises:
        ReleaseError: there is no package, or it cannot be read.
    """
    if not path.is_dir():
        return unpacked(path, str(path))
    try:
        large = {*_large_files(path)}
        within = sorted(path.rglob("*"))
        files = [file for file in within if file.is_file() and file not in large]
        n_bytes = sum(file.stat().st_size for file in files)
        require_bearable(len(files), n_bytes, str(path), unpacked=True)
        contents = {file.relative_to(path).as_posix(): file.read_bytes() for file in files}
        others = [one.relative_to(path).as_posix() for one in within if not one.is_file()]
        parts = (file.relative_to(path).as_posix() for file in large)
        return contents | dict.fromkeys(without_files(others, [*contents, *parts]), b"")
    except OSError as error:
        raise ReleaseError(
            f"{path} cannot be read as a package: {error}. Correct its path or permissions."
        ) from None


def digests_of(files: Mapping[str, bytes], path: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of a package by its path.

    Args:
        files: the files of `package_bytes`.
        path: the path of the package, whose parts are read one at a time.

    Raises:
        ReleaseError: a part cannot be read.
    """
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    for file in _large_files(path):
        try:
            with file.open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
        except OSError as error:
            raise ReleaseError(
                f"{file} cannot be read: {error.strerror}. Correct its permissions."
            ) from None
        digests[file.relative_to(path).as_posix()] = digest
    return digests


def _large_files(path: Path) -> list[Path]:
    """Return the files of a release in parts that are read one at a time."""
    if not path.is_dir():
        return []
    folders = (path / PARTS, path / MEASUREMENTS_OF_PARTS)
    return sorted(file for folder in folders for file in folder.rglob("*") if file.is_file())


def certificate_of(files: Mapping[str, bytes], path: Path) -> dict[str, Any]:
    """Return the certificate of a package.

    Raises:
        ReleaseError: the package has no certificate, or it is damaged.
    """
    try:
        certificate = json.loads(files[CERTIFICATE])
        as_json(certificate)  # what cannot be written as JSON in UTF-8 cannot be shown either
    except KeyError:
        raise ReleaseError(
            f"{path} is not a package: it has no {CERTIFICATE}. Name the package itself."
        ) from None
    except (ValueError, RecursionError):
        raise ReleaseError(_damaged(path)) from None
    if isinstance(certificate, dict) and certificate.get("format", 1) != 1:
        raise ReleaseError(
            f"{path} was written by a newer version of HierDP. Install that version."
        )
    if not _has_what_is_read(certificate):
        raise ReleaseError(_damaged(path))
    return dict(certificate)


def _damaged(path: Path) -> str:
    return f"{path}: {CERTIFICATE} is damaged. Get the package from its publisher again."


def _has_what_is_read(certificate: Any) -> bool:
    """Return whether a certificate, which anyone may have written, has all values that are used."""
    try:
        texts = [
            certificate["release"],
            certificate["guarantee"]["sentence"],
            *certificate["files"].values(),
        ]
        texts += [certificate["title"], certificate["dataset"]]
        texts += [certificate["ledger"]["hash"], certificate["ledger"]["reserved_hash"]]
        texts += [row["level"] for row in certificate["fitness_for_use"]]
        numbers = [
            certificate["format"],
            certificate["ledger"]["number"],
            certificate["ledger"]["reserved_number"],
        ]
        events = certificate["budget"]["events"]
        texts += [
            certificate["released"],
            certificate["noise_source"],
            certificate["mechanism"]["title"],
        ]
        texts += [certificate["guarantee"][name] for name in ("privacy_unit", "difference")]
        texts += [certificate["plan_chosen_on"]["sentence"]]
        texts += [one["fact"] for one in certificate["treated_as_public"]]
        numbers += [certificate["margins"]["simulations"]]
        share = certificate["margins"]["level"]
    except (AttributeError, KeyError, TypeError):
        return False
    whole = all(isinstance(number, int) for number in numbers) and isinstance(share, float)
    return (
        whole
        and 0 < share < 1
        and all(isinstance(text, str) for text in texts)
        and isinstance(events, list)
    )


def faults_of(digests: Mapping[str, str], certificate: Mapping[str, Any]) -> list[str]:
    """Return the differences between the files and the certificate, one sentence each."""
    files_of_certificate = certificate["files"]
    faults = [
        f"{name} is missing." for name in sorted(files_of_certificate.keys() - digests.keys())
    ]
    for name in sorted(digests.keys() - {CERTIFICATE, SIGNATURE}):
        if name not in files_of_certificate:
            faults.append(f"{name} is not in the certificate.")
        elif digests[name] != files_of_certificate[name]:
            faults.append(f"{name} was changed.")
    return faults
