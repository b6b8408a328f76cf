"""The package of a release in parts: a folder that is either complete or absent.

The cut is the level whose areas are the roots of the parts. Tables of the levels down to the cut
are in `tables/`, as in any package. Every part has one Parquet file in `parts/` with all of its
lower levels. At no time are all parts in memory.
"""

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

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
    appearing_whole,
    dictionary,
    drawn_level,
    geopackage,
    readme,
    table_files,
    write_files,
)
from hierdp_core.releases.parts.margins import TOP, PartsMargins, margins_of_parts
from hierdp_core.releases.parts.stored import TOP as TOP_MEASURED
from hierdp_core.releases.parts.stored import StoredParts, part_name
from hierdp_core.scale.partitioned import (
    KINDS,
    ROWS_A_GROUP,
    Part,
    PartInfo,
    PartitionedTable,
    values_below,
    write_part,
)
from hierdp_core.scale.ways import PartStrategy
from hierdp_core.simulation import Checks, check
from hierdp_core.tables import Table
from hierdp_core.util.arrays import FloatArray, NumberArray
from hierdp_core.util.parallel import in_parallel
from hierdp_core.util.progress import ProgressOption, reporting
from hierdp_core.writers.defused import file_words

if TYPE_CHECKING:
    from hierdp_core.maps.boundaries import Boundaries
    from hierdp_core.releases.parts.making import PartitionedRelease

_README = """
The tables in `tables/` reach down to the level “{cut}”. Areas below it are in `parts/`. There is
one Parquet file for each area of the level “{cut}”, in the order of its table. These files have the
same columns as the tables.
"""


def write_parts_package(
    path: Path,
    release: "PartitionedRelease",
    *,
    level: float,
    n_simulations: int,
    boundaries: "Boundaries | None",
    measurements: bool,
    signer: Signer | None,
    workers: int | None,
    client: Any,
    progress: ProgressOption,
) -> bytes:
    """Write a package part by part, and return the content of its certificate.

    For the arguments see `PartitionedRelease.write`.

    Raises:
        ReleaseError: the path exists already, or cannot be written.
        ChoiceError: the level or the number of simulations lies outside its range.
    """
    require_folder(path)
    with _appearing(path) as (folder, work), reporting(progress, "parts") as report:
        spread = partial(in_parallel, workers=workers, client=client, progress=report)
        released, checks = _released_table(release, work / "released", workers, client)
        (work / "margins").mkdir()
        margins = margins_of_parts(
            released,
            release.strategy,
            work / "margins",
            seed=release.seed,
            level=level,
            n_simulations=n_simulations,
            spread=spread,
        )
        files = table_files(_top(released, release.plan, margins), boundaries=boundaries)
        files[DICTIONARY] = dictionary(_top(released, release.plan, margins))
        write_files(folder, files)
        hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        (folder / PARTS).mkdir()
        write = partial(
            _write_part_file, released=released, plan=release.plan, margins=margins, folder=folder
        )
        hashes |= dict(spread(write, range(len(released.parts))))
        hashes |= _write_maps(folder, released, boundaries)
        if measurements:
            hashes |= _copy_measurements(release, folder)
        text = readme(release, margins, files=hashes, signed=signer is not None)
        text += _README.format(cut=released.upper.levels[-1])
        write_files(folder, {README: text.encode()})
        hashes[README] = hashlib.sha256(text.encode()).hexdigest()
        stated = partial(certificate, release, margins, checks=checks)
        page = certificate_page(stated(hashes))
        hashes[PAGE] = hashlib.sha256(page).hexdigest()
        content = as_json(stated(hashes))
        last = {PAGE: page, CERTIFICATE: content}
        if signer is not None:
            last[SIGNATURE] = signer.sign(content)
        write_files(folder, last)
    return content


def require_folder(path: Path) -> None:
    """Require a path for a folder, since the package of a table in parts is never a ZIP.

    Raises:
        ReleaseError: the path ends in .zip.
    """
    if path.suffix.lower() == ".zip":
        raise ReleaseError(
            "A table in parts is released to a folder. Give a path that does not end in .zip."
        )


