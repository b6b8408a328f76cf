"""Conversion of noisy measurements to named arrays and back, to store them before packaging.

Nothing is pickled. Equal measurements give equal bytes.
"""

import io
import zipfile
import zlib
from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt

from hierdp_core.exceptions import ReleaseError
from hierdp_core.mechanisms.flow_queries import TopDownMeasured
from hierdp_core.mechanisms.level_answers import Measured
from hierdp_core.scale.ways import MeasuredGroups
from hierdp_core.solvers.pooling import Pools

Arrays = dict[str, npt.NDArray[Any]]

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the time of every member, so that equal arrays give equal bytes


@singledispatch
def to_arrays(noisy: Any) -> Arrays:
    """Return noisy measurements as arrays by name.

    Raises:
        ReleaseError: measurements of this type cannot be stored.
    """
    raise ReleaseError(
        f"Measurements of type {type(noisy).__name__} cannot be stored. Use another mechanism."
    )


@to_arrays.register
def _(noisy: np.ndarray) -> Arrays:
    return {"values": noisy}


@to_arrays.register
def _(noisy: TopDownMeasured) -> Arrays:
    levels = {f"level-{k}": numbers for k, numbers in enumerate(noisy.levels, start=1)}
    return levels if noisy.total is None else {"total": np.array(noisy.total), **levels}


@to_arrays.register
def _(noisy: Measured) -> Arrays:
    arrays: Arrays = {"largest": np.array(noisy.largest), "levels": np.array(len(noisy.levels))}
    if noisy.totals is not None:
        arrays["totals"] = noisy.totals
    for k, level in enumerate(noisy.levels):
        if isinstance(level, list):
            arrays[f"level-{k}-pools"] = np.array([len(pools.mean) for pools in level], np.int64)
            none = np.zeros(0)
            arrays[f"level-{k}-mean"] = np.concatenate([none, *(pool.mean for pool in level)])
            counts = [pool.count for pool in level]
            arrays[f"level-{k}-count"] = np.concatenate([none.astype(np.int64), *counts])
        elif level is not None:
            arrays[f"level-{k}"] = level
    return arrays


@to_arrays.register
def _(noisy: MeasuredGroups) -> Arrays:
    return {**to_arrays(noisy.noisy), "groups": noisy.groups}


def from_arrays(arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    """Return the measurements from the arrays of `to_arrays`."""
    if "values" in arrays:
        return arrays["values"]
    if "largest" in arrays:
        noisy = Measured(
            levels=tuple(_level(arrays, k) for k in range(int(arrays["levels"]))),
            largest=int(arrays["largest"]),
            totals=arrays.get("totals"),
        )
        return MeasuredGroups(noisy=noisy, groups=arrays["groups"]) if "groups" in arrays else noisy
    levels = sorted((name for name in arrays if name != "total"), key=lambda n: int(n[6:]))
    return TopDownMeasured(
        total=int(arrays["total"]) if "total" in arrays else None,
        levels=tuple(arrays[name] for name in levels),
    )


def to_bytes(arrays: Arrays, *, packed: bool = True) -> bytes:
    """Return arrays as the bytes of an NPZ file.

    Args:
        arrays: the arrays, by name.
        packed: whether to compress the file. If not, its size depends on the shapes alone.
    """
    file = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", date_time=_LONG_AGO)
            archive.writestr(info, member.getvalue(), method)
    return file.getvalue()


def from_bytes(content: bytes) -> Arrays:
    """Return the arrays of an NPZ file.

    Raises:
        ValueError: the file is damaged.
    """
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            return dict(file)
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, TypeError) as error:
        raise ValueError("The file is damaged.") from error


def _level(arrays: Mapping[str, npt.NDArray[Any]], k: int) -> Any:
    if f"level-{k}-pools" not in arrays:
        return arrays.get(f"level-{k}")
    ends = np.cumsum(arrays[f"level-{k}-pools"])[:-1]
    means = np.split(arrays[f"level-{k}-mean"], ends)
    counts = np.split(arrays[f"level-{k}-count"], ends)
    return [Pools(mean=mean, count=count) for mean, count in zip(means, counts, strict=True)]
