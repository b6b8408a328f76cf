"""Values of the core are frozen, and built from names: nobody changes them, or mixes up two."""

import dataclasses
import importlib
import inspect
import pkgutil

import hierdp_core

# Work in progress of one function call; none of them leaves it.
IN_PROGRESS = {
    "hierdp_core.audits.laboratory._Counted",
    "hierdp_core.planning.bench.Bench",
    "hierdp_core.reproduce.common.Footnotes",
}
# Built in one place from a tuple of their own.
BY_POSITION = {"hierdp_core.reproduce.common.Footnotes"}


def dataclasses_of_the_core():
    for module in pkgutil.walk_packages(hierdp_core.__path__, "hierdp_core."):
        if module.name.endswith("__main__") or "._app" in module.name:
            continue
        for value in vars(importlib.import_module(module.name)).values():
            own = isinstance(value, type) and value.__module__ == module.name
            if own and dataclasses.is_dataclass(value):
                yield value


VALUES = {f"{v.__module__}.{v.__qualname__}": v for v in dataclasses_of_the_core()}


def built_from_names(value: type) -> bool:
    parameters = inspect.signature(value).parameters.values()
    return all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters)


def test_the_walk_sees_them() -> None:
    assert {"hierdp_core.privacy.budget.Budget", "hierdp_core.simulation.Simulation"} <= {*VALUES}


def test_they_are_frozen() -> None:
    frozen = {name for name, value in VALUES.items() if value.__dataclass_params__.frozen}
    assert {*VALUES} - frozen == IN_PROGRESS


def test_they_are_built_from_names() -> None:
    by_position = {name for name, value in VALUES.items() if not built_from_names(value)}
    assert by_position == BY_POSITION