@contextmanager
def _appearing(path: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the hidden folder of a package, and a temporary folder that is always removed."""
    with appearing_whole(path) as hidden:
        hidden.mkdir()
        with tempfile.TemporaryDirectory(dir=hidden.parent, prefix=f".{path.name}.") as work:
            yield hidden, Path(work)


def _released_table(
    release: "PartitionedRelease", folder: Path, workers: int | None, client: Any
) -> tuple[PartitionedTable, Checks]:
    """Return the released numbers as a table in parts, and their checks."""
    folder.mkdir()
    settled = release.settled(workers=workers, client=client)
    given = list(enumerate(settled.given))
    settle = partial(
        _settle_part,
        table=release.table,
        strategy=release.strategy,
        stored=release.stored,
        folder=folder,
    )
    results = in_parallel(settle, given, workers=workers, client=client)
    table, strategy = release.table, release.strategy
    roots = [one.root for one in results]
    values = strategy.values_above(table.upper, settled, roots).astype(np.int64)
    top = replace(strategy.plan_of_top(table.upper).domain, region_groups=None)
    checks = check(top, values)
    leaves = values[table.upper.tree.leaves]
    added_up = np.array_equal(leaves, roots) and all(one.consistent for one in results)
    kept = strategy.keeps_public(release.noisy(TOP_MEASURED), values) and all(
        one.kept for one in results
    )
    blank = KINDS[table.kind].from_leaves(table.upper, np.zeros_like(leaves), **table.labels)
    released = PartitionedTable.assemble(
        folder,
        upper=table.upper,
        levels=table.levels,
        kind=table.kind,
        n_columns=release.plan.domain.n_columns,
        infos=[one.info for one in results],
        labels=dict(release.plan.mechanism.released(blank, values, release.plan).labels),
    )
    keeps = None if checks.keeps_invariants is None else checks.keeps_invariants and kept
    return released, replace(
        checks, consistent=checks.consistent and added_up, keeps_invariants=keeps
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _SettledPart:
    """A part of the released table that was written.

    Attributes:
        info: the information about its file.
        root: the numbers of its root.
        consistent: whether the numbers of all of its areas add up.
        kept: whether they keep the public numbers that are stored with its measurements.
    """

    info: PartInfo
    root: NumberArray
    consistent: bool
    kept: bool


def _settle_part(
    task: tuple[int, NumberArray],
    table: PartitionedTable,
    strategy: PartStrategy,
    stored: StoredParts,
    folder: Path,
) -> _SettledPart:
    """Compute the released numbers of a part, and write them.

    Raises:
        TableError: a number is negative.
    """
    number, given = task
    shape = table.shape(number)
    noisy = None if strategy.settles_all_at_once else from_arrays(stored.get(part_name(number)))
    values = strategy.settle_part(shape, noisy, given).astype(np.int64)
    leaves = values[shape.tree.leaves]
    return _SettledPart(
        info=write_part(folder, number, shape.tree, shape.codes, leaves),
        root=values[0].copy(),
        consistent=np.array_equal(values_below(shape.tree, leaves), values),
        kept=noisy is None or strategy.keeps_public(noisy, values),
    )


def _write_part_file(
    number: int, released: PartitionedTable, plan: Plan, margins: PartsMargins, folder: Path
) -> tuple[str, str]:
    """Write the lower levels of a part; return the name of the file and its hash."""
    part = released.read(number)
    table, cells = _table_of(released, part), margins.of(number)
    part_margins = _margins(table, plan, margins, *cells)
    depths = range(1, len(released.levels) - released.cut)
    frame = pd.concat([level_frame(part_margins, depth) for depth in depths])
    content = as_parquet(frame, rows_a_group=ROWS_A_GROUP)
    name = f"{PARTS}/{part_name(number)}.parquet"
    write_files(folder, {name: content})
    return name, hashlib.sha256(content).hexdigest()


def _write_maps(
    folder: Path, released: PartitionedTable, boundaries: "Boundaries | None"
) -> dict[str, str]:
    """Write maps of the levels below the cut that have boundaries; return their hashes."""
    hashes = {}
    words = dict(zip(released.levels, file_words(released.levels), strict=True))
    for level in released.levels[released.cut + 1 :]:
        if boundaries is None or level not in boundaries.regions.levels:
            continue
        rows = [_rows_of_level(file, level) for file in sorted((folder / PARTS).iterdir())]
        frame = pd.concat(rows)
        drawn = drawn_level(boundaries, level, frame)
        name = f"maps/{words[level]}.gpkg"
        if drawn is not None:
            content = geopackage(frame, boundaries, drawn)
            write_files(folder, {name: content})
            hashes[name] = hashlib.sha256(content).hexdigest()
    return hashes


def _rows_of_level(file: Path, level: str) -> pd.DataFrame:
    rows: pd.DataFrame = pq.read_table(file, filters=[("level", "==", level)]).to_pandas()
    return rows


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
    """Return the margins of the areas down to the cut."""
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
    """Copy the noisy measurements to a package; return the hash of each file."""
    (folder / MEASUREMENTS_OF_PARTS).mkdir()
    hashes = {}
    for source in sorted(release.stored.folder.glob("*.npz")):
        name = f"{MEASUREMENTS_OF_PARTS}/{source.name}"
        content = source.read_bytes()
        write_files(folder, {name: content})
        hashes[name] = hashlib.sha256(content).hexdigest()
    return hashes
