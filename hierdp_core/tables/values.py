"""Checks of the numbers that a table is built from."""

from typing import Any

import numpy as np
import numpy.typing as npt

from hierdp_core.exceptions import TableError
from hierdp_core.hierarchy import Regions
from hierdp_core.util.arrays import FloatArray, IntArray, NumberArray, frozen_array
from hierdp_core.util.text import counted

# Sums over regions of such counts with noise are far below the limit of int64. Costs in the tree
# program may exceed it. The program bounds them in advance, and uses two integers where necessary.
LARGEST_TOTAL = 10**12


def exact_leaves(regions: Regions, leaf_values: npt.ArrayLike) -> IntArray:
    """Return `leaf_values` as int64, checked to be non-negative integers that can be summed.

    Raises:
        TableError: a value is negative, fractional, too large or not a number, or there is not one
            row for each leaf.
    """
    array = np.asarray(leaf_values)
    n_leaves = regions.tree.n_leaves
    if array.ndim == 0 or len(array) != n_leaves:
        n_rows = array.shape[0] if array.ndim else 0
        raise TableError(
            f"One row for each {regions.levels[-1]} is needed, {n_leaves:,} in all; got {n_rows:,}."
            " Give the rows in the order of the areas, with a 0 where nothing is counted."
        )
    if array.dtype.kind not in "iuf" and not _all_integers(array):
        raise TableError(
            f"Counts must be numbers; these are of type {array.dtype}. Convert them to integers, "
            'for example with astype("int64").'
        )
    first_leaf = regions.tree.leaves.start

    def refuse(bad: npt.NDArray[np.bool_], rule: str, remedy: str) -> None:
        if bad.any():
            row, *column = where = tuple(np.argwhere(bad)[0].tolist())
            cell = cell_and_value(regions, (first_leaf + row, *column), array[where])
            raise TableError(f"{rule}; {cell}. {remedy}")

    if array.dtype.kind == "f":
        refuse(~np.isfinite(array), "Counts must be finite numbers", "Give the missing count.")
        refuse(array != np.floor(array), "Counts must be whole numbers", "Round the count.")
    refuse(array < 0, "Counts must not be negative", "Correct the count.")
    refuse(array > LARGEST_TOTAL, f"Counts go up to {LARGEST_TOTAL:,}", "Correct the count.")
    total = int(np.sum(array.astype(np.float64)))
    if total > LARGEST_TOTAL:
        raise TableError(
            f"All counts together go up to {LARGEST_TOTAL:,}; these add up to about {total:,}. "
            "Count in larger units."
        )
    return array.astype(np.int64)


def _all_integers(array: npt.NDArray[np.object_]) -> bool:
    return array.dtype.kind == "O" and all(
        isinstance(v, int) and not isinstance(v, bool) for v in array.flat
    )


def finite_numbers(values: NumberArray) -> NumberArray:
    """Return numbers as a read-only array, int64 for integers and otherwise float64.

    Raises:
        TableError: they are not numbers, or one is not finite.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise TableError(
            f"A table holds numbers; these are of type {array.dtype}. Convert them with "
            'astype("int64") or astype("float64").'
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        where = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
        raise TableError(
            f"A table holds finite numbers; entry {', '.join(map(str, where))} is {array[where]}. "
            "Give a number there."
        )
    are_integers = array.dtype.kind in "iu"
    result: FloatArray | IntArray = frozen_array(array, np.int64 if are_integers else np.float64)
    return result


def check_shape(regions: Regions, values: NumberArray, shape: tuple[int, ...]) -> None:
    """Require values of the given shape.

    Raises:
        TableError: the shape differs.
    """
    if values.shape != shape:
        raise TableError(
            f"Values for {counted(regions.tree.n_nodes, 'area')} must have shape {shape}; got "
            f"{values.shape}. Give one row for each area of every level, in level order."
        )


def cell_and_value(regions: Regions, cell: tuple[int, ...], value: Any) -> str:
    """Return a number with its place: its region, and its group size if it has one."""
    region = place(regions, cell[0])
    if len(cell) == 1:
        return f"{region} has {value}"
    return f"{region} has {value} at size {cell[1]}"


def place(regions: Regions, node: int) -> str:
    """Return a region in words: its level, name and code."""
    level = regions.levels[int(regions.tree.level_of[node])]
    return f"{level} {regions.names[node]} ({regions.ids[node]})"
