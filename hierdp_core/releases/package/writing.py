"""The package of a release: a folder or a ZIP that is either complete or absent."""

import hashlib
import secrets
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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
    MISSING_FLOWS,
    NEAR_MARGINS,
    as_csv,
    as_parquet,
    level_frame,
    meanings,
    write_geopackage,
)
from hierdp_core.tables import KINDS
from hierdp_core.util.disk import sync_file, sync_folder
from hierdp_core.util.text import confidence
from hierdp_core.writers.defused import file_words

if TYPE_CHECKING:
    import pandas as pd

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
    signed: bool = False,
) -> dict[str, bytes]:
    """Return every file of a package by its path, from the release and public facts alone.

    The signature is not among them, since it covers the certificate.
    """
    files = table_files(margins, boundaries=boundaries)
    if measurements:
        files[MEASUREMENTS] = to_bytes(to_arrays(release.noisy))
    files[DICTIONARY] = dictionary(margins)
    files[README] = readme(release, margins, files=files, signed=signed).encode()
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
    levels = margins.table.regions.levels
    for level, (name, word) in enumerate(zip(levels, file_words(levels), strict=True)):
        frame = level_frame(margins, level)
        files[f"tables/{word}.csv"] = as_csv(frame)
        files[f"tables/{word}.parquet"] = as_parquet(frame)
        drawn = drawn_level(boundaries, name, frame)
        if drawn is not None and boundaries is not None:
            files[f"maps/{word}.gpkg"] = geopackage(frame, boundaries, drawn)
    return files


def drawn_level(boundaries: "Boundaries | None", level: str, frame: "pd.DataFrame") -> int | None:
    """Return the level of boundaries that has a shape for every area of a table.

    None if there is no such level.

    Args:
        boundaries: boundaries with a level of the same name, of these areas and perhaps others.
        level: the name of the level.
        frame: the rows of the table.
    """
    if boundaries is None or "id" not in frame or level not in boundaries.regions.levels:
        return None
    at = boundaries.regions.level_index(level)
    known = {*boundaries.regions.ids[boundaries.regions.tree.level(at)]}
    return at if boundaries.has(at) and known.issuperset(frame["id"]) else None


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
        ReleaseError: the path exists already, or cannot be written.
    """
    with appearing_whole(path) as hidden:
        files = package_files(
            release,
            margins=margins,
            boundaries=boundaries,
            measurements=measurements,
            signed=signer is not None,
        )
        if signer is not None:
            files[SIGNATURE] = signer.sign(files[CERTIFICATE])
        if path.suffix.lower() == ".zip":
            _write_zip(hidden, files)
        else:
            write_files(hidden, files)
    return files[CERTIFICATE]


@contextmanager
def appearing_whole(path: Path) -> Iterator[Path]:
    """Yield a hidden path, which is renamed to `path` when the complete package is on the disk.

    If the package cannot be written, all of its files are removed.

    Raises:
        ReleaseError: the path exists already, or the package cannot be written.
    """
    require_new(path)
    hidden = path.with_name(f".{path.name}.{secrets.token_hex(4)}").absolute()
    try:
        yield hidden
        for folder in (hidden, *hidden.rglob("*")):
            if folder.is_dir():
                sync_folder(folder)
        _put(hidden, path)
        sync_folder(hidden.parent)
    except OSError as error:
        raise ReleaseError(
            f"{path} cannot be written: {error.strerror or error}. The noisy measurements are "
            "stored. Repeat the release to write its package, without new noise and without cost."
        ) from None
    finally:
        if hidden.is_dir():
            shutil.rmtree(hidden, ignore_errors=True)
        else:
            hidden.unlink(missing_ok=True)


def _put(hidden: Path, path: Path) -> None:
    """Give a package its path, unless something was put there since `require_new`.

    Raises:
        OSError: something is there.
    """
    if hidden.is_dir():
        hidden.replace(path)  # fails unless the path is free or an empty folder
        return
    try:
        path.hardlink_to(hidden)
    except FileExistsError:
        raise
    except OSError:  # the file system has no hard links
        require_new(path)
        hidden.replace(path)


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Write files of a package by their paths in it, and wait until they are on the disk."""
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        sync_file(target)


