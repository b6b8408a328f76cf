"""The package of a release in parts: a folder that is there whole or not at all.

Tables of the areas down to the cut stand in `tables/`, as in any package. Every part has one
Parquet file in `parts/` with all of its lower levels, written while no other is in memory.
"""

import hashlib
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hierdp_core.exceptions import ReleaseError
from hierdp_core.hierarchy import Regions
from hierdp_core.mechanisms.base import Plan
from hierdp_core.releases.margins import Margins
from hierdp_core.releases.measurements import from_arrays
from hierdp_core.releases.package.certificate import as_json, certificate
from hierdp_core.releases.package.page import certificate_page
from hierdp_core.releases.package.signatures import SIGNATURE, Signer
from hierdp_core.releases.package.tables import as_parquet, level_frame
from hierdp_core.releases.package.writing import (
    CERTIFICATE,
    DICTIONARY,
    MEASUREMENTS_OF_PARTS,
    PAGE,
    PARTS,
    README,
    dictionary,
    readme,
    require_new,
    table_files,
)
from hierdp_core.releases.parts.margins import TOP, PartsMargins, margins_of_parts
from hierdp_core.releases.parts.stored import StoredParts, part_name
from hierdp_core.scale.partitioned import (
    KINDS,
    Part,
    PartInfo,
    PartitionedTable,
    values_below,
    write_part,
)
from hierdp_core.scale.ways import Way
from hierdp_core.simulation import Checks, check
from hierdp_core.tables import Table
from hierdp_core.util.arrays import FloatArray, NumberArray
from hierdp_core.util.disk import sync_file, sync_folder
from hierdp_core.util.parallel import in_parallel
from hierdp_core.util.progress import ProgressOption, reporting

if TYPE_CHECKING:
    from hierdp_core.releases.parts.making import PartitionedRelease

_README = """
Areas below level “{cut}” are in `parts/`, one Parquet file for each area of that level, in the
order of its table. Each has the columns of the other tables.
"""


def write_parts_package(
    path: Path,
    release: "PartitionedRelease",
    *,
    level: float,
    n_simulations: int,
    measurements: bool,
    signer: Signer | None,
    workers: int | None,
    client: Any,
    progress: ProgressOption,
) -> bytes:
    """Write a package part by part, and return the content of its certificate.

    For the arguments see `PartitionedRelease.write`.

    Raises:
        ReleaseError: the path is there already, or cannot be written.
    """
    require_new(path)
    if path.suffix.lower() == ".zip":
        raise ReleaseError("A table in parts is released into a folder. Leave .zip out.")
    with _appearing(path, release) as (folder, work), reporting(progress, "parts") as report:
        spread = partial(in_parallel, workers=workers, client=client, progress=report)
        released, checks = _released_table(release, work / "released", workers, client)
        (work / "margins").mkdir()
        margins = margins_of_parts(
            released,
            release.way,
            work / "margins",
            seed=release.seed,
            level=level,
            n_simulations=n_simulations,
            spread=spread,
        )
        files = table_files(_top(released, release.plan, margins))
        files[DICTIONARY] = dictionary(_top(released, release.plan, margins))
        text = readme(release, margins) + _README.format(cut=released.upper.levels[-1])
        files[README] = text.encode()
        _write(folder, files)
        hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        (folder / PARTS).mkdir()
        write = partial(
            _write_part_file, released=released, plan=release.plan, margins=margins, folder=folder
        )
        hashes |= dict(spread(write, range(len(released.parts))))
        if measurements:
            hashes |= _copy_measurements(release, folder)
        stated = partial(certificate, release, margins, checks=checks)
        page = certificate_page(stated(hashes))
        hashes[PAGE] = hashlib.sha256(page).hexdigest()
        content = as_json(stated(hashes))
        last = {PAGE: page, CERTIFICATE: content}
        if signer is not None:
            last[SIGNATURE] = signer.sign(content)
        _write(folder, last)
    return content


