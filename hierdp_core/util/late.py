"""Methods that people look for on a value, whose work is done in a package above it.

Packages import downward only. But users write `Counts.from_frame` and `simulation.chart` and do
not know our packages. Such a method names the function that does its work, which
is loaded at the first call. `tests/frame/test_architecture.py` lists every use.
"""

from importlib import import_module
from typing import Any


def late(room: str, name: str) -> Any:
    """Return what a module of the package calls `name`.

    Args:
        room: the module, without the name of the package: "readers.frames".
        name: the name of a function or class in it.
    """
    return getattr(import_module(f"hierdp_core.{room}"), name)
