"""Array types, and the read-only copies of arrays that frozen dataclasses hold."""

from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
NumberArray = npt.NDArray[np.int64] | npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


def frozen_array(values: npt.ArrayLike, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return a contiguous copy of `values` that cannot be written to.

    An array that is already read-only, contiguous and of this dtype is returned without a copy.
    """
    array = np.asarray(values)
    if array.dtype == dtype and array.flags.c_contiguous and not array.flags.writeable:
        return array
    copy = np.array(array, dtype=dtype, order="C", copy=True)
    copy.flags.writeable = False
    return copy
