"""Group sizes from rows of single groups: where each group is, and how many members it has."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hierdp_core.exceptions import TableError
from hierdp_core.hierarchy import Regions
from hierdp_core.tables.values import LARGEST_TOTAL, place
from hierdp_core.util.arrays import IntArray
from hierdp_core.util.text import counted, paragraph

LARGEST_CELLS = 100_000_000  # leaves × sizes


def leaves_of_groups(
    regions: Regions,
    region_of_group: Sequence[Any] | npt.NDArray[Any],
    size_of_group: Sequence[Any] | npt.NDArray[Any],
    *,
    group_ids: Sequence[Any] | npt.NDArray[Any] | None,
    max_size: int | None,
) -> tuple[IntArray, int]:
    """Return the numbers of groups by leaf and size, and the number of larger groups.

    Returns:
        shape (n_leaves, largest size + 1), and the number of groups above the maximum size.

    Raises:
        TableError: as `GroupSizes.from_groups`.
    """
    leaves = _leaves(regions, region_of_group)
    sizes = _sizes(size_of_group)
    if len(leaves) != len(sizes):
        raise TableError(
            f"Each group needs an area and a size; got {counted(len(leaves), 'area')} and "
            f"{counted(len(sizes), 'size')}. Give two columns of the same length."
        )
    if group_ids is not None:
        _refuse_twice(regions, leaves, group_ids)
    largest = int(sizes.max(initial=1)) if max_size is None else checked_max_size(max_size)
    if regions.tree.n_leaves * (largest + 1) > LARGEST_CELLS:
        raise TableError(
            f"{counted(regions.tree.n_leaves, 'area')} with sizes up to {largest:,} give more "
            f"than {LARGEST_CELLS:,} numbers. Set a smaller maximum size with `max_size`."
        )
    above = int((sizes > largest).sum())
    cells = leaves * (largest + 1) + np.minimum(sizes, largest)
    shape = regions.tree.n_leaves, largest + 1
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape), above


def _leaves(regions: Regions, given: Sequence[Any] | npt.NDArray[Any]) -> IntArray:
    array = np.asarray(given)
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    first, n_leaves = regions.tree.leaves.start, regions.tree.n_leaves
    leaf = regions.levels[-1]
    if array.dtype.kind in "iu":
        wrong = np.flatnonzero((array < 0) | (array >= n_leaves))
        if len(wrong):
            raise TableError(
                f"Areas are given by code or by position, from 0 to {n_leaves - 1:,}; group "
                f"{wrong[0] + 1:,} has {array[wrong[0]]}. Correct the row."
            )
        return array.astype(np.int64)
    position = {regions.ids[first + k]: k for k in range(n_leaves)}
    codes, where = np.unique(array.astype(str), return_inverse=True)
    leaves = np.array([position.get(str(code), -1) for code in codes])[where]
    wrong = np.flatnonzero(leaves < 0)
    if len(wrong):
        raise TableError(
            f'No {leaf} has the code "{array[wrong[0]]}"; group {wrong[0] + 1:,} has it. '
            "Correct the row, or add the area."
        )
    return leaves.astype(np.int64)


def _sizes(sizes: Sequence[Any] | npt.NDArray[Any]) -> IntArray:
    array = np.asarray(sizes)
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.dtype.kind not in "iuf":
        raise TableError(
            f"Sizes of groups must be numbers; these are of type {array.dtype}. Convert them to "
            'integers, for example with astype("int64").'
        )
    usable = np.isfinite(array) & (array == np.floor(array)) & (array >= 0)
    wrong = np.flatnonzero(~usable | (array > LARGEST_TOTAL))
    if len(wrong):
        raise TableError(
            f"A size is a whole number from 0 to {LARGEST_TOTAL:,}; group {wrong[0] + 1:,} has "
            f"{array[wrong[0]]}. Correct the row."
        )
    return array.astype(np.int64)


def checked_max_size(max_size: int) -> int:
    """Return the maximum group size.

    Raises:
        TableError: it is not a whole number, or is below 1.
    """
    is_whole = isinstance(max_size, int | np.integer) and not isinstance(max_size, bool)
    if not is_whole or max_size < 1:
        raise TableError(
            f"The maximum group size, max_size, is a whole number, at least 1; got {max_size}. "
            "Correct it, or leave it out to keep every size."
        )
    return int(max_size)


def _refuse_twice(
    regions: Regions, leaves: IntArray, group_ids: Sequence[Any] | npt.NDArray[Any]
) -> None:
    ids = np.asarray(group_ids)
    if len(ids) != len(leaves):
        raise TableError(
            f"Each group needs a code; got {counted(len(ids), 'code')} for "
            f"{counted(len(leaves), 'group')}. Give one code for each group, or none at all."
        )
    order = np.argsort(ids, kind="stable")
    again = np.flatnonzero(ids[order][1:] == ids[order][:-1])
    if not len(again):
        return
    first, second = order[again[0]], order[again[0] + 1]
    start = regions.tree.leaves.start
    one, other = (place(regions, start + int(leaves[row])) for row in (first, second))
    group = f'Group "{ids[first]}"'
    where = f"{group} is in {one} twice." if one == other else f"{group} is in {one} and {other}."
    remedy = f"Correct row {first + 1:,} or row {second + 1:,}."
    raise TableError(
        paragraph(where, "Each group belongs to one area and may occur only once.", remedy)
    )
