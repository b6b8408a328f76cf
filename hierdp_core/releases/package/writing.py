"""The package of a release: a folder or a ZIP that is there whole or not at all."""

import hashlib
import secrets
import shutil
import tempfile
import zipfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hierdp_core.exceptions import ReleaseError
from hierdp_core.releases.margins import Margins
from hierdp_core.releases.measurements import to_arrays, to_bytes
from hierdp_core.releases.package.certificate import as_json, certificate
from hierdp_core.releases.package.page import certificate_page
from hierdp_core.releases.package.signatures import SIGNATURE, Signer
from hierdp_core.releases.package.tables import (
    COLUMNS,
    as_csv,
    as_parquet,
    level_frame,
    write_geopackage,
)
from hierdp_core.util.disk import sync_file, sync_folder
from hierdp_core.writers.defused import file_words

if TYPE_CHECKING:
    from hierdp_core.maps.boundaries import Boundaries
    from hierdp_core.releases.making import Release
    from hierdp_core.releases.parts.making import PartitionedRelease
    from hierdp_core.releases.parts.margins import PartsMargins

CERTIFICATE, PAGE, README = "certificate.json", "certificate.html", "README.md"
DICTIONARY, MEASUREMENTS = "data-dictionary.csv", "noisy-measurements.npz"
PARTS, MEASUREMENTS_OF_PARTS = "parts", "noisy-measurements"  # folders, of a release in parts
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def package_files(
    release: "Release",
    *,
    margins: Margins,
    boundaries: "Boundaries | None" = None,
    measurements: bool = False,
) -> dict[str, bytes]:
    """Return every file of a package by its path, from the release and public facts alone."""
    files = table_files(margins, boundaries=boundaries)
    if measurements:
        files[MEASUREMENTS] = to_bytes(to_arrays(release.noisy))
    files[DICTIONARY] = dictionary(margins)
    files[README] = readme(release, margins).encode()
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    stated = partial(certificate, release, margins, checks=release.checks)
    page = certificate_page(stated(hashes))
    hashes[PAGE] = hashlib.sha256(page).hexdigest()
    files[PAGE] = page
    files[CERTIFICATE] = as_json(stated(hashes))
    return files


def table_files(margins: Margins, *, boundaries: "Boundaries | None" = None) -> dict[str, bytes]:
    """Return the files with the released numbers of every level, by their paths in a package."""
    files: dict[str, bytes] = {}
    for level, word in enumerate(file_words(margins.table.regions.levels)):
        frame = level_frame(margins, level)
        files[f"tables/{word}.csv"] = as_csv(frame)
        files[f"tables/{word}.parquet"] = as_parquet(frame)
        drawn = boundaries is not None and boundaries.has(level) and "id" in frame
        if drawn and boundaries is not None:
            files[f"maps/{word}.gpkg"] = _geopackage(frame, boundaries, level)
    return files


def write_package(
    path: Path,
    release: "Release",
    *,
    margins: Margins,
    boundaries: "Boundaries | None" = None,
    measurements: bool = False,
    signer: Signer | None = None,
) -> bytes:
    """Write a package, and return the content of its certificate.

    Raises:
        ReleaseError: the path is there already, or cannot be written.
    """
    require_new(path)
    files = package_files(
        release, margins=margins, boundaries=boundaries, measurements=measurements
    )
    if signer is not None:
        files[SIGNATURE] = signer.sign(files[CERTIFICATE])
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        if path.suffix.lower() == ".zip":
            _write_zip(part, files)
        else:
            _write_folder(part, files)
        part.replace(path)
        sync_folder(path.absolute().parent)
    except OSError as error:
        raise ReleaseError(
            f"{path} cannot be written: {error.strerror or error}. The release is stored: the same "
            "call writes its package again, without new noise and without cost."
        ) from None
    finally:
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)
    return files[CERTIFICATE]


def require_new(path: Path) -> None:
    """Require a path where a package can be put.

    Raises:
        ReleaseError: something is there, or its folder is not.
    """
    if path.exists():
        raise ReleaseError(f"{path} is there already. Name a new folder or ZIP for the package.")
    if not path.absolute().parent.is_dir():
        raise ReleaseError(f"{path} cannot be written: there is no folder {path.parent}.")


def _write_folder(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    for name in files:
        sync_file(folder / name)
    for inner in sorted({(folder / name).parent for name in files}):
        sync_folder(inner)


def _write_zip(path: Path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, date_time=_LONG_AGO)
            info.external_attr = 0o644 << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    sync_file(path)


def _geopackage(frame: "object", boundaries: "Boundaries", level: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "level.gpkg"
        write_geopackage(path, frame, boundaries, level)  # type: ignore[arg-type]
        return path.read_bytes()


def dictionary(margins: Margins) -> bytes:
    """Return what the columns of the tables mean, as CSV."""
    import pandas as pd

    columns = level_frame(margins, 0).columns
    rows = [{"column": name, "meaning": COLUMNS[name]} for name in columns]
    return as_csv(pd.DataFrame(rows))


def readme(release: "Release | PartitionedRelease", margins: "Margins | PartsMargins") -> str:
    """Return what a reader should know first."""
    entry, percent = release.entry, f"{100 * margins.level:g}%"
    return f"""# {entry.plan["title"] or entry.dataset}

This folder is a private release. Every number in it is an estimate with noise, not a true count.

{release.privacy.sentence}

- `tables/`: the released numbers of every level, as CSV and Parquet, with margins of error.
- `data-dictionary.csv`: what the columns mean.
- `certificate.html`: what was done and what it guarantees; `certificate.json` for programs.

Margins are at level {percent}. They come from {margins.n_simulations:,} simulations of
the mechanism on the released numbers, with the public seed {margins.seed}. An empty margin means
that all simulations agreed, so the error of the number is not known.

`hdp.open_release(path)` checks the hash of every file and gives tables, margins and certificate.
"""
