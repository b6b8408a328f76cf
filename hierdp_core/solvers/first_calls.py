"""When to compile: small programs are interpreted first, with the same results.

Compiling takes seconds, interpreting a small table a fraction of a second. So nothing is compiled
until the work is large, or until this process has spent so much time on interpreting that compiling
is worthwhile. Code that was compiled before is loaded from the user's cache and always used.
"""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

_LARGEST_INTERPRETED = 1.0  # estimated seconds for one solution
_PATIENCE = 2.0  # seconds of interpreting in total
_spent = [0.0]


def use_compiled(kernel: Any, seconds: float) -> bool:
    """Return whether to run `kernel` compiled; `seconds` estimates the time of interpreting it."""
    if kernel.signatures or _is_cached(kernel):
        return True
    return seconds > _LARGEST_INTERPRETED or _spent[0] > _PATIENCE


def count_interpreted(seconds: float) -> None:
    """Add to the time that this process has spent on interpreting."""
    _spent[0] += seconds


@lru_cache(maxsize=64)
def interpreted(kernel: Any) -> Callable[..., Any]:
    """Return `kernel`, and all kernels that it calls, as plain Python functions.

    Results equal those of the compiled code, from the same operations on the same floats.
    """
    source = kernel.py_func
    names = dict(source.__globals__)
    for name in source.__code__.co_names:
        if isinstance(names.get(name), Dispatcher):
            names[name] = interpreted(names[name])
    plain = FunctionType(source.__code__, names, source.__name__, source.__defaults__)

    def run(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):  # as in compiled code
            return plain(*arguments)

    return run if source.__name__[0] != "_" else plain


def _is_cached(kernel: Any) -> bool:
    folder = Path(kernel.stats.cache_path or "")
    stem = Path(kernel.py_func.__code__.co_filename).stem
    return any(folder.glob(f"{stem}.{kernel.py_func.__name__}-*.nbi"))
