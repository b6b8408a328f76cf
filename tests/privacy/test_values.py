"""Values that a guarantee rests on cannot be changed, and their fields are named."""

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator

import pytest

from hierdp_core import mechanisms
from hierdp_core.noise.laws import Cells
from hierdp_core.privacy import Budget

ROOMS: dict[str, Callable[[], object]] = {
    "mechanisms": lambda: mechanisms.get("tree-dp"),
    "noise": lambda: Cells.of_region(0, 1),
    "privacy": lambda: Budget.pure(1),
}


def data_classes(room: str) -> Iterator[type]:
    package = importlib.import_module(f"hierdp_core.{room}")
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        for _, one in inspect.getmembers(module, inspect.isclass):
            if one.__module__ == module.__name__ and dataclasses.is_dataclass(one):
                yield one


@pytest.mark.parametrize("room", ROOMS)
def test_values_are_frozen_and_their_fields_are_named(room: str) -> None:
    assert ROOMS[room]() is not None
    classes = list(data_classes(room))
    assert classes
    for one in classes:
        settings = one.__dataclass_params__  # type: ignore[attr-defined]
        assert settings.frozen, one
        assert all(f.kw_only for f in dataclasses.fields(one) if f.init), one
