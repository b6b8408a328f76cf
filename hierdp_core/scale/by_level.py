"""The error of one simulation in parts at every level, from the numbers of all areas.

Only the columns with numbers are read, one part at a time.
"""

from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from hierdp_core.exceptions import FileError
from hierdp_core.hierarchy import sum_up
from hierdp_core.scale.looking import UPPER
from hierdp_core.scale.partitioned import PartitionedTable, values_of
from hierdp_core.util.arrays import FloatArray, NumberArray
from hierdp_core.util.parallel import Cancel, in_parallel
from hierdp_core.util.parquet import read_parquet
from hierdp_core.util.progress import ProgressOption, reporting


def error_by_level(
    folder: str | Path,
    table: str | Path,
    *,
    workers: int | None = None,
    progress: ProgressOption = None,
    cancel: Cancel | None = None,
) -> pd.DataFrame | None:
    """Return the error of a simulation in parts, one row per level; None if cancelled.

    The error of an area is its absolute error, summed over its sizes if it has several. Columns:
    `level`, `areas`, `mean_abs` (the mean over areas) and `typical_rel` (the median over areas of
    the error divided by the true count, NaN where all true counts are 0).

    Args:
        folder: the folder of the simulation.
        table: the folder of the exact table.
        workers: the number of threads, each of which processes one part at a time; one per core
            by default.
        progress: True for a progress bar, or a function that is called with the number of
            completed parts and the total.
        cancel: called before each part; if it returns True, the work ends.

    Raises:
        FileError: a part is missing or damaged, or the table is not the simulated one.
        ChoiceError: `workers` is below 1.
    """
    result, exact = Path(folder), PartitionedTable.open(table)
    numbers = range(len(exact.parts))
    with reporting(progress, "parts") as report:
        pairs = in_parallel(
            partial(_of_part, result=result, table=exact),
            numbers,
            workers=workers,
            progress=report,
            cancel=cancel,
        )
    if len(pairs) < len(numbers):
        return None
    roots = np.array([root for root, _ in pairs])
    true = np.asarray(sum_up(exact.upper.tree, roots))
    levels = [
        [_errors(true[span], _numbers(result / UPPER)[span])]
        for span in map(exact.upper.tree.level, range(exact.cut + 1))
    ]
    below = range(1, len(exact.levels) - exact.cut)
    levels += [[of_part[level] for _, of_part in pairs] for level in below]
    return pd.DataFrame([_row(name, some) for name, some in zip(exact.levels, levels, strict=True)])


_Errors = tuple[FloatArray, FloatArray]  # absolute, and relative where it is defined


def _of_part(
    number: int, result: Path, table: PartitionedTable
) -> tuple[NumberArray, list[_Errors]]:
    """Return the exact numbers of a part's root, and the errors of each of its levels."""
    info = table.parts[number]
    true, released = _numbers(table.folder / info.file), _numbers(result / info.file)
    if true.shape != released.shape or len(true) != sum(info.rows):
        raise FileError(f"{table.folder} has other areas than {result}. Name the simulated table.")
    ends = np.cumsum([0, *info.rows])
    spans = [slice(start, stop) for start, stop in pairwise(ends)]
    return true[0], [_errors(true[span], released[span]) for span in spans]


def _numbers(file: Path) -> NumberArray:
    try:
        names = pq.read_schema(file).names
        columns = [name for name in names if name not in ("parent", "id")]
        return values_of(read_parquet(file, columns))
    except (OSError, pa.ArrowInvalid):
        raise FileError(f"{file} is missing or was changed. Copy the whole folder again.") from None


def _errors(true: NumberArray, released: NumberArray) -> _Errors:
    off: FloatArray = np.abs(released - true).astype(np.float64)
    if true.ndim > 1:
        off, true = off.sum(axis=1), true.sum(axis=1)
    return off, off[true > 0] / true[true > 0]


def _row(level: str, some: list[_Errors]) -> dict[str, object]:
    absolute = np.concatenate([one for one, _ in some])
    relative = np.concatenate([one for _, one in some])
    return {
        "level": level,
        "areas": len(absolute),
        "mean_abs": float(absolute.mean()),
        "typical_rel": float(np.median(relative)) if len(relative) else float("nan"),
    }
