"""Methods that people look for on an object, although a higher package does the work.

Packages import downwards only, but users write `Counts.from_frame` and `simulation.chart` without
knowing the packages. Such a method names the function that does its work, which is loaded at
the first call. `tests/frame/test_architecture.py` lists every use.
"""

from importlib import import_module
from typing import Any


def late(room: str, name: str) -> Any:
    """Return the function or class called `name` from a module of the package.

    Args:
        room: the module, without the name of the package: "readers.frames".
        name: the name of a function or class in it.
    """
    return getattr(import_module(f"hierdp_core.{room}"), name)