@contextmanager
def _appearing(path: Path, release: "PartitionedRelease") -> Iterator[tuple[Path, Path]]:
    """Yield a hidden folder that takes the name of the package at the end, and one for the work.

    Raises:
        ReleaseError: it cannot be written.
    """
    hidden = path.with_name(f".{path.name}.{secrets.token_hex(4)}").absolute()
    try:
        hidden.mkdir()
        with tempfile.TemporaryDirectory(dir=hidden.parent, prefix=f".{path.name}.") as work:
            yield hidden, Path(work)
        for folder in (hidden, *(file for file in hidden.rglob("*") if file.is_dir())):
            sync_folder(folder)
        hidden.replace(path)
        sync_folder(path.absolute().parent)
    except OSError as error:
        raise ReleaseError(
            f"{path} cannot be written: {error.strerror or error}. Release {release.id} is stored: "
            "the same call writes its package again, without new noise and without cost."
        ) from None
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def _released_table(
    release: "PartitionedRelease", folder: Path, workers: int | None, client: Any
) -> tuple[PartitionedTable, Checks]:
    """The released numbers as a table in parts, and what holds of them."""
    folder.mkdir()
    settled = release.settled(workers=workers, client=client)
    given = list(enumerate(settled.given))
    settle = partial(
        _settle_part, table=release.table, way=release.way, stored=release.stored, folder=folder
    )
    found = in_parallel(settle, given, workers=workers, client=client)
    table, top = release.table, release.way.plan_of_top(release.table.upper)
    checks = check(top.domain, settled.values)
    added_up = checks.consistent and all(consistent for _, consistent in found)
    released = PartitionedTable.assemble(
        folder,
        upper=table.upper,
        levels=table.levels,
        kind=table.kind,
        n_columns=table.n_columns,
        infos=[info for info, _ in found],
        labels=table.labels,
    )
    return released, replace(checks, consistent=added_up)


def _settle_part(
    task: tuple[int, NumberArray],
    table: PartitionedTable,
    way: Way,
    stored: StoredParts,
    folder: Path,
) -> tuple[PartInfo, bool]:
    """Settle and write a part; whether its areas add up to its root, as the top has it.

    Raises:
        TableError: a number is negative.
    """
    number, given = task
    shape = table.shape(number)
    noisy = None if way.settles_all_at_once else from_arrays(stored.get(part_name(number)))
    values = way.settle_part(shape, noisy, given).astype(np.int64)
    leaves = values[shape.tree.leaves]
    root = given[0] if way.settles_all_at_once else given
    consistent = np.array_equal(values_below(shape.tree, leaves), values)
    info = write_part(folder, number, shape.tree, shape.codes, leaves)
    return info, consistent and np.array_equal(values[0], root)


def _write_part_file(
    number: int, released: PartitionedTable, plan: Plan, margins: PartsMargins, folder: Path
) -> tuple[str, str]:
    """Write the lower levels of a part; the name of the file and its hash."""
    part = released.read(number)
    table, cells = _table_of(released, part), margins.of(number)
    made = _margins(table, plan, margins, *cells)
    depths = range(1, len(released.levels) - released.cut)
    content = as_parquet(pd.concat([level_frame(made, depth) for depth in depths]))
    name = f"{PARTS}/{part_name(number)}.parquet"
    _write(folder, {name: content})
    return name, hashlib.sha256(content).hexdigest()


def _table_of(released: PartitionedTable, part: Part) -> Table:
    regions = Regions(
        tree=part.tree,
        levels=released.levels[released.cut :],
        ids=part.ids,
        names=part.ids,
        padded=np.zeros(part.tree.n_nodes, dtype=bool),
    )
    leaves = part.values[part.tree.leaves]
    return KINDS[released.kind].from_leaves(regions, leaves, **released.labels)


def _top(released: PartitionedTable, plan: Plan, margins: PartsMargins) -> Margins:
    """The margins of the areas down to the cut."""
    roots = np.array([released.read(number).values[0] for number in range(len(released.parts))])
    table = KINDS[released.kind].from_leaves(released.upper, roots, **released.labels)
    return _margins(table, plan, margins, *margins.of(TOP))


def _margins(
    table: Table, plan: Plan, margins: PartsMargins, cells: FloatArray, bias: FloatArray
) -> Margins:
    return Margins(
        table=table,
        plan=plan,
        level=margins.level,
        n_simulations=margins.n_simulations,
        seed=margins.seed,
        cells=cells,
        bias_cells=bias,
    )


def _copy_measurements(release: "PartitionedRelease", folder: Path) -> dict[str, str]:
    """Put the noisy measurements into a package; the hash of each file."""
    (folder / MEASUREMENTS_OF_PARTS).mkdir()
    hashes = {}
    for source in sorted(release.stored.folder.glob("*.npz")):
        name = f"{MEASUREMENTS_OF_PARTS}/{source.name}"
        content = source.read_bytes()
        _write(folder, {name: content})
        hashes[name] = hashlib.sha256(content).hexdigest()
    return hashes


def _write(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        sync_file(target)