def require_new(path: Path) -> None:
    """Require a path where a package can be put.

    Raises:
        ReleaseError: the path exists already, or its folder does not exist.
    """
    if path.exists():
        raise ReleaseError(f"{path} already exists. Name a new folder or ZIP for the package.")
    if not path.absolute().parent.is_dir():
        raise ReleaseError(
            f"{path} cannot be written: there is no folder {path.parent}. Name a folder that "
            "exists."
        )


def _write_zip(path: Path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, date_time=_LONG_AGO)
            info.external_attr = 0o644 << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    sync_file(path)


def geopackage(frame: "pd.DataFrame", boundaries: "Boundaries", level: int) -> bytes:
    """Return a GeoPackage of the rows of a table, with the shapes of a level of boundaries."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "level.gpkg"
        write_geopackage(path, frame, boundaries, level)
        return path.read_bytes()


def dictionary(margins: Margins) -> bytes:
    """Return the meanings of the columns of the tables, as CSV."""
    import pandas as pd

    columns = level_frame(margins, 0).columns
    about = meanings(margins.table, columns)
    rows = [{"column": name, "meaning": meaning} for name, meaning in about.items()]
    return as_csv(pd.DataFrame(rows))


def readme(
    release: "Release | PartitionedRelease",
    margins: "Margins | PartsMargins",
    *,
    files: Iterable[str],
    signed: bool,
) -> str:
    """Return the text of README.md, for readers of the package.

    Args:
        release: the release.
        margins: the margins of its numbers.
        files: the paths of the other files in the package.
        signed: whether the package is signed.
    """
    entry, percent = release.entry, confidence(margins.level)
    contents = "\n".join(_contents({*files}, signed=signed))
    flows = isinstance(margins, Margins) and KINDS[margins.table.kind].between_regions
    missing = f" {MISSING_FLOWS}" if flows else ""
    return f"""# {entry.plan["title"] or entry.dataset}

This package is a differentially private release. Its numbers are estimates with noise, apart from
the facts that are treated as public. The next paragraph names these facts.

{release.privacy.sentence}

The package contains:

{contents}

Margins have a confidence of {percent}. They come from {margins.n_simulations:,} simulations of
the mechanism on the released numbers, with the public seed {margins.seed}. The method assumes that
errors on the exact counts are distributed like the errors in these simulations.
{NEAR_MARGINS}{missing}

If HierDP is installed, `hierdp --package PATH` shows the released numbers. In Python,
`hierdp_core.open_release(path)` returns tables with margins, and the certificate. Both first check
the files against the hashes in the certificate.
"""


def _contents(files: set[str], *, signed: bool) -> Iterator[str]:
    """Yield one line for each kind of file in a package."""
    folders = {name.partition("/")[0] for name in files if "/" in name}
    levels = "of the upper levels" if PARTS in folders else "of every level"
    yield f"- `tables/`: the released numbers {levels}, as CSV and Parquet, with margins of error."
    if PARTS in folders:
        yield f"- `{PARTS}/`: the released numbers of the lower levels, as Parquet."
    if "maps" in folders:
        yield "- `maps/`: the numbers of levels with boundaries, and their shapes, as GeoPackage."
    yield f"- `{DICTIONARY}`: the meanings of the columns."
    if MEASUREMENTS in files:
        yield f"- `{MEASUREMENTS}`: the noisy measurements, as NumPy arrays."
    if MEASUREMENTS_OF_PARTS in folders:
        yield f"- `{MEASUREMENTS_OF_PARTS}/`: the noisy measurements, as NumPy arrays."
    yield f"- `{PAGE}`: the certificate, which states what was done and what is guaranteed."
    yield f"- `{CERTIFICATE}`: the certificate for programs, with the hashes of the other files."
    if signed:
        yield f"- `{SIGNATURE}`: the signature of `{CERTIFICATE}`, for which there is no hash."
